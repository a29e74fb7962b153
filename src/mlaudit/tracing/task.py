"""A whole trace as one task for an engine: a learner of the user's own is followed in a child process."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.threads import one_thread
from mlaudit.naming.foreign import is_foreign
from mlaudit.protocols import Engine, Mechanism
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import follow_pairs
from mlaudit.types.claim import Claim


class TraceAttempt(NamedTuple):
    """A trace, or why there is none; and the CPU seconds that it took in another process."""

    result: TraceResult | None
    why_not: str = ""
    cpu_seconds: float = 0.0


NOT_TRACED = TraceAttempt(None, "nothing was traced")


@dataclass(frozen=True, eq=False)
class FollowPairs:
    """Follows a learner on pairs. An engine runs it as it runs trainings, so that a learner may end its process.

    Args:
        learner: The learner.
        pairs: The pairs.
        claim: The claim.
        rounds: Transcripts of each suspected pair.
        seed: Seed of the followed trainings.
        seconds: The time after which no further pair is tried.
        isolate: Whether the trace has a process of its own from the start.
    """

    learner: Mechanism
    pairs: tuple[Neighbour, ...]
    claim: Claim
    rounds: int
    seed: int
    seconds: float = inf
    isolate: bool = False
    home: int = field(default_factory=os.getpid)

    @property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return is_foreign(self.learner)

    def __call__(self, item: Any) -> TraceAttempt:
        """Follow all pairs in this process."""
        began = time.process_time()
        with one_thread():
            found = follow_pairs(self.learner, self.pairs, self.claim, self.rounds, self.seed, self.seconds)
        return TraceAttempt(found, cpu_seconds=0.0 if os.getpid() == self.home else time.process_time() - began)

    def split_item(self, item: Any) -> list[Any]:
        """A trace is one part: its trainings are compared with each other."""
        return [item]

    def run_part(self, part: Any) -> TraceAttempt:
        """Follow all pairs."""
        return self(part)

    def record_death(self, part: Any, death: Death) -> TraceAttempt:
        """A learner that ends its process cannot be followed."""
        return TraceAttempt(None, f"the learner cannot be followed: it {death.kind}")

    def join_parts(self, item: Any, made: Sequence[TraceAttempt], seconds: tuple[float, float]) -> TraceAttempt:
        """The trace."""
        return made[0]


def run_trace(task: FollowPairs, engine: Engine) -> TraceAttempt:
    """Run a trace here if the engine runs trainings here, else where one worker would run them.

    The number of workers and their machine change nothing: a trace never runs on a remote worker, which may not see
    the lines of the learner's file.
    """
    here = engine if isinstance(engine, InProcess) else LokyEngine()
    return next(iter(here.map_unordered(task, [0])))
