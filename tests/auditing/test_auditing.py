"""audit() refuses what makes no sense, never counts what it chose by, and finds what is there and no more."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, RandomState, SeedSequence, default_rng
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from mlaudit import Box, Claim, Dataset, EstimatorMechanism, Pair, Relation, audit, confirm
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.tight import Tight
from mlaudit.auditing.build import build_audit
from mlaudit.auditing.spec import AuditSpec
from mlaudit.classifiers.logistic import Logistic
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.naming.plugins import load, shipped
from mlaudit.procedures.gdp_accuracy import GdpAccuracy
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Draw, Mechanism, Procedure
from mlaudit.results.verdict import judge
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding, GuessCounts

DATA = Dataset(default_rng(0).random(40), domain=Box(0, 1), name="mine")
PAIR = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
SURE = 1e-6  # an α at which a bound above the truth is no matter of chance any more
MANY = {"gaussian": 40_000, "noisy_max": 8000}  # trainings; the others need fewer
RELEASES = [name for name in shipped("mechanisms") if hasattr(load("mechanisms", name), "tight_pair")]


def noisy_sum(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def one_more_row(mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
    return FarCorner()(mechanism, data, rows + 1, rng)


def without_base(mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
    X = np.zeros(len(data))
    return Pair(data.with_rows(X), data.with_rows(np.append(np.ones(rows), X[rows:])))


def drops_rows(mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
    return Pair(data, data.with_rows(data.X[rows:]))


def outside(mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
    X = data.X.copy()
    X[:rows] = 5.0
    return Pair(Dataset(data.X), Dataset(X))


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a pair and data": ({"data": DATA, "pair": PAIR}, "either a pair, or data and an attack, got both"),
    "a pair and an attack": ({"pair": PAIR, "attack": FarCorner()}, "either a pair, or data and an attack"),
    "an attack without data": ({"attack": FarCorner()}, "an attack needs data to change, got none"),
    "no attack at all": ({"data": DATA, "attack": []}, "at least one attack and one number of rows"),
    "no number of rows": ({"rows": ()}, "at least one attack and one number of rows"),
    "too few trainings": ({"trainings": 99}, "trainings must be a whole number of at least 100, got 99"),
    "half a training": ({"trainings": 1000.5}, "trainings must be a whole number"),
    "too few trainings to choose": (
        {"trainings": 100, "rows": range(1, 12)},
        "choosing among 11 candidates needs more trainings, got 100",
    ),
    "one training of each arm to choose by": (
        {"trainings": 100, "rows": range(1, 7)},
        "choosing among 6 candidates needs more trainings, got 100",
    ),
    "alpha above one": ({"alpha": 1.5}, r"alpha must be a number in \(0, 1\), got 1.5"),
    "alpha of zero": ({"alpha": 0}, "alpha must be a number"),
    "no rows": ({"rows": 0}, "rows must be a whole number of at least 1, got 0"),
    "no rows among several": ({"rows": (1, 0)}, "rows must be a whole number of at least 1, got 0"),
    "a seed below zero": ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    "an attack on too many rows": (
        {"data": DATA, "attack": one_more_row, "rows": 2},
        "one_more_row was asked to change 2 rows, got 3 changed",
    ),
    "an attack that loses D": ({"data": DATA, "attack": without_base, "rows": 2}, "without_base must keep D"),
    "an attack that leaves the domain": ({"data": DATA, "attack": outside, "rows": 1}, "outside Box"),
    "an attack the claim says nothing about": (
        {"data": DATA, "attack": drops_rows, "rows": 2},
        "under replace-one both datasets need the same size",
    ),
    "a pair the claim says nothing about": (
        {"pair": Pair(Dataset([0.0]), Dataset([0.0, 1.0]))},
        "under replace-one both datasets need the same size",
    ),
    "a pair outside the domain": ({"pair": Pair(Dataset([0.0]), Dataset([2.0]))}, "outside Box"),
    "data outside the domain": ({"data": Dataset([0.0, 2.0])}, "outside Box"),
}


@pytest.mark.parametrize("bad", BAD)
def test_what_makes_no_sense_is_refused_in_one_sentence(bad: str) -> None:
    options, sentence = BAD[bad]
    with pytest.raises(InvalidInput, match=sentence):
        audit(Laplace(1.0), **options)


@pytest.mark.parametrize(
    ("mechanism", "options", "sentence"),
    [
        (noisy_sum, {"pair": PAIR}, "noisy_sum must come with a claim, got none"),
        (
            noisy_sum,
            {"claim": Claim(1.0)},
            "noisy_sum has no worst pair of its own: it needs data or a pair, got neither",
        ),
        (Laplace, {"claim": Claim(1.0)}, "a mechanism must be a function"),
        (3, {"claim": Claim(1.0)}, "a mechanism must be a function"),
        (Laplace(1.0), {"procedure": GdpAccuracy()}, "needs a claim with delta above 0"),
    ],
    ids=["no claim", "no data and no tight pair", "a class", "a number", "a procedure for another claim"],
)
def test_what_cannot_be_audited_is_refused_in_one_sentence(
    mechanism: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        audit(mechanism, **options)


@dataclass
class Watching:
    """A procedure that keeps what was handed to it."""

    inner: Procedure
    drawn: list[Draws] = field(default_factory=list)
    pilot: Draws | None = None

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        self.pilot = draw.pilot
        return self.inner(Watched(draw, self.drawn), claim, pair, alpha)

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        return self.inner.confirm(draw, claim, pair, alpha, finding)


@dataclass
class Watched:
    inner: Draw
    drawn: list[Draws]

    @property
    def remaining(self) -> int:
        return self.inner.remaining

    @property
    def pilot(self) -> Draws | None:
        return self.inner.pilot

    def coins(self, n: int) -> IntArray:
        return self.inner.coins(n)

    def __call__(self, labels: IntArray) -> Draws:
        self.drawn.append(self.inner(labels))
        return self.drawn[-1]


@pytest.mark.slow
@pytest.mark.parametrize("procedure", [Progressive(), TwoPhase()], ids=["progressive", "two_phase"])
def test_choosing_among_rows_never_counts_a_pilot_draw(procedure: Procedure) -> None:
    watching = Watching(procedure)
    result = audit(Laplace(1.0), rows=(1, 2, 4), procedure=watching, trainings=2000)
    assert watching.pilot is not None
    assert watching.pilot.streams == watching.drawn[0].streams
    assert not any(watching.pilot.shares(draws) for draws in watching.drawn)
    assert sum(map(len, watching.drawn)) == 2000 - 4 * 50
    for label in (0, 1):  # behind every pilot draw there was, also those it was not told of
        assert min(draws.indices(label).min() for draws in watching.drawn) == 50
    assert result.finding.bound.steps == result.pair.rows


def test_a_single_candidate_needs_no_pilot() -> None:
    watching = Watching(Progressive())
    audit(Laplace(1.0), rows=1, procedure=watching, trainings=500)
    assert watching.pilot is None
    assert sum(map(len, watching.drawn)) == 500


@pytest.mark.slow
def test_a_larger_burn_in_leaves_fewer_trainings_to_count() -> None:
    specs = [AuditSpec("laplace", rows=(1,), trainings=500, burn_in=share) for share in (None, 0.1, 0.4)]
    procedures = [build_audit(spec).procedure for spec in specs]
    found = [audit(Laplace(1.0), rows=1, procedure=procedure, trainings=500) for procedure in procedures]
    counts = [result.finding.evidence for result in found]
    # Eight of the 500 trainings are pairs with common seeds. They show the shift exactly: 50 draws teach enough.
    assert [count.guesses[-1] for count in counts if isinstance(count, GuessCounts)] == [442, 442, 295]


@pytest.mark.parametrize("share", [0.004, 0.9999])
def test_a_burn_in_must_leave_trainings_to_learn_from_and_to_count(share: float) -> None:
    watching = Watching(Progressive(burn_in=share))
    with pytest.raises(InvalidInput, match=f"3 trainings to learn from and 1 to count, got {share} of 500"):
        audit(Laplace(1.0), rows=1, procedure=watching, trainings=500)
    assert watching.drawn == []


@pytest.mark.slow
@pytest.mark.parametrize("name", RELEASES)
def test_a_mechanism_at_its_claim_is_consistent_and_nearly_reached(name: str) -> None:
    result = audit(load("mechanisms", name)(), rows=1, trainings=MANY.get(name, 4000), alpha=SURE)
    least = 0.1 if name == "gaussian" else 0.4
    assert result.claim.epsilon == 1.0
    # Fails for a correct program with probability < 6e-6: α of each; means are 7 or more deviations above `least`.
    assert least < result.epsilon_lower <= 1.0
    assert result.verdict == "not_refuted"


@pytest.mark.parametrize("name", sorted(set(RELEASES) - {"gaussian"}))
@pytest.mark.slow
def test_twice_the_claimed_leakage_is_a_violation(name: str) -> None:
    mechanism = load("mechanisms", name)(2.0)
    claim = replace(mechanism.claim, epsilon=1.0)
    result = audit(mechanism, rows=1, claim=claim, trainings=MANY.get(name, 4000), alpha=SURE)
    # Fails for a correct program with probability < 5e-6: α of each; the means are 9 or more deviations above 1.
    assert result.violated
    assert 1.0 < result.epsilon_lower <= 2.0


@pytest.mark.slow
def test_twice_the_claimed_gaussian_leakage_is_a_violation() -> None:
    mechanism = Gaussian(4.0, 1e-5)
    claim = replace(mechanism.claim, epsilon=2.0)
    result = audit(mechanism, rows=1, claim=claim, procedure=GdpAccuracy(), trainings=8000, alpha=SURE)
    # Fails for a correct program with probability < 2e-6: α; the mean of 3.3 is 10 deviations above 2.
    assert result.violated
    assert 2.0 < result.epsilon_lower <= 4.0
    plain = replace(claim, gaussian=False)
    assert judge(plain, result.finding.bound) == "inconclusive"  # (ε, δ) alone was not refuted


@pytest.mark.slow
def test_a_replaced_row_is_two_steps_under_add_remove() -> None:
    claims = [Claim(1.0, relation=relation) for relation in (Relation.REPLACE_ONE, Relation.ADD_REMOVE)]
    one, two = (audit(Laplace(1.0), pair=PAIR, claim=claim, trainings=2000) for claim in claims)
    assert (one.finding.bound.steps, two.finding.bound.steps) == (1, 2)
    assert two.epsilon_lower == pytest.approx(one.epsilon_lower / 2, abs=1e-6)


@pytest.mark.slow
def test_a_result_says_what_was_audited() -> None:
    library = audit(EstimatorMechanism(NoisyThreshold(), Claim(1.0)), LABELLED, rows=1, trainings=200).provenance
    batched = audit(Laplace(1.0), DATA, rows=1, trainings=200).provenance
    function = audit(noisy_sum, pair=PAIR, claim=Claim(1.0), trainings=200).provenance
    assert [made.sampler for made in (library, batched, function)] == ["library", "batched", "function"]
    assert [made.mechanism for made in (library, batched, function)] == ["NoisyThreshold", "laplace", "noisy_sum"]
    assert (batched.dataset, batched.trainings, batched.seed) == ("mine", 200, 0)


def test_the_domain_is_fixed_on_the_base_for_both_sides() -> None:
    result = audit(Laplace(1.0), Dataset(DATA.X), attack=FarCorner(), rows=2, trainings=200)
    assert result.pair.neighbour.domain is result.pair.base.domain
    assert isinstance(result.pair.base.domain, Box)
    assert result.attack == "far_corner"
    assert (result.pair.neighbour.X == 1.0).sum() == 2


@pytest.mark.slow
@pytest.mark.parametrize("procedure", [Progressive(), TwoPhase()], ids=["progressive", "two_phase"])
def test_a_witness_is_confirmed_on_fresh_trainings_only(procedure: Progressive | TwoPhase) -> None:
    result = audit(Laplace(1.0), rows=1, procedure=procedure, trainings=4000, seed=3, alpha=SURE)
    with pytest.raises(InvalidInput, match="needs fresh trainings, got the result's own seed 3"):
        confirm(result, Laplace(1.0), procedure, trainings=4000, seed=3)
    again = confirm(result, Laplace(1.0), procedure, trainings=4000, seed=4)
    assert again.finding.witness == result.finding.witness
    # Fails for a correct program with probability < 3e-6: α of each; the means are 7 or more deviations above 0.3.
    assert 0.3 < again.epsilon_lower <= 1.0
    assert (again.provenance.seed, again.provenance.trainings) == (4, 4000)


@pytest.mark.slow
def test_a_witness_of_a_violation_is_no_witness_against_a_healthy_mechanism() -> None:
    result = audit(Laplace(2.0), rows=1, claim=Claim(1.0), trainings=4000, seed=1, alpha=SURE)
    healed = confirm(result, Laplace(0.8), Progressive(), trainings=4000)
    # Fails for a correct program with probability < 1e-6: bounds of 1.65 and 0.59, 10 deviations away from 1.
    assert (result.verdict, healed.verdict) == ("violated", "not_refuted")


class NoisyThreshold(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Class sums of one column in [0, 1] with Laplace noise: ε = 1/scale for a replaced x, twice that for a label."""

    def __init__(self, scale: float = 1.0, random_state: Any = None) -> None:
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: FloatArray, y: FloatArray) -> "NoisyThreshold":
        assert isinstance(self.random_state, RandomState)
        self.n_features_in_ = X.shape[1]
        self.classes_ = np.unique(y)
        sums = np.array([X[y == label].sum() for label in self.classes_])
        self.sums_ = sums + self.random_state.laplace(scale=self.scale, size=len(sums))
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        ones = 1 / (1 + np.exp(-np.clip((self.sums_[1] - self.sums_[0]) * X[:, 0], -50, 50)))
        return np.column_stack([1 - ones, ones])


