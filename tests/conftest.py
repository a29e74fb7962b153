"""Tests have a key of their own for the stores they make, and leave the user's alone."""

import os
import tempfile
from pathlib import Path

import pytest

_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def pytest_configure(config: pytest.Config) -> None:
    """Before any test runs, so that the commands that tests start have it, too."""
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix="mlaudit-key-")
    _KEPT.append(folder)
    os.environ["MLAUDIT_KEY"] = str(Path(folder.name) / "key")


def pytest_unconfigure(config: pytest.Config) -> None:
    while _KEPT:
        _KEPT.pop().cleanup()
