"""The changes of rows that make D′, and the neighbour relation under which each is one step."""

from mlaudit.types.claim import Relation

CHANGES = ("replace", "add", "remove", "relabel", "zero")
ONE_STEP: dict[Relation, tuple[str, ...]] = {
    Relation.REPLACE_ONE: ("replace",),
    Relation.ADD_REMOVE: ("add", "remove"),
    Relation.LABEL_ONLY: ("relabel",),
    Relation.ZERO_OUT: ("zero",),
}
RELATION_OF = {change: relation for relation, changes in ONE_STEP.items() for change in changes}


def usual_change(change: str, relation: Relation) -> str:
    """The change in place of "replace", which is no step of its own under label-only and zero-out.

    >>> usual_change("replace", Relation.LABEL_ONLY), usual_change("replace", Relation.ADD_REMOVE)
    ('relabel', 'replace')
    """
    in_place = relation in (Relation.LABEL_ONLY, Relation.ZERO_OUT)
    return ONE_STEP[relation][0] if change == "replace" and in_place else change


def steps_per_row(change: str, relation: Relation) -> int:
    """The steps of one changed row; 1 if the change is not stated.

    >>> steps_per_row("replace", Relation.ADD_REMOVE), steps_per_row("relabel", Relation.REPLACE_ONE)
    (2, 1)
    """
    two = {
        Relation.ADD_REMOVE: ("replace", "relabel", "zero"),
        Relation.ZERO_OUT: ("replace", "relabel"),
    }
    return 2 if change in two.get(relation, ()) else 1
