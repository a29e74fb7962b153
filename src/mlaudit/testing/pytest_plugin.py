"""The pytest plugin: the fixture `assert_private`, the marker `privacy` with settings for it, the summary."""

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mlaudit.testing.record import RunningTest, collect_claims, read_claims

MARKER = "privacy"
_SETTINGS = ("flake_rate", "trainings", "seconds", "seed")
_COLOURS = {"violated": "red", "not_repeated": "yellow", "inconclusive": "yellow", "not_refuted": "green"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where witnesses and results are left, and a budget for all tests."""
    group = parser.getgroup("mlaudit")
    group.addoption("--privacy-witnesses", metavar="DIR", help="where witnesses are left (mlaudit-witnesses)")
    group.addoption(
        "--privacy-results", metavar="DIR", help="keep draws and results of all claims, for `mlaudit report DIR`"
    )
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Keep the claims that a test audits with its report, which pytest-xdist sends home."""
    kept = item.config.getoption("--privacy-results")
    line = (item.location[1] or 0) + 1  # pytest counts from 0
    results = None if kept is None else Path(kept).absolute()
    with collect_claims(RunningTest(item.user_properties, item.nodeid, str(item.path), line, results)):
        return (yield)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A line for each audited claim, and the flake rate of the whole run; nothing if no claim was audited."""
    whole = {  # the last report of a test has them all
        report.nodeid: read_claims(report.user_properties)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "teardown"
    }
    audited = [(test, told) for test, claims in whole.items() for told in claims]
    if not audited:
        return
    from mlaudit.testing.summary_lines import claim_line, closing_lines  # noqa: PLC0415 - only where used

    terminalreporter.section("privacy")
    for test, told in sorted(audited, key=lambda one: one[0]):
        terminalreporter.write_line(claim_line(test, told), **{_COLOURS[told["verdict"]]: True})
    for line in closing_lines([told for _, told in audited]):
        terminalreporter.write_line(line)
