"""CPU seconds of a DP-SGD training: the textbook loop of Opacus, ours on Opacus, the compiled trainer; interleaved.

python benchmarks/dp_sgd.py [ROUNDS] [fashion_mnist|cifar10 ...]
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.random import SeedSequence
from opacus import PrivacyEngine

from mlaudit.datasets._load import load_data
from mlaudit.dp_sgd import compiled, opacus_loop
from mlaudit.dp_sgd.modules import module_of
from mlaudit.dp_sgd.network import CIFAR10, FASHION_MNIST, Network
from mlaudit.dp_sgd.plan import Plan

EPOCHS = {"fashion_mnist": 10, "cifar10": 15}
NETWORKS = {"fashion_mnist": FASHION_MNIST, "cifar10": CIFAR10}
MANY = 5  # compiled trainings in a round: one alone is too short to time


def textbook(network: Network, epochs: int, images: Any, labels: Any, seed: int) -> None:
    """What Opacus' own tutorial does."""
    torch.manual_seed(seed)
    module: Any = module_of(network)
    optimiser: Any = torch.optim.RMSprop(module.parameters(), lr=1e-3)
    rows = torch.utils.data.TensorDataset(
        torch.from_numpy(images).reshape(-1, *network.shape), torch.from_numpy(labels)
    )
    loader: Any = torch.utils.data.DataLoader(rows, batch_size=100)
    module, optimiser, loader = PrivacyEngine().make_private(
        module=module, optimizer=optimiser, data_loader=loader, noise_multiplier=1.0, max_grad_norm=0.002
    )
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(epochs):
        for x, y in loader:
            optimiser.zero_grad()
            loss(module(x), y).backward()
            optimiser.step()


def seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def measured(name: str, rounds: int) -> None:
    data, network = load_data(name), NETWORKS[name]
    images, labels = data.X.astype(np.float32), np.asarray(data.y)
    plan = Plan(network, 10 * EPOCHS[name], 0.1, 1.0, 0.002, 100.0)
    rows = []
    for i in range(-1, rounds):  # the first warms up and compiles
        each = (
            seconds(partial(textbook, network, EPOCHS[name], images, labels, i + 1)),
            seconds(partial(opacus_loop.train, plan, images, labels, None, SeedSequence(i + 1))),
            seconds(partial(compiled.train_many, plan, images, labels, None, MANY, SeedSequence(i + 1))) / MANY,
        )
        rows += [each] if i >= 0 else []
    text, ours, in_batch = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"{name}: textbook {text:.3f} s, ours on Opacus {ours:.3f} s, compiled {in_batch:.4f} s")
    print(f"  ours / textbook: {statistics.median(b / a for a, b, _ in rows):.2f}")
    print(f"  textbook / compiled: {statistics.median(a / c for a, _, c in rows):.1f}")
    print(f"  ours on Opacus / compiled: {statistics.median(b / c for _, b, c in rows):.1f}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    given = sys.argv[1:]
    for chosen in given[1:] or list(NETWORKS):
        measured(chosen, int(given[0]) if given else 5)
