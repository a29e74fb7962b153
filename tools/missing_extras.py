"""A test that needs an extra which is not installed is skipped, and the reason names the extra.

A test says so itself (`@pytest.mark.extra("diffprivlib")`), or its failure does: that a package is missing.

`--needing FILE` writes these tests and their extras to a file, for `tools/matrix.py`.
"""

import re
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

EXTRA_OF = {
    "diffprivlib": "diffprivlib",
    "numba": "fast",
    "torch": "dpsgd",
    "opacus": "dpsgd",
    "dp_accounting": "dpsgd",
    "matplotlib": "report",
    "pyarrow": "parquet",
    "dask": "dask",
    "distributed": "dask",
    "ray": "ray",
    "opendp": "opendp",
    "pydp": "google",
    "pipeline_dp": "google",
    "jax_privacy": "jax",
    "pure_ldp": "pureldp",
    "multi_freq_ldpy": "multildp",
    "snsql": "smartnoise",
    "sphinx": "docs",
    "nbclient": "docs",
}
_ABSENT = {package: extra for package, extra in EXTRA_OF.items() if find_spec(package) is None}
# What the command line says, and what Python says. Neither is believed of a package that is installed.
_SENTENCES = re.compile(r"pip install 'mlaudit\[(?P<extra>\w+)\]'|No module named '(?P<package>\w+)[.']")
_REASON = re.compile(r"needs the extra (.+), which is not installed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where to write the tests that need an extra."""
    parser.addoption("--needing", metavar="FILE", help="write the tests that were skipped for want of an extra")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write a line for each test that needs an extra: the extras, a tab, the test."""
    file = config.getoption("--needing")
    if file:
        skipped = terminalreporter.stats.get("skipped", [])
        Path(file).write_text("".join(map(_line, skipped)), encoding="utf-8")


def _line(report: pytest.CollectReport | pytest.TestReport) -> str:
    found = _REASON.search(str(report.longrepr))
    return f"{found[1].replace('`', '').replace(' and ', ',')}\t{report.nodeid}\n" if found else ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that says which extra it needs."""
    for mark in item.iter_markers("extra"):
        if mark.args[0] in _ABSENT.values():
            pytest.skip(f"needs the extra `{mark.args[0]}`, which is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A file of tests that cannot be imported without an extra is skipped as a whole."""
    report = yield
    _skip(report, str(collector.path), 0)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed because an extra is absent was not meant for this environment."""
    report = yield
    missing = _skip(report, str(item.path), item.location[1] or 0)
    if missing and call.excinfo is not None:
        # A fixture of a whole module fails once, and its other tests see the error without what was printed then.
        call.excinfo.value.add_note("\n".join(f"pip install 'mlaudit[{extra}]'" for extra in missing))
    return report


def _skip(report: pytest.CollectReport | pytest.TestReport, path: str, line: int) -> list[str]:
    """Skip what failed for want of an extra; give a skip by `importorskip` a reason that names the extra."""
    if not _ABSENT or report.passed or hasattr(report, "wasxfail"):
        return []
    missing = sorted(set(_missing(report)))
    if missing:
        report.outcome = "skipped"
        extras = " and ".join(f"`{extra}`" for extra in missing)
        report.longrepr = (path, line + 1, f"Skipped: needs the extra {extras}, which is not installed")
    return missing


def _missing(report: pytest.CollectReport | pytest.TestReport) -> Iterator[str]:
    said = "\n".join([report.longreprtext, *(text for _, text in report.sections)])
    for found in _SENTENCES.finditer(said):
        extra = found["extra"] or EXTRA_OF.get(found["package"], "")
        if extra in _ABSENT.values():
            yield extra
