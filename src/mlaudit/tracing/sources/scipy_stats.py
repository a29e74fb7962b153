"""scipy.stats: the method `rvs` of every distribution."""

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlaudit.tracing.followed import record_answer, release, strip
from mlaudit.tracing.laws import OTHER, Law
from mlaudit.tracing.recorder import Patch, Recorder

_LAWS = {"laplace": "laplace", "norm": "normal", "expon": "exponential", "logistic": "logistic", "uniform": "uniform"}


def patches(recorder: Recorder) -> Iterator[Patch]:
    """A followed `rvs`, if scipy.stats is loaded."""
    loaded = sys.modules.get("scipy.stats._distn_infrastructure")
    if loaded is None:
        return
    own = loaded.rv_generic.rvs

    def rvs(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        release([args, named])
        args, named = strip(args), strip(named)
        with recorder.pause():
            drawn = own(self, *args, **named)
        if tape is None or np.asarray(drawn).dtype.kind not in "fiu":
            return drawn
        how = {name: value for name, value in named.items() if name not in ("random_state", "discrete")}
        shapes, loc, scale, _ = self._parse_args_rvs(*args, **how)
        given = how.get("loc", args[len(shapes)] if len(args) > len(shapes) else 0)
        pure = type(given) in (int, float) and given == 0
        return record_answer(tape, _describe(self.name, shapes, scale), loc, drawn, pure=pure)

    yield loaded.rv_generic, "rvs", rvs


def _describe(name: str, shapes: Any, scale: Any) -> Law:
    """The law of a distribution; `dlaplace` has P(k) ∝ e^{−a|k|}, the two-sided geometric law."""
    if name == "dlaplace":
        return Law("two-sided geometric", 1.0 / np.asarray(shapes[0], dtype=float))
    if name == "geom":
        return Law("geometric", -1.0 / np.log1p(-np.asarray(shapes[0], dtype=float)))
    return Law(_LAWS.get(name, OTHER), np.asarray(scale, dtype=float))
