"""Clusterings: tables of labels and `from_labels` score as the same entities in memory do, however they are written."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import corefscore
import numpy as np
import pandas as pd
import polars as pl
import pytest
from corefscore import InputError, UsageError, from_labels, read, score
from corefscore.formats.base import EVERY_NAME
from support import TESTDATA, command, together, within

Labels = Mapping[str, str | None]

NAMES = ("a", "b c", 'say "d"', "e,f", "g\nh", "ï", " i", "5", "05", "#begin", "\tj")
"""Items that a table has to quote, or that look like something else."""


def drawn(random: Random) -> tuple[Labels, Labels]:
    """Two clusterings of nearly the same items, some of which are in no entity."""
    sides = []
    for _ in range(2):
        items = [name for name in NAMES if random.random() < 0.8]
        random.shuffle(items)
        sides.append({item: random.choice(["A", "B", "C c", "7", None]) for item in items})
    return sides[0], sides[1]


def clusters(labels: Labels) -> list[list[str]]:
    """The entities of a clustering, by the plainest loop."""
    found: dict[str, list[str]] = defaultdict(list)
    for item, label in labels.items():
        if label is not None:
            found[label].append(item)
    return list(found.values())


def table(labels: Labels, header: Sequence[str] = ("item", "entity"), **dialect: Any) -> str:
    """A clustering as Python's own writer of tables writes it."""
    out = io.StringIO()
    csv.writer(out, **dialect).writerows([header, *((item, label or "") for item, label in labels.items())])
    return out.getvalue()


def numbers(result: corefscore.Result) -> list[float]:
    """Every score of a result; sums are added in the order of items, so the last digits differ."""
    return [round(number, 12) for values in result.values() for number in values[:3]]


def test_the_official_layout_lists_items_by_name() -> None:
    folder = TESTDATA / "odd" / "other-items"
    listed = command("muc", folder / "key.csv", folder / "response.csv").stdout
    assert b"Entity 0: (p1) (p2)\nEntity 1: (p4) (p5)\n" in listed


