"""The command line: thin, and nothing heavy is imported before a command needs it."""

import os
import sys
import warnings
from collections.abc import Sequence

from mlaudit.cli.parser import build_parser
from mlaudit.errors import AuditError

DONE, BAD_INPUT, VIOLATION, INCOMPLETE = 0, 2, 3, 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    warnings.showwarning = _show_warning
    try:
        given = build_parser().parse_args(arguments)
        return int(given.command(given))
    except AuditError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted; what was drawn is kept, and the same command goes on from there")
        return INCOMPLETE
    except BrokenPipeError:
        # The reader of stdout has gone (`mlaudit list | head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _complain(sentence: str) -> None:
    sys.stderr.write(f"mlaudit: {sentence}\n")


def _show_warning(message: object, *_: object, **__: object) -> None:
    _complain(str(message))
