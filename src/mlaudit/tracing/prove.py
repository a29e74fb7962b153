"""Put suspects to a statistical test, each on its own pair: a transcript alone proves nothing about the output."""

from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from mlaudit.auditing.repetition import REPEATED_AT
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.ranges import Range, split
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.naming.fingerprint import user_code
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Engine, Mechanism
from mlaudit.results.verdict import judge, refutes
from mlaudit.scanning.certify import certify
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.observed_stream import ObservedStream
from mlaudit.scanning.result import Leak
from mlaudit.scanning.suspects import columns, find_suspects
from mlaudit.scanning.walk import attribute_of
from mlaudit.tracing.faults import Fault, PairTest
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.finding import Bets

MOST_PAIRS = 3  # pairs that are tested: each has its share of alpha
_PROCEDURE = Sequential()
_PILOT = 20
_OUTPUT = "output"


def prove_faults(
    faults: Sequence[Fault],
    mechanism: Mechanism,
    claim: Claim,
    trainings: int,
    alpha: float,
    seed: int,
    engine: Engine,
) -> tuple[Fault, ...]:
    """Test the suspects of the gravest pairs: the summary by bets, attributes beyond it as a scan does.

    Args:
        faults: The suspects, the gravest first.
        mechanism: The learner.
        claim: Its claim.
        trainings: The most trainings of each test.
        alpha: The probability at most with which a correct learner is refuted, over all tests together.
        seed: Seed of the trainings. A trace chooses pairs with other seeds.
        engine: Where trainings run.

    Returns:
        The suspects with their tests; those of further pairs as they are.
    """
    pairs = list(dict.fromkeys(fault.neighbour for fault in faults))[:MOST_PAIRS]
    share = alpha / (2 * max(len(pairs), 1))
    loop = DrawingLoop(engine, MemoryStore())
    tests: dict[Neighbour, PairTest | Leak] = {}
    for neighbour in pairs:
        found = _test_summary(mechanism, claim, neighbour, trainings, share, seed, loop)
        mine = {attribute_of(path) for fault in faults if fault.neighbour is neighbour for path in fault.paths}
        leak = None
        if not found.violated and mine - {_OUTPUT}:
            leak = count_attributes(mechanism, claim, neighbour, mine, trainings, share, seed, loop)
        tests[neighbour] = found if leak is None or leak.standing != "violated" else leak
    return tuple(fault.tested(tests[fault.neighbour]) if fault.neighbour in tests else fault for fault in faults)


def _test_summary(
    mechanism: Mechanism,
    claim: Claim,
    neighbour: Neighbour,
    trainings: int,
    alpha: float,
    seed: int,
    loop: DrawingLoop,
) -> PairTest:
    """Bet on the summary of fresh trainings; a bound above the claim is repeated on those of the next seed."""
    pair = neighbour.pair
    make = partial(Sampler, mechanism, pair, loop=loop, code=user_code())
    finding = _PROCEDURE(make(seed=seed, remaining=trainings), claim, pair, alpha)
    again = None
    if refutes(claim, finding.bound):
        fresh = make(seed=seed + 1, remaining=trainings)
        again = _PROCEDURE.confirm(fresh, claim, pair, REPEATED_AT, finding).bound
    return PairTest(finding.bound, again, judge(claim, finding.bound, again), cast(Bets, finding.evidence).spent)


def count_attributes(
    mechanism: Mechanism,
    claim: Claim,
    neighbour: Neighbour,
    attributes: set[str],
    trainings: int,
    alpha: float,
    seed: int,
    loop: DrawingLoop,
) -> Leak | None:
    """Find the clue of an attribute on pilot trainings, and count it on fresh ones; None if no attribute has one."""
    probes = neighbour.pair.base.X[:1]
    read = partial(_read_columns, loop, mechanism, seed)
    suspects = find_suspects(neighbour, read(neighbour.pair.base), read(neighbour.pair.neighbour), _PILOT)
    mine = [suspect for suspect in suspects if suspect.attribute in attributes]
    if not mine:
        return None
    best = max(mine, key=lambda suspect: suspect.strength)
    return certify(mechanism, claim, [best], np.asarray(probes), trainings, alpha, seed, loop)[0]


def _read_columns(loop: DrawingLoop, mechanism: Mechanism, seed: int, data: Dataset) -> dict[str, list[float | str]]:
    stream, whole = ObservedStream(mechanism, data, None, seed), Range(0, 0, _PILOT)
    readings: dict[int, Any] = {}
    for drawn in loop.draw([stream], split(whole, _PILOT), [whole], keep=False):
        readings.update(enumerate(drawn.block.readings, start=drawn.start))  # type: ignore[attr-defined]
    return columns(readings[index] for index in range(_PILOT))
