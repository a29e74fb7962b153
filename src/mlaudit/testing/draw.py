"""The contract of a draw: labels as asked, every training once, and no more than the budget."""

import numpy as np

from mlaudit.protocols import Draw, LearnsShift
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import IntArray
from mlaudit.types.checks import quote, with_methods
from mlaudit.types.draws import Draws
from mlaudit.types.shift import PairedShift

_COINS = 2000
_FAIR = 140  # how far the heads of so many fair coins are from half, but for one time in 10^9 (6.2 deviations)
_BLOCKS = 7  # that the checks draw


def check_draw(draw: Draw, *, at_once: int = 20) -> list[Check]:
    """Check a draw against what mlaudit expects of it.

    Args:
        draw: The draw. The checks spend 7 × `at_once` trainings of its budget.
        at_once: The number of trainings drawn by one call.

    Returns:
        One check for each expectation. A correct draw fails with probability below 1e-8, by unusual coins.

    Example:
        >>> from mlaudit.testing.rehearsal import RehearsedDraw, add_laplace
        >>> draw = RehearsedDraw(add_laplace(1.0), 200)
        >>> [str(result) for result in check_draw(draw) if not result.passed]
        []
    """
    return [
        check(f"its budget is at least {_BLOCKS * at_once} trainings", lambda: _find_poor(draw, at_once)),
        check("outputs come with the labels that were asked for", lambda: _find_relabelled(draw, at_once)),
        check("the budget falls by what was drawn", lambda: _find_uncounted(draw, at_once)),
        check("no training is handed out twice", lambda: _find_repeated(draw, at_once)),
        check("coins are fair, and new for each block", lambda: _find_biased(draw, at_once)),
        check("a shift is learned from what remains", lambda: _find_wrong_pairs(draw)),
        check("it refuses more than its budget", lambda: _find_overdrawn(draw, at_once)),
    ]


def _find_poor(draw: Draw, n: int) -> str:
    with_methods("it", draw, "a draw", ["coins", "__call__"], "write both")
    left = draw.remaining
    return "" if left >= _BLOCKS * n else f"{left} are left; give a larger budget, or a smaller at_once"


def _some_labels(n: int) -> IntArray:
    """More of one label than of the other, in no simple order."""
    return (np.arange(n) * 7 % 10 < 6).astype(np.int64)


def _find_relabelled(draw: Draw, n: int) -> str:
    labels = _some_labels(n)
    given = labels.copy()
    draws = draw(labels)
    if not isinstance(draws, Draws):
        return f"it returned {type(draws).__name__}; return Draws(labels, z)"
    if not np.array_equal(labels, given):
        return "it changed the labels it was given; work on a copy"
    same = np.array_equal(draws.labels, given)
    return "" if same else f"labels {quote(given.tolist())} gave {quote(draws.labels.tolist())}; keep their order"


def _find_uncounted(draw: Draw, n: int) -> str:
    before = draw.remaining
    draw(_some_labels(n))
    fell = before - draw.remaining
    return (
        "" if fell == n else f"after {n} trainings remaining fell by {fell}; count every training that is handed out"
    )


def _find_wrong_pairs(draw: Draw) -> str:
    """Of a draw that can learn the shift: a pair costs two trainings at most, and shows a shift or none."""
    if not isinstance(draw, LearnsShift):
        return ""
    before = draw.remaining
    draw.learn_shift(2)
    fell = before - draw.remaining
    if not 0 <= fell <= 4:
        return f"2 pairs cost {fell} trainings; a pair is two"
    known = draw.shift is None or isinstance(draw.shift, PairedShift)
    return "" if known else f"its shift is {type(draw.shift).__name__}; keep a PairedShift, or None"


def _find_repeated(draw: Draw, n: int) -> str:
    """By the index of a training in the stream of its dataset."""
    blocks = [draw(_some_labels(n)) for _ in range(3)]
    known = [] if draw.pilot is None else [draw.pilot]
    for at, block in enumerate(blocks):
        for label in (0, 1):
            indexes = block.index[block.labels == label]
            if len(np.unique(indexes)) < len(indexes):
                return "two trainings of one call have the same index; number the trainings of each dataset"
        if any(block.shares(earlier) for earlier in known):
            which = "the pilot" if at == 0 and draw.pilot is not None else "an earlier call"
            return f"a training of {which} came again; go on behind the last index of each dataset"
        known.append(block)
    return ""


def _find_biased(draw: Draw, n: int) -> str:
    coins = np.asarray(draw.coins(_COINS))
    if coins.shape != (_COINS,) or not np.isin(coins, (0, 1)).all():
        return f"{_COINS} coins came as {quote(coins.tolist())} of shape {coins.shape}; return that many of 0 and 1"
    heads = int(coins.sum())
    if abs(heads - _COINS / 2) > _FAIR:
        return f"{heads} of {_COINS} coins were 1; flip fair coins"
    draw(coins[:n])
    draw(np.asarray(draw.coins(n)))
    if np.array_equal(coins, draw.coins(_COINS)):
        return "the coins of two blocks are the same; seed them by how much was drawn before"
    return ""


def _find_overdrawn(draw: Draw, n: int) -> str:
    left = draw.remaining
    try:
        draw(_some_labels(left + n))
    except Exception:  # noqa: BLE001 - any refusal will do
        return (
            "" if draw.remaining == left else f"a refused call took {left - draw.remaining} of the budget; take none"
        )
    return f"{left + n} trainings came out of a budget of {left}; raise InvalidInput"
