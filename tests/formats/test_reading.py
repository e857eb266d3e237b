"""The grammar of `corefscore.formats.conll.reader`, rule by rule where no recorded case decides; reading in blocks."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.core.arrays import NONE, order_by
from corefscore.core.documents import Documents, joined
from corefscore.core.errors import InputError
from corefscore.formats.conll import cells
from corefscore.formats.conll import reader as conll
from corefscore.formats.conll.cells import CLOSE, OPEN, SINGLE
from corefscore.formats.words import whole_numbers
from reading import columns, document, read, read_text
from support import RECORDED, within


def entities(documents: Documents) -> list[list[tuple[int, int]]]:
    """The entities of a batch, each as its mentions."""
    found: list[list[tuple[int, int]]] = [[] for _ in documents.document]
    for entity, start, end in zip(documents.entity, documents.start, documents.end, strict=True):
        found[entity].append((int(start), int(end)))
    return found


@pytest.mark.parametrize(
    ("lines", "tokens", "expected"),
    [
        pytest.param(["# a comment", "w\t(1)"], 1, [[(0, 0)]], id="a hash line without tab or mention is a comment"),
        pytest.param(["#\t(1)", "w\t(1)"], 2, [[(0, 0), (1, 1)]], id="a hash line with a tab is a token"),
        pytest.param(["# (1)", "w\t(1)"], 2, [[(0, 0), (1, 1)]], id="a hash line with a mention last is a token"),
        pytest.param(["# (1) said", "w\t(1)"], 1, [[(0, 0)]], id="a hash line with a mention before is a comment"),
        pytest.param(["#brunch -", "w (1)"], 2, [[(1, 1)]], id="a hash line with a blank cell is a token"),
        pytest.param(["#brunch NN * ", "w NN (1)"], 2, [[(1, 1)]], id="of any kind"),
        pytest.param(["# So I -", "w (1)"], 1, [[(0, 0)]], id="a comment that breaks off is a comment"),
        pytest.param(["# -- news --", "w (1)"], 1, [[(0, 0)]], id="a hash line that ends in hyphens is a comment"),
        pytest.param(["# text = and he (3)", "w\t(1)"], 1, [[(0, 0)]], id="a field with its value is a comment"),
        pytest.param(["# newdoc id: news (3)", "w\t(1)"], 1, [[(0, 0)]], id="whatever is between them"),
        pytest.param(["\ufeff# text=and he (3)", "w\t(1)"], 1, [[(0, 0)]], id="after a byte order mark, too"),
        pytest.param(["#tag: (3)", "w (1)"], 2, [[(0, 0)], [(1, 1)]], id="a tag with a colon is a token"),
        pytest.param(["# text =\tand (3)", "w\t(1)"], 2, [[(0, 0)], [(1, 1)]], id="but not with a tab"),
        pytest.param(["#", "w\t(1)"], 1, [[(0, 0)]], id="a lone hash is a comment"),
        pytest.param([" \t ", "w\t(1)"], 1, [[(0, 0)]], id="a line of white space is no token"),
        pytest.param(["(7) w (1)", "x  (1)  "], 2, [[(0, 0), (1, 1)]], id="without tabs only the last column counts"),
        pytest.param(["w (1)", "x\t-", "(7) y (1)"], 3, [[(0, 0), (2, 2)]], id="tabs are looked for line by line"),
        pytest.param(["w\t(1)\t\t"], 1, [[(0, 0)]], id="empty columns at the end do not count"),
        pytest.param(["w\t(1)\t "], 1, [], id="a blank last column counts"),
        pytest.param(["w  (1) | (2)\t"], 1, [[(0, 0)], [(0, 0)]], id="tabs at the end alone leave one column"),
        pytest.param(["(1) w  \t\t", "x\t-"], 2, [[(0, 0)]], id="blanks part no columns on a line with any tab"),
        pytest.param(["(1)"], 1, [[(0, 0)]], id="one column is enough"),
        pytest.param(["w\t(1(2)3)"], 1, [[(0, 0)], [(0, 0)]], id="what stood beside a cut piece joins"),
        pytest.param(["w\t(1+2)(3)"], 1, [[(0, 0)]], id="a discarded piece is no mention"),
        pytest.param(["w\t(00)|(0)"], 1, [[(0, 0)], [(0, 0)]], id="leading zeros make another entity"),
        pytest.param([f"w\t({'9' * 19}", f"x\t{'9' * 19})"], 2, [[(0, 1)]], id="ids can be longer than any number"),
        pytest.param(["w\t(1|(1", "x\t1)", "y\t1)"], 3, [[(0, 1), (0, 2)]], id="a close takes the latest open"),
        pytest.param(["w\t(2|(1)", "x\t2)"], 2, [[(0, 0)], [(0, 1)]], id="one-token mentions of a cell come first"),
        pytest.param(["#x (1", "#y 1)", "#z 1", "#v\tw"], 3, [[(0, 1)]], id="what begins with # can be a token"),
        pytest.param(["w\t(1) x", "w\tx (2) y"], 2, [[(0, 0)], [(1, 1)]], id="blanks in a cell are no columns"),
        pytest.param(["w\t()", "w\t(", "w\t)", "w\t(a)"], 4, [], id="brackets without digits mean nothing"),
    ],
)
def test_lines_and_cells(lines: list[str], tokens: int, expected: list[list[tuple[int, int]]], tmp_path: Path) -> None:
    documents, _ = read_text(document(*lines), tmp_path)
    assert (documents.tokens.tolist(), entities(documents)) == ([tokens], expected)


@pytest.mark.parametrize("blank", ["", " ", "\t", "\r", "\v", "\f", " \t"])
def test_blanks_may_precede_the_words_of_a_marker(blank: str, tmp_path: Path) -> None:
    """The white space of Perl, in which the official scorer looks for markers (odd-hash-space)."""
    text = "".join(f"#{blank}begin document {name}\nw\t(1)\n#{blank}end document\n" for name in "de")
    documents, notices = read_text(text, tmp_path)
    assert (documents.names, entities(documents), notices) == (["d", "e"], [[(0, 0)], [(0, 0)]], [])


def test_words_are_those_of_the_lines_after_a_marked_comment(tmp_path: Path) -> None:
    """Words are found by another pass over the lines, which has to take the same lines for tokens."""
    path = tmp_path / "marked.conll"
    path.write_text("#begin document d\na (1)\n\n\ufeff# text = he (3)\nb (2)\nc (1)\n#end document\n")
    (entities,) = corefscore.read(path).clusters().values()
    assert [[mention.words for mention in its] for its in entities.values()] == [["a", "c"], ["b"]]


def test_crlf_keeps_an_empty_last_column(tmp_path: Path) -> None:
    """The CR stands in it, so the mention before it is in no last column (facts of the official scorer)."""
    documents, _ = read_text("#begin document d\r\nw\t(1)\t\r\nx\t(2)\r\n#end document\r\n", tmp_path)
    assert (documents.names, entities(documents)) == (["d"], [[(1, 1)]])


def test_blanks_before_crlf_are_no_column(tmp_path: Path) -> None:
    """By our rule for lines without tabs: what is left of the last blanks is the cell."""
    documents, _ = read_text("#begin document d\r\nw (1) \r\nx (2)  \r\ny (3)\n#end document\r\n", tmp_path)
    assert entities(documents) == [[(0, 0)], [(1, 1)], [(2, 2)]]


@pytest.mark.parametrize("cell", ["(3) | (4", "(3) |(4", "(3)| (4", "(3)  |  (4", "1 (3) | (4  "])
def test_blanks_around_the_bars_of_a_cell_do_not_cut_it(cell: str, tmp_path: Path) -> None:
    """The official scorer reads such a line whole, as one cell."""
    documents, notices = read_text(f"#begin document d\nw {cell}\nx 4)\ny | (3)\n#end document\n", tmp_path)
    assert entities(documents) == [[(0, 0), (2, 2)], [(0, 1)]]
    assert [(notice.code, notice.line) for notice in notices] == [("odd-cell", 2)]


def test_one_cr_belongs_to_the_line_end_and_no_more_to_the_name(tmp_path: Path) -> None:
    """Run against the official scorer: it takes off exactly one."""
    documents, _ = read_text("#begin document d\r\r\nw\t(1)\r\n#end document\r\n", tmp_path)
    assert documents.names == ["d\r"]


@pytest.mark.parametrize(
    ("text", "names", "codes"),
    [
        ("\ufeff{}", ["d"], [("byte-order-mark", 1)]),
        ("\ufeff\n{}", ["d"], []),
        ("\ufeff# a comment\n{}", ["d"], []),
        ("{}\ufeff{}", ["d", "e"], [("byte-order-mark", 4)]),
        ("{}\n\ufeff# \tbegin document e\r\nw\t(1)\n\ufeff#end document\n", ["d", "e"], [("byte-order-mark", 5)]),
        ("{}\ufeff\ufeff{}", ["d"], [("outside-document", 4)]),
        ("\ufeffx\t(1)\n{}", ["d"], [("outside-document", 1)]),
    ],
)
def test_a_byte_order_mark_before_a_document_is_ignored_and_said(
    text: str, names: list[str], codes: list[tuple[str, int]], tmp_path: Path
) -> None:
    """The official scorer takes only a line that begins with # for the begin of a document."""
    one, two = document("w\t(1)"), document("w\t(1)").replace("document d", "document e")
    documents, notices = read_text(text.format(one, two), tmp_path)
    assert documents.names == names
    assert [(notice.code, notice.line) for notice in notices] == codes


