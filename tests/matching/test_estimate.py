"""The estimated key: every rule of docs/cone.md with its examples and counter-examples, and the key as a file."""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import corefscore
import pytest
from corefscore.core.errors import InputError, UsageError
from corefscore.core.names import MATCHES
from corefscore.matching.named import _folded, _initials_of, _without_possessive, grouped
from names import Mention, Partition, tagged, written
from support import EXCERPTS_AND_WHOLE, ROOT, TESTDATA, Run, call, within

DEMO = TESTDATA / "names"


def same(one: str, other: str, *rules: str) -> bool:
    """Whether two names are one entity; their words are separated by blanks."""
    first, second = grouped([one.split(" "), other.split(" ")], rules or MATCHES)
    return first == second


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bush", "Bush"),
        ("George Bush", "George Bush"),
        ("BUSH", "Bush"),
        ("U.S.", "US"),
        ("St. Louis", "St Louis"),
        ("Bush 's", "Bush"),
        ("Bush's", "Bush"),
        ("Bush\u2019s", "BUSH"),
        ("Jones '", "Jones"),
        ("Holmes'", "Holmes"),
        ("George Bush 's", "George Bush"),
        ("Straße", "STRASSE"),
        ("布什", "布什"),
    ],
)
def test_exact_match(one: str, other: str) -> None:
    assert same(one, other, "exact")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bush", "Busch"),
        ("Bush", "George Bush"),
        ("New York", "NewYork"),
        ("Anna", "Annas"),
        ("McDonald's Corp", "McDonald Corp"),
        ("'s", "Bush"),
        ("...", ".."),
        ("北京 大学", "北京大学"),
    ],
)
def test_no_exact_match(one: str, other: str) -> None:
    assert not same(one, other, "exact")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bush", "George Bush"),
        ("George", "George Bush"),
        ("George W.", "George W. Bush"),
        ("W. Bush", "George W. Bush"),
        ("bush 's", "George Bush"),
        ("Lloyd", "Lloyd 's of London"),
        ("北京", "北京 大学"),
        ("大学", "北京 大学"),
    ],
)
def test_word_match(one: str, other: str) -> None:
    """Lloyd's keeps its possessive, which does not trail; Lloyd is still the first word."""
    assert same(one, other, "words")
    assert same(other, one, "words")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("W.", "George W. Bush", id="neither at the start nor at the end"),
        pytest.param("George Bush", "George W. Bush", id="no run"),
        pytest.param("Bu", "Bush Junior", id="no whole word"),
        pytest.param("Bushes", "George Bush", id="another word"),
        pytest.param("Bush", "Bush", id="of one length, which is an exact match"),
        pytest.param("北京", "北京大学", id="a word is a token"),
    ],
)
def test_no_word_match(one: str, other: str) -> None:
    assert not same(one, other, "words")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("IBM", "International Business Machines"),
        ("I.B.M.", "International Business Machines"),
        ("I. B. M.", "International Business Machines"),
        ("IBM 's", "International Business Machines"),
        ("ibm", "INTERNATIONAL BUSINESS MACHINES"),
        ("USC", "University of Southern California"),
        ("UoSC", "University of Southern California"),
        ("ATT", "American Telephone & Telegraph"),
        ("I. B. M.", "IBM"),
        ("北大", "北京 大学"),
    ],
)
def test_initials(one: str, other: str) -> None:
    assert same(one, other, "initials")
    assert same(other, one, "initials")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("IB", "International Business Machines", id="not all initials"),
        pytest.param("IMB", "International Business Machines", id="in another order"),
        pytest.param("IBM Corp", "International Business Machines Corporation", id="not one word"),
        pytest.param("B", "Bush", id="one initial is none"),
        pytest.param("Intl", "International Business Machines", id="a short form"),
        pytest.param("IBM", "InternationalBusinessMachines", id="a word is a token"),
        pytest.param("北大", "北京大学", id="a word is a token in every script"),
    ],
)
def test_no_initials(one: str, other: str) -> None:
    assert not same(one, other, "initials")


