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

    An implementation must take all randomness of a training from the seed, and keep no state between trainings.

    Example:
        >>> import numpy as np
        >>> from mlaudit import Box, Pair, audit
        >>> class NoisySum:
        ...     claim = Claim(1.0)
        ...     def domain(self, data):
        ...         return Box(0.0, 1.0)
        ...     def fit(self, data, seed):
        ...         return data.X.sum() + np.random.default_rng(seed).laplace(scale=0.2)  # ε = 1 needs scale 1
        ...     def summary(self, model, target):
        ...         return np.array([model])
        >>> isinstance(NoisySum(), Mechanism)
        True
        >>> audit(NoisySum(), pair=Pair(Dataset([0.0]), Dataset([1.0])), trainings=400).verdict
        'violated'
    """

    @property
    def claim(self) -> Claim:
        """The privacy that the mechanism claims."""

    def domain(self, data: Dataset) -> Domain | None:
        """The domain of the mechanism for D. It is called once, before any attack.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie; None if every row is legal.
        """

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """One private training, all of whose randomness comes from the seed.

        Args:
            data: D or D′. `data.domain` is the domain that `domain` returned for D.
            seed: The seed of this training.

        Returns:
            The released model, in any form that `summary` reads. An exception counts as an output.
        """

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """τ: the model as a vector of numbers.

        Args:
            model: The model that `fit` returned.
            target: x* of the pair; None if the pair has none.

        Returns:
            The numbers that the classifiers compare. NaN, infinities and vectors of another length are outputs, too.
        """


@runtime_checkable
class Samples(Protocol):
    """The optional fast path of a mechanism: many trainings at once, from the same distribution.

    An implementation must return summaries that are independent, and distributed as those of `fit`.

    Example:
        >>> from mlaudit.mechanisms.laplace import Laplace
        >>> isinstance(Laplace(1.0), Samples)
        True
        >>> Laplace(1.0).sample(Dataset([0.0, 1.0]), None, 5, SeedSequence(0)).shape
        (5, 1)
    """

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """The summaries of many trainings.

        Args:
            data: D or D′.
            target: x* of the pair; None if the pair has none.
            n: The number of trainings.
            seed: The seed of these trainings.

        Returns:
            A table with one summary in each of `n` rows.
        """


@runtime_checkable
class Prepares(Protocol):
    """A mechanism drawn by a sampler that first does what all trainings on a dataset share.

    An implementation must draw from the distribution of the library's own fit; as a mirror, it must give the same
    output as that fit for every seed.

    Example:
        >>> from mlaudit.mechanisms.naive_bayes import NaiveBayes
        >>> from mlaudit.samplers.sampled import SampledMechanism
        >>> isinstance(SampledMechanism(NaiveBayes(), "mirror"), Prepares)
        True
    """

    @property
    def kind(self) -> str:
        """`mirror`: drawn by (seed, spawn_key, indices), one seed each. `batched`: by (n, seed), one seed a batch."""

    @property
    def seeded_as(self) -> Mechanism:
        """The mechanism whose seeds it takes."""

    def source_digest(self) -> str:
        """A hash of the sampler's source, so that stored draws of another version are not reused."""

    def prepare(self, data: Dataset, target: FloatArray | None) -> Callable[..., FloatArray]:
        """Do once what all trainings on the data share.

        Args:
            data: D or D′.
            target: x* of the pair; None if the pair has none.

        Returns:
            The function that draws summaries, with the arguments that `kind` says.
        """


@runtime_checkable
class HasRecipe(Protocol):
    """A mechanism that a script can train without mlaudit.

    An implementation must write code whose trainings have the distribution of `fit` and `summary`.

    Example:
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from mlaudit import EstimatorMechanism
        >>> learner = EstimatorMechanism(GaussianNB(), Claim(1.0))
        >>> isinstance(learner, HasRecipe), "model.fit(X, y)" in learner.recipe(None).body
        (True, True)
    """

    def recipe(self, domain: Domain | None) -> Recipe:
        """The code of one training.

        Args:
            domain: The domain of the data; None if there is none.

        Returns:
            The import lines and the body of a function that trains once and returns the summary.
        """


