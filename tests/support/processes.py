"""Processes and their sockets, as Linux shows them."""

import os
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

_LISTENS = "0A"


def table() -> dict[int, list[str]]:
    """Every process: state, parent, group, session, and so on, as in /proc/PID/stat."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            found[int(path.name)] = (path / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
    return found


def session(leader: int) -> set[int]:
    """Who lives of a session."""
    return {pid for pid, words in table().items() if int(words[3]) == leader and words[0] != "Z"}


def descendants(parent: int) -> set[int]:
    """All children, and theirs."""
    parents = {pid: int(words[1]) for pid, words in table().items()}
    found, more = {parent}, {parent}
    while more:
        more = {pid for pid, above in parents.items() if above in more} - found
        found |= more
    return found


def listening(pids: set[int]) -> set[str]:
    """The addresses that these processes listen at."""
    inodes = {inode for pid in pids for inode in _sockets(pid)}
    return {address for inode, address in _tcp() if inode in inodes}


def _sockets(pid: int) -> Iterator[str]:
    try:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            target = os.readlink(file)
            if target.startswith("socket:["):
                yield target[8:-1]
    except OSError:
        return


def _tcp() -> Iterator[tuple[str, str]]:
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == _LISTENS:
                yield words[9], _address(words[1].partition(":")[0])


def _address(text: str) -> str:
    """Hexadecimal, each four bytes of it the other way round."""
    parts = [bytes.fromhex(text[at : at + 8])[::-1] for at in range(0, len(text), 8)]
    found = ip_address(b"".join(parts))
    return str(getattr(found, "ipv4_mapped", None) or found)
