"""Count the functions and files of mlaudit that a command visits: how far a reader must walk to follow it.

    python tools/trace_hops.py run naive_bayes --data iris --epsilon 1
    python tools/trace_hops.py --list run laplace        # every function, in the order of its first call

The command runs with this Python's mlaudit. Child processes that do trainings are counted, too; functions that run
while a module is imported count as well, class bodies and comprehensions do not. `run`, `relations` and `sweep` keep
their results in a temporary folder, unless the command names one.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PACKAGE = "mlaudit"
FOLDERS = {"run", "relations", "sweep"}  # commands that keep a folder
_LOG = "MLAUDIT_HOPS"
# Python imports `sitecustomize` when it starts, in the command and in every interpreter that the command starts.
# Each function writes one line when it is first called: a child may be killed at any time.
_CUSTOMIZE = f"""
import importlib.util, os, sys, threading

_spec = importlib.util.find_spec("{PACKAGE}")
_root = os.path.dirname(_spec.origin) + os.sep
_log = os.open(os.environ["{_LOG}"], os.O_WRONLY | os.O_APPEND)
_seen = set()


def _profile(frame, event, argument):
    code = frame.f_code
    if event != "call" or code in _seen:
        return
    _seen.add(code)
    is_function = code.co_flags & 1 and not code.co_name.startswith("<")  # 1: not a module or class body
    if is_function and code.co_filename.startswith(_root):
        file = code.co_filename[len(_root):].replace(os.sep, "/")
        os.write(_log, f"{{file}}:{{code.co_qualname}}\\n".encode())


threading.setprofile(_profile)
sys.setprofile(_profile)
"""


@dataclass(frozen=True)
class Hops:
    """The functions that a command visited, as `file:function`, in the order of their first calls.

    >>> hops = Hops(("cli/run.py:command", "cli/run.py:_out", "auditing/run.py:audit"))
    >>> hops.files, str(hops)
    (('auditing/run.py', 'cli/run.py'), '3 functions in 2 files')
    """

    functions: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files that these functions are in."""
        return tuple(sorted({function.partition(":")[0] for function in self.functions}))

    def __str__(self) -> str:
        """Both counts."""
        return f"{len(self.functions)} functions in {len(self.files)} files"


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
        return Hops(unique(log.read_text(encoding="utf-8").split()))


def unique(lines: Iterable[str]) -> tuple[str, ...]:
    """Each line once, in the order of its first appearance: several processes may visit one function.

    >>> unique(["b", "a", "b"])
    ('b', 'a')
    """
    return tuple(dict.fromkeys(lines))


def main(words: Sequence[str]) -> int:
    """Trace the command that the words make."""
    listed = words[:1] == ["--list"]
    words = words[1:] if listed else words
    if not words:
        print(__doc__)
        return 2
    try:
        hops = trace(words)
    except subprocess.CalledProcessError as failed:
        print(f"mlaudit must run to be traced, got exit code {failed.returncode}: {failed.stderr.strip()}")
        return 2
    print(*(hops.functions if listed else []), hops, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
