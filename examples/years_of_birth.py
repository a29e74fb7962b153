"""A column whose bounds are far from zero: 100 made-up years of birth, in two classes."""

import numpy as np

from mlaudit import Dataset

rng = np.random.default_rng(0)
years = np.concatenate([rng.integers(1940, 1975, 50), rng.integers(1960, 2006, 50)])
data = Dataset(years[:, None].astype(float), np.repeat([0, 1], 50), name="years_of_birth")
