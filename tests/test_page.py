"""The page of `corefscore diff --html` in a real browser: what it shows, its keys, and that it asks for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import TESTDATA, command

pytest.importorskip("selenium", reason="needs the package selenium")
pytestmark = pytest.mark.skipif(
    not (shutil.which("chromium") and shutil.which("chromedriver")), reason="needs chromium and chromedriver"
)

OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1300,900"),
)

HOSTILE = "</script><script>window.broken=1</script><img/src=x/onerror=window.broken=1>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in OPTIONS:
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


def page(folder: Path, *arguments: str | Path) -> str:
    """The address of a page made by the command."""
    done = command("diff", *arguments, "--html", folder / "page.html")
    assert (done.status, done.stdout) == (0, b"")
    return (folder / "page.html").as_uri()


def shown(browser: Any, name: str) -> str:
    found: str = browser.execute_script("return document.getElementById(arguments[0]).textContent", name)
    return found


def press(browser: Any, keys: str) -> None:
    from selenium.webdriver.common.by import By

    browser.find_element(By.TAG_NAME, "body").send_keys(keys)


def is_quiet(browser: Any) -> bool:
    """No message on the console, no request."""
    requests: int = browser.execute_script("return performance.getEntriesByType('resource').length")
    messages: list[Any] = browser.get_log("browser")
    return not requests and not messages


SYSTEMS = TESTDATA / "systems"
ASH, BIRCH = (SYSTEMS / "runs" / name for name in ("ash.conll", "birch.conll"))


def test_errors_are_stepped_through_and_said_in_words(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll"))
    assert "The cat" in shown(browser, "text")
    press(browser, "n")
    assert shown(browser, "status") == "“Ann and Bo”: missing in the response (entity 3 of key; missing singleton)"
    press(browser, "n")
    assert shown(browser, "status").startswith("“She”: found, in another entity (entity 5 of key, found with 4; ")
    press(browser, "p")
    assert shown(browser, "status").startswith("“Ann and Bo”")
    assert is_quiet(browser)


def test_types_can_be_hidden_and_documents_changed(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH))
    first = shown(browser, "name")
    for number in "123456789":
        press(browser, number)
    press(browser, "n")
    assert shown(browser, "status").startswith("No more in this document")
    press(browser, "j")
    assert shown(browser, "name") != first
    press(browser, "k")
    assert shown(browser, "name") == first
    assert is_quiet(browser)


def test_two_responses_are_in_one_page(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH, "--other", BIRCH))
    press(browser, "n")
    assert "; in birch.conll: " in shown(browser, "status")
    press(browser, "x")
    assert shown(browser, "score").startswith("birch.conll: ")
    assert is_quiet(browser)


def test_light_and_dark_are_a_key_away(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll"))
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.execute_script(ground)
    press(browser, "t")
    assert browser.execute_script(ground) != before
    assert is_quiet(browser)


def test_words_and_names_of_a_hostile_file_stay_text(browser: Any, tmp_path: Path) -> None:
    lines = [f"#begin document ({HOSTILE}); part 000"]
    lines += [f"d\t0\t{token}\t{HOSTILE}\tNN\t-\t({token % 2})" for token in range(4)]
    file = tmp_path / "hostile.conll"
    file.write_text("\n".join([*lines, "", "#end document", ""]))
    browser.get(page(tmp_path, file, file))
    assert shown(browser, "name") == f"({HOSTILE}); part 000"
    assert HOSTILE in shown(browser, "text")
    assert browser.execute_script("return window.broken") is None
    assert is_quiet(browser)


def test_mentions_that_cross_are_all_shown(browser: Any, tmp_path: Path) -> None:
    key = {"doc_key": "d", "sentences": [["a", "b", "c", "d"]], "clusters": [[[0, 2]], [[1, 3]]]}
    file = tmp_path / "crossing.jsonl"
    file.write_text(json.dumps(key) + "\n")
    browser.get(page(tmp_path, file, file))
    script = """
      const labels = [...document.querySelectorAll("[data-label]")];
      return labels.map((its) => its.previousSibling.textContent + its.dataset.label);
    """
    assert browser.execute_script(script) == ["a b c0", " d1"]
    assert shown(browser, "text") == "a b c d"


def test_a_page_of_two_annotators_has_no_key(browser: Any, tmp_path: Path) -> None:
    browser.get(
        page(tmp_path, TESTDATA / "fables" / "key.conll", TESTDATA / "fables" / "response.conll", "--symmetric")
    )
    press(browser, "n")
    text: str = browser.execute_script("document.getElementById('signature').remove(); return document.body.innerText")
    assert shown(browser, "status") == "\u201ca piece of cheese\u201d: only in first (entity 2 of first)"
    assert "only in second" in text
    for word in ("key ", "response ", "missing", "extra", "error"):
        assert word not in text.lower().replace("response.conll", ""), word
    assert is_quiet(browser)


def test_signs_and_labels_stay_with_their_words_on_a_telephone(browser: Any, tmp_path: Path) -> None:
    """At 360 pixels no line ends between a word and the label behind it, or the sign before it; nothing sticks out."""
    browser.get(page(tmp_path, TESTDATA / "fables" / "key.conll", TESTDATA / "fables" / "response.conll"))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": False}
    )
    apart = """
      const line = (element, last) => {
        const rows = [...element.getClientRects()];
        const row = rows[last ? rows.length - 1 : 0];
        return (row.top + row.bottom) / 2;
      };
      const notes = [...document.querySelectorAll("[data-label], [data-sign]")];
      const far = notes.filter((note) => note.dataset.label
        ? Math.abs(line(note) - line(note.previousSibling, true)) > 14
        : Math.abs(line(note) - line(note.nextSibling)) > 14);
      return [notes.length, far.map((note) => note.dataset.label || note.nextSibling.textContent)];
    """
    try:
        count, far = browser.execute_script(apart)
        wide = browser.execute_script("return document.documentElement.scrollWidth")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert (count > 30, far, wide <= 360) == (True, [], True)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_is_black_on_white_without_controls(browser: Any, tmp_path: Path, theme: str) -> None:
    browser.get(page(tmp_path, TESTDATA / "fables" / "key.conll", TESTDATA / "fables" / "response.conll"))
    press(browser, "n")
    press(browser, "?")
    script = """
      document.documentElement.dataset.theme = arguments[0];
      const seen = [...document.body.querySelectorAll("*")].filter((its) => its.checkVisibility());
      const values = (of, name) => [...new Set(of.map((its) => getComputedStyle(its)[name]))];
      return {
        colours: values(seen, "color"),
        lines: values(seen.filter((its) => its.matches(".mention")), "textDecorationColor"),
        grounds: values([document.body, ...seen], "backgroundColor"),
        controls: seen.filter((its) => its.matches("button, select, nav, aside, dl")).length,
        text: document.body.innerText,
      };
    """
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        found = browser.execute_script(script, theme)
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert found["colours"] == found["lines"] == ["rgb(0, 0, 0)"]
    assert set(found["grounds"]) <= {"rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"}
    assert found["controls"] == 0
    for words in ("CoNLL average 65.21", "A Crow", "dotted: right", "| errors=conll |"):
        assert words in found["text"], words