def test_words_after_a_byte_order_mark_in_the_middle_are_those_of_its_document(tmp_path: Path) -> None:
    """What is scored is what is converted, in layers, too."""
    (tmp_path / "x").write_text(document("v\t(1)") + "\ufeff" + document("w\t(1)").replace("document d", "document e"))
    run = within("convert", tmp_path / "x", "-")
    assert run.stdout.count(b'"w"') == run.stdout.count(b'"v"') == 1
    assert b"w" in within("diff", tmp_path / "x", tmp_path / "x", "e", "--around", "all").stdout


COMMENTED = "#begin document d\n{}w\t(1\n{}x\t1)\n{}#end document\n"


@pytest.mark.parametrize(
    ("key", "response", "counts"),
    [
        (("", "", ""), ("", "# a\n", ""), (0, 1)),
        (("# a\n", "", ""), ("", "# b\n", ""), (1, 1)),
        (("# a\n# b\n", "", ""), ("# a\n", "", ""), (2, 1)),
        (("# a\n", "# b\n", ""), ("# c\n", "#\n", ""), None),
        (("", "", ""), ("", "", ""), None),
    ],
)
def test_comments_that_only_one_side_has_are_said(
    key: tuple[str, ...], response: tuple[str, ...], counts: tuple[int, int] | None, tmp_path: Path
) -> None:
    """The official scorer counts a comment as a token, so its numbers differ."""
    for name, comments in (("key", key), ("response", response)):
        before = "# between documents\n" * (name == "key")
        (tmp_path / name).write_text(before + COMMENTED.format(*comments) + document("w\t(1)").replace("t d", "t e"))
    run = within("muc", tmp_path / "key", tmp_path / "response", "none")
    assert run.status == 0
    said = "" if counts is None else f"(comments here: {counts[1]}; in the key: {counts[0]})"
    assert run.stderr.count(b"other-comments") == (counts is not None)
    assert said.encode() in run.stderr


