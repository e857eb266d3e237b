"""`corefscore validate`: what it tells, where, with which status, and what it mends."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.checking import repair_corefud
from corefscore.checking.repair import Fixes, repaired
from corefscore.checking.validation import Validated, validate
from corefscore.core.documents import joined
from corefscore.core.errors import UsageError
from corefscore.core.findings import ERROR, MOST, Finding, Found, kinds
from corefscore.core.sources import Source, sources
from corefscore.formats.conll import reader as conll
from corefscore.formats.conll.cells import cell_of
from corefscore.formats.jsonlines import reader as jsonlines
from corefscore.matching.matched import copies_of, match_spans, repeats_of, treat_repeats
from corefscore.matching.pairing import Pairs
from reading import columns, document, read, read_text
from support import RECORDED, ROOT, TESTDATA, call, every_second, within

PAGE = (ROOT / "docs" / "reference" / "messages.md").read_text()
SECTIONS = dict(re.findall(r"^### (.*)\n((?:(?!###? ).*\n?)*)", PAGE, re.MULTILINE))


def validated(text: str | bytes, folder: Path, key: str | None = None) -> Validated:
    path = folder / "file.conll"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if key is None:
        return validate("file", [Source(str(path))])
    (folder / "key.conll").write_text(key)
    return validate("file", [Source(str(path))], [Source(str(folder / "key.conll"))])


def places(found: Validated) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.line, finding.column) for finding in found.findings]


# The page


def test_every_code_has_its_section() -> None:
    assert not sorted({*kinds()} - {*SECTIONS}), "add a section to docs/reference/messages.md, with an example"
    assert not sorted({*SECTIONS} - {*kinds()}), "no such finding; remove the section from docs/reference/messages.md"


def test_every_section_shows_its_code() -> None:
    """That the examples are real is for `test_readme`."""
    shown = ("[{code}] ", "title={code}::")
    assert not [code for code, its in SECTIONS.items() if not any(form.format(code=code) in its for form in shown)]


# What is told


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["w\t(1", "x\t2)", "y\t(3"], [("unclosed-mention", 2, 3), ("unopened-mention", 3, 3),
            ("unclosed-mention", 4, 3)], id="every bracket without a partner, not just the first"),
        pytest.param(["w\t(1)|(1|(1", "x\t-"], [("unclosed-mention", 2, 7), ("unclosed-mention", 2, 10)],
            id="of equal brackets each has its own column, and a one-token mention is none of them"),
        pytest.param(["w\t(1", "x\t1)", "y\t(2)|(1"], [("unclosed-mention", 4, 7)],
            id="equal brackets of other lines make no difference to the column"),
        pytest.param(["a\tb\t-", "c\td\te\t-", "f\t-", "", "g\t(1)", "h\t(1)"], [("column-count", 3, None)],
            id="columns are told once a sentence, and may differ between sentences"),
        pytest.param(["# note", "a\tb\t(1)", "# note", "c\t(1)"], [("column-count", 5, None)],
            id="a comment does not end a sentence"),
        pytest.param([*(f"d\t0\t{n}\tw\t(1)" for n in (0, 1, 3, 9)), "", "d\t0\t7\tw\t-", "d\t0\t7\tw\t-"],
            [("token-number", 4, None), ("token-number", 8, None)], id="token numbers are told once a sentence"),
        pytest.param(["0\tw\t(1)", "1\tx\t-", "3\ty\t(1)"], [("token-number", 4, None)],
            id="token numbers may stand in the first column"),
        pytest.param(["0\tw\tNN\t(1)", "", "0\tx\tNN\t-", "1\ty\tNN\t-", "", *(f"{n}\ty\tNN\t(1)" for n in (0, 1, 3))],
            [("token-number", 9, None)], id="also where the first sentence has one token"),
        pytest.param([*(f"{n}\tw\tNN\t(1)" for n in (0, 2, 3, 4))], [("token-number", 3, None)],
            id="also where the first two are wrong"),
        pytest.param([*(f"d\t0\t{n}\tw\tx\t(1)" for n in (3, 3, 9, 4, 3, 3))], [],
            id="a third column that hardly ever counts up has no token numbers"),
        pytest.param(["d\t0\t\tw\t(1)", "d\t0\t\tw\t(1)"], [], id="an empty column has no token numbers"),
        pytest.param(["(1) 5 (1)", "(1) 5 (1)"], [], id="what does not count up at once is no token number"),
        pytest.param(["w\t(1)", "x y (1)"], [("column-count", 3, None), ("mixed-separators", 3, None)],
            id="blanks where tabs are"),
        pytest.param(["w (1)", "x   y -", "z  (1)"], [("column-count", 3, None)], id="blanks alone are no oddity"),
        pytest.param(["w (3) | (4", "x 4)", "| (1)"], [("odd-cell", 2, 3), ("column-count", 3, None)],
            id="blanks around the bars of a cell"),
        pytest.param(["w\t(1)", "w\t(1)x", "w\tNN", "w\t(007)", "w\t*", "w\t_", "w\t", "w\t-(1)", "w\t(7)"],
            [("odd-cell", 3, 3), ("odd-cell", 4, 3), ("odd-cell", 8, 1), ("odd-cell", 9, 3), ("alike-ids", 10, None)],
            id="cells with anything but mentions or the mark of none; before an empty one the word is the last"),
        pytest.param(["w\tNN", "w\tDT", "w\t(1)", "w\t(1)"], [("odd-cell", 2, 3), ("odd-cell", 3, 3)],
            id="half of the cells are odd cells"),
        pytest.param(["w\tNN", "w\tDT", "w\tNN", "w\t(1)", "w\t(1)"], [("other-column", 2, 3)],
            id="more than half are another column"),
        pytest.param(["w\t-", "w\tNN", "w\t-", "w\tDT", "w\t-", "w\t(1)", "w\t-"], [("other-column", 3, 3)],
            id="more than half of the cells that hold something"),
        pytest.param(["w\t-", "w\tNN", "w\t-"], [("odd-cell", 3, 3)], id="one cell makes no other column"),
        pytest.param(["w\t*", "w\t*"], [("other-column", 2, 3)], id="nothing but stars are another column"),
        pytest.param(["w\t(ARG0*", "w\t*)", "w\t(V*)", "w\t*", "w\t*"], [("other-column", 2, 3)], id="roles"),
        pytest.param(["w\t*", "w\t(PERSON)", "w\t*", "w\t*"], [("other-column", 3, 3)], id="names"),
        pytest.param(["w\t*", "w\t(1)", "w\t*", "w\t(1)"], [], id="stars beside mentions say that there is none"),
        pytest.param(["w\t_", "w\t_"], [], id="other marks of nothing"),
        pytest.param(["w\t(1)", "#end documnt", "#begin document(b)", "w\t(1)"],
            [("odd-marker", 3, None), ("odd-marker", 4, None)], id="misspelt markers"),
        pytest.param(["#End Document", "#begin  document b", "#ned document", "# begin documnet (a); part 000"],
            [("odd-marker", line, None) for line in (2, 3, 4, 5)], id="each with its own mistake"),
        pytest.param(["# newdoc id = d", "# text = The end of it", "#", "# begins with documents", "# endocrine",
            "# doctors begin", "w\t(1)"], [], id="comments are no markers"),
        pytest.param(["w\t(1|(1", "x\t1)", "y\t1)"], [], id="nested mentions that share an end are clear"),
        pytest.param(["w\t(1", "x\t(1)", "y\t1)"], [], id="a one-token mention inside another: relative pronouns"),
        pytest.param(["w\t(1", "x\t(1", "y\t1)", "z\t1)"], [("overlapping-mentions", 3, None)],
            id="brackets that may be nested or cross"),
        pytest.param(["w\t(1|(2", "x\t1)", "y\t2)", "z\t(1)", "v\t(2)"], [], id="mentions of two entities may cross"),
        pytest.param(["é\tNN\t((1)", "w\tNN\t(1)"], [("odd-cell", 2, 6)], id="columns are characters, not bytes"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_document(
    lines: list[str], expected: list[tuple[str, int | None, int | None]], tmp_path: Path
) -> None:
    found = validated(document(*lines), tmp_path)
    assert [place for place in places(found) if place[0] not in ("singletons", "no-mentions")] == expected


def test_only_lines_that_are_not_utf_8_count_as_such(tmp_path: Path) -> None:
    found = validated(document("a\t-", "\u00e9\t-", "!\t(1)", "!\t(1)").encode().replace(b"!", b"\xff"), tmp_path)
    odd = [finding for finding in found.findings if finding.code == "not-utf-8"]
    assert [(finding.line, finding.details["count"]) for finding in odd] == [(4, "2 lines are")]


def test_equal_brackets_of_other_files_make_no_difference_to_the_column(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    for path in files:
        path.write_text(document("w\t(2)|(1"))
    found = validate("file", [Source(str(path)) for path in files]).findings
    assert [finding.column for finding in found if finding.code == "unclosed-mention"] == [7, 7]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(document("w\t(1)") + "#end document\n", [("no-begin", 4)], id="an end too many"),
        pytest.param("x\t-\n" + document("w\t(1)"), [("outside-document", 1)], id="a line before the first document"),
        pytest.param(document("w\t(1)") * 3, [("repeated-name", 4), ("repeated-name", 7)], id="names used again"),
        pytest.param(document("w\t(1)").replace("\n", "\r\n").removesuffix("\r\n"), [], id="no last line end"),
        pytest.param("\ufeff" + document("w\t(1)"), [("byte-order-mark", 1)], id="a byte order mark"),
        pytest.param(document("w\t(1)").replace("\n", "\r\n", 1), [("mixed-line-ends", 2)], id="line ends"),
        pytest.param(document("w\t(1)").replace("\n", "\r\n", 1).rstrip("\n"), [("mixed-line-ends", 2)], id="no last"),
        pytest.param("#begin document d\nw\t(1\n" * 2, [("unclosed-mention", 2), ("nested-document", 3),
            ("repeated-name", 3), ("no-end", 4), ("unclosed-mention", 4)], id="all of several faults"),
    ],
)  # fmt: skip
def test_what_is_told_of_a_file(text: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    found = validated(text, tmp_path)
    assert [(code, line) for code, line, _ in places(found) if code != "singletons"] == expected


def test_carets_stand_under_at_most_so_many_characters(tmp_path: Path) -> None:
    (finding,) = validated(document("w\t(" + "1" * 60, "x\t-"), tmp_path).findings
    assert finding.excerpt == ("(" + "1" * 60, "^" * 40)


def test_of_a_span_with_many_copies_so_many_entities_are_named(tmp_path: Path) -> None:
    def named(copies: int) -> object:
        found = validated(document("w\t" + "|".join(f"({n})" for n in range(copies)), "x\t(0)"), tmp_path).findings
        return next(finding for finding in found if finding.code == "repeated-mention").details["entities"]

    twenty = ", ".join(map(str, range(20)))
    assert (named(20), named(21)) == (twenty, twenty + ", ...")


@pytest.mark.parametrize("batch", [1, 1 << 24], ids=["batches of one file", "one batch"])
def test_too_many_repeats_are_told_of_the_first_file(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BATCH", batch)
    for folder, cell in (("key", "(1)"), ("response", "(1)|(2)")):
        (tmp_path / folder).mkdir()
        for name in ("a", "b"):
            (tmp_path / folder / name).write_text(document(*[f"w\t{cell}"] * 6, name=name))
    key, response = (sources(str(tmp_path / folder), []) for folder in ("key", "response"))
    (finding,) = (each for each in validate("r", response, key).findings if each.code == "too-many-repeated")
    assert (finding.path, finding.details["documents"]) == (str(tmp_path / "response" / "a"), "2 documents")


def test_the_line_of_a_fault_says_where_the_partner_was_expected(tmp_path: Path) -> None:
    found = validated(document("w\t(1", "x\t-"), tmp_path)
    assert "(the document ends at line 4)" in found.findings[0].advice


RESPONSES = [
    path
    for path in sorted(TESTDATA.rglob("response.conll"))
    if path.with_name("key.conll").exists() and not path.read_bytes().startswith(b"\x1f\x8b")
]


@pytest.mark.parametrize("path", every_second(RESPONSES[::7], lambda path: path.parent.name))
def test_the_size_of_blocks_does_not_matter(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = validate("file", [Source(str(path))], [Source(str(path.with_name("key.conll")))])
    monkeypatch.setattr(conll, "BLOCK", 16)
    monkeypatch.setattr(conll, "BATCH", 500)
    parts = validate("file", [Source(str(path))], [Source(str(path.with_name("key.conll")))])
    assert sorted(map(str, parts.findings)) == sorted(map(str, whole.findings))
    assert parts._replace(findings=[]) == whole._replace(findings=[])


def test_odd_lines_are_told_alike_in_blocks_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other columns, token numbers, line ends and bytes that are not UTF-8, which begin or go on in a later block."""
    numbers = np.random.default_rng(7)
    odd = (
        b"d\t0\t1\tw\t-",
        b"d\t0\t2\tw\tx\t-",
        b"d\t0\t9\tw\t(1)",
        b"d\t0\t0\t\xff\t-\r",
        b"w\tx",
        b"",
        b"d\t0\t0\tw\t-",
    )
    paths = [tmp_path / str(number) for number in range(60)]
    for path in paths:
        lines = (odd[at] for at in numbers.integers(0, len(odd), 14))
        path.write_bytes(b"#begin document (d); part 000\n" + b"\n".join(lines) + b"\n\n#end document\n")
    whole = [validate("file", [Source(str(path))]) for path in paths]
    monkeypatch.setattr(conll, "BLOCK", 16)
    monkeypatch.setattr(conll, "BATCH", 50)
    for path, found in zip(paths, whole, strict=True):
        assert sorted(map(str, validate("file", [Source(str(path))]).findings)) == sorted(map(str, found.findings))


