"""numpy: functions that copy an array and would otherwise lose its noise, such as `np.asarray`."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlaudit.tracing.followed import Followed, attach, release, stack_followed, strip
from mlaudit.tracing.recorder import Patch, Recorder, replace_everywhere

_COPYING = ("asarray", "array", "asanyarray", "ascontiguousarray", "asfortranarray", "asarray_chkfinite")


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Copies that remember the noise, in every module that names the usual functions."""
    changed = {id(getattr(np, name)): _follow(getattr(np, name), recorder) for name in _COPYING}
    yield from replace_everywhere(changed)


def _follow(own: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    def copy(*args: Any, **named: Any) -> Any:
        value = args[0] if args else None
        if recorder.active is None or not _has_noise(value):
            return own(*args, **named)
        if not isinstance(value, Followed):
            if len(args) == 1 and not named:
                return stack_followed(value, own)
            release(value)
            return own(strip(value), *args[1:], **named)
        made = own(strip(value), *args[1:], **named)
        if value.origin is not None and made.shape == value.shape and made.dtype.kind in "fiub":
            return attach(made, value.origin)
        release(value)
        return made

    return copy


def _has_noise(value: Any) -> bool:
    """Whether a value, or a list that may be as deep as an array, holds followed numbers."""
    if type(value) in (list, tuple):
        return any(_has_noise(part) for part in value)
    return isinstance(value, Followed)
