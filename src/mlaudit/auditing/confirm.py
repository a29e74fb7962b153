"""Check the output of a sampler against the library's own fit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import LibraryDiffers
from mlaudit.naming.describe import mechanism_name
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Procedure
from mlaudit.results.audit_result import Confirmation
from mlaudit.samplers.sampled import SampledMechanism
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair

_REFITS = 3  # trainings of each stream that a mirror is compared on
_TOLERANCE = 1e-9  # covers sums in another order
_ATTEMPTS = (0.05, 1.0)  # shares of the audit's trainings: a clear violation is confirmed early
_FEWEST = 400
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


def confirm_on_library(
    procedure: Procedure,
    finding: Finding,
    claim: Claim,
    pair: Pair,
    library: Callable[[int, int], Sampler],
    trainings: int,
    seed: int,
) -> Confirmation:
    """Count the witness on fresh trainings of the library's own fit, in two attempts that share alpha."""
    alpha = finding.bound.alpha / len(_ATTEMPTS)
    if isinstance(procedure, Sequential):
        procedure = replace(procedure, beyond=1.0)  # it is enough to confirm that the claim is false
    for attempt, share in enumerate(_ATTEMPTS, start=1):
        wanted = max(int(share * trainings), min(_FEWEST, trainings))
        draw = library(seed + attempt, wanted)
        found = procedure.confirm(draw, claim, pair, alpha, finding).bound
        if found.epsilon > claim.epsilon:
            break
    return Confirmation(found, wanted - draw.remaining, seed + attempt)  # bets may have stopped early


def _quote(z: object) -> str:
    return np.array2string(np.asarray(z).ravel()[:4], precision=6, separator=", ")
