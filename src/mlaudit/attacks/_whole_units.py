"""Extend the change of an attack to whole units: an attack of the user's own may edit single rows."""

import numpy as np

from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import relabel_rows, remove_rows, replace_rows
from mlaudit.types.matching import differ_in_bytes, find_unequal_rows, is_aligned, match_rows
from mlaudit.types.pair import Pair


def extend_to_units(pair: Pair, data: Dataset) -> Pair:
    """The pair with every changed unit changed in all its rows, as the first changed row of the unit.

    A pair without units, or whose base is not D, stays as it is: its steps are counted in either case.

    >>> data = Dataset([0.0, 1.0, 2.0], units=[7, 8, 7])
    >>> partly = Pair(data, Dataset([5.0, 1.0, 2.0], units=[7, 8, 7]))
    >>> extend_to_units(partly, data).neighbour.X.ravel().tolist()
    [5.0, 1.0, 5.0]
    """
    base, other = pair.base, pair.neighbour
    if base.units is None or base.digest != data.digest:
        return pair
    if not is_aligned(base, other):
        return _extend_removal(pair)
    changed = np.flatnonzero(find_unequal_rows(base, other))
    moved = changed[differ_in_bytes(base.X[changed], other.X[changed])]
    whole = replace_rows(base, moved, other.X[moved]) if moved.size else base
    if base.y is not None and other.y is not None:
        relabelled = changed[base.y[changed] != other.y[changed]]
        whole = relabel_rows(whole, relabelled, other.y[relabelled]) if relabelled.size else whole
    return Pair(base, whole, pair.target)


def _extend_removal(pair: Pair) -> Pair:
    """The pair without the rows that removed rows leave behind; a pair with other rows stays as it is."""
    matches = [match for match in match_rows(pair.base, pair.neighbour) if match.changed]
    removed = [match.base for match in matches if match.base is not None]
    if len(removed) < len(matches):
        return pair
    return Pair(pair.base, remove_rows(pair.base, removed), pair.target)
