"""Outcomes as a badge: the JSON that shields.io reads from an endpoint."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime

from mlaudit.report.outcomes import Outcome
from mlaudit.results.lines import VERDICT_NAMES, claim_text
from mlaudit.results.verdict import VERDICTS
from mlaudit.types.numbers import bound, count

LABEL = "privacy audit"
_COLOURS = {"violated": "red", "not_repeated": "yellow", "inconclusive": "yellow", "not_refuted": "brightgreen"}


def render(outcomes: Sequence[Outcome], day: str = "") -> str:
    """The badge of one claim (verdict, claim and bound), or of several (how many ended with each verdict).

    Args:
        outcomes: What became of each claim, at least one.
        day: The date on the badge. Default: today, or the date of SOURCE_DATE_EPOCH.

    Returns:
        The text of a JSON file with `schemaVersion`, `label`, `message` and `color`.

    Example:
        >>> from pathlib import Path
        >>> from mlaudit.types.claim import Claim
        >>> one = Outcome("laplace", Claim(1.0), "not_refuted", 0.97, None, 0.05, 1.1, 400, "", "", "", (), Path())
        >>> json.loads(render([one], "2026-11-17"))["message"]
        'not refuted: claim ε = 1 (replace-one), bound ε ≥ 0.97, 2026-11-17'
    """
    gravest = next(verdict for verdict in VERDICTS if any(one.verdict == verdict for one in outcomes))
    said = _describe(outcomes[0]) if len(outcomes) == 1 else _count(outcomes)
    badge = {
        "schemaVersion": 1,
        "label": LABEL,
        "message": f"{said}, {day or _today()}",
        "color": _COLOURS[gravest],
    }
    return json.dumps(badge, ensure_ascii=False) + "\n"


def _describe(one: Outcome) -> str:
    shown = bound(one.epsilon_lower, one.claim.epsilon)
    return f"{VERDICT_NAMES[one.verdict].lower()}: claim {claim_text(one.claim)}, bound ε ≥ {shown}"


def _count(outcomes: Sequence[Outcome]) -> str:
    counts = {verdict: sum(one.verdict == verdict for one in outcomes) for verdict in VERDICTS}
    told = [f"{count(number)} {VERDICT_NAMES[verdict].lower()}" for verdict, number in counts.items() if number]
    return f"{count(len(outcomes))} claims: {', '.join(told)}"


def _today() -> str:
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(given), UTC) if given.isdecimal() else datetime.now(UTC)
    return moment.date().isoformat()
