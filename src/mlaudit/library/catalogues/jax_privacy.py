"""JAX Privacy: sums of clipped gradients with noise, correlated noise, Poisson batches with its accountant's ε."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import VALUES
from mlaudit.library.item import Item
from mlaudit.statistics.gaussian_dp import epsilon_of
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset

try:
    import jax
    import jax.numpy as jnp
    from jax_privacy import batch_selection, clipping, noise_addition
    from jax_privacy.accounting import accountants, analysis
    from jax_privacy.matrix_factorization import toeplitz
except ImportError:
    raise MissingExtra("jax_privacy", "jax") from None

_DELTA, _SIGMA, _STEPS, _BATCH = 1e-3, 2.0, 4, 10
_TRAININGS = 100  # one takes some 50 milliseconds
_SUMS: dict[str, dict[str, Any]] = {
    "clipped_grad": {},
    "clipped_grad, rescaled to norm 1": {"rescale_to_unit_norm": True},
    "clipped_grad, normalised": {"normalize_by": 30.0},
    "clipped_grad, bfloat16": {"dtype": jnp.bfloat16},
}


def jax_privacy() -> Iterator[Item]:
    """Clipped sums, matrix factorisations and Poisson batches of JAX Privacy.

    >>> len(list(jax_privacy()))
    9
    """
    one_release = _added(epsilon_of(1.0 / _SIGMA, _DELTA))
    for name, options in _SUMS.items():
        yield _item(name, partial(_noisy_gradient, options), one_release)
    yield _item("clipped_fun", _noisy_function, one_release)
    # A row that is replaced stays in its sum, and moves it by at most 1.
    replaced = replace(one_release, relation=Relation.REPLACE_ONE)
    yield _item("matrix_factorization_privatizer", _correlated, replaced)
    yield _item("CyclicPoissonSampling", partial(_train, 1), _accounted(1))
    yield _item("CyclicPoissonSampling, cycle of 2", partial(_train, 2), _accounted(2))
    yield _item("CyclicPoissonSampling, one step", partial(_train, 1, steps=1), _accounted(1, steps=1))


def _item(name: str, learner: Callable[..., Any], claim: Claim) -> Item:
    return Item(name, learner, claim, VALUES, trainings=_TRAININGS)


def _added(epsilon: Any) -> Claim:
    return Claim(ceil(1000 * float(epsilon)) / 1000, _DELTA, Relation.ADD_REMOVE)


def _accounted(cycle: int, steps: int = _STEPS) -> Claim:
    """The ε that the library's accountant states for `_train`."""
    known = analysis.DpParams(
        noise_multipliers=_SIGMA, num_samples=30, delta=_DELTA, batch_size=_BATCH, cycle_length=cycle
    )
    accountant = analysis.DpsgdTrainingAccountant(accountants.PldAccountantConfig())
    return _added(accountant.compute_epsilon(steps, known))


def _loss(weight: Any, row: Any) -> Any:
    return ((weight - 4.0 * row) ** 2).sum()


def _noisy_gradient(options: dict[str, Any], data: Dataset, rng: Generator) -> Any:
    total = clipping.clipped_grad(_loss, l2_clip_norm=1.0, **options)
    return _add_noise(total(jnp.zeros(1), jnp.asarray(data.X)), _SIGMA * total.l2_norm_bound, rng)


def _noisy_function(data: Dataset, rng: Generator) -> Any:
    total = clipping.clipped_fun(lambda row: 3.0 * row, l2_clip_norm=1.0)
    return _add_noise(jnp.asarray(total(jnp.asarray(data.X))).ravel(), _SIGMA * total.l2_norm_bound, rng)


def _add_noise(total: Any, deviation: float, rng: Generator) -> Any:
    privatizer = noise_addition.gaussian_privatizer(stddev=deviation, prng_key=_key(rng))
    return np.asarray(privatizer.update(total, privatizer.init(total))[0], dtype=float)


def _correlated(data: Dataset, rng: Generator) -> list[float]:
    """Each row takes part in one of several sums, the noise of which is correlated."""
    strategy = toeplitz.optimal_max_error_strategy_coefs(_STEPS)
    matrix = toeplitz.inverse_as_streaming_matrix(strategy)
    deviation = _SIGMA * sqrt(float(toeplitz.sensitivity_squared(strategy)))
    privatizer = noise_addition.matrix_factorization_privatizer(matrix, stddev=deviation, prng_key=_key(rng))
    state, found = privatizer.init(jnp.zeros(1)), []
    for step in range(_STEPS):
        noisy, state = privatizer.update(jnp.asarray(data.X[step::_STEPS].sum(axis=0)), state)
        found.append(float(noisy[0]))
    return found


def _train(cycle: int, data: Dataset, rng: Generator, *, steps: int = _STEPS) -> list[float]:
    """Sums of clipped gradients of Poisson batches, filled up with rows of no gradient: other shapes take longer."""
    chosen = batch_selection.CyclicPoissonSampling(
        sampling_prob=_BATCH * cycle / 30,
        iterations=steps,
        cycle_length=cycle,
        partition_type=batch_selection.PartitionType.INDEPENDENT,
    )
    total, found = clipping.clipped_grad(_loss, l2_clip_norm=1.0), []
    for batch in chosen.batch_iterator(len(data), rng):
        rows = np.zeros_like(data.X)
        rows[: len(batch)] = data.X[batch]
        found.append(float(_add_noise(total(jnp.zeros(1), jnp.asarray(rows)), _SIGMA, rng)[0]))
    return found


def _key(rng: Generator) -> Any:
    return jax.random.key(int(rng.integers(2**31)))
