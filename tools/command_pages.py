"""The reference of the command line in the manual: every command and option, from the parser itself."""

import argparse

from mlaudit.cli.commands import COMMANDS
from mlaudit.cli.parser import build_parser


def make_pages() -> dict[str, str]:
    """One page, by its path below docs/."""
    parsers = next(action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    lines = [
        "# Command line",
        "",
        "The result is printed on stdout and progress on stderr. `--json` prints one JSON object instead.",
        "This page is made from `mlaudit COMMAND --help`.",
        "",
        "| command | use |",
        "| --- | --- |",
        *(f"| [`mlaudit {command.name}`](#mlaudit-{command.name}) | {command.help} |" for command in COMMANDS),
        "",
    ]
    for command in COMMANDS:
        lines += [f"## mlaudit {command.name}", "", command.description, ""]
        for group in parsers.choices[command.name]._action_groups:
            lines += _table(group)
        lines += [f"{command.epilog.capitalize()}.", ""]
    return {"commands.md": "\n".join(lines)}


def _table(group: argparse._ArgumentGroup) -> list[str]:
    shown = [action for action in group._group_actions if action.dest != "help" and action.help]
    if not shown:
        return []
    title = group.title or ""
    heading = [] if title in ("options", "positional arguments") else [f"**{title.capitalize()}**", ""]
    rows = [f"| `{_escape(_spell(action))}` | {_escape(action.help or '')} |" for action in shown]
    return [*heading, "| option | meaning |", "| --- | --- |", *rows, ""]


def _escape(text: str) -> str:
    """A | would end a cell of the table; argparse writes %% for a percent sign."""
    return text.replace("|", "\\|").replace("%%", "%")


def _spell(action: argparse.Action) -> str:
    name = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    takes = action.nargs != 0 and action.option_strings
    return f"{name} {action.metavar}" if takes and action.metavar else name
