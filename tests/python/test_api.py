"""From Python: every kind of key and response, one document after the other, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any, cast

import corefscore
import numpy as np
import pytest
from corefscore import CorefEvaluator, InputError, Result, Scorer, ScorerWarning, UsageError, analyse, read, score
from corefscore.core.names import NameOptions
from corefscore.core.records import declared
from corefscore.formats import Reading
from corefscore.scoring.settings import Rules
from corefscore.statistics.significance import Method
from support import RECORDED, TESTDATA, within

DEMO = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")
NAME = "(demo/cats); part 000"
KEY = [[(0, 1), (9, 9), (11, 11)], [(3, 3), (7, 7), (13, 13)], [(3, 5)], [(5, 5)]]
RESPONSE = [[(0, 1), (9, 9), (11, 11)], [(3, 3), (13, 13)], [(5, 5), (7, 7)]]
"""The demo pair as clusters, read off the listing of ``corefscore lea``."""


def as_text(clusters: Sequence[Sequence[object]]) -> list[list[str]]:
    return [[str(mention) for mention in cluster] for cluster in clusters]


def as_lists(clusters: Sequence[Sequence[tuple[int, int]]]) -> list[list[list[int]]]:
    return [[list(mention) for mention in cluster] for cluster in clusters]


@pytest.mark.parametrize(
    ("key", "response"),
    [
        pytest.param(*DEMO, id="paths"),
        pytest.param(*map(str, DEMO), id="paths as text"),
        pytest.param(*map(read, DEMO), id="documents read earlier"),
        pytest.param(KEY, RESPONSE, id="clusters of one document"),
        pytest.param(as_lists(KEY), as_lists(RESPONSE), id="lists, as JSON has them"),
        pytest.param(as_text(KEY), as_text(RESPONSE), id="mentions that are text"),
        pytest.param({"d": KEY}, {"d": RESPONSE}, id="clusters by name"),
        pytest.param(DEMO[0], {NAME: RESPONSE}, id="a path and clusters"),
        pytest.param(read(DEMO[0]), as_lists(RESPONSE) and {NAME: as_lists(RESPONSE)}, id="documents and lists"),
        pytest.param(tuple(map(frozenset, KEY)), (frozenset(c) for c in RESPONSE), id="any nested iterable"),
    ],
)
def test_every_kind_of_input_gives_the_same_scores(key: Any, response: Any) -> None:
    """LEA of the demo pair is 4/8 and 5/7, as the official layout prints."""
    result = score(key, response, metrics=["lea"])
    assert (result["lea"].recall, result["lea"].precision) == (4 / 8, 5 / 7)
    assert result["lea"].recall_counts == (4, 8)
    assert result["lea"].precision_counts == (5, 7)


def test_the_result_names_its_measures_documents_and_average() -> None:
    """The numbers of the demo: MUC recall 3/4, CoNLL average 74.34 (cut off)."""
    result = score(*DEMO, metrics=["muc", "bcub", "ceafe", "blanc"])
    blanc = ["blanc.coreference", "blanc.noncoreference", "blanc"]
    assert list(result) == ["mentions", "muc", "bcub", "ceafe", *blanc, "conll"]
    assert list(result.documents) == [NAME]
    assert result.documents[NAME]["muc"].recall == 0.75
    assert int(result.conll * 10000) == 7434
    assert result["conll"].f1 == result.conll == result.total.conll
    assert result["conll"].recall == pytest.approx((3 / 4 + 17 / 24 + 37 / 60) / 3)
    assert result.mentions.f1 == pytest.approx(14 / 15)


def test_a_result_is_frozen_and_shows_its_values() -> None:
    result = score(*DEMO, metrics="lea")
    owners = ((result, "names"), (result.total, "found"), (result["lea"], "f1"), (result.settings, "rules"))
    for owner, name in owners:
        with pytest.raises(AttributeError):
            setattr(owner, name, None)
    with pytest.raises(ValueError, match="read-only"):
        result.counts["lea"][0] = 1
    with pytest.raises(ValueError, match="read-only"):
        result.listed["whole"].key_copies[0] = 1
    assert repr(result) == "<Result of 1 document, F1: mentions 0.9333, lea 0.5882>"
    assert repr(result.documents[NAME]) == "<F1: mentions 0.9333, lea 0.5882>"


def test_what_was_odd_and_how_it_was_read_stays_with_what_was_read(tmp_path: Path) -> None:
    """A key that is read once scores as one that is read again: the same notices, the same signature."""
    folder = tmp_path / "key"
    folder.mkdir()
    (folder / "a.txt").write_text("outside\n" + DEMO[0].read_text())
    (folder / "b.bak").write_text("no CoNLL at all")
    corpus = read(folder / "*.txt")
    assert corpus.names == [NAME]
    earlier, again = score(corpus, DEMO[1]), score(folder / "*.txt", DEMO[1])
    assert [notice.code for notice in earlier.notices] == ["outside-document"]
    assert earlier.notices == again.notices
    assert earlier.signature == again.signature


def test_a_repeated_mention_without_tokens_is_told_by_its_value() -> None:
    result = score([["Ann", "she"]], [["Ann", "she", "Ann"]], metrics="muc", repeated="first")
    (notice,) = result.notices
    assert notice.line is None
    assert notice.found == 'in document "document": "Ann" is annotated 2 times, in entities 0, 0'


def test_results_and_errors_cross_to_other_processes() -> None:
    result = score(*DEMO, metrics="every,linked,pairwise,cluster,bcubs")
    assert dict(pickle.loads(pickle.dumps(result)).documents[NAME])["lea"] == result.documents[NAME]["lea"]
    case = TESTDATA / "bad" / "six-unscored-faults"
    faulty = score(case / "key.conll", case / "response.conll", metrics="muc")
    assert list(map(str, pickle.loads(pickle.dumps(faulty)).notices)) == list(map(str, faulty.notices))
    with pytest.raises(InputError) as caught:
        score({"a": [[1]]}, cast(Any, {5: [[1]]}), metrics="muc")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert "named 5, which has the type int" in str(caught.value)


def test_numbers_are_those_of_the_command() -> None:
    case = RECORDED / "documents-0015"
    result = score(case / "key.conll", case / "response.conll", metrics="lea")
    line = (case / "lea-none.txt").read_text().splitlines()[-2]
    assert line.startswith(f"Coreference: Recall: ({result['lea'].recall_counts.numerator:.15g} / ")


def test_to_dict_is_the_json_layout() -> None:
    import json

    printed = within("every", *DEMO, "--format", "json", "--documents").stdout
    assert json.loads(printed) == score(*DEMO).to_dict()


def test_the_average_needs_its_three_metrics() -> None:
    with pytest.raises(KeyError, match="muc, bcub, ceafe"):
        _ = score(KEY, RESPONSE, metrics="muc").conll


def test_a_document_can_be_chosen() -> None:
    both = {"a": KEY, "b": KEY}
    result = score(both, {"a": KEY, "b": []}, metrics="muc", document="a")
    assert (list(result.documents), result["muc"].recall) == (["a"], 1.0)


def test_groups_of_documents() -> None:
    result = score({"x1": KEY, "x2": KEY, "y1": KEY}, {"x1": KEY, "x2": [], "y1": KEY}, metrics="muc")
    assert {name: group["muc"].recall for name, group in result.by("^.").items()} == {"x": 0.5, "y": 1.0}


def test_a_document_that_the_response_lacks_counts_as_empty_and_is_noticed() -> None:
    result = score({"a": KEY, "b": KEY}, {"a": KEY}, metrics="muc")
    assert result["muc"].recall == 0.5
    assert [(notice.code, notice.path) for notice in result.notices] == [("missing-document", "key")]


def test_booleans_and_other_pairs_are_no_spans() -> None:
    """(True, True) equals (1, 1) for Python, but (1.0, 2) and (1, 2) must not meet by accident of their type."""
    result = score([[("a", 1), ("b", 2)]], [[("a", 1), ("b", 2)]], metrics="muc")
    assert result["muc"].f1 == 1.0


def random_clusters(numbers: random.Random) -> list[list[tuple[int, int]]]:
    mentions = [(at, at) for at in range(30)]
    numbers.shuffle(mentions)
    cuts = sorted(numbers.sample(range(1, 30), 9))
    return [mentions[a:b] for a, b in zip([0, *cuts], [*cuts, 30], strict=True)]


def pairs(count: int) -> list[tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]]:
    numbers = random.Random(3)
    return [(random_clusters(numbers), random_clusters(numbers)) for _ in range(count)]


def counts_of(result: Result) -> dict[str, list[object]]:
    return {name: array.tolist() for name, array in result.counts.items()}


def test_a_scorer_gives_to_the_last_bit_what_scoring_all_at_once_gives() -> None:
    drawn = pairs(50)
    scorer = Scorer()
    for number, (key, response) in enumerate(drawn):
        scorer.add(key, response, name=f"d{number}")
    at_once = score(
        {f"d{n}": key for n, (key, _) in enumerate(drawn)}, {f"d{n}": response for n, (_, response) in enumerate(drawn)}
    )
    assert counts_of(scorer.result()) == counts_of(at_once)
    assert dict(scorer.result()) == dict(at_once)


@pytest.mark.parametrize(
    ("name", "mentions", "told"),
    [
        ("0", [0, 3], True),
        ("cluster_1", [0, 3], True),
        ("coref_clusters_1", [0, 3], True),
        ("Elizabeth", [0, 3], True),
        ("restaurants", [0, 331], False),  # pairs of records
        ("0", [3, 0], True),  # a sentence and a token
        ("0", [0.5, 3.25], True),
        ("0", ["0", "3"], True),
        ("0", ["Ann", "3"], False),
        ("Q7", [("d1", "m1"), ("d2", "m4"), ("d1", "m2"), ("d3", "m7")], True),
        ("Q7", [["d1", "m1"], ["d2", "m4"], ["d1", "m2"], ["d3", "m7"]], True),
        ("Q7", [["d1", "m1"], ["d2", "m4"], ["d4", "m2"], ["d3", "m7"]], False),  # entities of two names
        ("Q7", [["d1", "m1"], ["d2", "m4"], ["d1", "m4"], ["d3", "m7"]], False),
        ("Q7", [("d1", "m1"), ("d2", "m4"), ("d1", "m2")], False),
        ("Q7", np.array([["d1", "m1"], ["d2", "m4"], ["d1", "m2"], ["d3", "m7"]]), True),
        ("Q7", [["she", "Ann"], ["he", "Bo"], ["she", "Cy"], ["he", "Di"]], False),
        ("0", [0], False),
    ],
)
def test_clusters_by_id_that_are_read_as_documents_are_told(name: str, mentions: list[Any], told: bool) -> None:
    assert not score({name: [{0, 3}]}, {name: [{0, 3}]}, "lea").notices
    with pytest.warns(ScorerWarning):
        one_side = score({name: [["a", "b"]]}, {name: [[0, 3], [10, 13]]}, "lea").notices
    assert "perhaps-spans" not in {notice.code for notice in one_side}
    side = {name: mentions if len(mentions) > 2 else [mentions, [10, 13]]}
    if not told:
        assert "perhaps-spans" not in {notice.code for notice in score(side, side, "lea").notices}
        return
    with pytest.warns(ScorerWarning, match=rf'names such as "{name}".*\n.*if these are clusters by id, give'):
        assert score(side, side, "lea").notices[0].code == "perhaps-spans"


def test_notices_about_lists_are_compared() -> None:
    """`TypeError: unhashable type: 'list'`."""
    documents = {"a": [[1, 2]], "b": [[1, 2]]}
    found = corefscore.compare(documents, {"x": documents, "y": documents}, "muc").to_dict()["notices"]
    assert [notice["code"] for notice in found] == ["perhaps-spans"]


@pytest.mark.parametrize(
    ("key", "response", "first"),
    [
        ([[(0, 1, 7), (4, 4, 7)]], [[(0, 1, 8), (4, 4, 8)]], "(0, 1, 7)"),
        ([[("a", 0, 1, 7), ("a", 4, 4, 7)]], [[("a", 0, 1, 8)], [("a", 4, 4, 9)]], "('a', 0, 1, 7)"),
        ([{(0, 1, 7), (4, 4, 7)}, {5, 6}], [{(0, 1, 8), (4, 4, 8)}, {5, 6}], "(0, 1, 7)"),
        ([[(0, 1, "PER"), (4, 4, "PER")]], [[(0, 1, "ORG"), (4, 4, "PER")], [(6, 6, "PER")]], ""),
        (
            [[(n, n, "PER") for n in range(40)], [(50, 50, "PER"), (51, 51, "PER")]],
            [[(n, n, "PER") for n in range(40)], [(50, 50, "ORG"), (51, 51, "ORG")]],
            "",  # two of 42
        ),
        ([[(0, 1, "PER"), (4, 4, "PER")]], [[(0, 1, "ORG"), (4, 4, "ORG")]], "(0, 1, 'PER')"),
        # Without the first part, mentions of one side are equal.
        ([[("a", 1), ("a", 2)], [("b", 1), ("b", 2)]], [[("c", 1), ("c", 2)], [("d", 1), ("d", 2)]], ""),
        # Spans that end one token earlier, and places in other documents.
        ([[("a", 0, 3), ("a", 5, 7)]], [[("a", 0, 2), ("a", 5, 6)]], ""),
        ([[("a", 0, 3)], [("a", 5, 7)]], [[("a", 0, 2)], [("a", 5, 6)]], ""),
        ([[(1, 11), (1, 12), (1, 13)], [(2, 14)]], [[(1, 11), (1, 12)], [(2, 13), (2, 14)]], "(1, 13)"),
        ([[(0, 1), (4, 5)], [(2, 9)]], [[(0, 1), (4, 5)], [(3, 9)]], ""),
        ([{("a", 1), ("a", 2)}, {5, 6}], [{("a", 1), ("a", 3)}, {5, 7}], ""),
        ([[("a", 1), ("a", 2)], ["x", "q"]], [[("c", 1), ("c", 2)], ["y", "z"]], "('a', 1)"),
        ([[(1, "x", 7), (1, "x", 8)]], [[(2, "y", 7), (2, "y", 8)]], "(1, 'x', 7)"),
        ([[("a", 3), ("a", 5)], [("b", 3), ("b", 5)]], [[("a", 3), ("a", 4)], [("b", 5), ("b", 4)]], ""),
    ],
)
def test_mentions_that_contain_the_number_of_their_entity_are_told(key: Any, response: Any, first: str) -> None:
    """Groups of a data frame keep the column by which they are grouped: 44.36 for 82.37."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notices = [its for its in score(key, response, "lea").notices if its.code == "part-of-entity"]
    assert [its.details["first"] for its in notices] == [first] * bool(first)


