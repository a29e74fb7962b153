"""Every command and its options. Options of an audit come from its spec, one for each field."""

import argparse
from collections.abc import Callable
from dataclasses import MISSING
from importlib import import_module
from typing import Any, NoReturn

from mlaudit import __version__
from mlaudit.auditing.options import default_of, options_of, read_options, types_of
from mlaudit.auditing.spec import AuditSpec
from mlaudit.auditing.spell import option_name, read_table, spell_value
from mlaudit.cli.exit_codes import EXIT_CODES, TEST_EXIT_CODES
from mlaudit.cli.progress import show_status
from mlaudit.cli.specs import (
    EngineSpec,
    OneRunSpec,
    RefuteSpec,
    RelationsSpec,
    ReplaySpec,
    ScanSpec,
    WhiteBoxSpec,
    ZooSpec,
)
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import KINDS

_PRINTING = {
    "json": "print one JSON object",
    "quiet": "no progress bar",
    "exit_zero": "exit with 0 also when the claim is violated",
    "fail_on_violation": "exit with 3 when the claim is violated",
    "fail_on_inconclusive": "exit with 6 when no outcome could have refuted the claim",
    "no_witness": "leave out the minimal witness of a found violation",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise one sentence instead of printing the whole usage."""
        raise InvalidInput(f"{message}; see {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    parser = _Parser(
        prog="mlaudit",
        description="Measure, by experiment, how much privacy a differentially private learner really gives.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"mlaudit {__version__}")
    commands = parser.add_subparsers(metavar="command", required=True, parser_class=_Parser)
    _add_test(commands)
    _add_run(commands)
    _add_relations(commands)
    _add_scan(commands)
    _add_one_run(commands)
    _add_white_box(commands)
    _add_sweep(commands)
    _add_plan(commands)
    _add_replay(commands)
    _add_report(commands)
    _add_list(commands)
    _add_check(commands)
    _add_selftest(commands)
    _add_zoo(commands)
    return parser


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

    >>> given = build_parser().parse_args(["run", "laplace", "--rows", "1,2", "--param", "epsilon=2"])
    >>> read_typed(AuditSpec, given).rows, read_typed(AuditSpec, given).param
    ((1, 2), {'epsilon': 2})
    """
    typed = {one.name: getattr(given, one.name) for one, _ in options_of(spec) if one.name in given}
    tables = {name: read_table(words, option_name(name)) for name, words in typed.items() if isinstance(words, list)}
    return read_options(spec, {**typed, **tables}, option_name)


def _add_command(commands: Any, name: str, module: str, *specs: type, **about: str) -> argparse.ArgumentParser:
    """A command: its module is imported when it is called, after its options have been read.

    The module's `command` gets the namespace, with the specs in `given.spec` and `given.engine`.
    """
    parser: argparse.ArgumentParser = commands.add_parser(name, **{"epilog": EXIT_CODES, **about})
    parser.set_defaults(command=_call(module, *specs))
    for spec in specs:
        add_options(parser, spec)
    return parser


def _call(module: str, *specs: type) -> Callable[[argparse.Namespace], int]:
    def command(given: argparse.Namespace) -> int:
        for spec in specs:
            setattr(given, "engine" if spec is EngineSpec else "spec", read_typed(spec, given))
        # The libraries take a second or two to load, in which a person would see nothing at all.
        show_status("starting", show=not getattr(given, "quiet", True))
        return int(import_module(f"mlaudit.cli.{module}").command(given))

    return command


def _add_printing(parser: argparse.ArgumentParser, *names: str, out: str = "") -> None:
    """What is printed, and the folder of whose results there are; a sweep must be given one."""
    group = parser.add_argument_group("where and what to print")
    if out:
        about = f"the {out}'s folder; the same folder resumes"
        group.add_argument("--out", metavar="DIR", required=out == "sweep", help=about)
    for name in names:
        group.add_argument(option_name(name), action="store_true", help=_PRINTING[name])


def _add_test(commands: Any) -> None:
    test = _add_command(
        commands,
        "test",
        "test",
        RefuteSpec,
        EngineSpec,
        help="does a learner keep its claim, on any data?",
        description="Does this learner keep its claim, on any data? Try to refute the claim with every detector, all "
        "under one error --alpha, the cheap ones first: the learner's own attacks, crafted worst data, a scan of the "
        "fitted object, a search on --data, added and removed rows. The test stops at the first violation that fresh "
        "trainings repeat. `mlaudit run` answers the other question: how much does it leak on my data?",
        epilog=TEST_EXIT_CODES,
    )
    _add_printing(test, "json", "quiet", "exit_zero", "fail_on_inconclusive", out="test")


def _add_run(commands: Any) -> None:
    run = _add_command(
        commands,
        "run",
        "run",
        AuditSpec,
        EngineSpec,
        help="how much does a learner leak on my data?",
        description="How much does this learner leak on my data? Audit a mechanism of mlaudit (see `mlaudit list "
        "mechanisms`) or of your own, and state a lower bound on its true ε. `mlaudit test` answers the other "
        "question: does it keep its claim, on any data?",
    )
    _add_printing(run, "json", "quiet", "fail_on_violation", "fail_on_inconclusive", "no_witness", out="run")


def _add_relations(commands: Any) -> None:
    relations = _add_command(
        commands,
        "relations",
        "relations",
        RelationsSpec,
        EngineSpec,
        help="audit a learner with a row replaced, added and removed",
        description="Audit a learner under every neighbour relation, and say what the differences mean. Each "
        "relation has the error --alpha: adding and removing a row are audited with half of it each.",
    )
    _add_printing(relations, "json", "quiet", "fail_on_violation", "fail_on_inconclusive", out="run")


def _add_scan(commands: Any) -> None:
    scan = _add_command(
        commands,
        "scan",
        "scan",
        ScanSpec,
        EngineSpec,
        help="look through all that a fitted object holds for leaks",
        description="Look through every attribute and answer of a fitted object, on targeted neighbours of the data, "
        "for what betrays a row; count each suspect on fresh trainings.",
    )
    _add_printing(scan, "json", "quiet", "fail_on_violation", "fail_on_inconclusive")


def _add_one_run(commands: Any) -> None:
    one_run = _add_command(
        commands,
        "one-run",
        "one_run",
        OneRunSpec,
        help="audit a single training with many canaries",
        description="Train once with many canaries, each in or out by a fair coin; how many of a fixed number of "
        "guesses are right bounds ε.",
    )
    _add_printing(one_run, "json", "quiet", "fail_on_violation", "fail_on_inconclusive")


def _add_white_box(commands: Any) -> None:
    white_box = _add_command(
        commands,
        "white-box",
        "white_box",
        WhiteBoxSpec,
        help="audit the steps of a few trainings with a gradient canary",
        description="Put a canary into the sum of each step by a fair coin; the guesses bound the noise of a step, "
        "and composed over all steps at the trainer's sampling rate it bounds ε.",
    )
    _add_printing(white_box, "json", "quiet", "fail_on_violation", "fail_on_inconclusive")


def _add_sweep(commands: Any) -> None:
    sweep = _add_command(
        commands,
        "sweep",
        "sweep",
        EngineSpec,
        help="run a grid of audits",
        description="Measure every cell of sweep files (TOML); the same command goes on where it was stopped. A "
        "sweep file may name code, which then runs: read a file from somebody else before you run it.",
    )
    sweep.add_argument("file", nargs="+", help="sweep files, as in examples/paper")
    _add_printing(sweep, "json", "quiet", "fail_on_violation", "fail_on_inconclusive", out="sweep")


def _add_plan(commands: Any) -> None:
    plan = _add_command(
        commands,
        "plan",
        "plan",
        help="say what a sweep will take",
        description="Say what a sweep will take, from a few timed trainings, and the highest ε that it could show. A "
        "sweep file may name code, which then runs: read a file from somebody else before you plan it.",
    )
    plan.add_argument("file", nargs="+", help="sweep files")
    plan.add_argument("--jobs", type=int, default=1, metavar="J", help="worker processes (default: 1)")
    _add_printing(plan, "json", "quiet")


def _add_replay(commands: Any) -> None:
    replay = _add_command(
        commands,
        "replay",
        "replay",
        ReplaySpec,
        EngineSpec,
        help="confirm a result on fresh trainings",
        description="Count a result's witness once more, on trainings that it has not seen. The result is read as "
        "data: only mechanisms of mlaudit, or what you name with --mechanism, are run.",
    )
    _add_printing(replay, "json", "quiet", "fail_on_violation", "fail_on_inconclusive", out="run")


def _add_report(commands: Any) -> None:
    report = _add_command(
        commands,
        "report",
        "report",
        help="write what a run or a sweep found as HTML, Markdown and CSV",
        description="Write the report of a sweep's folder (results.sqlite) or of a run's folder (result.json). The "
        "folder is read as data: no code that it names is run.",
    )
    report.add_argument("folder", help="the folder of a sweep or of a run")
    report.add_argument("--format", default="all", metavar="HOW", help="html, md, csv or all (default)")
    report.add_argument("--out", metavar="DIR", help="where to write (default: the folder itself)")


def _add_list(commands: Any) -> None:
    about = "Show what there is, a line each."
    listing = _add_command(commands, "list", "listing", help="show what there is", description=about)
    listing.add_argument("kind", nargs="?", help=", ".join(KINDS))
    _add_printing(listing, "json")


def _add_check(commands: Any) -> None:
    check = _add_command(
        commands,
        "check",
        "check",
        help="tell what is wrong with your own code",
        description="Check a mechanism, attack, interval or pair of your own against what mlaudit expects of it.",
        epilog="exit codes: 0 nothing is wrong, 2 something is, or bad input",
    )
    check.add_argument("object", help="pkg.module:object or my_file.py:object")
    check.add_argument("--epsilon", type=float, default=1.0, metavar="E", help="the claim of a plain function")
    check.add_argument("--pair", metavar="FILE:OBJECT", help="the pair to try a mechanism on")
    _add_printing(check, "json")


def _add_selftest(commands: Any) -> None:
    selftest = _add_command(
        commands,
        "selftest",
        "selftest",
        help="audit the auditor",
        description="Run the whole pipeline on mechanisms of known ε: how often is it wrong, and how tight is it?",
        epilog="exit codes: 0 as promised, 2 bad input, 3 more false alarms than promised, 4 interrupted",
    )
    selftest.add_argument("--audits", type=int, default=200, metavar="N", help="of each kind (default: 200)")
    selftest.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    _add_printing(selftest, "json", "quiet")


def _add_zoo(commands: Any) -> None:
    zoo = _add_command(
        commands,
        "zoo",
        "zoo",
        ZooSpec,
        help="try the auditor on mechanisms whose true ε is known",
        description="Audit broken mechanisms and their healthy twins (see `mlaudit list exhibits`), and print how "
        "many of the broken were caught within how many trainings, and how many of the healthy were accused.",
        epilog="exit codes: 0 done, 2 bad input, 4 interrupted",
    )
    _add_printing(zoo, "json", "quiet")
