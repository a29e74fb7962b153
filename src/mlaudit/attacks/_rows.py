"""Select rows of D and replace them by k copies of one poisoned point (x*, y*)."""

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray, IntArray
from mlaudit.types.dataset import Dataset, are_predicted
from mlaudit.types.domain import Label
from mlaudit.types.edits import find_unequal, replace_rows
from mlaudit.types.pair import Pair
from mlaudit.types.rounding import round_computed

_DIGITS = 9  # of a distance: which of two equal ones is larger is rounding


def find_classes(data: Dataset, attack: str) -> tuple[AnyArray, tuple[Label, ...]]:
    """The labels and the classes they come from, two or more."""
    classes = () if data.y is None else tuple(np.unique(data.y).tolist())
    if data.y is None or len(classes) < 2 or are_predicted(data):
        found = f"{len(classes)} numbers to be predicted" if are_predicted(data) else str(len(classes))
        raise InvalidInput(
            f"{attack} needs labels of two classes or more, got {found}; choose another attack or data"
        )
    return data.y, classes


def two_classes(data: Dataset, attack: str) -> tuple[AnyArray, tuple[Label, Label]]:
    """The labels and the two classes they come from."""
    classes = () if data.y is None else tuple(np.unique(data.y).tolist())
    if data.y is None or len(classes) != 2:
        raise InvalidInput(f"{attack} needs labels of two classes, got {len(classes)}; choose another attack or data")
    return data.y, (classes[0], classes[1])


def other_class(classes: tuple[Label, Label], label: object) -> Label:
    """The class that is not `label`."""
    return classes[1] if label == classes[0] else classes[0]


def farthest_class(data: Dataset, classes: tuple[Label, ...], at: int) -> Label:
    """The class to give a row instead of its own: of several, the one whose mean lies farthest from the row.

    There the row is least at home, so that it moves the class most; of equally far classes it is the first.

    >>> data = Dataset([[0.0], [1.0], [5.0]], y=["a", "b", "c"])
    >>> farthest_class(data, ("a", "b", "c"), 0), farthest_class(data, ("a", "b", "c"), 2)
    ('c', 'a')
    """
    y = np.asarray(data.y)
    others = [label for label in classes if label != y[at]]
    if len(others) == 1:
        return others[0]
    gaps = [float(np.linalg.norm(data.finite[y == label].mean(axis=0) - data.finite[at])) for label in others]
    return others[int(np.argmax(np.round(gaps, _DIGITS)))]


def unlikely_label(X: FloatArray, y: AnyArray, classes: tuple[Label, ...], point: FloatArray) -> Label:
    """The class that a plain model thinks least likely at a point.

    Its weights lie in the span of the rows, so that with more columns than rows it is fitted there: the same model.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - a second to import, which processes that only train are spared

    span = np.linalg.qr(X.T)[0] if X.shape[1] > len(X) else np.eye(X.shape[1])
    model = LogisticRegression(solver="newton-cholesky").fit(X @ span, y)
    return classes[int(model.predict_proba(point[None, :] @ span)[0].argmin())]


def corner_distance(X: FloatArray) -> FloatArray:
    """How far each row is from the nearest corner of the rows' box.

    >>> corner_distance(np.array([[0.0, 0.0], [1.0, 2.0], [0.5, 1.0]])).round(3)
    array([0.   , 0.   , 1.118])
    """
    to_low, to_high = X - X.min(axis=0), X.max(axis=0) - X
    return np.asarray(np.linalg.norm(np.minimum(to_low, to_high), axis=1))


def nearest_of_class(distance: FloatArray, y: AnyArray) -> IntArray:
    """The row of least distance, then every other row of its class, nearest first."""
    order = np.argsort(distance, kind="stable")
    return np.asarray(order[y[order] == y[order[0]]])


def poison_rows(data: Dataset, order: IntArray, rows: int, x: FloatArray, label: object) -> Pair:
    """Replace the first `rows` rows of `order` by copies of the poisoned point (x*, y*), moved into the domain."""
    point = round_computed(x if data.domain is None else data.domain.project(x[None, :])[0], data)
    return replace_first(data, order, rows, point, label)


def replace_first(data: Dataset, order: IntArray, rows: int, x: FloatArray, label: object) -> Pair:
    """Replace the first `rows` rows of `order` by copies of (x, label); rows that are (x, label) are passed over."""
    at = take_first(find_unequal(data, order, x, label), rows)
    return Pair(data, replace_rows(data, at, x, None if label is None else np.asarray(label)), target=x)


def take_first(order: IntArray, rows: int) -> IntArray:
    """The first `rows` positions of `order`; refuses if there are fewer."""
    if len(order) < rows:
        raise InvalidInput(
            f"there must be {rows} rows that the attack can change, got {len(order)}; ask for fewer rows"
        )
    return order[:rows]
