"""Compare the numbers of two installed versions of mlaudit: fixed seeds, one command for each kind of learner.

    python benchmarks/same_numbers.py write FOLDER            # run every command with this Python's mlaudit
    python benchmarks/same_numbers.py compare BEFORE AFTER    # print what differs; exit 1 if anything does
    python benchmarks/same_numbers.py seconds BEFORE AFTER    # CPU seconds of each command, side by side

Each command prints JSON. `compare` ignores versions, files, CPU seconds and the command that repeats a result.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parent.parent
COMMANDS = {
    "laplace": "run laplace --epsilon 1 --trainings 4000 --json",
    "mirror": "run naive_bayes --data iris --epsilon 1 --trainings 2000 --sampler mirror --json",
    "batched": "run random_forest --data iris --epsilon 1 --trainings 2000 --json",
    "compiled": "run logistic_objective --data iris --epsilon 1 --trainings 1000 --json",
    "output": "run logistic_output --data breast_cancer --epsilon 1 --trainings 1000 --json",
    "worst": "run examples/my_learner.py:NoisyMeans --epsilon 1 --data worst --json",
    "estimator": "run examples/diffprivlib_naive_bayes.py:naive_bayes --epsilon 1 --data iris --trainings 1000"
    " --json",
    "searched": "run standard_scaler --data iris --epsilon 1 --trainings 2000 --json",
    "paper": "run naive_bayes --data iris --epsilon 1 --paper --trainings 2000 --rows 4 --json",
    "sequential": "run examples/my_mechanism.py:noisy_count --epsilon 1 --procedure sequential --json"
    " --pair examples/my_mechanism.py:one_more_smoker",
    "added": "run naive_bayes --data iris --epsilon 1 --relation add-remove --change add --rows 1 --param counts=True"
    " --trainings 1500 --json",
    "dp_sgd": "run dp_sgd --data fashion_mnist --epsilon 8 --delta 1e-5 --trainings 100 --rows 1 --json",
    "scan": "scan standard_scaler --data iris --epsilon 1 --json",
    "scan_total": "scan naive_bayes --data iris --epsilon 1 --json",
    "relations": "relations naive_bayes --data iris --epsilon 1 --trainings 1000 --json",
    "one_run": "one-run examples/my_trainer.py:NoisyAttendance --epsilon 2 --json",
    "white_box": "white-box logistic_sgd --epsilon 4 --trainings 20 --json",
    "sweep": "sweep examples/two_learners.toml --json",
    "plan": "plan examples/two_learners.toml --json",
    "zoo": "zoo --only laplace_half_scale,nan_passes_clip --seeds 2 --trainings 100,300 --json",
    "selftest": "selftest --audits 20 --json",
    "list": "list attacks --json",
}
FOLDERS = {"run", "relations", "sweep"}  # commands that keep a folder
VARYING = {
    "cpu_seconds",
    "seconds",
    "median_seconds",
    "files",
    "versions",
    "command",
    "folder",
    "hours",
    "identity",
    "out",
}


def write(folder: Path) -> None:
    """Run every command and keep what it prints."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in COMMANDS.items():
        words = text.split()
        with TemporaryDirectory() as place:
            if words[0] in FOLDERS:
                words += ["--out", str(Path(place) / "out")]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [sys.executable, "-m", "mlaudit", *words],
                cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | {"OMP_NUM_THREADS": "1"},
            )  # fmt: skip
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        kept = {
            "exit": done.returncode,
            "seconds": round(spent, 2),
            "said": done.stdout,
            "error": done.stderr[-2000:],
        }
        (folder / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
        print(f"{name:12} exit {done.returncode} {spent:7.1f} CPU s", flush=True)


def compare(before: Path, after: Path) -> int:
    """Print every number or word that is not the same on both sides."""
    differing = 0
    for name in COMMANDS:
        old, new = (read(folder / f"{name}.json") for folder in (before, after))
        found = list(differences(old, new))
        differing += bool(found)
        print(f"{name:12} {'same' if not found else 'DIFFERS'}")
        for line in found[:12]:
            print(f"    {line}")
    return 1 if differing else 0


def read(path: Path) -> Any:
    """What a command printed, as data."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    printed = [line for line in kept["said"].splitlines() if line.strip()]
    return {"exit": kept["exit"], "said": [json.loads(line) for line in printed]}


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two JSON values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - VARYING):
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}: only {'before' if key in old else 'after'}"
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{path}[{index}]")
    elif old != new:
        yield f"{path}: {old!r} → {new!r}"


def seconds(before: Path, after: Path) -> None:
    """The cost of each command on both sides."""
    for name in COMMANDS:
        old, new = (json.loads((folder / f"{name}.json").read_text("utf-8"))["seconds"] for folder in (before, after))
        print(f"{name:12} {old:7.1f} {new:7.1f}  × {new / old:.2f}")


def main(verb: str, *places: str) -> None:
    first, *others = map(Path, places)
    if verb == "write":
        write(first)
    elif verb == "compare":
        sys.exit(compare(first, *others))
    else:
        seconds(first, *others)


if __name__ == "__main__":
    main(*sys.argv[1:])
