"""mlaudit library."""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.folder import Folder
from mlaudit.cli.result_folder import RESULT, ResultFolder, tell_origin
from mlaudit.cli.specs import LibrarySpec
from mlaudit.cli.terminal import count_trainings, printable
from mlaudit.errors import AuditError
from mlaudit.library.item import Item, read_items, select_items
from mlaudit.library.result import Entry, LibraryResult
from mlaudit.library.run import Slot, audit_library, choose_seed
from mlaudit.library.text import render
from mlaudit.naming.describe import describe
from mlaudit.naming.plugins import load
from mlaudit.protocols import Store
from mlaudit.refuting.locations import locate_lines
from mlaudit.refuting.result import ClaimTest
from mlaudit.report.library import files
from mlaudit.results.json import read_object, read_text

_LONGEST = 60  # characters of an item's name in the name of its folder


def command(given: argparse.Namespace) -> int:
    """Test every item in a folder of its own, write the report, and print the table."""
    spec: LibrarySpec = given.spec
    items = select_items(read_items(load("catalogues", spec.catalogue), spec.catalogue), spec.only)
    share = spec.alpha / len(items)
    repeat = spell_command("library", spec)
    identity = identify("library", spec, [item.name for item in items], _version(spec.catalogue))
    bar = count_trainings(None, show=not given.quiet)
    shown = f"{spec.catalogue}, seed {spec.seed}"
    with (
        open_engine(given.engine) as engine,
        bar as meter,
        ResultFolder.open(given.out, f"library-{spec.catalogue}-{spec.effort}", identity, shown) as folder,
    ):
        result = audit_library(
            items,
            library=spec.catalogue,
            version=_version(spec.catalogue),
            effort=spec.effort,
            measure=spec.measure,
            alpha=spec.alpha,
            seed=spec.seed,
            engine=engine,
            open_slot=lambda item: _open_slot(item, folder.path, share, spec, repeat),
            progress=meter,
        )
        written = _write_report(result, folder, repeat)
    if given.json:
        whole = {**result.summary(), "files": [str(path) for path in written]}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        names = ", ".join(path.name for path in written)
        sys.stdout.write(printable(f"{render(result)}\n  files       {folder.path}: {names}\n"))
    given.fail_on_violation = not given.exit_zero
    return exit_code([one.verdict for one in result.entries], given)


@dataclass(frozen=True)
class _FolderSlot:
    """The folder of one item: what `mlaudit test` leaves, and the CPU seconds."""

    item: Item
    folder: Folder
    command: str

    @property
    def store(self) -> Store:
        """Where trainings are kept, so that an interrupted test continues."""
        return self.folder.store

    def read(self) -> Entry | None:
        """The entry of an earlier run; the folder is that of the same test, or it would have been refused."""
        path = self.folder.path / RESULT
        if not path.exists():
            return None
        content = read_text(path)
        spent = read_object(content, str(path)).get("cpu_seconds")
        found = ClaimTest.from_json(content, source=str(path))
        return Entry(self.item.name, found, "", float(spent) if isinstance(spent, int | float) else 0.0)

    def keep(self, result: ClaimTest, cpu_seconds: float) -> None:
        """Write the result, and a file for `mlaudit replay` for every finding."""
        told = tell_origin(self.command, self.item.learner)
        told["locations"] += [one.as_data() for one in locate_lines(result)]
        for number, found in enumerate(result.findings, start=1):
            self.folder.results.keep(f"witness_{number}.json", found.witness.to_json())
        self.folder.results.save(result, {**told, "item": self.item.name, "cpu_seconds": round(cpu_seconds, 3)})


@contextmanager
def _open_slot(item: Item, home: Path, share: float, spec: LibrarySpec, repeat: str) -> Iterator[Slot]:
    about = [spec.effort, share, item.trainings, choose_seed(item, spec.seed), _describe_item(item)]
    about += [] if spec.measure is None else [spec.measure]
    identity = identify("library", item.name, *about)
    slug = re.sub(r"[^A-Za-z0-9]+", "-", item.name).strip("-")[:_LONGEST]
    path = home / f"{slug}-{sha256(item.name.encode()).hexdigest()[:6]}"
    with Folder.open(str(path), item.name, identity, f"{item.name}, seed {spec.seed}") as folder:
        yield _FolderSlot(item, folder, repeat)


def _describe_item(item: Item) -> object:
    try:
        return describe([as_mechanism(item.learner, item.claim), item.claim, item.data, item.pair])
    except AuditError:  # the test meets it again, and tells it
        return None


def _version(catalogue: str) -> str:
    """The version of the library that a shipped catalogue is named after; "" for other catalogues."""
    try:
        return version(catalogue)
    except (PackageNotFoundError, ValueError):
        return ""


def _write_report(result: LibraryResult, folder: ResultFolder, repeat: str) -> list[Path]:
    made = {"library.json": json.dumps(result.summary(), ensure_ascii=False, indent=1), **dict(files(result, repeat))}
    return [folder.keep(name, content) for name, content in made.items()]
