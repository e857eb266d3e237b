"""JSON lines: what each field means, odd input, and documents under names of the two forms.

The whole message for each kind of fault is in ``testdata/bad/json-*``.
"""

from __future__ import annotations

import gzip
import json
import random
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.core.documents import KEY, Documents, Place, joined
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats import Reading, conll
from corefscore.formats.jsonlines import reader as jsonlines
from corefscore.formats.jsonlines.dialects import BY_NAME
from corefscore.formats.jsonlines.objects import Offsets, faults_of, flattened, recognises
from corefscore.formats.sides import side_in
from corefscore.formats.words import words_in
from corefscore.matching.pairing import Pairing, in_other_form
from reading import read
from support import RECORDED, TESTDATA, call, loaded, within

DEMO = TESTDATA / "demo"

CAT = [["The", "cat", "saw", "it", "."]]

SCORED = [
    case
    for case in sorted(RECORDED.iterdir())
    if json.loads((case / "status.json").read_text()).get("all-none", {"exit": 1})["exit"] == 0
    and case.name != "other-name-0001"
]
"""Without the one whose documents belong together once one of them is JSON."""


def lines(*objects: dict[str, Any]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


def read_text(text: str | bytes, folder: Path, side: str = KEY, field: str | None = None) -> Documents:
    """The documents of a text, as one batch."""
    path = folder / "file.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return joined(list(read(str(path), [], Reading(input_format="jsonlines", columns=field), side=side)))


def entities(documents: Documents) -> list[list[tuple[int, int]]]:
    """The entities of a batch, each as its mentions."""
    found: list[list[tuple[int, int]]] = [[] for _ in documents.document]
    for entity, start, end in zip(documents.entity, documents.start, documents.end, strict=True):
        found[entity].append((int(start), int(end)))
    return found


def converted(conll_file: Path, folder: Path) -> Path:
    path = folder / f"{conll_file.stem}.jsonl"
    path.write_bytes(within("convert", conll_file, "-", "--quiet").stdout)
    return path


def test_the_demo_pair_scores_exactly_as_in_conll(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Every line of the verbose output, whichever side is in which format; entities have the same numbers."""
    key, response = DEMO / "key.conll", DEMO / "response.conll"
    expected = call(capfdbinary, "every", key, response)
    other_key, other_response = converted(key, tmp_path), converted(response, tmp_path)
    for pair_of_files in ((other_key, other_response), (key, other_response), (other_key, response)):
        assert call(capfdbinary, "every", *pair_of_files) == expected


def test_a_score_by_hand(tmp_path: Path) -> None:
    """Key {a, b, c}, response {a, b}: LEA recall 3 x (1/3) / 3, precision 2 x (1/1) / 2."""
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    key.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}))
    response.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [2, 3]]]}))
    lea = corefscore.score(key, response, metrics="lea")["lea"]
    assert (lea.recall, lea.precision) == (1 / 3, 1)


@pytest.mark.parametrize("case", SCORED, ids=lambda case: case.name)
def test_recorded_cases_score_the_same_as_json_lines(
    case: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The recorded output of the official scorer, for the files converted to JSON lines."""
    for side in ("key", "response"):
        done = call(capfdbinary, "convert", case / f"{side}.conll", tmp_path / f"{side}.jsonl", "--quiet")
        assert done.status == 0
    done = call(capfdbinary, "all", tmp_path / "key.jsonl", tmp_path / "response.jsonl", "none")
    assert done.body == (case / "all-none.txt").read_bytes()


def test_a_line_becomes_a_document(tmp_path: Path) -> None:
    text = lines(
        {"doc_key": "d", "sentences": CAT, "clusters": [[[3, 3], [0, 1]], []], "speakers": [["A"] * 5]},
        {"doc_key": "e", "clusters": []},
    )
    documents = read_text(text, tmp_path)
    assert (list(documents.names), documents.tokens.tolist()) == (["d", "e"], [5, -1])
    assert (entities(documents), documents.line.tolist()) == ([[(0, 1), (3, 3)]], [1, 1])
    assert documents.words_of([0, 1]) == ["The cat", "it"]


def test_without_sentences_messages_show_offsets(tmp_path: Path) -> None:
    documents = read_text(lines({"doc_key": "d", "clusters": [[[3, 5]]]}), tmp_path)
    assert documents.words_of([0]) == ["3-5"]


def test_entities_come_as_conll_would_give_them(tmp_path: Path) -> None:
    """Rule 8 of its grammar: entities in order of first appearance, mentions in the order in which they close."""
    clusters = [[[4, 4]], [[1, 3], [0, 4]], [[1, 2], [2, 2]], [[0, 0], [2, 2]]]
    documents = read_text(lines({"doc_key": "d", "clusters": clusters}), tmp_path)
    assert entities(documents) == [[(0, 0), (2, 2)], [(1, 3), (0, 4)], [(2, 2), (1, 2)], [(4, 4)]]
    assert [documents.name_of(entity) for entity in range(4)] == ["3", "1", "2", "0"]


@pytest.mark.parametrize(
    ("sentences", "tokens"),
    [
        pytest.param(None, 3, id="no sentences"),
        pytest.param([["[CLS]", "play", "##ing", "c", "##at", "[SEP]"], ["s"]], 3, id="segments of subtokens"),
        pytest.param([["playing", "cat"], ["s"]], 3, id="words"),
    ],
)
def test_offsets_of_subtokens_are_mapped_to_words(
    sentences: list[list[str]] | None, tokens: int, tmp_path: Path
) -> None:
    fields = {"doc_key": "d", "sentences": sentences, "subtoken_map": [0, 0, 0, 1, 1, 1, 2]}
    documents = read_text(lines({**fields, "clusters": [[[1, 2], [3, 6]], [[4, 4]]]}), tmp_path)
    assert (documents.tokens.tolist(), entities(documents)) == ([tokens], [[(0, 0), (1, 2)], [(1, 1)]])
    if sentences:
        assert documents.words_of([0, 1]) == ["playing", "cat s"]


BOTH = {"doc_key": "d", "clusters": [[[0, 0]]], "predicted_clusters": [[[1, 1]]], "x": [[[2, 2]]], "y": [[[3, 3]]]}
FIELDS = "key.clusters=clusters,response.clusters=x"


@pytest.mark.parametrize(
    ("side", "field", "expected"),
    [
        ("key", None, 0),
        ("response", None, 1),
        ("key", "clusters=x", 2),
        ("response", "clusters=x", 2),
        ("key", "key.clusters=x,response.clusters=y", 2),
        ("response", "key.clusters=x,response.clusters=y", 3),
    ],
)
def test_which_field_has_the_clusters(side: str, field: str | None, expected: int, tmp_path: Path) -> None:
    documents = read_text(lines(BOTH), tmp_path, side=side, field=field)
    assert entities(documents) == [[(expected, expected)]]


def test_the_clusters_field_reaches_every_way_of_scoring(tmp_path: Path) -> None:
    """One file on both sides: clusters against predicted_clusters share nothing, x against x everything."""
    path = tmp_path / "both.jsonl"
    path.write_text(lines(BOTH))
    assert b"F1: 0%" in within("bcub", path, path).stdout.splitlines()[-2]
    assert b"F1: 100%" in within("bcub", path, path, "--columns", "clusters=x").stdout.splitlines()[-2]
    assert corefscore.score(path, path)["bcub"].f1 == 0
    assert corefscore.score(path, path, columns="clusters=x")["bcub"].f1 == 1
    key = corefscore.read(path, columns="clusters=y", input_format="jsonlines")
    assert corefscore.score(key, path, columns="clusters=y")["bcub"].f1 == 1


def test_an_unknown_format_is_wrong_usage() -> None:
    with pytest.raises(corefscore.UsageError, match="input_format='json': expected one of conll, corefud"):
        corefscore.read(DEMO / "key.conll", input_format="json")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'\xef\xbb\xbf{"doc_key": "d", "clusters": [[[0, 1]]]}\n', id="a byte order mark"),
        pytest.param(b'\xef\xbb\xbf\n{"doc_key": "d", "clusters": [[[0, 1]]]}\n', id="a byte order mark and no more"),
        pytest.param(b'\r\n\n {"doc_key": "d", "clusters": [[[0, 1]]]}\t\r\n\n', id="blanks, blank lines and CRLF"),
        pytest.param(b'{"doc_key": "d", "clusters": [[[0, 1]]]}', id="no line end"),
        pytest.param(gzip.compress(b'{"doc_key": "d", "clusters": [[[0, 1]]]}\n'), id="compressed"),
        pytest.param(b'{"doc_key": "d", "clusters": [[[0, 1]]], "x": [NaN, {"x": 1, "x": 2}]}', id="other fields"),
        pytest.param(b'{"doc_key": "d", "sentences": null, "clusters": [[], [[0, 1]]]}', id="null and empty"),
    ],
)
def test_odd_but_legal_lines(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text)
    documents = joined(list(read(str(tmp_path / "file"), [])))
    assert (list(documents.names), entities(documents)) == (["d"], [[(0, 1)]])


