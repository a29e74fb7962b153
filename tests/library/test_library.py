"""Audits of whole libraries: every item under one α, in a folder of its own, and the same command goes on."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlaudit import Box, Claim, Dataset, refute
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.library import Entry, Item, LibraryResult, audit_library
from mlaudit.library.item import read_items
from mlaudit.library.text import render
from mlaudit.refuting.result import Skipped
from mlaudit.report.library import files

DATA = Dataset([0.0, 1.0, 1.0], domain=Box([0.0], [1.0]))
MINE = """
from mlaudit import Box, Claim, Dataset
from mlaudit.library import Item

data = Dataset([0.0, 1.0, 1.0], domain=Box([0.0], [1.0]))


def kept(data, rng):
    return data.X.sum() + rng.laplace()


def exact(data, rng):
    return data.X.sum()


def fails(data, rng):
    raise ValueError("no weights")


def items():
    yield Item("a noisy sum", kept, Claim(1.0), data, trainings=200)
    yield Item("exact sum", exact, Claim(1.0), data)
    yield Item("fails", fails, Claim(1.0), data)
"""


def exact(data: Dataset, rng: Any) -> float:
    return float(data.X.sum())


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = main(["library", "mine.py:items", "--effort", "smoke", "--out", "out", "--json", *words])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


@pytest.mark.slow
def test_a_catalogue_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Fails for a correct program with probability < 1e-6: --alpha.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    code, found = run(capsys, "--alpha", "1e-6")
    assert code == 3
    verdicts = {one["name"]: one["verdict"] for one in found["items"]}
    assert verdicts["exact sum"] == "violated"
    assert verdicts["fails"] == "error"
    assert verdicts["a noisy sum"] in ("not_refuted", "inconclusive")
    assert "no weights" in found["items"][2]["error"]
    folders = sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir())
    assert [name.rpartition("-")[0] for name in folders] == ["a-noisy-sum", "exact-sum"]
    shares = [json.loads((tmp_path / "out" / name / "result.json").read_text())["alpha"] for name in folders]
    assert shares == [pytest.approx(1e-6 / 3)] * 2
    for name in ("report.html", "report.md"):
        assert "exact sum" in (tmp_path / "out" / name).read_text(encoding="utf-8")
    # The same command reads what is there, and tests only what is missing.
    draws = [(tmp_path / "out" / name / "draws.sqlite").stat().st_mtime_ns for name in folders]
    assert run(capsys, "--alpha", "1e-6", "--exit-zero")[0] == 0
    assert [(tmp_path / "out" / name / "draws.sqlite").stat().st_mtime_ns for name in folders] == draws


def test_names_and_kinds_are_checked() -> None:
    with pytest.raises(InvalidInput, match="an entry of mine must be an Item"):
        read_items([3], "mine")
    with pytest.raises(InvalidInput, match="mine must be items or a function that returns them, got 3"):
        read_items(3, "mine")
    with pytest.raises(InvalidInput, match="must list 1 to 10000 items, got 0"):
        read_items(list, "mine")
    with pytest.raises(InvalidInput, match="must have data or a pair, got both"):
        Item("a", exact, Claim(1.0), DATA, pair=_pair())
    with pytest.raises(InvalidInput, match="a text in one line"):
        Item("a\nb", exact)


def _pair() -> Any:
    from mlaudit import Pair

    return Pair(DATA, Dataset([1.0, 1.0, 1.0], domain=DATA.domain))


def test_only_takes_parts_of_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    assert main(["library", "mine.py:items", "--only", "sun", "--out", "out"]) == 2
    assert "--only must be parts of names of items, got 'sun'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_another_catalogue_changes_no_seed_and_the_table_says_what_it_means() -> None:
    """An exact output is found whatever the seed."""
    alone = audit_library([Item("exact", exact, Claim(1.0), DATA)], effort="smoke", alpha=0.01)
    both = audit_library(
        [Item("exact", exact, Claim(1.0), DATA), Item("other", exact, Claim(1.0), DATA)], effort="smoke", alpha=0.02
    )
    first, again = alone.entries[0].result, both.entries[0].result
    assert first is not None
    assert again is not None
    assert (first.seed, first.alpha, first.epsilon_lower) == (again.seed, again.alpha, again.epsilon_lower)
    said = render(both)
    assert "items: 2 claims, 2 violated" in said
    assert "The probability that any true claim of this table is called violated is at most 0.02." in said


@pytest.mark.slow
def test_a_test_that_ran_out_of_time_is_told() -> None:
    claim_test = refute(exact, DATA, claim=Claim(1.0), effort="smoke")
    late = replace(claim_test, findings=(), skipped=(Skipped("scan_object", "the time limit of 60 s was reached"),))
    result = LibraryResult("mine", "", 0.05, "smoke", 0, (Entry("slow", late),))
    assert "slow: the time limit ended the test before scan_object" in render(result)
    pages = dict(files(result, "mlaudit library mine.py:items"))
    assert all("the time limit ended the test before" in page for page in pages.values())
