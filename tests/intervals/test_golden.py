"""Each interval against values computed independently with 50 digits."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlaudit.intervals.clopper_pearson import ClopperPearson
from mlaudit.intervals.exact import Exact, pvalue
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.statistics.binomial import lower_limit, upper_limit
from mlaudit.statistics.ceiling import ceiling
from mlaudit.statistics.group_privacy import epsilon_per_step

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "bounds.json").read_text())
RTOL: float = GOLDEN["_meta"]["default_rtol"]


def expected(entry: dict[str, Any]) -> Any:
    return pytest.approx(entry["expected"], rel=entry.get("rtol", RTOL))


@pytest.mark.parametrize("entry", GOLDEN["clopper_pearson_one_sided"], ids=str)
def test_clopper_pearson_limits(entry: dict[str, Any]) -> None:
    shown = [float(limit(**entry["inputs"])) for limit in (lower_limit, upper_limit)]
    assert shown == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["katz_lower"], ids=str)
def test_katz(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    assert float(KatzLog().log_ratio(i["n1"], i["n0"], i["N"], i["N"], i["alpha"])) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["cp_pair_lower"], ids=str)
def test_clopper_pearson(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    alpha = i["alpha1"] + i["alpha0"]
    interval = ClopperPearson(share=i["alpha1"] / alpha)
    assert float(interval.log_ratio(i["n1"], i["n0"], i["N"], i["N"], alpha)) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["mover_cp_lower"], ids=str)
def test_mover_cp(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    shown = epsilon_per_step(
        lambda d: MoverCP().log_ratio(i["n1"], i["n0"], i["N"], i["N"], i["alpha"], d), i["delta"], i["k"]
    )
    assert float(shown) == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["exact_unconditional_pvalue"], ids=str)
def test_exact_pvalue(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    shown = pvalue(i["n1"], i["n0"], i["N"], i["N"], i["eps"], i["delta"], i["gamma"])
    assert shown == expected(entry)


@pytest.mark.parametrize("entry", GOLDEN["exact_unconditional_bb_lower"], ids=str)
def test_exact(entry: dict[str, Any]) -> None:
    i = entry["inputs"]
    interval = Exact(gamma_share=i["gamma"] / i["alpha"])
    shown = epsilon_per_step(
        lambda d: interval.log_ratio(i["n1"], i["n0"], i["N"], i["N"], i["alpha"], d), i["delta"], i["k"]
    )
    assert float(shown) == expected(entry)


# Golden limits of the exact interval are without Berger-Boos, whose γ costs a little: 1e-4 of the bound.
CEILINGS = [
    ("katz_n0=1", KatzLog(), RTOL),
    ("cp_bonferroni", ClopperPearson(), RTOL),
    ("mover_cp", MoverCP(), RTOL),
    ("exact_unconditional", Exact(gamma_share=0.0), 1e-7),
    ("exact_unconditional", Exact(), 1e-4),
]


@pytest.mark.parametrize("entry", GOLDEN["detection_limit"], ids=lambda entry: str(entry["inputs"]))
@pytest.mark.parametrize(("name", "interval", "rtol"), CEILINGS, ids=str)
def test_ceiling(entry: dict[str, Any], name: str, interval: KatzLog, rtol: float) -> None:
    N, alpha = entry["inputs"]["N"], entry["inputs"]["alpha"]
    assert ceiling(interval, N, N, alpha) == pytest.approx(entry["expected"][name], rel=rtol)
