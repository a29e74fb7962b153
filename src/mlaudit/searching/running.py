"""The whole search: pool, halving, ascent; what is left goes to the audit's own pilots."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, zip_longest

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit.attacks.search import Search
from mlaudit.candidates import Candidate
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.searching.ascent import climbed
from mlaudit.searching.crafting import crafted, plain_name, reshaped
from mlaudit.searching.halving import Contest, Entry, halved, judged
from mlaudit.searching.move import Move, Setting, changes_under, made
from mlaudit.searching.pilots import Pilots
from mlaudit.searching.pool import pool
from mlaudit.searching.worst import Worst
from mlaudit.selection import MANY
from mlaudit.stores.memory import MemoryStore
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset

SEED = 0x5EA2C4
_SCREENING = (0.6, 0.4)  # of all pilots, few or many; the rest chooses among the finalists
_HALVING = (0.65, 0.45)  # of the screening's trainings, few or many; the rest climbs, and ranks what is left
_ASCENT = 0.1
_LEADERS = 2
_SMALL = 1000  # screening's trainings with which one leader can be improved, not two
_ALIKE = 2
_DIGITS = 9
_SIZES = (1, 2)  # numbers of rows of each finalist, with few pilots or many
_LOSS = 2.2  # at which a bound per row is best counted, in Laplace noise
_BEST = 1.6  # and the shift in units of the noise that goes with it
_MOST = 4000  # moves looked at: a pool may be endless, and most of a refused one costs time without a training
_EACH = (300, 150)  # pilots for each finalist: with few, the screening's ranking is better than a choice by luck
_JUDGED = 10  # entries whose loss is looked at
_FINALISTS = 8


@dataclass(frozen=True, eq=False)
class Found:
    """The moves that moved τ most, the best first; how many were tried, and on how many pilots."""

    entries: tuple[Entry, ...]
    tried: int
    spent: int


def best_moves(
    mechanism: Mechanism,
    data: Dataset | Worst,
    relation: Relation,
    rows: tuple[int, ...],
    budget: int,
    seed: int,
    *,
    change: str = "",
    sampler: str = "auto",
    pilots: Pilots | None = None,
) -> Found:
    """Search with at most `budget` pilots for the moves that shift τ most, per step.

    A move is tried with the first number of `rows` that it can change.
    """
    drawing = pilots or Pilots(seed, JoblibEngine(), MemoryStore())
    contest = Contest(mechanism, relation, rows, sampler, drawing)
    changes, rng = changes_under(relation, change), default_rng(SeedSequence(seed, spawn_key=(SEED,)))
    moves: Iterable[Move]
    if isinstance(data, Worst):
        moves = crafted(mechanism, data, changes, rng)
    else:
        moves = pool(Setting(mechanism, data.within(mechanism.domain(data)), changes, rng))
    began = drawing.spent
    left, tried = halved(contest, islice(moves, _MOST), int(_HALVING[budget > _SMALL] * budget))
    leaders = _LEADERS if budget > _SMALL else 1
    share = int(_ASCENT * budget / leaders)
    for leader in left[:leaders]:
        left = [_improved(contest, leader, share, rng), *left]
    moved = [entry for entry in left if entry.score > 0]
    last = _varied(_once(moved or left[:1]))
    ranked = judged(contest, last, began + budget - drawing.spent, losses=budget >= _SCREENING[1] * MANY)
    return Found(tuple(_unlike(ranked)), tried, drawing.spent - began)


def _improved(contest: Contest, leader: Entry, budget: int, rng: Generator) -> Entry:
    """The leader at a better point; if it is crafted, first with better numbers of rows and columns."""
    ended = contest.pilots.spent + budget
    others, _ = halved(contest, reshaped(leader.move), budget // 2)
    start = max([leader, *others[:1]], key=lambda entry: entry.score)
    return climbed(contest, start, ended - contest.pilots.spent, rng)


def _once(entries: list[Entry]) -> list[Entry]:
    """No pair twice."""
    first = {(e.pair.base.digest, e.pair.neighbour.digest): e for e in reversed(entries)}
    return [e for e in entries if first[e.pair.base.digest, e.pair.neighbour.digest] is e]


def _unlike(entries: list[Entry]) -> list[Entry]:
    """None that did the same to the last digit on the same seeds as another: that is a pair in other clothes."""
    first = {(e.pair.base.X.shape[1], round(e.score, _DIGITS)): e for e in reversed(entries)}
    return [e for e in entries if first[e.pair.base.X.shape[1], round(e.score, _DIGITS)] is e]


def _varied(entries: list[Entry]) -> list[Entry]:
    """The first few, but no move on more than two datasets: where many do the same, others must have a chance."""
    seen: Counter[str] = Counter()
    kept = []
    for entry in entries:
        name = plain_name(entry.move.name)
        seen[name] += 1
        if seen[name] <= _ALIKE:
            kept.append(entry)
    return _by_width(kept)[:_JUDGED]


def _by_width(entries: Iterable[Entry]) -> list[Entry]:
    """The best of each number of columns, then the second of each, and so on.

    A shift in units of noise is not a loss: with outputs of another width it may be larger and show less. Which of
    them promises more is for the audit's own pilots to say.
    """
    groups: dict[int, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.pair.base.X.shape[1], []).append(entry)
    return [entry for row in zip_longest(*groups.values()) for entry in row if entry is not None]


def searched(
    mechanism: Mechanism,
    data: Dataset | Worst,
    claim: Claim,
    search: Search,
    rows: tuple[int, ...],
    trainings: int,
    pilots: Pilots,
    sampler: str,
) -> tuple[list[Candidate], str]:
    """The finalists, in every number of rows that is asked for, and in words what the search did."""
    allowed = search.share * trainings
    many = allowed >= MANY
    budget = int(_SCREENING[many] * allowed)
    found = best_moves(
        mechanism,
        data,
        claim.relation,
        _tried_first(rows, claim.epsilon),
        budget,
        pilots.seed,
        change=search.change,
        sampler=sampler,
        pilots=pilots,
    )
    if not found.entries:
        raise InvalidInput(
            f"there must be a legal neighbour {min(rows)} rows apart, the search found none; ask for fewer rows, or "
            "give data with more"
        )
    most = max(1, min(_FINALISTS, int((allowed - found.spent) / _EACH[many])))
    each = min(len(rows), _SIZES[many])
    pairs = [c for entry in _by_width(found.entries) for c in _in_rows(entry, mechanism, claim.relation, rows, each)]
    finalists = pairs[:most]
    said = (
        f"the search tried {found.tried} candidates on {found.spent} pilot trainings, which do not count, and kept "
        f"{len(finalists)}"
    )
    return finalists, said


def _tried_first(rows: tuple[int, ...], epsilon: float) -> tuple[int, ...]:
    """The most rows whose loss would still be well counted under the claim, then fewer, then more.

    >>> _tried_first((1, 2, 4, 8), 0.5), _tried_first((1, 2, 4, 8), 4.0)
    ((4, 2, 1, 8), (1, 2, 4, 8))
    """
    few = sorted((k for k in rows if k * epsilon <= _LOSS), reverse=True)
    return (*few, *sorted(set(rows) - set(few)))


def _in_rows(
    entry: Entry, mechanism: Mechanism, relation: Relation, rows: tuple[int, ...], most: int
) -> list[Candidate]:
    """The move with a few numbers of rows: those with which its shift would come nearest to what is best counted."""
    per_row = max(entry.score * entry.steps / entry.pair.rows, 1e-9)
    order = sorted(rows, key=lambda k: abs(np.log(k * per_row / _BEST)))
    pairs = ((made(entry.move, k, relation)) for k in order)
    candidates = (
        Candidate(f"search: {plain_name(entry.move.name)}", pair, mechanism) for pair in pairs if pair is not None
    )
    return list(islice(candidates, most))