@pytest.mark.parametrize("mention", [["doc", 3], [[0, 1], "Ann"], ["Ann", [0, 1]], [0, 1, "Ann"]])
def test_clusters_by_id_of_mentions_with_a_number_are_refused(mention: list[Any]) -> None:
    """They were documents, whose entities had a text and a number for mentions: 0.83 for 0.67."""
    clusters: Any = {"Q76": [mention, mention], "Q9": [mention]}
    with pytest.raises(InputError, match='in document "Q76": the clusters are'):
        score(clusters, clusters, "lea")


def test_documents_are_not_merged_twice() -> None:
    """With the scorer itself, with a copy, as processes that gather all scorers have it, or with one merged before."""
    scorer, other, empty = Scorer("muc"), Scorer("muc"), pickle.dumps(Scorer("muc"))
    for each in (scorer, other):
        each.add([["a", "b"]], [["a", "b"]])
    scorer.merge(other)
    for each in (scorer, pickle.loads(pickle.dumps(scorer)), copy.copy(scorer), other):
        with pytest.raises(UsageError, match="merge each scorer once"):
            scorer.merge(each)
    assert scorer.result()["muc"].recall_counts == (2, 2)
    of_processes = [pickle.loads(empty) for _ in range(3)]  # copies of one that is empty
    for each in of_processes:
        each.add(KEY, RESPONSE)
    first, *rest = of_processes
    for each in rest:
        first.merge(each)
    assert len(first.result().documents) == 3


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda scorer: pickle.loads(pickle.dumps(scorer))])
def test_a_copy_of_a_scorer_goes_its_own_way(way: Callable[[Scorer], Scorer]) -> None:
    scorer = Scorer("muc")
    scorer.add(KEY, KEY, name="a")
    its_copy = way(scorer)
    its_copy.add(KEY, [], name="b")
    scorer.add(KEY, KEY, name="c")
    assert (scorer.result()["muc"].recall, its_copy.result()["muc"].recall) == (1, 0.5)
    assert (list(scorer.result().documents), list(its_copy.result().documents)) == (["a", "c"], ["a", "b"])
    with pytest.raises(InputError, match="repeated-name"):
        scorer.add(KEY, KEY, name="c")


