"""Domains of learners that promise to clip: any row may be passed, and the declared domain says where it ends up.

A row outside the declared bounds is a legal row of D or D′ only if the learner makes this promise, or the user makes
it for the learner. See docs/decisions/032-rows-outside-the-domain.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.checks import choice, flag, kind_of
from mlaudit.types.columns import Columns
from mlaudit.types.domain import Box, Domain, L2Ball, Label
from mlaudit.types.outside import FINITE, OUTSIDE

_FAR = 1e100  # its square is finite


@dataclass(frozen=True, eq=False, init=False)
class ClippingBox(Box):
    """Bounds to which the learner promises to clip every row by itself: rows outside them are legal, too.

    Args:
        low: The least value of each column, or one value for all columns.
        high: The greatest value of each column, or one value for all columns.
        labels: The legal labels; None if any label is legal.
        label_range: The least and the greatest legal label, where labels are numbers to be predicted.
        finite: Whether the promise is about finite numbers only. Otherwise NaN, infinities and -0.0 are legal, too.

    Raises:
        InvalidInput: If the corners are not finite, differ in length, or low exceeds high.

    Example:
        >>> box = ClippingBox(0.0, 1.0)
        >>> box.contains(np.array([[0.5], [7.0], [np.nan]])), box.project(np.array([[7.0]]))
        (array([ True,  True, False]), array([[1.]]))
    """

    finite: bool

    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        labels: tuple[Label, ...] | None = None,
        label_range: tuple[float, float] | None = None,
        finite: bool = True,
    ) -> None:
        super().__init__(low, high, labels, label_range)
        object.__setattr__(self, "finite", flag("finite", finite))

    def contains(self, X: FloatArray) -> BoolArray:
        """All rows; only the finite ones if the promise is about these."""
        super().contains(X)  # refuses rows of another number of columns
        return _is_legal(X, finite=self.finite)


@dataclass(frozen=True)
class ClippingBall(L2Ball):
    """A norm to which the learner promises to scale every row by itself: longer rows are legal, too.

    Args:
        radius: The norm that longer rows are scaled to.
        labels: The legal labels; None if any label is legal.
        finite: Whether the promise is about finite numbers only. Otherwise NaN, infinities and -0.0 are legal, too.

    Raises:
        InvalidInput: If the radius is not a positive number.

    Example:
        >>> ClippingBall(1.0).contains(np.array([[3.0, 4.0]]))
        array([ True])
    """

    finite: bool = True

    def contains(self, X: FloatArray) -> BoolArray:
        """All rows; only the finite ones if the promise is about these."""
        return _is_legal(X, finite=self.finite)


def as_clipping(domain: Domain | None, outside: str) -> Domain | None:
    """The domain of a learner that promises to clip.

    Args:
        domain: The declared domain.
        outside: The rows that the learner promises to clip: "finite", "any", or "" for no promise.

    Returns:
        The same bounds or norm, with rows outside them legal; the domain itself without a promise.

    Raises:
        InvalidInput: If the domain is neither a box nor a ball, or `outside` is something else.

    Example:
        >>> as_clipping(L2Ball(2.0), "any")
        ClippingBall(radius=2.0, labels=None, finite=False)
    """
    if not outside:
        return domain
    choice("outside", outside, OUTSIDE)
    if isinstance(domain, ClippingBox | ClippingBall):
        return domain
    if isinstance(domain, Columns):
        raise InvalidInput(
            "the columns of a typed table say which values are legal, got rows outside the domain; declare wider "
            "bounds or missing=True, and leave --outside-domain out"
        )
    if isinstance(domain, Box):
        return ClippingBox(domain.low, domain.high, domain.labels, domain.label_range, outside == FINITE)
    if isinstance(domain, L2Ball):
        return ClippingBall(domain.radius, domain.labels, outside == FINITE)
    raise InvalidInput(
        f"rows outside the domain need declared bounds or a norm, got {kind_of(domain)}; give bounds, or leave "
        "--outside-domain out"
    )


def takes_any(domain: Domain | None) -> bool:
    """Whether rows may hold NaN, infinities and -0.0."""
    return isinstance(domain, ClippingBox | ClippingBall) and not domain.finite


def is_outside(X: FloatArray, domain: Domain | None) -> BoolArray:
    """Which rows are legal only because the learner promises to clip them: outside its bounds or norm, or with -0.0.

    >>> is_outside(np.array([[0.5], [7.0], [-0.0]]), ClippingBox(0.0, 1.0)).tolist()
    [False, True, True]
    """
    if isinstance(domain, ClippingBox):
        declared: Domain = Box(domain.low, domain.high)
    elif isinstance(domain, ClippingBall):
        declared = L2Ball(domain.radius)
    else:
        return np.zeros(len(X), dtype=bool)
    negative_zero = ((X == 0) & np.signbit(X)).any(axis=1)
    with np.errstate(over="ignore"):  # a norm of huge numbers is infinite: outside
        return np.asarray(~declared.contains(X) | negative_zero)


def move_near(x: FloatArray, domain: Domain | None) -> FloatArray:
    """A finite row of the declared domain near x: the point x* of a summary, which must be finite.

    >>> move_near(np.array([np.nan, np.inf]), ClippingBox(1.0, 2.0))
    array([1., 2.])
    """
    bounded = np.clip(np.nan_to_num(x), -_FAR, _FAR)
    return bounded if domain is None else np.asarray(domain.project(bounded[None, :])[0])


def _is_legal(X: FloatArray, *, finite: bool) -> BoolArray:
    return np.asarray(np.isfinite(X).all(axis=1)) if finite else np.ones(len(X), dtype=bool)
