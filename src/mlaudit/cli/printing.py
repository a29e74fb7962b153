"""Text for a terminal: what a file says must not move the cursor, clear the screen or set a title."""

_CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


def printable(text: str) -> str:
    """The text without control characters, but for tabs and line ends.

    >>> printable("a" + chr(27) + "[2Jb" + chr(10)) == "a" + chr(0xFFFD) + "[2Jb" + chr(10)
    True
    """
    return text.translate(_CONTROL)
