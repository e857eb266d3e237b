"""From Python: a corpus in another format has the bytes of the command, and its clusters are what its files say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corefscore import InputError, UsageError, from_clusters, from_labels, from_text, read, score, write
from corefscore.formats.base import EVERY_NAME
from support import TESTDATA, call

KEY = TESTDATA / "demo" / "key.conll"
COREFUD = TESTDATA / "corefud" / "scoring" / "anaphor-wrong-link-101" / "key.conllu"


@pytest.mark.parametrize("form", EVERY_NAME)
@pytest.mark.parametrize("kind", ["conll", "corefud", "jsonlines", "tagged", "folder"])
def test_bytes_are_those_of_the_command(
    kind: str, form: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = {"conll": KEY, "corefud": COREFUD}.get(kind, tmp_path / "in")
    if kind == "folder":
        source.mkdir()
        (source / "a.conll").write_bytes(KEY.read_bytes())
    elif not source.exists():
        call(capfdbinary, "convert", KEY, source, "--format", kind)
    done = call(capfdbinary, "convert", source, tmp_path / "out", "--format", form)
    write(read(source), tmp_path / "written", form)
    assert done.status == 0
    assert (tmp_path / "written").read_bytes() == (tmp_path / "out").read_bytes()


def test_options_of_a_side_are_those_of_the_corpus(tmp_path: Path) -> None:
    for name, columns in (("usual", None), ("named", "key.word=4")):
        write(read(KEY, side="key", columns=columns), tmp_path / name, "jsonlines")
    assert (tmp_path / "named").read_bytes() == (tmp_path / "usual").read_bytes()


def test_clusters_are_names_entities_spans_and_words(tmp_path: Path) -> None:
    """Read off the files by hand."""
    (of_document,) = read(KEY).clusters().values()
    assert of_document["5"] == [(3, 3, "Ann"), (7, 7, "She"), (13, 13, "her")]
    assert of_document["3"] == [(3, 5, "Ann and Bo")]
    assert read(COREFUD).clusters() == {
        "ure-63": {"e25174": [(6, 6, "jek"), (8, 7, "∅")], "e25838": [(7, 7, "mir"), (8, 8, "vin")]}
    }
    empty = tmp_path / "empty.conllu"
    empty.write_text("# newdoc id = d\n# global.Entity = eid-etype-head\n1\tjek" + "\t_" * 8 + "\n\n")
    assert read(empty).clusters() == {"d": {}}
    with pytest.raises(InputError, match="opens a mention that is never closed"):
        read(TESTDATA / "bad" / "unclosed" / "response.conll").clusters()
    path = tmp_path / "no-words.jsonl"
    path.write_text(json.dumps({"doc_key": "x", "clusters": [[[0, 1], [4, 4]], [[2, 2]]]}))
    assert read(path).clusters() == {"x": {"0": [(0, 1, ""), (4, 4, "")], "1": [(2, 2, "")]}}
    assert from_labels(["A", "A", None], ["p", "q", "r"]).clusters() == {
        "document": {"A": [(-1, -1, "p"), (-1, -1, "q")]}
    }


def test_clusters_of_a_corpus_are_spans_and_items_again(tmp_path: Path) -> None:
    """Their words counted, too, so brackets that one side writes as -LRB- lowered the score."""
    sides: list[Any] = []
    for word in ("-LRB-", "("):
        path = tmp_path / f"{len(sides)}.jsonl"
        path.write_text(json.dumps({"sentences": [["a", word]], "clusters": [[[0, 0], [0, 1]]]}))
        sides.append({name: list(of.values()) for name, of in read(path).clusters().items()})
    key, response = sides
    assert score(key, response, "bcub", window=2)["bcub"].f1 == score(key, tmp_path / "1.jsonl", "bcub")["bcub"].f1 == 1
    labels = from_labels(["A", "A", "B"], ["p", "q", "r"])
    again = {name: list(of.values()) for name, of in labels.clusters().items()}
    assert score(labels, again, "bcub")["bcub"].f1 == 1


def test_the_order_of_entities_does_not_say_which_copy_of_a_mention_counts(tmp_path: Path) -> None:
    """(3, 3) is in two entities: the one that appears first has it, as in a file."""
    sides = [[[2, 2], [0, 0]], [[1, 1], [3, 3]]], [[[5, 5], [3, 3]], [[1, 1], [3, 3]]]
    paths = [tmp_path / "key.jsonl", tmp_path / "response.jsonl"]
    for path, clusters in zip(paths, sides, strict=True):
        path.write_text(json.dumps({"doc_key": "x", "clusters": clusters}))
    of_lists, of_files = score({"x": sides[0]}, {"x": sides[1]}), score(paths[0], paths[1])
    assert of_lists["lea"].f1 == of_files["lea"].f1 == pytest.approx(4 / 7)


def test_clusters_score_as_their_files() -> None:
    spans = {
        name: [[mention[:2] for mention in entity] for entity in entities.values()]
        for name, entities in read(KEY).clusters().items()
    }
    assert score(KEY, spans)["lea"].f1 == 1


BOTH = {
    "doc_key": "a",
    "sentences": [["Ann", "saw", "her", "dog", "bark"]],
    "clusters": [[[0, 0], [2, 2]]],
    "predicted_clusters": [[[0, 0], [2, 3]]],
}
"""A document with other entities on each side."""


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_a_corpus_is_written_as_the_side_that_was_read(tmp_path: Path) -> None:
    (tmp_path / "both.json").write_text(json.dumps(BOTH))
    (tmp_path / "table.csv").write_text("item,gold,pred\nx,1,1\ny,1,2\n")
    for name, form, fields in (("both.json", "jsonlines", None), ("table.csv", "labels", "labels")):
        corpus = read(tmp_path / name, side="response", input_format=fields)
        write(corpus, tmp_path / "written", form)
        assert score(corpus, read(tmp_path / "written"), "muc,bcub")["bcub"].f1 == 1


def test_predictions_are_converted_by_name(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """There is one side here, so the field is not meant for two."""
    (tmp_path / "both.json").write_text(json.dumps(BOTH))
    named = ("--columns", "clusters=predicted_clusters", "--format", "jsonlines")
    done = call(capfdbinary, "convert", tmp_path / "both.json", "-", *named)
    assert done.status == 0 and json.loads(done.stdout)["clusters"] == BOTH["predicted_clusters"]


def test_a_corpus_whose_file_has_changed_is_not_written(tmp_path: Path) -> None:
    """Such as that of an earlier epoch: the entities of the later one were written."""
    path = tmp_path / "response.conll"
    path.write_bytes(KEY.read_bytes())
    corpus = read(path)
    path.write_bytes(KEY.read_bytes() + b"\n")
    with pytest.raises(UsageError, match="this file changed"):
        write(corpus, tmp_path / "written", "jsonlines")
    assert not (tmp_path / "written").exists()


def test_no_file_of_a_folder_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "key.conll").write_bytes(KEY.read_bytes())
    with pytest.raises(UsageError, match="is a file that the corpus was read from"):
        write(read(tmp_path), tmp_path / "key.conll", "jsonlines")
    assert (tmp_path / "key.conll").read_bytes() == KEY.read_bytes()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_bytes(KEY.read_bytes())
    rows: list[tuple[Any, Path, str, str]] = [
        (from_labels([1, 1]), path, "conll", "this corpus has no words"),
        ([["Ann"]], path, "conll", "this corpus has no words"),
        (read(path), path, "conll", "is a file that the corpus was read from"),
        (read(path), tmp_path / "out", "connl", "unknown format"),
        (read(path), tmp_path / "no" / "folder", "conll", "No such file or directory"),
    ]
    for corpus, to, form, message in rows:
        with pytest.raises(UsageError, match=message):
            write(corpus, to, form)
    path.write_text(path.read_text().replace("(5)", "(5", 1))
    with pytest.raises((InputError, UsageError)):
        write(read(path), tmp_path / "out", "jsonlines")
    assert path.read_bytes() != KEY.read_bytes()
    assert [its.name for its in tmp_path.iterdir()] == ["key.conll"], "nothing is written in part"


ENTITIES: Any = {"a": [[(0, 1), (4, 4)], {(3, 3)}, [(2, 2), (3, 4)]], "b": []}
OTHERS: Any = {"a": [[(0, 1), (3, 3)], [(4, 4)]], "b": [[(0, 0)]]}
WORDS: Any = {"a": [["The", "cat", "saw", "Bo", "."], ["It"]], "b": ["Yes"]}


@pytest.mark.parametrize("form", [name for name in EVERY_NAME if name != "labels"])
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_clusters_with_words_are_read_back(form: str, tmp_path: Path) -> None:
    """With the same spans and words, in entities of the same order; the scores are those without files."""
    paths = tmp_path / "key", tmp_path / "response"
    for path, entities in zip(paths, (ENTITIES, OTHERS), strict=True):
        corpus = from_clusters(entities, WORDS)
        write(corpus, path, form)
        written = read(path).clusters()
        assert [list(its.values()) for its in written.values()] == [
            list(its.values()) for its in corpus.clusters().values()
        ]
    how: Any = {"matching": "exact", "singletons": "keep"} if form == "corefud" else {}
    found, expected = score(*paths, "conll", **how), score(ENTITIES, OTHERS, "conll")
    assert dict(found) == dict(expected)


def test_clusters_with_words_score_as_clusters(tmp_path: Path) -> None:
    """And as the file that is written of them, to the fingerprint."""
    key = from_clusters(ENTITIES, WORDS)
    write(key, tmp_path / "key.jsonl", "jsonlines")
    found = score(key, OTHERS)
    assert dict(found) == dict(score(ENTITIES, OTHERS))
    assert found.signature == score(tmp_path / "key.jsonl", OTHERS).signature
    assert score(key, {"a": "[The cat](#1) saw Bo [.](#1) It", "b": "Yes"}, "muc").mentions[:2] == (2 / 5, 1)


def test_words_are_of_sentences_or_of_a_document() -> None:
    """Of any collections in an order, as are clusters."""
    expected = {"document": {"0": [(0, 0, "Ann"), (2, 2, "her")]}}
    words: Any
    for words in (["Ann", "saw", "her"], [["Ann", "saw"], ["her"]], np.array(["Ann", "saw", "her"])):
        for clusters in ([[(0, 0), (2, 2)]], np.array([[[0, 0], [2, 2]]]), [{(np.int64(0), 0), (2, 2)}]):
            assert from_clusters(clusters, words).clusters() == expected
    assert from_clusters([], []).clusters() == {"document": {}}


@pytest.mark.parametrize(
    ("clusters", "words", "message"),
    [
        pytest.param({"a": [[(0, 5)]]}, {"a": ["x"]}, r'in document "a": clusters\[0\]\[0\] is \[0, 5\]', id="beyond"),
        pytest.param([[(1, 0)]], ["x", "y"], "the first token of the mention, then its last", id="backwards"),
        pytest.param([["Ann"]], ["Ann"], "expected two whole numbers", id="text"),
        pytest.param([[(0, None)]], ["Ann"], "expected a document", id="none"),
        pytest.param([[[(0, 0)]]], ["x"], "expected a document, not a list of documents", id="documents"),
        pytest.param([[(0, 0)]], "Ann saw", "have the type str; expected a list of words", id="one text"),
        pytest.param([[(0, 0)]], None, "have the type NoneType", id="no words"),
        pytest.param([[(0, 0)]], [["x"], "y"], 'field "sentences" is a list of 2 values', id="both"),
        pytest.param([[(0, 0)]], [["x", 3]], 'field "sentences" contains 3', id="number"),
        pytest.param(
            {"a": []},
            ["x"],
            "'a' has clusters and no words; expected words and clusters of the same documents",
            id="one has names",
        ),
        pytest.param({"a": []}, {"b": ["x"]}, "document 'a' has clusters and no words", id="other names"),
        pytest.param({}, {"b": ["x"]}, "document 'b' has words and no clusters", id="no clusters"),
        pytest.param({3: []}, {3: ["x"]}, "a string for a name", id="name"),
    ],
)
def test_words_that_do_not_fit_are_refused(clusters: Any, words: Any, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        from_clusters(clusters, words)


def test_texts_are_written(tmp_path: Path) -> None:
    write(from_text({"x_0": "[Ann](#1) saw [her](#1)."}), tmp_path / "out", "conll")
    assert read(tmp_path / "out").clusters() == {"x_0": {"1": [(0, 0, "Ann"), (2, 2, "her")]}}
