"""A mechanism that calls the fit of a scikit-learn style estimator for every training."""

import inspect
import sys
from dataclasses import dataclass
from numbers import Number
from typing import Any, Literal

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.naming.as_code import write_estimator, write_estimator_imports
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice, instance, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset, are_predicted
from mlaudit.types.domain import Box, Domain
from mlaudit.types.frame import FRAME
from mlaudit.types.outputs import FLATTEN, FLATTEN_IMPORT, read_numbers
from mlaudit.types.preparation import Targets
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits
from mlaudit.types.trees import READ_TREES, read_trees

Summary = Literal["auto", "attributes", "probabilities"]
_SUMMARIES = ("auto", "attributes", "probabilities")


@dataclass(frozen=True)
class EstimatorMechanism:
    """A mechanism made of an estimator with fit(X, y).

    Every random_state of the estimator and its parts is set. One without any draws from global generators, which are
    seeded before each training, or from the operating system: then the result says "not repeatable".

    Args:
        estimator: The estimator. Each training fits a clone of it.
        claim: The privacy that the estimator claims.
        bounds: The domain that the estimator was configured with. Default: the smallest box around D.
        summarise: "attributes": the summary is every fitted numeric attribute; of trees and forests, also every leaf,
            every split, and the leaf of x* in each tree. "probabilities": it is predict_proba at x* and at the probe
            points. "auto": the attributes if there are any, else the probabilities.
        probes: More points at which to ask for probabilities.

    Raises:
        InvalidInput: If an argument is of the wrong kind.

    Example:
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from mlaudit.types.claim import Claim
        >>> EstimatorMechanism(GaussianNB(), Claim(1.0)).traits.name
        'GaussianNB'
    """

    estimator: Any
    claim: Claim
    bounds: Domain | None = None
    summarise: Summary = "auto"
    probes: FloatArray | None = None

    def __post_init__(self) -> None:
        with_methods("estimator", self.estimator, "an estimator", ("fit", "get_params"))
        instance("claim", self.claim, Claim, "as in claim=Claim(1.0)")
        if self.bounds is not None:
            with_methods("bounds", self.bounds, "a Box, an L2Ball, or an object", ("contains", "project"))
        choice("way to summarise", self.summarise, _SUMMARIES)
        if self.probes is not None:
            object.__setattr__(self, "probes", numbers("probes", self.probes))

    @property
    def traits(self) -> Traits:
        """The name of the estimator's class, and the labels that a classifier or a regressor learns from."""
        return Traits(name=type(self.estimator).__name__, targets=_targets_of(self.estimator))

    def domain(self, data: Dataset) -> Domain:
        """The configured bounds, those of a typed table, or the smallest box around D with D's labels.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie.
        """
        if self.bounds is not None:
            return self.bounds
        if isinstance(data.domain, Columns):
            return data.domain
        if data.y is None:
            return Box.enclosing(data.X)
        if are_predicted(data):
            return Box.enclosing(data.X, label_range=(float(data.y.min()), float(data.y.max())))
        return Box.enclosing(data.X, tuple(np.unique(data.y).tolist()))

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Fit a clone; each random_state of the clone and its parts gets a generator of full entropy.

        Args:
            data: D or D′.
            seed: The seed of this training.

        Returns:
            The fitted clone.
        """
        from sklearn.base import clone  # noqa: PLC0415 - a second to import, which processes that only train are spared

        model = clone(self.estimator)
        names = sorted(name for name in model.get_params(deep=True) if _is_seed(name))
        seeds = seed.spawn(len(names))
        model.set_params(**{n: RandomState(MT19937(s)) for n, s in zip(names, seeds, strict=True)})
        X = data.frame() if isinstance(data.domain, Columns) else data.X
        return model.fit(X) if data.y is None else model.fit(X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> Any:
        """τ: fitted attributes or probabilities, as `summarise` says.

        Args:
            model: A fitted estimator.
            target: x* of the pair; None if the pair has none.

        Returns:
            One vector of numbers; of trees and forests, a dictionary of them.

        Raises:
            InvalidInput: If the estimator shows neither fitted numbers nor probabilities at a point.
        """
        values = {} if self.summarise == "probabilities" else numeric_attributes(model)
        trees = read_trees(model, target) if values and _grows_trees(self.estimator) else {}
        if trees:
            return {**values, **trees}
        if values:
            return np.concatenate([values[name] for name in sorted(values)])
        return self._probabilities(model, target)

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit the estimator and return its fitted numbers.

        Args:
            domain: The domain of the data; a typed table is passed as columns. None if there is none.

        Returns:
            The import lines and the body of a function that trains once and returns the summary.
        """
        table = f"X = {FRAME}\n" if isinstance(domain, Columns) else ""
        trees = _grows_trees(self.estimator)
        body = (
            f"{FLATTEN}\n{table}"
            f"{READ_TREES if trees else ''}"
            f"model = {write_estimator(self.estimator)}{self._write_seed()}\n"
            "model.fit(X) if y is None else model.fit(X, y)\n"
            "found = {k: flatten(v) for k, v in vars(model).items() if k.endswith('_') and k[0] != '_'}\n"
            f"{'found = {k: v for k, v in found.items() if len(v)} | read_trees(model)' + chr(10) if trees else ''}"
            "return np.concatenate([found[k] for k in sorted(found)])"
        )
        return Recipe((FLATTEN_IMPORT, *write_estimator_imports(self.estimator)), body)

    def _write_seed(self) -> str:
        """The code that seeds the estimator, or the global generator if the estimator takes no seed."""
        if any(_is_seed(name) for name in self.estimator.get_params(deep=True)):
            return ".set_params(random_state=seed)"
        return "\nnp.random.seed(seed)"

    def _probabilities(self, model: Any, target: FloatArray | None) -> FloatArray:
        if hasattr(model, "feature_names_in_"):  # of a typed table, whose x* is a row of codes
            raise InvalidInput(
                f"{self.traits.name} must show fitted numbers after a typed table, got none; give a function "
                "f(data, rng) that fits it to data.frame() and returns what is released"
            )
        points = [p.reshape(-1, model.n_features_in_) for p in (target, self.probes) if p is not None]
        if not hasattr(model, "predict_proba") or not points:
            raise InvalidInput(
                f"{self.traits.name} must show fitted numbers, or predict_proba at probe points, got neither; "
                "give probes=, or write a mechanism with a summary of its own"
            )
        return np.asarray(model.predict_proba(np.vstack(points)), dtype=float).ravel()


