"""What is tested, and with how much effort: the arguments of every detector."""

from dataclasses import dataclass, replace

from numpy.random import default_rng

from mlaudit.attacks.tight import HasTightPair, Tight
from mlaudit.auditing.call import audit
from mlaudit.auditing.run import parameters_of
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe
from mlaudit.procedures.sequential import Sequential
from mlaudit.protocols import Attack, Engine, Mechanism, Procedure, Samples, Store
from mlaudit.refuting.effort import Effort
from mlaudit.refuting.limit import LimitedProgress
from mlaudit.refuting.narrowed import WHOLE, NarrowedMechanism, Narrowing
from mlaudit.refuting.narrowed_scorer import NarrowedScorer
from mlaudit.results.audit_result import AuditResult
from mlaudit.search.worst import Worst
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.task import NOT_TRACED, TraceAttempt
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_BETS = Sequential()


@dataclass(frozen=True, eq=False)
class Subject:
    """A learner, its claim, the user's data, and how to draw its trainings.

    Args:
        learner: The learner as it was given.
        claim: The claim to refute.
        data: The user's data, or None.
        bounds: The least and the greatest value of crafted data, or None.
        effort: How much each detector may spend.
        seed: Seed of every training.
        engine: Runs the trainings.
        store: Keeps the trainings.
        progress: Counts the trainings.
        unit_rows: The rows of each unit of crafted data; None if every row is a unit of its own.
        unit: What owns rows, in results.
        beyond: Bets go on until this multiple of the claim is refuted.
        last_bits: Whether the last bits of floating-point outputs are looked at.
        outside: Rows outside the domain that the learner promises to clip: "finite", "any", or "" for none.
        narrowing: The part of the output that earlier findings are about, and that is left out.
        traced: What following the noise showed before anything was counted, or why nothing was followed.
        measured: Trainings that measure the leakage of the leader; 0 if nobody asked for it.
        leader: The audit with the highest bound so far, or None.
    """

    learner: Mechanism
    claim: Claim
    data: Dataset | None
    bounds: tuple[float, float] | None
    effort: Effort
    seed: int
    engine: Engine
    store: Store
    progress: LimitedProgress
    unit_rows: int | None = None
    unit: str | None = None
    beyond: float = 1.0
    last_bits: bool = False
    outside: str = ""
    narrowing: Narrowing = WHOLE
    traced: TraceAttempt = NOT_TRACED
    measured: int = 0
    leader: AuditResult | None = None

    @property
    def finds_all(self) -> bool:
        """Whether the test goes on after a violation."""
        return self.beyond > 1.0

    @property
    def mechanism(self) -> Mechanism:
        """The learner, without the part of its output that is left out."""
        return self.learner if self.narrowing == WHOLE else NarrowedMechanism(self.learner, self.narrowing)

    @property
    def names_pair(self) -> bool:
        """Whether the learner names a pair itself, of which the claim says something."""
        if not isinstance(self.learner, HasTightPair):
            return False
        if self.claim.relation in (Relation.REPLACE_ONE, Relation.ADD_REMOVE):
            return True  # a pair of another relation is refused with a sentence
        try:
            return self.learner.tight_pair(1).steps(self.claim.relation) == 1
        except InvalidInput:
            return False

    def leave_out(self, part: Narrowing) -> "Subject":
        """The same subject with one more part of the output left out."""
        return replace(self, narrowing=self.narrowing.join(part))

    def follow(self, result: AuditResult | None, trace: TraceResult | None = None) -> "Subject":
        """The same subject, with the result as its leader if its bound is the highest so far, and a tested trace."""
        subject = self if trace is None else replace(self, traced=self.traced._replace(result=trace))
        known = -1.0 if self.leader is None else self.leader.epsilon_lower
        return subject if result is None or result.epsilon_lower <= known else replace(subject, leader=result)

    def fix_domain(self, pair: Pair) -> Mechanism:
        """The learner with the pair's domain: one that takes its domain from D would refuse D′."""
        own, fixed = self.mechanism.domain(pair.base), pair.base.domain
        if describe(own) == describe(fixed):
            return self.mechanism
        return NarrowedMechanism(self.learner, self.narrowing, fixed)

    def audit_tight_pair(self, alpha: float, procedure: Sequential = _BETS) -> AuditResult:
        """Audit the pair that the learner names itself."""
        if self.mechanism is self.learner:
            return self.audit(alpha, attack=(Tight(),), procedure=procedure)
        pair = Tight()(self.learner, None, 1, default_rng(self.seed))
        return self.audit(alpha, pair=pair, procedure=procedure)

    def audit(
        self,
        alpha: float,
        data: Dataset | Worst | None = None,
        *,
        pair: Pair | None = None,
        attack: tuple[Attack, ...] | None = None,
        procedure: Procedure = _BETS,
        mechanism: Mechanism | None = None,
        trainings: int | None = None,
        seed: int | None = None,
        repeat: bool = True,
    ) -> AuditResult:
        """Audit with one row changed, by bets that stop as soon as the claim is refuted, or by another procedure."""
        audited = self.mechanism if mechanism is None else mechanism
        result = audit(
            audited,
            data,
            pair=pair,
            claim=self.claim,
            attack=attack,
            rows=1,
            procedure=replace(procedure, beyond=self.beyond) if isinstance(procedure, Sequential) else procedure,
            trainings=self.effort.trainings if trainings is None else trainings,
            alpha=alpha,
            seed=self.seed if seed is None else seed,
            # The question is about the library's own code.
            sampler="auto" if isinstance(audited, Samples) else "library",
            engine=self.engine,
            store=self.store,
            progress=self.progress,
            repeat=repeat,
        )
        # A declared domain is in the pair. A replay trains the learner as the user names it.
        result = replace(result, provenance=replace(result.provenance, parameters=parameters_of(self.learner)))
        if self.narrowing == WHOLE:
            return result
        rule = replace(result.finding.witness, scorer=NarrowedScorer(self.narrowing, result.finding.witness.scorer))
        return replace(result, finding=replace(result.finding, witness=rule))
