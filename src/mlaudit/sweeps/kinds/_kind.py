"""What a kind of cell offers: it turns settings into jobs in the parent process, and a job measures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from mlaudit.protocols import Engine, Store
from mlaudit.sampling import Progress
from mlaudit.sweeps.cells import Cell


class Job(Protocol):
    """One cell, ready to be measured anywhere: it holds objects, no names."""

    @property
    def trainings(self) -> int:
        """What it costs, as far as that is known."""

    @property
    def share(self) -> str:
        """Jobs of equal share have draws in common, and are run one after the other in one place."""

    @property
    def at_once(self) -> bool:
        """Whether it is short enough to be one task; else its trainings are divided among the workers."""

    def measure(self, engine: Engine, store: Store, progress: Progress) -> Mapping[str, Any]:
        """The values of its row."""


class Kind(Protocol):
    """A file of this folder."""

    KEYS: frozenset[str]

    def jobs(self, cells: Sequence[Cell]) -> Iterator[Job]:
        """A job for each cell, in order; InvalidInput for settings that cannot be used."""
