"""The pages in a real browser: filter, open, look closer, compare, write, watch a run go on."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sleuth import archive
from sleuth.archive.marks import marks
from tests.archive.made import sleuth, write
from tests.ui.made import Client, run, script, served

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --window-size=1280,900"
).split()
PATIENCE = 60.0  # seconds for what should come at once; a busy machine may take longer

pytestmark = pytest.mark.skipif(
    not (BROWSER and DRIVER), reason="no Chromium here: install Debian's chromium and chromium-driver"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        try:
            yield made
        finally:
            made.quit()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / ".sleuth"
    run(home, "--lr", "0.1", count=400)
    run(home, "--lr", "5", lr=5.0, bad=True, count=400)
    return home


@pytest.fixture
def opened(browser: Any, home: Path) -> Iterator[Client]:
    """The list of runs, opened by the link; in the end the console is empty and no other host was asked."""
    browser.get("about:blank")
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    with served(home) as client:
        browser.get(f"http://127.0.0.1:{client.door.port}/?token={client.door.token}")
        assert "token" not in browser.current_url
        yield client
        quiet(browser, f"http://127.0.0.1:{client.door.port}/")
        browser.get("about:blank")
        browser.get_log("browser")


def quiet(browser: Any, own: str) -> None:
    import json

    told = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not told
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked = message["params"]["request"]["url"]
            assert asked.startswith((own, "data:", "about:", "chrome:")), asked


def wait(browser: Any, what: Callable[[], Any]) -> Any:
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, PATIENCE, 0.1, [StaleElementReferenceException, IndexError]).until(
        lambda _: what()
    )


def some(browser: Any, selector: str) -> list[Any]:
    found: list[Any] = browser.find_elements("css selector", selector)
    return found


def shown(browser: Any, text: str) -> bool:
    return text in some(browser, "#head")[0].text


def keys(browser: Any, *pressed: str) -> None:
    body = some(browser, "body")[0]
    for key in pressed:
        body.send_keys(key)


def test_the_list_is_filtered_while_one_types(browser: Any, opened: Client) -> None:
    assert len(some(browser, "tr[data-run]")) == 2
    keys(browser, "/")
    box = some(browser, "input[type=search]")[0]
    assert browser.switch_to.active_element == box
    box.send_keys("lr>1")
    wait(browser, lambda: len(some(browser, "tr[data-run]")) == 1)
    assert "lr 5" in some(browser, "tr[data-run]")[0].text
    wait(browser, lambda: "q=lr" in browser.current_url)


def test_keys_lead_through_the_list_to_a_comparison(browser: Any, opened: Client) -> None:
    keys(browser, "j", "x", "j", "x")
    assert "2 chosen" in some(browser, "[data-count]")[0].text
    keys(browser, "c")
    wait(browser, lambda: "/compare" in browser.current_url)
    verdict = some(browser, ".verdict")[0].text
    assert "They differ in lr (0.1 against 5)." in verdict
    assert len(some(browser, "figure.chart svg")) >= 2


def test_a_run_is_opened_read_and_looked_at_closer(browser: Any, opened: Client) -> None:
    from selenium.webdriver import ActionChains

    keys(browser, "j", "\ue007")
    wait(browser, lambda: "/run/" in browser.current_url)
    assert "Cause found" in some(browser, "#head")[0].text
    svg = some(browser, "#curves figure.chart svg")[0]
    ActionChains(browser).move_to_element(svg).perform()
    wait(browser, lambda: some(browser, "#curves .readout")[0].text.startswith("step "))
    ActionChains(browser).move_to_element(svg).click_and_hold().move_by_offset(60, 0).release().perform()
    first = wait(browser, lambda: some(browser, "input[name=from]")[0].get_attribute("value"))
    last = some(browser, "input[name=to]")[0].get_attribute("value")
    assert 100 < float(first) < float(last) < 400
    steps = some(browser, "#curves g[data-steps]")[0].get_attribute("data-steps").split()
    assert float(steps[0]) >= float(first) - 1
    browser.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    wait(browser, lambda: "epoch 1 loss 0.5" in some(browser, "#output")[0].text)


def test_a_note_is_written_in_the_page_and_stands_in_the_file(
    browser: Any, opened: Client, home: Path
) -> None:
    link = some(browser, "tr[data-run] a.id")[0]
    name = link.get_attribute("href").rpartition("/")[2]
    link.click()
    box = wait(browser, lambda: some(browser, "input[name=note]")[0])
    box.send_keys("far too high")
    some(browser, "form.marks button:not([name])")[0].click()
    wait(browser, lambda: marks(home / "runs" / name).note == "far too high")
    browser.get(f"http://127.0.0.1:{opened.door.port}/journal")
    some(browser, "textarea[name=text]")[0].send_keys("the rate")
    some(browser, "section form button")[0].click()
    file = home / "journal.md"
    wait(browser, lambda: file.exists() and "the rate" in file.read_text())


def test_causes_are_searched_while_one_types(browser: Any, opened: Client) -> None:
    browser.get(f"http://127.0.0.1:{opened.door.port}/causes")
    before = len(some(browser, "#causes a.id"))
    some(browser, "input[type=search]")[0].send_keys("worker seed")
    wait(browser, lambda: 0 < len(some(browser, "#causes a.id")) < before / 4)


def test_a_star_is_set_in_the_list(browser: Any, opened: Client, home: Path) -> None:
    keys(browser, "j", "s")
    wait(browser, lambda: some(browser, "button.star.on"))
    assert sum(marks(folder).star for folder in (home / "runs").iterdir()) == 1


def test_a_live_run_moves_and_ends(browser: Any, opened: Client, home: Path) -> None:
    path = script(home.parent / "project")
    live = archive.begin(["python", str(path), "--lr", "1"], path, home=home)
    write(live, [{"kind": "step", "n": n, "loss": 2.0 - n / 100} for n in range(30)])
    wait(browser, lambda: some(browser, ".status.running"))  # the list notices by itself
    browser.get(f"http://127.0.0.1:{opened.door.port}/run/{live.id}")
    assert "30 steps" in some(browser, "#head")[0].text
    write(live, [{"kind": "step", "n": n, "loss": 2.0 - n / 100} for n in range(30, 90)])
    wait(browser, lambda: "90 steps" in some(browser, "#head")[0].text)
    wait(
        browser, lambda: some(browser, "#curves g[data-steps]")[0].get_attribute("data-steps").endswith(" 89")
    )
    size = "return document.querySelectorAll('*').length"
    before = browser.execute_script(size)
    for part in range(90, 130, 10):
        write(live, [{"kind": "step", "n": n, "loss": 2.0 - n / 100} for n in range(part, part + 10)])
        wait(browser, partial(shown, browser, f"{part + 10} steps"))
    assert browser.execute_script(size) <= before  # a page that is left open does not grow
    live.finish(0)
    wait(browser, lambda: not some(browser, ".status.running") and some(browser, ".status.finished"))


def test_without_script_a_page_can_still_be_read(browser: Any, opened: Client) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"http://127.0.0.1:{opened.door.port}/?q=lr%3E1")
        assert len(some(browser, "tr[data-run]")) == 1
        some(browser, "tr[data-run] a.id")[0].click()
        assert len(some(browser, "figure.chart svg")) >= 2
        browser.get(some(browser, "#output a")[0].get_attribute("href"))
        assert "epoch 1 loss 0.5" in some(browser, "pre")[0].text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_an_export_opens_from_the_disk(browser: Any, home: Path, tmp_path: Path) -> None:
    assert sleuth("ui", "--home", str(home), "--export", str(tmp_path / "out")).returncode == 0
    browser.get((tmp_path / "out" / "index.html").as_uri())
    box = some(browser, "input[type=search]")[0]
    box.send_keys("lr-too-high")
    wait(browser, lambda: sum(row.is_displayed() for row in some(browser, "tr[data-run]")) == 1)
    next(link for link in some(browser, "tr[data-run] a.id") if link.is_displayed()).click()
    assert "Cause found" in wait(browser, lambda: some(browser, "#head")[0].text)
    assert len(some(browser, "figure.chart svg")) >= 2
    quiet(browser, "file:")


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_the_screen(browser: Any, opened: Client, home: Path, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    run_id = max(folder.name for folder in (home / "runs").iterdir())
    try:
        for place in (
            "/",
            f"/run/{run_id}",
            f"/run/{run_id}/code",
            "/cases",
            "/journal",
            "/sweeps",
            "/reports",
            "/causes",
            "/map",
        ):
            browser.get(f"http://127.0.0.1:{opened.door.port}{place}")
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, place
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
