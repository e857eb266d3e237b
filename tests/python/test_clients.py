"""What programs that score from Python hold in their hands: an evaluator's calls, windows, the mean over documents."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corefscore import CorefEvaluator, InputError, Scorer, UsageError, analyse, compare, from_spacy, score
from corefscore.core.documents import Documents
from corefscore.matching.pairing import Pairs
from corefscore.matching.units import cut
from support import EXCERPTS, RECORDED, TESTDATA, call

DEMO = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")
SYSTEM = (TESTDATA / "systems" / "key.conll", TESTDATA / "systems" / "runs" / "ash.conll")
KEY = [((0, 1), (9, 9), (11, 11)), ((3, 3), (7, 7), (13, 13)), ((3, 5),), ((5, 5),)]
RESPONSE = [((0, 1), (9, 9), (11, 11)), ((3, 3), (13, 13)), ((5, 5), (7, 7))]
COREFUD = next((TESTDATA / "corefud").rglob("key.conllu"))
Span = tuple[int, int]


def mapping(clusters: Any) -> dict[Any, Any]:
    return {mention: cluster for cluster in clusters for mention in cluster}


# The class of training code


def test_the_evaluator_gives_the_means_of_the_three() -> None:
    evaluator = CorefEvaluator()
    evaluator.update(RESPONSE, KEY, mapping(RESPONSE), mapping(KEY))
    evaluator.update([], [], {}, {})
    evaluator.update([], KEY, {}, mapping(KEY))
    expected = score([KEY, [], KEY], [RESPONSE, [], []], "conll")
    precision, recall, f1 = evaluator.get_prf()
    assert (precision, recall, f1) == (expected["conll"].precision, expected["conll"].recall, expected.conll)
    assert (evaluator.get_precision(), evaluator.get_recall(), evaluator.get_f1()) == (precision, recall, f1)
    names = ("muc", "bcub", "ceafe")
    for metric, one in zip(names, evaluator.evaluators, strict=True):
        its = expected[metric]
        assert one.get_prf() == (its.precision, its.recall, its.f1)
        assert (one.get_precision(), one.get_recall(), one.get_f1()) == one.get_prf()
    assert evaluator.result().names == ("0", "1", "2")
    evaluator.reset()
    with pytest.raises(UsageError, match="no document was added"):
        evaluator.get_f1()


def test_singletons_of_the_evaluator_are_an_option() -> None:
    """The key has two, the response one: (7, 7)."""
    response = [*RESPONSE[:2], ((7, 7),)]
    scores = {}
    for way in ("keep", "drop-response", "drop"):
        evaluator = CorefEvaluator(singletons=way)
        evaluator.update(response, KEY)
        scores[way] = evaluator.result().mentions[:2]
    assert scores == {"keep": (6 / 8, 1.0), "drop-response": (5 / 8, 1.0), "drop": (5 / 6, 1.0)}


def test_mentions_of_several_documents_tell_these_apart() -> None:
    key = [[("a", 0, 1), ("b", 3, 3)], [("a", 4, 4), ("b", 0, 1)]]
    evaluator = CorefEvaluator("lea")
    evaluator.update(key, key, mapping(key), mapping(key))
    assert evaluator.get_prf() == (1.0, 1.0, 1.0)
    assert [one.get_f1() for one in evaluator.evaluators] == [1.0]


def test_lists_from_json_agree_with_mappings_of_tuples() -> None:
    evaluator = CorefEvaluator()
    evaluator.update([[[0, 1], [4, 4]]], [[(0, 1), (4, 4)]], {(0, 1): 0, (4, 4): 0}, None)
    assert evaluator.get_f1() == 1.0


@pytest.mark.parametrize(
    ("mappings", "message"),
    [
        (({(0, 0): 1}, None), "mention_to_predicted has a mention that the clusters lack: (0, 0)"),
        ((None, {(0, 1): 1}), "mention_to_gold lacks a mention of the clusters: "),
    ],
)
def test_mappings_that_contradict_the_clusters_are_refused(mappings: Any, message: str) -> None:
    evaluator = CorefEvaluator()
    with pytest.raises(UsageError) as caught:
        evaluator.update([], [((0, 1), (4, 4))], *mappings)
    assert message in str(caught.value)
    with pytest.raises(UsageError, match="no document was added"):
        evaluator.result()


def test_a_wrong_call_of_the_evaluator_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean singletons"):
        CorefEvaluator(singleton="drop")  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="means several measures"):
        CorefEvaluator("muc,lea")
    with pytest.raises(InputError, match="expected a document, not a list of documents"):
        CorefEvaluator().update([KEY], [KEY])


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ({"0": [(0, 1), (4, 4)], "1": [(2, 2)]}, "give clusters by id as list(clusters.values())"),
        ({0: [(0, 1), (4, 4)]}, "give clusters by id as list(clusters.values())"),
        ([(0, 1), (4, 4)], "the clusters are list[tuple[int, int]]"),  # one entity alone
        (["ab", "cd"], "the clusters are list[str]"),
        (None, "None is not a mention"),
    ],
)
def test_what_is_no_document_is_refused_by_the_evaluator(clusters: Any, message: str) -> None:
    evaluator = CorefEvaluator()
    for sides in ((clusters, KEY), (KEY, clusters), (clusters, clusters)):
        with pytest.raises(InputError) as caught:
            evaluator.update(*sides)
        assert message in str(caught.value)
    with pytest.raises(UsageError, match="no document was added"):
        evaluator.result()


def test_generators_are_read_by_the_evaluator() -> None:
    evaluator = CorefEvaluator()
    evaluator.update((iter(entity) for entity in KEY), (entity for entity in KEY), mapping(KEY), mapping(KEY))
    assert evaluator.get_f1() == 1


# Documents of spaCy


def doc(**groups: list[Span]) -> Any:
    """What a document of spaCy is to us: groups of spans that end behind their last token."""
    spans = {name: [SimpleNamespace(start=a, end=b) for a, b in its] for name, its in groups.items()}
    return SimpleNamespace(spans=spans)


def test_groups_of_spans_are_entities() -> None:
    found = from_spacy(doc(coref_clusters_10=[(7, 8)], coref_clusters_2=[(0, 2), (4, 5)], ents=[(0, 9)]))
    assert found == [[(0, 1), (4, 4)], [(7, 7)]]
    heads = doc(coref_head_clusters_1=[(1, 2), (4, 5)], coref_clusters_x=[(0, 1)])
    assert from_spacy(heads, heads=True) == [[(1, 1), (4, 4)]]
    assert from_spacy(doc(ents=[(0, 1)])) == []
    assert score([from_spacy(doc(coref_clusters_1=[(0, 2), (4, 5)]))], [found], "muc")["muc"].f1 == 1


def test_other_groups_than_those_asked_for_are_told_of() -> None:
    with pytest.raises(UsageError, match=r"groups coref_head_clusters_\*, and no coref_clusters_\*; write heads=True"):
        from_spacy(doc(coref_head_clusters_1=[(1, 2)]))
    with pytest.raises(UsageError, match="a str has no groups of spans"):
        from_spacy("text")


# The mean over documents


def test_the_mean_over_documents_is_that_of_each_score() -> None:
    result = score(*SYSTEM, "all")
    every = list(result.documents.values())
    for measure, its in result.mean.items():
        for at in range(3):
            assert its[at] == pytest.approx(np.mean([each[measure][at] for each in every]))
        assert its.recall_counts.denominator == len(every)
    assert result.mean.conll != result.conll
    assert result.mean["muc"].to_dict()["recall_denominator"] == 24


def test_the_mean_is_a_row_of_its_own_in_every_layout(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    result = score(*SYSTEM, "lea")
    options = ("lea", *SYSTEM, "--average", "documents", "--format")
    printed = call(capfdbinary, *options, "csv").stdout.decode()
    rows = {(row["kind"], row["measure"]): row for row in csv.DictReader(io.StringIO(printed))}
    assert float(rows["macro", "lea"]["f1"]) == pytest.approx(100 * result.mean["lea"].f1)
    assert float(rows["total", "lea"]["f1"]) == pytest.approx(100 * result["lea"].f1)
    data = json.loads(call(capfdbinary, *options, "json").stdout)
    assert data["macro"] == result.mean.to_dict()
    assert data["total"] == result.total.to_dict()
    assert data["signature"] == f"{result.signature} | average=documents"
    table = call(capfdbinary, *options, "table").stdout.decode()
    assert table.splitlines()[-1].endswith("| average=documents")
    assert "macro" in table and "total" in table
    assert b"macro" in call(capfdbinary, *options, "latex").stdout
    assert call(capfdbinary, *options[:-1]).stdout.decode() == table


@pytest.mark.parametrize(("singletons", "micro", "macro"), [("keep", 78.42, 70.34), ("drop", 57.16, 31.18)])
def test_the_mean_is_what_other_evaluators_call_macro(singletons: str, micro: float, macro: float) -> None:
    """What TANL printed for the same pair, which has 206 documents."""
    folder = EXCERPTS / "ecbplus-withindoc"
    key, response = (next(folder.rglob(name)) for name in ("key*", "*lemma-baselines-lemma-wd*"))
    result = score(key, response, "conll", singletons=singletons)
    assert (round(100 * result.conll, 2), round(100 * result.mean.conll, 2)) == (micro, macro)


# Windows


def cut_by_hand(documents: dict[str, list[list[Span]]], size: int, length: int) -> dict[str, list[list[Span]]]:
    """The slow, obvious way: each window as a document of its own, named by its tokens."""
    found: dict[str, list[list[Span]]] = {}
    for name, entities in documents.items():
        for begin in range(0, length, size):
            window = [[span for span in its if begin <= span[0] < begin + size] for its in entities]
            found[f"{name} [{begin}, {begin + size})"] = [its for its in window if its]
    return found


def drawn(numbers: random.Random, length: int) -> list[list[Span]]:
    entities: dict[int, list[Span]] = defaultdict(list)
    for start in range(length):
        if numbers.random() < 0.6:
            entities[numbers.randrange(length // 4)].append((start, min(length - 1, start + numbers.randrange(4))))
    entities[0].append((length - 1, length - 1)) if (length - 1, length - 1) not in entities[0] else None
    return list(entities.values())


@pytest.mark.parametrize("size", [1, 7, 20, 60, 1000])
def test_windows_score_as_documents_cut_by_hand(size: int) -> None:
    numbers = random.Random(5)
    key, response = ({name: drawn(numbers, 60) for name in "ab"} for _ in range(2))
    found = score(key, response, "every", window=size)
    expected = score(cut_by_hand(key, size, 60), cut_by_hand(response, size, 60), "every")
    assert found.names == expected.names
    for metric, counts in expected.counts.items():
        assert found.counts[metric] == pytest.approx(counts)
    assert f"| window={size}" in found.signature
    total = sum(len(its) for document in key.values() for its in document)
    assert found.mentions.recall_counts.denominator <= total
    crossing = [notice for notice in found.notices if notice.code == "crosses-window"]
    over = [
        s for side in (key, response) for d in side.values() for its in d for s in its if s[0] // size != s[1] // size
    ]
    assert len(crossing) == len(over)


def test_every_mention_is_in_one_window_that_of_its_first_token() -> None:
    """Tokens 0 to 2 and 3 to 5: (2, 3) crosses, (3, 3) begins the second window, the last one is not counted twice."""
    key = [[(0, 0), (2, 3), (3, 3)], [(5, 5), (2, 2)]]
    result = score(key, key, "muc", window=3)
    assert result.names == ("document [0, 3)", "document [3, 6)")
    assert [its.mentions.recall_counts.denominator for its in result.documents.values()] == [3, 2]
    (one, other) = result.notices
    assert str(one) == (
        'key: notice[crosses-window] in document "document": "(2, 3)" (tokens 2 to 3) extends beyond its '
        "window, which ends before token 3\n  on both sides such a mention counts in the window of its first token"
    )
    assert other.path == "response"


def test_windows_know_how_long_each_side_is_in_them() -> None:
    """Seven tokens in the key; the response ends before the third window, and begins a mention after the fourth. A
    document without tokens is one window."""
    of = {"key": ([7, 0, 2], [], []), "response": ([5, 0, -1], [0, 0], [1, 10])}
    key, response = (
        Documents(
            names=["a", "b", "c"],
            places=[None] * 3,
            tokens=np.array(tokens),
            document=np.zeros(len(starts[:1]), dtype=np.int64),
            label=np.zeros(len(starts[:1]), dtype=np.int64),
            entity=np.array(entities, dtype=np.int64),
            start=np.array(starts, dtype=np.int64),
            end=np.array(starts, dtype=np.int64),
            line=np.zeros(len(starts), dtype=np.int64),
        )
        for tokens, entities, starts in of.values()
    )
    pairs, windows = cut(Pairs(key, response, np.ones(3, dtype=np.bool_)), 2)
    borders = ["a [0, 2)", "a [2, 4)", "a [4, 6)", "a [6, 8)", "a [8, 10)", "a [10, 12)", "b [0, 2)", "c [0, 2)"]
    assert windows.named(key.names) == borders
    assert pairs.key.tokens.tolist() == [2, 2, 2, 1, 0, 0, 0, 2]
    assert pairs.response.tokens.tolist() == [2, 2, 1, 0, 0, 0, 0, -1]
    assert pairs.response.document.tolist() == [0, 5]
    _, windows = cut(Pairs(key, response, np.ones(3, dtype=np.bool_)), 1)
    assert windows.named(key.names)[11:] == ["b [0, 1)", "c [0, 1)", "c [1, 2)"]


def test_so_many_windows_are_too_many_for_three_mentions() -> None:
    """10,000, and 30 for each mention, if nothing says how many tokens there are."""
    key, response = [[(0, 0), (10_089, 10_089)]], [[(0, 0)]]
    assert len(score(key, response, "muc", window=1).names) == 10_090
    key[0][1] = 10_090, 10_090
    with pytest.raises(
        UsageError, match='document "document", which has no words, are in 10091 windows; expected at most 10090'
    ):
        score(key, response, "muc", window=1)


def test_windows_of_texts_are_as_many_as_there_are() -> None:
    """One text of 20,000 tokens, or 10,500 empty ones."""
    for tokens in ([20_000], [0] * 10_500):
        side = Documents([str(at) for at in range(len(tokens))], [None] * len(tokens), np.array(tokens))
        _, windows = cut(Pairs(side, side, np.ones(len(tokens), dtype=np.bool_)), 1)
        assert len(windows.document) == max(sum(tokens), len(tokens))


def test_a_mention_that_extends_beyond_the_last_window_makes_none() -> None:
    key = [[(0, 0), (2, 9)]]
    assert score(key, key, "muc", window=3).names == ("document [0, 3)",)
    assert score(key, key, "muc", window=10**21)["muc"].f1 == 1, "a number that no column has"


def test_windows_of_files_are_those_of_the_command(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    result = score(*SYSTEM, "conll", window=5)
    data = json.loads(call(capfdbinary, "conll", *SYSTEM, "--window", "5", "--format", "json", "--documents").stdout)
    assert data["total"] == result.total.to_dict()
    assert data["options"]["window"] == 5
    assert list(data["documents"]) == list(result.names)
    official = call(capfdbinary, "muc", *DEMO, "--window", "7").stdout.decode()
    assert "(demo/cats); part 000 [7, 14);" not in official
    assert "====> (demo/cats); part 000 [7, 14):" in official
    assert call(capfdbinary, "muc", *DEMO, "--window", "0").status == 2


def test_a_window_as_long_as_the_document_changes_no_digit(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for case in ("plain-0036", "documents-0051"):
        pair = RECORDED / case / "key.conll", RECORDED / case / "response.conll"
        whole = call(capfdbinary, "all", *pair, "none").stdout
        assert call(capfdbinary, "all", *pair, "none", "--window", "100000").stdout == whole


def test_windows_of_one_document_are_one_unit() -> None:
    found = compare(SYSTEM[0], {"ash": SYSTEM[1]}, "lea", trials=20, window=5)
    assert found.to_dict()["units"] == 12
    assert compare(SYSTEM[0], {"ash": SYSTEM[1]}, "lea", trials=20, window=5, unit="part").to_dict()["units"] > 24


def test_a_scorer_has_windows_too() -> None:
    scorer, other = Scorer("muc", window=3), Scorer("muc", window=3)
    key: list[list[Span]] = [[(0, 0), (2, 2), (3, 3)], [(5, 5), (4, 4)]]
    scorer.add(key, key)
    other.add([key, key], [key, key])
    scorer.merge(other)
    assert scorer.result().names == tuple(f"{n} [{b}, {b + 3})" for n in range(3) for b in (0, 3))
    assert dict(scorer.result()) == dict(score([key] * 3, [key] * 3, "muc", window=3))
    with pytest.raises(UsageError, match="cannot be merged"):
        scorer.merge(Scorer("muc"))


@pytest.mark.parametrize(
    ("key", "how", "message"),
    [
        pytest.param(
            [["a", "b"]], {"window": 3}, "needs mentions of the form (start, end), and the key has others", id="text"
        ),
        pytest.param([[(0, 0)]], {"window": 0}, "window=0: expected a whole number, 1 or more", id="none"),
        pytest.param([[(0, 0)]], {"window": 2.5}, "window=2.5: expected a whole number", id="no whole number"),
        pytest.param(
            next((TESTDATA / "corefud").rglob("key.conllu")),
            {"window": 3},
            "--window cannot be used with CorefUD",
            id="CorefUD",
        ),
    ],
)
def test_windows_that_cannot_be_are_refused(key: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        score(key, key, "muc", **how)
    assert message in str(caught.value)


def test_errors_are_found_in_whole_documents() -> None:
    with pytest.raises(UsageError, match="errors are found in whole documents"):
        analyse(*DEMO, window=3)


def test_a_window_is_a_document_of_its_own_for_names(tmp_path: Path) -> None:
    """CONE counts named mentions; the names of a window are those that begin in it."""
    rows = [("(PER)", "(1)"), ("*", "-"), ("*", "(1)"), ("*", "-"), ("(PER)", "(1)")]
    lines = [f"d 0 {at} w NN * - - - - {name} {cell}" for at, (name, cell) in enumerate(rows)]
    file = tmp_path / "file.conll"
    file.write_text("#begin document (d); part 000\n" + "\n".join(lines) + "\n\n#end document\n")
    result = score(file, file, "cone", window=3)
    assert list(result.names) == ["(d); part 000 [0, 3)", "(d); part 000 [3, 6)"]
    named = next(name for name in result if name.startswith("cone"))
    assert [its[named].recall_counts.denominator for its in result.documents.values()] == [1, 1]
