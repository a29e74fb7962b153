"""Random rows of the domain, with random labels."""

from collections.abc import Iterator

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import draw_row, labels_of
from mlaudit.search.rows import move_to_points

_MOST = 64


def random_points(setting: Setting) -> Iterator[Move]:
    """A good many; each in every way that rows may be changed."""
    data, rng, labels = setting.data, setting.rng, labels_of(setting.data)
    yield from move_to_points(
        setting,
        ((f"random point {at}", draw_row(data, rng), labels[int(rng.integers(len(labels)))]) for at in range(_MOST)),
    )
