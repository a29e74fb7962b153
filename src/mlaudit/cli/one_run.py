"""mlaudit one-run."""

import argparse

from mlaudit.canaries.run import one_run
from mlaudit.cli.specs import OneRunSpec
from mlaudit.cli.terminal import show_status
from mlaudit.cli.trainers import build_trainer, finish
from mlaudit.procedures.one_run import OneRun


def command(given: argparse.Namespace) -> int:
    """Train once, print the bound."""
    spec: OneRunSpec = given.spec
    procedure = OneRun(spec.share_in, spec.share_out)
    trainer = build_trainer(spec, show=not given.quiet)
    show_status(f"training with {spec.canaries} canaries", show=not given.quiet)
    found = one_run(trainer, canaries=spec.canaries, procedure=procedure, alpha=spec.alpha, seed=spec.seed)
    return finish(found, given)
