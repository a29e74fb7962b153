"""Names of `mlaudit list` stand for objects in Python, as on the command line, and never import a user's file."""

import json
import sys
from pathlib import Path

import pytest

from mlaudit import AuditResult, Claim, Dataset, Pair, Relation, audit, confirm, datasets, one_run, scan
from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.swap_x import SwapX
from mlaudit.auditing.arguments import build_claiming, resolve_mechanism
from mlaudit.cli import main
from mlaudit.datasets import Preparation, load
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.plugins import shipped
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.trainers.logistic_sgd import LogisticSgd
from mlaudit.types.traits import traits_of

PAIR = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


@pytest.mark.slow
def test_names_stand_for_the_objects_that_they_name() -> None:
    pytest.importorskip("diffprivlib")
    by_name = audit(
        "naive_bayes", "iris", claim=Claim(2.0), attack="corner_flip", procedure="two_phase", rows=1, trainings=200
    )
    data = load("iris", preparation=traits_of(NaiveBayes()).preparation)
    by_object = audit(
        NaiveBayes(2.0), data, attack=CornerFlip(), procedure=TwoPhase(), rows=1, trainings=200, claim=Claim(2.0)
    )
    assert by_name.to_json() == by_object.to_json()


@pytest.mark.slow
def test_the_command_line_gives_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "laplace", "--epsilon", "2", "--rows", "1", "--trainings", "400", "--quiet", "--json"]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    printed = json.loads(capsys.readouterr().out)
    stated = audit("laplace", claim=Claim(2.0), rows=1, trainings=400).summary()
    assert {name: printed[name] for name in stated} == stated


@pytest.mark.slow
def test_several_attacks_by_name_and_object() -> None:
    data = Dataset([[0.0], [0.5], [1.0], [0.25]], y=[0, 1, 0, 1])
    by_name = audit(Laplace(), data, attack=["swap_x", CornerFlip()], rows=1, trainings=200)
    by_object = audit(Laplace(), data, attack=[SwapX(), CornerFlip()], rows=1, trainings=200)
    assert by_name.to_json() == by_object.to_json()


@pytest.mark.parametrize("name", sorted(shipped("mechanisms")))
def test_every_shipped_mechanism_is_built_with_the_claims_epsilon_and_delta(name: str) -> None:
    own = resolve_mechanism(name, None).claim
    claim = Claim(2.5, 1e-6 if own.delta else 0.0, own.relation)
    built = resolve_mechanism(name, claim).claim
    assert (built.epsilon, built.delta, built.relation) == (claim.epsilon, claim.delta, claim.relation)


def test_a_relation_that_the_mechanism_does_not_claim_is_refused() -> None:
    with pytest.raises(InvalidInput, match="laplace claims replace-one, got a claim under add-remove"):
        audit("laplace", claim=Claim(1.0, relation=Relation.ADD_REMOVE))


@pytest.mark.slow
def test_trainers_and_scans_take_names() -> None:
    claim = Claim(4.0, 1e-5, Relation.ADD_REMOVE)
    assert build_claiming("trainers", "logistic_sgd", claim) == LogisticSgd(epsilon=4.0, delta=1e-5)
    with pytest.raises(UnknownName, match="no trainer is called 'logistic'"):
        one_run("logistic")
    with pytest.raises(UnknownName, match="no mechanism is called 'naive'"):
        scan("naive", "iris")
    scanned = scan("laplace", "iris", pilot=10, trainings=100)
    assert (scanned.mechanism, scanned.dataset) == ("laplace", "iris")


@pytest.mark.parametrize("name", ["evil.py:learner", "evil:learner", "{here}/evil.py:learner", "evil", "evil.py"])
def test_a_name_never_imports_a_users_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil.py").write_text("from pathlib import Path\nPath(__file__).with_name('canary').touch()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    given = name.format(here=tmp_path)
    for call in (
        lambda: audit(given, pair=PAIR),
        lambda: audit(Laplace(), given),
        lambda: audit(Laplace(), PAIR.base, attack=given),
        lambda: audit(Laplace(), pair=PAIR, procedure=given),
        lambda: scan(given, PAIR.base),
        lambda: one_run(given),
        lambda: datasets.load(given),
    ):
        with pytest.raises(InvalidInput):
            call()
    assert not (tmp_path / "canary").exists()
    assert "evil" not in sys.modules


def test_a_table_is_data_by_its_path(tmp_path: Path) -> None:
    table = tmp_path / "customers.csv"
    table.write_text("age,plan,visits\n30,basic,4\n41,pro,9\n52,pro,1\n35,basic,2\n", encoding="utf-8")
    found = load(table, target="plan", preparation=Preparation(scale="none"))
    assert (found.X.tolist()[0], found.y is not None and found.y.tolist()) == ([30.0, 4.0], [0, 1, 1, 0])
    with pytest.raises(UnknownName, match=r"no column of customers\.csv is called 'plans'; did you mean 'plan'"):
        load(table, target="plans")


@pytest.mark.slow
def test_a_result_says_how_to_confirm_it() -> None:
    first = audit("laplace", claim=Claim(4.0), rows=1, trainings=300, procedure="two_phase")
    read = AuditResult.from_json(first.to_json())
    again = confirm(read)
    assert again.to_json() == confirm(read, Laplace(4.0), TwoPhase(), trainings=300, seed=1).to_json()
    assert again.provenance.seed == 1
    assert confirm(read, seed=5, trainings=200).provenance.trainings == 200
