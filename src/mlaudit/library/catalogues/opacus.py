"""Opacus: a small network trained through `PrivacyEngine` in each way that it offers; claims are its accountants'."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from mlaudit.adapters.opacus import OpacusTraining
from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import LABELLED
from mlaudit.library.item import Item

try:
    import torch
    from opacus import PrivacyEngine
except ImportError:
    raise MissingExtra("opacus", "dpsgd") from None

_DELTA, _NOISE = 1e-3, 2.0
_TRAININGS = 100  # one takes some 10 milliseconds
_WAYS: dict[str, dict[str, Any]] = {
    "flat clipping": {},
    "per-layer clipping": {"clipping": "per_layer", "max_grad_norm": [0.5] * 4},
    "adaptive clipping": {
        "clipping": "adaptive",
        "target_unclipped_quantile": 0.5,
        "clipbound_learning_rate": 0.2,
        "max_clipbound": 10.0,
        "min_clipbound": 0.05,
        "unclipped_num_std": 2.0,
    },
    "functorch gradients": {"grad_sample_mode": "functorch"},
    "expanded weights": {"grad_sample_mode": "ew", "loss_reduction": "sum"},
    "shuffled batches": {"poisson_sampling": False},
    "sum of losses": {"loss_reduction": "sum"},
}


def opacus() -> Iterator[Item]:
    """One epoch of DP-SGD on forty rows, with every kind of clipping, gradients, batches and accountant.

    >>> len(list(opacus()))
    11
    """
    for name, options in _WAYS.items():
        yield _item(name, partial(_train, options, "prv"))
    for accountant in ("rdp", "gdp"):
        yield _item(f"{accountant} accountant", partial(_train, {}, accountant))
    yield _item("ghost clipping", _train_by_ghosts)
    yield _item("Adam", partial(_train, {}, "prv", optimiser=torch.optim.Adam))


def _item(name: str, train: Any) -> Item:
    return Item(name, OpacusTraining(train, LABELLED, delta=_DELTA), data=LABELLED, trainings=_TRAININGS)


def _train(options: dict[str, Any], accountant: str, rows: Any, optimiser: Any = torch.optim.SGD) -> Any:
    module, loader = _network(), _loader(rows)
    named = {"noise_multiplier": _NOISE, "max_grad_norm": 1.0, **options}
    module, steps, loader = PrivacyEngine(accountant=accountant).make_private(
        module=module, optimizer=optimiser(module.parameters(), lr=0.5), data_loader=loader, **named
    )
    return _run(module, steps, loader, torch.nn.CrossEntropyLoss(reduction=options.get("loss_reduction", "mean")))


def _train_by_ghosts(rows: Any) -> Any:
    module = _network()
    module, steps, loss, loader = PrivacyEngine().make_private(
        module=module,
        optimizer=torch.optim.SGD(module.parameters(), lr=0.5),
        criterion=torch.nn.CrossEntropyLoss(),
        data_loader=_loader(rows),
        noise_multiplier=_NOISE,
        max_grad_norm=1.0,
        grad_sample_mode="ghost",
    )
    return _run(module, steps, loader, loss)


def _network() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))


def _loader(rows: Any) -> Any:
    return torch.utils.data.DataLoader(rows, batch_size=10, shuffle=True)


def _run(module: Any, steps: Any, loader: Any, loss: Any) -> Any:
    for x, y in loader:
        steps.zero_grad()
        loss(module(x), y).backward()
        steps.step()
    return module
