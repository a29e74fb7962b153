"""A leak of the fitted object as an audit of its pair, which a replay repeats."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from mlaudit.auditing.run import parameters_of
from mlaudit.distinguish.clues import ABSENT
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.naming.versions import library_of, versions
from mlaudit.refuting.cause import EXCEPTIONS, LENGTH, NOT_FINITE
from mlaudit.refuting.subject import Subject
from mlaudit.results.audit_result import AuditResult, Confirmation, Provenance
from mlaudit.results.verdict import judge
from mlaudit.samplers.sampled import sampler_of
from mlaudit.scanning.certify import PROCEDURE
from mlaudit.scanning.readings import RAISED
from mlaudit.scanning.result import Leak
from mlaudit.scanning.standing import implied_epsilon, relation_of
from mlaudit.types.card import DataCard
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding
from mlaudit.types.pair import Pair

_OUTPUT = "output"  # what a scan calls a model that is a plain array


def as_audit(
    leak: Leak, subject: Subject, trainings: int, notes: tuple[str, ...] = (), card: DataCard | None = None
) -> AuditResult:
    """A leak that refutes the claim, as an audit of its pair with at most so many trainings."""
    finding, repeated = (
        cast(Finding, leak.finding),
        cast(Bound, leak.repeated),
    )  # of every leak that refutes the claim
    learner, neighbour = subject.learner, leak.suspect.neighbour
    state = partial(_state_bound, claim=subject.claim, pair=neighbour.pair)
    finding, repeated = replace(finding, bound=state(finding.bound)), state(repeated)
    return AuditResult(
        subject.claim,
        neighbour.pair,
        neighbour.change,
        finding,
        judge(subject.claim, finding.bound, repeated),
        Provenance(
            mechanism=mechanism_name(learner),
            parameters=parameters_of(learner),
            sampler=sampler_of(learner),
            dataset=neighbour.pair.base.name,
            procedure=describe(PROCEDURE),
            trainings=trainings,
            seed=subject.seed,
            learned_on=subject.seed,
            versions=versions(learner),
            notes=notes,
            stands_for=library_of(learner),
            card=card,
        ),
        Confirmation(repeated, leak.repeated_on, subject.seed + 1),
    )


def _state_bound(bound: Bound, claim: Claim, pair: Pair) -> Bound:
    """The bound on the claimed ε: a scan states that of the pair's own relation."""
    steps = pair.steps(claim.relation)
    shown = implied_epsilon(claim, relation_of(pair, claim), bound)
    return replace(bound, epsilon=shown, ceiling=bound.ceiling / steps, steps=steps)


def is_formal(leak: Leak) -> bool:
    """Whether the form of an attribute differs in every training, as its length or its type."""
    clue = leak.suspect.clues[0]
    return clue.text is not None and clue.total


def name_place(leaks: Sequence[Leak]) -> str:
    """The attributes of leaks with one cause; for a plain output the same words as an audit has."""
    attributes = [leak.suspect.attribute for leak in leaks]
    clue = leaks[0].suspect.clues[0]
    if attributes[0] == RAISED:
        return EXCEPTIONS
    if attributes == [_OUTPUT] and (clue.text == ABSENT or clue.path.endswith((".shape", ".length"))):
        return LENGTH
    if attributes == [_OUTPUT]:
        number = f"{_OUTPUT}[0]" if clue.path == _OUTPUT else clue.path  # a single number is not numbered by a scan
        return NOT_FINITE if is_formal(leaks[0]) else number
    return f"the form of {', '.join(attributes)}" if is_formal(leaks[0]) else ", ".join(attributes)
