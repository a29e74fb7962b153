"""Two trainings with the same answers, compared: what each call cost, and what reached the output without noise."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from mlaudit.distinguish.clues import ABSENT, Value
from mlaudit.scanning.walk import Readings
from mlaudit.tracing.call_loss import ABOVE, CallLoss, total_epsilon
from mlaudit.tracing.losses import leaves_of, losses_of, selection_loss
from mlaudit.tracing.sites import makes_choices
from mlaudit.tracing.tape import WEIGHT, Divergence, NoiseEvent
from mlaudit.tracing.training import Training

_SELECTED = ({"argmax"}, {"argmax of rows"})  # only the place of the largest noisy number was used
_EQUAL = 1e-9  # relative difference that arithmetic in another order may cause


@dataclass(frozen=True, eq=False)
class Compared:
    """One transcript on both datasets.

    Args:
        recorded: The training whose answers were recorded.
        answered: The training on the other dataset, which got these answers.
        losses: The loss of every call that counts, by the index of its event.
        bypasses: The paths of the output that differ although all answers are equal.
    """

    recorded: Training
    answered: Training
    losses: dict[int, CallLoss]
    bypasses: tuple[str, ...]

    @property
    def divergence(self) -> Divergence | None:
        """Where the two trainings made different calls."""
        return self.answered.tape.divergence

    @property
    def loose(self) -> tuple[NoiseEvent, ...]:
        """Noise around zero that was never added to a value, as far as could be followed."""
        events = self.recorded.tape.events
        leaves = leaves_of(self.recorded.tape)
        return tuple(
            event
            for at, event in enumerate(events)
            if (event.pure or not event.exact.any())
            and leaves[at].any()
            and not makes_choices(event.site)
            and WEIGHT not in event.uses
            and not self.losses.get(at, CallLoss()).moved
        )

    @property
    def unfollowed(self) -> dict[str, str]:
        """Calls that cannot be followed, with their lines."""
        both = {**self.recorded.tape.unfollowed, **self.answered.tape.unfollowed}
        return {reason: str(site) for reason, site in both.items()}

    @property
    def slack(self) -> float:
        """The relative part of a loss that rounding may have made."""
        return max((loss.slack for loss in self.losses.values()), default=ABOVE)

    @property
    def sampled(self) -> bool:
        """Whether the training draws random batches, so that a transcript shows the rows of one choice only."""
        return any(loss.rate < 1.0 for loss in self.losses.values())

    def transcript(self, delta: float) -> float:
        """The loss of all answers together: no output made of them alone can leak more."""
        if self.divergence is not None or self.unfollowed:
            return inf
        return total_epsilon(list(self.losses.values()), delta)

    def visible(self, at: int, delta: float) -> float:
        """The loss of a call as far as its answer was seen to be used.

        Nothing is counted of noise whose law is not known, nor of numbers that were only compared with other noisy
        numbers: how much that tells is not followed.
        """
        event = self.recorded.tape.events[at]
        if not self.losses[at].known:
            return 0.0
        if event.uses in _SELECTED:
            return selection_loss(event, self.answered.tape.events[at])
        if event.uses == {"compared"} and not _is_bare(event):
            return 0.0
        return self.losses[at].epsilon(delta)

    def suspicious(self, delta: float, calls: Iterable[int] | None = None) -> float:
        """The loss of all answers, or of these calls, as far as the answers were seen to be used."""
        counted = list(self.losses if calls is None else calls)
        direct = [self.losses[at] for at in counted if self._is_direct(at)]
        hidden = sum(self.visible(at, delta) for at in counted if not self._is_direct(at))
        return total_epsilon(direct, delta) + hidden

    def _is_direct(self, at: int) -> bool:
        event = self.recorded.tape.events[at]
        hidden = event.uses in (*_SELECTED, {"compared"}) or not self.losses[at].known
        return not hidden or _is_bare(event)


def _is_bare(event: NoiseEvent) -> bool:
    """Whether noise of scale 0 was added: no comparison hides a value behind that."""
    return not event.law.scale.all()


def compare(recorded: Training, answered: Training) -> Compared:
    """Compare a training with one on the other dataset that got its answers."""
    whole = answered.tape.divergence is None
    losses = losses_of(recorded.tape, answered.tape) if whole else {}
    return Compared(recorded, answered, losses, differing_paths(recorded.readings, answered.readings))


def differing_paths(one: Readings, other: Readings) -> tuple[str, ...]:
    """The paths whose values differ.

    >>> differing_paths({"a": 1.0, "b": "x"}, {"a": 1.0 + 1e-12, "b": "y"})
    ('b',)
    """
    paths = dict.fromkeys([*one, *other])
    return tuple(path for path in paths if not _is_same(one.get(path, ABSENT), other.get(path, ABSENT)))


def _is_same(one: Value, other: Value) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= _EQUAL * max(1.0, abs(one), abs(other))
