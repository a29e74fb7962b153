"""mlaudit zoo."""

import argparse
import json
import sys

from mlaudit.auditing.run import check_numbers
from mlaudit.cli.specs import ZooSpec
from mlaudit.cli.terminal import count_audits
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.errors import Incomplete, InvalidInput
from mlaudit.naming.plugins import load
from mlaudit.testing.zoo import Exhibit, exhibits
from mlaudit.testing.zoo._score_card import score_card
from mlaudit.testing.zoo._table import as_data, as_text
from mlaudit.types.checks import whole

_MOST_SEEDS = 100_000


def command(given: argparse.Namespace) -> int:
    """Audit every exhibit with every seed, and print the score card."""
    spec: ZooSpec = given.spec
    budgets, chosen = tuple(sorted(set(spec.trainings))), _choose(spec.only)
    whole("trainings", budgets[0], 1)
    check_numbers(budgets[-1], spec.alpha, spec.seed)
    whole("seeds", spec.seeds, 1, "more seeds tell rates more closely", _MOST_SEEDS)
    engine = LokyEngine(spec.jobs)
    audits = spec.seeds * sum(1 + (exhibit.broken is not None) for exhibit in chosen.values())
    try:
        with count_audits(audits, show=not given.quiet) as progress:
            card = score_card(
                chosen,
                seeds=spec.seeds,
                trainings=budgets,
                alpha=spec.alpha,
                seed=spec.seed,
                engine=engine,
                progress=progress,
            )
    except KeyboardInterrupt:
        raise Incomplete("interrupted; the zoo keeps nothing, and the same command starts again") from None
    if given.json:
        sys.stdout.write(json.dumps(as_data(card), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(as_text(card))
    return 0


def _choose(only: tuple[str, ...] | None) -> dict[str, Exhibit]:
    if only is None:
        return exhibits()
    found = {name: load("exhibits", name) for name in only}
    for name, exhibit in found.items():
        if not isinstance(exhibit, Exhibit):
            raise InvalidInput(f"{name} must be an Exhibit, got {type(exhibit).__name__}; see mlaudit list exhibits")
    return found
