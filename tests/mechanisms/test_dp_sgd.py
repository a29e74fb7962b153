"""DP-SGD as a mechanism: its claim and noise, its trainings, its sampler, and modules of the user's own."""

import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import Dataset, Pair, audit
from mlaudit.attacks._changes import Added, changed_rows, observe_as
from mlaudit.attacks.blank import Blank
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.attacks.clip_bkd_extended import ClipBkdExtended
from mlaudit.attacks.mislabelled import Mislabelled
from mlaudit.attacks.shadow import Shadow
from mlaudit.cli import main
from mlaudit.dp_sgd.compiled import train_many
from mlaudit.dp_sgd.network import Network
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.dp_sgd import DpSgd
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.sequential import Sequential
from mlaudit.samplers import dp_sgd_batched
from mlaudit.samplers.sampled import SampledMechanism, choose_sampler
from mlaudit.testing.mechanism import check_mechanism
from mlaudit.types.claim import Relation

pytest.importorskip("opacus")
pytest.importorskip("numba")

RNG = default_rng(0)
Y = np.arange(40) % 2
DATA = Dataset(np.clip(60 * RNG.random((40, 36)) + 120 * Y[:, None], 0, 255), Y, name="squares")
SMALL = DpSgd(epochs=2.0, rate=0.5, rows=40, sigma=1.0, clip=1.0, pixels=(0.0, 1.0), network=Network((1, 6, 6), (2,)))
PAIR = Added(Blank())(SMALL, DATA, 1, default_rng(1))


def test_it_keeps_the_contract_of_a_mechanism() -> None:
    assert [str(c) for c in check_mechanism(SMALL, PAIR) if not c.passed] == []


def test_the_claim_is_for_a_row_added_or_removed() -> None:
    assert SMALL.claim.relation is Relation.ADD_REMOVE
    assert (SMALL.claim.gaussian, replace(SMALL, rate=1.0).claim.gaussian) == (False, True)
    assert PAIR.steps(SMALL.claim.relation) == 1
    replaced = Blank()(SMALL, DATA, 1, default_rng(1))
    assert replaced.steps(SMALL.claim.relation) == 2


@pytest.mark.slow
def test_the_noise_is_searched_for_once_and_travels(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlaudit.statistics.subsampled_gaussian import epsilon_of

    learner = DpSgd(4.0, epochs=1.0)
    found = learner.noise_multiplier
    assert 3.9 < epsilon_of(1.0 / found, 0.1, 10, 1e-5, rounded_up=True) <= 4.0
    asked: list[Any] = []
    monkeypatch.setattr("mlaudit.mechanisms.dp_sgd.noise_multiplier", lambda *a: asked.append(a))
    sent = pickle.loads(pickle.dumps(learner))
    assert (sent.noise_multiplier, asked) == (found, [])


@pytest.mark.slow
def test_full_batches_take_the_noise_of_composed_gaussians() -> None:
    from mlaudit.statistics.gaussian_dp import epsilon_of

    sigma = DpSgd(4.0, rate=1.0, epochs=25.0).noise_multiplier
    assert float(epsilon_of(5.0 / sigma, 1e-5)) == pytest.approx(4.0, abs=0.05)


def test_batches_stand_for_networks_and_not_for_modules() -> None:
    fast = choose_sampler(SMALL, "auto", PAIR)
    assert isinstance(fast, SampledMechanism)
    assert fast.traits.batch == 10
    own = replace(SMALL, network=None, module=lambda: None)
    assert choose_sampler(own, "auto", PAIR) is own
    with pytest.raises(InvalidInput, match="it trains Networks, not a module of your own"):
        choose_sampler(own, "batched", PAIR)


def test_both_ways_to_draw_see_the_same_points() -> None:
    learner = replace(SMALL, probes=0, sigma=1e-9, rate=1.0, initial="fixed")
    batch = SampledMechanism(learner, "batched").prepare(DATA, PAIR.target)(2, SeedSequence(0))
    single = learner.summary(learner.fit(DATA, SeedSequence(1)), PAIR.target)
    np.testing.assert_allclose(batch, [single, single], rtol=1e-4)
    assert batch.shape == (2, 2)  # x* and a blank image


def linear() -> Any:
    import torch

    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 2))


