"""Error analysis: `corefscore errors`, and what `corefscore.analysis` finds.

Expected counts, errors and scores come from the cases of ``testdata/errors`` and, where they are there, of
``../shared/errors``. They were recorded from the analyser of Kummerfeld and Klein and, for repairs in turn, from a
formulation of its own (see FACTS.md there).
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import twins
from corefscore import InputError, ScorerWarning, UsageError, analyse, from_labels, read, score
from corefscore.analysis import response as response_module
from corefscore.analysis import types
from corefscore.analysis.costs import Measure, ScoredResponses, alone, in_turn, measured
from corefscore.analysis.partitions import ABSENT, Partitions
from corefscore.analysis.response import Analysable, Analysis, Asked, analysable, analysed
from corefscore.analysis.spans import _TRIMMED
from corefscore.analysis.types import errors_of
from corefscore.core.arrays import Ints
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.conll.annotations import read as read_layers
from corefscore.formats.conll.cells import columns_of
from corefscore.formats.conll.lines import WordColumn, lines_of
from corefscore.scoring.kinds.texts import Text, text_of
from corefscore.scoring.results import values
from corefscore.scoring.run import scored, settings_of
from corefscore.scoring.settings import Rules, Run
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, TESTDATA, call, every_second, within

OWN = TESTDATA / "errors"
CASES = ROOT.parent / "shared" / "errors" / "cases"
EXPECTED = sorted({path.parent.name: path for of in (CASES, OWN) for path in of.glob("*/expected.json")}.values())
DEMO = TESTDATA / "demo"

CONLL = measured("conll")


USUAL = Asked()


def analysis_of(
    key: Path, response: Path, asked: Asked = USUAL, singletons: str = "keep", spans: str | None = None
) -> Analysis:
    """``spans`` is how spans are repaired, by default as the text says."""
    with pytest.MonkeyPatch.context() as patch:
        if spans is not None:
            patch.setattr(response_module, "way_of", lambda _: spans)
        return analysed(*to_analyse(key, response, singletons), asked, CONLL)


@lru_cache(maxsize=2)
def to_analyse(key: Path, response: Path, singletons: str) -> tuple[Analysable, Text]:
    """What is analysed; a case has several analyses of it."""
    settings = settings_of(CONLL.metrics, Rules(singletons=singletons), None, {})
    found = analysable(scored(str(key), str(response), Run(CONLL.metrics, settings), keep_pairs=True))
    return found, text_of([found.pairs])


def asked_of(options: Mapping[str, Any]) -> Asked:
    """The options of a case."""
    pronouns = "none"
    if options["pronoun_words"] == "english":
        pronouns = "english"
    elif options["pronoun_tags"]:
        pronouns = "tags:" + ",".join(options["pronoun_tags"])
    return Asked(options["heads"], pronouns)


def recorded() -> Iterator[tuple[Path, str]]:
    for path in EXPECTED:
        for response in json.loads(path.read_text())["responses"]:
            yield path, response


@pytest.mark.parametrize("case", every_second(list(recorded()), lambda case: f"{case[0].parent.name}-{case[1]}"))
def test_recorded_cases(case: tuple[Path, str]) -> None:
    """Counts, listed errors, operations; F1 of each measure to 1e-6, once each type is repaired, alone and in turn."""
    path, response = case
    for expected in json.loads(path.read_text())["responses"][response]["analyses"]:
        options = expected["options"]
        singletons = "drop-response" if options["singletons"] == "drop" else "keep"
        sides = path.parent / "key.conll", path.parent / f"{response}.conll"
        # Spans are trimmed as in English whatever the language.
        found = analysis_of(*sides, asked_of(options), singletons, "english")
        assert found.counts == expected["clean"]["errors"]
        operations = {**expected["kk"]["total"]["operations"], "rename": found.counts[types.SPAN]}
        assert found.errors.operations() == operations
        if all("listed" in document for document in expected["kk"]["documents"]):
            assert errors_by_type(found) == listed_in(expected["kk"]["documents"])
        steps = expected["clean"]["f1_in_turn"]
        given = ScoredResponses(TOGETHER, found.both.documents, found.before.document, found.before.key)
        both = ScoredResponses(TOGETHER, *found.both[:2], found.both.key)
        asked = [(given, found.given, steps["none"]), (both, found.both.response, steps["span_error"])]
        asked += [(both, entities, steps[name]) for name, entities in in_turn(found.errors)]
        asked += [(both, its, expected["f1"][name]) for name, its in alone(found.errors) if name in expected["f1"]]
        assert not differing(asked)


NEAR = 1.1e-6
"""The cases have six digits."""

MEASURES = [measured(name) for name in ("muc", "bcub", "ceafe", "lea", "ceafm")]

TOGETHER = Measure(
    "conll",
    [metric for measure in MEASURES for metric in measure.metrics],
)
"""What the cases tell the F1 of, counted in one table."""


def differing(asked: Sequence[tuple[ScoredResponses, Ints, Mapping[str, float]]]) -> dict[str, tuple[float, float]]:
    """The measures whose F1 in percent is another than expected, for responses beside a key, computed in one go."""
    each = [both.sums(entities) for both, entities, _ in asked]
    sums = {name: np.stack([its[name] for its in each]) for name in each[0]}
    found = {name: 100 * its.f1 for name, its in values(TOGETHER.metrics, sums).items()}
    return {
        f"{name} of response {at}": (float(found[name][at]), f1)
        for at, (_, _, expected) in enumerate(asked)
        for name, f1 in expected.items()
        if not abs(found[name][at] - f1) <= NEAR
    }


class Sentences:
    """Mentions as the cases have them: sentence, first token in it, the token after the last one."""

    def __init__(self, found: Analysis) -> None:
        self.text = found.text
        self.first = np.append(0, found.text.ends)

    def mention(self, document: int, start: int, end: int) -> tuple[int, int, int]:
        at = int(self.text.first[document]) + start
        start_of_document, sentence = np.searchsorted(
            self.text.ends, [self.text.first[document], at], side="right"
        ).tolist()
        first = int(self.first[sentence])
        return sentence - start_of_document, at - first, at - first + end - start + 1


Shown = tuple[str, tuple[Any, ...]]


def errors_by_type(found: Analysis) -> dict[str, set[Any]]:
    """All errors by type: a set of what is listed of each."""
    at, both = Sentences(found), found.both
    of_type: dict[str, set[Any]] = {name: set() for name in types.TYPES if name not in SINGLETONS}

    def shown(mentions: Sequence[int]) -> frozenset[Any]:
        return frozenset(at.mention(*found.span(mention)) for mention in mentions)

    members = {side: members_of(getattr(both, side)) for side in ("key", "response")}
    for error in found.errors.each():
        document = found.result.names[error.document]
        entity = None
        if error.type == types.CONFLATED:
            entity = shown(members["response"][error.response])
        elif error.type == types.DIVIDED:
            entity = shown(members["key"][error.key])
        if error.type == types.SPAN:
            (mention,) = error.mentions
            response = at.mention(error.document, *found.in_response(mention))
            of_type[types.SPAN].add((document, response, at.mention(*found.span(mention))))
        elif error.type in of_type:
            of_type[error.type].add((document, shown(error.mentions), entity))
    return of_type


SINGLETONS = (types.EXTRA_SINGLETON, types.MISSING_SINGLETON)


def members_of(entities: Any) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for mention, entity in enumerate(entities.tolist()):
        found.setdefault(entity, []).append(mention)
    return found


def listed_in(documents: Sequence[Mapping[str, Any]]) -> dict[str, set[Any]]:
    """The same from a case; it names documents otherwise."""
    of_type: dict[str, set[Any]] = {name: set() for name in types.TYPES if name not in SINGLETONS}
    for document in documents:
        name = f"({document['document']}); part {document['part']}"
        for kind, its in document["listed"].items():
            for error in its:
                if kind == types.SPAN:
                    of_type[kind].add((name, *map(tuple, error)))
                elif isinstance(error, dict):
                    piece, entity = (frozenset(map(tuple, error[part])) for part in ("piece", "entity"))
                    of_type[kind].add((name, piece, entity))
                else:
                    of_type[kind].add((name, frozenset(map(tuple, error)), None))
    return of_type


def partition_of(labels: Sequence[int]) -> Ints:
    """Labels as entities, numbered by first mention; 0 is `ABSENT`."""
    order = {label: place for place, label in enumerate(dict.fromkeys(label for label in labels if label))}
    return np.array([order.get(label, ABSENT) for label in labels], dtype=np.int64)


@st.composite
def random_errors(draw: st.DrawFn) -> tuple[Partitions, Any]:
    """Two partitions of up to 14 mentions of two documents, and which of the mentions are pronouns."""
    size = draw(st.integers(1, 14))
    numbers = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    cut = draw(st.integers(0, size))
    document = np.array([0] * cut + [1] * (size - cut))

    def side() -> Ints:
        return partition_of([label and label + 10 * int(d) for label, d in zip(draw(numbers), document, strict=True)])

    places = np.arange(size)
    key, response, inside = side(), side(), np.ones(size, dtype=np.bool_)
    both = Partitions(2, document, places, places, inside, key, response, places, places, 0 * places).compact()
    pronoun = draw(st.lists(st.booleans(), min_size=len(both.key), max_size=len(both.key)))
    return both, np.array(pronoun, dtype=np.bool_)


OF_RESPONSE = (types.CONFLATED, types.EXTRA_MENTION, types.EXTRA_ENTITY, types.EXTRA_SINGLETON)
OF_KEY = (types.DIVIDED, types.MISSING_MENTION, types.MISSING_ENTITY, types.MISSING_SINGLETON)
SWAPPED = dict(zip((*OF_RESPONSE, *OF_KEY), (*OF_KEY, *OF_RESPONSE), strict=True))


def swapped(both: Partitions) -> Partitions:
    """The partitions with key and response exchanged."""
    return both._replace(key=both.response, response=both.key, key_row=both.response_row, response_row=both.key_row)


@given(random_errors())
def test_swapping_the_sides_swaps_the_types(drawn: tuple[Partitions, Any]) -> None:
    both, pronoun = drawn
    counts, others = (errors_of(each, pronoun).by_document for each in (both, swapped(both)))
    assert {SWAPPED.get(name, name): of_documents.tolist() for name, of_documents in counts.items()} == {
        name: of_documents.tolist() for name, of_documents in others.items()
    }


@given(random_errors())
def test_the_last_repair_is_the_key(drawn: tuple[Partitions, Any]) -> None:
    """Each step is a partition of the mentions that are there; the last one has the same entities as the key."""
    both, pronoun = drawn
    last = [entities for _, entities in in_turn(errors_of(both, pronoun))][-1]
    assert np.array_equal(last == ABSENT, both.key == ABSENT)
    pairs = set(zip(both.key.tolist(), last.tolist(), strict=True)) - {(ABSENT, ABSENT)}
    assert len(pairs) == len({key for key, _ in pairs}) == len({entity for _, entity in pairs})


@given(random_errors())
def test_pieces_and_missing_mentions_are_what_muc_misses(drawn: tuple[Partitions, Any]) -> None:
    """Vilain et al. 1995: recall misses the links between the pieces of a key entity; precision the other way round."""
    both, _ = drawn
    for each in (both, swapped(both)):
        errors = errors_of(each, np.zeros(len(each.key), dtype=np.bool_))
        entities = len(errors.key.main)
        misses = len(errors.pieces.key) + int(each.missing.sum()) - entities
        counts = ScoredResponses(measured("muc"), *each[:2], each.key).sums(each.response)["muc"][0]
        assert misses == counts[1] - counts[0]


ROWS = {
    "tabs": b"d\t0\t0\tshe\tPRP\t(NP*)\t-\t(1)\n",
    "tabs at the end": b"d\t0\t0\tshe\tPRP\t(1)\t\t\t\n",
    "tabs and CR at the end": b"d\t0\t0\tshe\tPRP\t(1)\t\t\t\r\n",
    "spaces": b"d   0  0  she  PRP (NP*)   -  -  (1)\n",
    "spaces, few columns": b"d 0 0 she PRP (1)\n",
    "three columns": b"d she (1)\n",
    "a form feed in a word": b"d 0 0 sh\fe PRP (NP*) - (1)\n",
    "space around a word": b"d\t0\t0\t she \tPRP\t(NP*)\t-\t(1)\n",
    "a hash": b"#d\t0\t0\tshe\tPRP\t(NP*)\t-\t(1)\n",
}


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("name", ROWS)
def test_layers_are_the_columns_of_any_line(tmp_path: Path, name: str, mixed: bool) -> None:
    """Usual lines are split fast; the words and columns are those of the grammar all the same."""
    usual = b"d\t0\t1\tran\tVBD\t*\t-\t-\n" * mixed
    path = tmp_path / "key.conll"
    path.write_bytes(
        b"#begin document (d); part 000\n" + usual + ROWS[name] + b"\n" + usual + b"# no token\n#end document\n"
    )
    (layers,) = read_layers(Source(str(path)), Request())
    columns = [columns_of(line.text) for line in lines_of(Source(str(path))) if line.begin and line.token >= 0]
    assert [word for its in layers.words for word in its] == [WordColumn().cell(cells).decode() for cells in columns]
    for found, at in ((layers.tags, 4), (layers.parse, 5)):
        expected = [cells[at].decode() if len(cells) > at + 1 else "-" for cells in columns]
        assert list(found) in (expected, [])
        assert found or not {"PRP", "VBD", "(NP*)"} & set(expected)


@pytest.mark.parametrize("spans", [None, "off"])
@pytest.mark.parametrize("name", ["demo", "names"])
def test_costs_in_turn_add_up_to_what_is_lost(name: str, spans: str | None) -> None:
    folder = TESTDATA / name
    found = analysis_of(folder / "key.conll", folder / "response.conll", spans=spans)
    assert found.costs[-1].then == 1
    assert sum(cost.in_turn for cost in found.costs) == pytest.approx(1 - found.score, abs=1e-12)


@pytest.mark.parametrize("more", [[], ["--symmetric"]], ids=str)
def test_given_mentions_are_those_of_the_score(more: list[str], tmp_path: Path) -> None:
    sides = TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll"
    how = ("--mentions", "given", "--pronouns", "none", *more)
    found = json.loads(within("errors", *sides, *how, "--format", "json", "--repaired", tmp_path).stdout)
    scores = score(*sides, ["muc", "bcub", "ceafe"], mentions="given")
    response, *_, key = sorted(tmp_path.iterdir())
    for conll in (found["score"]["conll"], score(key, response, ["muc", "bcub", "ceafe"]).conll):
        assert conll == pytest.approx(scores.conll, abs=1e-12)
    assert {its["type"] for its in found["types"] if its["count"]} == {"conflated", "divided"}
    assert sum(its["in_turn"] for its in found["types"]) == pytest.approx(1 - scores.conll, abs=1e-12)
    assert b"official look-up" not in within("errors", *sides, *how).stdout
    assert not re.search(rb"[-+~]\[(?!x)", within("diff", *sides, *how).stdout)


def test_repeated_mentions_have_a_row_of_their_own() -> None:
    """The score counts copies as the official scorer does; the analysis keeps the first, and says what that moves."""
    folder = TESTDATA / "recorded" / "repeat-key-0012"
    found = analysis_of(folder / "key.conll", folder / "response.conll")
    assert found.copies > 0
    moved = found.start - found.score
    assert sum(cost.in_turn for cost in found.costs) + moved == pytest.approx(1 - found.score, abs=1e-12)


def test_the_command_prints_what_is_lost() -> None:
    done = within("errors", DEMO / "key.conll", DEMO / "response.conll")
    assert (done.status, done.stderr) == (0, b"")
    lines = done.stdout.decode().splitlines()
    assert lines[0].startswith("errors and their cost: CoNLL average 74.35, 25.65 below 100, in 1 document")
    assert lines[-1].endswith("| errors=conll | spans=english | heads=last | pronouns=tags:penn")


@pytest.mark.parametrize("layout", ["markdown", "latex", "csv", "tsv", "json", "github"])
def test_every_layout_has_it(layout: str) -> None:
    done = within("errors", DEMO / "key.conll", DEMO / "response.conll", "--format", layout)
    assert done.status == 0
    assert b"divided" in done.stdout.lower()
    assert layout != "latex" or not set("█▏▎▍▌▋▊▉").intersection(done.stdout.decode())


def test_json_holds_types_documents_groups_and_errors() -> None:
    arguments = ("errors", DEMO / "key.conll", DEMO / "response.conll", "--format", "json")
    found = json.loads(within(*arguments).stdout)
    assert [its["type"] for its in found["types"]] == list(types.TYPES)
    assert found["types"][-1]["then"] == 1
    assert sum(its["count"] for its in found["types"]) == len(found["errors"])
    assert [its["name"] for its in found["documents"]] == ["(demo/cats); part 000"]


def test_two_systems_stand_beside_each_other() -> None:
    systems = TESTDATA / "systems"
    runs = (systems / "runs" / name for name in ("ash.conll", "birch.conll"))
    done = within("errors", systems / "key.conll", *runs, "--pronouns", "none")
    assert (done.status, done.stderr) == (0, b"")
    _, only_ash = done.stdout.split(
        b"\nright in ash, wrong in birch: 28 mentions (pronouns 0, one word 22, longer 6);\n"
    )
    rows = only_ash.decode().splitlines()[4:6]
    assert [re.split(" {2,}", row.strip()) for row in rows] == [
        ["3", "w7 (2)", "(nw/11); part 000"],
        ["3", "w0 (0)", "(nw/11); part 001"],
    ]


def _written(path: Path, sentences: list[list[str]], clusters: list[list[list[int]]]) -> Path:
    path.write_text(json.dumps({"doc_key": "d", "sentences": sentences, "clusters": clusters}) + "\n")
    return path


def test_errors_are_listed_by_type(tmp_path: Path) -> None:
    words = [list("abcdef")]
    key = _written(tmp_path / "key.jsonl", words, [[[0, 0]], [[1, 1], [2, 2]]])
    response = _written(tmp_path / "response.jsonl", words, [[[3, 3]], [[4, 4], [5, 5]]])
    arguments = ("errors", key, response, "--pronouns", "none", "--format", "json")
    found = [its["type"] for its in json.loads(within(*arguments).stdout)["errors"]]
    assert found == [name for name in types.TYPES if name in found]
    assert len(found) == 4


def test_mentions_of_two_systems_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    """Counted by hand. In b, tokens 4 to 5 are found as token 5 and in another entity, which is the worse of both; the
    extra mentions from token 2 on have different ends, so they are not the same."""
    words = [list("abcdefgh")]
    key = _written(tmp_path / "key.jsonl", words, [[[0, 0], [1, 1], [4, 5]]])
    first = _written(tmp_path / "a.jsonl", words, [[[0, 0], [1, 1], [4, 5]], [[2, 3], [7, 7]]])
    second = _written(tmp_path / "b.jsonl", words, [[[0, 0], [1, 1]], [[5, 5], [7, 7]], [[2, 2], [6, 6]]])
    found = json.loads(within("errors", key, first, second, "--pronouns", "none", "--format", "json").stdout)
    assert found["extra_mentions"] == {"both": 1, "only": {"a.jsonl": 1, "b.jsonl": 2}}
    counts = {a: {b: count for b, count in row.items() if count} for a, row in found["key_mentions"].items()}
    assert counts == {"right": {"right": 2, "wrong entity": 1}, "wrong span": {}, "wrong entity": {}, "missing": {}}
    assert found["systems"]["b.jsonl"]["types"][0]["count"] == 1


@pytest.mark.parametrize(("around", "shown"), [(0, "3"), (1, "234"), (3, "123456")])
def test_diff_shows_sentences_around(around: int, shown: str, tmp_path: Path) -> None:
    """The error is in the third of six sentences."""
    words = [[word] for word in "abcdef"]
    key = _written(tmp_path / "key.jsonl", words, [[[0, 0], [5, 5]], [[2, 2]]])
    response = _written(tmp_path / "response.jsonl", words, [[[0, 0], [5, 5]]])
    done = within("diff", key, response, "--pronouns", "none", "--around", str(around))
    assert re.findall(r"^ +(\d)  ", done.stdout.decode(), re.MULTILINE) == list(shown)


def test_a_list_has_a_line_an_error_with_its_place() -> None:
    done = within("errors", DEMO / "key.conll", DEMO / "response.conll", "--format", "tsv")
    lines = done.stdout.decode().splitlines()
    counts = json.loads(within("errors", DEMO / "key.conll", DEMO / "response.conll", "--format", "json").stdout)[
        "types"
    ]
    assert len(lines) == 1 + sum(its["count"] for its in counts)
    assert all(line.split("\t")[3].isdigit() for line in lines[1:])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--measures", "cone_b3"), "cannot measure the cost of errors"),
        (("--measures", "lea.recall"), "cannot measure the cost of errors"),
        (("--pronouns", "tags:"), '--pronouns "tags:": expected auto, none, english, tags:A,B or words:FILE'),
        (("--pronouns", "words:nowhere"), "--pronouns words:nowhere: No such file or directory"),
    ],
)
def test_what_cannot_be_analysed_is_refused(arguments: tuple[str, ...], text: str) -> None:
    done = within("errors", DEMO / "key.conll", DEMO / "response.conll", *arguments)
    assert (done.status, done.stdout) == (2, b"")
    assert text in done.stderr.decode()


def jsonlines(folder: Path, *documents: Mapping[str, Any]) -> Path:
    path = folder / "both.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return path


def test_json_without_sentences_is_shown_by_its_tokens(tmp_path: Path) -> None:
    """The second document is the one with an error, at line 2 of the file."""
    right = {"doc_key": "a", "clusters": [[[0, 0], [2, 2]]], "predicted_clusters": [[[0, 0], [2, 2]]]}
    wrong = {"doc_key": "b", "clusters": [[[0, 1], [4, 4]]], "predicted_clusters": [[[0, 1], [4, 4], [7, 9]]]}
    both = jsonlines(tmp_path, right, wrong)
    done = within("errors", both, both, "--format", "tsv", "--pronouns", "none")
    assert (done.status, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines()[1:] == [f"extra mention\tb\t{both}\t2\t7-9\t7-9\t\t0\t"]


@pytest.mark.parametrize(
    ("rows", "arguments", "what"),
    [
        ([], (), "the key has no words"),
        (["a", "she"], (), "the key has no parts of speech"),
        (["a", "she"], ("--pronouns", "english"), None),
        (["a", "it's"], ("--pronouns", "english"), "nothing in the key matches --pronouns english"),
        (["a", "she"], ("--pronouns", "tags:PRP"), "nothing in the key matches --pronouns tags:PRP"),
        (["a", "she"], ("--pronouns", "none"), None),
    ],
)
def test_pronouns_that_nobody_can_tell_are_told_once(
    tmp_path: Path, rows: Sequence[str], arguments: tuple[str, ...], what: str | None
) -> None:
    words = {"sentences": [rows]} if rows else {}
    both = jsonlines(
        tmp_path, {"doc_key": "d", **words, "clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[0, 0]]]}
    )
    other = tmp_path / "other.jsonl"
    other.write_bytes(both.read_bytes())
    done = within("errors", both, both, other, *arguments, "--format", "json")
    told = done.stderr.decode().count("[no-pronouns]")
    assert (done.status, told) == (0, 0 if what is None else 1)
    assert b"[partial-annotation]" not in done.stderr  # it is so in all documents
    assert f"{both}: notice[no-pronouns] no mention counts as a pronoun: {what}\n" in done.stderr.decode() or not what
    refused = within("errors", both, both, *arguments, "--strict")
    assert "[no-pronouns]" in refused.stderr.decode() or not what


def test_documents_without_parts_of_speech_beside_others_are_told() -> None:
    folder = TESTDATA / "odd" / "partial-annotation"
    with pytest.warns(ScorerWarning, match='no parts of speech in 1 of 3 documents, such as "\\(b\\); part 000"'):
        analyse(folder / "key.conll", folder / "response.conll", measures="muc")


def test_a_repaired_span_is_listed_at_the_line_of_the_response(tmp_path: Path) -> None:
    """Of the last mention: "x cat" of the response begins at line 4, "cat" of the key at line 5 of its file."""
    begin, end = "#begin document (d); part 000", "#end document"
    (tmp_path / "key").write_text("\n".join([begin, "a it (1)", "a sat -", "a x -", "a cat (1)", end, ""]))
    (tmp_path / "response").write_text("\n".join([begin, "a it (2)", "a sat -", "a x (1", "a cat 1)", end, ""]))
    done = within("errors", tmp_path / "key", tmp_path / "response", "--pronouns", "none", "--format", "tsv")
    found = [line.split("\t")[:4] for line in done.stdout.decode().splitlines()[1:]]
    place = ["(d); part 000", f"{tmp_path}/response", "4"]
    assert found == [["span error", *place], ["divided entity", *place]]


def test_spans_that_were_trimmed_are_listed_before_those_with_a_common_head(tmp_path: Path) -> None:
    """Line 2 has the head of line 3, and line 5 has a full stop too many."""
    begin, end = "#begin document (d); part 000", "#end document"
    rows = "big {}\ncat {}\nand {}\ndog {}\n. {}".splitlines()
    cells = {"key": ["-", "(1)", "-", "(1)", "-"], "response": ["(1", "1)", "-", "(1", "1)"]}
    for side, of_side in cells.items():
        lines = [f"a {row.format(cell)}" for row, cell in zip(rows, of_side, strict=True)]
        (tmp_path / side).write_text("\n".join([begin, *lines, end, ""]))
    done = within("errors", tmp_path / "key", tmp_path / "response", "--pronouns", "none", "--format", "tsv")
    found = [line.split("\t") for line in done.stdout.decode().splitlines()[1:]]
    assert [(row[0], row[3]) for row in found] == [("span error", "5"), ("span error", "2")]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("errors", "--format", "github"), "--format github is for one response"),
        (("errors", "--mentions", "given"), "--mentions given counts other key mentions for each response"),
    ],
)
def test_lists_are_of_one_response(arguments: tuple[str, ...], text: str) -> None:
    name, *rest = arguments
    done = within(name, DEMO / "key.conll", DEMO / "response.conll", DEMO / "key.conll", *rest)
    assert (done.status, done.stdout) == (2, b"")
    assert text in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--html", "page.html", "--only", "divided"), "--only cannot be used with --html"),
        (("--html", "page.html", "--output", "text"), "--output cannot be used with --html"),
        (("--html", "page.html", "--around", "all"), "--around cannot be used with --html"),
        (("--only", "77"), "--only 77: expected a type"),
    ],
)
def test_what_diff_would_pass_over_is_refused(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    done = within("diff", DEMO / "key.conll", DEMO / "response.conll", *arguments, cwd=tmp_path)
    assert (done.status, done.stdout) == (2, b"")
    assert text in done.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_diff_says_that_there_is_nothing_to_show() -> None:
    done = within("diff", DEMO / "key.conll", DEMO / "key.conll")
    assert (done.status, done.stdout.decode().splitlines()[0]) == (0, "no sentence has any errors")


SIDES: Mapping[str, Callable[[Path], Any]] = {
    "paths": lambda path: path,
    "corpora": lambda path: read(path, side="key"),
    "lists of paths": lambda path: [path],
}


@pytest.mark.parametrize("side", SIDES)
def test_python_gives_what_the_command_prints(side: str) -> None:
    key, response = DEMO / "key.conll", DEMO / "response.conll"
    printed = json.loads(within("errors", key, response, "--format", "json", "--measures", "lea").stdout)
    found = analyse(SIDES[side](key), SIDES[side](response), "lea")
    assert found.to_dict() == printed
    assert found.analysis.words(0) == "The cat"


def test_python_takes_clusters_whose_mentions_have_an_order_and_no_words() -> None:
    """The first mention of an entity is its main one, so that "he" and not "Bo" is put into the entity of Ann."""
    with pytest.warns(ScorerWarning, match="no mention counts as a pronoun: the key has no words"):
        found = analyse([["Ann", "she"], ["Bo", "he"]], [["Ann", "she", "he"], ["Bo"]]).to_dict()
    assert [(its["type"], its["mentions"]) for its in found["errors"]] == [("conflated", ["he"]), ("divided", ["he"])]
    assert found["types"][-1]["then"] == 1


def test_python_takes_lists_of_documents_and_json_with_both_sides(tmp_path: Path) -> None:
    key, response = [[[(0, 1), (4, 4)], [(2, 2)]], []], [[[(0, 1), (4, 4), (2, 2)]], []]
    found = analyse(key, response, pronouns="none").to_dict()
    fields = ({"clusters": one, "predicted_clusters": other} for one, other in zip(key, response, strict=True))
    both = jsonlines(tmp_path, *({"doc_key": str(at), **its} for at, its in enumerate(fields)))
    assert analyse(both, pronouns="none").to_dict()["errors"] == found["errors"] != []


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        (([[(0, 1)]],), {}, UsageError, "there is no response"),
        (([[(0, 1)]], [[(0, 1)]], "cone_b3"), {}, UsageError, "cannot measure the cost of errors"),
        (([[(0, 1)]], [[(0, 1)]]), {"mesure": "lea"}, UsageError, "did you mean measure"),
        (([[(0, 1)]], [[[["a"]]]]), {}, InputError, "expected"),
    ],
)
def test_python_refuses_what_cannot_be_analysed(
    arguments: tuple[Any, ...], options: Mapping[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        analyse(*arguments, **options)


@pytest.mark.parametrize("name", ["demo", "names"])
def test_repaired_files_score_what_their_steps_reach(tmp_path: Path, name: str) -> None:
    key, response = TESTDATA / name / "key.conll", TESTDATA / name / "response.conll"
    done = within("errors", key, response, "--repaired", tmp_path / "steps", "--pronouns", "none", "--format", "json")
    steps = json.loads(done.stdout)["types"]
    files = sorted((tmp_path / "steps").iterdir())
    assert [path.name for path in files] == [f"{at}-{name}.conll" for at, name in enumerate(types.TYPES, start=1)]
    found = [score(key, path, ["muc", "bcub", "ceafe"]).conll for path in files]
    assert found == pytest.approx([step["then"] for step in steps], abs=1e-12)
    assert found[-1] == 1


def test_crossing_mentions_of_one_entity_are_not_written(tmp_path: Path) -> None:
    both = jsonlines(
        tmp_path, {"doc_key": "d", "clusters": [[[0, 1], [1, 2]]], "predicted_clusters": [[[0, 1]], [[1, 2]]]}
    )
    done = within("errors", both, both, "--pronouns", "none", "--repaired", tmp_path / "steps")
    assert (done.status, done.stdout) == (2, b"")
    told = 'in document "d", mentions 0 to 1 and 1 to 2 of one entity cross after the step divided'
    assert told in done.stderr.decode()
    assert not (tmp_path / "steps").exists()


@pytest.mark.parametrize(("name", "title"), [("divided", "divided entity"), ("missing_singleton", "missing singleton")])
def test_only_takes_the_names_of_the_table_of_errors(name: str, title: str) -> None:
    sides = DEMO / "key.conll", DEMO / "response.conll"
    done = [within("diff", *sides, "--only", word) for word in (name, title)]
    assert title.encode() in within("errors", *sides).stdout
    assert done[0].status == 0 and done[0].stdout == done[1].stdout


def test_items_are_not_written_as_conll(tmp_path: Path) -> None:
    """An item that only the response has once ended in a traceback."""
    for side, rows in (("key", "a,1 b,1"), ("response", "a,1 c,1")):
        (tmp_path / f"{side}.csv").write_text("\n".join(["item,entity", *rows.split(), ""]))
    sides = tmp_path / "key.csv", tmp_path / "response.csv"
    done = within("errors", *sides, "--pronouns", "none", "--repaired", tmp_path / "steps")
    assert (done.status, done.stdout) == (2, b"")
    assert b'mentions of document "document" have no token numbers, which CoNLL needs' in done.stderr


@pytest.mark.parametrize("span", [(4, 4), (1, 3)])
def test_mentions_beyond_the_text_are_not_written(span: tuple[int, int], tmp_path: Path) -> None:
    """The key has the tokens 0 to 2; the other mention of the entity is one of them."""
    key = _written(tmp_path / "key.jsonl", [["a", "b", "c"]], [[[0, 0], [2, 2]]])
    response = _written(tmp_path / "response.jsonl", [["a", "b", "c", "d", "e"]], [[[0, 0], [*span]]])
    done = within("errors", key, response, "--pronouns", "none", "--repaired", tmp_path / "steps", "--quiet")
    assert (done.status, done.stdout) == (2, b"")
    told = f'document "d" has a mention of tokens {span[0]} to {span[1]}, but the key has only 3 tokens'
    assert told in done.stderr.decode()


def test_what_conll_cannot_say_of_repaired_files_is_told_once(tmp_path: Path) -> None:
    """The words, one of which has a tab, are the same in all steps."""
    words = [["a\tb", "c", "d"]]
    key = _written(tmp_path / "key.jsonl", words, [[[0, 0], [2, 2]]])
    response = _written(tmp_path / "response.jsonl", words, [[[0, 0], [1, 1]]])
    done = within("errors", key, response, "--pronouns", "none", "--repaired", tmp_path / "steps")
    assert (done.status, done.stderr.count(b"notice[")) == (0, 1)


ENDS = {
    "the": "left",
    "'s": "right",
    ",": "left right",
    "ß": "left right",
    "1": "left right",
    "a": "",
    "cat": "",
    "''": "",
    "!!": "",
}
"""Words, and the ends of mentions at which they do not count in English."""


@pytest.mark.parametrize("word", ENDS)
def test_what_does_not_count_at_the_ends_of_english_mentions(word: str) -> None:
    ends = zip(("left", "right"), _TRIMMED["english"], strict=True)
    assert [end for end, form in ends if re.fullmatch(form, word)] == ENDS[word].split()


def test_repaired_files_overwrite_nothing_that_is_read(tmp_path: Path) -> None:
    response = tmp_path / "5-divided.conll"
    response.write_bytes((DEMO / "response.conll").read_bytes())
    done = within("errors", DEMO / "key.conll", response, "--repaired", tmp_path)
    assert (done.status, done.stdout) == (2, b"")
    assert "would overwrite" in done.stderr.decode()
    assert list(tmp_path.iterdir()) == [response]


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_what_a_prompt_shows_is_short() -> None:
    demo = TESTDATA / "demo"
    report = analyse(demo / "key.conll", demo / "response.conll")
    assert repr(report) == (
        "<ErrorReport: errors and their cost: CoNLL average 74.35, 25.65 below 100, in 1 document "
        "(8 mentions in the key, 7 in the response)>"
    )
    assert repr(read(demo / "key.conll")) == "<Corpus of 1 document>"


COREFUD = sorted(path.parent for path in (TESTDATA / "corefud" / "scoring").glob("*/key.conllu"))


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize("folder", every_second(COREFUD, lambda folder: folder.name))
def test_corefud_loses_what_its_score_lacks(folder: Path) -> None:
    """The F1 is that of the score, by its own matching; what look-ups move has a row of its own."""
    sides = folder / "key.conllu", folder / "response.conllu"
    ways: list[dict[str, Any]] = [
        {},
        {"matching": "exact", "singletons": "keep"},
        {"heads": "last", "task": "aligned"},
    ]
    for how in ways:
        report = analyse(*sides, pronouns="none", **how)
        costs = report.analysis.costs
        assert report.analysis.score == score(*sides, ["muc", "bcub", "ceafe"], **how).conll
        assert sum(cost.in_turn for cost in costs) == pytest.approx(costs[-1].then - report.analysis.start, abs=1e-12)
        rows = report.tables[0].rows
        assert sum(row[3] for row in rows) == pytest.approx(costs[-1].then - report.analysis.score, abs=1e-12)


def corefud(folder: Path, name: str, *rows: tuple[str, str, str, str]) -> Path:
    """A file of one sentence; a row has the number of a word, its form, its part of speech and its attribute."""
    lines = [f"{number}\t{form}\t_\t{tag}\t_\t_\t0\t_\t_\t{misc}" for number, form, tag, misc in rows]
    path = folder / name
    path.write_text("\n".join(["# global.Entity = eid-etype-head-other", "# newdoc id = d", *lines, "", ""]))
    return path


def test_a_document_of_the_key_without_tokens_misses_the_mentions_of_the_response(tmp_path: Path) -> None:
    mentions = [("1", "Ann", "_", "Entity=(e1--1-)"), ("2", "she", "_", "Entity=(e1--1-)")]
    response = corefud(tmp_path, "response", *mentions)
    response.write_text(response.read_text() + response.read_text().replace("= d", "= e"))
    key = tmp_path / "key"
    key.write_text(
        response.read_text().replace("# newdoc id = d", "# newdoc id = d\n# newdoc id = e", 1).split("\n\n")[0] + "\n\n"
    )
    assert analyse(key, response, pronouns="none").analysis.score < 1


def test_empty_nodes_and_mentions_with_gaps_are_shown(tmp_path: Path) -> None:
    """Words are counted with empty nodes, those that only the response has included: Ann, the zero of the key, the zero
    of the response, saw, the, big, cat. The mention "the ... cat" skips a word."""
    words = [
        ("1", "Ann", "PROPN"),
        ("2", "saw", "VERB"),
        ("3", "the", "DET"),
        ("4", "big", "ADJ"),
        ("5", "cat", "NOUN"),
    ]
    cells = ["Entity=(e1-x-1-)", "_", "Entity=(e2[1/2]-x-2-)", "_", "Entity=(e2[2/2]-x-2-)"]
    rows = [(*word, cell) for word, cell in zip(words, cells, strict=True)]
    key = corefud(tmp_path, "key.conllu", rows[0], ("1.1", "_", "_", "Entity=(e1-x-1-)"), *rows[1:])
    other = corefud(tmp_path, "response.conllu", rows[0], ("1.2", "he", "PRON", "Entity=(e1-x-1-)"), *rows[1:])
    done = within("diff", key, other, "--singletons", "keep", "--zeros", "linear", "--quiet", "--around", "all")
    assert done.stdout.decode().splitlines()[1] == "    1  [Ann]e1 -[∅]e1 +[∅he]e1 saw [the]e2... big [cat]e2"
    done = within("errors", key, other, "--zeros", "linear", "--singletons", "keep", "--quiet", "--format", "tsv")
    assert [line.split("\t")[4:6] for line in done.stdout.decode().splitlines()[1:]] == [["2-2", "∅he"], ["1-1", "∅"]]
    assert json.loads(within("errors", key, other, "--quiet", "--format", "json").stdout)["options"]["heads"] == "file"
    assert b"| heads=file | pronouns=tags:upos\n" in within("errors", key, other, "--quiet").stdout


def test_zeros_of_one_number_have_the_tags_of_their_response(tmp_path: Path) -> None:
    """A main mention is no pronoun if another mention is none, so one of the extra zeros is an extra mention."""
    words = [
        ("1", "now", "ADV", "_"),
        ("2", "Ann", "PROPN", "Entity=(e1-x-1-)"),
        ("3", "Ann", "PROPN", "Entity=(e1-x-1-)"),
    ]
    key = corefud(tmp_path, "key.conllu", *words)
    for tag in ("VERB", "PRON"):
        corefud(tmp_path, tag, words[0], ("1.1", "_", tag, "Entity=(e1-x-1-)"), *words[1:])
    for order in (("VERB", "PRON"), ("PRON", "VERB")):
        how = ("--zeros", "linear", "--format", "json", "--quiet")
        found = json.loads(within("errors", key, *(tmp_path / tag for tag in order), *how).stdout)
        counts = {
            name: next(of["count"] for of in its["types"] if of["type"] == "extra_mention")
            for name, its in found["systems"].items()
        }
        assert counts == {"VERB": 0, "PRON": 1} and found["extra_mentions"]["both"] == 1


@pytest.mark.parametrize(
    ("answers", "both", "only"),
    [
        (("[Zed](#3) and [Zoe](#3) wept.", "[Moe](#4) met [Max](#4) there."), 0, [2, 2]),
        (("[Zed](#3) and [Zoe](#3) wept.", "[Zed](#3) wept."), 1, [1, 0]),
        (("[Zed](#3) wept.", "Then came [Zed](#3)."), 1, [0, 0]),
        (("[Zed](#3) and [Zed](#3) wept.", "[Zed](#3) wept."), 1, [1, 0]),
        (("The end.", "[Zed](#3) wept."), 0, [0, 1]),
    ],
)
def test_mentions_in_invented_words_are_the_same_by_their_words(
    tmp_path: Path, answers: Sequence[str], both: int, only: Sequence[int]
) -> None:
    """Both systems have them after the end of the text, at places that say nothing of each other."""
    rest = [
        word for at in range(12) for word in f"The old dog number {at} barked at the red moon over hill {at} .".split()
    ]
    sentence = ["Ann", "fed", "her", "cat", "and", "it", "slept", "."]
    key = jsonlines(tmp_path, {"doc_key": "x", "sentences": [sentence, rest], "clusters": [[[0, 0], [2, 2]], [[5, 5]]]})
    for at, answer in enumerate(answers):
        text = f"[Ann](#1) fed [her](#1) [cat](#2) and [it](#2) slept. {' '.join(rest)} {answer}"
        (tmp_path / f"{at}.txt").write_text(text)
    how = ("--pronouns", "english", "--format", "json", "--quiet")
    found = json.loads(within("errors", key, tmp_path / "0.txt", tmp_path / "1.txt", *how).stdout)["extra_mentions"]
    assert (found["both"], list(found["only"].values())) == (both + 1, only)  # the cat is in both


def test_extra_items_of_two_systems_are_the_same_by_their_names(tmp_path: Path) -> None:
    """They were by their numbers beside the key, which differ from system to system: 2 in both."""
    for name, more in (("key", ""), ("a", "p6,1\np7,2\n"), ("b", "p5,1\np7,1\n")):
        (tmp_path / f"{name}.csv").write_text("item,label\np1,1\np2,1\n" + more)
    paths = (tmp_path / f"{name}.csv" for name in ("key", "a", "b"))
    found = json.loads(within("errors", *paths, "--format", "json", "--quiet").stdout)["extra_mentions"]
    assert found == {"both": 1, "only": {"a.csv": 1, "b.csv": 1}}


@pytest.mark.parametrize(("matching", "both"), [("head", 1), ("exact", 0)])
def test_extra_mentions_of_corefud_are_the_same_as_they_match(matching: str, both: int, tmp_path: Path) -> None:
    """One system has all three words, the other the first and the last one, with the same head."""
    cells = {
        "key": ("_", "_", "_", "Entity=(e1-x-1-)", "Entity=(e1-x-1-)"),
        "a": ("Entity=(e2-x-1-", "_", "Entity=e2)", "Entity=(e1-x-1-)", "Entity=(e1-x-1-)(e2-x-1-)"),
        "b": ("Entity=(e2[1/2]-x-1-)", "_", "Entity=(e2[2/2]-x-1-)", "Entity=(e1-x-1-)", "Entity=(e1-x-1-)(e2-x-1-)"),
    }
    rows = [("1", "w", "NOUN"), ("2", "w", "NOUN"), ("3", "w", "NOUN"), ("4", "w", "NOUN"), ("5", "w", "NOUN")]
    paths = [
        corefud(tmp_path, f"{name}.conllu", *((*row, cell) for row, cell in zip(rows, of, strict=True)))
        for name, of in cells.items()
    ]
    done = within("errors", *paths, "--format", "json", "--quiet", "--matching", matching, "--singletons", "keep")
    assert json.loads(done.stdout)["extra_mentions"]["both"] == both


@pytest.mark.parametrize("form", ["labels", "texts", "tokens", "table", "jsonl"])
@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
def test_items_are_in_the_order_of_their_documents(form: str, tmp_path: Path) -> None:
    """Ann, who is missing beside she, counts before it, as where mentions are tokens: by hand the F1 gained is 68.29 -
    50.00. In the other order of documents she had an earlier number than Ann, and 16.67 was gained."""
    key = {"d0": [["she"]], "d1": [["Ann", "she", "her"]]}
    response = {"d0": [["she"]], "d1": [["Ann"], ["she", "it"]]}
    for names in (("d0", "d1"), ("d1", "d0")):
        sides: list[Any] = []
        for side, clusters in (("key", key), ("response", response)):
            rows = [(of, item, f"{of}{at}") for of in names for at, its in enumerate(clusters[of]) for item in its]
            if form == "labels":
                documents, items, labels = zip(*rows, strict=True)
                sides.append(from_labels(labels, items, documents))
            elif form == "table":
                sides.append(tmp_path / f"{side}.csv")
                sides[-1].write_text("".join(f"{','.join(its)}\n" for its in [("document", "item", "label"), *rows]))
            elif form == "jsonl":
                of_side = jsonlines(tmp_path, *({"doc_key": of, "clusters": clusters[of]} for of in names))
                sides.append(of_side.rename(tmp_path / f"{side}.jsonl"))
            else:
                at = {"Ann": (0, 0), "she": (1, 1), "her": (2, 2), "it": (3, 3)} if form == "tokens" else {}
                sides.append({of: [[at.get(item, item) for item in its] for its in clusters[of]] for of in names})
        found = analyse(sides[0], sides[1], "bcub", pronouns="none").to_dict()["types"]
        missing = next(its for its in found if its["type"] == "missing_mention")
        assert missing["alone"] == pytest.approx(0.6829 - 0.5, abs=0.0001)


def test_the_difference_of_two_systems_is_the_total_of_its_rows(tmp_path: Path) -> None:
    """That of repeated mentions, and in CorefUD of the official look-up, too; CSV has it in percent."""
    case = TESTDATA / "corefud" / "scoring" / "zero-collision-chain-101"
    copy = tmp_path / "copy.conllu"
    copy.write_bytes((case / "key.conllu").read_bytes())
    words = [list("abcdefgh")]
    of_sides = {
        "k": [[[0, 0], [2, 2], [4, 4]], [[1, 1], [3, 3]]],
        "a": [[[0, 0], [2, 2]], [[1, 1], [3, 3], [7, 7]], [[5, 5], [7, 7]]],
        "b": [[[0, 0], [2, 2], [4, 4]], [[1, 1], [7, 7]]],
    }
    jsons = [_written(tmp_path / f"{name}.jsonl", words, clusters) for name, clusters in of_sides.items()]
    for sides, name in (
        ((case / "key.conllu", case / "response.conllu", copy), "official look-up"),
        (jsons, "repeated mention"),
    ):
        done = within("errors", *sides, "--pronouns", "none", "--format", "csv", "--quiet")
        rows = [*csv.DictReader(io.StringIO(done.stdout.decode()))]
        within("errors", *sides, "--pronouns", "none", "--html", tmp_path / "page.html", "--quiet")
        page = (tmp_path / "page.html").read_text()
        assert f"; {float(rows[0]['cost_a']):.2f} for {name}" in page
        largest = within("errors", *sides[:2], "--pronouns", "none", "--quiet").stdout.decode()
        assert (
            re.search(rf"largest loss: .*\({name}\): {float(rows[0]['cost_a']):.2f} of", largest)
            or name != "official look-up"
        )
        assert page.count(f"for {name}") == 1  # not of the other response
        difference = float(rows[0]["table"].split()[-1])
        assert rows[0]["type"].startswith(name) and abs(difference) > 1
        assert (rows[0]["count_a"], rows[0]["count_b"]) == (("1", "0") if name == "repeated mention" else ("", ""))
        gains = {row["type"]: float(row["gain"]) for row in rows if row["gain"]}
        assert (
            gains.pop("total") == pytest.approx(difference, abs=0.006) == pytest.approx(sum(gains.values()), abs=0.006)
        )
        assert all(
            float(row["cost_b"]) - float(row["cost_a"]) == pytest.approx(float(row["gain"]))
            for row in rows
            if row["gain"]
        )


def test_a_part_of_a_mention_with_a_gap_has_all_its_words(tmp_path: Path) -> None:
    words = [(str(at), word, "NOUN") for at, word in enumerate(["the", "big", "old", "cat"], start=1)]
    cells = ["Entity=(e2[1/2]-x-2-", "Entity=e2[1/2])", "_", "Entity=(e2[2/2]-x-2-)"]
    key = corefud(tmp_path, "key.conllu", *((*word, cell) for word, cell in zip(words, cells, strict=True)))
    done = within("diff", key, key, "--singletons", "keep", "--quiet", "--around", "all")
    assert done.stdout.decode().splitlines()[1] == "    1  [the big]e2... old [cat]e2"


@pytest.mark.parametrize(
    ("folder", "heads", "text"),
    [
        (DEMO, "tree", "--heads tree needs CorefUD, which contains heads and trees; expected parse or last"),
        (DEMO, "file", "--heads file needs CorefUD, which contains heads and trees; expected parse or last"),
        (COREFUD[0], "parse", "--heads parse needs parses, which CorefUD lacks; expected file, tree or last"),
    ],
)
def test_heads_that_a_format_lacks_are_refused(folder: Path, heads: str, text: str) -> None:
    key, response = (next(folder.glob(f"{side}.conll*")) for side in ("key", "response"))
    done = within("errors", key, response, "--heads", heads)
    assert (done.status, done.stdout) == (2, b"")
    assert text in done.stderr.decode()
    refused = within("muc", key, response, "--heads", heads)
    assert (refused.status, refused.stdout) == (2, b"")


BOTH = {"sentences": [["Ann", "saw", "her", "cat"]], "clusters": [[[0, 0], [2, 2]], [[3, 3]]]}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("errors",), "errors and their cost: CoNLL average 66.67, 33.33 below 100, in 2 documents"),
        (("diff",), "b   CoNLL average 0.00; missing entity 1, missing singleton 1"),
        (("diff", "b"), "b   CoNLL average 0.00; missing entity 1, missing singleton 1"),
        (("compare", "--measures", "conll"), "conll    both    66.67"),
    ],
    ids=lambda arguments: " ".join(arguments) if isinstance(arguments, tuple) else "",
)
def test_a_file_of_both_sides_needs_no_response(tmp_path: Path, arguments: tuple[str, ...], text: str) -> None:
    right = {"doc_key": "a", **BOTH, "predicted_clusters": BOTH["clusters"]}
    path = jsonlines(tmp_path, right, {"doc_key": "b", **BOTH, "predicted_clusters": []})
    name, *rest = arguments
    done = within(name, path, *rest, "--quiet")
    assert done.status == 0
    assert text in done.stdout.decode()


@pytest.mark.parametrize(
    ("path", "rest", "text"),
    [
        (
            "key.conll",
            (),
            "Missing argument 'RESPONSE'. It can be left out with cone --estimate-key, or if KEY is JSON with",
        ),
        ("both.jsonl", ("nowhere.jsonl",), "nowhere.jsonl: No such file or directory"),
    ],
)
def test_a_missing_response_is_told(tmp_path: Path, path: str, rest: tuple[str, ...], text: str) -> None:
    jsonlines(tmp_path, {"doc_key": "a", **BOTH, "predicted_clusters": []})
    (tmp_path / "key.conll").write_bytes((DEMO / "key.conll").read_bytes())
    done = within("errors", path, *rest, cwd=tmp_path)
    assert (done.status, done.stdout) == (2, b"")
    assert text in done.stderr.decode()


LONG = "of_a_play_whose_name_takes_more_room_than_a_terminal_of_eighty_columns_has"


@pytest.mark.parametrize("rest", [(), ("second=",)], ids=["one", "two"])
def test_tables_fit_a_terminal_and_names_stay_different(
    tmp_path: Path, rest: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents whose names differ in the middle only; their words are as long."""
    for side in ("key", "response"):
        documents = []
        for number in range(3):
            words = [f"word_{word}_{LONG}" for word in range(8)]
            entity = [[0, 2, 4], [1, 3, 5]] if side == "key" else [[0, 3, 4], [1, 2, 6]]
            clusters = [[[token, token] for token in its] for its in entity]
            documents.append({"doc_key": f"act_{number}_{LONG}", "sentences": [words], "clusters": clusters})
        (tmp_path / f"{side}_{LONG}").write_text("".join(json.dumps(each) + "\n" for each in documents))
    key, response = (tmp_path / f"{side}_{LONG}" for side in ("key", "response"))
    more = [f"{each}{response}" if each.endswith("=") else each for each in rest]
    monkeypatch.setenv("COLUMNS", "80")
    done = within("errors", key, response, *more, "--pronouns", "none")
    lines = done.stdout.decode().splitlines()[:-1]
    assert done.status == 0
    assert max(len(line) for line in lines if LONG not in line) <= 80, (
        "but for titles with such a name, which is a word"
    )
    assert rest or all(any(line.startswith(f"act_{number}_") for line in lines) for number in range(3))


