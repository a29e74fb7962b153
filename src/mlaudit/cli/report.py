"""mlaudit report."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from mlaudit.cli.writing import write_whole
from mlaudit.errors import Incomplete, InvalidInput

_FORMATS = ("html", "md", "csv")
_FIGURES = "figures"


def command(given: argparse.Namespace) -> int:
    """Write the report of a folder and say where it is."""
    wanted = _read_formats(given.format)
    folder = Path(given.folder)
    made = _make_files(folder, wanted)
    out = Path(given.out) if given.out else folder
    for name, content in made:
        _write(out / name, content)
        if not name.startswith(f"{_FIGURES}/"):
            sys.stdout.write(f"{out / name}\n")
    return 0


def _read_formats(text: str) -> frozenset[str]:
    if text != "all" and text not in _FORMATS:
        raise InvalidInput(f"--format must be html, md, csv or all, got {text!r}")
    return frozenset(_FORMATS if text == "all" else [text])


def _make_files(folder: Path, wanted: frozenset[str]) -> Iterator[tuple[str, str | bytes]]:
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
