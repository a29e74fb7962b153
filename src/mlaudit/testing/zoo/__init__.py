"""Broken mechanisms with healthy twins: what an auditor must tell apart, and how well it does.

One file is one exhibit. Each says in its first lines what is claimed, what is true, and why.

>>> len(exhibits()) > 20
True
>>> exhibits()["laplace_half_scale"].true_epsilon
2.0
"""

from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.testing.zoo._exhibit import Exhibit

__all__ = ["Exhibit", "exhibits"]


def exhibits() -> dict[str, Exhibit]:
    """Every exhibit that ships, by name."""
    return {name: load_shipped("exhibits", name) for name in shipped("exhibits")}
