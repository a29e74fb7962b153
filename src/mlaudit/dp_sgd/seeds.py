"""Independent streams of one seed."""

from numpy.random import SeedSequence


def child(seed: SeedSequence, number: int) -> SeedSequence:
    """Always the same child, however often it is asked for: `seed.spawn` counts its calls.

    >>> child(SeedSequence(1), 0).generate_state(1) == child(SeedSequence(1), 0).generate_state(1)
    array([ True])
    """
    return SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size)