def test_an_end_marker_anywhere_in_a_line_ends_the_document(tmp_path: Path) -> None:
    documents, notices = read_text(document("w\t(1)", "x # end document\t(1)", "y\t(1)"), tmp_path)
    assert entities(documents) == [[(0, 0)]]
    assert [notice.code for notice in notices] == ["outside-document"]


def test_end_markers_that_an_earlier_block_left_in_the_buffer_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last block is much shorter than the buffer, which still has the first one."""
    monkeypatch.setattr(conll, "BLOCK", 256)
    text = document("w\t(1)", *["x # end document\t-"] * 10) + document("w\t(1)", "x # end document\t-", name="e")
    documents, _ = read_text(text, tmp_path)
    assert (documents.names, entities(documents)) == (["d", "e"], [[(0, 0)], [(0, 0)]])


def test_lines_tell_where_mentions_begin(tmp_path: Path) -> None:
    documents, _ = read_text(document("", "w\t(1", "", "x\t1)", "y\t(1)"), tmp_path)
    assert documents.line.tolist() == [3, 6]


@pytest.mark.parametrize("text", ["#begin document d\nw\t(1)", "#begin document d\nw\t(1)\n"])
def test_the_last_line_may_lack_its_line_end(text: str, tmp_path: Path) -> None:
    documents, _ = read_text(text, tmp_path)
    assert entities(documents) == [[(0, 0)]]


def random_cell(numbers: random.Random) -> bytes:
    parts = ["(1)", "(2", "2)", "|", "(", ")", "1", "23", "(3+4)", "+", "-", "(0)", "x", "(1|(12)|1)", "|"]
    parts += ["007", "(3+", "+4)", "1" * 20]
    return "".join(numbers.choices(parts, k=numbers.randint(1, 8))).encode()


def test_cells_are_parsed_to_the_letter_of_the_rule() -> None:
    """All at once or one by one, 20,000 cells, plain and odd, have the same events in the same order."""
    numbers = random.Random(0)
    texts = [random_cell(numbers) for _ in range(20_000)]
    sizes = np.array([len(text) + 1 for text in texts])
    stops = np.cumsum(sizes) - 1
    flat = np.frombuffer(b"\t".join([*texts, b""]), dtype=np.uint8)
    labels = cells.Labels()
    fast = cells.parse(flat, stops - sizes + 1, stops, labels)
    slow = list(map(searched_again, texts))
    events = [(at, kind, digits.decode()) for at, (its, _) in enumerate(slow) for kind, digits in its]
    names = [str(label) if label >= 0 else labels.odd[-1 - label] for label in fast.label.tolist()]
    assert list(zip(fast.cell.tolist(), fast.kind.tolist(), names, strict=True)) == events
    assert fast.discarded == {at: pieces for at, (_, pieces) in enumerate(slow) if pieces}
    bracketed = [at for at, text in enumerate(texts) if b"(" in text or b")" in text]
    assert fast.odd.tolist() == [at for at in bracketed if not re.fullmatch(cells.PLAIN, texts[at])]
    assert {kind for _, kind, _ in events} == {SINGLE, OPEN, CLOSE}


def searched_again(cell: bytes) -> tuple[list[tuple[int, bytes]], list[bytes]]:
    """Rule 5 to the letter: find a piece, cut it out, start again."""

    events: list[tuple[int, bytes]] = []
    discards: list[bytes] = []
    typed = rb"(\(?)[A-Za-z][^()|-]*-(\d+)(?:-[^()|]*)?(\)?)"
    if re.fullmatch(rb"(?:" + typed + rb"(?=[()]|\Z))+", cell):
        cell = re.sub(typed, rb"\1\2\3", cell)
    while match := re.search(rb"\(\d+\+\d\)", cell):
        discards.append(match[0])
        cell = cell[: match.start()] + cell[match.end() :]
    for kind, form in ((SINGLE, rb"\((\d+)\)"), (OPEN, rb"\((\d+)"), (CLOSE, rb"(\d+)\)")):
        while match := re.search(form, cell):
            events.append((kind, match[1]))
            cell = cell[: match.start()] + cell[match.end() :]
    return events, discards


@pytest.mark.parametrize(
    "case", ["documents-0015", "crlf-0059", "blank-0061", "no-end-0026", "odd-plus", "spaces-0130"]
)
def test_the_size_of_blocks_and_batches_does_not_matter(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(RECORDED / case / "response.conll")
    whole = columns(joined(list(read(path, []))))
    for block, batch in ((16, 1), (61, 300), (1000, 100_000)):
        monkeypatch.setattr(conll, "BLOCK", block)
        monkeypatch.setattr(conll, "BATCH", batch)
        assert columns(joined(list(read(path, [])))) == whole


def test_discarded_marks_stay_with_a_document_that_is_open_when_a_batch_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BLOCK", 64)
    monkeypatch.setattr(conll, "BATCH", 1)
    (tmp_path / "file").write_text(document("w\t-") + document("w\t(1+2)", *["w\t-"] * 40, name="e"))
    found = [(batch.names, dict(batch.discarded)) for batch in read(str(tmp_path / "file"), [])]
    assert found == [(["d"], {}), (["e"], {0: ["(1+2)"]})]


def test_a_full_batch_goes_on_though_a_document_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks end where lines end, hardly ever between documents: memory is bounded all the same."""
    path = tmp_path / "file.conll"
    path.write_text("".join(document("w\t(1", *["x\t-"] * 7, "w\t1)", name=f"d{n}") for n in range(50)))
    monkeypatch.setattr(conll, "BLOCK", 64)
    monkeypatch.setattr(conll, "BATCH", 256)
    batches = list(read(str(path), []))
    assert max(map(len, batches)) <= 6
    assert [name for batch in batches for name in batch.names] == [f"d{n}" for n in range(50)]
    assert entities(joined(batches)) == [[(0, 8)]] * 50


