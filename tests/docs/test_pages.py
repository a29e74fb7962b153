"""The manual has every public name, word, attack and exhibit of the package, and its links lead somewhere."""

import re
from pathlib import Path
from urllib.parse import unquote

import command_pages
import gallery_pages
import pytest
from check_site import find_dead_links, main
from zoo_pictures import draw_exhibit

import mlaudit
from mlaudit import datasets, library, testing
from mlaudit.cli.commands import COMMANDS
from mlaudit.naming.plugins import shipped
from mlaudit.report.glossary import GLOSSARY
from mlaudit.testing.zoo import exhibits

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# The guides name these, too; their modules import an extra or much code, so that no package re-exports them.
MORE = {
    "mlaudit.adapters.opacus.OpacusTraining",
    "mlaudit.adapters.opendp.MeasurementMechanism",
    "mlaudit.adapters.program.Program",
    "mlaudit.tracing.marking.noisy",
    "mlaudit.tracing.run.trace",
}
GENERATED = {"gallery/attacks.md", "gallery/zoo.md", "gallery/figures.md", "commands.md"}
# The indexes of tests and pages that others write are checked as well, as soon as they are there.
SOURCES = [
    ROOT / "README.md",
    *(
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).as_posix() not in GENERATED and "_build" not in path.parts
    ),
]


def test_the_reference_has_every_public_name() -> None:
    listed = re.findall(r"^   (mlaudit[\w.]*)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    modules = (mlaudit, datasets, library, testing)
    public = {f"{module.__name__}.{name}" for module in modules for name in module.__all__} | MORE
    assert sorted(listed) == sorted(set(listed))
    assert {name for name in listed if not name.startswith(("mlaudit.errors.", "mlaudit.protocols."))} == public


def test_the_glossary_is_that_of_the_reports() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert dict(re.findall(r"^## (.+)\n\n(.+)$", page, re.MULTILINE)) == GLOSSARY


def test_every_page_is_in_a_table_of_contents() -> None:
    """Sphinx says so, too, but only where it is installed."""
    listed = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    named = {path.stem for path in DOCS.glob("*.md")} - {"index"}
    assert {name for name in named if not re.search(rf"^{name}$", listed, re.MULTILINE)} == set()


def slug(heading: str) -> str:
    """The anchor that GitHub and the manual give a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading.lower())
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def find_links(path: Path) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"\w+:", link)]


def leads_nowhere(page: Path, link: str) -> bool:
    file, _, anchor = unquote(link).partition("#")
    target = (page.parent / file).resolve() if file else page
    if target.is_relative_to(DOCS) and target.relative_to(DOCS).as_posix() in GENERATED:
        return False  # `make docs` checks these
    if not target.exists():
        return True
    text = target.read_text(encoding="utf-8") if anchor else ""
    anchors = {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    return bool(anchor) and anchor not in anchors | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


@pytest.mark.parametrize("page", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_files_lead_somewhere(page: Path) -> None:
    assert [link for link in find_links(page) if leads_nowhere(page, link)] == []


def test_a_dead_link_is_found() -> None:
    assert leads_nowhere(DOCS / "start.md", "nowhere.md")
    assert leads_nowhere(DOCS / "start.md", "claims.md#nowhere")
    assert not leads_nowhere(DOCS / "start.md", "claims.md#steps")


def test_a_dead_link_of_the_site_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.html").write_text('<h1 id="top"></h1><a href="#top"></a><a href="two.html#there"></a>')
    (tmp_path / "two.html").write_text('<a href="one.html#top"></a><img src="https://elsewhere.org/x.png">')
    assert find_dead_links(tmp_path) == ["one.html: two.html#there"]
    assert main(str(tmp_path)) == 1
    assert "2 pages, 1 dead links" in capsys.readouterr().out


def test_the_galleries_have_every_attack_figure_and_exhibit() -> None:
    zoo = gallery_pages.make_zoo(exhibits())
    for kind, page in (
        ("attacks", gallery_pages.make_attacks()),
        ("figures", gallery_pages.make_figures()),
        ("exhibits", zoo),
    ):
        assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(shipped(kind))
    assert zoo.count("- **Trainings to catch it:** ") == zoo.count("Broken")


@pytest.mark.slow
def test_a_picture_shows_where_the_outputs_differ() -> None:
    drawn = draw_exhibit("nan_passes_clip", exhibits()["nan_passes_clip"])
    assert "NaN, ∞" in drawn
    assert drawn == draw_exhibit("nan_passes_clip", exhibits()["nan_passes_clip"])
    bits = draw_exhibit("floating_point_laplace", exhibits()["floating_point_laplace"])
    assert "broken: place of the last set bit" in bits


def test_the_command_page_has_every_command() -> None:
    page = command_pages.make_pages()["commands.md"]
    assert re.findall(r"^## mlaudit (.+)$", page, re.MULTILINE) == [command.name for command in COMMANDS]
    assert "`--flake-rate" not in page
    assert "`--epsilon E`" in page
