"""The table of commands: the module of each, its options, and what `--help` says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlaudit.auditing.spec import AuditSpec
from mlaudit.cli.exit_codes import EXIT_CODES, TEST_EXIT_CODES
from mlaudit.cli.specs import (
    EngineSpec,
    LibrarySpec,
    OneRunSpec,
    RefuteSpec,
    RelationsSpec,
    ReplaySpec,
    ScanSpec,
    TraceSpec,
    WhiteBoxSpec,
    ZooSpec,
)
from mlaudit.naming.plugins import KINDS

# Options that change what is printed.
PRINTING = {
    "json": "print one JSON object",
    "quiet": "show no progress bar",
    "exit_zero": "exit with 0 even if the claim is violated",
    "fail_on_violation": "exit with 3 if the claim is violated",
    "fail_on_inconclusive": "exit with 6 if no outcome could have refuted the claim",
    "no_witness": "do not search for the minimal witness of a violation",
}
_PRINTED = ("json", "quiet", "fail_on_violation", "fail_on_inconclusive")


@dataclass(frozen=True)
class Command:
    """A command.

    Args:
        name: The word after `mlaudit`.
        help: One line for `mlaudit --help`.
        description: What the command's own `--help` says.
        specs: Dataclasses of options; the command's module gets them as `given.spec` and `given.engine`.
        arguments: Other arguments by name, with those of argparse's `add_argument`.
        printing: The names of `PRINTING` that it takes.
        out: What its folder is called, if it takes --out.
        module: The file of this folder whose `command` is called. Default: the file of that name.
        epilog: The exit codes.
    """

    name: str
    help: str
    description: str
    specs: tuple[type, ...] = ()
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    printing: tuple[str, ...] = _PRINTED
    out: str = ""
    module: str = ""
    epilog: str = EXIT_CODES


COMMANDS = (
    Command(
        "test",
        "test whether a claim holds for all data",
        "Does the claim hold for all data? Detectors try to refute it, the cheapest first: suspects of a trace, the "
        "learner's own attacks, crafted data, a scan of the fitted object, a search on --data, added and removed "
        "rows. Together they refute a true claim with probability at most --alpha. The test stops at the first "
        "violation that fresh trainings repeat, and names the line at fault if the noise can be followed. `mlaudit "
        "run` answers the other question: how much does the learner leak on my data?",
        specs=(RefuteSpec, EngineSpec),
        printing=("json", "quiet", "exit_zero", "fail_on_inconclusive"),
        out="test",
        epilog=TEST_EXIT_CODES,
    ),
    Command(
        "run",
        "measure how much a learner leaks on your data",
        "How much does the learner leak on my data? Audit a mechanism that mlaudit ships (see `mlaudit list "
        "mechanisms`) or your own, and state a lower bound on its true ε. `mlaudit test` answers the other question: "
        "does the claim hold for all data?",
        specs=(AuditSpec, EngineSpec),
        printing=(*_PRINTED, "no_witness"),
        out="run",
    ),
    Command(
        "library",
        "test every claim of a DP library",
        "Do the claims of a library hold for all data? Test the claim of every mechanism in a catalogue (see "
        "`mlaudit list catalogues`), or in one of your own. "
        "All items share --alpha. Each has a folder of its own, as `mlaudit test` writes it, and the report shows "
        "them in one table. If it was interrupted, the same command continues.",
        specs=(LibrarySpec, EngineSpec),
        printing=("json", "quiet", "exit_zero", "fail_on_inconclusive"),
        out="library",
        epilog=TEST_EXIT_CODES,
    ),
    Command(
        "relations",
        "audit a learner with a row replaced, added and removed",
        "Under which neighbour relation does the learner leak on my data, and how much? Audit it under every "
        "relation, and explain the differences. The error probability is "
        "--alpha for each relation; adding and removing a row get half of it each.",
        specs=(RelationsSpec, EngineSpec),
        out="run",
    ),
    Command(
        "scan",
        "search a whole fitted object for leaks",
        "Which part of the fitted object leaks on my data? Train on the data and on neighbours that often reveal "
        "leaks. Compare every attribute and every prediction "
        "of the fitted objects, and test each attribute that differs on fresh trainings.",
        specs=(ScanSpec, EngineSpec),
        out="scan",
    ),
    Command(
        "trace",
        "find the line of a learner that leaks",
        "Which line leaks? Record every noise call of a training on D, train on D′ with the same noisy answers, and "
        "compare the two. "
        "The result states the privacy loss of each call, the lines whose values change by more than their noise "
        "covers, and the parts of the output that have no noise. A statistical test checks each suspect on its own "
        "pair.",
        specs=(TraceSpec, EngineSpec),
    ),
    Command(
        "one-run",
        "audit a single training with many canaries",
        "How much does one training leak about canaries? Train once, with each of many canaries inserted with "
        "probability 1/2, and guess which were inserted. The number of guesses is fixed beforehand, and the number "
        "of correct guesses gives the bound on ε. `mlaudit test` answers another question: does the claim hold for "
        "all data?",
        specs=(OneRunSpec,),
        out="run",
    ),
    Command(
        "white-box",
        "audit the steps of a few trainings with a gradient canary",
        "How much do the steps of a training leak about a canary? Insert a canary into the sum of each step with "
        "probability 1/2, and guess in which steps it was inserted. The correct guesses bound the noise of a step. "
        "Composed over all steps at the stated sampling rate, this bounds ε. `mlaudit test` answers another "
        "question: does the claim hold for all data?",
        specs=(WhiteBoxSpec,),
        out="run",
    ),
    Command(
        "sweep",
        "run a grid of audits",
        "Run every cell of sweep files (TOML). If a sweep was interrupted, the same command continues it. A sweep "
        "file may name code, which then runs: read a file from somebody else before you run it.",
        specs=(EngineSpec,),
        arguments={"file": {"nargs": "+", "help": "sweep files, as in examples/paper"}},
        out="sweep",
    ),
    Command(
        "plan",
        "estimate the cost of a sweep",
        "Estimate the cost of a sweep from a few timed trainings, and print the highest ε that each part could "
        "show. A sweep file may name code, which then runs: read a file from somebody else before you plan it.",
        arguments={
            "file": {"nargs": "+", "help": "sweep files"},
            "--jobs": {"type": int, "default": 1, "metavar": "J", "help": "worker processes (default: 1)"},
        },
        printing=("json", "quiet"),
    ),
    Command(
        "replay",
        "confirm a result on fresh trainings",
        "Count the witness of a result again on fresh trainings. A canary audit is repeated with another seed. The "
        "result is read as data: only mechanisms and trainers that mlaudit ships, or code that you name with "
        "--mechanism, are run.",
        specs=(ReplaySpec, EngineSpec),
        out="run",
    ),
    Command(
        "report",
        "write the report of a test, a run or a sweep as HTML, Markdown and CSV, or for CI",
        "Write the report of a sweep's folder (results.sqlite), or of the folder of a test or a run (result.json). "
        "The formats for CI also take a folder of such folders: sarif (one result for each violated claim), badge "
        "(JSON for an endpoint badge) and summary (a Markdown table). The folder is read as data: no code that it "
        "names is run.",
        arguments={
            "folder": {"help": "the folder of a test, a run or a sweep"},
            "--format": {
                "default": "all",
                "metavar": "HOW",
                "help": "html, md, csv or all (default); for CI sarif, badge or summary; or a list, as html,sarif",
            },
            "--inconclusive": {"action": "store_true", "help": "list inconclusive tests in SARIF, too"},
            "--out": {"metavar": "DIR", "help": "where to write (default: the folder itself)"},
        },
        printing=(),
    ),
    Command(
        "list",
        "list mechanisms, attacks, datasets and other parts",
        "List the parts of one kind, or of every kind, one per line.",
        arguments={"kind": {"nargs": "?", "help": ", ".join(KINDS)}},
        printing=("json",),
        module="listing",
    ),
    Command(
        "check",
        "check your own mechanism, attack or other part",
        "Check that a mechanism, attack, interval, pair or other part of your own does what mlaudit expects of it.",
        arguments={
            "object": {"help": 'pkg.module:object, my_file.py:object, or "cmd: COMMAND"'},
            "--epsilon": {"type": float, "default": 1.0, "metavar": "E", "help": "the claim of a plain function"},
            "--pair": {"metavar": "FILE:OBJECT", "help": "the pair to try a mechanism on"},
        },
        printing=("json",),
        epilog="exit codes: 0 all checks passed, 2 a check failed, or bad input",
    ),
    Command(
        "helper",
        "print a file that serves learners of another environment or language",
        'Print one file without dependencies that serves a learner to `mlaudit run "cmd: COMMAND"`: from another '
        "Python environment, or from JavaScript. Redirect it into a file of your own. The protocol is in the manual, "
        "in docs/other_languages.md.",
        arguments={"language": {"help": "python or javascript"}},
        printing=(),
        epilog="exit codes: 0 done, 2 bad input",
    ),
    Command(
        "selftest",
        "test mlaudit itself on mechanisms whose true ε is known",
        "Run whole audits of mechanisms whose true ε is known, and print how often a bound is wrong and how tight "
        "the bounds are.",
        arguments={
            "--audits": {
                "type": int,
                "default": 200,
                "metavar": "N",
                "help": "number of audits of each kind (default: 200)",
            },
            "--seed": {"type": int, "default": 0, "metavar": "S", "help": "seed of all trainings (default: 0)"},
        },
        printing=("json", "quiet"),
        epilog="exit codes: 0 no more false alarms than α allows, 2 bad input, 3 more false alarms, 4 interrupted",
    ),
    Command(
        "zoo",
        "audit broken mechanisms and their repaired twins",
        "Audit broken mechanisms and their healthy twins (see `mlaudit list exhibits`). Print the share of broken "
        "mechanisms that were refuted within each number of trainings, and the false alarms on healthy twins.",
        specs=(ZooSpec,),
        printing=("json", "quiet"),
        epilog="exit codes: 0 done, 2 bad input, 4 interrupted",
    ),
)
