"""The whole search for D′: pool, halving, ascent. The finalists go to the audit's own pilots."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from math import inf

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit.attacks.search import Search
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pilots import Pilots
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.search.ascent import climb
from mlaudit.search.candidate import Candidate
from mlaudit.search.crafting import craft_moves, plain_name, reshape_move
from mlaudit.search.diversity import drop_equal_scores, drop_repeated_pairs, limit_per_move, mix_widths
from mlaudit.search.limits import Ceiling, count_most_steps
from mlaudit.search.move import Move, Setting, changes_under, make_pair
from mlaudit.search.pool import pool_moves
from mlaudit.search.screening import Screening, rank_finalists, screen_moves
from mlaudit.search.worst import Worst
from mlaudit.types.changes import steps_per_row
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.clipping import as_clipping
from mlaudit.types.coverage import check_covered
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import plural

SEED = 0x5EA2C4
MANY = 4000  # pilots with which a search can choose by the bounds that they project
# Pairs are for few pilots and for many.
_SCREENING = (0.6, 0.4)  # share of all pilots; the rest chooses among the finalists
_HALVING = (0.75, 0.45)  # share of the screening's pilots; the rest climbs, and ranks the finalists
_ASCENT = 0.1  # share of the screening's pilots
_LEADERS = 2
_SMALL = 1000  # pilots of a screening that can improve one leader only
_SIZES = (1, 2)  # numbers of rows k of each finalist
_EACH = (300, 150)  # pilots for each finalist: with few, the screening's ranking is better than a choice by luck
_LOSS = 2.2  # total privacy loss at which a bound per row is largest, for Laplace noise
_SHIFT = 1.6  # the shift in units of the noise that goes with it
_MOST_MOVES = 4000  # a pool may be endless, and a move that refuses costs time without a training
_RANKED = 10  # candidates whose loss is measured
_FINALISTS = 8


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Candidates that shift τ most, the best first; how many were tried, and on how many pilots."""

    candidates: tuple[Candidate, ...]
    tried: int
    spent: int


def search_neighbours(  # noqa: PLR0913 - all but six arguments have a default
    mechanism: Mechanism,
    data: Dataset | Worst,
    relation: Relation,
    rows: tuple[int, ...],
    budget: int,
    seed: int,
    *,
    search: Search = Search(),  # noqa: B008 - frozen
    sampler: str = "auto",
    pilots: Pilots | None = None,
    most_steps: float = inf,
) -> SearchResult:
    """Search for the neighbours D′ that shift the summary τ most, per step.

    Args:
        mechanism: The mechanism to audit.
        data: D, or `Worst()` to search crafted datasets as well.
        relation: The neighbour relation.
        rows: Numbers of rows k to change; a move takes the first that it can.
        budget: The most pilots that the search may draw.
        seed: Seed of the search's own choices.
        search: Restricts the changes of rows, and may allow rows outside the domain.
        sampler: How trainings are drawn.
        pilots: Draws and counts the pilots; without it they are kept in memory.
        most_steps: The most steps between D and D′.

    Returns:
        The ranked candidates, how many were tried, and how many pilots were drawn.
    """
    drawing = pilots or Pilots(seed, DrawingLoop(LokyEngine()))
    screening = Screening(mechanism, relation, rows, sampler, drawing, most_steps)
    changes, rng = changes_under(relation, search.change), default_rng(SeedSequence(seed, spawn_key=(SEED,)))
    moves: Iterable[Move]
    if isinstance(data, Worst):
        moves = craft_moves(mechanism, data, changes, rng, search.outside)
    else:
        domain = as_clipping(mechanism.domain(data), search.outside)
        check_covered(relation, data.within(domain))
        moves = pool_moves(Setting(mechanism, data.within(domain), changes, rng))
    began = drawing.spent
    left, tried = screen_moves(screening, islice(moves, _MOST_MOVES), int(_HALVING[budget > _SMALL] * budget))
    leaders = _LEADERS if budget > _SMALL else 1
    share = int(_ASCENT * budget / leaders)
    for leader in left[:leaders]:
        left = [_improve_leader(screening, leader, share, rng), *left]
    finalists = limit_per_move(drop_repeated_pairs(_keep_shifted(screening, left)))[:_RANKED]
    by_loss = budget >= _SCREENING[1] * MANY
    ranked = rank_finalists(screening, finalists, began + budget - drawing.spent, by_loss=by_loss)
    return SearchResult(tuple(drop_equal_scores(ranked)), tried, drawing.spent - began)


