"""The result of an audit by canaries in sentences and as one object for programs."""

from typing import TYPE_CHECKING, Any

from scipy.special import expit

from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.lines import NO_PROOF, bound_text, hollow_text, tightness_text, title_line
from mlaudit.results.summary import finite, summarise_claim
from mlaudit.types.numbers import ceiling, count, measurement, percent, plural

if TYPE_CHECKING:  # the class calls these functions
    from mlaudit.canaries.result import CanaryResult


def render(result: "CanaryResult") -> str:
    """All there is to say, in a few lines."""
    spent = f"{plural(result.trainings, 'training')}, seed {result.seed}"
    lines = [
        title_line(result.verdict, result.trainer, result.claim),
        *verdict_lines(result),
        "",
        f"  procedure   {result.kind} ({result.bound.method}), {spent}",
        f"  ceiling     {ceiling(result.bound.ceiling)}: the highest ε that this audit could have shown",
        f"  parameters  {parameters_text(result)}",
        f"  versions    {', '.join(f'{k} {v}' for k, v in result.versions.items())}",
    ]
    return "\n".join(lines)


def verdict_lines(result: "CanaryResult") -> list[str]:
    """The bound, what the audit could have seen, and the evidence."""
    found = bound_text(result.bound, result.claim)
    if result.verdict == "violated":
        return [f"{found}. Not repeated: `mlaudit replay` repeats it with another seed.", _support(result)]
    if result.verdict == "inconclusive":
        more = f"{hollow_text(result.bound, result.claim)} Use more canaries."
        return [f"{found}. {NO_PROOF}", more, _support(result)]
    tightness = [] if result.detectable is None else [tightness_text(result.detectable, "the canaries show")]
    return [f"{found}. {NO_PROOF}", *tightness, _support(result)]


def _support(result: "CanaryResult") -> str:
    counts = result.counts
    right, made = counts.correct[0], counts.guesses[0]
    share = f"{count(right)} of {count(made)} guesses ({percent(right / made)}) were correct"
    if result.mu is None:
        most = percent(float(expit(result.claim.epsilon)))
        return f"Evidence: {share} on {count(counts.canaries)} canaries in one training; the claim allows {most}."
    noise = (
        f"the noise of a step is at most {measurement(1 / result.mu)} clipping norms"
        if result.mu
        else "this gives no bound on the noise"
    )
    return f"Evidence: {share} on whether a canary was in the sum of a step; {noise}."


def parameters_text(result: "CanaryResult") -> str:
    """The parameters of the trainer that are names or numbers."""
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
        "verdict": result.verdict,
        "detectable": None if result.detectable is None else finite(result.detectable),
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
