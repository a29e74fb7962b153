"""Sketches as files: SVG that follows the page and speaks when pointed at, PNG, PDF; the same bytes each time."""

import io
import re
from typing import Any
from xml.etree import ElementTree as ET

from mlaudit.report.figures._sketch import INK, PALETTE, Sketch, arrange, report_settings

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def svg(drawn: Sketch, name: str, says: str) -> str:
    """The figure as SVG for a page or a file; `name` keeps its ids apart from those of other figures."""
    whole = io.StringIO()
    with report_settings(salt=name):
        arrange(drawn)
        drawn.figure.savefig(whole, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    root = ET.fromstring(whole.getvalue())  # noqa: S314 - see above
    for unwanted in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(unwanted)
    _add_titles(root, drawn)
    _prefix_ids(root, name)
    root.set("role", "img")
    root.set("aria-label", says)
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    text = ET.tostring(root, encoding="unicode")
    text = re.sub(r"(font: [\d.]+px) 'DejaVu Sans'[^;\"]*", rf"\1 {_FONT}", text)
    return text.replace(INK, "currentColor").replace("\n ", "\n")


def inline(picture: str) -> str:
    """For a page: colours become the page's own variables, so that dark paper can have lighter ones."""
    for position, colour in enumerate(PALETTE):
        picture = picture.replace(colour, f"var(--line-{position}, {colour})")
    return picture


def png(drawn: Sketch) -> bytes:
    """The figure for slides and Markdown, on white."""
    return _save(drawn, "png", dpi=160, facecolor="white", metadata={"Software": None})


def pdf(drawn: Sketch) -> bytes:
    """The figure for papers, on white, its text as text."""
    return _save(drawn, "pdf", facecolor="white", metadata={"CreationDate": None, "Creator": None, "Producer": None})


def _save(drawn: Sketch, kind: str, **options: Any) -> bytes:
    whole = io.BytesIO()
    with report_settings():
        drawn.figure.savefig(whole, format=kind, **options)
    return whole.getvalue()


def _add_titles(root: Any, drawn: Sketch) -> None:
    """Wrap each mark with a title: browsers show it when pointed at, without any script."""
    groups = {group.get("id"): group for group in root.iter(f"{{{_SVG}}}g")}
    for name, says in drawn.titles.items():
        parents = {child: parent for parent in groups[name].iter() for child in parent}
        marks = list(groups[name].iter(f"{{{_SVG}}}use"))
        for mark, words in zip(marks, says, strict=True):
            parent = parents[mark]
            position = list(parent).index(mark)
            wrapped = ET.Element(f"{{{_SVG}}}g", {"class": "mark", "pointer-events": "all"})
            ET.SubElement(wrapped, f"{{{_SVG}}}title").text = words
            parent.remove(mark)
            wrapped.append(mark)
            parent.insert(position, wrapped)


def _prefix_ids(root: Any, name: str) -> None:
    """Ids that are referred to get the figure's name; the others go."""
    href = f"{{{_XLINK}}}href"
    used = {found for node in root.iter() for value in node.attrib.values() for found in _REFERENCE.findall(value)}
    used |= {node.get(href)[1:] for node in root.iter() if node.get(href, "").startswith("#")}
    for node in root.iter():
        if node.get("id") in used:
            node.set("id", f"{name}-{node.get('id')}")
        elif "id" in node.attrib:
            del node.attrib["id"]
        if node.get(href, "").startswith("#"):
            node.set("href", f"#{name}-{node.attrib.pop(href)[1:]}")
        for key, value in node.attrib.items():
            node.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
