"""Which attacks to try when none is named."""

import numpy as np

from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.swap_x import SwapX
from mlaudit.attacks.tight import Tight
from mlaudit.protocols import Attack, Mechanism
from mlaudit.types.dataset import Dataset


def automatic(mechanism: Mechanism, data: Dataset | None) -> tuple[Attack, ...]:
    """The mechanism's own attacks (`attacks`), else those that apply to any data of that shape."""
    if data is None:
        return (Tight(),)
    own = tuple(getattr(mechanism, "attacks", ()))
    if own:
        return own
    classes = 0 if data.y is None else len(np.unique(data.y))
    return (FarCorner(), SwapX()) if 2 <= classes <= len(data) // 2 else (FarCorner(),)
