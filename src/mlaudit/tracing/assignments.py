"""The line of a class that sets an attribute, found in its source."""

import ast
import inspect
import re
import textwrap
from typing import Any

from mlaudit.tracing.sites import Site


def find_assignment(model_type: Any, attribute: str) -> Site | None:
    """The last line of a class or its bases that assigns self.attribute, but for constructors; None if none does.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> find_assignment(GaussianNB, "class_count_").function
    '_partial_fit'
    """
    name = re.split(r"[.\[]", attribute, maxsplit=1)[0]
    for kind in getattr(model_type, "__mro__", ()):
        methods = [part for label, part in vars(kind).items() if inspect.isfunction(part) and label != "__init__"]
        for method in methods:
            found = _find_in_method(inspect.unwrap(method), name)
            if found is not None:
                return found
    return None


def _find_in_method(method: Any, name: str) -> Site | None:
    try:
        lines, first = inspect.getsourcelines(method)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return None
    places = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _assigns(node, name)]
    if not places:
        return None
    file = method.__code__.co_filename
    line = max(places)
    return Site(file, first + line - 1, method.__name__, lines[line - 1].strip())


def _assigns(node: ast.Attribute, name: str) -> bool:
    return isinstance(node.ctx, ast.Store) and node.attr == name
