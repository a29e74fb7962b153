"""Install the wheel and the sdist in fresh environments, and run the quick tests there: `make test-matrix`.

A cell is a Python, an extra, the newest or the lowest versions that pyproject.toml allows, and a wheel or an sdist.
The cell of an extra, or of all extras together, takes the tests that were skipped without it in the core's cell of
the same Python and versions, or all of them if that cell was not run. If all tests of an extra are slow ones, as
those of clusters, its cell takes those that name it or its packages. An sdist must install the files of the wheel,
byte by byte; its tests then hold for it.

`make test-matrix ONLY=3.12-core` runs the cells whose names begin so; several beginnings are separated by commas.
`TESTS='tests/types tests/cli'` takes the quick tests of these only.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

from missing_extras import EXTRA_OF

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13")
# What the tests read. Not src: what is tested must be what was installed.
TESTED = (
    *("tests", "examples", "docs", "benchmarks", "tools", "conftest.py", "README.md", "pyproject.toml"),
    *("Makefile", "CHANGELOG.md", "CITATION.cff", "action.yml", ".pre-commit-hooks.yaml", ".github", ".ci"),
)
TOOLS = ("pytest", "pytest-xdist", "hypothesis", "selenium", "jsonschema", "pyyaml")
WITH = {"dpsgd": ["dpsgd", "fast"]}  # the tests of DP-SGD hold the compiled trainer against the one of Opacus
ALL = "all"  # every extra but those of APART
APART = ("dpsgd", "smartnoise")  # few Pythons have a torch; SmartNoise needs an older OpenDP than the extra opendp
WITHOUT_WHEELS = ("multi-freq-ldpy", "antlr4-python3-runtime")
CLASH = "clash"  # diffprivlib beside a scikit-learn that is too new for it, as pip installs them


@dataclass(frozen=True)
class Cell:
    """One fresh environment.

    >>> Cell("3.12", "core", "lowest", "wheel").name
    '3.12-core-lowest-wheel'
    """

    python: str
    extra: str
    versions: str
    source: str

    @property
    def name(self) -> str:
        """What ONLY selects by."""
        return f"{self.python}-{self.extra}-{self.versions}-{self.source}"


@dataclass(frozen=True)
class Outcome:
    """What became of a cell."""

    cell: Cell
    result: str
    seconds: float
    failed: bool = False


@dataclass(frozen=True)
class Bench:
    """The temporary folder with what all cells share: uv, the wheel, the sdist and the tests."""

    folder: Path
    wheel: Path
    sdist: Path

    @property
    def uv(self) -> str:
        """The installer; it can choose the lowest versions, and pip cannot."""
        return str(self.folder / "tools" / "bin" / "uv")


class CellFailed(Exception):
    """A step of a cell ended with an error."""


class Unavailable(Exception):
    """This machine cannot run the cell."""


def every_cell(extras: Sequence[str]) -> list[Cell]:
    """The whole matrix, the most telling cells first."""
    core = [Cell(python, "core", versions, "wheel") for python in PYTHONS for versions in ("newest", "lowest")]
    from_sdist = [Cell(python, "core", "newest", "sdist") for python in PYTHONS]
    clash = [Cell(PYTHONS[0], CLASH, "newest", "wheel")]
    more = [
        Cell(python, extra, versions, "wheel")
        for python in PYTHONS
        for extra in [*extras, ALL]
        for versions in ("newest", "lowest")
    ]
    return [*core, *from_sdist, *clash, *more]


def extras_in(cell: Cell) -> list[str]:
    """The extras that the cell installs."""
    if cell.extra == ALL:
        return [extra for extra in read_extras() if extra not in APART]
    return [] if cell.extra in ("core", CLASH) else WITH.get(cell.extra, [cell.extra])


def read_extras() -> list[str]:
    """The extras of this project's users."""
    return extras_of((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def extras_of(pyproject: str) -> list[str]:
    r"""The extras that users install.

    >>> extras_of("[project.optional-dependencies]\nfast = []\ntest = []")
    ['fast']
    """
    return [
        name for name in tomllib.loads(pyproject)["project"]["optional-dependencies"] if name not in ("test", "docs")
    ]


def find_python(release: str) -> str | None:
    """An interpreter of that release on PATH or of pyenv; pyenv's shims are there even where their Python is not."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    tried = [shutil.which(f"python{release}"), *sorted(map(str, kept.glob(f"{release}.*/bin/python")), reverse=True)]
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in filter(None, tried):
        done = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip() == release:
            return path
    return None


def prepare(folder: Path) -> Bench:
    """Build the wheel and the sdist, and copy the tests to a place without the package's source."""
    run([sys.executable, "-m", "venv", folder / "tools"])
    run([folder / "tools" / "bin" / "python", "-m", "pip", "install", "--quiet", "build", "uv"])
    run([folder / "tools" / "bin" / "python", "-m", "build", "--outdir", folder / "dist", ROOT])
    tests = folder / "checkout"
    tests.mkdir()
    for name in TESTED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tests / name)
    return Bench(folder, next((folder / "dist").glob("*.whl")), next((folder / "dist").glob("*.tar.gz")))


def run(command: Sequence[str | Path], cwd: Path | None = None, variables: Mapping[str, str] | None = None) -> str:
    """Run a step and return what it printed; raise with the end of that if it fails."""
    # The caller's own source must not reach the cell.
    usual = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**usual, **(variables or {})}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        print(done.stdout[-20_000:])
        raise CellFailed(_last_line(done.stdout) or f"exit code {done.returncode}")
    return done.stdout