def test_two_annotators_are_first_and_second() -> None:
    """Nowhere is one of both the key; the F1 is the same the other way round."""
    sides = [TESTDATA / "fables" / f"{side}.conll" for side in ("key", "response")]
    for name in ("errors", "diff"):
        done = within(name, *sides, "--symmetric")
        text = done.stdout.decode().rpartition("\n\n")[0].replace("keep", "")
        assert (done.status, done.stderr) == (0, b"")
        assert not re.search(r"\b(key|response|missing|extra|error|lose|confl|div\b)", text)
        assert "only in second" in text
        assert done.stdout.endswith(b" | symmetric\n")


BLANC_OF_BOTH = ([[(0, 0), (1, 1), (2, 2)]], [[(0, 0), (1, 1)], [(2, 2)]])
REPEATED_IN_ONE = ([[(0, 0), (1, 1), (2, 2)], [(0, 0), (3, 3)]], [[(0, 0), (1, 1), (2, 2)], [(3, 3), (4, 4)]])
ANNOTATED = [pair for kind in twins.KINDS for pair in twins.drawn(kind, 2)]


@pytest.mark.parametrize("measure", ["conll", "blanc", "lea", "ceafm"])
@pytest.mark.parametrize("more", [[], ["--singletons", "drop"], ["--mentions", "given"]], ids=str)
def test_agreement_is_the_same_in_both_directions(measure: str, more: list[str], tmp_path: Path) -> None:
    pairs = [BLANC_OF_BOTH, REPEATED_IN_ONE, *random.Random(f"{measure} {more}").sample(ANNOTATED, 5)]
    for number, pair in enumerate(pairs):
        paths = [tmp_path / f"{number}{side}.jsonl" for side in "ab"]
        for path, clusters in zip(paths, pair, strict=True):
            path.write_text(json.dumps({"doc_key": "a", "clusters": clusters}))
        how = (*more, "--measures", measure, "--symmetric", "--format", "json")
        one, other = (json.loads(within("errors", *its, *how).stdout) for its in (paths, paths[::-1]))
        assert one["score"] == pytest.approx(other["score"], abs=1e-12), pair
        assert one["options"]["symmetric"]


