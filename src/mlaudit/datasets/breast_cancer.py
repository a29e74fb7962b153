"""Breast cancer Wisconsin (diagnostic): 569 tumours, 30 measurements (ships with scikit-learn)."""

from sklearn.datasets import load_breast_cancer

from mlaudit.datasets._table import Table


def breast_cancer() -> Table:
    """The table as published.

    >>> len(breast_cancer())
    569
    """
    found = load_breast_cancer()
    columns = {name: column.astype(str) for name, column in zip(found.feature_names, found.data.T, strict=True)}
    return Table("breast_cancer", {**columns, "class": found.target.astype(str)}, "class", published=True)
