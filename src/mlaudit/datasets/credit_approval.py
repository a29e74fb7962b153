"""Credit approval: 690 applications, 15 columns of hidden meaning (UCI 27)."""

from mlaudit.datasets._published import Published
from mlaudit.datasets._table import Table

SOURCE = Published(
    name="credit_approval",
    file="credit_approval.csv",
    sha256="b1a1a32740d4b3e0c5837ee250dcceb4ab1f8005c0fb085da77d793bc2f4096d",
    openml_id=29,
    class_counts=(383, 307),
)


def credit_approval() -> Table:
    """The table as published."""
    return SOURCE.table()
