"""Records of mentions: JSON with an object for each mention, as programs for cross-document coreference write it.

The expected numbers are worked out by hand; those of ECB+ are the scores of the files in CoNLL.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from corefscore import InputError, Result, UsageError, from_labels, read, score
from support import CORPORA, EXCERPTS, FURTHER, TESTDATA, call

KEY, RESPONSE = TESTDATA / "records" / "key.json", TESTDATA / "records" / "response.jsonl"

Record = Mapping[str, Any]


def written(path: Path, records: Sequence[Any], *, lines: bool = False) -> Path:
    rows = list(map(json.dumps, records))
    path.write_text("\n".join(rows) if lines else "[\n" + ",\n".join(rows) + "\n]")
    return path


def numbers(result: Result) -> list[float]:
    """Every score of a result; sums are added in the order of items, so the last digits differ."""
    return [round(number, 10) for scores in result.values() for number in scores[:3]]


def test_clusters_reach_across_texts() -> None:
    """Of three mentions of the fire, the response has two together, with the arrest of another topic."""
    found = score(KEY, RESPONSE, "bcub")["bcub"]
    assert found.recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 / 2 + 1 / 2 + 1) / 6)
    assert found.precision == pytest.approx((2 / 3 + 2 / 3 + 1 + 1 / 3 + 1 + 1) / 6)


def test_topics_are_documents_if_asked_for_and_clusters_across_them_are_counted() -> None:
    found = score(KEY, RESPONSE, "bcub", columns="document=topic")
    assert {name: scores["bcub"].recall for name, scores in found.documents.items()} == {"1": 2 / 3, "2": 1 / 2}
    assert found["bcub"].recall == pytest.approx(11 / 18)
    assert found["bcub"].precision == 1
    (notice,) = found.notices
    assert (notice.code, notice.details) == ("cut-clusters", {"count": "1 label"})


def test_topics_are_groups_and_units(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    by = call(capfdbinary, "bcub", KEY, RESPONSE, "--columns", "document=topic", "--by", "(.)", "--format", "csv")
    assert re.findall(rb"group,(.),bcub,(..)", by.stdout) == [(b"1", b"66"), (b"2", b"50")]
    compared = call(capfdbinary, "compare", KEY, RESPONSE, KEY, "--columns", "document=topic", "--measures", "bcub")
    assert b"unit of resampling: document, 2 in all" in compared.stdout
    within = call(capfdbinary, "compare", KEY, RESPONSE, KEY, "--unit", "field:topic")
    assert within.status != 0 and b"--columns document=NAME" in within.stderr


SAME = [
    {"tokens_ids": [3, 4], "cluster_id": 1},
    {"tokens_ids": [4, 3, 3], "coref_chain": "ACT1"},
    {"token_ids": "3,4", "cluster_id": "1"},
    {"tokens_ids": "3_4", "cluster_id": 1.0},
    {"tokens_ids": ["3", "4"], "predicted_coref_chain": 1},
    {"tokens_ids": [3, 4], "coref_chain": "other", "predicted_coref_chain": 1},
]
"""The same mention in the forms that files have; the last is the one of a response."""


@pytest.mark.parametrize("fields", SAME)
@pytest.mark.parametrize("lines", [False, True])
def test_forms_of_a_record(fields: Record, lines: bool, tmp_path: Path) -> None:
    other = {name: "z" if name == "coref_chain" else value for name, value in fields.items()}
    response = written(tmp_path / "r", [{**fields, "doc_id": "a"}, {**other, "doc_id": "b"}], lines=lines)
    key = [["a 3,4", "b 3,4"]]
    expected = 0.0 if fields.get("coref_chain") == "ACT1" else 1.0
    assert score(key, response, "lea")["lea"].f1 == expected


def test_tokens_within_sentences(tmp_path: Path) -> None:
    """In WEC-Eng and uCDCR; the same number in two sentences is two mentions."""
    rows = [{"doc_id": "a", "sent_id": s, "tokens_number": [1], "coref_chain": 5, "topic_id": -1} for s in (0, "1")]
    path = written(tmp_path / "key", rows)
    assert score(path, [["a 0:1", "a 1:1"]], "lea")["lea"].f1 == 1
    again = written(tmp_path / "other", [{**row, "sentence_id": row["sent_id"]} for row in rows])
    assert score(path, again, "lea")["lea"].f1 == 1


def test_records_without_a_cluster_are_in_no_entity_and_not_missing(tmp_path: Path) -> None:
    clusters = [7, 7, None, "", -1, "-", "UNK"]
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": cluster} for at, cluster in enumerate(clusters)]
    result = score(written(tmp_path / "key", rows), from_labels({f"a {at}": 1 for at in range(7)}), "bcub")
    assert (result["mentions"].recall, result["mentions"].precision) == (1, 2 / 7)
    told = {notice.code: notice.details for notice in result.notices}
    assert told["unknown-cluster"] == {"label": "-1", "count": "3 records"}
    assert "other-items" not in told


@pytest.mark.parametrize("nothing", [None, "", "UNK", "-", -1])
def test_a_response_without_predictions_has_the_other_clusters(nothing: Any, tmp_path: Path) -> None:
    """WEC-Eng and others have the field in files of the key, too."""
    rows = [{"doc_id": "a", "tokens_ids": [at], "coref_chain": 1, "predicted_coref_chain": nothing} for at in (1, 2)]
    path = written(tmp_path / "file", rows)
    result = score([["a 1", "a 2"]], path, "lea")
    assert result["lea"].f1 == 1
    assert "chosen-column" in {notice.code for notice in result.notices}


@pytest.mark.parametrize(
    ("side", "name"),
    [
        ("response", "predicted_cluster_id"),
        ("response", "coref_chain_pred"),
        ("response", "prediction"),
        ("key", "gold_cluster"),
    ],
)
def test_clusters_in_another_field_are_not_left_out(side: str, name: str, tmp_path: Path) -> None:
    """The clusters of the other side, which the file also has, were scored."""
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": 1, name: at} for at in (1, 2)]
    path = written(tmp_path / "file", rows)
    with pytest.raises(InputError, match=rf'"{name}" occurs together with cluster_id.*\n.*{side}.entity=NAME'):
        read(path, side=side)
    for field, entities in ((name, 2), ("cluster_id", 1)):
        corpus = read(path, side=side, columns=f"{side}.entity={field}")
        assert len(next(iter(corpus.clusters().values()))) == entities
    alone = written(tmp_path / "file", [{"doc_id": "a", "tokens_ids": [at], name: at} for at in (1, 2)])
    assert len(next(iter(read(alone, side=side).clusters().values()))) == 2


@pytest.mark.parametrize(
    ("name", "value"),
    [("gold_entity_type", "PER"), ("true_cluster_count", 2), ("is_gold_cluster", True), ("gold_cluster", None)],
)
def test_other_fields_of_records_are_passed_over(name: str, value: object, tmp_path: Path) -> None:
    path = written(tmp_path / "file", [{"doc_id": "a", "tokens_ids": [1], "cluster_id": 1, name: value}])
    assert [len(entities) for entities in read(path, side="key").clusters().values()] == [1]


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("output", 4, True), ("system", "4", True), ("prediction_score", 0.5, False), ("is_predicted", True, False)],
)
def test_what_may_be_predictions_is_told(name: str, value: object, told: bool, tmp_path: Path) -> None:
    path = written(tmp_path / "file", [{"doc_id": "a", "tokens_ids": [1], "cluster_id": 1, name: value}])
    assert [notice.code for notice in read(path, side="response").notices] == ["chosen-column"] * told
    assert not read(path, side="response", columns="response.entity=cluster_id").notices
    written(tmp_path / "file", [{"doc_id": "a", "tokens_ids": [1], "predicted_coref_chain": 1, name: value}])
    assert not read(path, side="response").notices
    written(path, [{"doc_id": "a", "tokens_ids": [1], "predicted_coref_chain": 1, "predicted_cluster_desc": "Ann"}])
    assert not read(path, side="response").notices
    written(path, [{"doc_id": "a", "tokens_ids": [1], "predicted_coref_chain": 1, "predicted_coref_chain_v2": 2}])
    assert [notice.code for notice in read(path, side="response").notices] == ["chosen-column"]


@pytest.mark.parametrize(("side", "name"), [("key", "gold_cluster"), ("response", "pred"), ("response", "coref_chain")])
def test_clusters_that_only_later_records_have_are_not_left_out(side: str, name: str, tmp_path: Path) -> None:
    rows: list[Mapping[str, Any]] = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": 1} for at in (1, 2)]
    path = written(tmp_path / "file", [rows[0], {**rows[1], name: 3}])
    with pytest.raises(InputError, match=rf'"{name}" has a cluster here.*\n.*{side}.entity={name}'):
        read(path, side=side)
    assert len(read(path, side=side, columns=f"{side}.entity=cluster_id").clusters()["document"]) == 1


def test_a_response_may_leave_mentions_out(tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "tokens_ids": [at], "coref_chain": 1, "predicted_coref_chain": at or None} for at in (2, 0)]
    (entities,) = read(written(tmp_path / "file", rows), side="response").clusters().values()
    assert list(entities) == ["2"]


@pytest.mark.parametrize("name", ["predicted_coref_chain", "prediction"])
def test_a_field_of_the_response_is_not_read_for_both(name: str, tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": 1, name: at} for at in (1, 2)]
    path = written(tmp_path / "file", rows)
    with pytest.raises(UsageError, match=f"entity={name} applies to both sides, but the key has cluster_id"):
        score(path, path, "bcub", columns=f"entity={name}")
    assert score(path, path, "bcub", columns=f"key.entity=cluster_id,response.entity={name}")["bcub"].recall == 0.5


def test_clusters_that_begin_at_0_are_cut_by_documents_too(tmp_path: Path) -> None:
    """A cluster of records is one in all texts, whatever its number; labels of tables may restart."""
    rows = [{"doc_id": text, "tokens_ids": [at], "cluster_id": at} for text in "ab" for at in (0, 1)]
    (notice,) = read(written(tmp_path / "file", rows), columns="document=doc_id").notices
    assert (notice.code, notice.details) == ("cut-clusters", {"count": "2 labels"})


def test_a_prediction_after_a_first_record_without_one_is_not_left_out(tmp_path: Path) -> None:
    """The clusters of the key were scored, if the first mention of a response was in no entity."""
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": 1, "predicted_coref_chain": at or None} for at in (0, 1)]
    path = written(tmp_path / "file", rows)
    with pytest.raises(InputError, match=r"predicted_coref_chain.*\n.*columns response.entity="):
        score(path, path, "bcub")
    for field, recall in (("predicted_coref_chain", 0.25), ("cluster_id", 1)):
        assert score(path, read(path, side="response", columns=f"entity={field}"), "bcub")["bcub"].recall == recall


@pytest.mark.parametrize(
    ("labels", "told"), [("0123 0312", ["topic"]), ("0123 4756", []), ("0101 0100 0110", ["doc_id"])]
)
def test_labels_that_each_topic_numbers_are_told(labels: str, told: list[str], tmp_path: Path) -> None:
    """Clusterings of topics, one after the other, or of texts, which are parts of topics."""
    rows = [
        {
            "is_test": topic > 0,
            "doc_id": f"{topic}_{at // 2}",
            "topic": topic,
            "tokens_ids": [at],
            "cluster_id": int(label),
        }
        for topic, of_topic in enumerate(labels.split())
        for at, label in enumerate(of_topic)
    ]
    notices = read(written(tmp_path / "file", rows)).notices
    assert [notice.details["name"] for notice in notices if notice.code == "unread-field"] == told


@pytest.mark.parametrize(
    ("field", "first", "told"), [("topic", 0, True), ("topic", 0.0, True), ("topic", None, True), ("block", 0, False)]
)
def test_labels_that_each_topic_numbers_are_told_in_any_order(
    field: str, first: float | None, told: bool, tmp_path: Path
) -> None:
    """Sorted by cluster, only the name of the field and the labels that most topics share tell so."""
    rows = [
        {"doc_id": f"{topic}_{at}", field: topic or first, "tokens_ids": [at], "cluster_id": cluster}
        for cluster in range(4)
        for topic in range(3)
        for at in range(cluster, cluster + 2)
    ]
    said = [notice.details["name"] for notice in read(written(tmp_path / "file", rows)).notices]
    assert said == [field] * told
    few = [{**row, "cluster_id": f"{row[field]} {row['cluster_id']}" if row["cluster_id"] else "0"} for row in rows]
    assert not read(written(tmp_path / "file", few)).notices, "one entity goes beyond topics"


def test_a_first_record_whose_fields_are_others(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"doc_id": 1.5, "tokens_ids": [1], "cluster_id": 1.5}]
    rows += [{"doc_id": "x", "tokens_ids": [at], "cluster_id": 1} for at in range(2, 5)]
    assert len(read(written(tmp_path / "file", rows)).clusters()["document"]) == 2


def test_large_floats_are_no_whole_numbers(tmp_path: Path) -> None:
    """From 2**53 on, neighbours are one float."""
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": float(10**16 + at)} for at in range(2)]
    (notice,) = read(written(tmp_path / "file", rows)).notices
    assert (notice.code, notice.details["label"]) == ("odd-label", "1e+16")


def test_equal_numbers_are_one_cluster(tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "tokens_ids": [at], "cluster_id": cluster} for at, cluster in enumerate((1, "1", 1.0, 1.0))]
    corpus = read(written(tmp_path / "file", rows))
    assert list(corpus.clusters()["document"]) == ["1"]
    assert "unread-field" not in {notice.code for notice in corpus.notices}


def test_tables_and_records_are_scored_against_each_other(tmp_path: Path) -> None:
    table = tmp_path / "response.csv"
    table.write_text('item,entity\n1_a.xml 3,1\n"1_b.xml 5,6",1\n1_b.xml 12,1\n2_a.xml 2,2\n2_b.xml 7,2\n1_a.xml 9,3\n')
    assert score(KEY, table, "lea")["lea"].f1 == score(table, KEY, "lea")["lea"].f1 == 1


def test_other_fields_can_be_named(tmp_path: Path) -> None:
    rows = [{"doc_id": "a", "m": name, "tokens_ids": [0], "mine": 1, "cluster_id": name} for name in "xy"]
    path = written(tmp_path / "file", rows)
    assert score([["a x", "a y"]], path, "lea", columns="response.item=m,response.entity=mine")["lea"].f1 == 1
    found = score(path, [["a x", "a y"]], "lea", columns="key.item=m,key.entity=mine")
    assert found["lea"].f1 == 1


GOOD = {"doc_id": "a", "tokens_ids": [1], "cluster_id": 1, "sent_id": 0}

REFUSED: Mapping[str, tuple[Any, str]] = {
    "no tokens": ({"doc_id": "a", "cluster_id": 1}, 'field "tokens_ids" is missing; the object contains "doc_id"'),
    "no cluster": ({"doc_id": "a", "tokens_ids": [1]}, 'field "cluster_id" is missing'),
    "no text": ({"tokens_ids": [1], "cluster_id": 1}, 'field "doc_id" is missing'),
    "empty tokens": ({**GOOD, "tokens_ids": []}, r'in document "a": field "tokens_ids" is \[\]'),
    "words": ({**GOOD, "tokens_ids": "the fire"}, 'field "tokens_ids" is "the fire"'),
    "negative": ({**GOOD, "tokens_ids": [-1]}, r'field "tokens_ids" is \[-1\]'),
    "true": ({**GOOD, "tokens_ids": [True]}, r'field "tokens_ids" is \[true\]'),
    "null": ({**GOOD, "tokens_ids": None}, 'field "tokens_ids" is null'),
    "two clusters": ({**GOOD, "cluster_id": [1, 2]}, r'field "cluster_id" is \[1, 2\]'),
    "not a number": ({**GOOD, "cluster_id": float("nan")}, 'field "cluster_id" is NaN'),
    "nameless text": ({**GOOD, "doc_id": ""}, 'field "doc_id" is ""'),
    "no object": (3, "the array contains 3"),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_faulty_records_are_refused_with_their_place(fault: str, tmp_path: Path) -> None:
    record, message = REFUSED[fault]
    path = written(tmp_path / "file.json", [GOOD, record])
    for sides in ((path, KEY), (KEY, path)):
        with pytest.raises(InputError, match=rf"file\.json:3: .*{message}"):
            score(*sides, "lea")


def test_two_fields_of_clusters_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "file.json", [{**GOOD, "coref_chain": 2}])
    with pytest.raises(InputError, match='field "cluster_id" occurs together with coref_chain'):
        score(path, path, "lea")
    assert score(path, path, "lea", columns="entity=cluster_id")["lea"].f1 == 1


def test_documents_with_such_fields_are_no_records(tmp_path: Path) -> None:
    document = {"doc_id": "a", "tokens": ["x", "y"], "clusters_token_offsets": [[[0, 0], [1, 1]]], "tokens_ids": [5, 6]}
    path = written(tmp_path / "file", [document], lines=True)
    assert score(path, path, "lea").documents.keys() == {"a"}


def test_other_commands(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    checked = call(capfdbinary, "validate", KEY)
    assert (checked.status, b"1 document, 0 tokens, 6 mentions, 3 entities" in checked.stdout) == (0, True)
    faulty = call(capfdbinary, "validate", written(tmp_path / "file", [GOOD, {**GOOD, "doc_id": ""}]))
    assert (faulty.status, b"error[bad-field]" in faulty.stdout) == (1, True)
    converted = call(capfdbinary, "convert", KEY, tmp_path / "out.conll")
    assert converted.status != 0 and b'a mention is "1_a.xml 3"' in converted.stderr
    assert not (tmp_path / "out.conll").exists()
    strict = call(capfdbinary, "lea", KEY, RESPONSE, "--columns", "document=topic", "--strict")
    assert strict.status == 1 and b"error[cut-clusters]" in strict.stderr
    assert b'"2_b.xml 7"' in call(capfdbinary, "errors", KEY, RESPONSE, "--format", "json").stdout


def test_a_key_of_spans_has_no_mention_in_common() -> None:
    found = score(TESTDATA / "demo" / "key.conll", KEY, "lea")
    assert found["lea"].f1 == 0 and found.notices


def records_of(path: Path) -> list[Record]:
    """The mentions of ECB+ in CoNLL, whose columns are topic, subtopic, text, sentence, token, word."""
    found: list[Record] = []
    open_mentions: dict[str, list[int]] = defaultdict(list)
    for line in path.read_text().splitlines():
        if line.startswith("#") or not line:
            continue
        topic, subtopic, text, sentence, token, *_, cell = line.split("\t")
        for begins, label, ends in re.findall(r"(\()?(\d+)(\))?", cell):
            if begins:
                open_mentions[label].append(int(token))
            if ends:
                tokens = list(range(open_mentions[label].pop(), int(token) + 1))
                place = {"doc_id": text, "topic": topic, "subtopic": subtopic, "sent_id": sentence}
                found.append({**place, "tokens_ids": tokens, "coref_chain": label})
    return found


SYSTEMS = [
    (EXCERPTS, "gg-ecbp-ecbponecbp-closure"),
    pytest.param(CORPORA, "gg-ecbp-ecbponecbp-closure", marks=FURTHER),
    pytest.param(CORPORA, "MD-sgabc25k-ecbp-closure-1", marks=FURTHER),
]


@pytest.mark.parametrize(("corpora", "system"), SYSTEMS)
def test_ecb_plus_as_records_has_the_scores_of_the_files_in_conll(corpora: Path, system: str, tmp_path: Path) -> None:
    files = [corpora / "ecbplus-crossdoc" / f"{name}.conll" for name in ("key", system)]
    key, response = (written(tmp_path / path.stem, records_of(path)) for path in files)
    for singletons in ("keep", "drop"):
        ours = score(key, response, "all,lea", singletons=singletons)
        assert numbers(ours) == numbers(score(files[0], files[1], "all,lea", singletons=singletons))
