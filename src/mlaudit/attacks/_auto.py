"""Which attacks to try when none is named."""

import numpy as np

from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.swap_x import SwapX
from mlaudit.attacks.tight import Tight
from mlaudit.protocols import Attack, Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import L2Ball

_TWO = 2


def automatic(mechanism: Mechanism, data: Dataset | None) -> tuple[Attack, ...]:
    """The mechanism's own attacks (`attacks`), else those that apply to any data of that shape."""
    if data is None:
        return (Tight(),)
    own = tuple(getattr(mechanism, "attacks", ()))
    if own:
        return own
    classes = 0 if data.y is None else len(np.unique(data.y))
    if not 2 <= classes <= len(data) // 2:
        return (FarCorner(),)
    # The first two keep labels as they are: what leaks by how many rows a class has takes one that changes its class.
    in_box = classes == _TWO and not isinstance(mechanism.domain(data), L2Ball)
    return (FarCorner(), SwapX(), CornerFlip()) if in_box else (FarCorner(), SwapX())
