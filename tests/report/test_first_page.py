"""The first page: the paragraph for a reader who knows no differential privacy, the gauge, the glossary."""

import re
from dataclasses import replace

import numpy as np
import pytest
from generated import audit_row

from mlaudit.report.cells import cell_of
from mlaudit.report.gauge import Gauge, draw_gauge
from mlaudit.report.glossary import GLOSSARY, anchor, glossary_section, link_terms
from mlaudit.report.plain import Account, explain
from mlaudit.report.plain_sweep import explain_sweep
from mlaudit.report.summary import Summary
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bound
from mlaudit.types.row import Study

LOW, HIGH = Bound(0.5, 7.0, 0.05, 1, "nested scan"), Bound(2.0, 7.0, 0.05, 1, "nested scan")
TERMS = (
    "D and D′", "neighbour relation", "step", "unit", "mechanism", "training", "summary", "distinguisher",
    "attack", "detector", "claim", "bound", "ceiling", "witness", "pilot", "transcript", "suspect", "canary",
)  # fmt: skip


def paragraph(account: Account) -> str:
    return " ".join(said for _, said in explain(account))


def test_the_claim_is_told_as_the_success_of_a_guess() -> None:
    told = paragraph(Account("mine", Claim(1.0, relation=Relation.ADD_REMOVE), "It was tried.", LOW, "not_refuted"))
    assert (
        "guess whether a person's record was used with at most 73.1 % success, where tossing a coin gives 50 %"
        in told
    )
    assert "succeeds in 62.2 % of cases or more, which the claim allows" in told  # e^0.5 / (1 + e^0.5)
    assert "The claim is not proved" in told
    with_delta = Account("mine", Claim(1.0, 0.1), "It was tried.", LOW, "not_refuted")
    assert "at most 75.8 % success" in paragraph(with_delta)  # 0.731 + 0.269 δ


@pytest.mark.parametrize(
    ("bound", "verdict", "repeated", "said"),
    [
        (HIGH, "violated", 1.9, "The protection is weaker than claimed: there are outputs from which such a"),
        (HIGH, "violated", 1.9, "fresh trainings repeated it (ε ≥ 1.9)"),
        (HIGH, "violated", None, "ε ≥ 2 with 95 % confidence. The protection"),
        (HIGH, "not_repeated", 0.3, "but fresh trainings gave only ε ≥ 0.3"),
        (
            replace(LOW, ceiling=0.7),
            "inconclusive",
            None,
            "The audit says nothing about the protection, neither good nor bad.",
        ),
        (replace(LOW, epsilon=0.0), "not_refuted", None, "not correct often enough to show any leakage"),
        (replace(HIGH, assuming="Gaussian DP"), "violated", None, "95 % confidence under Gaussian DP"),
        (replace(HIGH, epsilon=40.0), "violated", None, "succeeds in 99.9999 % of cases or more"),
    ],
)
def test_each_verdict_has_its_sentences(bound: Bound, verdict: str, repeated: float | None, said: str) -> None:
    assert said in paragraph(Account("mine", Claim(1.0), "It was tried.", bound, verdict, repeated))


def sweep(*found: tuple[float, float]) -> Summary:
    dice = np.random.default_rng(0)
    cells = [cell_of(audit_row("s", claimed, shown, dice, mechanism="mine", data="iris")) for claimed, shown in found]
    return Summary("folder", (Study("s", "My study"),), cells)


def test_a_sweep_tells_of_the_gravest_audit_or_of_the_nearest_to_its_claim() -> None:
    told = dict(explain_sweep(sweep((1.0, 0.2), (1.0, 1.5), (2.0, 1.0))))
    assert told["What was found."].startswith("In 1 of them")
    assert "mine on iris has outputs from which such a guess succeeds in 81.8 %" in told["For a person in the data."]
    told = dict(explain_sweep(sweep((1.0, 0.2), (2.0, 1.0))))
    assert told["What was found."].startswith("In none of them")
    assert "(ε ≥ 1), where the claim allows 88.1 %" in told["For a person in the data."]
    assert "from 73.1 % (ε = 1) to 88.1 % (ε = 2)" in told["The claim."]
    assert len(explain_sweep(sweep())) == 1


def widths(gauge: Gauge) -> dict[str, float]:
    drawn = str(draw_gauge(gauge))
    return {kind: float(share) for share, kind in re.findall(r'width="([\d.]+)%" rx="2" class="bar (\w+)"', drawn)}


def test_the_gauge_has_one_scale_and_cuts_off_a_high_ceiling() -> None:
    drawn = widths(Gauge(1.0, 0.5, 1.9, None, "not_refuted"))
    assert drawn["claim"] == pytest.approx(2 * drawn["not_refuted"], rel=1e-3)
    assert drawn["reach"] == pytest.approx(1.9 * drawn["claim"], rel=1e-3)
    assert "arrow" not in str(draw_gauge(Gauge(1.0, 0.5, 1.9, None, "not_refuted")))
    cut = Gauge(1.0, 0.5, 100.0, 1.2, "not_refuted")
    assert widths(cut)["claim"] > 40
    assert 'class="arrow"' in draw_gauge(cut)
    assert "<desc" in draw_gauge(cut)
    assert widths(Gauge(1.0, 0.0, 2.0, None, "not_refuted")).keys() == {"claim", "reach"}, "no bar for nothing"


def test_the_glossary_defines_every_word_once() -> None:
    assert tuple(GLOSSARY) == TERMS
    section = glossary_section()
    assert all(f'id="{anchor(term)}"' in section for term in TERMS)
    assert set(re.findall(r'href="#([^"]+)"', section)) <= {anchor(term) for term in TERMS}
    linked = link_terms("Each claim, its bound and <i>, 1 000 trainings, 90 %, ε = 1")
    assert linked.count("<a ") == 2
    assert "&lt;i&gt;" in linked
    assert "1\u00a0000 trainings, 90\u00a0%, ε\u00a0=\u00a01" in linked
