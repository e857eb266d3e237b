"""`corefscore convert`: what comes out, that nothing is lost on the way, and what is told to be lost.

The whole notice for each kind of loss is in ``testdata/bad/convert-*``.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile

import pytest
import twins
from corefscore.checking.convert import convert
from corefscore.core.documents import Documents, joined
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats import Reading
from corefscore.formats.base import Request
from corefscore.formats.conll.annotations import read as layers
from corefscore.formats.written import CLOSE, OPEN, SINGLE, crossing, marks
from reading import read
from support import CORPORA, EXCERPTS, RECORDED, TESTDATA, call, forked, together, within

DEMO = TESTDATA / "demo"

FILES = [RECORDED / case.name / side for case in sorted(RECORDED.iterdir()) for side in ("key.conll", "response.conll")]


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


def documents_of(path: Path) -> Documents:
    return joined(list(read(str(path), [])))


def partitions(documents: Documents) -> list[tuple[str, int, list[list[tuple[int, int]]]]]:
    """Name, number of tokens and entities of each document; their ids left out."""
    entities: list[list[tuple[int, int]]] = [[] for _ in documents.document]
    columns = (documents.entity.tolist(), documents.start.tolist(), documents.end.tolist())
    for entity, start, end in zip(*columns, strict=True):
        entities[entity].append((start, end))
    found: list[list[list[tuple[int, int]]]] = [[] for _ in documents.names]
    for document, entity in zip(documents.document.tolist(), entities, strict=True):
        found[document].append(sorted(entity))
    return [
        (name, int(tokens), sorted(its))
        for name, tokens, its in zip(documents.names, documents.tokens, found, strict=True)
    ]


def there_and_back(path: Path, folder: Path) -> tuple[Path, Path, list[Finding]]:
    """A file as JSON lines and as CoNLL again, and what was noticed on the way back."""
    as_json, as_conll = folder / "there.jsonl", folder / "back.conll"
    notices: list[Finding] = []
    for source, target, told in ((path, as_json, []), (as_json, as_conll, notices)):
        with target.open("w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.writelines(convert(str(source), told))
    return as_json, as_conll, notices


@pytest.mark.outside
@together("path", FILES, named)
def test_recorded_files_come_back_with_the_same_partitions_and_words(path: Path, tmp_path: Path) -> None:
    try:
        documents = documents_of(path)
    except InputError:
        return
    if documents.faults:
        return
    as_json, as_conll, notices = there_and_back(path, tmp_path)
    expected, its_words = partitions(documents), words(path)
    assert partitions(documents_of(as_json)) == expected
    assert partitions(documents_of(as_conll)) == expected
    assert words(as_conll) == its_words
    assert [sum(map(len, its)) for its in its_words] == documents.tokens.tolist()
    assert notices == []


CORPUS_FILES = [path for corpora in (EXCERPTS, CORPORA) for path in sorted(corpora.glob("*/*.conll"))]


def beginning(path: Path, size: int) -> bytes:
    """The documents that end within the first bytes of a file, the first one at least."""
    text, end = path.read_bytes(), b"\n#end document"
    at = max(text.rfind(end, 0, size), text.find(end)) + len(end)
    return text[:at] + b"\n"


@pytest.mark.parametrize("size", [150_000, pytest.param(2**30, marks=pytest.mark.slow, id="whole")])
@pytest.mark.parametrize("corpus_file", CORPUS_FILES, ids=named)
def test_real_corpora_come_back_with_the_same_partitions(corpus_file: Path, size: int, tmp_path: Path) -> None:
    """Repeated spans (koconovel), CRLF, ids of 17 digits, columns by blanks, and an empty last column."""
    path = tmp_path / "corpus.conll"
    path.write_bytes(beginning(corpus_file, size))
    _, as_conll, _ = there_and_back(path, tmp_path)
    assert partitions(documents_of(as_conll)) == partitions(documents_of(path))


def words(path: Path) -> list[list[list[str]]]:
    return [[list(its) for its in found.words] for found in layers(Source(str(path)), Request())]


def test_random_lines_have_as_many_words_as_tokens(tmp_path: Path) -> None:
    numbers = random.Random(0)
    pieces = [
        b"#begin document d%d\n",
        b"# end document",
        b"#",
        b" ",
        b"\t",
        b"w",
        b"(1)",
        b"\n",
        b"\n",
        b"\r\n",
        b"\0",
    ]
    path = tmp_path / "file.conll"
    read_ones = 0
    for number in range(400):
        noise = [piece % at if b"%" in piece else piece for at, piece in enumerate(numbers.choices(pieces, k=30))]
        path.write_bytes(
            numbers.choice((b"", b"\xef\xbb\xbf")) + b"#begin document d\n" * (number % 2) + b"".join(noise)
        )
        try:
            documents = joined(list(read(str(path), [], Reading(input_format="conll"))))
        except InputError:
            continue
        read_ones += 1
        assert [sum(map(len, its)) for its in words(path)] == documents.tokens.tolist(), path.read_bytes()
    assert read_ones > 50


def test_documents_that_the_key_lacks_are_told(tmp_path: Path) -> None:
    """They were left out in silence; so were all documents of another name."""
    key, answers, out = tmp_path / "key.conll", tmp_path / "answers.jsonl", tmp_path / "out.conll"
    key.write_text("#begin document (a); part 000\na\t0\t0\tAnn\t(1)\n#end document\n")
    answers.write_text("".join(json.dumps({"doc_key": name, "answer": "[Ann](#1)"}) + "\n" for name in ("a_0", "c")))
    done = within("convert", answers, out, "--key", key)
    assert (done.status, done.stderr.count(b"document]")) == (0, 1)
    assert b'answers.jsonl:2: notice[extra-document] the key has no document "c"\n' in done.stderr
    assert within("convert", answers, out, "--key", key, "--strict").status == 1


def test_the_demo_key_as_json_lines() -> None:
    """Read off testdata/demo/key.conll by eye; entity 5 appears after 3, which is longer."""
    done = within("convert", DEMO / "key.conll", "-", "--quiet")
    (line,) = done.stdout.splitlines()
    assert (done.status, done.stderr) == (0, b"")
    assert json.loads(line) == {
        "doc_key": "(demo/cats); part 000",
        "sentences": [
            ["The", "cat", "saw", "Ann", "and", "Bo", "."],
            ["She", "fed", "it", "."],
            ["It", "liked", "her", "."],
        ],
        "clusters": [[[0, 1], [9, 9], [11, 11]], [[3, 3], [7, 7], [13, 13]], [[3, 5]], [[5, 5]]],
    }


def test_json_lines_as_conll(tmp_path: Path) -> None:
    """Nested, crossing and repeated mentions and two of one span: brackets stand in the order in which they nest."""
    path = tmp_path / "file.jsonl"
    clusters = [[[0, 2], [1, 2]], [[1, 3], [1, 3]], [[2, 2]], [[2, 2], [2, 2]]]
    path.write_text(
        json.dumps({"doc_key": "(bn/x); part 002", "sentences": [["a", "b"], ["c d", "e"]], "clusters": clusters})
    )
    assert within("convert", path, "-").stdout.decode().splitlines() == [
        "#begin document (bn/x); part 002",
        "bn/x\t002\t0\ta\t(0",
        "bn/x\t002\t1\tb\t(1|(1|(0",
        "",
        "bn/x\t002\t0\tc d\t(2)|(3)|(3)|0)|0)",
        "bn/x\t002\t1\te\t1)|1)",
        "#end document",
    ]


def test_ids_that_run_from_0_are_kept(tmp_path: Path) -> None:
    text = "#begin document d\nd\t0\t0\tw\t(1)\nd\t0\t1\tx\t(0)\nd\t0\t2\ty\t(1)\n#end document\n"
    (tmp_path / "file.conll").write_text(text)
    _, as_conll, _ = there_and_back(tmp_path / "file.conll", tmp_path)
    assert as_conll.read_text() == text
    assert within("convert", tmp_path / "file.conll", "-").stderr == b""


def test_the_order_of_entities_that_share_a_mention_is_kept_or_told(tmp_path: Path) -> None:
    """It decides which copy counts: where nothing is told, all scores are the same."""
    numbers = random.Random(0)
    documents, told, dropped = 120, 0, 0
    for _ in range(documents):
        texts = {side: random_document(numbers, shared=0.5 if side == "key" else 0.1) for side in ("key", "response")}
        files = {side: tmp_path / f"{side}.conll" for side in texts}
        notices: list[Finding] = []
        for side, text in texts.items():
            files[side].write_text(text)
            (tmp_path / f"{side}.jsonl").write_text("".join(convert(str(files[side]), notices)))
        codes = {notice.code for notice in notices}
        assert codes <= {"dropped-ids", "changed-order"}
        dropped += codes == {"dropped-ids"}
        told += "changed-order" in codes
        if "changed-order" not in codes:
            before, after = (
                twins.score_files(tmp_path / f"key.{form}", tmp_path / f"response.{form}") for form in FORMS
            )
            for name in ("muc", "blanc", "lea", "ceafe"):
                assert before.counts[name] == pytest.approx(after.counts[name], abs=1e-12), texts
    assert told > 10
    assert dropped > 2


FORMS = ("conll", "jsonl")


def random_document(numbers: random.Random, shared: float) -> str:
    """Five tokens with mentions of one token, some of which are in two entities, whose ids run from 0; in a key
    two longer ones begin at the first token."""
    cells = []
    for token in range(5):
        ids = numbers.sample(range(3), 1 + (numbers.random() < shared))
        pieces = [f"({name})" for name in ids]
        if token == 0 and shared > 0.2:
            pieces = [f"({name}" for name in numbers.sample(range(3), 2)]
        cells.append(pieces)
    opened = [piece.removeprefix("(") for piece in cells[0] if not piece.endswith(")")]
    for name, token in zip(opened, numbers.sample((2, 3), len(opened)), strict=True):
        cells[token].append(f"{name})")
    lines = ["|".join(its) for its in cells]
    digits = sorted({digit for line in lines for digit in line if digit.isdigit()})
    names = {digit: str(at) for at, digit in enumerate(digits)}
    lines = ["".join(names.get(letter, letter) for letter in line) for line in lines]
    return "#begin document d\n" + "".join(f"w\t{line}\n" for line in lines) + "#end document\n"


@pytest.mark.parametrize("to", ["jsonlines", "conll"])
def test_a_score_is_the_same_after_converting_both_sides(to: str, tmp_path: Path) -> None:
    """MUC was 100% before and 0% from JSON lines, without a notice; the official scorer prints 100%."""
    for side, lines in (("key", ("(1)|(0)", "(0)")), ("response", ("(0)", "(0)"))):
        text = "#begin document d\n" + "".join(f"w\t{line}\n" for line in lines) + "#end document\n"
        (tmp_path / f"{side}.conll").write_text(text)
        within("convert", tmp_path / f"{side}.conll", tmp_path / side, "--format", to)
    before = within("every", tmp_path / "key.conll", tmp_path / "response.conll", "none", "--quiet").body
    assert within("every", tmp_path / "key", tmp_path / "response", "none", "--quiet").body == before
    assert b"F1: 100%" in before.partition(b"METRIC bcub")[0].partition(b"Coreference")[2]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("to", ["conll", "jsonlines"])
def test_spans_come_back_from_corefud(seed: int, to: str, tmp_path: Path) -> None:
    """Any spans of one sentence each: nested, of one token, in several entities, side by side in one entity."""
    numbers = random.Random(seed)
    sentences = [[f"w{at}{number}" for number in range(numbers.randint(1, 8))] for at in range(4)]
    firsts = [sum(map(len, sentences[:at])) for at in range(4)]
    entities: list[list[tuple[int, int]]] = []
    for _ in range(4):
        spans: set[tuple[int, int]] = set()
        for _ in range(5):
            at = numbers.randrange(4)
            start, end = sorted(firsts[at] + numbers.randrange(len(sentences[at])) for _ in range(2))
            if not crossing([*spans, (start, end)]):
                spans.add((start, end))
        entities.append(sorted(spans))
    path, there, back = (tmp_path / name for name in ("a.jsonl", "there.conllu", "back"))
    path.write_text(json.dumps({"doc_key": "d", "sentences": sentences, "clusters": entities}) + "\n")
    assert within("convert", path, there, "--format", "corefud", "--quiet").status == 0
    assert within("convert", there, back, "--format", to, "--quiet").status == 0
    assert partitions(documents_of(back)) == partitions(documents_of(path))
    if to == "jsonlines":
        assert json.loads(back.read_text())["sentences"] == sentences


def test_what_spans_cannot_hold_of_corefud(tmp_path: Path) -> None:
    """A gap is filled, a zero goes, and a mention with an empty node keeps its tokens."""
    text = "# newdoc id = d\n# global.Entity = eid-head\n"
    cells = {
        "1": "(e1-1-(e2[1/2]-1-)",
        "1.1": "(e3-1-)",
        "2": "e1)",
        "2.1": "_",
        "3": "(e2[2/2]-1-)(e3-1-",
        "3.1": "e3)",
    }
    text += "".join(f"{number}\tw" + "\t_" * 7 + f"\tEntity={cell}\n" for number, cell in cells.items()) + "\n"
    path = tmp_path / "a.conllu"
    path.write_text(text)
    done = within("convert", path, "-", "--format", "jsonlines", "--quiet")
    assert json.loads(done.stdout)["clusters"] == [[[0, 1]], [[0, 2]], [[2, 2]]]


def test_words_of_any_bytes_come_back(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 travel as escapes, which leaves the JSON itself UTF-8."""
    text = b'#begin document caf\xe9\nx\t0\t0\t\xff"\\\t(0)\nx\t0\t1\t\xc3\xa9\xe2\x80\xa8\t-\n#end document\n'
    (tmp_path / "file.conll").write_bytes(text)
    as_json, as_conll, notices = there_and_back(tmp_path / "file.conll", tmp_path)
    assert '"caf\\udce9"' in as_json.read_text(encoding="utf-8")
    assert as_conll.read_bytes() == text.replace(b"x\t", b"caf\xe9\t")
    assert notices == []


