"""The whole fitted object: attributes, shapes, exceptions, warnings and predictions, on targeted neighbours."""

from dataclasses import dataclass

from mlaudit.refuting.crafting import craft_data, plan_crafting
from mlaudit.refuting.detector import Look
from mlaudit.refuting.leak_audit import as_audit, is_formal, name_place
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.subject import Subject
from mlaudit.scanning.products import PRODUCT
from mlaudit.scanning.readings import RAISED
from mlaudit.scanning.result import Leak, ScanResult
from mlaudit.scanning.run import scan
from mlaudit.statistics.detectable import detectable_by_bets
from mlaudit.statistics.e_process import BettingMixture
from mlaudit.types.numbers import plural


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
        groups.setdefault((leak.suspect.neighbour, is_formal(leak) or leak.suspect.attribute), []).append(leak)
    named = {leak.suspect.attribute for leak in leaks}
    return tuple(
        Refutation(
            "scan_object",
            name_place(group),
            f"{group[0].reveals}.",
            as_audit(group[0], subject, found.trainings, found.notes, found.card),
        )
        for group in groups.values()
        if not named & _factors(group[0].suspect.attribute)
    )


def _factors(attribute: str) -> set[str]:
    """The attributes that a product was made of; none if it is no product."""
    return set(attribute.split(PRODUCT)) if PRODUCT in attribute else set()
