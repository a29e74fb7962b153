"""What a file of this folder offers: a class named like the file, as `AuditKind` in audit.py."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from mlaudit.drawing.progress import ProgressFunction
from mlaudit.protocols import Engine, Store
from mlaudit.types.dataset import Dataset


class Measurement(Protocol):
    """What is done for one job, ready to be done anywhere: it holds objects, no names."""

    @property
    def trainings(self) -> int:
        """How many trainings it takes, as far as that is known."""

    @property
    def share(self) -> str:
        """Measurements of equal share have draws in common, and are made one after the other in one process."""

    @property
    def at_once(self) -> bool:
        """Whether it is short enough to be one task; else its trainings are divided among the workers."""

    @property
    def dataset(self) -> Dataset | None:
        """The data, which workers receive once and not with every measurement."""

    def with_dataset(self, data: Dataset | None) -> "Measurement":
        """The same measurement with other data, or with none."""

    def measure(self, engine: Engine, store: Store, progress: ProgressFunction) -> Mapping[str, Any]:
        """The values of a row."""


class Kind(Protocol):
    """A kind of cell: the settings it has, and what is measured for them. There is one instance for each sweep."""

    spec: ClassVar[type]

    def prepare(self, spec: Any) -> Measurement:
        """The measurement that a spec asks for; InvalidInput for settings that cannot be used."""