def random_spans(numbers: random.Random) -> Iterator[list[int]]:
    for _ in range(numbers.randint(1, 4)):
        yield sorted(numbers.choices(range(6), k=2))


def test_what_cannot_be_told_apart_in_conll_is_named_and_nothing_else(tmp_path: Path) -> None:
    """A notice of crossing mentions comes exactly where reading the CoNLL gives other spans."""
    numbers = random.Random(0)
    told = 0
    for _ in range(300):
        clusters = [list(random_spans(numbers)) for _ in range(2)]
        path = tmp_path / "file.jsonl"
        path.write_text(json.dumps({"doc_key": "d", "sentences": [["w"] * 6], "clusters": clusters}) + "\n")
        notices: list[Finding] = []
        (tmp_path / "file.conll").write_text("".join(convert(str(path), notices)))
        same = partitions(documents_of(tmp_path / "file.conll")) == partitions(documents_of(path))
        assert same == (not notices), clusters
        told += bool(notices)
    assert 50 < told < 250


def test_numbers_do_not_hang_on_the_order_of_clusters(tmp_path: Path) -> None:
    """Entities and mentions come in one order from either format, so even lists of entities are the same."""
    numbers = random.Random(0)
    source = RECORDED / "documents-0015" / "key.conll"
    shuffled = tmp_path / "shuffled.jsonl"
    lines = []
    for line in "".join(convert(str(source), [])).splitlines():
        fields = json.loads(line)
        numbers.shuffle(fields["clusters"])
        for cluster in fields["clusters"]:
            numbers.shuffle(cluster)
        lines.append(json.dumps(fields) + "\n")
    shuffled.write_text("".join(lines))
    expected, found = documents_of(source), documents_of(shuffled)
    for column in ("document", "entity", "start", "end"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist()


@pytest.mark.parametrize(("to", "begin"), [(None, b"#begin"), ("conll", b"#begin"), ("jsonlines", b'{"doc_key"')])
def test_the_format_is_the_other_one_or_that_asked_for(to: str | None, begin: bytes) -> None:
    text = b'{"doc_key": "d", "entities": [], "sentences": []}\n'
    asked = ["--format", to] if to else []
    done = within("convert", "-", "-", "--columns", "clusters=entities", *asked, stdin=text)
    assert (done.status, done.stdout.startswith(begin), done.stderr) == (0, True, b"")


def test_conll_can_be_written_as_conll() -> None:
    done = within("convert", DEMO / "key.conll", "-", "--format", "conll", "--quiet")
    assert done.stdout.splitlines()[4] == b"demo/cats\t000\t3\tAnn\t(5)|(3"


@pytest.mark.parametrize(
    ("out", "begins"),
    [("a.conll", b"#begin document"), ("a.conllu", b"# newdoc"), ("a.jsonl", b"{"), ("a", b"#begin document")],
)
def test_the_ending_of_the_output_decides_its_format(out: str, begins: bytes, tmp_path: Path) -> None:
    source = TESTDATA / "corefud" / "scoring" / "zero-collision-101" / "key.conllu"
    done = within("convert", source, tmp_path / out)
    assert done.status == 0
    assert (tmp_path / out).read_bytes().startswith(begins)
    again = within("convert", source, tmp_path / out, "--format", "jsonlines")
    assert again.status == 0
    assert (tmp_path / out).read_bytes().startswith(b"{")


@pytest.mark.parametrize("out", ["a.zip", "a.conll.zst", "a.TAR.gz", "a.conll.Z"])
@pytest.mark.parametrize("command", ["convert KEY OUT --format conll", "muc KEY KEY --output OUT"])
def test_no_archive_is_written(command: str, out: str, tmp_path: Path) -> None:
    """It would be plain text, or a compressed file, under the name of an archive."""
    paths = {"KEY": DEMO / "key.conll", "OUT": tmp_path / out}
    done = within(*(paths.get(word, word) for word in command.split()))
    assert (done.status, b"no archives are written" in done.stderr, [*tmp_path.iterdir()]) == (2, True, [])


@pytest.mark.parametrize(
    ("documents", "joined"), [({"a": 2, "b": 1}, True), ({"a": 1, "b": 1}, True), ({"a": 3}, False)]
)
@pytest.mark.parametrize("way", [[], ["--format", "corefud"], ["--key", "folder"]], ids=" ".join)
def test_files_that_become_one_give_a_notice(
    way: list[str], documents: dict[str, int], joined: bool, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "folder").mkdir()
    for name, count in documents.items():
        each = (f"#begin document {name}{at}\nw\t(0)\n#end document\n" for at in range(count))
        (tmp_path / "folder" / name).write_text("".join(each))
    given = [str(tmp_path / word) if word == "folder" else word for word in way]
    done = call(capfdbinary, "convert", tmp_path / "folder", tmp_path / "out", *given)
    files = f"{len(documents)} files become one file".encode()
    assert done.status == 0
    assert (b"notice[joined-files] " + files in done.stderr) == joined
    assert (b"joined-files" in done.stderr) == joined


@pytest.mark.parametrize(
    ("source", "target"),
    [
        pytest.param("file.conll", "file.conll", id="the same name"),
        pytest.param("file.conll", "./file.conll", id="another name of the same place"),
        pytest.param("file.conll", "link.conll", id="a link to it"),
        pytest.param("link.conll", "file.conll", id="through a link"),
        pytest.param("file.conll", "hard.conll", id="a hard link"),
        pytest.param(".", "file.conll", id="a file of the folder"),
        pytest.param("link", "file.conll", id="a file of a linked folder"),
        pytest.param("-", "file.conll", id="standard input"),
    ],
)
def test_what_is_read_is_not_overwritten(source: str, target: str, tmp_path: Path) -> None:
    text = (DEMO / "key.conll").read_bytes()
    file = tmp_path / "file.conll"
    file.write_bytes(text)
    (tmp_path / "link.conll").symlink_to(file)
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "hard.conll").hardlink_to(file)
    words = "convert", f"{source}/f*" if source in (".", "link") else source, target
    with file.open("rb") as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        streams = [its.fileno() for its in (stdin, stdout, stderr)]
        status, _ = forked(*words, cwd=tmp_path, streams=streams)
        stderr.seek(0)
        assert (status, stdout.seek(0, 2), file.read_bytes()) == (2, 0, text)
        assert f"OUT {target} would overwrite ".encode() in stderr.read()


