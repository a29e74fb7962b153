"""The report in a real browser: it opens from disk, says nothing on the console, sorts, filters, shows, prints."""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from generated import SCRIPT, SIGNS, STUDIES, store

from mlaudit.cli import main

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FIGURES = sum(bool(study.figure) for study in STUDIES)
PATIENCE = 600
Driver = Any


@pytest.fixture(scope="module")
def browser() -> Iterator[Driver]:
    from selenium.webdriver.chrome.service import Service

    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs a browser: Debian's chromium and chromium-driver, or Chrome and chromedriver, on the PATH")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    # Containers have neither a sandbox nor much shared memory.
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        started.command_executor.client_config.timeout = PATIENCE
        started.set_page_load_timeout(PATIENCE)
        started.set_script_timeout(PATIENCE)
        yield started
    finally:
        started.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = store(tmp_path_factory.mktemp("sweep"), replicates=1, data=2)
    assert main(["report", str(folder), "--format", "html"]) == 0
    return folder / "report.html"


@pytest.fixture
def opened(browser: Driver, page: Path) -> Driver:
    return visit(browser, page)


@pytest.fixture
def leaves_it_changed(browser: Driver) -> Iterator[None]:
    """For tests that sort, filter or unfold: the next one gets the page as it is opened."""
    yield
    browser.get("about:blank")


def visit(browser: Driver, page: Path, scheme: str = "light", width: int = 1280, media: str = "screen") -> Driver:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    # Loading takes longer than what a test does: a page that is open, and was loaded in this width, stays open.
    if browser.current_url != page.as_uri() or browser.execute_script("return window.loadedAt") != width:
        browser.get(page.as_uri())
        browser.execute_script("window.loadedAt = arguments[0]", width)
    return browser


def column(browser: Driver, title: str) -> int:
    script = "return [...document.querySelectorAll('#cells thead th button')].map(b => b.innerText)"
    return list(browser.execute_script(script)).index(title)


def values(browser: Driver, place: int) -> list[float]:
    script = (
        "return [...document.querySelectorAll('#cells tbody tr')].map(r => Number(r.cells[arguments[0]].dataset.v))"
    )
    return [float(value) for value in browser.execute_script(script, place)]


def test_nothing_fails_and_a_script_in_a_name_stays_text(opened: Driver) -> None:
    assert opened.get_log("browser") == []
    assert opened.title == "Violations, Specified and detected ε and 9 more studies – mlaudit report"
    assert len(opened.find_elements("tag name", "script")) == 1, "only our own"
    texts = opened.execute_script("return document.body.textContent")
    assert SCRIPT in texts
    assert SIGNS in texts
    assert not opened.find_elements("css selector", "#failed b"), "an error is text, too"
    assert opened.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_violations_come_first(opened: Driver) -> None:
    script = "return [...document.querySelectorAll('#cells tbody tr')].slice(0, 60).map(r => r.className)"
    kinds = opened.execute_script(script)
    assert kinds == sorted(kinds, reverse=True)
    assert kinds[0] == "violated"


OVERLAPS = """
const told = [];
for (const svg of document.querySelectorAll('.picture svg')) {
  const boxes = [...svg.querySelectorAll('text')]
    .filter(t => !/rotate\\(-?[1-9]/.test(t.getAttribute('transform') || '') && t.textContent.trim())
    .map(t => [t.textContent, t.getBoundingClientRect()]);
  boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across > 1.5 && down > 3) told.push(`${svg.getAttribute('aria-label')}: ${a} / ${b}`);
  }));
}
return told;
"""


POINTED = """
return [...document.querySelectorAll('.picture .mark')].filter(mark => {
  mark.scrollIntoView({block: 'center'});
  const box = mark.getBoundingClientRect();
  const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return !hit || !hit.closest('.mark');
}).map(mark => mark.textContent);
"""


