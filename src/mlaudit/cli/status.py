"""What is going on before there is a progress bar: one line on a terminal, and nothing where stderr is a file."""

import sys

_CLEAR = "\r\x1b[K"  # to the start of the line, and nothing behind


def show_status(words: str, *, show: bool) -> None:
    """Say on a terminal what is going on before there is a bar; the next status, or the bar, takes its place."""
    if show and sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR}{words} …")
        sys.stderr.flush()


def clear_status() -> None:
    """Take the status off the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
        sys.stderr.flush()
