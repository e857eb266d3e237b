"""The fingerprint of a key: the same in every format and order, and another one if anything that it covers changes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.core.documents import digits_of, fingerprint
from support import TESTDATA, command
from support import within as run

KEY = TESTDATA / "systems" / "key.conll"
RESPONSES = KEY.with_name("runs")
RESPONSE = RESPONSES / "ash.conll"
PRINT = "7cf4af"

Partitions = dict[str, list[list[tuple[int, int]]]]


def of(path: Path) -> str:
    """The fingerprint of a file."""
    return digits_of(fingerprint(corefscore.read(path).documents))


def conll(partitions: Partitions, tokens: int = 12) -> str:
    """Partitions in CoNLL, with documents of so many tokens."""
    lines = []
    for name, entities in partitions.items():
        cells = ["" for _ in range(tokens)]
        for number, entity in enumerate(entities):
            for start, end in entity:
                cells[start] += f"({number})" if start == end else f"({number}"
                cells[end] += "" if start == end else f"{number})"
        lines += [
            f"#begin document ({name}); part 000",
            *(f"{name} 0 {n} w {cell or '-'}" for n, cell in enumerate(cells)),
        ]
        lines += ["#end document"]
    return "\n".join(lines) + "\n"


def drawn(random: Random) -> Partitions:
    """Two documents of two entities, of spans that do not cross."""
    found = {}
    for name in "ab":
        spans = random.sample([(n, n) for n in range(12)] + [(n, n + 1) for n in range(0, 11, 2)], 5)
        found[name] = [spans[:3], spans[3:]]
    return found


@pytest.mark.parametrize("form", ["conll", "corefud", "jsonlines", "fastcoref", "crac-2026", "tagged"])
def test_every_format_has_the_same_fingerprint(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"key.{form}"
    assert run("convert", KEY, path, "--format", form, "--quiet").status == 0
    assert of(path) == PRINT


def test_compressed_files_and_folders_have_the_same_fingerprint(tmp_path: Path) -> None:
    parts = KEY.read_text().split("#end document\n")
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, part in enumerate(reversed(parts[:-1])):
        (folder / f"{number}.conll.gz").write_bytes(gzip.compress(f"{part}#end document\n".encode()))
    assert of(folder) == of(KEY) == PRINT


def test_order_and_names_of_documents_entities_and_mentions_do_not_matter(tmp_path: Path) -> None:
    random = Random(0)
    for number in range(50):
        given = drawn(random)
        other: Partitions = {}
        for name in reversed(given):
            entities = [random.sample(entity, len(entity)) for entity in given[name]]
            other[f"{name}{number}"] = entities[::-1]
        first, second = tmp_path / "first.conll", tmp_path / "second.conll"
        first.write_text(conll(given))
        second.write_text(conll(other))
        assert of(first) == of(second), given


def changed(given: Partitions) -> Iterator[tuple[str, str]]:
    """Small changes of a key: what each is, and the file."""
    first, second = given["a"]
    yield "a mention less", conll({**given, "a": [first[1:], second]})
    yield "a mention in another entity", conll({**given, "a": [first[1:], [*second, first[0]]]})
    yield "one entity", conll({**given, "a": [first + second]})
    yield "an entity in two", conll({**given, "a": [first[:1], first[1:], second]})
    yield "a document less", conll({"a": given["a"]})
    yield "a mention in another document", conll({"a": [first[1:], second], "b": [*given["b"], first[:1]]})
    yield "a token more", conll(given, tokens=13)
    start, end = first[0]
    moved = (start, end + 1) if end < 11 else (start - 1, end)
    yield "a longer mention", conll({**given, "a": [[moved, *first[1:]], second]})


def test_a_change_of_the_key_changes_its_fingerprint(tmp_path: Path) -> None:
    random = Random(1)
    path = tmp_path / "key.conll"
    for _ in range(30):
        given = drawn(random)
        path.write_text(conll(given))
        before = of(path)
        for what, text in changed(given):
            path.write_text(text)
            if corefscore.read(path).notices:
                continue  # brackets that are read as other mentions
            assert of(path) != before, (what, given)


def test_values_of_items_are_covered_and_labels_are_not() -> None:
    def of_labels(labels: list[str], items: Any) -> str:
        return digits_of(fingerprint(corefscore.from_labels(labels, items=items).documents))

    assert of_labels(["x", "x", "y"], ["p", "q", "r"]) == of_labels(["2", "1", "1"], ["r", "q", "p"])
    assert of_labels(["x", "x", "y"], ["p", "q", "r"]) != of_labels(["x", "x", "y"], ["p", "q", "s"])
    assert of_labels(["x", "x", "y"], ["p", "q", "r"]) != of_labels(["x", "y", "y"], ["p", "q", "r"])
    # Numbers in files are text.
    for numbers in ([1, 2, 3], [1.0, 2.0, 3.0], np.array([1, 2, 3])):
        assert of_labels(["x", "x", "y"], numbers) == of_labels(["x", "x", "y"], ["1", "2", "3"])


ODD_ITEMS = [
    "a",
    "a\0",
    "\0",
    "\1",
    "\1\1",
    "é",
    "e",
    "\u0663",
    "1\u0663",
    "3",
    "03",
    "00",
    "1" * 18,
    "1" * 19,
    "²",
    "\ud800",
]


def test_every_item_counts_beside_others_as_it_does_alone() -> None:
    def total(items: Any) -> int:
        """The fingerprint of a key with a document for each item, which is the sum of theirs."""
        labels, documents = ["x"] * len(items), range(len(items))
        return fingerprint(corefscore.from_labels(labels, items, documents).documents)

    alone = [total([item]) for item in ODD_ITEMS]
    assert len(set(alone)) == len(ODD_ITEMS)
    assert total([3]) == total(["3"]) == total([3.0]) == total(np.array([3]))
    others = [f"{number}x" for number in range(20_000)]
    assert total([*others, *ODD_ITEMS, *reversed(others)]) == (2 * total(others) + sum(alone)) % 2**64


def test_only_the_items_of_a_batch_are_looked_at() -> None:
    class Item:
        def __str__(self) -> str:
            raise AssertionError("an item that has no entity here")

    documents = corefscore.from_labels(["x", "x", None], ["p", "q", Item()]).documents
    assert digits_of(fingerprint(documents)) == digits_of(
        fingerprint(corefscore.from_labels(["x", "x"], ["q", "p"]).documents)
    )


def test_a_key_of_characters_is_the_same_beside_every_response(tmp_path: Path) -> None:
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    key.write_text('{"doc_key": "a", "text": "Ann didn\'t see her .", "clusters": [[[0, 3], [15, 18]]]}\n')
    found = set()
    for words in (["Ann", "didn't", "see", "her", "."], ["Ann", "did", "n't", "see", "her", "."]):
        end = len(words) - 2
        line = {"doc_key": "a", "sentences": [words], "clusters": [[[0, 0], [end, end]]]}
        response.write_text(json.dumps(line) + "\n")
        result = corefscore.score(key, response, "lea")
        assert result["lea"].f1 == 1
        found.add(result.key)
    assert found == {of(key)}


@pytest.mark.parametrize("value", ["", "7cf4a", "7cf4ag", "7cf4af "])
def test_what_is_no_fingerprint_is_refused(value: str) -> None:
    done = run("lea", KEY, RESPONSE, "--expect-key", value)
    assert (done.status, done.stdout) == (2, b"")
    assert b"expected a fingerprint" in done.stderr


def test_gaps_and_zeros_of_corefud_are_covered(tmp_path: Path) -> None:
    lines = ["# newdoc id = d", "# global.Entity = eid-etype-head-other", "# sent_id = 1"]
    cells = ["Entity=(e1[1/2]-x-1-", "_", "Entity=(e1[2/2]-x-1-)", "_"]
    cells[0] += ")"
    row = "\t".join(["{n}", "w", "w", "X", "_", "_", "{head}", "dep", "_", "{misc}"])
    text = [row.format(n=n + 1, head=0 if not n else 1, misc=cell) for n, cell in enumerate(cells)]
    path = tmp_path / "key.conllu"
    path.write_text("\n".join([*lines, *text]) + "\n\n")
    gap = of(path)
    whole = [cell.replace(cells[0], "Entity=(e1-x-1-").replace(cells[2], "Entity=e1)") for cell in text]
    path.write_text("\n".join([*lines, *whole]) + "\n\n")
    assert of(path) != gap


def test_signature_and_json_have_the_fingerprint_of_the_key() -> None:
    for options in ((), ("--jobs", "2"), ("--mentions", "given"), ("--singletons", "drop"), ("--window", "5")):
        done = command("lea", KEY, RESPONSE, "--format", "json", *options)
        assert b'"key": "7cf4af"' in done.stdout, options
        assert b"| key=7cf4af" in done.stdout, options


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("lea", KEY, RESPONSE), id="metric"),
        pytest.param(("compare", KEY, RESPONSE, RESPONSES / "birch.conll"), id="compare"),
        pytest.param(("rank", KEY, "--systems", RESPONSES), id="rank"),
        pytest.param(("errors", KEY, RESPONSE), id="errors"),
        pytest.param(("diff", KEY, RESPONSE), id="diff"),
        pytest.param(("check", "--min", "lea=50", KEY, RESPONSE), id="check"),
    ],
)
def test_every_command_that_scores_refuses_another_key(words: Sequence[str | Path]) -> None:
    assert run(*words, "--expect-key", "7CF4AF").status == 0
    assert run(*words, "--expect-key", "key=7cf4af").status == 0
    done = run(*words, "--expect-key", "3f9a1c")
    assert (done.status, done.stdout) == (1, b"")
    assert b"error[unexpected-key]" in done.stderr


def test_an_estimated_key_is_not_expected() -> None:
    done = run("cone", TESTDATA / "names" / "key.conll", "--estimate-key", "--expect-key", "7cf4af")
    assert (done.status, done.stdout) == (2, b"")
    assert b"only the key is written" in done.stderr
