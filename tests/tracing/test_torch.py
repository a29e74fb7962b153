"""A trace of torch and Opacus: exact losses of its noise, the steps of a private training, and their batches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair, Relation
from mlaudit.statistics.gaussian_dp import epsilon_of
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import trace
from mlaudit.types.edits import add_rows

torch: Any = pytest.importorskip("torch", reason="the extra `dpsgd` is not installed")
PAIR = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
GAUSS = Claim(2.0, 1e-3)
PURE = float(np.log(np.exp(0.5) - 1e-3 * (1 + np.exp(0.5))))  # a pure ε of 0.5, at that δ
HALF = float(epsilon_of(0.5, 1e-3))  # the loss of a move of 1 in Gaussian noise of scale 2


def follow(learner: Callable[[Any, Generator], Any], claim: Claim = GAUSS, pair: Pair = PAIR) -> TraceResult:
    return trace(learner, pair=pair, claim=claim, rounds=2, prove=False)


def total(data: Any) -> Any:
    return torch.as_tensor(data.X).sum()


def fill(data: Any, rng: Generator) -> Any:
    noise = torch.zeros(1)
    noise.normal_(0.0, 2.0)
    return (total(data) + noise).numpy()


def add_in_place(data: Any, rng: Generator) -> float:
    value = total(data).reshape(1).float()
    value += 2 * torch.randn(1)
    return float(value.item())


def learn_through_noise(data: Any, rng: Generator) -> Any:
    weights = torch.ones(2, requires_grad=True)
    noisy = weights * torch.as_tensor(data.X[:, 0]) + 2 * torch.randn(2)
    noisy.sum().backward()
    assert weights.grad is not None
    return noisy.detach().numpy()


def begin_at_random(data: Any, rng: Generator) -> Any:
    weight = torch.nn.Parameter(torch.randn(3))
    (weight**2).sum().backward()
    torch.optim.SGD([weight], lr=0.1).step()
    return (total(data) + torch.normal(0.0, 2.0, size=(1,))).tolist()


SOURCES: dict[str, tuple[Callable[[Any, Generator], Any], float]] = {
    "normal": (lambda data, rng: (total(data) + torch.normal(0.0, 2.0, size=(1,))).item(), HALF),
    "normal around the value": (lambda data, rng: torch.normal(total(data).reshape(1), 2.0).item(), HALF),
    "randn": (lambda data, rng: (total(data) - 2 * torch.randn(())).item(), HALF),
    "from the left": (lambda data, rng: (float(data.X.sum()) - torch.randn(1) / 0.5).numpy(), HALF),
    "alpha": (lambda data, rng: total(data).reshape(1).add_(torch.randn(1), alpha=2.0).numpy(), HALF),
    "reshaped": (lambda data, rng: (torch.as_tensor(data.X) + 2 * torch.randn(2).view(2, 1)).numpy(), HALF),
    "as numpy's noise": (lambda data, rng: data.X.sum() + 2 * torch.randn(1).numpy(), HALF),
    "numpy's noise as a tensor": (
        lambda data, rng: (total(data) + torch.as_tensor(rng.laplace(0, 2, 1))).item(),
        PURE,
    ),
    "distribution": (
        lambda data, rng: (total(data) + torch.distributions.Laplace(0.0, 2.0).sample((1,))).item(),
        PURE,
    ),
    "filled in place": (fill, HALF),
    "added in place": (add_in_place, HALF),
    "with gradients": (learn_through_noise, HALF),
    "random weights are no noise": (begin_at_random, HALF),
    "randomised response": (
        lambda data, rng: torch.where(torch.rand(2) < 0.75, torch.as_tensor(data.X)[:, 0], torch.tensor(0.5)).numpy(),
        np.inf,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOURCES)
def test_the_loss_of_each_source_is_exact(name: str) -> None:
    learner, loss = SOURCES[name]
    found = follow(learner)
    assert found.transcript == pytest.approx(loss)
    assert all(call.site.file == __file__ for call in found.calls)


@pytest.mark.slow
def test_the_patches_are_removed() -> None:
    before = torch.normal, torch.randn, torch.Tensor.normal_, torch.from_numpy
    follow(SOURCES["normal"][0])
    assert before == (torch.normal, torch.randn, torch.Tensor.normal_, torch.from_numpy)
    assert type(torch.randn(1)) is torch.Tensor


def train(settings: dict[str, Any], change: Callable[[Any], None] | None = None) -> Callable[[Any, Generator], Any]:
    """A training of one epoch by Opacus' own PrivacyEngine, in batches of 8."""
    engine: Any = pytest.importorskip("opacus", reason="the extra `dpsgd` is not installed").PrivacyEngine

    def learner(data: Any, rng: Generator) -> Any:
        module = torch.nn.Linear(3, 1)
        rows = torch.utils.data.TensorDataset(torch.as_tensor(data.X).float(), torch.as_tensor(data.y).float())
        private, optimiser, loader = engine().make_private(
            module=module,
            optimizer=torch.optim.SGD(module.parameters(), lr=0.1),
            data_loader=torch.utils.data.DataLoader(rows, batch_size=8),
            noise_multiplier=1.0,
            max_grad_norm=1.0,
            **settings,
        )
        if change is not None:
            change(optimiser)
        for x, y in loader:
            optimiser.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(private(x)[:, 0], y).backward()
            optimiser.step()
        return np.concatenate([p.detach().numpy().ravel() for p in private.parameters()])

    return learner


