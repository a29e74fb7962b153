"""Traces of whole libraries: the models, tools and mechanisms of diffprivlib, Opacus, OpenDP, and the examples.

    python benchmarks/trace_libraries.py run models --out traces.jsonl     # or another group of trace_cases.py
    python benchmarks/trace_libraries.py prove --out traces.jsonl          # tests every suspect, on fresh trainings
    python benchmarks/trace_libraries.py table --out traces.jsonl          # a Markdown table

Every line is written as soon as its trace is done. The same command goes on where it was stopped. `prove` tests each
suspected line of a learner once for each relation, in the case with the largest loss and then in up to two others,
each at α = 0.01; a bound above the claim is repeated on fresh trainings.
"""

import argparse
import json
import os
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from trace_cases import GROUPS, Case

from mlaudit.adapters.convert import as_mechanism
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.errors import AuditError
from mlaudit.scanning.neighbours import neighbours
from mlaudit.tracing.faults import Fault
from mlaudit.tracing.prove import prove_faults
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import trace
from mlaudit.types.numbers import measurement

ALPHA = 0.01
ATTEMPTS = 3
SECONDS = 10  # of a trace; a test gets four times as many
WIDE = 100  # columns, from which LinearRegression is traced on a few pairs only: a fit has 5 151 noise calls
FEW = (
    "all rows at the lower bound, the first moved to the upper",
    "all rows at the lower bound, one at the upper more",
)


def trace_case(case: Case) -> list[TraceResult]:
    """The traces of a case: all pairs at once, or a few pairs one by one."""
    learner = case.make()
    if case.name == "LinearRegression" and case.data is not None and case.data.X.shape[1] >= WIDE:
        made = [one for one in neighbours(case.data) if one.change in FEW]
        pairs = [one.pair for one in made if one.pair.relation is case.claim.relation]
        return [trace(learner, pair=pair, claim=case.claim, rounds=1, prove=False) for pair in pairs]
    return [trace(learner, case.data, pair=case.pair, claim=case.claim, rounds=2, prove=False)]


def describe(case: Case) -> dict[str, Any]:
    """What is asked."""
    asked = {"key": case.key, "library": case.library, "name": case.name, "settings": case.settings}
    return asked | {"relation": case.claim.relation.value, "epsilon": case.claim.epsilon, "delta": case.claim.delta}


def run_case(case: Case) -> dict[str, Any]:
    """One case as one line."""
    began = time.process_time()
    asked = describe(case)
    try:
        found = trace_case(case)
    except AuditError as error:
        return {**asked, "error": str(error), "cpu": round(time.process_time() - began, 1)}
    worst = max(found, key=lambda one: (bool(one.faults), one.transcript))
    return {
        **asked,
        "budget": max((one.budget for one in found if one.budget is not None), default=None),
        "transcript": worst.transcript,
        "limit": worst.limit,
        "call": str(worst.calls[0].site) if worst.calls else "",
        "faults": [_fault(fault) for one in found for fault in one.faults],
        "notes": list(worst.notes),
        "fits": sum(one.fits for one in found),
        "cpu": round(time.process_time() - began, 1),
    }


def line_of(fault: Fault) -> str:
    """The line of the library, if the learner is written in one of these files; of an example its own."""
    ours = Path(fault.site.file).parent == Path(__file__).parent
    return fault.site.through if ours and fault.site.through else str(fault.site)


def _fault(fault: Fault) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "line": line_of(fault),
        "sentence": fault.sentence,
        "loss": fault.loss,
        "change": fault.neighbour.change,
    }


def in_child(path: Path, make: Callable[[], dict[str, Any]], otherwise: dict[str, Any], seconds: int) -> None:
    """Append a line from a process of its own, which ends after so many CPU seconds: some samplers never accept."""
    child = os.fork()
    if not child:
        used = int(time.process_time())
        resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds))
        append(path, make())
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        append(path, {**otherwise, "error": f"more than {seconds} CPU seconds", "cpu": seconds})


def run(group: str, out: Path) -> None:
    """Trace what is missing."""
    done = {one["key"] for one in read(out)}
    for case in GROUPS[group]():
        if case.key not in done:
            in_child(out, partial(run_case, case), describe(case), SECONDS)


def prove(out: Path, only: str) -> None:
    """Test every suspected line on fresh trainings."""
    proofs = out.with_suffix(".proofs.jsonl")
    done = {(one["suspect"], one["key"]): one["proved"] for one in read(proofs)}
    cases = {case.key: case for group in GROUPS for case in GROUPS[group]() if group in only.split(",")}
    for suspect, keys in sorted(find_suspects(read(out)).items()):
        for key in keys[:ATTEMPTS]:
            if any(proved for (one, _), proved in done.items() if one == suspect):
                break
            if key in cases and (suspect, key) not in done:
                told = {"suspect": suspect, "key": key, "proved": False, "epsilon": 0.0}
                in_child(proofs, partial(prove_once, cases[key], suspect), told, 4 * SECONDS)
                done[suspect, key] = read(proofs)[-1]["proved"]


