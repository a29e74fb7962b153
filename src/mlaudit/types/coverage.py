"""Whether a neighbour relation says anything about a dataset: labels to change, or a null record to put in."""

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.zeroing import has_null


def find_uncovered(relation: Relation, data: Dataset) -> str:
    """Why D has no neighbour under a relation; "" if it may have one.

    >>> find_uncovered(Relation.LABEL_ONLY, Dataset([0.0, 1.0]))
    'label-only needs data with labels, got none; name a label column, or claim another relation'
    >>> find_uncovered(Relation.REPLACE_ONE, Dataset([0.0, 1.0]))
    ''
    """
    if relation is Relation.LABEL_ONLY and data.y is None:
        return "label-only needs data with labels, got none; name a label column, or claim another relation"
    legal = None if data.domain is None or data.domain.labels is None else data.domain.labels
    if relation is Relation.LABEL_ONLY and len(legal or np.unique(np.asarray(data.y))) < 2:
        return "label-only needs two labels or more, got one; give data with more, or claim another relation"
    if relation is Relation.ZERO_OUT and not has_null(data.X.shape[1], data.domain):
        return (
            f"zero-out needs a domain that contains the row of zeros, got a {type(data.domain).__name__} without it; "
            "widen the domain, or claim replace-one"
        )
    return ""


def check_covered(relation: Relation, data: Dataset) -> None:
    """Refuse a dataset that has no neighbour under the relation.

    Raises:
        InvalidInput: If labels are missing under label-only, or zeros are outside the domain under zero-out.
    """
    why = find_uncovered(relation, data)
    if why:
        raise InvalidInput(why)
