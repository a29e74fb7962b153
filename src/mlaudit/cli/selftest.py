"""mlaudit selftest."""

import argparse
import json
import sys
from typing import Any

from mlaudit import __version__
from mlaudit.cli.terminal import count_audits
from mlaudit.report import self_test
from mlaudit.statistics.binomial import tail
from mlaudit.testing.selftest import ALPHA, Line, Mean, Share, audits_in_all, lines, pool_shares
from mlaudit.types.checks import whole
from mlaudit.types.numbers import count, measurement, parameter, percent

_FEWEST, _MOST = 10, 100_000
_ONCE_IN = 1e-4  # self-tests of a right auditor that complain


def command(given: argparse.Namespace) -> int:
    """Measure, print, keep the figures; more false alarms than chance explains are an error."""
    whole("audits", given.audits, _FEWEST, "fewer say nothing", _MOST)
    whole("seed", given.seed, 0)
    with count_audits(audits_in_all(given.audits), show=not given.quiet) as count_one:
        found = list(lines(given.audits, given.seed, done=count_one))
    figures = _as_data(found, given.audits, given.seed)
    kept = self_test.keep(figures)
    if given.json:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        said = _sentence(found)
        text = [*_table(found), "", f"{said[0].upper()}{said[1:]}.", f"  files       {kept}"]
        sys.stdout.write("\n".join(text) + "\n")
    pooled = [pool_shares(found, procedure, "false alarms") for procedure in ("progressive", "sequential")]
    return 3 if any(tail(share.found, share.of, ALPHA) < _ONCE_IN for share in pooled) else 0


def _table(found: list[Line]) -> list[str]:
    """Aligned lines for people."""
    rows = [("procedure", "mechanism, true ε", "measure", "value", "95 % interval")]
    rows += [(line.procedure, line.mechanism, line.measure, *_value_and_interval(line.value)) for line in found]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _as_data(found: list[Line], audits: int, seed: int) -> dict[str, Any]:
    """The same as data."""
    return {
        "version": __version__,
        "alpha": ALPHA,
        "audits": audits,
        "seed": seed,
        "said": _sentence(found),
        "lines": [
            {
                "procedure": line.procedure,
                "mechanism": line.mechanism,
                "measure": line.measure,
                "value": line.value.found / line.value.of if isinstance(line.value, Share) else line.value.mean,
                "low": line.value.low,
                "high": line.value.high,
                "of": line.value.of,
            }
            for line in found
        ],
    }


def _sentence(found: list[Line]) -> str:
    """False alarms and tightness in one sentence."""
    parts = []
    for procedure in dict.fromkeys(line.procedure for line in found):
        alarms = pool_shares(found, procedure, "false alarms")
        low, high = percent(alarms.low), percent(alarms.high)
        parts.append(f"{procedure} {alarms.found} of {alarms.of} (95 % interval {low} to {high})")
    ratios = [line.value.mean for line in found if isinstance(line.value, Mean)]
    low, high = (percent(most(ratios, default=0.0)) for most in (min, max))
    tight = f"; bounds from 2000 trainings were {low} to {high} of the truth" if ratios else ""
    return f"false alarms at α = {parameter(ALPHA)}: {', '.join(parts)}{tight}"


def _value_and_interval(value: Share | Mean) -> tuple[str, str]:
    if isinstance(value, Share):
        return f"{count(value.found)} of {count(value.of)}", f"{percent(value.low)} to {percent(value.high)}"
    return measurement(value.mean), f"{measurement(value.low)} to {measurement(value.high)}"
