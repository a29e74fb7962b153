"""The code blocks of a Markdown page, and what the page says about each.

A comment in the line before a block changes what is done with it:

    <!-- not run: REASON -->   it is left out; the reason is needed
    <!-- file: NAME -->        it is written to a file of that name, which later blocks can use
    <!-- exit: CODE -->        its commands end with this exit code instead of 0
"""

import re
from dataclasses import dataclass

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>.*?) -->\n)?^```(?P<language>[^\n]*)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_MARK = re.compile(r"(not run|file|exit): (\S.*)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line of the page where it begins, and its mark."""

    language: str
    text: str
    line: int
    mark: str = ""
    value: str = ""
    output: str = ""  # of a python block: the text block that follows it


def read_blocks(page: str) -> list[Block]:
    """Every fenced block of a page, in order.

    >>> [block] = read_blocks("<!-- exit: 3 -->\\n```console\\n$ mlaudit test x\\n```\\n")
    >>> block.language, block.mark, block.value
    ('console', 'exit', '3')
    """
    found = list(_BLOCK.finditer(page))
    blocks = []
    for place, match in enumerate(found):
        mark = _MARK.fullmatch(match["mark"] or "")
        after = found[place + 1] if place + 1 < len(found) else None
        follows = after is not None and after["language"] == "text" and not page[match.end() : after.start()].strip()
        blocks.append(
            Block(
                match["language"],
                match["text"],
                page.count("\n", 0, match.start("text")),
                *((mark[1], mark[2]) if mark else ("", "")),
                output=after["text"] if after is not None and follows else "",
            )
        )
    return blocks


def read_commands(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with the output that is shown below it; a line that ends in \\\\ goes on.

    >>> read_commands("$ mlaudit list\\nattacks\\n$ mlaudit check x\\n")
    [('mlaudit list', 'attacks'), ('mlaudit check x', '')]
    """
    parts = re.split(r"^\$ ", re.sub(r" *\\\n *", " ", block), flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2].strip("\n")) for part in parts]


def find_missing_line(shown: str, printed: str) -> str | None:
    """The first line shown that was not printed; … stands for anything.

    >>> find_missing_line("a\\nb …", "x\\na\\nb c"), find_missing_line("b …", "a")
    (None, 'b …')
    """
    lines = [line.strip() for line in printed.splitlines()]
    for line in filter(None, map(str.strip, shown.splitlines())):
        pattern = ".*".join(re.escape(part.strip()) for part in line.split("…"))
        if not any(re.fullmatch(pattern, one) for one in lines):
            return line
    return None
