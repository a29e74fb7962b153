"""mlaudit list."""

import argparse
import json
import sys

from mlaudit.errors import UnknownName
from mlaudit.naming.plugins import KINDS, names

LISTED = tuple(kind for kind in KINDS if kind not in ("figures", "exhibits"))  # these are of no use in an audit


def command(given: argparse.Namespace) -> int:
    """Print every name of a kind, or of all kinds, with one line of description."""
    if given.kind is not None and given.kind not in KINDS:
        raise UnknownName("kind of thing", given.kind, KINDS)
    kinds = LISTED if given.kind is None else (given.kind,)
    found = {kind: names(kind) for kind in kinds}
    if given.json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
        return 0
    for kind, entries in found.items():
        if len(found) > 1:
            sys.stdout.write(f"{kind}\n")
        width = max(map(len, entries), default=0)
        for name, line in entries.items():
            sys.stdout.write(f"  {name:<{width}}  {line}\n")
    return 0
