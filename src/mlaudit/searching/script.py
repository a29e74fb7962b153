"""A violation as a short script that anybody can run: the audited library, numpy, and nothing of ours."""

from math import exp

from mlaudit.adapters.convert import mechanism_name
from mlaudit.errors import InvalidInput
from mlaudit.outcomes import FAILED
from mlaudit.protocols import Mechanism
from mlaudit.searching.event import Event
from mlaudit.searching.recipe import Recipe, recipe_of
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_TEMPLATE = '''"""{title}

{steps}. Under {claim} the probability of every set of
outputs may differ between them by a factor of at most {factor:.4g}. Here it differs by more.
"""

import warnings

import numpy as np
{imports}

D = {base}
D_prime = {neighbour}
{target}

def output(X, y, seed):
{body}


def happens(X, y, seed):
    """{said}."""
{happens}


warnings.simplefilter("ignore")  # what libraries say of versions is not the point
trainings = {trainings}
p, q = (np.mean([happens(*data, seed) for seed in range(trainings)]) for data in ({order}))
least = p - 3 * np.sqrt(p * (1 - p) / trainings)  # three standard errors on the cautious side
most = q + 3 * np.sqrt(q * (1 - q) / trainings) + 3 / trainings
print(f"{{p:.4f}} against {{q:.4f}}: a loss of at least {{np.log(least / most):.3f}}, claimed {loss:g}")
assert np.log(least / most) > {loss!r}
'''


def script_of(mechanism: Mechanism, pair: Pair, claim: Claim, event: Event, trainings: int) -> str:
    """The script; it counts the event on both sides and asserts that it comes too often on one of them."""
    steps = pair.steps(claim.relation)
    recipe = recipe_of(mechanism, pair.base.domain)
    first, second = ("D", "D_prime") if event.on_base > event.on_neighbour else ("D_prime", "D")
    apart = "one step" if steps == 1 else f"{steps} steps"
    return _TEMPLATE.format(
        title=f"{mechanism_name(mechanism)} does not keep {claim}.",
        steps=f"D and D_prime are {apart} apart ({claim.relation.value})",
        claim="the claim",
        factor=exp(steps * claim.epsilon),
        imports="\n".join(recipe.imports),
        base=_data(pair.base),
        neighbour=_data(pair.neighbour),
        target=_target(recipe, pair),
        body=_indented(recipe.body),
        said=in_words(event),
        happens=_indented(_happens(event)),
        trainings=trainings,
        order=f"{first}, {second}",
        loss=steps * claim.epsilon,
    )


def in_words(event: Event) -> str:
    """The event as the end of a sentence."""
    no = "" if event.holds else "not "
    if event.kind is not None:
        return f"The training {no}{_verb(event.kind)}"
    number = "The weighted sum of the output" if event.weights else f"Number {event.coordinate} of the output"
    if event.exact:
        return f"{number} is {no}{event.clue.low:.6g}"
    return f"{number} is {'at most' if event.holds else 'above'} {event.clue.high:.6g}"


def _verb(kind: str) -> str:
    for past, present in (("raised", "raises"), ("killed", "kills"), ("left", "leaves")):
        if kind.startswith(past):
            return kind.replace(past, present, 1)
    return f"gives {kind}"


def _happens(event: Event) -> str:
    if event.kind is not None:
        return _of_kind(event)
    value = (
        f"output(X, y, seed) @ {list(event.weights)}" if event.weights else f"output(X, y, seed)[{event.coordinate}]"
    )
    if event.exact:
        return f"return {value} {'==' if event.holds else '!='} {event.clue.low!r}"
    return f"return {value} {'<=' if event.holds else '>'} {event.clue.high!r}"


def _of_kind(event: Event) -> str:
    """An exception by its name, anything else by how many finite numbers there are and where."""
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
    length = int(kind.split(" ", maxsplit=1)[0])
    finite = "not np.isfinite(z).all()" if "," in kind else "np.isfinite(z).all()"
    return (
        "try:\n    z = output(X, y, seed)\nexcept Exception:\n"
        f"    return {bool(no)}\nreturn {yes}(len(z) == {length} and {finite})"
    )


def _data(data: Dataset) -> str:
    labels = "None" if data.y is None else f"np.array({data.y.tolist()!r})"
    return f"np.array({data.X.tolist()!r}), {labels}"


def _target(recipe: Recipe, pair: Pair) -> str:
    needed = "TARGET" in recipe.body and pair.target is not None
    return f"TARGET = np.array({pair.target.tolist()!r})\n" if needed and pair.target is not None else ""


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in code.split("\n"))


def file_name(mechanism: Mechanism) -> str:
    """What the script is called.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> file_name(Laplace())
    'witness_laplace.py'
    """
    return f"witness_{''.join(c if c.isalnum() else '_' for c in mechanism_name(mechanism))}.py"
