"""Thoracic surgery: 470 patients, 16 columns, death within a year (UCI 277)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="thoracic",
    file="thoracic.csv",
    sha256="cee3e49b2b5400285650f7c3c29265c5d8ece07967806c953c78284460695795",
    openml_id=4329,
    class_counts=(400, 70),
)


def thoracic() -> Table:
    """The table as published."""
    return SOURCE.table()
