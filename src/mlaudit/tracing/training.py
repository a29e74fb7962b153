"""One followed training: its tape, and everything that it shows."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from cProfile import Profile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, cast

from numpy.random import SeedSequence

import mlaudit
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.drawing.surroundings import restore_surroundings
from mlaudit.naming.describe import describe
from mlaudit.protocols import Mechanism
from mlaudit.scanning.readings import read_training
from mlaudit.scanning.walk import Readings
from mlaudit.tracing.batches import Batches
from mlaudit.tracing.recorder import Recorder
from mlaudit.tracing.sites import Site, find_site, make_site
from mlaudit.tracing.tape import Tape
from mlaudit.types.dataset import Dataset

_PACKAGE = str(Path(mlaudit.__file__).parent)


@dataclass(frozen=True, eq=False)
class Training:
    """A followed training: its tape, its readings, the type of its model, and the line that returned it, if asked."""

    tape: Tape
    readings: Readings
    model: type
    end: Site | None = None


@dataclass(frozen=True, eq=False)
class Follower:
    """Trains a mechanism with every source of noise followed."""

    mechanism: Mechanism
    recorder: Recorder

    def train(self, data: Dataset, seed: int, script: Tape | None = None, *, watch: bool = False) -> Training:
        """Train once; with a script, every call is answered as the script was."""
        own = own_file(self.mechanism)
        like = None if script is None else script.batches
        tape = Tape(partial(find_site, _run.__code__, own), script, Batches(data, seed, like))
        found: list[Site] = []
        with _watch_returns(own, found) if watch else _nothing():
            readings, model = _run(self.mechanism, data, seed, self.recorder, tape)
        tape.finish()
        return Training(tape, readings, model, found[-1] if found else None)

    def train_plainly(self, data: Dataset, seed: int) -> Readings:
        """Train once without following anything."""
        return _run(self.mechanism, data, seed, self.recorder, None)[0]


def _run(
    mechanism: Mechanism, data: Dataset, seed: int, recorder: Recorder, tape: Tape | None
) -> tuple[Readings, type]:
    """The readings of a training, and the type of its model. No frame outside this one is the learner's."""
    seeds, noting = SeedSequence(seed), _Noting(mechanism)
    recorder.tape = tape
    try:
        with restore_surroundings(seeds.spawn(1)[0].generate_state(4).tolist()):
            return read_training(cast(Mechanism, noting), copy(data), SeedSequence(seed), None), noting.model
    finally:
        recorder.tape = None


@dataclass
class _Noting:
    """A mechanism that notes the type of its model."""

    mechanism: Mechanism
    model: type = object

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Train once."""
        model = self.mechanism.fit(data, seed)
        self.model = type(model)
        return model


def identify_data(data: Dataset) -> str:
    """The rows and the domain: learners may take their bounds from the domain.

    >>> from mlaudit.types.domain import Box
    >>> narrow, wide = (identify_data(Dataset([0.0], domain=Box(0.0, high))) for high in (1.0, 2.0))
    >>> narrow == wide
    False
    """
    return data.digest + json.dumps(describe(data.domain), sort_keys=True, default=str)


def own_file(mechanism: Any) -> str:
    """The file of the user's own learner; "" for one that mlaudit ships around a library."""
    is_function = isinstance(mechanism, FunctionMechanism)
    code = getattr(mechanism.function if is_function else type(mechanism).fit, "__code__", None)
    file = code.co_filename if isinstance(code, CodeType) else ""
    return file if is_function or not file.startswith(_PACKAGE) else ""


def own_names(mechanism: Any) -> dict[str, Any]:
    """The global names of the module that the user's own learner is written in."""
    called = mechanism.function if isinstance(mechanism, FunctionMechanism) else type(mechanism).fit
    names: dict[str, Any] = getattr(called, "__globals__", {}) if own_file(mechanism) else {}
    return names


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _watch_returns(own: str, found: list[Site]) -> Iterator[None]:
    """Note the line of every return of the learner's own file; the last one returned the output."""

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code.co_filename == own:
            found.append(make_site(frame.f_code, frame.f_lineno))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before if callable(before) else None)
        if isinstance(before, Profile):  # it was started by `enable`, and only that starts it again
            before.enable()
