"""Opacus: the noise of its optimisers, its Poisson batches and its accountants.

Every step of a training is followed as it is done: the clipped sum before the noise, the noise that is added to it,
and the probability with which a row joins the batch.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any

import numpy as np

from mlaudit.tracing.laws import Law
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere
from mlaudit.tracing.sources.torch_random import follow_noise
from mlaudit.tracing.tape import Declared
from mlaudit.tracing.tensors import make_tensor_class

_NAME = "Opacus' clipping"


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed noise, steps, batches and accountants, if Opacus is loaded."""
    optimisers: Any = sys.modules.get("opacus.optimizers.optimizer")
    sampling: Any = sys.modules.get("opacus.utils.uniform_sampler")
    accountants: Any = sys.modules.get("opacus.accountants")
    if optimisers is None or sampling is None or accountants is None:
        return
    kind = make_tensor_class(sys.modules["torch"])
    own = optimisers._generate_noise  # noqa: SLF001 - the one function that draws Opacus' noise
    yield from replace_everywhere({id(own): _follow_noise(own, kind, recorder)})
    for optimiser in {optimisers.DPOptimizer, *_subclasses(optimisers.DPOptimizer)}:
        if "add_noise" in vars(optimiser):
            yield optimiser, "add_noise", _follow_step(vars(optimiser)["add_noise"], recorder)
    poisson = sampling.UniformWithReplacementSampler
    yield poisson, "__iter__", _follow_batches(poisson.__iter__, recorder)
    yield (
        sampling.DistributedUniformWithReplacementSampler,
        "__iter__",
        _refuse_batches(sampling.DistributedUniformWithReplacementSampler.__iter__, recorder),
    )
    for accountant in _subclasses(accountants.IAccountant):
        if "step" in vars(accountant):
            yield accountant, "step", _follow_accountant(vars(accountant)["step"], recorder)
    loop: Any = sys.modules.get("mlaudit.dp_sgd.opacus_loop")
    if loop is not None:
        yield loop, "choose_rows", _follow_choice(loop.choose_rows, recorder)


def _subclasses(kind: type) -> set[type]:
    direct: list[type] = kind.__subclasses__()
    return {*direct, *(deep for one in direct for deep in _subclasses(one))}


def _follow_noise(own: Callable[..., Any], kind: Any, recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def generate(std: float, reference: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        with recorder.pause():
            drawn = own(std, reference, *args, **named)
        if tape is None or not std:
            return drawn
        return follow_noise(tape, Law("normal", np.asarray(float(std))), 0.0, drawn, kind)

    return generate


def _follow_step(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    """All parameters of a step share one clipping norm; an optimiser that calls its base is one step."""

    @wraps(own)
    def add_noise(self: Any) -> Any:
        tape = recorder.active
        if tape is None or tape.step is not None:
            return own(self)
        norm = self.max_grad_norm
        clip = float(np.sqrt(np.sum(np.square(norm)))) if isinstance(norm, list | tuple) else float(norm)
        with tape.in_step(Declared(_NAME, sensitivity=clip)):
            return own(self)

    return add_noise


def _follow_batches(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def batches(self: Any) -> Iterator[list[int]]:
        theirs = own(self)
        for _ in range(self.steps):
            tape = recorder.active
            joined = None if tape is None else tape.sample_rows(self.num_samples, self.sample_rate)
            yield next(theirs) if joined is None else np.flatnonzero(joined).tolist()

    return batches


def _refuse_batches(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def batches(self: Any) -> Any:
        if recorder.active is not None:
            recorder.active.skip("batches of several processes (Opacus' distributed sampler)")
        return own(self)

    return batches


def _follow_accountant(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def step(self: Any, *args: Any, **named: Any) -> Any:
        tape = recorder.active
        if tape is not None:
            tape.accountants[id(self)] = partial(_epsilon_of, self)
        return own(self, *args, **named)

    return step


def _epsilon_of(accountant: Any, delta: float) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on the range of the orders of a Rényi divergence
        return float(accountant.get_epsilon(delta))


def _follow_choice(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    """The batches of mlaudit's own loop around Opacus."""

    @wraps(own)
    def choose(rng: Any, rows: int, rate: float) -> Any:
        tape = recorder.active
        joined = None if tape is None else tape.sample_rows(rows, rate)
        return own(rng, rows, rate) if joined is None else np.flatnonzero(joined)

    return choose
