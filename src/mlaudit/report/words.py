"""Verdicts as people read them."""

from mlaudit.report.cells import CellView
from mlaudit.report.multiplicity import Family
from mlaudit.types.numbers import count, parameter, plural


def claim_text(cell: CellView) -> str:
    """ε = 1, δ = 1e-05."""
    return f"ε = {parameter(cell.epsilon)}" + (f", δ = {parameter(cell.delta)}" if cell.delta else "")


def cell_name(cell: CellView) -> str:
    """A cell by what was asked of it."""
    parts = [cell.study, cell.mechanism, cell.data, cell.label or cell.attack_shown, cell.interval]
    parts += [
        claim_text(cell) if cell.epsilon else "",
        f"seed {parameter(cell.seed)}" if cell.seed is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def verdict_sentence(cells: list[CellView], tests: Family) -> str:
    """What the whole report says, in a sentence or two."""
    found = sum(cell.violated for cell in cells)
    if not tests.tests:
        return "No audit has finished, so this report says nothing about any claim."
    if not found:
        return f"In none of {plural(tests.tests, 'audit')} is the claim refuted."
    left = tests.left
    fate = "all of them remain" if left == found else "none remains" if not left else f"{count(left)} remain"
    fate = "it remains" if left == found == 1 else fate
    over = f"after Holm's correction over all {count(tests.tests)}"
    return f"In {count(found)} of {plural(tests.tests, 'audit')} the claim is refuted; {fate} {over}."


def error_sentence(tests: Family) -> str:
    """What α means for many cells."""
    alpha, expected = parameter(tests.alpha), tests.alpha * tests.tests
    few = "fewer than one false alarm" if expected < 1 else f"up to {plural(round(expected), 'false alarm')}"
    return (
        f"α is per cell: among {plural(tests.tests, 'audit')} of correct learners {few} would be expected at "
        f"α = {alpha}. Holm's correction makes the probability of even one false alarm in the whole table at most "
        f"{alpha}."
    )
