"""What is said where an extra is absent, or does not fit what is installed beside it."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from mlaudit.errors import ClashingVersions, MissingExtra
from mlaudit.naming.clashes import _clash, refuse_clashing_versions

EXAMPLE = Path(__file__).parent.parent / "examples" / "diffprivlib_naive_bayes.py"


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


DIFFPRIVLIB, SKLEARN = _installed("diffprivlib"), version("scikit-learn")
TOO_NEW = tuple(map(int, SKLEARN.split(".")[:2])) >= (1, 8)
SCIPY_TOO_NEW = tuple(map(int, version("scipy").split(".")[:2])) >= (1, 18)


def run_audit(learner: str, folder: Path) -> str:
    """One line on stderr, and exit code 2."""
    typed = f"run {learner} --epsilon 1 --data iris --rows 1 --trainings 100 --quiet --out {folder / 'run'}"
    program = "import sys; from mlaudit.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, *typed.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.skipif(bool(DIFFPRIVLIB), reason="diffprivlib is installed")
def test_without_diffprivlib_the_extra_is_named(tmp_path: Path) -> None:
    line = run_audit("naive_bayes", tmp_path)
    assert line == "mlaudit: this needs diffprivlib; install it with: pip install 'mlaudit[diffprivlib]'"


@pytest.mark.skipif(not (DIFFPRIVLIB and TOO_NEW), reason="needs diffprivlib beside scikit-learn 1.8 or newer")
@pytest.mark.parametrize("learner", ["naive_bayes", "logistic_objective", "k_means"])
def test_diffprivlib_beside_a_newer_scikit_learn_is_refused_with_the_remedy(learner: str, tmp_path: Path) -> None:
    assert run_audit(learner, tmp_path) == (
        f"mlaudit: diffprivlib {DIFFPRIVLIB} needs scikit-learn below 1.8, got {SKLEARN}; install both with: "
        "pip install 'mlaudit[diffprivlib]'"
    )


@pytest.mark.skipif(
    not DIFFPRIVLIB or SKLEARN.startswith("1.8.") or not TOO_NEW, reason="needs diffprivlib beside scikit-learn 1.9"
)
def test_a_users_file_that_imports_diffprivlib_gets_the_same_remedy(tmp_path: Path) -> None:
    assert "needs scikit-learn below 1.8" in run_audit(f"{EXAMPLE}:naive_bayes", tmp_path)


def test_a_clash_is_found_by_the_installed_versions() -> None:
    assert (_clash() is not None) == bool(DIFFPRIVLIB and (TOO_NEW or SCIPY_TOO_NEW))
    if _clash() is None:
        refuse_clashing_versions()
    else:
        with pytest.raises(ClashingVersions):
            refuse_clashing_versions()


def test_a_newer_scipy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"diffprivlib": "0.6.6", "scikit-learn": "1.7.2", "scipy": "1.18.0"}
    monkeypatch.setattr("importlib.metadata.version", found.__getitem__)
    _clash.cache_clear()
    try:
        with pytest.raises(ClashingVersions, match=r"diffprivlib 0\.6\.6 needs scipy below 1\.18, got 1\.18\.0"):
            refuse_clashing_versions()
    finally:
        _clash.cache_clear()


def test_a_clash_is_never_taken_for_an_output_of_the_learner() -> None:
    assert issubclass(ClashingVersions, MissingExtra)
