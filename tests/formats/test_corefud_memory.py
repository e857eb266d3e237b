"""Clusters in memory beside CorefUD files: what they score is what the same mentions score in a file.

The files are written here, by a writer of its own, with the heads of a slow, obvious search for the highest word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import corefscore
import numpy as np
import pytest
from corefscore.core.errors import InputError, UsageError
from hypothesis import given
from hypothesis import strategies as st
from support import ROOT, TESTDATA

SHARED = ROOT.parent / "shared" / "corefud" / "cases"
OWN = TESTDATA / "corefud" / "scoring"
HEADER = "# global.Entity = eid-etype-head-other"


class Word(NamedTuple):
    """A word of a document: its sentence, its ID, its line in the file, the ID of its parent, and its place among the
    tokens of the document, None for an empty node."""

    sentence: int
    id: str
    line: int
    parent: str
    token: int | None

    @property
    def name(self) -> Any:
        """How Python calls it."""
        return (self.sentence, self.id) if self.token is None else self.token


def words_of(lines: list[str]) -> dict[str, list[Word]]:
    """The words of the documents of a plain file, in order; all sentences have a line between them."""
    found: dict[str, list[Word]] = {}
    name, sentence, tokens, begun = "", -1, 0, 0
    for at, line in enumerate(lines):
        if line.startswith("# newdoc"):
            begun += 1
            name, sentence, tokens = line.split(" = ")[1] if "=" in line else f"newdoc {begun}", -1, 0
        if line and not line.startswith("#") and (at == 0 or lines[at - 1][:1] in ("", "#")):
            sentence += 1
        columns = line.split("\t")
        if len(columns) == 10 and "-" not in columns[0]:
            overt = "." not in columns[0]
            word = Word(sentence, columns[0], at, columns[6], tokens if overt else None)
            found.setdefault(name, []).append(word)
            tokens += overt
    return found


def head(mention: list[Word], words: list[Word]) -> Word:
    """The token with the shortest way to the root, the first of several; the first word without tokens."""
    by_id = {(word.sentence, word.id): word for word in words}

    def depth(word: Word) -> int:
        return 1 + depth(by_id[word.sentence, word.parent]) if word.parent not in ("0", "_") else 0

    return min((word for word in mention if word.token is not None), key=depth, default=mention[0])


Side = dict[str, list[list[list[Word]]]]
"""Documents of entities of mentions of words."""


def written(lines: list[str], side: Side, words: dict[str, list[Word]]) -> str:
    """The file with the mentions of a side in place of its own; entities are named in their order."""
    opens: dict[int, list[tuple[int, str]]] = defaultdict(list)
    singles: dict[int, list[str]] = defaultdict(list)
    closes: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for document, (name, entities) in enumerate(side.items()):
        place_of = {word: at for at, word in enumerate(words[name])}
        for number, entity in enumerate(entities):
            for mention in entity:
                places = [place_of[word] for word in mention]
                gaps = (i for i in range(1, len(places)) if places[i] > places[i - 1] + 1)
                cuts = [0, *gaps, len(places)]
                parts = [mention[a:b] for a, b in pairwise(cuts)]
                for part, its in enumerate(parts, start=1):
                    label = f"e{document}{number:04}" + (f"[{part}/{len(parts)}]" if len(parts) > 1 else "")
                    full = f"({label}--{mention.index(head(mention, words[name])) + 1}-"
                    if len(its) == 1:
                        singles[its[0].line].append(f"{full})")
                    else:
                        opens[its[0].line].append((-its[-1].line, full))
                        closes[its[-1].line].append((-its[0].line, f"{label})"))
    found = []
    for at, line in enumerate(lines):
        columns = line.split("\t")
        if len(columns) == 10:
            brackets = [text for _, text in [*sorted(closes[at]), *sorted(opens[at])]]
            columns[9] = "Entity=" + "".join(brackets + singles[at])
        found.append("\t".join(columns))
    return re.sub(r"(?m)^# global\.Entity.*$", HEADER, "\n".join(found))


def fits(mention: list[Word], entity: list[list[Word]], words: list[Word]) -> bool:
    """Whether brackets can tell a mention from others of its entity: none of them overlap but for whole spans, one
    within the other."""
    place = {word: at for at, word in enumerate(words)}

    def bounds(its: list[Word]) -> tuple[int, int, bool]:
        first, last = place[its[0]], place[its[-1]]
        return first, last, last - first + 1 == len(its)

    first, last, whole = bounds(mention)
    for other in entity:
        start, end, its_whole = bounds(other)
        nested = (first <= start and end <= last) or (start <= first and last <= end)
        if start <= last and first <= end and not (nested and whole and its_whole):
            return False
    return True


def drawn(random: Random, words: dict[str, list[Word]]) -> Side:
    """Mentions of one sentence each, some with gaps, some of empty nodes, some annotated again."""
    side: Side = {}
    for name, its in words.items():
        entities: list[list[list[Word]]] = [[] for _ in range(random.randint(1, 5))]
        for _ in range(min(len(its), 14)):
            start = random.randrange(len(its))
            stretch = its[start : start + random.choice([1, 1, 2, 3, 6])]
            mention = [word for word in stretch if word.sentence == its[start].sentence]
            if len(mention) > 2 and random.random() < 0.4:
                mention.pop(random.randrange(1, len(mention) - 1))
            entity = random.choice(entities)
            if fits(mention, entity, its):
                entity.append(mention)
        side[name] = [entity for entity in entities if entity]
    return side


def in_memory(side: Side, words: dict[str, list[Word]], random: Random) -> dict[str, Any]:
    """The same for Python: whole spans that begin and end with tokens as two numbers, some of them word by word."""
    found: dict[str, Any] = {}
    for name, entities in side.items():
        place = {word: at for at, word in enumerate(words[name])}

        def given(mention: list[Word], place: dict[Word, int] = place) -> Any:
            first, last = mention[0], mention[-1]
            whole = place[last] - place[first] + 1 == len(mention)
            if whole and first.token is not None and last.token is not None and random.random() < 0.8:
                return random.choice([tuple, list])([first.token, last.token])
            if len(mention) == 1 and random.random() < 0.5:
                return first.sentence, first.id
            return {word.name for word in mention}

        found[name] = [[given(mention) for mention in entity] for entity in entities]
    return found


def scores(result: Any) -> Any:
    """All that was counted: totals and documents."""
    found = result.to_dict()
    return {name: value for name, value in found.items() if name not in ("notices", "version", "signature")}


def codes(result: Any) -> list[str]:
    """The codes of all notices but one: in memory each document has entities of its own, so none of a response goes on
    in another document."""
    return sorted(notice.code for notice in result.notices if notice.code != "split-entity")


WAYS = [
    {},
    {"matching": "exact", "zeros": "linear", "singletons": "keep"},
    {"matching": "partial", "task": "aligned"},
    {"heads": "last", "repeated": "first"},
]


def as_in_a_file(key: Path, folder: Path, random: Random, how: dict[str, Any]) -> None:
    """Score one drawn response both ways."""
    lines = key.read_text().split("\n")
    words = words_of(lines)
    side = drawn(random, words)
    path = folder / "response.conllu"
    path.write_text(written(lines, side, words))
    expected = corefscore.score(key, path, "corefud", **how)
    given = in_memory(side, words, random)
    found = corefscore.score(key, given, "corefud", **how)
    assert scores(found) == scores(expected)
    # A file has heads of its own.
    assert [code for code in codes(found) if code != "other-heads"] == codes(expected)


KEYS = {path.parent.name: path for path in sorted(OWN.glob("*/key.conllu"))}
OTHERS = {path.parent.name: path for kind in ("random", "real") for path in sorted(SHARED.glob(f"{kind}/*/key.conllu"))}


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@pytest.mark.parametrize(
    "name",
    [*KEYS, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS if name not in KEYS)],
)
def test_clusters_in_memory_score_as_in_a_file(name: str, tmp_path: Path) -> None:
    for at, how in enumerate(WAYS):
        as_in_a_file({**OTHERS, **KEYS}[name], tmp_path, Random(f"{name}{at}"), how)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A key of two documents of short sentences with empty nodes."""
    lines: list[str] = []
    for name in "ab":
        for sentence in range(draw(st.integers(1, 2))):
            lines += [] if sentence else [f"# newdoc id = {name}", *([HEADER] if name == "a" else [])]
            size = draw(st.integers(1, 5))
            for token in range(1, size + 1):
                entity = draw(st.sampled_from(["", "", "(e1--1)", "(e2--1)"]))
                parent = draw(st.integers(0, token - 1))
                lines.append(f"{token}\tw\t_\t_\t_\t_\t{parent}\t_\t_\tEntity={entity}")
                for node in range(draw(st.integers(0, 2))):
                    its = draw(st.sampled_from(["", "(e1--1)", "(e3--1)"]))
                    lines.append(f"{token}.{node + 1}\t_\t_\t_\t_\t_\t_\t_\t{parent}:a\tEntity={its}")
            lines.append("")
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory")


