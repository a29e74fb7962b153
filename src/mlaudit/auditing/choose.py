"""Choose the pair to audit (attack and number of rows k) on pilot draws that never count."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mlaudit.classifiers.boosting import Boosting
from mlaudit.distinguish.distinguisher import score_out_of_fold
from mlaudit.distinguish.projection import CAUTION, projected_bound
from mlaudit.errors import InvalidInput
from mlaudit.procedures._classifiers import PANEL
from mlaudit.search.candidate import Candidate
from mlaudit.search.halving import halve_field
from mlaudit.search.limits import Ceiling
from mlaudit.search.run import MANY
from mlaudit.statistics import nested_scan
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws

_FAIR = 100  # trainings of each stream below which no candidate is dropped early
_FOLDS = 2
_SLOW = tuple(one for one in PANEL if isinstance(one, Boosting))
_QUICK = tuple(one for one in PANEL if one not in _SLOW)
_NEARLY = 0.9  # of the bound that guesses promise which are all right


@dataclass(frozen=True)
class SelectionPlan:
    """How the pair is chosen.

    The winner's pilot draws also train its first distinguisher.

    Attributes:
        share: Share of all trainings that are pilots.
        doubt: Factor on the projected bound of every attack but the first. The first attack is its author's first
            choice, and pilots are few: another one must project clearly more.
        caution: Quantile of the posterior of an accuracy that is taken for it: few guesses must not win by luck.
    """

    share: float = 0.1
    doubt: float = 0.9
    caution: float = CAUTION


def plan_for_search(pilots: int, share: float) -> SelectionPlan:
    """Plan the choice among the finalists of a search.

    Finalists have no author, and many pilots can show a rare output. With few pilots, the order in which the search
    ranked the finalists says more than the bounds that they project.
    """
    return SelectionPlan(share, doubt=0.95, caution=0.25) if pilots >= MANY else SelectionPlan(share, doubt=0.8)


@dataclass(frozen=True, eq=False)
class Selection:
    """The chosen candidate, its pilot draws, and how many trainings the choice cost."""

    candidate: Candidate
    draws: Draws
    spent: int


def count_rounds(trainings: int, candidates: int, streams: int, share: float = SelectionPlan.share) -> int:
    """Count the rounds in which the pilots halve the field: all that it takes, if every stream gets a fair number.

    >>> count_rounds(40_000, 8, 9), count_rounds(4000, 8, 9), count_rounds(40_000, 2, 3)
    (3, 1, 1)
    """
    most = max(1, math.ceil(math.log2(candidates)))
    return next((r for r in range(most, 1, -1) if share * trainings / r / streams >= _FAIR), 1)


def choose_pair(
    candidates: Sequence[Candidate],
    streams: Callable[[Candidate], Iterable[str]],
    pilot: Callable[[Candidate, int], Draws],
    claim: Claim,
    trainings: int,
    alpha: float,
    plan: SelectionPlan = SelectionPlan(),  # noqa: B008 - frozen
    ceiling: Ceiling | None = None,
) -> Selection:
    """Choose the candidate whose pilots project the highest bound on ε, by successive halving.

    Args:
        candidates: The candidates; the first one's attack is preferred.
        streams: Names the two streams of a candidate. A stream that several candidates share is drawn once.
        pilot: Draws the first so many trainings of each of a candidate's streams.
        claim: The claim to refute.
        trainings: All trainings of the audit, pilots included.
        alpha: One-sided error of the bound.
        plan: How the pair is chosen.
        ceiling: The largest bound for a number of steps. Where it is below the claim, a candidate is ranked last if
            its pilots promise nothing, or as much as pilots can: fewer rows could refute the claim.

    Returns:
        The chosen candidate, its pilot draws and what the choice cost.

    Raises:
        InvalidInput: If there are too few trainings for so many candidates.
    """
    spent: dict[str, int] = {}
    draws: dict[Candidate, Draws] = {}
    each = 0
    counted = int((1 - plan.share) * trainings)
    rounds = count_rounds(
        trainings, len(candidates), len({stream for c in candidates for stream in streams(c)}), plan.share
    )

    def rank(left: list[Candidate], at: int) -> list[Candidate] | None:
        nonlocal each
        if at == rounds:
            return None
        alive = {stream for candidate in left for stream in streams(candidate)}
        each += int(plan.share * trainings / rounds / len(alive))
        if each < _FOLDS:
            raise InvalidInput(
                f"choosing among {len(candidates)} candidates needs more trainings, got {trainings}; "
                "give more, or fewer rows and attacks"
            )
        spent.update(dict.fromkeys(alive, each))
        draws.update({candidate: pilot(candidate, each) for candidate in left})
        last = at == rounds - 1
        promised = {c: _project(c, draws[c], claim, counted, alpha, plan.caution, last=last) for c in left}
        doubt = {c: 1.0 if c.attack == candidates[0].attack else plan.doubt for c in left}

        def is_capped(candidate: Candidate) -> bool:
            steps = candidate.pair.steps(claim.relation)
            low = ceiling is not None and ceiling(steps=steps, trainings=counted) <= claim.epsilon
            return low and (promised[candidate].nearly_all or promised[candidate].bound <= 0)

        # Where no bound is projected, more rows are more evidence.
        return sorted(left, key=lambda c: (is_capped(c), -doubt[c] * promised[c].bound, -c.pair.rows))

    best = halve_field(candidates, rank)[0]
    return Selection(best, draws[best], sum(spent.values()))


@dataclass(frozen=True)
class _Promise:
    """The bound on ε that held-out guesses promise, and whether guesses that are all right promise hardly more."""

    bound: float
    nearly_all: bool


def _project(
    candidate: Candidate, draws: Draws, claim: Claim, counted: int, alpha: float, caution: float, *, last: bool
) -> _Promise:
    """The best promise of a classifier; before the last round, slow ones are asked only if no other promises any."""
    steps = candidate.pair.steps(claim.relation)
    leak = nested_scan.leak_probability(claim.epsilon, claim.delta, steps)

    def project(scores: FloatArray) -> float:
        return projected_bound(scores, draws.labels, counted, alpha, leak, caution)

    best = max(project(score_out_of_fold(one, draws, _FOLDS)) for one in _QUICK)
    if last or best <= 0:
        best = max(best, *(project(score_out_of_fold(one, draws, _FOLDS)) for one in _SLOW))
    return _Promise(best / steps, best >= _NEARLY * project(np.where(draws.labels == 1, 1.0, -1.0)))
