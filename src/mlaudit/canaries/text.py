"""The result of an audit by canaries in sentences and as one object for programs."""

from typing import TYPE_CHECKING, Any

from scipy.special import expit

from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.summary import summarise_claim
from mlaudit.types import numbers
from mlaudit.types.numbers import ceiling, confidence, count, measurement, parameter, percent, plural

if TYPE_CHECKING:  # the class calls these functions
    from mlaudit.canaries.result import CanaryResult


def render(result: "CanaryResult") -> str:
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


def _headline(result: "CanaryResult") -> str:
    bound, claim = result.bound, result.claim.epsilon
    sure, claimed = confidence(bound.alpha), parameter(claim)
    if bound.epsilon == 0:
        return f"With {sure} confidence this shows no leakage: the lower bound on ε is 0."
    implied = f" (as implied for {bound.assuming})" if bound.assuming else ""
    found = f"ith {sure} confidence the true ε is at least {numbers.bound(bound.epsilon, claim)}{implied}"
    if result.violated:
        return f"VIOLATION: w{found}, above the claimed {claimed}."
    return f"W{found}; the claim of {claimed} is consistent with that."


def _support(result: "CanaryResult") -> str:
    counts = result.counts
    right, made = counts.correct[0], counts.guesses[0]
    share = f"{count(right)} of {count(made)} guesses ({percent(right / made)}) were right"
    if result.mu is None:
        most = percent(float(expit(result.claim.epsilon)))
        about = f"About {count(counts.canaries)} canaries of one training"
        return f"{about}, {share}; under ε = {parameter(result.claim.epsilon)} at most {most} can be expected."
    noise = (
        f"the noise of a step is at most {measurement(1 / result.mu)} clipping norms"
        if result.mu
        else "this bounds no noise"
    )
    return f"Whether a canary was in a step's sum, {share}: {noise}."


def _parameters(result: "CanaryResult") -> str:
    plain = {
        k: v
        for k, v in result.parameters.items()
        if k not in ("type", "outside") and isinstance(v, str | int | float)
    }
    return ", ".join(f"{k} = {v}" for k, v in plain.items()) or "none"


def summarise(result: "CanaryResult") -> dict[str, Any]:
    """The values that programs ask for, in one flat object."""
    bound = result.bound
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": result.kind,
        "trainer": result.trainer,
        "parameters": dict(result.parameters),
        "claim": summarise_claim(result.claim),
        "epsilon_lower": bound.epsilon,
        "ceiling": bound.ceiling,
        "alpha": bound.alpha,
        "verdict": "violation" if result.violated else "consistent",
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
