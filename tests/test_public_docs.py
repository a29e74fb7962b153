"""Every public name says what it takes, returns and raises, and shows an example that runs."""

import doctest
import inspect
import re
from enum import Enum
from typing import Any

import pytest

import mlaudit
import mlaudit.errors
from mlaudit import datasets, testing

NAMES = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (mlaudit, datasets, testing)
    for name in module.__all__
}
FUNCTIONS = {name: value for name, value in NAMES.items() if inspect.isfunction(value)}
CLASSES = {name: value for name, value in NAMES.items() if inspect.isclass(value)}
BUILT = {  # whose objects the user makes
    name: value
    for name, value in CLASSES.items()
    if not issubclass(value, Enum | Exception) and not getattr(value, "_is_protocol", False)
}


def sections(value: object) -> dict[str, str]:
    """The sections of a Google-style docstring, by name."""
    parts = re.split(r"^(\w+):$", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def documented(value: object) -> list[str]:
    """The names in the section Args, in their order."""
    return re.findall(r"^ {4}(\w+): \S", sections(value).get("Args", ""), flags=re.MULTILINE)


def taken(value: Any) -> list[str]:
    return [name for name in inspect.signature(value).parameters if not name.startswith("_")]


def test_every_public_name_is_a_function_or_a_class() -> None:
    assert {*FUNCTIONS, *CLASSES} == set(NAMES)
    assert len(NAMES) > 20
    assert set(BUILT) >= {"mlaudit.Claim", "mlaudit.AuditResult", "mlaudit.datasets.Preparation"}


@pytest.mark.parametrize("name", [*FUNCTIONS, *BUILT])
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