def _targets_of(estimator: Any) -> Targets:
    from sklearn.base import ClassifierMixin, RegressorMixin  # noqa: PLC0415 - a second to import, which processes that only train are spared

    if isinstance(estimator, RegressorMixin):
        return "numbers"
    return "classes" if isinstance(estimator, ClassifierMixin) else "any"


def _grows_trees(estimator: Any) -> bool:
    """Whether a fit leaves trees, or an ensemble that may be of trees.

    Their modules take a second to import. Where nobody has imported them, no estimator is of their classes.
    """
    kinds = (("sklearn.tree", "BaseDecisionTree"), ("sklearn.ensemble", "BaseEnsemble"))
    return any(isinstance(estimator, getattr(sys.modules.get(module), kind, ())) for module, kind in kinds)


def numeric_attributes(model: Any) -> dict[str, FloatArray]:
    """The fitted public attributes of a model that are numbers, flattened.

    >>> from sklearn.preprocessing import StandardScaler
    >>> sorted(numeric_attributes(StandardScaler().fit([[0.0], [2.0]])))
    ['mean_', 'n_features_in_', 'n_samples_seen_', 'scale_', 'var_']
    """
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and not inspect.isroutine(value):
            read = read_numbers(value) if isinstance(value, np.ndarray | np.generic | Number) else None
            if read is not None:
                found[name] = read.ravel()
    return found


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
