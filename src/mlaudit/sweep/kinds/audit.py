"""An audit: the settings are the options of `mlaudit run`, and a row holds what that command prints as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar

from mlaudit.attacks._changes import observe_as
from mlaudit.auditing.build import build_audit
from mlaudit.auditing.inputs import LoadData
from mlaudit.auditing.run import Audit
from mlaudit.auditing.spec import WORST, AuditSpec
from mlaudit.auditing.spell import spell_command
from mlaudit.datasets._load import load_data
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe
from mlaudit.naming.source import locate
from mlaudit.protocols import Engine, Mechanism, Samples, Store
from mlaudit.results.summary import summarise_evidence
from mlaudit.samplers.sampled import SampledMechanism, choose_sampler
from mlaudit.types.changes import steps_per_row, usual_change
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import remove_rows
from mlaudit.types.pair import Pair
from mlaudit.types.traits import BATCH, traits_of


@dataclass(frozen=True)
class AuditMeasurement:
    """One audit, and the spec that it was built from."""

    spec: AuditSpec
    audit: Audit

    @property
    def trainings(self) -> int:
        """The whole budget."""
        return self.audit.trainings

    @property
    def dataset(self) -> Dataset | None:
        """The data that rows are changed in."""
        return self.audit.data if isinstance(self.audit.data, Dataset) else None

    def with_dataset(self, data: Dataset | None) -> "AuditMeasurement":
        """The same audit of other data."""
        return replace(self, audit=replace(self.audit, data=data))

    @property
    def share(self) -> str:
        """Trainings on D are the same for every attack on the same learner, ε included."""
        audit = self.audit
        return str((describe(audit.mechanism), describe(audit.data), describe(audit.pair), audit.seed, audit.sampler))

    @property
    def at_once(self) -> bool:
        """Whether trainings are drawn in batches of the usual size; slow learners declare smaller ones."""
        observed = self._observed
        return _are_batched(observed) and all(traits_of(one).batch >= BATCH for one in observed)

    @property
    def batched(self) -> bool:
        """Whether trainings are drawn in batches."""
        return _are_batched(self._observed)

    @property
    def _observed(self) -> list[Mechanism]:
        """The mechanism as each attack observes it, with the sampler that draws it."""
        audit, data = self.audit, self.dataset
        if data is None or audit.attack is None:
            return [audit.mechanism]
        base = data.within(audit.mechanism.domain(data))
        one_less = Pair(base, remove_rows(base, len(base) - 1))
        return [choose_sampler(observe_as(one, audit.mechanism), audit.sampler, one_less) for one in audit.attack]

    @property
    def fewest_steps(self) -> int:
        """How far apart its closest pair is: a replaced row is two steps where rows are added or removed."""
        audit = self.audit
        if audit.pair is not None:
            return audit.pair.steps(audit.claim.relation)
        if self.dataset is None:
            return min(audit.rows)
        relation = audit.claim.relation
        return min(audit.rows) * steps_per_row(usual_change(self.spec.change, relation), relation)

    def measure(self, engine: Engine, store: Store, progress: ProgressFunction) -> Mapping[str, Any]:
        """The summary of the result, its counts, the command that repeats it, and where the learner is defined."""
        result = self.audit.run(engine, store, progress)
        defined = locate(self.audit.mechanism)
        return {
            **result.summary(),
            "evidence": summarise_evidence(result),
            "command": spell_command("run", self.spec),
            "locations": [] if defined is None else [defined.as_data()],
        }


@dataclass(frozen=True)
class AuditKind:
    """Audits; those of one sweep load each dataset once."""

    spec: ClassVar = AuditSpec
    load: LoadData = field(default_factory=lambda: cache(load_data))

    def prepare(self, spec: AuditSpec) -> AuditMeasurement:
        """The audit that a spec asks for."""
        if spec.data == WORST:
            raise InvalidInput("--data worst works only with run and relations; name a dataset or a file")
        return AuditMeasurement(spec, build_audit(spec, self.load))


def _are_batched(observed: list[Mechanism]) -> bool:
    return all(isinstance(one, SampledMechanism | Samples) for one in observed)
