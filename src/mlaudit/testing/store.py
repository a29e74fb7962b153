"""The contract of a store: a block comes back as it was put, or not at all."""

import warnings
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.errors import AuditError
from mlaudit.protocols import Store
from mlaudit.testing.checks import Check, check
from mlaudit.types.block import Block
from mlaudit.types.checks import with_methods

_KEY = "mlaudit check "  # how the keys of these checks begin
_MARK = 1.0 + 1e-9  # a number that is easy to find in a file
# The numbers that text or rounding would change, and NaN, which fills up short vectors.
_NUMBERS = (0.1, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan, 1 / 3)


def check_store(store: Store) -> list[Check]:
    """Check a store against what mlaudit expects of it.

    The checks write blocks under keys that begin with "mlaudit check". A store that keeps its blocks in a file has an
    attribute `path`: then the checks also open it a second time, and the last one closes it and damages the file.
    Give a store that nothing else uses.

    Args:
        store: The store.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.drawing.stores.memory import MemoryStore
        >>> [str(result) for result in check_store(MemoryStore()) if not result.passed]
        []
    """
    checks = [
        check("a block comes back bit for bit", lambda: _find_changed(store)),
        check("a range gives the blocks that overlap it, and no others", lambda: _find_misplaced(store)),
        check("keys do not mix", lambda: _find_mixed(store)),
        check("a longer block replaces a shorter one", lambda: _find_unreplaced(store)),
    ]
    if getattr(store, "path", None) is not None:
        checks += [
            check("a second opening finds the blocks of the first", lambda: _find_forgotten(store)),
            check("a damaged block is left out with a warning", lambda: _find_damaged(store)),
        ]
    return checks


def make_block(n: int, *, first: float = 0.0, width: int = len(_NUMBERS)) -> Block:
    """A block with awkward numbers, lengths and words; its first number is `first`.

    >>> make_block(3).lengths.tolist()
    [1, 2, 3]
    """
    z = np.resize(np.roll(_NUMBERS, -2), (n, width)).astype(float)
    z[0, 0] = first
    lengths = np.arange(n, dtype=np.int64) % width + 1
    kinds = np.array([("", "raised ValueError", "NaN at 1", 'ε ≥ 1, "quoted"')[i % 4] for i in range(n)])
    return Block(z, lengths, kinds, "Traceback …\nValueError: 'x'" if n > 1 else "", 0.25)


def _read(store: Store, key: str, start: int, stop: int) -> dict[int, Block]:
    with_methods("it", store, "a store", ["read", "put"], "write both")
    return dict(store.read(_KEY + key, start, stop))


def _find_difference(put: Block, found: Block | None) -> str:
    """The first part of a block that is not as it was put."""
    if found is None:
        return "no block"
    if len(found) != len(put):
        return f"{len(found)} trainings"
    if np.asarray(found.z, dtype=float).tobytes() != put.z.tobytes():
        return "other numbers"
    for name in ("lengths", "kinds"):
        if np.asarray(getattr(found, name)).tolist() != getattr(put, name).tolist():
            return f"other {name}"
    return "" if found.error == put.error else "another error"


def _find_changed(store: Store) -> str:
    blocks = {0: make_block(9), 9: make_block(1), 2**40: make_block(4, width=1)}
    for start, block in blocks.items():
        store.put(_KEY + "bits", start, block)
    for start, block in blocks.items():
        wrong = _find_difference(block, _read(store, "bits", start, start + len(block)).get(start))
        if wrong:
            return (
                f"a block of {len(block)} trainings came back with {wrong}; keep z, lengths, kinds and error as given"
            )
    return ""


def _find_misplaced(store: Store) -> str:
    for start, n in ((20, 4), (0, 10), (10, 5)):
        store.put(_KEY + "ranges", start, make_block(n, first=start))
    wanted = {(0, 1): {0}, (9, 11): {0, 10}, (12, 21): {10, 20}, (15, 20): set(), (23, 99): {20}, (24, 99): set()}
    for (start, stop), starts in wanted.items():
        found = _read(store, "ranges", start, stop)
        if set(found) != starts:
            return (
                f"with blocks at 0-9, 10-14 and 20-23 the range [{start}, {stop}) gave those at {sorted(found)}; "
                "return every block that shares a training with the range, and its start"
            )
        if any(block.z[0, 0] != at for at, block in found.items()):
            return (
                f"the range [{start}, {stop}) gave blocks under the starts of others; return each with its own start"
            )
    return ""


