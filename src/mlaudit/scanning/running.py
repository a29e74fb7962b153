"""scan(): every neighbour, a few trainings each, the clues they give, and the suspects on fresh trainings."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mlaudit.adapters.convert import as_mechanism, mechanism_name
from mlaudit.arms import Arm
from mlaudit.auditing import check_numbers
from mlaudit.engines.isolated import Isolated
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import LearnerFailed
from mlaudit.notes import repeat_notes
from mlaudit.parts import the_engine, the_progress
from mlaudit.protocols import Engine, Mechanism
from mlaudit.sampling import Progress
from mlaudit.scanning.certify import certify
from mlaudit.scanning.looking import LookAt
from mlaudit.scanning.neighbours import Neighbour, neighbours
from mlaudit.scanning.observing import MESSAGE, RAISED
from mlaudit.scanning.result import ScanResult
from mlaudit.scanning.suspects import Columns, Suspect, columns, strongest, suspects_of
from mlaudit.scanning.walk import Readings
from mlaudit.searching.neighbours import searched_neighbours
from mlaudit.searching.pilots import Pilots
from mlaudit.steadiness import is_repeatable
from mlaudit.stores.memory import MemoryStore
from mlaudit.threads import one_thread
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import instance, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.versions import library_of

_MOST_PROBES = 100
_MOST_PILOTS = 10**6  # of each dataset, all held in memory
_PIECE = 4  # trainings that a worker does at a time


def scan(
    mechanism: Any,
    data: Dataset,
    *,
    claim: Claim | None = None,
    pilot: int = 40,
    trainings: int = 400,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ScanResult:
    """Look through everything that a learner's fitted object holds for what betrays a row.

    `pilot` trainings of each dataset find suspects among all attributes, on every targeted neighbour of D and, for a
    learner without attacks of its own, on those that a search finds; each suspect is then counted on up to
    `trainings` fresh ones. All bounds hold together with confidence 1 − α.

    >>> data, claim = Dataset([0.0, 1.0, 0.5]), Claim(1.0)
    >>> honest = scan(lambda data, rng: data.X.sum() + rng.laplace(), data, claim=claim, alpha=1e-6)
    >>> careless = scan(lambda data, rng: len(data), data, claim=claim)
    >>> [leak.standing for leak in honest.above], [leak.standing for leak in careless.above]
    ([], ['not claimed'])
    """
    # Fails for a correct program with probability < 1e-6: the α of the first scan; the second leak is total.
    subject = as_mechanism(mechanism, claim)
    promised = instance("claim", subject.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    whole("pilot", pilot, 10, "fewer trainings show nothing", _MOST_PILOTS)
    check_numbers(trainings, alpha, seed)
    instance("data", data, Dataset, "wrap rows in Dataset(...)")
    workers, notify = JoblibEngine() if engine is None else the_engine(engine), the_progress(progress)
    base = data.within(subject.domain(data))
    made = neighbours(base)
    with one_thread():
        repeatable = _is_repeatable(subject, made[0].pair, seed, workers)
        pilots = Pilots(seed, workers, MemoryStore(), notify)
        searched = searched_neighbours(subject, base, made, 2 * pilot, pilots)
        made = (*made, *searched.neighbours)
        probes = probes_of(base, made)
        look = partial(_looked, subject, probes, pilot, seed, workers, notify)
        found, paths = _suspects(base, made, look, pilot)
        chosen = strongest(found, promised.epsilon)
        leaks = certify(subject, promised, chosen, probes, trainings, alpha, seed, workers, notify)
    return ScanResult(
        mechanism_name(subject),
        library_of(subject),
        data.name,
        promised,
        tuple(leaks),
        len(made),
        paths,
        pilot,
        trainings,
        alpha,
        seed,
        (*repeat_notes(repeatable=repeatable), *searched.notes),
    )


def _is_repeatable(mechanism: Mechanism, pair: Pair, seed: int, engine: Engine) -> bool:
    arms = [Arm(mechanism, data, pair.target, seed) for data in (pair.neighbour, pair.base)]
    return is_repeatable(arms, MemoryStore(), isolate=isinstance(engine, Isolated))


def probes_of(data: Dataset, made: Sequence[Neighbour]) -> FloatArray:
    """The rows that a model is asked about: rows of D from first to last, and those that a neighbour has instead."""
    at = np.unique(np.linspace(0, len(data) - 1, min(len(data), _MOST_PROBES)).round().astype(int))
    rows = [data.X[at], *(one.pair.neighbour.X[[0, -1]] for one in made)]
    both = np.vstack(rows)
    first = np.sort(np.unique(both, axis=0, return_index=True)[1])
    return np.asarray(both[first])


def _suspects(
    base: Dataset, made: Sequence[Neighbour], look: Callable[[Dataset], Columns], pilot: int
) -> tuple[list[Suspect], int]:
    """Every neighbour's suspects, and how many paths were looked at; each base is trained on once."""
    known = {base.digest: _alive(look(base))}
    found: list[Suspect] = []
    for neighbour in made:
        pair = neighbour.pair
        if pair.base.digest not in known:
            known[pair.base.digest] = look(pair.base)
        found += suspects_of(neighbour, known[pair.base.digest], look(pair.neighbour), pilot)
    return found, len(known[base.digest])


def _looked(
    mechanism: Mechanism,
    probes: FloatArray,
    pilot: int,
    seed: int,
    engine: Engine,
    progress: Progress,
    data: Dataset,
) -> dict[str, list[Any]]:
    """What a few trainings on a dataset show, path by path."""
    arm = Arm(mechanism, data, None, seed)
    pieces = [range(at, min(at + _PIECE, pilot)) for at in range(0, pilot, _PIECE)]
    rows: dict[int, Readings] = {}
    for piece, seconds in engine.map_unordered(LookAt(arm, probes), pieces):
        rows.update(piece)
        progress(len(piece), seconds)
    return columns(rows[place] for place in range(pilot))


def _alive(shown: Columns) -> Columns:
    """A learner that never learns from D has nothing to be scanned."""
    raised = shown.get(RAISED, ["(absent)"])
    if all(value != "(absent)" for value in raised):
        said = shown[MESSAGE][0] or raised[0]
        raise LearnerFailed(f"all of {len(raised)} trainings on D raised; the first of them: {said}")
    return shown
