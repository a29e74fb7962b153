"""What can be typed. Values are checked where they are used, so that Python and shell say the same sentence."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from mlaudit import __version__
from mlaudit.cli.status import show_status
from mlaudit.errors import InvalidInput

_EXITS = (
    "exit codes: 0 done, 2 bad input, 3 violation (with --fail-on-violation), 4 interrupted or incomplete, "
    "5 sampler and library differ"
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One sentence instead of the whole usage."""
        raise InvalidInput(f"{message}; see {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """Every command and its options."""
    parser = _Parser(
        prog="mlaudit",
        description="Measure, by experiment, how much privacy a differentially private learner really gives.",
        epilog=_EXITS,
    )
    parser.add_argument("--version", action="version", version=f"mlaudit {__version__}")
    commands = parser.add_subparsers(metavar="command", required=True, parser_class=_Parser)
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


def _lazy(module: str) -> Callable[[argparse.Namespace], int]:
    """The command's function, imported when it is called."""

    def command(given: argparse.Namespace) -> int:
        from importlib import import_module

        from mlaudit.cli.screening import refuse_unknown_names

        refuse_unknown_names(given)
        # The libraries take a second or two to load, in which a person would see nothing at all.
        show_status("starting", show=not getattr(given, "quiet", True))
        return int(import_module(f"mlaudit.cli.{module}").command(given))

    return command


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        help="audit a mechanism",
        description="Audit a mechanism of mlaudit (see `mlaudit list mechanisms`) or of your own.",
        epilog=_EXITS,
    )
    run.set_defaults(command=_lazy("run"))
    _add_audit(run)
    _add_output(run)
    run.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when the claim is refuted")
    run.add_argument("--no-witness", action="store_true", help="leave out the minimal witness of a found violation")


def _add_relations(commands: Any) -> None:
    relations = commands.add_parser(
        "relations",
        help="audit a learner with a row replaced, added and removed",
        description="Audit a learner under every neighbour relation, and say what the differences mean. Each "
        "relation has the error --alpha: adding and removing a row are audited with half of it each.",
        epilog=_EXITS,
    )
    relations.set_defaults(command=_lazy("relations"))
    _add_audit(relations)
    relations.set_defaults(procedure="sequential", rows="1", change="")
    _add_output(relations)
    relations.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when the claim is refuted")


def _add_scan(commands: Any) -> None:
    scan = commands.add_parser(
        "scan",
        help="look through all that a fitted object holds for leaks",
        description="Look through every attribute and answer of a fitted object, on targeted neighbours of the data, "
        "for what betrays a row; count each suspect on fresh trainings.",
        epilog=_EXITS,
    )
    scan.set_defaults(command=_lazy("scan"))
    _add_learner(scan)
    how = scan.add_argument_group("how")
    how.add_argument(
        "--pilot", type=int, default=40, metavar="N", help="trainings of each dataset that find suspects"
    )
    how.add_argument("--trainings", type=int, default=400, metavar="N", help="fresh ones for each suspect, at most")
    how.add_argument("--alpha", type=float, default=0.05, metavar="A", help="error of all bounds together")
    how.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    _add_isolate(how)
    add_engine_options(scan)
    scan.add_argument("--json", action="store_true", help="print one JSON object")
    scan.add_argument("--quiet", action="store_true", help="no progress bar")
    scan.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when the claim is refuted")


def _add_one_run(commands: Any) -> None:
    one_run = commands.add_parser(
        "one-run",
        help="audit a single training with many canaries",
        description="Train once with many canaries, each in or out by a fair coin; how many of a fixed number of "
        "guesses are right bounds ε.",
        epilog=_EXITS,
    )
    one_run.set_defaults(command=_lazy("one_run"))
    how = _add_trainer(one_run)
    how.add_argument("--canaries", type=int, default=1000, metavar="M", help="default: 1000")
    how.add_argument("--share-in", type=float, default=0.1, metavar="S", help="of them guessed in (default: 0.1)")
    how.add_argument("--share-out", type=float, default=0.1, metavar="S", help="of them guessed out (default: 0.1)")


