"""What to say of words on the command line that no option takes: the options that may be meant."""

import re
from collections.abc import Sequence
from difflib import get_close_matches

from mlaudit.auditing.options import options_of
from mlaudit.auditing.spell import option_name
from mlaudit.cli.commands import PRINTING, Command

_MOST = 2  # suggestions
_SHORTEST = 4  # letters of a word that is looked for in the help of options


def describe_unknown(words: Sequence[str], command: Command) -> str:
    """One sentence about words that a command does not take.

    Args:
        words: The words; the first one is told.
        command: The command that was typed.

    Returns:
        What was given, the options that may be meant, and where all are listed.

    Example:
        >>> from mlaudit.cli.commands import COMMANDS
        >>> run = next(one for one in COMMANDS if one.name == "run")
        >>> describe_unknown(["--label", "plan"], run)
        'run has no option --label; did you mean --target or --columns? see mlaudit run --help'
        >>> describe_unknown(["--trainigns=9"], run)
        'run has no option --trainigns; did you mean --trainings? see mlaudit run --help'
        >>> describe_unknown(["iris"], run)
        "run takes no further argument, got 'iris'; see mlaudit run --help"
    """
    typed = words[0].partition("=")[0]
    where = f"see mlaudit {command.name} --help"
    if not typed.startswith("-"):
        return f"{command.name} takes no further argument, got {typed!r}; {where}"
    meant = " or ".join(_find_alike(typed, _help_of_options(command)))
    return f"{command.name} has no option {typed}; {f'did you mean {meant}? ' if meant else ''}{where}"


def _help_of_options(command: Command) -> dict[str, str]:
    known = {option_name(one.name): said.help for spec in command.specs for one, said in options_of(spec)}
    return known | {option_name(name): PRINTING[name] for name in command.printing}


def _find_alike(typed: str, known: dict[str, str]) -> list[str]:
    """Options that are spelt alike; if there is none, those whose help has the word."""
    alike = get_close_matches(typed, known, n=_MOST, cutoff=0.75)
    word = typed.lstrip("-").lower()
    if alike or len(word) < _SHORTEST:
        return alike
    alone = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    return [name for name, said in known.items() if alone.search(said.lower())][:_MOST]
