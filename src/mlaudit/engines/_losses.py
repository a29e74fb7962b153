"""Items lost with the workers that had them: drawn again, but not for ever."""

from collections import Counter
from dataclasses import dataclass, field

from mlaudit.errors import Incomplete

_MOST = 3  # times in a row, without a single result in between


@dataclass
class Losses:
    """How often each item was lost since the last result.

    >>> losses = Losses()
    >>> losses.count(7), losses.count(7), losses.came_back(), losses.count(7)
    (None, None, None, None)
    """

    since: Counter[int] = field(default_factory=Counter)

    def came_back(self) -> None:
        """Something did: whatever was lost before, workers can live."""
        self.since.clear()

    def count(self, *places: int) -> None:
        """These were lost once more; three times in a row is no accident."""
        self.since.update(places)
        if max(self.since.values(), default=0) >= _MOST:
            raise Incomplete(
                f"workers must live through their trainings, got {_MOST} deaths in a row without a result; they may "
                "need more memory than there is: give fewer --jobs; what was drawn is kept, and the same command "
                "goes on from there"
            )
