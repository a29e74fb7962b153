"""A network of one's own, trained by Opacus with a loss and an optimiser of one's own.

mlaudit run examples/my_network.py:my_network --data breast_cancer --epsilon 4 --trainings 200 --rows 1
"""

import torch

from mlaudit.mechanisms.dp_sgd import DpSgd


def make_module() -> torch.nn.Module:
    """A new module for every training; one logit for two classes."""
    return torch.nn.Sequential(torch.nn.Linear(30, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))


def loss(outputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The mean over the batch, as Opacus expects."""
    return torch.nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], labels.float())


def make_optimiser(parameters: object) -> torch.optim.Optimizer:
    """Any optimiser of torch."""
    return torch.optim.SGD(parameters, lr=0.5, momentum=0.9)


def my_network(epsilon: float, delta: float = 1e-5) -> DpSgd:
    """The learner that is audited, and its claim."""
    return DpSgd(
        epsilon,
        delta,
        epochs=2.0,
        rate=0.1,
        rows=569,
        clip=1.0,
        module=make_module,
        loss=loss,
        make_optimiser=make_optimiser,
    )
