"""How often the whole suite fails although nothing is wrong: the sum of what its tests say."""

import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
BUDGET = 1e-3
MENTIONED = "for a correct program with " + "probability"  # in two parts: this file states no probability
STATED = re.compile(rf"\s*# Fails {MENTIONED} < (\d+(?:\.\d+)?e-\d+): \S.*")


def comments() -> Iterator[tuple[str, str]]:
    """Every line that mentions such a probability, with its place."""
    for path in sorted(TESTS.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if MENTIONED in line:
                yield f"{path.relative_to(TESTS)}:{number}", line


def test_every_comment_has_the_form_that_can_be_added_up() -> None:
    """`# Fails … < 1e-6: why`; of a parametrised test, for all of its cases together."""
    assert [f"{place}: {line.strip()}" for place, line in comments() if not STATED.fullmatch(line)] == []


def test_chance_fails_the_suite_less_than_once_in_a_thousand_runs() -> None:
    stated = {place: found[1] for place, line in comments() if (found := STATED.fullmatch(line))}
    assert stated, "tests of random outcomes state a probability"
    largest = sorted(stated.items(), key=lambda item: -float(item[1]))[:5]
    assert sum(map(float, stated.values())) < BUDGET, f"the largest are {largest}"
