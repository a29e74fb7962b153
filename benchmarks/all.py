"""Every benchmark of docs/results/benchmarks.md, and the page itself; what was measured before is kept.

    python benchmarks/all.py [--quick] [--peers PYTHON] [--only PART ...] [--again]

Each part is a command whose output is kept in the page with its date, its CPU seconds and its machine. The page is
written after every part, and parts that it has are not measured again: run the same command after an interruption.
`--quick` measures small sizes and writes its page to runs/bench-all instead of docs.
`--peers` is the Python that has the other tools (see benchmarks/peers.py); without it, they are named as missing.
"""

import argparse
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from string import ascii_uppercase

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "benchmarks.md"
QUICK_PAGE = ROOT / "runs" / "bench-all" / PAGE.name
PEERS = "PEERS"  # stands for the Python of the other tools
_PACKAGES = ("mlaudit", "numpy", "scipy", "scikit-learn", "diffprivlib", "numba", "joblib")


@dataclass(frozen=True)
class Part:
    """One command, its size for the page and a small one, and how the page introduces its output."""

    title: str
    words: str
    command: tuple[str, ...]
    size: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    verbatim: bool = False  # whether the output is plain text instead of Markdown


@dataclass(frozen=True)
class Measured:
    """What the page keeps of a part."""

    command: str
    date: str
    cpu_seconds: float
    machine: str
    body: str


PARTS = {
    "first_steps": Part(
        "First steps with a stopwatch",
        "A new folder, a new environment, nothing cached by pip; the commands are the README's. One test has too "
        "little noise and must fail, the other must pass.",
        ("benchmarks/first_steps.py",),
    ),
    "samplers": Part(
        "Speed: samplers against the library's own fit",
        "One core, interleaved in one run, medians of 2 rounds of CPU time. [How they work](../samplers.md).",
        ("benchmarks/samplers.py",),
        ("2",),
        ("1", "naive_bayes"),
    ),
    "overheads": Part(
        "Speed: what mlaudit costs beside the trainings",
        "Medians of interleaved rounds. In brackets: the limits that we set ourselves.",
        ("benchmarks/overheads.py",),
        ("1",),
        ("1",),
        verbatim=True,
    ),
    "ci_time": Part(
        "Twenty claims in CI",
        "The sample project `examples/ci_project`: twenty mechanisms that keep their claims, one test each, at a "
        "total flake rate of 1e-6. On an idle machine of two cores the wall time is about half of the CPU seconds.",
        ("benchmarks/ci_project.py", "time"),
        verbatim=True,
    ),
    "ci_laplace": Part(
        "Trainings until a fault of the sample project is found",
        "`assert_private` at a flake rate of 1e-4, ε = 1 claimed, noise too small by a factor. *Limit*: no test "
        "refutes in fewer trainings on average, even if it knows the fault. *Refuted*: trainings until the evidence "
        "was enough; *all trainings* include the search for a pair, if none was given, and the repetition on fresh "
        "trainings.",
        ("benchmarks/ci_project.py", "faults"),
        ("20", "Laplace count"),
        ("2", "randomised response"),
    ),
    "ci_geometric": Part(
        "The same with geometric noise",
        "The columns are those of the table before.",
        ("benchmarks/ci_project.py", "faults"),
        ("20", "geometric count"),
        ("1", "randomised response"),
    ),
    "ci_response": Part(
        "The same with randomised response",
        "The columns are those of the table before.",
        ("benchmarks/ci_project.py", "faults"),
        ("20", "randomised response"),
        ("1", "randomised response"),
    ),
    "ci_alarms": Part(
        "False alarms of those tests",
        "Claims that hold exactly. At most 0.05 of the first bounds may exceed the claim; a test fails only if its "
        "repetition on fresh trainings exceeds it, too.",
        ("benchmarks/ci_project.py", "alarms"),
        ("350",),
        ("5",),
    ),
    "zoo": Part(
        "Trainings to catch each exhibit of the zoo",
        "Broken mechanisms and their healthy twins, α = 0.05. "
        "[A run with 64 audits of each mechanism](../sequential.md) is on the page about stopping early.",
        ("-m", "mlaudit", "zoo", "--quiet", "--seed", "31", "--trainings", "100,300,1000", "--seeds"),
        ("4",),
        ("1", "--only", "laplace_half_scale"),
        verbatim=True,
    ),
    "peers": Part(
        "Power and false alarms of other tools on the same draws",
        "Fair labels, one output each; D′ shifts it by 1. The other tools get the output as their score, which is "
        "the best score there is; mlaudit learns its score from the same draws. [What the figures mean](peers.md).",
        ("benchmarks/peers.py",),
        ("200", PEERS),
        ("2", PEERS),
    ),
    "power": Part(
        "Power of the procedures",
        "[More repetitions](../power.md) are on the page about power.",
        ("benchmarks/power.py",),
        ("10", "2000"),
        ("1", "500"),
    ),
    "sequential": Part(
        "Stopping early",
        "[More streams](../sequential.md) are on the page about stopping early.",
        ("benchmarks/sequential.py",),
        ("30", "100"),
        ("2", "2"),
    ),
    "validity": Part(
        "False alarms of the procedures",
        "[More audits](../validity.md) are on the page about validity.",
        ("benchmarks/validity.py",),
        ("50", "600"),
        ("2", "300"),
    ),
}


