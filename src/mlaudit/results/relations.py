"""The same learner with a row replaced, added and removed: what the differences mean."""

from collections.abc import Mapping

from mlaudit.results.audit_result import AuditResult
from mlaudit.types.changes import ONE_STEP, RELATION_OF
from mlaudit.types.claim import Relation

_TWICE = 2.0
_ROWS_SHOW = (
    "The output reveals the number of rows, which is fixed under replace-one but private under add-remove. Look for "
    "a size, a count or a shape that is released without noise."
)
_PER_ROW = (
    "The bound is up to twice the claim if a row is replaced, and not above the claim if a row is added or removed. "
    "So this ε probably holds under add-remove, where a replaced row is two steps. Claim add-remove, or twice the ε "
    "under replace-one."
)
_BOTH = "The claim is violated however a row is changed, so the neighbour relation is not the cause."
_REPLACED = (
    "Only a replaced row shows a violation. The bound is above twice the claim, so the two steps of a replaced row "
    "under add-remove do not explain it."
)


_CLAIMED = "The claim is violated under the claimed relation itself, so the neighbour relation is not the cause."
_LABELS = (
    "The bound is not above the claim if a label is changed. The other changes also change features, which are "
    "public under label-only: such a bound does not contradict the claim."
)
_ZEROS = (
    "The bound is not above the claim if a row is zeroed. A replaced row is two steps under zero-out, and an added "
    "or removed row changes the number of rows, which is public there: such a bound does not contradict the claim."
)
# A relation with a change of its own, and what to say if only other changes show a violation.
_IN_PLACE = {Relation.LABEL_ONLY: ("relabel", _LABELS), Relation.ZERO_OUT: ("zero", _ZEROS)}


def audits_of(relation: Relation) -> int:
    """How many audits are about a relation: either of them may refute a claim, so that they share its α.

    >>> audits_of(Relation.REPLACE_ONE), audits_of(Relation.ADD_REMOVE)
    (1, 2)
    """
    return list(RELATION_OF.values()).count(relation)


def changes_to_audit(claimed: Relation) -> tuple[str, ...]:
    """The changes of rows that are audited: replaced, added and removed, after those that only the claim is about.

    >>> changes_to_audit(Relation.ADD_REMOVE), changes_to_audit(Relation.ZERO_OUT)[0]
    (('replace', 'add', 'remove'), 'zero')
    """
    return tuple(dict.fromkeys((*(ONE_STEP[claimed] if claimed in _IN_PLACE else ()), "replace", "add", "remove")))


def explain(results: Mapping[str, AuditResult]) -> str:
    """What the verdicts by change (replace, add, remove, ...) say together; "" where there is nothing to explain."""
    broken = {change for change, result in results.items() if result.violated}
    if not broken:
        return ""
    for change, said in _IN_PLACE.values():
        if change in results:
            return _CLAIMED if change in broken else said
    if "replace" not in broken:
        return _ROWS_SHOW
    if broken == {"replace"}:
        replaced = results["replace"]
        within = replaced.epsilon_lower <= _TWICE * replaced.claim.epsilon
        return _PER_ROW if within else _REPLACED
    return _BOTH
