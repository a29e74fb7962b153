"""What `mlaudit test` finds among the zoo's broken mechanisms, and how often it refutes the claims of healthy twins.

    python benchmarks/claim_tests.py run healthy smoke 64 --out twins.jsonl      # which side, the effort, seeds
    python benchmarks/claim_tests.py run healthy 200 64 --out twins.jsonl        # trainings of each detector
    python benchmarks/claim_tests.py run broken ci 4 --out broken.jsonl
    python benchmarks/claim_tests.py tally twins.jsonl broken.jsonl

Every exhibit is tested as a user would: with one side of its pair as the data, and the box around both sides as the
domain. The pair itself is not given. Last bits are looked at only for the exhibits that are about them.

Each test is one line of the file, written as soon as it is done. The same command goes on where it was stopped. Seeds
lie far apart: a test takes its own seed and the next ones, for repetitions, so that no two tests share a training.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

from mlaudit import Dataset, refute
from mlaudit.errors import AuditError
from mlaudit.refuting.whole_numbers import enclose_data
from mlaudit.testing.zoo import Exhibit, exhibits

ALPHA = 0.05
ROOT, APART = 26_000_000, 1000
LAST_BITS = ("floating_point_laplace", "single_precision_noise")
FIRST_STAGE = ("violated", "not_repeated")  # verdicts of detectors whose first bound refutes the claim


def data_of(exhibit: Exhibit) -> Dataset:
    """D of the exhibit's pair, in the box around both sides."""
    base, other = exhibit.pair.base, exhibit.pair.neighbour
    if base.domain is not None:
        return base
    both = Dataset(
        np.vstack([base.X, other.X]), None if base.y is None or other.y is None else np.append(base.y, other.y)
    )
    return base.within(enclose_data(both))


def try_once(name: str, exhibit: Exhibit, side: str, effort: str, seed: int) -> dict[str, Any]:
    """One test: its verdict, which detectors refuted the claim before and after the repetition, and its cost."""
    began = time.process_time()
    asked = {"exhibit": name, "side": side, "effort": effort, "seed": seed}
    try:
        result = refute(
            exhibit.healthy if side == "healthy" else exhibit.broken,
            data_of(exhibit),
            claim=exhibit.claim,
            effort="smoke" if effort.isdigit() else effort,
            trainings=int(effort) if effort.isdigit() else None,
            last_bits=name in LAST_BITS,
            alpha=ALPHA,
            seed=seed,
        )
    except AuditError as error:
        return {**asked, "error": str(error), "cpu": time.process_time() - began}
    return {
        **asked,
        "verdict": result.verdict,
        "first": [one.detector for one in result.attempts if one.verdict in FIRST_STAGE],
        "announced": [one.detector for one in result.findings],
        "trainings": result.trainings,
        "cpu": round(time.process_time() - began, 3),
    }


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The tests that are in the file; a line that a kill cut short is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def run(side: str, effort: str, seeds: range, only: list[str], out: Path) -> None:
    """Append the tests that are missing, all exhibits with the first seed before any with the second."""
    done = {(one["exhibit"], one["side"], one["effort"], one["seed"]) for one in read_lines(out)}
    shown = {k: v for k, v in exhibits().items() if (not only or k in only) and (v.broken or side == "healthy")}
    with out.open("a", encoding="utf-8") as file:
        for seed in (ROOT + APART * number for number in seeds):
            for name, exhibit in shown.items():
                if (name, side, effort, seed) not in done:
                    file.write("\n" * (file.tell() > 0) + json.dumps(try_once(name, exhibit, side, effort, seed)))
                    file.flush()


def interval(hits: int, trials: int) -> str:
    """The exact 95 % interval (Clopper and Pearson) of a rate, in per cent."""
    low = 0.0 if hits == 0 else float(beta.ppf(0.025, hits, trials - hits + 1))
    high = 1.0 if hits == trials else float(beta.ppf(0.975, hits + 1, trials - hits))
    return f"{hits} of {trials}: {100 * hits / trials:.2f} % ({100 * low:.2f} to {100 * high:.2f})"


def tally(paths: list[Path]) -> None:
    """Print a Markdown table for each side and effort, with a row for each exhibit, and the totals."""
    groups: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for one in (line for path in paths for line in read_lines(path)):
        groups[one["side"], one["effort"]][one["exhibit"]].append(one)
    for (side, effort), by_name in groups.items():
        print(f"\n{side}, {effort}\n")
        print("| exhibit | tests | first stage | announced | CPU s a test | found by |")
        print("| --- | --- | --- | --- | --- | --- |")
        for name, tests in sorted(by_name.items()):
            found = Counter(one["announced"][0] for one in tests if one.get("announced"))
            by = ", ".join(f"{who} {n}" for who, n in found.most_common())
            first, last = (sum(bool(one.get(key)) for one in tests) for key in ("first", "announced"))
            cpu = np.mean([one["cpu"] for one in tests])
            print(f"| {name} | {len(tests)} | {first} | {last} | {cpu:.2f} | {by} |")
        every = [one for tests in by_name.values() for one in tests]
        for key in ("first", "announced"):
            print(f"\n{key}: {interval(sum(bool(one.get(key)) for one in every), len(every))}")
        print(f"verdicts: {dict(Counter(one.get('verdict', 'error') for one in every))}")
        print(f"CPU seconds: {sum(one['cpu'] for one in every):.0f}")


def main() -> None:
    """Run tests, or add them up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("side", choices=("healthy", "broken"))
    running.add_argument("effort")
    running.add_argument("seeds", type=int)
    running.add_argument("--from", type=int, default=0, dest="first")
    running.add_argument("--only", default="")
    running.add_argument("--out", type=Path, required=True)
    commands.add_parser("tally").add_argument("files", type=Path, nargs="+")
    given = parser.parse_args()
    if given.command == "tally":
        tally(given.files)
    else:
        seeds = range(given.first, given.seeds)
        run(given.side, given.effort, seeds, [name for name in given.only.split(",") if name], given.out)


if __name__ == "__main__":
    main()
