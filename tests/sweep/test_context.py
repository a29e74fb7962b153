"""What a row is measured again for: defaults, libraries, the user's code and what that imports."""

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import SimpleNamespace

import pytest

import mlaudit
from mlaudit.sweep import context
from mlaudit.sweep.context import code_version, libraries, requirement_names, user_version
from mlaudit.sweep.imports import package_version, source_version

DEFAULT = "trainings: int = option(4000"


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package whose sources may be changed."""
    root = tmp_path / "mlaudit"
    shutil.copytree(Path(mlaudit.__file__).parent, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(context, "mlaudit", SimpleNamespace(__file__=str(root / "__init__.py")))
    return root


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "matters"),
    [
        ("auditing/spec.py", DEFAULT, DEFAULT.replace("4000", "500"), True),
        ("auditing/options.py", 'split(",")', 'split(";")', True),
        ("results/summary.py", '"schema_version": SCHEMA_VERSION', '"schema_version": 2', True),
        ("auditing/run.py", "_FEWEST = 100", "_FEWEST = 200", True),
        ("report/html.py", "MOST_ROWS = 3000", "MOST_ROWS = 2000", False),
        ("drawing/stores/_database.py", "_TRIES, _PAUSE = 100", "_TRIES, _PAUSE = 50", False),
    ],
)
def test_source_that_decides_about_a_row_is_in_its_key(
    file: str, old: str, new: str, matters: bool, copy: Path
) -> None:
    before = code_version()
    change(copy / file, old, new)
    assert (code_version() != before) is matters


@pytest.mark.slow
def test_a_changed_default_is_measured_again(tmp_path: Path) -> None:
    """The whole command, with another default of an option that the sweep file does not give."""
    root = tmp_path / "src" / "mlaudit"
    shutil.copytree(Path(mlaudit.__file__).parent, root)  # with its compiled files: most stay good
    (tmp_path / "small.toml").write_text('[grid]\nmechanism = "laplace"\nepsilon = 1\nrows = 1\n', encoding="utf-8")

    def trainings() -> int:
        call = "import sys; sys.path.insert(0, 'src'); from mlaudit.cli import main; "
        call += "main(['sweep', 'small.toml', '--out', 'out', '--quiet']); "
        call += "from mlaudit.sweep.store import SqliteResults; "
        call += "[row] = SqliteResults('out/results.sqlite').rows('small'); print(row.values['trainings'])"
        done = subprocess.run([sys.executable, "-c", call], cwd=tmp_path, check=True, capture_output=True, text=True)
        return int(done.stdout.split()[-1])

    change(root / "auditing" / "spec.py", DEFAULT, DEFAULT.replace("4000", "600"))
    assert trainings() == 600
    change(root / "auditing" / "spec.py", DEFAULT.replace("4000", "600"), DEFAULT.replace("4000", "500"))
    assert trainings() == 500


@pytest.mark.slow
def test_every_library_that_is_declared_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = requirement_names(requires("mlaudit") or [])
    assert {"numpy", "scipy", "scikit-learn", "joblib", "diffprivlib", "numba", "torch", "opacus"} <= declared
    assert not {"pytest", "matplotlib", "ray"} & declared
    assert set(libraries()) == declared
    before = code_version()
    for library in ("torch", "opacus", "numpy"):
        other = {**libraries(), library: "0.0.1"}
        monkeypatch.setattr(context, "libraries", lambda found=other: found)
        assert code_version() != before, library
        monkeypatch.undo()


def test_without_metadata_every_distribution_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(context, "requires", missing)
    assert {"numpy", "pytest"} <= set(libraries())


def test_what_a_users_file_imports_is_in_the_key(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import json\nfrom helper import f\nimport package.part\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("def f():\n    import deeper\n", encoding="utf-8")
    (tmp_path / "deeper.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "part.py").write_text("from . import other\n", encoding="utf-8")
    (tmp_path / "package" / "other.py").write_text("y = 1\n", encoding="utf-8")
    (tmp_path / "unrelated.py").write_text("z = 1\n", encoding="utf-8")
    settings = {"mechanism": f"{tmp_path / 'mine.py'}:f"}
    for file, matters in (
        ("mine.py", True),
        ("helper.py", True),
        ("deeper.py", True),
        ("package/other.py", True),
        ("unrelated.py", False),
    ):
        before = user_version(settings)
        with (tmp_path / file).open("a", encoding="utf-8") as more:
            more.write("# changed\n")
        assert (user_version(settings) != before) is matters, file


def test_a_file_that_is_no_python_has_a_hash(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def (:\n", encoding="utf-8")
    assert source_version(tmp_path / "mine.py")


def test_packages_that_settings_name_are_in_the_key() -> None:
    assert "scikit-learn" in package_version("sklearn")
    assert user_version({"mechanism": "sklearn.naive_bayes:GaussianNB"}) == package_version("sklearn")
    assert user_version({"mechanism": "laplace", "epsilon": 1, "attack": "auto,swap_x"}) == ""


def test_data_files_are_in_the_key(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,y\n1,0\n", encoding="utf-8")
    before = user_version({"data": str(tmp_path / "rows.csv")})
    (tmp_path / "rows.csv").write_text("a,y\n2,0\n", encoding="utf-8")
    assert before != user_version({"data": str(tmp_path / "rows.csv")}) != ""
