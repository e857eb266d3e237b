"""The dialects of JSON: each is read as it is, scored beside every other, converted, and refused where it contradicts
itself.

``testdata/dialects`` has a folder for each: the same two documents in ``good.*``, and input that is refused or odd in
folders, whose messages are compared by `test_bad_input`.
"""

from __future__ import annotations

import json
import random
import warnings
from pathlib import Path

import corefscore
import pytest
from corefscore.checking.convert import convert
from corefscore.core.documents import Documents, joined
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding
from corefscore.formats import base
from corefscore.formats.jsonlines.dialects import BY_NAME, DIALECTS
from reading import read
from support import TESTDATA, call, within

FOLDER = TESTDATA / "dialects"
E2E = FOLDER / "e2e" / "good.jsonl"
GOOD = {path.parent.name: path for path in sorted(FOLDER.glob("*/good.*"))}

WITH_TOKENS = [name for name in GOOD if name != "fastcoref"]


def partitions(path: Path) -> list[tuple[str, list[list[tuple[int, int]]]]]:
    """The name and the entities of each document."""
    documents = joined(list(read(str(path), [])))
    return [(name, entities(documents, number)) for number, name in enumerate(documents.names)]


def entities(documents: Documents, number: int) -> list[list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = {}
    for entity, start, end in zip(documents.entity, documents.start, documents.end, strict=True):
        if documents.document[entity] == number:
            found.setdefault(int(entity), []).append((int(start), int(end)))
    return sorted(map(sorted, found.values()))


def test_every_dialect_has_its_folder_and_its_name() -> None:
    assert sorted(BY_NAME) == sorted(base.DIALECTS), "name every dialect in formats.base.DIALECTS, too"
    assert sorted(GOOD) == sorted(BY_NAME), "add testdata/dialects/NAME/good.jsonl with the entities of the others"
    without = [name for name in GOOD if not list(FOLDER.glob(f"{name}/*/command.txt"))]
    assert not without, f"add a folder with a fault and the message to testdata/dialects/{without[0]}"


@pytest.mark.parametrize("name", WITH_TOKENS)
def test_the_fields_tell_the_dialect(name: str) -> None:
    """The same entities, by hand: {Ann, her, She}, {her dog, it} and {Bo}."""
    expected = [("d1", [[(0, 0), (2, 2), (5, 5)], [(2, 3), (7, 7)]]), ("d2", [[(0, 0)]])]
    assert partitions(GOOD[name]) == expected


@pytest.mark.parametrize("key", GOOD)
@pytest.mark.parametrize("response", GOOD)
def test_a_key_in_one_dialect_scores_a_response_in_another(
    key: str, response: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    done = call(capfdbinary, "lea", GOOD[key], GOOD[response], "none")
    assert (done.status, done.stderr) == (0, b"")
    assert b"Coreference: Recall: (6 / 6) 100%" in done.stdout


def test_the_verbose_output_is_that_of_tokens_in_any_dialect(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The order of entities included, which characters alone would not give."""
    expected = call(capfdbinary, "every", E2E, E2E)
    for path in GOOD.values():
        assert call(capfdbinary, "every", E2E, path) == expected


@pytest.mark.parametrize("path", sorted(FOLDER.glob("crac-2026/*.json")), ids=lambda path: path.stem)
def test_an_array_is_read_however_it_is_laid_out(path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = call(capfdbinary, "validate", path)
    assert done.status == 0
    if path.stem != "empty-nodes":
        assert partitions(path) == partitions(E2E)


def test_documents_on_one_line_have_their_own_words() -> None:
    """The messages of a repeat tell the words of the document that has it."""
    one = {"doc_id": "a", "tokens": ["x", "y"], "clusters_token_offsets": [[[0, 0]], [[0, 0]]]}
    text = json.dumps([{**one, "doc_id": "0", "tokens": ["p", "q"]}, one])
    done = within("validate", "-", stdin=text.encode())
    assert b'in document "a": "x" (token 0) is annotated 2 times' in done.stdout + done.stderr


@pytest.mark.parametrize("seed", [1, 5])
def test_random_arrays_are_read_as_json_reads_them(seed: int, tmp_path: Path) -> None:
    """Objects without fields that count, among whatever JSON can hold; broken ones are refused."""
    numbers = random.Random(seed)
    pieces = [1, -2.5, None, True, 'a"\\b', "\u00e9\U0001f600", [], {}, [[1], "]"], {"x": "}"}]
    path = tmp_path / "array.json"
    refused = 0
    for _ in range(300):
        values = [{"doc_id": str(at), "other": numbers.choice(pieces), "clusters_token_offsets": []} for at in range(3)]
        text = json.dumps(values, indent=numbers.choice((None, 1)), ensure_ascii=numbers.random() < 0.5)
        if numbers.random() < 0.3:
            at = numbers.randrange(len(text))
            text = text[:at] + text[at + 1 :]
        path.write_text(text)
        try:
            sound = isinstance(json.loads(text), list)
        except ValueError:
            sound = False
        try:
            documents = joined(list(read(str(path), [])))
        except InputError:
            refused += 1
        else:
            assert sound
            assert len(documents) == 3
    assert 20 < refused < 100


@pytest.mark.parametrize("seed", range(20))
def test_characters_are_mapped_to_the_tokens_that_have_them(seed: int, tmp_path: Path) -> None:
    """Beside a slow twin: the tokens that share a character with the mention."""
    numbers = random.Random(seed)
    words = ["".join(numbers.choices("ab\u00e9\U0001f600", k=numbers.randint(1, 4))) for _ in range(12)]
    text, places = "", []
    for word in words:
        text += numbers.choice(["", " ", "\n\u3000"]) + word
        places.append((len(text) - len(word), len(text)))
    spans = [sorted(numbers.sample(range(len(text) + 1), 2)) for _ in range(8)]
    spans = [span for span in spans if text[slice(*span)].strip()]
    inside = [[at for at, (a, b) in enumerate(places) if a < end and b > start] for start, end in spans]
    key = {"doc_key": "d", "sentences": [words], "clusters": [[[its[0], its[-1]]] for its in inside]}
    response = {"text": text, "clusters": [[span] for span in spans]}
    for name, fields in (("key", key), ("response", response)):
        (tmp_path / name).write_text(json.dumps(fields) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = corefscore.score(tmp_path / "key", tmp_path / "response", "bcub", repeated="first")
    assert result["bcub"].f1 == 1


def test_a_part_is_part_of_the_name() -> None:
    assert [name for name, _ in partitions(FOLDER / "wl-coref" / "parts.jsonl")] == ["d_0", "d_1"]


def test_named_documents_of_characters_are_paired_by_name(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """They are in another order, and blanks are not those between tokens."""
    done = call(capfdbinary, "lea", E2E, FOLDER / "fastcoref" / "named.jsonl", "none")
    assert (done.stderr, b"Recall: (6 / 6) 100%" in done.stdout) == (b"", True)


def test_words_of_mentions_of_characters_are_those_of_the_text() -> None:
    objects = (
        {"text": "Ann saw her dog. She fed it.", "clusters": [[[0, 7]], [[0, 7]]]},
        {"text": "Bo ran.", "clusters": []},
    )
    done = within("lea", E2E, "-", stdin="\n".join(map(json.dumps, objects)).encode())
    assert b'"Ann saw" (tokens 0 to 1) is annotated 2 times' in done.stderr


@pytest.mark.parametrize("name", [*BY_NAME, "conll"])
@pytest.mark.parametrize("origin", GOOD)
def test_every_dialect_is_converted_to_every_other(origin: str, name: str, tmp_path: Path) -> None:
    """From characters tokens are pieces of the text, so the score beside the origin tells; from the others the
    partitions are the same."""
    notices: list[Finding] = []
    target = tmp_path / "file"
    target.write_text("".join(convert(str(GOOD[origin]), notices, name)))
    if "fastcoref" in (origin, name):
        assert corefscore.score(GOOD[origin], target, "lea")["lea"].f1 == 1
    else:
        assert partitions(target) == partitions(E2E)
    lost = {"dropped-fields", "cut-text", "dropped-sentences"}
    assert {notice.code for notice in notices} <= lost


def test_mentions_inside_each_other_are_not_written_word_by_word(tmp_path: Path) -> None:
    """Of 500 mentions the innermost has 1 word, the next one 3, and so on: 500 * 500 words in a text of 999."""
    for depth, status in ((300, 0), (500, 2)):
        cells = [*(f"w\t({number}" for number in range(depth - 1)), f"w\t({depth})"]
        cells += [f"w\t{number})" for number in reversed(range(depth - 1))]
        text = "#begin document (d); part 000\n" + "".join(f"{cell}\n" for cell in cells) + "\n#end document\n"
        (tmp_path / "in.conll").write_text(text)
        done = within("convert", tmp_path / "in.conll", tmp_path / f"out{depth}", "--format", "maverick", "--quiet")
        assert (done.status, (tmp_path / f"out{depth}").exists()) == (status, status == 0), done.stderr
    assert b"mentions are nested too deeply: 500 mentions contain 250000 words" in done.stderr


def test_what_is_written_is_of_its_dialect() -> None:
    """What a program of that name reads; without the fields that only its authors know."""
    for dialect in DIALECTS:
        text = "".join(convert(str(E2E), [], dialect.name))
        found = json.loads(text) if dialect.array else [json.loads(line) for line in text.splitlines()]
        good = GOOD[dialect.name].read_text()
        expected = json.loads(good) if dialect.array else [json.loads(line) for line in good.splitlines()]
        for one, other in zip(found, expected, strict=True):
            if dialect.name == "fastcoref":
                assert one["clusters_strings"] == other["clusters_strings"]
                continue
            fields = one.keys() & other.keys() - {"sentences"} | ({"sentences"} if dialect.name == "preco" else set())
            assert {dialect.clusters, dialect.names[0]} <= fields
            assert {field: one[field] for field in fields} == {field: other[field] for field in fields}


def test_a_mention_across_sentences_joins_them(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"doc_key": "d", "sentences": [["a", "b"], ["c"], ["d"]], "clusters": [[[1, 2], [3, 3]]]}\n')
    notices: list[Finding] = []
    (written,) = map(json.loads, convert(str(path), notices, "preco"))
    assert written == {"id": "d", "sentences": [["a", "b", "c"], ["d"]], "mention_clusters": [[[0, 1, 3], [1, 0, 1]]]}
    assert [notice.code for notice in notices] == ["joined-sentences"]


@pytest.mark.parametrize("name", GOOD)
def test_validate_knows_every_dialect(name: str) -> None:
    done = within("validate", GOOD[name], "--key", E2E)
    assert (done.status, b"(2 documents, " in done.stdout) == (0, True)


@pytest.mark.parametrize("name", GOOD)
def test_every_dialect_is_read_from_python_and_in_pieces(name: str, tmp_path: Path) -> None:
    corpus = corefscore.read(E2E)
    assert corefscore.score(corpus, GOOD[name], "lea")["lea"].f1 == 1
    assert corefscore.score(corefscore.read(GOOD[name]), corpus, "lea")["lea"].f1 == 1
    assert within("lea", E2E, GOOD[name], "none", "--jobs", "2").stdout == within("lea", E2E, E2E, "none").stdout


def test_offsets_are_of_tokens_where_the_dialect_is_named() -> None:
    """The second object has a text and no sentences, so that without a name the file is refused."""
    path = FOLDER / "e2e" / "then-characters" / "response.jsonl"
    assert within("lea", path, path, "none", "--input-format", "e2e").status == 0


def test_a_dialect_can_be_named() -> None:
    """An object with the fields of two is of that which is asked for, or that whose clusters are."""
    path = FOLDER / "e2e" / "fields-of-two-dialects" / "response.jsonl"
    with pytest.raises(InputError, match='field "document_id" is missing'):
        corefscore.read(path, input_format="wl-coref")
    with pytest.raises(InputError, match='field "document_id" is missing'):
        corefscore.read(path, columns="clusters=span_clusters")
    assert corefscore.read(path, input_format="e2e").names == ["d1"]
    assert corefscore.read(GOOD["maverick"], input_format="jsonlines").names == ["d1", "d2"]


@pytest.mark.parametrize("text", ['{"id": "d", "mention_clusters": []}', '{"id": "d", "coref_chains": [[]]}'])
def test_a_document_without_words_may_have_no_mentions(text: str, tmp_path: Path) -> None:
    """Offsets within sentences need these only if there are offsets."""
    path = tmp_path / "key.jsonl"
    path.write_text(f"{text}\n")
    assert partitions(path) == [("d", [])]


def test_all_commands_take_a_response_of_characters() -> None:
    """The key is read before anybody knows that its words are asked for."""
    response = GOOD["fastcoref"]
    for arguments in (
        ("compare", E2E, f"a={response}", f"b={E2E}", "--measures", "lea"),
        ("rank", E2E, f"a={response}", f"b={E2E}", "--measures", "lea"),
        ("errors", E2E, response),
        ("diff", E2E, response),
        ("check", E2E, response, "--min", "lea=100"),
    ):
        assert within(*arguments).status == 0, arguments