def test_names_that_are_no_text_can_be_printed(tmp_path: Path) -> None:
    """Half a surrogate pair is legal JSON and no character: it is spelt out, unless it stands for an odd byte."""
    path = tmp_path / "file.jsonl"
    path.write_text('{"doc_key": "a\\udcff\\ud800", "clusters": [[[0, 0]], [[0, 0]]]}\n')
    done = within("lea", path, path, "--repeated", "first")
    assert (done.status, done.stdout.count(b"a\xff\\ud800")) == (0, 5)


def test_the_size_of_batches_does_not_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    objects = [{"doc_key": f"d{n}", "sentences": CAT, "clusters": [[[0, n % 5]], [[1, 1]]][: n % 3]} for n in range(9)]
    path = tmp_path / "file.jsonl"
    path.write_text(lines(*objects))

    def everything() -> list[object]:
        documents = joined(list(read(str(path), [])))
        columns = ("document", "label", "entity", "start", "end", "line", "tokens")
        return [list(documents.names), *(getattr(documents, name).tolist() for name in columns)]

    whole = everything()
    for size in (1, 200):
        monkeypatch.setattr(jsonlines, "BATCH", size)
        assert everything() == whole


@pytest.mark.parametrize(("dialect", "sizes"), [("e2e", [5]), ("wl-coref", [5]), ("preco", [3, 5, 5, 5, 5, 5])])
def test_sound_clusters_are_told_from_faulty_ones_both_ways(dialect: str, sizes: list[int]) -> None:
    """The fast check finds nothing exactly where the slow one, which makes the message, has something to say."""
    offsets = Offsets(sizes, "", BY_NAME[dialect])
    width = 3 if offsets.dialect.by_sentence else 2
    numbers = random.Random(0)
    pieces = [0, 1, 2, 3, 4, 4, -1, True, 2.0, None, "1", 10**30]
    sound = 0
    for _ in range(5_000):
        choices = pieces[:6] if numbers.random() < 0.6 else pieces
        clusters: list[Any] = [
            [
                sorted(numbers.choices(choices[:5], k=width)),
                [numbers.choice(choices) for _ in range(numbers.choice((2, width, width, 3)))],
            ]
            for _ in range(numbers.randint(0, 2))
        ]
        if numbers.random() < 0.05:
            clusters.append(numbers.choice(([1], {}, None, [[]], "ab")))
        if flattened(clusters, offsets) is None:
            assert list(faults_of(clusters, offsets))
        else:
            sound += 1
            assert not list(faults_of(clusters, offsets))
    assert 500 < sound < 4_500


def test_random_bytes_are_read_or_refused(tmp_path: Path) -> None:
    numbers = random.Random(1)
    good = lines({"doc_key": "d", "sentences": CAT, "subtoken_map": [0, 0, 1, 2, 2], "clusters": [[[0, 1], [3, 3]]]})
    refused = 0
    for _ in range(1_000):
        noise = bytearray(good.encode())
        for _ in range(numbers.randint(1, 3)):
            noise[numbers.randrange(len(noise))] = numbers.choice(b'{}[]",:01-.etn\\\n\r\0\xff ')
        try:
            read_text(bytes(noise), tmp_path)
        except InputError as error:
            str(error).encode("utf-8", "surrogateescape")
            refused += 1
    assert 300 < refused < 1_000