def test_a_scorer_that_is_reset_has_other_documents(tmp_path: Path) -> None:
    """Of files, too: a copy of its first documents can be merged."""
    scorer = Scorer("muc")
    scorer.add(*DEMO)
    with pytest.raises(UsageError, match="merge each scorer once"):
        scorer.merge(before := copy.copy(scorer))
    scorer.reset()
    scorer.add(KEY, KEY)
    scorer.merge(before)
    assert len(scorer.result().documents) == 2


def test_a_thread_that_counts_holds_up_no_other_scorer() -> None:
    """Nor a process that begins meanwhile, which would wait forever."""
    busy, other = Scorer("muc"), Scorer("muc")
    with busy._lock, ThreadPoolExecutor(1) as pool:
        assert pool.submit(other.add, KEY, KEY).result(timeout=60) is None
        assert pool.submit(other.result).result(timeout=60)["muc"].f1 == 1


def test_threads_can_share_a_scorer() -> None:
    """While a block is counted, other threads add documents, and ask for the result."""
    documents = 120
    key = [[(50 * entity + at, 50 * entity + at) for at in range(20)] for entity in range(15)]
    scorer = Scorer("muc")

    def add(number: int) -> None:
        scorer.add(key, key if number % 2 else [])
        if number > documents / 2:
            for seen in (scorer, copy.copy(scorer), pickle.loads(pickle.dumps(scorer))):
                assert seen.result()["muc"].precision == 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(documents)))
    assert scorer.result()["muc"].recall_counts == (documents * 285 / 2, documents * 285)


def test_merged_scorers_give_to_the_last_bit_what_one_gives() -> None:
    drawn = pairs(50)
    one, first, second = Scorer(), Scorer(), Scorer()
    for number, (key, response) in enumerate(drawn):
        one.add(key, response)
        (first if number < 20 else second).add(key, response)
    first.merge(second)
    assert dict(first.result()) == dict(one.result())
    assert list(first.result().documents) == [str(number) for number in range(50)]


def test_a_scorer_can_be_sent_to_another_process() -> None:
    scorer = Scorer("muc,lea")
    scorer.add(KEY, RESPONSE, name="d")
    again = pickle.loads(pickle.dumps(scorer))
    assert dict(again.result()) == dict(scorer.result())


def test_the_result_of_a_scorer_can_be_asked_for_on_the_way() -> None:
    scorer = Scorer("muc")
    scorer.add(KEY, KEY)
    assert scorer.result()["muc"].recall == 1.0
    scorer.add(KEY, [])
    assert scorer.result()["muc"].recall == 0.5


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        pytest.param("abc", 'in document "d": the clusters are str', id="text for clusters"),
        pytest.param(["abc"], "the clusters are list[str]", id="text for an entity"),
        pytest.param([1], "the clusters are list[int]", id="a number for an entity"),
        pytest.param(7, "the clusters are int", id="a number for clusters"),
        pytest.param(
            [[{}]],
            "list[list[dict]]\n  expected hashable mentions; a value of type dict cannot be a mention",
            id="no hash",
        ),
        pytest.param({"d": [{"a": 1}]}, 'in document "d": the clusters are list[dict]', id="a mapping for an entity"),
    ],
)
def test_what_are_no_clusters_is_refused(clusters: Any, message: str) -> None:
    if isinstance(clusters, str):
        clusters = {"d": clusters}
    with pytest.raises(InputError) as caught:
        score(clusters, {"d": []} if isinstance(clusters, dict) else [], metrics="muc")
    assert str(caught.value).startswith("key: error[not-clusters] ")
    assert message in str(caught.value)


