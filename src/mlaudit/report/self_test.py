"""The auditor's own figures: kept by `mlaudit selftest`, carried by every report."""

import json
from pathlib import Path
from typing import Any

from mlaudit.datasets._published import cache_folder
from mlaudit.errors import Incomplete

_NONE = (
    "This auditor has not been tested on this machine (mlaudit selftest): its error rate is that of its own test "
    "suite."
)


def path() -> Path:
    """Where the latest figures are kept."""
    return cache_folder() / "selftest.json"


def keep(figures: dict[str, Any]) -> Path:
    """Write the figures for reports to come."""
    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        path().write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise Incomplete(
            f"the figures cannot be written: {error}; set MLAUDIT_CACHE to a folder that can be"
        ) from error
    return path()


def self_test_sentence() -> str:
    """What the latest self-test said, or that there was none."""
    try:
        figures = json.loads(path().read_text(encoding="utf-8"))
        said, version = str(figures["said"]), str(figures["version"])
    except (OSError, ValueError, KeyError, TypeError):
        return _NONE
    return f"Self-test of mlaudit {version} on mechanisms of known ε: {said}."
