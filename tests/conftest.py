"""Settings of every test: hypothesis, and a key of its own for the stores that tests make."""

import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from mlaudit.naming import fingerprint

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
    if not config.getoption("--hypothesis-profile", default=None):
        _keep_constants_out()


@pytest.fixture
def as_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only files of the current folder are a user's: a command in this process goes on with draws of another one."""
    monkeypatch.setattr(fingerprint, "is_installed", lambda file: not file.startswith(os.getcwd() + os.sep))


def _keep_constants_out() -> None:
    """Without constants of our modules in its examples: each worker of pytest has loaded others, and tries others."""
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants"):  # of newer versions, which have no setting for it
        none = providers._local_constants
        providers._get_local_constants = lambda: none


def pytest_unconfigure(config: pytest.Config) -> None:
    while _KEPT:
        _KEPT.pop().cleanup()
