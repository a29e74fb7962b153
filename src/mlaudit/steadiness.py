"""Whether a learner's output depends on anything but its data and its seed.

A learner may keep a cache, count its trainings, change its data, or take randomness from the operating system. The
first three make an audit wrong: outputs that repeat look like a leak, and outputs that depend on earlier trainings
depend on the number of workers. So an audit first repeats a few trainings, each in a process that did nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.adapters.convert import mechanism_name
from mlaudit.arms import Arm
from mlaudit.deaths import Death
from mlaudit.engines.isolated import Isolated
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import InvalidInput
from mlaudit.outcomes import Outcome, pack
from mlaudit.protocols import Store

Training = tuple[int, int]  # which arm, and the training's place in it
History = tuple[Training, ...]  # trainings of one process, in this order

_D, _OTHER = (1, 0), (0, 0)
_NEXT_D, _NEXT_OTHER = (1, 1), (0, 1)
_LONG: History = (_D, _OTHER, _NEXT_D, _NEXT_OTHER, _D, _OTHER)
_FRESH: tuple[History, ...] = ((_D,), (_D,), (_OTHER,), (_OTHER,), (_NEXT_D,), (_NEXT_OTHER,))
_SAME = 1e-9  # relative difference up to which two outputs are one: a sum in another order, nothing more
_SHOWN = 4  # numbers of an output in an error


@dataclass(frozen=True, eq=False)
class RunHistories:
    """The task: each history in a process of its own."""

    arms: Sequence[Arm]
    isolate: bool = True
    foreign: bool = True

    def __call__(self, histories: Sequence[History]) -> list[list[Outcome] | None]:
        """All of them here, where there can be no other process."""
        return [self.one(history) for history in histories]

    def parts(self, histories: Sequence[History]) -> Sequence[History]:
        """One process each."""
        return histories

    def one(self, history: History) -> list[Outcome]:
        """The trainings of one process."""
        return [self.arms[label].outcome(place) for label, place in history]

    def died(self, history: History, death: Death) -> None:
        """A process that ended says nothing about state; the audit itself counts such trainings."""

    def together(self, histories: Sequence[History], made: Sequence[Any], seconds: tuple[float, float]) -> Any:
        """What each process returned."""
        return list(made)


def is_repeatable(arms: Sequence[Arm], store: Store, *, isolate: bool = False) -> bool:
    """Train a few times in fresh processes and compare; refuse a learner that keeps state.

    Args:
        arms: The trainings on D′ and on D.
        store: Where `keep_answer` left the answer of an earlier run of the same audit, if there was one.
        isolate: Whether every training of the audit has a process of its own, so that state does no harm.

    Returns:
        False if two fresh processes give two outputs for one seed: the learner draws from elsewhere. It can be
        audited, but no result can be repeated to the last digit. Shipped learners are repeatable.

    Raises:
        InvalidInput: If the learner keeps state and `isolate` is not set.
    """
    if not arms[0].foreign or arms[0].batched:
        return True
    for _, known in store.read(_key(arms), 0, 1):
        return bool(known.z[0, 0])
    return _compare(arms, isolate=isolate)


def keep_answer(arms: Sequence[Arm], store: Store, *, repeatable: bool) -> None:
    """Keep it beside the draws of an audit, so that a command that is run again trains nothing again."""
    known = not arms[0].foreign or arms[0].batched or any(store.read(_key(arms), 0, 1))
    if not known:
        store.put(_key(arms), 0, pack([Outcome(np.array([float(repeatable)]))], (0.0, 0.0)))


def _key(arms: Sequence[Arm]) -> str:
    return "repeatable " + " ".join(arm.key for arm in arms)


def _compare(arms: Sequence[Arm], *, isolate: bool) -> bool:
    try:
        (made,) = Isolated(JoblibEngine(1)).map_unordered(RunHistories(arms), [(_LONG, *_FRESH)])
    except InvalidInput:
        return True  # it cannot be sent to another process, and no other process can disagree
    long, *fresh = made
    alone = {history[0]: run[0] for history, run in zip(_FRESH, fresh, strict=True) if run}
    pairs = [(one[0], two[0]) for one, two in (fresh[0:2], fresh[2:4]) if one and two]
    if all(_same(one, two) for one, two in pairs):
        if long and not isolate:
            _refuse_state(arms[0], [(alone[t], after) for t, after in zip(_LONG, long, strict=True) if t in alone])
        return True
    if long and not isolate:
        _refuse_cache(arms[0], long)
    return False


def _refuse_state(arm: Arm, compared: Sequence[tuple[Outcome, Outcome]]) -> None:
    for alone, after in compared:
        if not _same(alone, after):
            raise InvalidInput(
                f"{mechanism_name(arm.mechanism)} must give the same output for the same data and seed, whatever it "
                f"was trained on before, got {_show(alone)} in a fresh process and {_show(after)} after other "
                "trainings; remove its state (a cache, a counter, changed data), or train it in a fresh process each "
                "time (--isolate, or isolate=True)"
            )


def _refuse_cache(arm: Arm, long: Sequence[Outcome]) -> None:
    """Without seeds only this can be seen: outputs that differ between processes, and never within one."""
    on_d = [outcome for training, outcome in zip(_LONG, long, strict=True) if training[0] == 1]
    if all(_same(on_d[0], other) for other in on_d[1:]):
        raise InvalidInput(
            f"{mechanism_name(arm.mechanism)} must train anew every time, got {_show(on_d[0])} again and again in "
            "one process and something else in another; remove its cache, or train it in a fresh process each time "
            "(--isolate, or isolate=True)"
        )


def _same(one: Outcome, two: Outcome) -> bool:
    if one.kind != two.kind or len(one.vector) != len(two.vector):
        return False
    return bool(np.allclose(one.vector, two.vector, rtol=_SAME, atol=0.0, equal_nan=True))


def _show(outcome: Outcome) -> str:
    numbers = ", ".join(f"{value:.6g}" for value in outcome.vector[:_SHOWN])
    more = ", …" if len(outcome.vector) > _SHOWN else ""
    return outcome.kind or f"({numbers}{more})"
