"""The column of words of CoNLL: every command takes words from the one that is named, for one side or both.

Expected words are read off the files below by hand: column 6 has them, column 4, the usual one, the sentence.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import corefscore
import pytest
from corefscore.core.errors import InputError, UsageError
from corefscore.formats import Reading
from support import TESTDATA, call, within

ECB = TESTDATA / "odd" / "no-words-in-column" / "file.conll"
WORDS = ["The", "cat", "saw", "Ann", "and", "Bo", ".", "She", "fed", "it", ".", "Rain", "fell", "on", "it", "."]


@pytest.fixture
def response(tmp_path: Path) -> Path:
    """The key with another word at token 8, and without its last mention."""
    path = tmp_path / "response.conll"
    path.write_text(ECB.read_text().replace("\tfed\t", "\thit\t").replace("(5)", "-"))
    return path


Capture = pytest.CaptureFixture[bytes]


def codes(stderr: bytes) -> list[str]:
    return [line.split("[", 1)[1].split("]", 1)[0] for line in stderr.decode().splitlines() if "notice[" in line]


def test_validate_compares_the_words_of_the_column(response: Path, capfdbinary: Capture) -> None:
    for column, expected in ((("--columns", "word=6"), ['"hit"']), ((), [])):
        done = call(capfdbinary, "validate", response, "--key", ECB, "--format", "json", *column)
        found = json.loads(done.stdout)["files"][0]["findings"]
        assert [each["details"]["word"] for each in found if each["code"] == "different-word"] == expected


@pytest.mark.parametrize("to", ["jsonlines", "tagged", "conll"])
def test_convert_writes_the_words_of_the_column(to: str, tmp_path: Path, capfdbinary: Capture) -> None:
    out = tmp_path / "out"
    tags = ["--tags", "xml"] if to == "tagged" else []
    done = call(capfdbinary, "convert", ECB, out, "--format", to, *tags, "--columns", "word=6")
    assert done.status == 0
    assert "no-words-in-column" not in codes(done.stderr)
    for word in ("cat", "Rain"):
        assert word in out.read_text()
    if to == "jsonlines":
        assert list(chain(*json.loads(out.read_text())["sentences"])) == WORDS


@pytest.mark.parametrize("arguments", [["errors", "--format", "tsv"], ["diff"], ["diff", "--html"]])
def test_an_analysis_shows_the_words_of_the_column(
    arguments: Sequence[str], response: Path, tmp_path: Path, capfdbinary: Capture
) -> None:
    """The last mention of the key, which the response lacks, is the "it" of "Rain fell on it"."""
    verb, *others = arguments
    page = tmp_path / "page.html"
    others = [*others, str(page)] if "--html" in others else others
    done = call(capfdbinary, verb, ECB, response, *others, "--columns", "word=6", "--pronouns", "none")
    assert done.status == 0, done.stderr
    assert "no-words-in-column" not in codes(done.stderr)
    shown = page.read_bytes() if page.exists() else done.stdout
    assert (b"\tit\t" if verb == "errors" else b"fell") in shown


@pytest.mark.parametrize("verb", ["errors", "diff", "convert", "validate"])
def test_a_notice_names_the_option_where_words_are_shown(verb: str, tmp_path: Path, capfdbinary: Capture) -> None:
    others: list[Path | str] = [] if verb == "validate" else [tmp_path / "out" if verb == "convert" else ECB]
    done = call(capfdbinary, verb, ECB, *others)
    assert b"no-words-in-column" in done.stderr + done.stdout
    assert b'column 4, which is read as the column of words, contains "0" for every token' in done.stderr + done.stdout


def test_a_score_looks_at_no_word_and_gives_no_notice(capfdbinary: Capture) -> None:
    assert call(capfdbinary, "muc", ECB, ECB).stderr == b""


def test_numbers_only_are_no_words_and_few_tokens_tell_nothing(tmp_path: Path, capfdbinary: Capture) -> None:
    lines = [f"d\t0\t0\t{at}\t{word}\t-" for at, word in enumerate(WORDS)]
    for size, expected in ((16, ["no-words-in-column"]), (9, [])):
        path = tmp_path / "file.conll"
        path.write_text("\n".join(["#begin document d", *lines[:size], "#end document", ""]))
        found = codes(call(capfdbinary, "validate", path).stderr) + codes(call(capfdbinary, "validate", path).stdout)
        assert [code for code in found if code == "no-words-in-column"] in (expected, expected * 2)


def test_words_that_are_masked_alike_are_no_case_for_another_column(tmp_path: Path, capfdbinary: Capture) -> None:
    """Nothing but the words could be in another column, and no other column varies."""
    path = tmp_path / "file.conll"
    rows = [f"d\t0\t{at}\t[WORD]\tX\t-" for at in range(20)]
    path.write_text("\n".join(["#begin document d", *rows, "#end document", ""]))
    done = call(capfdbinary, "validate", path)
    assert b"no-words-in-column" not in done.stdout + done.stderr


def test_messages_of_a_score_show_the_words_of_the_column(tmp_path: Path, capfdbinary: Capture) -> None:
    path = tmp_path / "key.conll"
    path.write_text(ECB.read_text().replace("\tRain\tTrue\t(4)", "\tRain\tTrue\t(4)|(6)"))
    for jobs in ("1", "2"):
        done = call(capfdbinary, "muc", path, path, "--columns", "word=6", "--jobs", jobs)
        assert b'"Rain" (token 11) is annotated 2 times' in done.stderr
    assert b'"0" (token 11)' in call(capfdbinary, "muc", path, path).stderr


def test_names_are_compared_by_the_words_of_the_column(tmp_path: Path) -> None:
    """Names in column 7: a key is estimated from their words, which makes the two of Ann one entity."""
    text = ECB.read_text().replace("Ann\tTrue", "Ann\t(PER)").replace("She\tTrue", "Ann\t(PER)").replace("True", "*")
    path = tmp_path / "key.conll"
    path.write_text(text)
    words = corefscore.read(path, side="key", columns="word=6,ne=7", estimate_key=True).documents.named_entities
    assert words is not None
    assert [list(each) for each in words.words] == [["Ann"], ["Ann"]]
    with pytest.raises(UsageError, match="column 7 cannot contain words and names"):
        corefscore.score(path, path, "cone", columns="word=7,ne=7")


def test_the_option_is_the_same_from_python(response: Path) -> None:
    result = corefscore.score(ECB, response, "lea", columns="word=6")
    assert result.signature.rpartition(" | key=")[0].endswith("| columns=word=6")
    assert result.total == corefscore.score(ECB, response, "lea").total
    assert (
        corefscore.score(ECB, response, "lea", columns="key.word=6")
        .signature.rpartition(" | key=")[0]
        .endswith("| columns=key.word=6")
    )
    for report in (
        corefscore.analyse(ECB, response, pronouns="english", columns="word=6"),
        corefscore.analyse(corefscore.read(ECB, side="key", columns="word=6"), response, pronouns="english"),
    ):
        assert "it" in report.analysis.text.words
    with pytest.raises(UsageError, match="--columns word=x: expected the number of a column, 1 or more"):
        corefscore.score(ECB, response, "lea", columns="word=x")
    with pytest.raises(UsageError, match="--columns word=0: expected the number of a column, 1 or more"):
        corefscore.read(ECB, columns="word=0")
    with pytest.raises(UsageError, match="--columns ne=7 is for metrics that read named entities"):
        corefscore.score(ECB, response, "lea", columns="ne=7")


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (9, b"--columns word=9: no line has more than 8"),
        (8, b"--columns word=8: this is the last column, which is read as coreference"),
    ],
)
@pytest.mark.parametrize("verb", ["muc", "validate", "convert", "diff", "errors", "explain", "compare"])
def test_a_column_that_no_line_has_is_refused(
    verb: str, column: int, what: bytes, tmp_path: Path, capfdbinary: Capture
) -> None:
    others: list[Path | str] = [] if verb == "validate" else [tmp_path / "out" if verb == "convert" else ECB]
    others += [f"b={ECB}"] if verb == "compare" else []
    done = call(capfdbinary, verb, ECB, *others, "--columns", f"word={column}")
    assert done.status != 0
    assert what in done.stderr + done.stdout


@pytest.mark.parametrize("verb", ["muc", "validate", "convert", "diff"])
def test_a_format_without_columns_is_refused(verb: str, tmp_path: Path, capfdbinary: Capture) -> None:
    path = TESTDATA / "dialects" / "e2e" / "good.jsonl"
    others = [] if verb == "validate" else [tmp_path / "out" if verb == "convert" else path]
    done = call(capfdbinary, verb, path, *others, "--columns", "word=3")
    assert done.status != 0
    assert b"this file is read as JSON lines, and --columns can only name clusters; leave word out" in done.stderr


def test_the_sides_can_differ(tmp_path: Path, capfdbinary: Capture) -> None:
    """A key in columns and a response without any; the words of the response are found in the key by its column."""
    out = tmp_path / "out.jsonl"
    assert call(capfdbinary, "convert", ECB, out, "--columns", "word=6").status == 0
    both = ["--columns", "key.word=6", "--input-format", "key=conll,response=e2e"]
    done = call(capfdbinary, "lea", ECB, out, "none", "--align", *both)
    assert (done.status, b"Coreference: Recall: (7 / 7) 100%" in done.stdout) == (0, True)
    assert b"Fidelity of the text: 100.00 %" in done.stdout
    done = call(capfdbinary, "lea", ECB, out, "--input-format", "response=conll")
    assert (done.status, b"this looks like JSON" in done.stderr) == (1, True)
    result = corefscore.score(ECB, out, "lea", input_format={"key": "conll", "response": "e2e"})
    assert result.signature.rpartition(" | key=")[0].endswith("| key_input_format=conll | response_input_format=e2e")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("keys.word=6", "for one side begin with"),
        ("key.word=6,key.word=7", "word is given twice"),
        ("key.word=x", "--columns key.word=x: expected the number of a column"),
        ("word=0", "expected the number of a column, 1 or more"),
    ],
)
def test_a_value_that_is_none_is_refused(value: str, message: str) -> None:
    done = within("muc", ECB, ECB, "--columns", value)
    assert (done.status, message in done.stderr.decode()) == (2, True)


def test_one_side_alone_has_one_value(tmp_path: Path, capfdbinary: Capture) -> None:
    done = call(capfdbinary, "convert", ECB, tmp_path / "out", "--columns", "key.word=6")
    assert (done.status, b'there is only one side here; leave out "key."' in done.stderr) == (2, True)
    with pytest.raises(UsageError, match="'answer' is not a side"):
        Reading(input_format={"answer": "conll"}).of("key")


def test_a_file_is_refused_only_where_none_of_its_lines_has_the_column(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("#begin document d\nd\t0\t(1\nd\t0\t0\tcat\tX\tword\t1)\n#end document\n")
    assert corefscore.read(path, columns="word=6").documents.words_of([0]) == ["- word"]
    with pytest.raises(InputError, match="no line has more than 7"):
        corefscore.read(path, columns="word=8")
