"""Learners of tables with text, categories and missing values; two of them leak.

mlaudit run examples/typed_table.py:colours_seen --data people.csv --typed any --epsilon 1
mlaudit run examples/typed_table.py:colours_declared --data people.csv --typed any --epsilon 1
mlaudit run examples/typed_table.py:ImputedMean --data worst
"""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from mlaudit import Claim, Dataset, Traits
from mlaudit.datasets import Columns, Number

COLOURS = ("blue", "green", "red")


def colours_seen(data: Dataset, rng: Generator) -> dict[str, float]:
    """A noisy count for every colour that occurs: the names of the colours have no noise."""
    counts = Counter(data.columns["colour"].tolist())
    return {colour: counts[colour] + rng.laplace(scale=2.0) for colour in sorted(counts, key=str)}


def colours_declared(data: Dataset, rng: Generator) -> dict[str, float]:
    """A noisy count for every colour of a list that is known beforehand, for ε = 1; other colours are not counted."""
    counts = Counter(data.columns["colour"].tolist())
    return {colour: counts[colour] + rng.laplace(scale=2.0) for colour in COLOURS}


@dataclass(frozen=True)
class ImputedMean:
    """A mean that fills gaps with the mean of the values that are there, and adds noise for a change of one value."""

    epsilon: float = 1.0
    traits = Traits(uses_target=False)

    @property
    def claim(self) -> Claim:
        """ε for a replaced row."""
        return Claim(self.epsilon)

    def domain(self, data: Dataset) -> Columns:
        """Incomes from 0 to 100, or none; declared, not taken from the rows."""
        return Columns([Number("income", 0.0, 100.0, missing=True)])

    def fit(self, data: Dataset, seed: SeedSequence) -> float:
        """Impute, then average. A value that fills many gaps moves the mean by more than 100 / n."""
        income = data.columns["income"].astype(float)
        known = income[~np.isnan(income)]
        filled = np.where(np.isnan(income), known.mean() if known.size else 50.0, income)
        return float(filled.mean() + default_rng(seed).laplace(scale=100.0 / len(filled) / self.epsilon))

    def summary(self, model: float, target: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The mean itself."""
        return np.array([model])
