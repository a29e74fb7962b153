"""Outcomes as SARIF 2.1.0, the format in which code hosts and editors read findings (OASIS, 2020)."""

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from mlaudit import __version__
from mlaudit.naming.source import SourceLocation
from mlaudit.report.outcomes import Outcome
from mlaudit.results.summary import summarise_claim
from mlaudit.types.numbers import bound, confidence, plural

VERSION = "2.1.0"
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"  # the name by which readers know the root of the checkout
_FINGERPRINT = "mlauditClaim/v1"


class _Rule(NamedTuple):
    id: str
    name: str
    level: str
    short: str
    long: str


_RULES = {
    "violated": _Rule(
        id="mlaudit/claim-violated",
        name="ClaimViolated",
        level="error",
        short="The privacy claim is refuted.",
        long="Trainings on two neighbouring datasets differ more than the claimed (ε, δ)-differential privacy "
        "allows. Causes are a bug, a misuse of a library, or another neighbour relation than the claimed one. The "
        "message names the datasets, the confidence of the bound, and the command that repeats it.",
    ),
    "not_repeated": _Rule(
        id="mlaudit/violation-not-repeated",
        name="ViolationNotRepeated",
        level="warning",
        short="The first bound refutes the privacy claim, but the bound on fresh trainings does not.",
        long="The first lower bound was above the claimed ε, and the second one on fresh trainings was not. This may "
        "be chance. Run the test again with more trainings.",
    ),
    "inconclusive": _Rule(
        id="mlaudit/test-inconclusive",
        name="TestInconclusive",
        level="note",
        short="The test could not have refuted the privacy claim.",
        long="No outcome of this test could have refuted the claim, so it says nothing about the claim. Use more "
        "trainings.",
    ),
}


def render(outcomes: Sequence[Outcome], *, inconclusive: bool = False) -> str:
    """The SARIF log of outcomes: one result for each violated claim.

    Args:
        outcomes: What became of each claim.
        inconclusive: Whether claims whose test was inconclusive or not repeated are listed, too.

    Returns:
        The text of a .sarif file.

    Example:
        >>> json.loads(render([]))["version"]
        '2.1.0'
    """
    wanted = tuple(_RULES) if inconclusive else ("violated",)
    listed = [one for one in outcomes if one.verdict in wanted]
    driver = {
        "name": "mlaudit",
        "version": __version__,
        "semanticVersion": __version__,
        "shortDescription": {"text": "Tests claims of differential privacy by experiment."},
        "rules": [_describe_rule(verdict) for verdict in wanted],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": "mlaudit/"},
        "columnKind": "unicodeCodePoints",
        "results": [_describe(one, wanted.index(one.verdict)) for one in listed],
    }
    return json.dumps({"$schema": _SCHEMA, "version": VERSION, "runs": [run]}, ensure_ascii=False, indent=1) + "\n"


def _describe_rule(verdict: str) -> dict[str, Any]:
    rule = _RULES[verdict]
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.long},
        "help": {"text": rule.long},
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["security", "privacy", "differential-privacy"]},
    }


def _describe(one: Outcome, index: int) -> dict[str, Any]:
    rule = _RULES[one.verdict]
    first, *others = one.locations or (None,)
    here = _describe_result_file(one.file) if first is None else _describe_location(first)
    found: dict[str, Any] = {
        "ruleId": rule.id,
        "ruleIndex": index,
        "level": rule.level if one.remains else "warning",
        "message": {"text": escape(sentences(one))},
        "locations": [here],
        "partialFingerprints": {_FINGERPRINT: fingerprint(one)},
        "properties": {
            "mechanism": one.mechanism,
            "claim": summarise_claim(one.claim),
            "verdict": one.verdict,
            "epsilonLower": one.epsilon_lower,
            "trainings": one.trainings,
        },
    }
    if others:
        found["relatedLocations"] = [
            {"id": number, **_describe_location(other)} for number, other in enumerate(others, start=1) if other
        ]
    return found


def sentences(one: Outcome) -> str:
    """What was claimed, what was found and how to repeat it, in plain English."""
    title = f"{one.title}."
    repeat = f" Repeat it: {one.command}" if one.command else ""
    if one.verdict == "inconclusive":
        return f"{title} The test could not have refuted the claim: use more trainings.{repeat}"
    claimed = one.claim.epsilon
    sure = f" with {confidence(one.alpha)} confidence" if one.alpha is not None else ""
    shown = f" The true ε is at least {bound(one.epsilon_lower, claimed)}{sure}."
    if one.verdict == "not_repeated":
        shown = f" A first bound gave ε ≥ {bound(one.epsilon_lower, claimed)}, and fresh trainings did not repeat it."
    elif one.repeated is not None:
        shown += f" Repeated on fresh trainings: ε ≥ {bound(one.repeated, claimed)}."
    left = "" if one.remains else " It does not remain after Holm's correction over all audits of the sweep."
    evidence = f" {one.evidence}" if one.evidence else ""
    return f"{title}{shown}{left}{evidence} {plural(one.trainings, 'training')}.{repeat}"


def escape(message: str) -> str:
    """A message without the signs for links and placeholders (SARIF 2.1.0, sections 3.11.5 and 3.11.6).

    >>> escape("output[1](x) is {0}")
    'output[1] (x) is {{0}}'
    """
    return message.replace("](", "] (").replace("{", "{{").replace("}", "}}")


def fingerprint(one: Outcome) -> str:
    """A name of the finding that stays the same from run to run: it depends on no bound, seed or line number."""
    claim = (one.claim.epsilon, one.claim.delta, one.claim.neighbours)
    # A trace may find another line, or none, in the next run.
    files = next((found.file for found in one.locations if found.role != "traced"), "")
    test = next((found.name for found in one.locations if found.role == "test"), "")
    parts = (one.verdict, one.mechanism, claim, files, test, one.data, one.settings)
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _describe_location(one: SourceLocation) -> dict[str, Any]:
    texts = {
        "traced": "The trace points at this line.",
        "definition": f"{one.name} is defined here.",
        "test": "The claim is tested.",
    }
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(one.file), "uriBaseId": _ROOT},
            "region": {"startLine": one.line, **({"snippet": {"text": one.source}} if one.source else {})},
        },
        "logicalLocations": [{"fullyQualifiedName": one.name}],
        "message": {"text": texts[one.role]},
    }


def _describe_result_file(path: Path) -> dict[str, Any]:
    """Readers refuse a result without a file: a learner of an installed package is shown by its result."""
    relative = os.path.relpath(path)
    uri = quote(Path(path.name if relative.startswith("..") else relative).as_posix())
    return {
        "physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": _ROOT}, "region": {"startLine": 1}},
        "message": {"text": "The result; the learner is not defined in this project."},
    }
