"""mlaudit check."""

import argparse
import json
import sys
from typing import Any

from mlaudit.adapters.convert import as_mechanism, mechanism_name
from mlaudit.attacks.tight import HasTightPair
from mlaudit.cli.objects import build, is_factory, mechanism_from, takes, the_pair
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load
from mlaudit.protocols import Mechanism
from mlaudit.testing.attack import check_attack, random_data
from mlaudit.testing.checks import Check
from mlaudit.testing.interval import check_interval
from mlaudit.testing.mechanism import check_mechanism
from mlaudit.types.claim import Claim
from mlaudit.types.pair import Pair


def command(given: argparse.Namespace) -> int:
    """Find out what the object is, check it, say what is wrong; 2 if anything is."""
    if ":" not in given.object:
        raise InvalidInput(f"check wants your own code, as in my_file.py:my_mechanism, got {given.object!r}")
    found = load("mechanisms", given.object)
    kind, checks = _checks(found, given)
    if given.json:
        listed = [{"claim": c.claim, "passed": c.passed, "detail": c.detail} for c in checks]
        sys.stdout.write(json.dumps({"object": given.object, "kind": kind, "checks": listed}) + "\n")
    else:
        sys.stdout.write(f"{given.object}, taken as {kind}:\n")
        sys.stdout.writelines(f"  {result}\n" for result in checks)
    return 0 if all(result.passed for result in checks) else 2


def _checks(found: Any, given: argparse.Namespace) -> tuple[str, list[Check]]:
    if isinstance(found, Pair):
        steps = f"{found.rows} rows changed, {found.relation.value}"
        return "a pair", [Check(f"both sides are datasets that differ ({steps})", passed=True)]
    typed = {"epsilon": given.epsilon}
    built = build(found, typed if takes(found, "epsilon") else {}, given.object) if isinstance(found, type) else found
    if hasattr(built, "log_ratio"):
        return "an interval", check_interval(built)
    if _is_attack(built):
        return "an attack", check_attack(built)
    made = mechanism_from(given.object, typed, {})[0] if is_factory(found) else built
    own = isinstance(made, Mechanism) and not isinstance(made, type)  # what is wrong with it, the checks say
    mechanism = made if own else as_mechanism(made, Claim(given.epsilon))
    pair = the_pair(given.pair) or _some_pair(mechanism)
    return "a mechanism", check_mechanism(mechanism, pair)


def _is_attack(built: Any) -> bool:
    """An attack takes (mechanism, data, rows, rng); a mechanism's function takes (data, rng)."""
    if hasattr(built, "fit") or not callable(built):
        return False
    call = built if hasattr(built, "__code__") else type(built).__call__
    code = getattr(call, "__code__", None)
    return code is not None and "rows" in code.co_varnames[: code.co_argcount]


def _some_pair(mechanism: Any) -> Pair:
    """Something to try a mechanism on when the user names no pair: random rows, one of them moved."""
    import numpy as np

    if isinstance(mechanism, HasTightPair):
        return mechanism.tight_pair(1)
    data = random_data(np.random.default_rng(0))
    try:
        domain = mechanism.domain(data)
        data = data.with_rows(data.X if domain is None else domain.project(data.X), data.y).within(domain)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InvalidInput(
            f"{mechanism_name(mechanism)} must accept a table of {data.X.shape[1]} columns to be tried on random "
            f"rows, got {type(error).__name__}: {error}; give --pair"
        ) from error
    X = data.X.copy()
    X[0] = X[1:].max(axis=0)
    return Pair(data, data.with_rows(X, data.y), target=X[0])
