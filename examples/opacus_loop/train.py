"""A training loop with Opacus that knows nothing of mlaudit."""

import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, Dataset


def train(rows: Dataset) -> torch.nn.Module:
    """Two epochs of DP-SGD on a small network."""
    model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loader = DataLoader(rows, batch_size=8)
    loss = torch.nn.CrossEntropyLoss()
    model, optimizer, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=optimizer,
        data_loader=loader,
        noise_multiplier=1.0,
        max_grad_norm=1.0,
    )
    for _ in range(2):
        for x, y in loader:
            optimizer.zero_grad()
            loss(model(x), y).backward()
            optimizer.step()
    return model
