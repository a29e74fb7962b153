"""What can go wrong, each with the exit code the command line ends with."""

import copyreg
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

_MOST_LISTED = 50


class AuditError(Exception):
    """Any error that mlaudit raises on purpose; its text is one sentence for the user.

    `exit_code` is the one that the command line ends with.

    Example:
        >>> from mlaudit import AuditError, Claim
        >>> try:
        ...     Claim(epsilon=-1.0)
        ... except AuditError as error:
        ...     print(error)
        epsilon must be a number in (0, inf), got -1.0
    """

    exit_code = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Workers send errors home by pickle, and some classes make their sentence out of other arguments."""
        return copyreg.__newobj__, (type(self), *self.args)  # type: ignore[attr-defined]


class InvalidInput(AuditError, ValueError):
    """An argument, a file or a value cannot be used. The message states what must hold and a remedy.

    Raised before trainings start where that is possible. The error is a ValueError, too.

    Example:
        >>> from mlaudit import Box
        >>> try:
        ...     Box(low=1.0, high=0.0)
        ... except InvalidInput as error:
        ...     print(error)
        a box needs finite corners with low ≤ high in every column, got 1.0 and 0.0
    """


class UnknownName(InvalidInput):
    """A name resolves to nothing.

    Raised if no attack, dataset, procedure, column or setting has the given name. The message names the most similar
    known name, or else lists the known names.

    Args:
        kind: What the name should name, such as "attack".
        name: The unknown name.
        known: The names that can be given instead.

    Example:
        >>> str(UnknownName("attack", "swapx", ["swap_x", "tight"]))
        "no attack is called 'swapx'; did you mean 'swap_x'?"
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(str(name), names, n=1, cutoff=0.5)
        listed = ", ".join(names[:_MOST_LISTED]) + (
            f" and {len(names) - _MOST_LISTED} more" if names[_MOST_LISTED:] else ""
        )
        hint = f"did you mean {close[0]!r}?" if close else f"known: {listed or 'none'}"
        super().__init__(f"no {kind} is called {name!r}; {hint}")


class ReusedDraws(AuditError):
    """A training that was used to choose something was about to be counted in the bound.

    Raised if a procedure scores trainings with a distinguisher that learned from them. The bound would be too high.

    Example:
        >>> from mlaudit.classifiers.logistic import Logistic
        >>> from mlaudit.distinguish.distinguisher import learn
        >>> from mlaudit.types.draws import Draws
        >>> draws = Draws([0, 1] * 20, [[float(number)] for number in range(40)])
        >>> distinguisher = learn(Logistic(), draws[:30])
        >>> len(distinguisher.scores(draws[30:]))
        10
        >>> try:
        ...     distinguisher.scores(draws[20:])
        ... except ReusedDraws as error:
        ...     print(error)
        a draw that trained the distinguisher was about to be counted
    """


class LearnerFailed(AuditError):
    """The learner never produced an output, so there is nothing to audit.

    Raised if the first trainings on D and on D′ all return None, or all raise or end their process. Also raised if
    the `sample` of a mechanism raises. Where the learner raised, the message ends with the traceback. If only some
    trainings fail, mlaudit counts the failures as outputs.

    Example:
        >>> from mlaudit import Claim, Dataset, Pair, audit
        >>> pair = Pair(Dataset([0.0]), Dataset([1.0]))
        >>> try:
        ...     audit(lambda data, rng: data.X.total(), pair=pair, claim=Claim(1.0), trainings=100)
        ... except LearnerFailed as error:
        ...     print(str(error).splitlines()[-1])
        AttributeError: 'numpy.ndarray' object has no attribute 'total'
    """


class ProgramFailed(LearnerFailed, InvalidInput):
    """A program that trains in place of a mechanism hangs, or does not keep to the protocol.

    Raised if the program cannot be started, prints nothing for longer than its patience, or prints a line that the
    protocol does not allow. The message ends with the last lines of its standard error.

    Example:
        >>> import sys
        >>> from mlaudit import Claim
        >>> from mlaudit.adapters.program import Program
        >>> try:
        ...     Program(f"{sys.executable} -c pass", Claim(1.0))  # a program that says nothing
        ... except ProgramFailed as error:
        ...     print("must answer the hello, got none" in str(error))
        True
    """


