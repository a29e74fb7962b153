"""The progress bar on stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from mlaudit.sampling import Progress


@contextmanager
def progress_bar(total: int, *, show: bool) -> Iterator[Progress]:
    """Counts trainings; shows rate and time left on a terminal, and nothing where stderr is a file."""
    hidden = not show or not sys.stderr.isatty()
    with tqdm(total=total, unit=" trainings", disable=hidden, dynamic_ncols=True, leave=False) as bar:

        def advance(n: int) -> None:
            bar.update(n)

        yield advance
