"""The contract of a fast sampler: its rows are what the mechanism's own trainings give."""

import numpy as np
from numpy.random import SeedSequence

from mlaudit.drawing.outcome import as_numbers, as_vector
from mlaudit.protocols import Mechanism, Prepares, Samples
from mlaudit.testing.checks import Check, check
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import quote, with_methods
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import p_value
from mlaudit.types.pair import Pair

KINDS = ("mirror", "batched")
_KEY = (0x5A, 0x11)  # the spawn key of these checks' trainings
_RARE = 1e-7  # how often equal distributions look as different as that
_SAME = 1e-9  # relative: sums in another order differ in the last digits


def check_sampler(mechanism: Mechanism, pair: Pair, *, trainings: int = 300, seed: int = 0) -> list[Check]:
    """Check a mechanism that draws many trainings at once (`Samples` or `Prepares`) against its own `fit`.

    Args:
        mechanism: The mechanism, with `sample` or with `prepare`.
        pair: Both of its datasets are drawn.
        trainings: How many of the mechanism's own trainings a batched sampler is compared with, on each dataset. More
            trainings show smaller differences.
        seed: Seed of the trainings.

    Returns:
        One check for each expectation. A correct sampler fails with probability below 2e-7.

    Example:
        >>> from mlaudit.mechanisms.laplace import Laplace
        >>> checks = check_sampler(Laplace(), Laplace().tight_pair(1))
        >>> [str(result) for result in checks if not result.passed]
        []
    """
    checks = [
        check("it says how it draws", lambda: _find_unknown_kind(mechanism)),
        check("a batch has a row for each training", lambda: _find_other_shape(mechanism, pair, seed)),
        check("the same seed gives the same rows", lambda: _find_unrepeated(mechanism, pair, seed)),
        check("another seed gives other rows", lambda: _find_unseeded(mechanism, pair, seed)),
    ]
    if getattr(mechanism, "kind", "") == "mirror":
        return [*checks, check("a row is the training of its seed", lambda: _find_unlike(mechanism, pair, seed))]
    same = "rows have the distribution of the mechanism's own trainings"
    return [*checks, check(same, lambda: _find_other_law(mechanism, pair, trainings, seed))]


def _find_unknown_kind(mechanism: Mechanism) -> str:
    if isinstance(mechanism, Prepares):
        if mechanism.kind not in KINDS:
            return f"its kind is {quote(mechanism.kind)}; say mirror or batched"
        with_methods("seeded_as", mechanism.seeded_as, "a mechanism", ["fit", "summary"], "name the mechanism itself")
        digests = {mechanism.source_digest() for _ in range(2)}
        return "" if len(digests) == 1 else "its source digest changes from call to call; hash the sampler's files"
    with_methods("it", mechanism, "a mechanism", ["sample"], "write sample(self, data, target, n, seed)")
    return ""


def draw_rows(mechanism: Mechanism, data: Dataset, target: FloatArray | None, n: int, seed: int) -> FloatArray:
    """The first n summaries of a stream, by the sampler."""
    block = SeedSequence(seed, spawn_key=(*_KEY, 0))
    if not isinstance(mechanism, Prepares):
        assert isinstance(mechanism, Samples)  # noqa: S101 - checked before
        return as_numbers(mechanism.sample(data, target, n, block))
    draw = mechanism.prepare(data, target)
    rows = draw(seed, _KEY, np.arange(n)) if mechanism.kind == "mirror" else draw(n, block)
    return as_numbers(rows)


def fit_rows(mechanism: Mechanism, data: Dataset, target: FloatArray | None, n: int, seed: int) -> FloatArray:
    """The first n summaries of a stream, by the mechanism's own fit."""
    seeds = [SeedSequence(seed, spawn_key=(*_KEY, index)) for index in range(n)]
    return np.vstack([as_vector(mechanism.summary(mechanism.fit(data, one), target)) for one in seeds])


def _find_other_shape(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    wanted = fit_rows(mechanism, pair.base, pair.target, 1, seed).shape[1]
    for n in (1, 7):
        shape = draw_rows(mechanism, pair.base, pair.target, n, seed).shape
        if shape != (n, wanted):
            return f"{n} trainings of {wanted} numbers came as {shape}; return a summary in each row"
    return ""


def _find_unrepeated(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    first, second = (draw_rows(mechanism, pair.base, pair.target, 7, seed) for _ in range(2))
    same = np.array_equal(first, second, equal_nan=True)
    return "" if same else "two batches with one seed differ; take all randomness from the seed"


def _find_unseeded(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    first, second = (draw_rows(mechanism, pair.base, pair.target, 20, seed + more) for more in (0, 1))
    differ = not np.array_equal(first, second, equal_nan=True)
    return "" if differ else "two seeds gave the same 20 rows; use the seed"


def _find_unlike(mechanism: Mechanism, pair: Pair, seed: int) -> str:
    for data in (pair.base, pair.neighbour):
        ours = draw_rows(mechanism, data, pair.target, 3, seed)
        theirs = fit_rows(mechanism, data, pair.target, 3, seed)
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, _SAME, _SAME, equal_nan=True):
            worst = quote(ours[0].round(6).tolist()), quote(theirs[0].round(6).tolist())
            return f"the mirror gave {worst[0]} and fit {worst[1]}; follow the library's own random stream"
    return ""


def _find_other_law(mechanism: Mechanism, pair: Pair, trainings: int, seed: int) -> str:
    for name, data in (("D", pair.base), ("D′", pair.neighbour)):
        ours = draw_rows(mechanism, data, pair.target, trainings, seed)
        theirs = fit_rows(mechanism, data, pair.target, trainings, seed + 1)
        if ours.shape != theirs.shape:
            return (
                f"on {name} rows have the shape {ours.shape}, and trainings {theirs.shape}; return the same numbers"
            )
        found = compare(ours, theirs)
        if found.pvalue < _RARE:
            where = f"on {name} they differ, above all in number {found.coordinate} (p {p_value(found.pvalue)})"
            return f"{where}; draw from the law of fit"
    return ""
