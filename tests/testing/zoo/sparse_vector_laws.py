"""Exact laws of the sparse vector variants: one numerical integral over the threshold's noise."""

from math import comb

import numpy as np
from laws import Few, Law, Outputs, laplace_cdf, listed, read_by

from mlaudit.testing.zoo._sparse_vector import THRESHOLD
from mlaudit.types.arrays import FloatArray, IntArray

_NOISE = np.linspace(-200, 200, 20_001)  # of the threshold


def _weights(scale: float) -> FloatArray:
    weights = np.exp(-np.abs(_NOISE) / scale)
    return np.asarray(weights / weights.sum())


def _below(query: float, scale: float) -> FloatArray:
    """P(the query is below), for every threshold."""
    return laplace_cdf(THRESHOLD + _NOISE - query, scale)


def which_above(row: FloatArray, most: int, threshold_scale: float, query_scale: float, *, anew: bool = False) -> Law:
    """A law by which queries are above: where one or two may be, they can be listed."""

    def side(queries: FloatArray) -> Few:
        law: Few = {}
        first = _weights(threshold_scale)

        def go(at: int, found: tuple[float, ...], weights: FloatArray) -> None:
            if at == len(queries) or len(found) == most:
                law[found] = float(weights.sum())
                return
            below = _below(queries[at], query_scale)
            above = weights * (1.0 - below)
            go(at + 1, (*found, float(at)), first * above.sum() if anew else above)
            go(at + 1, found, weights * below)

        go(0, (), first)
        return law

    return read_by(listed(side(row), side(1.0 - row)), lambda z: np.flatnonzero(z == 1))


def _endings(queries: int, left: int) -> list[tuple[int, int, int]]:
    """How many of the queries are above and how many answered, until `left` are above; and in how many orders."""
    if left == 0:
        return [(0, 0, 1)]
    cut = [(left, n, comb(n - 1, left - 1)) for n in range(left, queries + 1)]
    return [(b, queries, comb(queries, b)) for b in range(min(left, queries + 1))] + cut


def how_many_above(rising: int, falling: int, most: int, threshold_scale: float, query_scale: float) -> Law:
    """A law by how many of either half are above, and answered: the queries of a half are alike, so it tells all.

    The cut-off must lie in the second half.
    """

    def side(first: float, second: float) -> Few:
        p, q = _below(first, query_scale), _below(second, query_scale)
        rise = {a: _weights(threshold_scale) * p ** (rising - a) * (1 - p) ** a for a in range(rising + 1)}
        fall = {(b, n): q ** (n - b) * (1 - q) ** b for n in range(falling + 1) for b in range(n + 1)}
        law: Few = {}
        for a, weights in rise.items():
            for b, n, orders in _endings(falling, most - a):
                law[float(a), float(b), float(n)] = comb(rising, a) * orders * float(weights @ fall[b, n])
        return law

    def read(z: FloatArray) -> list[int]:
        return [int((z[:rising] == 1).sum()), int((z[rising:] == 1).sum()), int((z[rising:] >= 0).sum())]

    return read_by(listed(side(0.0, 1.0), side(1.0, 0.0)), read)


def loss_of_below_then_above(rising: int, falling: int, threshold_scale: float, query_scale: float) -> float:
    """The loss of one output: all that rise are below, all that fall above."""

    def side(first: float, second: float) -> float:
        below, above = _below(first, query_scale), 1.0 - _below(second, query_scale)
        return float(np.log((_weights(threshold_scale) * below**rising * above**falling).sum()))

    return side(0.0, 1.0) - side(1.0, 0.0)


def first_and_value(queries: int, scale: float, value_edges: FloatArray) -> Law:
    """Roth's variant: which query is the first above, and in which slice the value lies that was compared."""
    lows, highs = np.append(-np.inf, value_edges), np.append(value_edges, np.inf)

    def side(query: float) -> FloatArray:
        weights, cells = _weights(scale), []
        for _ in range(queries):
            from_low = np.maximum(lows[:, None], THRESHOLD + _NOISE) - query
            inside = np.maximum(laplace_cdf(highs[:, None] - query, scale) - laplace_cdf(from_low, scale), 0.0)
            cells.append((weights * inside).sum(axis=1))
            weights = weights * _below(query, scale)
        return np.append(np.concatenate(cells), weights.sum())

    def cell(outputs: Outputs) -> IntArray:
        found = [(int(z[0]), int(np.searchsorted(value_edges, z[1]))) for z in outputs]
        return np.array([len(lows) * queries if j == queries else len(lows) * j + v for j, v in found])

    return Law(cell, side(0.0), side(1.0))
