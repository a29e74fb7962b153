"""The outcomes of a folder: one claim each, with its verdict, whichever command tested it.

A folder may be that of a run, a test, a scan, canaries or a sweep, or one that holds such folders, as `mlaudit-runs`
does. Everything is read as data. Texts are made printable here; who writes them into a format escapes them there.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mlaudit.errors import InvalidInput
from mlaudit.naming.source import ROLES, SourceLocation, read_location
from mlaudit.report.cells import cell_of, number, text
from mlaudit.report.cells import command as shell_command
from mlaudit.report.multiplicity import family
from mlaudit.results.json import read_object, read_text
from mlaudit.results.lines import claim_text
from mlaudit.results.verdict import VERDICTS, Verdict, read_verdict
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.claim import Claim, Relation

RESULT, SWEEP = "result.json", "results.sqlite"
_DEEPEST = 6  # folders below the given one


@dataclass(frozen=True)
class Outcome:
    """What became of one claim.

    Args:
        mechanism: The learner's or trainer's name.
        claim: The claim.
        verdict: violated, not_repeated, inconclusive or not_refuted.
        epsilon_lower: The lower bound on the true ε.
        repeated: The bound on fresh trainings, if the first one was above the claim.
        alpha: The one-sided error of the bound.
        detectable: The smallest violation that would have been detected with probability 90 %.
        trainings: How many trainings were used.
        data: The dataset, or "".
        evidence: What was found, in sentences; "" if nothing was.
        command: The command that repeats it, or "".
        locations: Lines of source: where the mechanism leaks, is defined, or is tested. The most telling one first.
        file: The file that the outcome was read from.
        settings: What else tells this claim from others of the same mechanism.
        remains: Whether a violation is left after the correction for the many audits of a sweep.
    """

    mechanism: str
    claim: Claim
    verdict: Verdict
    epsilon_lower: float
    repeated: float | None
    alpha: float | None
    detectable: float | None
    trainings: int
    data: str
    evidence: str
    command: str
    locations: tuple[SourceLocation, ...]
    file: Path
    settings: str = ""
    remains: bool = True

    @property
    def title(self) -> str:
        """The mechanism and its claim.

        >>> laplace = Outcome("laplace", Claim(1.0), "not_refuted", 0.9, None, 0.05, 1.1, 400, "", "", "", (), Path())
        >>> laplace.title
        'laplace, claim ε = 1 (replace-one)'
        """
        return f"{self.mechanism}, claim {claim_text(self.claim)}"


def read_outcomes(folder: Path) -> list[Outcome]:
    """Every outcome of a folder, the gravest first.

    Args:
        folder: The folder of a run, a test, a scan, canaries or a sweep, or a folder of such folders.

    Returns:
        One outcome for each claim that was tested, and for each cell of a sweep that came to an end.

    Raises:
        InvalidInput: If there is no result, or a file is no result of mlaudit.
    """
    if not folder.is_dir():
        raise InvalidInput(
            f"{folder} must be a folder with results, got no such folder; give the one that --out named"
        )
    found = [outcome for path in _find_results(folder, _DEEPEST) for outcome in _read(path)]
    if not found:
        raise InvalidInput(f"{folder} must hold a result ({RESULT} or {SWEEP}), got none; run an audit first")
    return sorted(found, key=lambda one: (VERDICTS.index(one.verdict), one.mechanism))


def _find_results(folder: Path, depth: int) -> Iterator[Path]:
    """The results of a folder; below a folder that has one lie replays of it, which are no outcomes of their own."""
    for name in (SWEEP, RESULT):
        if (folder / name).is_file():
            yield folder / name
            return
    if depth:
        for below in sorted(folder.iterdir()):
            if below.is_dir() and not below.is_symlink():
                yield from _find_results(below, depth - 1)


def _read(path: Path) -> Iterator[Outcome]:
    if path.name == SWEEP:
        yield from _read_sweep(path)
        return
    found = read_object(read_text(path), str(path))
    if found.get("claimed", True) is not False:  # `mlaudit relations` also audits relations that are not claimed
        yield _make(found, path)


def _read_sweep(path: Path) -> Iterator[Outcome]:
    """The audits of a sweep; α is per cell, so that a violation may not be left after Holm's correction."""
    store = SqliteResults(path)
    try:
        rows = [row for study in store.studies() for row in store.rows(study.name)]
    finally:
        store.close()
    cells = [cell_of(row) for row in rows]
    tests = family(cells)
    for position, (row, cell) in enumerate(zip(rows, cells, strict=True)):
        if cell.audited:
            told = _make(row.values, path, {"study": row.study, **row.settings})
            yield told if tests.remains(position) or not cell.violated else replace(told, remains=False)


