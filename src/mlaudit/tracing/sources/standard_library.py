"""Python's own `random`: the functions of the module and every `random.Random`, also that of `secrets`."""

import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlaudit.tracing.followed import record_answer, release, strip
from mlaudit.tracing.laws import Law
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere

_NAMES = ("gauss", "normalvariate", "expovariate", "random")


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed methods of the class, and of the functions that are methods of one hidden object."""
    shared = random._inst  # noqa: SLF001 - the object behind the module's functions
    made = {name: _make_method(name, getattr(random.Random, name), recorder) for name in _NAMES}
    for name, method in made.items():
        yield random.Random, name, method
    yield random.SystemRandom, "random", _make_method("random", random.SystemRandom.random, recorder)
    own = {id(getattr(random, name)): method.__get__(shared) for name, method in made.items()}
    yield from replace_everywhere(own)


def _make_method(name: str, own: Callable[..., Any], recorder: Recorder) -> Any:
    def draw(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        release([args, named])
        args, named = strip(args), strip(named)
        with recorder.pause():
            drawn = own(self, *args, **named)
        if tape is None or _is_importing():
            return drawn
        law, loc = _describe(name, args, named)
        pure = type(loc) in (int, float) and loc == 0
        return record_answer(tape, law, loc, np.float64(drawn), pure=pure)

    draw.__name__ = name
    return draw


def _is_importing() -> bool:
    """Whether a module is being loaded, or a temporary file is named: such draws are no noise, and happen once."""
    frame = sys._getframe(1)  # noqa: SLF001 - the documented way to ask for the caller
    while frame is not None:
        if frame.f_code.co_filename.endswith("tempfile.py") or frame.f_code.co_filename.startswith(
            "<frozen importlib"
        ):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _describe(name: str, args: Any, named: Any) -> tuple[Law, Any]:
    """The law of a draw, and the value that it is drawn around."""
    if name == "random":
        return Law("uniform", np.asarray(1.0)), 0.0
    if name == "expovariate":
        rate = args[0] if args else named.get("lambd", 1.0)
        return Law("exponential", np.asarray(1.0 / rate)), 0.0
    given = dict(zip(("mu", "sigma"), args, strict=False)) | named
    return Law("normal", np.asarray(given.get("sigma", 1.0), dtype=float)), given.get("mu", 0.0)
