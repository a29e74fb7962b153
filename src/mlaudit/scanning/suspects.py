"""Which attributes may betray a row: what a few trainings suggest, to be tried on fresh ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlaudit.scanning.clues import ABSENT, Clue, best_clues
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.observing import MESSAGE, RAISED, WARNED
from mlaudit.scanning.products import PRODUCT
from mlaudit.scanning.walk import Readings, Value, attribute_of, is_public

Columns = Mapping[str, Sequence[Value]]
Sides = Mapping[str, tuple[Sequence[Value], Sequence[Value]]]  # on D, on D′

_TOGETHER = 32  # clues of one attribute that are added up
_PROMISING = 0.7  # of the claimed ε; a strength is a careful estimate
_ENOUGH = 2.0  # no handful of trainings shows a larger ε, however large the claimed one


@dataclass(frozen=True)
class Suspect:
    """An attribute, and the clues by which it tells the two sides of a neighbour apart.

    Several clues are added up as if they were independent: that is only a way to guess, and what the guesses are
    worth is counted on fresh trainings. `strength` is how much it promises.
    """

    attribute: str
    neighbour: Neighbour
    clues: tuple[Clue, ...]
    strength: float

    def score(self, readings: Readings) -> float:
        """Log-odds that a training was on D."""
        return sum(clue.score(readings.get(clue.path, ABSENT)) for clue in self.clues)

    @property
    def public(self) -> bool:
        """Whether everybody is meant to read it."""
        return all(is_public(clue.path) for clue in self.clues)

    @property
    def sort(self) -> tuple[str, str, bool]:
        """What it is about: an attribute, under a relation, by its form or by its numbers.

        A vanished class changes the form of nearly everything, and must not hide what the numbers say elsewhere.
        """
        return self.attribute, self.neighbour.pair.relation.value, self.clues[0].text is not None


def columns(trainings: Iterable[Readings]) -> dict[str, list[Value]]:
    """What each path held in every training.

    >>> columns([{"a": 1.0}, {"a": 2.0, "b": "x"}])
    {'a': [1.0, 2.0], 'b': ['(absent)', 'x']}
    """
    rows = list(trainings)
    paths = dict.fromkeys(path for row in rows for path in row)
    return {path: [row.get(path, ABSENT) for row in rows] for path in paths}


def suspects_of(neighbour: Neighbour, base: Columns, other: Columns, pilot: int) -> list[Suspect]:
    """What `pilot` trainings on each side suggest: every attribute's best clue, and its clues together."""
    found = []
    for attribute, sides in _grouped(_aligned(base, other, pilot)).items():
        clues = _clues(sides)
        # Where an attribute changes its form without fail, its places no longer stand for the same things.
        formal = [clue for clue in clues if clue.text is not None and clue.total]
        if clues and not (formal and PRODUCT in attribute):
            best = (formal or clues)[0]
            found.append(Suspect(attribute, neighbour, (best,), best.strength))
            if len(clues) > 1 and not best.total:
                found.append(Suspect(attribute, neighbour, tuple(clues[:_TOGETHER]), _held_out(sides)))
    return found


def strongest(found: Iterable[Suspect], epsilon: float) -> tuple[Suspect, ...]:
    """The strongest suspect of each sort, by one clue and by several, if it promises to refute ε or never fails."""
    best: dict[tuple[object, ...], Suspect] = {}
    for suspect in found:
        key = (*suspect.sort, len(suspect.clues) > 1)
        if key not in best or suspect.strength > best[key].strength:
            best[key] = suspect
    enough = _PROMISING * min(epsilon, _ENOUGH)
    promising = [suspect for suspect in best.values() if suspect.clues[0].total or suspect.strength > enough]
    return tuple(sorted(promising, key=lambda suspect: -suspect.strength))


def _aligned(base: Columns, other: Columns, pilot: int) -> Sides:
    """Each path's values on either side. Where a training raised all else is absent, which is no news."""
    nothing = [ABSENT] * pilot
    paths = dict.fromkeys([*base, *other])
    raised = [sum(value != ABSENT for value in side.get(RAISED, ())) for side in (base, other)]
    told = {RAISED, MESSAGE, WARNED} if max(raised) > pilot / 2 else paths
    return {path: (base.get(path, nothing), other.get(path, nothing)) for path in paths if path in told}


def _grouped(both: Sides) -> dict[str, Sides]:
    """By attribute, what differs at all."""
    groups: dict[str, dict[str, tuple[Sequence[Value], Sequence[Value]]]] = defaultdict(dict)
    for path, sides in both.items():
        if len({*sides[0], *sides[1]}) > 1:
            groups[attribute_of(path)][path] = sides
    return dict(groups)


def _clues(sides: Sides) -> list[Clue]:
    """The clues of every path, the strongest first."""
    return sorted((clue for clue in best_clues(sides) if clue.strength > 0), key=lambda clue: -clue.strength)


def _held_out(sides: Sides) -> float:
    """The strength of all clues together, each half of the trainings judged by the clues of the other half."""
    scores: tuple[list[float], list[float]] = ([], [])
    for learned, judged in ((0, 1), (1, 0)):
        clues = _clues({path: (a[learned::2], b[learned::2]) for path, (a, b) in sides.items()})[:_TOGETHER]
        for side, said in enumerate(scores):
            values = [sides[clue.path][side][judged::2] for clue in clues]
            said.extend(
                sum(clue.score(value) for clue, value in zip(clues, row, strict=True))
                for row in zip(*values, strict=True)
            )
    return best_clues({"": scores})[0].strength if scores[0] else 0.0
