"""The whole fitted object: attributes, shapes, exceptions, warnings and predictions, on targeted neighbours."""

from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from mlaudit.auditing.run import parameters_of
from mlaudit.distinguish.clues import ABSENT
from mlaudit.naming.describe import describe
from mlaudit.naming.versions import versions
from mlaudit.refuting.cause import EXCEPTIONS, LENGTH, NOT_FINITE
from mlaudit.refuting.crafting import craft_data, plan_crafting
from mlaudit.refuting.detector import Look
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.subject import Subject
from mlaudit.results.audit_result import AuditResult, Confirmation, Provenance
from mlaudit.results.verdict import judge
from mlaudit.samplers.sampled import sampler_of
from mlaudit.scanning.certify import PROCEDURE
from mlaudit.scanning.products import PRODUCT
from mlaudit.scanning.readings import RAISED
from mlaudit.scanning.result import Leak, ScanResult
from mlaudit.scanning.run import scan
from mlaudit.scanning.standing import implied_epsilon
from mlaudit.statistics.detectable import detectable_by_bets
from mlaudit.statistics.e_process import BettingMixture
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Finding
from mlaudit.types.numbers import plural
from mlaudit.types.pair import Pair

_OUTPUT = "output"  # what a scan calls a model that is a plain array


@dataclass(frozen=True)
class ScanObject:
    """A scan of the learner on the user's data, or on data crafted in its domain."""

    rank: int = 30

    def obstacle(self, subject: Subject) -> str:
        """Without data there must be a domain to craft some in."""
        return "" if subject.data is not None else plan_crafting(subject).obstacle

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Scan. All suspects share alpha, so that every leak that refutes the claim is a finding."""
        data = craft_data(subject) if subject.data is None else subject.data
        effort, claim = subject.effort, subject.claim
        found = scan(
            subject.learner,
            data,
            claim=claim,
            pilot=effort.pilot,
            trainings=effort.suspect,
            alpha=alpha,
            seed=subject.seed,
            engine=subject.engine,
            progress=subject.progress,
        )
        share = alpha / max(len(found.leaks), 1)
        ceiling = BettingMixture(claim.epsilon, claim.delta).ceiling(effort.suspect, share)
        return Look(
            found.verdict,
            found.epsilon_lower,
            max(ceiling, found.epsilon_lower),
            detectable_by_bets(effort.suspect, claim, share, 1),
            f"{plural(found.paths, 'path')} of the fitted object on {found.neighbours} neighbours of {data.name}",
            _make_refutations(subject, found),
            complete=True,
            notes=found.notes,
        )


def _make_refutations(subject: Subject, found: ScanResult) -> tuple[Refutation, ...]:
    """One finding for each cause: attributes that change their form together are one, products of others are none."""
    leaks = [leak for leak in found.above if leak.standing == "violated"]
    groups: dict[tuple[object, ...], list[Leak]] = {}
    for leak in sorted(leaks, key=lambda leak: leak.suspect.attribute != RAISED):  # what else differs follows from it
        groups.setdefault((leak.suspect.neighbour, _is_formal(leak) or leak.suspect.attribute), []).append(leak)
    named = {leak.suspect.attribute for leak in leaks}
    return tuple(
        Refutation("scan_object", _name_place(group), f"{group[0].reveals}.", _as_audit(group[0], subject, found))
        for group in groups.values()
        if not named & _factors(group[0].suspect.attribute)
    )


def _as_audit(leak: Leak, subject: Subject, found: ScanResult) -> AuditResult:
    """The leak as an audit of its pair, which a replay repeats."""
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
            mechanism=found.mechanism,
            parameters=parameters_of(learner),
            sampler=sampler_of(learner),
            dataset=neighbour.pair.base.name,
            procedure=describe(PROCEDURE),
            trainings=found.trainings,
            seed=found.seed,
            learned_on=found.seed,
            versions=versions(learner),
            notes=found.notes,
            stands_for=found.stands_for,
            card=found.card,
        ),
        Confirmation(repeated, leak.repeated_on, found.seed + 1),
    )


def _state_bound(bound: Bound, claim: Claim, pair: Pair) -> Bound:
    """The bound on the claimed ε: a scan states that of the pair's own relation."""
    steps = pair.steps(claim.relation)
    shown = implied_epsilon(claim, pair.relation, bound)
    return replace(bound, epsilon=shown, ceiling=bound.ceiling / steps, steps=steps)


def _is_formal(leak: Leak) -> bool:
    clue = leak.suspect.clues[0]
    return clue.text is not None and clue.total


def _factors(attribute: str) -> set[str]:
    """The attributes that a product was made of; none if it is no product."""
    return set(attribute.split(PRODUCT)) if PRODUCT in attribute else set()


def _name_place(group: list[Leak]) -> str:
    """The attributes; for a plain output the same words as an audit has."""
    attributes = [leak.suspect.attribute for leak in group]
    clue = group[0].suspect.clues[0]
    if attributes[0] == RAISED:
        return EXCEPTIONS
    if attributes == [_OUTPUT] and (clue.text == ABSENT or clue.path.endswith((".shape", ".length"))):
        return LENGTH
    if attributes == [_OUTPUT]:
        number = f"{_OUTPUT}[0]" if clue.path == _OUTPUT else clue.path  # a single number is not numbered by a scan
        return NOT_FINITE if _is_formal(group[0]) else number
    return f"the form of {', '.join(attributes)}" if _is_formal(group[0]) else ", ".join(attributes)
