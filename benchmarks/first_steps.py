"""A stranger's first steps with a stopwatch: clone, install, first verdict, report, an own mechanism in pytest.

    python benchmarks/first_steps.py

Everything happens in a new temporary folder, with an environment of its own and without pip's cache. The commands are
those of the README. Times are wall time from the start; the machine's load is printed, because it matters.
"""

import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
TEST = """
from mlaudit.testing import assert_private


def too_little_noise(data, rng):
    return data.X.sum() + rng.laplace(scale=0.25)


def enough_noise(data, rng):
    return data.X.sum() + rng.laplace(scale=1.0)


def test_too_little_noise():
    assert_private(too_little_noise, [0, 1, 0, 0, 1], epsilon=1.0, flake_rate=1e-4, trainings=200)


def test_enough_noise():
    assert_private(enough_noise, [0, 1, 0, 0, 1], epsilon=1.0, flake_rate=1e-4, trainings=200)
"""


@dataclass
class Stopwatch:
    """Runs commands and prints when each had ended."""

    folder: Path
    place: str = "."  # the folder in it where the commands run
    began: float = field(default_factory=time.monotonic)

    @property
    def variables(self) -> dict[str, str]:
        """The new environment's programs first, and nothing of the caller's own packages."""
        usual = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
        return {**usual, "PATH": f"{self.folder / 'env' / 'bin'}{os.pathsep}{usual['PATH']}"}

    def run(self, step: str, *command: str, exits: int = 0, says: str = "") -> None:
        """Run a command; it must end with this exit code and say this."""
        here = self.folder / self.place
        done = subprocess.run(command, cwd=here, env=self.variables, capture_output=True, text=True, check=False)
        if done.returncode != exits or says not in done.stdout:
            sys.exit(f"{step}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        shown = " ".join(Path(word).name if Path(word).is_absolute() else word for word in command)
        print(f"| {step} | `{shown}` | {time.monotonic() - self.began:.0f} |", flush=True)


def main() -> None:
    """Print a row for each step."""
    print(f"load at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| step | command | seconds from the start |\n| --- | --- | --- |")
    with TemporaryDirectory(prefix="first-steps-") as folder:
        watch = Stopwatch(Path(folder))
        watch.run("an environment", sys.executable, "-m", "venv", "env")
        watch.run("a clone", "git", "clone", "--quiet", str(ROOT), "clone")
        watch.place = "clone"
        watch.run("installed", "pip", "install", "--quiet", "--no-cache-dir", ".[diffprivlib,report]")
        asked = ("naive_bayes", "--epsilon", "1", "--effort", "smoke")
        watch.run("**first verdict**", "mlaudit", "test", *asked, says="VIOLATED", exits=3)
        watch.run(
            "an audit", "mlaudit", "run", "laplace", "--trainings", "4000", "--out", "first", says="NOT REFUTED"
        )
        watch.run("its report", "mlaudit", "report", "first", says="report.html")
        watch.run("pytest installed", "pip", "install", "--quiet", "--no-cache-dir", "pytest")
        watch.place = "project"
        (watch.folder / "project").mkdir()
        (watch.folder / "project" / "test_counts.py").write_text(TEST, encoding="utf-8")
        # The mechanism with too little noise fails its test, and the other one passes.
        watch.run("**own mechanisms tested**", "pytest", "-q", "test_counts.py", says="1 failed, 1 passed", exits=1)


if __name__ == "__main__":
    main()
