"""The public surface: one table, and what type checkers, `dir` and `import *` make of it."""

import ast
from pathlib import Path

import pytest

import mlaudit

TREE = ast.parse(Path(mlaudit.__file__).read_text(encoding="utf-8"))


def imports_for_type_checkers() -> set[tuple[str, str]]:
    """Module and name of every import below TYPE_CHECKING; each must be a re-export, `Name as Name`."""
    block = next(node for node in TREE.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    found = set()
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name
            found.add((str(node.module), alias.name))
    return found


def test_the_table_and_the_imports_for_type_checkers_agree() -> None:
    table = {(f"mlaudit.{home}", name) for home, names in mlaudit._HOMES.items() for name in names}
    assert imports_for_type_checkers() == table


def test_every_name_comes_from_the_module_that_defines_it() -> None:
    for name in mlaudit.__all__:
        assert getattr(mlaudit, name).__module__ == f"mlaudit.{mlaudit._HOME_OF[name]}", name


def test_there_are_about_25_names_and_dir_lists_them() -> None:
    assert sorted(mlaudit.__all__) == dir(mlaudit) == sorted(set(mlaudit.__all__))
    assert 15 <= len(mlaudit.__all__) <= 26


def test_a_name_that_is_not_public_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'mlaudit' has no attribute 'TwoPhase'"):
        mlaudit.TwoPhase  # type: ignore[attr-defined]  # noqa: B018
