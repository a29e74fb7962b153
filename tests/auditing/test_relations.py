"""Claims under label-only and zero-out, from the first pair to the verdict: true ones stand, false ones fall."""

from pathlib import Path

import pytest

from mlaudit import Box, Claim, Dataset, Pair, Relation, audit
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load
from mlaudit.refuting.run import refute
from mlaudit.report.plain import Account
from mlaudit.report.plain import explain as describe
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.relations import changes_to_audit, explain
from mlaudit.scanning.neighbours import neighbours
from mlaudit.scanning.run import scan
from mlaudit.scanning.standing import relation_of, standing
from mlaudit.search.worst import Worst
from mlaudit.tracing.pairs import gather_pairs
from mlaudit.types.finding import Bound

EXAMPLES = Path(__file__).parents[2] / "examples" / "relations.py"
LABEL_ONLY, ZERO_OUT, REPLACE_ONE = Relation.LABEL_ONLY, Relation.ZERO_OUT, Relation.REPLACE_ONE
LABELLED = Dataset([[0.0], [0.5], [1.0], [0.25]], [0, 1, 1, 0], Box(0.0, 1.0, (0, 1)))
ON_LABELS = Claim(1.0, relation=LABEL_ONLY)


@pytest.mark.slow
def test_randomised_response_keeps_its_claim_about_labels() -> None:
    # Fails for a correct program with probability < 1e-6: the α of the audit.
    worst = Worst(bounds=(0.0, 1.0), rows=8, columns=1)
    kept = audit(load("mechanisms", f"{EXAMPLES}:noisy_labels"), worst, claim=ON_LABELS, trainings=1500, alpha=1e-6)
    assert not kept.violated
    assert kept.epsilon_lower > 0.2


@pytest.mark.slow
def test_too_few_flipped_labels_violate_it() -> None:
    # Fails for a correct program with probability < 1e-6: ε is 2.2, and 1500 trainings show 1.5 or more.
    worst = Worst(bounds=(0.0, 1.0), rows=8, columns=1)
    learner = load("mechanisms", f"{EXAMPLES}:careless_labels")
    broken = audit(learner, worst, claim=ON_LABELS, rows=1, trainings=1500)
    assert broken.violated
    assert broken.pair.steps(LABEL_ONLY) == 1
    again = AuditResult.from_json(broken.to_json())
    assert again.claim.relation is LABEL_ONLY


@pytest.mark.slow
def test_noise_for_zeroed_rows_is_half_of_what_replaced_rows_need() -> None:
    # Fails for a correct program with probability < 1e-6: α of the first; the second shows 1.7 on 1500 trainings.
    learner = load("mechanisms", f"{EXAMPLES}:ClippedSum")()
    zeroed = audit(learner, Worst(rows=8, columns=1), rows=1, trainings=1500, alpha=1e-6)
    assert zeroed.claim.relation is ZERO_OUT
    assert not zeroed.violated
    replaced = audit(learner, Worst(rows=8, columns=1), claim=Claim(1.0), rows=1, trainings=1500)
    assert replaced.violated
    said = explain({"zero": zeroed, "replace": replaced})
    assert said.startswith("The bound is not above the claim if a row is zeroed.")


@pytest.mark.slow
def test_a_replaced_row_is_two_steps_under_zero_out() -> None:
    # Fails for a correct program with probability < 1e-6: the α of the audit.
    learner = load("mechanisms", f"{EXAMPLES}:ClippedSum")()
    pair = Pair(Dataset([-1.0, 0.5]), Dataset([1.0, 0.5]))
    result = audit(learner, pair=pair, trainings=1000, alpha=1e-6)
    assert result.finding.bound.steps == 2
    assert not result.violated


def test_an_attack_on_features_is_refused_under_label_only() -> None:
    with pytest.raises(InvalidInput, match="under label-only both datasets need the same features, got other"):
        audit(load("mechanisms", f"{EXAMPLES}:noisy_labels"), LABELLED, claim=ON_LABELS, attack=FarCorner(), rows=1)


