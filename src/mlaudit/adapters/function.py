"""A mechanism made of a function f(data, rng)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator, SeedSequence, default_rng

from mlaudit.naming.as_code import write_imports
from mlaudit.naming.describe import name_of
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import function, instance
from mlaudit.types.claim import Claim
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.frame import FRAME
from mlaudit.types.outputs import FLATTEN, FLATTEN_IMPORT
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits

Function = Callable[[Dataset, Generator], Any]


@dataclass(frozen=True)
class FunctionMechanism:
    """A mechanism made of a randomised function.

    Args:
        function: A function of a dataset and a generator that returns numbers.
        claim: The privacy that it claims.

    Raises:
        InvalidInput: If `function` is not a function or `claim` is not a Claim.

    Example:
        >>> import numpy as np
        >>> noisy_sum = FunctionMechanism(lambda data, rng: data.X.sum() + rng.laplace(), Claim(1.0))
        >>> model = noisy_sum.fit(Dataset([1.0, 2.0]), SeedSequence(0))
        >>> bool(np.isfinite(noisy_sum.summary(model, None)))
        True
    """

    function: Function
    claim: Claim

    def __post_init__(self) -> None:
        function("function", self.function, "a function of (data, rng)")
        instance("claim", self.claim, Claim, "as in claim=Claim(1.0)")

    @property
    def traits(self) -> Traits:
        """The function's name; the function does not get x*."""
        return Traits(name=name_of(self.function), uses_target=False)

    def domain(self, data: Dataset) -> Domain | None:
        """The domain of the data: a function declares none.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie; None if every row is legal.
        """
        return data.domain

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Call the function once.

        Args:
            data: D or D′.
            seed: The seed of this training.

        Returns:
            What the function returned.
        """
        return self.function(data, default_rng(seed))

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What the function returned.

        Args:
            model: What `fit` returned.
            target: Not used.

        Returns:
            The same numbers.
        """
        return model  # type: ignore[no-any-return]  # checked to be numbers where outcomes are observed

    def recipe(self, domain: Domain | None) -> Recipe:
        """Call the function with rows, labels and a generator.

        Args:
            domain: The domain of the data; a typed table is passed as columns. None if there is none.

        Returns:
            The import lines and the body of a function that trains once and returns the summary.
        """
        imports = (FLATTEN_IMPORT, "from types import SimpleNamespace", *write_imports(self.function))
        return Recipe(imports, *(self._write_call(domain, owners) for owners in ("", ", units=units")))

    def _write_call(self, domain: Domain | None, owners: str) -> str:
        """The call with plain rows, or with the columns of a typed table."""
        rows = f"X=X, y=y{owners}"
        if isinstance(domain, Columns):  # X is a dict of arrays
            table = "{name: values.copy() for name, values in X.items()}"
            rows = f"columns={table}, frame=lambda: {FRAME}, y=y{owners}"
        return f"{FLATTEN}\nreturn flatten({self.traits.name}(SimpleNamespace({rows}), np.random.default_rng(seed)))"
