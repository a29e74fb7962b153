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
from mlaudit.relations import RELATION_OF, audits_of, explained
from mlaudit.report.json import summary
from mlaudit.report.numbers import confidence
from mlaudit.report.text import headline, support, trial
from mlaudit.types.claim import Claim, Relation

_BEYOND = 2.0  # times the claim: whether a bound is about twice the claim tells one cause from another


def command(given: argparse.Namespace) -> int:
    """Audit with a row replaced, added and removed, and explain the differences.

    Each relation has error `--alpha`, however many audits it takes: adding and removing a row get half of it each.
    """
    if given.data is None or given.change or given.relation is not None:
        raise InvalidInput(
            "relations changes rows of data in every way, got no --data, or a --change or --relation of its own; "
            "give --data and leave the others out"
        )
    check_numbers(given.trainings, given.alpha, given.seed)
    claim = the_mechanism(given)[1]
    check_numbers(given.trainings, given.alpha, given.seed)
    repeat = to_repeat(given, "relations", given.mechanism)
    done = {change: audited(_asked(given, change), RELATION_OF[change]) for change in CHANGES}
    for one in done.values():
        one.folder.save(one.result, repeat)
    results = {change: one.result for change, one in done.items()}
    said = explained(results)
    if given.json:
        each = {change: summary(result) for change, result in results.items()}
        whole = {
            "claimed": claim.relation.value,
            "alpha": given.alpha,
            "audits_sharing_alpha": {relation.value: audits_of(relation) for relation in Relation},
            "explanation": said,
            "results": each,
        }
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_lines(done, claim, given.alpha)) + (f"\n\n{said}\n" if said else "\n"))
    if any(result.verdict == "unconfirmed" for result in results.values()):
        return LibraryDiffers.exit_code
    claimed = [r for change, r in results.items() if RELATION_OF[change] is claim.relation]
    return 3 if given.fail_on_violation and any(r.verdict == "violation" for r in claimed) else 0


def _asked(given: argparse.Namespace, change: str) -> argparse.Namespace:
    """The audit of one change; changes of the same relation share its α, so that it is refuted wrongly with α."""
    out = None if given.out is None else str(Path(given.out) / change)
    alpha = given.alpha / audits_of(RELATION_OF[change])
    beyond = _BEYOND if given.beyond is None and given.procedure == "sequential" else given.beyond
    return argparse.Namespace(**{**vars(given), "change": change, "out": out, "alpha": alpha, "beyond": beyond})


def _lines(done: dict[str, Done], claim: Claim, alpha: float) -> list[str]:
    name = next(iter(done.values())).result.provenance.mechanism
    shared = confidence(alpha / audits_of(Relation.ADD_REMOVE))
    sure = f"Each relation was audited at {confidence(alpha)} confidence"
    lines = [f"{name} claims {claim}. {sure}; the two audits of {Relation.ADD_REMOVE.value} share it, {shared} each."]
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
