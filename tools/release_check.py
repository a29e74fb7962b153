"""Build wheel and sdist, check them, and try the wheel in a fresh environment: `make release-check`.

Nothing is uploaded. The two files are left in dist/.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
# What a stranger tries first, and the auditor's own error on mechanisms of known ε.
TRIED = (
    ("--version",),
    ("run", "laplace", "--epsilon", "1", "--rows", "1", "--trainings", "1000", "--quiet", "--fail-on-violation"),
    ("selftest", "--audits", "10", "--quiet"),
    ("test", "laplace", "--effort", "smoke", "--quiet", "--alpha", "1e-6"),
)


def main() -> None:
    """Run every step; the first that fails ends with its exit code."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="mlaudit-release-") as name:
        folder = Path(name)
        tools = make_environment(folder / "tools", "build", "twine")
        run([tools / "python", "-m", "build", "--outdir", DIST, ROOT])
        run([tools / "python", "-m", "twine", "check", "--strict", *sorted(DIST.iterdir())])
        (wheel,) = DIST.glob("*.whl")
        fresh = make_environment(folder / "fresh", str(wheel))
        for words in TRIED:
            run([fresh / "mlaudit", *words], folder)
    print(f"checked: {', '.join(path.name for path in sorted(DIST.iterdir()))}")


def make_environment(folder: Path, *packages: str) -> Path:
    """A fresh environment with these packages; returns the folder of its programs."""
    run([sys.executable, "-m", "venv", folder])
    run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", *packages])
    return folder / "bin"


def run(command: Sequence[str | Path], cwd: Path | None = None) -> None:
    """Run a step, with nothing of the caller's own source."""
    usual = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    print("$", *(Path(command[0]).name, *command[1:]), flush=True)
    code = subprocess.run(list(map(str, command)), cwd=cwd, env=usual, check=False).returncode
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