def test_faults_stay_with_their_document(tmp_path: Path) -> None:
    text = document("w\t(1)") + document("w\t(1", name="e") + document("w\t(2)", name="f")
    documents, _ = read_text(text, tmp_path)
    assert list(documents.faults) == [1]
    assert entities(documents) == [[(0, 0)], [(0, 0)]]
    assert documents.document.tolist() == [0, 2]


def test_taking_documents_keeps_what_belongs_to_each(tmp_path: Path) -> None:
    text = document("w\t(1)|(2)", "x\t(1)") + document("w\t(3+1)(3", name="e")
    text += document("w\t-", "x\t(9)", name="f")
    documents, _ = read_text(text, tmp_path)
    taken = documents.take(np.array([2, -1, 0, 1]))
    assert list(taken.names) == ["f", "", "d", "e"]
    assert taken.tokens.tolist() == [2, 0, 2, 1]
    assert taken.document.tolist() == [0, 2, 2]
    assert entities(taken) == [[(1, 1)], [(0, 0), (1, 1)], [(0, 0)]]
    assert (list(taken.faults), dict(taken.discarded)) == ([3], {3: ["(3+1)"]})


def test_a_deeply_nested_cell_is_matched(tmp_path: Path) -> None:
    depth = 100_000
    documents, _ = read_text(document("w\t" + "(1|" * depth, "x\t" + "1)|" * depth), tmp_path)
    assert len(documents.start) == depth