def test_figures_show_fit_and_speak(opened: Driver) -> None:
    drawn = opened.find_elements("css selector", ".picture svg")
    assert len(drawn) == FIGURES
    for svg in drawn:
        size = svg.rect
        assert size["width"] > 400
        assert size["height"] > 150
        assert size["x"] + size["width"] <= 1280
        assert svg.get_attribute("aria-label")
        marks = svg.find_elements("css selector", ".mark title")
        assert marks
        assert all(mark.get_attribute("textContent") for mark in marks[:3])
    assert opened.execute_script(OVERLAPS) == []
    ids = opened.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    missing = "[...document.querySelectorAll('use')].filter(u => !document.querySelector(u.getAttribute('href')))"
    assert opened.execute_script(f"return {missing}.length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_follow_the_page(browser: Driver, page: Path, scheme: str) -> None:
    visit(browser, page, scheme)
    body = browser.execute_script("return getComputedStyle(document.body).color")
    text = browser.execute_script("return getComputedStyle(document.querySelector('.picture text')).fill")
    assert body == text
    assert ("231" in body) == (scheme == "dark")


@pytest.mark.parametrize("width", [1280, 400])
def test_the_gauge_fits_and_words_lead_to_the_glossary(browser: Driver, page: Path, width: int) -> None:
    visit(browser, page, width=width)
    gauge = browser.find_element("css selector", ".gauge svg")
    named = [browser.find_element("id", name) for name in gauge.get_attribute("aria-labelledby").split()]
    assert named[0].get_attribute("textContent") == "Claim, bound and ceiling"
    inside = "const g = arguments[0].getBoundingClientRect(); return [...arguments[0].querySelectorAll('text, rect')]"
    fits = "const b = t.getBoundingClientRect(); return b.right <= innerWidth && b.left >= g.left - 1"
    assert browser.execute_script(f"{inside}.every(t => {{ {fits} }})", gauge)
    links = browser.find_elements("css selector", "a.term")
    assert links
    missing = "[...document.querySelectorAll('a.term')].filter(a => !document.getElementById(a.hash.slice(1)))"
    assert browser.execute_script(f"return {missing}.length") == 0


def test_a_narrow_screen_scrolls_figures_and_not_the_page(browser: Driver, page: Path) -> None:
    visit(browser, page, width=400)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400


HINTS = """
return [...document.querySelectorAll('.sideways')].filter(b => b.checkVisibility()).map(b => {
  const box = b.querySelector(':scope > :not(.hint)');
  const told = getComputedStyle(b.querySelector(':scope > .hint')).display !== 'none';
  return [box.scrollWidth > box.clientWidth + 1, told];
});
"""


@pytest.mark.usefixtures("leaves_it_changed")
@pytest.mark.parametrize("width", [400, 1280])
def test_what_scrolls_sideways_says_so(browser: Driver, page: Path, width: int) -> None:
    visit(browser, page, width=width)
    found = browser.execute_script(HINTS)
    assert all(hidden == told for hidden, told in found)
    assert found[0] == [True, True], "the table of verdicts"
    assert any(not told for _, told in found) == (width == 1280), "figures fit on a wide screen"
    # What is folded away is measured when it is opened.
    browser.execute_script("for (const d of document.querySelectorAll('figure details')) d.open = true")
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert all(hidden == told for hidden, told in browser.execute_script(HINTS))


@pytest.mark.usefixtures("leaves_it_changed")
def test_the_table_sorts_by_click_and_by_key(opened: Driver) -> None:
    from selenium.webdriver.common.keys import Keys

    place = column(opened, "Detected ε ≥")
    head = opened.find_elements("css selector", "#cells thead th")[place]
    button = head.find_element("tag name", "button")
    before = values(opened, place)
    assert head.get_attribute("aria-sort") is None
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert values(opened, place) == sorted(before)
    button.send_keys(Keys.ENTER)
    assert head.get_attribute("aria-sort") == "descending"
    assert values(opened, place) == sorted(before, reverse=True)
    names = column(opened, "Mechanism")
    opened.find_elements("css selector", "#cells thead button")[names].click()
    assert head.get_attribute("aria-sort") is None
    script = "return [...document.querySelectorAll('#cells tbody tr')].map(r => r.cells[arguments[0]].textContent)"
    found = opened.execute_script(script, names)
    assert found == sorted(found)


@pytest.mark.usefixtures("leaves_it_changed")
def test_the_table_filters(opened: Driver) -> None:
    box = opened.find_element("css selector", "input[type=search]")
    box.send_keys("Random_Forest credit")
    script = "return [...document.querySelectorAll('#cells tbody tr')].filter(r => !r.hidden).map(r => r.textContent)"
    shown = opened.execute_script(script)
    assert shown
    assert all("random_forest" in row and "credit" in row for row in shown)
    assert opened.find_element("id", "matches").text.startswith(f"{len(shown)} of ")


@pytest.mark.usefixtures("leaves_it_changed")
def test_the_table_is_whole_without_script(browser: Driver, page: Path) -> None:
    browser.get("about:blank")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        visit(browser, page)
        assert len(browser.find_elements("css selector", "#cells tbody tr")) > 300
        assert not browser.find_elements("css selector", "#cells thead button")
        assert not browser.find_element("css selector", ".tools").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_it_prints_on_light_paper_without_controls(browser: Driver, page: Path) -> None:
    visit(browser, page, scheme="dark", media="print")
    assert not browser.find_element("css selector", ".tools").is_displayed()
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    printed = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    assert printed.startswith(b"%PDF")
    assert 3 <= printed.count(b"/Type /Page\n") <= 30


def test_a_single_audit_on_a_page(browser: Driver, tmp_path: Path) -> None:
    run = ["run", "laplace", "--epsilon", "1", "--rows", "1", "--trainings", "2000", "--out", str(tmp_path / "run")]
    assert main(run) == 0
    assert main(["report", str(tmp_path / "run"), "--format", "html"]) == 0
    visit(browser, tmp_path / "run" / "report.html")
    assert browser.get_log("browser") == []
    assert len(browser.find_elements("css selector", ".picture svg")) == 2
    assert browser.execute_script(OVERLAPS) == []
    assert (
        "mlaudit run laplace --epsilon 1 --rows 1 --trainings 2000" in browser.find_element("tag name", "body").text
    )