@runtime_checkable
class SummarisesDeaths(Protocol):
    """A mechanism that has a summary for a training that ended its own process.

    Without `death_summary` such a training is an output without numbers.

    Example:
        >>> class Killed:
        ...     def death_summary(self, kind):
        ...         return [1.0 if kind.startswith("killed") else 0.0]
        >>> isinstance(Killed(), SummarisesDeaths)
        True
    """

    def death_summary(self, kind: str) -> FloatArray:
        """τ of a training that ended its own process.

        Args:
            kind: How the process ended, such as "killed its process (SIGSEGV)".

        Returns:
            The summary, as numbers.
        """


@runtime_checkable
class RefusesPairs(Protocol):
    """A mechanism that a search may not try on every pair.

    An implementation must give the same answer for the same pair. A search drops refused pairs.

    Example:
        >>> class OneRowOnly:
        ...     def refuses(self, pair):
        ...         return pair.rows > 1
        >>> isinstance(OneRowOnly(), RefusesPairs)
        True
    """

    def refuses(self, pair: Pair) -> bool:
        """Whether the given `pair` is not to be tried."""


class Attack(Protocol):
    """Makes a neighbour D′ that should be easy to distinguish from D.

    A function is an attack. An implementation must keep D as one side of the pair, change exactly as many rows as it
    is asked to, stay in the domain of D, and draw random numbers only from the given generator.

    Example:
        >>> from mlaudit import audit
        >>> from mlaudit.types.edits import replace_rows
        >>> def set_first_rows(mechanism, data, rows, rng):
        ...     return Pair(data, replace_rows(data, range(rows), [[1.0]]))
        >>> attack: Attack = set_first_rows
        >>> too_little_noise = lambda data, rng: data.X.sum() + rng.laplace(scale=0.2)
        >>> audit(too_little_noise, Dataset([0.0] * 8), claim=Claim(1.0), attack=attack, trainings=400).verdict
        'violated'
    """

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with some rows changed.

        Args:
            mechanism: The mechanism that is audited. An attack may read its claim and traits, or train it.
            data: The dataset D.
            rows: The number of rows to change.
            rng: The only source of random numbers.

        Returns:
            D and D′, and x* if summaries depend on it.

        Raises:
            InvalidInput: If D has fewer rows that the attack can change, or the attack does not suit D.
        """


@runtime_checkable
class Observes(Protocol):
    """An attack that observes another summary than the mechanism's own, such as the prediction at x*.

    An implementation must leave the trainings as they are, and change their summary only.

    Example:
        >>> from mlaudit.attacks.clip_bkd_prediction import ClipBkdPrediction
        >>> isinstance(ClipBkdPrediction(), Observes)
        True
    """

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The given `mechanism` with the summary τ that the attack observes."""


@runtime_checkable
class ChangesRows(Protocol):
    """An attack that replaces, adds or removes rows by itself.

    An implementation must return a new attack, and stay as it is.

    Example:
        >>> from mlaudit import Search
        >>> isinstance(Search(), ChangesRows), Search().with_change("add").change
        (True, 'add')
    """

    def with_change(self, change: str) -> Attack:
        """The same attack, restricted to one `change`: "replace", "add", "remove", "relabel" or "zero"."""