@pytest.mark.parametrize("seed", range(30))
def test_every_way_to_give_a_clustering_scores_as_its_entities(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    key, response = drawn(random)
    expected = numbers(score(clusters(key), clusters(response)))
    files = {}
    for name, side in (("key", key), ("response", response)):
        folder = tmp_path / name
        folder.mkdir()
        content = {
            "a.csv": table(side).encode(),
            "b.tsv": b"\xef\xbb\xbf" + table(side, delimiter="\t").encode(),
            "c.csv": b"\n"
            + table(side, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL).encode().rstrip(b"\n"),
            "d.csv.gz": gzip.compress(table(side, ("Unique ID", "Cluster ID"), delimiter="\t").encode()),
            "e.jsonl": json.dumps({"doc_key": "document", "clusters": clusters(side)}).encode(),
        }
        for file, raw in content.items():
            (folder / file).write_bytes(raw)
        items = list(side)
        files[name] = [
            *(str(folder / file) for file in content),
            from_labels(side),
            from_labels(list(side.values()), items),
            from_labels(np.array([label or "" for label in side.values()]), np.array(items)),
            from_labels(pd.Series(list(side.values()), index=items)),
            from_labels(pl.Series(list(side.values()), dtype=pl.String), pl.Series(items, dtype=pl.String)),
        ]
    ways = [*zip(*files.values(), strict=True)]
    ways += [(random.choice(files["key"]), random.choice(files["response"])) for _ in range(10)]
    ways += [(clusters(key), random.choice(files["response"])), (random.choice(files["key"]), clusters(response))]
    for one, other in ways:
        assert numbers(score(one, other)) == expected, (one, other)


def test_documents_are_those_of_a_column_or_the_files_of_a_folder(tmp_path: Path) -> None:
    rows = {"x": {"1": "A", "2": "A", "3": "B"}, "y": {"1": "A", "3": "A"}}
    table_of_all = "document,item,entity\n" + "".join(
        f"{name},{item},{label}\n" for item in "321" for name, its in rows.items() if (label := its.get(item))
    )
    (tmp_path / "key.csv").write_text(table_of_all)
    (tmp_path / "doc_id.csv").write_text(table_of_all.replace("document", "doc_id"))
    (tmp_path / "response").mkdir()
    for name, its in rows.items():
        (tmp_path / "response" / f"{name}.tsv").write_text(table(its, delimiter="\t"))
    found = score(tmp_path / "key.csv", tmp_path / "response", metrics="lea")
    assert (found["lea"].f1, [*found.documents]) == (1.0, ["x", "y"])
    assert [*score(tmp_path / "doc_id.csv", tmp_path / "response", metrics="lea").documents] == ["x", "y"]
    frame = pd.read_csv(tmp_path / "key.csv")
    from_frame = from_labels(frame["entity"], frame["item"], frame["document"])
    assert score(from_frame, tmp_path / "response", metrics="lea")["lea"].f1 == 1, "numbers of a frame are their texts"


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("csv", "item,entity\n1,A\n"),
        ("conll", "# begin document \n0\tAnn\t(1)\n\n# end document\n"),
        ("txt", "[Ann](#1) left."),
    ],
)
def test_compressed_files_of_a_folder_name_documents_as_plain_ones_do(ending: str, text: str, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.x.{ending}.gz").write_bytes(gzip.compress(text.encode()))
    assert list(read(tmp_path).clusters()) == ["a.x", "b.x"]


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "papers.csv"
    path.write_text("year,entity,id,label\n1999,x,p1,Ann\n1999,y,p2,Ann\n2000,y,p3,\n")
    by_default = score(path, [["p1"], ["p2", "p3"]], metrics="bcub")
    named = score(path, [["p1", "p2"]], metrics="bcub", columns="entity=label")
    assert (by_default["bcub"].f1, named["bcub"].f1) == (1.0, 1.0)
    done = command("bcub", path, "-", "none", "--columns", "item=id,entity=label", stdin=path.read_bytes())
    assert (done.status, done.stderr) == (0, b"")
    assert b"F1: 100%" in done.stdout


def test_items_of_one_side_are_counted_and_those_in_no_entity_are_not_missing() -> None:
    key, response = from_labels({"a": 1, "b": 1, "c": None, "d": 2}), from_labels({"a": 1, "b": 1, "c": 1, "e": 2})
    (notice,) = (notice for notice in score(key, response).notices if notice.code == "other-items")
    assert notice.details == {"document": "document", "extra": "1 item", "missing": "1 item"}


@pytest.mark.parametrize(
    ("key", "response", "told"),
    [
        ("0,Ann,A 1,Bo,A 2,it,B 3,it,C", "0,it,B 1,Ann,A 2,Bo,A 3,it,C", 3),
        ("1,Ann,A 2,Bo,A 3,it,B", "1,it,B 2,Ann,A 3,Bo,A", 3),
        ("0,Ann,A 1,Bo,A 2,it,B", "0,Ann,A 1,Bo,B 2,it,B", 0),
        ("0,Ann,A 1,Bo,A 2,it,B", "0,it,B 1,Ann,A 2,he,A", 2),  # another text
        ("0,Ann,A 1,Bo,A 2,it,B 3,he,B 4,Al,C", "0,Ann,A 1,it,B 2,he,B 3,Al,C", 3),  # a row is missing
        (  # a row near the end is missing
            " ".join(f"{n},name{n},A" for n in range(10)),
            " ".join(f"{n},name{n + (n > 6)},A" for n in range(9)),
            2,
        ),
        (  # a text was corrected, and two were exchanged
            " ".join(f"{n},name{n},A" for n in range(10)),
            " ".join(
                f"{n},{name},A"
                for n, name in enumerate(["name0", "name2", "name1", "Name3", *(f"name{n}" for n in range(4, 10))])
            ),
            0,
        ),
        ("0,Ann,A 1,Bo,A 2,it,B", "0,Ann,A 1,Bo,A 2,he,B", 0),
        ("0,Ann,A 1,Bo,A 2,it,B 3,he,B", "0,Bo,A 1,Al,A 2,Jo,B 3,Cy,B", 0),  # other cells
        ("0,5,A 1,6,A 2,7,B", "0,7,A 1,5,A 2,6,B", 0),  # figures, such as scores
        ("0,505,A 1,617,A 2,733,B", "0,733,A 1,505,A 2,617,B", 0),
        ("0,1005,A 1,1006,A 2,1008,B", "0,1008,A 1,1005,A 2,1006,B", 3),  # codes
        ("0,1005,A 1,1006,A 2,1007,B", "0,1007,A 1,1005,A 2,1006,B", 0),  # numbers of rows
        ("0,P11,A 1,P12,A 2,P13,B", "0,P13,A 1,P11,A 2,P12,B", 3),
        ("T1,P11,A T2,P12,A T3,P13,B", "T1,P13,A T2,P11,A T3,P12,B", 3),
        ("0,P11,A 1,P12,A 2,P12,B", "0,P12,A 1,P11,A 2,P12,B", 0),
        ("0,T0,A 1,T1,A 2,T2,B", "0,T2,A 1,T0,A 2,T1,B", 0),  # numbers of each side
        ("0,T1,A 1,T2,A 2,T3,B", "0,T3,A 1,T1,A 2,T2,B", 0),
        ("0,T0,A 1,T1,A 2,T5,B", "0,T5,A 1,T0,A 2,T1,B", 3),
        ("0,11,A 1,P12,A 2,P13,B", "0,P13,A 1,11,A 2,P12,B", 0),
        ("0,P12,A 1,11,A 2,P13,B", "0,P13,A 1,P12,A 2,11,B", 0),
        ("0,Ann,A 1,Bo,A 2,it,B 3,he,B", "0,Ann,A 1,Bo,A 2,Ann,B 3,Bo,B", 0),
        ("0,x,A 1,x,A 2,y,B 3,y,B 4,y,C", "0,x,A 1,y,A 2,x,B 3,y,B 4,y,C", 0),  # equal by chance
        ("5,Ann,A 6,Bo,A 7,it,B", "5,it,B 6,Ann,A 7,Bo,A", 3),  # no numbers of rows
        ("T1,Ann,A T2,Bo,A T3,it,B", "T1,it,B T2,Ann,A T3,Bo,A", 3),
        ("0,Ann,A 1,Bo,A 2,it,B", "5,it,B 6,Ann,A 7,Bo,A", 0),
    ],
)
def test_rows_in_another_order_are_told(key: str, response: str, told: int, tmp_path: Path) -> None:
    """A table that was sorted and numbered again: row 0 of one side is not that of the other."""
    for name, rows in (("key.csv", key), ("response.csv", response)):
        (tmp_path / name).write_text("\n".join(["id,name,cluster", *rows.split(), ""]))
    sides = tmp_path / "key.csv", tmp_path / "response.csv"
    found = {notice.code: notice for notice in score(*sides, "bcub").notices}
    assert ("other-rows" in found) == bool(told)
    if told:
        assert found["other-rows"].details == {"name": "name", "count": f"{told} items"}
        assert "other-rows" not in {notice.code for notice in score(*sides, "bcub", columns="item=id").notices}


def test_items_that_were_named_and_are_at_other_places_are_told(tmp_path: Path) -> None:
    """The column was named since a notice asked for it, and the notice about its items was gone."""
    for name, ends in (("key.csv", "1476"), ("response.csv", "0576")):
        rows = [f"{start},{end},A" for start, end in zip("0467", ends, strict=True)]
        (tmp_path / name).write_text("\n".join(["begin,end,cluster", *rows, ""]))
    sides = tmp_path / "key.csv", tmp_path / "response.csv"
    found = score(*sides, "bcub", columns="item=begin,entity=cluster").notices
    assert [(its.code, its.details["name"]) for its in found] == [("other-rows", "end")]


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ("x,0,it,B x,1,Ann,A x,2,Bo,A y,0,he,B y,1,Al,A y,2,Jo,A", 6),
        ("x,0,Ann,A x,1,Bo,A x,2,it,B y,0,Jo,A y,1,he,B y,2,Al,A", 3),
        ("y,0,Al,A y,1,Jo,A y,2,he,B x,0,Ann,A x,1,Bo,A x,2,it,B", 0),  # documents in another order
        ("y,0,Al,A y,1,Jo,A y,2,he,B", 0),  # a document is missing
        ("x,0,it,B x,5,Ann,A x,7,Bo,A y,0,he,B y,1,Al,A y,2,Jo,A", 4),  # no numbers of rows
    ],
)
def test_rows_in_another_order_within_documents_are_told(response: str, told: int, tmp_path: Path) -> None:
    """Rows are numbered in each document."""
    key = "x,0,Ann,A x,1,Bo,A x,2,it,B y,0,Al,A y,1,Jo,A y,2,he,B"
    for name, rows in (("key.csv", key), ("response.csv", response)):
        (tmp_path / name).write_text("\n".join(["document,id,name,cluster", *rows.split(), ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["count"] for its in found if its.code == "other-rows"] == [f"{told} items"] * (told > 0)


@pytest.mark.parametrize(
    ("key", "response", "told"),
    [
        ([0, 1, 2, 3], [1, 2, 3, 4], "higher"),
        ([*range(1, 21)], [*range(18), 19], "lower"),
        ([*range(1, 21)], [*range(16), 19], None),  # most of the rest is missing
        ([0, 1, 2, 3], [2, 3, 4, 5], None),
        ([1, 2], ["x", 3], None),
        (["1" * 5000, "1"], ["2", "3"], None),
        (["1", "2", "3"], ["0", "1", "2"], "lower"),
        ([0, 1, 2, 3], [1, 2, 3], None),
        ([0, 1, 2, 3], [1, 2, 5], None),
        (["a1", "a2"], ["a2", "a3"], None),
        (["a1", "a2", "a3"], ["a2", "a3", "a4"], "higher"),
        (["a1", "b2", "a3"], ["b2", "a3", "a4"], None),
        (["0.1", "0.2", "0.3"], ["0.2", "0.3", "0.4"], None),
    ],
)
def test_numbers_that_are_one_higher_or_lower_are_told(
    key: list[Hashable], response: list[Hashable], told: str | None
) -> None:
    """R and spreadsheets number rows from 1, Python from 0."""
    ours, theirs = (from_labels(["x"] * len(items), items) for items in (key, response))
    found = [
        notice.details["shift"] for notice in score(ours, theirs, "bcub").notices if notice.code == "shifted-items"
    ]
    assert found == ([] if told is None else [told])


NAN = float("nan")

MISSING = [
    [1, 1, None, 2],
    [1.0, 1.0, NAN, 2.0],
    ["a", "a", "", "b"],
    [b"a", b"a", b"", b"b"],
    np.array([b"a", b"a", b"", b"b"]),
    ["a", "a", NAN, "b"],
    *(["a", "a", missing, "b"] for missing in (np.float32(NAN), complex(NAN), Decimal("NaN"))),
    np.array([1, 1, np.float32(NAN), 2], dtype=object),
    np.array([1, 1, complex(NAN), 2]),
    pd.Series(["a", "a", Decimal("NaN"), "b"]),
    [(1,), (1,), None, (2,)],
    np.array([1, 1, NAN, 2]),
    np.array(["a", "a", "", "b"]),
    np.array([1, 1, None, 2], dtype=object),
    np.ma.masked_array([1, 1, 1, 2], mask=[False, False, True, False]),
    np.array(["2001-01-01", "2001-01-01", "NaT", "2002-01-01"], dtype="datetime64[D]"),
    pd.Series([1, 1, None, 2], dtype="Int64"),
    pd.Series(["a", "a", None, "b"], dtype="category"),
    pd.Series(pd.to_datetime(["2001-01-01", "2001-01-01", None, "2002-01-01"])),
    pl.Series([1, 1, None, 2]),
    pl.Series(["a", "a", None, "b"], dtype=pl.Categorical),
    (label for label in [True, True, None, False]),
]


@together("labels", MISSING, ids=lambda labels: f"{type(labels).__name__} {labels!r:.60}".replace("\n", " "))
def test_labels_of_any_type_and_missing_ones(labels: Any) -> None:
    found = score(from_labels(labels), from_labels(["x", "x", None, "y"]), metrics="muc,lea")
    assert (found["lea"].f1, found["mentions"].recall_counts.denominator) == (1.0, 3)
    assert not found.notices


REFUSED: Sequence[tuple[Any, str]] = [
    ((("abc",), {}), "labels have the type str; expected a list, an array or a series"),
    ((([1, 1], {0: "a", 1: "b"}), {}), "items have the type dict; expected a list, an array or a series"),
    ((([1, 1],), {"documents": {0: "a", 1: "b"}}), "documents have the type dict; expected a list, an array or"),
    (((3,), {}), "labels have the type int; expected"),
    ((({3, 4},), {}), "labels have the type set; expected"),
    (((np.zeros((2, 2)),), {}), "labels have the shape (2, 2)"),
    ((([1, 2], ["a"]), {}), "there are 1 items and 2 labels; expected as many of both"),
    ((([1, 2], ["a", None]), {}), "items[1] is missing"),
    ((([1, 2], ["a", np.float32(NAN)]), {}), "items[1] is missing"),
    ((([1, 2], [1, Decimal("NaN")]), {}), "items[1] is missing"),
    ((([1, Decimal("sNaN")],), {}), "labels: "),
    ((([np.zeros(2), np.zeros(2)],), {}), "labels are ndarray objects"),
    ((([1, 2],), {"documents": ["x", ""]}), "documents[1] is missing"),
    ((([("a",), ("a",), (None,)],), {}), "a label is (None,), a tuple; expected None for an item without a label"),
    (
        (([("d", 1), ("d", 1), ("d", NAN)],), {}),
        "a label is ('d', nan), a tuple; expected None for an item without a label",
    ),
    ((([(), ("d", 1), ("d", 1)],), {}), "a label is (), a tuple; expected None for an item without a label"),
    (
        (([1, 1], pd.Series([1, 2])), {"documents": pd.Series(["x", "y"], index=[1, 0])}),
        "documents and items differ in their index; give documents.array",
    ),
    ((([[1], [2]],), {}), "labels: unhashable type: 'list'"),
    (((pd.Series([[1], [2]]),), {}), "a label or name per row, as in labels.explode()"),
    (((pd.Series([2**53 + 1, 2**53 + 2, None]),), {}), "labels are floats such as 9007199254740992, too large"),
    ((([-(2.0**60), None],), {}), "labels are floats such as -1.152921504606847e+18, too large"),
    (((np.array([2**24 + 1, 5], np.float32),), {}), "labels are floats such as 16777216, too large"),
    (((np.array([2048, NAN], np.float16),), {}), "labels are floats such as 2048, too large"),
    ((([1, 2],), {"documents": np.array([2.0**53, 5])}), "documents are floats such as 9007199254740992, too large"),
    ((({"a": 1}, ["a"]), {}), "items are given twice"),
]


@together("row", REFUSED, ids=lambda row: row[1])
def test_what_is_no_column_of_labels_is_refused(row: tuple[Any, str]) -> None:
    (arguments, options), message = row
    with pytest.raises(UsageError) as raised:
        from_labels(*arguments, **options)
    assert message in str(raised.value)


def test_json_can_have_items_in_some_documents_and_spans_in_others(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    spans = {"doc_key": "x", "sentences": [["Ann", "saw", "her"]], "clusters": [[[0, 0], [2, 2]], [[0, 0]]]}
    items = {"doc_key": "y", "clusters": [["p", "q"], ["q", "r"]]}
    path.write_text("\n".join(map(json.dumps, (spans, items))))
    found = score(path, [[["a"]], [["p", "r"]]], "bcub", repeated="first")
    said = [(notice.code, notice.details["words"]) for notice in found.notices if notice.code == "dropped-repeat"]
    assert said == [("dropped-repeat", "Ann"), ("dropped-repeat", "q")]
    assert read(path).clusters()["y"] == {"0": [(-1, -1, "p"), (-1, -1, "q")], "1": [(-1, -1, "q"), (-1, -1, "r")]}


WITH_TEXT = '{"doc_key": "a", "text": "Ann saw her", "clusters": [["Ann", "her"]]}'
WITHOUT = '{"doc_key": "a", "clusters": [["Ann", "her"]]}'
OFFSETS = "two whole numbers, [first character, character after the last]"
PLACE = 'a mention is "Ann"'
WORDS = 'the words of document "a"'


KEEPING = "labels", "jsonlines", "e2e", "wl-coref", "maverick", "crac-2026"
"""The formats that have mentions without a place in a text."""


@pytest.mark.parametrize(
    ("key", "arguments", "said"),
    [
        *((WITH_TEXT, way, OFFSETS) for way in ("lea KEY KEY", "convert KEY -", "validate KEY", "diff KEY KEY")),
        *((WITHOUT, f"convert KEY - --format {name}", PLACE) for name in EVERY_NAME if name not in KEEPING),
        *((WITHOUT, f"convert KEY - --format {name}", None) for name in KEEPING),
        (WITHOUT, "convert KEY - --key KEY", WORDS),
        (WITHOUT, "lea TABLE KEY --align", "the words of document"),
        (WITHOUT, "lea KEY TABLE --align", WORDS),
        (WITHOUT, "diff KEY TABLE", None),
        (WITHOUT, "lea KEY KEY --window 2", "--window needs mentions of the form (start, end)"),
        (WITHOUT, "lea KEY KEY --of size", None),
        (WITHOUT, "lea KEY KEY --of kind", "the key has no words"),
        (WITHOUT, "errors KEY TABLE", None),
        (WITHOUT, "validate KEY", None),
    ],
)
def test_mentions_that_are_text_are_scored_or_refused_with_a_message(
    key: str, arguments: str, said: str | None, tmp_path: Path
) -> None:
    paths = {"KEY": tmp_path / "key.jsonl", "TABLE": tmp_path / "table.csv"}
    paths["KEY"].write_text(key)
    paths["TABLE"].write_text("item,entity\nAnn,1\nher,1\n")
    found = command(*(str(paths.get(word, word)) for word in arguments.split()))
    shown = (found.stdout + found.stderr).decode()
    assert found.status < 3 and "Traceback" not in shown
    assert (found.status > 0 and said in shown) if said else found.status == 0, shown


def test_positions_need_lists_of_one_length() -> None:
    with pytest.raises(UsageError, match="the key has 3 labels and the response 2"):
        score(from_labels([1, 1, 2]), from_labels([1, 1]))


def test_two_labels_of_an_item_follow_the_rule_for_repeats(tmp_path: Path) -> None:
    (tmp_path / "key.csv").write_text("item,entity\na,1\na,2\nb,2\nc,1\n")
    twice = from_labels([1, 2, 2, 1], ["a", "a", "b", "c"])
    for repeated in ("official", "first"):
        of_file, of_lists = (
            numbers(score(side, [["a", "b"], ["c"]], repeated=repeated)) for side in (tmp_path / "key.csv", twice)
        )
        assert of_file == of_lists == numbers(score([["a", "c"], ["a", "b"]], [["a", "b"], ["c"]], repeated=repeated))
    with pytest.raises(InputError, match='"a" is annotated 2 times, in entities 1, 2'):
        score(tmp_path / "key.csv", twice, repeated="refuse")
    done = within("bcub", tmp_path / "key.csv", tmp_path / "key.csv", "none")
    assert b"\nRepeated mention in the key: a 02\n" in done.stdout, "items have names, not tokens"
    assert b"\nRepeated mention in the response: a 22\n" in done.stdout


def test_a_table_is_read_in_pieces(tmp_path: Path) -> None:
    """Pieces are cut at lines, and from the first quote on rows are read one by one: lines stay those of the file."""
    rows = [f"item {number},{number // 3}" for number in range(40_000)]
    rows[30_000] = '"item\n30000, quoted",10000'
    path = tmp_path / "key.csv"
    path.write_text("\n".join(["item,entity", *rows, "late"]))
    with pytest.raises(InputError, match=r"key.csv:40003: error\[bad-row\] this row has 1 cell: late"):
        corefscore.read(path)
    path.write_text("\n".join(["item,entity", *rows]))
    items = [f"item {number}" for number in range(40_000)]
    items[30_000] = "item\n30000, quoted"
    found = score(path, from_labels(np.arange(40_000) // 3, items), metrics="lea")
    assert found["lea"].f1 == pytest.approx(1, abs=1e-12)
    assert not found.notices


def test_large_labels_beside_a_missing_one_in_polars() -> None:
    """The array of such a series has floats, in which neighbours of 2**60 are equal: counted by hand."""
    found = score(from_labels(pl.Series([2**60, 2**60 + 1, None])), from_labels(["a", "b", None]), "cluster")
    assert found["cluster"].recall_counts == (2, 2)


EQUAL: Sequence[tuple[Any, Any, int]] = [
    ([1, 2, 3], [1.0, 2.0, 3.0], 3),
    ([1, 2, 3], np.array([1.0, 2.0, 3.5]), 2),
    ([1, "1"], [1], 1),
    ([1, (2, 3)], [1, 2], 1),
    ([2**60, 2**60 + 1], np.array([2**60, 2**60 + 2]), 1),
    ([2**60 + 1, 1], [2.0**60, 1.0], 1),
    (np.array([2**64 - 1, 1], dtype=np.uint64), [2**64 - 1, 1], 2),
    (["1", "2.5", "x"], [1.0, 2.5], 2),
    (["1", "2.5"], np.array([1, 2]), 1),
    (np.array([1, 2, 3], dtype=np.float16), [1, 2, 4], 2),
]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@together("row", EQUAL, ids=str)
def test_items_are_the_same_if_they_are_equal(row: tuple[Any, Any, int]) -> None:
    """Whatever the other items are; numbers beside text are compared by their texts."""
    *sides, common = row
    for one, other in (sides, sides[::-1]):
        found = score(from_labels([1] * len(one), one), from_labels([1] * len(other), other), "muc")
        assert found["mentions"].recall_counts == (common, len(one))
        assert {notice.code for notice in found.notices} <= {"other-items"}


@together("documents", [[1.0, 2.0, 1.0], np.array([1.0, 2.5, 1.0]), ["1", "2", "1"]], ids=str)
def test_documents_are_the_same_if_their_names_are_equal(documents: Any) -> None:
    key = from_labels([1, 1, 1], ["x", "y", "z"], [1, documents[1], 1])
    assert score(key, from_labels([1, 1, 1], ["x", "y", "z"], documents), "muc")["muc"].f1 == 1


def test_a_column_that_was_asked_for_and_is_missing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    path.write_text("id,mention,gold,doc,cluster\n1,a,x,d,p\n")
    for words in (("bcub", path, path), ("validate", path)):
        for columns in ("item=nope", "item=id,entity=nope", "document=nope"):
            done = within(*words, "--columns", columns)
            assert done.status == 1, columns
            assert b"error[bad-row]" in done.stdout + done.stderr


def test_of_two_columns_that_fit_the_one_that_is_read_is_named() -> None:
    table = TESTDATA / "odd" / "chosen-column" / "key.csv"
    assert b'"cluster" is read' in within("bcub", table, table).stderr
    assert b"[chosen-column]" not in within("bcub", table, table, "--columns", "entity=label").stderr


@pytest.mark.parametrize("name", ["gold_cluster", "true_label", "Reference"])
def test_a_key_beside_other_labels_is_not_left_out_in_silence(name: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"item,cluster,{name}\na,1,1\nb,1,2\nc,2,2\n")
    done = within("bcub", table, table, "none")
    assert done.stderr.count(b"notice[chosen-column]") == 1, "the response has clusters"
    assert not within("bcub", table, table, "none", "--columns", f"key.entity={name},response.entity=cluster").stderr


RESTART, GO_ON = "a,m1,0 a,m2,1 a,m3,0 b,m4,1 b,m5,1 b,m6,0", "a,m1,0 a,m2,1 a,m3,2 b,m4,2 b,m5,3 b,m6,1"


@pytest.mark.parametrize("name", ["topic", "Book Title", "tweet_id", "split", "event_type"])
@pytest.mark.parametrize(
    ("rows", "divided"),
    [
        ("a,m1,7 b,m2,7 a,m3,8 b,m4,8 b,m5,9", True),
        ("a,m1,7 b,m2,7 a,m3,8 b,m4,9", False),  # one of three labels
        ("a,m1,7 a,m2,7 b,m3,8 b,m4,8", False),
    ],
)
def test_texts_that_divide_most_labels_are_told(name: str, rows: str, divided: bool, tmp_path: Path) -> None:
    """Whatever the numbers are that each text gives its entities."""
    table = tmp_path / "table.csv"
    table.write_text("\n".join([f"{name},item,entity", *rows.split(), ""]))
    told = [notice.details["name"] for notice in read(table).notices if notice.code == "unread-field"]
    assert told == [name] * (divided and name not in ("split", "event_type"))


def test_a_table_with_tags_in_its_cells_is_a_table(tmp_path: Path) -> None:
    """Both sides were read as one tagged text each, and scored 100."""
    for cell in ("[fix](#12) it", "{12 angry men}", "<m>x</m>#1"):
        for name, label in (("key.csv", 1), ("response.csv", 2)):
            (tmp_path / name).write_text(f"item,entity\n{cell},1\nb,{label}\nc,2\nd,2\ne,3\n")
        assert round(score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub")["bcub"].f1, 4) == 0.7652


SHUFFLED = "a,m1,0 b,m2,0 c,m3,0 d,m4,0 b,m5,1 c,m6,1 d,m7,1 d,m8,3 d,m9,2 c,m10,2 a,m11,0 d,m12,4 d,m13,5"
"""Rows sorted by label."""

SIZES = (10, True), (11, False), (14, False)
"""Whether as many labels in one group, and 14 in the other, are unlikely."""


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (RESTART, True),
        (RESTART.replace("m3,0", "m3,"), True),
        ("a,m1,c0 a,m2,c1 a,m3,c0 b,m4,c1 b,m5,c1 b,m6,c0", True),
        ("a,m1,C_01 a,m2,C_02 b,m3,C_01 b,m4,C_02", True),
        ("a,m1,0.0 a,m2,1.0 b,m3,0.0 b,m4,1.0", True),
        ("a,m1,(0) a,m2,(1) b,m3,(0) b,m4,(1)", True),
        ("a,m1,0.5 a,m2,1.5 b,m3,0.5 b,m4,1.5", False),
        ("a,m1,c10 a,m2,c11 b,m3,c10 b,m4,c11", False),
        ("a,m1,2 a,m2,0 a,m3,1 b,m4,1 b,m5,0 b,m6,0", True),  # numbered by size: 3 labels, and 2
        ("a,m1,2 a,m2,0 a,m3,1 b,m4,1 b,m5,0 b,m6,2", False),
        ("a,m1,3 a,m2,0 a,m3,1 b,m4,1 b,m5,0 b,m6,0", False),
        (GO_ON, False),
        ("a,m1,0 b,m2,1 a,m3,0 b,m4,1", False),  # a column of something else, which comes again
        ("a,m1,0 b,m2,0 c,m3,0 d,m4,0", False),  # a column that numbers the rows
        ("a,m1,0 a,m2,1 a,m3,0 a,m4,1", False),
        ("a,m1,0 a,m2,0 b,m3,1 b,m4,1", False),  # no label is in both
        ("a,m1,0 a,m2,0 b,m3, b,m4,", False),
        (SHUFFLED, True),
        *(
            (" ".join(f"{g},{g}{n},{n}" for n in range(14) for g in "ab" if g == "a" or n < size), told)
            for size, told in SIZES
        ),
        (SHUFFLED.replace("d,m8,3", "d,m8,4"), False),  # a gap
        (SHUFFLED.replace("c,m10,2", "c,m10,"), False),  # three numbers of labels, which chance makes more easily
        (SHUFFLED.replace("d,m13,5", "d,m13,4"), False),  # five labels, as well
    ],
)
def test_labels_that_seem_to_restart_are_told(rows: str, told: bool, tmp_path: Path) -> None:
    """Label 0 of one text would be label 0 of the next; what the column is called does not matter."""
    table, records = tmp_path / "table.csv", tmp_path / "records.json"
    table.write_text("\n".join(["round,item,entity", *rows.split(), ""]))
    assert ["unread-field"] * told == [notice.code for notice in read(table).notices]
    assert not read(table, columns="document=round").notices
    cells = [row.split(",") for row in rows.split()]
    records.write_text(
        json.dumps([{"doc_id": f"the {a}", "tokens_ids": [int(b[1:])], "cluster_id": c or None} for a, b, c in cells])
    )
    assert ["unread-field"] * told == [notice.code for notice in read(records).notices]
    items, labels = [(a, b) for a, b, _ in cells], [c for _, _, c in cells]
    assert ["unread-field"] * told == [notice.code for notice in from_labels(labels, items).notices]


def test_a_column_of_the_response_is_told_if_the_side_is_not_known(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("item,entity,pred\nm1,1,1\nm2,1,2\n")
    assert [notice.code for notice in read(table).notices] == ["chosen-column"]
    assert not read(table, side="key").notices


@pytest.mark.parametrize(
    ("header", "name"), [(",,item,entity", "column 1"), ("text,,item,entity", "text"), ("Index, ,item,entity", "Index")]
)
def test_documents_in_a_column_of_anything_are_told_if_labels_surely_restart(
    header: str, name: str, tmp_path: Path
) -> None:
    """pandas writes an index of two levels without names; a column of speakers may divide labels by chance."""
    table = tmp_path / "table.csv"
    table.write_text("\n".join([header, "a,0,m1,0", "a,1,m2,1", "a,2,m3,2", "b,0,m4,0", "b,1,m5,1", ""]))
    (notice,) = read(table).notices
    assert (notice.code, notice.details["name"]) == ("unread-field", name)
    assert ('the name "document" for it' in str(notice.details["expected"])) == (name == "column 1")
    chance = [f"{of},{n},m{n},{label}" for n, (of, label) in enumerate(zip("AAAABBBBB", "010210031", strict=True))]
    table.write_text("\n".join([header, *chance, ""]))
    assert not read(table).notices


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("p1, p2,p1 p3,p1 p4, p5,p4", "p1"),  # duplicates
        ("p1,p1 p2,p1 p3,p2 p4,p4 p5,p4", "p2"),  # parents that are no roots
        ("p1,p1 p2,p1 p3,p1 p4,p4 p5,p4", None),
        ("p1,a p2,a p3,p1 p4,b", None),  # one label of three
        ("1, 2,1 3,1 4, 5,4", None),  # numbers, too few
        (" ".join(f"{n},{n - n % 3 if n % 3 else ''}" for n in range(3, 24)), "3"),  # numbers of items without a label
        (" ".join(f"{n},{n - 1 if n % 2 else ''}" for n in range(2, 20)), None),  # by chance, half have a label
        ("1,3 2,3 3, 4,", None),
        ("1, 2, 3,2 4,2 5, 6,2 7,4 8,4 9, 10,4", None),  # labels from 0, without those of single items
        ("1, 2, 3,2 4,2 5,2 6,4 7, 8,4 9,5 10, 11,5", None),  # without some entities
        ("4, 6,4 1, 9,6 3, 8,3", "4"),  # antecedents
        ("1,2 2,3 3, 4,5 5,", "2"),  # the next mention
        ("1, 2,1 3,1 4, 5,2", None),  # numbers of labels
        ("1,1 2,2 3,2 4,1 5,5 6,4 7,5", "4"),  # antecedents, the first itself
        ("0,0 1,0 2,2 3,2", None),  # by the first of each
        ("0,1 1,1 2,3 3,3", None),  # by the last of each
        ("0,1 1,4 2,3 3,3 4,7 5,6 6,6 7,9 8,8 9,9", "1"),  # a parent for each, the last itself
        ("0,1 1,1 2,4 3,4 4,6 5,6 6,8 7,8 8,9 9,9", None),  # singletons are left out
        ("1, 2,2 3, 4,2 5,4 6,2 7,4", None),  # numbers of labels without those of single items
        ("7,3 2,9 3, 9,2 5,7", None),  # in no order
        ("1, 2,1 3,2 4,1 5,3 6,4", None),  # all numbers up to the last, and few
        ("1, 2,1 3,2 4,1 5,3 6,4 7,6 8,5 9,8", "1"),
        (f"{'1' * 30}, 2,{'1' * 30} 3,2 4,2 5,3", None),  # no numbers to compare
        ("1, 2,1 3,1 4, 5,6", None),  # that are no items
        ("p1,a p2,b", None),
    ],
)
def test_labels_that_are_links_are_told(rows: str, told: str | None, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["item,cluster", *rows.split(), ""]))
    assert [its.details["label"] for its in read(path).notices if its.code == "linked-items"] == [told] * bool(told)


def test_a_label_that_is_an_item_of_another_table_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("item,cluster\np1,p1\np2,p1\n")
    (tmp_path / "b.csv").write_text("item,cluster\np3,p1\np4,p1\n")
    assert "linked-items" not in {notice.code for notice in read(tmp_path).notices}


def test_documents_are_looked_for_in_the_whole_of_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first document was larger than what is read at once, so that nothing was reported."""
    path = tmp_path / "table.csv"
    path.write_text("item,book,cluster\n" + "".join(f"m{n},{n // 40},{n % 20}\n" for n in range(120)))
    monkeypatch.setattr("corefscore.formats.labels._AT_ONCE", 200)
    assert [notice.details["name"] for notice in read(path).notices if notice.code == "unread-field"] == ["book"]


def test_documents_without_a_label_at_their_beginning_are_found(tmp_path: Path) -> None:
    """Books of 25,000 tokens, most of them in no entity; only the first rows of each piece of the file were looked at,
    and the first 20,000 labels in Python."""
    size, path = 25_000, tmp_path / "table.csv"
    labels = [str(n // 5_000) if n % 1000 == 999 else "" for n in range(size)] * 3
    books = [book for book in ("emma", "ulysses", "walden") for _ in range(size)]
    rows = list(enumerate(zip(books, labels, strict=True)))
    path.write_text("title,item,cluster\n" + "".join(f"{book},i{n},{label}\n" for n, (book, label) in rows))
    assert [its.details["name"] for its in read(path).notices if its.code == "unread-field"] == ["title"]
    path.write_text("item,cluster\n" + "".join(f"{book}/{n},{label}\n" for n, (book, label) in rows))
    assert [its.details["name"] for its in read(path).notices if its.code == "unread-field"] == ["item before /"]
    for items, name in (([*zip(books, range(3 * size), strict=True)], "items[0][0]"),):
        found = from_labels(labels, items).notices
        assert [its.details["name"] for its in found if its.code == "unread-field"] == [name]


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([f"f{n // 10}" for n in range(1200)], True),  # one label in each
        ([f"p{n % 600 // 3}" for n in range(1200)], False),  # the same pages twice, not in a row
        ([f"f{n // 2}" if n < 600 else f"f{300 + n}" for n in range(1200)], True),
    ],
)
def test_rows_of_later_pieces_are_counted_as_those_of_the_first(
    cells: list[str], told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs of a cell and a label stand for the rows: neither their number nor their order may be lost."""
    path = tmp_path / "table.csv"
    name = "file" if cells[0] == "f0" else "page"
    path.write_text(f"item,{name},cluster\n" + "".join(f"i{n},{its},{n // 10 % 7}\n" for n, its in enumerate(cells)))
    monkeypatch.setattr("corefscore.formats.labels._SOME", 5)
    for size in (200, 1 << 18):
        monkeypatch.setattr("corefscore.formats.labels._AT_ONCE", size)
        assert ("unread-field" in {its.code for its in read(path).notices}) == told
    rows = [f"i{n},d{n // 60},p{n // 20},{n % 20}\n" for n in range(1200)]
    path.write_text("".join(["item,document,part,cluster\n", *rows]))
    monkeypatch.setattr("corefscore.formats.labels._AT_ONCE", 200)
    assert not read(path).notices, "of rows with a document, only those of the sample are looked at"


@pytest.mark.parametrize(
    ("documents", "codes"),
    [
        (["d1", "d1", "d1 ", "d2"], ["alike-ids"]),
        (["d1", "d1", "nan", "nan"], ["odd-name"]),
        (["d1", "d1", "1.5E+18", "1.5E+18"], ["odd-name"]),
        (["d1", "d1", "d2", "d2"], []),
    ],
)
def test_odd_names_of_documents_are_told_for_labels_in_python(documents: list[str], codes: list[str]) -> None:
    for labels in ([0, 0, 1, 1], ["a", "a", "b", "b"]):
        assert [its.code for its in from_labels(labels, [1, 2, 3, 4], documents).notices] == codes


def test_line_ends_are_spellings_as_other_white_space_is() -> None:
    """The lines of a file that were not stripped."""
    for labels, items, documents, code in (
        (["A\n", "A\n", "B\n", "B\n", "A"], None, None, "alike-ids"),
        (["A\n", "A\n", "\n", "\n", "B\n"], None, None, "odd-label"),
        ([1, 2, 1, 1], [1, 2, 3, 4], ["a\n", "a\n", "b\n", "b"], "alike-ids"),
        (["1\n2", "1", "2"], None, None, "odd-label"),
    ):
        assert [its.code for its in from_labels(labels, items, documents).notices] == [code]


@pytest.mark.parametrize("repeated", ["official", "first"])
def test_the_first_copy_of_an_item_is_that_of_the_entity_that_is_given_first(repeated: str, tmp_path: Path) -> None:
    """As in lists; the entity whose items come first in the whole file was the first in files."""
    key, response = [["Bo"], ["Ann"]], [["she"], ["Ann"], ["she", "Ann"]]
    rows = {"key": [(its, n) for n, of in enumerate(key) for its in of]}
    rows["response"] = [(its, n) for n, of in enumerate(response) for its in of]
    for name, entities in (("key", key), ("response", response)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"doc_key": "a", "clusters": entities}) + "\n")
        (tmp_path / f"{name}.csv").write_text("item,entity\n" + "".join(f"{its},{n}\n" for its, n in rows[name]))
    labels = [from_labels([n for _, n in of], [its for its, _ in of]) for of in rows.values()]
    sides: list[Any] = [(tmp_path / f"key.{form}", tmp_path / f"response.{form}") for form in ("jsonl", "csv")]
    sides += [labels, (key, response)]
    found = [score(its[0], its[1], "bcub", repeated=repeated)["bcub"].f1 for its in sides]
    assert len(set(found)) == 1


