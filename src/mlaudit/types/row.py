"""One cell of a sweep and what was measured in it, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """What a cell asked for and what was found.

    `settings` hold what the sweep says of the cell (mechanism, data, attack, epsilon, replicate …), `values` what its
    kind measures: for an audit the summary of its result. Both are JSON.

    >>> Row("paper", "audit", {"epsilon": 1.0}, {"epsilon_lower": 0.4}, 2.5).at("epsilon")
    1.0
    """

    study: str
    kind: str
    settings: Mapping[str, Any]
    values: Mapping[str, Any]
    cpu_seconds: float

    def at(self, name: str, default: Any = None) -> Any:
        """A setting, or a value of that name."""
        return self.settings.get(name, self.values.get(name, default))


@dataclass(frozen=True)
class Study:
    """A sweep file as the report needs it: its name, what it says of itself, the figure its rows are drawn as."""

    name: str
    title: str
    about: str = ""
    figure: str = ""
