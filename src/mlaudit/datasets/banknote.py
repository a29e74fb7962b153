"""Banknote authentication: 1 372 images, 4 wavelet statistics (UCI 267)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="banknote",
    file="banknote.csv",
    sha256="a4e6eb57f00dc0c5696badf6553001e8871644b5b98ab1b2869054af1d255125",
    openml_id=1462,
    class_counts=(762, 610),
)


def banknote() -> Table:
    """The table as published."""
    return SOURCE.table()
