"""Products of the data with a vector of every lane, in single precision; numbers that are 0 cost nothing.

Of the columns of a table with categories, most are 0 in each row. Sums stay in registers, as LLVM vectors, and their
order is the same on every processor.
"""

from typing import Any, NamedTuple

import numpy as np

from mlaudit.kernels.jit import fused
from mlaudit.kernels.lanes import LANES, load, muladd, splat, store
from mlaudit.kernels.lockstep.vectors import Array
from mlaudit.types.arrays import IntArray

_AT_ONCE = 4  # vectors whose sums are in registers
WIDTH = _AT_ONCE * LANES  # the number of lanes is a multiple of this
BLOCK = 128  # rows whose products are used before those of the next rows, while they are in the cache


class Entries(NamedTuple):
    """The numbers of a matrix that are not 0, by rows, and again by columns within each block of rows.

    Those of row i are at `row_starts[i]` to `row_starts[i + 1]`, of column j in block b at `column_starts[b, j]`
    to `column_starts[b, j + 1]`. Rows are counted from the block's first.
    """

    row_starts: IntArray
    columns: IntArray
    by_row: Array
    column_starts: IntArray
    rows: IntArray
    by_column: Array


def list_entries(matrix: Array) -> Entries:
    """List the numbers of a matrix that are not 0.

    >>> found = list_entries(np.array([[0, 2], [3, 4]], dtype=np.float32))
    >>> found.row_starts.tolist(), found.columns.tolist(), found.by_row.tolist()
    ([0, 1, 3], [1, 0, 1], [2.0, 3.0, 4.0])
    >>> found.column_starts.tolist(), found.rows.tolist(), found.by_column.tolist()
    ([[0, 1, 3]], [1, 0, 1], [3.0, 2.0, 4.0])
    """
    n, p = matrix.shape
    i, j = np.nonzero(matrix)
    by_row = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(i, minlength=n), out=by_row[1:])
    cells = i // BLOCK * p + j
    order = np.argsort(cells, kind="stable")
    blocks = -(-n // BLOCK)
    ends = np.cumsum(np.bincount(cells, minlength=blocks * p)).reshape(blocks, p)
    starts = np.hstack([np.append(0, ends[:-1, -1])[:, None], ends])
    values = np.ascontiguousarray(matrix[i, j])
    return Entries(by_row, j, values, np.ascontiguousarray(starts), i[order] % BLOCK, values[order])


@fused
def multiply_rows(z: Any, entries: Any, first: Any, trial: Any) -> None:
    """Set z to the products of the rows from `first` on with every lane's trial."""
    starts, columns, values = entries.row_starts, entries.columns, entries.by_row
    step = trial.shape[1] // LANES
    for i in range(z.shape[0]):
        for at in range(0, step, _AT_ONCE):
            a = splat(np.float32(0.0))
            b = c = d = a
            for k in range(starts[first + i], starts[first + i + 1]):
                x, here = splat(values[k]), columns[k] * step + at
                a = muladd(x, load(trial, here), a)
                b = muladd(x, load(trial, here + 1), b)
                c = muladd(x, load(trial, here + 2), c)
                d = muladd(x, load(trial, here + 3), d)
            to = i * step + at
            store(z, to, a)
            store(z, to + 1, b)
            store(z, to + 2, c)
            store(z, to + 3, d)


@fused
def add_columns(rise: Any, entries: Any, block: Any, factors: Any) -> None:
    """Add the rows of a block, each multiplied by every lane's factor for it, to `rise`."""
    starts, rows, values = entries.column_starts[block], entries.rows, entries.by_column
    step = rise.shape[1] // LANES
    for j in range(rise.shape[0]):
        for at in range(j * step, (j + 1) * step, _AT_ONCE):
            a, b, c, d = load(rise, at), load(rise, at + 1), load(rise, at + 2), load(rise, at + 3)
            for k in range(starts[j], starts[j + 1]):
                x, here = splat(values[k]), rows[k] * step + at - j * step
                a = muladd(x, load(factors, here), a)
                b = muladd(x, load(factors, here + 1), b)
                c = muladd(x, load(factors, here + 2), c)
                d = muladd(x, load(factors, here + 3), d)
            store(rise, at, a)
            store(rise, at + 1, b)
            store(rise, at + 2, c)
            store(rise, at + 3, d)
