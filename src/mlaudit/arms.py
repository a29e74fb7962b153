"""One arm of a pair: trainings of one mechanism on one dataset, numbered for ever.

Training i of an arm is a pure function of the root seed, the arm and i, whoever draws it and in which order.
"""

import json
import time
import traceback
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Any, cast

import numpy as np
from numpy.random import SeedSequence

from mlaudit.describe import describe, round_numbers
from mlaudit.errors import AuditError, InvalidInput, LearnerFailed
from mlaudit.fingerprint import fingerprint
from mlaudit.foreign import is_foreign
from mlaudit.outcomes import Outcome, observe, pack, pack_rows
from mlaudit.protocols import Mechanism, Prepared, Samples
from mlaudit.surroundings import restore_surroundings
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset
from mlaudit.versions import versions

BLOCK = 250  # trainings that a worker returns at once, at most
_GLOBAL = 0x610BA1
BATCH = 1000  # trainings that a batched mechanism draws at once, unless it says otherwise


class Clock:
    """CPU and wall seconds since it was made."""

    def __init__(self) -> None:
        self.began = time.process_time(), time.perf_counter()

    def spent(self) -> tuple[float, float]:
        """CPU seconds, wall seconds."""
        return time.process_time() - self.began[0], time.perf_counter() - self.began[1]


@dataclass(frozen=True, eq=False)
class Arm:
    """M(D) or M(D′), summarised by τ at the target."""

    mechanism: Mechanism
    data: Dataset
    target: FloatArray | None
    seed: int
    code: str = ""

    def __post_init__(self) -> None:
        # A summary that does not look at x* is the same for every pair with this D: so is the arm.
        if not getattr(self.mechanism, "uses_target", True):
            object.__setattr__(self, "target", None)

    @property
    def batched(self) -> bool:
        """Whether the mechanism draws many trainings at once; then only whole batches are drawn."""
        return isinstance(self.mechanism, Samples | Prepared)

    @property
    def batch(self) -> int:
        """How many trainings a batched mechanism draws at once, always."""
        return int(getattr(self.mechanism, "batch", BATCH))

    @cached_property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return is_foreign(self.mechanism)

    @cached_property
    def words(self) -> tuple[int, ...]:
        """The arm in the seeds' spawn key: names, parameters and data, never source or version."""
        trained = getattr(self.mechanism, "seeded_as", self.mechanism)
        parts = round_numbers([describe(trained), describe(self.target)])
        text = json.dumps(parts, sort_keys=True, default=str)
        digest = sha256(text.encode() + self.data.digest.encode()).digest()
        return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))

    @cached_property
    def key(self) -> str:
        """The arm in a store: also the mechanism's source, its library's version and this package's."""
        code = self.code + str(getattr(self.mechanism, "code", ""))
        parts = [versions(self.mechanism), code, self.seed, self.words, self.batched, describe(self.data.domain)]
        text = json.dumps(parts, sort_keys=True, default=str)
        return sha256(text.encode() + fingerprint(self.mechanism).encode()).hexdigest()

    def seed_of(self, place: int) -> SeedSequence:
        """The seed of the training, or of the block, that starts at that place."""
        return SeedSequence(self.seed, spawn_key=(*self.words, place))

    def draw(self, start: int, n: int) -> Block:
        """Trainings start … start + n − 1."""
        began = Clock()
        if self.batched:
            return pack_rows(self._sample(start, n), self._flag, began.spent())
        outcomes = [self.outcome(place) for place in range(start, start + n)]
        return pack(outcomes, began.spent())

    @cached_property
    def _drawer(self) -> Callable[[int, int], FloatArray]:
        """Trainings start … start + n − 1 of a batched mechanism, as rows."""
        mechanism = self.mechanism
        if not isinstance(mechanism, Prepared):
            sample = partial(cast(Samples, mechanism).sample, self.data, self.target)
            return lambda start, n: sample(n, self.seed_of(start))
        draw = mechanism.prepared(self.data, self.target)
        if mechanism.kind == "mirror":
            return lambda start, n: draw(self.seed, self.words, np.arange(start, start + n))
        return lambda start, n: draw(n, self.seed_of(start))

    def __getstate__(self) -> dict[str, Any]:
        """What travels to workers: everything but what they make for themselves."""
        return {name: value for name, value in vars(self).items() if name != "_drawer"}

    def _sample(self, start: int, n: int) -> FloatArray:
        try:
            z = np.asarray(self._drawer(start, n), dtype=float)
        except AuditError:
            raise
        except Exception as error:
            raise LearnerFailed(f"sample() raised:\n{traceback.format_exc().rstrip()}") from error
        if z.ndim != 2 or len(z) != n:
            raise InvalidInput(f"sample() must return one row per training, got {z.shape} for {n} trainings")
        return z

    def outcome(self, place: int) -> Outcome:
        """The training at that place."""
        outcome = self._surrounded(place) if self.foreign else observe(partial(self._train, place))
        flag = self._flag
        return outcome if outcome.kind or flag is None else replace(outcome, kind=flag(outcome.vector))

    @property
    def _flag(self) -> Callable[[FloatArray], str] | None:
        return getattr(self.mechanism, "flag", None)

    def _surrounded(self, place: int) -> Outcome:
        """A training of somebody else's code, which leaves nothing behind for the next."""
        with restore_surroundings(self.global_seeds(place)) as said:
            outcome = observe(partial(self._train, place))
        return replace(outcome, notices=tuple(said))

    def global_seeds(self, place: int) -> list[int]:
        """The seeds of the global generators during a training: independent of the seed that it is given."""
        seed = SeedSequence(self.seed, spawn_key=(*self.words, place, _GLOBAL))
        return [int(word) for word in seed.generate_state(4)]

    def _train(self, place: int) -> FloatArray:
        # A copy of its own: what a learner writes into the dataset's attributes must not reach the next training.
        model = self.mechanism.fit(copy(self.data), self.seed_of(place))
        return self.mechanism.summary(model, self.target)
