"""Random rows of the domain, with random labels."""

from collections.abc import Iterator

from mlaudit.search.move import Move, Setting
from mlaudit.search.region import draw_rows, labels_of
from mlaudit.search.rows import move_to_points

_MOST = 64


def random_points(setting: Setting) -> Iterator[Move]:
    """A good many; each in every way that rows may be changed."""
    rng, labels = setting.rng, labels_of(setting.data)
    rows = zip(range(_MOST), draw_rows(setting.data, rng), strict=False)  # the rows have no end
    yield from move_to_points(
        setting, ((f"random point {at}", x, labels[int(rng.integers(len(labels)))]) for at, x in rows)
    )
