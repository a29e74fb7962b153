"""Check that the output of a learner depends only on its data and its seed.

A learner may keep a cache, count its trainings, change its data, or take randomness from the operating system. The
first three make an audit wrong: repeated outputs look like a leak, and outputs that depend on earlier trainings
depend on the number of workers. So an audit first repeats a few trainings, each in a fresh process.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines._parcel import pack_task
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.outcome import Outcome, pack
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput, KeepsState, LearnerFailed
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Store
from mlaudit.types.numbers import measurement

Training = tuple[int, int]  # the number of its stream, and its index
History = tuple[Training, ...]  # trainings of one process, in this order

_D, _OTHER = (1, 0), (0, 0)
_NEXT_D, _NEXT_OTHER = (1, 1), (0, 1)
_LONG: History = (_D, _OTHER, _NEXT_D, _NEXT_OTHER, _D, _OTHER)
_FRESH: tuple[History, ...] = ((_D,), (_D,), (_OTHER,), (_OTHER,), (_NEXT_D,), (_NEXT_OTHER,))
# A learner with few outputs and no seed, as randomised response, may look by chance like one that keeps state. So a
# suspicion must come back in so many repetitions: a learner with two outputs is refused with a probability below
# 3e-9, whatever the probabilities of its outputs are.
_REPEATS = 6
_OFTEN: History = tuple((1, index) for index in range(8))
_PROCESSES = 6
_SAME = 1e-9  # relative difference up to which two outputs are equal: sums in another order
_SHOWN = 4  # numbers of an output in an error


@dataclass(frozen=True, eq=False)
class RunHistories:
    """Runs each history in a process of its own."""

    streams: Sequence[TrainingStream]
    isolate: bool = True
    foreign: bool = True

    def __call__(self, histories: Sequence[History]) -> list[list[Outcome] | None]:
        """Run all histories in this process, if there can be no other."""
        return [self.run_part(history) for history in histories]

    def split_item(self, histories: Sequence[History]) -> Sequence[History]:
        """One part for each history."""
        return histories

    def run_part(self, history: History) -> list[Outcome]:
        """Run the trainings of one history."""
        return [self.streams[label].train(index) for label, index in history]

    def record_death(self, history: History, death: Death) -> None:
        """Return nothing: the end of a process says nothing about state, and the audit counts it by itself."""

    def join_parts(self, histories: Sequence[History], made: Sequence[Any], seconds: tuple[float, float]) -> Any:
        """The outcomes of each history."""
        return list(made)


def is_repeatable(streams: Sequence[TrainingStream], store: Store, *, isolate: bool = False) -> bool:
    """Train a few times in fresh processes and compare the outputs; refuse a learner that keeps state.

    Args:
        streams: The trainings on D′ and on D.
        store: May hold the answer of an earlier run of the same audit, kept by `keep_answer`.
        isolate: Whether every training of the audit has a process of its own. State then does no harm.

    Returns:
        False if two fresh processes give two outputs for one seed: the learner takes randomness from elsewhere. It
        can be audited, but no result can be repeated to the last digit. A learner that cannot be sent to another
        process trains twice in this one instead; it may then also keep state. Shipped learners are repeatable.

    Raises:
        KeepsState: If the learner keeps state and `isolate` is not set.
    """
    if not streams[0].outside or streams[0].batched:
        return True
    for _, known in store.read(_key(streams), 0, 1):
        return bool(known.z[0, 0])
    return _compare(streams, isolate=isolate)


def keep_answer(streams: Sequence[TrainingStream], store: Store, *, repeatable: bool) -> None:
    """Keep the answer beside the draws, so that the same command need not train again."""
    known = not streams[0].outside or streams[0].batched or any(store.read(_key(streams), 0, 1))
    if not known:
        store.put(_key(streams), 0, pack([Outcome(np.array([float(repeatable)]))], (0.0, 0.0)))


def _key(streams: Sequence[TrainingStream]) -> str:
    return "repeatable " + " ".join(stream.key for stream in streams)


def _compare(streams: Sequence[TrainingStream], *, isolate: bool) -> bool:
    try:
        made = _run_first(streams)
    except LearnerFailed:
        raise
    except InvalidInput:
        return _can_be_sent(streams) or _repeats_here(streams)
    long, *fresh = made
    alone = {history[0]: run[0] for history, run in zip(_FRESH, fresh, strict=False) if run}
    pairs = [(one[0], two[0]) for one, two in zip(fresh[0:4:2], fresh[1:4:2], strict=True) if one and two]
    if all(_is_same(one, two) for one, two in pairs):
        compared = [(alone[t], after) for t, after in zip(_LONG, long or (), strict=False) if t in alone]
        changed = [(one, after) for one, after in compared if not _is_same(one, after)]
        if isolate or not changed:
            return True
        if _comes_back(streams, made):
            _refuse_state(streams[0], *changed[0])
    if long and not isolate:
        _refuse_cache(streams, long)
    return False


def _run_first(streams: Sequence[TrainingStream]) -> list[list[Outcome] | None]:
    """Run the long history and the fresh ones; only the first two of these if they differ, which says enough.

    A program in a language of its own is started for each history, and its start may take seconds.
    """
    made = _run(streams, (_LONG, *_FRESH[:2]))
    _, one, two = made
    if one and two and not _is_same(one[0], two[0]):
        return made
    return [*made, *_run(streams, _FRESH[2:])]


def _can_be_sent(streams: Sequence[TrainingStream]) -> bool:
    try:
        pack_task(RunHistories(streams))
    except InvalidInput:
        return False
    return True


def _repeats_here(streams: Sequence[TrainingStream]) -> bool:
    """Compare two trainings with one seed in this process, for a learner that cannot be sent to another one.

    Without a fresh process nothing tells state from randomness without a seed, so that neither is refused.
    """
    try:
        (long,) = RunHistories(streams)((_LONG,))
    except InvalidInput:
        return True  # such an output stops the audit, too; a scan may do without it
    return long is None or (_is_same(long[0], long[4]) and _is_same(long[1], long[5]))


def _run(streams: Sequence[TrainingStream], histories: Sequence[History]) -> list[list[Outcome] | None]:
    (made,) = Isolated(LokyEngine(1)).map_unordered(RunHistories(streams), [tuple(histories)])
    return list(made)


def _comes_back(streams: Sequence[TrainingStream], made: Sequence[list[Outcome] | None]) -> bool:
    """Whether the same histories give the same outputs again: if not, it was chance, and the learner has no seed."""
    again = _run(streams, (_LONG, *_FRESH) * _REPEATS)
    both = [(one, two) for one, two in zip([*made] * _REPEATS, again, strict=True) if one and two]
    return all(_is_same(a, b) for one, two in both for a, b in zip(one, two, strict=True))


def _refuse_state(stream: TrainingStream, alone: Outcome, after: Outcome) -> None:
    raise KeepsState(
        f"{mechanism_name(stream.mechanism)} must give the same output for the same data and seed, whatever it was "
        f"trained on before, got {_show(alone)} in a fresh process and {_show(after)} after other trainings; remove "
        "its state (a cache, a counter, changed data), or train it in a fresh process each time (--isolate, or "
        "isolate=True)"
    )


def _refuse_cache(streams: Sequence[TrainingStream], long: Sequence[Outcome]) -> None:
    """Without seeds a cache shows only in one way: outputs differ between processes, but never within one.

    Few trainings of a learner with few outputs may show the same by chance. So a suspicion is checked in more
    processes and trainings.
    """
    on_d = [outcome for training, outcome in zip(_LONG, long, strict=True) if training[0] == 1]
    if not _are_same(on_d):
        return
    runs = [run for run in _run(streams, (_OFTEN,) * _PROCESSES) if run]
    if all(map(_are_same, runs)) and not _are_same([run[0] for run in runs]):
        raise KeepsState(
            f"{mechanism_name(streams[0].mechanism)} must draw new randomness in every training, got "
            f"{_show(on_d[0])} repeatedly in one process and something else in another; remove its cache, or train "
            "it in a fresh process each time (--isolate, or isolate=True)"
        )


def _are_same(outcomes: Sequence[Outcome]) -> bool:
    return all(_is_same(outcomes[0], other) for other in outcomes[1:])


def _is_same(one: Outcome, two: Outcome) -> bool:
    if one.kind != two.kind or len(one.vector) != len(two.vector):
        return False
    return bool(np.allclose(one.vector, two.vector, rtol=_SAME, atol=0.0, equal_nan=True))


def _show(outcome: Outcome) -> str:
    numbers = ", ".join(measurement(value, 6) for value in outcome.vector[:_SHOWN])
    more = ", …" if len(outcome.vector) > _SHOWN else ""
    return outcome.kind or f"({numbers}{more})"
