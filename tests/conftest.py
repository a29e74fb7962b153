"""Settings of every test: hypothesis, and a key of its own for the stores that tests make."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure, and the same examples are tried on every machine. To look further:
# pytest --hypothesis-profile explore
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("same"), derandomize=False, max_examples=1000)
settings.load_profile("same")

_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def pytest_configure(config: pytest.Config) -> None:
    """Before any test runs, so that the commands that tests start have it, too."""
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix="mlaudit-key-")
    _KEPT.append(folder)
    os.environ["MLAUDIT_KEY"] = str(Path(folder.name) / "key")


def pytest_unconfigure(config: pytest.Config) -> None:
    while _KEPT:
        _KEPT.pop().cleanup()
