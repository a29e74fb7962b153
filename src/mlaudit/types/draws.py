"""Labelled trainings, each of which knows where it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers, plain_array, whole_numbers
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import instance, quote, several, text

Kinds = NDArray[np.str_]
_LOOKED_AT = 1000  # entries: there may be a million, and they are alike


@dataclass(frozen=True, eq=False, init=False)
class Draws:
    """Trainings i with label b_i (1: trained on D, 0: on D′) and summary z_i.

    `kinds` says what kind of output came ("3 numbers", "3 numbers, NaN at 1", "raised ValueError"), or "" where
    nobody asked. `index` numbers the trainings of a stream; with `streams`, the names of the streams of
    D′ and D, it identifies a draw that a distinguisher has seen. The vectors are not copied: there may be a
    million of them.

    >>> draws = Draws([1, 0, 1], [[0.1], [0.9], [0.2]])
    >>> len(draws), draws.index.tolist(), draws[1:].labels.tolist()
    (3, [0, 0, 1], [0, 1])
    """

    labels: IntArray
    z: FloatArray
    kinds: Kinds
    index: IntArray
    streams: tuple[str, str]

    def __init__(
        self,
        labels: ArrayLike,
        z: ArrayLike,
        kinds: ArrayLike | None = None,
        index: ArrayLike | None = None,
        streams: tuple[str, str] = ("D′", "D"),
    ) -> None:
        bits = whole_numbers("labels", labels)
        vectors = z if isinstance(z, np.ndarray) and z.dtype == np.float64 else numbers("z", z)
        if bits.ndim != 1 or vectors.ndim != 2 or len(bits) != len(vectors):
            raise InvalidInput(f"draws need one vector per label, got {bits.shape} and {vectors.shape}")
        if not np.isin(bits, (0, 1)).all():
            found = sorted(set(bits.tolist()) - {0, 1})[:3]
            raise InvalidInput(f"labels of draws must be 1 (trained on D) or 0 (on D′), got {found}")
        fields: dict[str, Any] = {"labels": bits, "z": vectors, "streams": _two_names(streams)}
        fields["kinds"] = np.full(len(bits), "") if kinds is None else _words("kinds", kinds)
        fields["index"] = _number_by_label(bits) if index is None else whole_numbers("index", index)
        for name in ("kinds", "index"):
            if fields[name].shape != bits.shape:
                given = fields[name].shape
                raise InvalidInput(f"{name} must have an entry for each of {len(bits)} draws, got {given}")
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, part: slice) -> "Draws":
        return Draws(self.labels[part], self.z[part], self.kinds[part], self.index[part], self.streams)

    def indices(self, label: int) -> IntArray:
        """The index of each draw with that label in its stream."""
        return np.asarray(self.index[self.labels == label])

    def shares(self, other: "Draws") -> bool:
        """Whether a training is in both."""
        instance("other", other, Draws)
        return any(
            self.streams[label] == other.streams[label]
            and np.intersect1d(self.indices(label), other.indices(label)).size > 0
            for label in (0, 1)
        )


def join(parts: Sequence[Draws]) -> Draws:
    """All the draws, in order; vectors of differing length are filled up with NaN."""
    width = max(part.z.shape[1] for part in parts)
    z, start = np.empty((sum(map(len, parts)), width)), 0
    for part in parts:
        rows, filled = slice(start, start + len(part)), part.z.shape[1]
        z[rows, :filled], z[rows, filled:] = part.z, np.nan
        start += len(part)
    return Draws(
        np.concatenate([p.labels for p in parts]),
        z,
        np.concatenate([p.kinds for p in parts]),
        np.concatenate([p.index for p in parts]),
        parts[0].streams,
    )


def _words(name: str, value: object) -> Kinds:
    words = plain_array(name, value)
    said = words.dtype.kind == "U" or all(isinstance(word, str) for word in words.ravel()[:_LOOKED_AT])
    if not said:
        raise InvalidInput(f"{name} must be text for each draw, got {quote(value)}")
    return words.astype(np.str_)


def _two_names(streams: object) -> tuple[str, str]:
    names = several("streams", streams, "two names, of D′ and of D")
    if len(names) != 2:
        raise InvalidInput(f"streams must be two names, of D′ and of D, got {quote(streams)}")
    return text("streams", names[0]), text("streams", names[1])


def _number_by_label(labels: IntArray) -> IntArray:
    index = np.zeros(len(labels), dtype=np.int64)
    for label in (0, 1):
        mine = labels == label
        index[mine] = np.arange(np.count_nonzero(mine))
    return index
