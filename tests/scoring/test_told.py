"""Scores that are 0, or odd, for a reason that no number shows: every way of scoring tells of it, once."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from corefscore import Scorer, ScorerWarning, UsageError, from_labels, read, score
from corefscore.cli import run
from corefscore.core.findings import Finding
from corefscore.formats.conll import reader
from support import RECORDED, TESTDATA, Run, call, within

DEMO = TESTDATA / "demo"
KEY = DEMO / "key.conll"


def changed(cells: str, folder: Path) -> Path:
    """The key of the demo pair: ``shifted`` by a token, without coreference in its last column (``moved``: a column is
    behind it), with ``none`` at all, or ``itself``."""
    lines = KEY.read_text().splitlines()
    if cells == "shifted":
        lines.insert(1, "demo\t0\t0\tx\tNN\t-")
    for at, line in enumerate(lines):
        if line and not line.startswith("#"):
            before = line.rpartition("\t")[0]
            lines[at] = {"moved": f"{line}\tNN", "none": f"{before}\t-"}.get(cells, line)
    path = folder / f"{cells}.conll"
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


REPEATED = TESTDATA / "odd" / "repeated-mention" / "file.conll"
SELF = (REPEATED, REPEATED)
SHIFTED = "no-common-mention"
ROWS = [
    pytest.param("shifted", ["token-count", SHIFTED], id="every offset is one too large"),
    pytest.param("moved", ["other-column", "side-without-mentions"], id="coreference is not in the last column"),
    pytest.param("none", ["side-without-mentions"], id="no mention"),
    pytest.param("itself", [], id="nothing to tell"),
]
"""What is scored against the key, and what is told."""

COMMANDS = [
    pytest.param("lea {} {}", id="the official layout"),
    pytest.param("lea {} {} none", id="totals"),
    pytest.param("lea {} {} --format json", id="JSON"),
    pytest.param("lea {} {} --jobs 2", id="several processes"),
    pytest.param("check --min lea=0 {} {}", id="check"),
]


def called(line: str, *pair: Path) -> list[str]:
    paths = iter(map(str, pair))
    return [next(paths) if word == "{}" else word for word in line.split()]


def codes(done: Run) -> list[str]:
    return [line.split("[")[1].split("]")[0] for line in done.stderr.decode().splitlines() if ": notice[" in line]


@pytest.mark.parametrize(("cells", "expected"), ROWS)
@pytest.mark.parametrize("line", COMMANDS)
def test_a_score_of_nothing_says_why(
    cells: str, expected: list[str], line: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = call(capfdbinary, *called(line, KEY, changed(cells, tmp_path)))
    assert (done.status, codes(done)) == (0, expected)


@pytest.mark.parametrize(("cells", "expected"), ROWS)
def test_from_python_it_is_the_same(cells: str, expected: list[str], tmp_path: Path) -> None:
    assert [notice.code for notice in score(KEY, changed(cells, tmp_path)).notices] == expected


def test_a_key_without_mentions_is_told_from_a_response_without(tmp_path: Path) -> None:
    (found,) = (
        notice for notice in score(changed("none", tmp_path), KEY).notices if notice.code != "perhaps-exchanged"
    )
    assert (found.code, found.details["side"]) == ("side-without-mentions", "key")


def test_exchanged_sides_are_told_however_files_are_given(tmp_path: Path) -> None:
    paths = tmp_path / "gold.conll", tmp_path / "model.conll"
    for path, content in zip(paths, (KEY, changed("none", tmp_path)), strict=True):
        path.write_bytes(content.read_bytes())
    forms: Sequence[Sequence[Any]] = [(str(path), path, [path], read(path)) for path in paths]
    for key, response in product(*forms):
        for ours, theirs, told in ((key, response, False), (response, key, True)):
            for workers in (None, map):
                found = score(ours, theirs, workers=workers).notices
                assert ("perhaps-exchanged" in {its.code for its in found}) == told


def notices(key: object, response: object) -> list[Finding]:
    scorer = Scorer("lea")
    scorer.add(key, response)  # type: ignore[arg-type] # whatever a caller has
    return list(scorer.result().notices)


@pytest.mark.parametrize(
    ("key", "response", "shown"),
    [
        pytest.param([[(0, 1), (3, 3)]], [["0-1", "3-3"]], ('"(0, 1)" (tokens 0 to 1)', '"0-1"'), id="text"),
        pytest.param([[(4, 4), (0, 1)]], [[(1, 2), (5, 5)]], ('"(0, 1)" (tokens 0 to 1)', '"(1, 2)" (tokens 1 to 2)'),
            id="shifted by one"),
        pytest.param([[5, 6]], [["5", "6"]], ('"5 (int)"', '"5"'), id="numbers as text"),
        pytest.param([[(0, 1), (3, 3)]], [["(0, 1)"]], ('"(0, 1)" (tokens 0 to 1)', '"(0, 1)"'), id="tuples as text"),
    ],
)  # fmt: skip
def test_mentions_that_never_meet_stand_beside_each_other(key: object, response: object, shown: object) -> None:
    (notice,) = (notice for notice in notices(key, response) if notice.code == SHIFTED)
    assert (notice.details["key"], notice.details["response"]) == shown


@pytest.mark.parametrize(("singletons", "told"), [("keep", []), ("drop", ["no-counted-mention"])])
def test_mentions_in_common_that_do_not_count_are_told(singletons: str, told: list[str]) -> None:
    key, response = [[(0, 1)], [(4, 4), (5, 5)]], [[(0, 1), (7, 7)]]
    assert [notice.code for notice in score([key], [response], singletons=singletons).notices] == told


def test_in_corefud_too(tmp_path: Path) -> None:
    """Entities of one mention are left out there unless the call says otherwise."""
    begin = "# newdoc id = a\n# global.Entity = eid-head\n"
    sides = tmp_path / "key.conllu", tmp_path / "response.conllu"
    for path, cells in zip(sides, (("(e1-1)", "(e2-1)", "(e2-1)"), ("(e1-1)", "(e3-1)", "_")), strict=True):
        words = (
            f"{number}\tw\t_\t_\t_\t_\t{number - 1}\t_\t_\t{'_' if cell == '_' else f'Entity={cell}'}\n"
            for number, cell in enumerate(cells, 1)
        )
        path.write_text(begin + "".join(words) + "\n")
    assert [notice.code for notice in score(*sides).notices] == ["no-counted-mention"]
    assert not score(*sides, singletons="keep").notices


@pytest.mark.parametrize(
    ("begins", "ends", "told"),
    [
        pytest.param(0, 1, "began where they do and ended 1 token earlier", id="ends are exclusive"),
        pytest.param(0, -1, "began where they do and ended 1 token later", id="ends of the key are exclusive"),
        pytest.param(1, 1, "began 1 token earlier and ended 1 token earlier", id="tokens are counted from 1"),
        pytest.param(1, 2, "began 1 token earlier and ended 2 tokens earlier", id="from 1, and ends are exclusive"),
        pytest.param(-1, 0, "began 1 token later and ended where they do", id="in the key from 1, ends are exclusive"),
        pytest.param(2, 2, "began 2 tokens earlier and ended 2 tokens earlier", id="after [CLS] and a speaker"),
        pytest.param(-5, -5, "began 5 tokens later and ended 5 tokens later", id="in the key after other tokens"),
        pytest.param(0, 2, "", id="nothing that happens in practice"),
    ],
)
def test_mentions_that_are_nearly_all_a_token_apart_are_told(begins: int, ends: int, told: str) -> None:
    """4 of 24 mentions are the same by chance."""
    key = [[(n, n + 3) for n in range(0, 240, 20)], [(n, n + 4) for n in range(10, 250, 20)]]
    response = [[(start + begins, end + ends) for start, end in entity] for entity in key]
    response[0][:4] = key[0][:4]
    found = notices(key, response)
    assert [notice.code for notice in found] == ([SHIFTED] if told else [])
    assert all(told in str(notice.details["what"]) for notice in found)


@pytest.mark.parametrize(("by", "told"), [(1, True), (2, False)])
def test_a_few_mentions_two_tokens_apart_can_be_chance(by: int, told: bool) -> None:
    starts = range(0, 100, 20)
    key, response = ([(start + at, start + at + 3) for start in starts] for at in (0, by))
    assert [SHIFTED] * told == [its.code for its in notices([[*key, (7, 8)]], [[*response, (7, 8)]])]


@pytest.mark.parametrize(
    "other", [from_labels([1, 1], [(0, 1), (4, 4)]), [["(0, 1)", "(4, 4)"]]], ids=["items", "text"]
)
def test_spans_beside_what_only_looks_like_them_are_told(other: Any) -> None:
    clusters: Any = [[(0, 1), (4, 4)]]
    for key, response in ((clusters, other), (other, clusters)):
        notice = score(key, response, "lea").notices[-1]
        assert notice.code == SHIFTED
        assert "never match, even if they look alike" in str(notice.details["hint"])


@pytest.mark.parametrize(("mentions", "shared", "told"), [(20, 2, True), (20, 3, False), (19, 1, False)])
def test_hardly_any_mention_in_common_is_told(mentions: int, shared: int, told: bool) -> None:
    """As if documents had each other's names: a few mentions match by chance."""
    key = [[(10 * number, 10 * number) for number in range(mentions)]]
    places = [10 * number + 5 * (number >= shared) for number in range(mentions)]
    response = [[(place, place) for place in places]]
    notices = score(key, response, "lea").notices
    assert [notice.code for notice in notices] == [SHIFTED] * told
    assert all(
        "hardly any" in str(notice.details["few"]) and "names" in str(notice.details["what"]) for notice in notices
    )


