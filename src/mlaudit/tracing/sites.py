"""The line of the learner's code that made a noise call."""

import linecache
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from mlaudit.types.checks import text, whole

_HERE = str(Path(__file__).parent)
_PACKAGE = str(Path(__file__).parents[1])
# Packages that only make noise: the line that is wanted is the one that called them.
_PLUMBING = (
    "/numpy/",
    "/scipy/",
    "/random.py",
    "/secrets.py",
    "/contextlib.py",
    "/diffprivlib/mechanisms/",
    "/sklearn/utils/",
    "/torch/",
    "/opendp/",
    "/jax/",
)
_CHOOSING = ("/diffprivlib/", "/sklearn/", "/torch/nn/init.py", "/torch/utils/")
_OF_MLAUDIT = tuple(f"{_PACKAGE}/{room}/" for room in ("adapters", "drawing", "scanning"))


@dataclass(frozen=True)
class Site:
    """A line of code.

    Args:
        file: The path of the file.
        line: The number of the line.
        function: The function that the line is in.
        source: The line itself; "" if it cannot be read.
        through: The innermost line of the call, as "file:line", if that is another one.

    Example:
        >>> str(Site("/home/me/learner.py", 12, "fit"))
        'learner.py:12'
    """

    file: str
    line: int
    function: str
    source: str = ""
    through: str = ""

    def __post_init__(self) -> None:
        for name in ("file", "function", "source", "through"):
            text(name, getattr(self, name))
        whole("line", self.line, 0)

    def __str__(self) -> str:
        return f"{shorten(self.file)}:{self.line}"


def makes_choices(site: Site) -> bool:
    """Whether a line belongs to a library whose noise comes from followed mechanisms, or that has none.

    >>> makes_choices(Site("/x/site-packages/diffprivlib/models/forest.py", 517, "build"))
    True
    >>> makes_choices(Site("/home/me/learner.py", 3, "fit", through="diffprivlib/tools/quantiles.py:161"))
    True
    """
    inner = f"/{site.through}"  # of a learner of the user's own that calls the library
    return any(part in site.file or inner.startswith(part) for part in _CHOOSING)


def shorten(file: str) -> str:
    """A path below site-packages from its package on, any other one by its name.

    >>> shorten("/x/site-packages/diffprivlib/models/utils.py"), shorten("/home/me/learner.py")
    ('diffprivlib/models/utils.py', 'learner.py')
    """
    _, found, below = file.rpartition("site-packages/")
    return below if found else Path(file).name


def find_site(end: CodeType, own: str) -> Site:
    """The line that made the present call: the innermost one of the learner's own file, if there is one.

    Args:
        end: The code of the function that started the training; frames outside it are not looked at.
        own: The learner's own file, or "" if the learner is a library's.

    Returns:
        The line, or that of the innermost frame that belongs to no noise-making package.
    """
    frames = list(_frames(sys._getframe(1), end))  # noqa: SLF001 - the documented way to ask for the caller
    if not frames:
        return Site("", 0, "")
    inner = frames[0]
    mine = [frame for frame in frames if own and frame.f_code.co_filename == own]
    others = [frame for frame in frames if not _is_plumbing(frame.f_code.co_filename)]
    chosen = (mine or others or frames)[0]
    through = "" if chosen is inner else f"{shorten(inner.f_code.co_filename)}:{inner.f_lineno}"
    return make_site(chosen.f_code, chosen.f_lineno, through)


def make_site(code: CodeType, line: int, through: str = "") -> Site:
    """The line of a function, with its text."""
    source = linecache.getline(code.co_filename, line).strip()
    return Site(code.co_filename, line, code.co_name, source, through)


def _frames(frame: FrameType | None, end: CodeType) -> Iterator[FrameType]:
    """The frames of the learner, innermost first."""
    while frame is not None and frame.f_code is not end:
        if not frame.f_code.co_filename.startswith(_HERE):
            yield frame
        frame = frame.f_back


def _is_plumbing(file: str) -> bool:
    return any(part in file for part in _PLUMBING) or file.startswith(_OF_MLAUDIT)
