"""Every conversion of hostile documents keeps the score, or a notice names what is lost, or it is refused.

Documents come from a seed, in JSON, CoNLL, CorefUD and text with tags, with ids, words and names that mean something in
some format or that some format cannot contain. The command converts them to every format, dialect and notation.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import corefscore
import pytest
from corefscore.core.errors import InputError
from corefscore.core.sources import Source
from corefscore.formats import BY_CONTENT, form_of
from corefscore.formats.base import EVERY_NAME, NAMES
from corefscore.formats.tagged.notations import NAMES as NOTATIONS
from support import TESTDATA, Run, call

DEMO = TESTDATA / "demo"

TARGETS: list[tuple[str, ...]] = [("--format", name) for name in EVERY_NAME if name != "tagged"]
TARGETS += [("--format", "tagged", "--tags", name) for name in NOTATIONS]

MEASURES = ("muc", "bcub", "ceafm", "ceafe", "lea")
"""Not BLANC, which treats missing kinds of links otherwise in CorefUD, as its official scorer does."""

HEADLESS: dict[str, Any] = {"matching": "exact", "singletons": "keep"}
"""How CorefUD without heads is scored like spans."""

WORDS = [
    *("w", "Ann", "\u00e9", "\u4e2d\u6587", "\U0001f600", "\u0627", "a b", "10\u00a0000", "x" * 5000, "-LRB-", "/."),
    *("|", "x|", "a|[e1]", "a|e1]", "[", "]", "[e1", "](#", "](#1)", "[here](#top)", "<m>", "</m>#1", "<", "{1", "}"),
    *("#", "##", "##one", "#begin document d", "#end document", "# end document", "begin", "document", "end document"),
    *("-", "_", "*", "(1)", "(1", "1)", '"', "'", "\\", '"answer": "', "clusters", '{"', "{", "[[", "Entity=(e1)"),
    *(
        "",
        " ",
        "\u3000",
        "\u00a0",
        "\f",
        "\v",
        "\x1c",
        "\x85",
        "\u2028",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "a\tb",
        "q\rr",
        "a\nb",
    ),
    *(
        " a",
        "a ",
        "\ufeff",
        "\ufeffa",
        "\u200b",
        "\0",
        "a\0",
        "\x1b[0m",
        "\x7f",
        "BZh91AY&SY",
        "PK\x03\x04",
        "Rar!\x1a\x07",
    ),
    *("\udcff", "\udcc3\udca9", "\udcff\udcfe", "\ud800", "# newdoc", "1", "1.1", "\u2205", "\u2205x", "\u00ad"),
]

NAMES_OF_DOCUMENTS = [
    *("d", "a/b", "(X); part 000", "(X); part 001", "X_0", "(a b); part 0", "a b", "a_b", " a", "a ", "", " ", "\t"),
    *(
        "#begin",
        "#begin document x",
        "#end document",
        "[x]",
        "{",
        "\ufeff",
        "\u00e9",
        "\udcff",
        "\ud800",
        "1",
        "2",
        "-",
    ),
    *("a\tb", "a\rb", "id = x", "# newdoc", "x" * 3000, "\0", "\u2028", "(X); part 000 "),
]

IDS = [
    *("1", "0", "00", "7", "a-b", "a_b", "e1", "e1[1/2]", "x[", "]", "a|b", "a,b", "=", "\u00e9", "\u0663", "e-1", "-"),
    *("9" * 99, "9" * 40, "a.b", "e:1", '"', "a/b", "<m>", "{1", "}", "#1", "\ufeff", "\udcff", "+", "e__1"),
]

UNCHANGED = {
    "changed-name",
    "changed-word",
    "cut-text",
    "dropped-columns",
    "dropped-comments",
    "dropped-fields",
    "dropped-heads",
    "dropped-ids",
    "dropped-sentences",
    "empty-sentences",
    "joined-sentences",
    "no-words",
    "numbered-ids",
    "other-format",
}
"""The notices of a conversion of both sides that changes no score."""

Span = tuple[int, int]


class Document(NamedTuple):
    """A document to be written."""

    name: str
    sentences: list[list[str]]
    entities: dict[str, list[Span]]

    @property
    def spans(self) -> list[tuple[int, int, str]]:
        """The mentions with the ids of their entities, as brackets open."""
        found = [(*span, name) for name, spans in self.entities.items() for span in spans]
        return sorted(found, key=lambda mention: (mention[0], -mention[1]))

    def around(self, opening: str, closing: str, single: str) -> tuple[dict[int, str], dict[int, str]]:
        """What stands before and after each token."""
        before: Counter[int] = Counter()
        opened: dict[int, str] = {}
        closed: dict[int, str] = {}
        for start, end, name in self.spans:
            before[start] += 1
            opened[start] = opened.get(start, "") + (single if start == end and single else opening).format(name)
            if start < end or not single:
                closed[end] = closing.format(name) + closed.get(end, "")
        return opened, closed


def as_json(document: Document) -> str:
    clusters = list(document.entities.values())
    return json.dumps({"doc_key": document.name, "sentences": document.sentences, "clusters": clusters}) + "\n"


def as_conll(document: Document) -> str:
    opened, closed = document.around("({}|", "{})|", "({})|")
    lines, token = [f"#begin document {document.name}\n"], 0
    for sentence in document.sentences:
        for word in sentence:
            cell = (closed.get(token, "") + opened.get(token, "")).strip("|") or "-"
            lines.append(f"x\t0\t0\t{word}\t{cell}\n")
            token += 1
        lines.append("\n")
    return "".join([*lines, "#end document\n"])


def as_corefud(document: Document) -> str:
    opened, closed = document.around("({}-1", "{})", "({}-1)")
    lines, token = [f"# newdoc id = {document.name}\n# global.Entity = eid-head\n"], 0
    for sentence in document.sentences:
        for number, word in enumerate(sentence, start=1):
            cell = closed.get(token, "") + opened.get(token, "")
            misc = f"Entity={cell}" if cell else "_"
            lines.append(f"{number}\t{word}\t_\t_\t_\t_\t{int(number > 1)}\t_\t_\t{misc}\n")
            token += 1
        lines.append("\n")
    return "".join(lines)


def as_tagged(document: Document) -> str:
    opened, closed = document.around("[", "](#{})", "")
    words = [word for sentence in document.sentences for word in sentence]
    text = " ".join(opened.get(token, "") + word + closed.get(token, "") for token, word in enumerate(words))
    return json.dumps({"doc_key": document.name, "answer": text}) + "\n"


class Origin(NamedTuple):
    """A format from which is converted, and what it can contain: patterns that no word, name and id of it has."""

    write: Callable[[Document], str]
    words: str
    names: str
    ids: str
    options: dict[str, Any]


ORIGINS = {
    "jsonlines": Origin(as_json, r"(?!)", r"\n|\r\Z", r"(?!)", {}),
    "conll": Origin(
        as_conll, r"(?a:[\t\n]|\A\s|\s\Z)|#\s*end document|\ud800", r"\n|\r\Z|\ud800", r"[^0-9]|[^\x00-\x7f]", {}
    ),
    "corefud": Origin(as_corefud, r"[\t\n\r\ud800]|\A\Z", r"(?a:[\t\n\r\ud800]|\A\s)|\A\Z", r"[-()\[\]|]", HEADLESS),
    "tagged": Origin(as_tagged, r"[\s\[\]|<{}#\x00-\x1f\x7f\ufeff\u200b\u00ad\ud800]|\A\Z", r"\n|\r\Z", r"[()\s#]", {}),
}


def documents(numbers: random.Random, origin: Origin, *, wild: bool) -> tuple[list[Document], list[Document]]:
    """Key and response: the same texts with other entities."""
    words, names, ids = (
        [text for text in pool if not re.search(unfit, text)]
        for pool, unfit in zip((WORDS, NAMES_OF_DOCUMENTS, IDS), origin[1:4], strict=True)
    )
    key: list[Document] = []
    response: list[Document] = []
    for name in numbers.sample(names, numbers.randint(1, 3)):
        pool = [*numbers.sample(words, 3), "w"]
        sentences = [numbers.choices(pool, k=numbers.randint(1, 5)) for _ in range(numbers.randint(1, 3))]
        for side in (key, response):
            side.append(Document(name, sentences, entities(numbers, sentences, ids, wild=wild)))
    return key, response


def entities(
    numbers: random.Random, sentences: list[list[str]], ids: Sequence[str], *, wild: bool
) -> dict[str, list[Span]]:
    """Entities; only ``wild`` ones have spans that cross, that are in several entities or in several sentences."""
    found: dict[str, list[Span]] = {}
    taken: list[Span] = []
    borders = list(accumulate(map(len, sentences), initial=0))
    for name in numbers.sample(ids, numbers.randint(1, 4)):
        for _ in range(numbers.randint(1, 3)):
            start = numbers.randrange(borders[-1])
            stop = borders[-1] if wild else min(border for border in borders if border > start)
            span = start, min(start + numbers.randrange(4), stop - 1)
            if wild or not (span in taken or any(crosses(span, other) or crosses(other, span) for other in taken)):
                taken.append(span)
                found.setdefault(name, []).append(span)
    return found


def crosses(first: Span, second: Span) -> bool:
    """Whether a span begins within another one, at its last token at the latest, and ends after it."""
    return first[0] < second[0] <= first[1] < second[1]


def scores(key: Path, response: Path, **options: Any) -> list[float]:
    result = corefscore.score(key, response, list(MEASURES), repeated="first", **options)
    return [value for name in MEASURES for value in (result[name].recall, result[name].precision)]


def codes(run: Run) -> set[str]:
    """The codes of the notices that a run prints."""
    return set(re.findall(r"notice\[([a-z-]+)\]", run.stderr.decode(errors="replace")))


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("wild", [False, True], ids=["tame", "wild"])
@pytest.mark.parametrize(
    "seeds", [[*range(5), 46], pytest.param(range(5, 80), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_a_conversion_keeps_the_score_or_names_what_is_lost(
    origin: str, wild: bool, seeds: Sequence[int], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    row, found = ORIGINS[origin], Counter[str]()
    files = [tmp_path / "key", tmp_path / "response"]
    for seed in seeds:
        for path, side in zip(files, documents(random.Random(seed), row, wild=wild), strict=True):
            path.write_bytes("".join(map(row.write, side)).encode("utf-8", "surrogateescape"))
        try:
            before = scores(*files, **row.options)
        except InputError:  # crossing mentions that make brackets without a partner, or mentions across sentences
            assert wild, seed
            continue
        for to in TARGETS:
            found[converted(files, to, before, capfdbinary, f"{origin}, seed {seed}: {' '.join(to)}")] += 1
    assert found["same"] > 0.8 * found.total() or wild
    assert found["same"] > len(seeds)
    assert found["lost"] > len(seeds) or not (wild and origin == "jsonlines")
    assert found["unreadable"] < 0.05 * found.total()


def converted(
    files: Sequence[Path],
    to: Sequence[str],
    before: Sequence[float],
    capture: pytest.CaptureFixture[bytes],
    where: str,
) -> str:
    """Convert both sides, and tell whether the score is the same, something is lost, or something is refused."""
    told: set[str] = set()
    made = [path.with_suffix(".new") for path in files]
    for path, out in zip(files, made, strict=True):
        out.unlink(missing_ok=True)
        done = call(capture, "convert", path, out, *to)
        told |= codes(done)
        if done.status:
            assert re.match(rb"\S.*: error\[|corefscore: ", done.stderr), (where, done)
            assert not out.exists(), where
            return "refused"
    family = to[1] if to[1] in NAMES else "jsonlines"
    options: dict[str, Any] = HEADLESS if family == "corefud" else {}
    if "other-format" in told:
        options = {**options, "input_format": {"key": to[1], "response": to[1]}}
    else:
        assert [form_of([Source(str(path))], BY_CONTENT, None).name for path in made] == [family, family], where
    if family == "tagged":
        options = {**options, "tags": to[3]}
    try:
        after = scores(*made, **options)
    except InputError as error:
        # Words that are all the same mark count as unknown, and some bytes begin no text.
        assert error.findings[0].code == "text-unknown" or "other-format" in told, (where, str(error))
        return "unreadable"
    if after == pytest.approx(before, abs=1e-9):
        return "same"
    assert told - UNCHANGED, (where, told)
    return "lost"


@pytest.mark.parametrize("origin", ["conll", "corefud"])
@pytest.mark.parametrize("seed", range(6))
def test_a_repaired_file_keeps_the_score(
    origin: str, seed: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    row, files = ORIGINS[origin], [tmp_path / "key", tmp_path / "response"]
    for path, side in zip(files, documents(random.Random(seed), row, wild=False), strict=True):
        path.write_bytes("".join(map(row.write, side)).encode("utf-8", "surrogateescape"))
        done = call(capfdbinary, "validate", path, "--fix", path.with_suffix(".fixed.gz"))
        assert done.status == 0, done
    assert scores(*(path.with_suffix(".fixed.gz") for path in files), **row.options) == scores(*files, **row.options)


@pytest.mark.parametrize("origin", ["jsonlines", "conll"])
@pytest.mark.parametrize("seed", range(6))
def test_the_last_step_of_repairs_is_the_key(
    origin: str, seed: int, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    row, files = ORIGINS[origin], [tmp_path / "key", tmp_path / "response"]
    for path, side in zip(files, documents(random.Random(seed), row, wild=False), strict=True):
        path.write_bytes("".join(map(row.write, side)).encode("utf-8", "surrogateescape"))
    done = call(capfdbinary, "errors", *files, "--repaired", tmp_path / "steps", "--repeated", "first")
    assert done.status == 0, done
    last = max((tmp_path / "steps").iterdir())
    assert scores(files[0], last) == pytest.approx(scores(files[0], files[0]))


def test_documents_of_one_word_are_in_their_order(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The word of the first was taken for a word of the second, since both have number 1, and the command crashed."""
    (tmp_path / "key.conllu").write_text(
        as_corefud(Document("a", [["x"]], {"z": [(0, 0)]})) + as_corefud(Document("b", [["y"]], {"a": [(0, 0)]}))
    )
    done = call(
        capfdbinary, "convert", tmp_path / "key.conllu", "-", "--format", "tagged", "--tags", "words", "--quiet"
    )
    assert (done.status, done.stdout) == (0, b"x|[z]\ny|[a]\n")


