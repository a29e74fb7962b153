"""Breast cancer Wisconsin (diagnostic): 569 tumours, 30 measurements (ships with scikit-learn)."""

from sklearn.datasets import load_breast_cancer

from mlaudit.types.dataset import Dataset


def breast_cancer() -> Dataset:
    """Malignant against benign, as published.

    >>> breast_cancer()
    Dataset(569 rows × 30 columns, labelled, 'breast_cancer')
    """
    X, y = load_breast_cancer(return_X_y=True)
    return Dataset(X, y, name="breast_cancer")