def test_a_hundred_thousand_open_brackets_are_one_fault(tmp_path: Path) -> None:
    documents, _ = read_text(document("w\t" + "(1" * 100_000), tmp_path)
    assert documents.faults[0]().code == "unclosed-mention"
    assert len(str(documents.faults[0]())) < 500


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"w" * 100_000_000 + b"\t(1)", id="a long word"),
        pytest.param(b"w\t" + b"-" * 100_000_000 + b"(1)", id="a long cell"),
        pytest.param(b"w\t(1)" + b"\t" * 100_000_000, id="many empty columns"),
    ],
)
def test_a_line_of_a_hundred_megabytes_is_read(line: bytes, tmp_path: Path) -> None:
    documents, _ = read_text(b"#begin document d\n" + line + b"\n#end document\n", tmp_path)
    assert entities(documents) == [[(0, 0)]]


@pytest.mark.parametrize("size", [1, 63, 64, 65, 127, 128, 129, 1000, 100_000])
def test_cells_and_empty_columns_of_any_length(size: int, tmp_path: Path) -> None:
    lines = ("w\t" + "-" * size + "(1)", "w\t(1)" + "\t" * size, "w" * size + " (1)" + " " * size)
    documents, _ = read_text(document(*lines), tmp_path)
    assert entities(documents) == [[(0, 0), (1, 1), (2, 2)]]


def test_columns_are_sorted_the_same_way_whether_or_not_they_fit_one_number() -> None:
    numbers = np.random.default_rng(4)
    small = [numbers.integers(0, 5, 200) for _ in range(3)]
    large = [column * 10**17 for column in small]
    assert order_by(*large).tolist() == order_by(*small).tolist() == np.lexsort(small[::-1]).tolist()


def test_random_bytes_are_read_or_refused(tmp_path: Path) -> None:
    numbers = random.Random(2)
    refused = 0
    for _ in range(300):
        noise = bytes(numbers.choices(b"()|019\t\n\r #+-\xff\0a", k=numbers.randint(0, 200)))
        try:
            read_text(b"#begin document d\n" * numbers.randint(0, 1) + noise, tmp_path)
        except InputError:
            refused += 1
    assert 0 < refused < 300


def test_no_events_are_no_entities() -> None:
    empty = np.frombuffer(b"\n", dtype=np.uint8)
    assert [len(column) for column in cells.parse(empty, NONE, NONE, cells.Labels())] == [0] * 5


def test_whole_numbers_are_those_of_python() -> None:
    rng = random.Random(4)
    pieces = [bytes(rng.choices(b"0123456789" * 9 + b"/:. -+\xb5\x00\xff", k=rng.randrange(12))) for _ in range(20_000)]
    text = np.frombuffer(b"7".join(pieces), dtype=np.uint8)
    size = np.array([len(piece) for piece in pieces])
    starts = np.cumsum(size + 1) - size - 1
    for most in (4, 6, 9):
        expected = [int(piece) if piece.isdigit() and len(piece) <= most else -1 for piece in pieces]
        assert whole_numbers(text, starts, starts + size, most).tolist() == expected


