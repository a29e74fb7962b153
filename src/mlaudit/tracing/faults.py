"""Suspects that the comparison of two trainings names: what is wrong, and on which line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, get_args

import numpy as np

from mlaudit.results.verdict import VERDICTS, Verdict
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.result import Leak
from mlaudit.scanning.walk import attribute_of
from mlaudit.tracing.call_loss import CallLoss
from mlaudit.tracing.comparison import Compared
from mlaudit.tracing.laws import BINGHAM, CHOICE, COIN, DECLARED, FLIP, MAPPED, NOISY_MAX, SYMMETRIC
from mlaudit.tracing.sites import Site
from mlaudit.tracing.tape import Declared, NoiseEvent, Tape
from mlaudit.types.checks import choice, instance, several, text, whole
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound
from mlaudit.types.numbers import measurement

FaultKind = Literal["loss", "sensitivity", "bypass", "sequence", "same noise"]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
_CHANCES = (CHOICE, COIN, FLIP, NOISY_MAX, BINGHAM)
_UNLIMITED = ("Laplace", "Gaussian", "GaussianAnalytic")  # others are truncated, and may give their bound twice
_CONTINUOUS = ("laplace", "normal", "exponential", "logistic", "gumbel", "uniform")


@dataclass(frozen=True)
class PairTest:
    """A statistical test of a pair: the bound, the bound on fresh trainings if the first is above the claim.

    `trainings` is the number of trainings that were counted.
    """

    bound: Bound
    repeated: Bound | None
    verdict: Verdict
    trainings: int = 0

    def __post_init__(self) -> None:
        instance("bound", self.bound, Bound)
        if self.repeated is not None:
            instance("repeated", self.repeated, Bound)
        choice("verdict", self.verdict, VERDICTS)
        whole("trainings", self.trainings, 0)

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted, also on fresh trainings."""
        return self.verdict == "violated"


@dataclass(frozen=True)
class Fault:
    """A suspect: a line, and why it is suspected on this pair.

    Args:
        kind: "loss": the answers together cost more than the claim. "sensitivity": a value moved by more than its
            call declares. "bypass": the output differs although all
            answers are equal. "sequence": the calls themselves differ. "same noise": two seeds, one noise.
        site: The line.
        sentence: What was seen there.
        loss: The loss of the transcript as far as it was followed; infinity for a bypass.
        neighbour: The pair.
        paths: The parts of the output that differ.
        test: The statistical test of this suspect on its own pair; None if it was not tested.

    Raises:
        InvalidInput: If a value is of the wrong kind.
    """

    kind: FaultKind
    site: Site
    sentence: str
    loss: float
    neighbour: Neighbour
    paths: tuple[str, ...] = ()
    test: PairTest | Leak | None = None

    def __post_init__(self) -> None:
        choice("kind of a fault", self.kind, KINDS)
        instance("site", self.site, Site)
        text("sentence", self.sentence)
        instance("loss", self.loss, (float, int))
        instance("neighbour", self.neighbour, Neighbour)
        object.__setattr__(
            self, "paths", tuple(text("a path", path) for path in several("paths", self.paths, "texts"))
        )
        if self.test is not None:
            instance("test", self.test, (PairTest, Leak))

    @property
    def proved(self) -> bool:
        """Whether a statistical test on fresh trainings refuted the claim on this pair."""
        test = self.test
        return test.violated if isinstance(test, PairTest) else test is not None and test.standing == "violated"

    @property
    def counted(self) -> int:
        """The number of trainings that its test counted; 0 if there was none."""
        return (
            0 if self.test is None else self.test.trainings if isinstance(self.test, PairTest) else self.test.guesses
        )

    def tested(self, test: PairTest | Leak) -> "Fault":
        """The same suspect with its test."""
        return replace(self, test=test)


def find_faults(found: Compared, claim: Claim, neighbour: Neighbour, end: Site | None = None) -> Iterator[Fault]:
    """Every suspect of one transcript.

    Args:
        found: The two trainings, compared.
        claim: The claim.
        neighbour: Their pair.
        end: The line that returned the output, for a bypass.

    Yields:
        The suspects. Where noise was lost from sight, no difference of outputs is one.
    """
    events = found.recorded.tape.events
    total = found.suspicious(claim.delta)
    if found.divergence is None and total > claim.epsilon * (1 + found.slack):
        yield from _find_worst_calls(found, claim, neighbour, total)
    yield from _find_sensitivities(events, found, neighbour)
    if found.loose or found.unfollowed:
        return
    if found.divergence is not None:
        said = f"the calls depend on the data: {found.divergence.what}"
        yield Fault("sequence", found.divergence.site, said, inf, neighbour, found.bypasses)
    elif found.bypasses:
        yield _bypass(found, neighbour, end)


def _find_worst_calls(found: Compared, claim: Claim, neighbour: Neighbour, total: float) -> Iterator[Fault]:
    """The lines whose calls cost most: those that alone are above the claim, else the worst line."""
    by_line: dict[tuple[str, int], list[int]] = {}
    for at in found.losses:
        site = found.recorded.tape.events[at].site
        by_line.setdefault((site.file, site.line), []).append(at)
    costs = {line: found.suspicious(claim.delta, calls) for line, calls in by_line.items()}
    worst = max(costs, key=lambda line: costs[line])
    for line, calls in by_line.items():
        if line == worst or costs[line] > claim.epsilon * (1 + found.slack):
            at = max(calls, key=lambda one: _weight(found.losses[one]))
            said = _explain(found.recorded.tape.events[at], found.losses[at], len(calls))
            yield Fault("loss", found.recorded.tape.events[at].site, said, total, neighbour)


