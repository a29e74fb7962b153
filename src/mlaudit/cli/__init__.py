"""The command line: thin, and nothing heavy is imported before a command needs it."""

import argparse
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from mlaudit.cli.commands import Command
from mlaudit.cli.leaving import refuse_silent_exit, repeat_lost_interrupt
from mlaudit.cli.parser import build_parser, read_typed
from mlaudit.cli.specs import EngineSpec
from mlaudit.cli.terminal import clear_status, printable, show_status
from mlaudit.errors import AuditError, InvalidInput, LearnerFailed

DONE, VIOLATION, INCOMPLETE = 0, 3, 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    warnings.showwarning = _tell_warnings_once()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without ε must not cost a result
    try:
        given = build_parser().parse_args(arguments)
        with refuse_silent_exit(), repeat_lost_interrupt():
            code = _run_command(given)
        sys.stdout.flush()
    except AuditError as error:
        # One sentence, whatever was quoted in it; only a learner's own failure keeps its traceback.
        _complain(str(error) if isinstance(error, LearnerFailed) else " ".join(str(error).split()))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted; finished trainings are kept; run the same command again to continue")
        return INCOMPLETE
    except BrokenPipeError:
        # The reader of stdout has gone (`mlaudit list | head`): nobody is left to tell.
        _stop_printing()
        return DONE
    except MemoryError as error:
        _complain(f"there is not enough memory for all trainings: {error or 'none left'}; give fewer --trainings")
        return INCOMPLETE
    except OSError as error:
        _complain(
            f"the system stopped the command: {error}; finished trainings are kept; run the same command again to "
            "continue"
        )
        _stop_printing()
        return INCOMPLETE
    return code


def _run_command(given: argparse.Namespace) -> int:
    """Run the command; what a user's own attack, interval or classifier raises, even SystemExit, is one sentence."""
    try:
        return _call_module(given.command, given)
    except (AuditError, KeyboardInterrupt, OSError, MemoryError):
        raise
    except BaseException as error:
        if os.environ.get("MLAUDIT_DEBUG"):
            raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(frame.filename)}, line {frame.lineno}"
        raise InvalidInput(
            f"the command stopped at {type(error).__name__}: {error} ({where}); fix the error and run the same "
            "command again, or set MLAUDIT_DEBUG=1 to see the whole traceback"
        ) from error


def _call_module(command: Command, given: argparse.Namespace) -> int:
    """Read the specs, then import the command's module, which may take a while, and call its `command`."""
    for spec in command.specs:
        setattr(given, "engine" if spec is EngineSpec else "spec", read_typed(spec, given))
    # The libraries take a second or two to load, in which a person would see nothing at all.
    show_status("starting", show=not getattr(given, "quiet", True))
    name = command.module or command.name.replace("-", "_")
    return int(import_module(f"mlaudit.cli.{name}").command(given))


def entry() -> NoReturn:
    """The command `mlaudit`: a Ctrl-C after its last word has nothing left to interrupt."""
    code = main()
    with suppress(ValueError):  # not in the main thread: nobody gets Ctrl-C there
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = sys.modules.get("mlaudit.drawing.engines.loky")
    if engine is not None:
        engine.end_workers()
    sys.exit(code)


def _stop_printing() -> None:
    """Python flushes stdout once more at its end: what cannot be written must not be told twice."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complain(sentence: str) -> None:
    clear_status()
    sys.stderr.write(f"mlaudit: {printable(sentence)}\n")


def _tell_warnings_once() -> Callable[..., None]:
    """Return what shows a warning, unless this command has shown the same: a library is tested learner by learner."""
    shown: set[str] = set()

    def show(message: object, *_: object, **__: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            _complain(str(message))

    return show
