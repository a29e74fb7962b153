"""The tables of docs/results/library.md out of the rows that library_study.py wrote.

python benchmarks/library_tables.py ROWS.csv ...
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path

from library_study import ATTACKS


def read(paths: list[str]) -> dict[str, dict[tuple[str, float], dict[str, dict[str, str]]]]:
    cells: dict[str, dict[tuple[str, float], dict[str, dict[str, str]]]] = defaultdict(lambda: defaultdict(dict))
    for path in paths:
        with Path(path).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                cells[row["mechanism"]][row["dataset"], float(row["epsilon"])][row["attack"]] = row
    return cells


def found(row: dict[str, str] | None) -> str:
    return "" if row is None else f"{float(row['epsilon_lower']):.3f}"


def main() -> None:
    for learner, cells in read(sys.argv[1:]).items():
        attacks = ATTACKS[learner]
        print(f"\n## {learner}\n")
        print(f"| data | ε claimed | k | ceiling | {' | '.join(attacks)} |")
        print("| --- " * (4 + len(attacks)) + "|")
        best = dict.fromkeys(attacks, 0)
        for (data, epsilon), by in cells.items():
            first = next(iter(by.values()))
            top = max(float(row["epsilon_lower"]) for row in by.values())
            for attack, row in by.items():
                best[attack] += float(row["epsilon_lower"]) >= top
            shown = " | ".join(found(by.get(attack)) for attack in attacks)
            print(f"| {data} | {epsilon:g} | {first['rows']} | {float(first['ceiling']):.2f} | {shown} |")
        wins = ", ".join(f"{attack} {n}" for attack, n in best.items())
        verdicts = {row["verdict"] for by in cells.values() for row in by.values()}
        print(f"\nThe highest bound, of {len(cells)} rows (ties count for each): {wins}.")
        print(f"Verdicts: {', '.join(sorted(verdicts))}.")


if __name__ == "__main__":
    main()