def test_wide_columns_sort_as_by_lexsort() -> None:
    rng = np.random.default_rng(3)
    for rows in (1, 5, 60):
        for _ in range(60):
            columns = []
            for bits in rng.integers(1, 63, size=rng.integers(1, 6)).tolist():
                pool = rng.integers(-(2**bits), 2**bits, size=4)
                columns.append(np.append(pool, (-(2**63), 2**63 - 1))[rng.integers(0, 6, size=rows)])
            assert order_by(*columns).tolist() == np.lexsort(columns[::-1]).tolist()


def test_columns_of_all_widths_sort_as_by_lexsort() -> None:
    """Those that fit one number, those whose ranks do, and those that do not, with many equal rows."""
    rng = np.random.default_rng(5)
    for _ in range(1000):
        pools = [rng.integers(-(2**bits), 2**bits, size=4) for bits in rng.integers(0, 63, size=rng.integers(1, 6))]
        columns = [rng.choice(pool, size=50) for pool in pools]
        before = [column.copy() for column in columns]
        assert order_by(*columns).tolist() == np.lexsort(columns[::-1]).tolist()
        assert all(map(np.array_equal, columns, before))


def test_columns_that_barely_fit_no_number_of_63_bits_sort_as_by_lexsort() -> None:
    """Their widths multiply to a little under and over 2^63."""
    for bits in (30, 31):
        columns = np.array([2**32, 0, 2**32]), np.array([2**bits, 0, 1])
        assert order_by(*columns).tolist() == [1, 2, 0]


PARTS = {
    "JSON lines": [f'{{"doc_key": "{d}", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}}\n' for d in "de"],
    "CorefUD": [
        f"# newdoc id = {d}\n# global.Entity = eid-head\n# sent_id = {d}\n# text = a b\n1\ta\t_\t_\t_\t_\t0\t_\t_\t"
        "Entity=(e1-1)\n2\tb\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1-1)\n\n"
        for d in "de"
    ],
    "CoNLL": [document("a\t(1)", "b\t(1)").replace("document d", f"document {d}") for d in "de"],
    "tagged text": ["[a](#1) [b](#1)\n", "[a](#2) [b](#2)\n"],
}


@pytest.mark.parametrize("form", PARTS)
def test_a_mark_in_the_middle_changes_no_document(form: str, tmp_path: Path) -> None:
    """As in `cat a b`, where both files begin with a byte order mark."""
    one, two = PARTS[form]
    key = one + two
    if form == "tagged text":
        key = (
            '{"doc_key": "1", "sentences": [["a", "b", "a", "b"]], "clusters": [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]}\n'
        )
    (tmp_path / "key").write_text(key)
    (tmp_path / "response").write_text(f"\ufeff{one}\ufeff{two}")
    run = within("lea", tmp_path / "key", tmp_path / "response", "none", "--format", "csv")
    assert run.status == 0, run
    assert b",lea,100" in run.stdout.replace(b"lea,lea", b"lea"), run.stdout
    assert b"outside" not in run.stderr + within("validate", tmp_path / "response").stdout


SENTENCE = "d\t0\t0\tAnn\t-\t(1)\nd\t0\t1\tsaw\t-\t-\nd\t0\t2\tBo\t-\t(1)\n"
"""A document of six columns, the last of which has coreference."""


@pytest.mark.parametrize("separator", ["\t", " ", "    "])
@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("saw\t-\t-", "saw\t-\t-\n# comment\nd\t0\t9\tx\t-\t(3)\t-", 5),
        ("Bo\t-\t(1)", "Bo\t(2)\t-\nd\t0\t3\tx\t-\t(1)\t-", 5),
        ("Bo\t-\t(1)", "Bo\t-\t(1)\n\nd\t0\t0\tx\t-\t(1)\t-", None),
        ("Bo\t-\t(1)", "Bo\t(x)\t-\t-", None),
        ("Ann\t-\t(1)", "Ann\t-\t(1)\t-", 3),
        ("Bo\t-\t(1)", "Bo\t-\t(1)\t-", 4),
        ("Bo\t-\t(1)", "Bo\t-\t(0)|(12)\t-", 4),
        ("saw\t-\t-", "saw\t(ARG1*)\t-", None),
        ("saw\t-\t-", "saw\t(2)\t-", None),
        ("saw\t-\t-", "saw\t-\t(2)\t(3)", 3),
        ("saw\t-\t-", "saw\t-\t(2),\t(3)", 3),
        ("saw\t-\t-", "saw\t2)\t(3)", None),
        ("saw\t-\t-", "saw\t-\t(ARG1*)\t(3)", None),
        ("saw\t-\t-", "saw\t(x)\t-\t-", None),
    ],
)
def test_a_mention_before_the_last_column_is_told(
    old: str, new: str, line: int | None, separator: str, tmp_path: Path
) -> None:
    """The line has a column more than its sentence, so its mention is not read; other columns may look alike."""
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(document(SENTENCE.replace("\t", separator)))
    response.write_text(document(SENTENCE.replace(old, new).replace("\t", separator)))
    scored = within("lea", key, response, "none")
    told = [text for text in scored.stderr.decode().splitlines() if "[column-count]" in text]
    assert [text.partition(": notice")[0] for text in told] == ([f"{response}:{line}"] if line else [])
    assert not line or told[0] in within("validate", response).stdout.decode().splitlines()


