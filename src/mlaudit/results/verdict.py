"""The verdict of an audit: what a bound means for the claim."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound

Verdict = Literal["violated", "not_repeated", "inconclusive", "not_refuted"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)  # the gravest first

# Version 0.1 had other words, and none for an audit that could not have refuted the claim.
_FORMER = {"violation": "violated", "unconfirmed": "not_repeated", "consistent": "not_refuted"}


def refutes(claim: Claim, bound: Bound) -> bool:
    """Whether a bound refutes a claim: it lies above the claim, and assumes nothing that the claim does not say.

    >>> refutes(Claim(1.0), Bound(1.5, 7.0, 0.05, 1, "nested scan"))
    True
    >>> refutes(Claim(1.0, delta=1e-5), Bound(1.5, 7.0, 0.05, 1, "accuracy", "Gaussian DP"))
    False
    """
    return bound.epsilon > claim.epsilon and _speaks_of(claim, bound)


def could_refute(claim: Claim, bound: Bound) -> bool:
    """Whether some outcome of the audit would have refuted the claim.

    >>> could_refute(Claim(1.0), Bound(0.1, 0.63, 0.05, 8, "nested scan"))
    False
    """
    return bound.ceiling > claim.epsilon and _speaks_of(claim, bound)


def _speaks_of(claim: Claim, bound: Bound) -> bool:
    return not bound.assuming or claim.gaussian


def judge(claim: Claim, bound: Bound, repeated: Bound | None = None) -> Verdict:
    """The verdict of a bound, and of the bound on fresh trainings if the first one refutes the claim.

    >>> low, high = Bound(0.9, 7.0, 0.05, 1, "nested scan"), Bound(1.5, 7.0, 0.05, 1, "nested scan")
    >>> judge(Claim(1.0), low), judge(Claim(1.0), high, high), judge(Claim(1.0), high, low), judge(Claim(9.0), low)
    ('not_refuted', 'violated', 'not_repeated', 'inconclusive')
    """
    if refutes(claim, bound):
        return "violated" if repeated is None or refutes(claim, repeated) else "not_repeated"
    return "not_refuted" if could_refute(claim, bound) else "inconclusive"


def is_former(verdict: str, judged: Verdict) -> bool:
    """Whether version 0.1 gave this verdict where the present one is `judged`.

    >>> is_former("consistent", "inconclusive"), is_former("consistent", "violated")
    (True, False)
    """
    now = _FORMER.get(verdict)
    return now == judged or (now == "not_refuted" and judged == "inconclusive")


def read_verdict(summary: Mapping[str, Any], claimed: float | None) -> str:
    """The verdict in a summary, also in one that version 0.1 wrote.

    >>> read_verdict({"verdict": "violation"}, 1.0), read_verdict({"verdict": "consistent", "ceiling": 0.6}, 1.0)
    ('violated', 'inconclusive')
    """
    found = summary.get("verdict")
    if not isinstance(found, str):
        return ""
    ceiling = summary.get("ceiling")
    if found == "consistent" and claimed is not None and isinstance(ceiling, int | float) and ceiling <= claimed:
        return "inconclusive"
    return _FORMER.get(found, found)
