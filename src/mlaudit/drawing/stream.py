"""A stream of trainings: one mechanism on one dataset, with trainings numbered 0, 1, 2, ….

Training i is a pure function of the root seed, the stream and i. It does not matter who draws it, or in which order.
"""

import json
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Any, cast

import numpy as np
from numpy.random import SeedSequence

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.elsewhere import TrainMany, find_train_many
from mlaudit.drawing.outcome import Outcome, death_outcome, has_died, observe, pack, pack_rows
from mlaudit.drawing.surroundings import guard_training, keep_global_generators
from mlaudit.errors import AuditError, InvalidInput, LearnerFailed
from mlaudit.naming.describe import describe, round_numbers
from mlaudit.naming.fingerprint import fingerprint
from mlaudit.naming.foreign import is_foreign
from mlaudit.naming.versions import versions
from mlaudit.protocols import Mechanism, Prepares, Samples, SummarisesDeaths
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset
from mlaudit.types.outputs import read_numbers
from mlaudit.types.traits import traits_of

BLOCK = 250  # trainings that a worker returns at once, at most
_GLOBAL = 0x610BA1


def describe_for_seeds(mechanism: Mechanism) -> Any:
    """The description that seeds are derived from; a mirror takes the seeds of the mechanism that it repeats."""
    return describe(mechanism.seeded_as if isinstance(mechanism, Prepares) else mechanism)


class Clock:
    """CPU and wall seconds since it was made."""

    def __init__(self) -> None:
        self.began = time.process_time(), time.perf_counter()

    def spent(self) -> tuple[float, float]:
        """CPU seconds, wall seconds."""
        return time.process_time() - self.began[0], time.perf_counter() - self.began[1]


