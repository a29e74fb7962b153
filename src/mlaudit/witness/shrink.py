"""Shrink the pair of a violation, as property-based testing does: keep simpler pairs that still show it."""

from dataclasses import dataclass, replace

from numpy.random import SeedSequence

from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.progress import SILENT, Progress
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.errors import AuditError
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Engine, Mechanism
from mlaudit.results.verdict import refutes
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets, Bound, Finding
from mlaudit.types.pair import Pair
from mlaudit.witness.simplify import simplify_pair

_SHRINK = 0x5412
_STRICT = 0.2  # share of α: a simpler pair must show the violation clearly, or fresh trainings would not
_AGAIN = 10  # times the trainings that the pair before needed, and at most an eighth of those left
_BEYOND = 4.0  # times the claim, where the final test stops
_LEAST = 100


@dataclass(frozen=True, eq=False)
class MinimalPair:
    """The smallest pair found, its bound on fresh trainings that chose nothing, and the trainings spent."""

    pair: Pair
    bound: Bound
    trainings: int
    seed: int


@dataclass(eq=False)
class PairTester:
    """Tests pairs on fresh trainings: every test has a seed of its own, and all share one budget."""

    mechanism: Mechanism
    claim: Claim
    alpha: float
    left: int
    seed: int
    engine: Engine
    progress: Progress = SILENT
    done: int = 0

    def fresh_seed(self) -> int:
        """A seed that no other test has."""
        self.done += 1
        words = SeedSequence(self.seed, spawn_key=(_SHRINK, self.done)).generate_state(2)
        return int(words[0]) << 31 | int(words[1]) >> 1

    def loop(self) -> DrawingLoop:
        """A loop for the trainings of one test: none of them is kept for the next."""
        return DrawingLoop(self.engine, MemoryStore(), self.progress)

    def test(self, pair: Pair, trainings: int, alpha: float, beyond: float = 1.0) -> Finding | None:
        """Bet on fresh trainings of the pair; None if the budget is spent or the learner cannot train."""
        budget = min(trainings, self.left)
        if budget < _LEAST:
            return None
        draw = Sampler(self.mechanism, pair, self.fresh_seed(), self.loop(), budget)
        try:
            finding = Sequential(beyond=beyond)(draw, self.claim, pair, alpha)
        except AuditError:
            return None  # a learner that cannot train on so little has shown nothing
        finally:
            self.left -= budget - draw.remaining
        return finding

    def refutes(self, finding: Finding | None) -> bool:
        """Whether the finding refutes the claim."""
        return finding is not None and refutes(self.claim, finding.bound)


def shrink_pair(tester: PairTester, pair: Pair) -> MinimalPair | None:
    """Find the smallest pair that still shows the violation; None if not even the given one does.

    A fifth of the budget is kept for a final test on fresh trainings, which no choice has seen.
    """
    whole, kept = tester.left, tester.left // 5
    tester.left -= kept
    first = tester.test(pair, tester.left // 2, _STRICT * tester.alpha)
    if not tester.refutes(first):
        return None
    need = _trainings_spent(first)
    best = _find_smallest(tester, pair, need)
    tester.left += kept
    last = tester.test(best, tester.left, tester.alpha, beyond=_BEYOND)
    if last is None or not tester.refutes(last):
        return None
    return MinimalPair(_rename_pair(best), last.bound, whole - tester.left, tester.seed)


def _find_smallest(tester: PairTester, pair: Pair, need: int) -> Pair:
    seen: set[tuple[str, str]] = set()
    again = True
    while again:
        again = False
        for other in simplify_pair(pair):
            key = (other.base.digest, other.neighbour.digest)
            if key in seen or not _is_covered(other, tester.claim):
                continue
            seen.add(key)
            most = max(2 * _LEAST, tester.left // 8)
            finding = tester.test(other, min(max(2 * _LEAST, _AGAIN * need), most), _STRICT * tester.alpha)
            if tester.refutes(finding):
                pair, need, again = other, _trainings_spent(finding), True
                break
            if tester.left < _LEAST:
                return pair
    return pair


def _is_covered(pair: Pair, claim: Claim) -> bool:
    try:
        pair.steps(claim.relation)
    except AuditError:
        return False
    return True


def _trainings_spent(finding: Finding | None) -> int:
    evidence = None if finding is None else finding.evidence
    return evidence.spent if isinstance(evidence, Bets) else _LEAST


def _rename_pair(pair: Pair) -> Pair:
    """The pair under the name that results show."""
    return Pair(replace(pair.base, name="minimal witness"), pair.neighbour, pair.target)