@pytest.mark.parametrize(
    "folder",
    sorted({path.parent for path in (TESTDATA / "corefud").glob("*/*/response.conllu")})[::3],
    ids=lambda p: p.name,
)
def test_agreement_is_the_same_in_both_directions_of_corefud(folder: Path) -> None:
    """By their spans: a mention that only shares the head of another finds different ones from the other side."""
    sides = [folder / f"{side}.conllu" for side in ("key", "response")]
    how = ("--singletons", "keep", "--symmetric", "--format", "json")
    for measure in ("conll", "blanc"):
        one, other = (
            json.loads(within("errors", *its, *how, "--measures", measure).stdout) for its in (sides, sides[::-1])
        )
        assert one["score"] == pytest.approx(other["score"], abs=1e-12)


@pytest.mark.parametrize(
    "option",
    ["--repeated official", "--singletons drop-response", "--matching head", "--task crac23", "--task crac22"],
)
@pytest.mark.parametrize("name", ["errors", "diff"])
def test_annotators_are_treated_alike(name: str, option: str) -> None:
    done = within(name, DEMO / "key.conll", DEMO / "response.conll", "--symmetric", *option.split())
    assert (done.status, done.stdout) == (2, b"")
    assert f"{option} and --symmetric exclude each other; leave one out".encode() in done.stderr