@pytest.mark.parametrize("refused", ["convert-name-with-line-end", "convert-same-name-twice"])
def test_a_file_is_written_whole_or_not_at_all(refused: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("as it was")
    assert within("convert", TESTDATA / "bad" / refused / "response.jsonl", out).status == 1
    assert (out.read_text(), list(tmp_path.iterdir())) == ("as it was", [out])


def test_a_notice_made_an_error_writes_nothing(tmp_path: Path) -> None:
    assert within("convert", DEMO / "key.conll", tmp_path / "out", "--strict").status == 1
    assert list(tmp_path.iterdir()) == []


def test_where_it_cannot_be_written_is_wrong_usage(tmp_path: Path) -> None:
    done = within("convert", DEMO / "key.conll", tmp_path / "absent" / "out", "--quiet")
    assert (done.status, done.stderr.endswith(b"No such file or directory\n")) == (2, True)


def test_the_command_is_listed_with_the_others(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert b"\n  convert  " in call(capfdbinary, "--help").stdout
    assert b"corefscore convert [OPTIONS] IN OUT" in call(capfdbinary, "convert", "--help").stdout


def test_marks_of_a_token_come_in_the_order_in_which_mentions_nest() -> None:
    entities = {"a": [(0, 2)], "b": [(1, 2), (1, 1)], "c": [(0, 1)]}
    found = marks(entities, {CLOSE: "{})".format, OPEN: "({}".format, SINGLE: "({})".format})
    assert found == {0: ["(a", "(c"], 1: ["c)", "(b", "(b)"], 2: ["b)", "a)"]}


def test_a_mention_that_begins_where_another_ends_crosses_it_unless_close_brackets_come_first() -> None:
    spans = [(3, 5), (1, 3)]
    assert crossing(spans) == ((1, 3), (3, 5))
    assert crossing(spans, closed_first=True) is None


@pytest.mark.parametrize("to", ["crac-2026", "tagged"])
def test_the_dependencies_of_zeros_are_a_loss(to: str, tmp_path: Path) -> None:
    """Only CorefUD has them; zeros that were written without them lose nothing more. It is said once a file."""
    text = (TESTDATA / "bad" / "corefud-stretched-mention" / "key.conllu").read_text()
    (tmp_path / "key.conllu").write_text(text + text.replace("# newdoc id = ", "# newdoc id = other-"))
    sides = [tmp_path / "key.conllu", tmp_path / "once"]
    for source, told in zip(sides, (1, 0), strict=True):
        done = within("convert", source, tmp_path / ("once" if told else "twice"), "--format", to)
        assert done.stderr.count(b"notice[dropped-dependencies]") == told, done.stderr


def test_merged_cells_are_told_by_convert(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Reading gives this notice, so whatever reads a table does."""
    table = tmp_path / "table.csv"
    table.write_text("item,entity\n" + "".join(f"i{n},{'' if n % 3 else f'e{n}'}\n" for n in range(30)))
    done = call(capfdbinary, "convert", table, tmp_path / "out.csv", "--strict")
    assert (done.status, (tmp_path / "out.csv").exists()) == (1, False)
    assert b"error[merged-cells] each of the 10 entities has one item only, and 20 rows have no label" in done.stderr


LOST_WITH_A_KEY = {
    # The entities of a file on the documents of a key: what neither of them can keep.
    "fields": (
        '{"doc_key": "d", "sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]], "ner": [[0, 0, "X"]]}\n',
        '{"doc_key": "d", "sentences": [["a", "b"]], "clusters": [], "pos": ["X", "Y"]}\n',
        "jsonlines",
        [("dropped-fields", "in"), ("dropped-fields", "key")],
    ),
    "types of CorefUD": (
        "# newdoc id = d\n# global.Entity = eid-etype-head\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-person-1)\n\n"
        "# newdoc id = e\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-person-1)\n\n",
        "# newdoc id = d\n# global.Entity = eid-etype-head\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e2-org-1)\n\n"
        "# newdoc id = e\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        "corefud",
        [("dropped-fields", "in")],
    ),
    "gaps": (
        "# newdoc id = d\n# global.Entity = eid-etype-head\n1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1[1/2]--1)\n"
        "2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n3\tc\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1[2/2]--1)\n\n",
        "#begin document (d)\nd\t0\ta\t-\nd\t1\tb\t-\nd\t2\tc\t-\n#end document\n",
        "conll",
        [("dropped-columns", "in"), ("dropped-heads", "in"), ("filled-gaps", "in")],
    ),
}


@pytest.mark.parametrize(("text", "key", "to", "told"), LOST_WITH_A_KEY.values(), ids=LOST_WITH_A_KEY)
def test_what_is_lost_on_a_key_is_told(
    text: str, key: str, to: str, told: list[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "in").write_text(text)
    (tmp_path / "key").write_text(key)
    done = within("convert", tmp_path / "in", tmp_path / "out", "--key", tmp_path / "key", "--format", to)
    found = re.findall(r"/(in|key)(?::\d+)?: notice\[(dropped-[^]]+|filled-gaps)\]", done.stderr.decode())
    assert (done.status, [(code, side) for side, code in found]) == (0, told)
