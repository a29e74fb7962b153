"""Loading data takes a while: a person sees what is loaded."""

from mlaudit.cli.terminal import show_status
from mlaudit.datasets._load import load_data
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation


def show_loading(name: str, target: str | None, how: Preparation, asked: tuple[str, ...], *, show: bool) -> Dataset:
    """Load data, and say so on a terminal."""
    show_status(f"loading {name}", show=show)
    return load_data(name, target, how, asked)
