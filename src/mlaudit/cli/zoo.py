"""mlaudit zoo."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm

from mlaudit.auditing import check_numbers
from mlaudit.cli.status import clear_status
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import Incomplete, InvalidInput
from mlaudit.plugins import load
from mlaudit.types.checks import whole
from mlaudit.zoo import Exhibit, exhibits
from mlaudit.zoo._score_card import score_card
from mlaudit.zoo._table import as_data, as_text

_MOST_SEEDS = 100_000


def command(given: argparse.Namespace) -> int:
    """Audit every exhibit with every seed, and print the score card."""
    budgets, chosen = _budgets(given.trainings), _chosen(given.only)
    check_numbers(budgets[-1], given.alpha, given.seed)
    whole("seeds", given.seeds, 1, "more seeds tell rates more closely", _MOST_SEEDS)
    engine = JoblibEngine(given.jobs)
    audits = given.seeds * sum(1 + (exhibit.broken is not None) for exhibit in chosen.values())
    try:
        with _bar(audits, show=not given.quiet) as progress:
            card = score_card(
                chosen,
                seeds=given.seeds,
                trainings=budgets,
                alpha=given.alpha,
                seed=given.seed,
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


def _budgets(text: str) -> tuple[int, ...]:
    """Whole numbers, the smallest first."""
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        raise InvalidInput(f"--trainings must be whole numbers with commas between, got {text!r}") from None
    whole("trainings", found[0], 1)
    return tuple(found)


def _chosen(only: str | None) -> dict[str, Exhibit]:
    if only is None:
        return exhibits()
    found = {name: load("exhibits", name) for name in only.split(",")}
    for name, exhibit in found.items():
        if not isinstance(exhibit, Exhibit):
            raise InvalidInput(f"{name} must be an Exhibit, got {type(exhibit).__name__}; see mlaudit list exhibits")
    return found


@contextmanager
def _bar(audits: int, *, show: bool) -> Iterator[Callable[[], None]]:
    """Nothing where stderr is a file."""
    hidden = not show or not sys.stderr.isatty()
    if not hidden:
        clear_status()
    bar: tqdm[Any]
    with tqdm(total=audits, unit=" audits", disable=hidden, dynamic_ncols=True, leave=False) as bar:

        def one_more() -> None:
            bar.update()

        yield one_more