IDS_IN_CROSSWISE_PAIRS = "[a](#a-b) [b](#a_b) [c](#a-b) [d](#a_b)\n"

ON_WORDS = """# newdoc id = x
# global.Entity = eid-etype-head
1\ta\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-p-1)
2\tb\t_\t_\t_\t_\t1\t_\t_\tEntity=(e2-p-1)
3\tc\t_\t_\t_\t_\t1\t_\t_\tEntity=(e1-p-1)
4\td\t_\t_\t_\t_\t1\t_\t_\tEntity=(e2-p-1)

"""


def test_ids_that_differ_in_a_dash_stay_two_entities(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (tmp_path / "key.conllu").write_text(ON_WORDS)
    (tmp_path / "answer.txt").write_text(IDS_IN_CROSSWISE_PAIRS)
    way: list[str | Path] = ["--key", tmp_path / "key.conllu", tmp_path / "answer.txt", tmp_path / "out.conllu"]
    done = call(capfdbinary, "convert", *way)
    assert (done.status, "numbered-ids" in codes(done)) == (0, True)
    done = call(capfdbinary, "lea", tmp_path / "key.conllu", tmp_path / "out.conllu", "--format", "csv", "--quiet")
    assert b"total,lea,100.0,100.0,100.0" in done.stdout
    assert call(capfdbinary, "convert", *way, "--strict").status == 1


@pytest.mark.parametrize(
    ("to", "word", "written"),
    [("corefud", "q\rr", "q_r"), ("fastcoref", "\u3000", "_"), ("fastcoref", "\u00a0", "_"), ("fastcoref", "\f", "_")],
)
def test_a_word_that_a_format_cannot_contain_is_replaced_and_told(
    to: str, word: str, written: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "key.jsonl"
    path.write_text(as_json(Document("d", [["x", word, "y"]], {"0": [(0, 0), (1, 1)], "1": [(2, 2)]})))
    done = call(capfdbinary, "convert", path, tmp_path / "out", "--format", to)
    found = f'{NAMED[to]} cannot represent 1 word; the first, {word!a} (token 1), is written as "{written}"'
    assert f'notice[changed-word] in document "d": {found}' in done.stderr.decode()
    assert call(capfdbinary, "validate", tmp_path / "out").status == 0
    assert scores(path, path) == scores(tmp_path / "out", tmp_path / "out", **(HEADLESS if to == "corefud" else {}))


NAMED = {"corefud": "CorefUD", "fastcoref": "fastcoref"}


def test_names_that_become_the_same_are_refused(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """CorefUD has no tab in a name."""
    (tmp_path / "key").write_text("".join(as_json(Document(name, [["x"]], {})) for name in ("a\tb", "a_b")))
    done = call(capfdbinary, "convert", tmp_path / "key", tmp_path / "out", "--format", "corefud")
    assert (done.status, (tmp_path / "out").exists()) == (1, False)
    assert b'error[repeated-name] two documents are named "a_b"; the first is at' in done.stderr


UNPACKING: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
}


@pytest.mark.parametrize("suffix", UNPACKING)
@pytest.mark.parametrize("ending", [".conll", ".jsonl", ".conllu", ".auto_conll", ""])
def test_an_output_is_compressed_as_its_name_says(
    suffix: str, ending: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for name in (f"plain{ending}", f"packed{ending}{suffix}"):
        assert call(capfdbinary, "convert", DEMO / "key.conll", tmp_path / name, "--quiet").status == 0
    packed = (tmp_path / f"packed{ending}{suffix}").read_bytes()
    assert UNPACKING[suffix](packed) == (tmp_path / f"plain{ending}").read_bytes()
    assert call(capfdbinary, "validate", tmp_path / f"packed{ending}{suffix}").status == 0


@pytest.mark.parametrize("name", ["out.xml", "out.tsv", "out.json", "out.txt", "out.xml.gz", "out.7"])
def test_an_ending_that_names_no_format_is_refused(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = call(capfdbinary, "convert", DEMO / "key.conll", tmp_path / name)
    assert (done.status, (tmp_path / name).exists()) == (2, False)
    assert b"does not say which format to write; add --format FORMAT" in done.stderr
    assert call(capfdbinary, "convert", DEMO / "key.conll", tmp_path / name, "--format", "conll").status == 0


def test_a_text_that_looks_like_another_format_is_told(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "key").write_text(as_json(Document("1", [["#begin", "document", "x"]], {"0": [(2, 2)]})))
    done = call(capfdbinary, "convert", tmp_path / "key", tmp_path / "out", "--format", "tagged", "--tags", "words")
    assert b"notice[other-format] the new file looks like CoNLL-2011/2012" in done.stderr