def _add_white_box(commands: Any) -> None:
    white_box = commands.add_parser(
        "white-box",
        help="audit the steps of a few trainings with a gradient canary",
        description="Put a canary into the sum of each step by a fair coin; the guesses bound the noise of a step, "
        "and composed over all steps at the trainer's sampling rate it bounds ε.",
        epilog=_EXITS,
    )
    white_box.set_defaults(command=_lazy("white_box"))
    how = _add_trainer(white_box)
    how.add_argument("--trainings", type=int, default=200, metavar="N", help="default: 200")


def _add_trainer(parser: argparse.ArgumentParser) -> Any:
    _add_learner(parser, "trainer")
    how = parser.add_argument_group("how")
    how.add_argument("--alpha", type=float, default=0.05, metavar="A", help="one-sided error (default: 0.05)")
    how.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    how.add_argument("--json", action="store_true", help="print one JSON object")
    how.add_argument("--quiet", action="store_true", help="no progress bar")
    how.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when the claim is refuted")
    return how


def audit_options() -> argparse.ArgumentParser:
    """A parser of what an audit is, as `run` takes it, without where it runs and what it prints."""
    parser = _Parser(prog="mlaudit run", add_help=False)
    _add_audit(parser)
    return parser


def _add_learner(parser: argparse.ArgumentParser, called: str = "mechanism") -> Any:
    parser.add_argument(called, help="name, pkg.module:object or my_file.py:object")
    what = parser.add_argument_group("what is claimed, and on which data")
    what.add_argument("--epsilon", type=float, metavar="E", help="the claimed ε")
    what.add_argument("--delta", type=float, metavar="D", help="the claimed δ (default: 0)")
    what.add_argument("--relation", metavar="R", help="replace-one or add-remove")
    what.add_argument(
        "--data",
        metavar="NAME|FILE",
        help="a dataset by name, a .csv, .csv.gz or .parquet file, or worst: the worst that a search finds",
    )
    what.add_argument("--target", metavar="COLUMN", help="the label column of a file (default: the last)")
    what.add_argument("--classes", metavar="A,B", help="the two labels to keep (default: the most frequent)")
    what.add_argument("--categorical", metavar="HOW", help="one-hot or drop columns of categories")
    what.add_argument("--scale", metavar="HOW", help="unit: columns scaled to [0, 1] (default); none: as they are")
    what.add_argument(
        "--max-rows", type=int, metavar="N", help="rows to keep (default: 1000; random_forest: 500; worst: 200)"
    )
    what.add_argument("--data-seed", type=int, metavar="S", help="which rows to keep (default: 0)")
    what.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help=f"a {called}'s parameter")
    return what


def _add_audit(run: argparse.ArgumentParser) -> None:
    what = _add_learner(run)
    what.add_argument("--bounds", metavar="LOW,HIGH", help="--data worst: where every column lies (default: 0,1)")
    what.add_argument(
        "--max-columns", type=int, metavar="N", help="--data worst: the most columns to try (default: 100)"
    )
    what.add_argument("--vary-domain", action="store_true", help="--data worst: try other bounds and norms as well")
    what.add_argument("--pair", metavar="FILE:OBJECT", help="the two datasets themselves, a Pair")
    how = run.add_argument_group("how")
    how.add_argument(
        "--attack", default="auto", metavar="NAME[,NAME]", help="what makes the neighbour (default: auto)"
    )
    how.add_argument("--pilot-share", type=float, metavar="P", help="search: share of the budget (default: 0.2)")
    how.add_argument("--change", default="replace", metavar="HOW", help="replace (default), add or remove the rows")
    how.add_argument("--rows", default="1,2,4,8", metavar="K[,K]", help="rows to change; chosen among these")
    how.add_argument(
        "--sampler",
        default="auto",
        metavar="HOW",
        help="library (its own fit), mirror, batched or auto (default)",
    )
    how.add_argument("--procedure", default="progressive", metavar="NAME", help="default: progressive")
    how.add_argument("--interval", metavar="NAME", help="two_phase's interval (default: exact)")
    how.add_argument("--classifier", metavar="NAME[,NAME]", help="chosen among these (default: logistic,boosting)")
    how.add_argument(
        "--beyond", type=float, metavar="B", help="sequential: stop when B times the claim is refuted (default: 1)"
    )
    how.add_argument("--paper", action="store_true", help="two_phase exactly as in the ML-Audit paper")
    how.add_argument("--trainings", type=int, default=4000, metavar="N", help="the whole budget (default: 4000)")
    how.add_argument("--alpha", type=float, default=0.05, metavar="A", help="one-sided error (default: 0.05)")
    how.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    _add_isolate(how)


