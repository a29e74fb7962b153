"""What an audit is, as plain values: the one table of its options.

The fields of `AuditSpec` are the options of `mlaudit run`, the settings of a sweep file, the identity of a run's
folder and of a sweep's row, and the words of the command that repeats a result. A new option is a new field here, and
its use in `auditing/build.py`. What changes where a command runs or what it prints is no part of a spec.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlaudit.auditing.options import argument, flag, option
from mlaudit.naming.files import is_file
from mlaudit.types.claim import Relation
from mlaudit.types.outside import OUTSIDE

WORST = "worst"
WHAT, HOW = "the claim and the data", "how"


@dataclass(frozen=True)
class LearnerSpec:
    """A learner, what it claims, and its data: what every kind of audit needs."""

    mechanism: str = argument(
        'name, pkg.module:object, my_file.py:object, or "cmd: COMMAND", a program in any language',
        plugin="mechanisms",
    )
    epsilon: float | None = option(None, "the claimed ε", "E", group=WHAT)
    delta: float | None = option(None, "the claimed δ (default: 0)", "D", group=WHAT)
    relation: str | None = option(
        None,
        "replace-one, add-remove, label-only or zero-out",
        "R",
        group=WHAT,
        words=tuple(relation.value for relation in Relation),
    )
    data: str | None = option(
        None,
        "a dataset by name, a .csv, .csv.gz or .parquet file, or worst: search for the worst data",
        "NAME|FILE",
        group=WHAT,
        plugin="datasets",
        words=(WORST,),
        is_free=is_file,
    )
    target: str | None = option(None, "the label column of a file (default: the last)", "COLUMN", group=WHAT)
    unit: str | None = option(
        None,
        "the column that names the owner of each row: one neighbour step is all rows of one owner (default: one row)",
        "COLUMN",
        group=WHAT,
        later=True,
    )
    classes: tuple[str, ...] | None = option(
        None,
        "the labels to keep (default: all, or the two most frequent if the learner takes only two)",
        "A,B[,C]",
        group=WHAT,
        wanted="labels, as in no,yes",
    )
    columns: tuple[str, ...] | None = option(
        None,
        "the columns to keep besides the label (default: all but identifiers and dates)",
        "A[,B]",
        group=WHAT,
        wanted="names of columns, as in age,income",
        later=True,
    )
    drop: tuple[str, ...] | None = option(
        None, "columns to drop", "A[,B]", group=WHAT, wanted="names of columns, as in name,notes", later=True
    )
    missing: str | None = option(
        None,
        "drop rows with a missing value (default), or a number to put in its place",
        "HOW",
        group=WHAT,
        later=True,
    )
    categorical: str | None = option(
        None, "one-hot encode columns of categories (one-hot), or drop them (drop)", "HOW", group=WHAT
    )
    scale: str | None = option(None, "unit: scale columns to [0, 1] (default); none: do not scale", "HOW", group=WHAT)
    typed: str | None = option(
        None,
        "pass columns as they are, not as numbers: text, whole numbers, True and False, missing values; any: any "
        "text is legal; seen: only the texts of the file",
        "TEXTS",
        group=WHAT,
        later=True,
    )
    max_rows: int | None = option(
        None, "the most rows to keep (default: 1000; random_forest: 500; worst: 200)", "N", group=WHAT
    )
    data_seed: int | None = option(None, "seed of the choice of rows (default: 0)", "S", group=WHAT)
    param: Mapping[str, Any] = option(
        {}, "a parameter of the learner", "NAME=VALUE", group=WHAT, wanted="a table, as in { C = 10 }"
    )
    alpha: float = option(0.05, "one-sided error probability", "A", group=HOW)
    seed: int = option(0, "seed of all trainings", "S", group=HOW)


@dataclass(frozen=True)
class AuditSpec(LearnerSpec):
    """One audit.

    Example:
        >>> from mlaudit.auditing.options import read_options
        >>> spec = read_options(AuditSpec, {"mechanism": "laplace", "epsilon": 1, "rows": "1,2"})
        >>> spec.epsilon, spec.rows, spec.trainings
        (1.0, (1, 2), 4000)
    """

    bounds: tuple[float, float] | None = option(
        None,
        "--data worst: the bounds of every column (default: 0,1)",
        "LOW,HIGH",
        group=WHAT,
        wanted="two numbers, as in 0,1",
    )
    max_columns: int | None = option(None, "--data worst: the most columns to try (default: 100)", "N", group=WHAT)
    unit_rows: int | None = option(
        None, "--data worst with --unit: the rows of each unit (default: 4)", "N", group=WHAT, later=True
    )
    vary_domain: bool = flag("--data worst: try other bounds and norms as well", group=WHAT)
    outside_domain: str | None = option(
        None,
        "search: also try rows outside the domain, if the learner is documented to clip them: finite, or any (NaN, "
        "±inf, -0.0)",
        "ROWS",
        group=WHAT,
        words=OUTSIDE,
    )
    pair: str | None = option(None, "a Pair: use these two datasets instead of an attack", "FILE:OBJECT", group=WHAT)
    attack: tuple[str, ...] = option(
        ("auto",), "the attacks that make D′", "NAME[,NAME]", group=HOW, plugin="attacks", words=("auto",)
    )
    pilot_share: float | None = option(
        None, "search: share of the trainings to use as pilots (default: 0.2)", "P", group=HOW
    )
    change: str = option("replace", "replace, add, remove, relabel or zero the rows", "HOW", group=HOW)
    rows: tuple[int, ...] = option(
        (1, 2, 4, 8),
        "numbers of changed rows to choose among",
        "K[,K]",
        group=HOW,
        wanted="whole numbers like 1,2,4,8",
    )
    sampler: str = option("auto", "library (the library's own fit), mirror, batched or auto", "HOW", group=HOW)
    procedure: str = option(
        "progressive", "the procedure that turns trainings into a bound", "NAME", group=HOW, plugin="procedures"
    )
    interval: str | None = option(
        None, "two_phase: the interval (default: exact)", "NAME", group=HOW, plugin="intervals"
    )
    classifier: tuple[str, ...] | None = option(
        None,
        "classifiers to choose among (default: the procedure's own; progressive: additive,logistic,coordinate,"
        "boosting)",
        "NAME[,NAME]",
        group=HOW,
        plugin="classifiers",
    )
    burn_in: float | None = option(
        None,
        "progressive: share of trainings to learn from before counting (default: 0.02 to 0.1, by the kind of "
        "noise and the size of an output)",
        "FRACTION",
        group=HOW,
        later=True,
    )
    beyond: float | None = option(
        None, "sequential: stop as soon as B times the claim is refuted (default: 1)", "B", group=HOW
    )
    paper: bool = flag("two_phase exactly as in the ML-Audit paper", group=HOW)
    trainings: int = option(4000, "the number of all trainings", "N", group=HOW)
    isolate: bool = flag("run every training in a fresh process, for learners that keep state", group=HOW)
