"""The parts that can be exchanged: structural, nothing to inherit. One new file adds one more of each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from numpy.random import Generator, SeedSequence

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.block import Block
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair

Item = TypeVar("Item")
Result = TypeVar("Result")


@runtime_checkable
class Mechanism(Protocol):
    """A randomised learner and what it claims.

    The dataset carries the domain fixed on D (`data.domain`), the same for M(D) and M(D′): a learner takes
    its bounds and norms from there, never from the rows. A mechanism whose summary never looks at the target may
    say so with `uses_target = False`: its trainings on D then serve every pair with that D. One that can go wrong in
    a way of its own may have `flag(summary) -> str`: what it says is kept as a kind of output, and noted. `library`
    names the package a result stands for, `attacks` what to try by default, `preparation` how it wants its data.
    """

    @property
    def claim(self) -> Claim:
        """What the learner promises."""

    def domain(self, data: Dataset) -> Domain | None:
        """The domain the learner is configured with for D; asked once, before any attack."""

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """One private training, all of whose randomness comes from the seed."""

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """τ: the model as a vector of numbers; `target` is the pair's x*."""


@runtime_checkable
class Samples(Protocol):
    """The optional fast path of a mechanism: many trainings at once, from the same distribution."""

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """`n` summaries, as rows."""


@runtime_checkable
class Prepared(Protocol):
    """A mechanism drawn by a sampler that first does what all trainings on a dataset share."""

    @property
    def kind(self) -> str:
        """`mirror`: drawn by (seed, words, places), one seed a training; `batched`: by (n, seed), one a block."""

    @property
    def seeded_as(self) -> Mechanism:
        """The mechanism whose seeds it takes."""

    def prepared(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        """What draws summaries of this dataset."""


class Attack(Protocol):
    """Makes the neighbour that should be easiest to tell from D."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows changed."""


class Draw(Protocol):
    """Fresh trainings of one pair, a budget's worth."""

    @property
    def remaining(self) -> int:
        """How many trainings are left."""

    @property
    def pilot(self) -> Draws | None:
        """What was drawn to choose the pair: may train a classifier, never counts."""

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the labels of the next n trainings."""

    def __call__(self, labels: IntArray) -> Draws:
        """One fresh training for each label."""


class Procedure(Protocol):
    """Decides which labels to draw and how the draws become a bound."""

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Spend the draw's budget on a bound at one-sided error alpha."""

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Count an earlier finding's witness on fresh draws; nothing is learned."""


class Interval(Protocol):
    """A confidence bound from two counts."""

    def log_ratio(
        self,
        hits: IntArray,
        false_hits: IntArray,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: FloatArray | float = 0.0,
    ) -> FloatArray:
        """A lower bound on ln((p₁ − δ) / p₀) at one-sided error alpha, vectorised over the counts."""


class Classifier(Protocol):
    """Learns which outputs betray D."""

    def fit(self, z: FloatArray, labels: IntArray) -> "VectorScorer":
        """A scorer of finite vectors; labels are 1 for D."""


class VectorScorer(Protocol):
    """A learned log-odds on finite vectors: a frozen dataclass of numbers."""

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""


class Engine(Protocol):
    """Where trainings run."""

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in whatever order they come."""


class Store(Protocol):
    """Where drawn trainings are kept."""

    def read(self, key: str, start: int, stop: int) -> Iterable[tuple[int, Block]]:
        """The intact blocks of that arm which overlap [start, stop), with their starts."""

    def put(self, key: str, start: int, block: Block) -> None:
        """Keep a block for good before returning."""