LABELLED = Dataset(np.linspace(0, 1, 20), np.arange(20) % 2, Box(0, 1, labels=(0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("summarise", ["attributes", "probabilities"])
def test_an_estimator_is_audited_by_its_attributes_or_its_probabilities(summarise: Any) -> None:
    def bounded(scale: float) -> EstimatorMechanism:
        return EstimatorMechanism(NoisyThreshold(scale), Claim(1.0), bounds=Box(0, 1), summarise=summarise)

    healthy, broken = (
        audit(bounded(scale), LABELLED, attack=FarCorner(), rows=1, trainings=1500, alpha=SURE)
        for scale in (1.0, 0.2)
    )
    # Fails for a correct program with probability < 5e-6: α of each; the means are 7 or more deviations inside.
    assert healthy.verdict == "not_refuted"
    assert (0.1 if summarise == "attributes" else 0.0) <= healthy.epsilon_lower <= 1.0
    assert broken.violated
    assert 1.0 < broken.epsilon_lower <= 5.0


@pytest.mark.slow
def test_an_estimator_without_numbers_or_probes_is_told_so() -> None:
    mechanism = EstimatorMechanism(NoisyThreshold(), Claim(1.0), bounds=Box(0, 1), summarise="probabilities")
    moved = LABELLED.with_rows(np.append(1.0, LABELLED.X[1:]), LABELLED.y)
    with pytest.raises(
        InvalidInput, match="NoisyThreshold must show fitted numbers, or predict_proba at probe points"
    ):
        audit(mechanism, pair=Pair(LABELLED, moved), trainings=200)
    probed = replace(mechanism, probes=np.array([[0.5], [1.0]]))
    # Fails for a correct program with probability < 1e-6: α.
    assert audit(probed, pair=Pair(LABELLED, moved), trainings=200, alpha=SURE).verdict == "not_refuted"


def test_every_training_of_an_estimator_has_its_own_full_seed() -> None:
    mechanism = EstimatorMechanism(NoisyThreshold(), Claim(1.0))
    fitted = [mechanism.fit(LABELLED, SeedSequence(0, spawn_key=(i,))).sums_[0] for i in (0, 0, 1)]
    assert fitted[0] == fitted[1] != fitted[2]


def test_tight_with_data_is_refused_since_it_would_not_be_about_them() -> None:
    with pytest.raises(InvalidInput, match="tight must keep D as one side of the pair"):
        audit(Laplace(1.0), DATA, attack=Tight(), rows=1)


@pytest.mark.slow
def test_delta_reaches_the_scan() -> None:
    """One in ten trainings tells its label, the others by randomised response: exactly (0.5, 0.1)-DP."""

    def telling(data: Dataset, rng: Generator) -> float:
        on_base = data.X[0, 0] == 1
        if rng.random() < 0.1:
            return 5.0 if on_base else -5.0
        return 1.0 if (rng.random() < expit(0.5)) == on_base else -1.0

    pair = Pair(Dataset([1.0]), Dataset([0.0]))
    procedure = Progressive((Logistic(),))
    verdicts = [
        audit(telling, pair=pair, claim=Claim(0.5, delta), procedure=procedure, trainings=2000, alpha=SURE).verdict
        for delta in (0.1, 0.0)
    ]
    # Fails for a correct program with probability < 2e-6: α; the mean of 2.1 is 9 deviations above 0.5.
    assert verdicts == ["not_refuted", "violated"]