@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 100_000, b'{"doc_key": "d", "clusters": [[[%s, 1]]]}'])
def test_deep_brackets_and_long_numbers_are_refused(text: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_text(text.replace(b"%s", b"9" * 10_000), tmp_path)


def test_a_folder_is_one_corpus(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(lines({"doc_key": name, "clusters": []}))
    assert list(joined(list(read(str(tmp_path), []))).names) == ["a", "b"]


def test_other_formats_are_imported_only_when_needed() -> None:
    late = ["corefscore.formats.jsonlines.reader", "corefscore.checking.convert"]
    assert loaded(late, ["lea", DEMO / "key.conll", DEMO / "response.conll", "none"]) == []


@pytest.mark.parametrize(
    ("head", "is_conll", "is_json"),
    [
        (b"#begin document d\n", True, False),
        (b"\xef\xbb\xbf# \tbegin document d\n", True, False),
        (b"[junk]\n#begin document d\n", True, False),
        (b'{"doc_key": "#begin document d"}', False, True),
        (b" \n[\n", False, True),
        (b"#begin documentd\n", False, False),
        (b"", False, False),
    ],
)
def test_content_tells_the_format(head: bytes, is_conll: bool, is_json: bool) -> None:
    """CoNLL is asked first."""
    assert (bool(conll.FORMAT.recognises(head)), recognises(head)) == (is_conll, is_json)


PART, OTHER_PART = "(bn/x); part 000", "(bn/x); part 002"


@pytest.mark.parametrize(
    ("key", "response", "expected"),
    [
        pytest.param([PART], ["bn/x_0"], {PART: "bn/x_0"}, id="the key in CoNLL"),
        pytest.param(["bn/x_0"], [PART], {"bn/x_0": PART}, id="the response in CoNLL"),
        pytest.param([PART, OTHER_PART], ["bn/x_2"], {OTHER_PART: "bn/x_2"}, id="the suffix is the number of the part"),
        pytest.param(["(x); part 12"], ["x_12"], {"(x); part 12": "x_12"}, id="zeros do not count"),
        pytest.param(["(x_1); part 0"], ["x_1_0"], {"(x_1); part 0": "x_1_0"}, id="only the last number is the part"),
        pytest.param([PART], [PART], {}, id="equal names need no other form"),
        pytest.param([PART], [PART, "bn/x_0"], {}, id="equal names come first, in the response"),
        pytest.param([PART, "bn/x_0"], ["bn/x_0"], {}, id="equal names come first, in the key"),
        pytest.param([PART, "(bn/x); part 0"], ["bn/x_0"], {}, id="two of the key can be meant"),
        pytest.param(["bn/x_0"], [PART, "(bn/x); part 0"], {}, id="two of the response can be meant"),
        pytest.param([PART], ["bn/x_00"], {}, id="a suffix has no zeros in front"),
        pytest.param([PART], ["bn/x", "x_0", "(bn/x); part 0"], {}, id="no other likeness counts"),
        pytest.param([PART], ["bn/x"], {PART: "bn/x"}, id="the only part needs no number"),
        pytest.param(["bn/x"], [PART], {"bn/x": PART}, id="nor in the key"),
        pytest.param([PART], ["bn/x", "bn/x_0"], {PART: "bn/x_0"}, id="a number is better than none"),
        pytest.param([PART, "(bn/x); part 001"], ["bn/x"], {}, id="there is another part"),
        pytest.param([PART], ["bn/x", "(bn/x); part 001"], {}, id="there is another part on the other side"),
        pytest.param([PART, "bn/x"], ["bn/x"], {}, id="a document without part comes first"),
        pytest.param(["(bn/x); part 001"], ["bn/x"], {}, id="the only part is not the first"),
        pytest.param([f"(x); part {'9' * 5000}"], ["y_0"], {}, id="a number of any length"),
    ],
)
def test_names_of_the_two_forms(key: list[str], response: list[str], expected: dict[str, str]) -> None:
    assert in_other_form(key, response) == expected


def batches(names: list[list[str]], seen: list[str], *, exact_names: bool = False) -> Iterator[Documents]:
    """Documents without mentions, batch by batch; ``seen`` tells which were asked for."""
    for batch in names:
        seen += batch
        places = [Place(Source("x"), number) for number, _ in enumerate(batch)]
        yield Documents(batch, places, np.zeros(len(batch), dtype=np.int64), exact_names=exact_names)


@pytest.mark.parametrize("turned", [False, True])
def test_documents_of_the_two_forms_are_paired_across_batches(turned: bool) -> None:
    """The response lists them in another order, and one goes by its equal name."""
    parts = [["(a); part 000"], ["(a); part 001", "same"], ["(b); part 000", "(c); part 000"]]
    keys = [["b_0", "same"], ["a_1"], ["a_0", "d_0"]]
    key, response = (keys, parts) if turned else (parts, keys)
    notices: list[Finding] = []
    pairs = list(Pairing(batches(key, []), batches(response, []), notices))
    names = [name for each in pairs for name in each.key.names]
    assert names == [name for batch in key for name in batch]
    present = {name for each in pairs for name, there in zip(each.key.names, each.present, strict=True) if there}
    assert present == set(names) - {"(c); part 000", "d_0"}
    assert [notice.code for notice in notices] == ["missing-document", "extra-document"]


@pytest.mark.parametrize(("key", "response"), [(True, True), (True, False), (False, True), (False, False)])
def test_between_two_conll_files_names_are_equal_or_not(key: bool, response: bool) -> None:
    """So for the official scorer; recorded case other-name-0001."""
    sides = batches([["(a); part 000"]], [], exact_names=key), batches([["a_0"]], [], exact_names=response)
    (found,) = Pairing(*sides, [])
    assert found.present.tolist() == [not (key and response)]


def test_thousands_of_names_of_the_two_forms_take_no_time() -> None:
    """Ten seconds and more where each of 20,000 names is looked for in a list."""
    parts = [f"(d{number}); part 000" for number in range(20_000)]
    keys = [f"d{number}_0" for number in reversed(range(20_000))]
    pairs = list(Pairing(batches([[part] for part in parts[:100]] + [parts[100:]], []), batches([keys], []), []))
    assert all(each.present.all() for each in pairs)


def test_equal_names_are_read_batch_by_batch() -> None:
    """Whoever asks for the first pairs has not read the rest of either side."""
    key_seen: list[str] = []
    response_seen: list[str] = []
    names = [["a_0"], ["(b); part 000"], ["c"]]
    next(iter(Pairing(batches(names, key_seen), batches(names, response_seen), [])))
    assert (key_seen, response_seen) == (["a_0"], ["a_0"])


def test_results_have_the_name_of_the_key_in_either_direction(tmp_path: Path) -> None:
    conll_file, json_file = tmp_path / "x.conll", tmp_path / "x.jsonl"
    conll_file.write_text("#begin document (bn/x); part 002\nThe\t(1\ncat\t1)\nit\t(1)\n#end document\n")
    json_file.write_text(lines({"doc_key": "bn/x_2", "clusters": [[[0, 1], [2, 2]]]}))
    for key, response, name in ((conll_file, json_file, "(bn/x); part 002"), (json_file, conll_file, "bn/x_2")):
        done = within("muc", key, response)
        assert (done.stderr, done.stdout.count(f"{name}:\n".encode())) == (b"", 5)
        assert b"Coreference: Recall: (1 / 1) 100%\tPrecision: (1 / 1) 100%\tF1: 100%" in done.stdout
        assert within("muc", key, response, name).status == 0


def test_the_options_are_the_same_for_every_command_that_scores(tmp_path: Path) -> None:
    """Of each document, x is what the key has, and y shares no mention with it."""
    path = tmp_path / "both.jsonl"
    path.write_text(lines(*({**BOTH, "doc_key": f"d{number}"} for number in range(3))))
    field = ("--columns", FIELDS, "--input-format", "jsonlines", "--quiet", "--measures", "bcub")
    assert within("rank", path, f"x={path}", *field).status == 0
    assert within("check", path, path, "--min", "bcub=100", "--columns", "clusters=x").status == 0
    assert within("check", path, path, "--min", "bcub=100", "--columns", FIELDS).status == 3


BOTH_SIDES = [
    {"clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[0, 0], [1, 1]], [[2, 2]]]},
    {"clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[0, 0], [2, 2]]]},
]
"""LEA 2/4 and 2/5: the first entity is whole, and one mention of three is alone in the response."""


@pytest.mark.parametrize("names", [{}, {"doc_key": "d"}], ids=["without names", "with names"])
def test_one_file_with_both_sides_is_enough(
    names: dict[str, str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "both.jsonl"
    path.write_text(lines(*({**names, **fields} for fields in BOTH_SIDES[: 1 if names else 2])))
    for rest in ([], ["none"], ["--format", "json"], ["--jobs", "2"], [names.get("doc_key", "2")]):
        assert call(capfdbinary, "lea", path, *rest) == call(capfdbinary, "lea", path, path, *rest)
    for rest in ([], ["none"]):
        assert call(capfdbinary, "lea", path, *rest).status == 0
    assert dict(corefscore.score(path)) == dict(corefscore.score(path, path))
    if not names:
        assert corefscore.score(path)["lea"].recall_counts == (2, 4)
        assert corefscore.score(path)["lea"].precision_counts == (2, 5)


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        (("a", "b"), "key.clusters=a,response.clusters=b"),
        (("clusters", "b"), "response.clusters=b"),
        (("a", "predicted_clusters"), "key.clusters=a"),
    ],
)
def test_fields_that_are_named_are_both_sides(
    names: tuple[str, str], fields: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "both.jsonl"
    path.write_text(lines({name: [[[0, 0], [1, 1]]] for name in names}))
    done = call(capfdbinary, "lea", path, "none", "--columns", fields)
    assert done.stdout.splitlines()[-2].endswith(b"F1: 100%")
    assert corefscore.score(path, columns=fields)["lea"].f1 == 1


@pytest.mark.parametrize(
    "name", ["pred_clusters", "predicted_cluster", "clustersPredicted", "system_clusters", "predictions", "model_coref"]
)
@pytest.mark.parametrize("clusters", ["clusters", "clusters_token_offsets"])
def test_predictions_in_a_field_of_another_name_are_not_left_out(name: str, clusters: str, tmp_path: Path) -> None:
    """The clusters of the key, which the file also has, would get 100."""
    path = tmp_path / "file.jsonl"
    path.write_text(json.dumps({"tokens": ["a", "b"], clusters: [[[0, 0], [1, 1]]], name: [[[0, 0]]]}))
    key = corefscore.read(path, side="key")
    with pytest.raises(InputError, match=rf'"{name}" occurs together with {clusters}.*\n.*response.clusters='):
        corefscore.score(key, path, "muc")
    later = tmp_path / "later.jsonl"
    named = "doc_key" if clusters == "clusters" else "doc_id"
    both = {named: "b", **json.loads(path.read_text())}
    later.write_text(lines({named: "a", "tokens": ["a"], clusters: []}, both))
    with pytest.raises(InputError, match=rf'later.jsonl:2: .*"{name}" contains clusters here, but not in the first'):
        corefscore.score(later, later, "muc")
    for field, recall in ((name, 0), (clusters, 1)):
        response = corefscore.read(path, side="response", columns=f"clusters={field}")
        assert corefscore.score(key, response, "muc")["muc"].recall == recall


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("predicted_clusters_filtered", True),
        ("final_clusters", True),
        ("word_clusters", False),
        ("clusters", False),
        ("gold_clusters", False),
        ("ner", False),
    ],
)
def test_predictions_in_two_fields_are_told(name: str, told: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"sentences": [["a", "b"]], "predicted_clusters": [[[0, 0]]], name: [[[0, 0], [1, 1]]]}))
    response = corefscore.read(path, side="response")
    assert [notice.code for notice in response.notices] == ["chosen-column"] * told
    assert [len(entity) for entities in response.clusters().values() for entity in entities.values()] == [1]
    assert not corefscore.read(path, side="response", columns="clusters=predicted_clusters").notices
    for other in (0.5, "spanbert", [[0, 1, "PER"]], {"f1": 1}, [0, 1]):
        path.write_text(
            lines({"sentences": [["a", "b"]], "predicted_clusters": [[[0, 0]]], "predicted_cluster": other})
        )
        assert not corefscore.read(path, side="response").notices, other


@pytest.mark.parametrize(
    ("words", "subtoken_map", "last", "told"),
    [
        (4, [0, 1, 1, 2, 3], 3, True),
        (4, [0, 1, 1, 2, 3], 4, False),
        (4, [0, 1, 2, 3], 3, False),
        (5, [0, 1, 1, 2, 3], 3, False),
        (5, [0, 1, 1, 2, 3], 1, True),
        (5, [0, 1, 1, 2, 3], 2, True),
        (None, [0, 1, 1, 2, 3], 3, False),
        (None, [0, 1, 1, 2, 3], 2, True),
        (None, [0, 1, 1, 2, 3], 4, False),
    ],
)
def test_offsets_that_may_count_words_are_told(
    words: int | None, subtoken_map: list[int], last: int, told: bool, tmp_path: Path
) -> None:
    """All offsets are within the words; those are given, not their subtokens, or a mention cuts a word."""
    path = tmp_path / "file.jsonl"
    sentences = {} if words is None else {"sentences": [["a", "b", "c", "d", "e"][:words]]}
    clusters = [[[0, 0], [last, last]]]
    path.write_text(lines({"doc_key": "d", **sentences, "subtoken_map": subtoken_map, "clusters": clusters}))
    assert ["perhaps-words"] * told == [notice.code for notice in corefscore.read(path).notices]


@pytest.mark.parametrize(("whole", "told"), [(1, True), (2, False)])
def test_few_mentions_that_cut_words_are_a_model_s(whole: int, told: bool, tmp_path: Path) -> None:
    """By chance, every second edge would be within a word; one of 3 is, or of 5."""
    path = tmp_path / "file.jsonl"
    subtoken_map = [word for word in range(21) for _ in range(2)][:41]
    mentions = [[first, first + 1] for first in range(0, 2 * whole, 2)]
    clusters = [*([mention] for mention in mentions), [[18, 18]]]
    path.write_text(lines({"doc_key": "d", "subtoken_map": subtoken_map, "clusters": clusters}))
    assert ["perhaps-words"] * told == [notice.code for notice in corefscore.read(path).notices]


@pytest.mark.parametrize("name", ["predictions", "predicted_coref", "pred", "hypothesis", "output"])
@pytest.mark.parametrize(
    "value",
    [{"0": [[0, 0]]}, {"clusters": []}, [{"mentions": []}], [[{"start": 0, "end": 0}]], [[[0, 1, 0.9]]], [["a", "b"]]],
)
def test_predictions_of_another_shape_are_not_left_out(name: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], name: value}))
    with pytest.raises(InputError, match=f'"{name}" occurs together with clusters'):
        corefscore.read(path, side="response")


