"""The audits that a score card is made of: one mechanism of an exhibit, one seed."""

import time
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.random import SeedSequence

from mlaudit.auditing.call import audit
from mlaudit.classifiers.grain import Grain
from mlaudit.classifiers.reachable import Reachable
from mlaudit.naming.plugins import load_shipped
from mlaudit.procedures.sequential import PANEL, Sequential
from mlaudit.statistics.e_process import log_wealth
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.finding import Bets

# The last bits may be looked at here: no twin gives anything away by them.
_PROCEDURE = Sequential((*PANEL, Grain(), Reachable()))


@dataclass(frozen=True)
class Visit:
    """An audit to be made: the broken mechanism of an exhibit or the healthy one, for the nth time."""

    name: str
    broken: bool
    repeat: int


@dataclass(frozen=True)
class Seen:
    """After how many trainings the claim was refuted (None: it was not), and the CPU seconds that the audit took."""

    visit: Visit
    refuted_after: int | None
    seconds: float


def audit_once(trainings: int, alpha: float, seed: int, visit: Visit) -> Seen:
    """Audit once, with a budget that no smaller budget differs from: bets do not depend on what comes after them."""
    exhibit: Exhibit = load_shipped("exhibits", visit.name)
    mechanism = exhibit.broken if visit.broken else exhibit.healthy
    began = time.process_time()
    result = audit(
        mechanism,
        pair=exhibit.pair,
        claim=exhibit.claim,
        procedure=_PROCEDURE,
        trainings=trainings,
        alpha=alpha,
        seed=_seed_of(seed, visit),
        repeat=False,
    )
    evidence = result.finding.evidence
    spent = _count_until_refuted(evidence, exhibit, alpha) if isinstance(evidence, Bets) else None
    return Seen(visit, spent, time.process_time() - began)


def _count_until_refuted(bets: Bets, exhibit: Exhibit, alpha: float) -> int | None:
    """The very training that refuted the claim, which may lie within a block."""
    enough = log_wealth(bets, exhibit.claim, 1) >= -np.log(alpha)
    return bets.learned + int(enough.argmax()) + 1 if enough.any() else None


def _seed_of(seed: int, visit: Visit) -> int:
    """Another one for each audit: exhibits may have the same data, and their audits must be independent."""
    words = SeedSequence((seed, crc32(visit.name.encode()), int(visit.broken), visit.repeat)).generate_state(2)
    return int(words[0]) << 32 | int(words[1])