def test_of_each_kind_so_many_are_listed(tmp_path: Path) -> None:
    found = validated(document(*["w\t1)"] * (MOST + 5), *["w\t(1"] * 7), tmp_path)
    listed = [finding.code for finding in found.findings]
    assert (listed.count("unopened-mention"), listed.count("unclosed-mention")) == (MOST, 7)
    assert (found.unlisted, found.count(ERROR)) == ({"unopened-mention": 5}, MOST + 12)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        (
            "{good}\n" + "1\n" * (MOST + 9) + "x\n" * (MOST + 7) + "{good}\n" + "1\n" * 4,
            {"not-object": 13, "bad-json": 7},
        ),
        ("[{good}," + "{{}}," * (MOST + 9) + "{good}" + ",{{}}" * 4 + "]", {"missing-field": 13}),
    ],
    ids=["lines", "array"],
)
def test_objects_that_are_none_are_counted_beyond_those_that_are_listed(
    text: str, more: dict[str, int], tmp_path: Path
) -> None:
    found = validated(text.format(good='{"clusters": []}'), tmp_path)
    assert found.unlisted == more
    assert (found.sizes["documents"], len(found.findings)) == (2, len(more) * MOST + 2)  # and two without mentions


def test_a_cell_is_looked_at_once_for_all_that_is_said_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each bracket would take minutes for a cell of many."""
    looked_at = []

    last_cell = conll._last_cell

    def looked(line: bytes) -> tuple[int, str, str]:
        looked_at.append(line)
        return last_cell(line)

    monkeypatch.setattr(conll, "_last_cell", looked)
    found = validated(document("w\t" + "(1" * (MOST - 1), "x\t(2"), tmp_path)
    assert (found.count(ERROR), len(looked_at)) == (MOST, 2)
    columns = [column for code, line, column in places(found) if (code, line) == ("unclosed-mention", 2)]
    assert columns == [3 + 2 * bracket for bracket in range(MOST - 1)]


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        pytest.param(["a\tb\t(1)", "c\td\t(1)"], ["a\tb\t(1)\t\t", "c\td\t(1)"], [], id="empty columns at the end"),
        pytest.param(["b\t(1)", "d\t(1)"], [" b\t(1)", "d  \t(1)"], [], id="blanks around a word"),
        pytest.param(["b\t(1)", "d\t(1)"], ["b   (1)  ", "d (1)"], [], id="blanks for tabs"),
        pytest.param(["b\t(1)", "d\t(1)"], ["b\t(1)", "e\t(1)"], [(3, 1, '"e"', '"d"')], id="another word"),
        pytest.param(["b\t(1)", "d\t(1)"], ["b\t(1)", "d\t(1)", "e\t-"],
            [(4, 2, '"e"', "missing, since the text has only 2 tokens")], id="one more"),
        pytest.param(["b\t(1)", "d\t(1)", "e\t-"], ["b\t(1)", "d\t(1)"],
            [(3, 2, "missing, since the text has only 2 tokens", '"e"')], id="one less"),
        pytest.param(["b\t(1)"], ["-\t(1)"], [], id="a mark is no word"),
        pytest.param(["0\tb\tNN\t(1)", "1\td\tNN\t(1)"], ["0\tb\tNN\t(1)", "1\td\tVB\t(1)"], [],
            id="with four columns nobody knows which one has the words"),
        pytest.param(["b\t(1)", "d\t(1)", "e\t-"], ["b\t(1)", "d\tNN\t(1)", "f\t-"], [(4, 2, '"f"', '"e"')],
            id="nor on a line of three"),
        pytest.param(["b\t(1)"], ["c\t(1)"], [(2, 0, '"c"', '"b"')], id="one word"),
        pytest.param(["b\t(1)", "d\t(1)"], ["(1)", "(1)"], [], id="no column of words"),
        pytest.param(["d\t0\t0\tb\tx\t(1)"], ["b\t(1)"], [], id="the word stands in the fourth column of many"),
        pytest.param(["w" * 64 + "a\t(1)", "x\t-"], ["w" * 64 + "b\t(1)", "x\t-"], [], id="long words by their start"),
    ],
)  # fmt: skip
def test_where_the_texts_part(
    key: list[str], response: list[str], expected: list[tuple[int, int, str, str]], tmp_path: Path
) -> None:
    found = validated(document(*response), tmp_path, document(*key))
    first_differences = [finding for finding in found.findings if finding.code == "different-word"]
    assert [
        (each.line, *(each.details[name] for name in ("token", "word", "key_word"))) for each in first_differences
    ] == expected


def test_line_ends_are_no_part_of_a_word(tmp_path: Path) -> None:
    text = document("b\t(1)", "d\t(1)")
    assert "different-word" not in [
        code for code, _, _ in places(validated(text.replace("\n", "\r\n"), tmp_path, text))
    ]


def test_words_of_one_mark_are_no_words(tmp_path: Path) -> None:
    key = document("d\t0\t0\tThe\t(1)", "d\t0\t1\tcat\t(1)")
    found = validated(document("d\t0\t0\t-\t(1)", "d\t0\t1\t-\t(1)"), tmp_path, key)
    assert not found.findings


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        pytest.param(document("w\t(1"), {"unclosed-mention": 1}, id="a fault"),
        pytest.param("x\n" + document("w\t(1)", "x\t(1)").removesuffix("#end document\n"),
            {"outside-document": 1, "no-end": 1}, id="notices of scoring"),
        pytest.param(document(*["w\t1)"] * (MOST + 5)), {"unopened-mention": MOST + 5}, id="more than are listed"),
        pytest.param("", {"no-document": 1}, id="no document"),
    ],
)  # fmt: skip
def test_the_key_is_told_of_once_in_a_row_of_its_own(
    key: str, expected: Mapping[str, int], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name, text in (("key", key), ("a", document("w\t(1)", "x\t(1)")), ("b", document("w\t(1)", "x\t(1)"))):
        (tmp_path / name).write_text(text)
    ignored = "missing-document,extra-document,token-count,no-common-mention,no-mentions,different-word"
    done = call(
        capfdbinary, "validate", tmp_path / "a", tmp_path / "b",
        *("--key", tmp_path / "key", "--format", "json", "--ignore", ignored),
    )  # fmt: skip
    *responses, of_key = json.loads(done.stdout)["files"]
    assert [(row["file"], row["findings"], row["unlisted"]) for row in responses] == [
        (str(tmp_path / name), [], {}) for name in "ab"
    ]
    listed = Counter(finding["code"] for finding in of_key["findings"])
    assert listed + Counter(of_key["unlisted"]) == expected
    assert of_key["errors"] + of_key["notices"] == sum(expected.values())


def test_beyond_the_most_that_is_listed_findings_are_counted() -> None:
    found = Found()
    found.add(*(Finding("no-begin", "file", line) for line in range(MOST + 2)))
    assert (len(found.listed), found.unlisted) == (MOST, {"no-begin": 2})


@pytest.mark.parametrize("words", ["walk", "talk"])
def test_words_put_together_from_subtokens_are_compared(words: str, tmp_path: Path) -> None:
    fields = {"doc_key": "bn/x_0", "sentences": [["The", "wa", "##lk"]], "subtoken_map": [0, 1, 1], "clusters": []}
    key = document("b\t0\t0\tThe\t-", f"b\t0\t1\t{words}\t-", name="(bn/x); part 000")
    found = validated(json_lines(fields), tmp_path, key)
    first_differences = [finding for finding in found.findings if finding.code == "different-word"]
    assert [(each.details["word"], each.details["key_word"]) for each in first_differences] == (
        [] if words == "walk" else [('"walk"', '"talk"')]
    )


def test_faulty_documents_do_not_hide_the_words_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each document of the response is a batch of its own; they are put together beside the one batch of the key."""
    monkeypatch.setattr(jsonlines, "BATCH", 1)
    lines = [f"d\t0\t{token}\t{word}\t-" for token, word in enumerate(("The", "cat", "saw", "us"))]
    key = "".join(document(*lines, name=f"d{number}") for number in range(3))
    response = [{**CAT, "doc_key": f"d{number}"} for number in range(3)]
    response[1] = {**response[1], "clusters": [[[0, 40]]]}
    found = validated(json_lines(*response), tmp_path, key)
    first_differences = [finding.details["document"] for finding in found.findings if finding.code == "different-word"]
    assert first_differences == ["d0", "d2"]


