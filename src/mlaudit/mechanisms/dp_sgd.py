"""Stochastic gradient descent with clipped, noisy gradients on Poisson batches (Abadi et al. 2016), by Opacus."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit.attacks._changes import Added
from mlaudit.attacks.blank import Blank
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.attacks.mislabelled import Mislabelled
from mlaudit.attacks.shadow import Gradient
from mlaudit.dp_sgd._torch import torch
from mlaudit.dp_sgd.accountant import noise_multiplier
from mlaudit.dp_sgd.models import Model, View, margins
from mlaudit.dp_sgd.modules import optimiser_of
from mlaudit.dp_sgd.network import CIFAR10, FASHION_MNIST, Network
from mlaudit.dp_sgd.opacus_loop import Recipe
from mlaudit.dp_sgd.opacus_loop import train as opacus_train
from mlaudit.dp_sgd.plan import Adam, Optimiser, Plan, RmsProp, Sgd, sampling_rate
from mlaudit.dp_sgd.pretraining import load_held_out, pretrain, scale_pixels
from mlaudit.dp_sgd.seeds import child_seed
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._torch_module import class_numbers, train_module
from mlaudit.naming.describe import name_of
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import Float32Array, FloatArray
from mlaudit.types.checks import choice, instance, kind_of, positive, quote, real, several, whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.traits import Traits

_PAPERS = {network.pixels: network for network in (FASHION_MNIST, CIFAR10)}
_INITIAL = ("random", "fixed", "pretrained")
_BEGIN = f"give weights, or one of {', '.join(_INITIAL)}"
_OPTIMISERS = ("rmsprop", "sgd", "adam")


def _check_range(pixels: object) -> tuple[float, float]:
    ends = [
        real("pixels", end, -math.inf, math.inf) for end in several("pixels", pixels, "a least and a greatest value")
    ]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InvalidInput(f"pixels must be a least and a greatest value, got {quote(pixels)}")
    return ends[0], ends[1]


@dataclass(frozen=True)
class DpSgd:
    """DP-SGD by Opacus on the paper's networks, on another Network, or on a torch module of the user's own.

    The summary holds the margins of the logits at x*.

    Args:
        epsilon: The claimed ε, for a row added or removed.
        delta: The claimed δ.
        epochs: How often each row joins a step, on average.
        rate: The probability with which a row joins a step.
        rows: The public number of rows. The noisy sum is divided by rate · rows; the true number is not public.
        clip: The norm to which the gradient of each row is clipped.
        optimiser: "rmsprop", "sgd" or "adam".
        learning_rate: Its step size.
        momentum: The momentum of "sgd".
        pixels: The range to which pixels of 0 … 255 are moved.
        initial: How weights begin: "random", "fixed", "pretrained" on held-out images, or as this vector.
        probes: If given, the summary also holds the margins at a blank image and at so many held-out images.
        sigma: The noise over the clipping norm. Default: the least that gives the claim.
        network: The network to train. Default: the paper's for images of this size.
        module: A function that makes a torch module, to be trained in place of a network.
        loss: The mean loss of outputs and labels, for `module`. Default: cross-entropy.
        make_optimiser: A function of parameters that makes the optimiser, for `module`.
        shape: The shape of one input of `module`. Default: a vector.

    Raises:
        InvalidInput: If a parameter is out of its range or of the wrong kind.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    epochs: float = 10.0
    rate: float = 0.1
    rows: int = 1000
    clip: float = 0.002
    optimiser: str = "rmsprop"
    learning_rate: float = 1e-3
    momentum: float = 0.0
    pixels: tuple[float, float] = (0.0, 255.0)
    initial: Any = "random"
    probes: int | None = None
    sigma: float | None = None
    network: Network | None = None
    module: Callable[[], Any] | None = None
    loss: Callable[[Any, Any], Any] | None = None
    make_optimiser: Callable[[Any], Any] | None = None
    shape: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        _ = self.claim, self.torch_optimiser
        positive("delta", self.delta)
        positive("epochs", self.epochs)
        positive("learning_rate", self.learning_rate)
        real("momentum", self.momentum, 0, 1, closed_low=True)
        whole("rows", self.rows, 1)
        positive("clip", self.clip)
        object.__setattr__(self, "pixels", _check_range(self.pixels))
        if isinstance(self.initial, str):
            choice("way to begin", self.initial, _INITIAL)
        elif not np.isfinite(numbers("initial", self.initial, _BEGIN)).all():
            raise InvalidInput(f"initial must be finite weights, got {quote(self.initial)}; {_BEGIN}")
        self._check_parts()
        if self.sigma is not None:
            positive("sigma", self.sigma)
        if self.probes is not None:
            whole("probes", self.probes, 0)
        if hasattr(self.module, "parameters") and not isinstance(self.module, type):
            raise InvalidInput(
                f"module must be a function that makes a module for every training, got one {name_of(self.module)}; "
                "give a function that returns it, or its class"
            )

    def _check_parts(self) -> None:
        if self.network is not None:
            instance("network", self.network, Network)
        for name in ("module", "loss", "make_optimiser"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise InvalidInput(f"{name} must be a function, got {kind_of(getattr(self, name))}")
        if self.shape is not None:
            for side in several("shape", self.shape, "whole numbers"):
                whole("shape", side, 1)

    traits = Traits(
        library="opacus",
        targets="two classes",
        seeds_by_target=False,
        black_box=True,
        attacks=(Added(ClipBkd()), Added(Blank()), Added(Mislabelled())),
    )

    @property
    def claim(self) -> Claim:
        """(ε, δ)-DP for a row added or removed, as accounted; Gaussian DP too where every step takes all rows."""
        gaussian = sampling_rate("rate", self.rate) == 1
        return Claim(self.epsilon, self.delta, Relation.ADD_REMOVE, gaussian=gaussian)

    def domain(self, data: Dataset) -> None:
        """Any row: what it adds to a step is clipped."""

    @property
    def steps(self) -> int:
        """Noisy steps of a training."""
        return max(1, round(self.epochs / self.rate))

    @cached_property
    def noise_multiplier(self) -> float:
        """σ: the noise over the clipping norm."""
        return self.sigma or noise_multiplier(self.epsilon, self.delta, self.rate, self.steps)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to workers, the noise included: they need not search for it again."""
        return {**vars(self), "noise_multiplier": self.noise_multiplier}

    @property
    def torch_optimiser(self) -> Optimiser:
        """The optimiser of that name."""
        choice("optimiser", self.optimiser, _OPTIMISERS)
        if self.optimiser == "sgd":
            return Sgd(self.learning_rate, self.momentum)
        return RmsProp(self.learning_rate) if self.optimiser == "rmsprop" else Adam(self.learning_rate)

    def plan(self, data: Dataset) -> Plan:
        """The training as numbers."""
        batch = self.rate * self.rows
        network = self.network_for(data)
        return Plan(network, self.steps, self.rate, self.noise_multiplier, self.clip, batch, self.torch_optimiser)

    def network_for(self, data: Dataset) -> Network:
        """The network that is given, or the paper's for images of that size."""
        pixels = data.X.shape[1]
        if self.network is None and pixels not in _PAPERS:
            raise InvalidInput(
                f"the paper's networks take 784 or 3072 pixels, got {pixels} columns; give a network or a module"
            )
        return self.network or _PAPERS[pixels]

    def initial_weights(self, data: Dataset) -> Float32Array | None:
        """Weights that every training begins with; None where each draws its own."""
        if not isinstance(self.initial, str):
            return np.asarray(self.initial, dtype=np.float32)
        if self.initial == "pretrained":
            return pretrain(self.network_for(data), data.name, self.pixels)
        return None if self.initial == "random" else self.network_for(data).initial(default_rng(0))

    def view(self, data: Dataset) -> View:
        """How models are looked at."""
        none: FloatArray = np.empty((0, data.X.shape[1]))
        blank = none if self.probes is None else np.zeros((1, data.X.shape[1]))
        others = load_held_out(data.name).X[: self.probes] if self.probes else none
        shape = self.shape if self.module else self.network_for(data).shape
        return View(self.pixels, shape, np.vstack([blank, others]))

    def fit(self, data: Dataset, seed: SeedSequence) -> Model:
        """One training by Opacus."""
        images = scale_pixels(data.X, self.pixels)
        if self.module is not None:
            inputs = images if self.shape is None else images.reshape(-1, *self.shape)
            labels = class_numbers(data) if self.loss is None else np.array(data.y)
            trained = train_module(self.module, self.initial, inputs, labels, self._recipe(), seed)
            return Model(trained, self.view(data))
        plan = self.plan(data)
        done = opacus_train(plan, images, np.asarray(data.y), self.initial_weights(data), seed)
        return Model.of(plan.network, done.weights, self.view(data))

    def _recipe(self) -> Recipe:
        loss = self.loss or torch().nn.functional.cross_entropy
        optimiser = self.make_optimiser or (lambda parameters: optimiser_of(self.torch_optimiser, parameters))
        batch = self.rate * self.rows
        return Recipe(self.steps, self.rate, self.noise_multiplier, self.clip, batch, loss, optimiser)

    def summary(self, model: Model, target: FloatArray | None) -> FloatArray:
        """The margins at x* and at the probes."""
        if target is None:
            raise InvalidInput("dp_sgd is seen by its predictions at a point, got a pair without one; give a target")
        return margins(model.logits(model.view.points(target)))

    def probability(self, model: Model, X: FloatArray) -> FloatArray:
        """P(second of two classes) for each row."""
        return np.asarray(expit(margins(model.logits(scale_pixels(X, self.pixels)))))

    def shadow_gradient(self, data: Dataset, models: int, seed: SeedSequence) -> Gradient:
        """The gradient of the loss at a labelled point, averaged over so many trainings."""
        trained = [self.fit(data, child_seed(seed, i)) for i in range(models)]
        loss = self.loss or torch().nn.functional.cross_entropy
        stretch = (self.pixels[1] - self.pixels[0]) / 255.0

        def gradient(x: FloatArray, label: int) -> FloatArray:
            point = scale_pixels(x, self.pixels)
            return np.asarray(np.mean([m.input_gradient(point, label, loss) for m in trained], axis=0) * stretch)

        return gradient
