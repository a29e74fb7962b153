"""The tables of docs/results/peers.md: bounds of other tools on the same draws as ours, and how often each is wrong.

    python -m venv /tmp/peers
    /tmp/peers/bin/pip install jax-privacy==2.0.0 privacy-estimates==0.1.0.post1 immutabledict 'scikit-learn<1.8'
    /tmp/peers/bin/pip install --no-deps tensorflow-privacy==0.8.12
    python benchmarks/peers.py 200 /tmp/peers/bin/python      # repetitions, and the Python that has the tools

None of the tools is a requirement of mlaudit; those that are missing are named. `peer_bounds.py` holds the calls.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from overheads import PAIR, Drawn
from peer_bounds import ALPHA

from mlaudit import Claim
from mlaudit.procedures.gdp_accuracy import GdpAccuracy
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Procedure
from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.types.draws import Draws

TRAININGS = 2000
DELTA = 1e-5
OURS = 100  # repetitions of mlaudit at most: it learns its scores, which the other tools are given
POWER = ("Laplace", "Gaussian")  # its cases; docs/validity.md counts its false alarms in more audits
# The true ε and δ. Pure noise is the same under D and D′; a Gaussian case has the δ of its claim.
CASES = {
    "noise": (0.0, 0.0),
    "noise, δ": (0.0, DELTA),
    "Laplace 1": (1.0, 0.0),
    "Laplace 4": (4.0, 0.0),
    "Gaussian 1": (1.0, DELTA),
    "Gaussian 4": (4.0, DELTA),
}


def draw(case: str, repetitions: int) -> tuple[Any, Any]:
    """Fair labels and one output each, for every repetition."""
    epsilon, delta = CASES[case]
    rng = default_rng(SeedSequence(18, spawn_key=(list(CASES).index(case),)))
    labels = rng.integers(0, 2, (repetitions, TRAININGS))
    if epsilon == 0:
        return labels, rng.normal(size=labels.shape)
    noise = (
        rng.normal(size=labels.shape) / mu_of(epsilon, delta) if delta else rng.laplace(size=labels.shape) / epsilon
    )
    return labels, labels + noise


def ours(case: str, labels: Any, z: Any) -> list[dict[str, Any]]:
    """The bounds of mlaudit, which learns its scores from the draws."""
    epsilon, delta = CASES[case]
    claim = Claim(max(epsilon, 1.0), delta, gaussian=delta > 0)
    procedures: dict[str, Procedure] = {"progressive (default)": Progressive()}
    if delta:
        procedures["gdp_accuracy"] = GdpAccuracy()
    found = []
    for name, procedure in procedures.items():
        began = time.process_time()
        bounds = [
            procedure(Drawn(Draws(coins, outputs[:, None])), claim, PAIR, ALPHA).bound.epsilon
            for coins, outputs in zip(labels[:OURS], z[:OURS], strict=True)
        ]
        spent = time.process_time() - began
        entry = {"tool": "mlaudit", "method": name, "call": f"procedure={type(procedure).__name__}()", "case": case}
        found.append(entry | {"bounds": bounds, "cpu_seconds": spent})
        print(f"mlaudit {name}, {case}: {spent:.1f} s", file=sys.stderr, flush=True)
    return found


def theirs(drawn: dict[str, Any], python: str) -> list[dict[str, Any]]:
    """The bounds of the other tools, by the Python that has them."""
    with tempfile.TemporaryDirectory() as folder:
        draws, bounds = Path(folder) / "draws.npz", Path(folder) / "bounds.json"
        np.savez(draws, **drawn)
        script = Path(__file__).with_name("peer_bounds.py")
        subprocess.run([python, str(script), str(draws), str(bounds)], check=True)
        return list(json.loads(bounds.read_text(encoding="utf-8")))


def collect(repetitions: int, python: str) -> list[dict[str, Any]]:
    """The bounds of every tool on the same draws."""
    drawn: dict[str, Any] = {"cases": np.array(list(CASES))}
    found = []
    for case, (_, delta) in CASES.items():
        labels, z = draw(case, repetitions)
        drawn |= {f"{case}/labels": labels, f"{case}/z": z, f"{case}/delta": np.array(delta)}
        if case.startswith(POWER):
            found += ours(case, labels, z)
    return found + theirs(drawn, python)


def tables(found: list[dict[str, Any]]) -> str:
    """Mean bounds, and the share of bounds above the truth, as Markdown."""
    made = [entry for entry in found if "bounds" in entry]
    rows = dict.fromkeys((entry["tool"], entry["method"]) for entry in made)
    by = {(entry["tool"], entry["method"], entry["case"]): entry["bounds"] for entry in made}
    calls = dict.fromkeys(f"| {e['tool']} | {e['method']} | `{e['call']}` |" for e in made)
    power, wrong = [case for case, (epsilon, _) in CASES.items() if epsilon], list(CASES)
    return "\n\n".join(
        [
            _table("mean bound", rows, by, power, lambda _, bounds: f"{np.mean(bounds):.2f}"),
            _table("share of bounds above the true ε", rows, by, wrong, _share),
            "\n".join(["| tool | method | call |", "| --- | --- | --- |", *calls]),
            *[f"{entry['tool']}: {entry['missing']}." for entry in found if "missing" in entry],
        ]
    )


def _share(case: str, bounds: list[float]) -> str:
    above = sum(bound > CASES[case][0] + 1e-9 for bound in bounds)
    return f"{above / len(bounds):.3f} ({above} of {len(bounds)})"


def _table(title: str, rows: Any, by: Any, cases: list[str], cell: Any) -> str:
    lines = [f"| {title} | " + " | ".join(cases) + " |", "| --- |" + " --- |" * len(cases)]
    for tool, method in rows:
        cells = [cell(case, by[tool, method, case]) if (tool, method, case) in by else "–" for case in cases]
        lines.append(f"| {tool}: {method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    repetitions = int([*sys.argv[1:], "200"][0])
    python = sys.argv[2] if len(sys.argv) > 2 else sys.executable
    print(f"{repetitions} repetitions of {TRAININGS} trainings at α = {ALPHA}\n")
    print(tables(collect(repetitions, python)))


if __name__ == "__main__":
    main()
