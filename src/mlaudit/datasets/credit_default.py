"""Default of credit card clients: 30 000 accounts, 23 columns (UCI 350)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="credit_default",
    file="credit_default.csv.gz",
    sha256="5d4a7d766501a8686f9d13f4e538181606dac0ef6c61e769ed04105d39b89fed",
    openml_id=42477,
    class_counts=(23364, 6636),
    categorical=("SEX", "EDUCATION", "MARRIAGE"),
)


def credit_default() -> Table:
    """The table as published."""
    return SOURCE.table()
