"""Two checksums for each entry of a store: one that anybody can compute, and one that needs the user's key.

The first shows whether an entry is damaged. The second shows whether this account wrote it. An audit counts only such
entries, so that a folder from a stranger cannot add draws or results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Literal

_SIZE = 16  # bytes of either checksum

Origin = Literal["ours", "foreign", "damaged"]


@dataclass(frozen=True)
class Seal:
    """Makes and checks the two checksums of an entry.

    >>> mine, theirs = Seal(b"k" * 32), Seal(b"t" * 32)
    >>> mine.origin([b"row"], mine.of([b"row"])), theirs.origin([b"row"], mine.of([b"row"]))
    ('ours', 'foreign')
    >>> mine.origin([b"rows"], mine.of([b"row"]))
    'damaged'
    """

    key: bytes

    def of(self, parts: Sequence[bytes]) -> bytes:
        """Both checksums of an entry."""
        return _digest(parts, b"") + _digest(parts, self.key)

    def origin(self, parts: Sequence[bytes], seal: object) -> Origin:
        """Who wrote an entry: this account, or another one; or whether it is damaged."""
        if not isinstance(seal, bytes) or seal[:_SIZE] != _digest(parts, b""):
            return "damaged"
        return "ours" if compare_digest(seal[_SIZE:], _digest(parts, self.key)) else "foreign"


def _digest(parts: Sequence[bytes], key: bytes) -> bytes:
    h = blake2b(key=key, digest_size=_SIZE)
    for part in parts:
        h.update(len(part).to_bytes(8, "little"))  # else bytes could move from one part to the next
        h.update(part)
    return h.digest()