@pytest.mark.parametrize("value", [[], None, ["0-0 2-2"], "((0,0),(2,2))"])
@pytest.mark.parametrize("name", ["pred_clusters", "predicted_coreference_clusters", "systemClusters"])
def test_predictions_that_are_none_are_not_left_out(name: str, value: object, tmp_path: Path) -> None:
    """A system that predicts nothing would get the score of the key that the file has, too."""
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], name: value}))
    with pytest.raises(InputError, match=f'"{name}" occurs together with clusters'):
        corefscore.read(path, side="response")


@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("gold_clusters", "key"),
        ("goldClusters", "key"),
        ("reference", "key"),
        ("y_pred", "response"),
        ("predictedClusters", "response"),
        ("model_coref", "response"),
        ("pred_vs_gold", ""),
        ("doc_key", ""),
        ("coreference", ""),
        ("preferred_name", ""),
        ("predefined", ""),
        ("unpredictable", ""),
        ("model", ""),
        ("predicted_type", ""),
    ],
)
def test_the_side_that_a_name_seems_to_mean(name: str, side: str) -> None:
    assert side_in(name) == side


@pytest.mark.parametrize("name", ["answer_clusters", "result", "inferred", "chains"])
@pytest.mark.parametrize("value", [[[[0, 0]]], "[[[0, 0]]]"], ids=["a list", "text"])
def test_clusters_in_any_field_of_a_response_are_not_left_out(name: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], name: value}))
    with pytest.raises(InputError, match=f'"{name}" occurs together with clusters'):
        corefscore.read(path, side="response")
    assert not corefscore.read(path, side="key").notices


@pytest.mark.parametrize(
    ("name", "fields", "side"),
    [
        ("predicted_clusters", ("clusters", "predicted_clusters"), "key"),
        ("pred", ("clusters", "pred"), "key"),
        ("gold_clusters", ("clusters", "gold_clusters"), "response"),
        ("gold_clusters", ("gold_clusters", "predicted_clusters"), "response"),
        ("pred", ("gold", "pred"), "key"),
    ],
)
def test_a_field_of_one_side_is_not_read_for_both(name: str, fields: Sequence[str], side: str, tmp_path: Path) -> None:
    """One field for both sides gets 100, whatever the system found."""
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", **{field: [[[0, 0], [1, 1]]] for field in fields}}))
    own = next(field for field in fields if field != name)
    with pytest.raises(
        corefscore.UsageError, match=rf"clusters={name} applies to both sides, but the {side} has {own}"
    ):
        corefscore.score(path, path, "muc", columns=f"clusters={name}")
    both = f"key.clusters={name},response.clusters={name}"
    assert corefscore.score(path, path, "muc", columns=both)["muc"].f1 == 1
    assert corefscore.read(path, columns=f"clusters={name}").names == ["d"], "there is only one side"


@pytest.mark.parametrize("name", ["gold", "reference", "true_entities"])
def test_a_key_with_any_such_name_is_not_left_out(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], name: [[[0, 0]]]}))
    with pytest.raises(InputError, match=f'"{name}" occurs together with clusters'):
        corefscore.read(path, side="key")


OF_DOCUMENTS = "the names of documents"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "a"}, [("name", OF_DOCUMENTS)]),
        ({"file": "a", "tokens": ["a", "b"]}, [("file", OF_DOCUMENTS), ("tokens", "the words")]),
        ({"docId": "a"}, [("docId", OF_DOCUMENTS)]),
        ({"sample_id": "a", "split": "test"}, [("sample_id", OF_DOCUMENTS)]),
        ({"path": "a"}, [("path", OF_DOCUMENTS)]),
        ({"uid": "a", "url": "a"}, [("uid", OF_DOCUMENTS)]),
        ({"sampleId": "a"}, [("sampleId", OF_DOCUMENTS)]),
        ({"story name": "a"}, [("story name", OF_DOCUMENTS)]),
        ({"_id": 200 * "a"}, [("_id", OF_DOCUMENTS)]),
        ({"_id": 201 * "a"}, []),
        ({"_id": "a cat"}, []),
        ({"_id": ""}, []),
        ({"idx": "0"}, []),
        ({"response_id": "a"}, []),
        ({"lang": "a", "created": 7}, []),
        ({"uid": ["a"], "valid": True}, []),
        ({"title": "The cat"}, [("title", OF_DOCUMENTS)]),
        ({"idx": 7}, [("idx", OF_DOCUMENTS)]),
        ({"idx": 0}, []),
        *(({name: "a"}, [(name, OF_DOCUMENTS)]) for name in ("source", "pmid", "Scene", "item_no", "ref", "page")),
        ({"sources": "a", "invalid": "b"}, []),
        ({"minutes": 7}, []),
        ({"remark": "none at all"}, []),
        ({"doc_key": "a", "title": "b", "words": ["a", "b"]}, [("words", "the words")]),
        ({"doc_key": "a", "sentences": [["a", "b"]], "tokens": ["a", "b"]}, []),
        ({"name": 5}, [("name", OF_DOCUMENTS)]),
        ({"book": "a", "lang": "a"}, [("book", OF_DOCUMENTS)]),
        ({"doc": 7}, [("doc", OF_DOCUMENTS)]),
        *(({name: "a"}, [(name, OF_DOCUMENTS)]) for name in ("key", "__key__", "sample_key")),
        ({"gold_key": "a"}, []),
        ({"document_name": 7}, [("document_name", OF_DOCUMENTS)]),
        ({"doc_key": "a", "tokens": ["a", "b"], "subtoken_map": [0, 1]}, []),
        ({"document": "a text with blanks"}, []),
    ],
)
def test_fields_that_may_be_meant_are_told(
    fields: dict[str, object], told: list[tuple[str, str]], tmp_path: Path
) -> None:
    """Shuffled documents were compared by their lines, and other words by their numbers."""
    path = tmp_path / "file.jsonl"
    others = {
        "a": "b",
        200 * "a": 200 * "b",
        201 * "a": 201 * "b",
        "a cat": "a dog",
        "": "a",
        "0": 1,
        0: 1,
        5: 2,
        7: 4,
        "The cat": "The dog",
        "none at all": "of the cat",
    }
    second = {name: value if isinstance(value, list) else others.get(value, value) for name, value in fields.items()}
    second["clusters"] = []
    path.write_text(lines({**fields, "clusters": [[[0, 0], [1, 1]]]}, second))
    notices = [notice for notice in corefscore.read(path).notices if notice.code == "unread-field"]
    assert sorted((notice.details["name"], notice.details["what"]) for notice in notices) == told


