"""assert_private(): a privacy claim as a test that fails only on a real violation, at a stated rate."""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from mlaudit.adapters.convert import as_mechanism
from mlaudit.attacks._changes import with_change
from mlaudit.attacks.search import Search
from mlaudit.auditing.call import audit
from mlaudit.auditing.candidates import default_attacks
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Attack, Mechanism, Samples
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.text import headline, verdict_lines
from mlaudit.testing.record import record_claim
from mlaudit.testing.summary_lines import describe_audit
from mlaudit.types.checks import choice, function, path_of, real
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.differences import differences
from mlaudit.types.pair import Pair

WITNESSES = "mlaudit-witnesses"


class PrivacyViolation(AssertionError):
    """The failure of `assert_private`: the claim was refuted. `result` is the audit that refuted it.

    Example:
        >>> from mlaudit.testing import PrivacyViolation, assert_private
        >>> try:
        ...     assert_private(lambda data, rng: data.X.sum(), [0.0, 1.0], epsilon=1.0, witness=os.devnull)
        ... except PrivacyViolation as failure:
        ...     print(failure.result.violated)
        True
    """

    def __init__(self, text: str, result: AuditResult) -> None:
        super().__init__(text)
        self.result = result


def assert_private(  # noqa: PLR0913 - every argument but the first two has a default
    learner: Any,
    data: Dataset | Pair | tuple[ArrayLike, ArrayLike] | ArrayLike | None = None,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    relation: str | Relation | None = None,
    attack: Attack | Sequence[Attack] | None = None,
    flake_rate: float = 1e-4,
    trainings: int = 1000,
    seconds: float = inf,
    seed: int = 0,
    witness: str | Path | None = None,
) -> AuditResult:
    """Fail if the audit refutes a learner's claim. A correct learner fails with probability at most `flake_rate`.

    The audit stops as soon as the claim is refuted, after `trainings`, or after `seconds`. The same seed gives the
    same verdict, unless time ran out. A failure leaves a result file, the witness, which `mlaudit replay` confirms.
    Under pytest every audited claim has a line in the summary.

    Args:
        learner: A function f(data, rng), an estimator with fit and random_state, or a mechanism.
        data: A Dataset, rows, (rows, labels), or a Pair of datasets that should not be told apart. Under replace-one
            a row is replaced, under add-remove one is added or removed.
        epsilon: The claimed ε. Default: the mechanism's own claim.
        delta: The claimed δ.
        relation: The neighbour relation, "replace-one" or "add-remove". Default: the mechanism's, or replace-one.
        attack: How the neighbour is made. Default: the mechanism's own attacks, or else a search.
        flake_rate: The probability at most with which a correct learner fails. With 1e-6 a violation takes about
            40 % more trainings to be detected than with 1e-4.
        trainings: The most trainings.
        seconds: The most seconds.
        seed: Seed of every training and choice.
        witness: The file that a failure leaves. Default: one in the folder mlaudit-witnesses, named after the test.

    Returns:
        The result of the audit, if it did not refute the claim.

    Raises:
        PrivacyViolation: If the claim is refuted.
        InvalidInput: If an argument has a wrong value, or if there is no claim.
        LearnerFailed: If every training raised.

    Example:
        >>> rows = [0.0, 1.0, 0.0]
        >>> noisy = assert_private(lambda data, rng: data.X.sum() + rng.laplace(), rows, epsilon=1.0, flake_rate=1e-6)
        >>> noisy.violated
        False
        >>> assert_private(lambda data, rng: data.X.sum(), rows, epsilon=1.0, witness=os.devnull)
        Traceback (most recent call last):
        mlaudit.testing.private.PrivacyViolation: VIOLATED      <lambda>, claim ε = 1 (replace-one)
        ...
    """
    __tracebackhide__ = True  # a failing test shows the message, not this file
    # Fails for a correct program with probability < 1e-6: the flake rate.
    try:
        given_path = None if witness is None else path_of("witness", witness)
        mechanism, result = _audit(
            learner, data, (epsilon, delta, relation), attack, flake_rate, trainings, seconds, seed
        )
    except AuditError as error:
        raise error.with_traceback(None) from None  # its sentence says all; our frames would bury it
    record_claim(describe_audit(result))
    if result.violated:
        path = Path(WITNESSES) / f"{_witness_name(mechanism)}.json" if given_path is None else given_path
        raise PrivacyViolation(_violation_text(result, _write_witness(result, path)), result)
    return result