def measure(name: str, peers: str, *, quick: bool) -> Measured:
    """Run one part."""
    part = PARTS[name]
    shown = [*part.command, *(part.small if quick else part.size)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(
        [sys.executable, *[peers if word == PEERS else word for word in shown]],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = ran.stdout.strip()
    return Measured(
        command=shlex.join(["python", *["/tmp/peers/bin/python" if word == PEERS else word for word in shown]]),
        date=datetime.now(UTC).date().isoformat(),
        cpu_seconds=round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime),  # as the page says
        machine=f"{machine()}. {', '.join(found_versions())}.",
        body=f"```text\n{output}\n```" if part.verbatim else output,
    )


def write_page(measured: dict[str, Measured]) -> str:
    """The page, with a section for every part that was measured."""
    total = sum(kept.cpu_seconds for kept in measured.values())
    opening = (
        f"`make bench-all` measures everything on this page and writes it; the figures below took {total:,.0f} CPU "
        "seconds. The machine was shared with other work, so times are CPU seconds unless a line says otherwise."
    )
    machines = list(dict.fromkeys(kept.machine for kept in measured.values()))
    lines = ["# Benchmarks", "", opening, "", "| machine | |", "| --- | --- |"]
    lines += [f"| {letter} | {one} |" for letter, one in zip(ascii_uppercase, machines, strict=False)]
    missing = [part.title for name, part in PARTS.items() if name not in measured]
    if missing:
        lines += ["", f"Not measured here yet: {'; '.join(missing)}."]
    for name, part in PARTS.items():
        if name in measured:
            kept = measured[name]
            letter = ascii_uppercase[machines.index(kept.machine)]
            spent = f"`{kept.command}`, {kept.date}, {kept.cpu_seconds:,.0f} CPU seconds, machine {letter}."
            lines += ["", f"## {part.title}", "", part.words, "", spent, "", kept.body]
    return "\n".join(lines) + "\n"


def read_page(text: str) -> dict[str, Measured]:
    """The parts that a page has; sections with another title or another introduction are not known any more."""
    machines = dict(re.findall(r"^\| ([A-Z]) \| (.+) \|$", text.partition("\n## ")[0], re.MULTILINE))
    spent = r"`(?P<command>[^`]+)`, (?P<date>[\d-]+), (?P<cpu>[\d,]+) CPU seconds, machine (?P<letter>[A-Z])\."
    found = {}
    for name, part in PARTS.items():
        head = re.escape(f"\n## {part.title}\n\n{part.words}\n\n")
        section = re.search(rf"{head}{spent}\n\n(?P<body>.*?)(?=\n\n## |\n*\Z)", text, re.DOTALL)
        if section:
            seconds = float(section["cpu"].replace(",", ""))
            found[name] = Measured(
                section["command"], section["date"], seconds, machines[section["letter"]], section["body"]
            )
    return found


def machine() -> str:
    """The processor, the cores and the Python."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    processor = names[0] if names else platform.processor() or platform.machine()
    return f"{processor}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def found_versions() -> list[str]:
    """The installed versions of what was measured."""
    found = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return found


def main() -> None:
    """Measure what is missing and write the page."""
    parser = argparse.ArgumentParser(description="Measure every benchmark and write docs/results/benchmarks.md.")
    parser.add_argument("--quick", action="store_true", help="small sizes; the page in docs is left alone")
    parser.add_argument("--peers", default=sys.executable, help="the Python that has the other tools")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), help="measure these parts")
    parser.add_argument("--again", action="store_true", help="measure parts again that were measured before")
    given = parser.parse_args()
    out = QUICK_PAGE if given.quick else PAGE
    measured = read_page(out.read_text(encoding="utf-8")) if out.exists() else {}
    for name in given.only:
        if given.again or name not in measured:
            print(f"{name} ...", file=sys.stderr, flush=True)
            measured[name] = measure(name, given.peers, quick=given.quick)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(write_page(measured), encoding="utf-8")
    print(f"{out}: {len(measured)} of {len(PARTS)} parts", file=sys.stderr)


if __name__ == "__main__":
    main()