def _add_isolate(parser: Any) -> None:
    parser.add_argument(
        "--isolate",
        action="store_true",
        help="every training in a fresh process, for learners that keep state from one to the next",
    )


def add_engine_options(parser: argparse.ArgumentParser) -> None:
    """Where trainings run: what `cli.engines.the_engine` reads."""
    where = parser.add_argument_group("where trainings run (same seed, same numbers, wherever)")
    where.add_argument("--jobs", type=int, default=1, metavar="J", help="worker processes (default: 1)")
    where.add_argument("--backend", default="loky", metavar="NAME", help="loky (default), dask or ray")
    where.add_argument(
        "--address", default="", metavar="A", help="a running cluster of dask (tcp://HOST:PORT) or ray (HOST:PORT)"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    add_engine_options(parser)
    out = parser.add_argument_group("where and what to print")
    out.add_argument("--out", metavar="DIR", help="the run's folder; the same folder resumes")
    out.add_argument("--json", action="store_true", help="print one JSON object")
    out.add_argument("--quiet", action="store_true", help="no progress bar")


def _add_sweep(commands: Any) -> None:
    sweep = commands.add_parser(
        "sweep",
        help="run a grid of audits",
        description="Measure every cell of sweep files (TOML); the same command goes on where it was stopped. A "
        "sweep file may name code, which then runs: read a file from somebody else before you run it.",
        epilog=_EXITS,
    )
    sweep.set_defaults(command=_lazy("sweep"))
    sweep.add_argument("file", nargs="+", help="sweep files, as in examples/paper")
    sweep.add_argument("--out", required=True, metavar="DIR", help="the sweep's folder; the same folder resumes")
    add_engine_options(sweep)
    sweep.add_argument("--json", action="store_true", help="print one JSON object")
    sweep.add_argument("--quiet", action="store_true", help="no progress bar")
    sweep.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when a claim is refuted")


def _add_plan(commands: Any) -> None:
    plan = commands.add_parser(
        "plan",
        help="say what a sweep will take",
        description="Say what a sweep will take, from a few timed trainings, and the highest ε that it could show. A "
        "sweep file may name code, which then runs: read a file from somebody else before you plan it.",
        epilog=_EXITS,
    )
    plan.set_defaults(command=_lazy("plan"))
    plan.add_argument("file", nargs="+", help="sweep files")
    plan.add_argument("--jobs", type=int, default=1, metavar="J", help="worker processes (default: 1)")
    plan.add_argument("--json", action="store_true", help="print one JSON object")


def _add_replay(commands: Any) -> None:
    replay = commands.add_parser(
        "replay",
        help="confirm a result on fresh trainings",
        description="Count a result's witness once more, on trainings that it has not seen. The result is read as "
        "data: only mechanisms of mlaudit, or what you name with --mechanism, are run.",
        epilog=_EXITS,
    )
    replay.set_defaults(command=_lazy("replay"))
    replay.add_argument("result", help="a result.json")
    replay.add_argument("--mechanism", metavar="FILE:OBJECT", help="needed when the result is about your own code")
    replay.add_argument("--interval", metavar="FILE:OBJECT", help="needed when the interval is your own")
    replay.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help="a mechanism's parameter")
    replay.add_argument("--trainings", type=int, metavar="N", help="default: as many as the result's")
    replay.add_argument("--seed", type=int, metavar="S", help="default: the result's seed plus 1")
    _add_isolate(replay)
    _add_output(replay)
    replay.add_argument("--fail-on-violation", action="store_true", help="exit with 3 when the claim is refuted")


