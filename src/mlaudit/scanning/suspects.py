"""Find attributes that may reveal a row, by a few trainings; fresh trainings test them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlaudit.distinguish.clues import ABSENT, Clue, Value, best_clues
from mlaudit.errors import InvalidInput
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.products import PRODUCT
from mlaudit.scanning.readings import MESSAGE, RAISED, WARNED
from mlaudit.scanning.walk import Readings, attribute_of, is_public
from mlaudit.types.checks import instance, quote, several, text, whole

Columns = Mapping[str, Sequence[Value]]
Sides = Mapping[str, tuple[Sequence[Value], Sequence[Value]]]  # on D, on D′

_TOGETHER = 32  # clues of one attribute that are added up
_PROMISING = 0.7  # of the claimed ε; a strength is a careful estimate
_ENOUGH = 2.0  # no handful of trainings shows a larger ε, however large the claimed one


@dataclass(frozen=True)
class Suspect:
    """An attribute, and the clues by which it distinguishes D from a neighbour.

    The scores of several clues are added as if they were independent. That is only a way to guess: fresh trainings
    count how good the guesses are. `strength` is the estimated ε.
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
        """Whether all its paths are public."""
        return all(is_public(clue.path) for clue in self.clues)

    @property
    def sort(self) -> tuple[str, str, bool]:
        """The sort of a suspect: attribute, relation, and whether a text or a number differs.

        A class that disappears changes nearly every shape, and must not hide differences between numbers.
        """
        return self.attribute, self.neighbour.pair.relation.value, self.clues[0].text is not None


def check_clues(clues: object) -> tuple[Clue, ...]:
    """Clues of a result, which may have been read from a file; they are made by the thousand and check nothing."""
    found = several("clues", clues, "clues")
    if not found:
        raise InvalidInput("a suspect must have a clue, got none")
    for clue in found:
        instance("a clue", clue, Clue)
        text("path", clue.path)
        if clue.text is not None:
            text("text", clue.text)
        for name in ("low", "high"):
            instance(name, getattr(clue, name), (float, int))
        for name in ("seen", "trials"):
            counts = several(name, getattr(clue, name), "two counts")
            if len(counts) != 2:
                raise InvalidInput(f"{name} must be two counts, got {quote(counts)}")
            for count in counts:
                whole(f"a count of {name}", count, 0)
    return tuple(found)


def columns(trainings: Iterable[Readings]) -> dict[str, list[Value]]:
    """The values of each path in every training.

    >>> columns([{"a": 1.0}, {"a": 2.0, "b": "x"}])
    {'a': [1.0, 2.0], 'b': ['(absent)', 'x']}
    """
    rows = list(trainings)
    paths = dict.fromkeys(path for row in rows for path in row)
    return {path: [row.get(path, ABSENT) for row in rows] for path in paths}


def find_suspects(neighbour: Neighbour, base: Columns, other: Columns, pilot: int) -> list[Suspect]:
    """Find suspects by `pilot` trainings on each side: the best clue of every attribute, and its clues together."""
    found = []
    for attribute, sides in _group_by_attribute(_align(base, other, pilot)).items():
        clues = _find_clues(sides)
        # Where an attribute changes its form without fail, its entries no longer stand for the same things.
        formal = [clue for clue in clues if clue.text is not None and clue.total]
        if clues and not (formal and PRODUCT in attribute):
            best = (formal or clues)[0]
            found.append(Suspect(attribute, neighbour, (best,), best.strength))
            if len(clues) > 1 and not best.total:
                found.append(Suspect(attribute, neighbour, tuple(clues[:_TOGETHER]), _held_out_strength(sides)))
    return found


def keep_strongest(found: Iterable[Suspect], epsilon: float) -> tuple[Suspect, ...]:
    """Keep the strongest suspect of each sort, by one clue and by several, if it may refute ε or never fails."""
    best: dict[tuple[object, ...], Suspect] = {}
    for suspect in found:
        key = (*suspect.sort, len(suspect.clues) > 1)
        if key not in best or suspect.strength > best[key].strength:
            best[key] = suspect
    enough = _PROMISING * min(epsilon, _ENOUGH)
    promising = [suspect for suspect in best.values() if suspect.clues[0].total or suspect.strength > enough]
    return tuple(sorted(promising, key=lambda suspect: -suspect.strength))


def _align(base: Columns, other: Columns, pilot: int) -> Sides:
    """The values of each path on both sides; if most trainings raised, only what they raised is kept."""
    nothing = [ABSENT] * pilot
    paths = dict.fromkeys([*base, *other])
    raised = [sum(value != ABSENT for value in side.get(RAISED, ())) for side in (base, other)]
    told = {RAISED, MESSAGE, WARNED} if max(raised) > pilot / 2 else paths
    return {path: (base.get(path, nothing), other.get(path, nothing)) for path in paths if path in told}


def _group_by_attribute(both: Sides) -> dict[str, Sides]:
    """Group the paths that differ at all by their attribute."""
    groups: dict[str, dict[str, tuple[Sequence[Value], Sequence[Value]]]] = defaultdict(dict)
    for path, sides in both.items():
        if len({*sides[0], *sides[1]}) > 1:
            groups[attribute_of(path)][path] = sides
    return dict(groups)


def _find_clues(sides: Sides) -> list[Clue]:
    """Find the clues of every path, the strongest first."""
    return sorted((clue for clue in best_clues(sides) if clue.strength > 0), key=lambda clue: -clue.strength)


def _held_out_strength(sides: Sides) -> float:
    """The strength of all clues together, each half of the trainings judged by the clues of the other half."""
    scores: tuple[list[float], list[float]] = ([], [])
    for learned, judged in ((0, 1), (1, 0)):
        clues = _find_clues({path: (a[learned::2], b[learned::2]) for path, (a, b) in sides.items()})[:_TOGETHER]
        for side, said in enumerate(scores):
            values = [sides[clue.path][side][judged::2] for clue in clues]
            said.extend(
                sum(clue.score(value) for clue, value in zip(clues, row, strict=True))
                for row in zip(*values, strict=True)
            )
    return best_clues({"": scores})[0].strength if scores[0] else 0.0
