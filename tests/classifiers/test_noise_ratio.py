"""The log-ratio of added noise is the exact one, up to what is estimated of the noise."""

import numpy as np
import pytest

from mlaudit.classifiers._noise_ratio import fit_noise_ratio
from mlaudit.classifiers.additive import Additive
from mlaudit.types.arrays import FloatArray
from mlaudit.types.shift import PairedShift

D = 8
SHIFT = np.linspace(0.0, 1.4, D)
SCALE = np.linspace(1.0, 3.0, D)


def draw_laplace(rng: np.random.Generator, n: int) -> FloatArray:
    return np.asarray(rng.laplace(scale=SCALE, size=(n, D)))


def draw_normal(rng: np.random.Generator, n: int) -> FloatArray:
    return np.asarray(rng.normal(scale=SCALE, size=(n, D)))


def draw_spherical(rng: np.random.Generator, n: int) -> FloatArray:
    way = rng.normal(size=(n, D))
    return np.asarray(way / np.linalg.norm(way, axis=1, keepdims=True) * rng.gamma(D, size=(n, 1)))


def laplace_ratio(z: FloatArray) -> FloatArray:
    return np.asarray(((np.abs(z) - np.abs(z - SHIFT)) / SCALE).sum(axis=1))


def normal_ratio(z: FloatArray) -> FloatArray:
    return np.asarray((z - SHIFT / 2) @ (SHIFT / SCALE**2))


def spherical_ratio(z: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(z, axis=1) - np.linalg.norm(z - SHIFT, axis=1))


FAMILIES = {
    "laplace": (draw_laplace, laplace_ratio),
    "normal": (draw_normal, normal_ratio),
    "spherical": (draw_spherical, spherical_ratio),
}


def known(spread: float = 0.0, shift: FloatArray = SHIFT) -> PairedShift:
    return PairedShift("", shift, np.full(len(shift), spread), 4)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_ratio_of_a_family_is_exact(family: str) -> None:
    # Fails for a correct program with probability < 1e-6: over 40 seeds the correlation is at least 0.997, the
    # deviations are equal up to 0.016 (one standard deviation), and the family is always right.
    draw, exact = FAMILIES[family]
    rng = np.random.default_rng(0)
    found = fit_noise_ratio(draw(rng, 2000) + SHIFT / 2, known())
    assert found is not None
    assert found.family == family
    fresh = draw(rng, 500)
    assert np.corrcoef(found(fresh), exact(fresh))[0, 1] > 0.98
    assert found(fresh).std() == pytest.approx(exact(fresh).std(), rel=0.2)


@pytest.mark.parametrize(
    ("noise", "shift"),
    [
        (np.random.default_rng(0).normal(size=(50, D)), known(spread=0.1)),
        (np.random.default_rng(0).normal(size=(50, D)), known(shift=np.zeros(D))),
        (np.zeros((50, D)), known()),
    ],
    ids=["noise is not simply added", "no shift", "no noise"],
)
def test_no_ratio_where_noise_is_not_simply_added(noise: FloatArray, shift: PairedShift) -> None:
    assert fit_noise_ratio(noise, shift) is None


def test_coordinates_without_noise_and_without_shift_do_not_matter() -> None:
    z = np.random.default_rng(0).laplace(size=(200, 3)) * [1.0, 0.0, 1.0]
    with_zero = fit_noise_ratio(z, known(shift=np.array([1.0, 0.0, 0.5])))
    without = fit_noise_ratio(z[:, [0, 2]], known(shift=np.array([1.0, 0.5])))
    assert with_zero is not None
    assert without is not None
    np.testing.assert_allclose(with_zero(z), without(z[:, [0, 2]]), rtol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_distinguisher_uses_it_from_the_first_draws(family: str) -> None:
    # Fails for a correct program with probability < 1e-6: the correlation is 0.89 (deviation 0.025), 0.993 (0.012)
    # and 0.977 (0.016), at least 0.83 over 100 seeds each. Labels teach next to nothing of so small a shift.
    draw, exact = FAMILIES[family]
    rng, labels = np.random.default_rng(1), np.tile([0, 1], 100)
    learner = Additive().start(known(shift=SHIFT / 20))
    learner.add(draw(rng, 200) + labels[:, None] * SHIFT / 20, labels)
    fresh = draw(rng, 500)
    assert np.corrcoef(learner.score(fresh), exact(fresh))[0, 1] > 0.5