def test_long_words_are_shown_beyond_what_is_compared_of_them(tmp_path: Path) -> None:
    key, response = (document("b\t-", "w" * 60 + last + "\t-") for last in "xy")
    (finding,) = (each for each in validated(response, tmp_path, key).findings if each.code == "different-word")
    assert finding.details["word"] != finding.details["key_word"]


def test_offsets_beyond_the_tokens_of_the_key_hide_nothing(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "key").write_text(json_lines(CAT))
    (tmp_path / "beyond").write_text(json_lines({"doc_key": "bn/x_0", "clusters": [[[0, 1], [4, 4], [40, 40]]]}))
    (tmp_path / "fine").write_text(json_lines(CAT))
    done = call(capfdbinary, "validate", tmp_path / "beyond", tmp_path / "fine", "--key", tmp_path / "key")
    assert done.stdout.count(b"beyond:1: error[bad-mention]") == 2
    assert done.stdout.count(b": clean (") == 2
    assert done.status == 1
    scored = call(capfdbinary, "lea", tmp_path / "key", tmp_path / "beyond")
    assert scored.stderr in done.stdout


@pytest.mark.parametrize("layout", ["json", "github"])
def test_a_file_that_cannot_be_read_has_a_row(
    layout: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "fine").write_text(document("w\t(1)", "x\t(1)"))
    done = call(capfdbinary, "validate", "nowhere", tmp_path / "fine", "--format", layout)
    assert done.status == 2
    if layout == "json":
        first, second = json.loads(done.stdout)["files"]
        assert ([finding["code"] for finding in first["findings"]], second["findings"]) == (["unreadable"], [])
    else:
        assert done.stdout.startswith(b"::error file=nowhere,title=unreadable::nowhere: No such file or directory%0A")


