"""From Python: a corpus in another format has the bytes of the command, and its clusters are what its files say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from corefscore import InputError, UsageError, from_labels, read, score, write
from corefscore.checking.convert import writable
from support import TESTDATA, call

KEY = TESTDATA / "demo" / "key.conll"
COREFUD = TESTDATA / "corefud" / "scoring" / "anaphor-wrong-link-101" / "key.conllu"


@pytest.mark.parametrize("form", writable())
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


def test_clusters_are_names_entities_spans_and_words(tmp_path: Path) -> None:
    """Read off the files by hand."""
    (of_document,) = read(KEY).clusters().values()
    assert of_document["5"] == [(3, 3, "Ann"), (7, 7, "She"), (13, 13, "her")]
    assert of_document["3"] == [(3, 5, "Ann and Bo")]
    assert read(COREFUD).clusters() == {
        "ure-63": {"e25174": [(6, 6, "jek"), (8, 7, "∅")], "e25838": [(7, 7, "mir"), (8, 8, "vin")]}
    }
    path = tmp_path / "no-words.jsonl"
    path.write_text(json.dumps({"doc_key": "x", "clusters": [[[0, 1], [4, 4]], [[2, 2]]]}))
    assert read(path).clusters() == {"x": {"0": [(0, 1, ""), (4, 4, "")], "1": [(2, 2, "")]}}
    assert from_labels(["A", "A", None], ["p", "q", "r"]).clusters() == {
        "document": {"A": [(-1, -1, "p"), (-1, -1, "q")]}
    }


def test_clusters_score_as_their_files() -> None:
    spans = {
        name: [[mention[:2] for mention in entity] for entity in entities.values()]
        for name, entities in read(KEY).clusters().items()
    }
    assert score(KEY, spans)["lea"].f1 == 1


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_bytes(KEY.read_bytes())
    rows: list[tuple[Any, Path, str, str]] = [
        (from_labels([1, 1]), path, "conll", "this corpus is not from files"),
        ([["Ann"]], path, "conll", "this corpus is not from files"),
        (read(path), path, "conll", "is the file that the corpus was read from"),
        (read(path), tmp_path / "out", "labels", "cannot be converted to labels"),
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