def install(cell: Cell, bench: Bench, python: str, environment: Path) -> None:
    """A fresh environment with the cell's versions of everything, and the tools that run the tests."""
    links = {"UV_FIND_LINKS": os.environ["PIP_FIND_LINKS"]} if "PIP_FIND_LINKS" in os.environ else {}
    run([bench.uv, "venv", "--quiet", "--python", python, environment])
    file = bench.wheel if cell.source == "wheel" else bench.sdist
    extras = ",".join(extras_in(cell))
    wanted = [f"mlaudit[{extras}] @ {file.as_uri()}", *(["diffprivlib"] if cell.extra == CLASH else [])]
    uv_install: list[str | Path] = [bench.uv, "pip", "install", "--python", environment / "bin" / "python"]
    command = [*uv_install, *wanted]
    if cell.versions == "lowest":
        # A version without a wheel for this Python is no version for it.
        command += ["--resolution", "lowest-direct", "--only-binary", ":all:"]
        command += [word for name in WITHOUT_WHEELS for word in ("--no-binary", name)]
    if cell.extra == "dpsgd":
        command.append(_torch_without_cuda(uv_install, links))
    run([*command, "--quiet"], variables=links)
    run([*uv_install, "--quiet", *TOOLS])


def _torch_without_cuda(uv_install: Sequence[str | Path], links: Mapping[str, str]) -> str:
    """The build of torch that constraints.txt names, for the processor only: others bring gigabytes of CUDA."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    wanted = next(f"{line.strip()}+cpu" for line in lines if line.startswith("torch=="))
    try:
        run([*uv_install, "--dry-run", "--no-deps", wanted], variables=links)
    except CellFailed:
        raise Unavailable(f"there is no wheel of {wanted} here for this Python") from None
    return wanted


def test(cell: Cell, bench: Bench, environment: Path, paths: Sequence[str]) -> str:
    """The quick tests below these paths against the installed package; returns pytest's count."""
    python, checkout = environment / "bin" / "python", bench.folder / "checkout"
    needing = bench.folder / f"{cell.python}-{cell.versions}-needing"
    home = run([python, "-c", "import mlaudit; print(mlaudit.__file__)"], cwd=checkout).strip()
    if not Path(home).is_relative_to(environment):
        raise CellFailed(f"mlaudit was imported from {home}")
    if cell.source == "sdist":
        return compare_files(Path(home).parent, bench.wheel)
    quick = ["-m", "not slow and not statistical"]
    what = [*quick, "tests/test_extras.py"] if cell.extra == CLASH else [*quick, *paths]
    if cell.extra == "core":
        what.append(f"--needing={needing}")
    elif cell.extra != CLASH and needing.exists():
        needed = tests_for(extras_in(cell), needing.read_text(encoding="utf-8"))
        # No quick test needs a cluster, for one.
        what = [*quick, *needed] if needed else ["-m", "not statistical", "-k", names_of(cell.extra), *paths]
    return _last_line(run([python, "-m", "pytest", "-q", "-n", "2", "--dist", "worksteal", *what], cwd=checkout))