def _make(said: Mapping[str, Any], path: Path, settings: Mapping[str, Any] = MappingProxyType({})) -> Outcome:
    claim = _read_claim(said, path)
    named, bound = read_verdict(said, claim.epsilon), number(said.get("epsilon_lower"))
    verdict = next((known for known in VERDICTS if known == named), None)
    if verdict is None or bound is None or (verdict == "violated" and bound <= claim.epsilon):
        raise InvalidInput(f"{path} must be a result file of mlaudit, got a verdict that does not fit its bound")
    sources = said.get("locations")
    located = [read_location(one) for one in sources] if isinstance(sources, list) else []
    locations = sorted((one for one in located if one is not None), key=lambda one: ROLES.index(one.role))
    return Outcome(
        mechanism=text(said.get("mechanism", said.get("trainer"))),
        claim=claim,
        verdict=verdict,
        epsilon_lower=bound,
        repeated=_read_repeated(said),
        alpha=number(said.get("alpha")),
        detectable=number(said.get("detectable")),
        trainings=int(number(said.get("trainings")) or 0),
        data=text(said.get("dataset")),
        evidence=_read_evidence(said),
        command=shell_command(said.get("command")),
        locations=tuple(locations),
        file=path,
        settings=json.dumps(dict(settings), sort_keys=True, default=str) if settings else "",
    )


def _read_claim(said: Mapping[str, Any], path: Path) -> Claim:
    claim = said.get("claim")
    if not isinstance(claim, Mapping):
        raise InvalidInput(f"{path} must be a result file of mlaudit, got no claim in it")
    epsilon, delta = number(claim.get("epsilon")), number(claim.get("delta"))
    relation = claim.get("relation")
    if epsilon is None or delta is None or relation not in {known.value for known in Relation}:
        raise InvalidInput(f"{path} must be a result file of mlaudit, got a claim without ε, δ or relation")
    unit = claim.get("unit")
    return Claim(epsilon, delta, Relation(relation), unit=unit if isinstance(unit, str) else None)


def _read_repeated(said: Mapping[str, Any]) -> float | None:
    worst = next(iter(_list_findings(said)), said)
    return number(worst.get("repeated_epsilon_lower", worst.get("confirmed_epsilon_lower")))


def _read_evidence(said: Mapping[str, Any]) -> str:
    """What was found: the findings of a test, the leaks of a scan, or the attack of an audit."""
    sentences = [_describe_finding(one) for one in _list_findings(said)]
    return " ".join(sentences) or (text(f"Found by the attack {said['attack']}.") if said.get("attack") else "")


def _list_findings(said: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The findings of a test or the violations of a scan, the worst first."""
    entries = [one for name in ("findings", "rows") for one in _list_objects(said.get(name))]
    found = [one for one in entries if one.get("verdict", "violated") == "violated"]
    return sorted(found, key=lambda one: -(number(one.get("epsilon_lower")) or 0.0))


def _list_objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _describe_finding(one: Mapping[str, Any]) -> str:
    if "reveals" in one:
        return text(f"{one.get('attribute')} differs ({one.get('change')}): {one.get('reveals')}.")
    differences = one.get("differences")
    rows = "; ".join(map(str, differences)) if isinstance(differences, list) else ""
    changed = f" D and D′ differ by {one.get('change')}{f' ({rows})' if rows else ''}."
    lines = " ".join(_describe_line(line) for line in _list_objects(one.get("lines")))
    said = f"Found by {one.get('detector')} in {one.get('place')}: {one.get('cause')}{changed}"
    return text(f"{said} {lines}".rstrip())


def _describe_line(one: Mapping[str, Any]) -> str:
    source = f" `{one.get('source')}`" if one.get("source") else ""
    return f"The trace points at {Path(str(one.get('file'))).name}:{one.get('line')}{source}: {one.get('sentence')}."
