"""mlaudit one-run."""

import argparse

from mlaudit.canaries.run import one_run
from mlaudit.cli.specs import OneRunSpec
from mlaudit.cli.terminal import show_status
from mlaudit.cli.trainers import CanaryAudit, build_typed, finish
from mlaudit.procedures.one_run import OneRun

COMMAND = "one-run"


def command(given: argparse.Namespace) -> int:
    """Train once, keep and print the bound."""
    spec: OneRunSpec = given.spec
    OneRun(spec.share_in, spec.share_out)  # refuses wrong shares before data are loaded
    return run(spec, CanaryAudit(COMMAND, spec, build_typed(spec, show=not given.quiet), given.out), given)


def run(spec: OneRunSpec, audit: CanaryAudit, given: argparse.Namespace) -> int:
    """Carry out the audit in its folder."""
    procedure = OneRun(spec.share_in, spec.share_out)
    show_status(f"training with {spec.canaries} canaries", show=not given.quiet)
    with audit.open_folder() as folder:
        found = one_run(audit.trainer, canaries=spec.canaries, procedure=procedure, alpha=spec.alpha, seed=spec.seed)
    return finish(found, audit, folder, given)
