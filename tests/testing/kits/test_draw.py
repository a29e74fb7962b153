"""The kit of draws tells every way in which a draw can break its contract."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told

from mlaudit.testing.draw import check_draw
from mlaudit.testing.rehearsal import RehearsedDraw, add_laplace, make_pilot
from mlaudit.types.arrays import IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.shift import PairedShift

LAW = add_laplace(1.0)


@dataclass
class Healthy(RehearsedDraw):
    law: Any = LAW
    remaining: int = 200


class Sorted(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        return super().__call__(np.sort(labels))


class Rewrites(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        labels[:] = 1
        return super().__call__(labels)


class Numbers(Healthy):
    def __call__(self, labels: IntArray) -> Any:
        return super().__call__(labels).z


class Endless(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        found = super().__call__(labels)
        self.remaining += len(labels)
        return found


class Renumbered(Healthy):
    """Every call begins with training 0."""

    def __call__(self, labels: IntArray) -> Draws:
        return Draws(labels, super().__call__(labels).z)


class SameIndex(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        found = super().__call__(labels)
        return Draws(labels, found.z, index=found.index // 2)


@dataclass
class PilotAgain(Healthy):
    """Its trainings are numbered from 0, as the pilot's are."""

    pilot: Draws | None = field(default_factory=lambda: make_pilot(LAW, 500))

    def __call__(self, labels: IntArray) -> Draws:
        found = super().__call__(labels)
        return Draws(labels, found.z, index=found.index - 500)


@dataclass
class AfterPilot(Healthy):
    pilot: Draws | None = field(default_factory=lambda: make_pilot(LAW, 30))


class Heads(Healthy):
    def coins(self, n: int) -> IntArray:
        return np.ones(n, dtype=np.int64)


class Biased(Healthy):
    def coins(self, n: int) -> IntArray:
        return np.where(np.arange(n) % 4 == 0, 1, super().coins(n))


class SameCoins(Healthy):
    def coins(self, n: int) -> IntArray:
        return np.random.default_rng(0).integers(0, 2, n)


class Signs(Healthy):
    def coins(self, n: int) -> IntArray:
        return 2 * super().coins(n) - 1


class Overdraws(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        self.remaining = max(self.remaining, len(labels))
        return super().__call__(labels)


class PaysForRefusals(Healthy):
    def __call__(self, labels: IntArray) -> Draws:
        if len(labels) > self.remaining:
            self.remaining = 0
            raise ValueError("too many")
        return super().__call__(labels)


@dataclass
class Learns(Healthy):
    shift: Any = None

    def learn_shift(self, pairs: int) -> None:
        self.remaining -= 2 * pairs
        self.shift = PairedShift("", np.ones(1), np.zeros(1), pairs)


class Wasteful(Learns):
    def learn_shift(self, pairs: int) -> None:
        self.remaining -= 10 * pairs


class Numeric(Learns):
    def learn_shift(self, pairs: int) -> None:
        self.shift = np.ones(1)


BUDGET, LABELS = "its budget is at least 140 trainings", "outputs come with the labels that were asked for"
FALLS, ONCE = "the budget falls by what was drawn", "no training is handed out twice"
FAIR, WITHIN = "coins are fair, and new for each block", "it refuses more than its budget"
PAIRS = "a shift is learned from what remains"
FAULTS = [
    Fault(Wasteful(), PAIRS, "2 pairs cost 20 trainings"),
    Fault(Numeric(), PAIRS, "its shift is ndarray"),
    Fault(Healthy(remaining=100), BUDGET, "100 are left"),
    Fault(object(), BUDGET, "got object"),
    Fault(Sorted(), LABELS, "keep their order"),
    Fault(Rewrites(), LABELS, "it changed the labels"),
    Fault(Numbers(), LABELS, "it returned ndarray"),
    Fault(Endless(), FALLS, "fell by 0"),
    Fault(Renumbered(), ONCE, "a training of an earlier call came again"),
    Fault(SameIndex(), ONCE, "two trainings of one call have the same index"),
    Fault(PilotAgain(), ONCE, "a training of the pilot came again"),
    Fault(Heads(), FAIR, "2000 of 2000 coins were 1"),
    Fault(Biased(), FAIR, "flip fair coins"),
    Fault(SameCoins(), FAIR, "the coins of two blocks are the same"),
    Fault(Signs(), FAIR, "return that many of 0 and 1"),
    Fault(Overdraws(), WITHIN, "came out of a budget of"),
    Fault(PaysForRefusals(), WITHIN, "a refused call took"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_draw_is_told(fault: Fault) -> None:
    assert_told(fault, check_draw(fault.part))


@pytest.mark.parametrize("draw", [Healthy(), AfterPilot(), Learns()], ids=lambda part: type(part).__name__)
def test_a_fault_is_not_invented(draw: Healthy) -> None:
    # Fails for a correct program with probability < 1e-8: by unusual coins, whose seed is fixed.
    assert_healthy(check_draw(draw))


def test_every_check_can_fail() -> None:
    assert_every_check_can_fail(FAULTS, check_draw(Healthy()))
