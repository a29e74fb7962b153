"""Put suspects to a statistical test, each on its own pair: a transcript alone proves nothing about the output."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from mlaudit.auditing.call import audit
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.ranges import Range, split
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Engine, Mechanism
from mlaudit.results.audit_result import AuditResult
from mlaudit.scanning.certify import certify
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.observed_stream import ObservedStream
from mlaudit.scanning.result import Leak
from mlaudit.scanning.suspects import columns, find_suspects
from mlaudit.scanning.walk import attribute_of
from mlaudit.tracing.faults import Fault
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

MOST_PAIRS = 3  # pairs that are tested: each has its share of alpha
_PILOT = 20
_OUTPUT = "output"


def test_faults(
    faults: Sequence[Fault],
    mechanism: Mechanism,
    claim: Claim,
    trainings: int,
    alpha: float,
    seed: int,
    engine: Engine,
) -> tuple[Fault, ...]:
    """Test the suspects of the gravest pairs: the summary by an audit, attributes beyond it as a scan does.

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
    tests: dict[Neighbour, AuditResult | Leak] = {}
    for neighbour in pairs:
        found = audit(
            mechanism,
            pair=neighbour.pair,
            claim=claim,
            procedure=Sequential(),
            trainings=trainings,
            alpha=share,
            seed=seed,
            engine=engine,
        )
        mine = {attribute_of(path) for fault in faults if fault.neighbour is neighbour for path in fault.paths}
        leak = None
        if not found.violated and mine - {_OUTPUT}:
            leak = _test_attributes(mechanism, claim, neighbour, mine, trainings, share, seed, engine)
        tests[neighbour] = found if leak is None else leak
    return tuple(fault.tested(tests[fault.neighbour]) if fault.neighbour in tests else fault for fault in faults)


def _test_attributes(
    mechanism: Mechanism,
    claim: Claim,
    neighbour: Neighbour,
    attributes: set[str],
    trainings: int,
    alpha: float,
    seed: int,
    engine: Engine,
) -> Leak | None:
    """Find the clue of an attribute on pilot trainings, and count it on fresh ones."""
    loop, probes = DrawingLoop(engine, MemoryStore()), neighbour.pair.base.X[:1]
    read = partial(_read_columns, loop, mechanism, seed)
    suspects = find_suspects(neighbour, read(neighbour.pair.base), read(neighbour.pair.neighbour), _PILOT)
    mine = [suspect for suspect in suspects if suspect.attribute in attributes]
    if not mine:
        return None
    best = max(mine, key=lambda suspect: suspect.strength)
    leaks = certify(mechanism, claim, [best], np.asarray(probes), trainings, alpha, seed, loop)
    return leaks[0] if leaks[0].standing == "violated" else None


def _read_columns(loop: DrawingLoop, mechanism: Mechanism, seed: int, data: Dataset) -> dict[str, list[float | str]]:
    stream, whole = ObservedStream(mechanism, data, None, seed), Range(0, 0, _PILOT)
    readings = {}
    for drawn in loop.draw([stream], split(whole, _PILOT), [whole], keep=False):
        readings.update(enumerate(drawn.block.readings, start=drawn.start))  # type: ignore[attr-defined]
    return columns(readings[index] for index in range(_PILOT))
