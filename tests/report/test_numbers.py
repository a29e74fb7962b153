"""One bound, one text: in the headline, the facts, the figures, the tables and the command's own figure."""

import ast
import re
from collections import defaultdict
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mlaudit
from mlaudit import AuditResult
from mlaudit.cli import main
from mlaudit.types.numbers import bound, ceiling, parameter

MINE = """
from mlaudit import Dataset, Pair

pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


def exact(data, rng):
    return data.X.sum()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bound above 10, where the two roundings that once were differed: a learner without noise."""
    folder = tmp_path_factory.mktemp("large")
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    mine, out = folder / "mine.py", folder / "run"
    words = ["run", f"{mine}:exact", "--epsilon", "1", "--pair", f"{mine}:pair", "--trainings", "2000", "--quiet"]
    gaussian = ["--procedure", "gdp_accuracy"]
    assert main([*words, "--delta", "1e-5", *gaussian, "--out", str(out)]) == 0
    assert main(["report", str(out)]) == 0
    return out


@pytest.mark.slow
def test_a_bound_above_ten_has_one_text_on_all_pages(run: Path) -> None:
    result = AuditResult.from_json((run / "result.json").read_text(encoding="utf-8"))
    assert result.epsilon_lower > 10
    shown = bound(result.epsilon_lower, result.claim.epsilon)
    for name in ("report.html", "report.md"):
        text = (run / name).read_text(encoding="utf-8").replace("\\", "")
        said = re.findall(r"(?:at least|ε ≥) ([\d.]+\d)", text)
        assert len(said) >= 2, "headline and facts"
        assert set(said) == {shown}


@given(value=st.floats(1e-6, 1e3), claim=st.floats(1e-3, 1e2))
@pytest.mark.slow
def test_a_bound_never_grows_in_print_and_stays_on_its_side_of_the_claim(value: float, claim: float) -> None:
    shown = float(bound(value, claim))
    assert shown <= value
    assert (shown > claim) == (value > claim)
    assert shown >= 0.99 * value


def test_few_digits_where_few_will_do() -> None:
    assert bound(12.3456, 1.0) == "12.3"
    assert bound(123.9, None) == "123"
    assert bound(1.0004, 1.0) == "1.0004", "as it is written, not a little less as it is stored"
    assert bound(1.0, 1.0) == "1"
    assert bound(-0.0, 1.0) == "0"
    assert bound(None, 1.0) == ""
    assert ceiling(4.8390) == "4.84"
    assert parameter(0.12345) == "0.12345"
    assert parameter(inf) == "inf"


# Numbers that are not for people, or not in a sentence.
OWN_FORMATS = {
    "auditing/spell.py": "the command that repeats a result",
    "cli/run.py": "the name of a folder",
    "cli/test.py": "the name of a folder",
    "naming/describe.py": "digits that seeds are derived from",
    "report/spreadsheet.py": "p-values in a CSV file",
    "search/screening.py": "equal to so many digits",
    "types/numbers.py": "the formats themselves",
    "types/rounding.py": "rounding",
    "witness/explain.py": "a shift with its sign",
}


def number_formats() -> dict[str, list[str]]:
    """Every number in an f-string with a format of its own, by module."""
    root, found = Path(mlaudit.__file__).parent, defaultdict(list)
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            spec = node.format_spec if isinstance(node, ast.FormattedValue) else None
            if spec is not None and re.search(r"[eEfFgG%,]'$", ast.unparse(spec)):
                found[path.relative_to(root).as_posix()].append(ast.unparse(node))
    return found


@pytest.mark.slow
def test_numbers_for_people_are_formatted_in_one_place() -> None:
    """Whoever formats a number by itself would show it another way than the page next to it."""
    found = number_formats()
    assert {place: formats for place, formats in found.items() if place not in OWN_FORMATS} == {}
    assert set(OWN_FORMATS) <= set(found), "an exception that is no longer needed"