def compare_files(package: Path, wheel: Path) -> str:
    """Count the files of the installed package, if they are those of the wheel; raise if not."""
    with ZipFile(wheel) as archive:
        ours = {name: archive.read(name) for name in archive.namelist() if name.startswith("mlaudit/")}
    theirs = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    }
    other = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    if other:
        raise CellFailed(f"{len(other)} files differ from the wheel's: {', '.join(other[:5])}")
    return f"the wheel's {len(ours)} files, byte by byte"


def tests_for(extras: Sequence[str], needing: str) -> list[str]:
    r"""The tests that need one of these extras and perhaps others; what lacks the others is skipped again.

    >>> tests_for(["dpsgd", "fast"], "fast\ta.py::f\ndpsgd,ray\tb.py\nray\tc.py\n")
    ['a.py::f', 'b.py']
    """
    rows = [line.split("\t") for line in needing.splitlines()]
    return [test for needed, test in rows if set(needed.split(",")) & set(extras)]


def names_of(extra: str) -> str:
    """What slow tests of an extra are named after, as pytest's -k takes it: the extra, or one of its packages.

    >>> names_of("multildp")
    'multildp or multi_freq_ldpy'
    """
    return " or ".join(dict.fromkeys([extra, *(package for package, found in EXTRA_OF.items() if found == extra)]))


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2].strip("= ")


def try_cell(cell: Cell, bench: Bench, paths: Sequence[str]) -> Outcome:
    """Install, test, remove."""
    start = time.monotonic()
    python = find_python(cell.python)
    if python is None:
        return Outcome(cell, f"skipped: Python {cell.python} is not on this machine", 0)
    environment = bench.folder / cell.name
    try:
        install(cell, bench, python, environment)
        result = re.sub(r" in [\d.]+s.*", "", test(cell, bench, environment, paths))
        return Outcome(cell, result, time.monotonic() - start)
    except Unavailable as reason:
        return Outcome(cell, f"skipped: {reason}", time.monotonic() - start)
    except CellFailed as failure:
        return Outcome(cell, str(failure), time.monotonic() - start, failed=True)
    finally:
        shutil.rmtree(environment, ignore_errors=True)


def selected(cells: Sequence[Cell], only: str) -> Iterator[Cell]:
    """The cells whose names begin with one of the texts in `only`.

    >>> [cell.name for cell in selected(every_cell(["fast"]), "3.12-core-lowest,3.13-fast-newest")]
    ['3.12-core-lowest-wheel', '3.13-fast-newest-wheel']
    """
    beginnings = tuple(part.strip() for part in only.split(","))
    return (cell for cell in cells if cell.name.startswith(beginnings))


def table(outcomes: Sequence[Outcome]) -> str:
    """A line for each cell.

    >>> print(table([Outcome(Cell("3.12", "core", "lowest", "wheel"), "9 passed", 61.2)]))
    python  extra        versions  from   seconds  result
    3.12    core         lowest    wheel       61  9 passed
    """
    head = f"{'python':<6}  {'extra':<11}  {'versions':<8}  {'from':<5}  {'seconds':>7}  result"
    rows = [
        f"{o.cell.python:<6}  {o.cell.extra:<11}  {o.cell.versions:<8}  {o.cell.source:<5}  {o.seconds:>7.0f}  "
        f"{o.result}{' – FAILED' * o.failed}"
        for o in outcomes
    ]
    return "\n".join([head, *rows])


def main() -> int:
    """Run the chosen cells; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="beginnings of the names of cells, separated by commas")
    parser.add_argument("--tests", default="tests", help="the tests to choose the quick ones from (default: tests)")
    parser.add_argument("--list", action="store_true", help="print the names of the cells, and end")
    given = parser.parse_args()
    cells = list(selected(every_cell(read_extras()), given.only))
    if given.list or not cells:
        print("\n".join(cell.name for cell in cells or every_cell(read_extras())))
        return 0 if cells else 2
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        bench = prepare(Path(folder))
        for cell in cells:
            print(f"== {cell.name}", flush=True)
            outcomes.append(try_cell(cell, bench, given.tests.split()))
            print(f"   {outcomes[-1].result} ({outcomes[-1].seconds:.0f} s)", flush=True)
    print(table(outcomes))
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
