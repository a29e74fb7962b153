"""The tables of docs/results/paper/README.md, from the CSV of the paper's studies, now and before.

mlaudit sweep examples/paper/*.toml --out RUN --jobs 2
mlaudit report RUN
python benchmarks/paper_tables.py RUN/report.csv docs/results/paper/results_0_1.csv
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np

Row = dict[str, str]
OURS = "auto"
BASELINES = ("clip_bkd", "swap_x")
LEARNERS = ("naive_bayes", "logistic_output", "logistic_objective", "random_forest")
SHOWN = 0.01  # below that nothing was detected, and a factor says nothing
CELL = ("study", "mechanism", "data", "attack", "label", "epsilon", "delta", "relation", "rows")
SAME = 0.02  # relative change below which two medians count as equal


def medians(rows: Iterable[Row], *keys: str) -> dict[tuple[str, ...], float]:
    """The median detected ε over replicates, by these columns."""
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[key] for key in keys)].append(float(row["detected"]))
    return {key: float(np.median(values)) for key, values in found.items()}


def _name_alike(row: Row) -> Row:
    """Attacks and labels as both versions name them; outside of the first study the label says which attack it is."""
    attack = row["attack"] if row["study"] == "specified_detected" else ""
    return {**row, "attack": attack}


def compare(rows: list[Row], before: list[Row]) -> None:
    """How the medians of all cells moved, by study and learner."""
    now, then = (medians(map(_name_alike, part), *CELL) for part in (rows, before))
    ratios, sizes = defaultdict(list), Counter(key[:2] for key in now)
    for key, value in now.items():
        if key in then and max(value, then[key]) >= SHOWN:
            ratios[key[:2]].append(value / max(then[key], SHOWN / 10))
    print("| study | learner | cells | ≥ 0.01, now or before | higher | equal within 2 % | lower | median ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for key, found in ratios.items():
        higher, lower = sum(r > 1 + SAME for r in found), sum(r < 1 - SAME for r in found)
        counts = f"{len(found)} | {higher} | {len(found) - higher - lower} | {lower}"
        print(f"| {' | '.join(key)} | {sizes[key]} | {counts} | {np.median(found):.3f} |")
    print(f"\nCells that are not in both: {len(set(now) ^ set(then))}")


def specified_detected(rows: list[Row], before: list[Row]) -> None:
    detected = medians(rows, "mechanism", "data", "epsilon", "attack")
    earlier = medians(before, "mechanism", "data", "epsilon", "attack")
    ceilings = medians(
        [{**row, "detected": row["ceiling"]} for row in rows], "mechanism", "data", "epsilon", "attack"
    )
    cells = sorted({key[:3] for key in detected}, key=lambda k: (k[0], k[1], float(k[2])))
    print("| learner | cells | ours ≥ both | median factor over the better | largest | within 2× | within 1.2× |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for learner in LEARNERS:
        mine = [cell for cell in cells if cell[0] == learner]
        best = {cell: max(detected[*cell, attack] for attack in BASELINES) for cell in mine}
        ahead = sum(detected[*cell, OURS] >= best[cell] for cell in mine)
        seen = [cell for cell in mine if detected[*cell, OURS] >= SHOWN]
        factors = [detected[*cell, OURS] / max(best[cell], SHOWN) for cell in seen]
        theory = {cell: min(float(cell[2]), ceilings[*cell, OURS]) for cell in mine}
        twice, fifth = (sum(f * detected[*cell, OURS] >= theory[cell] for cell in mine) for f in (2, 1.2))
        wins = f"{ahead} | {np.median(factors):.2f} | {max(factors):.3g}"
        print(f"| {learner} | {len(mine)} | {wins} | {twice} | {fifth} |")
    for learner in LEARNERS:
        _detected(learner, [cell for cell in cells if cell[0] == learner], detected, earlier)


def _detected(
    learner: str,
    cells: list[tuple[str, ...]],
    detected: dict[tuple[str, ...], float],
    earlier: dict[tuple[str, ...], float],
) -> None:
    attacks = [OURS, *BASELINES, *(["coefficient"] if learner.startswith("logistic") else [])]
    print(f"\n### {learner}\n\n| data | attack | " + " | ".join(f"ε = {e}" for e in _epsilons(cells)) + " |")
    print("| --- | --- |" + " --- |" * len(_epsilons(cells)))
    for data in dict.fromkeys(cell[1] for cell in cells):
        for attack in attacks:
            found = [(learner, data, e, attack) for e in _epsilons(cells)]
            values = [f"{detected[cell]:.3f} ({earlier[cell]:.3f})" for cell in found]
            print(f"| {data} | {'ours' if attack == OURS else attack} | " + " | ".join(values) + " |")


def _epsilons(cells: list[tuple[str, ...]]) -> list[str]:
    return sorted({cell[2] for cell in cells}, key=float)


def by(rows: list[Row], line: str, *panels: str, across: str = "epsilon") -> None:
    """A line for each value of a column, the detected ε across another."""
    detected = medians(rows, *panels, line, across)
    heads = sorted({key[-1] for key in detected}, key=float)
    print(f"| {' | '.join(panels)} | {line} | " + " | ".join(f"{across} = {h}" for h in heads) + " |")
    print("|" + " --- |" * (len(panels) + 1 + len(heads)))
    for key in dict.fromkeys(key[:-1] for key in detected):
        values = [f"{detected[*key, h]:.3f}" if (*key, h) in detected else "" for h in heads]
        print(f"| {' | '.join(key)} | " + " | ".join(values) + " |")


def _listed(rows: list[Row], *columns: str) -> None:
    print("| " + " | ".join(columns) + " |\n|" + " --- |" * len(columns))
    for row in rows:
        print("| " + " | ".join(row[column] for column in columns) + " |")


def read(path: str) -> list[Row]:
    """All rows of a report's CSV, without the quote before a text that a spreadsheet would take for a formula."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [{**row, "label": row["label"].lstrip("'")} for row in csv.DictReader(file)]


def main() -> None:
    rows, before = (read(path) for path in sys.argv[1:3])
    studies = {
        study: [row for row in rows if row["study"] == study] for study in dict.fromkeys(r["study"] for r in rows)
    }
    audits = [row for row in rows if row["detected"]]
    print("Rows by study:", dict(Counter(row["study"] for row in rows)))
    print("Verdicts by study:", dict(Counter((row["study"], row["verdict"]) for row in audits)), "\n")
    print("## Now and before\n")
    compare(audits, [row for row in before if row["detected"]])
    print("\n## Specified and detected\n")
    specified_detected(studies["specified_detected"], [row for row in before if row["study"] == "specified_detected"])
    print("\n## By rows\n")
    by(studies["by_rows"], "epsilon", "mechanism", "data", across="rows")
    for study in ("naive_bayes_ablation", "logistic_ablation"):
        print(f"\n## {study}\n")
        by(studies[study], "label", "mechanism", "data")
    print("\n## violations\n")
    by(studies["violations"], "label", "relation")
    print("\n## delta\n")
    by(studies["delta"], "mechanism", "data", "epsilon", across="delta")
    print("\n## sphericity\n")
    _listed(studies["sphericity"], "data", "attack", "non_sphericity", "influence")
    print("\n## relative_influence\n")
    _listed(studies["relative_influence"], "data", "attack", "relative", "detected")
    print("\n## coverage\n")
    _listed(studies["coverage"], "interval", "n", "p1", "coverage", "nominal")


if __name__ == "__main__":
    main()
