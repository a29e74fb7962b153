"""A mechanism of your own: any function of a dataset and a generator. This one adds too little noise.

mlaudit run examples/my_mechanism.py:noisy_count --epsilon 1 --pair examples/my_mechanism.py:one_more_smoker
"""

from numpy.random import Generator

from mlaudit import Dataset, Pair


def noisy_count(data: Dataset, rng: Generator) -> float:
    """How many rows are 1, with Laplace noise. The scale should be 1/ε = 1; somebody wrote 0.5."""
    return float(data.X.sum() + rng.laplace(scale=0.5))


one_more_smoker = Pair(Dataset([0, 1, 0, 0]), Dataset([1, 1, 0, 0]))
