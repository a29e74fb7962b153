"""Logistic regression on robustly scaled outputs: the best classifier if the outputs are shifted."""

import warnings
from dataclasses import dataclass

import numpy as np

from mlaudit.classifiers._features import screen_columns
from mlaudit.classifiers._scaling import location_scale, scale_robustly
from mlaudit.types.arrays import FloatArray, IntArray, take_columns
from mlaudit.types.checks import positive, whole


@dataclass(frozen=True, eq=False)
class LinearScorer:
    """Log-odds that are linear in the scaled coordinates."""

    center: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        return np.asarray(scale_robustly(z, self.center, self.scale) @ self.weights + self.intercept)


@dataclass(frozen=True)
class Logistic:
    """L2-regularised logistic regression; `C` is the inverse strength, as in scikit-learn.

    Of more than `columns` coordinates, those that differ most between the labels are used.

    >>> z = np.array([[0.0], [0.2], [0.9], [1.1]])
    >>> bool((Logistic().fit(z, np.array([0, 0, 1, 1]))(z) > 0).tolist() == [False, False, True, True])
    True
    """

    C: float = 10.0
    columns: int = 500

    def __post_init__(self) -> None:
        positive("C", self.C)
        whole("columns", self.columns, 1)

    def fit(self, z: FloatArray, labels: IntArray) -> LinearScorer:
        """Scale by median and interquartile range, then fit by Newton's method."""
        from sklearn import config_context  # noqa: PLC0415 - a second to import, which processes that only train are spared
        from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 - the same
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - the same

        center, scale = location_scale(z)
        columns = screen_columns(z, labels, None, self.columns)
        quick = config_context(assume_finite=True, skip_parameter_validation=True)  # there are many small fits
        with quick, warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # scikit-learn then continues with another solver
            model = LogisticRegression(C=self.C, solver="newton-cholesky", tol=1e-6)
            model.fit(scale_robustly(take_columns(z, columns), center[columns], scale[columns]), labels)
        weights = np.zeros(z.shape[1])
        weights[columns] = model.coef_[0]
        return LinearScorer(center, scale, weights, float(model.intercept_[0]))
