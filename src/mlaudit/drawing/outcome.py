"""The outcome of one training: a vector of numbers, or something else that may reveal D.

Exceptions, NaN, infinities and changed lengths are outputs too. They are kept as a *kind* beside the numbers.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from mlaudit.drawing.deaths import KILLED, LEFT, Death, DiedElsewhere
from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Kinds
from mlaudit.types.outputs import read_numbers
from mlaudit.types.readings import Reading, read_output

RAISED = "raised "
FAILED = (RAISED, KILLED, LEFT)  # kinds that begin so come without numbers
_MOST_POSITIONS = 6


@dataclass(frozen=True, eq=False)
class Outcome:
    """The vector of a training, the kind of output, the traceback of an exception, and the warnings."""

    vector: FloatArray
    kind: str = ""
    error: str = ""
    notices: tuple[str, ...] = ()


def observe(train: Callable[[], object]) -> Outcome:
    """Run one training and record its output, whatever it is.

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
        raise  # of the machine or of mlaudit, not an output of the learner
    except KeyboardInterrupt:
        raise  # of the user
    except DiedElsewhere as error:
        return death_outcome(error.death)
    except BaseException as error:  # noqa: BLE001 - whatever a learner raises may leak
        return Outcome(np.empty(0), RAISED + type(error).__name__, _format_error(error))
    reading = as_reading(output)
    kinds = filter(None, (reading.kind, name_non_finite(reading.numbers)))
    return Outcome(reading.numbers, ", ".join(kinds))


def _format_error(error: BaseException) -> str:
    """The traceback from the learner's own code on; our calls that lead to it say nothing."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith("mlaudit."):
        trace = trace.tb_next
    return "".join(traceback.format_exception(error.with_traceback(trace or error.__traceback__)))


def as_reading(output: object) -> Reading:
    """The output as numbers and a kind.

    >>> as_reading(object())
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a mechanism must return numbers, text, or lists, dicts or tables of them, got object
    """
    found = read_output(output)
    if found is None:
        kind = type(output).__name__
        raise InvalidInput(f"a mechanism must return numbers, text, or lists, dicts or tables of them, got {kind}")
    return found


def as_vector(output: object) -> FloatArray:
    """The numbers of the output as a flat vector.

    >>> as_vector([1 + 2j, 3.0]), as_vector({"b": 1.0, "a": "red"})
    (array([1., 2., 3., 0.]), array([1.]))
    """
    return as_reading(output).numbers


def as_numbers(output: object) -> FloatArray:
    """The output as an array of numbers, in its shape.

    >>> as_numbers(None)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a mechanism must return numbers, got NoneType; return a number or an array
    """
    found = read_numbers(output)
    if found is None:
        kind = type(output).__name__
        raise InvalidInput(f"a mechanism must return numbers, got {kind}; return a number or an array")
    return found


def name_non_finite(vector: FloatArray) -> str:
    """The kind of a vector: which positions hold NaN or infinity; "" if none does."""
    if np.isfinite(vector).all():
        return ""
    marks = (("NaN", np.isnan(vector)), ("+inf", np.isposinf(vector)), ("-inf", np.isneginf(vector)))
    return ", ".join(f"{name} at {_list_positions(np.flatnonzero(at))}" for name, at in marks if at.any())


def pack(outcomes: Sequence[Outcome], seconds: tuple[float, float]) -> Block:
    """Join outcomes to one block; shorter vectors are filled up with NaN."""
    lengths = np.array([len(o.vector) for o in outcomes], dtype=np.int64)
    z = np.full((len(outcomes), max(1, int(lengths.max()))), np.nan)
    for row, outcome in zip(z, outcomes, strict=True):
        row[: len(outcome.vector)] = outcome.vector
    kinds: Kinds = np.array([o.kind for o in outcomes], dtype=np.str_)
    notices = Counter(notice for o in outcomes for notice in o.notices)
    return Block(z, lengths, kinds, next((o.error for o in outcomes if o.error), ""), *seconds, notices=notices)


def pack_rows(z: FloatArray, flag: Callable[[FloatArray], str] | None, seconds: tuple[float, float]) -> Block:
    """Make a block of the rows of a batched sampler."""
    lengths = np.full(len(z), z.shape[1], dtype=np.int64)
    kinds: Kinds = np.full(len(z), "")
    if not np.isfinite(z).all():
        kinds = np.array([name_non_finite(row) for row in z])
    if flag is not None:
        kinds = np.array([kind or flag(row) for kind, row in zip(kinds.tolist(), z, strict=True)], dtype=np.str_)
    return Block(z, lengths, kinds, "", *seconds)


def kinds_of(block: Block) -> Kinds:
    """The kind of each output: how many numbers and which are not finite, or what the training raised."""
    if (block.kinds == "").all() and (block.lengths == block.lengths[0]).all():
        return np.full(len(block), f"{block.lengths[0]} number{'s' if block.lengths[0] != 1 else ''}")
    said = np.char.add(block.lengths.astype(np.str_), np.where(block.lengths == 1, " number", " numbers"))
    more = np.where(block.kinds == "", said, np.char.add(np.char.add(said, ", "), block.kinds))
    alone = has_failed(block.kinds) | ((block.lengths == 0) & (block.kinds != ""))
    return np.where(alone, block.kinds, more)


def death_outcome(death: Death) -> Outcome:
    """The outcome of a training that ended its own process."""
    return Outcome(np.empty(0), death.kind, f"the training {death.kind}\n{death.said}".rstrip())


def has_failed(kinds: Kinds) -> npt.NDArray[np.bool_]:
    """For each training whether it brought no numbers: it raised, or ended its process.

    >>> has_failed(np.array(["", "raised ValueError", "killed its process (SIGSEGV)"]))
    array([False,  True,  True])
    """
    return np.asarray([str(kind).startswith(FAILED) for kind in kinds], dtype=np.bool_)


def has_death(kinds: Kinds) -> bool:
    """Whether one of the trainings ended its process."""
    return bool((kinds != "").any()) and any(has_died(str(kind)) for kind in kinds)


def has_died(kind: str) -> bool:
    """Whether a kind says that a training ended its process.

    >>> has_died("killed its process (SIGSEGV)"), has_died("raised ValueError")
    (True, False)
    """
    return kind.startswith((KILLED, LEFT))


def _list_positions(positions: np.ndarray[tuple[int], np.dtype[np.intp]]) -> str:
    if len(positions) <= _MOST_POSITIONS:
        return ",".join(map(str, positions))
    return f"{len(positions)} places #{sha256(positions.tobytes()).hexdigest()[:8]}"
