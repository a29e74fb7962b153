"""The whole fitted object: attributes, shapes, exceptions, warnings and predictions, on targeted neighbours."""

from dataclasses import dataclass

from mlaudit.distinguish.clues import ABSENT
from mlaudit.refuting.cause import EXCEPTIONS, LENGTH, NOT_FINITE
from mlaudit.refuting.crafting import craft_data, plan_crafting
from mlaudit.refuting.detector import Look
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.subject import Subject
from mlaudit.scanning.products import PRODUCT
from mlaudit.scanning.readings import RAISED
from mlaudit.scanning.result import Leak
from mlaudit.scanning.run import scan
from mlaudit.statistics.detectable import detectable_by_bets
from mlaudit.statistics.e_process import BettingMixture
from mlaudit.types.numbers import plural

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
            _make_refutations([leak for leak in found.above if leak.standing == "violated"]),
            complete=True,
            notes=found.notes,
        )


def _make_refutations(leaks: list[Leak]) -> tuple[Refutation, ...]:
    """One finding for each cause: attributes that change their form together are one, products of others are none."""
    groups: dict[tuple[object, ...], list[Leak]] = {}
    for leak in leaks:
        groups.setdefault((leak.suspect.neighbour, _is_formal(leak) or leak.suspect.attribute), []).append(leak)
    named = {leak.suspect.attribute for leak in leaks}
    return tuple(
        Refutation("scan_object", _name_place(group), f"{group[0].reveals}.", group[0])
        for group in groups.values()
        if not named & _factors(group[0].suspect.attribute)
    )


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
    if attributes == [RAISED]:
        return EXCEPTIONS
    if attributes == [_OUTPUT] and (clue.text == ABSENT or clue.path.endswith((".shape", ".length"))):
        return LENGTH
    if attributes == [_OUTPUT]:
        number = f"{_OUTPUT}[0]" if clue.path == _OUTPUT else clue.path  # a single number is not numbered by a scan
        return NOT_FINITE if _is_formal(group[0]) else number
    return f"the form of {', '.join(attributes)}" if _is_formal(group[0]) else ", ".join(attributes)
