"""What one training gave: a vector, or something else that may betray D just as well.

Exceptions, NaN, infinities and changed lengths are outputs too: they are kept as a *kind* beside the numbers.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from mlaudit.deaths import KILLED, LEFT
from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Kinds

RAISED = "raised "
FAILED = (RAISED, KILLED, LEFT)  # how kinds begin that come with no numbers
_MOST_PLACES = 6


@dataclass(frozen=True, eq=False)
class Outcome:
    """A training's vector, what kind of output it is, the traceback where it raised, and what it warned of."""

    vector: FloatArray
    kind: str = ""
    error: str = ""
    notices: tuple[str, ...] = ()


def observe(train: Callable[[], object]) -> Outcome:
    """Run one training and keep whatever comes out of it.

    >>> observe(lambda: [1, 2]).vector
    array([1., 2.])
    >>> observe(lambda: 1 / 0).kind
    'raised ZeroDivisionError'
    >>> observe(lambda: [0.0, float("nan")]).kind
    'NaN at 1'
    """
    try:
        output = train()
    except (MemoryError, InvalidInput, MissingExtra):
        raise  # not the learner's output: the machine's, or ours
    except KeyboardInterrupt:
        raise  # the user's
    except BaseException as error:  # noqa: BLE001 - whatever a learner raises may leak
        return Outcome(np.empty(0), RAISED + type(error).__name__, traceback.format_exc())
    vector = as_vector(output)
    return Outcome(vector, non_finite(vector))


def as_vector(output: object) -> FloatArray:
    """The output as a flat vector of numbers.

    >>> as_vector(None)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a mechanism must return numbers, got NoneType; return a number or an array
    """
    try:
        array = np.asarray(output)
        if array.dtype.kind not in "biuf":
            raise TypeError
        return array.astype(float).ravel()
    except (TypeError, ValueError):
        kind = type(output).__name__
        raise InvalidInput(f"a mechanism must return numbers, got {kind}; return a number or an array") from None


def non_finite(vector: FloatArray) -> str:
    """Which places hold NaN or infinity, as a kind; "" for none."""
    if np.isfinite(vector).all():
        return ""
    marks = (("NaN", np.isnan(vector)), ("+inf", np.isposinf(vector)), ("-inf", np.isneginf(vector)))
    return ", ".join(f"{name} at {_places(np.flatnonzero(at))}" for name, at in marks if at.any())


def pack(outcomes: Sequence[Outcome], seconds: tuple[float, float]) -> Block:
    """Outcomes as one block, shorter vectors filled up with NaN."""
    lengths = np.array([len(o.vector) for o in outcomes], dtype=np.int64)
    z = np.full((len(outcomes), max(1, int(lengths.max()))), np.nan)
    for row, outcome in zip(z, outcomes, strict=True):
        row[: len(outcome.vector)] = outcome.vector
    kinds: Kinds = np.array([o.kind for o in outcomes], dtype=np.str_)
    notices = Counter(notice for o in outcomes for notice in o.notices)
    return Block(z, lengths, kinds, next((o.error for o in outcomes if o.error), ""), *seconds, notices=notices)


def pack_rows(z: FloatArray, flag: Callable[[FloatArray], str] | None, seconds: tuple[float, float]) -> Block:
    """Rows of a batched sampler as one block."""
    lengths = np.full(len(z), z.shape[1], dtype=np.int64)
    kinds: Kinds = np.full(len(z), "")
    if not np.isfinite(z).all():
        kinds = np.array([non_finite(row) for row in z])
    if flag is not None:
        kinds = np.array([kind or flag(row) for kind, row in zip(kinds.tolist(), z, strict=True)], dtype=np.str_)
    return Block(z, lengths, kinds, "", *seconds)


def kinds_of(block: Block) -> Kinds:
    """What kind of output each training gave: how many numbers, and where they are not finite; or what it raised."""
    if (block.kinds == "").all() and (block.lengths == block.lengths[0]).all():
        return np.full(len(block), f"{block.lengths[0]} number{'s' if block.lengths[0] != 1 else ''}")
    said = np.char.add(block.lengths.astype(np.str_), np.where(block.lengths == 1, " number", " numbers"))
    more = np.where(block.kinds == "", said, np.char.add(np.char.add(said, ", "), block.kinds))
    return np.where(failed(block.kinds), block.kinds, more)


def died(kind: str, said: str) -> Outcome:
    """What stands for a training that ended its own process; `said` are its last words."""
    return Outcome(np.empty(0), kind, f"the training {kind}\n{said}".rstrip())


def failed(kinds: Kinds) -> npt.NDArray[np.bool_]:
    """Which trainings brought no numbers: they raised, or ended their process.

    >>> failed(np.array(["", "raised ValueError", "killed its process (SIGSEGV)"]))
    array([False,  True,  True])
    """
    return np.asarray([str(kind).startswith(FAILED) for kind in kinds], dtype=np.bool_)


def fatal(kinds: Kinds) -> bool:
    """Whether a training ended its process."""
    return any(str(kind).startswith((KILLED, LEFT)) for kind in kinds)


def _places(places: np.ndarray[tuple[int], np.dtype[np.intp]]) -> str:
    if len(places) <= _MOST_PLACES:
        return ",".join(map(str, places))
    return f"{len(places)} places #{sha256(places.tobytes()).hexdigest()[:8]}"