def test_too_many_repeats_are_refused_with_the_mentions_as_they_were_given() -> None:
    key = [[f"m{n}" for n in range(11)]]
    with pytest.raises(InputError) as caught:
        score(key, [*key, *key], metrics="muc")
    assert 'in document "document": "m0" is annotated 2 times' in str(caught.value)
    assert score(key, [*key, *key], metrics="muc", repeated="first")["muc"].f1 == 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(lambda: score(KEY, KEY, "lae"), 'unknown metric "lae"; did you mean lea', id="metric"),
        pytest.param(lambda: score(KEY, KEY, repeated="last"), "repeated='last': expected one of", id="repeated"),
        pytest.param(lambda: score(KEY, KEY, singletons="no"), "singletons='no': expected one of", id="singletons"),
        pytest.param(
            lambda: score(KEY, KEY, options={"wrong": 1}), "unknown option wrong for these metrics", id="own option"
        ),
        pytest.param(lambda: score("no-such-file", KEY), "no-such-file: No such file or directory", id="file"),
        pytest.param(lambda: score({"a": KEY}, {}, document="b"), 'the key has no document named "b"', id="document"),
        pytest.param(lambda: Scorer().result(), "no document was added to the scorer", id="nothing added"),
        pytest.param(lambda: Scorer("muc").merge(Scorer("lea")), "cannot be merged", id="another way of counting"),
    ],
)
def test_wrong_use_is_a_usage_error(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        call()
    assert message in str(caught.value)


def test_a_name_cannot_be_added_twice() -> None:
    scorer = Scorer("muc")
    scorer.add(KEY, KEY, name="d")
    with pytest.raises(InputError, match="repeated-name"):
        scorer.add(KEY, KEY, name="d")
    other = Scorer("muc")
    other.add(KEY, KEY, name="d")
    with pytest.raises(InputError, match="repeated-name"):
        scorer.merge(other)


def test_errors_carry_file_line_and_what_was_found() -> None:
    path = TESTDATA / "bad" / "unclosed" / "response.conll"
    with pytest.raises(InputError) as caught:
        score(TESTDATA / "bad" / "unclosed" / "key.conll", path)
    finding = caught.value.findings[0]
    assert (finding.path, finding.line, finding.column, finding.code) == (str(path), 5, 17, "unclosed-mention")
    assert "opens a mention that is never closed" in finding.found
    assert finding.advice.startswith('add "2)"')


def test_scores_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        score(KEY, KEY, "muc")["muc"].f1 = 0.0  # type: ignore[misc] # what must not be done


def test_sums_hold_as_fractions() -> None:
    """B-cubed recall of the demo pair is 17/3 of 8: 1 + 1 + 1, 2/3 + 2/3, 1/3, 1."""
    found = score(KEY, RESPONSE, "bcub")["bcub"].recall_counts
    assert Fraction(found.numerator).limit_denominator(100) == Fraction(17, 3)


def test_public_names_are_all_there() -> None:
    assert all(getattr(corefscore, name) for name in corefscore.__all__)
    assert set(corefscore.__all__) <= set(dir(corefscore))  # completion at a prompt
    with pytest.raises(AttributeError):
        _ = corefscore.nothing


def test_a_path_can_be_any_path_like(tmp_path: Path) -> None:
    assert score(Path(DEMO[0]), Path(DEMO[1]), "muc")["muc"].recall == 0.75


def test_a_given_name_and_a_number_cannot_be_the_same() -> None:
    scorer = Scorer("muc")
    scorer.add(KEY, KEY, name="1")
    scorer.add(KEY, KEY)
    with pytest.raises(InputError, match="repeated-name"):
        scorer.result()


@pytest.mark.parametrize("mention", [(-1, -1), (5, 2), (2**70, 2**70), ("1", "1")])
def test_pairs_that_are_no_spans_meet_nothing_but_themselves(mention: tuple[int, int]) -> None:
    assert score([["a", "b"]], [[mention, "c"]], "bcub")["bcub"].f1 == 0.0
    assert score([["a", mention]], [["a", mention]], "bcub")["bcub"].f1 == 1.0


@pytest.mark.parametrize("mention", [(-1, -1), (5, 2), "Ann"], ids=str)
def test_what_is_no_span_is_refused_among_spans_beside_a_text(mention: object) -> None:
    """Such as the rows that pad an array: they lowered precision in silence."""
    told = rf"a mention is {re.escape(str(mention))}\n  expected .first token, last token"
    with pytest.raises(InputError, match=told):
        score(DEMO[0], [[(0, 1), mention]], "bcub")


@pytest.mark.parametrize("mention", [(1.0, 2.0), (True, 2), (np.float32(1), 2), (Fraction(1), Decimal(2))], ids=repr)
@pytest.mark.parametrize("other", [(3, 3), (5, 2), "Ann"], ids=repr)
def test_numbers_of_any_type_are_the_spans_that_they_equal(mention: object, other: object) -> None:
    """A data frame with a missing value has floats. Whether these met whole numbers depended on the other mentions."""
    assert score({"a": [[mention, other]]}, {"a": [[(1, 2), other]]}, "bcub")["bcub"].f1 == 1.0


def test_no_document_at_all_is_told() -> None:
    with pytest.raises(UsageError, match="there is no document to score"):
        score({}, {})


def test_a_bracket_that_takes_no_part_is_no_group() -> None:
    result = score({"a1": KEY, "b1": KEY}, {"a1": KEY, "b1": []}, "muc")
    assert list(result.by("(a).|b.")) == ["a", "(no match)"]


def test_a_corpus_with_two_fields_of_clusters_says_which_is_meant(tmp_path: Path) -> None:
    """Clusters and predictions in one file: read without a side, one of them would be scored as the other."""
    file = tmp_path / "documents.jsonl"
    file.write_text('{"doc_key": "a", "clusters": [[[0, 0], [1, 1]]], "predicted_clusters": [[[2, 2], [3, 3]]]}\n')
    with pytest.raises(InputError, match="occurs together with predicted_clusters"):
        read(file)
    assert score(read(file, side="key"), read(file, side="response"), "muc")["muc"].f1 == 0
    assert score(file, file, "muc")["muc"].f1 == 0


@pytest.mark.parametrize(
    ("key", "response"),
    [
        ("gold_clusters", "predicted_clusters"),
        ("gold_clusters", "clusters"),
        ("clusters", "pred_clusters"),
        ("clusters", "predictions"),
        ("cluster_id", "predicted_cluster_id"),
        ("coref_chain", "predicted_coref_chain"),
        ("gold_cluster_id", "predicted_coref_chain"),
    ],
)
def test_a_corpus_read_without_a_side_never_has_the_entities_of_one_by_chance(
    key: str, response: str, tmp_path: Path
) -> None:
    """It may be the key of many responses."""
    file = tmp_path / "file.jsonl"
    is_record = "id" in key or "chain" in key
    document = {"doc_key": "a", key: [[[0, 0], [1, 1]]], response: [[[0, 0]]]}
    record = {"doc_id": "a", "tokens_ids": [0], key: "A", response: "1"}
    file.write_text(json.dumps(record if is_record else document))
    with pytest.raises(InputError, match="occurs together with"):
        read(file)
    assert read(file, columns=f"{'entity' if is_record else 'clusters'}={key}")


@pytest.mark.parametrize(
    "call",
    [
        lambda options: score([[1, 2]], [[1, 2]], "muc", **options),
        lambda options: Scorer("muc", **options).add([[1, 2]], [[1, 2]]),
        lambda options: Scorer("muc", **options).add_document([[1, 2]], [[1, 2]]),
        lambda options: CorefEvaluator("muc", **options).update([[1, 2]], [[1, 2]]),
    ],
)
@pytest.mark.parametrize("options", [{"columns": "clusters=x"}, {"tags": "markdown"}, {"heads": "last"}])
def test_options_of_reading_need_a_file(call: Callable[[dict[str, str]], object], options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(options))} is for files"):
        call(options)


@pytest.mark.parametrize("text", ["[Ann](#1) saw [her](#1).", "<m id=1>Ann</m> saw", "Ann saw\nher."])
def test_text_in_place_of_a_path_is_refused_as_text(text: str) -> None:
    with pytest.raises(UsageError, match=r"expected a path: give tagged text as a list, \[text\]"):
        score(DEMO[0], text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param({"metric": "lea"}, "unknown argument 'metric'; did you mean metrics?", id="keyword"),
        pytest.param({"single": "drop"}, "unknown argument 'single'; did you mean singletons", id="another keyword"),
        pytest.param({"smallest": 2}, "options of other packages' metrics go into options={...}", id="of a plugin"),
        pytest.param(
            {"repeated": "frist"},
            "repeated='frist': expected one of official, first, refuse",
            id="value",
        ),
        pytest.param(
            {"metrics": "lea", "named": "head"},
            "unknown option named for these metrics; they have no options",
            id="no such option",
        ),
        pytest.param(
            {"metrics": "cone", "options": {"name": 1}},
            "unknown option name for these metrics; did you mean named?",
            id="nearest option",
        ),
        pytest.param({"options": {"named": 1}, "named": "head"}, "named is given twice", id="twice"),
        pytest.param({"options": ["named"]}, "expected a mapping", id="no mapping"),
        pytest.param({"metrics": 7}, "metrics=7: expected names", id="no metrics"),
        pytest.param({"metrics": []}, "metrics=[]: expected names", id="empty metrics"),
    ],
)
def test_a_wrong_keyword_or_value_gets_its_nearest(call: dict[str, Any], message: str) -> None:
    ways: list[Callable[[], object]] = [lambda: score(KEY, KEY, **call), lambda: Scorer(**call)]
    for way in ways:
        with pytest.raises(UsageError) as caught:
            way()
        assert message in str(caught.value)


