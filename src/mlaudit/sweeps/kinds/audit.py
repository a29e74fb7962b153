"""An audit: the settings are the options of `mlaudit run`, and a row holds what that command prints as JSON."""

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlaudit.adapters.fast import Fast, drawn_by
from mlaudit.auditing import audit, check_numbers
from mlaudit.changes import watched
from mlaudit.cli.objects import the_attacks, the_data, the_mechanism, the_pair, the_procedure, the_rows
from mlaudit.cli.parser import audit_options
from mlaudit.describe import describe
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Attack, Engine, Mechanism, Procedure, Samples, Store
from mlaudit.report.json import counted, summary
from mlaudit.sampling import Progress
from mlaudit.sweeps.cells import LABEL, REPLICATE, SEED, Cell
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

KEYS = frozenset({*vars(audit_options().parse_args(["laplace"])), LABEL}) - {SEED}


@dataclass(frozen=True)
class AuditJob:
    """The arguments of `audit`."""

    mechanism: Mechanism
    claim: Claim
    data: Dataset | None
    pair: Pair | None
    attacks: tuple[Attack, ...] | None
    rows: tuple[int, ...]
    procedure: Procedure
    trainings: int
    alpha: float
    seed: int
    sampler: str
    change: str
    command: str
    isolate: bool = False

    @property
    def share(self) -> str:
        """Trainings on D are the same for every attack on the same learner, ε included."""
        return str((describe(self.mechanism), describe(self.data), describe(self.pair), self.seed, self.sampler))

    @property
    def at_once(self) -> bool:
        """Whether trainings are drawn in batches."""
        if self.data is None or self.attacks is None:
            return isinstance(self.mechanism, Samples)
        base = self.data.within(self.mechanism.domain(self.data))
        one_less = Pair(base, base.with_rows(base.X[:-1], None if base.y is None else base.y[:-1]))
        seen = (drawn_by(watched(attack, self.mechanism), self.sampler, one_less) for attack in self.attacks)
        return all(isinstance(mechanism, Fast | Samples) for mechanism in seen)

    @property
    def fewest_steps(self) -> int:
        """How far apart its closest pair is: a replaced row is two steps where rows are added or removed."""
        if self.pair is not None:
            return self.pair.steps(self.claim.relation)
        doubled = self.change == "replace" and self.claim.relation is Relation.ADD_REMOVE and self.data is not None
        return min(self.rows) * (2 if doubled else 1)

    def measure(self, engine: Engine, store: Store, progress: Progress) -> Mapping[str, Any]:
        """The summary of the result, its counts, and the command that repeats it."""
        result = audit(
            self.mechanism,
            self.data,
            pair=self.pair,
            claim=self.claim,
            attack=self.attacks,
            rows=self.rows,
            procedure=self.procedure,
            trainings=self.trainings,
            alpha=self.alpha,
            seed=self.seed,
            sampler=self.sampler,
            engine=engine,
            store=store,
            progress=progress,
            isolate=self.isolate,
        )
        return {**summary(result), "evidence": counted(result), "command": self.command}


def jobs(cells: Sequence[Cell]) -> Iterator[AuditJob]:
    """A job for each cell; cells with the same data share it."""
    loaded: dict[str, Dataset | None] = {}
    for cell in cells:
        words = arguments(cell.settings)
        given = audit_options().parse_args(words)
        yield _job(given, shlex.join(["mlaudit", "run", *words]), loaded)


def arguments(settings: Mapping[str, Any]) -> list[str]:
    """What one would type behind `mlaudit run`.

    >>> arguments({"mechanism": "naive_bayes", "max_rows": 50, "paper": True, "param": {"C": 10}, "replicate": 1})
    ['naive_bayes', '--max-rows=50', '--paper', '--param=C=10']
    """
    if not isinstance(settings.get("mechanism"), str):
        raise InvalidInput("a cell of kind audit must have a mechanism, got none; add it to [grid] or [common]")
    words = [settings["mechanism"]]
    for name, value in settings.items():
        option = f"--{name.replace('_', '-')}"
        if name == "param":
            if not isinstance(value, Mapping):
                raise InvalidInput(f"param must be a table, as in {{ C = 10 }}, got {value!r}")
            words += [f"{option}={key}={inner}" for key, inner in value.items()]
        elif value is True:
            words.append(option)
        elif name not in ("mechanism", LABEL, REPLICATE) and value is not False:
            words.append(f"{option}={value}")
    return words


def _job(given: argparse.Namespace, command: str, loaded: dict[str, Dataset | None]) -> AuditJob:
    check_numbers(given.trainings, given.alpha, given.seed)
    mechanism, claim = the_mechanism(given)
    data, pair = _data(given, mechanism, loaded), the_pair(given.pair)
    if pair is not None and (data is not None or given.attack != "auto"):
        raise InvalidInput("give either a pair, or data and an attack, got both")
    return AuditJob(
        mechanism=mechanism,
        claim=claim,
        data=data,
        pair=pair,
        attacks=None if pair is not None else the_attacks(given, mechanism, data),
        rows=the_rows(given.rows),
        procedure=the_procedure(given),
        trainings=given.trainings,
        alpha=given.alpha,
        seed=given.seed,
        sampler=given.sampler,
        change=given.change,
        command=command,
        isolate=given.isolate,
    )


def _data(given: argparse.Namespace, mechanism: Mechanism, loaded: dict[str, Dataset | None]) -> Dataset | None:
    """Each dataset once."""
    options = (given.target, given.max_rows, given.categorical, given.data_seed, given.scale, given.classes)
    key = repr((given.data, options, getattr(mechanism, "preparation", None)))
    if key not in loaded:
        loaded[key] = the_data(given, mechanism)
    return loaded[key]
