"""Making a witness small, as property-based testing does: keep every simpler pair that still shows the violation."""

from dataclasses import dataclass, replace

from numpy.random import SeedSequence

from mlaudit.errors import AuditError
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Engine, Mechanism
from mlaudit.sampling import Progress, Sampler
from mlaudit.searching.simplify import simpler
from mlaudit.stores.memory import MemoryStore
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets, Bound, Finding
from mlaudit.types.pair import Pair
from mlaudit.types.result import judge

_SHRINK = 0x5412
_STRICT = 0.2  # of α: a simpler pair must show the violation clearly, or it would get lost on fresh trainings
_AGAIN = 10  # times as many trainings as the pair before needed, and an eighth of all that are left, at most
_BEYOND = 4.0  # times the claim, where the last word stops
_LEAST = 100


@dataclass(frozen=True, eq=False)
class Shrunk:
    """The smallest pair found, the bound it showed on trainings that chose nothing, and what all that cost."""

    pair: Pair
    bound: Bound
    trainings: int
    seed: int


@dataclass(eq=False)
class Trials:
    """Draws for trials: every one has a seed of its own, and none counts twice."""

    mechanism: Mechanism
    claim: Claim
    alpha: float
    left: int
    seed: int
    engine: Engine
    progress: Progress = lambda *_: None
    done: int = 0

    def fresh_seed(self) -> int:
        """A seed that no trial had."""
        self.done += 1
        words = SeedSequence(self.seed, spawn_key=(_SHRINK, self.done)).generate_state(2)
        return int(words[0]) << 31 | int(words[1]) >> 1

    def tried(self, pair: Pair, trainings: int, alpha: float, beyond: float = 1.0) -> Finding | None:
        """What bets on fresh trainings of the pair show; None where they cannot be had."""
        budget = min(trainings, self.left)
        if budget < _LEAST:
            return None
        draw = Sampler(self.mechanism, pair, self.fresh_seed(), self.engine, MemoryStore(), budget, self.progress)
        try:
            finding = Sequential(beyond=beyond)(draw, self.claim, pair, alpha)
        except AuditError:
            return None  # a learner that cannot train on so little has shown nothing
        finally:
            self.left -= budget - draw.remaining
        return finding

    def shows(self, finding: Finding | None) -> bool:
        """Whether it refutes the claim."""
        return finding is not None and judge(self.claim, finding) == "violation"


def shrunk(trials: Trials, pair: Pair) -> Shrunk | None:
    """The smallest pair that still shows the violation; None where not even this one does, in the trials' budget.

    A fifth of the budget is left for the last word: fresh trainings, which no choice has seen.
    """
    whole, kept = trials.left, trials.left // 5
    trials.left -= kept
    first = trials.tried(pair, trials.left // 2, _STRICT * trials.alpha)
    if not trials.shows(first):
        return None
    need = _spent(first)
    best = _smallest(trials, pair, need)
    trials.left += kept
    last = trials.tried(best, trials.left, trials.alpha, beyond=_BEYOND)
    if last is None or not trials.shows(last):
        return None
    return Shrunk(_named(best), last.bound, whole - trials.left, trials.seed)


def _smallest(trials: Trials, pair: Pair, need: int) -> Pair:
    seen: set[tuple[str, str]] = set()
    again = True
    while again:
        again = False
        for other in simpler(pair):
            key = (other.base.digest, other.neighbour.digest)
            if key in seen or not _comparable(other, trials.claim):
                continue
            seen.add(key)
            most = max(2 * _LEAST, trials.left // 8)
            finding = trials.tried(other, min(max(2 * _LEAST, _AGAIN * need), most), _STRICT * trials.alpha)
            if trials.shows(finding):
                pair, need, again = other, _spent(finding), True
                break
            if trials.left < _LEAST:
                return pair
    return pair


def _comparable(pair: Pair, claim: Claim) -> bool:
    try:
        pair.steps(claim.relation)
    except AuditError:
        return False
    return True


def _spent(finding: Finding | None) -> int:
    evidence = None if finding is None else finding.evidence
    return evidence.spent if isinstance(evidence, Bets) else _LEAST


def _named(pair: Pair) -> Pair:
    """The pair as it is called from now on."""
    return Pair(replace(pair.base, name="minimal witness"), pair.neighbour, pair.target)
