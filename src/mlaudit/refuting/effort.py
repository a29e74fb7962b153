"""Efforts: fixed numbers of trainings, so that the same seed gives the same verdict on every machine."""

import sys
from dataclasses import dataclass, replace

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import choice, quote, whole

FEWEST = 100  # trainings below which nothing could be shown
_MOST = 10**8  # all are held in memory


@dataclass(frozen=True)
class Effort:
    """How much each detector may spend.

    Args:
        name: What results call it.
        trainings: The most trainings of each audit, pilots included.
        pilot: Trainings of each dataset that a scan compares.
        suspect: The most fresh trainings for each suspect of a scan.
        traced: The most pairs that a trace follows, two trainings each.
        seconds: Time after which no detector starts and a running one ends without a finding. A verdict depends on
            the machine only if this limit is reached; the result then says which detectors were not run.
    """

    name: str
    trainings: int
    pilot: int
    suspect: int
    traced: int
    seconds: float


# Beside the learner's own fits these cost mlaudit about 1 s, at most 60 s, and at most 15 min of CPU time. The time
# limits count the fits, too.
EFFORTS = {
    one.name: one
    for one in (
        Effort("smoke", 400, 10, 100, 20, 300.0),
        Effort("ci", 4000, 40, 400, 100, 1200.0),
        Effort("nightly", 40_000, 100, 4000, 300, 7200.0),
    )
}


def choose_effort(name: str, trainings: int | None = None, seconds: float | None = None) -> Effort:
    """The effort of that name, perhaps with another number of trainings or another time limit.

    >>> choose_effort("smoke").trainings, choose_effort("smoke", 1000).pilot
    (400, 25)
    >>> choose_effort("much")
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no effort is called 'much'; known: ci, nightly, smoke
    """
    effort = EFFORTS[choice("effort", name, EFFORTS)]
    if trainings is not None:
        check_trainings(trainings)
        pilot, suspect = (min(max(trainings // part, low), 10 * low) for part, low in ((40, 10), (10, FEWEST)))
        traced = min(max(trainings // 20, 20), 300)
        effort = Effort(f"{trainings} trainings a detector", trainings, pilot, suspect, traced, effort.seconds)
    return effort if seconds is None else replace(effort, seconds=check_seconds(seconds))


def check_trainings(trainings: object, name: str = "trainings") -> int:
    """A number of trainings that a detector can do with.

    >>> check_trainings(400)
    400
    """
    return whole(name, trainings, FEWEST, "more trainings show more", _MOST)


def check_seconds(seconds: object) -> float:
    """A time limit; infinity is none.

    >>> check_seconds(0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: seconds must be above 0, got 0
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InvalidInput(f"seconds must be above 0, got {quote(seconds)}")
    return float(min(seconds, sys.float_info.max))