class Draw(Protocol):
    """Fresh trainings of one pair, a budget's worth.

    An implementation must never return a training twice.

    Example:
        >>> import numpy as np
        >>> from mlaudit.types.draws import Draws
        >>> class Coins:
        ...     remaining, pilot = 100, None
        ...     def coins(self, n):
        ...         return np.arange(n) % 2
        ...     def __call__(self, labels):
        ...         self.remaining -= len(labels)
        ...         return Draws(labels, np.zeros((len(labels), 1)))
        >>> draw: Draw = Coins()
        >>> len(draw(draw.coins(40))), draw.remaining
        (40, 60)
    """

    @property
    def remaining(self) -> int:
        """How many trainings are left."""

    @property
    def pilot(self) -> Draws | None:
        """What was drawn to choose the pair: may train a classifier, never counts."""

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the labels of the next `n` trainings."""

    def __call__(self, labels: IntArray) -> Draws:
        """One fresh training for each of the `labels`: 1 stands for D, 0 for D′.

        Raises:
            InvalidInput: If fewer trainings are left.
        """


@runtime_checkable
class KnowsShift(Protocol):
    """Fresh trainings of a pair whose shift is known from common seeds.

    An implementation must learn the shift from trainings that it never returns.

    Example:
        >>> class Shifted:
        ...     shift = None
        >>> isinstance(Shifted(), KnowsShift)
        True
    """

    @property
    def shift(self) -> PairedShift | None:
        """The shift from D′ to D; None if common seeds do not show it."""


@runtime_checkable
class LearnsShift(KnowsShift, Protocol):
    """Fresh trainings of a pair whose shift can be learned at any time.

    Example:
        >>> class Shifted:
        ...     shift = None
        ...     def learn_shift(self, pairs):
        ...         pass
        >>> isinstance(Shifted(), LearnsShift)
        True
    """

    def learn_shift(self, pairs: int) -> None:
        """Draw pairs of trainings with common seeds, at the cost of what remains, and set `shift`.

        Args:
            pairs: How many pairs, at most.
        """


@runtime_checkable
class UsesShift(Protocol):
    """A procedure that learns the shift before its first training, from pairs with common seeds, which never count.

    Example:
        >>> from mlaudit.procedures.progressive import Progressive
        >>> isinstance(Progressive(), UsesShift)
        True
    """

    def pairs(self, trainings: int) -> int:
        """How many pairs it would spend on that, at most, if there are so many `trainings` in all."""


class Procedure(Protocol):
    """Decides which labels to draw and how the draws become a bound.

    An implementation must compute a bound that is above the true ε with probability at most `alpha`, whatever the
    mechanism is. It must not count a training that it learned from.

    Example:
        >>> from dataclasses import dataclass
        >>> from mlaudit import audit
        >>> from mlaudit.procedures.progressive import Progressive
        >>> @dataclass(frozen=True)
        ... class Cautious:
        ...     parts: int = 10
        ...     def __call__(self, draw, claim, pair, alpha):
        ...         return Progressive()(draw, claim, pair, alpha / self.parts)
        ...     def confirm(self, draw, claim, pair, alpha, finding):
        ...         return Progressive().confirm(draw, claim, pair, alpha / self.parts, finding)
        >>> procedure: Procedure = Cautious()
        >>> result = audit("laplace", claim=Claim(1.0), rows=1, trainings=1000, procedure=procedure)
        >>> result.verdict, result.finding.bound.alpha
        ('not_refuted', 0.005)
    """

    def __call__(self, draw: Draw, claim: Claim, pair: Pair, alpha: float) -> Finding:
        """Use the draw's budget to compute a bound.

        Args:
            draw: Fresh trainings: `draw(labels)` returns one for each label, until none is `remaining`.
            claim: The claim to audit.
            pair: D and D′. A bound for the pair is converted to one for `pair.steps(claim.relation)` steps.
            alpha: The one-sided error: the bound may be above the true ε with at most this probability.

        Returns:
            The bound, the counts behind it, and the witness, which is the rule that distinguishes D from D′.

        Raises:
            InvalidInput: If there are too few trainings, or the procedure cannot audit such a claim.
        """

    def confirm(self, draw: Draw, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        """Count the witness of an earlier finding on fresh draws, without learning a new rule.

        Args:
            draw: Fresh trainings of the same pair.
            claim: The claim to audit.
            pair: D and D′.
            alpha: The one-sided error of the new bound.
            finding: The earlier finding, whose witness is used.

        Returns:
            The bound on the fresh trainings, with the same witness.

        Raises:
            InvalidInput: If the witness is not one of this procedure, or there are too few trainings.
        """


@runtime_checkable
class ChecksClaim(Protocol):
    """A procedure that cannot audit every claim.

    Example:
        >>> from mlaudit.procedures.gdp_accuracy import GdpAccuracy
        >>> isinstance(GdpAccuracy(), ChecksClaim)
        True
        >>> GdpAccuracy().check_claim(Claim(1.0))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: gdp_accuracy needs a claim with delta above 0, got 0; ...
    """

    def check_claim(self, claim: Claim) -> None:
        """Raise InvalidInput if the procedure says nothing about such a `claim`."""


@runtime_checkable
class StatesCeiling(Protocol):
    """A procedure that knows beforehand how large a bound can be.

    A search then never changes so many rows that the bound could not be above the claim, if fewer rows would do.

    Example:
        >>> from mlaudit.procedures.two_phase import TwoPhase
        >>> isinstance(TwoPhase(), StatesCeiling), round(TwoPhase().ceiling(Claim(1.0), 1, 2000, 0.05), 2)
        (True, 5.12)
    """

    def ceiling(self, claim: Claim, steps: int, trainings: int, alpha: float) -> float:
        """About the largest bound that an audit can give.

        Args:
            claim: The claim to audit.
            steps: The number of neighbour steps between D and D′.
            trainings: The total number of trainings.
            alpha: The one-sided error of the bound.

        Returns:
            The ceiling, as an ε for one step.
        """


class Interval(Protocol):
    """A confidence bound from two counts.

    An implementation must return a bound that is above the true value with probability at most `alpha`, for all
    probabilities p₁ and p₀.

    Example:
        >>> import numpy as np
        >>> from mlaudit import audit
        >>> from mlaudit.procedures.two_phase import TwoPhase
        >>> class Hoeffding:
        ...     def log_ratio(self, hits, false_hits, trials, false_trials, alpha, delta=0.0):
        ...         p1 = hits / trials - np.sqrt(np.log(2 / alpha) / (2 * trials))
        ...         p0 = false_hits / false_trials + np.sqrt(np.log(2 / alpha) / (2 * false_trials))
        ...         return np.log(np.maximum(p1 - delta, 1e-300) / p0)
        >>> interval: Interval = Hoeffding()
        >>> procedure = TwoPhase(interval=interval)
        >>> 0 < audit("laplace", claim=Claim(1.0), rows=1, trainings=4000, procedure=procedure).epsilon_lower < 1
        True
    """

    def log_ratio(
        self,
        hits: IntArray,
        false_hits: IntArray,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: FloatArray | float = 0.0,
    ) -> FloatArray:
        """A lower bound on ln((p₁ − δ) / p₀), vectorised over the counts.

        Args:
            hits: How often the output fell into the set on the side with probability p₁.
            false_hits: How often it did on the other side, with probability p₀.
            trials: The number of trainings on the first side.
            false_trials: The number of trainings on the other side.
            alpha: The one-sided error.
            delta: The δ of the claim.

        Returns:
            One bound for each entry of the counts; minus infinity, or nearly so, where the counts show nothing.
        """


@runtime_checkable
class HasSearchInterval(Protocol):
    """An interval that is too slow to scan many thresholds, and names a faster one for that.

    The faster interval chooses a threshold only; the bound comes from the slower one.

    Example:
        >>> from mlaudit.intervals.exact import Exact
        >>> isinstance(Exact(), HasSearchInterval), Exact().search
        (True, MoverCP())
    """

    @property
    def search(self) -> Interval:
        """The faster interval."""


class Classifier(Protocol):
    """Learns to distinguish outputs on D from outputs on D′.

    An implementation must learn from the given outputs only, and give the same scorer for the same outputs. A bad
    classifier lowers the bound, and the bound stays valid.

    Example:
        >>> from dataclasses import dataclass
        >>> from mlaudit import audit
        >>> from mlaudit.procedures.progressive import Progressive
        >>> @dataclass(frozen=True, eq=False)
        ... class Direction:
        ...     slope: FloatArray
        ...     middle: FloatArray
        ...     def __call__(self, z):
        ...         return (z - self.middle) @ self.slope
        >>> class Means:
        ...     def fit(self, z, labels):
        ...         one, zero = z[labels == 1].mean(axis=0), z[labels == 0].mean(axis=0)
        ...         return Direction(one - zero, (one + zero) / 2)
        >>> classifier: Classifier = Means()
        >>> procedure = Progressive(classifiers=(classifier,))
        >>> 0 < audit("laplace", claim=Claim(1.0), rows=1, trainings=2000, procedure=procedure).epsilon_lower < 1
        True
    """

    def fit(self, z: FloatArray, labels: IntArray) -> "VectorScorer":
        """Learn from labelled outputs.

        Args:
            z: Finite vectors, one output per row.
            labels: The label of each row: 1 for D, 0 for D′.

        Returns:
            A scorer of finite vectors, as a frozen dataclass of numbers.
        """


class VectorScorer(Protocol):
    """A learned log-odds on finite vectors: a frozen dataclass of numbers.

    An implementation must give each row a score that does not depend on the other rows.

    Example:
        >>> import numpy as np
        >>> from mlaudit.classifiers.coordinate import Coordinate
        >>> scorer: VectorScorer = Coordinate().fit(np.array([[0.0], [0.1], [1.0], [1.1]]), np.array([0, 0, 1, 1]))
        >>> (scorer(np.array([[0.0], [1.0]])) > 0).tolist()
        [False, True]
    """

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds of D for each row of `z`."""


