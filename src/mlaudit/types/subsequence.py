"""The longest common subsequence of two sequences of whole numbers: what a fewest-edits comparison keeps."""

import numpy as np

from mlaudit.types.arrays import IntArray

Match = tuple[int, int]  # a position in the first sequence and the equal one in the second


def common_length(a: IntArray, b: IntArray) -> int:
    """Length of the longest common subsequence.

    >>> common_length(np.array([1, 2, 3, 4]), np.array([2, 3, 4, 1]))
    3
    """
    front, back = _common_ends(a, b)
    inner_a, inner_b = a[front : len(a) - back], b[front : len(b) - back]
    return front + back + int(_prefix_lengths(inner_a, inner_b)[-1])


def match_positions(a: IntArray, b: IntArray) -> list[Match]:
    """Pairs of equal positions that make up a longest common subsequence, in order.

    Of several equally long ones it takes one that keeps the longer common end whole. This is Hirschberg's algorithm:
    its memory grows with the length of the sequences, not with the product of their lengths.

    >>> match_positions(np.array([7, 8]), np.array([7, 9, 8]))
    [(0, 0), (1, 2)]
    """
    front, back = _common_ends(a, b)
    ends_a, ends_b = len(a) - back, len(b) - back
    inner = _match_inner(a[front:ends_a], b[front:ends_b])
    return [
        *((i, i) for i in range(front)),
        *((front + i, front + j) for i, j in inner),
        *((ends_a + i, ends_b + i) for i in range(back)),
    ]


def _match_inner(a: IntArray, b: IntArray) -> list[Match]:
    if not len(a) or not len(b):
        return []
    if len(a) == 1:
        return [(0, int(j)) for j in np.flatnonzero(b == a[0])[:1]]
    # Split a in half, and b where the two halves together have most in common.
    middle = len(a) // 2
    before = _prefix_lengths(a[:middle], b)
    after = _prefix_lengths(a[middle:][::-1], b[::-1])[::-1]
    cut = int(np.argmax(before + after))
    later = match_positions(a[middle:], b[cut:])
    return [*match_positions(a[:middle], b[:cut]), *((middle + i, cut + j) for i, j in later)]


def _common_ends(a: IntArray, b: IntArray) -> tuple[int, int]:
    """How many elements are equal at the front and at the back, none counted twice; the longer end goes first."""
    shorter = min(len(a), len(b))
    front, back = _equal_run(a, b), _equal_run(a[::-1], b[::-1])
    return (front, min(back, shorter - front)) if front >= back else (min(front, shorter - back), back)


def _equal_run(a: IntArray, b: IntArray) -> int:
    shorter = min(len(a), len(b))
    return int(np.argmin(np.append(a[:shorter] == b[:shorter], False)))


def _prefix_lengths(a: IntArray, b: IntArray) -> IntArray:
    """The common length of `a` and every prefix of `b`, the empty one first."""
    best = np.zeros(len(b) + 1, dtype=np.int64)
    for element in a:
        best[1:] = np.maximum.accumulate(np.maximum(best[1:], best[:-1] + (b == element)))
    return best