def one_row_more(rows: int, at: int) -> Pair:
    data = Dataset(np.random.default_rng(0).normal(size=(rows, 3)), np.arange(rows) % 2)
    return Pair(data, add_rows(data, at, np.full(3, 5.0), 1))


STATED = 2.083  # by Opacus' accountant, for six steps at rate 1/6
OPACUS = Claim(2.1, 1e-3, Relation.ADD_REMOVE)


@pytest.mark.slow
@pytest.mark.parametrize("at", [0, 20, 43])
def test_a_private_training_is_followed_step_by_step(at: int) -> None:
    found = follow(train({}), OPACUS, one_row_more(43, at))
    assert found.faults == ()
    assert found.calls[0].calls == 12  # six steps, two parameters each
    assert found.calls[0].scale == 1.0
    assert found.budget == pytest.approx(STATED, abs=0.01)
    assert found.budget is not None
    assert 1.5 < found.transcript <= found.budget
    assert found.limit is None
    assert "random batches" in found.notes[0]


@pytest.mark.slow
def test_less_noise_than_the_accountant_knows_is_suspected() -> None:
    def change(optimiser: Any) -> None:
        own = optimiser.add_noise

        def add_less() -> None:
            optimiser.noise_multiplier = 0.3
            own()
            optimiser.noise_multiplier = 1.0

        optimiser.add_noise = add_less

    found = follow(train({}, change), OPACUS, one_row_more(43, 43))
    assert [fault.kind for fault in found.faults] == ["loss"]
    assert found.faults[0].site.file == __file__
    assert found.budget == pytest.approx(STATED, abs=0.01)


@pytest.mark.slow
def test_gradients_that_are_not_clipped_are_suspected() -> None:
    def change(optimiser: Any) -> None:
        optimiser.max_grad_norm = 1e3  # clips nothing, and makes the noise as large

        def add_as_if_clipped() -> None:
            optimiser.max_grad_norm = 1.0
            type(optimiser).add_noise(optimiser)
            optimiser.max_grad_norm = 1e3

        optimiser.add_noise = add_as_if_clipped

    found = follow(train({}, change), OPACUS, one_row_more(43, 43))
    assert "sensitivity" in [fault.kind for fault in found.faults]
    assert any("Opacus' clipping declares sensitivity 1" in fault.sentence for fault in found.faults)


@pytest.mark.slow
def test_batches_that_are_not_drawn_at_random_count_in_full() -> None:
    found = follow(train({"poisson_sampling": False}), OPACUS, one_row_more(43, 43))
    assert found.transcript == pytest.approx(float(epsilon_of(1.0, 1e-3)), rel=0.05)  # the row is in one step, μ = 1
    assert found.budget == pytest.approx(STATED, abs=0.01)
    assert "random batches" not in " ".join(found.notes)


@pytest.mark.slow
def test_a_rate_that_depends_on_the_number_of_rows_is_suspected() -> None:
    found = follow(train({}), OPACUS, one_row_more(40, 40))
    assert [fault.kind for fault in found.faults] == ["sequence"]
    assert "probability 0.2 there, 0.1667 here" in found.faults[0].sentence
