"""Runs the steps of a composite action on this machine: every `run` with bash, in order; `uses` are only noted."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_COMPARED = re.compile(r"([\w.-]+)\s*(==|!=)\s*'([^']*)'")


@dataclass
class Composite:
    """An action that runs in a folder, which stands for a checkout.

    Args:
        action: The folder of action.yml.
        workspace: The checkout.
        inputs: The inputs of a workflow; others are at their defaults.
        env: Further variables.
    """

    action: Path
    workspace: Path
    inputs: Mapping[str, str]
    env: Mapping[str, str]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)  # of each step
    used: dict[str, dict[str, str]] = field(default_factory=dict)  # by the name of the step, what it was given
    log: str = ""

    def __post_init__(self) -> None:
        self.definition: dict[str, Any] = yaml.safe_load((self.action / "action.yml").read_text(encoding="utf-8"))
        unknown = set(self.inputs) - set(self.definition["inputs"])
        assert not unknown, f"no such inputs: {unknown}"

    def run(self) -> int:
        """Run every step whose condition holds, until one fails; the exit code of that one, else 0."""
        (self.workspace / ".runner").mkdir(exist_ok=True)
        for position, step in enumerate(self.definition["runs"]["steps"]):
            if not self._holds(step.get("if", "")):
                continue
            if "uses" in step:
                self.used[step["name"]] = {name: self.fill(text) for name, text in step["with"].items()}
            elif code := self._run_step(step, position):
                return code
        return 0

    def output(self, name: str) -> str:
        """An output of the action."""
        return self.fill(self.definition["outputs"][name]["value"])

    @property
    def summary(self) -> str:
        """What the steps wrote for the job's page."""
        return self._file("summary").read_text(encoding="utf-8")

    def fill(self, text: str) -> str:
        """The text with its expressions evaluated."""
        return _EXPRESSION.sub(lambda found: self._value(found[1]), str(text))

    def _run_step(self, step: Mapping[str, Any], position: int) -> int:
        assert step["shell"] == "bash"
        script, written = self._file(f"{position}.sh"), self._file(f"{position}.out")
        script.write_text(self.fill(step["run"]), encoding="utf-8")
        written.touch()
        given = {name: self.fill(text) for name, text in step.get("env", {}).items()}
        runner = {
            "GITHUB_OUTPUT": str(written),
            "GITHUB_STEP_SUMMARY": str(self._file("summary")),
            "GITHUB_ACTION_PATH": str(self.action),
            "RUNNER_TEMP": str(self._file("")),
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace / self.fill(step.get("working-directory", ".")),
            env={**os.environ, **self.env, **runner, **given},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.log += done.stdout
        if "id" in step:
            lines = written.read_text(encoding="utf-8").splitlines()
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        return done.returncode

    def _holds(self, condition: str) -> bool:
        parts = [_COMPARED.fullmatch(part.strip()) for part in condition.split("&&")] if condition else []
        assert all(parts), f"a condition that this runner does not know: {condition}"
        return all((self._value(part[1]) == part[3]) == (part[2] == "==") for part in parts if part)

    def _value(self, name: str) -> str:
        kind, *rest = name.split(".")
        if kind == "inputs":
            return str(self.inputs.get(rest[0], self.definition["inputs"][rest[0]].get("default", "")))
        if kind == "steps":
            return self.outputs.get(rest[0], {}).get(rest[2], "")
        assert name in ("runner.os", "github.run_id", "github.run_attempt"), f"unknown expression {name}"
        return {"runner.os": "Linux", "github.run_id": "7", "github.run_attempt": "1"}[name]

    def _file(self, name: str) -> Path:
        return self.workspace / ".runner" / name
