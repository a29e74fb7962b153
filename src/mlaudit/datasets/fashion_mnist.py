"""Fashion-MNIST: 1 000 images of 28 × 28 pixels in 0 … 255, T-shirts against trousers (Zalando Research)."""

from mlaudit.datasets._images import Images
from mlaudit.types.dataset import Dataset

SOURCE = Images(
    name="fashion_mnist",
    file="fashion_mnist_01.npz",
    sha256="47c2184ea0a60e09b30cd66dd8143dc3ffe1ba7dbf6f391a8350d37079c6d978",
    openml_id=40996,
    train=60_000,
    class_counts=(6000, 6000),
    shape=(1, 28, 28),
    package="dataset-fashion-mnist",
)


def fashion_mnist() -> Dataset:
    """A thousand training images of classes 0 and 1."""
    return SOURCE.dataset()
