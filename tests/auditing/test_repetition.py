"""A violation is repeated on fresh trainings before it is announced."""

import json
from pathlib import Path

import pytest

from mlaudit import AuditResult, Claim, Dataset, Pair, audit, confirm
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.sequential import Sequential
from mlaudit.results.verdict import refutes

PAIR = Pair(Dataset([0.0]), Dataset([1.0]))
OFTEN = 0.5  # α at which a good part of all audits at exactly the claim have a bound above it


@pytest.mark.slow
def test_a_first_bound_that_chance_put_above_the_claim_is_not_announced() -> None:
    audits = (audit(Laplace(1.0), pair=PAIR, trainings=400, alpha=OFTEN, seed=seed) for seed in range(60))
    # Fails for a correct program with probability < 1e-9: a tenth of these audits would do, and a third are so.
    result = next(result for result in audits if refutes(result.claim, result.finding.bound) and not result.violated)
    assert result.confirmation is not None
    assert (result.verdict, result.violated) == ("not_repeated", False)
    assert str(result).startswith("NOT REPEATED  laplace")
    assert "so no violation is announced" in str(result)
    again = AuditResult.from_json(result.to_json())
    assert (again.verdict, again.confirmation) == (result.verdict, result.confirmation)


@pytest.mark.slow
def test_a_real_violation_is_repeated_on_other_seeds() -> None:
    # Fails for a correct program with probability < 1e-9: ε = 4 where 1 is claimed; the bound is 3.4 ± 0.2.
    result = audit(Laplace(4.0), pair=PAIR, claim=Claim(1.0), trainings=1000)
    again = result.confirmation
    assert result.violated
    assert again is not None
    assert again.bound.epsilon > 1.0
    assert again.seed not in (result.provenance.seed, result.provenance.learned_on)
    assert again.trainings <= 1000
    assert "Repeated on" in str(result)


@pytest.mark.slow
def test_a_replay_takes_seeds_that_neither_audit_nor_repetition_has_used() -> None:
    result = audit(Laplace(4.0), pair=PAIR, claim=Claim(1.0), trainings=400)
    again = result.confirmation
    assert again is not None
    assert confirm(result, Laplace(4.0)).provenance.seed == again.seed + 1
    with pytest.raises(InvalidInput, match="needs fresh trainings"):
        confirm(result, Laplace(4.0), seed=again.seed)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [1e-4, 1e-6])
def test_bets_at_a_tiny_error_are_repeated_at_a_usual_one(alpha: float) -> None:
    # Fails for a correct program with probability < 1e-9: without noise every guess but the first few is right.
    result = audit(
        lambda data, rng: float(data.X.sum()), pair=PAIR, claim=Claim(1.0), procedure=Sequential(), alpha=alpha
    )
    again = result.confirmation
    assert result.violated
    assert again is not None
    assert again.trainings < result.finding.evidence.counted  # type: ignore[union-attr]


def test_without_repetition_the_text_says_so() -> None:
    result = audit(Laplace(4.0), pair=PAIR, claim=Claim(1.0), trainings=400, repeat=False)
    assert result.violated
    assert result.confirmation is None
    assert "Not repeated on fresh trainings." in str(result)


@pytest.mark.slow
def test_an_audit_that_could_not_refute_is_inconclusive_and_says_what_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "laplace", "--epsilon", "1", "--trainings", "500", "--rows", "8", "--out", str(tmp_path / "run")]
    assert main([*words, "--json", "--quiet"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "inconclusive"
    assert told["ceiling"] < 1
    assert main([*words, "--quiet", "--fail-on-inconclusive"]) == 6
    said = capsys.readouterr().out
    assert said.startswith("INCONCLUSIVE  laplace")
    assert "This audit could not have refuted the claim: the largest ε it could show is 0.6" in said
    assert "Try 1 row (could show " in said