class KeepsState(LearnerFailed, InvalidInput):
    """The outputs of a learner depend on its earlier trainings, so that no training of it is of use.

    Raised before anything is counted, if the same data and seed give one output in a fresh process and another one
    after other trainings. `isolate=True` trains in a fresh process each time.

    Example:
        >>> try:
        ...     raise KeepsState("counter must give the same output for the same data and seed")
        ... except InvalidInput as error:
        ...     print(type(error).__name__)
        KeepsState
    """


class MissingExtra(AuditError, ImportError):
    """An optional dependency is not installed.

    Raised if a mechanism, a figure or an engine needs a package of an extra. The error is an ImportError, too.

    Args:
        package: The missing package.
        extra: The extra of mlaudit that installs the package.

    Example:
        >>> str(MissingExtra("matplotlib", "report"))
        "this needs matplotlib; install it with: pip install 'mlaudit[report]'"
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}; install it with: pip install 'mlaudit[{extra}]'")


class ClashingVersions(MissingExtra):
    """An optional dependency is installed beside a version of another package that it cannot work with.

    Raised before a learner of diffprivlib is used, if scikit-learn or SciPy is too new for diffprivlib.

    Args:
        package: The optional dependency and its version.
        needs: The other package and the versions that the dependency needs.
        got: The installed version of the other package.
        extra: The extra of mlaudit that installs versions which work together.

    Example:
        >>> str(ClashingVersions("diffprivlib 0.6.6", "scipy below 1.18", "1.18.2", "diffprivlib"))
        "diffprivlib 0.6.6 needs scipy below 1.18, got 1.18.2; install both with: pip install 'mlaudit[diffprivlib]'"
    """

    def __init__(self, package: str, needs: str, got: str, extra: str) -> None:
        sentence = f"{package} needs {needs}, got {got}; install both with: pip install 'mlaudit[{extra}]'"
        AuditError.__init__(self, sentence)


class StoreError(AuditError):
    """The store cannot be used as it is: another format, no permission, not a store.

    Raised if the file of a store, or the file of the key that seals its blocks, cannot be opened or read. No training
    is lost: repair the file or give another one.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> from mlaudit import SqliteStore
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "notes.txt")
        ...     _ = file.write_text("This file is not a store.")
        ...     try:
        ...         SqliteStore(file)
        ...     except StoreError as error:
        ...         print("notes.txt must be a store of mlaudit" in str(error))
        True
    """


class LibraryDiffers(AuditError):
    """A sampler gives other outputs than the library, so its numbers say nothing about the library.

    Raised at the end of an audit if one of a few trainings by a mirror differs from the library's own fit with the
    same seed; audit with `sampler="library"` instead. Also raised if Opacus and dp-accounting state different ε for
    the same DP-SGD.

    Example:
        >>> from mlaudit import Claim, audit
        >>> try:
        ...     verdict = audit("laplace", claim=Claim(4.0), rows=1, trainings=100).verdict
        ... except LibraryDiffers:
        ...     verdict = "the sampler must be repaired"
        >>> verdict
        'inconclusive'
        >>> LibraryDiffers.exit_code
        5
    """

    exit_code = 5


class Incomplete(AuditError):
    """The audit stopped before its end; finished trainings are kept, and the same command continues.

    Raised if worker processes end again and again without a result, the connection to a cluster is lost, the store is
    in use or its disk is full, or a result cannot be written. Remove the cause and run the same command again.

    Example:
        >>> from mlaudit import Claim, audit
        >>> class FullStore:
        ...     def read(self, key, start, stop):
        ...         return []
        ...     def put(self, key, start, block):
        ...         raise Incomplete("the store is full; free some space and run the same command again")
        >>> try:
        ...     audit("laplace", claim=Claim(1.0), rows=1, trainings=400, store=FullStore())
        ... except Incomplete as error:
        ...     print(error)
        the store is full; free some space and run the same command again
        >>> Incomplete.exit_code
        4
    """

    exit_code = 4
