import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from sklearn.ensemble import HistGradientBoostingClassifier

from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.coordinate import Coordinate
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguish.distinguisher import choose_classifier, learn, log_loss, score_out_of_fold
from mlaudit.errors import ReusedDraws
from mlaudit.naming.codec import decode, encode
from mlaudit.protocols import Classifier, VectorScorer
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws, Kinds
from mlaudit.types.finding import Witness

CLASSIFIERS = [Logistic(), Boosting(), Coordinate()]
by_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=["logistic", "boosting", "coordinate"])


def shifted(n: int, *, shift: float = 1.0, columns: int = 2, seed: int = 0) -> Draws:
    """Alternating labels; on D the first coordinate is larger."""
    labels = np.tile([1, 0], n // 2)
    z = default_rng(seed).normal(size=(n, columns))
    z[:, 0] += shift * labels
    return Draws(labels, z)


def relabelled(draws: Draws, kinds: Kinds, z: FloatArray) -> Draws:
    return Draws(draws.labels, z, kinds, draws.index, draws.streams)


@dataclass(frozen=True)
class Remembers:
    """Scores 1 for every vector it was trained on and 0 for any other."""

    def fit(self, z: FloatArray, labels: IntArray) -> VectorScorer:
        seen = set(z[:, 0].tolist())
        return lambda fresh: np.array([float(value in seen) for value in fresh[:, 0]])


@by_classifier
@pytest.mark.parametrize("start", [0, 99, 150])
def test_counting_a_draw_it_was_learned_from_raises(classifier: Classifier, start: int) -> None:
    draws = shifted(200)
    with pytest.raises(ReusedDraws, match="a draw that trained the distinguisher"):
        learn(classifier, draws[:151]).scores(draws[start:])


@by_classifier
def test_fresh_draws_are_told_apart(classifier: Classifier) -> None:
    draws = shifted(1000, shift=3.0)
    scores = learn(classifier, draws[:500]).scores(draws[500:])
    # Fails for a correct program with probability < 1e-9: 93 % of 500 are expected, seven deviations above.
    assert ((scores > 0) == (draws.labels[500:] == 1)).mean() > 0.85


def test_an_exception_only_under_the_neighbour_is_evidence_by_its_frequency() -> None:
    draws = shifted(200, shift=0.0)
    raised = (draws.labels == 0) & (np.arange(200) % 20 == 1)
    broken = relabelled(draws, np.where(raised, "raised ValueError", ""), np.where(raised[:, None], np.nan, draws.z))
    scores = learn(Logistic(), broken).scorer(broken)
    assert raised.sum() == 10
    np.testing.assert_allclose(scores[raised], np.log(0.5 / 10.5))
    assert np.isfinite(scores).all()


@by_classifier
def test_a_column_that_is_always_nan_does_not_hide_the_others(classifier: Classifier) -> None:
    draws = shifted(400, shift=3.0)
    z = np.insert(draws.z, 1, np.nan, axis=1)
    holed = relabelled(draws, np.full(400, "NaN at 1"), z)
    scores = learn(classifier, holed[:200]).scores(holed[200:])
    # Fails for a correct program with probability < 1e-9: 93 % of 200 are expected, seven deviations above.
    assert ((scores > 0) == (holed.labels[200:] == 1)).mean() > 0.8


def test_every_kind_has_its_own_rule() -> None:
    """The first coordinate means the opposite in the other kind: one rule for both would learn nothing."""
    draws = shifted(800, shift=3.0)
    odd = np.arange(800) // 2 % 2 == 1
    two = relabelled(draws, np.where(odd, "2 numbers", ""), np.where(odd[:, None], -draws.z, draws.z))
    scores = learn(Logistic(), two[:400]).scores(two[400:])
    # Fails for a correct program with probability < 1e-9: 93 % of 400 are expected, ten deviations above.
    assert ((scores > 0) == (two.labels[400:] == 1)).mean() > 0.8


def test_a_kind_never_seen_before_says_nothing() -> None:
    draws = shifted(200, shift=3.0)
    strange = relabelled(draws, np.full(200, "raised KeyError"), draws.z)
    assert not learn(Logistic(), draws).scorer(strange).any()


def test_draws_all_of_one_label_are_scored_by_frequency() -> None:
    ones = Draws(np.ones(30, dtype=int), np.arange(30.0)[:, None])
    np.testing.assert_allclose(learn(Logistic(), ones).scorer(ones), np.log(30.5 / 0.5))


@given(st.integers(80, 200), st.integers(2, 5))
@settings(max_examples=20)
def test_out_of_fold_never_scores_with_a_model_that_saw_the_draw(n: int, folds: int) -> None:
    draws = Draws(np.arange(n) % 2, np.arange(float(n))[:, None])
    assert score_out_of_fold(Remembers(), draws, folds).tolist() == [0.0] * n


def test_a_rule_that_remembers_would_be_noticed() -> None:
    draws = Draws(np.arange(80) % 2, np.arange(80.0)[:, None])
    assert learn(Remembers(), draws).scorer(draws).tolist() == [1.0] * 80


@pytest.mark.slow
def test_the_better_classifier_is_chosen_and_the_first_unless_clearly_worse() -> None:
    draws = shifted(600)
    wide = relabelled(draws, draws.kinds, np.where(draws.labels == 1, 5.0, 1.0)[:, None] * shifted(600, shift=0.0).z)
    # Fails for a correct program with probability < 1e-6: trees are 3.3 ± 0.9 errors behind, 16 ± 2 ahead if wide.
    assert choose_classifier((Logistic(), Boosting()), draws) == Logistic()
    assert choose_classifier((Logistic(), Boosting()), wide) == Boosting()
    assert choose_classifier((Logistic(C=1.0), Logistic(C=1.0)), draws) == Logistic(C=1.0)


def test_log_loss_is_minus_the_log_of_the_probability_given_to_the_truth() -> None:
    scores = np.log([3.0, 3.0, 1 / 3])
    np.testing.assert_allclose(log_loss(scores, np.array([1, 0, 0])), -np.log([0.75, 0.25, 0.75]))
    np.testing.assert_allclose(log_loss(np.array([1e4, -1e4]), np.array([0, 0])), [1e4, 0.0])


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=8, deadline=None)
def test_trees_taken_out_score_as_scikit_learn_does(seed: int) -> None:
    rng = default_rng(seed)
    n, columns = int(rng.integers(40, 400)), int(rng.integers(1, 5))
    labels = rng.permutation(np.arange(n) % 2)
    z = rng.standard_cauchy((n, columns)) * (1 + 2 * labels[:, None])
    z[:, 0] = np.round(z[:, 0])
    ours = Boosting(trees=15)
    model = HistGradientBoostingClassifier(
        max_iter=15,
        max_leaf_nodes=ours.leaves,
        learning_rate=ours.learning_rate,
        l2_regularization=1.0,
        max_bins=64,
        early_stopping=False,
        random_state=0,
    ).fit(z, labels)
    fresh = np.vstack([z, rng.standard_cauchy((200, columns)) * 10])
    fresh[:, 0] = np.round(2 * fresh[:, 0]) / 2  # thresholds lie halfway between whole numbers
    np.testing.assert_allclose(ours.fit(z, labels)(fresh), model.decision_function(fresh), rtol=1e-9, atol=1e-9)


