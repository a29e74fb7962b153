import json

import numpy as np
import pytest
from numpy.random import Generator, default_rng

from mlaudit.classifiers._features import RATIO, screen_columns
from mlaudit.classifiers.additive import Additive, AdditiveLearner
from mlaudit.naming.codec import decode, encode
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.shift import PairedShift


def spread_laplace(n: int, d: int, epsilon: float, rng: Generator) -> tuple[FloatArray, IntArray, FloatArray]:
    """Outputs, labels and exact log-likelihood ratios of a shift by 1 in every coordinate."""
    labels, scale = rng.integers(0, 2, n), d / epsilon
    z = rng.laplace(0.0, scale, (n, d)) + labels[:, None]
    return z, labels, (np.abs(z) - np.abs(z - 1.0)).sum(axis=1) / scale


def log_loss(scores: FloatArray, labels: IntArray) -> float:
    return float(np.logaddexp(0.0, np.where(labels == 1, -scores, scores)).mean())


def test_laplace_noise_in_ten_coordinates_is_scored_almost_as_by_its_density() -> None:
    z, labels, ratio = spread_laplace(8000, 10, 4.0, default_rng(0))
    scores = Additive().fit(z[:4000], labels[:4000])(z[4000:])
    # Fails for a correct program with probability < 1e-9: of 20 seeds the excess was .0023 ± .0010, at most .0040.
    assert log_loss(scores, labels[4000:]) < log_loss(ratio[4000:], labels[4000:]) + 0.03


def test_a_known_shift_is_used_where_labels_cannot_show_it() -> None:
    z, labels, ratio = spread_laplace(3000, 100, 4.0, default_rng(1))
    learner = Additive().start(PairedShift("", np.ones(100), np.zeros(100), 4))
    learner.add(z[:1000], labels[:1000])
    assert RATIO in learner.scorer.rule
    # Fails for a correct program with probability < 1e-9: of 20 seeds the correlation was .978 ± .010, at least .952.
    assert np.corrcoef(learner.score(z[1000:]), ratio[1000:])[0, 1] > 0.85


def test_a_changed_spread_is_found() -> None:
    rng = default_rng(2)
    labels = rng.integers(0, 2, 4000)
    z = rng.normal(0.0, 1.0, (4000, 4)) * np.where(labels == 1, 2.0, 1.0)[:, None]
    right = (Additive().fit(z[:2000], labels[:2000])(z[2000:]) > 0) == (labels[2000:] == 1)
    # Fails for a correct program with probability < 1e-9: of 20 seeds the share was .813 ± .010.
    assert right.mean() > 0.72


def test_learning_in_blocks_is_learning_at_once_up_to_the_weights_of_members() -> None:
    z, labels, _ = spread_laplace(6000, 5, 4.0, default_rng(3))
    learner = Additive().start(None)
    for part in np.array_split(np.arange(5000), 5):
        learner.add(z[part], labels[part])
    at_once = Additive().fit(z[:5000], labels[:5000])
    fresh = z[5000:]
    # Fails for a correct program with probability < 1e-9: of 20 seeds the correlation was at least .9956.
    assert np.corrcoef(learner.score(fresh), at_once(fresh))[0, 1] > 0.95


def test_scoring_before_learning_changes_nothing() -> None:
    z, labels, _ = spread_laplace(900, 3, 2.0, default_rng(4))
    one, other = AdditiveLearner(), AdditiveLearner()
    for learner in (one, other):
        learner.add(z[:300], labels[:300])
    one.score(z[300:600])
    later = z[300:600]
    one.score(later)
    for learner in (one, other):
        learner.add(later, labels[300:600])
    np.testing.assert_allclose(one.score(z[600:]), other.score(z[600:]), atol=1e-9)


def test_equal_outputs_have_equal_scores_wherever_they_stand() -> None:
    rng = default_rng(5)
    labels = rng.integers(0, 2, 1000)
    z = rng.integers(0, 3, (1000, 7)).astype(float)
    z[:, 0] += labels * rng.integers(0, 2, 1000)
    rule = Additive().fit(z, labels)
    twice = np.concatenate([z[:137], z[:137]])
    assert len(set(rule(twice)[:137].tolist()) ^ set(rule(twice)[137:].tolist())) == 0


def test_a_rule_can_be_saved() -> None:
    z, labels, _ = spread_laplace(400, 3, 4.0, default_rng(6))
    learner = Additive().start(PairedShift("", np.ones(3), np.zeros(3), 4))
    learner.add(z, labels)
    again = decode(json.loads(json.dumps(encode(learner.scorer))))
    np.testing.assert_allclose(again(z), learner.scorer(z), atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1000, 10_000])
def test_of_many_coordinates_some_are_kept(width: int) -> None:
    rng = default_rng(7)
    labels = np.tile([1, 0], 150)
    z = rng.normal(size=(300, width))
    z[:, 17] += 3.0 * labels
    # Fails for a correct program with probability < 1e-9: the coordinate lies 26 standard errors apart, others 5.
    assert 17 in screen_columns(z, labels, None, 50)
    assert Additive().fit(z, labels).weights.size <= 260


def test_huge_numbers_and_constant_columns_are_no_trouble() -> None:
    rng = default_rng(8)
    labels = rng.integers(0, 2, 200)
    z = np.column_stack([rng.normal(size=200) * 1e200, np.ones(200), rng.normal(size=200) + 3 * labels, labels * 0.0])
    scores = Additive().fit(z, labels)(z)
    assert np.isfinite(scores).all()
    # Fails for a correct program with probability < 1e-9: of 20 seeds the share was .941 ± .017.
    assert ((scores > 0) == (labels == 1)).mean() > 0.8


def test_a_few_draws_of_equal_features_have_a_rule() -> None:
    # Six outcomes of two bits about a known shift: the features are sums of each other.
    for seed in (3684, *range(100)):
        drawn = default_rng(seed)
        n, d = int(drawn.integers(6, 60)), int(drawn.integers(1, 4))
        z, labels = drawn.integers(0, 2, (n, d)).astype(float), drawn.integers(0, 2, n)
        labels[:2] = 0, 1
        known = PairedShift("", np.ones(d), np.zeros(d) if seed % 3 else drawn.random(d), int(drawn.integers(2, 8)))
        learner = Additive().start(known)
        learner.add(z + labels[:, None], labels)
        assert np.isfinite(learner.score(z)).all()