def test_two_annotators_are_two() -> None:
    done = within("errors", DEMO / "key.conll", DEMO / "response.conll", DEMO / "key.conll", "--symmetric")
    assert (done.status, done.stdout) == (2, b"")
    assert b"--symmetric is for two annotators: leave the third file out" in done.stderr


ONE_SIDED: Mapping[str, tuple[str, str]] = {
    "no mention in the response": ("key", "nothing"),
    "no mention in the key": ("nothing", "response"),
    "no mention at all": ("nothing", "nothing"),
    "no token": ("empty", "empty"),
    "the key itself": ("key", "key"),
    "singletons only": ("singletons", "singletons"),
}


def sides_of(folder: Path, name: str) -> list[Path]:
    """The files of a row of `ONE_SIDED`, made from the demo."""
    key = (DEMO / "key.conll").read_text().splitlines()
    without = [line if line.startswith("#") or not line else line.rpartition("\t")[0] + "\t-" for line in key]
    lone = [line.rpartition("\t")[0] + f"\t({at})" if line and line[0] != "#" else line for at, line in enumerate(key)]
    texts = {"nothing": without, "empty": [key[0], "#end document"], "singletons": lone}
    for made, lines in texts.items():
        (folder / made).write_text("\n".join([*lines, ""]))
    return [folder / side if side in texts else DEMO / f"{side}.conll" for side in ONE_SIDED[name]]


