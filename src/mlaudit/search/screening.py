"""Screen the pool: score every candidate on pilot trainings, and halve the field until few are left."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf

from mlaudit.drawing.outcome import has_failed
from mlaudit.drawing.pilots import FIRST, Pilots, PilotStream, Wanted
from mlaudit.protocols import Mechanism, RefusesPairs
from mlaudit.samplers.sampled import choose_sampler
from mlaudit.search.candidate import Candidate
from mlaudit.search.halving import halve_field
from mlaudit.search.loss import cautious_loss
from mlaudit.search.move import Move, make_pair
from mlaudit.search.score import shift
from mlaudit.types.block import Block
from mlaudit.types.claim import Relation
from mlaudit.types.pair import Pair

_MOST_PILOTS = 64  # of a candidate: they measure a noise, not a bound
_PILOTS = (2, 4, 8, 16, 32, 64)
_FIRST_ROUND = 0.6  # share of the budget
_UNSHARED = 16  # pilots of each candidate in the first round if their noise does not cancel
_BASE_PILOTS = 2  # times as many trainings on D as on each D′
_MANY = 200  # candidates that are enough to begin with
_DIGITS = 9  # of a score
_FEWEST = 4  # candidates in the last round


@dataclass(frozen=True, eq=False)
class Screening:
    """Scores candidates on pilots that all of them share.

    Attributes:
        mechanism: The mechanism to audit.
        relation: The neighbour relation whose steps a score is divided by.
        rows: Numbers of rows k to change; a move takes the first that it can.
        sampler: How trainings are drawn.
        pilots: Draws the pilot trainings and counts them.
        most_steps: The most steps between D and D′.
    """

    mechanism: Mechanism
    relation: Relation
    rows: tuple[int, ...]
    sampler: str
    pilots: Pilots
    most_steps: float = inf
    _streams: dict[Pair, tuple[PilotStream, PilotStream]] = field(default_factory=dict, repr=False)

    def make_candidate(self, move: Move) -> Candidate | None:
        """Make the move's pair with the first number of rows that it can change; None if it can change none."""
        pairs = (make_pair(move, rows, self.relation, self.most_steps) for rows in self.rows)
        pair = next((pair for pair in pairs if pair is not None), None)
        if pair is None or (isinstance(self.mechanism, RefusesPairs) and self.mechanism.refuses(pair)):
            return None
        mechanism = choose_sampler(self.mechanism, self.sampler, pair)
        self._streams[pair] = self.pilots.streams(mechanism, pair)
        return Candidate(move.name, pair, mechanism, move)

    def rank_by_shift(self, candidates: list[Candidate], n: int) -> list[Candidate]:
        """Score the candidates on the first n pilots of each D′, and sort them, the largest shift first."""
        drawn = zip(candidates, self._draw(candidates, n), strict=True)
        return sorted((self._score(one, *sides) for one, sides in drawn), key=lambda one: -one.score)

    def rank_by_loss(self, candidates: list[Candidate], n: int) -> list[Candidate]:
        """Score the candidates, and sort them by the privacy loss per step that the pilots show, then by shift."""
        drawn = zip(candidates, self._draw(candidates, n), strict=True)
        scored = [(self._score(one, *sides), self._per_step(cautious_loss(*sides), one)) for one, sides in drawn]
        return [one for one, _ in sorted(scored, key=lambda entry: (-entry[1], -entry[0].score))]

    def brings_numbers(self, candidate: Candidate) -> bool:
        """Whether one of the candidate's first pilots did not fail: if all fail on both sides, nothing can leak."""
        return not all(has_failed(block.kinds).all() for block in self._draw([candidate], FIRST)[0])

    def shares_noise(self, candidate: Candidate) -> bool:
        """Whether the noise of pilots cancels in differences, as that of a learner does which takes it from seeds."""
        return self.pilots.share_noise(self._streams[candidate.pair][0])

    def cost(self, candidates: Iterable[Candidate], n: int) -> int:
        """How many trainings more it takes to have n pilots of each candidate."""
        return self.pilots.cost(self._wanted(candidates, n))

    def can_afford(self, candidates: Sequence[Candidate], n: int, until: int) -> bool:
        """Whether n pilots of each candidate can be drawn before `until` are spent."""
        return self.pilots.spent + self.cost(candidates, n) <= until

    def _wanted(self, candidates: Iterable[Candidate], n: int) -> list[Wanted]:
        """More pilots of D than of each D′: many candidates share D, and the noise is measured there."""
        many = (_BASE_PILOTS * n, n)
        return [pilots for one in candidates for pilots in zip(self._streams[one.pair], many, strict=True)]

    def _draw(self, candidates: Iterable[Candidate], n: int) -> list[tuple[Block, Block]]:
        blocks = self.pilots.draw(self._wanted(candidates, n))
        return list(zip(blocks[::2], blocks[1::2], strict=True))

    def _score(self, candidate: Candidate, base: Block, neighbour: Block) -> Candidate:
        return replace(candidate, score=self._per_step(shift(base, neighbour), candidate))

    def _per_step(self, value: float, candidate: Candidate) -> float:
        """The value per step, without the digits that depend on the machine: equal candidates keep their order."""
        return float(f"{value / candidate.pair.steps(self.relation):.{_DIGITS - 1}e}")