def test_labels_that_are_rounded_and_labels_that_mean_none_are_both_reported() -> None:
    labels = [*(f"{number}0000000000000000" for number in range(157, 167)), "None"]
    found = [notice.details["label"] for notice in from_labels(labels).notices if notice.code == "odd-label"]
    assert found == ["1570000000000000000", "None"]


def test_labels_of_merged_cells_in_some_documents_are_told(tmp_path: Path) -> None:
    """As where some of several sheets have merged cells; a few blank cells can be so by chance."""
    whole, merged, some = "AABBCCC", "A B C  ", "AAB C C"
    for documents, told in (
        ([whole] * 4 + [merged] * 2, "6 entities in 2 of 6 documents"),
        ([whole] * 4 + [some] * 2, ""),
        ([whole] * 4 + [merged, some], ""),
        ([whole] * 4 + ["A   B"], ""),
        ([whole] * 4 + ["ABC EFGH ", "ABCDEF "], ""),  # few rows without a label
        (["ABCD", "ABCDD"] * 3 + [merged], ""),  # most entities have one item
    ):
        rows = (f"d{d},m{n},{label.strip()}\n" for d, labels in enumerate(documents) for n, label in enumerate(labels))
        path = tmp_path / "table.csv"
        path.write_text("".join(["document,item,entity\n", *rows]))
        found = [notice.details["among"] for notice in read(path).notices if notice.code == "merged-cells"]
        assert found == [told] * bool(told)


