"""Random rows of the domain, with random labels."""

from collections.abc import Iterator

from mlaudit.searching.move import Move, Setting
from mlaudit.searching.region import labels_of, random_row
from mlaudit.searching.rows import at_points

_MOST = 64


def random_points(setting: Setting) -> Iterator[Move]:
    """A good many; each in every way that rows may be changed."""
    data, rng, labels = setting.data, setting.rng, labels_of(setting.data)
    yield from at_points(
        setting,
        (
            (f"random point {at}", random_row(data, rng), labels[int(rng.integers(len(labels)))])
            for at in range(_MOST)
        ),
    )
