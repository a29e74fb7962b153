"""A search under label-only changes labels only, and one under zero-out only zeroes rows or fills zeros."""

from itertools import islice

import numpy as np
import pytest
from numpy.random import default_rng

from mlaudit.attacks._changes import Relabelled, Zeroed, with_change, without_change
from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.prior_flip import PriorFlip
from mlaudit.attacks.search import Search
from mlaudit.auditing.candidates import default_attacks
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.protocols import Attack, Mechanism
from mlaudit.search.crafting import craft_moves
from mlaudit.search.move import Setting, changes_under, make_pair
from mlaudit.search.pool import pool_moves
from mlaudit.search.run import search_neighbours
from mlaudit.search.worst import Worst
from mlaudit.testing.attack import PlainLearner
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box

LABEL_ONLY, ZERO_OUT = Relation.LABEL_ONLY, Relation.ZERO_OUT
DATA = Dataset([[0.5, 1.0], [0.0, 0.0], [0.25, 0.0], [1.0, 0.5]], [0, 1, 1, 0], Box([0.0] * 2, [1.0] * 2, (0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("relation", [LABEL_ONLY, ZERO_OUT])
def test_every_move_on_data_is_one_step_for_each_row(relation: Relation) -> None:
    setting = Setting(PlainLearner(), DATA, changes_under(relation), default_rng(0))
    pairs = [make_pair(move, rows, relation) for move in islice(pool_moves(setting), 60) for rows in (1, 2)]
    made = [pair for pair in pairs if pair is not None]
    assert len(made) >= 10
    assert {pair.steps(relation) == pair.rows for pair in made} == {True}


def test_zeros_are_filled_and_rows_are_zeroed() -> None:
    setting = Setting(PlainLearner(), DATA, changes_under(ZERO_OUT), default_rng(0))
    pairs = [make_pair(move, 1, ZERO_OUT) for move in islice(pool_moves(setting), 60)]
    filled = [bool(pair.neighbour.X[1].any()) for pair in pairs if pair is not None]
    assert True in filled
    assert False in filled


@pytest.mark.parametrize("mechanism", [Laplace(), NaiveBayes()])
@pytest.mark.parametrize("relation", [LABEL_ONLY, ZERO_OUT])
def test_crafted_data_have_what_the_relation_changes(mechanism: Mechanism, relation: Relation) -> None:
    moves = craft_moves(mechanism, Worst(), changes_under(relation), default_rng(0))
    pairs = [make_pair(move, 1, relation) for move in islice(moves, 60)]
    assert {pair.steps(relation) for pair in pairs if pair is not None} == {1}


def test_a_learner_whose_domain_is_without_zeros_cannot_be_searched_under_zero_out() -> None:
    with pytest.raises(InvalidInput, match="zero-out needs a domain that contains the row of zeros, but that of"):
        next(craft_moves(NaiveBayes(), Worst(bounds=(5.0, 6.0)), ("zero",), default_rng(0)))
    with pytest.raises(InvalidInput, match="zero-out needs a domain that contains the row of zeros, got a Box"):
        search_neighbours(NaiveBayes(), Dataset([[5.0], [6.0]], [0, 1]), ZERO_OUT, (1,), 20, 0)


def test_a_search_that_may_not_change_labels_is_refused_under_label_only() -> None:
    assert changes_under(LABEL_ONLY, "replace") == ("relabel",)
    for change in ("add", "remove", "zero"):
        with pytest.raises(InvalidInput, match=f"under label-only only labels differ, got .* only {change} rows"):
            changes_under(LABEL_ONLY, change)
    with pytest.raises(InvalidInput, match="under zero-out both datasets need the same size"):
        changes_under(ZERO_OUT, "add")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plain", "change", "relation"), [(PriorFlip(), "relabel", LABEL_ONLY), (FarCorner(), "zero", ZERO_OUT)]
)
def test_an_attack_that_replaces_rows_is_turned_into_one_of_the_relation(
    plain: Attack, change: str, relation: Relation
) -> None:
    attack = with_change(plain, change)
    assert without_change(attack) == plain
    for rows in (1, 2):
        pair = attack(PlainLearner(), DATA, rows, default_rng(0))
        assert pair.steps(relation) == pair.rows == rows
    alone = Search(change=change)(PlainLearner(), DATA, 1, default_rng(0))
    assert alone.steps(relation) == 1


def test_an_attack_that_keeps_labels_is_refused_under_label_only() -> None:
    with pytest.raises(InvalidInput, match="under label-only an attack changes labels, got far_corner, which keeps"):
        Relabelled(FarCorner())(PlainLearner(), DATA, 1, default_rng(0))


def test_an_attack_that_relabels_zeros_is_refused_under_zero_out() -> None:
    with pytest.raises(InvalidInput, match="under zero-out rows become zeros or were zeros, got prior_flip, which"):
        Zeroed(PriorFlip())(PlainLearner(), DATA, 2, default_rng(0))


def test_a_zeroed_attack_keeps_labels() -> None:
    pair = Zeroed(CornerFlip())(PlainLearner(), DATA, 2, default_rng(0))
    assert np.array_equal(np.asarray(pair.neighbour.y), np.asarray(DATA.y))


def test_a_search_replaces_the_learners_attacks_under_the_new_relations() -> None:
    assert default_attacks(NaiveBayes(), DATA) == NaiveBayes.traits.attacks
    for relation in (LABEL_ONLY, ZERO_OUT):
        assert default_attacks(NaiveBayes(), DATA, relation) == (Search(),)
