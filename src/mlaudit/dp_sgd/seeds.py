"""Independent child seeds of one seed."""

from numpy.random import SeedSequence


def child_seed(seed: SeedSequence, number: int) -> SeedSequence:
    """Return the child seed of that number; unlike `seed.spawn`, which counts its calls, it never changes.

    >>> child_seed(SeedSequence(1), 0).generate_state(1) == child_seed(SeedSequence(1), 0).generate_state(1)
    array([ True])
    """
    return SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size)