def find_suspects(lines: list[dict[str, Any]]) -> dict[str, list[str]]:
    """For each learner, relation, kind and line: the cases where it is suspected, the largest loss first."""
    found: dict[str, dict[str, float]] = {}
    for one in lines:
        for fault in one.get("faults", []):
            suspect = "|".join([one["library"], one["name"], one["relation"], fault["kind"], fault["line"]])
            losses = found.setdefault(suspect, {})
            losses[one["key"]] = max(losses.get(one["key"], 0.0), fault["loss"])
    return {suspect: sorted(losses, key=lambda key: -losses[key]) for suspect, losses in found.items()}


def prove_once(case: Case, suspect: str) -> dict[str, Any]:
    """Trace a case again and test one of its suspects."""
    began = time.process_time()
    kind, line = suspect.split("|")[3:]
    faults = [fault for one in trace_case(case) for fault in one.faults]
    mine = [fault for fault in faults if (fault.kind, line_of(fault)) == (kind, line)]
    told = {"suspect": suspect, "key": case.key, "trainings": case.trainings}
    if not mine:
        return {**told, "proved": False, "epsilon": 0.0, "cpu": round(time.process_time() - began, 1)}
    learner = as_mechanism(case.make(), case.claim)
    (tested,) = prove_faults(mine[:1], learner, case.claim, case.trainings, ALPHA, 2_000_001, InProcess())
    bound = tested.test.bound.epsilon if tested.test is not None else 0.0
    told |= {"proved": tested.proved, "epsilon": bound, "change": tested.neighbour.change}
    return {**told, "cpu": round(time.process_time() - began, 1)}


def table(out: Path) -> Iterator[str]:
    """One row for each learner and relation."""
    lines, proofs = read(out), read(out.with_suffix(".proofs.jsonl"))
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for one in lines:
        groups.setdefault((one["library"], one["name"], one["relation"]), []).append(one)
    yield "| library | learner | relation | cases | budget | loss | suspects | upper limit | CPU s | proved |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (library, name, relation), mine in groups.items():
        cells = [library, name, relation, str(len(mine)), _range(one.get("budget") for one in mine)]
        cells += [_range(one.get("transcript") for one in mine), _suspects(mine), _limits(mine)]
        cells += [f"{sum(one['cpu'] for one in mine):.0f}", _proved(proofs, library, name, relation)]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _range(values: Any) -> str:
    known = sorted({round(value, 3) for value in values if value is not None})
    if not known:
        return ""
    ends = [measurement(value) if np.isfinite(value) else "∞" for value in (known[0], known[-1])]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _suspects(mine: list[dict[str, Any]]) -> str:
    """Each suspected line, with the number of cases."""
    counts: dict[str, int] = {}
    for one in mine:
        for said in {f"{fault['kind']} at {fault['line']}" for fault in one.get("faults", [])}:
            counts[said] = counts.get(said, 0) + 1
    shown = [f"{said} ({count} of {len(mine)})" for said, count in sorted(counts.items(), key=lambda one: -one[1])]
    unfollowed = sum("followed" in " ".join(one.get("notes", [])) for one in mine)
    refused = sum("error" in one for one in mine)
    shown += [f"not followed ({unfollowed} of {len(mine)})"] if unfollowed else []
    shown += [f"not finished ({refused} of {len(mine)})"] if refused else []
    return "; ".join(shown) or "none"


def _limits(mine: list[dict[str, Any]]) -> str:
    stated = [one["limit"] for one in mine if one.get("limit") is not None]
    return f"{_range(stated)} ({len(stated)} of {len(mine)})" if stated else ""


def _proved(proofs: list[dict[str, Any]], library: str, name: str, relation: str) -> str:
    said: dict[str, tuple[bool, float]] = {}
    for one in proofs:
        whose = one["suspect"].split("|")
        if whose[:3] == [library, name, relation]:
            here = f"{whose[3]} at {whose[4]}"
            said[here] = max(said.get(here, (False, 0.0)), (one["proved"], one["epsilon"]))
    shown = [f"{here}: ε ≥ {measurement(bound)}" for here, (proved, bound) in said.items() if proved]
    rest = sum(not proved for proved, _ in said.values())
    return "; ".join([*shown, *([f"{rest} not shown"] if rest else [])])


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; none if it does not exist."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def append(path: Path, line: dict[str, Any]) -> None:
    """Write a line at once."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def main() -> None:
    """Trace, prove, or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("run", "prove", "table"))
    parser.add_argument("group", nargs="?", default="models")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.command == "run":
        run(given.group, given.out)
    elif given.command == "prove":
        prove(given.out, given.group)
    else:
        print("\n".join(table(given.out)))


if __name__ == "__main__":
    main()
