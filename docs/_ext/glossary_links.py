"""The first mention of each glossary word on a page leads to its definition, as in an HTML report."""

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes

from mlaudit.report.glossary import GLOSSARY

_PAGE = "glossary"
# Words that also have a common meaning are linked only in phrases where the glossary's is meant.
_SPECIAL = {
    "D and D′": "D′",
    "canary": "canar(?:y|ies)",
    "witness": "witness(?:es)?",
    "bound": "lower bounds?|(?<!upper )bound",
    "step": "steps?(?= (?:under|between|apart|away|and halves|of the claimed))",
    "summary": "summary(?= (?:depends|also has|is the|yourself|may be))",
}
_TERMS = tuple(GLOSSARY)
_FORMS = [f"(?P<w{place}>{_SPECIAL.get(term, f'{term}s?')})" for place, term in enumerate(_TERMS)]
_WORD = re.compile(rf"(?<!\w)(?:{'|'.join(_FORMS)})(?!\w)", re.IGNORECASE)
_NOT_HERE = (nodes.title, nodes.literal, nodes.literal_block, nodes.reference, nodes.raw, nodes.caption, nodes.term)
_LEFT_ALONE = ("api/", "decisions/", "changelog", _PAGE)


def split_at_words(text: str, seen: set[str]) -> list[tuple[str, str]]:
    """The pieces of a text, each with the glossary word that it is the first mention of, or with "".

    >>> split_at_words("Claims, and a claim", set())
    [('', ''), ('Claims', 'claim'), (', and a claim', '')]
    """
    pieces, end = [], 0
    for match in _WORD.finditer(text):
        term = _TERMS[int(str(match.lastgroup)[1:])]
        if term not in seen:
            seen.add(term)
            pieces += [(text[end : match.start()], ""), (match[0], term)]
            end = match.end()
    return [*pieces, (text[end:], "")]


def _may_link(text: nodes.Text) -> bool:
    parent: Any = text.parent
    while parent is not None:
        if isinstance(parent, (*_NOT_HERE, addnodes.pending_xref, addnodes.desc)):
            return False
        parent = parent.parent
    return True


def _link_words(app: Any, doctree: nodes.document, page: str) -> None:
    if page.startswith(_LEFT_ALONE) or app.builder.format != "html":
        return
    seen: set[str] = set()
    for text in [node for node in doctree.findall(nodes.Text) if _may_link(node)]:
        pieces = [_node(app, page, words, term) for words, term in split_at_words(str(text), seen)]
        if len(pieces) > 1:
            text.parent.replace(text, pieces)


def _node(app: Any, page: str, words: str, term: str) -> nodes.Node:
    if not term:
        return nodes.Text(words)
    target = f"{app.builder.get_relative_uri(page, _PAGE)}#{nodes.make_id(term)}"
    return nodes.reference("", words, internal=True, refuri=target, classes=["term"])


def setup(app: Any) -> dict[str, bool]:
    """After links between pages are resolved."""
    app.connect("doctree-resolved", _link_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
