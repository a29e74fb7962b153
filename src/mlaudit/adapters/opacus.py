"""A training loop of one's own around Opacus' PrivacyEngine; the claim is what its accountant states."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput, MissingExtra
from mlaudit.naming.describe import name_of
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice, function, instance, real
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.traits import Traits

_KINDS = ("whole numbers", "numbers")
_DIGITS = 1000  # ε is rounded up to three digits after the point: accountants differ in the last ones


@dataclass(frozen=True)
class OpacusTraining:
    """A function that trains with Opacus, as it is: its network, loss, optimiser and data loader stay its own.

    The function gets the rows as a torch `TensorDataset` and returns the trained module. Whatever `PrivacyEngine` it
    makes is asked for the ε that it has spent. torch, numpy and `random` are seeded before every training.

    Args:
        train: A function of a dataset that returns the trained module.
        data: The rows to train on; the claim is about them, and about the same rows with one added or removed.
        delta: The δ that the accountant is asked for.
        labels: Whether labels are "whole numbers" (int64, as cross entropy wants them) or "numbers" (float32).
        stated: The claim to audit. Default: the accountant's ε after one training.

    Raises:
        InvalidInput: If an argument is of the wrong kind, or the function made no PrivacyEngine, or several.

    Example:
        >>> OpacusTraining(lambda rows: rows, Dataset([[0.0], [1.0]], [0, 1]), delta=2.0)
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: delta must be a number in (0, 1), got 2.0
    """

    train: Callable[[Any], Any]
    data: Dataset
    delta: float = 1e-5
    labels: str = "whole numbers"
    stated: Claim | None = None

    def __post_init__(self) -> None:
        function("train", self.train, "a function of a dataset")
        instance("data", self.data, Dataset, "as in Dataset(X, y)")
        real("delta", self.delta, 0, 1)
        choice("kind of labels", self.labels, _KINDS)

    @cached_property
    def claim(self) -> Claim:
        """What the accountant states after one training, rounded up; rows are added or removed."""
        if self.stated is not None:
            return self.stated
        _, engines = self._run(self.data, 0)
        if len(engines) != 1:
            raise InvalidInput(f"{name_of(self.train)} must make one PrivacyEngine, got {len(engines)}")
        return Claim(ceil(_DIGITS * engines[0].get_epsilon(self.delta)) / _DIGITS, self.delta, Relation.ADD_REMOVE)

    @property
    def traits(self) -> Traits:
        """The function's name; it does not get x*."""
        return Traits(name=name_of(self.train), library="opacus", uses_target=False)

    def domain(self, data: Dataset) -> Domain | None:
        """The domain of the data: Opacus clips gradients, not rows.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie; None if every row is legal.
        """
        return data.domain

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Train once.

        Args:
            data: D or D′.
            seed: The seed of this training.

        Returns:
            The trained module.

        Raises:
            InvalidInput: If the data have no labels.
            MissingExtra: If torch or Opacus is not installed.
        """
        return self._run(data, int(seed.generate_state(1, np.uint64)[0]) >> 1)[0]

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """All parameters of the module, one after the other.

        Args:
            model: The trained module.
            target: Not used.

        Returns:
            The parameters as one vector.
        """
        return np.concatenate([one.detach().numpy().ravel() for one in model.parameters()]).astype(float)

    def _run(self, data: Dataset, seed: int) -> tuple[Any, list[Any]]:
        torch, _ = _import()
        if data.y is None:
            raise InvalidInput("a network learns from labels, got rows without; give a Dataset with y")
        rows = torch.utils.data.TensorDataset(
            torch.tensor(data.X, dtype=torch.float32),
            torch.tensor(data.y, dtype=torch.int64 if self.labels == _KINDS[0] else torch.float32),
        )
        with _keep_engines() as engines, _seed_generators(torch, seed):
            return self.train(rows), engines


@contextmanager
def _keep_engines() -> Iterator[list[Any]]:
    """Collect every PrivacyEngine that is made meanwhile."""
    _, engine = _import()
    made: list[Any] = []
    own = engine.__init__

    def remember(self: Any, *args: Any, **named: Any) -> None:
        own(self, *args, **named)
        made.append(self)

    engine.__init__ = remember
    try:
        yield made
    finally:
        engine.__init__ = own


@contextmanager
def _seed_generators(torch: Any, seed: int) -> Iterator[None]:
    """Seed the generators that a training may draw from; afterwards they go on as before."""
    kept, also_kept = np.random.get_state(), random.getstate()  # noqa: NPY002 - the generator of whole processes
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        # By a list and by a text: the number itself would give two of the generators the same draws.
        np.random.seed([seed % 2**32])  # noqa: NPY002 - the same one
        random.seed(str(seed))
        try:
            yield
        finally:
            np.random.set_state(kept)  # noqa: NPY002 - the same one
            random.setstate(also_kept)


def _import() -> tuple[Any, Any]:
    try:
        import torch  # noqa: PLC0415 - an extra
        from opacus import PrivacyEngine  # noqa: PLC0415 - the same extra
    except ImportError:
        raise MissingExtra("opacus", "dpsgd") from None
    return torch, PrivacyEngine
