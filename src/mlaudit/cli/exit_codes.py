"""Exit codes: what a script learns from a verdict."""

import argparse
from collections.abc import Collection

VIOLATED = 3
INCONCLUSIVE = 6
EXIT_CODES = (
    "exit codes: 0 done, 2 bad input, 3 violated (with --fail-on-violation), 4 interrupted or incomplete (run it "
    "again), 5 a sampler and the library differ, 6 inconclusive (with --fail-on-inconclusive)"
)
TEST_EXIT_CODES = (
    "exit codes: 0 not violated, 2 bad input, 3 violated (0 with --exit-zero), 4 interrupted or incomplete (run it "
    "again), 5 a sampler and the library differ, 6 inconclusive (with --fail-on-inconclusive)"
)


def exit_code(verdicts: Collection[str], given: argparse.Namespace) -> int:
    """The exit code for these verdicts, as far as the command line asks for one.

    >>> given = argparse.Namespace(fail_on_violation=True, fail_on_inconclusive=True)
    >>> [exit_code(found, given) for found in (["not_refuted"], ["inconclusive"], ["inconclusive", "violated"])]
    [0, 6, 3]
    """
    if given.fail_on_violation and "violated" in verdicts:
        return VIOLATED
    return INCONCLUSIVE if given.fail_on_inconclusive and "inconclusive" in verdicts else 0
