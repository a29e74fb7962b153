"""The recipe of any mechanism: its own, or one that calls it as mlaudit does."""

from mlaudit.naming.as_code import write_constructor, write_imports_of
from mlaudit.protocols import HasRecipe, Mechanism
from mlaudit.types.clipping import ClippingBall, ClippingBox
from mlaudit.types.columns import Columns
from mlaudit.types.domain import Box, Domain, L2Ball
from mlaudit.types.recipe import Recipe


def recipe_of(mechanism: Mechanism, domain: Domain | None) -> Recipe:
    """The mechanism's own recipe if its very class has one: a subclass may train in another way."""
    if isinstance(mechanism, HasRecipe) and "recipe" in vars(type(mechanism)):
        return mechanism.recipe(domain)
    return _call_mechanism(mechanism, domain)


def _call_mechanism(mechanism: Mechanism, domain: Domain | None) -> Recipe:
    """A class with fit and summary, which take mlaudit's values: such a script needs mlaudit."""
    imports = (
        *write_imports_of(mechanism),
        "from mlaudit import Box, Dataset, L2Ball, Relation",
        "from mlaudit.types.outputs import read_numbers",
    )
    if isinstance(domain, ClippingBox | ClippingBall):
        imports = (*imports, "from mlaudit.types.clipping import ClippingBall, ClippingBox")
    if isinstance(domain, Columns):
        kinds = ", ".join(sorted({"Columns", *(type(column).__name__ for column in domain.columns)}))
        imports = (*imports, f"from mlaudit.datasets import {kinds}")
    rows = f"{_write_domain(domain)}.encode(X)" if isinstance(domain, Columns) else "X"
    plain, owned = (
        f"mechanism = {write_constructor(mechanism)}\n"
        f"data = Dataset({rows}, y, {_write_domain(domain)}{given})\n"
        "return read_numbers(mechanism.summary(mechanism.fit(data, np.random.SeedSequence(seed)), TARGET)).ravel()"
        for given in ("", ", units=units")
    )
    return Recipe(imports, plain, owned)


def _write_domain(domain: Domain | None) -> str:
    if isinstance(domain, Columns):
        return write_constructor(domain)
    if isinstance(domain, ClippingBox):
        rest = f"{domain.labels!r}, {domain.label_range!r}, {domain.finite}"
        return f"ClippingBox({domain.low.tolist()}, {domain.high.tolist()}, {rest})"
    if isinstance(domain, ClippingBall):
        return f"ClippingBall({domain.radius!r}, {domain.labels!r}, {domain.finite})"
    if isinstance(domain, Box):
        between = "" if domain.label_range is None else f", {domain.label_range!r}"
        return f"Box({domain.low.tolist()}, {domain.high.tolist()}, {domain.labels!r}{between})"
    return f"L2Ball({domain.radius!r}, {domain.labels!r})" if isinstance(domain, L2Ball) else "None"