@pytest.mark.parametrize(
    ("field", "values", "told"),
    [
        ("stem", ["ab1", "ab2", "bc1", "bc2", "cd"], True),
        ("stem", ["ab1", "ab2", "bc1", "bc2"], False),  # few
        ("stem", ["ab1", "ab2", "bc1", "bc2", "ab1"], False),
        ("stem", ["ab 1", "ab 2", "bc 1", "bc 2", "cd"], False),
        ("stem", [3, 1, 2, 5, 4], False),
        ("loss", ["0.1", "0.2", "0.3", "0.4", "0.5"], False),
        ("made", [f"2026-01-0{day}T10:00:00Z" for day in range(1, 6)], False),
        ("date", ["ab1", "ab2", "bc1", "bc2", "cd"], False),
        ("system", ["ab1", "ab2", "bc1", "bc2", "cd"], False),
    ],
)
def test_a_field_with_a_name_for_each_of_several_documents_is_told(
    field: str, values: list[object], told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines(*({field: value, "clusters": [[[0, 0], [1, 1]]]} for value in values)))
    found = [notice.details["name"] for notice in corefscore.read(path).notices if notice.code == "unread-field"]
    assert found == [field] * told


def test_offsets_within_words_are_told_once(tmp_path: Path) -> None:
    """After a letter of two bytes, those of a program that counts bytes; not in scripts without blanks, nor two of
    many."""
    text, path = "Zo\u00e9 saw Bo, and she left him there with her dog.", tmp_path / "file.jsonl"
    right = [[at, at + len(word)] for word in ("Bo", "she", "him", "her dog") for at in [text.index(word)]]
    shifted = [[start + 1, end + 1] for start, end in right]
    for clusters, said in (
        ([right], None),
        ([shifted], "4 of 4 mentions"),
        ([right, shifted[:1]], None),
        ([right, shifted[:2]], "2 of 6 mentions"),
        ([5 * right[1:], shifted[:2]], "2 of 17 mentions"),
        ([6 * right[1:], shifted[:2]], "2 of 20 mentions"),
        ([7 * right[1:], shifted[:2]], None),
        ([[[start, end - 1] for start, end in right[1:3]]], "2 of 2 mentions"),  # only their ends
        ([[[start, end + 1] for start, end in right[1:3]]], "2 of 2 mentions"),  # with the blank after them
    ):
        path.write_text(lines(*({"doc_key": name, "text": text, "clusters": clusters} for name in "ab")))
        found = [notice.details for notice in corefscore.read(path).notices if notice.code == "within-words"]
        assert [its["count"] for its in found] == [said] * (said is not None)
    path.write_text(lines({"doc_key": "a", "text": "\u5979\u8d70\u4e86\u5c0f\u718a", "clusters": [[[0, 1], [3, 4]]]}))
    assert "within-words" not in [notice.code for notice in corefscore.read(path).notices]


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("singletons", [[[2, 2]]], True),
        ("singleton_clusters", [[2, 2]], True),
        ("singletons", ["the cat", "it"], False),  # clusters are spans
        ("singletons", [], False),
        ("singletons", [[0, 0]], False),  # a copy
        ("is_singleton", [False, True], False),
        ("singletons", True, False),
        ("alone", [[2, 2]], False),
    ],
)
def test_entities_of_one_mention_in_a_field_of_their_own_are_told(
    field: str, value: object, told: bool, tmp_path: Path
) -> None:
    path = tmp_path / "file.jsonl"
    objects = ({"doc_key": name, "clusters": [[[0, 0], [1, 1]]]} for name in "abc")
    path.write_text(lines(*({**its, **({field: value} if number else {})} for number, its in enumerate(objects))))
    notices = corefscore.read(path).notices
    found = [(its.details["name"], its.details["what"]) for its in notices if its.code == "unread-field"]
    assert found == [(field, "entities of one mention")] * told


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ({"m0": [0, 1], "m1": [5, 5]}, True),
        ([{"id": "m0", "start": 0}, {"id": "m1", "start": 5}], True),
        ({"m0": [0, 1]}, False),
        ({"m0": "PER", "m1": "ORG"}, False),
        ({"m0": 0.9, "m1": 0.8}, False),
        ([{"from": "m0", "to": "m1"}], False),
        (["m0", "m1"], False),
        (["m0", "m1", "the 1999 elections"], False),
        ([], False),
    ],
)
def test_places_of_mentions_that_are_given_by_id_are_not_left_out_in_silence(
    places: object, told: bool, tmp_path: Path
) -> None:
    """Mention m0 of one system may be another one than that of the key."""
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "a", "mentions": places, "clusters": [["m0", "m1"]]}))
    found = [notice.details["name"] for notice in corefscore.read(path).notices if notice.code == "unread-field"]
    assert found == ["mentions"] * told


WORDS = "Ann|her|her dog|It|She|the dog", "Ann|her dog|It|the yard|She|the dog"


@pytest.mark.parametrize(
    ("field", "texts", "told"),
    [
        ("mentions", lambda words: {f"m{n}": word for n, word in enumerate(words, 1)}, "mentions"),
        ("T", lambda words: [{"id": f"m{n}", "text": its} for n, its in enumerate(words, 1)], "T.text"),
        ("T", lambda words: [{"text": its, "id": f"m{n}"} for n, its in enumerate(words, 1)], "T.text"),
        ("T", lambda words: [{"id": f"m{n}", "type": "X", "text": its} for n, its in enumerate(words, 1)], "T.text"),
        ("T", lambda words: {f"m{n}": {"surface": its, "type": "X"} for n, its in enumerate(words, 1)}, "T.surface"),
        ("T", lambda words: [[f"m{n}", its] for n, its in enumerate(words, 1)], "T"),
        ("mentions", lambda words: [f"m{n}: {its}" for n, its in enumerate(words, 1)], "mentions"),
        ("T", lambda words: " ".join(f"[{its}]_m{n}" for n, its in enumerate(words, 1)), "T"),
        ("T", lambda words: {f"m{n}": f"{len(its)}-{len(its) + 1}" for n, its in enumerate(words, 1)}, "T"),
        ("mentions", lambda words: words, "mentions"),
        ("spans", lambda words: [[len(its), len(its) + 1] for its in words], "spans"),
        ("mentions", lambda words: [{"text": its} for its in words], "mentions.text"),
        ("T", lambda words: {f"m{n}": its for n, its in enumerate(sorted({*words, *WORDS[0].split("|")}), 1)}, None),
        ("types", lambda words: {f"m{n}": its.split()[0].upper() for n, its in enumerate(words, 1)}, None),
        ("names", lambda words: {f"m{n}": f"the {words[n in (3, 4, 6)]}" for n in range(1, 7)}, None),  # of clusters
        ("label", lambda words: {f"m{n}": f"e{len(its)}" for n, its in enumerate(words, 1)}, None),
        (
            "types",
            lambda words: {f"m{n}": "proper name" if len(its) > 2 else "人" for n, its in enumerate(words, 1)},
            None,
        ),
        ("mention_scores", lambda words: [len(its) / 7 for its in words], None),
        ("links", lambda words: [[f"m{n}", f"m{len(its)}"] for n, its in enumerate(words, 1)], None),
        ("T", lambda words: words, None),  # of anything
        ("T", lambda words: {f"m{n}": word for n, word in enumerate(words, 4)}, None),  # of other ids, too
    ],
)
def test_ids_that_mean_other_mentions_are_told(
    field: str, texts: Callable[[list[str]], object], told: str | None, tmp_path: Path
) -> None:
    """Each side numbers its own mentions, and gives their words or places in another field."""
    sides = (
        ("key", [["m1", "m2", "m5"], ["m3", "m4", "m6"]]),
        ("response", [["m1", "m5"], ["m2", "m3", "m6"], ["m4"]]),
    )
    for (side, clusters), words in zip(sides, WORDS, strict=True):
        fields = {"doc_key": "a", field: texts(words.split("|")), "clusters": clusters}
        (tmp_path / side).write_text(lines(fields))
    (tmp_path / "same").write_text(lines({**json.loads((tmp_path / "key").read_text()), "clusters": [["m1", "m2"]]}))
    for other, name in (("response", told), ("same", None)):
        found = corefscore.score(tmp_path / "key", tmp_path / other, "lea").notices
        assert [its.details["name"] for its in found if its.code == "other-rows"] == [name] * (name is not None)


def test_ids_of_many_documents_are_compared_in_any_order(tmp_path: Path) -> None:
    """Of 5,000 ids and more only some are compared, in the same documents on both sides."""
    words = [f"w{at} x" for at in range(60)]
    for side, step in (("key", 1), ("response", -1)):
        said = (words, [*words[1:], words[0]])[side == "response"]
        fields = {"clusters": [[f"m{at}" for at in range(1, 61)][first::9] for first in range(9)], "mentions": said}
        names = [f"d{number}" for number in range(200)][::step]
        (tmp_path / side).write_text("".join(lines({"doc_key": name, **fields}) for name in names))
    assert "other-rows" in {
        its.code for its in corefscore.score(tmp_path / "key", tmp_path / "response", "lea").notices
    }
    assert "other-rows" not in {its.code for its in corefscore.score(tmp_path / "key", tmp_path / "key", "lea").notices}


