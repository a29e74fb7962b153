"""What canaries showed, in sentences and as one object for machines."""

from typing import Any

from scipy.special import expit

from mlaudit.canaries.result import CanaryResult
from mlaudit.report.numbers import bound as digits
from mlaudit.report.numbers import ceiling, count, plural


def render(result: CanaryResult) -> str:
    """All there is to say, in a few lines."""
    spent = f"{plural(result.trainings, 'training')}, seed {result.seed}"
    lines = [
        f"{result.trainer} claims {result.claim}.",
        _headline(result),
        _support(result),
        "",
        f"  procedure   {result.kind} ({result.bound.method}), {spent}",
        f"  ceiling     {ceiling(result.bound.ceiling)}: the highest ε that this audit could have shown",
        f"  parameters  {_parameters(result)}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in result.versions.items())}",
    ]
    return "\n".join(lines)


def _headline(result: CanaryResult) -> str:
    bound, claimed = result.bound, result.claim.epsilon
    if bound.epsilon == 0:
        return f"With {bound.confidence} confidence this shows no leakage: the lower bound on ε is 0."
    implied = f" (as implied for {bound.assuming})" if bound.assuming else ""
    found = f"ith {bound.confidence} confidence the true ε is at least {digits(bound.epsilon, claimed)}{implied}"
    if result.violation:
        return f"VIOLATION: w{found}, above the claimed {claimed:g}."
    return f"W{found}; the claim of {claimed:g} is consistent with that."


def _support(result: CanaryResult) -> str:
    counts = result.counts
    right, made = counts.correct[0], counts.guesses[0]
    share = f"{count(right)} of {count(made)} guesses ({100 * right / made:.1f} %) were right"
    if result.mu is None:
        most = 100 * float(expit(result.claim.epsilon))
        about = f"About {count(counts.canaries)} canaries of one training"
        return f"{about}, {share}; under ε = {result.claim.epsilon:g} at most {most:.1f} % can be expected."
    noise = (
        f"the noise of a step is at most {1 / result.mu:.4g} clipping norms" if result.mu else "this bounds no noise"
    )
    return f"Whether a canary was in a step's sum, {share}: {noise}."


def _parameters(result: CanaryResult) -> str:
    plain = {
        k: v
        for k, v in result.parameters.items()
        if k not in ("type", "outside") and isinstance(v, str | int | float)
    }
    return ", ".join(f"{k} = {v}" for k, v in plain.items()) or "none"


def summary(result: CanaryResult) -> dict[str, Any]:
    """What a program wants to know, in one flat object."""
    bound, claim = result.bound, result.claim
    return {
        "kind": result.kind,
        "trainer": result.trainer,
        "parameters": dict(result.parameters),
        "claim": {"epsilon": claim.epsilon, "delta": claim.delta, "relation": claim.relation.value},
        "epsilon_lower": bound.epsilon,
        "ceiling": bound.ceiling,
        "alpha": bound.alpha,
        "verdict": "violation" if result.violation else "consistent",
        "method": bound.method,
        "assuming": bound.assuming,
        "mu_lower": result.mu,
        "right": result.counts.correct[0],
        "guesses": result.counts.guesses[0],
        "canaries": result.counts.canaries,
        "trainings": result.trainings,
        "seed": result.seed,
        "stands_for": result.stands_for,
        "versions": dict(result.versions),
    }
