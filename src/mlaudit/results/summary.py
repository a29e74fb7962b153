"""An audit's result as plain data."""

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from mlaudit.results.card_text import summarise_card
from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.statistics.e_process import log_wealth
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bets

if TYPE_CHECKING:  # the class calls these functions
    from mlaudit.results.audit_result import AuditResult


def summarise(result: "AuditResult") -> dict[str, Any]:
    """The values that programs ask for, in one flat object."""
    bound, made, confirmation = result.finding.bound, result.provenance, result.confirmation
    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": made.mechanism,
        "dataset": made.dataset,
        "attack": result.attack,
        "procedure": made.procedure.get("type", ""),
        "claim": {**summarise_claim(result.claim), "gaussian": result.claim.gaussian},
        "epsilon_lower": bound.epsilon,
        "ceiling": bound.ceiling,
        "detectable": finite(result.detectable),
        "alpha": bound.alpha,
        "rows": result.pair.rows,
        "steps": bound.steps,
        "trainings": made.trainings,
        "verdict": result.verdict,
        "sampler": made.sampler,
        "stands_for": made.stands_for,
        "repeated": None if confirmation is None else result.violated,
        "repeated_epsilon_lower": None if confirmation is None else confirmation.bound.epsilon,
        "repeated_trainings": None if confirmation is None else confirmation.trainings,
        "method": bound.method,
        "assuming": bound.assuming,
        "seed": made.seed,
        "repeatable": made.repeatable,
        "notes": list(made.notes),
        "versions": dict(made.versions),
        "data_card": summarise_card(made.card),
    }


def finite(value: float) -> float | None:
    """A number that JSON can hold; None for infinity.

    >>> finite(1.5), finite(float("inf"))
    (1.5, None)
    """
    return value if isfinite(value) else None


def summarise_claim(claim: Claim) -> dict[str, Any]:
    """The claim's ε, δ and neighbour relation, and the unit if it is not the row.

    >>> summarise_claim(Claim(1.0))
    {'epsilon': 1.0, 'delta': 0.0, 'relation': 'replace-one'}
    """
    stated = {"epsilon": claim.epsilon, "delta": claim.delta, "relation": claim.relation.value}
    return stated if claim.unit is None else {**stated, "unit": claim.unit}


def summarise_evidence(result: "AuditResult") -> dict[str, Any]:
    """The counts behind the bound, enough for the p-value of the claim; bets are many, so their p-value instead."""
    evidence = result.finding.evidence
    if not isinstance(evidence, Bets):
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(evidence).items()}
    won = log_wealth(evidence, result.claim, result.finding.bound.steps)
    return {
        "bets": evidence.counted,
        "right": int(evidence.right.sum()),
        "learned": evidence.learned,
        "p_value": float(np.exp(-won.max(initial=0.0))),
    }
