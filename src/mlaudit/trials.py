"""What a sampler found must stand its trial on the library itself."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.adapters.fast import Fast
from mlaudit.arms import Arm
from mlaudit.errors import LibraryDiffers
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Procedure
from mlaudit.sampling import Sampler
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair
from mlaudit.types.result import Confirmation

_REFITS = 3  # trainings of each arm that a mirror is compared on
_TOLERANCE = 1e-9  # sums in another order, nothing more
_LOOKS = (0.05, 1.0)  # shares of the audit's trainings: a clear violation is confirmed early
_FEWEST = 400
_PLACES = 0x517E


def compare_with_library(mirror: Fast, sampler: Sampler, seed: int) -> None:
    """Refit a few of the trainings that were drawn, at random; the first difference is an error."""
    rng = default_rng(SeedSequence(seed, spawn_key=(_PLACES,)))
    for arm, drawn in zip(sampler.arms, sampler.places, strict=True):
        library = Arm(mirror.mechanism, arm.data, arm.target, arm.seed, arm.code)
        for place in rng.integers(0, max(drawn, 1), _REFITS).tolist():
            ours, theirs = arm.draw(place, 1), library.draw(place, 1)
            same = ours.z.shape == theirs.z.shape and np.allclose(ours.z, theirs.z, _TOLERANCE, _TOLERANCE)
            if not same or ours.kinds.tolist() != theirs.kinds.tolist():
                raise LibraryDiffers(
                    f"training {place} of {mirror.name} must be the same by the mirror and by the library's own fit, "
                    f"got {_shown(ours.z)} and {_shown(theirs.z)}; use the library's own fit and report this"
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
    """Count the witness on fresh trainings of the library's own fit, in two looks that share alpha."""
    alpha = finding.bound.alpha / len(_LOOKS)
    if isinstance(procedure, Sequential):
        procedure = replace(procedure, beyond=1.0)  # the claim is all there is to confirm
    for look, share in enumerate(_LOOKS, start=1):
        wanted = max(int(share * trainings), min(_FEWEST, trainings))
        draw = library(seed + look, wanted)
        found = procedure.confirm(draw, claim, pair, alpha, finding).bound
        if found.epsilon > claim.epsilon:
            break
    return Confirmation(found, wanted - draw.remaining, seed + look)  # bets may have stopped early


def _shown(z: object) -> str:
    return np.array2string(np.asarray(z).ravel()[:4], precision=6, separator=", ")
