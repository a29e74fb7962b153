"""`python -m mlaudit`."""

from mlaudit.cli import entry

if __name__ == "__main__":
    entry()
