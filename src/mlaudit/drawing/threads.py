"""One BLAS/OpenMP thread: two on a busy machine are many times slower, and sums may differ in the last bit."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Numerical libraries use one thread inside."""
    with threadpool_limits(1):
        yield
