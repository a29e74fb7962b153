"""Iris, setosa against versicolor: 100 flowers, 4 measurements in centimetres (ships with scikit-learn)."""

from sklearn.datasets import load_iris

from mlaudit.types.dataset import Dataset


def iris() -> Dataset:
    """The first two classes, as published.

    >>> iris()
    Dataset(100 rows × 4 columns, labelled, 'iris')
    """
    X, y = load_iris(return_X_y=True)
    return Dataset(X[y < 2], y[y < 2], name="iris")