def _keep_shifted(screening: Screening, ranked: list[Candidate]) -> list[Candidate]:
    """Keep the candidates with a shift; without any, one on which not every training fails, if there is one."""
    shifted = [candidate for candidate in ranked if candidate.score > 0]
    alive = (candidate for candidate in ranked if screening.brings_numbers(candidate))
    return shifted or list(islice(alive, 1)) or ranked[:1]


def _improve_leader(screening: Screening, leader: Candidate, budget: int, rng: Generator) -> Candidate:
    """Find a better x* for the leader; on crafted data, first better numbers of rows and columns."""
    if not screening.shares_noise(leader):
        return leader  # what looks better at another point may be noise
    until = screening.pilots.spent + budget
    others, _ = screen_moves(screening, reshape_move(leader.move), budget // 2)
    start = max([leader, *others[:1]], key=lambda candidate: candidate.score)
    return climb(screening, start, until - screening.pilots.spent, rng)


def find_finalists(
    mechanism: Mechanism,
    data: Dataset | Worst,
    claim: Claim,
    search: Search,
    rows: tuple[int, ...],
    trainings: int,
    pilots: Pilots,
    sampler: str,
    ceiling: Ceiling | None = None,
) -> tuple[list[Candidate], str]:
    """Search on the audit's share of pilots.

    Args:
        mechanism: The mechanism to audit.
        data: D, or `Worst()` to search crafted datasets as well.
        claim: The claim to refute.
        search: The search.
        rows: Numbers of rows k to change.
        trainings: All trainings of the audit, pilots included.
        pilots: Draws and counts the pilots.
        sampler: How trainings are drawn.
        ceiling: The largest bound that a number of trainings can give on a pair so many steps apart. No pair has so
            many steps that its ceiling is below the claim, if one with fewer steps could refute the claim.

    Returns:
        The finalists, each with a few of the numbers of rows asked for, and a sentence about the search.

    Raises:
        InvalidInput: If there is no legal neighbour.
    """
    allowed = search.share * trainings
    many = allowed >= MANY
    one = (1 - _SCREENING[many]) * allowed < 2 * _EACH[many]  # nothing to choose between: all pilots may screen
    screening = allowed if one else _SCREENING[many] * allowed
    fewest = min(rows) * steps_per_row(search.change, claim.relation)
    most_steps = count_most_steps(ceiling, claim, rows, fewest, int(trainings - allowed))
    found = search_neighbours(
        mechanism,
        data,
        claim.relation,
        _order_rows(rows, claim.epsilon),
        int(screening),
        pilots.seed,
        search=search,
        sampler=sampler,
        pilots=pilots,
        most_steps=most_steps,
    )
    if not found.candidates:
        raise InvalidInput(
            f"there must be a legal neighbour {min(rows)} rows apart, the search found none; ask for fewer rows, or "
            "give data with more"
        )
    most = max(1, min(_FINALISTS, int((allowed - found.spent) / _EACH[many])))
    sizes = min(len(rows), _SIZES[many])
    finalists = [
        one
        for candidate in mix_widths(found.candidates)
        for one in _vary_rows(replace(candidate, mechanism=mechanism), claim.relation, rows, sizes, most_steps)
    ][:most]
    note = (
        f"the search tried {plural(found.tried, 'candidate')} on {found.spent} pilot trainings, which do not count, "
        f"and kept {len(finalists)}"
    )
    return finalists, note


def _order_rows(rows: tuple[int, ...], epsilon: float) -> tuple[int, ...]:
    """Order numbers of rows: the most whose loss would still be well counted under the claim, then fewer, then more.

    >>> _order_rows((1, 2, 4, 8), 0.5), _order_rows((1, 2, 4, 8), 4.0)
    ((4, 2, 1, 8), (1, 2, 4, 8))
    """
    few = sorted((k for k in rows if k * epsilon <= _LOSS), reverse=True)
    return (*few, *sorted(set(rows) - set(few)))


def _vary_rows(
    candidate: Candidate, relation: Relation, rows: tuple[int, ...], most: int, most_steps: float
) -> list[Candidate]:
    """The candidate with those numbers of rows whose shift would be nearest to the one that is counted best."""
    move = candidate.move
    if move is None:
        return [candidate]
    per_row = max(candidate.score * candidate.pair.steps(relation) / candidate.pair.rows, 1e-9)
    order = sorted(rows, key=lambda k: abs(np.log(k * per_row / _SHIFT)))
    pairs = (make_pair(move, k, relation, most_steps) for k in order)
    name = f"search: {plain_name(move.name)}"
    return list(islice((replace(candidate, attack=name, pair=pair) for pair in pairs if pair is not None), most))