def test_every_option_of_a_metric_here_is_a_keyword() -> None:
    from inspect import signature

    from corefscore.metrics import NAMES, find
    from corefscore.metrics.base import options_of
    from corefscore.python.api import ScorerOptions
    from corefscore.scoring.settings import Rules

    own = options_of([find(name) for name in NAMES])
    options = [option.name for option in (*declared(Rules), *own)]
    every = {*options, *(option.name for option in declared(Reading))}
    assert ScorerOptions.__annotations__.keys() == {*every, "options"}, "its type is a line in python/api.py"
    assert every <= set.intersection(*(set(signature(each).parameters) for each in (score, Scorer, analyse)))


def test_a_signature_spells_out_every_keyword_with_its_default() -> None:
    """For `help` and prompts; a type checker finds the wrong one below, or this comment would be one too many."""
    from inspect import signature

    shown = signature(score)
    assert str(shown).startswith("(key: 'Given', response: 'Given | None' = None, metrics: 'str | Sequence[str]' = 'ev")
    assert str(shown.parameters["repeated"]) == "repeated: 'str | None' = None"
    assert str(shown.parameters["pieces"]) == "pieces: 'str | None' = None"
    assert "how" not in shown.parameters
    assert list(signature(Scorer).parameters)[:3] == ["metrics", "repeated", "singletons"]
    with pytest.raises(UsageError, match="did you mean repeated"):
        score(KEY, KEY, repeatd="first")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="unknown argument 'document'"):
        Scorer(document="a")  # type: ignore[call-arg]


def test_recall_precision_and_f1_come_first() -> None:
    recall, precision, f1 = score(KEY, RESPONSE)["lea"][:3]
    assert (recall, precision) == (4 / 8, 5 / 7)
    assert f1 == pytest.approx(10 / 17)


@pytest.mark.parametrize("text", ["#begin document (x);\n" + "x 0 0 a (1)\n" * 1000, "word " * 100, "a\0b"])
def test_text_in_the_place_of_a_path_is_not_echoed(text: str) -> None:
    for call in (lambda: score(text, KEY), lambda: score(KEY, text), lambda: read(text)):
        with pytest.raises(UsageError) as caught:
            call()
        assert f"no file has this name of {len(text)} characters" in str(caught.value)
        assert len(str(caught.value)) < 250


SYSTEMS = TESTDATA / "systems"


def in_memory(path: Path) -> dict[str, list[list[tuple[int, int]]]]:
    """The documents of a file as clusters by name."""
    documents = read(path).documents
    found: dict[str, list[list[tuple[int, int]]]] = {name: [] for name in documents.names}
    for entity, document in enumerate(documents.document.tolist()):
        its = documents.entity == entity
        spans = zip(documents.start[its].tolist(), documents.end[its].tolist(), strict=True)
        found[documents.names[document]].append(list(spans))
    return found


def test_lists_of_documents_are_those_of_a_file_by_position() -> None:
    key, path = SYSTEMS / "key.conll", SYSTEMS / "runs" / "ash.conll"
    clusters = list(in_memory(path).values())
    expected = score(key, path, "conll")
    for found in (
        score(key, clusters, "conll"),
        score(read(key), clusters, "conll"),
        score([key], clusters, "conll"),
        score(key, in_memory(path), "conll"),
    ):
        assert (found.names, dict(found)) == (expected.names, dict(expected))
    assert dict(score(list(in_memory(key).values()), path, "conll")) == dict(expected)
    assert score(DEMO[0], RESPONSE, "muc").names == score(DEMO[0], [RESPONSE], "muc").names == (NAME,)
    assert score(DEMO[0], [], "muc")["muc"].recall == 0


def test_a_scorer_takes_all_that_score_takes() -> None:
    key, path = SYSTEMS / "key.conll", SYSTEMS / "runs" / "ash.conll"
    expected = score(key, path, "conll")
    for sides in (
        (key, path),
        (read(key), path),
        (in_memory(key), in_memory(path)),
        (key, [*in_memory(path).values()]),
    ):
        scorer = Scorer("conll")
        scorer.add(*sides)
        assert scorer.result().names == expected.names
        assert counts_of(scorer.result()) == counts_of(expected)
    scorer.add(KEY, RESPONSE)
    scorer.add(*DEMO)
    assert scorer.result().names == (*expected.names, "24", NAME)
    assert scorer.result().documents[NAME] == scorer.result().documents["24"]
    with pytest.raises(InputError, match="repeated-name"):
        scorer.add(*DEMO)
    with pytest.raises(UsageError, match="is only for a document without a name"):
        scorer.add(DEMO[0], DEMO[1], name="x")
    assert len(scorer.result().names) == 26


def test_what_is_odd_in_files_stays_with_a_scorer() -> None:
    scorer = Scorer("muc", input_format="conll")
    scorer.add({"a": KEY, "b": KEY}, {"a": KEY})
    scorer.add(*DEMO)
    assert [notice.code for notice in scorer.result().notices] == ["missing-document"]
    assert "| input_format=conll |" in scorer.result().signature
    other = Scorer("muc", input_format="conll")
    other.merge(scorer)
    assert other.result().names == ("a", "b", NAME)
    assert [notice.code for notice in other.result().notices] == ["missing-document"]
    with pytest.raises(UsageError, match="no document was added"):
        Scorer("muc").result()


def test_a_scorer_of_corefud_takes_no_other_documents() -> None:
    file = next((TESTDATA / "corefud").rglob("key.conllu"))
    scorer = Scorer("conll")
    scorer.add(file, file)
    assert dict(scorer.result()) == dict(score(file, file, "conll"))
    with pytest.raises(UsageError, match="some documents are CorefUD and others are not"):
        scorer.add(KEY, KEY)
    assert dict(scorer.result()) == dict(score(file, file, "conll"))


def test_a_scorer_begins_again() -> None:
    scorer = Scorer("muc", singletons="drop")
    scorer.add(KEY, [], name="d")
    scorer.reset()
    with pytest.raises(UsageError, match="no document was added"):
        scorer.result()
    scorer.add(KEY, KEY, name="d")
    assert scorer.result()["muc"].f1 == 1
    assert scorer.result().settings.rules.singletons == "drop"