def _weight(loss: CallLoss) -> tuple[float, float]:
    """What orders the calls of one line, the dearest last; noise of unknown law comes first."""
    return (loss.pure + loss.mu + loss.rho, loss.moved) if loss.known else (-1.0, 0.0)


def _explain(event: NoiseEvent, loss: CallLoss, calls: int) -> str:
    """Why a call costs what it does."""
    often = f" ({calls} calls of this line)" if calls > 1 else ""
    if loss.scale_moved:
        return f"the scale of the {event.law.kind} noise depends on the data{often}"
    if loss.shared:
        return f"one draw of noise is added to values that move differently{often}"
    if event.law.kind in _CHANCES:
        return f"the probabilities of the answers move{often}"
    moved = f"the value before the noise moves by {measurement(loss.moved)}"
    if event.law.kind == DECLARED and event.declared is not None and event.declared.sensitivity:
        times = measurement(loss.moved / event.declared.sensitivity)
        return f"{moved}, {times} times the sensitivity that {event.declared.name} declares{often}"
    if event.law.kind == MAPPED:
        return f"{moved}, and the mechanism has this loss for it{often}"
    if event.law.kind not in SYMMETRIC:
        return f"{moved}, and the {event.law.kind} noise does not reach every value{often}"
    scale = float(np.min(event.law.scale))
    return f"{moved}, the {event.law.kind} noise has scale {measurement(abs(scale))}{often}"


def _find_sensitivities(events: list[NoiseEvent], found: Compared, neighbour: Neighbour) -> Iterator[Fault]:
    """Values that moved by more than is declared: of one call, or of all calls of a step together."""
    for at, loss in found.losses.items():
        event = events[at]
        if event.declared is not None and event.law.kind in (*SYMMETRIC, DECLARED, MAPPED):
            yield from _check_sensitivity(event, event.declared, loss.moved, loss.slack, found, neighbour)
    for places in _steps_of(events, found).values():
        step = events[places[0]].step
        if step is not None:
            moved = float(np.sqrt(sum(found.losses[at].moved ** 2 for at in places)))
            slack = max(found.losses[at].slack for at in places)
            worst = max(places, key=lambda at: found.losses[at].moved)
            yield from _check_sensitivity(events[worst], step.declared, moved, slack, found, neighbour)


def _steps_of(events: list[NoiseEvent], found: Compared) -> dict[int, list[int]]:
    """The calls of every step whose values moved."""
    steps: dict[int, list[int]] = {}
    for at, loss in found.losses.items():
        step = events[at].step
        if step is not None and loss.moved:
            steps.setdefault(step.index, []).append(at)
    return steps


def _check_sensitivity(
    event: NoiseEvent, declared: Declared, moved: float, slack: float, found: Compared, neighbour: Neighbour
) -> Iterator[Fault]:
    limit = declared.sensitivity
    if limit is not None and moved > limit * (1 + slack):
        said = f"{declared.name} declares sensitivity {measurement(limit)}; the value moves by {measurement(moved)}"
        yield Fault("sensitivity", event.site, said, found.suspicious(0.0), neighbour)


def _bypass(found: Compared, neighbour: Neighbour, end: Site | None) -> Fault:
    names = list(dict.fromkeys(attribute_of(path) for path in found.bypasses))
    site = end if end is not None else _last_site(found.recorded.tape)
    shown = ", ".join(names[:4]) + (" and others" if len(names) > 4 else "")
    said = f"{shown} differs although every noisy answer is equal"
    return Fault("bypass", site, said, inf, neighbour, found.bypasses)


def _last_site(tape: Tape) -> Site:
    return tape.events[-1].site if tape.events else Site("", 0, "")


def find_same_noise(one: Tape, other: Tape, neighbour: Neighbour) -> Iterator[Fault]:
    """Draws of two trainings on one dataset that are equal although their seeds are not."""
    for a, b in zip(one.events, other.events, strict=False):
        plain = a.declared is None or a.declared.name in _UNLIMITED
        drawn = a.law.kind in _CONTINUOUS and not a.parents and np.size(a.answer) and np.all(a.law.scale > 0)
        if plain and drawn and a.site == b.site and np.array_equal(_noise_of(a), _noise_of(b)):
            said = f"the {a.law.kind} noise is the same in trainings with different seeds"
            yield Fault("same noise", a.site, said, inf, neighbour)


def _noise_of(event: NoiseEvent) -> Any:
    return np.asarray(event.answer, dtype=float) - event.exact


def strongest(faults: Sequence[Fault]) -> tuple[Fault, ...]:
    """One suspect for each kind and line: the one with the largest loss; the gravest first."""
    best: dict[tuple[str, str, int], Fault] = {}
    for fault in faults:
        key = (fault.kind, fault.site.file, fault.site.line)
        if key not in best or fault.loss > best[key].loss:
            best[key] = fault
    return tuple(sorted(best.values(), key=lambda fault: (-fault.loss, KINDS.index(fault.kind))))
