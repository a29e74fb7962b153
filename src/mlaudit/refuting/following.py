"""Follow the noise of the learner: once before anything is counted, and on the pair of each finding.

The trainings of a trace have seeds of their own, and no verdict counts them. So whether there are suspects may decide
how α is shared: a learner without suspects, or one that cannot be followed, loses nothing.
"""

from contextlib import suppress
from dataclasses import replace

from mlaudit.drawing.elsewhere import find_train_many
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.errors import AuditError, InvalidInput
from mlaudit.refuting.crafting import craft_data, plan_crafting
from mlaudit.refuting.limit import OutOfTime
from mlaudit.refuting.refutation import FaultLine, Refutation, list_lines
from mlaudit.refuting.subject import Subject
from mlaudit.scanning.neighbours import Neighbour
from mlaudit.tracing.pairs import gather_pairs
from mlaudit.tracing.task import FollowPairs, TraceAttempt, run_trace

_ROUNDS = 3  # transcripts of a suspected pair: two of them on D, whose noise is compared
_TIME = 0.2  # of the time limit
_ISOLATED = "every training runs in a process of its own, and a trace compares trainings of one process"


def follow_noise(subject: Subject) -> TraceAttempt:
    """Follow the noise on the pairs of the scan, of the search and of crafted data, as many as the effort allows."""
    obstacle = _find_obstacle(subject)
    if obstacle:
        return TraceAttempt(None, obstacle)
    try:
        pairs = _choose_pairs(subject)
    except AuditError as error:
        return TraceAttempt(None, " ".join(str(error).split()))
    if not pairs:
        return TraceAttempt(None, "there is no pair one step apart to trace")
    attempt = _run(subject, pairs, _TIME * subject.effort.seconds)
    found = attempt.result
    if found is not None and not found.pairs and found.notes:
        return attempt._replace(why_not=found.notes[0])
    return attempt


def _find_obstacle(subject: Subject) -> str:
    """Why nothing can be followed; "" if it can be tried."""
    if find_train_many(subject.learner) is not None:
        return "the learner is a program of its own, and a trace follows Python code"
    return _ISOLATED if isinstance(subject.engine, Isolated) else ""


def _choose_pairs(subject: Subject) -> tuple[Neighbour, ...]:
    crafting = plan_crafting(subject)
    worst = None if crafting.obstacle else crafting.worst
    most, seed = subject.effort.traced, subject.seed
    # Without data of the user's own, a scan starts from crafted ones.
    data = craft_data(subject) if subject.data is None and worst is not None else subject.data
    try:
        return gather_pairs(crafting.mechanism, data, worst, subject.claim, most, seed)
    except InvalidInput:
        if subject.data is None or worst is None:
            raise
        return gather_pairs(crafting.mechanism, subject.data, None, subject.claim, most, seed)


def _run(subject: Subject, pairs: tuple[Neighbour, ...], seconds: float) -> TraceAttempt:
    task = FollowPairs(subject.learner, pairs, subject.claim, _ROUNDS, subject.seed, seconds)
    try:
        attempt = run_trace(task, subject.engine)
    except InvalidInput as error:  # of an adapter: the learner cannot be trained on these data
        return TraceAttempt(None, " ".join(str(error).split()))
    with suppress(OutOfTime):  # the next detector meets it
        subject.progress(0 if attempt.result is None else attempt.result.fits, attempt.cpu_seconds)
    return attempt


def add_lines(subject: Subject, found: Refutation) -> Refutation:
    """The finding with the lines that a trace of its pair points at.

    A finding behind an earlier one has none: a trace does not know which part of the output was left out.
    """
    if found.lines or found.left_out or _find_obstacle(subject):
        return found
    return replace(found, lines=_find_lines(subject, found))


def _find_lines(subject: Subject, found: Refutation) -> tuple[FaultLine, ...]:
    pair, claim = found.pair, subject.claim
    # Two steps may cost twice the claim.
    claimed = replace(claim, epsilon=claim.epsilon * pair.steps(claim.relation))
    stated = replace(subject, claim=claimed)
    attempt = _run(stated, (Neighbour(found.change, pair),), _TIME * subject.effort.seconds)
    return () if attempt.result is None else list_lines(attempt.result.faults)