def test_a_column_that_is_empty_without_a_mention_is_told(tmp_path: Path) -> None:
    """Where the system has no mention, the last column is that of the key before it."""
    response = tmp_path / "response.conll"
    for key, own in (
        ("(1) - (2) (1) (2)", ["", "", "(2)", "(1)", ""]),
        ("(1) - (2) (1) (2)", ["(1)", "", "", "(1)", ""]),
        ("- - (2) - (2)", ["(1)", "-", "", "(1)", ""]),
    ):
        cells = enumerate(zip(key.split(), own, strict=True))
        response.write_text(document("".join(f"d\t0\t{n}\tw\t{cell}\t{its}\n" for n, (cell, its) in cells)))
        for text in (response.read_text(), response.read_text().replace("\t", "   ")):
            response.write_text(text)
            assert b": notice[column-count]" in within("lea", response, response, "none").stderr
            assert b": notice[column-count]" in within("validate", response).stdout
    tabbed = SENTENCE.replace("\n", "\t\n")
    blanks, no_cell = SENTENCE.replace("\t", " ").replace("(1)", "(1)   "), SENTENCE.replace("-\t-", "VB\t")
    for text in (tabbed, f"{SENTENCE}\n{tabbed}", blanks, no_cell):
        response.write_text(document(text))  # every line of a sentence ends with a tab, or in blanks
        assert b"column-count" not in within("lea", response, response, "none").stderr
        assert b"column-count" not in within("validate", response).stdout
    # Many lines have mentions in both columns.
    lost = "d\t0\t0\tBo\t-\t-\nd\t0\t1\tsaw\t-\t(2)\t-\n"
    response.write_text(document(SENTENCE.replace("Ann\t-", "Ann\t(1)") * 18 + "\n" + lost))
    assert b":58: notice[column-count]" in within("lea", response, response, "none").stderr


@pytest.mark.parametrize(
    ("marker", "kind"),
    [
        ("#end documnt", "end"),
        ("#end_document", "end"),
        ("#/end-document", "end"),
        ("#begin document(nw/y); part 000", "begin"),
        ("#begin  document (nw/y); part 000", "begin"),
        ("# End document", "end"),
        ("# new document", ""),
        ("# document = x", ""),
        ("# sent document 4", ""),
        ("# endocrine", ""),
    ],
)
def test_a_misspelt_marker_is_told_by_scores(marker: str, kind: str, tmp_path: Path) -> None:
    """The documents around it are read as one, on both sides; most comments are not like a marker."""
    path = tmp_path / "key.conll"
    path.write_text(f"#begin document (nw/x); part 000\nw\t(1)\n{marker}\nw\t(1)\n#end document\n")
    done = within("lea", path, path, "none")
    assert done.stderr.count(b"[odd-marker]") == 2 * bool(kind)
    assert not kind or f'{marker}" is perhaps meant as the line that {kind}s a document'.encode() in done.stderr


def test_a_mention_before_the_last_column_is_told_once_and_for_any_line_end(tmp_path: Path) -> None:
    """Of lines outside documents no mention is read anyway."""
    path = tmp_path / "key.conll"
    lost = SENTENCE.replace("Bo\t-\t(1)", "Bo\t-\t(1)\t-")
    for ends in ("\n", "\r\n"):
        path.write_bytes(document(f"{lost}\n{lost}").replace("\n", ends).encode())
        assert within("lea", path, path, "none").stderr.count(b"[column-count]") == 2, "once for each side"
    path.write_text(document(SENTENCE) + lost)
    assert b"[column-count]" not in within("lea", path, path, "none").stderr


