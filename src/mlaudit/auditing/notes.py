"""What a reader must know about the outputs beyond the bound: exceptions, NaN, lengths."""

import re
from collections import Counter

import numpy as np

from mlaudit.drawing.outcome import FAILED, has_failed
from mlaudit.drawing.sampler import Sampler
from mlaudit.naming.describe import mechanism_name
from mlaudit.types.clipping import is_outside
from mlaudit.types.numbers import plural
from mlaudit.types.pair import Pair

_LENGTH = re.compile(r"\d+ numbers?")
_MOST_WARNINGS = 5
_FEW = 10  # trainings that may be equal by chance
_MOST_KINDS = 12  # that notes list one by one
_LONGEST = 300  # characters of a warning


def sampler_notes(sampler: Sampler) -> tuple[str, ...]:
    """What to note about all that a sampler has drawn: odd outputs, and the learner's warnings."""
    constant = _constant_notes(sampler)
    return (
        *output_notes(sampler.outputs),
        *constant,
        *warning_notes(mechanism_name(sampler.mechanism), sampler.notices),
    )


def output_notes(outputs: tuple[Counter[str], Counter[str]]) -> tuple[str, ...]:
    """One sentence for every kind of output but the ordinary one; D′ is first in `outputs`.

    >>> output_notes((Counter({"3 numbers": 5}), Counter({"3 numbers": 3, "raised ValueError": 2})))
    ('2 of 5 trainings on D and 0 of 5 on D′ raised ValueError: counted as an output',)
    >>> output_notes((Counter({"5 numbers": 4}), Counter({"3 numbers": 4})))[-1]
    'the kind of output alone distinguishes D from D′ in all of these trainings: total leakage'
    """
    neighbour, base = outputs
    kinds = {*base, *neighbour}
    lengths = {found.group() for kind in kinds if (found := _LENGTH.match(kind))}
    usual = lengths.pop() if len(lengths) == 1 else ""
    if len(kinds) == 1 and not has_failed(np.array([*kinds])).any():
        return ()
    notes = []
    odd = sorted(kinds - {usual}, key=lambda kind: (-base[kind] - neighbour[kind], kind))
    for kind in sorted(odd[:_MOST_KINDS]):
        said = kind.removeprefix(f"{usual}, ")
        verb = said.replace(" its process ", " their process ") if said.startswith(FAILED) else f"gave {said}"
        counts = f"{base[kind]} of {base.total()} trainings on D and {neighbour[kind]} of {neighbour.total()} on D′"
        notes.append(f"{counts} {verb}: counted as an output")
    if len(odd) > _MOST_KINDS:
        notes.append(f"{len(odd) - _MOST_KINDS} more kinds of output came, each counted as an output")
    if base and neighbour and not (set(base) & set(neighbour)):
        notes.append("the kind of output alone distinguishes D from D′ in all of these trainings: total leakage")
    return tuple(notes)


def _constant_notes(sampler: Sampler) -> tuple[str, ...]:
    """A learner without randomness leaks for certain; one that finds its outputs in a file looks the same."""
    neighbour, base = sampler.only
    totals = [outputs.total() for outputs in sampler.outputs]
    if not all(sampler.constant) or neighbour is None or base is None or min(totals) < _FEW:
        return ()
    if neighbour[0] != base[0] or np.array_equal(neighbour[1], base[1], equal_nan=True):
        return ()
    said = (
        f"all {totals[1]} trainings on D gave one output, and all {totals[0]} on D′ another: the learner has no "
        "randomness, or it returns outputs that it has kept (a cache)"
    )
    return (said,)


def outside_notes(pair: Pair, *, violated: bool) -> tuple[str, ...]:
    """What makes a pair legal that has rows outside the declared domain, and what a violation on it means.

    >>> from mlaudit.types.clipping import ClippingBox
    >>> from mlaudit.types.dataset import Dataset
    >>> pair = Pair(Dataset([0.0, 0.0], domain=ClippingBox(0.0, 1.0)), Dataset([0.0, 7.0]))
    >>> for note in outside_notes(pair, violated=True):
    ...     print(note)
    1 row of D′ lies outside the declared domain; it is legal only because the learner promises to clip such rows
    the learner does not clip as promised: rows outside its declared domain leak
    """
    counts = {
        side: int(is_outside(data.X, data.domain).sum()) for side, data in (("D", pair.base), ("D′", pair.neighbour))
    }
    found = [f"{plural(count, 'row')} of {side}" for side, count in counts.items() if count]
    if not found:
        return ()
    one = sum(counts.values()) == 1
    lies, pronoun, are = ("lies", "it", "is") if one else ("lie", "they", "are")
    legal = (
        f"{' and '.join(found)} {lies} outside the declared domain; {pronoun} {are} legal only because the learner "
        "promises to clip such rows"
    )
    leak = "the learner does not clip as promised: rows outside its declared domain leak"
    return (legal, leak) if violated else (legal,)


def warning_notes(learner: str, notices: Counter[str]) -> tuple[str, ...]:
    """One sentence for each of the learner's most frequent warnings, with its count.

    >>> warning_notes("GaussianNB", Counter({"UserWarning: bounds are missing": 4000}))
    ('GaussianNB warned 4 000 times: UserWarning: bounds are missing',)
    """
    return tuple(
        f"{learner} warned {plural(count, 'time')}: {_short(text)}"
        for text, count in notices.most_common(_MOST_WARNINGS)
    )


def repeat_notes(*, repeatable: bool) -> tuple[str, ...]:
    """What to say of a learner that cannot be seeded."""
    said = "not repeatable: the learner takes randomness from outside its seed; another run gives other numbers"
    return () if repeatable else (said,)


def own_fit_notes(reason: str) -> tuple[str, ...]:
    """Why the learner's own fit was called although there is a faster sampler.

    >>> own_fit_notes("it supports two classes only, and D has more")
    ("the learner's own fit was called for every training; no faster sampler applies: it supports two classes \
only, and D has more",)
    """
    said = f"the learner's own fit was called for every training; no faster sampler applies: {reason}"
    return (said,) if reason else ()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
