"""mlaudit check."""

import argparse
import json
import sys
from contextlib import ExitStack
from functools import partial
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.inputs import build_pair
from mlaudit.auditing.learner import build_mechanism, call_users_code, has_field, instantiate, is_factory
from mlaudit.errors import InvalidInput
from mlaudit.naming.commands import is_command
from mlaudit.naming.plugins import load
from mlaudit.protocols import HasRecipe, Mechanism, Prepares, Samples
from mlaudit.testing.checks import Check
from mlaudit.testing.kits import find_kit
from mlaudit.testing.mechanism import check_mechanism
from mlaudit.testing.pairs import make_pair
from mlaudit.testing.recipe import check_recipe
from mlaudit.testing.sampler import check_sampler
from mlaudit.types.claim import Claim
from mlaudit.types.pair import Pair


def command(given: argparse.Namespace) -> int:
    """Find out what the object is, check it, say what is wrong; 2 if anything is."""
    if ":" not in given.object:
        raise InvalidInput(
            f"mlaudit check needs an object of your own code, as in my_file.py:my_mechanism, got {given.object!r}"
        )
    found = _load(given)
    kind, checks = _run_checks(found, given)
    if given.json:
        listed = [{"claim": c.claim, "passed": c.passed, "detail": c.detail} for c in checks]
        sys.stdout.write(json.dumps({"object": given.object, "kind": kind, "checks": listed}) + "\n")
    else:
        sys.stdout.write(f"{given.object}, taken as {kind}:\n")
        sys.stdout.writelines(f"  {result}\n" for result in checks)
    return 0 if all(result.passed for result in checks) else 2


def _load(given: argparse.Namespace) -> Any:
    """The object that the user names, or the program that the command starts."""
    if is_command(given.object):
        return build_mechanism(given.object, {"epsilon": given.epsilon}, {})[0]
    return load("mechanisms", given.object)


def _run_checks(found: Any, given: argparse.Namespace) -> tuple[str, list[Check]]:
    if isinstance(found, Pair):
        steps = f"{found.rows} rows changed, {found.relation.value}"
        return "a pair", [Check(f"both sides are datasets that differ ({steps})", passed=True)]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        built = _instantiate(found, given, Path(folder))
        if hasattr(built, "__enter__"):
            stack.enter_context(built)
        kit = find_kit(built)
        if kit is not None:
            return kit.kind, kit.check(built)
    terms = {"epsilon": given.epsilon}
    made = build_mechanism(given.object, terms, {})[0] if is_factory(found) else built
    own = isinstance(made, Mechanism) and not isinstance(made, type)  # what is wrong with it, the checks say
    mechanism = made if own else as_mechanism(made, Claim(given.epsilon))
    pair = build_pair(given.pair) or make_pair(mechanism)
    checks = check_mechanism(mechanism, pair)
    if isinstance(mechanism, Samples | Prepares):
        checks += check_sampler(cast(Mechanism, mechanism), pair)
    if own and isinstance(mechanism, HasRecipe):
        checks += check_recipe(cast(Mechanism, mechanism), pair)
    return "a mechanism", checks


def _instantiate(found: Any, given: argparse.Namespace, folder: Path) -> Any:
    """An object of a class: it takes --epsilon if it has that field, and a store in a file takes a new path."""
    if not isinstance(found, type):
        return found
    if hasattr(found, "put") and "path" in signature(found).parameters:
        return call_users_code(partial(found, path=folder / "store"), given.object, "it must need nothing but a path")
    params = {"epsilon": given.epsilon} if has_field(found, "epsilon") else {}
    return instantiate(found, params, given.object)
