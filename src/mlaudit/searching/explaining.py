"""What a violation looks like: which numbers carry it, how much noise is missing, and what that is often due to."""

from dataclasses import dataclass
from math import inf

import numpy as np

from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import AuditError
from mlaudit.protocols import Mechanism
from mlaudit.searching.event import Event
from mlaudit.searching.pilots import Pilots
from mlaudit.searching.score import coordinate_shifts, shift
from mlaudit.searching.script import in_words
from mlaudit.stores.memory import MemoryStore
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Bound
from mlaudit.types.pair import Pair

_SHOWN = 3
_CARRIES = 0.95  # of the evidence: as many coordinates are named as it takes
_NEAR = 0.15  # of a whole factor
_GROWS = 1.5
_PILOTS = 32


@dataclass(frozen=True)
class Explanation:
    """Sentences for whoever mends it; `factor` is how many times the claimed ε was shown."""

    factor: float
    sentences: tuple[str, ...]


def explained(
    mechanism: Mechanism, pair: Pair, claim: Claim, draws: Draws, event: Event, bound: Bound, seed: int
) -> Explanation:
    """Read off draws of the minimal pair, and a few pilots of it with other bounds."""
    shifts = _shifts(draws)
    carried, carriers = _carried(shifts)
    # Laplace noise of standard deviation s has scale s/√2; of other noise that is a guess, and only hints follow.
    loss = float(np.sqrt(2) * np.abs(shifts).sum()) / bound.steps
    factor = inf if event.total or _never(event, draws) else max(bound.epsilon, loss) / claim.epsilon
    told = [
        f"{in_words(event)} in {event.on_base:.1%} of trainings on D and {event.on_neighbour:.1%} on D′.",
        *carried,
        *_ratio(factor),
        *_hints(factor, carriers, claim),
        *_with_bounds(mechanism, pair, seed),
    ]
    return Explanation(factor, tuple(told))


def _never(event: Event, draws: Draws) -> bool:
    """Whether an output came often on one side and never on the other: its support, or an exact value, shows."""
    return min(event.on_base, event.on_neighbour) == 0 and max(event.on_base, event.on_neighbour) * len(draws) > 20


def _carried(shifts: FloatArray) -> tuple[list[str], int]:
    """Which coordinates carry the evidence, and how many it takes."""
    if not shifts.size or not np.abs(shifts).max() > 0:
        return [], 0
    squares = np.square(np.minimum(np.abs(shifts), 1e6))
    order = np.argsort(-squares, kind="stable")
    needed = int(np.searchsorted(np.cumsum(squares[order]), _CARRIES * squares.sum()) + 1)
    named = ", ".join(f"{at} ({shifts[at]:+.2g})" for at in order[: min(needed, _SHOWN)])
    more = f" and {needed - _SHOWN} more" if needed > _SHOWN else ""
    share = squares[order[:needed]].sum() / squares.sum()
    where = f"{share:.0%} of the shift is in number {named}{more}, in units of its noise"
    return [f"Of the {len(shifts)} numbers that come out, {where}."], needed


def _shifts(draws: Draws) -> FloatArray:
    kinds, counts = np.unique(draws.kinds, return_counts=True)
    usual = draws.kinds == kinds[counts.argmax()]
    keep = np.isfinite(draws.z[usual]).all(axis=0)
    a, b = (draws.z[usual & (draws.labels == label)][:, keep] for label in (1, 0))
    return coordinate_shifts(a, b) if min(len(a), len(b)) > 1 else np.empty(0)


def _ratio(factor: float) -> list[str]:
    if factor == inf:
        return []
    return [
        f"About {1 / factor:.2g} of the noise that the claim needs, were it Laplace noise: a factor of {factor:.2g}."
    ]


def _hints(factor: float, carriers: int, claim: Claim) -> list[str]:
    """What such a factor is often due to; hints, not findings."""
    if factor == inf:
        return ["An output comes on one side and never on the other: an exact value, a size or a support is exposed."]
    whole = round(factor)
    if whole < 2 or abs(factor / whole - 1) > _NEAR:
        return []
    found = []
    if whole == 2 and claim.relation is Relation.REPLACE_ONE:
        found.append("A factor of 2: is the noise for a row added or removed, where a replaced one is claimed?")
    if whole == carriers:
        found.append(f"A factor of {whole}, and {carriers} numbers carry it: is ε spent on each instead of split?")
    return found


def _with_bounds(mechanism: Mechanism, pair: Pair, seed: int) -> list[str]:
    """Whether the shift grows with the width of the bounds, or with their distance from zero."""
    domain = pair.base.domain
    if not isinstance(domain, Box) or not _is_configured(mechanism, pair):
        return []
    width = float(np.max(domain.high - domain.low))
    told = []
    here = _shift(mechanism, pair, seed)
    for factor, offset, said in (
        (10.0, 0.0, "the width of the bounds"),
        (1.0, 10 * width, "their distance from zero"),
    ):
        there = _shift(mechanism, _transformed(pair, domain, factor, offset), seed)
        if here is not None and there is not None and there > _GROWS * here > 0:
            times = f"{there / here:.2g} times at ten times as much"
            told.append(f"The leak grows with {said} ({times}): a sensitivity leaves it out.")
    return told


def _is_configured(mechanism: Mechanism, pair: Pair) -> bool:
    """Whether bounds are the user's to set: then the learner takes whatever is declared."""
    try:
        one, other = (mechanism.domain(Dataset(scale * pair.base.X + scale, pair.base.y)) for scale in (1.0, 2.0))
    except AuditError:
        return False
    return isinstance(one, Box) and isinstance(other, Box) and one.high.tolist() != other.high.tolist()


def _transformed(pair: Pair, domain: Box, factor: float, offset: float) -> Pair:
    box = Box(domain.low * factor + offset, domain.high * factor + offset, domain.labels)
    base, other = (Dataset(data.X * factor + offset, data.y, box) for data in (pair.base, pair.neighbour))
    return Pair(base, other, None if pair.target is None else pair.target * factor + offset)


def _shift(mechanism: Mechanism, pair: Pair, seed: int) -> float | None:
    pilots = Pilots(seed, JoblibEngine(), MemoryStore())
    base, other = pilots.arms(mechanism, pair)
    try:
        return shift(*pilots.draw([(base, 4 * _PILOTS), (other, _PILOTS)]))
    except AuditError:
        return None