@pytest.mark.parametrize("merged", [True, False])
def test_labels_of_merged_cells_in_several_places_are_told(merged: bool, tmp_path: Path) -> None:
    """A program merges equal labels that follow each other; with labels that recur, some would do so by chance."""
    labels = [draw for draw in Random(0).choices("ABCDE", k=100) for _ in range(2)]
    shown = [now if now != before or not merged else "" for before, now in pairwise(["", *labels])]
    if not merged:  # every other item has no label
        shown = [label if number % 3 else "" for number, label in enumerate(labels)]
    path = tmp_path / "table.csv"
    path.write_text("item,entity\n" + "".join(f"m{number},{label}\n" for number, label in enumerate(shown)))
    found = [notice.details["what"] for notice in read(path).notices if notice.code == "merged-cells"]
    assert found == [f"never has two items one after the other, and {shown.count('')} rows have no label"] * merged
    codes = [notice.code for notice in from_labels(shown, [f"m{number}" for number in range(len(shown))]).notices]
    assert ("merged-cells" in codes) == merged


def test_merged_cells_of_some_documents_are_looked_at_alone(tmp_path: Path) -> None:
    """The last label of one document is the first of the next, and whole documents have equal labels in a row."""
    merged = [label for _ in range(30) for label in ("A", "", "B", "", "C", "")]
    path = tmp_path / "table.csv"
    documents = {"whole": ["A", "A", "B"] * 20, "d1": [*merged, "A"], "d2": merged}
    rows = (f"{name},m{n},{label}\n" for name, labels in documents.items() for n, label in enumerate(labels))
    path.write_text("document,item,entity\n" + "".join(rows))
    found = [notice.details["among"] for notice in read(path).notices if notice.code == "merged-cells"]
    assert found == ["6 entities in documents with such rows"]


@pytest.mark.parametrize(
    ("column", "cells", "labels", "told"),
    [
        ("part", "0000011111", "0102001020", True),
        ("part", "0011223344", "0102003412", False),  # labels go on
        ("genre", "aaaaabbbbb", "0102001020", False),  # that of the document
        ("sentence", "0011100111", "0102003412", False),
        ("sentence", "0000011111", "0102004030", False),  # one is in the first mention of every sentence
    ],
)
def test_a_column_that_divides_documents_is_told_if_labels_begin_again(
    column: str, cells: str, labels: str, told: bool, tmp_path: Path
) -> None:
    """Documents of OntoNotes are known by their name and their part."""
    documents = "xxxxxxxxxx" if column != "genre" else cells
    rows = zip(documents, cells, labels, strict=True)
    path = tmp_path / "table.csv"
    path.write_text(
        f"document,{column},item,entity\n" + "".join(f"{d},{c},m{n},{e}\n" for n, (d, c, e) in enumerate(rows))
    )
    found = [its.details["name"] for its in read(path).notices if its.code == "unread-field"]
    assert found == [column] * told


@pytest.mark.parametrize("name", ["", "index", "Unnamed: 0"])
def test_an_index_that_begins_again_with_the_labels_is_told(name: str, tmp_path: Path) -> None:
    """As where tables were joined, each with its own clusters."""
    path = tmp_path / "table.csv"
    for labels, told in (("0120 00121 010", True), ("0120 34353 676", False), ("0120 01134 055", False)):
        rows = [f"{n},{part}{n},{its}\n" for part in range(3) for n, its in enumerate(labels.split()[part])]
        path.write_text("".join([f"{name},item,cluster\n", *rows]))
        found = [its.details["name"] for its in read(path).notices if its.code == "unread-field"]
        assert found == [name or "column 1"] * told


@pytest.mark.parametrize(
    ("labels", "odd"),
    [
        ("p1;p2 p1;p2 p3", "p1;p2"),
        ("p1|p3 p2 p1|p3", "p1|p3"),
        ("p1;x p2 p1;x", None),
        ("(p1,p2) p1 p2", "(p1,p2)"),
        ("1;2 2;1 3", "1;2"),
        ("p_1;p_2 p_2;p_1 x", "p_1;p_2"),
        ("1/2 a b", None),
    ],
)
def test_labels_that_are_lists_of_items_are_told(labels: str, odd: str | None) -> None:
    """The clusters that each item is in, in any order of the items."""
    before = "p_" if "p_" in labels else "p" * ("p" in labels)
    items = [f"{before}{number}" for number in range(1, 4)]
    for them in (items, items if before else [1, 2, 3]):
        found = from_labels(labels.split(), them).notices
        assert [its.details["label"] for its in found if its.code == "odd-label"] == [odd] * bool(odd)


def test_labels_in_python_that_are_links_are_told() -> None:
    """Of a series with its positions, of text, and of a mixture; not numbers of an array beside text."""
    antecedents = [None, None, 1, 0, 2, 3, 5, 4, 7, 6]
    for labels, items, told in (
        (antecedents, None, True),
        (pd.Series(antecedents), None, True),
        (antecedents, [str(number) for number in range(10)], True),
        ([None, None, 1.0, 0.0, 2.0, 3.0, 5.0, 4.0, 7.0, 6.0], None, True),
        (np.array([0, 0, 1, 0, 2, 3, 5, 4, 7, 6]), np.arange(10), True),
        (np.array([0, 0, 1, 0, 2, 3, 5, 4, 7, 6]), np.arange(1, 11), False),
        (np.array([0, 0, 1, 0, 2, 3, 5, 4, 7, 6]), np.array(list("0123456789")), False),
        (np.array([0, 0, 1, 2, 3, 5, 6, 7, 0, 4, 11, 9, 9]), np.arange(1, 14), True),  # 0 is no antecedent
        (["new", "new", 1, 2, 3, 5, 6, 7, "new", 4, 11, 9, 9], list(range(1, 14)), True),
        ([0, 0, 1, 4, 3, 4, 3, 1], list(range(1, 9)), False),
        (["new", "root", 1, 2, 3, 5, 6, 7, "new", 4, 11, 9, 9], list(range(1, 14)), False),
        (np.array(["", "a", "a", "", "d"]), np.array(list("abcde")), True),
        (["", "a", "a", "", "d"], list("abcde"), True),
        ([7, 7], ["a", "b"], False),
        ([None, None], ["a", "b"], False),
        ([("a", 0), ("a", 0), ("a", 1), ("a", 1)], [("a", at) for at in range(4)], False),  # entities by document
        (np.array([], np.int64), np.array([], np.int64), False),
    ):
        codes = [notice.code for notice in from_labels(labels, items).notices]
        assert ("linked-items" in codes) == told, (labels, items, codes)


@pytest.mark.parametrize(("new", "told"), [(9, True), (8, False)])
def test_parts_of_a_table_may_overlap(new: int, told: bool, tmp_path: Path) -> None:
    """By one item of ten, but not of nine, which are then rather items of another document."""
    (tmp_path / "0.csv").write_text("item,entity\nr1,Ann\nr2,Bo\n")
    (tmp_path / "1.csv").write_text("item,entity\nr1,Ann\n" + "".join(f"s{n},Zo\n" for n in range(new)))
    found = [notice.details["count"] for notice in read(tmp_path).notices if notice.code == "cut-clusters"]
    assert found == ["1 label"] * told


