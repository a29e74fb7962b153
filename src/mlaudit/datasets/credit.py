"""German credit: 1 000 applicants, 20 columns, good or bad risk (UCI 144)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="credit",
    file="german_credit.csv",
    sha256="4ce6007c9eb3dbcd67e7858773566b0eb3ff140033cf67b2d8a42b3a89edfb9d",
    openml_id=31,
    class_counts=(700, 300),
)


def credit() -> Table:
    """The table as published."""
    return SOURCE.table()
