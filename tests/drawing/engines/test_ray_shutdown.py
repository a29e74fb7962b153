"""Ray ends the process if a thread frees a reference to one of its objects while it shuts down."""

import gc
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from mlaudit.drawing.engines.ray import _shut_down


@dataclass
class Module:
    """Stands for the module `ray`: what matters is whether garbage could be collected while it shut down."""

    fail: bool = False
    collects: list[bool] = field(default_factory=list)

    def shutdown(self) -> None:
        self.collects.append(gc.isenabled())
        if self.fail:
            raise RuntimeError("not now")


class Reference:
    """In a cycle with itself, as a reference in the traceback of a failed run."""

    def __init__(self, free: Callable[[], None]) -> None:
        self.me, self.free = self, free

    def __del__(self) -> None:
        self.free()


def test_garbage_is_collected_before_ray_shuts_down_and_not_meanwhile() -> None:
    ray, freed = Module(), list[int]()
    Reference(lambda: freed.append(len(ray.collects)))
    _shut_down(ray)
    assert freed == [0]
    assert ray.collects == [False]
    assert gc.isenabled()


def test_collection_goes_on_after_a_failure_and_stays_off_where_it_was_off() -> None:
    with pytest.raises(RuntimeError, match="not now"):
        _shut_down(Module(fail=True))
    assert gc.isenabled()
    gc.disable()
    try:
        _shut_down(Module())
        assert not gc.isenabled()
    finally:
        gc.enable()