def test_rules_are_closed_transitively_and_so_two_people_become_one() -> None:
    """George Bush and Laura Bush share nothing but Bush, which could be either."""
    names = ["George Bush", "Laura Bush", "Bush", "Ann Lee"]
    assert grouped([name.split() for name in names], MATCHES) == [0, 0, 0, 3]
    assert grouped([name.split() for name in names if name != "Bush"], MATCHES) == [0, 1, 2]


def test_without_the_rule_exact_equal_names_need_a_third() -> None:
    assert grouped([["Bush"], ["Bush"]], ["words"]) == [0, 1]
    assert grouped([["Bush"], ["Bush"], ["George", "Bush"]], ["words"]) == [0, 0, 0]


WORDS = ["A", "B", "Bb", "AB", "a.", "C", "'s"]


def twin(names: Sequence[Sequence[str]]) -> list[int]:
    """Every pair of names compared, then closed by walking."""

    def alike(one: Sequence[str], other: Sequence[str]) -> bool:
        plain = [_without_possessive(name) for name in (one, other)]
        short, long = sorted(map(_folded, plain), key=len)
        letters = {tuple(its): set(_initials_of(its)) for its in map(tuple, plain)}
        acronym = any(
            "".join(_folded(a)) in letters[tuple(b)]
            for a, b in (plain, plain[::-1])
            if len(_folded(a)) == 1 or all(len(word) == 1 for word in _folded(a))
        )
        return short in (long, long[: len(short)], long[len(long) - len(short) :]) or acronym

    found = list(range(len(names)))
    for _ in names:
        for a, b in combinations(range(len(names)), 2):
            if alike(names[a], names[b]):
                found[a] = found[b] = min(found[a], found[b])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_those_of_comparing_every_pair(seed: int) -> None:
    numbers = random.Random(seed)
    names = [numbers.choices(WORDS, k=numbers.randint(1, 3)) for _ in range(numbers.randint(1, 12))]
    assert grouped(names, MATCHES) == twin(names)


def test_letters_and_apostrophes_have_one_spelling() -> None:
    """An accent as a letter of its own, and both apostrophes."""
    assert same("Jos\u00e9", "Jose\u0301", "exact")
    assert same("O'Neil", "O\u2019Neil", "exact")
    assert same("Neil O\u2019Neil", "O'Neil", "words")


# Of documents


def estimated(words: str, names: dict[Mention, str], folder: Path, **how: object) -> Partition:
    """The entities of the key that is written."""
    (key,) = written(folder, key=tagged(words, None, names))
    options = [f"--{name.replace('_', '-')}={value}" for name, value in how.items()]
    assert within("cone", "--estimate-key", key, "--output", folder / "out", *options).status == 0
    found = corefscore.read(folder / "out").documents
    entities: list[list[Mention]] = [[] for _ in found.document]
    for entity, start, end in zip(found.entity, found.start, found.end, strict=True):
        entities[entity].append((int(start), int(end)))
    return entities


def test_names_of_another_type_are_other_entities(tmp_path: Path) -> None:
    """Washington the person and Washington the city; types are compared without case, dates do not count."""
    names = {(0, 0): "PERSON", (1, 1): "GPE", (2, 2): "person", (3, 3): "DATE", (4, 4): "year"}
    words = "Washington Washington Washington 1789 1790"
    assert estimated(words, names, tmp_path) == [[(0, 0), (2, 2)], [(1, 1)]]
    assert estimated(words, names, tmp_path, ne_types="all") == [[(0, 0), (2, 2)], [(1, 1)], [(3, 3)], [(4, 4)]]


