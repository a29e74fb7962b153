"""A training loop of one's own around Opacus: its claim, its seeds, and what is refused."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Relation
from mlaudit.adapters.opacus import OpacusTraining
from mlaudit.errors import InvalidInput

torch: Any = pytest.importorskip("torch")
opacus: Any = pytest.importorskip("opacus")
pytestmark = [
    pytest.mark.extra("dpsgd"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Secure RNG turned off"),
    pytest.mark.filterwarnings("ignore:Full backward hook"),
]
X = default_rng(0).uniform(-1, 1, (20, 2))
DATA = Dataset(X, (X[:, 0] > 0).astype(int))


def train(rows: Any) -> Any:
    """What a user has written for Opacus alone."""
    model = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loader = torch.utils.data.DataLoader(rows, batch_size=5)
    model, optimizer, loader = opacus.PrivacyEngine(accountant="rdp").make_private(
        module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.0, max_grad_norm=1.0
    )
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


def test_the_claim_is_the_accountants() -> None:
    accountant = opacus.accountants.RDPAccountant()
    for _ in range(4):
        accountant.step(noise_multiplier=1.0, sample_rate=0.25)
    claim = OpacusTraining(train, DATA, delta=1e-3).claim
    assert claim.epsilon == pytest.approx(accountant.get_epsilon(1e-3), abs=1e-3)
    assert claim.epsilon >= accountant.get_epsilon(1e-3)
    assert (claim.delta, claim.relation) == (1e-3, Relation.ADD_REMOVE)


def test_the_seed_is_all_and_the_callers_generators_are_left_alone() -> None:
    learner = OpacusTraining(train, DATA, stated=Claim(4.0, 1e-3, Relation.ADD_REMOVE))
    before, others = torch.get_rng_state(), random.getstate()
    first, again, other = (learner.summary(learner.fit(DATA, SeedSequence(seed)), None) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (6,)
    assert torch.equal(torch.get_rng_state(), before)
    assert random.getstate() == others


def test_without_an_engine_or_labels_it_is_refused() -> None:
    def plain(rows: Any) -> Any:
        return torch.nn.Linear(2, 2)

    with pytest.raises(InvalidInput, match="plain must make one PrivacyEngine, got 0"):
        assert OpacusTraining(plain, DATA).claim
    with pytest.raises(InvalidInput, match="a network learns from labels, got rows without"):
        OpacusTraining(train, Dataset(X)).fit(Dataset(X), SeedSequence(0))
