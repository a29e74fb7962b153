"""`python -m mlaudit`."""

import sys

from mlaudit.cli import main

if __name__ == "__main__":
    sys.exit(main())
