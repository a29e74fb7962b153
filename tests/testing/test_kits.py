"""Every protocol has a kit, and every kind of part is recognised."""

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest

from mlaudit import protocols
from mlaudit.attacks._surrogates import LogisticSurrogate
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.canaries import protocols as canary_protocols
from mlaudit.classifiers.logistic import Logistic
from mlaudit.cli import main
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.procedures.progressive import Progressive
from mlaudit.testing import kits
from mlaudit.testing.classifier import make_sample
from mlaudit.testing.kits import KITS, find_kit
from mlaudit.testing.rehearsal import RehearsedDraw, reveal
from mlaudit.trainers.logistic_sgd import LogisticSgd
from mlaudit.trainers.mislabelled_canaries import MislabelledCanaries

# Of mechanisms: checked with a pair, see `cli/check.py`. Deaths are summarised by a mechanism of the scan alone.
MECHANISMS = {"Mechanism", "Samples", "Prepares", "HasRecipe", "RefusesPairs", "SummarisesDeaths"}


def test_every_protocol_has_a_kit() -> None:
    known = {protocol.__name__ for kit in KITS for protocol in kit.protocols}
    there = {
        name
        for module in (protocols, canary_protocols)
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if getattr(kind, "_is_protocol", False) and kind.__module__ == module.__name__
    }
    assert there - MECHANISMS <= known
    assert there >= MECHANISMS


def test_every_kit_is_a_file_of_its_own() -> None:
    for kit in KITS:
        file = Path(inspect.getfile(kit.check))
        assert kit.check.__name__ == f"check_{file.stem}"
        assert file.parent == Path(kits.__file__).parent


PARTS = {
    "an interval": MoverCP(),
    "an engine": InProcess(),
    "a store": MemoryStore(),
    "a surrogate": LogisticSurrogate(*(make_sample(4, 2)[0],) * 3),
    "a trainer of canaries": LogisticSgd(),
    "a procedure": Progressive(),
    "a draw": RehearsedDraw(reveal, 10),
    "a classifier": Logistic(),
    "an attack": FarCorner(),
    "a scorer": Logistic().fit(*make_sample(40, 2)),
}


@pytest.mark.parametrize("kind", [kit.kind for kit in KITS])
def test_every_kind_is_recognised(kind: str) -> None:
    found = find_kit(PARTS[kind])
    assert found is not None
    assert found.kind == kind


def test_a_trainer_with_scores_alone_is_recognised() -> None:
    found = find_kit(MislabelledCanaries())
    assert found is not None
    assert found.kind == "a trainer of canaries"


def estimator(data: Any, rng: Any) -> float:
    return 0.0


class Estimator:
    def fit(self, X: Any, y: Any) -> None:
        """As scikit-learn does."""


@pytest.mark.parametrize(
    "mechanism", [Laplace(), NaiveBayes(), estimator, Estimator(), Estimator], ids=lambda part: type(part).__name__
)
def test_a_mechanism_is_not_taken_for_another_part(mechanism: Any) -> None:
    assert find_kit(mechanism) is None


MINE = """
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.canaries.draws import StepDraw
from mlaudit.classifiers.logistic import Logistic
from mlaudit.cli import main
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.procedures.one_run import OneRun
from mlaudit.testing.classifier import make_sample
from mlaudit.testing.rehearsal import RehearsedDraw, add_laplace
from mlaudit.trainers.logistic_sgd import LogisticSgd


class InAFile(SqliteStore):
    pass


class Plain:
    def __init__(self, path):
        self.path, self.blocks = path, {}

    def read(self, key, start, stop):
        return []

    def put(self, key, start, block):
        pass


class Forgets(InProcess):
    def map_unordered(self, task, items):
        return iter(())


attack, classifier, engine, store, interval = FarCorner(), Logistic(), InProcess(), MemoryStore(), MoverCP()
draw = RehearsedDraw(add_laplace(1.0), 200)
procedure = OneRun(classifiers=(Logistic(),))
scorer = classifier.fit(*make_sample(40, 2))
trainer = LogisticSgd(steps=4, parameters=300, noise=1.0)
"""


@pytest.mark.parametrize(
    ("name", "kind", "code"),
    [
        ("attack", "an attack", 0),
        ("classifier", "a classifier", 0),
        ("draw", "a draw", 0),
        ("engine", "an engine", 0),
        ("InProcess", "an engine", 0),
        ("Forgets", "an engine", 2),
        ("interval", "an interval", 0),
        ("procedure", "a procedure", 0),
        ("scorer", "a scorer", 0),
        ("store", "a store", 0),
        ("InAFile", "a store", 0),
        ("Plain", "a store", 2),
        pytest.param("trainer", "a trainer of canaries", 0, marks=pytest.mark.extra("dpsgd")),
    ],
)
@pytest.mark.slow
def test_check_runs_the_kit_of_a_part(
    name: str,
    kind: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    # Fails for a correct program with probability < 1e-6: by false alarms of the procedure, whose seeds are fixed.
    assert main(["check", f"mine.py:{name}"]) == code
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == f"mine.py:{name}, taken as {kind}:"
    assert any("FAIL" in line for line in lines) == (code == 2)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py" and path.name != "__pycache__"] == []
