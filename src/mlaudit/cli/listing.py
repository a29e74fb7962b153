"""mlaudit list."""

import argparse
import json
import sys

from mlaudit.errors import UnknownName
from mlaudit.plugins import KINDS, names


def command(given: argparse.Namespace) -> int:
    """Print every name of a kind, or of all kinds, with one line of description."""
    known = (*KINDS, "figures", "exhibits")  # the last two are not listed with what an audit is made of
    if given.kind is not None and given.kind not in known:
        raise UnknownName("kind of thing", given.kind, known)
    kinds = KINDS if given.kind is None else (given.kind,)
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
