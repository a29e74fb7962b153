"""Optional facts about a mechanism, in one value."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice, flag, function, instance, kind_of, several, text, whole
from mlaudit.types.domain import Label, legal_labels
from mlaudit.types.pair import Pair
from mlaudit.types.preparation import TARGETS, Preparation, Targets

BATCH = 1000
_USUAL = Preparation()  # made once: many traits are


@dataclass(frozen=True, kw_only=True)
class Traits:
    """Optional properties of a mechanism in addition to its four methods; every trait has a default.

    A mechanism declares its traits as a class attribute without annotation, or as a property. An annotated attribute
    of a dataclass would be a field: fields are part of a mechanism's description, and seeds are derived from that.

    Args:
        name: The name of the mechanism in results. Default: the name of its class, or of its file if mlaudit ships
            it.
        library: The package whose own training `fit` runs, as in "diffprivlib"; results record its version.
        version: The version of what trains, if no installed package tells it, as of a program in another language.
        attacks: The attacks to try when the user names none. Default: a search.
        uses_target: Whether the summary depends on x*. If not, all pairs with the same D share the trainings on D.
        seeds_by_target: Whether the seed of a training depends on x*. If not, attacks on the same D train the same
            models and look at them at other points.
        black_box: Whether the summary is the model's predictions at x*. Attacks on predictions then use it as it is.
        labels: The labels that rows may carry, for data that mlaudit crafts. Default: no labels, or 0 and 1.
        targets: The labels that it learns from: "two classes", "classes" (two or more), "numbers" (a regression), or
            "any". Of a file with more classes, a learner of two classes gets the two most frequent.
        preparation: How tables are prepared for this mechanism, unless the user asks for something else.
        flag: A function of the summary that names a fault of a training, or returns "". Flagged outputs are
            counted as a separate kind, and the result's notes name them.
        batch: How many trainings `sample` draws at once.
        columns: The number of columns that it takes, for data that mlaudit crafts. Default: 0, any number.

    Raises:
        InvalidInput: If a trait has a value of the wrong kind.

    Example:
        >>> class NoisyMeans:
        ...     traits = Traits(library="diffprivlib", uses_target=False)
        >>> traits_of(NoisyMeans()).library
        'diffprivlib'
    """

    name: str = ""
    library: str = ""
    version: str = ""
    attacks: tuple[Callable[..., Pair], ...] = ()
    uses_target: bool = True
    seeds_by_target: bool = True
    black_box: bool = False
    labels: tuple[Label, ...] | None = None
    targets: Targets = "any"
    preparation: Preparation = _USUAL
    flag: Callable[[FloatArray], str] | None = None
    batch: int = BATCH
    columns: int = 0

    def __post_init__(self) -> None:
        text("name", self.name)
        text("library", self.library)
        text("version", self.version)
        flag("uses_target", self.uses_target)
        flag("seeds_by_target", self.seeds_by_target)
        flag("black_box", self.black_box)
        choice("kind of targets", self.targets, TARGETS)
        instance("preparation", self.preparation, Preparation)
        whole("batch", self.batch, 1)
        whole("columns", self.columns, 0)
        attacks = several("attacks", self.attacks, "attacks")
        for attack in attacks:
            function("an attack", attack, "a function of (mechanism, data, rows, rng)")
        object.__setattr__(self, "attacks", attacks)
        object.__setattr__(self, "labels", legal_labels(self.labels))
        if self.flag is not None:
            function("flag", self.flag, "a function of a summary")


_DEFAULTS = Traits()


def traits_of(mechanism: object) -> Traits:
    """The traits that a mechanism, or a trainer, declares.

    Args:
        mechanism: Any object; one without `traits` need not know about them.

    Returns:
        Its traits, or the defaults if it declares none.

    Raises:
        InvalidInput: If its attribute `traits` is something else than a value of Traits.

    Example:
        >>> traits_of(object()).uses_target
        True
    """
    declared = getattr(mechanism, "traits", _DEFAULTS)
    if not isinstance(declared, Traits):
        raise InvalidInput(
            f"traits of {type(mechanism).__name__} must be Traits(...), as a class attribute or a property, "
            f"got {kind_of(declared)}"
        )
    return declared


def preparation_for(mechanism: object) -> Preparation:
    """How tables are prepared for a mechanism, unless the user asks for something else.

    >>> preparation_for(object()).targets
    'any'
    """
    traits = traits_of(mechanism)
    return replace(traits.preparation, targets=traits.targets)
