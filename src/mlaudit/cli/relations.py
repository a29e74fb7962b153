"""mlaudit relations."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from mlaudit.auditing.learner import build_mechanism, claim_terms
from mlaudit.auditing.run import check_numbers
from mlaudit.auditing.spec import AuditSpec
from mlaudit.auditing.spell import spell_command
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.result_folder import tell_origin
from mlaudit.cli.run import Done, build, run_audit
from mlaudit.errors import InvalidInput
from mlaudit.results.relations import audits_of, changes_to_audit, explain
from mlaudit.results.text import headline, verdict_lines
from mlaudit.types.changes import RELATION_OF
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.numbers import confidence

_DONE = {"replace": "replaced", "add": "added", "remove": "removed", "relabel": "relabelled", "zero": "zeroed"}
_BEYOND = 2.0  # times the claim: whether a bound is about twice the claim tells one cause from another


def command(given: argparse.Namespace) -> int:
    """Audit with a row replaced, added and removed, and explain the differences.

    Each relation has error `--alpha`, however many audits it takes: adding and removing a row get half of it each.
    """
    spec: AuditSpec = given.spec
    if spec.data is None or spec.change or spec.relation is not None:
        raise InvalidInput(
            "relations changes rows of data in every way, got no --data, or a --change or --relation of its own; "
            "give --data and leave the others out"
        )
    check_numbers(spec.trainings, spec.alpha, spec.seed)
    mechanism, claim = build_mechanism(spec.mechanism, claim_terms(spec), spec.param)
    done = {change: _run(_spec_of_change(spec, change), given) for change in changes_to_audit(claim.relation)}
    told = tell_origin(spell_command("relations", spec), mechanism)
    for change, one in done.items():
        # A bound above ε under a relation that nobody claims is no violation: reports for CI leave it out.
        one.folder.save(one.result, {**told, "claimed": RELATION_OF[change] is claim.relation})
    results = {change: one.result for change, one in done.items()}
    said = explain(results)
    if given.json:
        each = {change: result.summary() for change, result in results.items()}
        whole = {
            "claimed": claim.relation.value,
            "alpha": spec.alpha,
            "audits_sharing_alpha": {RELATION_OF[change].value: audits_of(RELATION_OF[change]) for change in done},
            "explanation": said,
            "results": each,
        }
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_lines(done, claim, spec.alpha)) + (f"\n\n{said}\n" if said else "\n"))
    claimed = [result.verdict for change, result in results.items() if RELATION_OF[change] is claim.relation]
    return exit_code(claimed, given)


def _spec_of_change(spec: AuditSpec, change: str) -> AuditSpec:
    """The audit of one change; changes of the same relation share its α, so that it is refuted wrongly with α."""
    alpha = spec.alpha / audits_of(RELATION_OF[change])
    beyond = _BEYOND if spec.beyond is None and spec.procedure == "sequential" else spec.beyond
    return replace(spec, change=change, alpha=alpha, beyond=beyond)


def _run(spec: AuditSpec, given: argparse.Namespace) -> Done:
    out = None if given.out is None else str(Path(given.out) / spec.change)
    return run_audit(spec, build(spec, given, RELATION_OF[spec.change]), given, out)


def _lines(done: dict[str, Done], claim: Claim, alpha: float) -> list[str]:
    first = next(iter(done.values())).result
    name, claim = first.provenance.mechanism, replace(claim, unit=first.claim.unit)
    changed = "A row" if claim.unit is None else f"All rows of a unit ({claim.unit})"
    shared = confidence(alpha / audits_of(Relation.ADD_REMOVE))
    sure = f"Each relation was audited at {confidence(alpha)} confidence"
    lines = [f"{name} claims {claim}. {sure}; the two audits of {Relation.ADD_REMOVE.value} share it, {shared} each."]
    for change, one in done.items():
        relation = RELATION_OF[change]
        asked = "claimed" if relation is claim.relation else "not claimed"
        lines += [
            "",
            f"{changed} {_DONE[change]}: {relation.value}, {asked}",
            *(f"  {line}" for line in (headline(one.result), *verdict_lines(one.result))),
            f"  attack {one.result.attack}; files in {one.folder.path}",
        ]
    return lines
