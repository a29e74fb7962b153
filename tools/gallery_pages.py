"""The galleries of the manual, made from the package: attacks, exhibits of the zoo, and figures.

`make docs` calls this. The number of trainings that it takes to catch an exhibit is read from the table of
docs/sequential.md, where it is measured; an exhibit that the table lacks is an error.
"""

import ast
import inspect
from pathlib import Path

from zoo_pictures import draw_exhibit

from mlaudit.naming.plugins import names, shipped
from mlaudit.testing.zoo import Exhibit, exhibits
from mlaudit.types.numbers import parameter

DOCS = Path(__file__).parents[1] / "docs"
SOURCE = "../../src/mlaudit"
_ATTACKS = """\
# Gallery of attacks

An attack takes D and makes D′. Name it with `--attack`. Without that option, mlaudit tries the mechanism's own
attacks, or searches. Every attack is one file; [Contributing](../contributing.md) shows how to add one.
"""
_ZOO = """\
# Gallery of broken mechanisms

Each exhibit of the zoo is a mechanism with a known bug, the same mechanism without the bug, and the pair of
datasets that shows the difference. The true ε is derived, not estimated. `mlaudit zoo` audits all exhibits. The
trainings to catch each are from 64 audits; the table is in [Stopping early](../sequential.md).

Each picture shows 400 outputs on D and 400 on D′. If an output has several numbers, the picture shows the one that
leaks most.
"""
_FIGURES = """\
# Gallery of figures

A sweep file names its figure (`figure = "specified_detected"`), and `mlaudit report` draws it as SVG, PNG and PDF.
These pictures are from [the paper's studies](../results/paper/README.md), drawn from measured rows.
"""


def make_pages() -> dict[str, str]:
    """The text of every generated file, by its path below docs/."""
    zoo = exhibits()
    pictures = {f"gallery/zoo/{name}.svg": draw_exhibit(name, exhibit) for name, exhibit in zoo.items()}
    pages = {"attacks": make_attacks(), "zoo": make_zoo(zoo), "figures": make_figures()}
    return pictures | {f"gallery/{name}.md": text for name, text in pages.items()}


def make_attacks() -> str:
    """Every attack: what it does, and how to name it."""
    lines = [_ATTACKS]
    for name, path in shipped("attacks").items():
        lines += [f"## {name}", "", names("attacks")[name], ""]
        lines += [
            f"```{{literalinclude}} {SOURCE}/attacks/{name}.py",
            ":language: python",
            f":lines: {_body(path)}-",
            "```",
            "",
        ]
    return "\n".join(lines)


def make_zoo(zoo: dict[str, Exhibit]) -> str:
    """Every exhibit: the bug, a picture, what it took to catch, and the code."""
    caught = read_trainings((DOCS / "sequential.md").read_text(encoding="utf-8"))
    lines = [_ZOO]
    for name, exhibit in zoo.items():
        lines += [f"## {name}", "", *_exhibit(name, exhibit, caught), ""]
    return "\n".join(lines)


def read_trainings(page: str) -> dict[str, str]:
    r"""The median number of trainings until the claim is refuted, and the share within 300, by exhibit.

    >>> read_trainings("| exhibit | within 300 | median |\n| - | - | - |\n| seed_reused | 100 % | 24 |\n")
    {'seed_reused': 'median 24; 100 % of audits within 300'}
    """
    rows = [
        [cell.strip() for cell in line.strip("|\n ").split("|")] for line in page.splitlines() if line.startswith("|")
    ]
    head = next(row for row in rows if row[0] == "exhibit" and "median" in row)
    median, share = head.index("median"), head.index("within 300")
    found = [row for row in rows[rows.index(head) + 2 :] if len(row) == len(head)]
    return {row[0]: _sentence(row[median], row[share]) for row in found}


def _sentence(median: str, share: str) -> str:
    never = "not caught within 1 000 in most audits"
    return never if median == "-" else f"median {median}; {share} of audits within 300"


def _exhibit(name: str, exhibit: Exhibit, caught: dict[str, str]) -> list[str]:
    doc = inspect.cleandoc(ast.get_docstring(ast.parse(shipped("exhibits")[name].read_text(encoding="utf-8"))) or "")
    first, _, rest = doc.partition("\n\n")
    _, _, why = rest.partition("\n")
    facts = [
        f"- **Claimed:** {exhibit.claim}",
        f"- **True:** ε = {'∞' if exhibit.true_epsilon == float('inf') else parameter(exhibit.true_epsilon)}",
        f"- **Trainings to catch it:** {caught[name]}"
        if exhibit.broken
        else "- **Nothing is broken here:** it counts false alarms.",
    ]
    facts += [f"- **Reference:** {exhibit.reference}"] if exhibit.reference else []
    codes = [exhibit.broken, exhibit.healthy] if exhibit.broken else [exhibit.healthy]
    picture = [
        "",
        f"```{{image}} zoo/{name}.svg",
        f":alt: Outputs of {name} on D and on D′",
        ":class: picture",
        "```",
        "",
    ]
    code = [line for one in codes for line in ("```python", inspect.getsource(one).rstrip(), "```", "")]
    return [first, "", why, "", *facts, *picture, *code]


def make_figures() -> str:
    """Every figure that a sweep's report can draw, as it looks in the study of the paper."""
    lines = [_FIGURES]
    drawn = sorted((DOCS / "results" / "paper" / "figures").glob("*.svg"))
    for name, about in names("figures").items():
        lines += [f"## {name}", "", about, ""]
        for picture in drawn:
            if picture.stem.partition("-")[2].endswith(name):
                lines += [f"![{picture.stem}](../results/paper/figures/{picture.name})", ""]
    return "\n".join(lines)


def _body(path: Path) -> int:
    """The line at which the first class or function begins, its decorators included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    first = next(node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    return min([first.lineno, *(decorator.lineno for decorator in first.decorator_list)])
