"""Count items that were lost with their workers: they are repeated, but not for ever."""

from collections import Counter
from dataclasses import dataclass, field

from mlaudit.errors import Incomplete

_MOST = 3  # times in a row, without a single result in between


@dataclass
class Losses:
    """How often each item was lost since the last result.

    >>> losses = Losses()
    >>> losses.count(7), losses.count(7), losses.reset(), losses.count(7)
    (None, None, None, None)
    """

    since: Counter[int] = field(default_factory=Counter)

    def reset(self) -> None:
        """Start to count anew after a result: workers can live."""
        self.since.clear()

    def count(self, *positions: int) -> None:
        """Count the items at these positions as lost; raises after three times in a row."""
        self.since.update(positions)
        if max(self.since.values(), default=0) >= _MOST:
            raise Incomplete(
                f"a worker process ended {_MOST} times in a row without a result, perhaps because the memory is "
                "full; give fewer --jobs and run the same command again to continue; finished trainings are kept"
            )
