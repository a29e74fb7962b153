"""Every name on the API page says what it takes, returns and raises, and shows an example that runs."""

import doctest
import inspect
import re
from enum import Enum
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import mlaudit.errors
from mlaudit import protocols, testing

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^   (mlaudit[\w.]*)$", PAGE, re.MULTILINE)  # test_pages.py compares these with __all__
NAMES: dict[str, Any] = {
    **{name: resolve_name(name) for name in LISTED},
    # The parts that can be exchanged are described alike, whether the page lists them or not.
    **{
        f"mlaudit.protocols.{name}": value
        for name, value in vars(protocols).items()
        if inspect.isclass(value) and value.__module__ == "mlaudit.protocols"
    },
}
FUNCTIONS = {name: value for name, value in NAMES.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in NAMES.items() if inspect.isclass(value)}
ERRORS = {name: value for name, value in CLASSES.items() if issubclass(value, Exception)}
BUILT = {  # whose objects the user makes
    name: value
    for name, value in CLASSES.items()
    if not issubclass(value, Enum | Exception) and not getattr(value, "_is_protocol", False)
}
METHODS = {
    f"{name}.{method}": getattr(member, "__func__", member)
    for name, value in CLASSES.items()
    for method, member in vars(value).items()
    if method == "__call__" or not method.startswith("_")
    if inspect.isfunction(getattr(member, "__func__", member))
}


def sections(value: object) -> dict[str, str]:
    """The sections of a Google-style docstring, by name."""
    parts = re.split(r"^(\w+):$", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(value: object) -> list[str]:
    """The names in the section Args, in order. No description may be `D.`, which Sphinx takes for a list."""
    return re.findall(r"^ {4}(\w+): (?!\w\.)\S", sections(value).get("Args", ""), flags=re.MULTILINE)


def taken(value: Any) -> list[str]:
    names = inspect.signature(value).parameters
    return [name for name in names if not name.startswith("_") and name not in ("self", "cls")]


def refuses(value: Any) -> bool:
    """Whether the code itself raises InvalidInput."""
    return "raise InvalidInput" in inspect.getsource(value)


def test_every_public_name_is_a_function_or_a_class() -> None:
    assert {*FUNCTIONS, *CLASSES} == set(NAMES)
    assert len(NAMES) > 60
    assert set(BUILT) >= {"mlaudit.Claim", "mlaudit.AuditResult", "mlaudit.datasets.Preparation"}
    assert set(METHODS) >= {"mlaudit.Dataset.with_rows", "mlaudit.protocols.Attack.__call__"}


@pytest.mark.parametrize("name", [*FUNCTIONS, *BUILT, *(name for name in ERRORS if "__init__" in vars(ERRORS[name]))])
def test_every_argument_is_explained_and_no_other(name: str) -> None:
    assert documented(NAMES[name]) == taken(NAMES[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_returns_and_raises(name: str) -> None:
    found = sections(FUNCTIONS[name])
    assert found["Returns"].strip()
    errors = re.findall(r"^ {4}(\w+): \S", found["Raises"], flags=re.MULTILINE)
    assert errors
    known = vars(mlaudit.errors) | {"PrivacyViolation": testing.PrivacyViolation}
    assert all(issubclass(known[error], Exception) for error in errors)


@pytest.mark.parametrize("name", BUILT)
def test_every_class_that_refuses_values_says_so(name: str) -> None:
    """Classes that check their values say what they raise."""
    checks = "__post_init__" in vars(BUILT[name]) or "InvalidInput" in inspect.getsource(BUILT[name])
    assert ("InvalidInput: " in sections(BUILT[name]).get("Raises", "")) == checks


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_says_when_it_is_raised(name: str) -> None:
    """The base class and the failure of a test say so in their first sentence."""
    own = name not in ("mlaudit.AuditError", "mlaudit.testing.PrivacyViolation")
    assert re.search(r"^Raised ", inspect.getdoc(ERRORS[name]) or "", re.MULTILINE) or not own


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_of_a_method_is_explained(name: str) -> None:
    """In the section Args, or as `name` in the text if there is only one."""
    method = METHODS[name]
    text, names = inspect.getdoc(method) or "", taken(method)
    assert documented(method) == names or (len(names) == 1 and f"`{names[0]}`" in text)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_it_returns_and_refuses(name: str) -> None:
    """A method that describes its arguments in a section has sections for the other two as well."""
    method = METHODS[name]
    found = sections(method)
    if "Args" in found and inspect.signature(method).return_annotation not in (None, "None"):
        assert found.get("Returns", found.get("Yields", "")).strip()
    if refuses(method):
        assert "InvalidInput: " in found["Raises"] or "Raise InvalidInput" in (inspect.getdoc(method) or "")


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_example_that_runs_as_a_doctest(name: str) -> None:
    value = NAMES[name]
    found = doctest.DocTestParser().get_examples(sections(value).get("Example", ""))
    assert found, "a section `Example:` with >>>"
    assert any(name.rpartition(".")[2] in example.source for example in found), "that uses the name"


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_has_a_docstring(name: str) -> None:
    members = {n: m for n, m in vars(CLASSES[name]).items() if not n.startswith("_")}
    for member, value in members.items():
        inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(inner):
            assert inspect.getdoc(inner), member
