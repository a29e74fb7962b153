"""Bound every suspect on trainings that did not choose it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from mlaudit.auditing.repetition import REPEATED_AT
from mlaudit.classifiers.logistic import Logistic
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.sampler import Sampler
from mlaudit.naming.fingerprint import user_code
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Draw, Mechanism
from mlaudit.scanning.clue_scorer import ClueScorer
from mlaudit.scanning.result import Leak
from mlaudit.scanning.scores import Column, Score, SuspectScores
from mlaudit.scanning.standing import relation_of, standing
from mlaudit.scanning.suspects import Suspect
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets, Bound, Finding, Witness

# A suspect is one number. To show a gross leak, three times the claimed ε is worth a few trainings.
PROCEDURE = Sequential(classifiers=(Logistic(1.0), Logistic(10.0)), beyond=3.0)
_REPETITION = replace(PROCEDURE, beyond=1.0)  # it is enough to show that the claim is false
_LONGER = 4  # times as many trainings repeat a leak, at most: the bets stop as soon as they refute the claim
_FIRST = 100  # trainings after which weak suspects are dropped
_HOPELESS = 0.25  # of the claimed ε, or of 2: the bound below which a suspect is dropped


def certify(
    mechanism: Mechanism,
    claim: Claim,
    suspects: Sequence[Suspect],
    probes: FloatArray,
    trainings: int,
    alpha: float,
    seed: int,
    loop: DrawingLoop,
) -> list[Leak]:
    """Bound every suspect from below; all bounds hold together with confidence 1 − α (Bonferroni).

    Suspects of one neighbour share its trainings: each bound is valid by itself. A suspect whose bets show almost
    nothing after the first hundred trainings is dropped. The others continue, as bets may stop at any time. A suspect
    that refutes the claim is counted once more, on the trainings of the next seed.
    """
    code, share = user_code(), alpha / max(len(suspects), 1)
    found = []
    for neighbour in dict.fromkeys(suspect.neighbour for suspect in suspects):
        mine = tuple(suspect for suspect in suspects if suspect.neighbour is neighbour)
        scored = SuspectScores(mechanism, probes, mine)
        make = partial(Sampler, scored, neighbour.pair, loop=loop, code=code)
        stated = replace(claim, relation=relation_of(neighbour.pair, claim))
        for column, suspect in enumerate(mine):
            for budget in (min(_FIRST, trainings), trainings):
                finding = _count(Column(make(seed=seed, remaining=budget), column), stated, suspect, share)
                if finding.bound.epsilon <= _HOPELESS * min(claim.epsilon, 2.0):
                    break
            leak = _make_leak(suspect, finding, claim)
            if leak.standing == "violated":
                fresh = Column(make(seed=seed + 1, remaining=_LONGER * trainings), column)
                again = _REPETITION.confirm(fresh, stated, neighbour.pair, REPEATED_AT, finding)
                leak = _add_repetition(leak, finding, again, claim, probes)
            found.append(leak)
    return found


def _count(draw: Draw, claim: Claim, suspect: Suspect, alpha: float) -> Finding:
    """Bet on the log-odds of the suspect; the sum of several clues is too bold, so it is learned again."""
    pair = suspect.neighbour.pair
    if len(suspect.clues) > 1:
        return PROCEDURE(draw, claim, pair, alpha)
    rule = Finding(
        Bound(0.0, 0.0, alpha, 1, "clue"), Bets(np.empty(0), np.empty(0, dtype=np.bool_)), Witness(Score())
    )
    return PROCEDURE.confirm(draw, claim, pair, alpha, rule)


def _make_leak(suspect: Suspect, finding: Finding, claim: Claim) -> Leak:
    right = _read_bets(finding).right
    stands = standing(claim, relation_of(suspect.neighbour.pair, claim), finding.bound)
    if stands == "not_refuted" and right.all() and len(right) >= _FIRST:
        stands = "inconclusive"  # every guess was right, but the trainings are too few to refute so large an ε
    return Leak(suspect, finding.bound, stands, int(right.sum()), len(right))


def _add_repetition(leak: Leak, finding: Finding, again: Finding, claim: Claim, probes: FloatArray) -> Leak:
    """The leak with its repetition, and with all that a replay needs."""
    suspect = leak.suspect
    rule = ClueScorer(suspect.attribute, suspect.clues, probes, finding.witness.scorer)
    return replace(
        leak,
        standing=standing(claim, relation_of(suspect.neighbour.pair, claim), finding.bound, again.bound),
        repeated=again.bound,
        repeated_on=_read_bets(again).spent,
        finding=replace(finding, witness=Witness(rule)),
    )


def _read_bets(finding: Finding) -> Bets:
    return cast(Bets, finding.evidence)
