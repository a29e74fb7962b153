"""The pytest plugin: the fixture `assert_private`, and the marker `privacy` with settings for it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

MARKER = "privacy"
_SETTINGS = ("flake_rate", "trainings", "seconds", "seed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where witnesses of failures are left, and a budget for all tests."""
    group = parser.getgroup("mlaudit")
    group.addoption("--privacy-witnesses", metavar="DIR", help="where witnesses are left (mlaudit-witnesses)")
    group.addoption("--privacy-trainings", type=int, metavar="N", help="at most so many trainings a test")
    group.addoption("--privacy-seconds", type=float, metavar="S", help="at most so many seconds a test")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    settings = ", ".join(f"{name}=…" for name in _SETTINGS)
    config.addinivalue_line(
        "markers", f"{MARKER}({settings}): audits a privacy claim; settings for the fixture assert_private"
    )


@pytest.hookimpl(tryfirst=True)  # before -m looks at them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses the fixture has the marker, so that `-m "not privacy"` leaves it out."""
    for item in items:
        if "assert_private" in getattr(item, "fixturenames", ()) and item.get_closest_marker(MARKER) is None:
            item.add_marker(MARKER)


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`mlaudit.testing.assert_private` with the settings of the test's marker and the command line."""
    from mlaudit.testing.private import WITNESSES, assert_private  # noqa: PLC0415 - only where used

    marker = request.node.get_closest_marker(MARKER)
    settings = {} if marker is None else dict(marker.kwargs)
    unknown = sorted(set(settings) - set(_SETTINGS))
    if unknown or (marker is not None and marker.args):
        pytest.fail(
            f"the marker {MARKER} takes {', '.join(_SETTINGS)} by name, got {unknown or marker.args}", pytrace=False
        )
    for name in ("trainings", "seconds"):
        most = request.config.getoption(f"--privacy-{name}")
        if most is not None:
            settings[name] = min(most, settings.get(name, most))
    folder = Path(request.config.getoption("--privacy-witnesses") or request.config.rootpath / WITNESSES)
    name = request.node.nodeid.replace("/", "-").replace("::", "-")
    return partial(assert_private, **settings, witness=folder / f"{name}.json")