class Learner(Protocol):
    """A classifier that is learning.

    Example:
        >>> import numpy as np
        >>> from mlaudit.classifiers.additive import Additive
        >>> learner: Learner = Additive().start(None)
        >>> learner.add(np.arange(40.0)[:, None], np.arange(40) // 20)
        >>> (learner.score(np.array([[0.0], [39.0]])) > 0).tolist()
        [False, True]
    """

    def add(self, z: FloatArray, labels: IntArray) -> None:
        """Learn from further outputs.

        Args:
            z: Finite vectors, one output per row.
            labels: The label of each row: 1 for D, 0 for D′.
        """

    def score(self, z: FloatArray) -> FloatArray:
        """One log-odds of D for each row of `z`, by what was learned so far."""

    @property
    def scorer(self) -> VectorScorer:
        """What was learned so far."""


@runtime_checkable
class Grows(Protocol):
    """A classifier that learns from further draws without starting again, and may use a known shift.

    Example:
        >>> from mlaudit.classifiers.additive import Additive
        >>> isinstance(Additive(), Grows)
        True
    """

    def start(self, known: PairedShift | None) -> Learner:
        """A learner that has seen nothing yet, but the `known` shift from D′ to D if there is one."""


class Engine(Protocol):
    """Runs trainings, in this process or elsewhere.

    An implementation must run every item exactly as if `task(item)` were called, and return each result once. If a
    worker dies, it must run the items of this worker again.

    Example:
        >>> from mlaudit import audit
        >>> class LastFirst:
        ...     def map_unordered(self, task, items):
        ...         yield from map(task, reversed(items))
        >>> engine: Engine = LastFirst()
        >>> one = audit("laplace", claim=Claim(1.0), rows=1, trainings=1000, engine=engine)
        >>> one.epsilon_lower == audit("laplace", claim=Claim(1.0), rows=1, trainings=1000).epsilon_lower
        True
    """

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results of task(item), in any order.

        Args:
            task: A function of one item.
            items: The arguments of the function; each item stands for a few trainings.

        Returns:
            An iterator over the results. The caller may stop early.

        Raises:
            Incomplete: If no worker is left, or workers end again and again without a result.
        """


class Store(Protocol):
    """Stores trainings that were drawn.

    An implementation must return blocks exactly as they were put, and leave out a block that is damaged or that it
    cannot trust.

    Example:
        >>> from mlaudit import audit
        >>> class DictionaryStore:
        ...     def __init__(self):
        ...         self.blocks = {}
        ...     def read(self, key, start, stop):
        ...         found = [(first, block) for (name, first), block in self.blocks.items() if name == key]
        ...         return [(first, block) for first, block in found if first < stop and first + len(block) > start]
        ...     def put(self, key, start, block):
        ...         self.blocks[key, start] = block
        >>> store: Store = DictionaryStore()
        >>> first, again = (audit("laplace", rows=1, trainings=200, store=store) for _ in range(2))
        >>> first.epsilon_lower == again.epsilon_lower
        True
    """

    def read(self, key: str, start: int, stop: int) -> Iterable[tuple[int, Block]]:
        """The intact blocks of a stream that overlap a range of its trainings.

        Args:
            key: The name of the stream: one mechanism on one dataset, with one seed.
            start: The number of the first training that is wanted.
            stop: The number behind the last training that is wanted.

        Returns:
            The number of the first training of each block, and the block, in any order.

        Raises:
            StoreError: If the store cannot be read.
        """

    def put(self, key: str, start: int, block: Block) -> None:
        """Store a block permanently before returning.

        Args:
            key: The name of the stream.
            start: The number of the first training of the block.
            block: The outputs of consecutive trainings.

        Raises:
            Incomplete: If there is no room, or another process uses the store.
            StoreError: If the store cannot be written to.
        """
