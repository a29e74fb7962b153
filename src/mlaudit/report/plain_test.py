"""A test of a claim in plain words, for a reader who knows no differential privacy: one paragraph."""

from mlaudit.refuting.result import ClaimTest
from mlaudit.refuting.text import tightness_text
from mlaudit.report.plain import Account, Paragraph, explain
from mlaudit.types import numbers
from mlaudit.types.finding import Bound
from mlaudit.types.numbers import confidence, plural

_FOUND = "What was found."


def explain_test(result: ClaimTest) -> Paragraph:
    """What was claimed, tried and found, what that means for a person, and what it does not prove."""
    worst = result.findings[0].repeated_epsilon if result.findings else None
    bound = Bound(result.epsilon_lower, result.ceiling, result.alpha, 1, "e-process")
    who = f"{result.mechanism} ({result.stands_for})" if result.stands_for else result.mechanism
    account = Account(who, result.claim, _tried(result), bound, result.verdict, worst, result.detectable)
    own = _found(result)
    return tuple((label, own if own and label == _FOUND else said) for label, said in explain(account))


def _tried(result: ClaimTest) -> str:
    detectors = list(dict.fromkeys(one.detector for one in result.attempts))
    where = f"the data {result.dataset} and on small crafted datasets" if result.dataset else "small crafted datasets"
    return (
        "mlaudit looked for data on which the claim fails. "
        f"{plural(len(detectors), 'detector')} trained it {plural(result.trainings, 'time')} on {where}: on data D "
        "and on data D′ that differ in one record. Rules that were learned on some outputs then guessed whether "
        "fresh outputs came from D or from D′. Only those guesses were counted."
    )


def _found(result: ClaimTest) -> str:
    """Where a test has more to say than an audit: what reveals a record, or why nothing could be shown."""
    if result.verdict == "inconclusive":
        return tightness_text(result)
    if result.verdict == "not_repeated":
        shown = numbers.bound(result.epsilon_lower, result.claim.epsilon)
        return f"A detector first gave ε ≥ {shown}, above the claim, but fresh trainings did not repeat it."
    if not result.findings:
        return ""
    worst, claimed = result.findings[0], result.claim.epsilon
    shown = f"ε ≥ {numbers.bound(worst.epsilon, claimed)} with {confidence(result.alpha)} confidence"
    again = worst.repeated_epsilon
    repeated = "" if again is None else f", and fresh trainings repeated it (ε ≥ {numbers.bound(again, claimed)})"
    more = len(result.findings) - 1
    others = f" {plural(more, 'more finding')} below." if more else ""
    return (
        f"The guesses were correct more often than the claim allows: {shown}{repeated}. The leak is in "
        f"{worst.place}. In trainings that show the cause, and are not counted: {worst.cause}{others}"
    )