def test_what_is_odd_is_warned_of_once_a_call_where_it_was_made() -> None:
    scorer = Scorer("lea")
    scorer.add([["a", "a", "b", "b"]], [["c"]])
    for way in ("score", "Scorer"):
        with pytest.warns(ScorerWarning) as caught:
            result = score([["a", "a", "b", "b"]], [["c"]], "lea") if way == "score" else scorer.result()
        (warning,) = caught
        assert warning.filename == __file__
        assert '"a" is annotated 2 times' in str(warning.message)
        assert "... and 1 more notice [repeated-mention]" in str(warning.message)
        assert "no-common-mention" in str(warning.message)
        assert len(result.notices) == 3


@pytest.mark.filterwarnings("error")
def test_clean_input_gives_no_warning() -> None:
    assert not score(*DEMO).notices


SYSTEM = TESTDATA / "systems" / "key.conll", {"ash": TESTDATA / "systems" / "runs" / "ash.conll"}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"seed": -1}, "seed=-1: expected a whole number, 0 or more"),
        ({"seed": 1.5}, "seed=1.5: expected a whole number, 0 or more"),
        ({"trials": 1e3}, "trials=1000.0: expected a whole number, 1 or more"),
        ({"trials": 0}, "trials=0: expected a whole number, 1 or more"),
        ({"trials": "9"}, "trials='9': expected a whole number, 1 or more"),
        ({"confidence": "x"}, "confidence='x': expected a number between 0 and 1"),
        ({"trials": True}, "trials=True: expected a whole number, 1 or more"),
        ({"window": True}, "window=True: expected a whole number, 1 or more"),
        ({"unit": 0}, "unit=0: expected text"),
        ({"unit": None}, "unit=None: expected text"),
        ({"correction": None}, "correction=None: expected one of largest, holm, holm-all, none"),
        ({"by": 0}, "by=0: expected text"),
        ({"baseline": "c"}, "--baseline 'c': no such system"),
        ({"correction": "bonferroni"}, "correction='bonferroni': expected one of largest, holm, holm-all, none"),
        ({"document": 0}, 'the key has no document named "0"'),
    ],
    ids=str,
)
def test_odd_values_of_the_options_of_a_comparison_are_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        corefscore.compare(*SYSTEM, "lea", **how)


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    found = corefscore.compare(*SYSTEM, "lea", trials=np.int64(99), seed=np.int64(3))  # type: ignore[arg-type]
    assert json.dumps(found.to_dict()) == json.dumps(corefscore.compare(*SYSTEM, "lea", trials=99, seed=3).to_dict())
    five: Any = np.int64(5)
    first, second = (json.dumps(score(*DEMO, "lea", window=tokens).to_dict()) for tokens in (5, five))
    assert first == second


@pytest.mark.parametrize(
    "path", ["demo/key.conll", "dialects/e2e/good.jsonl", "corefud/scoring/mor-overlap-101/key.conllu", "answer.md"]
)
def test_a_corpus_that_was_pickled_scores_the_same(path: str, tmp_path: Path) -> None:
    """For a program that hands it to other processes."""
    (tmp_path / "answer.md").write_text("[Ann](#1) met [Bo](#2) . [She](#1) left .\n")
    corpus = read(TESTDATA / path if "/" in path else tmp_path / path)
    again = pickle.loads(pickle.dumps(corpus))
    assert again.names == corpus.names
    assert score(corpus, again, "lea").to_dict() == score(corpus, corpus, "lea").to_dict()


def groups(frame: Any) -> Any:
    return frame.groupby("entity") if hasattr(frame, "groupby") else frame.group_by("entity")


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("place", "shape"),
    [
        (lambda frame: frame, "DataFrame"),
        (lambda frame: {"d": frame}, "DataFrame"),
        (lambda frame: [frame], "list[DataFrame]"),
        (lambda frame: {"d": [frame]}, "list[DataFrame]"),
        (lambda frame: [[frame]], "list[list[DataFrame]]"),
        (lambda frame: (frame for _ in range(2)), "list[DataFrame]"),
        (groups, "GroupBy"),
        (lambda frame: {"d": groups(frame)}, "GroupBy"),
        (lambda frame: {"d": [group for _, group in groups(frame)]}, "list[DataFrame]"),
        (lambda frame: list(groups(frame)), "DataFrame"),
    ],
)
def test_a_frame_is_refused_with_what_to_write(library: str, place: Callable[[Any], Any], shape: str) -> None:
    """Its elements are the names of its columns, which are equal for different mentions."""
    frame = pytest.importorskip(library).DataFrame({"start": [0, 3], "end": [1, 3], "entity": [1, 1]})
    with pytest.raises(InputError) as caught:
        score(place(frame), place(frame), "lea")
    assert shape in str(caught.value).split("\n", maxsplit=1)[0]
    assert "list(zip(frame['start'], frame['end']))" in str(caught.value)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_what_the_message_about_a_frame_says_is_right(library: str) -> None:
    columns = {"start": [0, 3, 5, 7], "end": [1, 3, 5, 8], "entity": [1, 1, 2, 2]}
    frame = pytest.importorskip(library).DataFrame(columns)
    document = [list(zip(entity["start"], entity["end"], strict=True)) for _, entity in groups(frame)]
    assert score(document, [[(0, 1), (3, 3)], [(5, 5), (7, 8)]], "lea")["lea"].f1 == 1


@pytest.mark.parametrize("missing", [float("nan"), np.float64("nan"), np.float32("nan")], ids=["float", "64", "32"])
def test_what_equals_nothing_is_no_mention(missing: Any) -> None:
    for entities in ([[missing, 2.0]], [[(0, 1), (missing, 3)]], {"d": [[1.0, missing]]}):
        with pytest.raises(InputError, match=r"nan\)? cannot be a mention: leave it out"):
            score(entities, entities, "lea")


@pytest.mark.parametrize("place", [lambda x: x, lambda x: {"d": x}, lambda x: [x, x]], ids=["one", "named", "list"])
def test_views_of_a_dict_are_collections_like_any_other(place: Callable[[Any], Any]) -> None:
    entities = [[(0, 1), (3, 3)], [(5, 5), (7, 7)]]
    views = {number: dict(enumerate(entity)).values() for number, entity in enumerate(entities)}.values()
    assert score(place(views), place(entities), "lea")["lea"].f1 == 1


@pytest.mark.parametrize("bag", [Reading, Rules, Method, NameOptions], ids=lambda bag: bag.__name__)
def test_options_are_given_by_name(bag: Any) -> None:
    """A new one in the middle changes the meaning of no call."""
    with pytest.raises(TypeError, match="positional"):
        bag("first")


