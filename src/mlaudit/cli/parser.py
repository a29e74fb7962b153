"""From words to a command and its specs. Options come from the fields of a spec, commands from their table."""

import argparse
from dataclasses import MISSING
from functools import cache
from typing import Any, NoReturn

from mlaudit import __version__
from mlaudit.auditing.options import default_of, options_of, read_options, types_of
from mlaudit.auditing.spell import option_name, read_table, spell_value
from mlaudit.cli.commands import COMMANDS, PRINTING, Command
from mlaudit.cli.exit_codes import EXIT_CODES
from mlaudit.cli.unknown_words import describe_unknown
from mlaudit.errors import InvalidInput


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise one sentence instead of printing the whole usage."""
        raise InvalidInput(f"{message}; see {self.prog} --help")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown words with the options that may be meant."""
        given, unknown = self.parse_known_args(args, namespace)
        if unknown:
            raise InvalidInput(describe_unknown(unknown, given.command))
        return given


@cache
def build_parser() -> argparse.ArgumentParser:
    """The parser of every command, made once: it has hundreds of options."""
    parser = _Parser(
        prog="mlaudit",
        description="Measure, by experiment, how much privacy a differentially private learner really gives.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"mlaudit {__version__}")
    added = parser.add_subparsers(metavar="command", required=True, parser_class=_Parser)
    for command in COMMANDS:
        one = added.add_parser(
            command.name, help=command.help, description=command.description, epilog=command.epilog
        )
        _add_arguments(one, command)
    return parser


def _add_arguments(parser: argparse.ArgumentParser, command: Command) -> None:
    """Everything that a command takes; a sweep must be given a folder."""
    parser.set_defaults(command=command)
    for spec in command.specs:
        add_options(parser, spec)
    for name, about in command.arguments.items():
        parser.add_argument(name, **about)
    group = parser.add_argument_group("where and what to print")
    if command.out:
        said = f"the {command.out}'s folder; the same folder resumes"
        group.add_argument("--out", metavar="DIR", required=command.out == "sweep", help=said)
    for name in command.printing:
        group.add_argument(option_name(name), action="store_true", help=PRINTING[name])


def add_options(parser: argparse.ArgumentParser, spec: type) -> None:
    """An option for each field of a spec; a field without a default is typed without its name.

    Options that are not typed are left out of the namespace: their defaults are those of the spec.
    """
    groups: dict[str, Any] = {"": parser}
    for one, known in options_of(spec):
        if known.group not in groups:
            groups[known.group] = parser.add_argument_group(known.group)
        kind, usual = types_of(spec)[one.name], default_of(one)
        about: dict[str, Any] = {"help": _help(known.help, usual)}
        if usual is MISSING:
            parser.add_argument(one.name, metavar=known.metavar or None, **about)
            continue
        about |= {"dest": one.name, "default": argparse.SUPPRESS}
        if kind is bool:
            about["action"] = "store_true"
        else:
            about |= {"metavar": known.metavar, "type": kind if kind in (int, float) else str}
            about |= {"action": "append"} if usual == {} else {}
        groups[known.group].add_argument(option_name(one.name), **about)


def _help(text: str, usual: Any) -> str:
    """The line of an option, with its default."""
    said = any(usual is value for value in (MISSING, None, False)) or usual in ("", {}) or "default" in text
    return text if said else f"{text} (default: {spell_value(usual)})"


def read_typed(spec: type, given: argparse.Namespace) -> Any:
    """A spec from a namespace.

    >>> from mlaudit.auditing.spec import AuditSpec
    >>> given = build_parser().parse_args(["run", "laplace", "--rows", "1,2", "--param", "epsilon=2"])
    >>> read_typed(AuditSpec, given).rows, read_typed(AuditSpec, given).param
    ((1, 2), {'epsilon': 2})
    """
    typed = {one.name: getattr(given, one.name) for one, _ in options_of(spec) if one.name in given}
    tables = {name: read_table(words, option_name(name)) for name, words in typed.items() if isinstance(words, list)}
    return read_options(spec, {**typed, **tables}, option_name)
