"""mlaudit one-run."""

import argparse

from mlaudit.canaries.running import one_run
from mlaudit.cli.status import show_status
from mlaudit.cli.trainers import finish, the_trainer
from mlaudit.procedures.one_run import OneRun


def command(given: argparse.Namespace) -> int:
    """Train once, print the bound."""
    procedure = OneRun(given.share_in, given.share_out)
    trainer = the_trainer(given)
    show_status(f"training with {given.canaries} canaries", show=not given.quiet)
    found = one_run(trainer, canaries=given.canaries, procedure=procedure, alpha=given.alpha, seed=given.seed)
    return finish(found, given)
