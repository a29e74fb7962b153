"""What a learner promises."""

from dataclasses import dataclass
from enum import Enum

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import flag, positive, real, shown


class Relation(Enum):
    """When two datasets count as neighbours, one step apart.

    >>> Relation("replace-one") is Relation.REPLACE_ONE
    True
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


@dataclass(frozen=True)
class Claim:
    """(ε, δ)-differential privacy under a neighbour relation.

    `gaussian` says that the claim is the stronger one of μ-Gaussian DP, with the μ whose curve passes
    through (ε, δ): only then may a bound that assumes Gaussian DP refute it.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "delta", real("delta", self.delta, 0, 1, closed_low=True))
        if not isinstance(self.relation, Relation):
            names = ", ".join(f"Relation.{r.name}" for r in Relation)
            raise InvalidInput(f"relation must be one of {names}, got {shown(self.relation)}")
        flag("gaussian", self.gaussian)
        if self.gaussian and self.delta == 0:
            raise InvalidInput("a Gaussian claim needs delta above 0, got 0; no Gaussian noise is (ε, 0)-DP")

    def __str__(self) -> str:
        """ε = 1, δ = 1e-05, replace-one."""
        delta = f", δ = {self.delta:g}" if self.delta else ""
        return f"ε = {self.epsilon:g}{delta}, {self.relation.value}"
