"""trace(): follow the noise of trainings on D, answer a training on D′ with it, and compare the two."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any

from mlaudit.adapters.convert import as_mechanism
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.auditing.arguments import check_engine, resolve_data, resolve_mechanism
from mlaudit.auditing.run import check_numbers
from mlaudit.drawing.elsewhere import find_train_many
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.versions import library_of
from mlaudit.protocols import Engine, Mechanism
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.readings import MESSAGE, RAISED
from mlaudit.scanning.walk import Readings, attribute_of
from mlaudit.tracing.assignments import find_assignment
from mlaudit.tracing.calls import declared_budget, list_calls
from mlaudit.tracing.common_numbers import find_hints
from mlaudit.tracing.comparison import Compared, compare, differing_paths
from mlaudit.tracing.faults import Fault, find_faults, find_same_noise, strongest
from mlaudit.tracing.pairs import gather_pairs
from mlaudit.tracing.prove import prove_faults
from mlaudit.tracing.recorder import Recorder, follow_sources
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.tape import NoiseEvent
from mlaudit.tracing.training import Follower, Training, identify_data, own_file, own_names
from mlaudit.types.checks import flag, instance, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import plural
from mlaudit.types.pair import Pair
from mlaudit.types.unit_claim import state_unit

GIVEN = "the given pair"
_SEED_OF_TESTS = 10_000  # beyond the seeds of every followed training
_MOST_ROUNDS, _MOST_PAIRS = 1000, 10_000
_ONLY_COMPARED = "some noisy numbers are only compared with each other; what their order reveals is not followed"
_NO_LIMIT = "the loss depends on the answers, so that other transcripts may cost more: no upper limit is stated"
_DECIDES = (
    "was added to no value and may decide which code runs: other draws may leak more, so that no upper limit is"
    " stated"
)
_SAMPLED = (
    "random batches: the loss is that of secret Poisson batches with the largest move that was seen; other batches"
    " may move more: no upper limit is stated"
)
_NO_FINITE_LIMIT = (
    "the answers together have no finite loss, but only a part of them is used: no upper limit is stated"
)
_MOST_DEEP = 3  # pairs that are traced more than once


def trace(  # noqa: PLR0913 - every argument but the learner has a default
    mechanism: Any,
    data: Dataset | str | None = None,
    *,
    pair: Pair | None = None,
    claim: Claim | None = None,
    pairs: int = 100,
    rounds: int = 4,
    prove: bool = True,
    trainings: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
) -> TraceResult:
    """Name the line at fault: follow every noise call of a training, and compare two trainings with equal answers.

    A training on D is recorded: the value before the noise, the noise and the noisy answer of every call. A training
    on D′ then gets the same answers. The difference of each value, over the scale of its noise, is the exact loss of
    that call. An output that differs although all answers are equal bypasses the noise. Every suspect is put to a
    statistical test on its own pair.

    Args:
        mechanism: A mechanism, a function f(data, rng), an estimator with fit and random_state, or a name of `mlaudit
            list mechanisms`, which is built with the ε and δ of the claim.
        data: D, or the name of a dataset, or the path of a table. Its neighbours are those of a scan and a search.
        pair: D and D′, one step apart, instead of `data`.
        claim: The claim. Default: the mechanism's own. A function or an estimator needs one.
        pairs: The most pairs of the data, two trainings each.
        rounds: Transcripts of each suspected pair: two trainings each, in alternating directions.
        prove: Whether suspects are put to a statistical test.
        trainings: The most trainings of each test.
        alpha: The probability at most with which the tests refute the claim of a correct learner.
        seed: Seed of every training: the same seed gives the same result.
        engine: Where the trainings of the tests run. Default: this process.

    Returns:
        The calls with their loss, the suspects with their lines, and what was proved.

    Raises:
        InvalidInput: If an argument has a wrong value, or if there are neither data nor a pair.
        UnknownName: If nothing installed has a given name.

    Example:
        >>> pair = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
        >>> found = trace(lambda data, rng: data.X.sum() + rng.laplace(0.0, 0.5), pair=pair, claim=Claim(1.0))
        >>> found.transcript, found.faults[0].kind, found.violated
        (2.0, 'loss', True)
        >>> trace(lambda data, rng: data.X.sum() + rng.laplace(0.0, 1.0), pair=pair, claim=Claim(1.0)).limit
        1.0
    """
    # Fails for a correct program with probability < 1e-6: noise of half the scale is refuted in 2000 trainings.
    learner = as_mechanism(resolve_mechanism(mechanism, claim), claim)
    claim = instance("claim", learner.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    if find_train_many(learner) is not None:
        raise InvalidInput(
            f"a trace follows Python code, got the program {mechanism_name(learner)}; use mlaudit test"
        )
    whole("rounds", rounds, 1, "two are needed to compare seeds", _MOST_ROUNDS)
    whole("pairs", pairs, 1, "more pairs show more", _MOST_PAIRS)
    flag("prove", prove)
    check_numbers(trainings, alpha, seed)
    workers = LokyEngine() if engine is None else check_engine(engine)
    given = instance("data", resolve_data(data, learner), (Dataset, type(None)), "wrap rows in Dataset(...)")
    named = pair.base if given is None and isinstance(pair, Pair) and pair.base.unit is not None else given
    claim = state_unit(claim, named)
    tried = choose_pairs(learner, given, pair, claim, pairs, seed)
    with one_thread():
        found = follow_pairs(learner, tried, claim, rounds, seed)
        if prove and found.faults:
            tested = prove_faults(found.faults, learner, claim, trainings, alpha, seed + _SEED_OF_TESTS, workers)
            found = replace(found, faults=tested)
    return replace(found, trainings=trainings if prove else 0, alpha=alpha)


def follow_pairs(
    learner: Mechanism, pairs: Sequence[Neighbour], claim: Claim, rounds: int, seed: int, seconds: float = inf
) -> TraceResult:
    """Follow the noise on every pair, and name the suspects. Nothing is proved here.

    Args:
        learner: The learner.
        pairs: Pairs one step apart under the claim.
        claim: The claim.
        rounds: Transcripts of each suspected pair.
        seed: Seed of the followed trainings.
        seconds: The time after which no further pair is tried; a note then says so.

    Returns:
        The suspects with their lines. The patches are removed, whatever happens.
    """
    recorder = Recorder()
    tracer = _Tracer(Follower(learner, recorder), claim, rounds, seed, time.monotonic() + seconds)
    if not isinstance(learner, FunctionMechanism):
        tracer.train_plainly(pairs[0])  # loads the library, so that it can be followed
    with follow_sources(recorder, own_names(learner)):
        error = tracer.find_error(pairs[0])
        found = None if error else tracer.run(pairs, "")
    if found is None:
        # Without the patches: a learner may fail because of them alone.
        refusal = "" if RAISED in tracer.train_plainly(pairs[0]) else error
        with follow_sources(recorder, own_names(learner)):
            found = tracer.run(pairs, refusal)
    if found.faults or found.limit is not None:
        return found
    hints = find_hints(tracer.follower.train_plainly, pairs, seed)
    return replace(found, hints=hints.sentences, fits=found.fits + hints.fits)


def choose_pairs(
    mechanism: Mechanism, data: Dataset | None, pair: Pair | None, claim: Claim, most: int, seed: int
) -> tuple[Neighbour, ...]:
    """The pairs to trace: the given one, or those that a scan and a search try, one step apart under the claim."""
    if pair is not None:
        if data is not None:
            raise InvalidInput("give either data or a pair, got both")
        base = instance("pair", pair, Pair, "as in Pair(base, neighbour)").base
        whole_pair = Pair(base.within(mechanism.domain(base)), pair.neighbour, pair.target)
        steps = whole_pair.steps(claim.relation)
        if steps != 1:
            raise InvalidInput(f"a trace needs a pair one step apart under {claim.neighbours}, got {steps} steps")
        return (Neighbour(GIVEN, whole_pair),)
    made = gather_pairs(mechanism, data, None, claim, most, seed)
    if not made:
        raise InvalidInput("a trace needs data or a pair, got neither; give --data or --pair")
    return made


@dataclass
class _Tracer:
    """Traces pairs with one learner; counts the trainings."""

    follower: Follower
    claim: Claim
    rounds: int
    seed: int
    until: float = inf
    fits: int = 0
    known: dict[tuple[str, int], Training] = field(default_factory=dict)

    def run(self, pairs: Sequence[Neighbour], refusal: str) -> TraceResult:
        """Every pair once, the suspected ones (or the worst) several times."""
        first: dict[Neighbour, Compared] = {}
        for one in () if refusal else pairs:
            if first and time.monotonic() > self.until:
                break
            first[one] = self._compare(one, 0)
        ranked = sorted(first, key=lambda one: -self._rank(first[one], one))
        deep = [one for one in ranked if self._faults(first[one], one)][:_MOST_DEEP] or ranked[:1]
        compared = {one: [first[one], *(self._compare(one, at) for at in range(1, self.rounds))] for one in deep}
        for one in ranked:
            compared.setdefault(one, [first[one]])
        faults = strongest([fault for one, found in compared.items() for fault in self._all_faults(one, found)])
        worst = deep[0] if deep else pairs[0]
        found = self._result(worst, compared.get(worst, []), faults, len(first), refusal)
        if refusal or len(first) == len(pairs):
            return found
        left = plural(len(pairs) - len(first), "pair")
        return replace(found, notes=(*found.notes, f"the time limit ended the trace: {left} not tried"))

    def train_plainly(self, one: Neighbour) -> Readings:
        """Train once on D without following anything."""
        self.fits += 1
        return self.follower.train_plainly(one.pair.base, self.seed)

    def _compare(self, one: Neighbour, at: int) -> Compared:
        """One transcript: recorded on D in even rounds, on D′ in odd ones."""
        sides = (one.pair.base, one.pair.neighbour)[:: 1 if at % 2 == 0 else -1]
        recorded = self._record(sides[0], at)
        self.fits += 1
        return compare(recorded, self.follower.train(sides[1], self.seed + at, recorded.tape))

    def _record(self, data: Dataset, at: int) -> Training:
        key = (identify_data(data), at)
        if key not in self.known:
            self.fits += 1
            self.known[key] = self.follower.train(data, self.seed + at)
        return self.known[key]

    def find_error(self, one: Neighbour) -> str:
        """What a followed training on D raised; "" if nothing."""
        said = self._record(one.pair.base, 0).readings
        if RAISED not in said:
            return ""
        return f"the learner cannot be followed: it raised {said[RAISED]}: {said.get(MESSAGE, '')}"

    def _faults(self, found: Compared, one: Neighbour) -> list[Fault]:
        return list(find_faults(found, self.claim, one))

    def _rank(self, found: Compared, one: Neighbour) -> float:
        """Pairs with suspects first, then by loss; an infinite transcript may come from what is not followed."""
        faults = self._faults(found, one)
        loss = max((fault.loss for fault in faults), default=0.0)
        return 1e9 + min(loss, 1e6) if faults else min(found.transcript(self.claim.delta), 1e6)

    def _all_faults(self, one: Neighbour, found: list[Compared]) -> Iterator[Fault]:
        for at, compared in enumerate(found):
            bypassed = [fault for fault in self._faults(compared, one) if fault.kind == "bypass"]
            if bypassed and not (compared := self._without_chance(compared, one, at)).bypasses:
                yield from self._faults(compared, one)
                continue
            end = self._find_end(compared, one, at) if bypassed else None
            yield from find_faults(compared, self.claim, one, end)
        if len(found) > 2:  # rounds 0 and 2 are recorded on D with different seeds
            yield from find_same_noise(found[0].recorded.tape, found[2].recorded.tape, one)

    def _without_chance(self, found: Compared, one: Neighbour, at: int) -> Compared:
        """Leave out paths that differ also on equal data with equal answers: another source of randomness."""
        control = self._control(one, at)
        by_chance = set(differing_paths(found.recorded.readings, control.readings))
        return replace(found, bypasses=tuple(path for path in found.bypasses if path not in by_chance))

    def _control(self, one: Neighbour, at: int) -> Training:
        """The recorded training once more, on the same data with its own answers; once for each side of a pair."""
        data = (one.pair.base, one.pair.neighbour)[at % 2]
        key = (f"control {identify_data(data)}", at % 2)
        if key not in self.known:
            self.fits += 1
            recorded = self._record(data, at)
            self.known[key] = self.follower.train(data, self.seed + at, recorded.tape, watch=True)
        return self.known[key]

    def _find_end(self, found: Compared, one: Neighbour, at: int) -> Any:
        """The line that let data pass: the return of the user's function, or the assignment of the attribute."""
        mechanism = self.follower.mechanism
        if own_file(mechanism):
            return self._control(one, at).end
        return find_assignment(found.recorded.model, attribute_of(found.bypasses[0]))

    def _result(
        self, worst: Neighbour, found: list[Compared], faults: tuple[Fault, ...], pairs: int, refusal: str
    ) -> TraceResult:
        delta, mechanism = self.claim.delta, self.follower.mechanism
        losses = [compared.transcript(delta) for compared in found]
        dearest = max(found, key=lambda one: one.transcript(delta)) if found else None
        gaps = [refusal] if refusal else list(dict.fromkeys(note for one in found for note in _find_gaps(one)))
        transcript = max(losses, default=inf)
        certain = not gaps and not faults and isfinite(transcript) and len({round(loss, 9) for loss in losses}) == 1
        if not gaps and not faults and not certain:
            gaps.append(_NO_LIMIT if isfinite(transcript) else _NO_FINITE_LIMIT)
        compared = any(event.uses == {"compared"} for one in found for event in one.recorded.tape.events)
        return TraceResult(
            mechanism_name(mechanism),
            library_of(mechanism),
            worst.pair.base.name,
            self.claim,
            worst,
            () if dearest is None else list_calls(dearest, delta),
            None if dearest is None else declared_budget(dearest, delta),
            faults,
            transcript,
            transcript if certain else None,
            pairs,
            self.fits,
            0,
            0.5,
            self.seed,
            (*gaps, *([_ONLY_COMPARED] if compared else [])),
        )


def _find_gaps(found: Compared) -> Iterator[str]:
    """What was not followed in a transcript, so that no limit can be stated."""
    for reason, line in found.unfollowed.items():
        yield f"not followed: {reason}, at {line}"
    if RAISED in found.recorded.readings:
        yield f"the recorded training raised {found.recorded.readings[RAISED]}"
    if found.loose and (found.bypasses or found.divergence is not None):
        lost = "it became a plain number before it was added to a value, and the output moved"
        yield f"not followed: {_list_lines(found.loose)}; {lost}"
    elif free := [event for event in found.loose if event.uses & {"released", "compared"}]:
        yield f"{_list_lines(free)} {_DECIDES}"
    if found.sampled:
        yield _SAMPLED
    if not all(loss.known for loss in found.losses.values()):
        yield "the loss of some noise is not known: its law is none of those that can be followed"


def _list_lines(events: Sequence[NoiseEvent]) -> str:
    """The lines of a few noise calls, with their kinds."""
    return ", ".join(dict.fromkeys(f"{event.law.kind} noise of {event.site}" for event in events[:3]))
