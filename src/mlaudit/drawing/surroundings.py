"""Restore the state of the process after each training.

A learner of the user's own may draw from a global generator, change the working folder, close a stream or warn. None
of that may reach the next training. Its output would otherwise depend on the trainings that the same process ran
before, and so on the number of workers.
"""

import os
import random
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import numpy as np

_QUIET = (
    DeprecationWarning,
    PendingDeprecationWarning,
    ImportWarning,
    ResourceWarning,
)  # ignored, as Python does by default
_STREAMS = {"stdout": 1, "stderr": 2}


@contextmanager
def restore_surroundings(seeds: Sequence[int]) -> Iterator[list[str]]:
    """Run a training with freshly seeded global generators, then restore the state of the process.

    Args:
        seeds: Whole numbers below 2**32 that seed the global generators of `random`, numpy and, if it is loaded,
            torch. A learner that draws from them is then as repeatable as one that takes a seed.

    Yields:
        A list that holds the warnings of the training after the block has ended.

    Example:
        >>> with restore_surroundings([1, 2]) as said:
        ...     first = random.random(), np.random.random()
        ...     warnings.warn("careful", stacklevel=1)
        >>> with restore_surroundings([1, 2]):
        ...     again = random.random(), np.random.random()
        >>> first == again, said
        (True, ['UserWarning: careful'])
    """
    with keep_global_generators(), guard_training(seeds) as said:
        yield said


@contextmanager
def keep_global_generators() -> Iterator[None]:
    """Restore the global generators of `random`, numpy and, if it is loaded, torch after the block.

    This takes longer than a small training, so that it is done once for many of them.
    """
    torch = _find_torch()
    before = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()  # noqa: NPY002 - learners use it
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(before[2])


@contextmanager
def guard_training(seeds: Sequence[int]) -> Iterator[list[str]]:
    """The same as `restore_surroundings`, but the global generators stay as the training leaves them.

    Args:
        seeds: Whole numbers below 2**32 that seed the global generators.

    Yields:
        A list that holds the warnings of the training after the block has ended.
    """
    said: list[str] = []
    _seed_global_generators(seeds)
    with (
        np.errstate(),
        _restore_working_folder(),
        _restore_standard_streams(),
        _forget_spent_budget(),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for category in _QUIET:
                warnings.simplefilter("ignore", category)
            yield said
        said += [f"{warning.category.__name__}: {warning.message}" for warning in caught]


def _seed_global_generators(seeds: Sequence[int]) -> None:
    whole = sum(word << (32 * i) for i, word in enumerate(seeds))
    # By a text: Python and numpy have the same generator, and the same number would give both the same draws.
    random.seed(str(whole))
    np.random.seed(np.array(seeds, dtype=np.uint32))  # noqa: NPY002
    torch = _find_torch()
    if torch is not None:
        _seed_torch(torch, whole % 2**63)


def _find_torch() -> Any:
    """The module torch if it is loaded, and not just being imported by another thread; else None."""
    torch: Any = sys.modules.get("torch")
    return torch if hasattr(torch, "default_generator") and hasattr(torch, "cuda") else None


def _seed_torch(torch: Any, seed: int) -> None:
    """Seed as `torch.manual_seed` does, without the traceback that it keeps of every call for a GPU."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


@contextmanager
def _restore_working_folder() -> Iterator[None]:
    before = _current_folder()
    try:
        yield
    finally:
        if before and _current_folder() != before:
            with suppress(OSError):  # the learner has removed it
                os.chdir(before)


def _current_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


@contextmanager
def _restore_standard_streams() -> Iterator[None]:
    before = {name: getattr(sys, name) for name in _STREAMS}
    spares = {name: _duplicate(fd) for name, fd in _STREAMS.items()}
    try:
        yield
    finally:
        for name, stream in before.items():
            if stream is not None and stream.closed:
                stream = _reopen(_STREAMS[name], spares[name])  # noqa: PLW2901
            setattr(sys, name, stream)


@contextmanager
def _forget_spent_budget() -> Iterator[None]:
    """Remove the accountant that diffprivlib makes for the whole process, if nobody had set one before.

    It keeps every query, and adds all of them up at the next one: thousands of trainings would become ever slower.
    """
    library: Any = sys.modules.get("diffprivlib.accountant")
    accountant: Any = getattr(library, "BudgetAccountant", None)
    own = getattr(accountant, "_default", None)
    try:
        yield
    finally:
        if accountant is not None and own is None:
            accountant.pop_default()


@lru_cache(maxsize=2)
def _duplicate(fd: int) -> int | None:
    """Duplicate the descriptor of a standard stream, in case the learner closes it."""
    try:
        return os.dup(fd)
    except OSError:
        return None


def _reopen(fd: int, spare: int | None) -> Any:
    if spare is None:
        return open(os.devnull, "w", encoding="utf-8")
    os.dup2(spare, fd)
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