def test_a_misspelt_marker_is_told_at_its_line_in_any_block(tmp_path: Path) -> None:
    """The first block is a mebibyte."""
    path = tmp_path / "key.conll"
    lines = 90_000
    path.write_text(
        "#begin document (a); part 000\n" + "word\t\t\t-\t(1)\n" * lines + "#end_document\nw\t-\n#end document\n"
    )
    assert path.stat().st_size > 1 << 20
    told = [line for line in within("lea", path, path, "none").stderr.decode().splitlines() if "[odd-marker]" in line]
    assert [line.partition(": notice")[0] for line in told] == 2 * [f"{path}:{lines + 2}"]


@pytest.mark.parametrize(
    ("name", "rows", "told"),
    [
        ("(a); part 000", "a 0,a 0,,a 1,,a 1", "(a); part 001"),
        ("(a); part 000", "a 0,,a 1,,a 0,,a 0", None),  # the last line is that of the document
        ("(a); part 3", "a 3,,a 4,,a 4", "(a); part 4"),
        ("(a/b); part 012", "a/b 12,,c 0,,c 0", "(c); part 000"),
        ("(a); part 000", "a 0,,a 0", None),
        ("(a); part 000", "a 0", None),
        ("(a); part 000", "b 0,,b 1,,b 1", None),  # the columns do not name the document
        ("(a); part 000", "a 0,a 1,,a 0,a 1", None),  # numbers of tokens
        ("(a); part 000", "a 0,a 0,,a 1,a 1", None),  # numbers of sentences
        ("(a); part 000", "a 0,,\u00a0,,\u00a0", None),
        ("a", "a 0,,b 0,,b 0", None),  # may be words
        ("a", "1 0,,2 0,,2 0", None),
    ],
)
def test_a_document_that_ends_as_another_is_told(name: str, rows: str, told: str | None, tmp_path: Path) -> None:
    lines = "".join(f"{row} w -\n" if row.strip() else f"{row}\n" for row in rows.split(","))
    path = tmp_path / "file.conll"
    path.write_text(f"#begin document {name}\n{lines}#end document\n", encoding="utf-8")
    said = [(its.line, its.details["other"]) for its in corefscore.read(path).notices if its.code == "other-document"]
    assert said == ([(1 + lines.count("\n"), told)] if told else [])
    assert (b"notice[other-document]" in within("validate", path).stdout) is bool(told)


def _documents(rows: Sequence[tuple[str, str]]) -> str:
    """Return documents of two sentences, given their names and their first two columns."""
    sentence = "{1} w (0)\n\n"
    return "".join((f"#begin document ({{0}}); part 000\n{2 * sentence}#end document\n").format(*row) for row in rows)


@pytest.mark.parametrize(
    ("columns", "told"), [("b 0, a 0", [4]), ("a 0, b 0", []), ("a 7, b 7", []), ("c 0, d 0", []), ("b 1, a 1", [])]
)
def test_exchanged_headers_are_told(columns: str, told: list[int], tmp_path: Path) -> None:
    """The lines have the name of another document of the file; other numbers of parts say nothing."""
    path = tmp_path / "file.conll"
    path.write_text(_documents([*zip("ab", columns.split(", "), strict=True)]))
    assert [its.line for its in corefscore.read(path).notices if its.code == "other-document"] == told


def test_other_parts_of_one_document_are_not_exchanged(tmp_path: Path) -> None:
    """All lines have part 0, as many files have them."""
    path = tmp_path / "file.conll"
    path.write_text(_documents([("a", "a 0"), ("b", "a 0")]).replace("(b); part 000", "(a); part 001"))
    assert "other-document" not in {its.code for its in corefscore.read(path).notices}


def test_only_the_first_document_that_ends_as_another_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text(_documents([("a", "b 0"), ("b", "a 0"), ("c", "b 0")]))
    assert [its.line for its in corefscore.read(path).notices if its.code == "other-document"] == [4]


@pytest.mark.parametrize(("number", "reported"), [(256, True), (257, False)])
def test_documents_that_are_too_short_to_be_several_are_not_looked_at(
    number: int, reported: bool, tmp_path: Path
) -> None:
    """It would take time in each of many."""
    path = tmp_path / "file.conll"
    path.write_text(_documents([(str(d), f"{number - 1 - d} 0") for d in range(number)]))
    assert reported == ("other-document" in {its.code for its in corefscore.read(path).notices})