def test_names_of_another_document_are_other_entities(tmp_path: Path) -> None:
    texts = [tagged("Bush x Bush", None, {(0, 0): "P", (2, 2): "P"}, document=name) for name in ("one", "two")]
    (key,) = written(tmp_path, key="".join(texts))
    within("cone", "--estimate-key", key, "--output", tmp_path / "out")
    assert (tmp_path / "out").read_text().count("\t(0)\n") == 4
    assert corefscore.score(tmp_path / "out", tmp_path / "out", "muc")["muc"].recall_counts == (2, 2)


def test_a_name_without_a_match_is_a_singleton(tmp_path: Path) -> None:
    assert estimated("Ann met Bo", {(0, 0): "P", (2, 2): "P"}, tmp_path) == [[(0, 0)], [(2, 2)]]


# The key as a file


def write_key(capture: pytest.CaptureFixture[bytes], key: Path, out: Path | str) -> Run:
    return call(capture, "cone", "--estimate-key", key, "--output", out)


def test_the_written_key_scores_as_the_estimate_does(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """With every metric, CONE included, and whether the key had coreference (key) or not (text)."""
    response = DEMO / "response.conll"
    for name in ("key.conll", "text.conll"):
        out = tmp_path / name
        assert write_key(capfdbinary, DEMO / name, out).stdout == b""
        assert write_key(capfdbinary, DEMO / name, "-").stdout == out.read_bytes()
        fly = call(capfdbinary, "every,cone", "--estimate-key", DEMO / name, response).stdout
        assert call(capfdbinary, "every,cone", out, response).stdout == fly
        assert call(capfdbinary, "every,cone", "--estimate-key", out, response).stdout == fly
    key, text = ((tmp_path / name).read_bytes() for name in ("key.conll", "text.conll"))
    assert key == text


@pytest.mark.parametrize("corpora", EXCERPTS_AND_WHOLE)
def test_the_written_key_of_a_corpus_scores_as_the_estimate_does(
    corpora: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    corpus = corpora / "openboek" / "key.conll"
    write_key(capfdbinary, corpus, tmp_path / "out")
    fly = call(capfdbinary, "cone", "--estimate-key", corpus, corpus).stdout
    assert call(capfdbinary, "cone", tmp_path / "out", corpus).stdout == fly
    assert call(capfdbinary, "validate", tmp_path / "out").status == 0
    rest = [[line.split(b"\t")[:11] for line in path.open("rb")] for path in (corpus, tmp_path / "out")]
    assert rest[0] == rest[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\tb\tc\tBo\t(P)\t(7)|(8\r\n", "a\tb\tc\tBo\t(P)\t(0)\r\n", id="coreference is replaced"),
        pytest.param("a\tb\tc\tBo\t(P)\n", "a\tb\tc\tBo\t(P)\t(0)\n", id="or added behind the names"),
        pytest.param("a\tb\tc\tBo\t(P)\t\n", "a\tb\tc\tBo\t(P)\t(0)\n", id="an empty last column is a column"),
        pytest.param("a  b c  Bo (P)   -\n", "a  b c  Bo (P)   (0)\n", id="columns between blanks"),
        pytest.param("a b c Bo (P)\n", "a b c Bo (P) (0)\n", id="names last, between blanks"),
        pytest.param("# a remark\n\na\tb\tc\tBo\t(P)\t-\n", "# a remark\n\na\tb\tc\tBo\t(P)\t(0)\n", id="no token"),
        pytest.param("a\tb\tc\tBo\t(P)\t(9)", "a\tb\tc\tBo\t(P)\t(0)\n#end document\n", id="cut off"),
    ],
)
def test_everything_else_in_the_file_stays(text: str, expected: str, tmp_path: Path) -> None:
    end = "" if "#end" in expected else "#end document\n"
    (key,) = written(tmp_path, key="")
    key.write_bytes(f"before\n#begin document d\n{text}{end}".encode())
    done = within("cone", "--estimate-key", key, "--columns", "ne=5", "--output", tmp_path / "out", "--quiet")
    assert done == Run(0, b"", b"")
    assert (tmp_path / "out").read_bytes() == f"before\n#begin document d\n{expected}{end}".encode()


def test_a_folder_becomes_one_file(tmp_path: Path) -> None:
    """The first file is compressed, begins with a byte order mark and has no end; the second ends in no line end."""
    (tmp_path / "in").mkdir()
    first = "\ufeff" + tagged("Bo x", None, {(0, 0): "P"}, document="one").removesuffix("#end document\n")
    (tmp_path / "in" / "1.gz").write_bytes(gzip.compress(first.encode()))
    (tmp_path / "in" / "2").write_text(tagged("y Bo", None, {(1, 1): "P"}, document="two").removesuffix("\n"))
    out = tmp_path / "out"
    assert within("cone", "--estimate-key", tmp_path / "in", "--output", out, "--quiet").status == 0
    assert list(corefscore.read(out).names) == ["one", "two"]
    assert within("validate", out, "--strict", "--ignore", "singletons").status == 0


def test_a_key_can_be_standard_input(tmp_path: Path) -> None:
    within("cone", "--estimate-key", "-", "--output", tmp_path / "a", stdin=(DEMO / "key.conll").read_bytes())
    within("cone", "--estimate-key", DEMO / "key.conll", "--output", tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        pytest.param(["key.conll"], 1, id="a name that never ends"),
        pytest.param(["missing.conll"], 2, id="no file"),
        pytest.param(["sound.conll", "missing.conll"], 2, id="no response"),
        pytest.param(["sound.conll", "--ne-types", "LOC"], 1, id="no name"),
        pytest.param(["sound.conll", "--strict", "--ne-types", "P,LOC"], 1, id="a notice that is an error"),
        pytest.param(["sound.conll", "--by", "x"], 2, id="groups of nothing"),
    ],
)
def test_a_run_that_is_refused_writes_no_key(arguments: Sequence[str], status: int, tmp_path: Path) -> None:
    sound = tagged("Bo x", None, {(0, 0): "P"}, document="sound")
    (tmp_path / "sound.conll").write_text(sound)
    (tmp_path / "key.conll").write_text(sound + tagged("Bo x", None, {(0, 7): "P"}, document="faulty"))
    (tmp_path / "out").write_text("as it was")
    done = within("cone", "--estimate-key", *arguments, "--output", "out", cwd=tmp_path)
    assert (done.status, done.stdout) == (status, b"")
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "out").read_text() == "as it was"
    assert sorted(os.listdir(tmp_path)) == ["key.conll", "out", "sound.conll"]


