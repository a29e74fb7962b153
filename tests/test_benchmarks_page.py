"""The page of all benchmarks: what was measured is kept, shown with its command, and not measured again."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def load(name: str) -> ModuleType:
    """A benchmark as a module; they are scripts and no package."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_part_is_measured_once_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    every = load("all")
    marks = tmp_path / "marks"
    code = f"open({str(marks)!r}, 'a').write('x'); print('measured at size')"
    part = every.Part("A title", "Some words.", ("-c", code), ("7",), ("1",), verbatim=True)
    monkeypatch.setattr(every, "PARTS", {"part": part})
    monkeypatch.setattr(every, "QUICK_PAGE", tmp_path / "kept" / "benchmarks.md")
    monkeypatch.setattr(every, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(sys, "argv", ["all.py"])
    every.main()
    every.main()
    assert marks.read_text() == "x"
    page = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert "## A title\n\nSome words." in page
    assert "```text\nmeasured at size\n```" in page
    monkeypatch.setattr(sys, "argv", ["all.py", "--quick", "--again"])
    every.main()
    assert marks.read_text() == "xx"
    assert (tmp_path / "kept" / "benchmarks.md").exists()


def test_the_page_keeps_what_was_measured() -> None:
    every = load("all")
    kept = {
        name: every.Measured("python a.py", "2026-11-18", 1234.0, f"machine of {name}", f"| {name} |\n\n| - |")
        for name in every.PARTS
    }
    assert every.read_page(every.write_page(kept)) == kept
    # The committed page is as the script writes it: a part that it did not recognise would be measured again.
    text = every.PAGE.read_text(encoding="utf-8")
    assert every.write_page(every.read_page(text)) == text


def test_every_part_names_a_benchmark_and_has_a_small_size() -> None:
    every = load("all")
    for name, part in every.PARTS.items():
        assert part.command[0] == "-m" or (every.ROOT / part.command[0]).is_file(), name
        assert part.small or not part.size, name


@pytest.mark.parametrize("factor", [1.175, 1.5])
def test_the_limit_of_a_known_fault(factor: float) -> None:
    limit = load("ci_project").limit
    told, allowed = np.exp(factor) / (1 + np.exp(factor)), np.e / (1 + np.e)
    information = told * np.log(told / allowed) + (1 - told) * np.log((1 - told) / (1 - allowed))
    # One randomised bit, and geometric noise, tell as much in every training; Laplace noise in most of them.
    assert limit("randomised response", factor, 1) == pytest.approx(np.log(1e4) / information)
    assert limit("geometric count", factor, 1) == pytest.approx(np.log(1e4) / information, rel=1e-6)
    assert np.log(1e4) / information < limit("Laplace count", factor, 1) < 2 * np.log(1e4) / information
