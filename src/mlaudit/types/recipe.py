"""How a script that stands alone trains a mechanism."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Code for a script: import lines, and the body of `def output(X, y, seed)`, which returns the summary.

    The script imports numpy as np, and defines TARGET, the pair's x*, if the body names it.
    """

    imports: tuple[str, ...]
    body: str
