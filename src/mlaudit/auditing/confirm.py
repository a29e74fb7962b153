"""Repeat a violation on fresh trainings; check the output of a sampler against the library's own fit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.auditing.repetition import MOST_ATTEMPTS, REPEATED_AT
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import LibraryDiffers
from mlaudit.naming.describe import mechanism_name
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Procedure
from mlaudit.results.audit_result import Confirmation
from mlaudit.results.verdict import refutes
from mlaudit.samplers.sampled import SampledMechanism
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair

_REFITS = 3  # trainings of each stream that a mirror is compared on
_TOLERANCE = 1e-9  # covers sums in another order
_REFITTED = 0x517E


def compare_with_library(mirror: SampledMechanism, sampler: Sampler, seed: int) -> None:
    """Compare a few random trainings of a mirror with the library's own fit.

    Raises:
        LibraryDiffers: If one of them differs.
    """
    rng = default_rng(SeedSequence(seed, spawn_key=(_REFITTED,)))
    for stream, drawn in zip(sampler.streams, sampler.next_index, strict=True):
        library = TrainingStream(mirror.mechanism, stream.data, stream.target, stream.seed, stream.code)
        for index in rng.integers(0, max(drawn, 1), _REFITS).tolist():
            ours, theirs = stream.draw(index, 1), library.draw(index, 1)
            same = ours.z.shape == theirs.z.shape and np.allclose(ours.z, theirs.z, _TOLERANCE, _TOLERANCE)
            if not same or ours.kinds.tolist() != theirs.kinds.tolist():
                raise LibraryDiffers(
                    f"training {index} of {mechanism_name(mirror)} must be the same by the mirror and by the "
                    f"library's own fit, got {_quote(ours.z)} and {_quote(theirs.z)}; "
                    "use the library's own fit and report this"
                )


def repeat_violation(
    procedure: Procedure,
    finding: Finding,
    claim: Claim,
    pair: Pair,
    fresh: Callable[[int, int], Sampler],
    attempts: tuple[int, ...],
    seed: int,
) -> Confirmation:
    """Count the witness of a violation on fresh trainings, in attempts that share the error of the repetition.

    A violation is announced only if both the first bound and its repetition refute the claim. The two are
    independent, so that a correct learner is accused with probability at most α times `REPEATED_AT`. The repetition
    need not be as sure as a first bound at a tiny α.

    Args:
        procedure: The procedure of the audit.
        finding: What it found; its witness is counted, and nothing is learned.
        claim: The claim that the finding refutes.
        pair: D and D′.
        fresh: Makes a sampler from a seed and a number of trainings.
        attempts: The trainings of each attempt, two attempts at most.
        seed: The seed of the audit; the attempts take the seeds after it.

    Returns:
        The bound of the first attempt that refutes the claim, or of the last one.
    """
    if isinstance(procedure, Sequential):
        procedure = replace(procedure, beyond=1.0)  # it is enough to show that the claim is false
    for attempt, wanted in enumerate(attempts, start=1):
        draw = fresh(seed + attempt, wanted)
        found = procedure.confirm(draw, claim, pair, REPEATED_AT / MOST_ATTEMPTS, finding).bound
        if refutes(claim, found):
            break
    return Confirmation(found, wanted - draw.remaining, seed + attempt)  # bets may have stopped early


def _quote(z: object) -> str:
    return np.array2string(np.asarray(z).ravel()[:4], precision=6, separator=", ")
