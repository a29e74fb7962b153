"""The privacy loss of each call of two trainings that got the same answers."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil, exp, inf, log

import numpy as np

from mlaudit.tracing.call_loss import ABOVE, CallLoss
from mlaudit.tracing.laws import BINGHAM, CHOICE, COIN, DECLARED, FLIP, NOISY_MAX, OTHER, SYMMETRIC, WHOLE
from mlaudit.tracing.tape import NoiseEvent, Tape
from mlaudit.types.arrays import BoolArray, FloatArray

_SAME = 1e-9  # relative difference that sums of floating-point numbers have by themselves
_LATTICE = 1e-9
_MOST, _MANY = 50.0, 1000  # an exponent and a number of steps: beyond either, δ is 1
_SCALED = (NOISY_MAX, BINGHAM, DECLARED)  # laws whose loss is over one scale
_ROUNDED = 64.0  # units of rounding by which a sum may differ that was made in another order


def leaves_of(tape: Tape) -> list[BoolArray]:
    """For each event, which of its numbers were not turned into a number of a later event."""
    open_ = [np.ones(np.shape(event.ids), dtype=bool) for event in tape.events]
    for event in tape.events:
        for parent in event.parents:
            whole = event.ids.size and not np.isin(event.ids, tape.events[parent].ids).any()
            ids = tape.events[parent].ids if whole else event.ids  # of a sum of draws, which has numbers of its own
            open_[parent] &= ~np.isin(tape.events[parent].ids, ids)
    return open_


def losses_of(one: Tape, other: Tape) -> dict[int, CallLoss]:
    """The loss of every event with numbers of its own, by its index; both tapes must have the same events."""
    known: dict[int, tuple[float, float]] = {}  # the move and the scale of every draw
    found = {}
    for at, (a, b, leaf) in enumerate(zip(one.events, other.events, leaves_of(one), strict=False)):
        if leaf.any():
            loss = _loss_of_whole(a, b) if a.law.kind in WHOLE else _loss_by_number(a, b, leaf, known)
            if _is_entangled(one, a):
                loss = CallLoss(inf if loss.pure or loss.mu else 0.0, moved=loss.moved, known=False)
            found[at] = loss if a.step is None else replace(loss, step=a.step.index, rate=a.step.rate)
    return found


def _is_entangled(tape: Tape, event: NoiseEvent) -> bool:
    """Whether the noise of an event was also used in a way that was not followed: its law is then not known.

    Noise divided by its own norm is the usual case.
    """
    parents = [tape.events[at] for at in event.parents]
    return any((one.pure and "released" in one.uses) or _is_entangled(tape, one) for one in parents)


def selection_loss(one: NoiseEvent, other: NoiseEvent) -> float:
    """The loss of the place of the largest noisy number alone: the range of the moves over the scale.

    If every value rises by c the place is the same. To keep the winner where others rise more, its own noise is
    shifted by at most the range; no other noise is touched.
    """
    scale = np.unique(np.concatenate([np.ravel(one.law.scale), np.ravel(other.law.scale)]))
    if len(scale) != 1 or scale[0] <= 0 or one.law.kind not in ("laplace", "exponential", "gumbel", "logistic"):
        return inf
    moves = _moves(one, other)
    rows = moves if "argmax of rows" in one.uses else moves.reshape(1, -1)
    return float(np.ptp(rows, axis=-1).sum() / scale[0])


def _loss_by_number(
    one: NoiseEvent, other: NoiseEvent, leaf: BoolArray, known: dict[int, tuple[float, float]]
) -> CallLoss:
    moves, kind = _moves(one, other), one.law.kind
    scales = np.abs(np.broadcast_to(one.law.scale, moves.shape))
    others = np.abs(np.broadcast_to(other.law.scale, moves.shape))
    scale_moved = not np.allclose(scales, others, rtol=_SAME, atol=0.0)
    if scale_moved:
        return CallLoss(inf, moved=float(np.abs(moves).sum()), scale_moved=True)
    fresh, shared = _separate(one, moves, scales, leaf, known)
    moved = np.abs(moves[fresh])
    if kind == "normal" and not shared:
        return _loss_of_gaussian(moved, scales[fresh], _rounding_of(one, other))
    if shared:
        return CallLoss(inf, moved=float(moved.sum()), shared=True)
    if kind == OTHER:
        return CallLoss(inf if moved.any() else 0.0, moved=float(moved.sum()), known=not moved.any())
    if kind not in SYMMETRIC:
        return CallLoss(inf if moved.any() else 0.0, moved=float(moved.sum()))
    total = float(moved.sum())
    slack = _slack(_rounding_of(one, other), total)
    return CallLoss(float(_ratios(moved, scales[fresh]).sum()), moved=total, slack=slack)


def _loss_of_gaussian(moved: FloatArray, scales: FloatArray, rounding: float) -> CallLoss:
    norm = float(np.sqrt((moved**2).sum()))
    return CallLoss(mu=float(np.sqrt((_ratios(moved, scales) ** 2).sum())), moved=norm, slack=_slack(rounding, norm))


def _ratios(moved: FloatArray, scales: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(moved > 0, moved / scales, 0.0)


def _rounding_of(one: NoiseEvent, other: NoiseEvent) -> float:
    """How much the exact value may differ by rounding alone."""
    values = np.abs(np.concatenate([np.ravel(one.exact), np.ravel(other.exact)]))
    largest = float(np.max(values, initial=0.0, where=np.isfinite(values)))
    return _ROUNDED * max(one.rounding, other.rounding) * largest


def _slack(rounding: float, moved: float) -> float:
    return max(ABOVE, rounding / moved) if moved else ABOVE


def _separate(
    one: NoiseEvent, moves: FloatArray, scales: FloatArray, leaf: BoolArray, known: dict[int, tuple[float, float]]
) -> tuple[BoolArray, bool]:
    """Which numbers have a draw that no earlier number had; and whether one draw hides two different moves."""
    fresh, shared = np.zeros(moves.shape, dtype=bool), False
    for place in zip(*np.nonzero(leaf), strict=True) if moves.ndim else [()] * bool(leaf):
        here = (float(moves[place]), float(scales[place]))
        first = known.setdefault(int(one.ids[place]), here)
        if first is here:
            fresh[place] = True
        elif not np.allclose(first[0] * here[1], here[0] * first[1], rtol=1e-6, atol=1e-12):
            shared = True
    return fresh, shared


def _moves(one: NoiseEvent, other: NoiseEvent) -> FloatArray:
    """How far each exact value moved; from or to NaN is infinitely far."""
    a, b = np.broadcast_arrays(np.asarray(one.exact, dtype=float), np.asarray(other.exact, dtype=float))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        moved = np.where(same, 0.0, b - a)
        moved = np.where(np.isnan(moved), inf, moved)
        tiny = np.abs(moved) <= np.maximum(_SAME * np.maximum(np.abs(a), np.abs(b)), _rounding_of(one, other))
    return np.where(tiny & np.isfinite(moved), 0.0, moved)


def _loss_of_whole(one: NoiseEvent, other: NoiseEvent) -> CallLoss:
    if one.cost is not None:
        return one.cost(one.value, other.value)
    if one.law.kind in _SCALED and not np.allclose(one.law.scale, other.law.scale, rtol=_SAME, atol=0.0):
        return CallLoss(inf, moved=float(np.abs(_moves(one, other)).sum()), scale_moved=True)
    moves = np.abs(_moves(one, other))
    moved = float(moves.sum())
    if one.law.kind == DECLARED:
        return _loss_declared(one, moved)
    loss = _WHOLE[one.law.kind](one, other) if moved or one.law.kind in (COIN, FLIP) else 0.0
    return CallLoss(loss, moved=moved)


def _loss_of_choice(one: NoiseEvent, other: NoiseEvent) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.abs(np.log(one.exact) - np.log(other.exact))
    return float(np.max(np.where(one.exact == other.exact, 0.0, ratios)))


def _loss_of_coin(one: NoiseEvent, other: NoiseEvent) -> float:
    return sum(
        _log_ratio({True: p, False: 1 - p}, {True: q, False: 1 - q})
        for p, q in zip(np.ravel(one.exact).tolist(), np.ravel(other.exact).tolist(), strict=True)
    )


def _loss_of_flip(one: NoiseEvent, other: NoiseEvent) -> float:
    rows = []
    for event in (one, other):
        heads = np.broadcast_to(event.law.scale, event.exact.shape[1:]).ravel().tolist()
        rows.append([_two_values(*row) for row in zip(*event.exact.reshape(2, -1).tolist(), heads, strict=True)])
    return sum(_log_ratio(a, b) for a, b in zip(*rows, strict=True))


def _two_values(at_heads: float, at_tails: float, heads: float) -> dict[float, float]:
    return {at_heads: 1.0} if at_heads == at_tails else {at_heads: heads, at_tails: 1.0 - heads}


def _log_ratio(one: dict[float, float], other: dict[float, float]) -> float:
    worst = 0.0
    for value in {*one, *other}:
        p, q = one.get(value, 0.0), other.get(value, 0.0)
        if p != q:
            worst = max(worst, inf if not p or not q else abs(log(p / q)))
    return worst


def _loss_of_noisy_max(one: NoiseEvent, other: NoiseEvent) -> float:
    return float(np.ptp(_moves(one, other)) / one.law.scale)


def _loss_of_bingham(one: NoiseEvent, other: NoiseEvent) -> float:
    """The density is e^{u'Au/scale}: the range of the eigenvalues of the difference, over the scale."""
    return float(np.ptp(np.linalg.eigvalsh(other.exact - one.exact)) / one.law.scale)


def _loss_declared(one: NoiseEvent, moved: float) -> CallLoss:
    """The declared ε and δ for each sensitivity that the value moved by, rounded up (group privacy)."""
    stated = one.declared
    if not moved:
        return CallLoss()
    if stated is None or stated.epsilon is None or not np.isfinite(moved):
        return CallLoss(inf, moved=moved)
    steps = ceil(moved / stated.sensitivity - _LATTICE) if stated.sensitivity else 1
    grown = sum(exp(min(stated.epsilon * step, _MOST)) for step in range(min(steps, _MANY)))
    delta = min(1.0, (stated.delta or 0.0) * grown)
    return CallLoss(stated.epsilon * steps, delta=delta, moved=moved)


_WHOLE: dict[str, Callable[[NoiseEvent, NoiseEvent], float]] = {
    CHOICE: _loss_of_choice,
    COIN: _loss_of_coin,
    FLIP: _loss_of_flip,
    NOISY_MAX: _loss_of_noisy_max,
    BINGHAM: _loss_of_bingham,
}
