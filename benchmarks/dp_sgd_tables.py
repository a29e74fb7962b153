"""The paper's figure of DP-SGD, from docs/results/dp_sgd.csv: tables for docs/dp_sgd.md, and the figure.

python benchmarks/dp_sgd_tables.py               # print tables, write the figure
python benchmarks/dp_sgd_tables.py REPORT.csv …  # first take the rows of reports into docs/results/dp_sgd.csv

A report is that of `mlaudit sweep examples/dp_sgd/paper.toml --out RUN` and `mlaudit report RUN`, or of a part of it.
"""

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mlaudit.report.cells import CellView, cell_of
from mlaudit.report.figures._sketch import report_settings
from mlaudit.report.figures.pixels import pixels
from mlaudit.report.pictures import svg
from mlaudit.types.row import Row, Study

RESULTS = Path("docs/results/dp_sgd.csv")
FIGURE = Path("docs/results/paper/figures/10-dp_sgd.svg")
STUDY = "paper"
CELL = ("study", "mechanism", "data", "attack", "label", "epsilon", "rows", "params", "procedure")
ATTACKS = ("clip_bkd", "clip_bkd_extended", "shadow")
Line = dict[str, str]


def read(path: Path) -> list[Line]:
    """All rows of a CSV."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def take(reports: Iterable[Path]) -> None:
    """Add the rows of reports to the results; a cell that is there already is replaced."""
    lines = read(RESULTS)
    columns, by_cell = list(lines[0]), {tuple(line[name] for name in CELL): line for line in lines}
    for report in reports:
        for line in read(report):
            rounded = {name: f"{float(line[name]):.6f}" for name in ("detected", "ceiling")}
            by_cell[tuple(line[name] for name in CELL)] = {name: (line | rounded)[name] for name in columns}
    ordered: list[Line] = sorted(by_cell.values(), key=order)
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(ordered)


def order(line: Line) -> tuple[Any, ...]:
    """As in the sweep file: dataset, pixels, attack, rows, ε."""
    ours = line["study"] != STUDY
    shown = json.loads(line["params"]).get("pixels", [])
    data = "" if ours else line["data"]
    place = ("" if ours else line["attack"], int(line["rows"]), float(line["epsilon"]), line["procedure"])
    return ours, data != "fashion_mnist", data, -shown[1], -shown[0], *place


def show_table(lines: list[Line], data: str, shown: list[int]) -> None:
    """Detected ε by attack, number of rows and ε; empty where nothing was measured."""
    mine = [line for line in lines if line["data"] == data and json.loads(line["params"])["pixels"] == shown]
    found = {(line["attack"], int(line["rows"]), float(line["epsilon"])): float(line["detected"]) for line in mine}
    epsilons = sorted({key[2] for key in found})
    print(f"\n{data}, pixels {shown}: {len(found)} cells, largest {max(found.values()):.3f}\n")
    print("| attack | k | " + " | ".join(f"ε = {e:g}" for e in epsilons) + " |")
    print("| --- | --- |" + " --- |" * len(epsilons))
    for attack in ATTACKS:
        for k in (1, 2, 4, 8):
            values = [f"{found[attack, k, e]:.3f}" if (attack, k, e) in found else "" for e in epsilons]
            name = f"`{attack}`" if k == 1 else ""
            print(f"| {name} | {k} | " + " | ".join("0" if v == "0.000" else v for v in values) + " |")


def view(line: Line) -> CellView:
    """A row as figures need it."""
    settings = {name: line[name] for name in ("mechanism", "data", "attack", "label")}
    said = {"epsilon_lower": float(line["detected"]), "ceiling": float(line["ceiling"]), "rows": int(line["rows"])}
    asked = {**settings, "epsilon": float(line["epsilon"]), "param": line["params"]}
    return cell_of(Row(line["study"], "audit", asked, said, 0.0))


def main() -> None:
    take(map(Path, sys.argv[1:]))
    lines = [line for line in read(RESULTS) if line["study"] == STUDY]
    parts = dict.fromkeys((line["data"], tuple(json.loads(line["params"])["pixels"])) for line in lines)
    for data, shown in parts:
        show_table(lines, data, list(shown))
    with report_settings():
        drawn = pixels([view(line) for line in lines], Study(STUDY, "DP-SGD on images", figure="pixels"))
        FIGURE.write_text(svg(drawn, "dp_sgd", "Detected ε of DP-SGD over the specified ε"), encoding="utf-8")


if __name__ == "__main__":
    main()
