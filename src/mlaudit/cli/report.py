"""mlaudit report."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from mlaudit.cli.writing import write_whole
from mlaudit.errors import Incomplete, InvalidInput

_FORMATS = ("html", "md", "csv")
_FOR_CI = ("sarif", "badge", "summary")
_FIGURES = "figures"
Files = Iterator[tuple[str, str | bytes]]


def command(given: argparse.Namespace) -> int:
    """Write the report of a folder and say where it is."""
    wanted = _read_formats(given.format)
    if given.inconclusive and "sarif" not in wanted:
        raise InvalidInput(f"--inconclusive is for --format sarif, got {given.format!r}; leave one of them out")
    folder = Path(given.folder)
    out = Path(given.out) if given.out else folder
    for name, content in _make_all(folder, wanted, inconclusive=given.inconclusive):
        _write(out / name, content)
        if not name.startswith(f"{_FIGURES}/"):
            sys.stdout.write(f"{out / name}\n")
    return 0


def _read_formats(text: str) -> frozenset[str]:
    words = _FORMATS if text == "all" else tuple(text.split(","))
    if not set(words) <= {*_FORMATS, *_FOR_CI}:
        raise InvalidInput(f"--format must be all, or some of {', '.join((*_FORMATS, *_FOR_CI))}, got {text!r}")
    return frozenset(words)


def _make_all(folder: Path, wanted: frozenset[str], *, inconclusive: bool) -> Files:
    pages = wanted & {*_FORMATS}
    if pages:
        yield from _make_files(folder, pages)
    if wanted - pages:
        yield from _make_for_ci(folder, wanted, inconclusive=inconclusive)


def _make_files(folder: Path, wanted: frozenset[str]) -> Files:
    if (folder / "results.sqlite").is_file():
        from mlaudit.report import sweep

        return sweep.files(sweep.read_summary(folder / "results.sqlite"), wanted)
    if (folder / "result.json").is_file():
        from mlaudit.canaries.result import is_canary_result
        from mlaudit.refuting.result import is_claim_test
        from mlaudit.report import canary, claim_test, single
        from mlaudit.results.json import read_text

        path = folder / "result.json"
        content = read_text(path)
        if is_canary_result(content, str(path)):
            return canary.files(path, wanted)
        return claim_test.files(path, wanted) if is_claim_test(content, str(path)) else single.files(path, wanted)
    what = "a folder with neither" if folder.is_dir() else "no such folder"
    raise InvalidInput(
        f"{folder} must be the folder of a sweep (results.sqlite) or of a run (result.json), got {what}; "
        "give the folder that --out named"
    )


def _make_for_ci(folder: Path, wanted: frozenset[str], *, inconclusive: bool) -> Files:
    """Small files about every claim that the folder, or a folder below it, has a result of."""
    from mlaudit.report import badge, sarif, step_summary
    from mlaudit.report.outcomes import read_outcomes

    outcomes = read_outcomes(folder)
    if "sarif" in wanted:
        yield "report.sarif", sarif.render(outcomes, inconclusive=inconclusive)
    if "badge" in wanted:
        yield "badge.json", badge.render(outcomes)
    if "summary" in wanted:
        yield "summary.md", step_summary.render(outcomes)


def _write(path: Path, content: str | bytes) -> None:
    """Whole or not at all, and only into the folder itself: a stranger's may hold links to other places."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.name == _FIGURES and path.parent.is_symlink():
            raise InvalidInput(
                f"{path.parent} must be a folder, got a link to {path.parent.resolve()}; give another --out"
            )
        write_whole(path, content)
    except (FileExistsError, NotADirectoryError, PermissionError) as error:
        raise InvalidInput(f"--out must be a folder that can be written to, got: {error}") from error
    except OSError as error:
        raise Incomplete(f"the report cannot be written: {error}; run the same command again") from error
