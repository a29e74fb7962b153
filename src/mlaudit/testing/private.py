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
from mlaudit.attacks.search import Search
from mlaudit.auditing.repetition import REPEATED_AT
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Attack, Mechanism, Store
from mlaudit.refuting.detectors.own_attacks import change_rows
from mlaudit.refuting.effort import check_seconds, check_trainings
from mlaudit.refuting.result import ClaimTest
from mlaudit.refuting.run import refute
from mlaudit.refuting.text import quote_source
from mlaudit.results.lines import title_line
from mlaudit.results.text import verdict_lines
from mlaudit.testing.keeping import keep_result, open_draws
from mlaudit.testing.record import record_claim, running_test
from mlaudit.testing.summary_lines import describe_test, junit_properties
from mlaudit.types.checks import choice, function, path_of, real
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.differences import differences
from mlaudit.types.pair import Pair

WITNESSES = "mlaudit-witnesses"


class PrivacyViolation(AssertionError):
    """The failure of `assert_private`: the claim was refuted.

    Args:
        text: The verdict, the evidence and the witness, as the command line prints them.
        result: The test that refuted the claim.

    Example:
        >>> from mlaudit.testing import PrivacyViolation, assert_private
        >>> try:
        ...     assert_private(lambda data, rng: data.X.sum(), [0.0, 1.0], epsilon=1.0, witness=os.devnull)
        ... except PrivacyViolation as failure:
        ...     print(failure.result.violated)
        True
    """

    def __init__(self, text: str, result: ClaimTest) -> None:
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
    outside: str | None = None,
    witness: str | Path | None = None,
) -> ClaimTest:
    """Fail if the audit refutes the claim. A correct learner fails with probability at most `flake_rate`.

    The test checks whether the claim holds for all data, with the detectors of `mlaudit test`. A Pair or an attack
    restricts the test. The test stops as soon as the claim is refuted, and fails if fresh trainings refute it again.
    The same seed gives the same verdict, unless `seconds` ends the test. A failed test writes the witness to a result
    file, which `mlaudit replay` confirms. Under pytest, the summary has a line for every tested claim.

    Args:
        learner: A function f(data, rng), an estimator with fit and random_state, or a mechanism.
        data: A Dataset, rows, (rows, labels), or a Pair of datasets. The test changes rows as the relation says:
            under add-remove it adds or removes them, for example. In a Dataset with units it changes all rows of one.
        epsilon: The claimed ε. Default: the mechanism's own claim.
        delta: The claimed δ.
        relation: The neighbour relation: "replace-one", "add-remove", "label-only" or "zero-out". Default: the
            mechanism's, or replace-one.
        attack: The attack that makes D′ from `data`. Default: every detector.
        flake_rate: A correct learner fails with at most this probability: the error of a first bound, times that of
            its repetition. With 1e-6, detecting a violation takes about 60 % more trainings than with 1e-4.
        trainings: The largest number of trainings of each detector.
        seconds: The time limit in seconds.
        seed: Seed of every training and choice.
        outside: Also try rows outside the domain, if the learner is documented to clip them: "finite" numbers, or
            "any", which also allows NaN, infinities and -0.0.
        witness: The file to which a failed test writes the witness. Default: one in the folder mlaudit-witnesses,
            named after the test.

    Returns:
        The result of the test, if it did not refute the claim.

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
        with open_draws(running_test()) as store:
            mechanism, result = _test(
                learner,
                data,
                (epsilon, delta, relation),
                attack,
                flake_rate,
                (trainings, seconds),
                seed,
                outside,
                store,
            )
    except AuditError as error:
        raise error.with_traceback(None) from None  # its sentence says all; our frames would bury it
    keep_result(result, mechanism, running_test())
    told = describe_test(result, flake_rate)
    record_claim(told, junit_properties(told))
    if result.violated:
        path = Path(WITNESSES) / f"{_witness_name(mechanism)}.json" if given_path is None else given_path
        raise PrivacyViolation(_violation_text(result, _write_witness(result, path)), result)
    return result


def _test(
    learner: Any,
    data: Any,
    terms: tuple[float | None, float, str | Relation | None],
    attack: Attack | Sequence[Attack] | None,
    flake_rate: float,
    limits: tuple[int, float],
    seed: int,
    outside: str | None,
    store: Store | None,
) -> tuple[Mechanism, ClaimTest]:
    trainings, seconds = limits
    real("flake_rate", flake_rate, 0, 1)
    check_trainings(trainings)
    check_seconds(seconds)
    claim = _state_claim(learner, *terms)
    mechanism = as_mechanism(learner, claim)
    given = _as_data(data)
    pair = given if isinstance(given, Pair) else None
    rows = None if isinstance(given, Pair) else given
    if attack is not None and pair is not None:
        raise InvalidInput("give either a Pair, or rows and an attack, got both")
    return mechanism, refute(
        mechanism,
        rows,
        pair=pair,
        claim=claim,
        attack=None if attack is None else _choose_attacks(rows, claim, attack),
        effort="smoke",
        trainings=trainings,
        seconds=seconds,
        alpha=_choose_alpha(flake_rate),
        seed=seed,
        outside=outside,
        store=store,
    )


def _choose_alpha(flake_rate: float) -> float:
    """The error of a first bound: a test fails only if its repetition, which is independent, refutes it, too."""
    return max(flake_rate, min(flake_rate / REPEATED_AT, REPEATED_AT))


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


def _choose_attacks(data: Dataset | None, claim: Claim, attack: Attack | Sequence[Attack]) -> tuple[Attack, ...]:
    """Rows replaced, or added and removed, as the claim is about."""
    attacks = tuple(attack) if isinstance(attack, list | tuple) else (attack,)
    for one in attacks:
        function("attack", one, "a function of (mechanism, data, rows, rng)")
    if data is None:
        return attacks
    searches = tuple(one for one in attacks if isinstance(one, Search))  # these change rows by themselves
    others = tuple(one for one in attacks if not isinstance(one, Search))
    return (*change_rows(others, claim.relation), *searches)


def _witness_name(mechanism: Mechanism) -> str:
    """After the test that is running, so that tests side by side keep theirs apart."""
    running = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" ")[0]
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", running or mechanism_name(mechanism)).strip("-.") or "witness"


def _write_witness(result: ClaimTest, path: Path) -> Path | None:
    """Write the audit that refutes the claim most."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(result.findings[0].witness.to_json(), encoding="utf-8")
    except OSError:
        return None  # a folder that cannot be written to must not hide the violation
    return path


def _violation_text(result: ClaimTest, path: Path | None) -> str:
    worst = result.findings[0]
    kept = ["The witness could not be written; give witness= a file that can be."]
    if path is not None:
        again = f"Confirm it on fresh trainings: mlaudit replay {path} --mechanism FILE:{result.mechanism}"
        kept = [f"Witness: {path}", again]
    return "\n".join(
        [
            title_line(result.verdict, result.mechanism, result.claim),
            *verdict_lines(worst.witness),
            f"Found by {worst.detector} in {worst.place}: {worst.cause}",
            *(text for line in worst.lines for text in (f"Line: {line}", *quote_source(line.site, "  "))),
            f"D and D′ differ by {worst.change}:",
            *(f"  {line}" for line in differences(worst.pair)),
            *result.notes,
            *kept,
        ]
    )