STRAY = ["m1,A,the bird", 'm2,A,"Oh', "m3,B,she", "m4,B,her", 'm5,C,no"', "m6,C,it"]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (["A", "", "", "B", ""], True),
        (["1", "", "", "2", ""], True),
        (["A", "", "B", "", "C", "D"], True),  # most entities have one item
        (["A", "B", ""], False),  # one row without a label
        (["A", "A", "", "B", ""], False),
        (["A", "", ""], False),
    ],
)
def test_labels_of_merged_cells_are_told(
    labels: Sequence[str], told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a spreadsheet exports of a merged cell is its first row."""
    path = tmp_path / "table.csv"
    path.write_text("".join(["item,entity\n", *(f"m{n},{label}\n" for n, label in enumerate(labels))]))
    numbers = [float(label or "nan") for label in labels] if "1" in labels else labels
    for corpus in (read(path), from_labels(labels), from_labels(numbers)):
        assert [notice.code for notice in corpus.notices if notice.code == "merged-cells"] == ["merged-cells"] * told
    (tmp_path / "other.csv").write_text("item,entity\nx,X\ny,X\n")
    assert "merged-cells" not in {notice.code for notice in read(tmp_path).notices}, "the side has larger entities"
    monkeypatch.setattr("corefscore.formats.labels.BATCH", 0)  # as in a large table
    assert ["merged-cells"] * told == [its.code for its in read(path).notices if its.code == "merged-cells"]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (["a; b", "c;d", "e"], "a; b"),
        (["a; b", "c; d; e"], "c; d; e"),
        (["a|b", "c"], None),  # not most of them
        (["a, b, c", "d"], None),
        (["a, b, c", "d, e, f, g", "h"], "d, e, f, g"),
        (["a, b, c", "d, e, f", "g"], None),  # names have two commas, too
        (["a|1", "a|2", "b|1"], None),  # ids
        (["Lee, Ann", "Lee, Bo"], None),  # names
        (["a", "b"], None),
    ],
)
def test_a_row_with_all_items_of_an_entity_is_told(items: list[str], told: str | None, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("cluster,item\n" + "".join(f'{number},"{item}"\n' for number, item in enumerate(items)))
    said = [notice.details["what"] for notice in read(path).notices if notice.code == "merged-cells"]
    assert said == ([f'has one item only, such as "{told}"'] if told else [])
    path.write_text(path.read_text() + '0,"x; y"\n')
    assert not read(path).notices, "an entity has two items"


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (STRAY, "3 lines"),
        ([*STRAY[:2], 'm3,B,no"'], "1 line"),
        (["m1,A,the bird", "m2,A,oh"], None),
        (["m1,A,the bird", 'm2,A,"Oh', 'no, no"'], None),
        (["m1,A,the bird", 'm2,A,"Oh', "yes", 'no"', "m3,B,x"], None),
        (['"Yes,A', 'sir",A,x', "he,A,x"], None),
        (['"Mr Smith,A,m1', 'the King",A,m2', "he,A,m3"], "1 line"),
    ],
)
def test_a_stray_quote_that_swallows_rows_is_told(
    rows: Sequence[str], count: str | None, delimiter: str, tmp_path: Path
) -> None:
    """The rows from one quote to the next were the text of one cell, on both sides alike."""
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["item,entity,text", *rows, ""]).replace(",", delimiter))
    assert [notice.details["count"] for notice in read(path).notices if notice.code == "quoted-rows"] == [count] * bool(
        count
    )


def test_an_address_in_quotes_is_no_row(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text('note,item,entity\n"12 Main St, Boston, MA\nUSA",a,x\nhe,b,x\n')
    assert not read(tmp_path / "table.csv").notices


@pytest.mark.parametrize(("delimiter", "reported"), [("\t", True), (",", False)])
def test_a_quote_that_swallows_a_row_after_a_whole_one_is_told(delimiter: str, reported: bool, tmp_path: Path) -> None:
    """Text has commas, and seldom tabs."""
    path = tmp_path / "table.csv"
    rows = ["item,entity", '"Yes,A', 'sir",A', "he,A", "she,B", ""]
    path.write_text("\n".join(rows).replace(",", delimiter))
    assert reported == ("quoted-rows" in {notice.code for notice in read(path).notices})


@pytest.mark.parametrize(
    ("items", "labels", "told"),
    [
        ("a:1 a:2 a:3 b:1 b:2 b:3", "0 0 1 0 1 1", "item before :"),
        ("a/1 a/2 a/3 b/1 b/2 b/3", "1 1 2 1 2 2", "item before /"),
        ("a:0:1 a:2:2 a:3:3 b:0:0 b:2:2 b:3:3", "0 0 1 0 1 1", "item before :"),
        ("a_0_1 a_2_2 a_3_3 b_0_0 b_2_2 c_3_3", "0 1 2 0 1 0", "item before _"),
        ("a:1 a:2 a:3 b:1 b:2 b:3", "x x y x y y", None),
        ("a:1 b:1 a:2 b:2 a:3 b:3", "0 0 1 0 1 1", None),
        ("a_1 a_2 a_3 b_1 b_2 b_3", "0 0 1 0 1 1", None),  # two lists of records
        ("a_1 a_2 a_3 b_1 b_2 c_1", "0 1 2 0 1 0", "item before _"),
        ("a_1 a_2 a_3 b_1 b_2 c_1", "0 1 2 1 0 0", None),  # another first label
        ("a_1 a_2 b_1 b_2 c_1 c_2", "0 1 0 0 0 1", None),  # two labels in all
        ("w_03-m1 w_03-m2 w_03-m3 w_04-m1 w_04-m2 w_05-m1 w_05-m2", "0 1 2 0 1 0 0", "item before -"),
        ("w_03_1 w_03_2 w_03_3 w_04_1 w_04_2 w_05_1 w_05_2", "0 1 2 0 1 0 0", "item before _"),
        ("the_cat the_dog the_ox a_cat a_dog my_cat my_dog", "0 1 2 0 1 0 0", None),
        ("a:1 a:2 a:3 a:4 a:5 a:6", "0 0 1 0 1 1", None),
    ],
)
def test_documents_in_the_names_of_items_are_told(items: str, labels: str, told: str | None, tmp_path: Path) -> None:
    """Label 0 of one document would be label 0 of the next."""
    path = tmp_path / "table.csv"
    rows = map(",".join, zip(items.split(), labels.split(), strict=True))
    path.write_text("\n".join(["item,cluster", *rows, ""]))
    for corpus in (read(path), from_labels(labels.split(), items.split())):
        found = [notice.details["name"] for notice in corpus.notices if notice.code == "unread-field"]
        assert found == ([] if told is None else [told])


@pytest.mark.parametrize(
    ("column", "key", "response", "told"),
    [
        ("start", "0 5 7 9", "0 5 7 9", 0),
        ("start", "0 5 7 9", "0 7 9 12", 3),  # the second mention is missing, and the rest is numbered again
        ("token_start", "0 5 7 9", "0 7 9 12", 3),
        ("from", "0 5 7 9", "0 5 8 12", 2),
        ("from", "0 5 7 9", "0 5 7 12", 0),  # one is another one, perhaps corrected
        ("from", " ".join(map(str, range(100))), " ".join(map(str, [1, 2, 0, *range(3, 100)])), 3),
        ("from", " ".join(map(str, range(100))), " ".join(map(str, [1, 0, *range(2, 100)])), 2),
        ("from", " ".join(map(str, range(0, 200, 2))), " ".join(map(str, [1, 3, 5, 7, 9, *range(10, 200, 2)])), 0),
        ("start", "0 5 7 9", "0 - 9 12".replace("-", ""), 2),
        ("tokens", "1 2 3 1", "2 1 1 2", 0),  # numbers of tokens
        ("start", "2020-01-05 2021-02-03 2022-05-06", "2021-02-03 2020-01-05 2023-05-06", 0),
        ("span", "0-1 5-5 7-8 9-9", "0-1 7-8 9-9 12-12", 3),
        ("span", "0:1 5:5 7:8 9:9", "0:1 7:8 9:9 12:12", 3),
        ("token_ids", "0..1 5..5 7..8 9..9", "0..1 7..8 9..9 12..12", 3),
        ("end", "1 5 8 9", "1 8 9 12", 3),
        ("end", "1.0 5.0 8.0 9.0", "1.0 8.0 9.0 12.0", 3),
        ("span", "0-1 5-5 7-8 9-9", "0:1 7:8 9:9 12:12", 3),  # in another notation
        ("span", "0-1 5-5 7-8 9-9", "0:1 5:5 7:8 9..9", 0),
        ("span", "0-1 5-5 7-8 9-9", "2-3 4-4 6-6 12-12", 4),  # no place of both sides
        ("text", "Ann he Bob Al", "Max it Ida Jo", 4),  # no text of both sides
        ("text", "Ann he Bob Al", "ANN He bob_ al.", 0),
        ("text", "x x x x", "y y y y", 0),
        ("note", "Ann he Bob Al", "Max it Ida Jo", 0),
        ("phrase", "Ann dog it she Bob wife cat mouse Lee pet", "dog it she barn Bob wife mouse bit Lee pub", 4),
        ("type", "A B C D A B C D A B", "B C D A E F A B C D", 0),
        ("m", "m_1 m_4 m_5 m_8 m_9 m_12", "m_4 m_1 m_8 m_5 m_3 m_2", 0),  # numbers of each side
        *((name, "0 2 9 1 4 7 0 5", "0 1 5 2 7 0 9 4", 7) for name in ("token", "word", "head", "pos", "line")),
        ("sent_id", "0 0 1 1 2 2 3 3 4 5", "5 4 3 3 2 2 1 1 0 0", 8),
        ("token", "0 2 9 1 4 7 0 5", "0 1 5 2 7 0 9 3", 0),  # not the same numbers
        ("head", "0.0 2.0 9.0 1.0 4.0 7.0 0.0 5.0", "0.0 1.0 5.0 2.0 7.0 0.0 9.0 4.0", 7),
        ("note", f"0 2 {'9' * 5000} 1 4", "0 2 9 1 4", 0),
        ("rank", "1 2 3 4 5 6", "6 1 5 2 3 4", 0),
        ("rank", "10 20 30 40 50 60", "60 10 50 20 30 40", 0),
        ("percentile", "0.1 0.25 0.375 0.5 0.625", "0.25 0.1 0.5 0.375 0.625", 0),
        ("end", "1 5 8 9", "2 6 10 11", 0),  # the token after the last one
        ("score", "0.910 0.125 0.330 0.475 0.880 0.250", "0.125 0.910 0.475 0.330 0.250 0.790", 0),
        ("start", "0.1 5.2 7.3 9.4", "0.2 5.3 7.4 9.5", 0),  # in seconds
        ("price", "0 5 7 9", "0 7 9 12", 0),
        ("paper", "P11 P12 P13 P14", "P12 P11 P14 P13", 0),  # beside ids that are no numbers
        ("text", "Ann he Bob Al", "Ann it Bo her", 3),
        ("mention_text", "Ann he Bob Al", "Ann it Bo her", 3),
        ("text", "Ann he Bob Al", "Ann he Bob. Al", 0),  # another spelling
        ("note", "Ann he Bob Al", "Ann it Bo her", 0),
        ("name", "Ann he Bob Al", "he Ann Bob Al", 2),
        ("", "Ann he Bob Al", "he Ann Bob Al", 0),
        ("antecedent", "id_1 id_0 id_3 id_2", "id_0 id_1 id_3 id_2", 0),  # of a system
        ("antecedent", "A id_0 id_1 id_2", "id_0 A id_1 id_2", 0),
        ("rank", "r1 r2 r3 r4", "r2 r1 r4 r3", 0),
        ("isbn", "978001 978002 978003 978004", "978002 978001 978004 978003", 4),
        ("time", "10:00 10:05 10:07 10:09", "10:05 10:00 10:09 10:07", 0),
        ("from", "user user user user", "ner ner ner user", 0),
        ("start", "0 5 7 9", "0.0 5.0 7.0 9.0", 0),
    ],
)
def test_ids_of_other_mentions_are_told(column: str, key: str, response: str, told: int, tmp_path: Path) -> None:
    """Each side numbers its own mentions: mention 1 of the response is not that of the key."""
    for name, cells in (("key.csv", key), ("response.csv", response)):
        rows = (f"id_{n},{cell},x,A" for n, cell in enumerate(cells.split()))
        (tmp_path / name).write_text("\n".join([f"mention_id,{column},type,cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["count"] for its in found if its.code == "other-rows"] == [f"{told} items"] * bool(told)


@pytest.mark.parametrize(
    ("response", "told"),
    [
        ("0,2 1,3 2,4 3,5", 0),  # another end
        ("0, 1, 2, 3,4", 0),  # no ends
        ("1,2 2,3 3,4 4,5", 4),
        (",2 ,3 3,4 4,5", 2),
    ],
)
def test_ids_of_other_mentions_show_in_all_columns_of_places(response: str, told: int, tmp_path: Path) -> None:
    """A system may have other ends; without a cell nothing is known."""
    for name, cells in (("key.csv", "0,1 1,2 2,3 3,4"), ("response.csv", response)):
        rows = (f"id_{n},{cell},A" for n, cell in enumerate(cells.split(" ")))
        (tmp_path / name).write_text("\n".join(["mention_id,start,end,cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["count"] for its in found if its.code == "other-rows"] == [f"{told} items"] * bool(told)


@pytest.mark.parametrize(
    ("response", "told"), [("Ann,A he,B", 0), ("he,A Ann,B", 2), ("Ann,A", 0), ("he,A he,B Ann,B", 1)]
)
def test_ids_of_other_mentions_in_a_folder_of_tables_are_told(response: str, told: int, tmp_path: Path) -> None:
    """Each file is a document and numbers its mentions; a column that only some files have is not compared."""
    for side, rows in (("key", "Ann,A he,B"), ("response", response)):
        (tmp_path / side).mkdir()
        for file, more in (("a", "Bo,A it,B"), ("b", rows)):
            lines = (f"{n},{row}" for n, row in enumerate(more.split()))
            (tmp_path / side / f"{file}.csv").write_text("\n".join(["mention_id,text,cluster", *lines, ""]))
    for more, expected in (
        ("", [f"{told} item{'s' * (told > 1)}"] * (told > 0)),
        ("mention_id,note,cluster\n0,x,A\n", []),
    ):
        if more:
            (tmp_path / "key" / "c.csv").write_text(more)
        found = score(tmp_path / "key", tmp_path / "response", "bcub").notices
        assert [its.details["count"] for its in found if its.code == "other-rows"] == expected


@pytest.mark.parametrize(
    ("column", "cells", "told"), [("text", "x x x x x x", 6), ("start", "1 1 1 1 1 1", 6), ("text", "a b c d e f", 0)]
)
def test_a_column_that_tells_no_items_apart_proves_nothing(column: str, cells: str, told: int, tmp_path: Path) -> None:
    """One text in all rows, such as the name of an author, was taken to show that the items are the same."""
    for name, titles in (("key.csv", "Ann Al Bo Cy it he"), ("response.csv", "Bo it Al he Ann Cy")):
        both = zip(cells.split(), titles.split(), strict=True)
        rows = (f"{n},{cell},{title},A" for n, (cell, title) in enumerate(both))
        (tmp_path / name).write_text("\n".join([f"id,{column},title,cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["count"] for its in found if its.code == "other-rows"] == [f"{told} items"] * bool(told)


@pytest.mark.parametrize(
    ("cells", "told"),
    [(("3 3 9 9 5 5", "9 9 5 5 3 3"), 0), (("3 9 3 5 9 6", "9 3 5 3 6 9"), 6)],  # the first are those of the entities
)
def test_numbers_of_entities_are_not_those_of_items(cells: tuple[str, str], told: int, tmp_path: Path) -> None:
    for name, of_side in zip(("key.csv", "response.csv"), cells, strict=True):
        rows = (f"{n},{cell},{label}" for n, (cell, label) in enumerate(zip(of_side.split(), "AABBCC", strict=True)))
        (tmp_path / name).write_text("\n".join(["id,number,cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert [its.details["count"] for its in found if its.code == "other-rows"] == [f"{told} items"] * bool(told)


@pytest.mark.parametrize(
    ("names", "reported"),
    [
        (("text", "mention_text"), True),
        (("span", "surface form"), True),
        (("start", "begin_token"), True),
        (("text", "note"), False),
    ],
)
def test_columns_of_words_are_compared_whatever_they_are_called(
    names: tuple[str, str], reported: bool, tmp_path: Path
) -> None:
    both = ("0 2 4 6", "2 0 4 6") if names[0] == "start" else ("Ann he Bob Al", "he Ann Bob Al")
    sides = zip(("key.csv", "response.csv"), names, both, strict=True)
    for name, column, cells in sides:
        rows = (f"id_{n},{cell},A" for n, cell in enumerate(cells.split()))
        (tmp_path / name).write_text("\n".join([f"mention_id,{column},cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert reported == ("other-rows" in {its.code for its in found})


@pytest.mark.parametrize(
    ("of_key", "cells", "of_response", "others"),
    [
        ("span", "word_0 word_4 word_7", "text", "Ann she Bo"),  # another form
        ("text,token", "Ann,Bo Bo,Ann Cy,Cy", "token", "Bo Ann Cy"),  # those of one name have the same cells
    ],
)
def test_columns_of_words_that_are_no_pair_are_not_compared(
    of_key: str, cells: str, of_response: str, others: str, tmp_path: Path
) -> None:
    for name, columns, of_side in (("key.csv", of_key, cells), ("response.csv", of_response, others)):
        rows = (f"id_{n},{cell},A" for n, cell in enumerate(of_side.split()))
        (tmp_path / name).write_text("\n".join([f"mention_id,{columns},cluster", *rows, ""]))
    found = score(tmp_path / "key.csv", tmp_path / "response.csv", "bcub").notices
    assert "other-rows" not in {notice.code for notice in found}


@pytest.mark.parametrize(
    ("column", "told"),
    [
        *(("file", True), ("doc_key", True), ("article_id", True), ("doc_no", True), ("doc_title", True)),
        *(("docnum", True), ("doc", False), ("brand", False)),
    ],
)
def test_a_column_that_may_have_documents_is_told(column: str, told: bool, tmp_path: Path) -> None:
    """Labels that restart in each file would be merged."""
    path = tmp_path / "table.csv"
    path.write_text(f"item,entity,{column}\na1,1,a\na2,1,a\nb1,1,b\n")
    assert ["unread-field"] * told == [n.code for n in read(path).notices if n.code != "cut-clusters"]
    assert len(read(path, columns=f"document={column}").names) == 2
    path.write_text("item,entity,doc,path\na1,1,a,a\na2,1,a,a\nb1,2,b,b\n")
    assert not read(path).notices, "the documents are known"
    path.write_text(f"item,entity,{column}\na1,1,a\na2,1,a\nb1,1,b\n")
    if column != "doc":  # which is known to have documents
        assert not read(path, columns=f"item={column},entity=entity").notices


@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
@pytest.mark.parametrize(
    ("key", "response", "told"),
    [
        ("id,label\na,1\nb,1\n", "id,label,kmeans\na,1,0\nb,1,1\n", "kmeans"),
        ("id,label\na,1\nb,1\n", "id,label,kmeans\na,1,0\nb,2,1\n", ""),
        ("id,label,brand\na,1,x\nb,1,y\n", "id,label,brand\na,1,x\nb,1,y\n", ""),
        ("id,label\na,1\nb,1\n", "id,label\na,1\nb,1\n", ""),
        ('{"clusters": [[[0, 0], [1, 1]]]}', '{"clusters": [[[0, 0], [1, 1]]], "gpt-4o": []}', "gpt-4o"),
        ('{"clusters": [[[0, 0], [1, 1]]]}', '{"clusters": [[[0, 0], [1, 1]]], "speakers": ["x"]}', ""),
        ('{"clusters": []}', '{"clusters": [], "gpt-4o": []}', ""),
        (
            '{"clusters": [[[0, 0], [1, 1]]]}\n{"clusters": []}',
            '{"clusters": [[[0, 0], [1, 1]]], "gpt-4o": []}\n{"clusters": [], "gpt-4o": []}',
            "gpt-4o",
        ),
        (
            '{"clusters": [[[0, 0], [1, 1]]]}',
            json.dumps({"clusters": [[[0, 0], [1, 1]]], **dict.fromkeys("abcdefghij", "x")}),
            "a, b, c, d, e and 5 more",
        ),
        ('{"clusters": [[[0, 0], [1, 1]]]}', '{"clusters": [[[0, 0], [1, 1]]], "told": "[a](#1) b"}', "told"),
        ('{"clusters": [[[0, 0], [1, 1]]]}', '{"predicted_clusters": [[[0, 0], [1, 1]]], "clusters": []}', ""),
        (
            '{"sentences": [["a", "b"]], "clusters": [[[0, 0], [1, 1]]]}',
            '{"answer": "[a](#1) [b](#1)", "messages": ["a"], "prompt": "a b"}',
            "messages, prompt",
        ),
        (
            '{"doc_id": "a", "tokens_ids": [1], "cluster_id": 7}',
            '{"doc_id": "a", "tokens_ids": [1], "cluster_id": 8, "llm": 8}',
            "llm",
        ),
        (
            '{"clusters": [[[0, 0], [1, 1]]], "predicted_clusters": []}',
            '{"clusters": [[[0, 0], [1, 1]]]}',
            "predicted_clusters",
        ),
        ('{"clusters": [[[0, 0], [1, 1]]]}', '{"clusters": [[[0, 0], [1, 1]]], "llm": {"clusters": []}}', "llm"),
        ('{"clusters": [[[0, 0], [1, 1]]], "note": "x"}', '{"clusters": [[[0, 0], [1, 1]]]}', ""),
        ("item,label,pred\na,1,1\nb,1,2\n", "item,label\na,1\nb,1\n", "pred"),
        ("item,label\na,1\nb,1\n", ",item,label\n0,a,1\n1,b,1\n", ""),
        ("item,label,kmeans\na,1,1\nb,1,2\n", "item,label,kmeans\na,1,1\nb,1,1\n", "kmeans"),
        ("item,label,kmeans\na,1,1\nb,1,2\n", "item,label,kmeans\na,2,1\nb,2,2\n", ""),
        ("item,label,note\na,1,x\nb,1,y\n", 'item,label,note\nb,2,"y"\na,2,x\n', ""),  # in another order
    ],
)
def test_a_copy_of_the_key_beside_other_columns_is_told(
    key: str, response: str, told: str, jobs: Sequence[str], tmp_path: Path
) -> None:
    """Whatever the name of the column with the answer of the system."""
    for name, text in (("key", key), ("response", response)):
        (tmp_path / name).write_text(text)
    done = within("every", tmp_path / "key", tmp_path / "response", "none", *jobs)
    assert done.status == 0
    said = re.findall(r":1: notice\[same-as-key\] .* not read: (.*)", done.stderr.decode())
    assert said == ([told] if told else [])
    named = "key.entity=label,response.entity=label" if "," in key.partition("{")[0] else "clusters=clusters"
    if told and key.startswith("id"):
        assert b"same-as-key" not in within("every", tmp_path / "key", tmp_path / "response", "--columns", named).stderr


@pytest.mark.parametrize(
    "labels", [[("a", 1), ("b", 1)], {"A": ("a", "b")}, {"A": frozenset("ab")}, [("a", "b"), ("c",)]]
)
def test_pairs_and_clusters_are_no_labels(labels: Any) -> None:
    """Each would be a label of its own, and any two clusterings would get 100."""
    with pytest.raises(UsageError, match=r"a label is .*; expected one label for each item; .* dict\(pairs\)"):
        from_labels(labels)


class Array:
    """Has the values of an array, and is equal only to itself, as a tensor of torch is."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.values

    def __iter__(self) -> Iterator[Array]:
        return map(Array, self.values)


def test_tensors_are_arrays_of_labels() -> None:
    """Every part of a tensor is another object, so that any two clusterings would get 100."""
    assert from_labels(Array([1, 1, 2])).clusters() == from_labels([1, 1, 2]).clusters()
    for labels in ([Array(1), Array(1), Array(2)], [np.array(1), np.array(2)]):
        with pytest.raises(UsageError, match=r"labels are \w+ objects; expected values, as labels\.tolist\(\) returns"):
            from_labels(labels)


def test_labels_of_two_types_that_look_equal_are_told() -> None:
    """What joining a column of numbers and one of text gives."""
    (notice,) = from_labels({"a": 7, "b": 8, "c": "7", "d": "8"}).notices
    assert (notice.code, notice.details["first"], notice.details["second"]) == ("alike-ids", "7", "7")
    assert not from_labels({"a": 7, "b": 8, "c": 7, "d": 8}).notices


def test_the_column_of_a_side_is_guessed_first_and_not_read_for_both(tmp_path: Path) -> None:
    columns = tmp_path / "table.csv"
    columns.write_text("item,gold,pred\na,1,1\nb,1,2\nc,2,2\n")
    assert [
        len(read(columns, input_format="labels", side=side).clusters()["document"]["1"]) for side in ("key", "response")
    ] == [2, 1]
    columns.write_text("item,cluster,pred\na,1,1\nb,1,2\nc,2,2\n")
    done = within("bcub", columns, columns, "none", "--columns", "entity=pred")
    assert (done.status, done.stdout) == (2, b"")
    assert (
        b"table.csv:1: --columns entity=pred applies to both sides, but the key has cluster; name both" in done.stderr
    )
    columns.write_text("item,gold,pred\na,1,1\nb,1,2\nc,2,2\n")
    assert b"the key has gold" in within("bcub", columns, columns, "none", "--columns", "entity=pred").stderr
    both = within("bcub", columns, columns, "none", "--columns", "key.entity=pred,response.entity=pred")
    assert b"F1: 100%" in both.stdout


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("coref coref_chain eid groupID antecedent", True),
        ("mention_cluster cluster_num entity_number hdbscan_label kmeans new_label label2 yhat y_hat", True),
        ("price entity_type cluster_size chain_len is_coref n_clusters num_entities clustering_method", False),
        ("modularity_class community component_id canonical refers_to same_as", True),
        ("mention_entity_type new_labels_note", False),
    ],
)
def test_a_type_beside_entities_is_told(names: str, told: bool, tmp_path: Path) -> None:
    """The column that is called entity may have types, which all mentions of a type share."""
    table = tmp_path / "table.csv"
    for name in names.split():
        table.write_text(f"mention,entity,{name}\nAnn,PER,1\nshe,PER,1\nBo,PER,2\n")
        assert [notice.code for notice in read(table).notices] == ["chosen-column"] * told, name