def test_trees_find_the_telling_coordinate_among_hundreds() -> None:
    rng = default_rng(4)
    labels = np.arange(600) % 2
    z = rng.normal(size=(600, 300))
    z[:, 217] *= 1 + 4 * labels  # told by its spread alone
    scorer = Boosting().fit(z, labels)
    assert scorer.feature[scorer.left != scorer.right].max() <= 299
    fresh = rng.normal(size=(600, 300))
    fresh[:, 217] *= 1 + 4 * labels
    # Fails for a correct program with probability < 1e-9: 79 % ± 1.6 % and 50 % ± 2 % are expected.
    assert ((scorer(fresh) > 0) == labels).mean() > 0.65
    blind = fresh.copy()
    blind[:, 217] = 0.0
    assert abs(((scorer(blind) > 0) == labels).mean() - 0.5) < 0.15


@by_classifier
def test_huge_outliers_do_not_blind_a_classifier(classifier: Classifier) -> None:
    draws = shifted(1000, shift=3.0)
    z = draws.z.copy()
    z[::50, 0], z[1::50, 1] = 1e19, -1e300
    scores = classifier.fit(z[:500], draws.labels[:500])(z[500:])
    ordinary = np.abs(z[500:]).max(axis=1) < 1e10
    assert np.isfinite(scores).all()
    # Fails for a correct program with probability < 1e-9: 93 % of 480 are expected, ten deviations above.
    assert ((scores > 0) == (draws.labels[500:] == 1))[ordinary].mean() > 0.8


@by_classifier
def test_constant_columns_change_nothing(classifier: Classifier) -> None:
    draws = shifted(400, shift=2.0, columns=1)
    padded = np.hstack([np.full((400, 1), 7.0), draws.z, np.zeros((400, 1))])
    plain = classifier.fit(draws.z, draws.labels)(draws.z)
    np.testing.assert_allclose(classifier.fit(padded, draws.labels)(padded), plain, atol=1e-9)


@by_classifier
def test_only_constant_columns_say_nothing(classifier: Classifier) -> None:
    scores = classifier.fit(np.ones((40, 2)), np.arange(40) % 2)(np.ones((3, 2)))
    np.testing.assert_allclose(scores, 0.0, atol=1e-9)


@by_classifier
@pytest.mark.parametrize(("threshold", "complement"), [(None, False), (0.25, True)])
def test_a_saved_witness_scores_as_before(classifier: Classifier, threshold: float | None, complement: bool) -> None:
    draws = shifted(300)
    mixed = relabelled(draws, np.where(np.arange(300) % 7 == 0, "raised ValueError", ""), draws.z)
    witness = Witness(learn(classifier, mixed[:200]).scorer, threshold, complement)
    read = decode(json.loads(json.dumps(encode(witness))))
    assert isinstance(read, Witness)
    assert (read.threshold, read.complement) == (threshold, complement)
    np.testing.assert_array_equal(read.scorer(mixed[200:]), witness.scorer(mixed[200:]))
