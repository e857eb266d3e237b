"""The page of `corefscore diff --html` in a real browser: what it shows, its keys, and that it asks for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import TESTDATA, within

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
    done = within("diff", *arguments, "--html", folder / "page.html")
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
    assert shown(browser, "status").startswith(
        "“She”: found, in another entity (entity 5 of key, in response in entity 4; "
    )
    press(browser, "p")
    assert shown(browser, "status").startswith("“Ann and Bo”")
    assert is_quiet(browser)


def items(folder: Path, **entities: str) -> list[Path]:
    """Tables with the items of each entity, such as ``a=p1 p2, b=p3``."""
    paths = []
    for name, text in entities.items():
        rows = [f"{item},{at}" for at, entity in enumerate(text.split(", ")) for item in entity.split()]
        paths.append(folder / f"{name}.csv")
        paths[-1].write_text("\n".join(["item,entity", *rows, ""]))
    return paths


def test_items_stand_by_entity_and_are_found_again_in_the_other_response(browser: Any, tmp_path: Path) -> None:
    """An item that only the responses have is in a line of its entity, which is another one in each."""
    three = items(tmp_path, key="p1 p2, p3", first="p1, p2 p3, p8 p9", second="p1 p2 p7 p9, p3")
    browser.get(page(tmp_path, *three))
    lines = "return [...document.querySelectorAll('#text p')].map((its) => its.textContent)"
    assert browser.execute_script(lines) == ["p1 p2", "p3", "p8 p9"]
    press(browser, "n")
    said = "“p2”: found, in another entity (entity 0 of key, in response in entity r1; divided entity)"
    assert shown(browser, "status") == f"{said}; in second.csv: right"
    for _ in range(3):
        press(browser, "n")
    extra = "“p9”: not in the key (in response in entity r2; extra entity); in second.csv: not in the key"
    assert shown(browser, "status") == extra
    press(browser, "x")
    assert shown(browser, "status").startswith("“p9”: not in the key (in response in entity 0; ")
    assert browser.execute_script(lines) == ["p1 p2", "p3", "p7 p9"], "lines of the other response alone are hidden"
    assert is_quiet(browser)


def test_tokens_that_only_the_second_response_has_are_shown(browser: Any, tmp_path: Path) -> None:
    key = "#begin document (d); part 000\nd\t0\t0\tAnna\t(1)\nd\t0\t1\tleft\t-\n#end document\n"
    for name in ("key", "first"):
        (tmp_path / name).write_text(key)
    (tmp_path / "d_0.txt").write_text("[Anna](#1) left [indeed](#8)")
    browser.get(page(tmp_path, *(tmp_path / name for name in ("key", "first", "d_0.txt"))))
    press(browser, "x")
    press(browser, "n")
    assert shown(browser, "status").startswith("“indeed”: not in the key")
    assert shown(browser, "text").endswith("(without a place in the text:) indeed")


def test_types_can_be_hidden_and_documents_changed(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH))
    first = shown(browser, "name")
    for number in "123456789":
        press(browser, number)
    press(browser, "n")
    assert shown(browser, "status") == "No error after this one."
    press(browser, "j")
    assert shown(browser, "name") != first
    press(browser, "k")
    assert shown(browser, "name") == first
    assert is_quiet(browser)


def test_the_page_begins_where_most_is_lost_and_goes_on_to_the_next_document(browser: Any, tmp_path: Path) -> None:
    """Documents are walked through by cost, as they are listed; those without a shown error are passed over."""
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH))
    listed = "return [...document.querySelectorAll('#documents button')].map((its) => its.firstChild.textContent)"
    names = browser.execute_script(listed)
    assert names[:2] == [shown(browser, "name"), "(bn/01); part 001"]
    assert shown(browser, "counts").startswith("document 1 of 24 by cost; CoNLL average 60.97; ")
    press(browser, "n")
    press(browser, "p")
    assert shown(browser, "status") == "No error before this one."
    seen = []
    for _ in range(60):
        press(browser, "n")
        if shown(browser, "status") == "No error after this one.":
            break
        seen.append(shown(browser, "name"))
        assert (f"{seen[-1]}: \u201c" in shown(browser, "status")) == (len(seen) > 1 and seen[-2] != seen[-1])
    script = "return data.documents.filter((its) => its.marks[0].some((mark) => mark[2])).length"
    assert list(dict.fromkeys(seen)) == names[: browser.execute_script(script)]
    press(browser, "p")
    assert is_quiet(browser)


def test_two_responses_are_in_one_page(browser: Any, tmp_path: Path) -> None:
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH, BIRCH))
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
    fables = TESTDATA / "fables"
    browser.get(page(tmp_path, fables / "key.conll", fables / "response.conll", "--symmetric") + "#0")
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


def test_little_of_a_telephone_is_taken_by_what_stays_in_view(browser: Any, tmp_path: Path) -> None:
    """Only the buttons stay at the top and the sentence about the mention at the bottom, with two responses, too."""
    browser.get(page(tmp_path, SYSTEMS / "key.conll", ASH, BIRCH))
    size = {"width": 360, "height": 640, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    script = """
      scrollTo(0, document.body.scrollHeight / 2);
      return [...document.body.querySelectorAll("*")].filter((its) => getComputedStyle(its).position === "sticky")
        .map((its) => [its.id || its.tagName, its.getBoundingClientRect().height]);
    """
    try:
        sticky = dict(browser.execute_script(script))
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert list(sticky) == ["tools", "FOOTER"]
    assert sticky["tools"] < 90


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_paper_is_black_on_white_without_controls(browser: Any, tmp_path: Path, theme: str) -> None:
    browser.get(page(tmp_path, TESTDATA / "fables" / "key.conll", TESTDATA / "fables" / "response.conll") + "#0")
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
    for words in ("CoNLL average 65.21", "A Crow", "document 2 of 2 by cost", "dotted: right", "| errors=conll |"):
        assert words in found["text"], words
