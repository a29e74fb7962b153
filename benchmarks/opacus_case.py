"""A small network that Opacus' PrivacyEngine makes private, for traces."""

from collections.abc import Callable
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import torch
from numpy.random import Generator
from opacus import PrivacyEngine
from opacus.accountants import create_accountant
from torch.utils.data import DataLoader, TensorDataset

from mlaudit import Dataset

DELTA = 1e-3
BATCH, EPOCHS, NOISE = 8, 2, 1.0
# With batches of 8, 43 and 44 rows have the same rate (1/6) and the same expected batch (7); 39 and 40 have not, and
# neither have 40 and 41.
SETTINGS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("flat clipping, PRV accountant", 43, {}),
    ("flat clipping, RDP accountant", 43, {"accountant": "rdp"}),
    ("flat clipping, GDP accountant", 43, {"accountant": "gdp"}),
    ("per-layer clipping", 43, {"clipping": "per_layer", "clip": [1.0, 1.0, 1.0, 1.0]}),
    ("adaptive clipping", 43, {"clipping": "adaptive"}),
    ("ghost clipping", 43, {"grad_sample_mode": "ghost"}),
    ("clip 100", 43, {"clip": 100.0}),
    ("clip 0.01", 43, {"clip": 0.01}),
    ("batches in order, no Poisson sampling", 43, {"poisson_sampling": False}),
    ("expected batch 7 or 8", 39, {}),
    ("rate 1/5 or 1/6", 40, {}),
    ("noise of another accountant (σ = 0.5)", 43, {"forgotten": 0.5}),
)


def learner(
    *,
    clip: float | list[float] = 1.0,
    accountant: str = "prv",
    forgotten: float = 0.0,
    **settings: Any,
) -> Callable[[Dataset, Generator], Any]:
    """A training of two epochs; `forgotten` sets the noise behind the accountant's back."""

    def train(data: Dataset, rng: Generator) -> Any:
        torch.manual_seed(int(rng.integers(2**31)))
        module = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        rows = TensorDataset(torch.tensor(data.X, dtype=torch.float32), torch.tensor(data.y, dtype=torch.float32))
        ghost = settings.get("grad_sample_mode") == "ghost"
        loss: Any = torch.nn.BCEWithLogitsLoss()
        adaptive = settings.get("clipping") == "adaptive"
        more = (
            {
                "target_unclipped_quantile": 0.5,
                "clipbound_learning_rate": 0.2,
                "max_clipbound": 10.0,
                "min_clipbound": 0.1,
                "unclipped_num_std": 1.0,
            }
            if adaptive
            else {}
        )
        made = PrivacyEngine(accountant=accountant).make_private(
            module=module,
            optimizer=torch.optim.SGD(module.parameters(), lr=0.1),
            data_loader=DataLoader(rows, batch_size=BATCH),
            noise_multiplier=NOISE,
            max_grad_norm=clip,
            **({"criterion": loss} if ghost else {}),
            **settings,
            **more,
        )
        private, optimiser, loss, loader = made if ghost else (made[0], made[1], loss, made[2])
        if forgotten:
            own = optimiser.add_noise

            def add_less() -> None:
                optimiser.noise_multiplier = forgotten
                own()
                optimiser.noise_multiplier = NOISE

            optimiser.add_noise = add_less
        for _ in range(EPOCHS):
            for x, y in loader:
                optimiser.zero_grad()
                loss(private(x)[:, 0], y).backward()
                optimiser.step()
        return np.concatenate([p.detach().numpy().ravel() for p in private.parameters()])

    return train


@cache
def _epsilon(accountant: str, rows: int) -> float:
    made = create_accountant(accountant)
    steps = ceil(rows / BATCH)
    for _ in range(EPOCHS * steps):
        made.step(noise_multiplier=NOISE, sample_rate=1 / steps)
    return float(made.get_epsilon(DELTA))


def claimed(rows: int, settings: dict[str, Any]) -> float:
    """The ε that Opacus' accountant states for this training, rounded up."""
    return ceil(100 * _epsilon(settings.get("accountant", "prv"), rows)) / 100