# Fails for a correct program with probability < 1e-9: no noise; two classes that are 60 grey levels apart in each of
# 36 pixels, whose probabilities are those of a convex problem.
def test_attacks_on_one_dataset_look_at_the_same_models(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []

    def count(*args: Any) -> Any:
        trained.append(args[4])
        return train_many(*args)

    monkeypatch.setattr(dp_sgd_batched, "train_many", count)
    seed, other = 5, Added(Mislabelled())(SMALL, DATA, 1, default_rng(1))
    fast, seen = choose_sampler(SMALL, "auto", PAIR), choose_sampler(replace(SMALL, probes=0), "auto", PAIR)
    draws = [
        TrainingStream(learner, data, target, seed).draw(0, 10).z
        for learner in (fast, seen)
        for data in (PAIR.base, PAIR.neighbour)
        for target in (PAIR.target, other.target)
    ]
    assert trained == [10, 10]  # D and D′
    np.testing.assert_allclose(draws[0][:, 0], draws[4][:, 0], rtol=1e-5)
    assert not np.allclose(draws[0], draws[1])  # another point, and so another key
    keys = {TrainingStream(fast, PAIR.base, one, seed).key for one in (PAIR.target, other.target)}
    assert len(keys) == 2


def test_a_module_of_ones_own_is_trained_by_opacus() -> None:
    import torch

    own = replace(SMALL, module=linear, network=None, shape=(1, 6, 6), sigma=1e-9, rate=1.0, epochs=60.0, clip=100.0)
    own = replace(own, make_optimiser=lambda parameters: torch.optim.SGD(parameters, lr=0.5))
    model = own.fit(DATA, SeedSequence(0))
    assert ((own.probability(model, DATA.X) > 0.5) == (Y == 1)).mean() > 0.95
    assert own.summary(model, PAIR.target).shape == (1,)
    fixed = replace(own, initial="fixed", epochs=1.0)
    seen = [fixed.summary(fixed.fit(DATA, SeedSequence(s)), PAIR.target)[0] for s in (1, 2)]
    assert seen[0] == pytest.approx(seen[1], abs=1e-5)


def test_a_module_of_ones_own_begins_with_the_weights_that_are_given() -> None:
    given = np.linspace(-1.0, 1.0, 74)
    own = replace(SMALL, module=linear, network=None, initial=given, learning_rate=1e-9, epochs=0.5)
    model = own.fit(DATA, SeedSequence(0))
    assert np.asarray(PAIR.target).tolist() == [0.0] * 36
    assert own.summary(model, PAIR.target) == pytest.approx([given[73] - given[72]], abs=1e-5)  # the biases
    with pytest.raises(InvalidInput, match=r"weights must be 74 numbers, one a parameter, got shape \(3,\)"):
        replace(own, initial=given[:3]).fit(DATA, SeedSequence(0))


@pytest.mark.parametrize(("labels", "shown"), [(np.array(["b", "m"])[Y], "'b'"), (Y.astype(float), "0.0"), (-Y, "0")])
def test_cross_entropy_needs_numbered_classes(labels: Any, shown: str) -> None:
    own = replace(SMALL, module=linear, network=None)
    with pytest.raises(InvalidInput, match=f"labels must be whole numbers from 0 for cross-entropy, got {shown};"):
        own.fit(Dataset(DATA.X, labels), SeedSequence(0))


def test_a_module_is_not_trained_again_and_again() -> None:
    with pytest.raises(InvalidInput, match="a function that makes a module for every training, got one Sequential"):
        replace(SMALL, network=None, module=linear())


@pytest.mark.slow
def test_the_example_of_a_network_is_audited_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = Path(__file__).parents[2] / "examples" / "my_network.py"
    given = ["--data", "breast_cancer", "--epsilon", "4", "--trainings", "200", "--rows", "1", "--change", "add"]
    assert main(["run", f"{example}:my_network", *given, "--out", str(tmp_path / "out"), "--quiet"]) == 0
    assert "dp_sgd, claim ε = 4, δ = 1e-05 (add-remove)" in capsys.readouterr().out


# Fails for a correct program with probability < 1e-9: without noise all guesses are right.
@pytest.mark.slow
def test_an_audit_of_no_noise_finds_it_out_and_opacus_confirms() -> None:
    broken = replace(SMALL, epsilon=0.5, sigma=1e-6, initial="fixed", rate=1.0, epochs=3.0)
    result = audit(broken, DATA, attack=Added(Blank()), rows=1, trainings=100)
    assert result.violated


def verdict_of(noise_of: float, seed: int, alpha: float = 0.05) -> str:
    """Of a network that claims ε = 1 and has the noise of another ε."""
    full = replace(SMALL, rate=1.0, epochs=3.0, clip=0.05, optimiser="sgd", learning_rate=0.1, initial="fixed")
    sigma = 1e-6 if math.isinf(noise_of) else replace(full, epsilon=noise_of, sigma=None).noise_multiplier
    claimed = replace(full, epsilon=1.0, sigma=sigma)
    how: dict[str, Any] = {"procedure": Sequential(), "alpha": alpha, "seed": seed}
    return audit(claimed, DATA, attack=Added(Blank()), rows=1, trainings=300, **how).verdict


# Fails for a correct program with probability < 1e-8: in 8 seeds no noise was refuted after 25 to 31 trainings, the
# noise of ε = 8 after 47 to 112: the logarithm is normal, and 300 are 4.3 deviations away, twice in three seeds, on
# either of the compiled trainer and Opacus.
@pytest.mark.slow
@pytest.mark.parametrize("noise_of", [math.inf, 8.0])
def test_a_network_with_the_noise_of_another_epsilon_is_caught_within_300_trainings(noise_of: float) -> None:
    assert [verdict_of(noise_of, seed) for seed in range(3)].count("violated") >= 2


# Fails for a correct program with probability < 1e-7: the audit's α.
@pytest.mark.slow
def test_a_network_with_the_noise_it_claims_is_not() -> None:
    assert verdict_of(1.0, 0, alpha=1e-7) == "not_refuted"


@pytest.mark.parametrize("attack", [Blank(), Mislabelled(), ClipBkd(), Shadow(models=2, iterations=3)])
def test_canaries_have_labels_that_surprise(attack: Callable[..., Pair]) -> None:
    quick = replace(SMALL, epochs=0.5)
    pair = attack(quick, DATA, 1, default_rng(2))
    assert pair.rows == 1
    assert pair.target is not None
    label = np.asarray(pair.neighbour.y)[changed_rows(pair)]
    bright = pair.target.mean() > DATA.X.mean()
    if isinstance(attack, Blank | Mislabelled):
        assert label[0] == int(not bright)


# Fails for a correct program with probability < 1e-6: in 10 seeds the logit moves by 2.2, with a deviation of 0.3.
@pytest.mark.slow
def test_shadows_move_a_row_to_where_its_loss_is_larger() -> None:
    flat = Network((1, 6, 6), ())  # no layer whose neurons could be dead
    learner = replace(SMALL, sigma=0.1, epochs=10.0, optimiser="adam", learning_rate=0.01, network=flat)
    pair = Shadow(models=2)(learner, DATA, 1, default_rng(4))
    at = int(np.flatnonzero((pair.base.X != pair.neighbour.X).any(axis=1))[0])
    model = learner.fit(DATA, SeedSequence(9))
    before, after = learner.probability(model, np.vstack([DATA.X[at], np.asarray(pair.target)]))
    assert (after < before) if Y[at] == 1 else (after > before)


def test_the_extended_view_takes_probes_and_a_learner_that_has_them() -> None:
    assert observe_as(ClipBkdExtended(3), SMALL).probes == 3  # type: ignore[attr-defined]
    with pytest.raises(InvalidInput, match="needs a learner with probes"):
        ClipBkdExtended().observe(Laplace())
    with pytest.raises(InvalidInput, match="images that were held out, got data 'squares' without any"):
        replace(SMALL, probes=2).view(DATA)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rate": 2.0}, "rate must be a probability in (0, 1], got 2.0"),
        ({"optimiser": "sdg"}, "no optimiser is called 'sdg'; did you mean 'sgd'?"),
        ({"initial": "pretraind"}, "no way to begin is called 'pretraind'; did you mean 'pretrained'?"),
        ({"delta": 1.0}, "delta must be a number in [0, 1), got 1.0"),
        ({"sigma": 0.0}, "sigma must be a number in (0, inf), got 0.0"),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        replace(SMALL, **change)
    assert str(caught.value) == said


def test_other_images_need_a_network() -> None:
    with pytest.raises(InvalidInput, match="take 784 or 3072 pixels, got 36 columns; give a network or a module"):
        replace(SMALL, network=None).fit(DATA, SeedSequence(0))
