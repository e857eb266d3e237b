"""Units within documents: topics of a cross-document corpus that is scored as one document.

``testdata/topics`` is made up: eight topics in one document, a system that never joins mentions of two topics, and one
that does. Where no entity crosses, the oracle is the scorer itself: each topic as a document of its own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import corefscore
import numpy as np
import pytest
from corefscore.core.errors import InputError, UsageError
from corefscore.formats import Reading
from corefscore.formats.base import BATCH
from corefscore.formats.conll import reader
from corefscore.metrics import select, wanted
from corefscore.metrics.base import WHOLE, Metric
from corefscore.scoring.results import Result
from corefscore.scoring.run import scored, settings_of
from corefscore.scoring.settings import Rules, Run
from corefscore.statistics.units import sample
from support import CORPORA, EXCERPTS, FURTHER, TESTDATA, call

TOPICS = TESTDATA / "topics"
KEY, WITHIN, ACROSS = (TOPICS / f"{name}.conll" for name in ("key", "within", "across"))
ADDITIVE = select("muc,bcub,ceafm,ceafe,lea,pairwise,cluster,bcubs")

Capture = pytest.CaptureFixture[bytes]


def counted(
    key: Path, response: Path, unit: str = "column:1", metrics: Sequence[Metric] = ADDITIVE, **how: Any
) -> Result:
    """A result with units; what is odd is in its notices."""
    rules = Rules(**how)
    settings = settings_of(metrics, rules, None, {}, unit)
    return scored(key, response, Run(metrics, settings))


def each_topic(path: Path, folder: Path) -> Path:
    """The same tokens, each topic a document of its own."""
    lines = defaultdict(list)
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            lines[line.split("\t")[0]].append(line)
    found = folder / path.name
    documents = ["\n".join([f"#begin document {name}", *its, "#end document", ""]) for name, its in lines.items()]
    found.write_text("".join(documents))
    return found


@pytest.mark.parametrize("how", [{}, {"singletons": "drop"}, {"mentions": "given"}, {"window": 50}])
@pytest.mark.parametrize("response", [WITHIN, ACROSS], ids=["within", "across"])
def test_units_add_up_to_their_document(response: Path, how: dict[str, Any]) -> None:
    result = counted(KEY, response, **how)
    assert result.units is not None
    assert result.total == corefscore.score(KEY, response, [metric.name for metric in ADDITIVE], **how).total
    for name, counts in result.counts.items():
        by_document = np.zeros_like(counts)
        np.add.at(by_document, result.units.document, result.units.counts[name])
        assert np.allclose(by_document, counts, rtol=1e-12, atol=1e-12), name


def test_many_batches_have_the_units_windows_and_messages_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: Capture
) -> None:
    """The third window is the first one of the second document; it alone has a repeat."""
    for name, cells in (("a", ["(1)", "(1)", "(2)", "(2)"]), ("b", ["(3)|(4)", "(3)", "(4)", "-"])):
        lines = "".join(f"{unit}\t{cell}\n" for unit, cell in zip("uuvv", cells, strict=True))
        (tmp_path / f"{name}.conll").write_text(f"#begin document {name}\n{lines}#end document\n")
    found = []
    for limit in (BATCH, 0):
        monkeypatch.setattr(reader, "BATCH", limit)
        result = counted(tmp_path, tmp_path, window=2)
        assert result.units is not None
        for name, counts in result.counts.items():
            summed = np.zeros_like(counts)
            np.add.at(summed, result.units.document, result.units.counts[name])
            assert np.array_equal(summed, counts), name
        official = call(capfdbinary, "muc", tmp_path, tmp_path).stdout
        found.append(
            (
                official,
                result.names,
                result.units.names,
                result.units.document.tolist(),
                result.listed[WHOLE].messages,
            )
        )
    assert found[0] == found[1]
    assert (found[0][3], list(found[0][4])) == ([0, 0, 1, 1, 2, 2, 3, 3], [2])


def test_a_metric_is_refused_for_one_link_between_units(tmp_path: Path) -> None:
    path = tmp_path / "key.conll"
    path.write_text("#begin document a\nu\tw\t(1)\nv\tw\t(2)\n#end document\n")
    with pytest.raises(UsageError, match="the counts of blanc do not add up over units within documents"):
        corefscore.compare(path, {"a": path}, "blanc", unit="column:1")


@pytest.mark.parametrize(
    ("unit", "units", "parts"), [("document", 2, "joined"), ("part", 3, None), (r"^.(\w)", 2, None)]
)
def test_parts_are_joined_by_the_unit_of_documents_alone(unit: str, units: int, parts: str | None) -> None:
    measures = wanted("lea").measures
    key = {name: [[(0, 0), (1, 1)]] for name in ("(a); part 000", "(a); part 001", "(b); part 000")}
    found = sample([corefscore.score(key, key, "lea")], measures, unit)
    assert (found.units, found.parts) == (units, parts)
    alone = {"(a); part 000": key["(a); part 000"]}
    assert sample([corefscore.score(alone, alone, "lea")], measures, unit).parts is None


def test_where_no_entity_crosses_a_unit_counts_as_a_document_of_its_own(tmp_path: Path) -> None:
    result = counted(KEY, WITHIN)
    key, response = (each_topic(path, tmp_path) for path in (KEY, WITHIN))
    alone = corefscore.score(key, response, [metric.name for metric in ADDITIVE])
    assert result.units is not None
    assert (list(result.units.names), result.notices) == (list(alone.names), ())
    for name, counts in alone.counts.items():
        assert np.allclose(result.units.counts[name], counts), name
    topics = tmp_path / KEY.name, tmp_path / WITHIN.name
    ends = []
    for (key, response), unit in (((KEY, WITHIN), "column:1"), (topics, "document")):
        found = corefscore.compare(key, {"a": response}, "muc,bcub,ceafe,lea", unit=unit, trials=99)
        ends.append([[*each.values()] for its in found.to_dict()["systems"]["a"].values() for each in its.values()])
    assert np.allclose(ends[0], ends[1], rtol=1e-9)


def test_an_entity_counts_in_the_unit_of_its_first_mention() -> None:
    """B-cubed, one mention after the other: a key entity's share in its own unit, a response entity's in its own."""
    result = counted(KEY, ACROSS, metrics=select("bcub"))
    topic: list[str] = []
    sides: list[dict[str, set[int]]] = [defaultdict(set), defaultdict(set)]
    for path, entities in zip((KEY, ACROSS), sides, strict=True):
        rows = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
        topic = [row[0] for row in rows]
        for token, row in enumerate(rows):
            for piece in row[-1].split("|"):
                if piece != "-":
                    entities[piece].add(token)
    names = list(dict.fromkeys(topic))
    expected = np.zeros((len(names), 4))
    for at, (one, other) in enumerate((sides, sides[::-1])):
        for entity in one.values():
            unit = names.index(topic[min(entity)])
            shares = [len(entity & its) ** 2 / len(entity) for its in other.values()]
            expected[unit, 2 * at : 2 * at + 2] += sum(shares), len(entity)
    assert result.units is not None
    assert np.allclose(result.units.counts["bcub"].reshape(-1, 4), expected)


def test_entities_that_cross_units_are_counted_and_named() -> None:
    (notice,) = counted(KEY, ACROSS).notices
    assert notice.code == "crosses-unit"
    assert [notice.details[name] for name in ("side", "count", "entity")] == ["response", 6, "203"]
    assert "6 of 43 entities of the response have mentions in several units" in notice.found


def test_a_mention_counts_in_the_unit_of_its_first_token(tmp_path: Path) -> None:
    """Singletons of two documents; one extends into the next unit, and one begins beyond the tokens of the key."""
    for side, cells in (("key", ["(1)|(2", "2)", "(3)"]), ("response", ["(1)|(2", "2)", "-", "-", "(5)"])):
        rows = [f"{unit}\tw\t{cell}\n" for unit, cell in zip("uvvvv", cells, strict=False)]
        other = ["x\tw\t(4)\n", "y\tw\t(6)\n"]
        (tmp_path / side).write_text(
            f"#begin document a\n{''.join(rows)}#end document\n#begin document b\n{''.join(other)}#end document\n"
        )
    result = counted(tmp_path / "key", tmp_path / "response", metrics=select("bcub"))
    assert result.units is not None
    assert (list(result.units.names), result.units.document.tolist()) == (["u", "v", "x", "y"], [0, 0, 1, 1])
    recall_of, precision_of = result.units.counts["bcub"].reshape(-1, 4)[:, [1, 3]].T.tolist()
    assert (recall_of, precision_of) == ([2, 1, 1, 1], [2, 1, 1, 1])


def test_each_document_has_its_own_notice_of_what_crosses(tmp_path: Path) -> None:
    text = "".join(
        f"#begin document {name}\nu\t{name}1\t(1)\nv\t{name}2\t(1)\nv\t{name}3\t(2)\n#end document\n" for name in "ab"
    )
    (tmp_path / "key.conll").write_text(text.replace("(2)", "-", 1))
    (tmp_path / "response.conll").write_text(text.replace("(1)", "-"))
    how = Reading(columns="word=2")
    settings = settings_of(ADDITIVE, Rules(), None, {}, "column:1")
    found = scored(tmp_path / "key.conll", tmp_path / "response.conll", Run(ADDITIVE, settings, how)).notices
    assert [str(notice).split("] ")[1].split("\n")[0] for notice in found if notice.code == "crosses-unit"] == [
        f'in document "{name}": 1 of {count} of the key has mentions in several units (--unit column:1), '
        "such as entity 1"
        for name, count in (("a", "1 entity"), ("b", "2 entities"))
    ]


def test_notices_of_what_crosses_are_in_the_order_of_documents(tmp_path: Path) -> None:
    """Whatever the sides and the names of the files."""
    lines = {"key": ["(1)", "-", "(2)", "(2)"], "a": ["(1)", "(1)", "(2)", "-"]}
    for side, (*first, one, other) in lines.items():
        text = "".join(
            f"#begin document {name}\nu\tw\t{cells[0]}\nv\tw\t{cells[1]}\n#end document\n"
            for name, cells in {"a": first, "b": [one, other]}.items()
        )
        (tmp_path / side).write_text(text)
    settings = settings_of(ADDITIVE, Rules(), None, {}, "column:1")
    found = scored(tmp_path / "a", tmp_path / "key", Run(ADDITIVE, settings, Reading())).notices
    crossing = [
        (notice.details["document"], notice.details["side"]) for notice in found if notice.code == "crosses-unit"
    ]
    assert crossing == [("a", "key"), ("b", "response")]
    found = scored(tmp_path / "key", tmp_path / "a", Run(ADDITIVE, settings, Reading())).notices
    crossing = [
        (notice.details["document"], notice.details["side"]) for notice in found if notice.code == "crosses-unit"
    ]
    assert crossing == [("a", "response"), ("b", "key")]


def test_the_groups_of_a_divided_unit_are_its_own() -> None:
    key = {name: [[(0, 0), (1, 1)]] for name in ("a1", "b1", "b2", "c1", "c2")}
    with pytest.raises(UsageError, match='unit "b" has documents of several groups: b1, b2; '):
        corefscore.compare(key, {"x": key}, "lea", unit=r"^\w", by=r"^\w\d")


@pytest.mark.parametrize("shape", ["token", "sentence", "nested"])
def test_a_field_of_json_tells_the_same_units(shape: str, tmp_path: Path) -> None:
    paths = []
    for path in (KEY, ACROSS):
        rows = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
        tokens = [row[0] for row in rows]
        clusters = defaultdict(list)
        for token, row in enumerate(rows):
            for piece in row[-1].split("|"):
                if piece != "-":
                    clusters[piece].append([token, token])
        sentences = [[row[5] for row in rows[at : at + 7]] for at in range(0, len(rows), 7)]
        nested = [tokens[at : at + 7] for at in range(0, len(rows), 7)]
        topic = {"token": tokens, "sentence": tokens[::7], "nested": nested}[shape]
        record = {"doc_key": "topics", "sentences": sentences, "clusters": list(clusters.values()), "topic": topic}
        paths.append(tmp_path / f"{path.stem}.jsonl")
        paths[-1].write_text(json.dumps(record) + "\n")
    ours, theirs = counted(paths[0], paths[1], "field:topic").units, counted(KEY, ACROSS).units
    assert ours is not None and theirs is not None
    assert list(ours.names) == list(theirs.names)
    for name, counts in theirs.counts.items():
        assert np.allclose(ours.counts[name], counts), name


@pytest.mark.parametrize("arguments", [["compare"], ["rank", "--sort", "lea"], ["lea", "--intervals"]])
def test_every_command_with_units_takes_them(arguments: Sequence[str], capfdbinary: Capture) -> None:
    command, *others = arguments
    measures = [] if command == "lea" else ["--measures", "lea", "--trials", "99"]
    system = WITHIN if command == "lea" else f"within={WITHIN}"
    common: list[Path | str] = [command, KEY, system, *others, *measures, "--format", "json", "--unit", "column:1"]
    done = call(capfdbinary, *common)
    assert done.status == 0, done.stderr
    assert b"unit=column:1" in done.stdout
    assert b'"units": 8' in done.stdout
    assert call(capfdbinary, *common, "--jobs", "2") == done


def test_windows_of_a_document_have_its_units(capfdbinary: Capture) -> None:
    done = call(
        capfdbinary, "lea", KEY, WITHIN, "--intervals", "--unit", "column:1", "--window", "50", "--format", "json"
    )
    assert (done.status, b'"units": 8' in done.stdout) == (0, True)


def test_blanc_has_no_units_within_documents() -> None:
    with pytest.raises(UsageError, match="the counts of blanc do not add up over units within documents"):
        corefscore.compare(KEY, {"a": WITHIN}, "blanc", unit="column:1")


@pytest.mark.parametrize(
    ("unit", "error", "message"),
    [
        ("column:9", InputError, "token 0 has 8 columns, the last of which is coreference"),
        ("column:8", InputError, "needs at least 9 columns, the last with coreference"),
        ("column:x", UsageError, "expected column:N, counted from 1"),
        ("column:0", UsageError, "expected column:N, counted from 1"),
        ("field:topic", UsageError, "is CoNLL; expected column:N"),
    ],
)
def test_a_column_that_tells_no_unit_is_refused(unit: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        corefscore.compare(KEY, {"a": WITHIN}, "lea", unit=unit)


def test_of_several_files_the_first_without_the_column_is_named(tmp_path: Path) -> None:
    for topic in range(16):
        each = f"#begin document (t{topic:02});\na 0 0 b (1)\na 0 1 c (1)\n#end document\n"
        (tmp_path / f"{topic:02}.conll").write_text(each)
    with pytest.raises(InputError) as error:
        counted(tmp_path, tmp_path, "column:9")
    assert str(error.value).startswith(f"{tmp_path / '00.conll'}:1: error[no-unit]")


def test_other_keys_have_no_units_within_documents(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="units within documents need a key in CoNLL or JSON, read from a file"):
        corefscore.compare([[(0, 0), (1, 1)]], {"a": [[(0, 0), (1, 1)]]}, "lea", unit="field:topic")
    good = TESTDATA / "dialects" / "e2e" / "good.jsonl"
    with pytest.raises(InputError, match='the field "topic" is missing'):
        corefscore.compare(good, {"a": good}, "lea", unit="field:topic")
    with pytest.raises(InputError, match='the field "clusters" has the wrong shape'):
        corefscore.compare(good, {"a": good}, "lea", unit="field:clusters")
    with pytest.raises(UsageError, match="is JSON; expected field:NAME"):
        corefscore.compare(good, {"a": good}, "lea", unit="column:1")


@pytest.mark.parametrize(("corpora", "topics"), [(EXCERPTS, 3), pytest.param(CORPORA, 10, marks=FURTHER)])
def test_a_real_corpus_has_its_topics(corpora: Path, topics: int) -> None:
    """ECB+: no event of the key crosses topics, and ten topics are in the test set; of the response, some do."""
    folder = corpora / "ecbplus-crossdoc"
    result = counted(folder / "key.conll", folder / "gg-ecbp-ecbponecbp-closure.conll")
    assert result.units is not None
    assert len(result.units.names) == topics
    assert [notice.details["side"] for notice in result.notices if notice.code == "crosses-unit"] in ([], ["response"])
    for name, counts in result.counts.items():
        assert np.allclose(result.units.counts[name].sum(axis=0), counts.sum(axis=0)), name


@pytest.mark.parametrize(("cell", "units"), [("-", 3), ("x", 2), ("nan", 3)])
def test_what_stands_for_no_unit_is_no_unit_of_several_documents(cell: str, units: int, tmp_path: Path) -> None:
    """Documents without a topic were one unit, with p .25 for .0391, and each of their windows a unit of its own."""
    path = tmp_path / "key.conll"
    topics = {"a": cell, "b": cell, "c": "t"}
    path.write_text(
        "".join(f"#begin document {name}\n" + 2 * f"{of}\tw\t(1)\n" + "#end document\n" for name, of in topics.items())
    )
    for window in (None, 1):
        result = counted(path, path, window=window)
        assert result.units is not None and len({*result.units.names}) == units


def test_systems_with_other_windows_are_not_compared(tmp_path: Path) -> None:
    """Without words, an invented mention makes a window more, of another document for each system: the difference was
    8.69 from -24.28 to 39.87 for 6.74 to 10.64. A key in characters has the windows and the distances of the tokens of
    each response: the same entities had a LEA of 66.67 and 57.14."""
    names = "abcdefgh"
    key = {name: [[(0, 0), (20, 20), (110, 110)]] for name in names}
    systems = {of: {**key, of: [*key[of], [(210, 210), (220, 220)]]} for of in "ah"}
    text = "Ann, Bo, and Cy, saw her. " * 9
    tokens = text.replace(",", " ,").replace(".", " .").split()
    in_text = [[[26 * at, 26 * at + 3] for at in range(9)], [[21 + 26 * at, 24 + 26 * at] for at in range(9)]]
    words = [[[10 * at, 10 * at] for at in range(9)], [[10 * at + 8, 10 * at + 8] for at in range(9)]]
    of_files: dict[str, dict[str, Any]] = {
        "key": {"text": text, "clusters": in_text},
        "chars": {"text": text, "clusters": in_text},
        "words": {"sentences": [tokens], "clusters": words},
    }
    for file, document in of_files.items():
        (tmp_path / f"{file}.jsonl").write_text("".join(json.dumps({"doc_key": of, **document}) + "\n" for of in names))
    paths = {of: tmp_path / f"{of}.jsonl" for of in ("chars", "words")}
    of_text: Any = tmp_path / "key.jsonl", paths
    both = corefscore.compare(of_text[0], of_text[1], "lea").to_dict()["systems"].values()
    assert [of["lea"]["f1"]["value"] for of in both] == [1, 1]
    calls: Any = ((key, systems), {"window": 100}), (of_text, {"window": 20}), (of_text, {"of": "distance:0-8"})
    for sides, how in calls:
        for name, response in sides[1].items():
            corefscore.compare(sides[0], {name: response}, "lea", **how)
        with pytest.raises(UsageError, match="these have different tokens or lengths"):
            corefscore.compare(sides[0], sides[1], "lea", **how)
