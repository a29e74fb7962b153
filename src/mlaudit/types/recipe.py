"""How a script that stands alone trains a mechanism."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Code for a script: import lines, and the body of `def output(X, y, seed)`, which returns the summary.

    The script imports numpy as np, and defines TARGET, the pair's x*, if the body names it. A learner that sees the
    owners of rows has another body for data with units, that of `def output(X, y, units, seed)`.
    """

    imports: tuple[str, ...]
    body: str
    body_with_units: str = ""
