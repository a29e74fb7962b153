"""What a reader must know about the outputs beyond the bound: exceptions, NaN, lengths."""

import re
from collections import Counter

from mlaudit.outcomes import FAILED

_LENGTH = re.compile(r"\d+ numbers?")


def output_notes(outputs: tuple[Counter[str], Counter[str]]) -> tuple[str, ...]:
    """One sentence for every kind of output but the ordinary one; D′ is first in `outputs`.

    >>> output_notes((Counter({"3 numbers": 5}), Counter({"3 numbers": 3, "raised ValueError": 2})))
    ('2 of 5 trainings on D and 0 of 5 on D′ raised ValueError: kept as an output of its own',)
    >>> output_notes((Counter({"5 numbers": 4}), Counter({"3 numbers": 4})))[-1]
    'what kind of output comes tells D from D′ without fail in these trainings: total leakage'
    """
    neighbour, base = outputs
    kinds = {*base, *neighbour}
    lengths = {found.group() for kind in kinds if (found := _LENGTH.match(kind))}
    usual = lengths.pop() if len(lengths) == 1 else ""
    notes = []
    for kind in sorted(kinds - {usual}):
        said = kind.removeprefix(f"{usual}, ")
        verb = said.replace(" its process ", " their process ") if said.startswith(FAILED) else f"gave {said}"
        counts = f"{base[kind]} of {base.total()} trainings on D and {neighbour[kind]} of {neighbour.total()} on D′"
        notes.append(f"{counts} {verb}: kept as an output of its own")
    if base and neighbour and not (set(base) & set(neighbour)):
        notes.append("what kind of output comes tells D from D′ without fail in these trainings: total leakage")
    return tuple(notes)