@pytest.mark.filterwarnings("ignore::corefscore.ScorerWarning")
@given(texts(), st.randoms(use_true_random=False), st.sampled_from(WAYS))
def test_any_clusters_in_memory_score_as_in_a_file(
    folder: Path, text: str, random: Random, how: dict[str, Any]
) -> None:
    key = folder / "memory-key.conllu"
    key.write_text(text)
    as_in_a_file(key, folder, random, how)


TEXT = f"""# newdoc id = d
{HEADER}
1\tAnn\t_\t_\t_\t_\t2\t_\t_\tEntity=(e1--1)
2\tsaw\t_\t_\t_\t_\t0\t_\t_\t_
3\tBo\t_\t_\t_\t_\t2\t_\t_\tEntity=(e2--1)

1\tran\t_\t_\t_\t_\t0\t_\t_\t_
1.1\t_\t_\t_\t_\t_\t_\t_\t1:nsubj\tEntity=(e1--1)
2\thome\t_\t_\t_\t_\t1\t_\t_\tEntity=(e2--1)

"""


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key.conllu"
    path.write_text(TEXT)
    return path


PERFECT: Any = [[(0, 0), (1, "1.1")], [[2, 2], {4}]]


@pytest.mark.parametrize(
    "clusters",
    [
        pytest.param({"d": PERFECT}, id="by name"),
        pytest.param(PERFECT, id="one document"),
        pytest.param([PERFECT], id="a list of documents"),
        pytest.param({"d": [{(0, 0), (1, "1.1")}, iter([(2, 2), [4]])]}, id="other collections"),
        pytest.param({"d": [[(0, "1"), (1, "1.1")], [(0, "3"), (1, "2")]]}, id="by ID"),
        pytest.param({"d": [[{0}, {(1, "1.1")}], np.array([[2, 2], [4, 4]])]}, id="an array"),
    ],
)
def test_what_clusters_can_be(key: Path, clusters: Any) -> None:
    assert corefscore.score(key, clusters, "conll,mor,zero").conll == 1


