"""mlaudit selftest."""

import argparse
import json
import sys
from typing import Any

from scipy.stats import binom
from tqdm import tqdm

from mlaudit import __version__
from mlaudit.cli.status import clear_status
from mlaudit.report import self_test
from mlaudit.selftest import ALPHA, Line, Mean, Share, audits_in_all, lines, together
from mlaudit.types.checks import whole

_FEWEST, _MOST = 10, 100_000
_ONCE_IN = 1e-4  # self-tests of a right auditor that complain


def command(given: argparse.Namespace) -> int:
    """Measure, print, keep the figures; more false alarms than chance explains are an error."""
    whole("audits", given.audits, _FEWEST, "fewer say nothing", _MOST)
    whole("seed", given.seed, 0)
    hidden = given.quiet or not sys.stderr.isatty()
    if not hidden:
        clear_status()
    with tqdm(total=audits_in_all(given.audits), unit=" audits", disable=hidden, leave=False) as bar:
        found = list(lines(given.audits, given.seed, done=lambda: _count(bar)))
    figures = _plain(found, given.audits, given.seed)
    kept = self_test.keep(figures)
    if given.json:
        sys.stdout.write(json.dumps(figures, ensure_ascii=False) + "\n")
    else:
        said = _sentence(found)
        text = [*_table(found), "", f"{said[0].upper()}{said[1:]}.", f"  files       {kept}"]
        sys.stdout.write("\n".join(text) + "\n")
    pooled = [together(found, procedure, "false alarms") for procedure in ("progressive", "sequential")]
    return 3 if any(binom.sf(share.found - 1, share.of, ALPHA) < _ONCE_IN for share in pooled) else 0


def _count(bar: "tqdm[Any]") -> None:
    bar.update()


def _table(found: list[Line]) -> list[str]:
    """Aligned lines for people."""
    rows = [("procedure", "mechanism, true ε", "measure", "value", "95 % interval")]
    rows += [(line.procedure, line.mechanism, line.measure, *_shown(line.value)) for line in found]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _plain(found: list[Line], audits: int, seed: int) -> dict[str, Any]:
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
        alarms = together(found, procedure, "false alarms")
        low, high = f"{alarms.low:.4f}", f"{alarms.high:.4f}"
        parts.append(f"{procedure} {alarms.found} of {alarms.of} (95 % interval {low} to {high})")
    ratios = [line.value.mean for line in found if isinstance(line.value, Mean)]
    tight = f"; bounds from 2000 trainings were {min(ratios):.2f} to {max(ratios):.2f} of the truth" if ratios else ""
    return f"false alarms at α = {ALPHA:g}: {', '.join(parts)}{tight}"


def _shown(value: Share | Mean) -> tuple[str, str]:
    interval = f"{value.low:.3f} to {value.high:.3f}"
    if isinstance(value, Share):
        return f"{value.found} of {value.of}", interval
    return f"{value.mean:.3f}", interval
