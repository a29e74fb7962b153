"""Iris: 150 flowers of three species, 4 measurements; setosa against versicolor (ships with scikit-learn)."""

from sklearn.datasets import load_iris

from mlaudit.datasets._table import Table


def iris() -> Table:
    """The table as published.

    >>> len(iris())
    150
    """
    found = load_iris()
    columns = {name: column.astype(str) for name, column in zip(found.feature_names, found.data.T, strict=True)}
    every = {**columns, "class": found.target.astype(str)}
    return Table("iris", every, "class", published=True, classes=("0", "1"))
