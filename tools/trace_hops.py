"""Count the functions and files of mlaudit that a command visits: how far a reader must walk to follow it.

    python tools/trace_hops.py run naive_bayes --data iris --epsilon 1
    python tools/trace_hops.py --list run laplace        # every function, in the order of its first call
    python tools/trace_hops.py --rooms run laplace       # how many of them stand in each room

The command runs with this Python's mlaudit. Child processes that do trainings are counted, too; class bodies and
comprehensions are not. Functions that run only while a module is imported (a decorator, a table of options, the check
of a default value) are counted separately: a reader who follows the command does not go there. `run`, `relations` and
`sweep` keep their results in a temporary folder, unless the command names one.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "mlaudit"
FOLDERS = {"run", "relations", "sweep"}  # commands that keep a folder
_LOG = "MLAUDIT_HOPS"
IMPORTING = "import:"  # marks a function in the log that was called while a module was imported
# Python imports `sitecustomize` when it starts, in the command and in every interpreter that the command starts.
# Each function writes one line when it is first called: a child may be killed at any time.
_CUSTOMIZE = f"""
import importlib.util, os, sys, threading

_spec = importlib.util.find_spec("{PACKAGE}")
_root = os.path.dirname(_spec.origin) + os.sep
_log = os.open(os.environ["{_LOG}"], os.O_WRONLY | os.O_APPEND)
_seen = set()


def _is_importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            return True
        frame = frame.f_back
    return False


def _note(frame, event, argument):
    code = frame.f_code
    if (code, False) in _seen:
        return
    # 1: not a module or class body
    if not code.co_filename.startswith(_root) or not code.co_flags & 1 or code.co_name.startswith("<"):
        _seen.add((code, False))
        return
    importing = _is_importing(frame)
    if (code, importing) not in _seen:
        _seen.add((code, importing))
        file = code.co_filename[len(_root):].replace(os.sep, "/")
        os.write(_log, f"{{'{IMPORTING}' if importing else ''}}{{file}}:{{code.co_qualname}}\\n".encode())


# Called once for each frame, and never for its lines: it returns None.
threading.settrace(_note)
sys.settrace(_note)
"""


@dataclass(frozen=True)
class Hops:
    """The functions that a command visited, as `file:function`, in the order of their first calls.

    Attributes:
        functions: Those that the command calls.
        importing: Those that run only while a module is imported.

    >>> hops = Hops(("cli/run.py:command", "cli/run.py:_out", "auditing/run.py:audit"), ("errors.py:text",))
    >>> print(hops)
    3 functions in 2 files, and 1 during imports
    >>> hops.count_by_room()
    {'auditing': 1, 'cli': 2}
    """

    functions: tuple[str, ...]
    importing: tuple[str, ...] = ()

    @classmethod
    def read(cls, lines: Iterable[str]) -> "Hops":
        """From the lines of a log: several processes may visit one function, and call what another one imports.

        >>> Hops.read(["import:b.py:f", "import:b.py:g", "a.py:f", "b.py:f", "a.py:f"])
        Hops(functions=('a.py:f', 'b.py:f'), importing=('b.py:g',))
        """
        first = dict.fromkeys(lines)  # each once, in the order of its first appearance
        functions = tuple(line for line in first if not line.startswith(IMPORTING))
        imports = (line.removeprefix(IMPORTING) for line in first if line.startswith(IMPORTING))
        return cls(functions, tuple(line for line in imports if line not in functions))

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the functions that the command calls."""
        return tuple(sorted({function.partition(":")[0] for function in self.functions}))

    def count_by_room(self) -> dict[str, int]:
        """The number of functions in each room that the command visits."""
        rooms = (function.partition("/")[0].partition(".py:")[0] for function in self.functions)
        return dict(sorted(Counter(rooms).items()))

    def __str__(self) -> str:
        """All counts."""
        return f"{len(self.functions)} functions in {len(self.files)} files, and {len(self.importing)} during imports"


def trace(words: Sequence[str]) -> Hops:
    """Run `mlaudit` with these words and see where it goes.

    Raises:
        CalledProcessError: If the command could not run. Violated claims and inconclusive audits are no errors.
    """
    with TemporaryDirectory() as folder:
        log = Path(folder) / "hops"
        log.touch()
        (Path(folder) / "sitecustomize.py").write_text(_CUSTOMIZE, encoding="utf-8")
        paths = [folder, *filter(None, [os.environ.get("PYTHONPATH", "")])]
        command = [sys.executable, "-m", PACKAGE, *words]
        if words[0] in FOLDERS and "--out" not in words:
            command += ["--out", str(Path(folder) / "out")]
        done = subprocess.run(
            command,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), _LOG: str(log)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 3):  # 3: a violation, with --fail-on-violation
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
        return Hops.read(log.read_text(encoding="utf-8").split())


def main(words: Sequence[str]) -> int:
    """Trace the command that the words make."""
    show = words[0] if words and words[0] in ("--list", "--rooms") else ""
    words = words[1:] if show else words
    if not words:
        print(__doc__)
        return 2
    try:
        hops = trace(words)
    except subprocess.CalledProcessError as failed:
        print(f"mlaudit must run to be traced, got exit code {failed.returncode}: {failed.stderr.strip()}")
        return 2
    rooms = [f"{count:4d} {room}" for room, count in hops.count_by_room().items()]
    print(*{"--list": hops.functions, "--rooms": rooms}.get(show, ()), hops, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