def _find_mixed(store: Store) -> str:
    for number, key in enumerate(("a", "A", "a ", "ab")):
        store.put(_KEY + key, 0, make_block(2, first=number))
    for number, key in enumerate(("a", "A", "a ", "ab")):
        found = _read(store, key, 0, 2)
        if set(found) != {0} or found[0].z[0, 0] != number:
            return f"the block of {key!r} came back as another's; compare keys as whole texts"
    unknown = _read(store, "never put", 0, 100)
    return "" if not unknown else "a key that was never put gave blocks; return nothing for it"


def _find_unreplaced(store: Store) -> str:
    short, long = make_block(3), make_block(6)
    store.put(_KEY + "longer", 0, short)
    store.put(_KEY + "longer", 0, long)
    wrong = _find_difference(long, _read(store, "longer", 0, 6).get(0))
    return "" if not wrong else f"a block put over a shorter one came back with {wrong}; keep the longer one"


def _find_forgotten(store: Store) -> str:
    block = make_block(5)
    store.put(_KEY + "kept", 0, block)
    again = _open_again(store)
    try:
        wrong = _find_difference(block, _read(again, "kept", 0, 5).get(0))
    finally:
        _close(again)
    return "" if not wrong else f"the second opening gave {wrong}; write a block before put() returns"


def _find_damaged(store: Store) -> str:
    """Change one byte of a block in the file: the block must not come back, and a warning must say so."""
    put, other = make_block(5, first=_MARK), make_block(5)
    _put_alone(store, "intact", other)
    before = _contents(store)
    _put_alone(store, "damaged", put)
    marked = _damage(_contents(store), before)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        damaged = _open_again(store)
        try:
            found, left = _read(damaged, "damaged", 0, 5).get(0), _read(damaged, "intact", 0, 5).get(0)
        except AuditError as error:
            return f"one changed byte made the whole store unreadable: {error}; leave out the damaged block alone"
        finally:
            _close(damaged)
    if found is not None and (marked or _find_difference(put, found)):
        return "a block with a changed byte came back; keep a checksum with each block"
    if _find_difference(other, left):
        return "one changed byte lost another block; check each block by itself"
    warned = found is not None or bool(said)
    return "" if warned else "a damaged block was left out without a warning; call warnings.warn"


def _put_alone(store: Store, key: str, block: Block) -> None:
    """Put a block by an opening of its own, and close every other: some stores write to their file when closed."""
    _close(store)
    writing = _open_again(store)
    writing.put(_KEY + key, 0, block)
    _close(writing)


def _open_again(store: Any) -> Store:
    """The same store, opened a second time by its public fields."""
    names = ["path"]
    if is_dataclass(store):
        names = [field.name for field in fields(store) if field.init and not field.name.startswith("_")]
    made: Store = store.__class__(**{name: getattr(store, name) for name in names})
    return made


def _close(store: Any) -> None:
    close = getattr(store, "close", None)
    if callable(close):
        with suppress(AuditError):
            close()


def _contents(store: Any) -> dict[Path, bytes]:
    """The store's file and those beside it that share its name, or all files of its folder."""
    path = Path(store.path)
    found = path.rglob("*") if path.is_dir() else path.parent.glob(f"{path.name}*")
    return {file: file.read_bytes() for file in sorted(found) if file.is_file()}


def _damage(after: dict[Path, bytes], before: dict[Path, bytes]) -> bool:
    """Change the last bit of the marked number; if no file shows it, a bit amid what the last block changed.

    Returns:
        Whether the marked number was found.
    """
    mark = np.float64(_MARK).astype("<f8").tobytes()
    marked = [file for file, content in after.items() if mark in content]
    for file in marked:
        file.write_bytes(after[file].replace(mark, _flip(mark, 0)))
    if marked:
        return True
    for file, content in after.items():
        old = before.get(file, b"")
        changed = [at for at, byte in enumerate(content) if at >= len(old) or byte != old[at]]
        if changed:
            file.write_bytes(_flip(content, changed[len(changed) // 2]))
    return False


def _flip(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
