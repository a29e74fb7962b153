"""Which attacks to try when none is named."""

from mlaudit.attacks.search import Search
from mlaudit.attacks.tight import Tight
from mlaudit.protocols import Attack, Mechanism
from mlaudit.types.dataset import Dataset


def automatic(mechanism: Mechanism, data: object | None) -> tuple[Attack, ...]:
    """The mechanism's own attacks (`attacks`); without any, a search; without data, the pair it names itself."""
    if data is None:
        return (Tight(),)
    # Crafted data are not what an attack of the mechanism's own was made for.
    own = tuple(getattr(mechanism, "attacks", ())) if isinstance(data, Dataset) else ()
    return own or (Search(),)