@pytest.mark.parametrize("mention", [list, tuple])
def test_a_scorer_counts_in_blocks_of_any_size(mention: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added is copied, and the result is that of `score`, in whatever blocks documents are counted."""
    of_lists: list[Any] = [[[[0, 1], [4, 4]], [[2, 2]]], [[[0, 0], [3, 3]]], [[["x", 1], ["x", 2]]], []]
    of_response: list[Any] = [[[[0, 1], [2, 2], [4, 4]]], [[[0, 0]]], [[["x", 1], ["x", 2]]], [[[7, 7]]]]
    key, response = ([[list(map(mention, its)) for its in d] for d in side] for side in (of_lists, of_response))
    expected = score(key, response)
    for block in (0, 3, 1000):
        monkeypatch.setattr("corefscore.python.scorer._BLOCK", block)
        for asked in (True, False):
            scorer = Scorer()
            for ours, theirs in zip(copy.deepcopy(key), copy.deepcopy(response), strict=True):
                scorer.add(ours, theirs)
                if asked:
                    scorer.result()
                for side in (ours, theirs):
                    for entity in side:
                        if mention is list:
                            entity[0][0] = 9
                        entity.clear()
            assert dict(scorer.result()) == dict(expected)
            assert list(scorer.result().documents) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("calls", "add"),
    [pytest.param(20, Scorer.add, id="add"), pytest.param(40, Scorer.add_document, id="add_document")],
)
def test_a_scorer_looks_at_no_mention_of_its_own_when_it_is_added(
    calls: int, add: Callable[[Scorer, Any, Any], None]
) -> None:
    """Of spans only the types of each level are looked at; counts come later, a block at a time."""
    scorer = Scorer("conll")
    for mentions in (12, 57, 2000):
        document = [[(at, at) for at in range(entity, mentions, 4)] for entity in range(4)]
        events: list[str] = []

        def note(frame: FrameType, event: str, argument: Any, events: list[str] = events) -> None:
            events.append(event)

        sys.setprofile(note)
        try:
            add(scorer, document, document[1:])
        finally:
            sys.setprofile(None)
        assert 0 < sum(event in ("call", "c_call") for event in events) <= calls


@pytest.mark.parametrize("repeated", ["official", "first"])
def test_the_order_of_entities_of_one_side_does_not_change_which_copy_of_the_other_counts(repeated: str) -> None:
    """Mentions that are text come in the order of their own side, as in a file."""
    response = [["b", "x"], ["a", "x"]]
    with pytest.warns(ScorerWarning, match="x"):
        scores = [score(key, response, "lea", repeated=repeated) for key in ([["a", "x"], ["b"]], [["b"], ["a", "x"]])]
        other = score([["a", "x"], ["b"]], response[::-1], "lea", repeated=repeated)
    assert [its["lea"].f1 for its in scores] == [0, 0]
    assert other["lea"].f1 == 1


def test_which_copy_counts_does_not_depend_on_other_documents() -> None:
    """In one call, one scorer, or two that are merged, and by the order of entities, not of other mentions."""
    other, key, response = [["b"], ["a"]], [["a", "x"], ["b"]], [["a", "x"], ["b", "x"]]
    scorers = [Scorer("lea", repeated="first") for _ in range(3)]
    with pytest.warns(ScorerWarning):
        alone = score({"d2": key}, {"d2": response}, "lea", repeated="first").documents["d2"]
        beside = score({"d1": other, "d2": key}, {"d1": other, "d2": response}, "lea", repeated="first")
        for scorer, documents in zip(scorers, ("12", "1", "2"), strict=True):
            for name in documents:
                scorer.add(*((other, other) if name == "1" else (key, response)), name=f"d{name}")
        scorers[1].merge(scorers[2])
        found = [beside, *(scorer.result() for scorer in scorers[:2])]
        later = score([["x", "a"]], [["c"], ["x", "a"], ["c", "x"]], "lea", repeated="first")
    assert [its.documents["d2"]["lea"][:3] for its in found] == [alone["lea"][:3]] * 3
    assert alone["lea"].f1 == 1 and later["lea"].recall == 1


def test_a_series_of_entities_by_document_is_refused() -> None:
    """Groups by document and entity were the entities of one document: mentions 1.0 for 0.5."""
    pd = pytest.importorskip("pandas")
    entities = [[(0, 1), (4, 4)], [(3, 3)]]
    by_two = pd.Series(entities, index=pd.MultiIndex.from_tuples([("a", 1), ("b", 1)]))
    for series in (by_two, pd.Series(entities, index=["a", "a"])):
        with pytest.raises(InputError, match=r"a series of entities with the index .*\n  expected .*groupby"):
            score(series, series, "lea")
    assert score(pd.Series(entities, index=["e1", "e2"]), list(by_two), "lea")["lea"].f1 == 1
    by_name = dict(list(by_two.groupby(level=0)))
    assert score(by_name, {"a": entities[:1], "b": entities[1:]}, "lea")["lea"].f1 == 1


def test_a_series_of_documents_is_not_paired_by_position() -> None:
    """Its index may have another order, or be a part, of the other one's."""
    pd = pytest.importorskip("pandas")
    one, other = [[(0, 1), (4, 4)]], [[(2, 2), (5, 6)]]
    key = pd.Series({"a": one, "b": other})
    with pytest.raises(InputError, match=r"a series of documents with the index a, b\n  expected .*to_dict"):
        score(key, key[::-1], "lea")
    with pytest.raises(InputError, match="index 0, 2"):
        score([one, other], pd.Series([one, other, other]).drop(1), "lea")
    assert score(key.to_dict(), key[::-1].to_dict(), "lea")["lea"].f1 == 1
    assert score(pd.Series([one, other]), [one, other], "lea")["lea"].f1 == 1
    with pytest.raises(InputError, match="index a"):
        score(key[["a"]], key[["b"]], "lea")
    assert score(pd.Series([one]), [one], "lea")["lea"].f1 == 1
    with pytest.raises(InputError, match="index"):
        score(pd.Series([one, other], index=[pd.NA, 1]), [one, other], "lea")
    entities = pd.Series({"e1": [(0, 1), (4, 4)], "e2": [(2, 2)]})  # one document, whose entities have ids
    assert score(entities, entities, "lea")["lea"].f1 == 1


@pytest.mark.parametrize(
    ("key", "response", "alike"),
    [
        ("Ann", "Ann ", "'Ann' and 'Ann '"),
        ("Ann Lee", "Ann\u00a0 Lee", "'Ann Lee' and 'Ann\\xa0 Lee'"),
        ('"Ann"', "Ann", "'\"Ann\"' and 'Ann'"),
        ("Rene\u0301", "Ren\xe9", "'Rene\u0301' and 'Ren\xe9'"),
        ("Bo", "\u201cBo\u201d", "'Bo' and '\u201cBo\u201d'"),
        ("'Bo'", "Bo", "\"'Bo'\" and 'Bo'"),
        ("Ann's", "Ann\u2019s", "\"Ann's\" and 'Ann\u2019s'"),
        ("Ann", "Ann's", ""),
        ("Ann", "ann", "'Ann' and 'ann'"),
        (("Ann ",), ("Ann",), "('Ann ',) and ('Ann',)"),
        ("007", "7", "'007' and '7'"),
        (7, "7", "7 and '7'"),
        (7.0, "7", "7.0 and '7'"),
        ((0.1, 0.3), (0.1, 0.1 + 0.2), "(0.1, 0.3) and (0.1, 0.30000000000000004)"),
        ((2.1, 2.9), (float(np.float32(2.1)), 2.9), "(2.1, 2.9) and (2.0999999046325684, 2.9)"),
        ((2.1, 2.9), (2.2, 2.9), ""),
        (1623000124.0, 1623000125.0, ""),
        (123456.781, 123456.784, ""),
        (1e300, 2e300, ""),
        (("New York", "city"), ("New", "York city"), ""),
        ("5'", "5'", ""),
        ("Ann", "Ann\n", "'Ann' and 'Ann\\n'"),
        ("the old cat", "the old\ncat", "'the old cat' and 'the old\\ncat'"),
        ("the cat 's tail", "the cat's tail", '"the cat \'s tail" and "the cat\'s tail"'),
    ],
)
def test_texts_that_hardly_differ_are_told(key: Any, response: Any, alike: str) -> None:
    """They do not match, and nothing showed why."""
    scorer = corefscore.Scorer("lea")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer.add([[key, "she"]], [[response, "she"]])
        for result in (scorer.result(), score([[key, "she"]], [[response, "she"]], "lea")):
            assert [f"{its.details['first']} and {its.details['second']}" for its in result.notices] == [alike] * bool(
                alike
            )


def test_tuples_that_only_one_side_has_are_told_beside_spans() -> None:
    """Mentions as lists of their tokens matched those of two tokens only: 0.19 for 1."""
    spans: Any = {"d": [[(0, 1), (4, 4), (12, 14)]]}
    tokens: Any = {"d": [[(0, 1), (4,), (12, 13, 14)]]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, response, count in ((spans, tokens, "2 tuples"), (tokens, spans, "2 tuples"), (tokens, tokens, "")):
            found = [its.details["count"] for its in score(key, response, "lea").notices if its.code == "no-span"]
            assert found == [count] * bool(count)


@pytest.mark.parametrize(
    ("pair", "spans", "told"),
    [((-1, -1), 3, True), ((4, 1), 19, False), ((4, 1), 20, True), ((-1, -1), 2, False), (("a", 1), 3, False)],
)
def test_pairs_that_are_no_spans_among_spans_are_told(pair: Any, spans: int, told: bool) -> None:
    """Such as padding; if fewer mentions are spans, pairs are names, such as sentence and token."""
    clusters = [[(2 * at, 2 * at + 1) for at in range(spans)], [pair]]
    alone = [[pair]]
    scorer = corefscore.Scorer("lea")
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        found = [notice.code for notice in score(clusters, alone, "lea").notices]
        scorer.add(clusters, alone)
        assert [notice.code for notice in scorer.result().notices] == found
    assert ("no-span" in found) == told


def test_items_of_other_documents_are_neither_alike_nor_shifted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = score({"x": [["Ann", "it"]], "y": [["Bo", "it"]]}, {"x": [["bo", "it"]], "y": [["ann", "it"]]}, "lea")
        assert not result.notices
        result = score({"x": [[0, 1, 2]], "y": [[7, 8]]}, {"x": [[1, 8, 2]], "y": [[1, 8]]}, "lea")
        assert not result.notices


@pytest.mark.parametrize(
    ("key", "response", "code"),
    [
        ([[0, 1, 2], [3, 4]], [[1, 2, 3], [4, 5]], "shifted-items"),
        ([["0", "1", "2"], ["3", "4"]], [["1", "2", "3"], ["4", "5"]], "shifted-items"),
        ([[("d", 0), ("d", 1)], [("d", 2)]], [[("d", 1), ("d", 2)], [("d", 3)]], "shifted-items"),
        ([[("d", 0), ("e", 1)], [("d", 2), ("e", 3)]], [[("d", 1), ("e", 2)], [("d", 3), ("f", 4)]], ""),
        ([["d#0", "d#1"], ["d#2"]], [["d#1", "d#2"], ["d#3"]], "shifted-items"),
        ([["it0", "she1"], ["he2"]], [["she1", "he2"], ["it3"]], ""),
        ([[0, 1, 2], [3, 4]], [[1, 2], [3, 4]], ""),
        ([[0, 1, 2], [3, 4]], [[0, 1], [4, 9]], ""),
        ([["Ann", "she"], ["Bo", "nan"]], [["Ann", "she"], ["Bo", "he"]], "odd-item"),
        ([["Ann", "she"], ["Bo", "he"]], [["Ann", "she"], ["Bo", "None"]], "odd-item"),
        ([[1, 2, -1], [3, 4]], [[1, 2], [3, 4]], "odd-item"),
        ([[1, 2, -2], [3, 4]], [[1, 2], [3, 4]], ""),
        ([[0, 2, 4], [6, 8]], [[1, 3, 5], [7]], ""),
        ([[0, 2, 4], [6, 8]], [[1, 3, 5], [7, 9]], "shifted-items"),  # 1 higher, and also 1 lower: one notice
        *(([["Ann", its]], [["Ann", "he"]], "odd-item") for its in ("NaN", "<NA>", "NaT", "null", "-1")),
        ([["nan", "None"]], [["Ann", "he"]], "odd-item"),
        *(([["Ann", its]], [["Ann", "he"]], "odd-item") for its in ("['Ann', 'he']", '["a", "b"]', "{'a', 'b'}")),
        ([["Ann", "['he']"]], [["Ann", "he"]], ""),
    ],
)
def test_items_that_probably_mean_others_are_told(key: Any, response: Any, code: str, tmp_path: Path) -> None:
    """Counted from another number, or written for a missing one by pandas."""
    scorer = corefscore.Scorer("lea")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer.add(key, response)
        results = [scorer.result(), score(key, response, "lea"), score({"x": key}, {"x": response}, "lea")]
        if isinstance(key[0][0], str):
            for name, its in (("key", key), ("response", response)):
                (tmp_path / name).write_text(json.dumps({"doc_key": "x", "clusters": its}))
            results.append(score(tmp_path / "key", tmp_path / "response", "lea"))
        for result in results:
            others = "other-items", "no-common-mention"
            assert [its.code for its in result.notices if its.code not in others] == [code] * bool(code)


def test_of_several_missing_items_the_same_is_always_told() -> None:
    with pytest.warns(ScorerWarning, match='the item or mention "nan"'):
        score([["None", "-1", "nan"]], [["None", "-1", "nan"]], "lea")


@pytest.mark.parametrize("text", ["", " ", "\u00a0"])
def test_a_mention_without_a_word_is_refused(text: str, tmp_path: Path) -> None:
    """One per side, as `fillna("")` makes, was counted as a mention."""
    for add in (corefscore.Scorer("lea").add, corefscore.score):
        with pytest.raises(corefscore.InputError, match="leave out a text without any"):
            add([["Ann", "she"]], [["Ann", text]])
    assert score([[(0, 1, text), "she"]], [[(0, 1, text)]], "lea")["mentions"].precision == 1, "a part of a mention"
    (tmp_path / "key").write_text(json.dumps({"doc_key": "x", "clusters": [["Ann", text]]}))
    with pytest.raises(corefscore.InputError, match='a mention of clusters is ""'):
        score(tmp_path / "key", tmp_path / "key", "lea")


def test_an_evaluator_of_a_list_of_measures_is_refused() -> None:
    with pytest.raises(UsageError, match="expected the name of a measure"):
        corefscore.CorefEvaluator(["conll"])  # type: ignore[arg-type]


def test_an_object_of_json_is_no_mapping_of_documents() -> None:
    """Its fields were read as documents: 81.10 for 37.04."""
    key = {"sentences": [["Ann", "met", "Bo", "."]], "clusters": [[[0, 0], [2, 2]]]}
    with pytest.raises(InputError, match=r'clusters alone, such as object\["clusters"\]'):
        score(key, {**key, "clusters": [[[0, 0]], [[2, 2]]]}, "lea")


def test_heads_that_change_nothing_are_refused_however_the_sides_are_given() -> None:
    """One side was read before, or is added to a scorer: the option was accepted, and stood in the signature."""
    path = TESTDATA / "demo" / "key.conll"
    scorer = Scorer("bcub", heads="last")
    scorer.add(path, path)
    told = pytest.raises(UsageError, match="--heads changes scores of CorefUD only")
    for key, response in ((read(path), path), (path, read(path))):
        with told:
            score(key, response, "bcub", heads="last")
    with told:
        scorer.result()