def test_a_key_that_cannot_be_read_does_not_hide_the_files(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    os.mkdir(folder := tmp_path / "folder")
    for key, said in (("nowhere", "No such file or directory"), (folder, "the folder contains no visible file")):
        done = call(capfdbinary, "validate", TESTDATA / "odd" / "no-end" / "file.conll", "--key", key)
        assert b"notice[no-end]" in done.stdout
        assert (done.status, done.stderr) == (2, f"corefscore: {key}: {said}\n".encode())


PAIRED = [path for folder in (RECORDED, TESTDATA / "odd") for path in sorted(folder.rglob("response.*"))]
PAIRED = [path for path in PAIRED if list(path.parent.glob("key.*"))]
PAIRED += [*TESTDATA.glob("bad/corefud-*/response.conllu"), *sorted(TESTDATA.glob("corefud/*/*/response.conllu"))[::3]]


def test_there_are_pairs_to_compare() -> None:
    assert len(PAIRED) >= 176


@pytest.mark.parametrize("response", every_second(PAIRED, lambda path: path.parent.name))
def test_what_scoring_says_validating_says(response: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Whatever scoring refuses or notices, validating tells in the same words at the same place, and refuses nothing
    else but faults in documents that are not scored. Of odd cells, scoring tells the first and how many others."""
    (key,) = response.parent.glob("key.*")
    scored = call(capfdbinary, "lea", key, response, "none")
    told = call(capfdbinary, "validate", response, "--key", key)
    # The repeats that make too many are errors there, since they are what is refused.
    lines = scored.stderr.replace(b"error[repeated-mention]", b"notice[repeated-mention]").splitlines()
    said = [line.partition(b", nor ")[0] for line in lines if not line.startswith(b"... and ")]
    unscored = any(b"notice[unscored-fault]" in line for line in said)
    assert (scored.status or int(unscored), b"") == (told.status, told.stderr)
    if not unscored:
        of_key = call(capfdbinary, "validate", key)
        assert set(said) <= {*told.stdout.splitlines(), *of_key.stdout.splitlines()}


# JSON lines


def json_lines(*objects: Mapping[str, object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


CAT = {"doc_key": "bn/x_0", "sentences": [["The", "cat"], ["saw", "it"]], "clusters": [[[0, 1], [3, 3]]]}
CONLL_CAT = document("The\t(1", "cat\t1)", "", "saw\t-", "it\t(1)", name="(bn/x); part 000")


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([CAT], [], id="clean"),
        pytest.param([{**CAT, "clusters": [[[0, 9], [1, 0]], 7]}, {**CAT, "doc_key": "y", "clusters": [[[2, 1]]]}],
            [("bad-mention", 1)] * 3 + [("bad-mention", 2)], id="every mention that is none"),
        pytest.param([{"doc_key": "y"}, {**CAT, "doc_key": 3}, CAT], [("missing-field", 1), ("bad-field", 2)],
            id="every field"),
        pytest.param([CAT, CAT], [("repeated-name", 2)], id="a name used again"),
        pytest.param([{**CAT, "clusters": [[[0, 1], [0, 1], [3, 3]], []]}],
            [("empty-cluster", 1), ("repeated-mention", 1)], id="what is odd"),
        pytest.param([{**CAT, "clusters": [[[0, 2], [1, 3]]]}], [("overlapping-mentions", 1)], id="crossing"),
        pytest.param([{**CAT, "clusters": [[[0, 3], [1, 2]]]}], [], id="nested, which JSON lines hold without a doubt"),
        pytest.param([{**CAT, "clusters": []}], [("no-mentions", 1)], id="no mentions"),
        pytest.param([{**CAT, "predicted_clusters": [[[9, 9], [9, 9]]]}], [("bad-mention", 1)] * 2,
            id="predictions are what is looked at where there are any"),
    ],
)  # fmt: skip
def test_what_is_told_of_json_lines(
    objects: list[Mapping[str, object]], expected: list[tuple[str, int]], tmp_path: Path
) -> None:
    found = validated(json_lines(*objects), tmp_path)
    assert [(code, line) for code, line, _ in places(found)] == expected


def test_a_line_that_is_not_json_does_not_hide_the_others(tmp_path: Path) -> None:
    found = validated(json_lines(CAT) + "{\n" + json_lines({"doc_key": "y"}) + "[]\n", tmp_path)
    assert [(code, line) for code, line, _ in places(found)] == [
        ("bad-json", 2),
        ("missing-field", 3),
        ("not-object", 4),
    ]
    assert found.sizes["documents"] == 2


def test_a_file_that_is_no_json_lines_is_told_once(tmp_path: Path) -> None:
    found = validated(json.dumps(CAT, indent=1), tmp_path)
    assert [code for code, _, _ in places(found)] == ["json-document"]


def test_json_lines_beside_a_key_of_another_format(tmp_path: Path) -> None:
    """Names in the form of either format belong together, and so do their words."""
    response = {**CAT, "sentences": [["The", "dog"], ["saw", "it"]]}
    (finding,) = validated(json_lines(response), tmp_path, CONLL_CAT).findings
    assert (finding.code, finding.line, finding.details["word"], finding.details["key_word"]) == (
        *("different-word", 1), *('"dog"', '"cat"'),
    )  # fmt: skip
    assert not validated(json_lines(CAT), tmp_path, CONLL_CAT).findings
    assert not validated(CONLL_CAT, tmp_path, json_lines(CAT)).findings
    faulty = {**CAT, "clusters": [[[0, 9]]]}
    assert [code for code, _, _ in places(validated(json_lines(faulty), tmp_path, CONLL_CAT))] == ["bad-mention"]


# The command


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["odd/clean/file.conll"], 0),
        (["odd/clean/file.conll", "--strict"], 0),
        (["odd/no-end/file.conll"], 0),
        (["odd/no-end/file.conll", "--strict"], 1),
        (["odd/no-end/file.conll", "--strict", "--ignore", "no-end,singletons"], 0),
        (["odd/unclosed-mention/file.conll"], 1),
        (["odd/unclosed-mention/file.conll", "odd/clean/file.conll"], 1),
        (["odd/unclosed-mention/file.conll", "nowhere"], 2),
        (["bad/cut-off-gzip/response.conll"], 2),
        (["odd/clean/file.conll", "--key", "nowhere"], 2),
        (["odd/clean/file.conll", "--ignore", "unclosed-mention"], 2),
        (["odd/clean/file.conll", "--ignore", "no-ned"], 2),
        (["odd/clean/file.conll", "--repeated", "first"], 2),
        (["odd/clean/file.conll", "odd/no-end/file.conll", "--fix", "out"], 2),
        (["odd/clean", "--fix", "out"], 2),
        (["odd/clean/file.conll", "--fix", "-"], 2),
        (["odd/empty-cluster/file.jsonl"], 0),
        (["odd/empty-cluster/file.jsonl", "--strict"], 1),
        (["odd/empty-cluster/file.jsonl", "--columns", "clusters=other"], 1),
        (["odd/empty-cluster/file.jsonl", "--input-format", "conll"], 1),
        (["odd/empty-cluster/file.jsonl", "--fix", "out"], 2),
        (["odd/json-faults/response.jsonl"], 1),
        (["-", "-"], 2),
        ([], 2),
    ],
)
def test_the_status(
    arguments: list[str], status: int, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(TESTDATA)
    done = call(capfdbinary, "validate", *arguments)
    assert done.status == status
    assert bool(done.stderr) == (status == 2)


def test_a_file_that_cannot_be_read_does_not_hide_the_others(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "validate", "nowhere", TESTDATA / "odd" / "no-end" / "file.conll")
    assert b"notice[no-end]" in done.stdout
    assert done.stderr == b"corefscore: nowhere: No such file or directory\n"


def test_a_folder_is_one_corpus(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(document("w\t(1)", "x\t(1)"))
    done = call(capfdbinary, "validate", tmp_path)
    assert done.stdout.count(b"error[repeated-name]") == 1
    assert call(capfdbinary, "validate", tmp_path / "[a]").status == 0


def test_standard_input_and_odd_bytes_come_out_as_they_went_in() -> None:
    done = within("validate", "-", stdin=b"#begin document \xff\xfe\nw\t(1\n#end document\n")
    assert b'<stdin>:2:3: error[unclosed-mention] in document "\xff\xfe"' in done.stdout
    whole = json.loads(within("validate", "-", "--format", "json", stdin=b"#begin document \xff\nw\t(1\n").stdout)
    assert whole["files"][0]["errors"] == 1


def test_a_key_from_standard_input_is_the_key_of_every_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(document("w\t(1)", "x\t(1)"))
    done = within("validate", "a", "b", "--key", "-", stdin=(tmp_path / "a").read_bytes(), cwd=tmp_path)
    assert (done.status, done.stdout.count(b": clean (")) == (0, 3)


def test_annotations_escape_what_github_would_take_for_its_own(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    from corefscore.reports.layouts import Style
    from corefscore.reports.layouts.data import github
    from corefscore.reports.validate import Checked

    finding = Finding("no-mentions", "a,b:c", 3, details={"document": "100%"})
    (line,) = github(Checked([Validated("f", {"documents": 1}, [finding], {})]), Style("github"))
    assert line.startswith('::warning file=a%2Cb%3Ac,line=3,title=no-mentions::document "100%25" has no mentions%0A')


# Mending


def mended(text: bytes, folder: Path, *, first_copy: bool = False) -> tuple[bytes, list[str]]:
    path = folder / "to-mend.conll"
    path.write_bytes(text)
    fixes = Fixes()
    out = "".join(repaired(Source(str(path)), fixes, first_copy=first_copy))
    return out.encode("utf-8", "surrogateescape"), [fix.code for fix in fixes.listed]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param("a\t(1)|(1)", "a\t(1)", id="one token"),
        pytest.param("a\t(1)|(1)|(1)", "a\t(1)", id="three times"),
        pytest.param("a\t(1|(2|(1\nb\t1)|1)|2)", "a\t(1|(2\nb\t1)|2)", id="two tokens"),
        pytest.param("a\t(1|(1|(1\nb\t1)|1)\nc\t1)", "a\t(1|(1\nb\t1)\nc\t1)", id="beside another of the entity"),
        pytest.param("a\t(1)|(1|1)", "a\t(1)", id="a one-token mention of two brackets"),
        pytest.param("a\t(1|1)|(1|1)", "a\t(1|1)", id="two of two brackets"),
        pytest.param("a\t(1)|(2)|(1)|(1|1)", "a\t(1)|(2)", id="entities appear in the same order"),
        pytest.param("a\t(1)(1)", "a\t(1)(1)", id="not in a cell that is not plain"),
        pytest.param("a\t(1|(1\nb\t1)1)", "a\t(1|(1\nb\t1)1)", id="nor where it ends in one"),
        pytest.param("a\t(1)|(2)", "a\t(1)|(2)", id="not in two entities"),
        pytest.param("a\t(01)|(1)", "a\t(01)|(1)", id="ids are compared as text"),
        pytest.param("a (1)|(1)  ", "a (1)  ", id="between blanks"),
        pytest.param("a\t(1)|(1)\t\t", "a\t(1)\t\t", id="before empty columns"),
    ],
)
def test_a_second_copy_within_one_entity_goes(lines: str, expected: str, tmp_path: Path) -> None:
    before, after = (document(*text.split("\n")).encode() for text in (lines, expected))
    assert mended(before, tmp_path)[0] == after


def test_the_last_piece_of_a_cell_leaves_the_mark_of_none(tmp_path: Path) -> None:
    text = document("a\t(1|(1|(2", "b\t1)|1)|2)").encode()
    assert mended(text, tmp_path, first_copy=True)[0] == document("a\t(1", "b\t1)").encode()
    text = document("a\t(2", "b\t-", "c\t2)|(1)", "d\t(1)", "e\t-").encode()
    assert mended(text, tmp_path, first_copy=True) == (text, [])


@pytest.mark.parametrize("case", [path.name for path in sorted(RECORDED.glob("repeat-*"))])
def test_the_first_copy_stays_as_in_scoring(
    case: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = RECORDED / case / "key.conll", RECORDED / case / "response.conll"
    for name in (key, response):
        call(capfdbinary, "validate", name, "--fix", tmp_path / name.name, "--repeated", "first")
    expected = call(capfdbinary, "every", key, response, "none", "--repeated", "first").body
    assert call(capfdbinary, "every", tmp_path / key.name, tmp_path / response.name, "none").body == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(b"#begin document d\r\nw\t(1)\n", b"#begin document d\nw\t(1)\n#end document\n", id="mixed"),
        pytest.param(b"#begin document d\r\nw\t(1)", b"#begin document d\r\nw\t(1)\r\n#end document\r\n", id="one"),
        pytest.param(b"#begin document d\nw\t(1)\r", b"#begin document d\nw\t(1)\n#end document\n", id="CR at the end"),
        pytest.param(b"#begin document d\r\nw (1)\r", b"#begin document d\r\nw (1)\r\n#end document\r\n", id="CR"),
        pytest.param(b"#begin document d\t\r\nw\t-\n", b"#begin document d\t\nw\t-\n#end document\n", id="tab"),
        pytest.param(b"#begin document d\nw\t(1)\t\r\n", b"#begin document d\nw\t(1)\t-\n#end document\n", id="empty"),
        pytest.param(b"#begin document d\r\r\nw\t-\n", b"#begin document d\r\r\nw\t-\n#end document\n", id="name"),
        pytest.param(b"#begin document d\nw\n#begin document e\n#end document\n",
            b"#begin document d\nw\n#end document\n#begin document e\n#end document\n", id="document inside document"),
        pytest.param(b"#begin document d\nw\t(1)\r\r\nx\r\r\r\n\r\r\n#end document\r\r\n",
            b"#begin document d\nw\t(1)\nx\n\n#end document\n", id="several CR"),
        pytest.param(b"#begin document d\nw\t(1)\t\r\r\nx (1) \r\r\ny (1) \r\n \t\r\r\n",
            b"#begin document d\nw\t(1)\t-\nx (1) -\ny (1) \n \t\n#end document\n", id="a CR in the last column"),
        pytest.param(b"\xef\xbb\xbf#begin document(x); part 000\nw\t(1)\n#end document\n# begin document(y);\r\n",
            b"\xef\xbb\xbf#begin document (x); part 000\nw\t(1)\n#end document\n# begin document (y);\n#end document\n",
            id="no blank before a name"),
        pytest.param(b"#begin document(x);\nw\t(1)|(1)\n#begin document(y);\nw\t(2)\n",
            b"#begin document (x);\nw\t(1)\n#end document\n#begin document (y);\nw\t(2)\n#end document\n",
            id="all else in the same go"),
        pytest.param(b"#begin document d\n#begin document(x)\nw\t-\n#end document\n",
            b"#begin document d\n#begin document(x)\nw\t-\n#end document\n",
            id="no blank where other documents are read: a score would change"),
        pytest.param(b"\xef\xbb\xbf#begin document \xff\nw", b"\xef\xbb\xbf#begin document \xff\nw\n#end document\n",
            id="odd bytes"),
    ],
)  # fmt: skip
def test_line_ends_and_end_lines(text: bytes, expected: bytes, tmp_path: Path) -> None:
    assert mended(text, tmp_path)[0] == expected
    assert mended(expected, tmp_path) == (expected, [])


def test_no_copy_goes_where_another_has_to_stay(tmp_path: Path) -> None:
    """Entity 1 would appear behind 2, and of the copies in the last cell that of 2 would come first."""
    lines = ("a\t(0)|(1)", "b\t(2", "c\tx2)(2)(1)")
    text = document(*lines).encode()
    assert mended(text, tmp_path, first_copy=True) == (text, [])
    clear = document(*lines[:2], "c\t2)|(2)|(1)").encode()
    assert mended(clear, tmp_path, first_copy=True)[0] == document("a\t(0)", "b\t(2", "c\t2)|(1)").encode()


def test_first_copies_are_scored_in_the_order_of_the_mended_file(tmp_path: Path) -> None:
    """Entity 1 appears behind 2 then: in which order sums are added is their last bit."""
    text = document("a\t(0)|(1)", "b\t(2)", "c\t(1)", "d\t(2)|(1)").encode() + document("a\t(1)", name="e").encode()
    for its in (text, mended(text, tmp_path, first_copy=True)[0]):
        documents, _ = read_text(its, tmp_path)
        pairs = Pairs(documents, documents, np.ones(len(documents), dtype=np.bool_))
        side = treat_repeats(match_spans(documents, documents), pairs, "first").matched.response
        columns = side.number, side.entity, side.document
    assert [column.tolist() for column in columns] == [[0, 1, 2, 3, 4], [0, 1, 2, 2, 3], [0, 0, 0, 1]]


@pytest.mark.slow
def test_a_megabyte_of_copies_is_mended_in_a_second_or_two(tmp_path: Path) -> None:
    """Of processor time; it took 17 seconds."""
    text = document(*["w\t(1)|(2)|(2)"] * 75_000).encode()
    begin = process_time()
    out, fixed = mended(text, tmp_path, first_copy=True)
    assert process_time() - begin < 10
    assert (len(out), len(fixed)) == (len(document(*["w\t(1)"] * 75_000)), MOST)


def test_cells_of_lines_are_those_of_blocks() -> None:
    """Two ways to rule 4: mending's, line by line, and the reader's."""
    numbers = np.random.default_rng(0)
    pieces = (b"\t", b"\t", b" ", b"(1)", b"w", b"-", b"\r", b"|", b" | ")
    for _ in range(3000):
        line = b"w" + b"".join(pieces[at] for at in numbers.integers(0, len(pieces), numbers.integers(0, 7)))
        text = np.frombuffer(b"\n" + line + b"\n", dtype=np.uint8)
        (start,), (stop,) = conll.last_cells(text, np.array([len(text) - 1]))
        assert cell_of(line + b"\n") == (start - 1, text[start:stop].tobytes()), line


@pytest.mark.parametrize("path", sorted(RECORDED.rglob("*.conll"))[::9], ids=lambda path: path.parent.name)
def test_nothing_else_changes(path: Path, tmp_path: Path) -> None:
    """What is read from a mended file is what was read before, without the copies; a clean file stays as it is."""
    out, fixed = mended(path.read_bytes(), tmp_path)
    if not fixed:
        assert out == path.read_bytes()
    before = joined(list(read(str(path), [])))
    after, _ = read_text(out, tmp_path)
    assert (after.names, after.tokens.tolist()) == (before.names, before.tokens.tolist())
    if "repeated-mention" not in fixed:
        assert {**columns(after), "faults": {}} == {**columns(before), "faults": {}}
    for repeat in repeats_of(after, copies_of(after)):
        assert len({int(after.entity[copy]) for copy in repeat.copies}) == len(repeat.copies)


def test_lines_one_by_one_are_lines_in_blocks(tmp_path: Path) -> None:
    """The plain form of the rules of lines, which mending uses, against the reader."""
    from corefscore.formats.conll.lines import lines_of

    numbers = np.random.default_rng(0)
    pieces = [
        *(b"#begin document a", b"#end document", b"# end document", b"# begin document b", b"x # end document"),
        *(b"#begin document", b"\n", b"\r\n", b"\n\n", b"w\t(1)", b"#", b" ", b"\t", b"# (1)", b"x", b"\v"),
    ]
    for _ in range(300):
        text = b"".join(pieces[at] for at in numbers.integers(0, len(pieces), 30))
        found = validated(text, tmp_path)
        lines = list(lines_of(Source(str(tmp_path / "file.conll"))))
        assert b"".join(line.text for line in lines) == text
        if found.sizes["documents"]:
            assert found.sizes["tokens"] == sum(line.token >= 0 and line.begin > 0 for line in lines)
            assert found.sizes["documents"] == sum(line.begin == line.number for line in lines)


def test_a_compressed_file_comes_out_unpacked(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    text = document("w\t(1)", "x\t(1)").encode()
    (tmp_path / "in.gz").write_bytes(gzip.compress(text))
    assert call(capfdbinary, "validate", tmp_path / "in.gz", "--fix", tmp_path / "out").status == 0
    assert (tmp_path / "out").read_bytes() == text


# What is already there stays whole


def test_a_file_can_be_mended_in_its_place(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "file"
    path.write_text(document("w\t(1)|(1)", "x\t(1)"))
    assert call(capfdbinary, "validate", path, "--fix", path, "--strict").status == 0
    assert path.read_text() == document("w\t(1)", "x\t(1)")


def test_a_file_of_the_folder_that_is_not_read_may_be_written(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name in ("key.conll", "out"):
        (tmp_path / name).write_text(document("w\t(1)", "x\t(1)"))
    how = ("--fix", tmp_path / "out", "--key", tmp_path / "*.conll")
    assert call(capfdbinary, "validate", tmp_path / "key.conll", *how).status == 0


FULL = (
    "import resource, sys; from corefscore.cli import run\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
    "sys.exit(run(sys.argv[1:], 'corefscore'))"
)


@pytest.mark.parametrize("way", ["--fix", pytest.param("--output", marks=pytest.mark.outside)])
def test_a_full_disk_leaves_the_old_file_whole(way: str, tmp_path: Path) -> None:
    """A limit on the size of files stands in for the full disk: the same error at the same call."""
    data, out = tmp_path / "data", tmp_path / "out"
    data.write_text(document(*["w\t(1)"] * 5000))
    out.write_text("old")
    arguments = ["validate", data, way, out] if way == "--fix" else ["every", data, data, way, out]
    done = subprocess.run([sys.executable, "-B", "-c", FULL, *map(str, arguments)], capture_output=True, check=False)
    assert (done.returncode, out.read_text()) == (2, "old")
    assert done.stderr == f"corefscore: {out}: File too large\n".encode()
    assert sorted(os.listdir(tmp_path)) == ["data", "out"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--fix file --key nowhere", "nowhere: No such file or directory"),
        ("--fix key --key key", "--fix key would overwrite key, which is read; name another file"),
        (
            "--fix folder/one --key folder",
            "--fix folder/one would overwrite folder/one, which is read; name another file",
        ),
        ("--fix out --key empty", "empty: the folder contains no visible file"),
        (
            "--fix out --tags words",
            "file: --tags is the notation of tagged text, and this file is read as CoNLL-2011/2012; leave "
            "--tags out, or add --input-format tagged if it is tagged text",
        ),
        (
            "--fix out --key words --columns key.word=1",
            "words: this file is read as JSON lines, and --columns can only name clusters; leave word out",
        ),
        (
            "--fix out --key half.gz --input-format conll",
            "half.gz: this file cannot be read to its end: Compressed file ended before the end-of-stream marker was "
            "reached; "
            "copy it again, or unpack it with another program",
        ),
    ],
)
def test_nothing_is_mended_before_the_call_is_known_to_be_sound(
    arguments: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    text = document("w\t(1)|(1)", "x\t(1)")
    os.mkdir("folder")
    os.mkdir("empty")
    for name in ("file", "key", "folder/one"):
        Path(name).write_text(text)
    Path("words").write_text('{"doc_key": "d", "clusters": []}\n')
    Path("half.gz").write_bytes(gzip.compress(text.encode())[:-8])
    done = call(capfdbinary, "validate", "file", *arguments.split())
    assert (done.status, done.stderr.decode()) == (2, f"corefscore: {said}\n")
    assert sorted(os.listdir()) == ["empty", "file", "folder", "half.gz", "key", "words"]
    assert {Path(name).read_text() for name in ("file", "key", "folder/one")} == {text}


def test_a_cell_of_many_copies_is_mended_in_one_go(tmp_path: Path) -> None:
    """Looking for each copy anew takes a hundred times as long."""
    text = document("w\t" + "|".join(f"({n})" for n in range(30_000)) + "|(29999)" * 30_000).encode()
    began = process_time()
    assert mended(text, tmp_path)[0].count(b"|") == 30_000 - 1
    assert process_time() - began < 6


TERMINATED = (
    "import os, signal, sys; from corefscore.cli.output import write\n"
    "def pieces():\n"
    "    yield from ['new'] * 5000\n"
    "    os.kill(os.getpid(), signal.SIGTERM)\n"
    "    yield 'more'\n"
    "write(pieces(), sys.argv[1])"
)


def test_being_asked_to_end_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    done = subprocess.run([sys.executable, "-c", TERMINATED, tmp_path / "out"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, b"")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]


def test_an_interrupt_leaves_the_old_file_whole(tmp_path: Path) -> None:
    from collections.abc import Iterator

    from corefscore.cli.output import write

    def pieces() -> Iterator[str]:
        yield from ["new"] * 5000
        raise KeyboardInterrupt

    (tmp_path / "out").write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write(pieces(), str(tmp_path / "out"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "old")]


# Compressed bombs


def test_a_compressed_file_may_unpack_to_so_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from corefscore.core import sources as module

    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(document("w\t(1)", *[" " * 1000] * 3000, "x\t(1)").encode()))
    assert call(capfdbinary, "lea", bomb, bomb, "none").status == 0
    monkeypatch.setattr(module, "UNPACKED", 1 << 20)
    done = call(capfdbinary, "lea", bomb, bomb, "none")
    assert (
        done.stderr
        == (
            f"corefscore: {bomb}: this file unpacks to over 1 MB, too much for its size; unpack it yourself if you "
            "trust it\n"
        ).encode()
    )
    assert (done.status, done.stdout) == (2, b"")
    assert call(capfdbinary, "validate", bomb).status == 2
    with pytest.raises(UsageError, match="unpacks to over 1 MB"):
        corefscore.read(bomb)


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_file_read_as_a_whole_may_unpack_to_the_limit_and_no_further(
    beyond: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from corefscore.core import sources as module

    monkeypatch.setattr(module, "UNPACKED", 1 << 20)
    begin = b"# newdoc id = d\n# global.Entity = eid-etype-head\n1\tw\t_\t_\t_\t_\t_\t_\t_\tEntity=(e)\n"
    path = tmp_path / "limit.conllu.gz"
    path.write_bytes(gzip.compress(begin + b"\n" * ((1 << 20) - len(begin) + beyond)))
    if beyond:
        with pytest.raises(UsageError, match="unpacks to over 1 MB"):
            corefscore.read(path)
    else:
        assert corefscore.read(path).documents.tokens.tolist() == [1]


def test_what_compresses_as_text_does_may_be_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from corefscore.core import sources as module

    monkeypatch.setattr(module, "UNPACKED", 1)
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress((RECORDED / "documents-0015" / "key.conll").read_bytes()))
    assert len(joined(list(read(str(path), []))))


# Mending CorefUD

COREFUD_HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def conllu(*entities: str) -> str:
    rows = (f"{at}\tw\t_\t_\t_\t_\t0\t_\t_\tEntity={entity}\n" for at, entity in enumerate(entities, start=1))
    return COREFUD_HEADER + "".join(rows) + "\n"


def mended_corefud(text: bytes, folder: Path) -> tuple[bytes, list[str]]:
    path = folder / "to-mend.conllu"
    path.write_bytes(text)
    fixes = Fixes()
    out = "".join(repair_corefud.repaired(Source(str(path)), fixes, first_copy=False))
    return out.encode("utf-8", "surrogateescape"), [fix.code for fix in fixes.listed]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        pytest.param(["(e1--1)(e1--1)"], ["(e1--1)"], id="one word"),
        pytest.param(["(e1-x-1)(e2)(e1-y-1)(e1)"], ["(e1-x-1)(e2)"], id="three times"),
        pytest.param(["(e1--1(e1--1", "e1)e1)"], ["(e1--1", "e1)"], id="two words"),
        pytest.param(["(e1--1(e2(e1--1", "e1)e2)e1)"], ["(e1--1(e2", "e2)e1)"], id="around another one"),
        pytest.param(["(e1--1(e1--1(e1--1", "e1)e1)", "e1)"], ["(e1--1(e1--1", "e1)", "e1)"], id="within another one"),
        pytest.param(["(e1--1(e1--2", "e1)e1)"], None, id="not with another head"),
        pytest.param(["(e1--1)(e2--1)"], None, id="not in two entities"),
        pytest.param(["(e1--1)(e2(e1--1)e3)", "e2)"], None, id="errors stay, and all else with them"),
        pytest.param(["(e3", "(e1--1)(e2(e1--1)e3)", "e2)"], None, id="not where brackets would be joined"),
        pytest.param(["(e1--1)x(e1--1)"], None, id="not beside what is no bracket"),
        pytest.param(["(e1--1(e2)e1)(e1--1(e2)e1)", ""], None, id="not where it goes on to the end of the sentence"),
        pytest.param(["(e1[1/3])", "", "(e1[3/3])"], ["(e1[1/2])", "", "(e1[2/2])"], id="numbers of parts"),
        pytest.param(["(e1[1/4]", "e1[1/4])", "(e1[2/4]", "e1)", "(e1[4/4])"],
            ["(e1[1/3]", "e1[1/3])", "(e1[2/3]", "e1)", "(e1[3/3])"], id="of parts of several words"),
        pytest.param(["(e1[1/2]", "e1[2/2])", "", "(e1[2/2])"], ["(e1[1/2]", "e1[1/2])", "", "(e1[2/2])"],
            id="of brackets that close"),
        pytest.param(["(e1[1/3])", "", "(e1[2/3])"], None, id="not where the last part is missing"),
        pytest.param(["(e1[1/2])(e1[1/2])", "(e1[2/2])(e1[2/2])"], None, id="copies in parts stay"),
    ],
)  # fmt: skip
def test_what_is_mended_in_corefud(cells: list[str], expected: list[str] | None, tmp_path: Path) -> None:
    text = conllu(*cells).encode()
    after = text if expected is None else conllu(*expected).encode()
    assert mended_corefud(text, tmp_path)[0] == after
    assert mended_corefud(after, tmp_path) == (after, [])


@pytest.mark.parametrize(
    ("text", "expected", "codes"),
    [
        pytest.param(b"1\tw\n", b"1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n", ["not-ten-columns", "no-empty-line"], id="both"),
        pytest.param(b"1\tw", b"1\tw\t_\t_\t_\t_\t_\t_\t_\t_", ["not-ten-columns"], id="no line end"),
        pytest.param(b"1\tw\t\t_\r\n", b"1\tw\t\t_\t_\t_\t_\t_\t_\t_\r\n\r\n",
            ["not-ten-columns", "no-empty-line"], id="CR LF"),
        pytest.param(b"1-2\tw\n1\tw" + b"\t_" * 11 + b"\n\n",
            b"1-2\tw" + b"\t_" * 8 + b"\n1\tw" + b"\t_" * 11 + b"\n\n",
            ["not-ten-columns"], id="a range; too many columns stay"),
        pytest.param(b"x\tw\n", b"x\tw\n\n", ["no-empty-line"], id="an error"),
    ],
)  # fmt: skip
def test_lines_of_corefud_are_filled(text: bytes, expected: bytes, codes: list[str], tmp_path: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        begin = mark + COREFUD_HEADER.encode()
        assert mended_corefud(begin + text, tmp_path) == (begin + expected, codes)


def test_a_first_line_behind_a_mark_is_mended(tmp_path: Path) -> None:
    line = b"\xef\xbb\xbf1\tw" + b"\t_" * 7 + b"\tEntity="
    rest = b"\n" + COREFUD_HEADER.encode() + b"\n"
    assert mended_corefud(line + b"(e1)(e1)" + rest, tmp_path)[0] == line + b"(e1)" + rest


def scores_of(key: Path, response: Path) -> list[object]:
    """The scores of a response in several ways, or the error instead."""
    found: list[object] = []
    ways: list[dict[str, Any]] = [
        {},
        {"matching": "exact", "singletons": "keep"},
        {"matching": "partial", "repeated": "first"},
    ]
    for how in ways:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(corefscore.score(key, response, "corefud", **how).to_dict()["total"])
        except corefscore.ScorerError as error:
            found.append(type(error))
    return found


@pytest.mark.parametrize("folder", every_second(sorted((TESTDATA / "corefud").glob("*/*")), lambda folder: folder.name))
def test_mending_moves_no_score_of_corefud(folder: Path, tmp_path: Path) -> None:
    """Copies are put in, and the parts of mentions numbered otherwise, before both are taken out again."""
    key, response, out = folder / "key.conllu", tmp_path / "in.conllu", tmp_path / "out.conllu"
    text = (folder / "response.conllu").read_text()
    twice = re.sub(r"(\(e[0-9]+-[^()|\s]*\))", r"\1\1", text)
    parts = re.sub(r"\[2/2\]", "[3/3]", re.sub(r"\[1/2\]", "[1/3]", twice))
    for its in (text, parts):
        mended_bytes, _ = mended_corefud(its.encode(), tmp_path)
        if mended_bytes != its.encode():
            response.write_text(its)
            out.write_bytes(mended_bytes)
            assert scores_of(key, out) == scores_of(key, response)
        assert mended_corefud(mended_bytes, tmp_path) == (mended_bytes, [])
    crlf = (parts.rstrip("\n") + "\n").replace("\n", "\r\n").encode()
    assert mended_corefud(crlf, tmp_path)[0] == mended_bytes.replace(b"\n", b"\r\n")


def test_first_copies_of_corefud_are_not_mended(tmp_path: Path) -> None:
    path = TESTDATA / "odd" / "repairable-corefud" / "file.conllu"
    done = within("validate", path, "--fix", tmp_path / "out", "--repeated", "first")
    assert (done.status, done.stdout) == (2, b"")
    assert b"--repeated first repairs only CoNLL files" in done.stderr
    assert not (tmp_path / "out").exists()
