"""What the bound of a suspect means for the claim."""

from typing import Literal, get_args

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bound
from mlaudit.types.pair import Pair

Standing = Literal["violated", "not_repeated", "inconclusive", "not_claimed", "not_refuted"]
ORDER: tuple[Standing, ...] = get_args(Standing)


def standing(claim: Claim, relation: Relation, bound: Bound, repeated: Bound | None = None) -> Standing:
    """What a bound under a relation, and its repetition on fresh trainings, mean for the claim.

    >>> shown = Bound(1.5, 5.0, 0.05, 1, "e-process")
    >>> standing(Claim(1.0), Relation.REPLACE_ONE, shown), standing(Claim(1.0), Relation.ADD_REMOVE, shown)
    ('violated', 'not_claimed')
    >>> standing(Claim(1.0, relation=Relation.ADD_REMOVE), Relation.REPLACE_ONE, shown)
    'not_claimed'
    """
    if bound.epsilon <= claim.epsilon:
        return "not_refuted"
    if implied_epsilon(claim, relation, bound) <= claim.epsilon:
        return "not_claimed"
    confirmed = repeated is None or implied_epsilon(claim, relation, repeated) > claim.epsilon
    return "violated" if confirmed else "not_repeated"


def relation_of(pair: Pair, claim: Claim) -> Relation:
    """The relation that a neighbour of a scan is told under: the claimed one where the pair is one step of it.

    >>> from mlaudit.types.dataset import Dataset
    >>> pair = Pair(Dataset([0.0], [0]), Dataset([0.0], [1]))
    >>> relation_of(pair, Claim(1.0)).value, relation_of(pair, Claim(1.0, relation=Relation.LABEL_ONLY)).value
    ('replace-one', 'label-only')
    """
    if claim.relation in (Relation.REPLACE_ONE, Relation.ADD_REMOVE):
        return pair.relation
    try:
        return claim.relation if pair.steps(claim.relation) == 1 else pair.relation
    except InvalidInput:
        return pair.relation


def implied_epsilon(claim: Claim, relation: Relation, bound: Bound) -> float:
    """The lower bound on the claimed ε that follows from a bound under a relation; 0 where none follows.

    A claim under add-remove also covers a replaced row, as two steps, and so does one under zero-out; a claim under
    replace-one says nothing about datasets of another size, and one under label-only nothing about features. With
    δ > 0 two steps also spend δ twice, so that half the bound does not follow.

    >>> shown = Bound(1.5, 5.0, 0.05, 1, "e-process")
    >>> implied_epsilon(Claim(1.0), Relation.REPLACE_ONE, shown)
    1.5
    >>> implied_epsilon(Claim(1.0, relation=Relation.ADD_REMOVE), Relation.REPLACE_ONE, shown)
    0.75
    >>> implied_epsilon(Claim(1.0), Relation.ADD_REMOVE, shown)
    0.0
    """
    if relation is claim.relation:
        return bound.epsilon
    twice = relation is Relation.REPLACE_ONE and claim.relation is Relation.ZERO_OUT
    two_steps = (claim.relation is Relation.ADD_REMOVE or twice) and claim.delta == 0
    return bound.epsilon / 2 if two_steps else 0.0
