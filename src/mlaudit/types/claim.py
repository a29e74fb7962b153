"""A claim of differential privacy, and the neighbour relation it holds under."""

from dataclasses import dataclass, field
from enum import Enum

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import flag, positive, quote, real, text
from mlaudit.types.numbers import parameter


class Relation(Enum):
    """Which datasets are neighbours.

    - `REPLACE_ONE`: one row is replaced by another.
    - `ADD_REMOVE`: one row is added or removed.
    - `LABEL_ONLY`: the label of one row is changed; features are public.
    - `ZERO_OUT`: the features of one row become zeros, or were zeros; its label is kept.

    Example:
        >>> Relation("replace-one") is Relation.REPLACE_ONE
        True
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"
    LABEL_ONLY = "label-only"
    ZERO_OUT = "zero-out"


@dataclass(frozen=True)
class Claim:
    """A claim of (ε, δ)-differential privacy under a neighbour relation.

    Args:
        epsilon: The claimed ε.
        delta: The claimed δ.
        relation: The neighbour relation.
        gaussian: Whether the claim is the stronger one of μ-Gaussian DP, with the μ whose curve passes through
            (ε, δ). Only then may a bound that assumes Gaussian DP refute it.
        unit: What owns rows, if one neighbour step is all rows of one owner. By default that of the data.

    Raises:
        InvalidInput: If ε is not positive, δ is not in [0, 1), or a Gaussian claim has δ = 0.

    Example:
        >>> Claim(1.0)
        Claim(epsilon=1.0, delta=0.0, relation=<Relation.REPLACE_ONE: 'replace-one'>, gaussian=False)
        >>> Claim(-1.0)
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: epsilon must be a number in (0, inf), got -1.0
    """

    epsilon: float
    delta: float = 0.0
    relation: Relation = Relation.REPLACE_ONE
    gaussian: bool = False
    unit: str | None = field(default=None, repr=False, metadata={"later": True, "in_files": "if given"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "delta", real("delta", self.delta, 0, 1, closed_low=True))
        if not isinstance(self.relation, Relation):
            names = ", ".join(f"Relation.{r.name}" for r in Relation)
            raise InvalidInput(f"relation must be one of {names}, got {quote(self.relation)}")
        flag("gaussian", self.gaussian)
        if self.unit is not None:
            text("unit", self.unit)
        if self.gaussian and self.delta == 0:
            raise InvalidInput("a Gaussian claim needs delta above 0, got 0; no Gaussian noise is (ε, 0)-DP")

    def __str__(self) -> str:
        """ε = 1, δ = 1e-05, replace-one, unit user_id."""
        delta = f", δ = {parameter(self.delta)}" if self.delta else ""
        return f"ε = {parameter(self.epsilon)}{delta}, {self.neighbours}"

    @property
    def neighbours(self) -> str:
        """The neighbour relation, and the unit if it is not the row.

        >>> Claim(1.0, unit="user_id").neighbours
        'replace-one, unit user_id'
        """
        return self.relation.value if self.unit is None else f"{self.relation.value}, unit {self.unit}"
