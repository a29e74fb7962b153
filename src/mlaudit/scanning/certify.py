"""Each suspect on its own, counted on trainings that did not choose it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mlaudit.classifiers.logistic import Logistic
from mlaudit.fingerprint import user_code
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Draw, Engine, Mechanism
from mlaudit.sampling import Progress, Sampler
from mlaudit.scanning.result import Leak, Standing
from mlaudit.scanning.suspects import Suspect
from mlaudit.scanning.watching import One, Score, Watched
from mlaudit.stores.memory import MemoryStore
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bets, Bound, Finding, Witness

# A suspect says one number, and a gross leak is shown beyond the claim: three times as much is worth a few trainings.
PROCEDURE = Sequential(classifiers=(Logistic(1.0), Logistic(10.0)), beyond=3.0)
_FIRST = 100
_HOPELESS = 0.25  # of the claimed ε, or of 2: a hundred trainings show little more


def certify(
    mechanism: Mechanism,
    claim: Claim,
    suspects: Sequence[Suspect],
    probes: FloatArray,
    trainings: int,
    alpha: float,
    seed: int,
    engine: Engine,
    progress: Progress,
) -> list[Leak]:
    """A lower bound for every suspect; all of them hold together with confidence 1 − α (Bonferroni).

    Suspects of one neighbour share its trainings, which changes nothing about each bound. Bets that have shown next
    to nothing after the first hundred are given up; the others go on from there, as bets may at any time.
    """
    code, share = user_code(), alpha / max(len(suspects), 1)
    found = []
    for neighbour in dict.fromkeys(suspect.neighbour for suspect in suspects):
        mine = tuple(suspect for suspect in suspects if suspect.neighbour is neighbour)
        watched, store = Watched(mechanism, probes, mine), MemoryStore()
        stated = replace(claim, relation=neighbour.pair.relation)
        for column, suspect in enumerate(mine):
            for budget in (min(_FIRST, trainings), trainings):
                sampler = Sampler(watched, neighbour.pair, seed, engine, store, budget, progress, code=code)
                finding = _counted(One(sampler, column), stated, suspect, share)
                if finding.bound.epsilon <= _HOPELESS * min(claim.epsilon, 2.0):
                    break
            found.append(_leak(suspect, finding, claim))
    return found


def _counted(draw: Draw, claim: Claim, suspect: Suspect, alpha: float) -> Finding:
    """Bets on the suspect's own log-odds; those of several clues are added up too boldly, and are scaled anew."""
    pair = suspect.neighbour.pair
    if len(suspect.clues) > 1:
        return PROCEDURE(draw, claim, pair, alpha)
    rule = Finding(
        Bound(0.0, 0.0, alpha, 1, "clue"), Bets(np.empty(0), np.empty(0, dtype=np.bool_)), Witness(Score())
    )
    return PROCEDURE.confirm(draw, claim, pair, alpha, rule)


def _leak(suspect: Suspect, finding: Finding, claim: Claim) -> Leak:
    bets = finding.evidence
    right = bets.right if isinstance(bets, Bets) else np.empty(0)
    stands = standing(claim, suspect.neighbour.pair.relation, finding.bound)
    if stands == "consistent" and right.all() and len(right) >= _FIRST:
        stands = "undecided"  # never mistaken: only too few trainings to refute so large an ε
    return Leak(suspect, finding.bound, stands, int(right.sum()), len(right))


def standing(claim: Claim, relation: Relation, bound: Bound) -> Standing:
    """What a bound under a relation means for the claim.

    A claim under add/remove also speaks of a replaced row, as of two steps; one under replace-one says nothing of
    datasets of another size.

    >>> shown = Bound(1.5, 5.0, 0.05, 1, "e-process")
    >>> standing(Claim(1.0), Relation.REPLACE_ONE, shown), standing(Claim(1.0), Relation.ADD_REMOVE, shown)
    ('violation', 'not claimed')
    >>> standing(Claim(1.0, relation=Relation.ADD_REMOVE), Relation.REPLACE_ONE, shown)
    'not claimed'
    """
    if bound.epsilon <= claim.epsilon:
        return "consistent"
    if relation is claim.relation:
        return "violation"
    two_steps = claim.relation is Relation.ADD_REMOVE and claim.delta == 0
    return "violation" if two_steps and bound.epsilon > 2 * claim.epsilon else "not claimed"
