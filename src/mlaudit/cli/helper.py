"""mlaudit helper."""

import argparse
import sys

from mlaudit.adapters.helpers import find_helper


def command(given: argparse.Namespace) -> int:
    """Print the file that serves learners of a language."""
    sys.stdout.write(find_helper(given.language).read_text(encoding="utf-8"))
    return 0
