"""Explain a violation: which numbers of the output carry it, how much noise is missing, and common causes."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pilots import Pilots
from mlaudit.errors import AuditError
from mlaudit.protocols import Mechanism
from mlaudit.search.score import coordinate_shifts, shift
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Bound
from mlaudit.types.matching import find_changes
from mlaudit.types.numbers import measurement, percent
from mlaudit.types.pair import Pair
from mlaudit.witness.event import Event
from mlaudit.witness.script import describe_event

_SHOWN = 3
_CARRIES = 0.95  # share of the squared shift that the named coordinates carry together
_NEAR = 0.15  # relative distance from a whole number
_GROWS = 1.5
_PILOTS = 32


@dataclass(frozen=True)
class Explanation:
    """Sentences for the maintainer; `factor` is the shown ε over the claimed one."""

    factor: float
    sentences: tuple[str, ...]


def explain_violation(
    mechanism: Mechanism, pair: Pair, claim: Claim, draws: Draws, event: Event, bound: Bound, seed: int
) -> Explanation:
    """Explain a violation from draws of the minimal pair and a few pilots of it with other bounds."""
    shifts = _shifts(draws)
    carried_by, carriers = _describe_carriers(shifts)
    # Laplace noise of standard deviation s has scale s/√2. For other noise this is a guess; only hints use it.
    loss = float(np.sqrt(2) * np.abs(shifts).sum()) / bound.steps
    factor = inf if event.total or _is_one_sided(event, draws) else max(bound.epsilon, loss) / claim.epsilon
    often = percent(event.on_base), percent(event.on_neighbour)
    sentences = [
        f"{describe_event(event)} in {often[0]} of trainings on D and {often[1]} on D′.",
        *carried_by,
        *_describe_factor(factor),
        *_hints(factor, carriers, claim, _rows_per_step(pair, bound.steps)),
        *_test_bounds(mechanism, pair, seed),
    ]
    return Explanation(factor, tuple(sentences))


def _is_one_sided(event: Event, draws: Draws) -> bool:
    """Whether the event came often on one side and never on the other."""
    return min(event.on_base, event.on_neighbour) == 0 and max(event.on_base, event.on_neighbour) * len(draws) > 20


def _describe_carriers(shifts: FloatArray) -> tuple[list[str], int]:
    """Describe which coordinates carry the shift, and count them."""
    if not shifts.size or not np.abs(shifts).max() > 0:
        return [], 0
    squares = np.square(np.minimum(np.abs(shifts), 1e6))
    order = np.argsort(-squares, kind="stable")
    needed = int(np.searchsorted(np.cumsum(squares[order]), _CARRIES * squares.sum()) + 1)
    named = ", ".join(f"{at} ({shifts[at]:+.2g})" for at in order[: min(needed, _SHOWN)])
    more = f" and {needed - _SHOWN} more" if needed > _SHOWN else ""
    share = squares[order[:needed]].sum() / squares.sum()
    where = f"{percent(share)} of the shift is in number {named}{more}, in units of its noise"
    return [f"Of the {len(shifts)} numbers of the output, {where}."], needed


def _shifts(draws: Draws) -> FloatArray:
    kinds, counts = np.unique(draws.kinds, return_counts=True)
    usual = draws.kinds == kinds[counts.argmax()]
    keep = np.isfinite(draws.z[usual]).all(axis=0)
    a, b = (draws.z[usual & (draws.labels == label)][:, keep] for label in (1, 0))
    return coordinate_shifts(a, b) if min(len(a), len(b)) > 1 else np.empty(0)


def _describe_factor(factor: float) -> list[str]:
    if factor == inf:
        return []
    share, times = measurement(1 / factor, 2), measurement(factor, 2)
    return [
        f"As Laplace noise, it is about {share} of the noise that the claim needs: too small by a factor of {times}."
    ]


def _rows_per_step(pair: Pair, steps: int) -> int:
    """How many rows one step changes: more than one only if the unit owns several."""
    return 1 if pair.base.units is None else len(find_changes(pair.base, pair.neighbour)) // steps


def _hints(factor: float, carriers: int, claim: Claim, rows: int) -> list[str]:
    """Common causes of such a factor; hints, not findings."""
    if factor == inf:
        return ["Some output occurs on one side only: an exact value, a size or a range is released without noise."]
    whole = round(factor)
    if whole < 2 or abs(factor / whole - 1) > _NEAR:
        return []
    found = []
    if whole == rows:
        found.append(
            f"A factor of {whole} with {rows} changed rows in a unit often means noise for one row, but a claim for "
            f"all rows of a unit ({claim.unit})."
        )
    elif whole == 2 and claim.relation is Relation.REPLACE_ONE:
        found.append("A factor of 2 often means noise for an added or removed row, but a claim for a replaced row.")
    if whole == carriers:
        found.append(
            f"A factor of {whole} with {carriers} leaking numbers often means that each number uses the whole ε."
        )
    return found


def _test_bounds(mechanism: Mechanism, pair: Pair, seed: int) -> list[str]:
    """Test whether the shift grows with the width of the bounds, or with their distance from zero."""
    domain = pair.base.domain
    if not isinstance(domain, Box) or not _can_set_bounds(mechanism, pair):
        return []
    width = float(np.max(domain.high - domain.low))
    sentences = []
    here = _measure_shift(mechanism, pair, seed)
    for factor, offset, said in (
        (10.0, 0.0, "the width of the bounds"),
        (1.0, 10 * width, "their distance from zero"),
    ):
        there = _measure_shift(mechanism, _rescale_pair(pair, domain, factor, offset), seed)
        if here is not None and there is not None and there > _GROWS * here > 0:
            times = f"{measurement(there / here, 2)} times at ten times as much"
            sentences.append(f"The leak grows with {said} ({times}): a sensitivity ignores it.")
    return sentences


def _can_set_bounds(mechanism: Mechanism, pair: Pair) -> bool:
    """Whether the learner takes its bounds from the data's declaration, so that other bounds can be tested."""
    try:
        one, other = (mechanism.domain(Dataset(scale * pair.base.X + scale, pair.base.y)) for scale in (1.0, 2.0))
    except AuditError:
        return False
    return isinstance(one, Box) and isinstance(other, Box) and one.high.tolist() != other.high.tolist()


def _rescale_pair(pair: Pair, domain: Box, factor: float, offset: float) -> Pair:
    box = replace(domain, low=domain.low * factor + offset, high=domain.high * factor + offset)
    sides = (pair.base, pair.neighbour)
    base, other = (Dataset(data.X * factor + offset, data.y, box, units=data.units, unit=data.unit) for data in sides)
    return Pair(base, other, None if pair.target is None else pair.target * factor + offset)


def _measure_shift(mechanism: Mechanism, pair: Pair, seed: int) -> float | None:
    pilots = Pilots(seed, DrawingLoop(LokyEngine()))
    base, other = pilots.streams(mechanism, pair)
    try:
        return shift(*pilots.draw([(base, 4 * _PILOTS), (other, _PILOTS)]))
    except AuditError:
        return None