@pytest.mark.parametrize("name", ["actual", "expected", "gt", "label_gt"])
def test_true_labels_beside_others_are_told(name: str, tmp_path: Path) -> None:
    """The others may be those of a program."""
    table = tmp_path / "table.csv"
    table.write_text(f"item,{name},cluster\na,Ann,1\nb,Ann,2\nc,Bo,2\n")
    assert within("bcub", table, table, "none").stderr.count(b"notice[chosen-column]") == 2  # for each side


@pytest.mark.parametrize("name", ["prediction", "Predicted Cluster", "system_label", "y_pred"])
def test_predictions_beside_labels_are_not_left_out_in_silence(name: str, tmp_path: Path) -> None:
    """The labels of the key, which the table also has, get 100."""
    table = tmp_path / "table.csv"
    table.write_text(f"item,label,{name}\na,1,1\nb,1,2\nc,2,2\n")
    done = within("bcub", table, table, "none")
    assert done.stderr.count(b"notice[chosen-column]") == 1, "the key has labels"
    assert b'"label" is read' in done.stderr
    assert not within("bcub", table, table, "--columns", "response.entity=label").stderr
    done = within("bcub", table, table, "none", "--columns", f"key.entity=label,response.entity={name}")
    assert not done.stderr and b"F1: 100%" not in done.stdout.splitlines()[-2]


