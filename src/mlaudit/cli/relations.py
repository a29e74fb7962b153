"""mlaudit relations."""

import argparse
import json
import sys
from pathlib import Path

from mlaudit.auditing import check_numbers
from mlaudit.changes import CHANGES
from mlaudit.cli.objects import the_mechanism
from mlaudit.cli.repeat import to_repeat
from mlaudit.cli.run import Done, audited
from mlaudit.errors import InvalidInput, LibraryDiffers
from mlaudit.relations import RELATION_OF, explained
from mlaudit.report.json import summary
from mlaudit.report.text import headline, support, trial
from mlaudit.types.claim import Claim


def command(given: argparse.Namespace) -> int:
    """Audit with a row replaced, added and removed, and explain the differences."""
    if given.data is None or given.change or given.relation is not None:
        raise InvalidInput(
            "relations changes rows of data in every way, got no --data, or a --change or --relation of its own; "
            "give --data and leave the others out"
        )
    check_numbers(given.trainings, given.alpha, given.seed)
    claim = the_mechanism(given)[1]
    repeat = to_repeat(given, "relations", given.mechanism)
    done = {change: audited(_asked(given, change), RELATION_OF[change]) for change in CHANGES}
    for one in done.values():
        one.folder.save(one.result, repeat)
    results = {change: one.result for change, one in done.items()}
    said = explained(results)
    if given.json:
        each = {change: summary(result) for change, result in results.items()}
        whole = {"claimed": claim.relation.value, "explanation": said, "results": each}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_lines(done, claim)) + (f"\n\n{said}\n" if said else "\n"))
    if any(result.verdict == "unconfirmed" for result in results.values()):
        return LibraryDiffers.exit_code
    claimed = [r for change, r in results.items() if RELATION_OF[change] is claim.relation]
    return 3 if given.fail_on_violation and any(r.verdict == "violation" for r in claimed) else 0


def _asked(given: argparse.Namespace, change: str) -> argparse.Namespace:
    out = None if given.out is None else str(Path(given.out) / change)
    return argparse.Namespace(**{**vars(given), "change": change, "out": out})


def _lines(done: dict[str, Done], claim: Claim) -> list[str]:
    first = next(iter(done.values())).result
    name, confidence = first.provenance.mechanism, first.finding.bound.confidence
    lines = [f"{name} claims {claim}. Each relation was audited at {confidence} confidence."]
    for change, one in done.items():
        relation = RELATION_OF[change]
        asked = "claimed" if relation is claim.relation else "not claimed"
        lines += [
            "",
            f"A row {change.removesuffix('e')}ed: {relation.value}, {asked}",
            f"  {headline(one.result)}",
            f"  {support(one.result)}",
            *(f"  {line}" for line in trial(one.result)),
            f"  attack {one.result.attack}; files in {one.folder.path}",
        ]
    return lines