def _add_report(commands: Any) -> None:
    report = commands.add_parser(
        "report",
        help="write what a run or a sweep found as HTML, Markdown and CSV",
        description="Write the report of a sweep's folder (results.sqlite) or of a run's folder (result.json). The "
        "folder is read as data: no code that it names is run.",
        epilog=_EXITS,
    )
    report.set_defaults(command=_lazy("report"))
    report.add_argument("folder", help="the folder of a sweep or of a run")
    report.add_argument("--format", default="all", metavar="HOW", help="html, md, csv or all (default)")
    report.add_argument("--out", metavar="DIR", help="where to write (default: the folder itself)")


def _add_list(commands: Any) -> None:
    listing = commands.add_parser(
        "list", help="show what there is", description="Show what there is, a line each.", epilog=_EXITS
    )
    listing.set_defaults(command=_lazy("listing"))
    listing.add_argument(
        "kind",
        nargs="?",
        help="mechanisms, attacks, procedures, intervals, classifiers, datasets, trainers, figures, exhibits",
    )
    listing.add_argument("--json", action="store_true", help="print one JSON object")


def _add_selftest(commands: Any) -> None:
    selftest = commands.add_parser(
        "selftest",
        help="audit the auditor",
        description="Run the whole pipeline on mechanisms of known ε: how often is it wrong, and how tight is it?",
        epilog="exit codes: 0 as promised, 2 bad input, 3 more false alarms than promised, 4 interrupted",
    )
    selftest.set_defaults(command=_lazy("selftest"))
    selftest.add_argument("--audits", type=int, default=200, metavar="N", help="of each kind (default: 200)")
    selftest.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    selftest.add_argument("--json", action="store_true", help="print one JSON object")
    selftest.add_argument("--quiet", action="store_true", help="no progress bar")


def _add_check(commands: Any) -> None:
    check = commands.add_parser(
        "check",
        help="tell what is wrong with your own code",
        description="Check a mechanism, attack, interval or pair of your own against what mlaudit expects of it.",
        epilog="exit codes: 0 nothing is wrong, 2 something is, or bad input",
    )
    check.set_defaults(command=_lazy("check"))
    check.add_argument("object", help="pkg.module:object or my_file.py:object")
    check.add_argument("--epsilon", type=float, default=1.0, metavar="E", help="the claim of a plain function")
    check.add_argument("--pair", metavar="FILE:OBJECT", help="the pair to try a mechanism on")
    check.add_argument("--json", action="store_true", help="print one JSON object")


def _add_zoo(commands: Any) -> None:
    zoo = commands.add_parser(
        "zoo",
        help="try the auditor on mechanisms whose true ε is known",
        description="Audit broken mechanisms and their healthy twins (see `mlaudit list exhibits`), and print how "
        "many of the broken were caught within how many trainings, and how many of the healthy were accused.",
        epilog="exit codes: 0 done, 2 bad input, 4 interrupted",
    )
    zoo.set_defaults(command=_lazy("zoo"))
    zoo.add_argument("--only", metavar="NAME[,NAME]", help="these exhibits (default: all)")
    zoo.add_argument("--seeds", type=int, default=10, metavar="N", help="audits of each mechanism (default: 10)")
    zoo.add_argument(
        "--trainings",
        default="100,300,1000,3000,10000",
        metavar="N[,N]",
        help="budgets to report; one audit with the largest serves all (default: 100,300,1000,3000,10000)",
    )
    zoo.add_argument("--alpha", type=float, default=0.05, metavar="A", help="one-sided error (default: 0.05)")
    zoo.add_argument("--seed", type=int, default=0, metavar="S", help="default: 0")
    zoo.add_argument("--jobs", type=int, default=1, metavar="J", help="worker processes (default: 1)")
    zoo.add_argument("--json", action="store_true", help="print one JSON object")
    zoo.add_argument("--quiet", action="store_true", help="no progress bar")