@pytest.mark.parametrize(
    ("words", "subtoken_map", "expected"),
    [
        ("He \u0120saw \u0120her \u0120.", None, "He saw her ."),
        ("\u2581He \u2581saw \u2581her .", [0, 1, 2, 3], "He saw her ."),
        ("\u2581H e \u2581saw \u2581her .", [0, 0, 1, 2, 3], "He saw her ."),
        ("\u0120anni ra lil Marija .", None, "\u0120anni ra lil Marija ."),  # Maltese
        ("He \u0120 saw \u0120her", None, "He \u0120 saw her"),
    ],
)
def test_signs_for_blanks_are_no_part_of_words(
    words: str, subtoken_map: list[int] | None, expected: str, tmp_path: Path
) -> None:
    """With the sign, no word of a key of subtokens was a pronoun, or the same as that of an answer."""
    clusters = [[[0, len(words.split()) - 1]]]
    fields = {"doc_key": "a", "sentences": [words.split(" ")], "subtoken_map": subtoken_map, "clusters": clusters}
    assert read_text(lines(fields), tmp_path).words_of([0]) == [expected]


def test_one_document_needs_no_id(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"uid": "a", "clusters": [[[0, 0], [1, 1]]]}))
    assert not corefscore.read(path).notices


def test_documents_without_names_begin_at_the_same_lines(tmp_path: Path) -> None:
    """An array was paired one off with JSON lines; a side may end earlier, and one with names is paired by them."""
    objects = [{"clusters": [[[0, number], [9, 9]]]} for number in range(3)]
    named = [{"doc_key": name, **fields} for name, fields in zip("abc", objects, strict=True)]
    (tmp_path / "array.json").write_text("[\n" + ",\n".join(map(json.dumps, objects)) + "\n]\n")
    for name, some in (("lines", objects), ("shorter", objects[:2]), ("named", named)):
        (tmp_path / f"{name}.jsonl").write_text(lines(*some))
    for response, told in (("lines", 0), ("shorter", 1), ("named", 3)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notices = corefscore.score(tmp_path / "lines.jsonl", tmp_path / f"{response}.jsonl", "lea").notices
        assert [notice.code for notice in notices].count("missing-document") == told
    for key, response in (("array.json", "lines.jsonl"), ("lines.jsonl", "array.json")):
        with pytest.raises(InputError, match="no document of the key begins at this line"):
            corefscore.score(tmp_path / key, tmp_path / response, "lea")
        done = within("validate", tmp_path / response, "--key", tmp_path / key)
        assert done.stdout.count(b"[other-lines]") == 1 and b"-document]" not in done.stdout


def test_names_that_are_the_numbers_of_lines_are_told(tmp_path: Path) -> None:
    """Documents 2 and 1 were paired with lines 2 and 1 of a file without names."""
    objects = [{"clusters": [[[number, number], [9, 9]]]} for number in range(2)]
    paths = {"lines": tmp_path / "lines.jsonl"}
    paths["lines"].write_text(lines(*objects))
    for name, names in (("numbers", "21"), ("letters", "ab"), ("order", "12")):
        paths[name] = tmp_path / f"{name}.jsonl"
        paths[name].write_text(lines(*({"doc_key": key, **of} for key, of in zip(names, objects, strict=True))))
    rows = ("numbers", "lines", 1), ("lines", "numbers", 1), ("letters", "lines", 0), ("order", "lines", 0)
    for key, response, told in rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notices = corefscore.score(paths[key], paths[response], "lea").notices
        assert [notice.code for notice in notices].count("named-by-line") == told, (key, response)


def test_numbers_of_conll_documents_that_are_those_of_lines_are_told(tmp_path: Path) -> None:
    """Document (2) is the first of the key, and was paired with line 2."""
    key, response = tmp_path / "key.conll", tmp_path / "response.jsonl"
    documents = [f"#begin document ({name}); part 000\n{cells}#end document\n" for name, cells in KEY_CELLS.items()]
    key.write_text("".join(documents))
    response.write_text(lines({"clusters": [[[0, 0], [1, 1]]]}, {"clusters": [[[0, 0], [2, 2]]]}))
    for sides in ((key, response), (response, key)):
        with pytest.warns(corefscore.ScorerWarning, match="named-by-line"):
            corefscore.score(*sides, "lea")


KEY_CELLS = {"2": "w (1)\nw (1)\nw -\n", "1": "w (1)\nw -\nw (1)\n"}


def test_documents_of_text_mentions_are_named_by_line_as_well(tmp_path: Path) -> None:
    """They were paired by position, as one table without names is with one that has them."""
    objects = {"clusters": [["a", "b"], ["c"]]}, {"clusters": [["a"], ["b", "c"]]}
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    key.write_text(lines({"doc_key": "2", **objects[1]}, {"doc_key": "1", **objects[0]}))
    response.write_text(lines(*objects))
    with pytest.warns(corefscore.ScorerWarning, match="named-by-line"):
        assert corefscore.score(key, response, "lea")["lea"].f1 == 1


@pytest.mark.parametrize("columns", ["key.clusters=adjudicated", "key.clusters=nope"])
def test_options_of_a_side_that_was_read_before_are_refused(columns: str, tmp_path: Path) -> None:
    """They were ignored."""
    path = tmp_path / "both.json"
    path.write_text(lines({"doc_key": "a", "clusters": [[[0, 0], [1, 1]]], "adjudicated": [[[0, 0], [2, 2]]]}))
    before = corefscore.read(path, side="key")
    with pytest.raises(UsageError, match="the key is not read from files here"):
        corefscore.score(before, path, "lea", columns=columns)
    with pytest.raises(UsageError, match="heads=last: the key is not read from files here"):
        tree = TESTDATA / "corefud" / "scoring" / "anaphor-wrong-link-101"
        corefscore.score(corefscore.read(tree / "key.conllu"), tree / "response.conllu", "lea", heads="last")
    own = corefscore.read(path, side="key", columns=f"{columns.partition('=')[0]}=adjudicated")
    chosen = "key.clusters=adjudicated"
    assert corefscore.score(own, path, "lea", columns=chosen)["lea"].f1 < 1


def test_a_key_in_a_field_of_another_name_is_not_left_out(tmp_path: Path) -> None:
    """What a system writes beside the key that it was given: ``clusters`` are its own."""
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], "gold_clusters": [[[2, 2], [3, 3]]]}))
    with pytest.raises(InputError, match=r'"gold_clusters" occurs together with clusters.*\n.*key.clusters='):
        corefscore.score(path, path, "muc")
    for field, recall in (("gold_clusters", 0), ("clusters", 1)):
        assert corefscore.score(path, path, "muc", columns=f"key.clusters={field}")["muc"].recall == recall


