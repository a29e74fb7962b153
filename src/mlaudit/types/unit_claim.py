"""A claim about the unit of the data: whoever audits data with units audits the claim for units."""

from dataclasses import replace
from typing import Protocol

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Claim


class HasUnit(Protocol):
    """Data that may have units: a dataset, or a search for the worst one."""

    @property
    def unit(self) -> str | None:
        """What owns rows; None if every row is a unit of its own."""


def state_unit(claim: Claim, data: HasUnit | None) -> Claim:
    """The claim about the unit of the data.

    Args:
        claim: The claim.
        data: The data; None for a pair that the learner names, whose rows are units of their own.

    Returns:
        The claim, with the unit of the data if it names none.

    Raises:
        InvalidInput: If the claim is about a unit and the data have none.

    Example:
        >>> from mlaudit.types.dataset import Dataset
        >>> str(state_unit(Claim(1.0), Dataset([0.0, 1.0], units=[7, 7], unit="user_id")))
        'ε = 1, replace-one, unit user_id'
        >>> state_unit(Claim(1.0, unit="user_id"), Dataset([0.0, 1.0]))
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: a claim about the unit user_id needs data with units, got none; give \
Dataset(..., units=...)
    """
    if data is None or data.unit == claim.unit:
        return claim
    if data.unit is None:
        raise InvalidInput(
            f"a claim about the unit {claim.unit} needs data with units, got none; give Dataset(..., units=...)"
        )
    return claim if claim.unit is not None else replace(claim, unit=data.unit)
