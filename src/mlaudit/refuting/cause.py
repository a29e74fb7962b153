"""The cause of a finding: which part of the output differs between D and D′, and how to leave that part out.

The trainings read here explain and choose. None of them is counted in a verdict.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from mlaudit.distinguish.clues import Clue, best_clues
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.outcome import FAILED, observe
from mlaudit.drawing.sampler import Sampler
from mlaudit.errors import AuditError
from mlaudit.refuting.names import name_outputs
from mlaudit.refuting.narrowed import Narrowing
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.subject import Subject
from mlaudit.refuting.train import train_once
from mlaudit.scanning.result import describe_clue
from mlaudit.scanning.walk import attribute_of
from mlaudit.types.arrays import FloatArray
from mlaudit.types.draws import Draws
from mlaudit.types.edits import select_rows
from mlaudit.types.pair import Pair

_READ = 60  # trainings of each side
_SEEDS = 5  # seeds after the test's own that audits and their repetitions may take
_ALIKE = 0.8  # of the strongest clue: numbers that are as strong belong to the same leak
_PLAIN = 0.2  # strength below which a number by itself tells next to nothing
_FEW = (1, 2, 3)  # rows
_KIND = "the output"
EXCEPTIONS, LENGTH, NOT_FINITE = "exceptions", "the length of the output", "numbers that are not finite"
CATEGORY = "the category of the output"
_NOT_FINITE = re.compile(r"(NaN|[+-]inf) at \d")
_LENGTH = re.compile(r"(\d+) numbers?")


@dataclass(frozen=True)
class Cause:
    """Which part of the output reveals D, in a sentence; `part` leaves it out, None if that cannot be done."""

    place: str
    sentence: str
    part: Narrowing | None


def explain(subject: Subject, found: Refutation) -> tuple[Refutation, Narrowing | None]:
    """The finding with its place and cause, and the part of the output to leave out next.

    A leak of a scan has its place and cause already. Its part is left out if the summary shows the leak as well.
    """
    try:
        cause = find_cause(subject, found.pair)
    except AuditError:  # a learner without a summary can be scanned all the same
        return found, None
    if found.place:
        return found, cause.part
    left_out = subject.narrowing.words()
    return replace(found, place=cause.place, cause=cause.sentence, left_out=left_out), cause.part


def find_cause(subject: Subject, pair: Pair) -> Cause:
    """Read a few trainings on each side, and find the kind of output or the numbers that differ most."""
    mechanism = subject.mechanism
    seed = subject.seed + _SEEDS
    sampler = Sampler(mechanism, pair, seed, DrawingLoop(subject.engine, subject.store), 4 * _READ)
    labels = np.tile(np.array([1, 0]), _READ)
    draws = sampler(labels)
    by_kind = _clues_of_kinds(draws)
    numbers = sorted(_clues_of_numbers(draws), key=lambda clue: -clue.strength)
    if len(numbers) > 1 and not numbers[0].total:
        # The best of many numbers may differ by chance.
        numbers = _keep_repeated(numbers, sampler(labels))
    strongest = numbers[0].strength if numbers else 0.0
    if by_kind is not None and by_kind.strength >= max(_ALIKE * strongest, _PLAIN):
        return _explain_kind(by_kind, draws, subject, pair)
    if strongest < _PLAIN:
        return Cause("the output as a whole", say_unseen(draws.z.shape[1]), None)
    return _explain_numbers([clue for clue in numbers if clue.strength >= _ALIKE * strongest], subject, pair, draws)


def say_unseen(width: int) -> str:
    """Why no number is named.

    >>> say_unseen(1)
    'The output differs, but by too little to show in 60 trainings on each side.'
    """
    if width == 1:
        return f"The output differs, but by too little to show in {_READ} trainings on each side."
    return "No single number differs much: several of them together do."


def _clues_of_kinds(draws: Draws) -> Clue | None:
    sides = tuple(draws.kinds[draws.labels == label].tolist() for label in (1, 0))
    found = best_clues({_KIND: (sides[0], sides[1])}) if len({*sides[0], *sides[1]}) > 1 else []
    return found[0] if found else None


def _keep_repeated(clues: list[Clue], fresh: Draws) -> list[Clue]:
    """The clues that fresh trainings show as well, on the same side."""
    base, other = _usual_outputs(fresh)
    kept = []
    for clue in clues:
        at = int(clue.path)
        if at >= base.shape[1]:
            continue
        on_base, on_other = (sum(map(clue.holds, side[:, at].tolist())) for side in (base, other))
        again = replace(clue, seen=(on_base, on_other), trials=(len(base), len(other)))
        if again.strength >= _PLAIN and (on_base > on_other) == (clue.seen[0] > clue.seen[1]):
            kept.append(clue)
    return kept


def _usual_outputs(draws: Draws) -> tuple[FloatArray, FloatArray]:
    """The outputs of the usual kind on D and on D′, equally many of each; none if the usual kind is a failure."""
    usual = Counter(draws.kinds.tolist()).most_common(1)[0][0]
    mine = draws.kinds == usual
    base, other = (draws.z[mine & (draws.labels == label)] for label in (1, 0))
    count = 0 if usual.startswith(FAILED) else min(len(base), len(other))
    return base[:count], other[:count]


def _clues_of_numbers(draws: Draws) -> list[Clue]:
    """The best clue of each number, among outputs of the usual kind."""
    base, other = _usual_outputs(draws)
    if len(base) == 0:
        return []
    finite = np.isfinite(base).all(axis=0) & np.isfinite(other).all(axis=0)
    sides = {str(at): (base[:, at].tolist(), other[:, at].tolist()) for at in np.flatnonzero(finite)}
    return best_clues({at: both for at, both in sides.items() if len({*both[0], *both[1]}) > 1})


def _explain_kind(clue: Clue, draws: Draws, subject: Subject, pair: Pair) -> Cause:
    """An exception, another length, or numbers that are not finite."""
    clue = _name_special(clue, draws)
    kind, often, known = clue.text or "", _often(clue), subject.narrowing
    failures = [text for text in {*draws.kinds.tolist()} if text.startswith(FAILED)]
    if failures:
        verb = kind if kind.startswith(FAILED) else f"gives {kind}"
        return Cause(EXCEPTIONS, f"The training {verb} {often}.", Narrowing(avoided=tuple(sorted(failures))))
    if len({found.group(1) for text in draws.kinds.tolist() if (found := _LENGTH.match(text))}) > 1:
        length = 0 if known.length is not None else _shortest_output(subject, pair)
        part = Narrowing(length=length) if length else None
        return Cause(LENGTH, f"The output has {kind} {often}.", part)
    if not any(_NOT_FINITE.search(text) for text in draws.kinds.tolist()):
        return Cause(CATEGORY, f"The output is {kind} {often}.", None)
    columns = np.flatnonzero(~np.isfinite(draws.z).all(axis=0))
    left = known.positions(draws.z.shape[1] + len(known.dropped))
    part = Narrowing(tuple(left[at] for at in columns)) if len(columns) < draws.z.shape[1] else None
    return Cause(NOT_FINITE, f"The output has {kind} {often}.", part)


def _name_special(clue: Clue, draws: Draws) -> Clue:
    """The clue of the failure, or of numbers that are not finite, if it is as strong as that of the usual kind."""
    special = Counter(kind for kind in draws.kinds.tolist() if kind.startswith(FAILED) or _NOT_FINITE.search(kind))
    for kind, _ in special.most_common(1):
        often = [int(((draws.kinds == kind) & (draws.labels == label)).sum()) for label in (1, 0)]
        named = replace(clue, text=kind, seen=(often[0], often[1]))
        return named if named.strength >= clue.strength else clue
    return clue


def _shortest_output(subject: Subject, pair: Pair) -> int:
    """The fewest numbers that come out, also on a few rows: an output that is filled up tells that it was short."""
    outcomes = [
        observe(lambda data=data: train_once(subject.learner, data, pair.target)[1])  # type: ignore[misc]
        for side in (pair.base, pair.neighbour)
        for data in (side, *(select_rows(side, np.arange(n)) for n in _FEW if n < len(side)))
    ]
    return min((len(one.vector) for one in outcomes if not one.kind), default=0)


def _explain_numbers(clues: list[Clue], subject: Subject, pair: Pair, draws: Draws) -> Cause:
    known = subject.narrowing
    left = known.positions(draws.z.shape[1] + len(known.dropped))
    names = name_outputs(subject.learner, pair)
    here = [left[int(clue.path)] for clue in clues]
    places = list(dict.fromkeys(attribute_of(names.get(at, f"output[{at}]")) for at in here))
    # A plain output has one name for all numbers; then only those that tell are left out.
    plain = [at for at in here if at not in names]
    same = [at for at in left if at in names and attribute_of(names[at]) in places]
    dropped = tuple(sorted({*plain, *same}))
    first = replace(clues[0], path=names.get(here[0], f"output[{here[0]}]"))
    shown = ", ".join(dict.fromkeys([*(f"output[{at}]" for at in plain), *(p for p in places if p != "output")]))
    part = Narrowing(dropped) if set(left) - set(dropped) else None
    return Cause(shown, f"{describe_clue(first)}.", part)


def _often(clue: Clue) -> str:
    return f"in {clue.seen[0]} of {clue.trials[0]} trainings on D, {clue.seen[1]} of {clue.trials[1]} on D′"
