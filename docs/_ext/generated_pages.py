"""Pages made from the package itself when the manual is built: galleries and the reference of the command line."""

from pathlib import Path
from typing import Any

import command_pages
import gallery_pages


def write_if_changed(path: Path, text: str) -> None:
    """An unchanged page keeps its time, so that it is not read again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _write_pages(app: Any) -> None:
    for name, text in {**gallery_pages.make_pages(), **command_pages.make_pages()}.items():
        write_if_changed(Path(app.srcdir) / name, text)


def setup(app: Any) -> dict[str, bool]:
    """Before Sphinx looks for pages."""
    app.connect("config-inited", lambda app, config: _write_pages(app))
    return {"parallel_read_safe": True}
