"""Messages between processes over a pipe: a length, then a pickle."""

import os
import pickle
import struct
import traceback
from dataclasses import dataclass
from typing import Any

_LENGTH = struct.Struct("<Q")


class Broken(Exception):
    """The other end of the pipe is closed."""


@dataclass(frozen=True)
class Answer:
    """The value that a call in another process returned or raised."""

    value: Any
    raised: bool

    def get(self) -> Any:
        """Return the value, or raise the exception."""
        if self.raised:
            raise self.value
        return self.value


def pack_answer(value: Any, *, raised: bool) -> bytes:
    """Pickle an answer; an exception that cannot be pickled becomes a RuntimeError."""
    import cloudpickle  # noqa: PLC0415 - only where there are other processes

    if raised:
        value.add_note("".join(traceback.format_exception(value)))
    try:
        return bytes(cloudpickle.dumps(Answer(value, raised)))
    except Exception as error:  # noqa: BLE001 - whatever a user's class does when it is packed
        text = f"{type(value).__name__}: {value}" if raised else f"a result that cannot be sent: {error}"
        return bytes(cloudpickle.dumps(Answer(RuntimeError(text), raised=True)))


def write(sink: int, message: bytes) -> None:
    """Write the whole message; raises Broken if nobody reads."""
    view = memoryview(_LENGTH.pack(len(message)) + message)
    try:
        while view:
            view = view[os.write(sink, view) :]
    except OSError as error:
        raise Broken from error


def read(source: int) -> Any:
    """Read the next message; raises Broken if there is none."""
    (length,) = _LENGTH.unpack(_read_exactly(source, _LENGTH.size))
    return pickle.loads(_read_exactly(source, length))  # noqa: S301 - written by a process that we started, or that did


def _read_exactly(source: int, length: int) -> bytes:
    parts, left = [], length
    while left:
        part = os.read(source, min(left, 1 << 20))
        if not part:
            raise Broken
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
