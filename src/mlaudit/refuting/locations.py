"""The lines that leak, as locations for reports that a code host or an editor shows."""

from mlaudit.naming.source import SourceLocation, place
from mlaudit.refuting.result import ClaimTest


def locate_lines(result: ClaimTest) -> list[SourceLocation]:
    """The lines that a trace points at on the pairs of findings, the worst first.

    Lines of installed packages are left out: a reviewer of this project cannot change them. Suspects that were not
    proved have no finding, and are left out as well.
    """
    lines = (line.site for found in result.findings for line in found.lines)
    found = (place(site.file, site.line, "traced", site.function, site.source) for site in lines)
    return list(dict.fromkeys(one for one in found if one is not None))
