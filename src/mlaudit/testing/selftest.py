"""The auditor audited: the whole pipeline on mechanisms whose ε is known, and how often and how far it is wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from scipy.special import betaincinv

from mlaudit.auditing.call import audit
from mlaudit.mechanisms.gaussian import Gaussian
from mlaudit.mechanisms.geometric import Geometric
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.randomised_response import RandomisedResponse
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Engine, Mechanism, Procedure
from mlaudit.results.audit_result import AuditResult

ALPHA = 0.05
_TRAININGS = 500  # of an audit at exactly its claim: false alarms do not grow with their number
_MORE = 2000  # of an audit whose bound is held against the truth
_SURE = 0.95  # of the intervals
_NORMAL = 1.96


@dataclass(frozen=True)
class Share:
    """How many of so many, with a 95 % interval for the probability behind it (Clopper and Pearson).

    >>> Share(0, 200).high < 0.02 < Share(10, 200).low < 0.05
    True
    """

    found: int
    of: int

    @property
    def low(self) -> float:
        """The lower end."""
        return float(betaincinv(self.found, self.of - self.found + 1, (1 - _SURE) / 2)) if self.found else 0.0

    @property
    def high(self) -> float:
        """The upper end."""
        missing = self.of - self.found
        return float(betaincinv(self.found + 1, missing, (1 + _SURE) / 2)) if missing else 1.0


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval."""

    mean: float
    error: float
    of: int

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - _NORMAL * self.error

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + _NORMAL * self.error


@dataclass(frozen=True)
class Line:
    """What one procedure did on one mechanism."""

    procedure: str
    mechanism: str
    measure: str  # "false alarms" at exactly the claim; "tightness", bound over truth; "found", a claim of half the ε
    value: Share | Mean


def lines(
    audits: int, seed: int = 0, engine: Engine | None = None, done: Callable[[], None] = lambda: None
) -> Iterator[Line]:
    """Every measurement in turn; `done` is called after each audit."""

    def run(mechanism: Mechanism, procedure: Procedure, trainings: int, at: int, factor: float) -> AuditResult:
        claim = replace(mechanism.claim, epsilon=factor * mechanism.claim.epsilon)
        result = audit(
            mechanism,
            claim=claim,
            rows=1,
            procedure=procedure,
            trainings=trainings,
            alpha=ALPHA,
            seed=seed + at,
            engine=engine,
            repeat=False,  # the bound itself is measured
        )
        done()
        return result

    procedures: dict[str, Procedure] = {"progressive": Progressive(), "sequential": Sequential()}
    for name, procedure in procedures.items():
        for mechanism in _KNOWN:
            found = [run(mechanism, procedure, _TRAININGS, at, 1.0) for at in range(audits)]
            alarms = sum(result.epsilon_lower > mechanism.claim.epsilon for result in found)
            yield Line(name, _name(mechanism), "false alarms", Share(alarms, audits))
    fewer = max(audits // 5, 1)
    for mechanism in _KNOWN:
        bounds = np.array([run(mechanism, Progressive(), _MORE, at, 1.0).epsilon_lower for at in range(fewer)])
        ratio = bounds / mechanism.claim.epsilon
        yield Line("progressive", _name(mechanism), "tightness", Mean(float(ratio.mean()), _error(ratio), fewer))
    for mechanism in _KNOWN[:_PURE]:
        caught = sum(run(mechanism, Sequential(), _MORE, at, 0.5).violated for at in range(fewer))
        yield Line("sequential", _name(mechanism), "found", Share(caught, fewer))


_KNOWN: tuple[Mechanism, ...] = (
    Laplace(1.0),
    Geometric(1.0),
    RandomisedResponse(1.0),
    Gaussian(1.0, 1e-5),
)
_PURE = 3  # the first; a Gaussian's ε is that of events too rare to be found by so few trainings


def audits_in_all(audits: int) -> int:
    """How many audits `lines` runs.

    >>> audits_in_all(100)
    940
    """
    return 2 * len(_KNOWN) * audits + (len(_KNOWN) + _PURE) * max(audits // 5, 1)


def pool_shares(found: list[Line], procedure: str, measure: str) -> Share:
    """All mechanisms of one procedure pooled."""
    shares = [
        line.value
        for line in found
        if line.procedure == procedure and line.measure == measure and isinstance(line.value, Share)
    ]
    return Share(sum(share.found for share in shares), sum(share.of for share in shares))


def _name(mechanism: Mechanism) -> str:
    return f"{type(mechanism).__name__}, {mechanism.claim}"


def _error(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0
