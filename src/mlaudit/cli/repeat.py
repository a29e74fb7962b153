"""The command that repeats a result, kept with it."""

import argparse
import shlex

from mlaudit.cli.parser import build_parser

# What changes where a command runs and what it prints, but no number: left out, so that the result stays the same.
_NO_NUMBERS = frozenset(
    {"command", "jobs", "backend", "address", "out", "json", "quiet", "fail_on_violation", "no_witness"}
)


def to_repeat(given: argparse.Namespace, *words: str) -> str:
    """The command and every option that is not at its default, quoted for a shell.

    >>> given = build_parser().parse_args(["run", "my file.py:f", "--epsilon", "2", "--jobs", "4"])
    >>> to_repeat(given, "run", given.mechanism)
    "mlaudit run 'my file.py:f' --epsilon 2"
    """
    defaults = vars(build_parser().parse_args(words))
    typed = ["mlaudit", *words]
    for name, value in vars(given).items():
        if name in _NO_NUMBERS or value == defaults.get(name):
            continue
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            typed.append(option)
        elif isinstance(value, list):
            typed += [word for one in value for word in (option, str(one))]
        else:
            typed += [option, _plain(value)]
    return shlex.join(typed)


def _plain(value: object) -> str:
    """As short as it can be read back: 2, not 2.0."""
    return f"{value:.17g}" if isinstance(value, float) and value.is_integer() else str(value)
