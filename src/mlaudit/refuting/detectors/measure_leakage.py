"""A tight bound for the worst pair that is known, from many fresh trainings."""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.procedures.progressive import Progressive
from mlaudit.refuting.crafting import plan_crafting
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.detectors.worst_data import SHARE
from mlaudit.refuting.effort import FEWEST
from mlaudit.refuting.subject import Subject
from mlaudit.results.audit_result import AuditResult
from mlaudit.types.pair import Pair

_APART = 500  # seeds: the trainings that chose the pair must not count
_CHOOSING = 600, 700  # seeds of the trainings that choose it
_COMPARED = 0.2  # of the trainings asked for: as many more compare each of two pairs, and search for one of them
_CLEARLY = 1.1  # times the bound of the known pair: less may be luck
_CHOSEN_AT = 0.05  # error of the bounds that are compared; no verdict has it
_NOT_ASKED = "not asked for: bets say whether the claim holds; a tight bound needs many more trainings"


@dataclass(frozen=True)
class MeasureLeakage:
    """An audit by the nested scan, which states tighter bounds than bets, but cannot stop early.

    The detectors before it have few trainings, so the pair on which they saw most may be a weak one. It competes with
    the pair that a longer search finds.
    """

    rank: int = 70
    searches: bool = True

    def obstacle(self, subject: Subject) -> str:
        """The user must ask for it."""
        return "" if subject.measured else _NOT_ASKED

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Choose the worse of two pairs, and audit it."""
        pair = self._choose_pair(subject)
        result = _measure(subject, pair, alpha, subject.measured, subject.seed + _APART)
        return look_by_audit("measure_leakage", result)

    def _choose_pair(self, subject: Subject) -> Pair:
        """The known pair, unless another one shows clearly more on trainings that do not count."""
        compared, known = max(int(_COMPARED * subject.measured), FEWEST), subject.leader
        found = _search(subject, compared) if self.searches else None
        if known is None or found is None:
            only = found if known is None else known
            if only is None:
                raise InvalidInput("a pair must be known before its leakage can be measured, got none")
            return only.pair
        subject.progress.start_phase("comparing two pairs")
        again = _measure(subject, known.pair, _CHOSEN_AT, compared, subject.seed + _CHOOSING[1], repeat=False)
        return found.pair if found.epsilon_lower > _CLEARLY * again.epsilon_lower else known.pair


def _search(subject: Subject, compared: int) -> AuditResult | None:
    """An audit of the pair that a search finds on as many pilots again; None if there is none."""
    subject.progress.start_phase("searching for a worse pair")
    crafting = plan_crafting(subject)
    try:
        return subject.audit(
            _CHOSEN_AT,
            subject.data if crafting.obstacle else crafting.worst,
            attack=(Search(SHARE),),
            procedure=Progressive(),
            mechanism=None if crafting.obstacle else crafting.mechanism,
            trainings=round(compared / (1 - SHARE)),
            seed=subject.seed + _CHOOSING[0],
            repeat=False,
        )
    except (InvalidInput, LearnerFailed):  # as of a learner that cannot be trained on crafted data
        return None


def _measure(
    subject: Subject, pair: Pair, alpha: float, trainings: int, seed: int, *, repeat: bool = True
) -> AuditResult:
    return subject.audit(
        alpha,
        pair=pair,
        procedure=Progressive(),
        mechanism=subject.fix_domain(pair),
        trainings=trainings,
        seed=seed,
        repeat=repeat,
    )
