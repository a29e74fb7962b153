"""What trainings cost in a program of its own: against the same function in this process, and a second.

    python benchmarks/programs.py           # needs node and cc for two of the rows

The two ways to train are measured in turns, round by round, so that a busy machine slows both. Reported are medians.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from mlaudit import Claim, Dataset, LokyEngine
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.ranges import Range, split
from mlaudit.drawing.stream import BLOCK, TrainingStream
from mlaudit.protocols import Engine, Mechanism

ROOT = Path(__file__).parents[1]
FIT = 1e-3  # seconds
ROUNDS = 9
DATA = Dataset([[0.0], [0.5], [1.0], [1.0]])
LEARNERS = f"""
import time


def slow(data, rng):
    until = time.process_time() + {FIT}
    while time.process_time() < until:
        pass
    return data.X.sum() + rng.laplace()


def cheap(data, rng):
    return data.X.sum() + rng.laplace()
"""


def draw(mechanism: Mechanism, engine: Engine, start: int, trainings: int) -> tuple[float, float]:
    """The wall and CPU seconds of so many trainings through the drawing loop, those of the program included."""
    stream, whole = TrainingStream(mechanism, DATA, None, seed=1), Range(0, start, start + trainings)
    began, cpu = time.perf_counter(), time.process_time()
    elsewhere = sum(one.block.cpu_seconds for one in DrawingLoop(engine).draw([stream], split(whole, BLOCK), [whole]))
    return time.perf_counter() - began, time.process_time() - cpu + elsewhere


def compare_slow(folder: Path) -> None:
    """The same function of one millisecond in this process and in a served one."""
    sys.path.insert(0, str(folder))
    import learners  # type: ignore[import-not-found]

    here = FunctionMechanism(learners.slow, Claim(1.0))
    there = Program(f"{sys.executable} {find_helper('python')} {folder / 'learners.py'}:slow", Claim(1.0))
    wall, cpu = [], []
    for at in range(ROUNDS):
        start = at * BLOCK
        served, plain = draw(there, LokyEngine(), start, BLOCK), draw(here, InProcess(), start, BLOCK)
        wall.append(served[0] / plain[0])
        cpu.append(served[1] / plain[1])
    print(f"a fit of {FIT * 1000:g} ms of CPU time, against an in-process call, {ROUNDS} rounds:")
    for name, found in (("wall", wall), ("CPU", cpu)):
        print(f"  {name}: {median(found):.3f} times ({min(found):.3f} to {max(found):.3f})")


def count_cheap(folder: Path) -> None:
    """Trainings a second of a noisy sum, in batches of 250, in turns."""
    programs = {"Python, served": f"{sys.executable} {find_helper('python')} {folder / 'learners.py'}:cheap"}
    if shutil.which("node"):
        programs["JavaScript"] = f"node {ROOT / 'examples/other_languages/laplace.js'}"
    if shutil.which("cc"):
        source = ROOT / "examples/other_languages/laplace.c"
        subprocess.run(["cc", "-O2", "-o", folder / "laplace", source, "-lm"], check=True)
        programs["C"] = str(folder / "laplace")
    made = {name: Program(command, Claim(1.0)) for name, command in programs.items()}
    trainings = 40 * BLOCK
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in made}
    for at in range(ROUNDS):
        for name, program in made.items():
            wall, cpu = draw(program, LokyEngine(), at * trainings, trainings)
            rates[name].append((trainings / wall, trainings / cpu))
    for name, found in rates.items():
        walls, cpus = zip(*found, strict=True)
        spread = f"{min(walls):,.0f} to {max(walls):,.0f}"
        print(f"{name}: {median(walls):,.0f} trainings a second ({spread}), {median(cpus):,.0f} a CPU second")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "learners.py").write_text(LEARNERS, encoding="utf-8")
        compare_slow(folder)
        count_cheap(folder)


if __name__ == "__main__":
    main()
