"""How a table becomes a dataset."""

from dataclasses import dataclass
from typing import Literal

from mlaudit.errors import InvalidInput
from mlaudit.types.checks import quote, several, text, whole


@dataclass(frozen=True)
class Preparation:
    """How a table becomes a dataset of numbers with two classes.

    The steps, in this order:

    1. Rows with a missing value (empty, ?, NA, nan, null) are dropped.
    2. The two most frequent classes are kept, ties in sorted order, or the two that are named; they become 0 and 1 in
       sorted order. A label column of more than 20 different values, or of so many that most rows have one of their
       own, is refused unless two are named.
    3. At most `rows` rows are kept, drawn with `seed`, in their published order.
    4. A column is numeric when all its values are numbers and it is not listed as a code. Other columns are one-hot
       encoded, or dropped. Columns that are constant are dropped.
    5. Every column is scaled to [0, 1], or left in its own units.

    Args:
        rows: The most rows that are kept.
        categorical: Whether columns of text are "one-hot" encoded, or dropped ("drop").
        classes: The two labels to keep. Default: the two most frequent.
        seed: Seed of the draw of rows.
        scale: Whether columns are scaled to [0, 1] ("unit"), or left in their own units ("none").

    Raises:
        InvalidInput: If an argument has a wrong value.

    Example:
        >>> from mlaudit.datasets import Preparation, load
        >>> load("iris", preparation=Preparation(rows=20, classes=("0", "2")))
        Dataset(20 rows × 4 columns, labelled, 'iris')
    """

    rows: int = 1000
    categorical: Literal["one-hot", "drop"] = "one-hot"
    classes: tuple[str, str] | None = None
    seed: int = 0
    scale: Literal["unit", "none"] = "unit"

    def __post_init__(self) -> None:
        whole("rows", self.rows, 2)
        whole("seed", self.seed, 0)
        if not isinstance(self.categorical, str) or self.categorical not in ("one-hot", "drop"):
            raise InvalidInput(f"categorical must be 'one-hot' or 'drop', got {quote(self.categorical)}")
        if not isinstance(self.scale, str) or self.scale not in ("unit", "none"):
            raise InvalidInput(f"scale must be 'unit' or 'none', got {quote(self.scale)}")
        if self.classes is not None:
            names = tuple(text("a class", name) for name in several("classes", self.classes, "two labels"))
            if len(names) != 2:
                raise InvalidInput(f"classes must be two labels, got {quote(self.classes)}")
            object.__setattr__(self, "classes", names)
