"""What must agree before a release: the version in every place, the citation, the changelog, the metadata."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from mlaudit import __version__

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(not (ROOT / "CHANGELOG.md").exists(), reason="no checkout")


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_changelog_has_this_version_below_an_unreleased_part() -> None:
    heads = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", read("CHANGELOG.md"), re.MULTILINE)
    assert heads[0] == ("Unreleased", "")
    assert heads[1][0] == __version__
    assert heads[1][1] == yaml.safe_load(read("CITATION.cff"))["date-released"].isoformat()


def test_every_place_names_this_version() -> None:
    assert yaml.safe_load(read("CITATION.cff"))["version"] == __version__
    for page in ("docs/ci_kit.md", "examples/ci_project/.github/workflows/privacy.yml"):
        named = set(re.findall(r"\bv(\d+\.\d+\.\d+)\b", read(page)))
        assert named == {__version__}, page


def test_the_citation_has_what_its_format_asks_for() -> None:
    found = yaml.safe_load(read("CITATION.cff"))
    assert found["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(found)
    assert found["license"] == tomllib.loads(read("pyproject.toml"))["project"]["license"]


def test_the_metadata_name_the_pythons_that_ci_tests() -> None:
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    named = [one.rpartition(" ")[2] for one in classifiers if re.search(r"Python :: 3\.\d+$", one)]
    workflow = yaml.safe_load(read(".github/workflows/ci.yml"))
    assert named == workflow["jobs"]["quick"]["strategy"]["matrix"]["python"]
    assert classifiers == sorted(classifiers)


def test_the_page_of_the_ci_kit_shows_inputs_that_exist() -> None:
    inputs = set(yaml.safe_load(read("action.yml"))["inputs"])
    page = read("docs/ci_kit.md")
    shown = [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)]
    steps = [step for block in shown if isinstance(block, list) for step in block]
    assert len(steps) == 2
    assert all(set(step["with"]) <= inputs for step in steps)
    assert all(len(yaml.safe_dump(step).splitlines()) <= 6 for step in steps), "a few lines are enough"
    table = page[page.index("| input |") : page.index("The outputs are")]
    first = "".join(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))
    assert set(re.findall(r"`([a-z-]+)`", first)) == inputs
    hooks = {hook["id"] for hook in yaml.safe_load(read(".pre-commit-hooks.yaml"))}
    (config,) = [block for block in shown if isinstance(block, dict)]
    assert {hook["id"] for hook in config["repos"][0]["hooks"]} <= hooks
