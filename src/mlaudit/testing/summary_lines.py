"""The lines of a test run's summary: one for each audited claim, and the flake rate of them all."""

from collections.abc import Sequence
from typing import Any

from mlaudit.refuting.result import ClaimTest
from mlaudit.results.lines import VERDICT_NAMES, claim_text
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.numbers import bound, ceiling, confidence, count, plural, upwards

_WIDTH = 14
_LEGEND = (
    "bound: the true ε is at least this, with the confidence in brackets.",
    "detects: a true ε of this size fails the test with probability 90 %, if the audited pair shows it.",
)


def describe_test(result: ClaimTest, flake_rate: float) -> dict[str, Any]:
    """What the summary of a test run says about a result, as plain data."""
    whole = result.summary()
    names = ("mechanism", "verdict", "epsilon_lower", "detectable", "trainings", "alpha")
    claim = {name: whole["claim"].get(name) for name in ("epsilon", "delta", "relation", "unit")}
    ceiling = max((one.ceiling for one in result.attempts), default=0.0)
    return {**{name: whole[name] for name in names}, **claim, "ceiling": ceiling, "flake_rate": flake_rate}


def junit_properties(told: dict[str, Any]) -> dict[str, str]:
    """The claim and its result as JUnit files hold them: a text for each name.

    >>> told = {"verdict": "not_refuted", "epsilon": 2.0, "delta": 0.0, "relation": "replace-one",
    ...         "epsilon_lower": 1.234, "detectable": None, "trainings": 1000, "alpha": 0.002, "flake_rate": 1e-4}
    >>> junit_properties(told)["claim"], junit_properties(told)["bound"], junit_properties(told)["detects"]
    ('ε = 2 (replace-one)', '1.234', 'none')
    >>> junit_properties(told)["confidence"]
    '99.8 %'
    """
    detects = told["detectable"]
    return {
        "claim": claim_text(_read_claim(told)),
        "verdict": told["verdict"],
        "bound": repr(told["epsilon_lower"]),
        "confidence": confidence(told["alpha"]),
        "detects": "none" if detects is None else repr(detects),
        "trainings": str(told["trainings"]),
        "flake_rate": repr(told["flake_rate"]),
    }


def _read_claim(told: dict[str, Any]) -> Claim:
    return Claim(told["epsilon"], told["delta"], Relation(told["relation"]), unit=told.get("unit"))


def claim_line(test: str, told: dict[str, Any]) -> str:
    """One audited claim in one line.

    >>> told = {"mechanism": "kept", "verdict": "not_refuted", "epsilon": 2.0, "delta": 0.0,
    ...         "relation": "replace-one", "epsilon_lower": 1.234, "detectable": 2.601, "trainings": 1000,
    ...         "alpha": 0.05}
    >>> line = claim_line("test_a.py::test_kept", told)
    >>> line.partition(", ")[0]
    'NOT REFUTED   test_a.py::test_kept: kept'
    >>> line.partition(", ")[2]
    'claim ε = 2 (replace-one), bound 1.23 (95 %), detects 2.61, 1 000 trainings'
    """
    claim = _read_claim(told)
    found = f"bound {bound(told['epsilon_lower'], claim.epsilon)} ({confidence(told['alpha'])})"
    spent = plural(told["trainings"], "training")
    who = f"{test}: {told['mechanism']}, claim {claim_text(claim)}"
    parts = [who, found, *_tightness(told), spent]
    return f"{VERDICT_NAMES[told['verdict']].upper():<{_WIDTH}}{', '.join(parts)}"


def _tightness(told: dict[str, Any]) -> list[str]:
    if told["verdict"] == "inconclusive":
        return [f"no outcome could have shown more than {ceiling(told['ceiling'])}"]
    if told["verdict"] != "not_refuted":
        return []
    return ["detects none" if told["detectable"] is None else f"detects {upwards(told['detectable'])}"]


def closing_lines(told: Sequence[dict[str, Any]]) -> list[str]:
    """The legend, and the flake rate of the whole run: the sum over all claims, whatever depends on whatever.

    >>> closing_lines([{"flake_rate": 1e-4}, {"flake_rate": 1e-6}])[-1]
    'Flake rate of this run: at most 0.000101, the sum over 2 audited claims.'
    """
    total = min(1.0, sum(one["flake_rate"] for one in told))
    over = "that of 1 audited claim" if len(told) == 1 else f"the sum over {count(len(told))} audited claims"
    return [*_LEGEND, f"Flake rate of this run: at most {upwards(total)}, {over}."]
