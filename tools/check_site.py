"""Check a built site without network: every link, image and anchor inside it leads somewhere.

python tools/check_site.py docs/_build/html
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The anchors of a page, and where it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect ids, names, and every href and src."""
        for name, value in attrs:
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)
            if value and name in ("href", "src") and tag != "link":
                self.links.append(value)


def read_page(path: Path) -> _Page:
    """Parse one HTML file."""
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def find_dead_links(folder: Path) -> list[str]:
    """A line for each relative link of the site whose file or anchor does not exist."""
    pages = {path.resolve(): read_page(path) for path in sorted(folder.rglob("*.html"))}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("javascript:"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages.get(target)
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and known is not None and anchor not in known.anchors):
                dead.append(f"{path.relative_to(folder.resolve())}: {link}")
    return dead


def main(folder: str) -> int:
    """Print dead links; 1 if there are some, or if there is no page."""
    found = find_dead_links(Path(folder))
    pages = len(list(Path(folder).rglob("*.html")))
    print(*found, f"{pages} pages, {len(found)} dead links", sep="\n")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
