"""One bound, one text: in the headline, the facts, the figures, the tables and the command's own figure."""

import re
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.cli import main
from mlaudit.report.json import load
from mlaudit.report.numbers import bound, ceiling, claimed

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


def test_a_bound_above_ten_has_one_text_on_all_pages(run: Path) -> None:
    result = load(run / "result.json")
    assert result.epsilon_lower > 10
    shown = bound(result.epsilon_lower, result.claim.epsilon)
    for name in ("report.html", "report.md"):
        text = (run / name).read_text(encoding="utf-8").replace("\\", "")
        said = re.findall(r"(?:at least|ε ≥) ([\d.]+\d)", text)
        assert len(said) >= 2, "headline and facts"
        assert set(said) == {shown}
    assert f"ε ≥ {shown}" in (run / "figure.svg").read_text(encoding="utf-8")


@given(value=st.floats(1e-6, 1e3), claim=st.floats(1e-3, 1e2))
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
    assert claimed(0.12345) == "0.12345"
    assert claimed(inf) == "inf"


def test_no_other_module_rounds_a_bound() -> None:
    """Whoever shows a lower bound with a format of its own would show another number."""
    import mlaudit

    root = Path(mlaudit.__file__).parent
    own = re.compile(r"\{[^{}\n]*(?:epsilon_lower|bound\.epsilon|cell\.detected)[^{}\n]*:[.\d]*[gf]\}")
    assert own.search("f'{result.epsilon_lower:.3g}'")
    found = [path.name for path in root.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))]
    assert found == []