@dataclass(frozen=True, eq=False)
class TrainingStream:
    """The trainings of a mechanism on one dataset: M(D) or M(D′), summarised by τ at the target."""

    mechanism: Mechanism
    data: Dataset
    target: FloatArray | None
    seed: int
    code: str = ""
    identity: str = ""  # the mechanism's fingerprint, if whoever makes many streams of it has taken it already

    def __post_init__(self) -> None:
        # A summary that does not depend on x* is the same for every pair with this D, and so is the stream.
        if not traits_of(self.mechanism).uses_target:
            object.__setattr__(self, "target", None)

    @property
    def batched(self) -> bool:
        """Whether the mechanism draws many trainings at once; then only whole batches are drawn."""
        return isinstance(self.mechanism, Samples | Prepares)

    @property
    def batch(self) -> int:
        """How many trainings a batched mechanism draws at once, always."""
        return traits_of(self.mechanism).batch

    @property
    def elsewhere(self) -> TrainMany | None:
        """The method that trains in programs of their own; None if trainings run in this process."""
        return find_train_many(self.mechanism)

    @property
    def outside(self) -> bool:
        """Whether trainings run code that mlaudit does not ship, here or in a program."""
        return self.foreign or self.elsewhere is not None

    @cached_property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return is_foreign(self.mechanism)

    @cached_property
    def spawn_key(self) -> tuple[int, ...]:
        """The spawn key of the seeds: a digest of names, parameters and data, never of source or version."""
        target = self.target if traits_of(self.mechanism).seeds_by_target else None
        parts = round_numbers([describe_for_seeds(self.mechanism), describe(target)])
        text = json.dumps(parts, sort_keys=True, default=str)
        digest = sha256(text.encode() + self.data.digest.encode()).digest()
        return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))

    @cached_property
    def key(self) -> str:
        """The key in a store: depends also on the source of the mechanism and the versions of library and package."""
        code = self.code + (self.mechanism.source_digest() if isinstance(self.mechanism, Prepares) else "")
        parts: list[Any] = [
            versions(self.mechanism),
            code,
            self.seed,
            self.spawn_key,
            self.batched,
            describe(self.data.domain),
        ]
        if not traits_of(self.mechanism).seeds_by_target:
            parts.append(describe(self.target))
        text = json.dumps(parts, sort_keys=True, default=str)
        identity = self.identity or fingerprint(self.mechanism)
        return sha256(text.encode() + identity.encode()).hexdigest()

    def seed_of(self, index: int) -> SeedSequence:
        """The seed of the training, or of the block, that starts at that index."""
        return SeedSequence(self.seed, spawn_key=(*self.spawn_key, index))

    def draw(self, start: int, n: int) -> Block:
        """Draw the trainings start … start + n − 1."""
        began = Clock()
        if self.batched:
            return pack_rows(self._sample(start, n), self._flag, began.spent())
        if self.elsewhere is not None:
            return self._draw_elsewhere(self.elsewhere, range(start, start + n), began)
        with self.keep_generators():
            outcomes = [self.train_one(index) for index in range(start, start + n)]
        return self.pack(outcomes, began.spent())

    def _draw_elsewhere(self, train_many: TrainMany, indices: Sequence[int], began: Clock) -> Block:
        """Draw by one request to a program; its CPU seconds are added to those of this process."""
        trained = train_many(self.data, [self.seed_of(index) for index in indices])
        outcomes = [self._observe(partial(self._summarise, call)) for call in trained.calls]
        cpu, wall = began.spent()
        return self.pack(outcomes, (cpu + trained.cpu_seconds, wall))

    def pack(self, outcomes: Sequence[Outcome], seconds: tuple[float, float]) -> Block:
        """Join consecutive outcomes, which took these CPU and wall seconds, to a block."""
        return pack(outcomes, seconds)

    @cached_property
    def _flag(self) -> Callable[[FloatArray], str] | None:
        """The mechanism's own words for special summaries; read once, not in every training."""
        return traits_of(self.mechanism).flag

    @cached_property
    def _draw_rows(self) -> Callable[[int, int], FloatArray]:
        """The function that draws trainings start … start + n − 1 of a batched mechanism, as rows."""
        mechanism = self.mechanism
        if not isinstance(mechanism, Prepares):
            sample = partial(cast(Samples, mechanism).sample, self.data, self.target)
            return lambda start, n: sample(n, self.seed_of(start))
        draw = mechanism.prepare(self.data, self.target)
        if mechanism.kind == "mirror":
            return lambda start, n: draw(self.seed, self.spawn_key, np.arange(start, start + n))
        return lambda start, n: draw(n, self.seed_of(start))

    def __getstate__(self) -> dict[str, Any]:
        """The state that is sent to workers; each worker prepares functions for itself."""
        return {name: value for name, value in vars(self).items() if name not in ("_draw_rows", "_flag")}

    def _sample(self, start: int, n: int) -> FloatArray:
        try:
            rows = self._draw_rows(start, n)
        except AuditError:
            raise
        except Exception as error:
            raise LearnerFailed(f"sample() raised:\n{traceback.format_exc().rstrip()}") from error
        z = read_numbers(rows)
        if z is None or z.ndim != 2 or len(z) != n:
            got = "something else than numbers" if z is None else z.shape
            raise InvalidInput(f"sample() must return one row per training, got {got} for {n} trainings")
        return z

    def train(self, index: int) -> Outcome:
        """Run the training with that index."""
        with self.keep_generators():
            return self.train_one(index)

    def keep_generators(self) -> AbstractContextManager[None]:
        """Foreign code may use the global generators, which are seeded for each training."""
        return keep_global_generators() if self.foreign else nullcontext()

    def train_one(self, index: int) -> Outcome:
        """Run the training with that index; the global generators stay as it leaves them."""
        if self.foreign:
            return self._name_kind(self._train_foreign(index))
        return self._observe(partial(self._fit, index))

    def _observe(self, train: Callable[[], object]) -> Outcome:
        """Run one training, and name its output by the mechanism's own words."""
        return self._name_kind(observe(train))

    def _name_kind(self, outcome: Outcome) -> Outcome:
        if has_died(outcome.kind) and isinstance(self.mechanism, SummarisesDeaths):
            return Outcome(np.asarray(self.mechanism.death_summary(outcome.kind)))
        flag = self._flag
        return outcome if outcome.kind or flag is None else replace(outcome, kind=flag(outcome.vector))

    def record_death(self, death: Death) -> Outcome:
        """The outcome of a training that ended its own process."""
        if isinstance(self.mechanism, SummarisesDeaths):
            return Outcome(np.asarray(self.mechanism.death_summary(death.kind)))
        return death_outcome(death)

    def _train_foreign(self, index: int) -> Outcome:
        """Run a training of foreign code; the state of the process is restored, but for the global generators."""
        with guard_training(self.global_seeds(index)) as said:
            outcome = observe(partial(self._fit, index))
        return replace(outcome, notices=tuple(said))

    def global_seeds(self, index: int) -> list[int]:
        """The seeds of the global generators during a training, independent of the training's own seed."""
        seed = SeedSequence(self.seed, spawn_key=(*self.spawn_key, index, _GLOBAL))
        return [int(word) for word in seed.generate_state(4)]

    def _fit(self, index: int) -> FloatArray:
        # A copy: what a learner writes into the dataset's attributes must not reach the next training.
        return self._summarise(partial(self.mechanism.fit, copy(self.data), self.seed_of(index)))

    def _summarise(self, train: Callable[[], Any]) -> FloatArray:
        return self.mechanism.summary(train(), self.target)