@pytest.mark.parametrize(
    ("side", "name", "told"),
    [
        ("key", "gold_clusters", True),
        ("key", "gold", True),
        ("response", "chains", True),
        ("response", "llm_clusters", True),
        ("response", "gold_clusters", False),
        ("key", "chains", False),
        ("key", "gold_tokens", False),
        ("response", "entities", False),
    ],
)
def test_a_field_of_text_beside_the_clusters_is_not_left_out(side: str, name: str, told: bool, tmp_path: Path) -> None:
    """Mentions are text on both sides."""
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [["Ann", "she"], ["Bo"]], name: [["Ann", "Bo"], ["she"]]}))
    if name == "entities":
        path.write_text(lines({"doc_key": "d", "clusters": [["Ann", "she"], ["Bo"]], name: [["Ann", "PER"]] * 2}))
    if told:
        with pytest.raises(InputError, match=f'"{name}" occurs together with clusters'):
            corefscore.read(path, side=side)
    else:
        corefscore.read(path, side=side)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bridging_pairs", [[[0, 0], [1, 1]]]),
        ("entities", [[0, 1, "PERSON"]]),
        ("predictions", [0.5, 0.7]),
        ("system", "a"),
        ("chains", []),
        ("gold_mentions", [[0, 0], [1, 1]]),
        ("structure", [[[0, 0]]]),
        ("gold_mentions_by_sentence", [[[0, 0]]]),
        ("key_points", [[[0, 0]]]),
        ("true_cluster_count", 2),
        ("predicted_ner", [[[0, 1, "PER"]]]),
        ("predicted_scores", [[0.5], [0.7]]),
        ("pred_mentions", [[0, 0], [1, 1]]),
        ("output_ids", [[101, 102]]),
        ("events", [[[0, 1], [4, 4]]]),
        ("coreference_type", "a"),
        ("incomplete_chains", []),
    ],
)
def test_other_fields_beside_those_clusters_are_passed_over(name: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(lines({"doc_key": "d", "clusters": [[[0, 0], [1, 1]]], name: value}))
    assert corefscore.score(path, path, "muc")["muc"].f1 == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lines({"doc_key": "d", "clusters": []}), id="the key alone"),
        pytest.param(lines({"doc_key": "d", "predicted_clusters": []}), id="the response alone"),
        pytest.param("#begin document (d);\n#end document\n", id="CoNLL"),
    ],
)
def test_other_files_need_a_response(text: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    done = call(capfdbinary, "lea", path)
    assert (done.status, done.stdout) == (2, b"")
    assert b"Missing argument 'RESPONSE'" in done.stderr
    assert b"Standard input is read once" not in done.stderr
    assert b"Standard input is read once, so save it in a file first" in call(capfdbinary, "lea", "-").stderr
    done = call(capfdbinary, "lea", DEMO / "key.conll", "nowhere")
    assert (done.status, done.stderr) == (2, b"corefscore: nowhere: No such file or directory\n")
    with pytest.raises(corefscore.UsageError, match="there is no response"):
        corefscore.score(path)
    with pytest.raises(corefscore.UsageError, match="there is no response"):
        corefscore.score([[(0, 1)]])


def test_a_document_without_a_name_is_named_by_its_line(tmp_path: Path) -> None:
    text = (
        "\n"
        + lines({"clusters": [[[0, 0], [1, 1]]]}, {"doc_key": "d", "clusters": []})
        + "\n"
        + lines({"clusters": []})
    )
    assert list(read_text(text, tmp_path).names) == ["2", "d", "5"]


def test_lines_have_their_numbers_for_names_whoever_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A file that is cut for several processes."""
    monkeypatch.setattr("corefscore.scoring.divided.SIZE", 200)
    path = tmp_path / "both.jsonl"
    path.write_text(lines(*BOTH_SIDES * 20))
    one, two = (call(capfdbinary, "lea", path, "--jobs", jobs) for jobs in "12")
    assert one == two
    assert one.stdout.count(b"\nFile 40:\n") == 2


def test_a_name_in_another_field_is_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='field "doc_key" is missing; the object contains "doc_id"'):
        read_text(lines({"doc_id": "d", "clusters": []}), tmp_path)


def test_a_text_beside_sentences_changes_nothing(tmp_path: Path) -> None:
    """Offsets count characters only where nothing tells tokens."""
    fields = {"doc_key": "d", "text": "Ann saw her dog.", "clusters": [[[0, 3], [8, 11]]]}
    for more in ({"sentences": [["w"] * 20]}, {"subtoken_map": list(range(20))}):
        assert entities(read_text(lines({**fields, **more}), tmp_path)) == [[(0, 3), (8, 11)]]
    documents = read_text(lines(fields), tmp_path)
    assert (entities(documents), documents.characters) == ([[(0, 0), (2, 2)]], ["Ann saw her dog."])


def words_one_by_one(text: str, borders: Collection[int]) -> Iterator[tuple[int, int]]:
    """Twin of `words_in`: each character by itself."""
    begin = None
    for at, character in enumerate([*text, " "]):
        alone = "\u3040" <= character <= "\u30ff" or "\u4e00" <= character <= "\u9fff"
        after_one_alone = begin is not None and at - begin == 1 and text[begin] in "\u3042\u4e2d"
        if begin is not None and (character.isspace() or alone or after_one_alone or at in borders):
            yield begin, at
            begin = None
        if begin is None and not character.isspace():
            begin = at


def test_texts_are_cut_as_one_by_one() -> None:
    """White space of all kinds, scripts without it, characters beyond 16 bits, and half a pair of surrogates."""
    chosen = random.Random(1)
    for _ in range(500):
        text = "".join(chosen.choices("ab \n\u3042\u4e2d\u00a0\x1c\U0001f600\u00e9\ud800", k=chosen.randrange(12)))
        borders = [chosen.randrange(len(text) + 1) for _ in range(chosen.randrange(5))]
        assert words_in(text, borders) == list(words_one_by_one(text, borders))


def test_offsets_in_characters_of_maverick_are_a_copy(tmp_path: Path) -> None:
    """What `Maverick.predict` returns for a text: the same clusters counted in characters, and as text."""
    of_tokens, of_characters = [[[0, 0], [2, 2]]], [[[0, 2], [10, 12]]]
    answer = {
        "doc_id": "d",
        "tokens": ["Ann", "saw", "her"],
        "clusters_token_offsets": of_tokens,
        "clusters_token_text": [["Ann", "her"]],
    }
    path = tmp_path / "response.json"
    path.write_text(
        json.dumps(answer | {"clusters_char_offsets": of_characters, "clusters_char_text": [["Ann", "her"]]})
    )
    result = corefscore.score({"d": [[(0, 0), (2, 2)]]}, path, "muc")
    assert (result["muc"].f1, result.notices) == (1, ())


TEXT = "Ann met Bob near the old harbour . She liked him ."
BY_CHARACTERS = [[[0, 3], [35, 38]], [[8, 11], [45, 48]], [[21, 32]]]
BY_TOKENS = [[[0, 0], [8, 8]], [[2, 2], [10, 10]], [[5, 6]]]


@pytest.mark.parametrize(
    "command",
    [
        "muc --window 9 --format csv",
        "lea --of distance --format csv",
        "errors --pronouns none --format csv",
        "diff --pronouns none",
        "explain --format csv",
    ],
)
def test_characters_on_both_sides_are_tokens_of_the_key(command: str, tmp_path: Path) -> None:
    """Windows, distances and words are those of the same files with tokens."""
    name, *options = command.split()
    texts = []
    for kind, clusters, wider in (("text", BY_CHARACTERS, [17, 32]), ("tokens", BY_TOKENS, [4, 6])):
        folder = tmp_path / kind
        folder.mkdir()
        text = {"text": TEXT} if kind == "text" else {"sentences": [TEXT.split()]}
        for side, entities in (
            ("key", clusters),
            ("response", [clusters[0], *([its] for its in clusters[1]), [wider]]),
        ):
            (folder / side).write_text(lines({"doc_key": "d", **text, "clusters": entities}))
        done = within(name, "key", "response", *options, cwd=folder)
        texts.append((done.status, done.stdout))
    assert texts[0] == texts[1] and texts[0][0] == 0


@pytest.mark.parametrize(
    ("command", "key", "response", "shown"),
    [
        ("lea", [[[0, 3], [13, 16]], [[13, 16]]], [[[0, 3], [13, 15]]], '"She" (tokens 10 to 12) is annotated 2 times'),
        ("lea", [[[8, 11], [13, 16]]], [[[0, 2], [17, 20]]], "no-common-mention"),
        ("errors", [[[0, 3], [13, 16]]], [[[0, 3], [13, 15]]], "--align finds the words"),
        ("diff", [[[0, 3], [13, 16]]], [[[0, 3], [13, 15]]], "muc"),
    ],
)
def test_words_of_characters_within_tokens_are_shown(
    command: str, key: object, response: object, shown: str, tmp_path: Path
) -> None:
    for side, clusters in (("key", key), ("response", response)):
        (tmp_path / side).write_text(lines({"doc_key": "e", "text": "Ann met Bob. She left.", "clusters": clusters}))
    done = within(command, tmp_path / "key", tmp_path / "response")
    assert done.status == 0
    assert shown in (done.stdout + done.stderr).decode()


def test_characters_within_tokens_are_no_tokens(tmp_path: Path) -> None:
    """Scores are by character; what counts tokens is refused, and errors say what to do."""
    for side, end in (("key", 11), ("response", 10)):
        (tmp_path / side).write_text(lines({"doc_key": "d", "text": TEXT, "clusters": [[[0, 3], [8, end]]]}))
    assert within("muc", tmp_path / "key", tmp_path / "response").status == 0
    for options in (["--window", "9"], ["--of", "distance"]):
        done = within("muc", tmp_path / "key", tmp_path / "response", *options)
        assert done.status == 2 and b"begin or end within tokens of the key; score with --align" in done.stderr
        assert within("muc", tmp_path / "key", tmp_path / "response", *options, "--align").status == 0
    for options in ([], ["--pronouns", "none"], ["--format", "json"]):
        done = within("errors", tmp_path / "key", tmp_path / "response", *options)
        assert b"[parts-of-words] no span errors are looked for" in done.stderr and b"no words" not in done.stderr
        assert (b"--align finds the words" in done.stdout) == (options[:1] != ["--format"])


@pytest.mark.parametrize("field", ["clusters_strings", "clusters_token_text"])
@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ([["Ann", "the old harbour"], ["She"]], False),
        ([["ann", "The Old harbour"], ["she"]], False),
        ([["Ann", "the old"], ["She"]], True),
        ([["Ann", "an old harbour"], ["She"]], True),
        ([["Ann", "the old"]], False),  # of other clusters
    ],
)
def test_the_words_of_mentions_are_compared_in_any_dialect(
    field: str, texts: Sequence[Sequence[str]], found: bool, tmp_path: Path
) -> None:
    """Ends that are one too late for mentions of several words scored 42.20 for 100."""
    clusters = [[[0, 0], [4, 6]], [[8, 8]]]
    path = tmp_path / "file.jsonl"
    for dialect in (
        {"doc_key": "d", "sentences": [TEXT.split()], "clusters": clusters},
        {"doc_id": "d", "tokens": TEXT.split(), "clusters_token_offsets": clusters},
    ):
        path.write_text(lines({**dialect, field: texts}))
        assert [its.code for its in corefscore.read(path).notices if its.code == "other-words"] == [
            "other-words"
        ] * found
    # Of the key or the system, or of subtokens.
    for more in ({"predicted_clusters": clusters}, {"subtoken_map": list(range(12))}):
        path.write_text(
            lines({"doc_key": "d", "sentences": [TEXT.split()], "clusters": clusters, field: texts, **more})
        )
        assert "other-words" not in {its.code for its in corefscore.read(path, side=KEY).notices}


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ([["the cat", "it"], ["Ann"]], ("'The cat'", "'the cat'")),
        ([["The  cat ", "it"], ["Ann"]], ("'The cat'", "'The  cat '")),
        ([["The_cat", "it"], ["Ann"]], ("'The cat'", "'The_cat'")),
        ([["The%20cat", "it"], ["Ann"]], ("'The cat'", "'The%20cat'")),
        ([["The-cat", "it"], ["Ann"]], ("'The cat'", "'The-cat'")),
        ([["The - cat", "it"], ["Ann"]], ("'The cat'", "'The - cat'")),
        ([["The -LRB- cat -RRB-", "it"], ["Ann"]], ("'The cat'", "'The -LRB- cat -RRB-'")),
        ([["``The cat''", "it"], ["Ann"]], ("'The cat'", "\"``The cat''\"")),
        ([["a cat", "it"], ["Ann"]], None),
        ([["The cat", "it"], ["Ann"], ["the cat"]], None),  # it matches
        ([["The cat", "it"]], None),
    ],
)
def test_texts_that_look_alike_are_told_in_files(
    response: Sequence[Sequence[str]], told: tuple[str, str] | None, tmp_path: Path
) -> None:
    """As in Python; another document has the same text in lower case on both sides."""
    key = [["The cat", "it"], ["Ann"]]
    for name, clusters in (("key", key), ("response", response)):
        rows = [{"doc_key": "d", "clusters": clusters}, {"doc_key": "e", "clusters": [["the cat"]]}]
        (tmp_path / name).write_text("".join(map(lines, rows)))
    found = corefscore.score(tmp_path / "key", tmp_path / "response", "lea").notices
    alike = [(its.details["first"], its.details["second"]) for its in found if its.code == "alike-mentions"]
    assert alike == ([told] if told else [])


def test_texts_are_compared_where_the_first_document_is_missing(tmp_path: Path) -> None:
    for name, rows in (
        ("key", {"a": [["Anna", "she"], ["0"]], "b": [["Bob", "he"]]}),
        ("response", {"b": [["bob", "him"]]}),
        ("numbers", {"a": [["0", "1"]], "b": [["0", "1"], ["2", "3", "4"]]}),
        ("higher", {"b": [["1", "2"], ["3", "4", "5"]]}),
    ):
        objects = (lines({"doc_key": key, "clusters": clusters}) for key, clusters in rows.items())
        (tmp_path / name).write_text("".join(objects))
    for key, response, code in (("key", "response", "alike-mentions"), ("numbers", "higher", "other-items")):
        found = corefscore.score(tmp_path / key, tmp_path / response, "muc").notices
        assert code in {notice.code for notice in found}


def test_errors_of_tokens_and_characters_are_not_mixed(tmp_path: Path) -> None:
    text = {"doc_key": "a", "text": "Anna saw Bob. She likes him."}
    rows = {
        "key": [[[0, 4], [14, 17]], [[9, 12], [24, 27]]],
        "fits": [[[0, 4], [14, 17]]],
        "other": [[[0, 4], [14, 16]], [[9, 12], [24, 27]]],
    }
    for name, clusters in rows.items():
        (tmp_path / name).write_text(lines({**text, "clusters": clusters}))
    done = within("errors", *(tmp_path / name for name in rows))
    assert done.status == 2 and b"the key differently, or do not have the same documents; add --align" in done.stderr
    assert within("errors", *(tmp_path / name for name in rows), "--align").status == 0


WITH_COMMAS = "Ann , Bo , saw the dog, and it saw Bo."


@pytest.mark.parametrize("batch", [0, 1 << 20])
def test_a_key_of_characters_has_the_words_of_its_response(
    batch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Identical predictions, which end after a comma: of words, the span error was not found. The response lacks the
    first document."""
    monkeypatch.setattr("corefscore.formats.jsonlines.reader.BATCH", batch)
    sentences = [["Ann", ",", "Bo", ",", "saw", "the", "dog", ","], ["and", "it", "saw", "Bo", "."]]
    other = [["Ann", ",", "Bo", ",", "saw", "the", "dog", ","], ["and", "it", "saw", "Bo."]]
    rows: dict[str, dict[str, object]] = {
        "key": {"text": WITH_COMMAS, "clusters": [[[15, 22], [28, 30]], [[6, 8], [35, 37]]]},
        "characters": {"text": WITH_COMMAS, "clusters": [[[15, 23], [28, 30]], [[6, 8], [35, 37]]]},
        "words": {"sentences": sentences, "clusters": [[[5, 7], [9, 9]], [[2, 2], [11, 11]]]},
        "same": {"sentences": sentences, "clusters": [[[5, 7], [9, 9]], [[2, 2]]]},
        "other": {"sentences": other, "clusters": [[[5, 7], [9, 9]], [[2, 2]]]},
    }
    for name, row in rows.items():
        first = {"doc_key": "a", "text": "Cy saw Cy.", "clusters": [[[0, 2], [7, 9]]]}
        (tmp_path / name).write_text(lines(first) * (name == "key") + lines({"doc_key": "b", **row}))
    key = tmp_path / "key"
    for name in ("characters", "words"):
        found = corefscore.analyse(key, tmp_path / name, pronouns="english").analysis
        assert (found.counts["span_error"], found.kinds.tolist().count(0), found.spans) == (1, 1, "punctuation"), name
    found = json.loads(within("errors", key, tmp_path / "words", tmp_path / "same", "--format", "json").stdout)
    counts = [
        next(of["count"] for of in its["types"] if of["type"] == "span_error") for its in found["systems"].values()
    ]
    assert counts == [1, 1]
    for names in (("words", "characters"), ("characters", "words"), ("words", "other")):
        done = within("errors", key, *(tmp_path / name for name in names))
        assert done.status == 2 and b"add --align, or give a key with words" in done.stderr, names
    done = within("errors", key, tmp_path / "words", tmp_path / "characters", "--align", "--format", "csv", "--quiet")
    assert b",span error,1,1,0," in done.stdout


def test_batches_of_tokens_and_of_characters_are_shown_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later batch in which a mention ends within a token, whichever side it is of."""
    texts = {"a": "Anna saw Bob.", "b": "Yesterday Anna met Bob Smith and she smiled at him so much that he ran ."}
    key = {"a": [[[0, 4], [9, 12]]], "b": [[[10, 14], [33, 36]], [[19, 28], [47, 50]]]}
    response = {"a": key["a"], "b": [[[10, 14], [60, 62]], [[19, 27], [47, 50]]]}
    for name, clusters in (("key", key), ("response", response)):
        rows = (lines({"doc_key": d, "text": texts[d], "clusters": clusters[d]}) for d in "ab")
        (tmp_path / name).write_text("".join(rows))
    asked = ("errors", tmp_path / "key", tmp_path / "response", "--pronouns", "none", "--format", "csv")
    whole = within(*asked)
    monkeypatch.setattr("corefscore.formats.jsonlines.reader.BATCH", 0)
    assert within(*asked) == whole
    assert b",she," in whole.stdout
