"""A score card as an aligned table, and as plain data."""

from math import isfinite
from typing import Any

from mlaudit.testing.zoo._score_card import Score, ScoreCard
from mlaudit.types.numbers import count, measurement, parameter, percent


def as_text(card: ScoreCard) -> str:
    """A line for each exhibit, then what holds for all of them."""
    budgets = [count(n) for n in card.trainings]
    head = ["exhibit", "claimed ε", "true ε", *budgets, "median", "seconds", "false alarms"]
    lines = [head, *(_cells(score, card.trainings) for score in card.scores)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    table = ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]
    over = " " * (widths[0] + widths[1] + widths[2] + 6) + "caught within so many trainings"
    return "\n".join([over, *table, "", *_sums(card)]) + "\n"


def as_data(card: ScoreCard) -> dict[str, Any]:
    """Everything of the card; a true ε of None stands for infinity, a training of None for no verdict."""
    low, high = card.false_alarm_rate
    return {
        "alpha": card.alpha,
        "trainings": list(card.trainings),
        "exhibits": [_data(score, card.trainings) for score in card.scores],
        "false_alarms": card.false_alarms,
        "audits_of_healthy": card.audits,
        "false_alarm_rate": {"lower": low, "upper": high, "confidence": 0.95},
    }


def _cells(score: Score, budgets: tuple[int, ...]) -> list[str]:
    exhibit, audits = score.exhibit, len(score.healthy)
    start = [score.name, parameter(exhibit.claim.epsilon), _epsilon(exhibit.true_epsilon)]
    alarms = f"{score.false_alarms} of {audits}"
    if not score.broken:
        return [*start, *("–" for _ in budgets), "–", "–", alarms]
    rates = [percent(score.share_detected(n)) for n in budgets]
    after = score.median_trainings
    return [*start, *rates, "–" if after is None else count(after), measurement(score.median_seconds, 3), alarms]


def _sums(card: ScoreCard) -> list[str]:
    low, rate, high = (percent(share) for share in _rates(card))
    return [
        f"False alarms: {card.false_alarms} in {card.audits} audits of healthy mechanisms.",
        f"That is {rate}, with 95 % confidence {low} to {high}; α is {percent(card.alpha)}.",
        "median: trainings until the claim was refuted; seconds: CPU time of an audit of the broken one.",
    ]


def _rates(card: ScoreCard) -> tuple[float, float, float]:
    low, high = card.false_alarm_rate
    return low, card.false_alarms / card.audits, high


def _data(score: Score, budgets: tuple[int, ...]) -> dict[str, Any]:
    exhibit = score.exhibit
    data: dict[str, Any] = {
        "name": score.name,
        "claim": {
            "epsilon": exhibit.claim.epsilon,
            "delta": exhibit.claim.delta,
            "relation": exhibit.claim.relation.value,
        },
        "true_epsilon": _finite(exhibit.true_epsilon),
        "false_alarms": score.false_alarms,
        "audits_of_healthy": len(score.healthy),
    }
    if not score.broken:
        return data
    return {
        **data,
        "on_pair": _finite(exhibit.loss),
        "detected": {str(n): score.share_detected(n) for n in budgets},
        "refuted_after": [seen.refuted_after for seen in score.broken],
        "median_trainings": score.median_trainings,
        "median_seconds": score.median_seconds,
    }


def _epsilon(value: float) -> str:
    return measurement(value) if isfinite(value) else "∞"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
