"""The data of every report: JSON can write it, whatever the input, and it has the notices that standard error has."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
from support import TESTDATA, call

Capture = pytest.CaptureFixture[bytes]

SYSTEMS = TESTDATA / "systems"


def document(name: str, *cells: str) -> str:
    """A document in CoNLL, of one sentence with these cells."""
    lines = [f"{name}\t0\t{number}\tword\t{cell}" for number, cell in enumerate(cells)]
    return "\n".join([f"#begin document ({name}); part 000", *lines, "", "#end document", ""])


def corpus(*cells: str) -> str:
    """Four documents with the same cells."""
    return "".join(document(f"ab{number}", *cells) for number in range(4))


LINKED, APART, EMPTY = ("(0)", "(0)", "(1)", "(1)"), ("(0)", "(1)", "(2)", "(3)"), ("-", "-", "-", "-")

INPUTS: Mapping[str, tuple[str, str, str]] = {
    "real": tuple((SYSTEMS / path).read_text() for path in ("key.conll", "runs/ash.conll", "runs/cedar.conll")),  # type: ignore[dict-item]
    "nothing": (corpus(*EMPTY), corpus(*EMPTY), corpus(*EMPTY)),
    "key alone": (corpus(*LINKED), corpus(*EMPTY), corpus(*EMPTY)),
    "responses alone": (corpus(*EMPTY), corpus(*LINKED), corpus(*APART)),
    "no links": (corpus(*APART), corpus(*APART), corpus(*LINKED)),
    "perfect": (corpus(*LINKED), corpus(*LINKED), corpus(*LINKED)),
    "half of the documents": (corpus(*LINKED), document("ab0", *LINKED), document("ab2", *APART)),
}
"""A key and two responses each, from which quotients without a value can come."""

CALLS = {
    "METRIC": "every KEY A --documents --average documents",
    "METRIC, groups": "every KEY A --by ^.(.)",
    "METRIC, intervals": "every KEY A --intervals",
    "METRIC, kinds": "conll KEY A --of size",
    "METRIC, one kind": "conll KEY A --of size:1",
    "compare": "compare KEY A B --measures every --trials 20",
    "compare, groups": "compare KEY A B --by ^.(.) --trials 20 --unit part",
    "compare, groups of one unit": "compare KEY A B --by ..$ --trials 20 --unit part",
    "compare, one kind": "compare KEY A B --of size:1 --trials 20",
    "rank": "rank KEY A B BAD --measures every --trials 20",
    "rank, groups": "rank KEY A B --by ^.(.) --trials 20 --unit part",
    "check": "check BASELINE KEY A --min lea=50 --both-ways",
    "check, groups": "check --min lea=50 KEY A --by ^.(.)",
    "errors": "errors KEY A",
    "errors, blanc": "errors KEY A --measures blanc --symmetric",
    "errors, two": "errors KEY A B",
    "explain": "explain KEY A 50.0",
    "validate": "validate A B --key KEY",
}
"""A call of every command that writes JSON, with each part that a report can have."""


def refuse(constant: str) -> float:
    raise AssertionError(f"{constant} is not JSON")


def parsed(text: bytes | str) -> dict[str, Any]:
    """JSON without the constants that only some readers take."""
    data: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return data


@pytest.mark.parametrize("words", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("name", INPUTS)
def test_every_report_is_json_and_has_the_notices(name: str, words: str, tmp_path: Path, capfdbinary: Capture) -> None:
    files = {side: tmp_path / f"{side}.conll" for side in ("KEY", "A", "B", "BAD")}
    for path, text in zip(files.values(), (*INPUTS[name], "no document\n"), strict=True):
        path.write_text(text)
    files["BASELINE"] = tmp_path / "baseline.json"
    if "BASELINE" in words:
        parts = (
            "every",
            files["KEY"],
            files["B"],
            "--documents",
            "--format",
            "json",
            "--quiet",
            "--output",
            files["BASELINE"],
        )
        assert call(capfdbinary, *parts).status == 0
    done = call(capfdbinary, *(files.get(word, word) for word in words.split()), "--format", "json")
    if done.status in (1, 2) and not done.stdout:
        assert b"Traceback" not in done.stderr
        assert b"nothing to count" in done.stderr or b"one document" in done.stderr or b"one unit" in done.stderr, done
        return
    found = parsed(done.stdout)
    told = re.findall(r"^(.*?)(?::(\d+))?(?::\d+)?: notice\[([\w-]+)\] (.*)$", done.stderr.decode(), re.MULTILINE)
    if words.startswith("validate"):
        told, listed = [], []
    else:
        listed = [(note["file"], str(note["line"] or ""), note["code"], note["text"]) for note in found["notices"]]
    for notice in told:
        assert notice in listed
    kinds = Counter((note["code"], note.get("system")) for note in found.get("notices", ()))
    printed = sum(min(5, count) for count in kinds.values())  # standard error has five of a kind
    assert len(told) == printed or words.startswith("validate"), done.stderr


def test_a_notice_of_a_system_names_it(tmp_path: Path, capfdbinary: Capture) -> None:
    key, half = tmp_path / "key.conll", tmp_path / "half.conll"
    key.write_text(corpus(*LINKED))
    half.write_text(document("ab0", *LINKED))
    for command in ("compare", "rank"):
        done = call(capfdbinary, command, key, key, half, "--trials", "20", "--format", "json", "--quiet")
        assert done.stderr == b""
        notices = [note for note in parsed(done.stdout)["notices"] if note["code"] == "missing-document"]
        assert [note["system"] for note in notices] == ["half.conll"] * 3
        assert "ab1" in notices[0]["text"]
    alone = parsed(call(capfdbinary, "lea", key, half, "--format", "json", "--quiet").stdout)
    assert [note["code"] for note in alone["notices"]] == ["missing-document"] * 3
    assert alone["notices"] == corefscore.score(key, half, "lea").to_dict()["notices"]
    report = corefscore.rank(key, {"key": key, "half": half}, "lea", sort="lea", trials=20).to_dict()
    assert [note["system"] for note in report["notices"]] == ["half"] * 3


def test_errors_name_their_documents(capfdbinary: Capture) -> None:
    fables = TESTDATA / "fables"
    done = call(capfdbinary, "errors", fables / "key.conll", fables / "response.conll", "--format", "json")
    found = parsed(done.stdout)
    names = {document["name"] for document in found["documents"]}
    assert len(names) == 2
    assert {error["document"] for error in found["errors"]} == names
    assert {group["document"] for group in found["groups"]} == names


def test_errors_name_their_entities_and_groups(capfdbinary: Capture) -> None:
    """By the ids in the files, as in CSV, and by the place in `groups`; they were numbers by first mention."""
    sides = [TESTDATA / "fables" / name for name in ("key.conll", "response.conll")]
    found = parsed(call(capfdbinary, "errors", *sides, "--format", "json", "--quiet").stdout)
    table = call(capfdbinary, "errors", *sides, "--format", "csv", "--quiet").stdout.decode()
    rows = list(csv.DictReader(table.splitlines()))
    assert len(rows) == len(found["errors"]) > 10
    for row, error in zip(rows, found["errors"], strict=True):
        if "group" in error:
            names = "key_entity", "response_entity", "into_key_entity"
            assert [row[name] for name in names] == [error.get(name, "") for name in names]
            group = found["groups"][error["group"]]
            assert group["document"] == error["document"]
            assert error.get("key_entity") in [None, *group["key"]]
            assert error.get("response_entity") in [None, *group["response"]]


def test_errors_of_items_have_no_tokens(capfdbinary: Capture, tmp_path: Path) -> None:
    """They were -2147483647--2147483647 in CSV."""
    for name, labels in (("key", "xxy"), ("response", "xyy")):
        rows = "".join(f"{item},{label}\n" for item, label in zip("abc", labels, strict=True))
        (tmp_path / f"{name}.csv").write_text(f"item,entity\n{rows}")
    done = call(capfdbinary, "errors", tmp_path / "key.csv", tmp_path / "response.csv", "--format", "csv", "--quiet")
    rows_found = list(csv.DictReader(done.stdout.decode().splitlines()))
    assert {row["mentions"] for row in rows_found} == {""}
    assert {row["words"] for row in rows_found} == {"b", "c"}


OF_PYTHON: Mapping[str, Callable[[Any, Any], Any]] = {
    "score": lambda key, other: corefscore.score(key, other, "every"),
    "compare": lambda key, other: corefscore.compare(key, {"a": other, "b": key}, "every", trials=20),
    "rank": lambda key, other: corefscore.rank(key, {"a": other, "b": key}, "every", trials=20),
    "check": lambda key, other: corefscore.check(key, other, minimum={"lea": 0.5}),
    "analyse": lambda key, other: corefscore.analyse(key, other, pronouns="none"),
    "explain": lambda key, other: corefscore.explain(key, other, expect=50),
}


@pytest.mark.parametrize("name", OF_PYTHON)
def test_data_from_python_is_json(name: str) -> None:
    """Mentions are numbers of numpy, and one side has nothing to count."""
    spans = np.arange(12).reshape(3, 2, 2)
    linked = {document: [[tuple(mention) for mention in entity] for entity in spans] for document in "abc"}
    nothing: dict[str, Any] = {document: [] for document in "abc"}
    for key, other in ((linked, linked), (linked, nothing), (nothing, linked)):
        report = OF_PYTHON[name](key, other)
        assert parsed(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()
