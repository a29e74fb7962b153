"""Successive halving: many candidates, few pilots each; then fewer candidates, more pilots."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mlaudit.adapters.fast import drawn_by
from mlaudit.protocols import Mechanism
from mlaudit.searching.loss import cautious_loss
from mlaudit.searching.move import Move, made
from mlaudit.searching.pilots import FIRST, PilotArm, Pilots, Wanted
from mlaudit.searching.score import shift
from mlaudit.types.block import Block
from mlaudit.types.claim import Relation
from mlaudit.types.pair import Pair

MOST = 64  # in the last: what it measures is a noise, not a bound
_SIZES = (4, 8, 16, 32, 64)
_FIELD = 0.5  # of the budget for the first round
_NOISE = 2  # times as many trainings on D as on each D′
_MANY = 200  # entries that are enough to begin with
_DIGITS = 9  # of a score
_FEWEST = 4  # entries that the last round has


@dataclass(frozen=True, eq=False)
class Entry:
    """A move, a pair of it, how it is drawn, and how far it moved τ so far, per step."""

    move: Move
    pair: Pair
    mechanism: Mechanism
    arms: tuple[PilotArm, PilotArm]
    steps: int
    score: float = 0.0


@dataclass(frozen=True, eq=False)
class Contest:
    """What all entries have in common."""

    mechanism: Mechanism
    relation: Relation
    rows: tuple[int, ...]
    sampler: str
    pilots: Pilots

    def entry(self, move: Move) -> Entry | None:
        """The move as an entry, with the first of the numbers of rows that it can change; None if it can none."""
        pairs = (made(move, rows, self.relation) for rows in self.rows)
        pair = next((pair for pair in pairs if pair is not None), None)
        if pair is None:
            return None
        mechanism = drawn_by(self.mechanism, self.sampler, pair)
        return Entry(move, pair, mechanism, self.pilots.arms(mechanism, pair), pair.steps(self.relation))

    def scored(self, entries: list[Entry], n: int) -> list[Entry]:
        """The entries with their scores on the first n pilots of each side, per step, the best first."""
        drawn = zip(entries, self._drawn(entries, n), strict=True)
        return sorted((_with_score(entry, *sides) for entry, sides in drawn), key=lambda entry: -entry.score)

    def by_loss(self, entries: list[Entry], n: int) -> list[Entry]:
        """The same, with the greatest loss first that those pilots show, per step; where none does, the score."""
        drawn = zip(entries, self._drawn(entries, n), strict=True)
        told = [
            (_with_score(entry, *sides), _comparable(cautious_loss(*sides) / entry.steps)) for entry, sides in drawn
        ]
        return [entry for entry, _ in sorted(told, key=lambda one: (-one[1], -one[0].score))]

    def _drawn(self, entries: list[Entry], n: int) -> list[tuple[Block, Block]]:
        blocks = self.pilots.draw(wanted(entries, n))
        return list(zip(blocks[::2], blocks[1::2], strict=True))


def _with_score(entry: Entry, base: Block, other: Block) -> Entry:
    return replace(entry, score=_comparable(shift(base, other) / entry.steps))


def _comparable(score: float) -> float:
    """The score without the digits that depend on the machine: equal candidates keep their order everywhere."""
    return float(f"{score:.{_DIGITS - 1}e}")


def wanted(entries: Sequence[Entry], n: int) -> list[Wanted]:
    """As many pilots of each D′, and more of D: many candidates share it, and the noise is measured there."""
    return [(arm, many) for entry in entries for arm, many in zip(entry.arms, (_NOISE * n, n), strict=True)]


def halved(contest: Contest, moves: Iterable[Move], budget: int) -> tuple[list[Entry], int]:
    """The entries, the best first, and how many there were; costs at most `budget` trainings.

    Every round has half the entries of the one before and twice its pilots, as long as they can be paid for. Who is
    dropped stays behind those who are kept, in the order of the round that dropped them.
    """
    ended, n = contest.pilots.spent + budget, first_look(int(_FIELD * budget))
    left = contest.scored(entered(contest, moves, n, int(_FIELD * budget)), n)
    tried = kept = len(left)
    while kept > _FEWEST and n < MOST:
        kept = max(_FEWEST, math.ceil(kept / 2))
        if not affordable(contest, left[:kept], 2 * n, ended):
            break
        n *= 2
        left = contest.scored(left[:kept], n) + left[kept:]
    return left, tried


def first_look(budget: int) -> int:
    """How many pilots everybody gets at first: more only where a good many candidates can still be paid for.

    Noise that is shared cancels in four, but not where outputs are few and jump.

    >>> first_look(100), first_look(1300), first_look(100_000)
    (4, 4, 16)
    """
    return max((n for n in _SIZES[:3] if n * _MANY <= budget), default=FIRST)


def affordable(contest: Contest, entries: Sequence[Entry], n: int, ended: int) -> bool:
    """Whether n pilots of each can be had before `ended` are spent."""
    return contest.pilots.spent + contest.pilots.cost(wanted(entries, n)) <= ended


def judged(contest: Contest, entries: list[Entry], budget: int, *, losses: bool) -> list[Entry]:
    """All of them on equally many pilots, as many as the budget pays for; the best first, by score or by loss.

    Few pilots show shifts, where the noise is shared; a loss takes many.
    """
    ended = contest.pilots.spent + budget
    n = max((n for n in _SIZES if affordable(contest, entries, n, ended)), default=FIRST)
    return (contest.by_loss if losses else contest.scored)(entries, n) if entries else []


def entered(contest: Contest, moves: Iterable[Move], n: int, budget: int) -> list[Entry]:
    """As many moves as n pilots of each can be paid for, no pair twice; one in any case."""
    found: dict[tuple[str, str], Entry] = {}
    for move in moves:
        entry = contest.entry(move)
        if entry is None:
            continue
        key = (entry.pair.base.digest, entry.pair.neighbour.digest)
        if key in found:
            continue
        if found and contest.pilots.cost(wanted([*found.values(), entry], n)) > budget:
            break
        found[key] = entry
    return list(found.values())
