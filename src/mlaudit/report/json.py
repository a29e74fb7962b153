"""Results as JSON: a flat summary for machines, and a file that holds everything needed to confirm it."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.codec import decode, encode
from mlaudit.e_process import winnings
from mlaudit.errors import InvalidInput
from mlaudit.types.checks import instance, path_of, several, shown, text
from mlaudit.types.finding import Bets
from mlaudit.types.result import AuditResult

SCHEMA_VERSION = 1


def summary(result: AuditResult) -> dict[str, Any]:
    """What a program wants to know, in one flat object."""
    bound, made, trial = result.finding.bound, result.provenance, result.confirmation
    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": made.mechanism,
        "dataset": made.dataset,
        "attack": result.attack,
        "procedure": made.procedure.get("type", ""),
        "claim": {
            "epsilon": result.claim.epsilon,
            "delta": result.claim.delta,
            "relation": result.claim.relation.value,
            "gaussian": result.claim.gaussian,
        },
        "epsilon_lower": bound.epsilon,
        "ceiling": bound.ceiling,
        "alpha": bound.alpha,
        "rows": result.pair.rows,
        "steps": bound.steps,
        "trainings": made.trainings,
        "verdict": result.verdict,
        "sampler": made.sampler,
        "stands_for": made.stands_for,
        "confirmed": None if trial is None else result.verdict == "violation",
        "confirmed_epsilon_lower": None if trial is None else trial.bound.epsilon,
        "method": bound.method,
        "assuming": bound.assuming,
        "seed": made.seed,
        "repeatable": made.repeatable,
        "notes": list(made.notes),
        "versions": dict(made.versions),
    }


def counted(result: AuditResult) -> dict[str, Any]:
    """The evidence as plain data, enough for the p-value of the claim; for bets, which are many, just that."""
    evidence = result.finding.evidence
    if not isinstance(evidence, Bets):
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(evidence).items()}
    won = winnings(evidence, result.claim, result.finding.bound.steps)
    return {
        "bets": evidence.counted,
        "right": int(evidence.right.sum()),
        "learned": evidence.learned,
        "p_value": float(np.exp(-won.max(initial=0.0))),
    }


def dumps(result: AuditResult, identity: str = "", command: str = "") -> str:
    """The result file: the summary, the command that repeats it, and under "replay" the values themselves."""
    instance("result", result, AuditResult)
    text("identity", identity)
    typed = {"command": command} if text("command", command) else {}
    whole = {**summary(result), "identity": identity, **typed, "replay": encode(result)}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def loads(content: str, source: str = "the result", trusted: tuple[type, ...] = ()) -> AuditResult:
    """The result behind a result file's text; nothing in it is executed.

    >>> loads("{}")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: the result must be a result file of mlaudit, got no result in it
    """
    whole = read_object(content, source)
    if "replay" not in whole:
        raise InvalidInput(f"{source} must be a result file of mlaudit, got no result in it")
    if whole.get("schema_version") != SCHEMA_VERSION:
        given = whole.get("schema_version")
        raise InvalidInput(f"{source} must have schema version {SCHEMA_VERSION}, got {given!r}; rerun the audit")
    try:
        result = decode(whole["replay"], trusted)
    except InvalidInput as error:
        raise InvalidInput(f"{source} must be a whole result file, got damaged values: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{source} must be a whole result file, got damaged values: {error}") from error
    if not isinstance(result, AuditResult):
        raise InvalidInput(f"{source} must hold a result, got {type(result).__name__}")
    return result


def read_object(content: str, source: str) -> dict[str, Any]:
    """A JSON object, or one clear sentence."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} must be a JSON file, got: {error}") from error
    if not isinstance(whole, dict):
        raise InvalidInput(f"{source} must be a result file of mlaudit, got a JSON {type(whole).__name__}")
    return whole


def load(path: str | Path, trusted: tuple[type, ...] = ()) -> AuditResult:
    """Read a result file."""
    file = path_of("path", path)
    for kind in several("trusted", trusted, "classes"):
        if not isinstance(kind, type):
            raise InvalidInput(f"trusted must be a list or a tuple of classes, got {shown(kind)} in it")
    return loads(content_of(file), str(path), trusted)


def content_of(path: Path) -> str:
    """The text of a result file."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} must be a readable result file, got: {error}") from error
