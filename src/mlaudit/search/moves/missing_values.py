"""Rows of a typed table that have no value in a column, where the domain allows that."""

from collections.abc import Iterator

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import labels_of
from mlaudit.search.rows import Point, move_to_points
from mlaudit.types.columns import Columns


def missing_values(setting: Setting) -> Iterator[Move]:
    """The first row with no value in any column that may miss one, then in one column after the other."""
    domain = setting.data.domain
    if isinstance(domain, Columns) and domain.may_miss.any():
        yield from move_to_points(setting, _points(setting, domain))


def _points(setting: Setting, domain: Columns) -> Iterator[Point]:
    row, at = setting.data.X[0], np.flatnonzero(domain.may_miss)
    gaps = [("every value missing that may be", at)] if len(at) > 1 else []
    gaps += [(f"{domain.names[one]} missing", np.array([one])) for one in at.tolist()]
    for name, gone in gaps:
        point = row.copy()
        point[gone] = np.nan
        yield from ((name, point, label) for label in labels_of(setting.data))
