"""The parts that can be exchanged: structural, nothing to inherit. One new file adds one more of each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from numpy.random import Generator, SeedSequence

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.block import Block
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair
from mlaudit.types.recipe import Recipe
from mlaudit.types.shift import PairedShift

Item = TypeVar("Item")
Result = TypeVar("Result")
SamplerKind = Literal["library", "mirror", "batched", "function", "program"]  # how trainings are drawn


@runtime_checkable
class Mechanism(Protocol):
    """A randomised learner or query, and the privacy that it claims.

    The dataset carries the domain fixed on D (`data.domain`), the same for M(D) and M(D′): a mechanism takes
    its bounds and norms from there, never from the rows. Optional properties of a mechanism are declared in
    `traits`: see `mlaudit.types.traits.Traits`.
    """

    @property
    def claim(self) -> Claim:
        """The privacy that the mechanism claims."""

    def domain(self, data: Dataset) -> Domain | None:
        """The domain of the mechanism for D. It is called once, before any attack."""

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
class Prepares(Protocol):
    """A mechanism drawn by a sampler that first does what all trainings on a dataset share."""

    @property
    def kind(self) -> str:
        """`mirror`: drawn by (seed, spawn_key, indices), one seed each. `batched`: by (n, seed), one seed a batch."""

    @property
    def seeded_as(self) -> Mechanism:
        """The mechanism whose seeds it takes."""

    def source_digest(self) -> str:
        """A hash of the sampler's source, so that stored draws of another version are not reused."""

    def prepare(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        """Do once what all trainings on the data share; return the function that draws summaries."""


@runtime_checkable
class HasRecipe(Protocol):
    """A mechanism that a script can train without mlaudit."""

    def recipe(self, domain: Domain | None) -> Recipe:
        """The code of one training on data of this domain."""


@runtime_checkable
class SummarisesDeaths(Protocol):
    """A mechanism that has a summary for a training that ended its own process."""

    def death_summary(self, kind: str) -> FloatArray:
        """τ of a training that ended in this way."""


@runtime_checkable
class RefusesPairs(Protocol):
    """A mechanism that a search may not try on every pair."""

    def refuses(self, pair: Pair) -> bool:
        """Whether the pair is not to be tried."""


class Attack(Protocol):
    """Makes a neighbour D′ that should be easy to distinguish from D."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` rows changed."""


@runtime_checkable
class Observes(Protocol):
    """An attack that observes another summary than the mechanism's own, such as the prediction at x*."""

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the summary τ that the attack observes."""


@runtime_checkable
class ChangesRows(Protocol):
    """An attack that replaces, adds or removes rows by itself."""

    def with_change(self, change: str) -> Attack:
        """The same attack, restricted to "replace", "add", "remove", "relabel" or "zero"."""


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


@runtime_checkable
class KnowsShift(Protocol):
    """Fresh trainings of a pair whose shift is known from common seeds."""

    @property
    def shift(self) -> PairedShift | None:
        """The shift from D′ to D; None if common seeds do not show it."""


@runtime_checkable
class UsesShift(Protocol):
    """A procedure that learns the shift from pairs of trainings with common seeds, which never count."""

    def pairs(self, trainings: int) -> int:
        """How many pairs of trainings it would spend on that, at most."""


class Procedure(Protocol):
    """Decides which labels to draw and how the draws become a bound."""

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Use the draw's budget to compute a bound with one-sided error alpha."""

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Count the witness of an earlier finding on fresh draws, without learning a new rule."""


@runtime_checkable
class ChecksClaim(Protocol):
    """A procedure that cannot audit every claim."""

    def check_claim(self, claim: Claim) -> None:
        """Raise InvalidInput if the procedure says nothing about such a claim."""


@runtime_checkable
class StatesCeiling(Protocol):
    """A procedure that knows beforehand how large a bound can be: a search then never changes more rows than that."""

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """About the largest bound that so many trainings can give, on a pair that is so many steps apart."""


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


@runtime_checkable
class HasSearchInterval(Protocol):
    """An interval that is too slow to scan many thresholds, and names a faster one for that."""

    @property
    def search(self) -> Interval:
        """The faster interval."""


class Classifier(Protocol):
    """Learns to distinguish outputs on D from outputs on D′."""

    def fit(self, z: FloatArray, labels: IntArray) -> "VectorScorer":
        """A scorer of finite vectors; labels are 1 for D."""


class VectorScorer(Protocol):
    """A learned log-odds on finite vectors: a frozen dataclass of numbers."""

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""


class Learner(Protocol):
    """A classifier that is learning."""

    def add(self, z: FloatArray, labels: IntArray) -> None:
        """Learn from further finite vectors."""

    def score(self, z: FloatArray) -> FloatArray:
        """One log-odds per row, by what was learned so far."""

    @property
    def scorer(self) -> VectorScorer:
        """What was learned so far."""


@runtime_checkable
class Grows(Protocol):
    """A classifier that learns from further draws without starting again, and may use a known shift."""

    def start(self, known: PairedShift | None) -> Learner:
        """A learner that has seen nothing yet."""


class Engine(Protocol):
    """Runs trainings, in this process or elsewhere."""

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in any order."""


class Store(Protocol):
    """Stores trainings that were drawn."""

    def read(self, key: str, start: int, stop: int) -> Iterable[tuple[int, Block]]:
        """The intact blocks of that stream which overlap [start, stop), with their starts."""

    def put(self, key: str, start: int, block: Block) -> None:
        """Store a block permanently before returning."""
