"""What a cage of the zoo holds: a broken mechanism, its healthy twin, and the pair that shows the difference."""

from dataclasses import dataclass

from mlaudit.adapters.function import Function
from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Claim
from mlaudit.types.numbers import parameter
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Exhibit:
    """A mechanism that does not keep its claim beside one that does, a few lines apart.

    `true_epsilon` is the broken one's over all neighbours (at the claimed δ), infinity where no ε will do; `on_pair`
    is the loss on this very pair, where that is less: no audit of the pair can show more. An exhibit with nothing
    broken is there for its false alarms. Its name is its file's, its description that file's first line.

    >>> from mlaudit.types.dataset import Dataset
    >>> pair = Pair(Dataset([0.0]), Dataset([1.0]))
    >>> Exhibit(Claim(1.0), pair, lambda data, rng: 0.0, lambda data, rng: data.X.sum(), float("inf")).loss
    inf
    """

    claim: Claim
    pair: Pair
    healthy: Function
    broken: Function | None = None
    true_epsilon: float = 0.0
    on_pair: float | None = None
    reference: str = ""

    def __post_init__(self) -> None:
        steps = self.pair.steps(self.claim.relation)
        if steps != 1:
            raise InvalidInput(f"an exhibit's pair must be one step apart under its claim's relation, got {steps}")
        if (self.true_epsilon > self.claim.epsilon) != (self.broken is not None):
            raise InvalidInput(
                f"the true ε of a broken mechanism, and of no other, must be above the claimed "
                f"{parameter(self.claim.epsilon)}, got {parameter(self.true_epsilon)}"
            )

    @property
    def loss(self) -> float:
        """The largest privacy loss on the pair: what an audit could find."""
        return self.true_epsilon if self.on_pair is None else self.on_pair
