"""Adult (census income): 48 842 people, 14 columns, income above 50 000 dollars (UCI 2)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="adult",
    file="adult.csv.gz",
    sha256="020e937679cdc52788c5245ee380b93586fdfdcbd89503550194edbfa5a35831",
    openml_id=1590,
    class_counts=(37155, 11687),
)


def adult() -> Table:
    """The table as published."""
    return SOURCE.table()