@pytest.mark.parametrize("name", ONE_SIDED)
@pytest.mark.parametrize("measure", ["conll", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea"])
def test_one_sided_files_are_analysed_by_every_measure(
    tmp_path: Path, name: str, measure: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """What the costs reach is the score of the key against itself, which is not 100 without links or mentions."""
    sides = sides_of(tmp_path, name)
    done = call(capfdbinary, "errors", *sides, "--measures", measure, "--pronouns", "none", "--format", "json")
    assert done.status == 0
    found = json.loads(done.stdout)
    best = json.loads(call(capfdbinary, measure, sides[0], sides[0], "--format", "json").stdout)["total"][measure]["f1"]
    assert found["types"][-1]["then"] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("name", ONE_SIDED)
def test_one_sided_files_are_shown(tmp_path: Path, name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sides = sides_of(tmp_path, name)
    second = tmp_path / "second"
    second.write_bytes(sides[1].read_bytes())
    asked: list[list[str | Path]] = [
        *(["errors", *sides, "--format", layout] for layout in ("table", "markdown", "latex", "csv", "github")),
        ["errors", *sides, second],
        ["diff", *sides],
        ["diff", *sides, "--html", tmp_path / "page.html"],
    ]
    for arguments in asked:
        done = call(capfdbinary, *arguments, "--pronouns", "none", "--quiet")
        assert (done.status, done.stderr) == (0, b""), arguments
    assert (tmp_path / "page.html").stat().st_size


def test_a_key_that_cannot_have_100_is_told(tmp_path: Path) -> None:
    """MUC counts links, and singletons have none."""
    sides = sides_of(tmp_path, "singletons only")
    printed = within("errors", *sides, "--pronouns", "none").stdout.decode()
    assert "key itself scores only 66.67 here, so no more can be gained" in printed


def test_the_report_says_what_to_mend_first_and_where_to_look() -> None:
    """The sentence names the type that costs most in turn; the command below the documents runs as it is printed."""
    sides = [str(TESTDATA / "fables" / f"{side}.conll") for side in ("key", "response")]
    printed = within("errors", *sides).stdout.decode()
    sentence = "largest loss: key entities are spread over several response entities (divided entity): 29.59"
    assert sentence in printed.replace("\n  ", " ")
    line = next(line for line in printed.splitlines() if line.startswith("to see them in the text: "))
    _, *words = shlex.split(line.removeprefix("to see them in the text: "))
    assert words == ["diff", "KEY", "RESPONSE", "(fables/lion); part 000"]
    shown = within("diff", *sides, words[-1])
    assert (shown.status, shown.stdout.startswith(b"(fables/lion); part 000   CoNLL average 61.80")) == (0, True)


def test_the_better_of_two_systems_is_better_in_something() -> None:
    systems = TESTDATA / "systems"
    first, second = (systems / "runs" / name for name in ("ash.conll", "birch.conll"))
    for order in ((first, second), (second, first)):
        printed = within("errors", systems / "key.conll", *order, "--pronouns", "none").stdout.decode()
        sentence = "ash is better than birch mostly in divided entity (+1.53); worse in conflated entities (-1.20)"
        assert sentence in printed.replace("\n  ", " ")
        assert "\nash loses most to divided entity (7.58)\n" in printed
        assert "\nbirch loses most to divided entity (9.11)\n" in printed
    equal = within("errors", systems / "key.conll", first, f"again={first}", "--pronouns", "none").stdout.decode()
    assert "is better than" not in equal


def test_names_and_words_cannot_move_a_terminal(tmp_path: Path) -> None:
    """A document whose name and words have escape codes, which are in tables, headings, titles and notes."""
    for side, entities in (("key", "0101"), ("response", "0011")):
        lines = []
        for number in range(2):
            rows = [f"d\t0\t{at}\tw\x1b[31m{at}\tNN\t-\t({entity})" for at, entity in enumerate(entities)]
            lines += [f"#begin document (a\x1b[31m it's {number}); part 000", *rows, "", "#end document"]
        (tmp_path / side).write_text("\n".join([*lines, ""]))
    other = tmp_path / "other"
    other.write_bytes((tmp_path / "key").read_bytes())
    asked: list[list[str | Path]] = [["errors"], ["errors", other], ["diff"]]
    for name, *rest in asked:
        done = within(name, tmp_path / "key", tmp_path / "response", *rest, "--pronouns", "none")
        assert (done.status, b"\x1b" in done.stdout, "\u241b" in done.stdout.decode()) == (0, False, True), rest


def test_a_second_response_is_no_name_of_a_document() -> None:
    """What `errors` takes as its third argument is for the page of `diff`."""
    systems = TESTDATA / "systems"
    done = within("diff", systems / "key.conll", systems / "runs" / "ash.conll", systems / "runs" / "birch.conll")
    assert (done.status, done.stdout) == (2, b"")
    assert b"which only the page of --html can show; add --html FILE\n" in done.stderr


@pytest.mark.parametrize("boundary", ["key", "both"])
def test_costs_are_those_of_the_options_of_a_metric(boundary: str) -> None:
    """By hand: one entity of three mentions, of which the response has two together; without links of the other kind
    in the key, F1 is 2/4 by the key and 1/4 by both sides."""
    key, response = [[(0, 0), (1, 1), (2, 2)]], [[(0, 0), (1, 1)], [(2, 2)]]
    found = analyse(key, response, "blanc", pronouns="none", boundary=boundary).analysis
    assert found.start == found.score == {"key": 0.5, "both": 0.25}[boundary]
    assert found.start + sum(cost.in_turn for cost in found.costs) == 1


# Mentions without a place: text and items


def counts_and_costs(key: Any, response: Any) -> list[tuple[str, int, float]]:
    found = analyse(key, response, pronouns="none").to_dict()["types"]
    return [(its["type"], its["count"], round(its["in_turn"], 9)) for its in found if its["count"]]


def test_errors_of_text_are_those_of_the_same_mentions_as_spans() -> None:
    """Names recur in every document, in another order; documents in another order change nothing."""
    source = random.Random(3)
    for _ in range(20):
        sides: list[dict[str, list[list[Any]]]] = [{}, {}]
        spans: list[dict[str, list[list[tuple[int, int]]]]] = [{}, {}]
        for name in "abc":
            names = source.sample("stuvwxyz", 8)
            for side, placed in zip(sides, spans, strict=True):
                of = [source.randrange(4) for _ in names]  # the entity of each; 3 is none
                at = [[place for place, entity in enumerate(of) if entity == number] for number in range(3)]
                side[name] = [[names[place] for place in its] for its in at if its]
                placed[name] = [[(place, place) for place in its] for its in at if its]
        found = counts_and_costs(*sides)
        assert found == counts_and_costs(*spans)
        assert found == counts_and_costs(*(dict(reversed(side.items())) for side in sides))


def test_the_main_item_of_an_entity_is_the_first_row_of_its_own_side(tmp_path: Path) -> None:
    (key := tmp_path / "key.csv").write_text("document,item,entity\nd1,she,1\nd1,it,1\nd2,Ann,1\nd2,she,1\nd2,her,1\n")
    (response := tmp_path / "response.csv").write_text(key.read_text().replace("Ann,1", "Ann,"))
    assert counts_and_costs(str(key), str(response)) == [("divided", 1, 0.166666667)]
    assert counts_and_costs([["A", "B"]], [["X", "A", "B"]])[0][:2] == ("conflated", 1)
    assert counts_and_costs([["X", "A", "B"]], [["A", "B"]])[0][:2] == ("divided", 1)


def test_text_has_words() -> None:
    """Of two conflated mentions one has several words, and so has the divided one; numbers and tuples have one."""
    key = [["Ann Lee", "the old doctor"], ["the big cat", "it"]]
    found = analyse(key, [["Ann Lee"], ["the old doctor", "the big cat", "it"]], pronouns="none").analysis
    assert sorted(found.kinds.tolist()) == [1, 2, 2, 2]
    others = [[("d", 3, 5), ("d", 4, 5)]], [[5, 6], [7]], [["(a b)"], ["5 (int)"]]
    assert [analyse(its, its, pronouns="none").analysis.kinds.tolist() for its in others] == [[1, 1], [1, 1, 1], [1, 1]]
    assert analyse([["a b"]], [["c"], ["d e"]], pronouns="none").analysis.kinds.tolist() == [2, 1, 2]


def test_the_order_of_text_in_a_set_does_not_change_from_run_to_run() -> None:
    """Each run of Python orders text in sets in its own way; the main mention is the first by `repr`, and missing."""
    names = {f"n{number:02}" for number in range(40)}
    for kind in (set, frozenset):
        found = counts_and_costs([kind(names)], [kind(names - {"n00"})])
        assert [its[:2] for its in found] == [("divided", 1)]
        found = counts_and_costs([kind(names)], [kind(names - {"n20"})])
        assert [its[:2] for its in found] == [("missing_mention", 1)]
