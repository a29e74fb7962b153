"""The table of commands: the module of each, its options, and what `--help` says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlaudit.auditing.spec import AuditSpec
from mlaudit.cli.exit_codes import EXIT_CODES, TEST_EXIT_CODES
from mlaudit.cli.specs import (
    EngineSpec,
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
    "quiet": "no progress bar",
    "exit_zero": "exit with 0 also when the claim is violated",
    "fail_on_violation": "exit with 3 when the claim is violated",
    "fail_on_inconclusive": "exit with 6 when no outcome could have refuted the claim",
    "no_witness": "leave out the minimal witness of a found violation",
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
        "does a learner keep its claim, on any data?",
        "Does this learner keep its claim, on any data? Try to refute the claim with every detector, all under one "
        "error --alpha, the cheap ones first: the learner's own attacks, crafted worst data, a scan of the fitted "
        "object, a search on --data, added and removed rows. The test stops at the first violation that fresh "
        "trainings repeat. `mlaudit run` answers the other question: how much does it leak on my data?",
        specs=(RefuteSpec, EngineSpec),
        printing=("json", "quiet", "exit_zero", "fail_on_inconclusive"),
        out="test",
        epilog=TEST_EXIT_CODES,
    ),
    Command(
        "run",
        "how much does a learner leak on my data?",
        "How much does this learner leak on my data? Audit a mechanism of mlaudit (see `mlaudit list mechanisms`) or "
        "of your own, and state a lower bound on its true ε. `mlaudit test` answers the other question: does it keep "
        "its claim, on any data?",
        specs=(AuditSpec, EngineSpec),
        printing=(*_PRINTED, "no_witness"),
        out="run",
    ),
    Command(
        "relations",
        "audit a learner with a row replaced, added and removed",
        "Audit a learner under every neighbour relation, and say what the differences mean. Each relation has the "
        "error --alpha: adding and removing a row are audited with half of it each.",
        specs=(RelationsSpec, EngineSpec),
        out="run",
    ),
    Command(
        "scan",
        "look through all that a fitted object holds for leaks",
        "Look through every attribute and answer of a fitted object, on targeted neighbours of the data, for what "
        "betrays a row; count each suspect on fresh trainings.",
        specs=(ScanSpec, EngineSpec),
        out="scan",
    ),
    Command(
        "trace",
        "which line of a learner is at fault?",
        "Follow every noise call of a training on D, train on D′ with the same noisy answers, and compare: what each "
        "call cost, which line moved by more than its noise covers, and which part of the output passed by the "
        "noise. Each suspect is put to a statistical test on its own pair.",
        specs=(TraceSpec, EngineSpec),
    ),
    Command(
        "one-run",
        "audit a single training with many canaries",
        "Train once with many canaries, each in or out by a fair coin; how many of a fixed number of guesses are "
        "right bounds ε.",
        specs=(OneRunSpec,),
        out="run",
    ),
    Command(
        "white-box",
        "audit the steps of a few trainings with a gradient canary",
        "Put a canary into the sum of each step by a fair coin; the guesses bound the noise of a step, and composed "
        "over all steps at the trainer's sampling rate it bounds ε.",
        specs=(WhiteBoxSpec,),
        out="run",
    ),
    Command(
        "sweep",
        "run a grid of audits",
        "Measure every cell of sweep files (TOML); the same command goes on where it was stopped. A sweep file may "
        "name code, which then runs: read a file from somebody else before you run it.",
        specs=(EngineSpec,),
        arguments={"file": {"nargs": "+", "help": "sweep files, as in examples/paper"}},
        out="sweep",
    ),
    Command(
        "plan",
        "say what a sweep will take",
        "Say what a sweep will take, from a few timed trainings, and the highest ε that it could show. A sweep file "
        "may name code, which then runs: read a file from somebody else before you plan it.",
        arguments={
            "file": {"nargs": "+", "help": "sweep files"},
            "--jobs": {"type": int, "default": 1, "metavar": "J", "help": "worker processes (default: 1)"},
        },
        printing=("json", "quiet"),
    ),
    Command(
        "replay",
        "confirm a result on fresh trainings",
        "Count a result's witness once more, on trainings that it has not seen. An audit by canaries is repeated "
        "with another seed. The result is read as data: only mechanisms and trainers of mlaudit, or what you name "
        "with --mechanism, are run.",
        specs=(ReplaySpec, EngineSpec),
        out="run",
    ),
    Command(
        "report",
        "write what a test, a run or a sweep found as HTML, Markdown and CSV, or for CI",
        "Write the report of a sweep's folder (results.sqlite), or of the folder of a test or a run (result.json). "
        "The formats for CI also take a folder of such folders: sarif (one result for each violated claim), badge "
        "(JSON for an endpoint badge) and summary (a Markdown table). The folder is read as data: no code that it "
        "names is run.",
        arguments={
            "folder": {"help": "the folder of a test, a run or a sweep"},
            "--format": {
                "default": "all",
                "metavar": "HOW",
                "help": "html, md, csv or all (default); for CI sarif, badge, summary; several with commas between",
            },
            "--inconclusive": {"action": "store_true", "help": "list inconclusive tests in SARIF, too"},
            "--out": {"metavar": "DIR", "help": "where to write (default: the folder itself)"},
        },
        printing=(),
    ),
    Command(
        "list",
        "show what there is",
        "Show what there is, a line each.",
        arguments={"kind": {"nargs": "?", "help": ", ".join(KINDS)}},
        printing=("json",),
        module="listing",
    ),
    Command(
        "check",
        "tell what is wrong with your own code",
        "Check a mechanism, attack, interval or pair of your own against what mlaudit expects of it.",
        arguments={
            "object": {"help": 'pkg.module:object, my_file.py:object, or "cmd: COMMAND"'},
            "--epsilon": {"type": float, "default": 1.0, "metavar": "E", "help": "the claim of a plain function"},
            "--pair": {"metavar": "FILE:OBJECT", "help": "the pair to try a mechanism on"},
        },
        printing=("json",),
        epilog="exit codes: 0 nothing is wrong, 2 something is, or bad input",
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
        "audit the auditor",
        "Run the whole pipeline on mechanisms of known ε: how often is it wrong, and how tight is it?",
        arguments={
            "--audits": {"type": int, "default": 200, "metavar": "N", "help": "of each kind (default: 200)"},
            "--seed": {"type": int, "default": 0, "metavar": "S", "help": "default: 0"},
        },
        printing=("json", "quiet"),
        epilog="exit codes: 0 as promised, 2 bad input, 3 more false alarms than promised, 4 interrupted",
    ),
    Command(
        "zoo",
        "try the auditor on mechanisms whose true ε is known",
        "Audit broken mechanisms and their healthy twins (see `mlaudit list exhibits`), and print how many of the "
        "broken were caught within how many trainings, and how many of the healthy were accused.",
        specs=(ZooSpec,),
        printing=("json", "quiet"),
        epilog="exit codes: 0 done, 2 bad input, 4 interrupted",
    ),
)
