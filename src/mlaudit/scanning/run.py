"""scan(): find suspects among all attributes by a few trainings on every neighbour, then count them on fresh ones."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.arguments import check_engine, resolve_data, resolve_mechanism
from mlaudit.auditing.notes import repeat_notes
from mlaudit.auditing.run import check_numbers
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pilots import Pilots
from mlaudit.drawing.progress import ProgressFunction, as_progress
from mlaudit.drawing.ranges import Range, split
from mlaudit.drawing.steadiness import is_repeatable
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stream import TrainingStream
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import LearnerFailed
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.versions import library_of
from mlaudit.protocols import Engine, Mechanism
from mlaudit.scanning.certify import certify
from mlaudit.scanning.neighbours import Neighbour, neighbours
from mlaudit.scanning.observed_stream import ObservedBlock, ObservedStream
from mlaudit.scanning.readings import MESSAGE, RAISED
from mlaudit.scanning.result import ScanResult
from mlaudit.scanning.search import search_worst_rows
from mlaudit.scanning.suspects import Columns, Suspect, columns, find_suspects, keep_strongest
from mlaudit.scanning.walk import Readings
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import instance, whole
from mlaudit.types.claim import Claim
from mlaudit.types.coverage import check_covered
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.types.unit_claim import state_unit

_MOST_PROBES = 100
_MOST_PILOTS = 10**6  # of each dataset, all held in memory
_AT_A_TIME = 4  # trainings that a worker does at a time


def scan(
    mechanism: Any,
    data: Dataset | str,
    *,
    claim: Claim | None = None,
    pilot: int = 40,
    trainings: int = 400,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
    progress: ProgressFunction | None = None,
) -> ScanResult:
    """Search every attribute of a learner's fitted object for values that reveal a row.

    A few trainings on each of many neighbours of D find suspects among all attributes. Each suspect is then counted
    on fresh trainings. All bounds hold together with confidence 1 − alpha.

    Args:
        mechanism: A mechanism, a function f(data, rng), an estimator with fit and random_state, or a name of `mlaudit
            list mechanisms`, which is built with the ε and δ of the claim.
        data: D, or the name of a dataset, or the path of a table.
        claim: The claim to audit. Default: the mechanism's own. A function or an estimator needs one.
        pilot: Trainings of each dataset that look for suspects.
        trainings: The largest number of fresh trainings for each suspect.
        alpha: Any bound is above the true ε with at most this probability.
        seed: Seed of every training: the same seed gives the same result.
        engine: Where trainings run. Default: this process.
        progress: A function of (trainings, cpu_seconds), called for every finished block.

    Returns:
        Every suspect with its bound. Suspects under a neighbour relation that is not claimed are listed, too.

    Raises:
        InvalidInput: If an argument has a wrong value.
        UnknownName: If nothing installed has a given name.
        LearnerFailed: If every training on D raised.

    Example:
        >>> data, claim = Dataset([0.0, 1.0, 0.5]), Claim(1.0)
        >>> honest = scan(lambda data, rng: data.X.sum() + rng.laplace(), data, claim=claim, alpha=1e-6)
        >>> careless = scan(lambda data, rng: data.X.sum(), data, claim=claim)
        >>> honest.violated, careless.violated
        (False, True)
    """
    # Fails for a correct program with probability < 1e-6: the α of the first scan; the second leak is total.
    mechanism = as_mechanism(resolve_mechanism(mechanism, claim), claim)
    claim = instance("claim", mechanism.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    whole("pilot", pilot, 10, "fewer trainings show nothing", _MOST_PILOTS)
    check_numbers(trainings, alpha, seed)
    data = instance("data", resolve_data(data, mechanism), Dataset, "wrap rows in Dataset(...)")
    claim = state_unit(claim, data)
    workers = LokyEngine() if engine is None else check_engine(engine)
    loop = DrawingLoop(workers, MemoryStore(), as_progress(progress))
    base = data.within(mechanism.domain(data))
    check_covered(claim.relation, base)
    made = neighbours(base, claim.relation)
    with one_thread():
        repeatable = _is_repeatable(mechanism, made[0].pair, seed, workers)
        pilots = Pilots(seed, loop)
        searched = search_worst_rows(mechanism, base, made, 2 * pilot, pilots, claim.relation)
        made = (*made, *searched.neighbours)
        probes = probes_of(base, made)
        read = partial(_read_columns, loop, mechanism, probes, pilot, seed)
        found, paths = _compare_neighbours(base, made, read, pilot)
        chosen = keep_strongest(found, claim.epsilon)
        leaks = certify(mechanism, claim, chosen, probes, trainings, alpha, seed, loop)
    return ScanResult(
        mechanism_name(mechanism),
        library_of(mechanism),
        data.name,
        claim,
        tuple(leaks),
        len(made),
        paths,
        pilot,
        trainings,
        alpha,
        seed,
        (*repeat_notes(repeatable=repeatable), *searched.notes),
        data.card,
    )


def _is_repeatable(mechanism: Mechanism, pair: Pair, seed: int, engine: Engine) -> bool:
    streams = [TrainingStream(mechanism, data, pair.target, seed) for data in (pair.neighbour, pair.base)]
    return is_repeatable(streams, MemoryStore(), isolate=isinstance(engine, Isolated))


def probes_of(data: Dataset, made: Sequence[Neighbour]) -> FloatArray:
    """The rows that a model is asked about: rows of D from first to last, and those that a neighbour has instead."""
    at = np.unique(np.linspace(0, len(data) - 1, min(len(data), _MOST_PROBES)).round().astype(int))
    rows = [data.X[at], *(one.pair.neighbour.X[[0, -1]] for one in made)]
    both = np.vstack(rows)
    first = np.sort(np.unique(both, axis=0, return_index=True)[1])
    return np.asarray(both[first])


def _compare_neighbours(
    base: Dataset, made: Sequence[Neighbour], read: Callable[[Dataset], Columns], pilot: int
) -> tuple[list[Suspect], int]:
    """The suspects of every neighbour, and how many paths D has; each base is trained on once."""
    known = {base.digest: _check_alive(read(base))}
    found: list[Suspect] = []
    for neighbour in made:
        pair = neighbour.pair
        if pair.base.digest not in known:
            known[pair.base.digest] = read(pair.base)
        found += find_suspects(neighbour, known[pair.base.digest], read(pair.neighbour), pilot)
    return found, len(known[base.digest])


def _read_columns(
    loop: DrawingLoop, mechanism: Mechanism, probes: FloatArray, pilot: int, seed: int, data: Dataset
) -> Columns:
    """The readings of `pilot` trainings on a dataset, path by path."""
    stream, whole = ObservedStream(mechanism, data, None, seed, probes=probes), Range(0, 0, pilot)
    readings: dict[int, Readings] = {}
    # Readings are large, and are used once: no store keeps them.
    for drawn in loop.draw([stream], split(whole, _AT_A_TIME), [whole], keep=False):
        readings.update(enumerate(cast(ObservedBlock, drawn.block).readings, start=drawn.start))
    return columns(readings[index] for index in range(pilot))


def _check_alive(columns_of_d: Columns) -> Columns:
    """Refuse a learner that raises in every training on D: there is nothing to scan."""
    raised = columns_of_d.get(RAISED, ["(absent)"])
    if all(value != "(absent)" for value in raised):
        said = columns_of_d[MESSAGE][0] or raised[0]
        raise LearnerFailed(f"all of {len(raised)} trainings on D raised; the first of them: {said}")
    return columns_of_d