@pytest.mark.parametrize(
    ("mentions", "shared", "told"),
    [(12, 0, True), (9, 0, False), (12, 1, True), (12, 2, False), (20, 3, True), (20, 4, False)],
)
def test_a_document_that_is_unlike_all_others_is_told(mentions: int, shared: int, told: bool) -> None:
    """As if two of many documents had each other's names; the whole corpus shares 95 of 100 mentions."""
    whole = [[(10 * number, 10 * number) for number in range(100)]]
    one = [[(10 * number, 10 * number) for number in range(mentions)]]
    other = [[(place, place + (number >= shared)) for number, (place, _) in enumerate(one[0])]]
    notices = score({"a": whole, "b": one}, {"a": whole, "b": other}, "lea").notices
    assert [notice.code for notice in notices] == ["unlike-document"] * told
    assert all(notice.details["document"] == "b" and notice.details["matching"] == shared for notice in notices)
    others = (place + 3 + place // 10 % 5 for place, _ in whole[0][:55])
    few = [[*whole[0][:90:2], *((place, place) for place in others)]]
    assert not score({"a": whole, "b": one}, {"a": few, "b": other}, "lea").notices, "a system that finds few mentions"


COREFERENCE, TAGS, ROLES, STARS = (("(1)", "-", "(1)"), ("NNP", "VBD", "NN"), ("(ARG0*", "*)", "*"), "***")


def _conll(name: str, cells: Sequence[str]) -> str:
    lines = [f"{name} 0 {at} w {cell}" for at, cell in enumerate(cells)]
    return "\n".join([f"#begin document {name}", *lines, "", "#end document", ""])


@pytest.mark.parametrize("cells", [TAGS, ROLES, STARS])
@pytest.mark.parametrize("side", ["key", "response"])
def test_a_file_whose_last_column_is_another_is_told(side: str, cells: Sequence[str], tmp_path: Path) -> None:
    """Its documents were scored as without mentions, since other files of the folder have coreference."""
    for folder in ("key", "response"):
        (tmp_path / folder).mkdir()
        for name in "abc":
            its = cells if (folder, name) == (side, "b") else COREFERENCE
            (tmp_path / folder / f"{name}.conll").write_text(_conll(name, its))
    notices = score(tmp_path / "key", tmp_path / "response", "lea").notices
    expected = ["other-column", "documents-without-mentions"]
    assert [notice.code for notice in notices] == expected
    assert Path(notices[0].path).name == "b.conll"
    scorer = Scorer("lea")
    for name in "abc":
        scorer.add(tmp_path / "key" / f"{name}.conll", tmp_path / "response" / f"{name}.conll")
    assert [notice.code for notice in scorer.result().notices] == expected


@pytest.mark.parametrize("blank", ["_", "-", "*", "  -", "- -"])
@pytest.mark.parametrize("side", ["key", "response"])
def test_a_document_with_a_further_column_is_told(side: str, blank: str, tmp_path: Path) -> None:
    """Its mentions are before the last column, as `validate` says, too."""
    for name in ("key", "response"):
        cells = [f"{cell} {blank}" for cell in COREFERENCE] if name == side else COREFERENCE
        (tmp_path / f"{name}.conll").write_text(_conll("a", COREFERENCE) + _conll("b", cells))
    found = score(tmp_path / "key.conll", tmp_path / "response.conll", "lea").notices
    assert [notice.code for notice in found] == ["earlier-column", "documents-without-mentions"]
    assert found[0].line == 8
    assert b":8: notice[earlier-column]" in within("validate", tmp_path / f"{side}.conll").stdout


def test_words_and_the_last_column_are_no_earlier_column(tmp_path: Path) -> None:
    """Signs of a list before two blank columns; and tabs after the last column, which are ignored."""
    listed = "#begin document (b); part 000\n" + "b\t0\t0\t1)\t_\t-\n" * 2 + "#end document\n"
    for name in ("key", "response"):
        (tmp_path / f"{name}.conll").write_text(_conll("a", COREFERENCE) + listed)
    assert not score(tmp_path / "key.conll", tmp_path / "response.conll", "lea").notices
    tabs = RECORDED / "odd-trailing-tabs"
    assert "same-as-key" not in {its.code for its in score(tabs / "key.conll", tabs / "response.conll", "lea").notices}


def test_odd_cells_are_told_once_whatever_the_batches_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has several batches and no mention; one notice for each document comes at its end."""
    monkeypatch.setattr(reader, "BATCH", 100)
    monkeypatch.setattr(reader, "BLOCK", 64)
    (tmp_path / "key.conll").write_text("".join(_conll(name, COREFERENCE) for name in "abcdef"))
    (tmp_path / "response.conll").write_text("".join(_conll(name, TAGS) for name in "abcdef"))
    found = score(tmp_path / "key.conll", tmp_path / "response.conll", "lea").notices
    assert [notice.code for notice in found] == ["other-column"] * 6 + ["side-without-mentions"]
    (tmp_path / "response.conll").write_text("".join(_conll(name, ("(1)", "x", "-")) for name in "abcdef"))
    found = score(tmp_path / "key.conll", tmp_path / "response.conll", "lea").notices
    others = ", nor are 5 other cells of the file"
    assert [(notice.code, notice.line, notice.details["others"]) for notice in found] == [("odd-cell", 3, others)]


def test_a_document_without_mentions_and_with_odd_cells_is_told(tmp_path: Path) -> None:
    """The first odd cell of the file is not in it."""
    path = tmp_path / "file.conll"
    path.write_text(_conll("a", ("(1)", "x", "(1)")) + _conll("b", ("(1)", "x", "(1)")) + _conll("c", TAGS))
    found = [(notice.code, notice.line, notice.details["others"]) for notice in score(path, path, "lea").notices]
    assert found == [("odd-cell", 3, ", nor are 4 other cells of the file"), ("odd-cell", 14, "")] * 2


@pytest.mark.parametrize(
    ("documents", "mentions", "shifted", "missing", "told"),
    [
        (20, 8, 10, 0, True),
        (60, 6, 6, 1, True),
        (60, 6, 40, 1, True),
        (20, 8, 2, 0, False),
        (20, 4, 3, 0, True),
        (20, 3, 3, 0, False),  # few mentions can be all wrong
        (100, 8, 4, 0, False),  # a few of many documents
        (20, 2, 2, 1, False),
    ],
)
def test_several_unlike_documents_are_told_whatever_their_size(
    documents: int, mentions: int, shifted: int, missing: int, told: bool
) -> None:
    """As if the output of two programs was joined, one of which ends mentions after their last token."""
    key = {str(d): [[(10 * n, 10 * n + 1) for n in range(mentions)]] for d in range(documents)}
    response = {
        name: [[(start, end + (d < shifted)) for start, end in entity[missing:]] for entity in entities]
        for d, (name, entities) in enumerate(key.items())
    }
    found = [notice for notice in score(key, response, "lea").notices if notice.code == "unlike-document"]
    assert [str(its.details["where"]) for its in found] == [f'{shifted} documents, such as "0"'] * told


def test_an_unlike_document_in_memory_beside_files_is_told(tmp_path: Path) -> None:
    """Documents in memory have no file, so the files of a scorer are fewer than its documents."""
    path = tmp_path / "file.conll"
    path.write_text(_conll("a", ["(1)"] * 60))
    many = [[(10 * number, 10 * number) for number in range(12)]]
    scorer = Scorer("lea")
    scorer.add(path, path)
    scorer.add(many, [[(start, end + 1) for start, end in many[0]]], name="b")
    assert [
        (its.code, its.details["document"]) for its in scorer.result().notices if its.code != "repeated-mention"
    ] == [("unlike-document", "b")]


def test_documents_of_which_all_are_alike_or_the_key_is_found_are_not_told() -> None:
    """A response of many mentions against a key of a few; and a corpus of one document."""
    many = [[(10 * number, 10 * number) for number in range(180)]]
    few = [[*many[0][:12], (5, 5)]]
    for names in ("a", "abcdef"):
        codes = {notice.code for notice in score(dict.fromkeys(names, few), dict.fromkeys(names, many), "lea").notices}
        assert "unlike-document" not in codes


_EACH = {name: [[(10 * number, 10 * number) for number in range(12)]] for name in "abcdefgh"}
"""Documents of one mention in each sentence of ten tokens."""


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ((8, 8, 8), True),  # a heading that the key does not have
        ((6, 9, 14), True),
        ((-6, -15, -40), True),
        ((8, 0, 8), False),  # a third of the mentions match
        ((0, 0, 0), False),
        ((1, 1, 1), True),
    ],
)
def test_mentions_that_match_by_chance_are_told(by: Sequence[int], told: bool) -> None:
    """Three documents of 300 tokens with a mention of a token at a fifth of them, of which chance matches a fifth."""
    draw = random.Random(4)
    places = {name: sorted(draw.sample(range(100, 400), 60)) for name in "abc"}
    key = {name: [[(place, place) for place in its]] for name, its in places.items()}
    response = {
        name: [[(at + step, at + step) for at in its]] for (name, its), step in zip(places.items(), by, strict=True)
    }
    found = [notice.details for notice in score(key, response, "lea").notices if notice.code == "no-common-mention"]
    assert len(found) == told
    if told:
        shifted = "would match if they began 1 token earlier" in str(found[0]["what"])
        assert shifted == ({*by} == {1}) and "than by chance" in str(found[0]["few"])


def test_half_of_the_mentions_are_not_few() -> None:
    """They match; and a mention that is no span, as padding is, hides no step."""
    key = [[(at, at)] for at in (0, 1, 2, 10, 20, 30)]
    assert not score(key, [[(at, at)] for at in (1, 2, 3, 11)], "lea").notices
    padded = [[(at + 1, at + 1)] for at in (0, 10, 20, 30)], [[(-1, -1)]]
    assert "no-common-mention" in str(score(key, [*padded[0], *padded[1]], "lea").notices)


@pytest.mark.parametrize(("share", "later", "told"), [(0.45, 2, True), (0.7, 2, False), (0.45, 9, None)])
def test_a_step_that_explains_all_is_told_where_many_match_by_chance(
    share: float, later: int, told: bool | None
) -> None:
    """So many of 400 tokens are mentions, and those of the response are some tokens later."""
    places = random.Random(6).sample(range(400), int(400 * share))
    key, response = ([[(at + by, at + by)] for at in places] for by in (0, later))
    notices = str(score(key, response, "lea").notices)
    assert ("began 2 tokens earlier" in notices, "no-common-mention" in notices) == (bool(told), bool(told))


def test_a_poor_response_is_no_chance() -> None:
    """A quarter of its mentions match where chance explains a fortieth, and text matches nothing some tokens later."""
    draw = random.Random(5)
    places = draw.sample(range(10_000), 400)
    key, response = [[(at, at) for at in places[:250]]], [[(at, at) for at in places[200:]]]
    texts = [[*map(str, places[:250])]], [[*map(str, sorted(places[200:]))]]
    for found in (score(key, response, "lea"), score(*texts, "lea")):
        assert "no-common-mention" not in {notice.code for notice in found.notices}


@pytest.mark.parametrize(
    ("token", "told"),
    [
        (lambda number: 10 * (number % 6) + number // 6, True),  # offsets begin again in the middle
        (lambda number: 10 * number + number // 2, True),  # tokens such as [CLS] are counted
        (lambda number: 10 * number + (number > 5), True),
        (lambda number: 10 * number + (number > 6), False),  # more than half match
        (lambda number: 10 * number + (number < 9), False),
        (lambda number: 10 * number + (number % 4 > 0), False),
    ],
)
def test_mentions_that_match_at_the_beginning_only_are_told(token: Callable[[int], int], told: bool) -> None:
    """On either side, and in windows, too."""
    other = {name: [[(token(number), token(number)) for number in range(12)]] for name in _EACH}
    for sides in ((_EACH, other), (other, _EACH)):
        assert ("early-mentions" in {notice.code for notice in score(*sides, "lea").notices}) == told
        for window in (30, 1000):
            codes = {notice.code for notice in score(*sides, "lea", window=window).notices}
            assert ("early-mentions" in codes) == told


@pytest.mark.parametrize(("kept", "told"), [(5, True), (7, False)])
def test_a_response_that_is_cut_off_is_told(kept: int, told: bool) -> None:
    """Of 12 mentions of each document the first ones are there, and all match."""
    other = {name: [its[0][:kept]] for name, its in _EACH.items()}
    assert ("early-mentions" in {notice.code for notice in score(_EACH, other, "lea").notices}) == told


def test_mentions_that_match_a_little_earlier_are_not_told() -> None:
    """Of 12 mentions of each of 40 documents six match, on average after 40 %: chance does not explain it."""
    key = {str(name): [[(10 * number, 10 * number) for number in range(12)]] for name in range(40)}
    places = [10 * number + (number not in (0, 2, 4, 5, 6, 9)) for number in range(12)]
    response = {name: [[(place, place) for place in places]] for name in key}
    assert not score(key, response, "lea").notices


def test_heads_are_not_blamed_for_mentions_of_two_documents() -> None:
    """They look alike, but they are in documents of other names."""
    (notice,) = score({"a": [[(0, 0)]], "b": []}, {"a": [], "b": [[(0, 0)]]}, "lea").notices
    assert notice.details["key"] == notice.details["response"]
    assert "heads" not in str(notice.details["hint"])


def test_one_shared_mention_in_any_document_is_enough() -> None:
    apart = [[(0, 1), (3, 3)]], [[(1, 2)]]
    scorer = Scorer("lea")
    scorer.add(*apart)
    assert [notice.code for notice in scorer.result().notices] == [SHIFTED]
    scorer.add([[(0, 1)]], [[(0, 1)]])
    assert not scorer.result().notices


def test_the_two_mentions_are_of_one_document_if_possible() -> None:
    scorer = Scorer("lea")
    scorer.add([[(0, 0)]], [])
    scorer.add([[(7, 7)]], [[(8, 8)]])
    at_once = score({"a": [[(0, 0)]], "b": [[(7, 7)]]}, {"a": [], "b": [[(8, 8)]]}, "lea")
    for result in (scorer.result(), at_once):
        (notice,) = result.notices
        assert (notice.details["key"], notice.details["documents"]) == ('"(7, 7)" (token 7)', "2 documents")


def test_the_two_mentions_may_be_of_documents_that_were_added_one_by_one() -> None:
    scorer = Scorer("lea")
    scorer.add([[(0, 0)]], [])
    scorer.add([], [[(8, 8)]])
    (notice,) = scorer.result().notices
    assert (notice.details["key"], notice.details["response"]) == ('"(0, 0)" (token 0)', '"(8, 8)" (token 8)')


def test_sides_without_a_common_document_are_told_of_once() -> None:
    assert {notice.code for notice in score({"a": [[1, 2]]}, {"b": [[1, 2]]}).notices} == {
        "no-common-document", "missing-document", "extra-document",
    }  # fmt: skip


@pytest.mark.parametrize("line", COMMANDS)
def test_copies_that_count_are_told_once(line: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """MUC and LEA of a file with copies against itself are 0: two spans, each named once, and the remedy."""
    done = call(capfdbinary, *called(line, *SELF))
    assert (done.status, codes(done)) == (0, ["repeated-mention"] * 2)
    assert done.stderr.count(b'"The cat" (tokens 0 to 1) is annotated 2 times') == 1
    assert done.stderr.count(b"score with --repeated first") == 2


def test_with_one_copy_only_the_first_counts(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "lea", *SELF, "none", "--repeated", "first")
    assert codes(done) == ["dropped-repeat"] * 2, "each span once, although the file is both sides"
    assert done.stdout.splitlines()[-2].endswith(b"F1: 100%")


def test_under_the_name_of_the_official_scorer_standard_error_is_silent(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for response in (changed("moved", tmp_path), changed("shifted", tmp_path)):
        assert run(["lea", str(KEY), str(response), "none"], "scorer.pl") == 0
    assert run(["lea", *map(str, SELF), "none"], "scorer.pl") == 0
    out, err = capfdbinary.readouterr()
    assert b"Repeated mention in the key: 0, 1 01\n" in out
    assert err == b""


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_what_is_odd_in_the_key_alone_is_told_once_for_all_systems(
    command: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A key with copies, and one response under three names."""
    case = RECORDED / "repeat-key-0012"
    key = case / "key.conll"
    alone = codes(call(capfdbinary, "lea", key, case / "response.conll", "none"))
    assert set(alone) == {"repeated-mention"}
    systems = [f"{name}={case / 'response.conll'}" for name in "abc"]
    done = call(capfdbinary, command, key, *systems, "--trials", "10", "--unit", ".*")
    assert codes(done) == alone


def test_the_first_look_costs_nothing_where_a_mention_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is read again, and nothing is kept of a batch."""
    monkeypatch.setattr("corefscore.formats.Opened.examined", None)
    monkeypatch.setattr("corefscore.matching.common._first", None)
    assert not score(KEY, DEMO / "response.conll").notices


def test_blanc_of_no_mentions_at_all_is_no_score_of_0() -> None:
    """With the links of both sides, which the notice says."""
    with pytest.warns(ScorerWarning, match="BLANC with --boundary both: 100 if both sides have none"):
        assert score([], [], "blanc", boundary="both")["blanc"].f1 == 1


def test_words_in_common_count_where_no_mention_does(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """With "a" for "a b", whose head is another word, no mention is found, and the mention overlap is 1 of 1 and of 2
    words; so the notice does not say that every score is 0."""
    head = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n# text = a b\n"
    for side, (first, second) in {"key": ("(e1--1-)", ""), "response": ("(e1--2-", "e1)")}.items():
        rows = ((1, "a", 2, "dep", first), (2, "b", 0, "root", second))
        words = (
            f"{at}\t{w}\t{w}\tNOUN\t_\t_\t{to}\t{how}\t_\t{f'Entity={its}' if its else '_'}\n"
            for at, w, to, how, its in rows
        )
        (tmp_path / side).write_text(f"{head}{''.join(words)}\n")
    done = call(
        capfdbinary, "corefud", tmp_path / "key", tmp_path / "response", "--singletons", "keep", "--format", "csv"
    )
    assert b"total,mor,100.0,50.0," in done.stdout.replace(b"total,total,", b"total,")
    assert b"but no mention matches" in done.stderr


@pytest.mark.parametrize("begin", ["#begin", "# begin"])
@pytest.mark.parametrize("cell", ["(7)", "(person-7)"])
def test_a_column_of_mentions_has_any_header_and_ids(begin: str, cell: str, tmp_path: Path) -> None:
    """Those of GUM, too."""
    plain = f"{begin} document a\nAnn\t(1)\nsaw\t-\nher\t(1)\n{begin[:-5]}end document\n"
    (key := tmp_path / "plain").write_text(plain)
    (response := tmp_path / "more").write_text(plain.replace("(1)", f"{cell}\t(1)").replace("\t-", "\t-\t-"))
    assert "same-as-key" in {notice.code for notice in score(key, response, "muc").notices}


@pytest.mark.parametrize(
    ("cell", "told"),
    [("(7)", True), ("(7)\t-", True), ("(7)|(8)", True), ("1)", False), ("(PER)", False), ("*)", False), ("-", False)],
)
def test_a_column_of_mentions_before_the_last_is_told_beside_equal_entities(
    cell: str, told: bool, tmp_path: Path
) -> None:
    """A file with the answer of a system before the entities of the key scored 100, and nothing was said."""
    plain = "#begin document (a); part 000\nAnn\t(1)\nsaw\t-\nher\t(1)\n#end document\n"
    more = plain.replace("(1)", f"{cell}\t(1)").replace("\t-", f"\t{cell.replace(cell[0], '-')}\t-")
    texts = {"plain": plain, "more": more, "copy": more, "later": more.replace("\t(7", "\t(9")}
    texts["lower"] = more[::-1].replace(")1(", "-", 1)[::-1]
    texts["two"] = plain + plain.replace("(a)", "(b)")
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    for key, response, is_told in (
        ("plain", "more", told),
        ("two", "more", told),  # a document is missing
        ("more", "more", told),
        ("later", "more", told),
        ("copy", "more", False),
        ("plain", "lower", False),
        ("more", "plain", told),  # the answer is behind the entities of the key
    ):
        found = [its for its in score(tmp_path / key, tmp_path / response, "lea").notices if its.code == "same-as-key"]
        assert [(its.details["side"], Path(its.path).name) for its in found] == [
            ("KEY", "more") if key == "more" != response else ("RESPONSE", "more")
        ] * is_told


@pytest.mark.parametrize(
    ("size", "between", "told"),
    [
        (20, "({})", " in 2 documents"),  # with the key's column after the system's
        (19, "({})", None),  # a system can be perfect in a small document
        (20, "word", None),
        (20, None, None),  # the column before the last one is that of the key
    ],
)
def test_a_key_after_the_system_in_some_documents_is_told(
    tmp_path: Path, size: int, between: str | None, told: str | None
) -> None:
    """Output that two runs wrote, one of which kept the key's column; its documents scored 100."""
    texts = {"key": "", "response": ""}
    for name in "abcd":
        key = [f"({n // 2})" for n in range(size)]
        system = [f"({n % 3 + 50})" for n in range(size)]
        is_copy = name in "bd"
        cells = [(between or of_key).format(n % 3 + 50) for n, of_key in enumerate(key)]
        texts["key"] += _document(name, *key)
        texts["response"] += _document(name, *map("{}\t{}".format, cells, key) if is_copy else system)
    for side, text in texts.items():
        (tmp_path / side).write_text(text)
    found = score(tmp_path / "key", tmp_path / "response", "lea").notices
    expected = [(size + 4, told)] if told else []
    assert [(its.line, its.details["where"]) for its in found if its.code == "same-as-key"] == expected


@pytest.mark.parametrize(
    ("right", "told"),
    [
        # The shares of mentions that are found in other documents of 40 mentions; one document is perfect.
        ([0.5, 0.5], "1 document"),  # 0.5^40
        ([0.9, 0.9], None),  # 0.81^40
        ([0.4, 0.8], None),  # mean 0.6, standard deviation 0.2
        ([0.0, 0.0], None),  # the others may be unlike the key for a reason of their own
        ([1.0, 0.5], None),  # the other one may be odd
        ([1.0, 0.5, 0.5], "2 documents"),
    ],
)
@pytest.mark.parametrize("size", [40, 19])
def test_documents_that_are_too_good_are_told(right: list[float], told: str | None, size: int) -> None:
    """A script that left out documents, so that the entities of the key stayed in them."""
    whole = [[(n, n) for n in range(size)]]
    found = [[[(n, n) if n < share * size else (n, n + 50) for n in range(size)]] for share in right]
    response = dict(zip("abcd", [whole, *found], strict=False))
    key = dict.fromkeys(response, whole)
    notices = [notice for notice in score(key, response, "bcub").notices if notice.code == "copied-document"]
    assert [notice.details["count"] for notice in notices] == ([told] if told and size > 19 else [])


def test_documents_that_are_too_good_are_told_if_the_others_vary() -> None:
    """Rates of 0.64, 0.86 and 0.72, which with two standard deviations are 0.93."""
    whole = [[(n, n) for n in range(400)]]
    found = [[whole[0][: int(share * 400)]] for share in (0.8, 0.93, 0.85)]
    notices = score(dict.fromkeys("abcd", whole), dict(zip("abcd", [whole, *found], strict=True)), "bcub").notices
    assert [notice.code for notice in notices] == ["copied-document"]


@pytest.mark.parametrize(
    ("metrics", "wrong"),
    [
        # Entities with wrong mentions at their ends, beside one document that is perfect.
        ("blanc", [4, 4]),  # 0.9 of 40 mentions, and 0.81 of 780 links
        ("bcub", [2, 3]),  # 0.95^2 and 0.925^2 are more than 0.85, though 0.9^200 is small
        ("muc", [0, 0]),  # singletons have no links
    ],
)
def test_documents_that_may_be_right_are_not_told(metrics: str, wrong: list[int]) -> None:
    singletons = metrics == "muc"
    size = 200 if metrics == "bcub" else 40
    whole = [[(n, n) for n in range(size)]]
    alone = [[(n, n)] for n in range(size)] if singletons else whole
    found = [alone[1:] if singletons else [whole[0][number * size // 40 :]] for number in wrong]
    key, response = {"a": whole, "b": alone, "c": alone}, {"a": whole, "b": found[0], "c": found[1]}
    codes = {notice.code for notice in score(key, response, metrics).notices}
    assert "copied-document" not in codes


def test_a_further_column_of_the_key_is_no_matter_if_some_documents_differ(tmp_path: Path) -> None:
    cells = [f"({n // 2})" for n in range(20)]
    others = [f"({n % 3 + 50})" for n in range(20)]
    (tmp_path / "key").write_text("".join(_document(name, *map("{}\t{}".format, others, cells)) for name in "ab"))
    (tmp_path / "response").write_text(_document("a", *cells) + _document("b", *cells[1:], "-"))
    codes = {notice.code for notice in score(tmp_path / "key", tmp_path / "response", "lea").notices}
    assert "same-as-key" not in codes


def test_a_key_after_the_system_is_looked_for_in_the_document_itself(tmp_path: Path) -> None:
    """The documents that follow may be others on the two sides, and both have a column of events before coreference."""
    events = {name: [f"({n % (2 + number)})" for n in range(24)] for number, name in enumerate("abc")}
    entities = {name: [f"({n // 2})" for n in range(24)] for name in "abc"}
    for side, order in (("key", "abc"), ("response", "acb")):
        documents = []
        for name in order:
            own = [f"({n // 3})" if side == "response" and name == "b" else its for n, its in enumerate(entities[name])]
            documents.append(_document(name, *map("{}\t{}".format, events[name], own)))
        (tmp_path / side).write_text("".join(documents))
    assert not score(tmp_path / "key", tmp_path / "response", "lea").notices


def _document(name: str, *cells: str) -> str:
    """Make a document of CoNLL without words."""
    return "\n".join([f"#begin document ({name}); part 000", *(f"{name}\t{its}" for its in cells), "#end document", ""])


def test_heads_are_no_reason_if_hardly_any_mention_matches() -> None:
    """The first mention of both sides may be the one that matches."""
    key = [[(n, n) for n in range(0, 180, 2)]]
    response = [[(0, 0), *((n, n) for n in range(3, 180, 2))]]
    with pytest.warns(ScorerWarning, match="hardly (?:more mentions match|any mention matches)(?s:.)*began 1 token"):
        found = score(key, response, "lea")
    (notice,) = (its for its in found.notices if its.code == "no-common-mention")
    assert "heads" not in str(notice)


@pytest.mark.parametrize(
    ("lost", "told"),
    [
        ("", ", or nearly so"),  # a mention in a hundred
        ("precision", None),  # three mentions more
        ("singletons", ", or nearly so"),  # the key has many
        ("nothing", ""),
    ],
)
def test_a_key_that_lost_entities_is_told_if_other_fields_are_not_read(
    lost: str, told: str | None, tmp_path: Path
) -> None:
    """As the key that was converted for a prompt, beside the answer of the model."""
    entities = [[[n, n], [n + 100, n + 100]] for n in range(50)]
    more = [[[n, n]] for n in range(200, 240)] if lost == "singletons" else []
    answered = entities if lost in ("nothing", "singletons") else [*entities[:-1], entities[-1][:1]]
    answered = answered + [[[n, n] for n in range(300, 306)]] * (lost == "precision")
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    key.write_text(json.dumps({"doc_key": "a", "clusters": entities + more}) + "\n")
    response.write_text(json.dumps({"doc_key": "a", "clusters": answered, "llama": [[[0, 0], [1, 1]]]}) + "\n")
    found = [its.details["where"] for its in score(key, response, "bcub").notices if its.code == "same-as-key"]
    assert found == [told] * (told is not None)


def test_a_field_that_is_named_for_both_sides_of_one_file_is_told(tmp_path: Path) -> None:
    path, other = tmp_path / "file.jsonl", tmp_path / "other.jsonl"
    fields = {"doc_key": "a", "clusters": [[[0, 0], [2, 2]]], "llama": [[[0, 0], [1, 1]]]}
    fields["predicted_clusters"] = [[[0, 0], [1, 1]]]
    for each in (path, other):
        each.write_text(json.dumps(fields) + "\n")
    for response, columns, told in (
        (path, "clusters=llama", ["all but llama"]),
        (path, "key.clusters=clusters,response.clusters=llama", []),
        (other, "clusters=llama", []),
        (path, "key.clusters=predicted_clusters", ["all but predicted_clusters"]),
        (path, "response.clusters=clusters", ["all but clusters"]),
        (path, "response.clusters=llama", []),
        (path, "response.clusters=predicted_clusters", []),
        (path, "key.clusters=llama,response.clusters=llama", ["all but llama"]),
    ):
        notices = score(path, response, "bcub", columns=columns).notices
        assert [its.details["fields"] for its in notices if its.code == "same-as-key"] == told


def test_a_column_that_is_named_for_both_sides_of_one_table_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("item,entity,kmeans\na,1,1\nb,1,2\nc,2,2\n")
    for columns, told in (
        ("entity=kmeans", ["all but kmeans"]),
        ("response.entity=entity", ["all but entity"]),
        ("response.entity=kmeans", []),
    ):
        notices = score(path, path, "bcub", columns=columns).notices
        assert [its.details["fields"] for its in notices if its.code == "same-as-key"] == told


def test_one_file_as_both_sides_is_told_if_it_has_more_columns(tmp_path: Path) -> None:
    """Such as that of another clustering, which --columns would name; numbers of JSON are none."""
    table, more, plain = (tmp_path / name for name in ("table.csv", "more.jsonl", "plain.jsonl"))
    table.write_text("id,author,cluster\na,1,1\nb,1,1\nc,2,1\n")
    fields = {"doc_key": "a", "clusters": [[[0, 0], [2, 2]]], "part": 0, "seconds": 0.5}
    plain.write_text(json.dumps(fields) + "\n")
    more.write_text(json.dumps({**fields, "kmeans": [[[0, 0]]]}) + "\n")
    for path, told in ((table, "author"), (more, "kmeans"), (plain, "")):
        notices = [notice for notice in score(path, path, "bcub").notices if notice.code == "same-as-key"]
        assert [notice.details["fields"] for notice in notices] == [told] * bool(told)


@pytest.mark.parametrize(
    ("sizes", "answered", "told"),
    [
        ([9, 1], [True, False], {"count": 1, "all": "2 documents", "document": "1", "missed": 2, "every": 20}),
        ([10, 1], [True, False], None),  # less than a tenth
        ([60, 5], [True, False], {"count": 1, "all": "2 documents", "document": "1", "missed": 10, "every": 130}),
        ([60, 4], [True, False], None),  # as few as that can be missed
        ([1, 1, 1], [False, True, False], {"count": 2, "all": "3 documents", "document": "0", "missed": 4, "every": 6}),
        ([1, 0], [True, False], None),  # the key has none, either
        ([1, 1], [False, False], None),  # the whole side has none
    ],
)
def test_documents_without_an_answer_are_told(
    sizes: list[int], answered: list[bool], told: dict[str, object] | None
) -> None:
    key = {str(n): [[(2 * at, 2 * at), (2 * at + 1, 2 * at + 1)] for at in range(size)] for n, size in enumerate(sizes)}
    response = {
        name: entities if answers else [] for (name, entities), answers in zip(key.items(), answered, strict=True)
    }
    notices = score(key, response, "muc").notices
    found = [notice.details for notice in notices if notice.code == "documents-without-mentions"]
    assert found == ([{"side": "response", **told}] if told else [])
    del response["1"]
    codes = {notice.code for notice in score(key, response, "muc").notices}
    assert "documents-without-mentions" not in codes, "missing-document reports it"


def test_documents_of_the_key_without_mentions_are_told() -> None:
    """Their annotation may be missing; a single mention of the response may be an error."""
    entities = [[(at, at), (at + 1, at + 1)] for at in range(0, 20, 2)]
    response = {"a": entities, "b": entities, "c": [[(0, 0)]]}
    notices = score({"a": entities, "b": [], "c": []}, response, "muc").notices
    found = {"side": "key", "count": 2, "all": "3 documents", "document": "b", "missed": 21, "every": 41}
    assert [(notice.path, notice.details) for notice in notices] == [("key", found)]
    long = [[(at, at), (at + 1, at + 1)] for at in range(0, 500, 2)]
    assert not score({"a": long, "b": []}, {"a": long, "b": entities}, "muc").notices, "perhaps it has no coreference"


def test_a_missing_document_is_not_one_without_an_answer() -> None:
    """Each of the two notices counts its own documents."""
    entities = [[(0, 0), (1, 1)]]
    notices = score(dict.fromkeys("abcd", entities), {"a": entities, "b": [], "c": []}, "muc").notices
    assert [notice.code for notice in notices] == ["missing-document", "documents-without-mentions"]
    assert notices[1].details == {
        "side": "response",
        "count": 2,
        "all": "4 documents",
        "document": "b",
        "missed": 4,
        "every": 6,
    }


@pytest.mark.parametrize(
    "options",
    [
        {"mentions": "given"},
        {"window": 3},
        {"window": 99},
        {"of": "size"},
        {"of": "singletons"},
        {"singletons": "drop"},
    ],
    ids=str,
)
def test_whole_documents_are_looked_at_whatever_counts(options: dict[str, Any]) -> None:
    """With given mentions, documents without an answer would be left out of the score in silence."""
    entities = [[(0, 0), (1, 1)], [(4, 4)], [(5, 5), (6, 6)]]
    key = {"a": entities, "b": entities, "c": [*entities, [(7, 8), (9, 9)]]}
    notices = score(key, {**key, "b": [], "c": []}, "muc", **options).notices
    found = [notice.details for notice in notices if notice.code == "documents-without-mentions"]
    assert found == [{"side": "response", "count": 2, "all": "3 documents", "document": "b", "missed": 12, "every": 17}]
    # And so are mentions that are shifted, but for one that matches by chance.
    key = {"a": [[(at, at + 1), (at + 3, at + 3)] for at in range(0, 400, 7)]}
    response = {"a": [[(0, 1)], *([(start + 1, end + 1) for start, end in entity] for entity in key["a"])]}
    codes = {notice.code for notice in score(key, response, "muc", **options).notices}
    assert codes & {"no-common-mention", "no-counted-mention"}


def test_documents_without_mentions_of_one_kind_are_not_told() -> None:
    """A kind of mentions is scored, and the others of the response are not missing."""
    runs = TESTDATA / "systems"
    codes = {
        notice.code for notice in score(runs / "key.conll", runs / "runs" / "ash.conll", "lea", of="singletons").notices
    }
    assert "documents-without-mentions" not in codes


_GOLD = {"doc_key": "d", "sentences": [["Ann", "saw", "her", "."]], "clusters": [[[0, 0], [2, 2]]]}


@pytest.mark.parametrize(
    ("key", "response", "told"),
    [
        ({"maverick": [[[0, 0]]]}, {}, "maverick"),  # KEY and RESPONSE were exchanged
        ({"maverick": [[[0, 0]]]}, {"maverick": [[[0, 0]]]}, ""),
        ({"maverick": []}, {"maverick": [[[0, 0]]]}, "maverick"),
        ({"maverick": [[[1, 1]]]}, {"maverick": [[[0, 0]]]}, "maverick"),
        ({"maverick": []}, {"maverick": [], "chains": []}, "chains"),
        ({"pos_tags": [["N"]], "spans": [[0, 1]], "relations": [[0, 1, 2, 3, "x"]], "speakers": [["a"]]}, {}, ""),
        ({"ner": [[[0, 0]]], "parses": [[["a", "b"]]]}, {}, ""),
        ({"set": "train", "person": "first", "entities": [], "relations": [[0, 1, "w"]]}, {}, ""),
        ({"maverick": [[[0, 0, "Ann"]]]}, {}, "maverick"),
        ({}, {"clusters_strings": [["Ann", "saw", "her"]]}, "clusters_strings"),
        ({}, {"clusters_strings": [["Ann", "her"]]}, ""),  # as many for each entity
        ({}, {"word_clusters": [[0, 2], [1]]}, "word_clusters"),
        ({}, {"meta": {"clusters": [[[0, 0], [1, 1]]]}, "text": "Ann saw her ."}, "meta"),
        ({"clusters_strings": [["Ann", "her"]]}, {"usage": {"tokens": 7}, "metadata": {"model": "x"}}, ""),
    ],
)
def test_a_field_of_json_that_only_one_side_has_so_is_told(
    key: dict[str, object], response: dict[str, object], told: str, tmp_path: Path
) -> None:
    """The answer of the system is beside the entities of the key: all scores were 100 in silence."""
    for name, fields in (("key", key), ("response", response)):
        (tmp_path / name).write_text(json.dumps({**_GOLD, **fields}) + "\n")
    notices = score(tmp_path / "key", tmp_path / "response", "bcub").notices
    assert [its.details["fields"] for its in notices if its.code == "same-as-key"] == [told] * bool(told)


@pytest.mark.parametrize(
    ("header", "told"),
    [("clusters_2", "clusters_2"), ("start", ""), ("text", ""), ("given_name", ""), ("word_clusters", "")],
)
def test_a_column_of_the_key_is_told_if_the_response_is_the_same(header: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text(f"item,entity,{header}\na,1,1\nb,1,2\nc,2,3\n")
    (tmp_path / "response.csv").write_text("item,entity\na,1\nb,1\nc,2\n")
    notices = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["fields"] for its in notices if its.code == "same-as-key"] == [told] * bool(told)


@pytest.mark.parametrize(
    ("attribute", "told"),
    [
        ("Coref=(s1)", "Coref"),
        ("Gloss=x", ""),
        ("coref_chains=unit-id0", "coref_chains"),  # of Stanza
        ("ClusterId=e7", "ClusterId"),
        ("PredEntity=e7", "PredEntity"),
        ("EntityType=person", ""),
        ("NamedEntity=Yes", ""),
        ("Gloss=she(F)", ""),
        ("Translit=(", ""),
        ("Bridge=e1<e2", ""),
        ("Bridge=(e1)", ""),
        ("Sys=(p1-person-1,2-", ""),  # never closed
        ("Note=(x)@1", ""),  # once
        ("Sys=(p1-person-1-coref:x,y)", "Sys"),
        ("Note=" + "(e12)" * 40 + ":", "Note"),  # in linear time
    ],
)
@pytest.mark.parametrize("of_key", [False, True])
def test_an_attribute_of_corefud_that_only_one_side_has_is_told(
    attribute: str, told: str, of_key: bool, tmp_path: Path
) -> None:
    head = "# global.Entity = eid-etype-head-other\n# newdoc id = a\n# sent_id = 1\n"
    text = head + "1\tAnn\t_\t_\t_\t_\t0\troot\t_\tEntity=(e1--1)\n2\ther\t_\t_\t_\t_\t1\tdep\t_\tEntity=(e1--1)\n\n"
    attribute, _, count = attribute.partition("@")
    texts = [text, text.replace("(e1--1)\n", f"(e1--1)|{attribute}\n", int(count or 2))]
    for name, of_side in zip(("key.conllu", "response.conllu"), texts[::-1] if of_key else texts, strict=True):
        (tmp_path / name).write_text(of_side)
    notices = score(tmp_path / "key.conllu", tmp_path / "response.conllu", "bcub").notices
    how = "give this file as RESPONSE, and " * of_key + "rename the attribute to Entity"
    found = [(its.details["fields"], its.details["how"]) for its in notices if its.code == "same-as-key"]
    assert found == [(told, how)] * bool(told)


def test_brackets_in_words_are_no_attributes(tmp_path: Path) -> None:
    """Of the key, where the words of the response are masked."""
    for name, word in (("key", "x=(y)"), ("response", "X")):
        rows = "\n".join(f"a\t0\t{n}\t{word}\t(1)" for n in range(3))
        (tmp_path / name).write_text(f"#begin document (a); part 000\n{rows}\n#end document\n")
    assert not score(tmp_path / "key", tmp_path / "response", "bcub").notices


def test_other_words_of_a_side_are_no_reason_to_refuse_a_field(tmp_path: Path) -> None:
    for name in ("key.csv", "response.csv"):
        (tmp_path / name).write_text("id,group_x,key\n1,a,x\n2,a,y\n")
    columns = "item=key,entity=group_x"
    assert score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub", columns=columns)["bcub"].f1 == 1


def test_a_field_without_a_side_is_refused_for_both_beside_one_of_the_key(tmp_path: Path) -> None:
    """Old and new answers of a system were compared with each other: 88.77 for 58.95."""
    path = tmp_path / "file.jsonl"
    path.write_text(json.dumps({"sentences": [["a", "b"]], "gold_coref": [[[0, 0]]], "coref": [[[1, 1]]]}) + "\n")
    with pytest.raises(UsageError, match=r"name both, such as response[.]clusters=coref,key[.]clusters=gold_coref"):
        score(path, path, "bcub", columns="clusters=coref")
    key = tmp_path / "key.jsonl"
    key.write_text(json.dumps({"sentences": [["a", "b"]], "coref": [[[1, 1]]]}) + "\n")
    assert score(key, path, "bcub", columns="clusters=coref")["bcub"].f1 == 1, "the key has one field only"


def test_documents_without_names_in_another_order_are_told(tmp_path: Path) -> None:
    """They are paired by line; their numbers of tokens are the same."""
    texts: list[dict[str, Any]] = [
        {"sentences": [[f"{name}{n}" for n in range(6)]], "clusters": [[[0, 0], [2, 3]]]} for name in "abc"
    ]
    masked = [{**texts[0], "sentences": [["x"] * 6]}]
    upper = [{**fields, "sentences": [list(map(str.upper, fields["sentences"][0]))]} for fields in texts]
    half = [{**fields, "sentences": [fields["sentences"][0][:3] + ["x"] * 3]} for fields in texts]
    for of_side, told in ((texts[::-1], True), ([*texts[:2], *masked], True), (upper, False), (half, False)):
        for name, of in (("key", texts), ("response", of_side)):
            (tmp_path / name).write_text("".join(json.dumps(fields) + "\n" for fields in of))
        codes = [its.code for its in score(tmp_path / "key", tmp_path / "response", "bcub").notices]
        assert codes == ["unlike-by-line"] * told
    for name, of in (("key", texts[:1]), ("response", masked)):
        (tmp_path / name).write_text("".join(json.dumps(fields) + "\n" for fields in of))
    assert not score(tmp_path / "key", tmp_path / "response", "bcub").notices, "one document has no order"
