"""A result in plain words, for a reader who knows no differential privacy: one paragraph."""

from dataclasses import dataclass
from math import isfinite

from scipy.special import expit

from mlaudit.results.lines import hollow_text
from mlaudit.types import numbers
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bound
from mlaudit.types.numbers import confidence, parameter, percent, upwards

Paragraph = tuple[tuple[str, str], ...]  # introductions and sentences
COIN = "tossing a coin gives 50 %"
NO_PROOF = "The claim is not proved: a stronger attack, other data or more trainings may show more leakage."
_CERTAIN = 0.999999  # nobody reads more digits
_QUESTION = {
    Relation.REPLACE_ONE: "whether a person's record, or another one in its place, was used",
    Relation.ADD_REMOVE: "whether a person's record was used",
    Relation.LABEL_ONLY: "which label a person's record has, with all its other values known",
    Relation.ZERO_OUT: "whether a person's record, or zeros in its place, was used",
}
_QUESTION_OF_UNITS = {
    Relation.REPLACE_ONE: "whether the records of one {unit}, or others in their place, were used",
    Relation.ADD_REMOVE: "whether the records of one {unit} were used",
    Relation.LABEL_ONLY: "which labels the records of one {unit} have, with all their other values known",
    Relation.ZERO_OUT: "whether the records of one {unit}, or zeros in their place, were used",
}


@dataclass(frozen=True)
class Account:
    """What an audit has to tell: who claims what, what was tried, what was found.

    `repeated` is the bound on fresh trainings, and `detectable` the smallest ε that would have been detected; both
    are None where there is none.
    """

    learner: str
    claim: Claim
    tried: str
    bound: Bound
    verdict: str
    repeated: float | None = None
    detectable: float | None = None


def success(epsilon: float, delta: float = 0.0) -> str:
    """The largest share of correct guesses about one record under (ε, δ), where each answer has probability ½.

    >>> success(1.0), success(1.0, 0.1), success(0.0), success(20.0)
    ('73.1 %', '75.8 %', '50 %', '100 %')
    """
    q = float(expit(epsilon))
    share = q + (1 - q) * delta
    return percent(1.0 if share > _CERTAIN else share)


def least_success(epsilon: float) -> str:
    """The share of correct guesses that outputs which prove ε allow, rounded down where it is near 100 %.

    >>> least_success(1.0), least_success(30.0)
    ('73.1 %', '99.9999 %')
    """
    return percent(min(float(expit(epsilon)), _CERTAIN))


def explain(account: Account) -> Paragraph:
    """The paragraph: what was claimed, tried and found, what that means for a person, and what it does not prove.

    Args:
        account: What the audit has to tell.

    Returns:
        The sentences, each part with the words that introduce it.

    Example:
        >>> bound = Bound(0.876, 7.2, 0.05, 1, "nested scan")
        >>> parts = explain(Account("laplace", Claim(1.0), "It was tried.", bound, "not_refuted", detectable=1.12))
        >>> print(parts[3][1])
        The audit found outputs from which such a guess succeeds in 70.6 % of cases or more, which the claim \
allows.
    """
    return label_parts(_claimed(account), account.tried, _found(account), _meaning(account), _limits(account))


def label_parts(claimed: str, tried: str, found: str, meaning: str, limits: str) -> Paragraph:
    """The five parts of every paragraph with their introductions."""
    labels = ("The claim.", "What was tried.", "What was found.", "For a person in the data.", "What is not proved.")
    return tuple(zip(labels, (claimed, tried, found, meaning, limits), strict=True))


def _claimed(account: Account) -> str:
    claim = account.claim
    delta = f", δ = {parameter(claim.delta)}" if claim.delta else ""
    hidden, question = "every single record", _QUESTION[claim.relation]
    if claim.unit is not None:
        hidden = f"all records of every single {claim.unit}"
        question = _QUESTION_OF_UNITS[claim.relation].format(unit=claim.unit)
    return (
        f"{account.learner} claims to hide {hidden}: someone who sees its output and knows all other "
        f"records can guess {question} with at most {success(claim.epsilon, claim.delta)} success, "
        f"where {COIN} (this is ε = {parameter(claim.epsilon)}{delta})."
    )


def _found(account: Account) -> str:
    claim, bound = account.claim, account.bound
    under = f" under {bound.assuming}" if bound.assuming else ""
    shown = f"ε ≥ {numbers.bound(bound.epsilon, claim.epsilon)} with {confidence(bound.alpha)} confidence{under}"
    again = None if account.repeated is None else f"ε ≥ {numbers.bound(account.repeated, claim.epsilon)}"
    if account.verdict == "violated":
        repeated = "" if again is None else f", and fresh trainings repeated it ({again})"
        return f"The guesses were correct more often than the claim allows: {shown}{repeated}."
    if account.verdict == "not_repeated":
        return f"The first trainings gave {shown}, above the claim, but fresh trainings gave only {again}."
    if account.verdict == "inconclusive":
        return hollow_text(bound, claim)
    if bound.epsilon == 0:
        return "The guesses were not correct often enough to show any leakage."
    return f"The guesses show {shown}, which does not exceed the claim."


def _meaning(account: Account) -> str:
    least = least_success(account.bound.epsilon)
    if account.verdict == "violated":
        return (
            "The protection is weaker than claimed: there are outputs from which such a guess succeeds in "
            f"{least} of cases or more."
        )
    if account.verdict == "not_repeated":
        return "The audit gives no answer. An audit with more trainings may give one."
    if account.verdict == "inconclusive":
        return "The audit says nothing about the protection, neither good nor bad."
    if account.bound.epsilon == 0:
        return "This audit found no output that reveals a record."
    return (
        f"The audit found outputs from which such a guess succeeds in {least} of cases or more, which the "
        "claim allows."
    )


def _limits(account: Account) -> str:
    if account.verdict == "violated":
        return (
            "The audit shows that the true ε is at least this large, but not how large it is, nor that every "
            'dataset leaks as much. A true claim gets the verdict "violated" with probability at most '
            f"{percent(account.bound.alpha)}."
        )
    if account.verdict == "not_refuted" and account.detectable is not None and isfinite(account.detectable):
        seen = f"A true ε of {upwards(account.detectable)} or more would have been detected with probability 90 %"
        return f"{NO_PROOF} {seen}, if the data of this audit show it."
    return NO_PROOF