def test_a_system_that_cannot_be_read_is_told_by_rank_alone(tmp_path: Path) -> None:
    """Looking for files that would be overwritten does not end the command."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "out").write_text("as it was")
    done = within("rank", DEMO / "key.conll", DEMO / "response.conll", "empty", "--output", "out", cwd=tmp_path)
    assert (done.status, done.stdout) == (1, b"")
    assert b"empty" in (tmp_path / "out").read_bytes()


def test_coreference_of_the_key_is_not_read(tmp_path: Path) -> None:
    """An entity that is never closed is no fault where nobody looks at it; nor do other entities count."""
    words, names = "Bo x Bo", {(0, 0): "P", (2, 2): "P"}
    text = tagged(words, [[(1, 1)]], names).replace("\t(0)\n", "\t(0\n")
    key, response = written(tmp_path, key=text, response=tagged(words, [[(0, 0), (2, 2)]], {}))
    assert within("lea", key, response).status == 1
    assert corefscore.score(key, response, "cone,lea", estimate_key=True)["lea"].f1 == 1


@pytest.mark.parametrize(
    ("response", "notices"),
    [
        pytest.param([[(0, 0), (1, 1)]], ["no-singletons"], id="no singletons"),
        pytest.param([[(0, 0), (1, 1)], [(2, 2)]], [], id="one, though it is no name"),
        pytest.param([], ["side-without-mentions"], id="no mentions at all"),
    ],
)
def test_a_response_without_singletons_is_noticed(response: Partition, notices: Sequence[str], tmp_path: Path) -> None:
    key, its = written(
        tmp_path, key=tagged("Ann Bo x", None, {(0, 0): "P", (1, 1): "P"}), response=tagged("Ann Bo x", response, {})
    )
    found = corefscore.score(key, its, "cone", estimate_key=True)
    assert [notice.code for notice in found.notices] == notices
    found = corefscore.score(key, its, "cone", estimate_key=True, singletons="drop")
    assert "no-singletons" not in [notice.code for notice in found.notices]


@pytest.mark.parametrize("column", [3, 4])
def test_a_tag_is_no_word(column: int, tmp_path: Path) -> None:
    """Three columns and names in the second or third, and names in the fourth, where words would be."""
    columns = ["{word}", *["x"] * (column - 2), "{name}", "-", *["y"] * (column == 4)]
    rows = ["\t".join(columns).format(word=word, name="(P)") for word in ("Ann", "Bo")]
    (both,) = written(tmp_path, both="\n".join(["#begin document d", *rows, "#end document", ""]))
    with pytest.raises(InputError, match="the words of a name of type P are not known"):
        corefscore.score(both, both, "cone", columns=f"ne={column}", estimate_key=True)


def test_a_key_without_coreference_may_be_read_before() -> None:
    key = corefscore.read(DEMO / "text.conll", side="key", columns="ne=11", estimate_key=True)
    expected = corefscore.score(DEMO / "text.conll", DEMO / "response.conll", "cone", estimate_key=True)
    assert corefscore.score(key, DEMO / "response.conll", "cone", estimate_key=True)["cone_b3"] == expected["cone_b3"]
    with pytest.raises(UsageError, match='estimate_key needs side="key"'):
        corefscore.read(DEMO / "text.conll", columns="ne=11", estimate_key=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["cone", "key", "response.conll", "--output", "key/key.conll"],
        ["cone", "--estimate-key", "key", "--output", "key/key.conll"],
        ["compare", "key", "response.conll", "b=response.conll", "--output", "response.conll"],
        ["rank", "key", "a=response.conll", "--output", "response.conll"],
        ["check", "--min", "lea=1", "key", "response.conll", "--output", "link"],
        ["check", "baseline.json", "key", "response.conll", "--output", "baseline.json"],
    ],
)
def test_what_is_read_is_not_overwritten(arguments: Sequence[str], tmp_path: Path) -> None:
    (tmp_path / "key").mkdir()
    read = {name: DEMO / Path(name).name for name in ("key/key.conll", "response.conll")}
    for name, source in read.items():
        (tmp_path / name).write_bytes(source.read_bytes())
    (tmp_path / "link").symlink_to("response.conll")
    within("lea", "key", "response.conll", "--format", "json", "--output", "baseline.json", cwd=tmp_path)
    done = within(*arguments, cwd=tmp_path)
    assert done.status == 2
    assert b"which is read; name another file" in done.stderr
    for name, source in read.items():
        assert (tmp_path / name).read_bytes() == source.read_bytes()


def test_the_examples_of_the_page_are_these() -> None:
    """docs/cone.md names the rules with examples; each pair that it lists is decided here as it says there."""
    page = (ROOT / "docs" / "cone.md").read_text()
    rows = [row.split("|")[1:-1] for row in page.splitlines() if row.startswith("| `--match ")]
    assert len(rows) == len(MATCHES)
    for rule, examples, counter in rows:
        name = rule.strip().strip("`").removeprefix("--match ")
        for cell, expected in ((examples, True), (counter, False)):
            for pair in cell.split(";"):
                one, other = (side.strip().strip("`") for side in pair.split(" and "))
                assert same(one, other, name) is expected, pair