def screen_moves(screening: Screening, moves: Iterable[Move], budget: int) -> tuple[list[Candidate], int]:
    """Halve the candidates that the moves make, on at most `budget` pilots.

    Every round has half the candidates of the one before and twice its pilots, as long as they can be paid for.

    Returns:
        All candidates, the best first, and their number.
    """
    until, first = screening.pilots.spent + budget, count_first_pilots(int(_FIRST_ROUND * budget))
    leading, moves = _find_first(screening, moves)
    if leading is not None and not screening.shares_noise(leading):
        affordable = min(_UNSHARED, budget // _FEWEST)
        first = max([first, *(n for n in _PILOTS if n <= affordable)])  # numbers at whose edges pilots are drawn

    def rank(left: list[Candidate], at: int) -> list[Candidate] | None:
        n = first * 2**at
        if at and (n > _MOST_PILOTS or not screening.can_afford(left, n, until)):
            return None
        return screening.rank_by_shift(left, n)

    entered = _enter_moves(screening, moves, first, int(_FIRST_ROUND * budget))
    return halve_field(entered, rank, _FEWEST), len(entered)


def rank_finalists(
    screening: Screening, candidates: list[Candidate], budget: int, *, by_loss: bool
) -> list[Candidate]:
    """Rank all candidates on equally many pilots, as many as the budget pays for.

    A few pilots show shifts, since they share their noise. A loss takes many.
    """
    until = screening.pilots.spent + budget
    n = max((n for n in _PILOTS if screening.can_afford(candidates, n, until)), default=FIRST)
    return (screening.rank_by_loss if by_loss else screening.rank_by_shift)(candidates, n) if candidates else []


def count_first_pilots(budget: int) -> int:
    """Count the pilots that every candidate gets in the first round.

    Two are enough where the noise is shared and cancels, but not where outputs are few and jump: it is more if the
    budget still pays for many candidates.

    >>> count_first_pilots(100), count_first_pilots(1300), count_first_pilots(100_000)
    (2, 4, 16)
    """
    return max((n for n in _PILOTS[:4] if n * _MANY <= budget), default=FIRST)


def _find_first(screening: Screening, moves: Iterable[Move]) -> tuple[Candidate | None, Iterable[Move]]:
    """The first candidate that a move makes, and all moves."""
    left, tried = iter(moves), []
    for move in left:
        tried.append(move)
        candidate = screening.make_candidate(move)
        if candidate is not None:
            return candidate, chain(tried, left)
    return None, tried


def _enter_moves(screening: Screening, moves: Iterable[Move], n: int, budget: int) -> list[Candidate]:
    """Take as many moves as n pilots of each can be paid for, no pair twice; one move in any case."""
    found: dict[tuple[str, str], Candidate] = {}
    for move in moves:
        candidate = screening.make_candidate(move)
        if candidate is None or candidate.digests in found:
            continue
        if found and screening.cost([*found.values(), candidate], n) > budget:
            break
        found[candidate.digests] = candidate
    return list(found.values())
