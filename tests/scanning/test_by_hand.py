"""Every finding of docs/findings.md by hand: the scripts as they are printed, with the library and numpy alone."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]
BLOCK = re.compile(r"(?:<!-- not run: (.*?) -->\n)?```python\n(.*?)```", re.DOTALL)
SCRIPTS = [
    pytest.param(
        code,
        id=f"{section.partition(':')[0].splitlines()[0][:40]} {place}",
        marks=[pytest.mark.skip(reason=reason)] if reason else [],
    )
    for section in SECTIONS
    for place, (reason, code) in enumerate(BLOCK.findall(section))
]


# Fails for a correct program with probability < 3e-6: the scripts' shares lie 5 deviations or more from what they
# assert: of 70 fits of the diagonal 0.63 to 0.69 (0.3 are asserted) and 0.005 (0.1); of 80 of k-means 0.32 (0.05,
# binomial 6e-8 for 0.29) and none (1 000 rows move a centre by 0.04 on average; 0.9 is asserted); ln of the ratio of
# shares of the forest 1.49, with 0.097 (1); seeds repeat another leaf in 0.26 of 20 forests (18 of 20, 4e-8 for 0.3);
# moved rows stay in 0.95 of 16 forests (0.45, binomial 8e-8 for 0.94) and in 0.03 (0.45, 2e-7 for 0.045).
# Of 400 fits of naive Bayes 0.054 are asserted to be 0.005 or more; deviations of Opacus' weights are
# 1.14 and 1.63, with a deviation of 0.05 (1.35), and its logarithms differ by a factor of 2 (1.2, with 0.1 in the
# logarithm). RAPPOR's bit is 1 in 0.375 of 400 reports (0.6). Logarithms of ratios: subsets 1.85 and 0.78, with
# deviations of 0.067 and 0.040 in 3 000 reports (1.4 and 1); fake data 1.82, with 0.088 in 4 000 (1.3).
@pytest.mark.slow
@pytest.mark.parametrize("code", SCRIPTS)
def test_a_finding_is_repeated_by_hand(code: str) -> None:
    needed = set(re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE))
    assert needed <= {"numpy", "diffprivlib", "torch", "opacus", "pure_ldp", "multi_freq_ldpy", "pandas", "snsynth"}
    for name in sorted(needed):
        pytest.importorskip(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what scikit-learn says of versions is not ours
        exec(compile(code, "findings.md", "exec"), {})


def test_every_finding_has_a_script() -> None:
    assert len(SECTIONS) >= 8
    assert all(
        "```python" in section and re.search(r"\.(py|cc):\d", section)
        for section in SECTIONS
        if not section.startswith("The")
    )
