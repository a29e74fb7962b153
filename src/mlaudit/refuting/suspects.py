"""Statistical tests of the suspects of a trace, each on its own pair. A trace alone refutes nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from mlaudit.drawing.loop import DrawingLoop
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.refuting.detector import Look
from mlaudit.refuting.effort import FEWEST
from mlaudit.refuting.leak_audit import as_audit, name_place
from mlaudit.refuting.narrowed import WHOLE
from mlaudit.refuting.refutation import Refutation, list_lines
from mlaudit.refuting.subject import Subject
from mlaudit.results.verdict import VERDICTS, Verdict
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.scanning.readings import MESSAGE, RAISED
from mlaudit.scanning.result import Leak
from mlaudit.scanning.standing import implied_epsilon, relation_of
from mlaudit.scanning.walk import attribute_of
from mlaudit.statistics.detectable import detectable_by_bets
from mlaudit.tracing.faults import Fault, PairTest
from mlaudit.tracing.prove import MOST_PAIRS, count_attributes
from mlaudit.tracing.result import TraceResult
from mlaudit.types.finding import Bets
from mlaudit.types.numbers import plural

_OF_THE_SUMMARY = ("output", RAISED, MESSAGE)  # the summary shows these as well


class _Planned(NamedTuple):
    """A test: of the attributes of the fitted object on a pair, or of the summary if there are none."""

    neighbour: Neighbour
    attributes: frozenset[str]


class _Tested(NamedTuple):
    """A test that was made."""

    neighbour: Neighbour
    test: PairTest | Leak
    verdict: Verdict
    epsilon_lower: float
    ceiling: float
    detectable: float
    spent: int
    found: Refutation | None
    notes: tuple[str, ...] = ()


def find_obstacle(subject: Subject) -> str:
    """Why no suspect can be tested: without one there is nothing to test, and no share of α is taken."""
    found = subject.traced.result
    if found is None or subject.traced.why_not:
        return subject.traced.why_not
    return "" if found.faults else f"no suspect on {plural(found.pairs, 'pair')}: nothing to test"


def look_at_suspects(detector: str, subject: Subject, alpha: float, audits: int) -> Look:
    """Test the gravest suspects on their own pairs.

    Every planned test has an equal share of alpha, fixed before any of them is made. Suspects that were proved before
    are not tested again.

    Args:
        detector: The name of the detector that looks.
        subject: The learner with its trace.
        alpha: The share of the detector.
        audits: How many audits' worth of trainings all tests together may spend.

    Returns:
        What the tests showed, and the trace with them.

    Raises:
        InvalidInput: If every suspect was proved before, or no test can be made.
        LearnerFailed: If no test can be made because every training raised.
    """
    trace = cast(TraceResult, subject.traced.result)
    most = left = audits * subject.effort.trainings
    planned = plan_tests(trace.faults, most)
    proved = {id(fault.neighbour) for fault in trace.faults if fault.proved}
    open_tests = [one for one in planned if id(one.neighbour) not in proved]
    if not open_tests:
        raise InvalidInput("every suspect was proved before")
    made: list[_Tested] = []
    failures: list[InvalidInput | LearnerFailed] = []
    for at, one in enumerate(open_tests):
        trainings = max(left // (len(open_tests) - at), FEWEST)
        try:
            tested = _test(detector, subject, trace, one, trainings, alpha / len(planned))
        except (InvalidInput, LearnerFailed) as error:  # as of a learner without a summary
            failures.append(error)
            continue
        if tested is None:
            continue
        made.append(tested)
        left -= tested.spent
        if tested.found is not None and not subject.finds_all:
            break
    if not made and failures:
        raise failures[0]
    return _make_look(made, trace, most, alpha, subject.claim.epsilon)


def plan_tests(faults: Sequence[Fault], trainings: int) -> list[_Planned]:
    """The tests of the gravest pairs, as many as the trainings allow; where a suspect should show comes first."""
    planned: list[_Planned] = []
    for neighbour in list(dict.fromkeys(fault.neighbour for fault in faults))[:MOST_PAIRS]:
        mine = [fault for fault in faults if fault.neighbour is neighbour]
        attributes = frozenset(attribute_of(path) for fault in mine for path in fault.paths) - {*_OF_THE_SUMMARY}
        both = [_Planned(neighbour, frozenset()), *([_Planned(neighbour, attributes)] if attributes else [])]
        only_attributes = all(fault.paths for fault in mine)
        planned += reversed(both) if only_attributes else both
    return planned[: max(trainings // FEWEST, 1)]


def _test(
    detector: str, subject: Subject, trace: TraceResult, one: _Planned, trainings: int, alpha: float
) -> _Tested | None:
    lines = list_lines(fault for fault in trace.faults if fault.neighbour is one.neighbour)
    if one.attributes:
        tested = _test_attributes(detector, subject, one, trainings, alpha)
    else:
        tested = _test_summary(detector, subject, one.neighbour, trainings, alpha)
    if tested is None or tested.found is None or subject.narrowing != WHOLE:
        return tested  # behind an earlier finding the lines may be those of the part that is left out
    return tested._replace(found=replace(tested.found, lines=lines))


def _test_summary(detector: str, subject: Subject, neighbour: Neighbour, trainings: int, alpha: float) -> _Tested:
    audited = subject.fix_domain(neighbour.pair)
    result = subject.audit(alpha, pair=neighbour.pair, trainings=trainings, mechanism=audited)
    result = replace(result, attack=neighbour.change)
    bound, again = result.finding.bound, result.confirmation
    spent = cast(Bets, result.finding.evidence).spent
    test = PairTest(bound, None if again is None else again.bound, result.verdict, spent)
    return _Tested(
        neighbour,
        test,
        result.verdict,
        bound.epsilon,
        bound.ceiling,
        result.detectable,
        spent,
        Refutation(detector, "", "", result) if result.violated else None,
        result.provenance.notes,
    )


def _test_attributes(detector: str, subject: Subject, one: _Planned, trainings: int, alpha: float) -> _Tested | None:
    loop = DrawingLoop(subject.engine, subject.store, subject.progress)
    claim, learner = subject.claim, subject.learner
    leak = count_attributes(learner, claim, one.neighbour, {*one.attributes}, trainings, alpha, subject.seed, loop)
    if leak is None:
        return None
    found = None
    if leak.standing == "violated":
        found = Refutation(detector, name_place([leak]), f"{leak.reveals}.", as_audit(leak, subject, trainings))
    return _Tested(
        one.neighbour,
        leak,
        "not_refuted" if leak.standing == "not_claimed" else leak.standing,
        implied_epsilon(claim, relation_of(one.neighbour.pair, claim), leak.bound),
        leak.bound.ceiling,
        detectable_by_bets(trainings, claim, alpha, 1),
        leak.guesses,
        found,
    )


def _make_look(made: Sequence[_Tested], trace: TraceResult, most: int, alpha: float, claimed: float) -> Look:
    """The gravest verdict of the tests; suspects keep the graver test of their pair."""

    def gravity(one: _Tested) -> tuple[bool, int]:
        # A test that could not have refuted the claim says nothing beside one that could.
        unable = one.verdict == "inconclusive" and one.ceiling <= claimed
        return unable, VERDICTS.index(one.verdict)

    ordered = sorted(made, key=gravity)
    tests: dict[Neighbour, PairTest | Leak] = {one.neighbour: one.test for one in reversed(ordered)}
    faults = tuple(
        fault.tested(tests[fault.neighbour]) if fault.neighbour in tests else fault for fault in trace.faults
    )
    pairs = plural(len({one.neighbour for one in made}), "suspected pair")
    return Look(
        ordered[0].verdict if ordered else "inconclusive",
        max((one.epsilon_lower for one in made), default=0.0),
        max((one.ceiling for one in made), default=0.0),
        min((one.detectable for one in made), default=float("inf")),
        f"{pairs} of {trace.pairs} that were traced",
        tuple(one.found for one in made if one.found is not None),
        complete=True,
        notes=tuple(dict.fromkeys(note for one in made for note in one.notes)),
        trace=replace(trace, faults=faults, trainings=most, alpha=alpha),
    )