def test_clusters_can_be_the_key(key: Path) -> None:
    found = corefscore.score({"d": PERFECT}, key, "conll")
    assert found.conll == 1
    with pytest.raises(
        InputError, match='document "e": the clusters are those of a document that the other side lacks'
    ):
        corefscore.score({"e": PERFECT}, key, "conll")


def test_an_unknown_document_is_noticed(key: Path) -> None:
    with pytest.warns(corefscore.ScorerWarning, match="extra-document"):
        found = corefscore.score(key, {"d": PERFECT, "e": [[(0, 900)]]}, "conll")
    assert found.conll == 1


@pytest.mark.parametrize(
    ("mention", "what", "expected"),
    [
        pytest.param((0, 5), "(0, 5)", "tokens from 0 to 4, without empty nodes", id="a token outside"),
        pytest.param((-1, 0), "(-1, 0)", "tokens from 0 to 4", id="below 0"),
        pytest.param((1, 0), "(1, 0)", "a start that is not after the end", id="turned round"),
        pytest.param((2, 3), "(2, 3)", "words of one sentence; these are in sentences 0 to 1", id="two sentences"),
        pytest.param({0, (1, "1.1")}, "{", "words of one sentence", id="words of two sentences"),
        pytest.param((2, "1"), "(2, '1')", "a sentence from 0 to 1", id="a sentence outside"),
        pytest.param((1, "7.1"), "(1, '7.1')", "the ID of a word or an empty node of sentence 1", id="no such node"),
        pytest.param((1, "1-2"), "(1, '1-2')", "the ID of a word", id="a range"),
        pytest.param("1.1", "'1.1'", '(start, end), tokens counted from 0; (sentence, "5.1")', id="a node alone"),
        pytest.param(4, "4", "(start, end)", id="a number"),
        pytest.param((0, 1.0), "(0, 1.0)", "(start, end)", id="a fraction"),
        pytest.param((True, 2), "(True, 2)", "(start, end)", id="a truth value"),
        pytest.param(None, "None", "(start, end)", id="none"),
        pytest.param([], "[]", "(start, end)", id="nothing"),
        pytest.param([(0, 0), (2, 2)], "[(0, 0), (2, 2)]", "(start, end)", id="stretches"),
    ],
)
def test_mentions_that_are_none_are_refused(key: Path, mention: Any, what: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        corefscore.score(key, {"d": [[(0, 0), mention]]}, "conll")
    (finding,) = caught.value.findings
    assert (finding.path, finding.code) == ("response", "bad-mention")
    assert f'in document "d": a mention is {what}' in str(finding)
    assert f"expected {expected}" in str(finding)


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        pytest.param({"d": [(0, 1)]}, "a mention is 0", id="an entity is missing"),
        pytest.param({"d": 3}, "the clusters are int", id="a number"),
        pytest.param({"d": [3]}, "the clusters are list[int]", id="a list of numbers"),
        pytest.param({5: PERFECT}, "the clusters are named 5, which has the type int", id="a name that is none"),
        pytest.param([[[[(0, 0)]]]], "the clusters are list[list[list[list[tuple[int, int]]]]]", id="too deep"),
        pytest.param([[[(1, "1.1"), (1, "2")]]], "could be entities, or mentions of several words", id="two readings"),
        pytest.param([PERFECT, PERFECT], "a list of 2 documents, and the other side has 1", id="too many documents"),
        pytest.param({"d": [[(0, 2), (0, 1, 2)]]}, "all mentions as words, or all as start and end", id="doubt"),
    ],
)
def test_clusters_of_another_shape_are_refused(key: Path, clusters: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        corefscore.score(key, clusters, "conll")
    assert message in str(caught.value)


def test_a_mention_with_gaps_is_its_words(key: Path) -> None:
    """(0, 2) are three words, {0, 2} two of them: mention overlap counts words."""
    words = [
        corefscore.score(key, {"d": [[mention, (1, "1.1")]]}, "mor")["mor"].precision_counts.denominator
        for mention in ((0, 2), {0, 2}, [0, 1, 2])
    ]
    assert words == [4, 3, 4]


def test_every_call_takes_them(key: Path) -> None:
    """The scores are those of `score`; errors are found in the words of the key."""
    half = {"d": [[(0, 0), (1, "1.1"), (2, 2), (4, 4)]]}
    f1 = corefscore.score(key, half, "lea")["lea"].f1
    assert 0 < f1 < 1
    scorer = corefscore.Scorer("lea")
    scorer.add(key, half)
    assert scorer.result()["lea"].f1 == f1
    corpus = corefscore.read(key)
    assert corefscore.score(corpus, half, "lea")["lea"].f1 == f1
    assert corefscore.check(key, half, minimum={"lea": f1 / 2}).passed
    found = corefscore.analyse(key, half, "lea").analysis
    assert {name: count for name, count in found.counts.items() if count} == {"conflated": 1}
    assert [found.words(at) for at in range(4)] == ["Ann", "Bo", "∅", "home"]
    two = TEXT.replace("newdoc id = d", "newdoc id = c") + TEXT
    key.write_text(two)
    systems = {"half": {"c": half["d"], "d": half["d"]}, "all": {"c": PERFECT, "d": PERFECT}}
    assert corefscore.compare(key, systems, "lea").results["half"]["lea"].f1 == f1
    assert repr(corefscore.rank(key, systems, "lea", sort="lea")) == "<Ranking by lea.f1: 1-2 all, 1-2 half>"


def test_messages_show_the_words_of_the_other_side(key: Path) -> None:
    with pytest.warns(corefscore.ScorerWarning, match='"Ann saw Bo"'):
        corefscore.score(key, {"d": [[(0, 2), (4, 4)], [(0, 2), (3, 3)]]}, "conll")
    with pytest.warns(corefscore.ScorerWarning, match='response: .*"_"'):
        corefscore.score(key, {"d": [[(1, "1.1"), (4, 4)], [(1, "1.1"), (3, 3)]]}, "conll")


def test_both_sides_have_the_heads_with_which_one_was_read(key: Path) -> None:
    """Its last words were compared with the heads of the file, and it scored less than 100 against itself."""
    key.write_text(TEXT.replace("(e1--1)", "(e1--1", 1).replace("(e2--1)", "e1)(e2--1)", 1))
    last = corefscore.score(key, key, "conll", heads="last")
    assert corefscore.score(corefscore.read(key, heads="last"), key, "conll", heads="last").conll == 1
    read = corefscore.read(key, heads="last")
    for found in (corefscore.score(read, key, "conll"), corefscore.score(key, read, "conll")):
        assert (found.conll, found.signature) == (1, last.signature)
    assert corefscore.score(corefscore.read(key, heads="file"), corefscore.read(key), "conll").conll == 1
    two = key.with_name("two.conllu")
    two.write_text(key.read_text() + key.read_text().replace("id = d", "id = e"))
    several = corefscore.read(two, heads="last")
    for first, second in ((several, two), (two, several)):
        assert corefscore.compare(first, {"itself": second}, "lea.f1").results["itself"]["lea"].f1 == 1
        assert corefscore.explain(first, second).official["conll"].f1 == 1
    with pytest.raises(UsageError, match="heads=last: the key is not read from files here"):
        corefscore.score(corefscore.read(key), key, "conll", heads="last")
    with pytest.raises(UsageError, match="read with heads='last', another with heads=None; pass the same"):
        corefscore.score(read, corefscore.read(key), "conll")


def test_parses_are_refused(key: Path) -> None:
    with pytest.raises(UsageError, match="CorefUD lacks"):
        corefscore.score(key, {"d": PERFECT}, "conll", heads="parse")
