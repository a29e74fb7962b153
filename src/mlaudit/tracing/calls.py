"""The calls of a transcript as a table: one row for each line and kind of noise."""

from dataclasses import dataclass
from math import inf

import numpy as np

from mlaudit.tracing.budget import compose
from mlaudit.tracing.call_loss import total_epsilon
from mlaudit.tracing.comparison import Compared
from mlaudit.tracing.sites import Site
from mlaudit.types.checks import instance, text, whole


@dataclass(frozen=True)
class TracedCalls:
    """The noise calls of one line on one pair.

    Args:
        site: The line.
        name: The mechanism, or the law of the noise.
        calls: How many calls of the line gave a noisy answer.
        epsilon: The sum of the declared ε; None if the calls declare none.
        sensitivity: The largest declared sensitivity; None if there is none.
        scale: The smallest scale of the noise.
        moved: The largest move of a value before the noise.
        loss: The loss of all these calls together, at the claimed δ.

    Raises:
        InvalidInput: If a value is of the wrong kind.
    """

    site: Site
    name: str
    calls: int
    epsilon: float | None
    sensitivity: float | None
    scale: float
    moved: float
    loss: float

    def __post_init__(self) -> None:
        instance("site", self.site, Site)
        text("name", self.name)
        whole("calls", self.calls, 0)
        for name in ("scale", "moved", "loss"):
            instance(name, getattr(self, name), (float, int))
        for name in ("epsilon", "sensitivity"):
            if getattr(self, name) is not None:
                instance(name, getattr(self, name), (float, int))


def list_calls(found: Compared, delta: float) -> tuple[TracedCalls, ...]:
    """The rows of a transcript, the dearest first."""
    events = found.recorded.tape.events
    groups: dict[tuple[str, int, str], list[int]] = {}
    for at in found.losses:
        event = events[at]
        name = event.law.kind if event.declared is None else event.declared.name
        groups.setdefault((event.site.file, event.site.line, name), []).append(at)
    rows = [_row(found, name, places, delta) for (_, _, name), places in groups.items()]
    return tuple(sorted(rows, key=lambda row: -row.loss))


def declared_budget(found: Compared, delta: float) -> float | None:
    """The ε that the calls which the changed row reaches declare together; None if they declare none.

    If the library keeps an accountant of its own (as Opacus does), the accountant's ε. Calls whose value did not move
    see other rows: on this pair they spend nothing (parallel composition).
    """
    accountants = found.recorded.tape.accountants.values()
    if accountants:
        return sum(epsilon_of(delta / len(accountants)) if delta else inf for epsilon_of in accountants)
    events = found.recorded.tape.events
    reached = [events[at].declared for at, loss in found.losses.items() if loss.moved]
    stated = [one for one in reached if one is not None and (one.epsilon is not None or one.rho is not None)]
    return compose(stated, delta) if stated else None


def _row(found: Compared, name: str, places: list[int], delta: float) -> TracedCalls:
    mine = [found.recorded.tape.events[at] for at in places]
    stated = [event.declared for event in mine if event.declared is not None]
    epsilons = [one.epsilon for one in stated if one.epsilon is not None]
    sensitivities = [one.sensitivity for one in stated if one.sensitivity is not None]
    losses = [found.losses[at] for at in places]
    return TracedCalls(
        mine[0].site,
        name,
        len(mine),
        sum(epsilons) if epsilons else None,
        max(sensitivities) if sensitivities else None,
        min((float(np.min(np.abs(event.law.scale))) for event in mine if event.law.scale.size), default=0.0),
        max(loss.moved for loss in losses),
        total_epsilon(losses, delta),
    )
