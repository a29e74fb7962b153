"""Trained models of one process, kept for attacks that look at the same models at other points."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache

from mlaudit.types.arrays import Float32Array

_MOST_BYTES = 1 << 26  # the paper's four D′ of an attack and its D take 50 MB on CIFAR10


@dataclass
class Shelf:
    """Keeps the weights that were used last.

    Args:
        most: The bytes that are kept.

    Example:
        >>> import numpy as np
        >>> shelf = Shelf(most=8)
        >>> shelf.find_or_train("D", lambda: np.ones(2, np.float32))
        array([1., 1.], dtype=float32)
        >>> shelf.find_or_train("D", lambda: np.zeros(2, np.float32))
        array([1., 1.], dtype=float32)
    """

    most: int = _MOST_BYTES
    _kept: "OrderedDict[Hashable, Float32Array]" = field(default_factory=OrderedDict)
    _bytes: int = 0

    def find_or_train(self, key: Hashable, train: Callable[[], Float32Array]) -> Float32Array:
        """The weights of that key; trained if they are not there.

        Args:
            key: Names everything that the weights depend on.
            train: Trains them.

        Returns:
            The weights, which nobody may change.
        """
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = train()
        self._kept[key] = made
        self._bytes += made.nbytes
        while self._bytes > self.most:
            self._bytes -= self._kept.popitem(last=False)[1].nbytes
        return made


@lru_cache(maxsize=1)
def shelf_of_process() -> Shelf:
    """The one shelf of this process."""
    return Shelf()
