"""What a training finds around it in its process, and leaves as it was.

A learner of the user's own may draw from a global generator, change the working folder, close a stream or warn. None
of that may reach the next training: its output would then depend on which trainings the same process did before, and
so on the number of workers.
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

_QUIET = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)  # as Python itself does
_STREAMS = {"stdout": 1, "stderr": 2}


@contextmanager
def restore_surroundings(seeds: Sequence[int]) -> Iterator[list[str]]:
    """Run a training with global generators of its own, then put everything back.

    Args:
        seeds: Whole numbers below 2**32 that seed the global generators of `random`, numpy and torch, where torch is
            loaded. A learner that draws from them is then as repeatable as one that takes a seed.

    Yields:
        A list that holds the warnings of the training, in words, once the block has ended.

    Example:
        >>> with restore_surroundings([1, 2]) as said:
        ...     first = random.random(), np.random.random()
        ...     warnings.warn("careful", stacklevel=1)
        >>> with restore_surroundings([1, 2]):
        ...     again = random.random(), np.random.random()
        >>> first == again, said
        (True, ['UserWarning: careful'])
    """
    said: list[str] = []
    with np.errstate(), _global_generators(seeds), _working_folder(), _standard_streams():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for category in _QUIET:
                warnings.simplefilter("ignore", category)
            yield said
        said += [f"{warning.category.__name__}: {warning.message}" for warning in caught]


@contextmanager
def _global_generators(seeds: Sequence[int]) -> Iterator[None]:
    torch: Any = sys.modules.get("torch")
    ready = hasattr(torch, "default_generator") and hasattr(torch, "cuda")  # another thread may be importing it
    torch = torch if ready else None
    before = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()  # noqa: NPY002 - learners use it
    whole = sum(word << (32 * i) for i, word in enumerate(seeds))
    random.seed(whole)
    np.random.seed(list(seeds))  # noqa: NPY002
    if torch is not None:
        _seed_torch(torch, whole % 2**63)
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        if torch is not None:
            torch.set_rng_state(before[2])


def _seed_torch(torch: Any, seed: int) -> None:
    """As `torch.manual_seed`, which also keeps a traceback of every call for a GPU that may never be used."""
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)


@contextmanager
def _working_folder() -> Iterator[None]:
    before = _folder()
    try:
        yield
    finally:
        if before and _folder() != before:
            with suppress(OSError):  # the learner has removed it
                os.chdir(before)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""


@contextmanager
def _standard_streams() -> Iterator[None]:
    before = {name: getattr(sys, name) for name in _STREAMS}
    spares = {name: _spare(fd) for name, fd in _STREAMS.items()}
    try:
        yield
    finally:
        for name, stream in before.items():
            if stream is not None and stream.closed:
                stream = _reopened(_STREAMS[name], spares[name])  # noqa: PLW2901
            setattr(sys, name, stream)


@lru_cache(maxsize=2)
def _spare(fd: int) -> int | None:
    """Another way to where a standard stream goes, for the case that the first is closed."""
    try:
        return os.dup(fd)
    except OSError:
        return None


def _reopened(fd: int, spare: int | None) -> Any:
    if spare is None:
        return open(os.devnull, "w", encoding="utf-8")
    os.dup2(spare, fd)
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
