"""A violation as a short script that anybody can run: it needs the audited library and numpy, not mlaudit."""

import re
from math import exp

from mlaudit.drawing.outcome import FAILED
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.claim import Claim
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import measurement, parameter
from mlaudit.types.pair import Pair
from mlaudit.types.recipe import Recipe
from mlaudit.witness.event import Event
from mlaudit.witness.recipe import recipe_of
from mlaudit.witness.typed import write_columns

_NUMBERS = re.compile(r"\d+ numbers?(, (NaN|[+-]inf) at [^;]*)?")
_ARGUMENTS = "X, y, seed"
_TEMPLATE = '''"""{title}

{steps}. Under {claim} the probability of every set of
outputs may differ between them by a factor of at most {factor}. Here it differs by more.
"""

import warnings

import numpy as np
{imports}

D = {base}
D_prime = {neighbour}
{target}

def output({arguments}):
{body}


def happens({arguments}):
    """{said}."""
{happens}


warnings.simplefilter("ignore")  # what libraries say of versions is not the point
trainings = {trainings}
p, q = (np.mean([happens(*data, seed) for seed in range(trainings)]) for data in ({order}))
least = p - 3 * np.sqrt(p * (1 - p) / trainings)  # three standard errors on the cautious side
most = q + 3 * np.sqrt(q * (1 - q) / trainings) + 3 / trainings
print(f"{{p:.4f}} against {{q:.4f}}: a loss of at least {{np.log(least / most):.3f}}, claimed {claimed}")
assert np.log(least / most) > {loss!r}
'''


def write_script(mechanism: Mechanism, pair: Pair, claim: Claim, event: Event, trainings: int) -> str:
    """Write the script: it counts the event on both sides and asserts that the loss exceeds the claim."""
    steps = pair.steps(claim.relation)
    recipe = recipe_of(mechanism, pair.base.domain)
    first, second = ("D", "D_prime") if event.on_base > event.on_neighbour else ("D_prime", "D")
    apart = "one step" if steps == 1 else f"{steps} steps"
    owned = pair.base.units is not None
    arguments = _ARGUMENTS if not owned else "X, y, units, seed"
    return _TEMPLATE.format(
        title=f"{mechanism_name(mechanism)} does not keep {claim}.",
        steps=f"D and D_prime are {apart} apart ({claim.neighbours})",
        claim="the claim",
        factor=measurement(exp(steps * claim.epsilon)),
        imports="\n".join(recipe.imports),
        base=_data_code(pair.base),
        neighbour=_data_code(pair.neighbour),
        target=_target_code(recipe, pair),
        arguments=arguments,
        body=_indent((owned and recipe.body_with_units) or recipe.body),
        said=describe_event(event),
        happens=_indent(_event_code(event).replace(_ARGUMENTS, arguments)),
        trainings=trainings,
        order=f"{first}, {second}",
        loss=steps * claim.epsilon,
        claimed=parameter(steps * claim.epsilon),
    )


def describe_event(event: Event) -> str:
    """The event as a clause."""
    no = "" if event.holds else "not "
    if event.kind is not None:
        return f"The training {no}{_verb(event.kind)}"
    number = "The weighted sum of the output" if event.weights else f"Number {event.coordinate} of the output"
    if event.exact:
        return f"{number} is {no}{measurement(event.clue.low, 6)}"
    return f"{number} is {'at most' if event.holds else 'above'} {measurement(event.clue.high, 6)}"


def _verb(kind: str) -> str:
    for past, present in (("raised", "raises"), ("killed", "kills"), ("left", "leaves")):
        if kind.startswith(past):
            return kind.replace(past, present, 1)
    return f"gives {kind}"


def _event_code(event: Event) -> str:
    if event.kind is not None:
        return _kind_code(event)
    value = (
        f"output(X, y, seed) @ {list(event.weights)}" if event.weights else f"output(X, y, seed)[{event.coordinate}]"
    )
    if event.exact:
        return f"return {value} {'==' if event.holds else '!='} {event.clue.low!r}"
    return f"return {value} {'<=' if event.holds else '>'} {event.clue.high!r}"


def _kind_code(event: Event) -> str:
    """Test an exception by its name, any other kind by the number of values and whether they are finite."""
    yes, no = ("", "not ") if event.holds else ("not ", "")
    kind = str(event.kind)
    if kind.startswith("raised "):
        wanted = kind.removeprefix("raised ")
        return (
            "try:\n    output(X, y, seed)\nexcept Exception as error:\n"
            f"    return {yes}type(error).__name__ == {wanted!r}\nreturn {bool(no)}"
        )
    if kind.startswith(FAILED):
        raise InvalidInput(f"a training that {kind} would end a script too, got one; replay the result instead")
    if not _NUMBERS.fullmatch(kind):
        raise InvalidInput(f"a script tests numbers and exceptions, got the output {kind}; replay the result instead")
    length = int(kind.split(" ", maxsplit=1)[0])
    finite = "not np.isfinite(z).all()" if "," in kind else "np.isfinite(z).all()"
    return (
        "try:\n    z = output(X, y, seed)\nexcept Exception:\n"
        f"    return {bool(no)}\nreturn {yes}(len(z) == {length} and {finite})"
    )


def _data_code(data: Dataset) -> str:
    labels = "None" if data.y is None else f"np.array({data.y.tolist()!r})"
    if isinstance(data.domain, Columns):
        return f"{write_columns(data.columns)}, {labels}"
    rows = re.sub(r"\b(nan|inf)\b", r"np.\1", repr(data.X.tolist()))
    owners = "" if data.units is None else f", np.array({data.units.tolist()!r})"
    return f"np.array({rows}), {labels}{owners}"


def _target_code(recipe: Recipe, pair: Pair) -> str:
    needed = "TARGET" in recipe.body and pair.target is not None
    return f"TARGET = np.array({pair.target.tolist()!r})\n" if needed and pair.target is not None else ""


def _indent(code: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in code.split("\n"))


def file_name(mechanism: Mechanism) -> str:
    """The name of the script's file.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> file_name(Laplace())
    'witness_laplace.py'
    """
    return f"witness_{''.join(c if c.isalnum() else '_' for c in mechanism_name(mechanism))}.py"