@pytest.mark.parametrize(
    ("labels", "odd"),
    [
        (["1", "1", "2"], None),
        ([" 1", " 1", " 2"], None),
        (["NA", "NA", "2"], ("NA", "2 items")),
        (np.array(["1", np.nan, np.nan]), ("nan", "2 items")),
        ([0, 0, -1], ("-1", "1 item")),
        (["-1.0", "-1.0", "2"], ("-1.0", "2 items")),
        ([" ", " ", "2"], (" ", "2 items")),
        (["NaT", "1", "2"], ("NaT", "1 item")),
        (["-9", "1", "2"], ("-9", "1 item")),
        (["\\N", "a", "a"], ("\\N", "1 item")),
        (["Noise", "x", "a"], ("Noise", "1 item")),
        (["a\0", "NA", "c"], ("NA", "1 item")),
        (["1,2", "1", "2"], ("1,2", "1 item")),
        (["1\n2", "1", "2"], ("1\n2", "1 item")),
        (["set()", "1"], ("set()", "1 item")),
        (["-2", "1"], ("-2", "1 item")),
        (["[object Object]", "1"], ("[object Object]", "1 item")),
        (["1|2", "1", "2"], ("1|2", "1 item")),
        (["1/2", "1", "3"], ("1/2", "1 item")),
        (["1;3", "1", "2"], ("1;3", "1 item")),
        (["1/2", "a", "b"], None),
        (["1_3", "1", "2"], None),
        (["['a']", "['a', 'b']"], ("['a', 'b']", "1 item")),
        (["frozenset({'a'})", "frozenset({'a', 'b'})"], ("frozenset({'a', 'b'})", "1 item")),
        (['["a"]', '["a", "b"]'], ('["a", "b"]', "1 item")),
        (["{'label': 'a', 'score': 0.93}", "b"], ("{'label': 'a', 'score': 0.93}", "1 item")),
        *(([its, "b"], (its, "1 item")) for its in ("('a', 0.93)", "a (93%)", "a=0.93", "a - 0.93", "__label__a 0.93")),
        (["a (1)", "b=c", "a - b"], None),
        (["1;3", "1", "b"], None),
        (["['1', '2']", "1", "2"], ("['1', '2']", "1 item")),
        (["{1, 2}", "1", "2"], ("{1, 2}", "1 item")),
        (["_", "1"], ("_", "1 item")),
        (["-100", "1"], ("-100", "1 item")),
        (["-9999", "1"], ("-9999", "1 item")),
        (["-99999", "1"], ("-99999", "1 item")),
        (["Ignored", "1"], ("Ignored", "1 item")),
        (["NME", "1"], ("NME", "1 item")),
        (np.array([1, np.iinfo(np.int64).min]), ("-9223372036854775808", "1 item")),  # NaN as a whole number
        (np.array([1, np.iinfo(np.int32).min], np.int32), ("-2147483648", "1 item")),
        (np.array([1, 2**32 - 1], np.uint32), ("4294967295", "1 item")),  # -1 without a sign
        (["1", "18446744073709551615"], ("18446744073709551615", "1 item")),
        (["1", "2", "255"], ("255", "1 item")),
        (["1", "65535", "7"], ("65535", "1 item")),
        (["1", "254", "255"], None),
        (["1", "255", "300"], None),
        (["a", "255"], None),
        (["255"], None),
        (["1.0", "255.0"], ("255.0", "1 item")),
        (np.array([0, 1, 255], np.uint8), ("255", "1 item")),
        ([1, 2, 65535], ("65535", "1 item")),
        (np.arange(256), None),
        (["a", "4294967295"], ("4294967295", "1 item")),
        (["no antecedent", "1"], ("no antecedent", "1 item")),
        (["pad", "1"], ("pad", "1 item")),
        (["unclustered", "1"], ("unclustered", "1 item")),
        (["a,b", "a", "b"], ("a,b", "1 item")),
        (["['a', 'b']", "a", "b"], ("['a', 'b']", "1 item")),
        (["Smith, Ann", "Smith", "Bo"], None),
        (["n/a", "n", "b"], ("n/a", "1 item")),
        (["[]", "1"], ("[]", "1 item")),
        (["n.a.", "1"], ("n.a.", "1 item")),
        (["no_cluster", "1"], ("no_cluster", "1 item")),
        (["*", "1", "*"], ("*", "2 items")),
        (["1.23457E+14", "1.23457E+14", "7"], ("1.23457E+14", "2 items")),
        (["####", "7"], ("####", "1 item")),
        (["#REF!", "7"], ("#REF!", "1 item")),
        (["#DIV/0!", "7"], ("#DIV/0!", "1 item")),
        (["1.2e3", "3e5", "7"], None),
        (["\u22121", "1"], ("\u22121", "1 item")),
        (["O", "1", "O"], ("O", "2 items")),
        (["O", "M", "N"], None),
        (["singleton", "1"], ("singleton", "1 item")),
        (["(null)", "1"], ("(null)", "1 item")),
        (["#NV", "1"], ("#NV", "1 item")),
        (["Err:502", "1"], ("Err:502", "1 item")),
        (["??", "1"], ("??", "1 item")),
        (["not applicable", "1"], ("not applicable", "1 item")),
        (["-1_the_of", "0_cat_dog"], ("-1_the_of", "1 item")),
        (["unmatched", "1"], ("unmatched", "1 item")),
        (["new", "1"], ("new", "1 item")),
        (["unresolved", "1"], ("unresolved", "1 item")),
        (["not coreferent", "1"], ("not coreferent", "1 item")),
        (["cluster_-1", "cluster_0"], ("cluster_-1", "1 item")),
        (["(1, 0.93)", "(2, 0.5)"], ("(1, 0.93)", "1 item")),
        (["1 (0.93)", "2"], ("1 (0.93)", "1 item")),
        (["ann|0.93", "bo"], ("ann|0.93", "1 item")),
        (["cluster:1", "cluster:2"], None),
        (["v 0.9", "v 1.0"], None),
        (["a 0.93", "b"], ("a 0.93", "1 item")),
        # Names, not scores: several items have each.
        *(
            ([name, name, "b"], None)
            for name in ("Ethanol (70%)", "G2 - 0.7", "numpy=0.19", "('Smith', 'John')", '{"id": 5}', "Cu 0.25")
        ),
        (["a (93%)", "a (90%)", "b (70%)", "b (70%)"], ("a (90%)", "1 item")),
        (["Ethanol (70%)", "a", "b"], None),  # of few labels
        # Lists of ids with numbers, too.
        *(
            ([its, "b"], (its, "1 item"))
            for its in ("['e1', 'e2']", "['12', '13']", "{'e1', 'e2'}", "['Ann Lee', 'Bob 2']", "['e1' 'e2']")
        ),
        *(([its, "b"], (its, "1 item")) for its in ("{'e1': 0.5, 'e2': 0.1}", "__label__ent_1 0.9")),
        (["['e1']", "['e2']", "__label__ent_1"], None),
        *(([its, "b"], (its, "1 item")) for its in ("{16, 8}", "[1, 2]", "{16, 0, 8}")),
        (["(1, 2)", "(1, 3)", "b"], None),  # of a document and an entity
        (["('d', 0)", "('d', 1)", "b"], None),
        # One without a number, where nearly all others are numbers after the same word.
        ([*(f"e{number}" for number in range(6)), "ditto", "ditto"], ("ditto", "2 items")),
        ([*range(6), "\u3003", "\u3003"], ("\u3003", "2 items")),
        ([*range(6), "Ann"], None),  # alone
        ([*range(5), "narrator"], None),
        ([*range(12), "narrator", "author", "narrator", "author"], None),
        ([*(f"{name}{number}" for name in ("per", "org") for number in range(6)), "narrator"], None),
        ([*(f"{name}{number}" for name in "ab" for number in range(6)), *"abc"], None),
        ([*range(60), "org1", "loc2"], None),
        (["not found", "1"], ("not found", "1 item")),
        *(([label, "1"], (label, "1 item")) for label in ("3 0.95", "not sure", "no cluster assigned", "no-match")),
        (["3 5", "1"], None),
        (["(blank)", "1"], ("(blank)", "1 item")),
        *(
            ([label, "1"], (label, "1 item"))
            for label in ("#N/D", "#\xa1REF!", "#ЗНАЧ!", "()", "frozenset()", "-1e+00")
        ),
        (["-1,0", "0,0", "1,0"], ("-1,0", "1 item")),  # with a comma for the point
        (["#1", "#tag", "2"], None),
        *(([label, "1", "2"], (label, "1 item")) for label in ("1 and 2", "1 2", "[1 2]", "1\n2")),
        (["a b", "a", "b"], None),
        (["1-2", "1", "2"], None),
        (["1.1", "1.2", "2.1", "2.2"], ("1.1", "1 item")),  # of mentions
        (["1.1", "1.2", "2.1", "2.2", "1.1"], None),  # of a document and an entity
        (["e1-NAME", "e1-PRON", "e1-PRON", "e2-NAME", "e2-PRON"], ("e1-NAME", "1 item")),
        (["*->1-1", "*->1-2", "*->2-1", "*->2-2"], ("*->1-1", "1 item")),
        (["e1", "e2", "e1 e2"], ("e1 e2", "1 item")),
        (["e1", "e2", "e1, and e2"], ("e1, and e2", "1 item")),
        (["e1", "e2", "e1 or e2"], ("e1 or e2", "1 item")),
        (["1,000", "1", "2"], ("1,000", "1 item")),
        (["#wow!", "#m/f", "1"], None),
        *(([its, its, "doc1_1"], (its, "2 items")) for its in ("doc1_nan", "d 2/none", "cluster-None", "d3_-1")),
        *((["c_0", "c_1", its], (its, "1 item")) for its in ("c_-1", "C_nan", "ungrouped", "\u2205")),
        *(
            (["c1", "cluster1", its], (its, "1 item"))
            for its in ("cNone", "clusternan", "cluster<NA>", "<NIL>", "NotAssigned")
        ),
        (["group-1", "group-2", "Johan", "Johann2"], None),
        *(([its, its, "doc1_1"], None) for its in ("doc1-1", "Wang Nan", "/dev/null", "Second to None", "Level -1")),
        (["inf", "1"], ("inf", "1 item")),
        (["123456789012345000", "123456789013456000"], ("123456789012345000", "1 item")),
        (["123456789012345000", "123456789013456010"], None),
        (["1234567890123450000"], ("1234567890123450000", "1 item")),
        ([str(123456789012345680 + 16 * at) for at in range(3)], ("123456789012345680", "1 item")),
        ([str(123456789012345680 + 16 * at) for at in range(2)], None),
        ([str(123456789012345680 + 17 * at) for at in range(6)], None),
        ([123456789012345680 + 16 * at for at in range(3)], ("123456789012345680", "1 item")),
        ([str(16777218 + 2 * at) for at in range(16)], ("16777218", "1 item")),  # 32-bit floats
        (["1603981312", "1603981440"], ("1603981312", "1 item")),
        ([str(16777218 + at) for at in range(16)], None),
        ([str(20000000 + 10 * at) for at in range(30)], None),
        ([str(8000000 + 2 * at) for at in range(30)], None),
        ([str(1672531200 + 86400 * at) for at in range(9)], None),  # days
        ([str(2**24 + 512 * at) for at in range(30)], None),
        ([str(at << 32) for at in range(1, 30)], None),
    ],
)
def test_labels_that_may_mean_none_are_named(labels: Any, odd: Any, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(table({str(item): str(label) for item, label in enumerate(labels)}))
    for corpus in (from_labels(labels), read(path)):
        said = [notice.details for notice in corpus.notices if notice.code == "odd-label"]
        assert [(its["label"], its["count"]) for its in said] == ([odd] if odd else [])


@pytest.mark.parametrize(
    ("second", "cut"),
    [
        ("r3,Ann\nr4,Bo\n", "2 labels"),
        ("r3,Ann\nr4,Cy\n", "1 label"),
        ("r3,c0\nr4,c1\n", ""),
        ("r3,Cy\n", ""),
        ("r3,\n", ""),
        ("r1,Ann\n", ""),  # the same item, as of another document
    ],
)
def test_labels_that_go_on_in_another_file_are_told(second: str, cut: str, tmp_path: Path) -> None:
    """Each file is a document; a table in two parts scored 100 for 50."""
    first = "r1,c0\nr2,c1\n" if "c0" in second else "r1,Ann\nr2,Bo\n"
    for at, rows in enumerate((first, second, "r9,Ann\n" if cut else "r9,Ed\n")):
        (tmp_path / f"{at}.csv").write_text(f"item,entity\n{rows}")
    found = [notice.details["count"] for notice in read(tmp_path).notices if notice.code == "cut-clusters"]
    assert found == [cut] * bool(cut)


@pytest.mark.parametrize(
    ("labels", "alike"),
    [
        (["1", " 1", "2"], ("1", " 1")),
        (["1", "1.0", "2"], ("1", "1.0")),
        (["1", "1.00", "2"], ("1", "1.00")),
        (["c1", "c01", "2"], ("c1", "c01")),
        (["Ann", "Bo", "ann"], ("Ann", "ann")),
        (["e\u0301", "\xe9", "2"], ("e\u0301", "\xe9")),
        (["A", "A\u200b", "2"], ("A", "A\u200b")),
        (["B", ' "B"', "2"], ("B", ' "B"')),
        (["B", "'B'", "2"], ("B", "'B'")),
        (["B", '="B"', "2"], ("B", '="B"')),
        (["1", "1?", "2"], ("1", "1?")),
        (["the-cat", "the_cat", "2"], ("the-cat", "the_cat")),
        (["B", "B\u200e", "2"], ("B", "B\u200e")),
        (["B", "\u201cB\u201d", "2"], ("B", "\u201cB\u201d")),
        (["1", "entity_1", "2"], ("1", "entity_1")),
        (["1", "e1", "2"], ("1", "e1")),
        (["1", "id=1", "2"], ("1", "id=1")),
        (["1", "mention_1", "2"], ("1", "mention_1")),
        (["1", "#1"], ("1", "#1")),
        (["1", "1."], ("1", "1.")),
        (["1", "['1']"], ("1", "['1']")),
        (["1", "**1**"], ("1", "**1**")),
        (["-1", "1"], None),
        (["a", "a."], None),
        (["C1", "c2"], None),
        (["cluster-1", "Cluster 01", "2"], ("cluster-1", "Cluster 01")),
        (["f1", "d1", "1"], None),
        (["e1", "c1", "2"], None),
        (["id 1", "chain 1"], None),
        *((["1", f"{word}1"], ("1", f"{word}1")) for word in ("coref", "chain ", "id:", "c")),
        (["1.0", "2.0", "1.10"], None),
        (["a0", "a", "0"], None),
        (["10", "1", "100"], None),
        (["a x", "a  x"], ("a x", "a  x")),
        (["a_x", "a x"], ("a_x", "a x")),
        (["A\u200bnn", "Ann", "An"], ("A\u200bnn", "Ann")),
        (["M\u00fcller", "M\udcfcller"], ("M\u00fcller", "M\udcfcller")),  # Latin-1
        (["M\u00fcller", "M\u00c3\u00bcller"], ("M\u00fcller", "M\u00c3\u00bcller")),  # UTF-8, read as Latin-1
        (["\u00e3\u00af", "\u00ef"], None),  # no UTF-8
        (["a-x", "a\u2013x"], ("a-x", "a\u2013x")),
        (["o'x", "o\u2019x"], ("o'x", "o\u2019x")),
        (["B-1", "I-1", "B-2"], ("B-1", "I-1")),
        (["B-1", "O", "L-1"], ("B-1", "L-1")),
        (["B-1", "B-2", "I-3"], None),
        (["B-1", "I-1", "A-1"], None),
        (["B-1", "S-1"], None),  # buyers and sellers
        (["http://x.org/Q5", "https://www.x.org/Q5/", "http://x.org/Q6"], ("http://x.org/Q5", "https://www.x.org/Q5/")),
        (["New%20York", "New York", "New"], ("New%20York", "New York")),
        (["A&amp;B", "A%26B", "A"], ("A&amp;B", "A%26B")),
        (["O&#39;Neil", "O'Neil", "ONeil"], ("O&#39;Neil", "O'Neil")),
        (["np.int64(5)", "5", "6"], ("np.int64(5)", "5")),
        (["b'ann'", "ann", "bann"], ("b'ann'", "ann")),
        (["http", "https", "5%", "%21"], None),
        (["5-PER", "5", "6"], ("5-PER", "5")),
        (["5 org", "5"], ("5 org", "5")),
        (["Ann", "Ann:PER", "Bo"], ("Ann", "Ann:PER")),
        (["Ann", "Ann PERSONAL", "Bo:PER", "PER", "A:PER"], None),
        (["5-PER", "6", "5-ORG"], None),
        (["5-a", "5", "5-b"], None),
        (["topic_1", "1", "topic_2"], ("topic_1", "1")),
        (["1", "\u0661", "2"], ("1", "\u0661")),  # in Arabic
        (["LABEL 1", "LABEL 2", "2"], ("LABEL 2", "2")),
        (["Terminator 2", "2"], None),
        (["topic_1", "1a", "a_2", "2"], None),
        (["topic1", "topic2", "topic-1"], None),  # it means none
    ],
)
def test_labels_that_are_spelled_in_two_ways_are_named(
    labels: list[str], alike: tuple[str, str] | None, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    rows = "item,entity\n" + "".join(f"{item},{label}\n" for item, label in enumerate(labels))
    path.write_bytes(rows.encode(errors="surrogateescape"))
    for corpus in (from_labels(labels), read(path)):
        said = [notice.details for notice in corpus.notices if notice.code == "alike-ids"]
        assert [(its["first"], its["second"]) for its in said] == ([alike] if alike else [])


@pytest.mark.parametrize(
    ("names", "alike", "odd"),
    [
        ("a b", None, None),
        ("a-1 a-2 a_1", None, None),
        ("Wiki/A wiki/a b", ("Wiki/A", "wiki/a"), None),
        ("b a a\u00a0", ("a", "a\u00a0"), None),
        ("3 1 1.0", ("1", "1.0"), None),
        ("cafe\u0301 caf\u00e9", ("cafe\u0301", "caf\u00e9"), None),
        ("a nan b", None, "nan"),
        ("#N/A nan a", None, "#N/A"),
        ("a 1.57E+18", None, "1.57E+18"),
        ("p=0.5 p=0.25", None, None),
        ("1570000000000000000 1580000000000000000", None, "1570000000000000000"),
        ("1570000000000000001 1580000000000000003", None, None),
    ],
)
def test_names_of_documents_that_may_be_spoilt_are_named(
    names: str, alike: tuple[str, str] | None, odd: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "table.csv"
    rows = "".join(f"{name},x{row},e\n" for row in range(2) for name in names.split(" "))
    path.write_text(f"document,item,entity\n{rows}", encoding="utf-8")
    notices = read(path, columns="document=document").notices
    said = {notice.code: notice for notice in notices}
    assert len(said) == len(notices)
    assert said.keys() == {code for code, told in (("alike-ids", alike), ("odd-name", odd)) if told}
    if alike:
        assert (said["alike-ids"].details["first"], said["alike-ids"].details["second"]) == alike
    if odd:
        assert said["odd-name"].details["name"] == odd


def test_many_labels_that_may_be_several_are_looked_at_in_linear_time() -> None:
    """20,000 labels once took half a minute: the set of all labels was built again for each."""
    several = from_labels([f"{number}/{number + 1}" for number in range(20_000)] + ["7", "8"])
    assert [notice.code for notice in several.notices] == ["odd-label"]


def test_ids_are_compared_in_little_memory_and_time() -> None:
    """One long id among many, two that are alike, and long runs of what is left out."""
    many = [f"e{number}" for number in range(20_000)]
    for long in (
        "x" * 100_000 + "1",
        "a1" + " " * 100_000 + "b",
        "0" * 100_000 + "x",
        "x." + "0" * 100_000 + "y",
        "[" + "'a', " * 9_000 + "1",
    ):
        codes = [notice.code for notice in from_labels([*many, "E5", long]).notices]
        assert codes[-1:] == ["alike-ids"]


@pytest.mark.parametrize(
    ("rows", "cut"),
    [
        ("d1,a,A d1,b,B d2,c,A d2,d,B", "2 labels"),
        ("d1,a,A d1,b,B d2,c,A d2,d,C", "1 label"),
        ("d1,a,A d1,b, d2,c,B d2,d,B", None),
        ("d1,a,17 d1,b,18 d2,c,17 d2,d,17", "1 label"),
        ("d1,a,1 d1,b,2 d2,c,2 d2,d,3", "1 label"),
        ("d1,a,0 d1,b,1 d2,c,0 d2,d,1", None),
        ("d1,a,1 d1,b,2 d2,c,1 d2,d,", None),
        (f"d1,a,{'9' * 5000} d1,b,1 d2,c,{'9' * 5000} d2,d,1", "2 labels"),
        ("d1,a,0 d1,b,1 d2,c,0 d2,d,2", "1 label"),  # a number that a counter would not leave out
    ],
)
def test_labels_that_documents_divide_are_counted(rows: str, cut: str | None, tmp_path: Path) -> None:
    """Numbers from 0 or 1 in every document are taken as such."""
    path = tmp_path / "table.csv"
    path.write_text("doc_id,item,label\n" + "".join(f"{row}\n" for row in rows.split()))
    found = [notice.details["count"] for notice in read(path).notices if notice.code == "cut-clusters"]
    assert found == ([cut] if cut else [])
    assert not read(path, columns="document=doc_id").notices, "the column was asked for"


def test_a_column_that_is_asked_for_has_no_other_role(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("doc_id,cluster\na,1\nb,1\nc,2\n")
    assert score(from_labels([1, 1, 2], ["a", "b", "c"]), read(path, columns="item=doc_id"), "bcub")["bcub"].f1 == 1
    for columns in ("item=doc_id,entity=doc_id", "entity=cluster,document=cluster"):
        with pytest.raises(UsageError, match="is given twice"):
            read(path, columns=columns)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_second_header_is_no_item(mark: str, quote: str, tmp_path: Path) -> None:
    """As ``cat a.csv b.csv`` leaves it; on both sides it was an item that both have."""
    path = tmp_path / "two.csv"
    path.write_text(f"{mark}item,entity\na,1\nb,{quote}1{quote}\n{mark}item,entity\nc,2\n")
    assert b"two.csv:4: error[bad-row] this line repeats the header" in within("bcub", path, path).stderr


@pytest.mark.parametrize(
    ("heading", "reported"),
    [("Item,Entity", True), ("item, entity", True), ("ITEM,ENTITY", True), ("id,cluster", False), ("item,1", False)],
)
def test_a_second_header_that_is_spelled_otherwise_is_no_item(heading: str, reported: bool, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(f"item,entity\na,1\nb,1\n{heading}\nc,2\n")
    assert reported == (b":4: error[bad-row] this line repeats the header" in within("validate", path).stdout)


def test_an_item_called_as_its_column_is_no_header_in_a_document_of_another_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("document,item,entity\nd,item,entity\nd,b,1\n")
    expected = from_labels(["entity", "1"], ["item", "b"], ["d", "d"])
    assert score(expected, path, "bcub")["bcub"].f1 == 1


@pytest.mark.parametrize("given", [{"p4": 1, "p1": 1}, {7: 1, 9: 1}, {9: 1, 7: 1}])
def test_documents_in_another_order_than_the_items_are_refused(given: dict[Any, int]) -> None:
    """They were taken by position: bcub 0.67 for 1."""
    documents = pd.Series(["x", "y"], index=sorted(given))
    if list(given) == sorted(given):
        assert from_labels(given, documents=documents).clusters()
        return
    assert from_labels([1, 1], [1, 0], pd.Series(["x", "y"])).clusters(), "rows are numbered"
    odd = pd.Series(["x", "y"], index=pd.MultiIndex.from_tuples([("a", pd.NA), ("b", 2)]))
    assert from_labels(given, documents=odd).clusters()
    for labels, items in ((given, None), ([1, 1], list(given))):
        with pytest.raises(UsageError, match="documents have the items for an index, in another order"):
            from_labels(labels, items, documents)


def test_series_in_two_orders_are_no_columns() -> None:
    frame = pd.DataFrame({"item": ["a", "b", "c"], "label": [1, 1, 2]})
    for given in ({"items": frame.item}, {"documents": frame.item}):
        with pytest.raises(UsageError, match="differ in their index"):
            from_labels(frame.label[::-1], **given)
    for items in (frame.item, frame.item.array, frame.index, list(frame.item)):
        assert list(from_labels(frame.label, items).clusters()["document"]) == ["1", "2"]


def test_names_in_another_order_are_not_compared_with_positions(tmp_path: Path) -> None:
    """As `sort_values` leaves the index: 0 to n-1 in another order, which 100% of the items share with a list."""
    pd = pytest.importorskip("pandas")
    labels = pd.Series([1, 1, 2, 2], index=[0, 2, 1, 3])
    positions = from_labels([7, 7, 8, 8])
    table = tmp_path / "table.csv"
    table.write_text("item,entity\n0,a\n2,a\n1,b\n3,b\n")
    shuffled = (
        from_labels([1, 1, 2, 2], [0, 2, 1, 3]),
        from_labels(labels),
        table,
    )
    for key, response in (*((its, positions) for its in shuffled), *((positions, its) for its in shuffled)):
        with pytest.raises(UsageError, match="items have names on one side"):
            score(key, response, "bcub")
    named = from_labels([7, 7, 8, 8], items=[0, 2, 1, 3])
    for other, series in ((positions, labels.array), (named, labels), (positions, pd.Series([1, 1, 2, 2]))):
        assert score(from_labels(series), other, "bcub")["bcub"].f1 == 1
    table.write_text("item,entity\n0,a\n1,a\n2,b\n3,b\n")
    numbered = from_labels([1, 1, 2, 2], range(4)), from_labels([1, 1, 2, 2], ["0", "1", "2", "3"])
    by_number = from_labels({2: 2, 0: 1, 1: 1, 3: 2})  # a mapping has no order
    for its in (table, *numbered, by_number):
        assert score(its, positions, "bcub")["bcub"].f1 == 1


@pytest.mark.parametrize(
    ("key", "response", "told"),
    [
        (["p1 p2", "p3", "p4"], ["p1", "p2 p3", "p4"], True),
        (["A", "B", "C"], ["A", "A", "B"], False),
        (["A", "A", "B"], ["A", "B", "C"], False),
        (["A", "B"], ["A", "B"], False),  # too few
    ],
)
def test_entities_of_one_item_on_both_sides_are_told(
    key: list[str], response: list[str], told: bool, tmp_path: Path
) -> None:
    """A row for each cluster, with all its items, scored 100 whatever these were."""
    for name, labels in (("key.csv", key), ("response.csv", response)):
        (tmp_path / name).write_text(table({str(item): label for item, label in enumerate(labels)}))
    tables = tmp_path / "key.csv", tmp_path / "response.csv"
    corpora = [from_labels(its, [f"row {at}" for at in range(len(its))]) for its in (key, response)]
    for result in (score(*tables, "bcub"), score(corpora[0], corpora[1], "bcub")):
        assert told == ("merged-cells" in [notice.code for notice in result.notices])
    for path, labels in zip(tables, (key, response), strict=True):
        path.write_text(json.dumps({"doc_key": "x", "clusters": [[label] for label in labels]}))
    positions = from_labels(key), from_labels(response)
    assert told == ("merged-cells" in [its.code for its in score(positions[0], positions[1], "bcub").notices])
    found = score(*tables, "bcub", input_format="jsonlines").notices
    assert "merged-cells" not in [its.code for its in found], "mentions, and no cells"


@pytest.mark.parametrize(
    ("header", "told"),
    [
        ("id,ltable_id,rtable_id,label", True),
        ("id,label,left_name,right_name", True),
        ("id,qid1,qid2,label", True),
        ("id,label,left_Beer_Name,right_Beer_Name", True),
        ("id,label,title_left,title_right", True),
        ("id,rec_id_1,rec_id_2,label", True),
        ("id,question1,question2,label", True),
        ("id,text_a,text_b,label", True),
        ("id,source,target,label", True),
        ("id,item1,item2,label", True),
        ("id,mention_1,mention_2,label", True),
        ("id,unique_id_l,unique_id_r,label", True),
        ("item,score,item2,label", True),
        ("id,address_1,address_2,label", False),
        ("id,label,left_words,right_words", False),
        ("id,left_ctx,right_ctx,label", False),
        ("id,left,right,label", False),
        ("id,label,left_offset,right_offset", False),
        ("id,x1,x2,label", False),
        ("id,left_context,right_context,label", False),
        ("id,pos_l,pos_r,label", False),
        ("id,left_id,x,label", False),
        ("id,left_context,x,label", False),
    ],
)
def test_a_table_of_pairs_is_told(header: str, told: bool, tmp_path: Path) -> None:
    """Which records match was read as two clusters of pairs."""
    label = header.split(",").index("label")
    rows = [[f"r{at}{column}" if column != label else str(at % 2) for column in range(4)] for at in range(6)]
    (tmp_path / "key.csv").write_text("\n".join([header, *map(",".join, rows), ""]))
    names = [name for name in header.split(",")[1:] if name != "label"][-1:]

    def pairs() -> list[object]:
        found = (its.details for its in read(tmp_path / "key.csv").notices if its.code == "unread-field")
        return [its["name"] for its in found if its["what"] == "one of a pair of records"]

    assert pairs() == names * told
    for other in ("third", ""):  # three labels, and one
        more = [row if row[label] == "1" or other else [*row[:label], other, *row[label + 1 :]] for row in rows]
        more[-1][label] = other or "1"
        (tmp_path / "key.csv").write_text("\n".join([header, *map(",".join, more), ""]))
        assert not pairs(), other


def test_what_is_odd_is_told_once_whatever_the_batches_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each batch of the files of a folder told it again."""
    monkeypatch.setattr("corefscore.formats.labels.BATCH", 100)
    for side, size in (("key", 3), ("response", 2)):
        (tmp_path / side).mkdir()
        for file in "abcd":
            rows = (f"{'nan' if (file, at) == ('b', 2) else f'{file}{at}'},{at // size}" for at in range(12))
            (tmp_path / side / f"{file}.csv").write_text("\n".join(["item,entity", *rows, ""]))
    assert [notice.code for notice in score(tmp_path / "key", tmp_path / "response", "bcub").notices] == [
        "odd-item"
    ] * 2


ODD_CELLS = ["a", "b c", " d", 'e"f', "g,h", "i;j", "k\tl", "m\nn", "o\rp", "\u00e9", "\ufeffq", "7", "07", "#", "-1"]


@pytest.mark.parametrize("seed", range(8))
def test_a_table_that_is_converted_scores_the_same(seed: int, tmp_path: Path) -> None:
    """To JSON lines and back to a table, and to a table. Every second seed has items in two entities: a notice."""
    numbers = Random(seed)
    of_measures = "muc,bcub,ceafe,lea"
    key, response = tmp_path / "key.csv", tmp_path / "response.csv"
    told: set[str] = set()
    for path in (key, response):
        items = numbers.choices(ODD_CELLS, k=30) if seed % 2 else numbers.sample(ODD_CELLS, 12)
        rows = [("document", "item", "entity")]
        rows += [(numbers.choice("de"), item, numbers.choice([*ODD_CELLS[:5], ""])) for item in items]
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([*rows, ("d", "x", "x"), ("e", "x", "x")])
        for before, after in ((path, ".jsonl"), (path.with_suffix(".jsonl"), ".back.csv"), (path, ".same.csv")):
            done = command("convert", before, path.with_suffix(after))
            assert done.status == 0, done
            told |= set(re.findall(r"notice\[([a-z-]+)\]", done.stderr.decode()))
    assert "dropped-items" in told
    expected = score(key, response, of_measures, repeated="first")
    for suffix in (".jsonl", ".back.csv", ".same.csv"):
        found = score(key.with_suffix(suffix), response.with_suffix(suffix), of_measures, repeated="first")
        assert ("changed-order" in told and seed % 2) or dict(found) == dict(expected), suffix
        assert "changed-order" in told or found.key == expected.key
