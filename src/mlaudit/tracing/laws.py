"""Laws of noise: what a draw is distributed as, and what becomes of it in arithmetic."""

from dataclasses import dataclass

import numpy as np

from mlaudit.types.arrays import FloatArray

# Laws of independent numbers. Their loss is counted number by number.
SYMMETRIC = ("laplace", "normal", "two-sided geometric", "logistic")
ONE_SIDED = ("exponential", "geometric", "uniform", "bounded", "gumbel")
OTHER = "other"
# Laws of an answer as a whole, with what `exact` then holds.
CHOICE = "choice"  # the probability of every candidate
COIN = "coin"  # the probability of heads
FLIP = "flip"  # two rows: the value at heads, the value at tails
NOISY_MAX = "noisy max"  # the utility of every candidate
BINGHAM = "bingham"  # a symmetric matrix
DECLARED = "declared"  # a value whose mechanism states ε for its sensitivity
MAPPED = "mapped"  # nothing: the mechanism states the loss for any distance of two values
WHOLE = (CHOICE, COIN, FLIP, NOISY_MAX, BINGHAM, DECLARED, MAPPED)
_SUMS = {"exponential": "laplace", "geometric": "two-sided geometric"}  # the law of a difference of two equal ones


@dataclass(frozen=True, eq=False)
class Law:
    """A law of noise.

    Args:
        kind: Its name.
        scale: The scale of every number; of a coin the probability of heads. A geometric law has the scale of the
            exponential law that it rounds. A negative scale is noise with the other sign.

    Example:
        >>> Law("normal", np.array([3.0])).plus(Law("normal", np.array([4.0]))).scale
        array([5.])
    """

    kind: str
    scale: FloatArray

    def times(self, factor: FloatArray | float) -> "Law":
        """The law of the noise times a number."""
        return Law(self.kind, np.asarray(self.scale * factor, dtype=float))

    def plus(self, other: "Law") -> "Law":
        """The law of the sum of two independent draws; `other` if the sum has no law of this list."""
        if self.kind == other.kind == "normal":
            return Law("normal", np.hypot(self.scale, other.scale))
        if self.kind == other.kind and self.kind in _SUMS and np.array_equal(self.scale, -other.scale):
            return Law(_SUMS[self.kind], np.abs(self.scale))
        return Law(OTHER, np.abs(self.scale))

    def spread(self, shape: tuple[int, ...]) -> "Law":
        """The same law for numbers of another shape."""
        return Law(self.kind, np.broadcast_to(self.scale, shape))
