"""The same learner with a row replaced, added and removed: what the differences mean."""

from collections.abc import Mapping

from mlaudit.results.audit_result import AuditResult
from mlaudit.types.claim import Relation

RELATION_OF = {"replace": Relation.REPLACE_ONE, "add": Relation.ADD_REMOVE, "remove": Relation.ADD_REMOVE}
_TWICE = 2.0
_ROWS_SHOW = (
    "The learner gives away how many rows there are, which replace-one holds fixed: look for a size, a count or a "
    "shape that is released as it is."
)
_PER_ROW = (
    "About twice the claim when a row is replaced, and within it when one is added or removed: this ε is a promise "
    "per added or removed row, and a replaced row is one of each. Claim add-remove, or twice the ε for replace-one."
)
_BOTH = "The claim is broken whichever way a row is changed: this is no matter of the neighbour relation."
_REPLACED = "Only a replaced row shows, by more than the two steps that it is under add-remove."


def audits_of(relation: Relation) -> int:
    """How many audits are about a relation: either of them may refute a claim, so that they share its α.

    >>> audits_of(Relation.REPLACE_ONE), audits_of(Relation.ADD_REMOVE)
    (1, 2)
    """
    return list(RELATION_OF.values()).count(relation)


def explain(results: Mapping[str, AuditResult]) -> str:
    """What the verdicts by change (replace, add, remove) say together; "" where there is nothing to explain."""
    broken = {change for change, result in results.items() if result.violated}
    if not broken:
        return ""
    if "replace" not in broken:
        return _ROWS_SHOW
    if broken == {"replace"}:
        replaced = results["replace"]
        within = replaced.epsilon_lower <= _TWICE * replaced.claim.epsilon
        return _PER_ROW if within else _REPLACED
    return _BOTH
