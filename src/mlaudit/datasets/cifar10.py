"""CIFAR10: 1 000 images of 3 × 32 × 32 pixels in 0 … 255, aeroplanes against cars (Krizhevsky 2009)."""

from mlaudit.datasets._images import Images
from mlaudit.types.dataset import Dataset

SOURCE = Images(
    name="cifar10",
    file="cifar10_01.npz",
    sha256="9defd352eafce1320c81c2fc83f0d05162460d2c5ec41a607d2eaf8e26ead5ab",
    openml_id=40927,
    train=50_000,
    class_counts=(5000, 5000),
    shape=(3, 32, 32),
)


def cifar10() -> Dataset:
    """A thousand training images of classes 0 and 1, channels first."""
    return SOURCE.dataset()
