"""HTML made of elements, so that nothing reaches a page unescaped."""

from collections.abc import Iterable
from html import escape
from typing import Any

_VOID = frozenset({"meta", "input", "br"})


class Html(str):
    """Text that is markup already; only this module and trusted files make it."""

    __slots__ = ()


def el(name: str, /, *children: Any, **attributes: Any) -> Html:
    """An element. Children that are not Html are escaped; None is nothing; `class_` is class, `aria_sort` aria-sort.

    >>> el("p", "1 < 2 ", el("b", "<script>"), class_="note")
    '<p class="note">1 &lt; 2 <b>&lt;script&gt;</b></p>'
    """
    said = "".join(f' {_name(k)}="{escape(str(v))}"' for k, v in attributes.items() if v is not None)
    if name in _VOID:
        return Html(f"<{name}{said}>")
    return Html(f"<{name}{said}>{join(children)}</{name}>")


def join(parts: Iterable[Any], between: str = "") -> Html:
    """Parts one after the other, escaped unless they are markup."""
    return Html(between.join(p if isinstance(p, Html) else escape(str(p)) for p in parts if p is not None))


def _name(attribute: str) -> str:
    return attribute.rstrip("_").replace("_", "-")
