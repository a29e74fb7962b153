"""What docs/dp_sgd.md says of Opacus by hand: the script as it is printed, with torch and the library alone."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "dp_sgd.md").read_text(encoding="utf-8")
FOUND = PAGE[PAGE.index("## Found on the way") :]


@pytest.mark.filterwarnings("ignore")  # what torch says of hooks is not ours
def test_gradients_of_permuted_images_are_wrong() -> None:
    pytest.importorskip("opacus")
    (code,) = re.findall(r"```python\n(.*?)```", FOUND, re.DOTALL)
    assert set(re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)) == {"torch", "opacus"}
    assert f"Opacus {version('opacus')} computes wrong" in FOUND, "another version: run the script, say which"
    exec(compile(code, "dp_sgd.md", "exec"), {})
