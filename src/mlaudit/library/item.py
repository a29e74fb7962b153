"""One mechanism of a library, and what it is tested on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import instance, quote, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_AS = "as in Item('sum', noisy_sum, Claim(1.0), data)"
_MOST = 10_000  # items; each gets its share of α


@dataclass(frozen=True)
class Item:
    """A mechanism in a catalogue: the learner, its claim, and the data that it is tested on.

    Args:
        name: What the report calls it.
        learner: A function f(data, rng), an estimator, or another learner that `refute` takes.
        claim: The claim. Default: the learner's own.
        data: Data to start from. More data are crafted in their domain.
        pair: D and D′, instead of data. Nothing else is tried then.
        trainings: The most trainings of each detector, for a slow learner. Default: by the effort.

    Raises:
        InvalidInput: If an argument is of the wrong kind, or there are both data and a pair.

    Example:
        >>> from mlaudit import Box, Claim, Dataset
        >>> data = Dataset([0.0, 1.0], domain=Box([0.0], [1.0]))
        >>> Item("sum", lambda data, rng: data.X.sum() + rng.laplace(), Claim(1.0), data).name
        'sum'
    """

    name: str
    learner: Any
    claim: Claim | None = None
    data: Dataset | None = None
    pair: Pair | None = None
    trainings: int | None = None

    def __post_init__(self) -> None:
        if not text("name", self.name).strip() or not self.name.isprintable():
            raise InvalidInput(f"the name of an item must be a text in one line, got {quote(self.name)}")
        for name, kind in (("claim", Claim), ("data", Dataset), ("pair", Pair)):
            if getattr(self, name) is not None:
                instance(name, getattr(self, name), kind, _AS)
        if self.data is not None and self.pair is not None:
            raise InvalidInput(f"an item must have data or a pair, got both in {quote(self.name)}; leave one out")
        if self.trainings is not None:
            whole("trainings", self.trainings, 1)


def read_items(found: Any, source: str) -> tuple[Item, ...]:
    """The items of a catalogue: a function that returns them, or the items themselves.

    >>> read_items([Item("a", len), Item("a", len)], "mine.py:items")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: items of mine.py:items must have different names, got 'a' twice
    """
    made = found() if callable(found) else found
    if isinstance(made, str) or not isinstance(made, Iterable):
        raise InvalidInput(f"{source} must be items or a function that returns them, got {quote(made)}; {_AS}")
    items = tuple(instance(f"an entry of {source}", one, Item, _AS) for one in made)
    if not 0 < len(items) <= _MOST:
        raise InvalidInput(f"{source} must list 1 to {_MOST} items, got {len(items)}")
    names = [one.name for one in items]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"items of {source} must have different names, got {name!r} twice")
    return items


def select_items(items: tuple[Item, ...], only: tuple[str, ...] | None) -> tuple[Item, ...]:
    """The items whose names contain one of these texts; all of them if nothing is asked for.

    >>> [one.name for one in select_items((Item("sum", len), Item("mean", len)), ("me",))]
    ['mean']
    """
    if only is None:
        return items
    for part in only:
        if not any(part in one.name for one in items):
            raise InvalidInput(f"--only must be parts of names of items, got {part!r}, which no name contains")
    return tuple(one for one in items if any(part in one.name for part in only))