def _audit(
    learner: Any,
    data: Any,
    terms: tuple[float | None, float, str | Relation | None],
    attack: Attack | Sequence[Attack] | None,
    flake_rate: float,
    trainings: int,
    seconds: float,
    seed: int,
) -> tuple[Mechanism, AuditResult]:
    real("flake_rate", flake_rate, 0, 1)
    claim = _state_claim(learner, *terms)
    mechanism = as_mechanism(learner, claim)
    given = _as_data(data)
    pair = given if isinstance(given, Pair) else None
    rows = None if isinstance(given, Pair) else given
    return mechanism, audit(
        mechanism,
        rows,
        pair=pair,
        claim=claim,
        attack=None if pair is not None else _choose_attacks(mechanism, rows, claim, attack),
        rows=1,
        procedure=Sequential(seconds=seconds),
        trainings=trainings,
        alpha=flake_rate,
        seed=seed,
        sampler="auto" if isinstance(mechanism, Samples) else "library",
    )


def _state_claim(learner: Any, epsilon: float | None, delta: float, relation: str | Relation | None) -> Claim:
    own = learner.claim if isinstance(learner, Mechanism) and not isinstance(learner, type) else None
    if relation is not None and not isinstance(relation, Relation):
        choice("relation", relation, [known.value for known in Relation])
    if epsilon is not None:
        usual = Relation.REPLACE_ONE if own is None else own.relation
        return Claim(epsilon, delta, usual if relation is None else Relation(relation))
    if own is None:
        raise InvalidInput("a learner without a claim of its own must be given one, got none; give epsilon=")
    if real("delta", delta, 0, 1, closed_low=True) != 0.0:
        raise InvalidInput(f"delta belongs to an epsilon, got delta={delta!r} alone; give epsilon= as well")
    return own if relation is None else replace(own, relation=Relation(relation))


def _as_data(data: Any) -> Dataset | Pair | None:
    if data is None or isinstance(data, Dataset | Pair):
        return data
    if isinstance(data, tuple) and len(data) == 2:
        return Dataset(*data)
    return Dataset(data)


def _choose_attacks(
    mechanism: Mechanism, data: Dataset | None, claim: Claim, attack: Attack | Sequence[Attack] | None
) -> tuple[Attack, ...]:
    """Rows replaced, or added and removed, as the claim is about."""
    chosen = default_attacks(mechanism, data) if attack is None else attack
    attacks = tuple(chosen) if isinstance(chosen, list | tuple) else (chosen,)
    for one in attacks:
        function("attack", one, "a function of (mechanism, data, rows, rng)")
    if claim.relation is Relation.REPLACE_ONE or data is None:
        return attacks
    both = ("add", "remove")
    return tuple(
        c for one in attacks for c in ((one,) if isinstance(one, Search) else (with_change(one, x) for x in both))
    )


def _witness_name(mechanism: Mechanism) -> str:
    """After the test that is running, so that tests side by side keep theirs apart."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", running or mechanism_name(mechanism)).strip("-.") or "witness"


def _write_witness(result: AuditResult, path: Path) -> Path | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(result.to_json(), encoding="utf-8")
    except OSError:
        return None  # a folder that cannot be written to must not hide the violation
    return path


def _violation_text(result: AuditResult, path: Path | None) -> str:
    name = result.provenance.mechanism
    kept = ["The witness could not be written; give witness= a file that can be."]
    if path is not None:
        again = f"mlaudit replay {path} --mechanism FILE:{name}"
        kept = [f"Witness: {path}", f"Confirm it on fresh trainings: {again}"]
    made = "" if result.attack == "given" else f" ({result.attack})"
    changed = [f"  {line}" for line in differences(result.pair)]
    return "\n".join([headline(result), *verdict_lines(result), f"D and D′ differ{made}:", *changed, *kept])
