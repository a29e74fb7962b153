"""Kills commands and interrupts them at random moments, resumes them, and compares with the undisturbed run.

Prints a table: for each command how often it was killed (SIGKILL) and interrupted (Ctrl-C), whether the result is
identical, whether every interruption printed its one sentence and nothing else, and whether a process was left after
five seconds. Exits with 1 if anything was not as promised. Takes about a quarter of an hour on two cores:

    python benchmarks/interruptions.py
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MINE = """
import time
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def slow(data, rng):
    time.sleep(0.004)
    return data.X.sum() + rng.laplace()


class SlowMean:
    bounds = (0, 1)

    def fit(self, X, rng):
        time.sleep(0.004)
        self.mean_ = X.mean(axis=0) + rng.laplace(scale=X.shape[1] / len(X), size=X.shape[1])
"""
SWEEP = """
title = "Trainings of a slow function, and batched ones"

[common]
pair = "mine.py:pair"
classifier = "logistic"
trainings = 400

[grid]
mechanism = ["mine.py:slow", "laplace"]
epsilon = [0.5, 1.0]

[[override]]
where = { mechanism = "laplace" }
set = { trainings = 20000 }
"""
# As in a terminal: a shell's background commands ignore Ctrl-C. The file says that the command itself has begun.
PROGRAM = """
import pathlib, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from mlaudit.cli import entry
pathlib.Path(sys.argv.pop(1)).touch()
entry()
"""
SENTENCE = "mlaudit: interrupted; finished trainings are kept; run the same command again to continue\n"
Ended = tuple[int, str, str]  # exit code, and what was printed
GRACE = 5.0  # seconds after which no process may be left
RUN = "run mine.py:slow --pair mine.py:pair --epsilon 1 --classifier logistic --trainings 1200 --quiet"


@dataclass(frozen=True)
class Command:
    """A command, with {out} for its folder, and what it must bring."""

    name: str
    words: str
    outcome: Callable[[Path, str], Any]


def result_of(folder: Path, _: str) -> Any:
    return (folder / "result.json").read_text(encoding="utf-8")


def rows_of(folder: Path, _: str) -> Any:
    """Every row of a sweep but what it cost."""
    db = sqlite3.connect(folder / "results.sqlite")
    try:
        rows = [json.loads(text) for (text,) in db.execute("SELECT row FROM results ORDER BY study, place")]
    finally:
        db.close()
    return [{k: v for k, v in row.items() if k != "cpu_seconds"} for row in rows]


def printed(_: Path, out: str) -> Any:
    return {k: v for k, v in json.loads(out).items() if k != "cpu_seconds"}


COMMANDS = (
    Command("run, 1 job", f"{RUN} --jobs 1 --out {{out}}", result_of),
    Command("run, 2 jobs", f"{RUN} --jobs 2 --out {{out}}", result_of),
    Command(
        "run --data worst",
        "run mine.py:SlowMean --data worst --epsilon 1 --max-rows 20 --max-columns 3 --trainings 800 --jobs 2 "
        "--quiet --classifier logistic --no-witness --out {out}",
        result_of,
    ),
    Command("sweep", "sweep sweep.toml --jobs 2 --quiet --out {out}", rows_of),
    Command(
        "scan",
        "scan mine.py:SlowMean --data iris --epsilon 1 --jobs 2 --pilot 20 --trainings 200 --json --quiet",
        printed,
    ),
    Command("run, dask", f"{RUN} --backend dask --jobs 2 --out {{out}}", result_of),
    Command("run, ray", f"{RUN} --backend ray --jobs 2 --out {{out}}", result_of),
)


@dataclass
class Tally:
    """What happened to one command."""

    seconds: float = 0.0
    kills: int = 0
    interrupts: int = 0
    finished: int = 0
    identical: bool = True
    faults: list[str] = field(default_factory=list)
    left: int = 0


def start(command: Command, folder: Path, here: Path) -> "subprocess.Popen[str]":
    """In a session and a process group of its own."""
    began = here / "began"
    began.unlink(missing_ok=True)
    words = command.words.format(out=folder).split()
    pipe = subprocess.PIPE
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(began), *words],
        cwd=here,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    )
    while not began.exists() and running.poll() is None:
        time.sleep(0.01)
    return running


def members(session: int) -> list[str]:
    """Who is left of a session, by command; a zombie is nobody."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(words[3]) == session and words[0] != "Z":
                found.append((path / "cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " "))
        except OSError:
            continue
    return found


def disturb(running: "subprocess.Popen[str]", how: signal.Signals, after: float, tally: Tally) -> Ended | None:
    """Send the signal after so many seconds; how the command ended, if it was done before."""
    try:
        out, err = running.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        if how is signal.SIGKILL:
            running.kill()
        else:
            os.killpg(running.pid, how)
        out, err = running.communicate()
    if running.returncode == 0:
        return 0, out, err
    if how is signal.SIGKILL:
        tally.kills += 1
    else:
        tally.interrupts += 1
        if (running.returncode, out, err) != (4, "", SENTENCE):
            tally.faults.append(f"after {after:.2f} s: exit {running.returncode}, {out!r}, {err!r}")
    time.sleep(GRACE)
    left = members(running.pid)
    if left:
        tally.left += len(left)
        tally.faults.append(f"after {after:.2f} s and {how.name}: left {left}")
    return None


def finish(command: Command, folder: Path, here: Path, expected: Any, tally: Tally) -> None:
    """Run it to its end, and compare."""
    running = start(command, folder, here)
    out, err = running.communicate()
    compare(command, folder, (running.returncode, out, err), expected, tally)


def compare(command: Command, folder: Path, ended: Ended, expected: Any, tally: Tally) -> None:
    code, out, err = ended
    tally.finished += 1
    if code != 0 or command.outcome(folder, out) != expected:
        tally.identical = False
        tally.faults.append(f"another result: exit {code}, {err!r}")
    shutil.rmtree(folder, ignore_errors=True)


def measure(command: Command, here: Path, kills: int, interrupts: int, rng: random.Random) -> Tally:
    """All interruptions of one command, in random order."""
    tally = Tally()
    began = time.monotonic()
    running = start(command, here / "whole", here)
    out, err = running.communicate()
    tally.seconds = time.monotonic() - began
    if running.returncode != 0:
        tally.faults.append(f"undisturbed: exit {running.returncode}, {err!r}")
        return tally
    expected = command.outcome(here / "whole", out)
    shutil.rmtree(here / "whole", ignore_errors=True)
    signals = [signal.SIGKILL] * kills + [signal.SIGINT] * interrupts
    rng.shuffle(signals)
    folder = here / "cut"
    for how in signals:
        while True:
            ended = disturb(start(command, folder, here), how, rng.uniform(0.0, tally.seconds), tally)
            if ended is None:
                break
            compare(command, folder, ended, expected, tally)
    finish(command, folder, here, expected, tally)
    return tally


def shares(total: int, parts: int) -> list[int]:
    """As even as it goes.

    >>> shares(25, 7)
    [4, 4, 4, 4, 3, 3, 3]
    """
    return [total // parts + (place < total % parts) for place in range(parts)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--interrupts", type=int, default=25)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="commands whose name contains this")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    chosen = [command for command in COMMANDS if given.only in command.name]
    faults: list[str] = []
    print("| command | undisturbed | SIGKILL | Ctrl-C | finished | identical | wrong words | left after 5 s |")
    print("| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |")
    each = zip(chosen, shares(given.kills, len(chosen)), shares(given.interrupts, len(chosen))[::-1], strict=True)
    for command, kills, interrupts in each:
        with tempfile.TemporaryDirectory() as name:
            here = Path(name)
            (here / "mine.py").write_text(MINE, encoding="utf-8")
            (here / "sweep.toml").write_text(SWEEP, encoding="utf-8")
            tally = measure(command, here, kills, interrupts, rng)
        words = sum("left" not in fault and "another" not in fault for fault in tally.faults)
        print(
            f"| {command.name} | {tally.seconds:.1f} s | {tally.kills} | {tally.interrupts} | {tally.finished} | "
            f"{'yes' if tally.identical else 'NO'} | {words} | {tally.left} |",
            flush=True,
        )
        faults += [f"{command.name}: {fault}" for fault in tally.faults]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