@pytest.mark.slow
def test_detectors_of_another_relation_say_why_they_are_not_run() -> None:
    # Fails for a correct program with probability < 1e-6: no noise at all on labels; the chance of 60 equal flips.
    found = refute(lambda data, rng: data.y.sum(), LABELLED, claim=ON_LABELS, effort="smoke", trainings=200)
    assert found.violated
    assert found.findings[0].pair.steps(LABEL_ONLY) == 1
    why = {one.detector: one.why for one in found.skipped}
    assert why["added_rows"] == why["removed_rows"] == "the claim is about labels"
    assert why["own_attacks"] == "under label-only the searches try the learner's attacks"


@pytest.mark.slow
def test_what_depends_on_features_alone_is_no_leak_under_label_only() -> None:
    # Fails for a correct program with probability < 1e-6: the output does not depend on labels.
    found = refute(lambda data, rng: data.X.sum(axis=0), LABELLED, claim=ON_LABELS, effort="smoke", trainings=200)
    assert not found.violated


@pytest.mark.parametrize("relation", [LABEL_ONLY, ZERO_OUT])
def test_scan_and_trace_try_pairs_one_step_apart(relation: Relation) -> None:
    claim = Claim(1.0, relation=relation)
    made = neighbours(LABELLED, relation)
    assert len(made) >= 3
    assert {one.pair.steps(relation) for one in made} == {1}
    assert {relation_of(one.pair, claim) for one in made} == {relation}
    learner = load("mechanisms", f"{EXAMPLES}:ClippedSum")()
    traced = gather_pairs(learner, LABELLED.within(None), None, claim, 8, 0)
    assert {one.pair.steps(relation) for one in traced} == {1}


def test_a_scan_under_label_only_needs_labels() -> None:
    with pytest.raises(InvalidInput, match="label-only needs data with labels, got none"):
        scan(lambda data, rng: data.X.sum(), Dataset([0.0, 1.0]), claim=ON_LABELS)


@pytest.mark.parametrize(
    ("claimed", "relation", "epsilon", "stands"),
    [
        (LABEL_ONLY, LABEL_ONLY, 1.1, "violated"),
        (LABEL_ONLY, REPLACE_ONE, 9.0, "not_claimed"),
        (ZERO_OUT, ZERO_OUT, 1.1, "violated"),
        (ZERO_OUT, REPLACE_ONE, 1.9, "not_claimed"),
        (ZERO_OUT, REPLACE_ONE, 2.1, "violated"),
        (ZERO_OUT, Relation.ADD_REMOVE, 9.0, "not_claimed"),
    ],
)
def test_only_the_claimed_relation_is_violated(
    claimed: Relation, relation: Relation, epsilon: float, stands: str
) -> None:
    assert standing(Claim(1.0, relation=claimed), relation, Bound(epsilon, 9.0, 0.05, 1, "e-process")) == stands


@pytest.mark.parametrize("relation", Relation)
def test_every_relation_has_a_question_in_plain_words(relation: Relation) -> None:
    bound, claim = Bound(0.5, 7.0, 0.05, 1, "nested scan"), Claim(1.0, relation=relation)
    said = describe(Account("mine", claim, "It was tried.", bound, "not_refuted"))[0][1]
    assert "can guess wh" in said
    other = Claim(1.0, relation=next(one for one in Relation if one is not relation))
    assert said != describe(Account("mine", other, "It was tried.", bound, "not_refuted"))[0][1]


def test_relations_audits_the_claimed_relation_too() -> None:
    assert changes_to_audit(REPLACE_ONE) == changes_to_audit(Relation.ADD_REMOVE) == ("replace", "add", "remove")
    assert changes_to_audit(LABEL_ONLY) == ("relabel", "replace", "add", "remove")
