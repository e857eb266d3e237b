"""CONE: the paper's example, which mentions are named, the column of names, and hand-pruned files as a slow twin."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import corefscore
import pytest
from corefscore.core import workers
from corefscore.core.documents import joined
from corefscore.core.errors import InputError, UsageError
from corefscore.core.names import EITHER, NAMED_BY, name_options
from corefscore.formats import Reading
from corefscore.formats.conll import reader as conll
from corefscore.metrics import GROUPS, NAMES, find
from corefscore.metrics.base import NAMED
from names import Mention, Partition, tagged, written
from reading import read
from support import CORPORA, EXCERPTS, FURTHER, TESTDATA, call, loaded, within

DEMO = TESTDATA / "names"

# Section 4.1 of the paper; A, B and C are the named mentions, 1 to 4 the others.
A, B, C, ONE, TWO, THREE, FOUR = ((token, token) for token in range(7))
PAPER_NAMES = {A: "PERSON", B: "PERSON", C: "PERSON"}
G = [[A, B, C, ONE, TWO, THREE, FOUR]]
O1 = [[A, B, ONE, TWO, THREE]]
O2 = [[A, C, ONE, TWO, FOUR], [B, THREE]]


def counts(score: corefscore.Score) -> tuple[object, ...]:
    recall, precision = score.recall_counts, score.precision_counts
    return (
        Fraction(recall.numerator).limit_denominator(1000),
        recall.denominator,
        Fraction(precision.numerator).limit_denominator(1000),
        precision.denominator,
    )


def test_a_file_without_names_gives_no_warning_of_numpy(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    case = TESTDATA / "recorded" / "repeat-too-many-0050"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = call(capfdbinary, "cone", case / "key.conll", case / "response.conll")
    assert b"error[no-names]" in found.stderr


@pytest.mark.parametrize(
    ("response", "measure", "expected"),
    [
        # G cut down is (A B C); O1 cut down (A B), O2 cut down (A C) (B).
        pytest.param(O1, "cone_b3", (Fraction(4, 3), 3, 2, 2), id="O1: 2 mentions x 2/3, and 2 x 2/2"),
        pytest.param(O1, "cone_ceaf", (2, 3, 2, 2), id="O1: the one pair shares 2"),
        pytest.param(O1, "cone_mentions", (2, 3, 2, 2), id="O1: A and B of three"),
        pytest.param(O2, "cone_b3", (Fraction(5, 3), 3, 3, 3), id="O2: 2 x 2/3 + 1/3, and 2 x 2/2 + 1/1"),
        pytest.param(O2, "cone_ceaf", (2, 3, 2, 3), id="O2: (A C) is assigned, B is not"),
        # Whole, for comparison: 5 of 7; 5 and 2 of 7.
        pytest.param(O1, "bcub", (Fraction(25, 7), 7, 5, 5), id="O1 whole"),
        pytest.param(O2, "bcub", (Fraction(29, 7), 7, 7, 7), id="O2 whole"),
        pytest.param(O2, "ceafm", (5, 7, 5, 7), id="O2 whole, CEAF"),
    ],
)
def test_the_example_of_the_paper(
    response: Partition, measure: str, expected: tuple[object, ...], tmp_path: Path
) -> None:
    words = "A B C 1 2 3 4"
    key, its = written(tmp_path, key=tagged(words, G, PAPER_NAMES), response=tagged(words, response, {}))
    assert counts(corefscore.score(key, its, "cone,bcub,ceafm")[measure]) == expected


def test_the_official_layout(tmp_path: Path) -> None:
    """O2: recall 5/9, precision 1, F1 5/7; listings and mention counts are those of named mentions."""
    words = "A B C 1 2 3 4"
    key, response = written(tmp_path, key=tagged(words, G, PAPER_NAMES), response=tagged(words, O2, {}))
    rule = "-" * 74 + "\n"
    identification = "Identification of Named Mentions: Recall: (3 / 3) 100%\tPrecision: (3 / 3) 100%\tF1: 100%\n"
    lines = (
        f"CONE-B3: Recall: (1.66666666666667 / 3) 55.55%\tPrecision: (3 / 3) 100%\tF1: 71.42%\n{rule}"
        f"CONE-CEAF: Recall: (2 / 3) 66.66%\tPrecision: (2 / 3) 66.66%\tF1: 66.66%\n{rule}"
    )
    name = "(d); part 000"
    assert within("cone", key, response).body.decode() == (
        f"====> {name}:\nFile {name}:\nEntity 0: (0,0) (1,1) (2,2)\n"
        f"====> {name}:\nFile {name}:\nEntity 0: (0,0) (2,2)\nEntity 1: (1,1)\n"
        f"{name}:\nTotal key mentions: 3\nTotal response mentions: 3\nStrictly correct identified mentions: 3\n"
        f"Partially correct identified mentions: 0\nNo identified: 0\nInvented: 0\n{lines}"
        f"\n====== TOTALS =======\n{identification}{rule}{lines}"
    )


# Which mentions are named


SENTENCE = "the wife of President Bush met Bush in New York City"
SENTENCE_NAMES = {(4, 4): "PERSON", (6, 6): "PERSON", (8, 10): "GPE"}


@pytest.mark.parametrize(
    ("way", "mention", "name"),
    [
        ("exact", (4, 4), (4, 4)),
        ("exact", (8, 10), (8, 10)),
        ("exact", (3, 4), None),
        ("exact", (8, 9), None),
        ("head", (4, 4), (4, 4)),
        ("head", (3, 4), (4, 4)),
        ("head", (0, 4), (4, 4)),
        ("head", (7, 10), (8, 10)),
        ("head", (4, 5), None),
        ("head", (9, 10), None),
        ("contains", (4, 5), (4, 4)),
        ("contains", (0, 5), (4, 4)),
        ("contains", (7, 10), (8, 10)),
        ("contains", (4, 6), None),
        ("contains", (6, 10), None),
        # Names that cross the bounds of a mention do not name it, whichever side they cross.
        ("contains", (7, 9), None),
        ("contains", (9, 10), None),
        ("head", (8, 9), None),
        ("contains", (6, 9), (6, 6)),
    ],
)
def test_which_mention_is_named(way: str, mention: Mention, name: Mention | None, tmp_path: Path) -> None:
    """A response with the span of the name itself shows which name it is."""
    (key,) = written(tmp_path, key=tagged(SENTENCE, [[mention]], SENTENCE_NAMES))
    for span in SENTENCE_NAMES:
        (response,) = written(tmp_path, response=tagged(SENTENCE, [[span]], {}))
        found = corefscore.score(key, response, "cone", named=way)["cone_mentions"]
        assert counts(found) == (int(span == name), int(name is not None), int(span == name), 1)


def test_a_mention_meets_another_of_the_same_name(tmp_path: Path) -> None:
    key, response = written(
        tmp_path,
        key=tagged(SENTENCE, [[(3, 4), (6, 6)]], SENTENCE_NAMES),
        response=tagged(SENTENCE, [[(4, 4), (6, 6)]], {}),
    )
    assert corefscore.score(key, response, "cone", named="head")["cone_b3"].f1 == 1
    assert counts(corefscore.score(key, response, "cone")["cone_b3"]) == (1, 1, Fraction(1, 2), 2)


def test_a_name_names_the_shortest_mention(tmp_path: Path) -> None:
    """`the wife of President Bush` is not he, where `President Bush` is a mention as well."""
    key, response = written(
        tmp_path,
        key=tagged(SENTENCE, [[(0, 4)], [(3, 4), (6, 6)]], SENTENCE_NAMES),
        response=tagged(SENTENCE, [[(3, 4), (6, 6)]], {}),
    )
    assert corefscore.score(key, response, "cone", named="head")["cone_ceaf"].f1 == 1


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        pytest.param({}, 2, id="numbers and times do not count"),
        pytest.param({"ne_types": "all"}, 3, id="all"),
        pytest.param({"ne_types": "date"}, 1, id="without case"),
        pytest.param({"ne_types": "Person, GPE"}, 2, id="several"),
        pytest.param({"ne_types": "PERSON"}, 1, id="the others do not"),
        pytest.param({"ne_types": ["person", "GPE"]}, 2, id="a list"),
        pytest.param({"ne_types": "usual,DATE"}, 3, id="the usual ones, and one that is not"),
        pytest.param({"ne_types": "Usual, person"}, 2, id="the usual ones, and one of them"),
        pytest.param({"ne_types": "PERSON,all"}, 3, id="all, whatever else"),
    ],
)
def test_which_types_count(types: Mapping[str, Any], expected: int, tmp_path: Path) -> None:
    names = {(0, 0): "Date", (1, 1): "person", (2, 2): "GPE"}
    (both,) = written(tmp_path, both=tagged("x y z", [[(0, 0), (1, 1)], [(2, 2)]], names))
    found = corefscore.score(both, both, "cone", **types)
    assert found["cone_mentions"].recall_counts.denominator == expected


def test_roles_of_predicates_are_no_names(tmp_path: Path) -> None:
    """The column after that of names, which takes its place in a file without one of the columns before it."""
    roles = {(0, 0): "ARG0", (1, 1): "V", (2, 2): "R-ARG1", (3, 3): "C-V", (4, 4): "ARGM-TMP"}
    (both,) = written(tmp_path, both=tagged("x y z u v", [[(0, 0), (2, 2)], [(4, 4)]], roles))
    with pytest.raises(corefscore.InputError, match=r"types that do not count: ARG0 \(1\), ARGM-TMP \(1\), C-V"):
        corefscore.score(both, both, "cone")
    assert corefscore.score(both, both, "cone", ne_types="usual,V,ARG0")["cone_b3"].recall_counts.denominator == 1


def test_singletons_are_what_has_one_named_mention(tmp_path: Path) -> None:
    """(A 1) and (B C) have two mentions, and one and two names."""
    words = "A B C 1 2 3 4"
    (both,) = written(tmp_path, both=tagged(words, [[A, ONE], [B, C]], PAPER_NAMES))
    assert corefscore.score(both, both, "cone", singletons="drop")["cone_b3"].recall_counts.denominator == 2


# The slow twin: files that were cut down by hand, scored with B-cubed and CEAF-m


def random_names(numbers: random.Random, tokens: int) -> dict[Mention, str]:
    names = {}
    token = 0
    while token < tokens:
        end = min(tokens - 1, token + numbers.choice((0, 0, 1, 2)))
        if numbers.random() < 0.3:
            names[token, end] = numbers.choice(("PERSON", "org", "DATE"))
            token = end
        token += 1
    return names


def random_partition(numbers: random.Random, tokens: int, names: Sequence[Mention]) -> Partition:
    """Most of the names, and mentions around them; no two mentions of one entity cross."""
    mentions = {name for name in names if numbers.random() < 0.8}
    for _ in range(6):
        start = numbers.randrange(tokens)
        mentions.add((start, min(tokens - 1, start + numbers.choice((0, 1, 2, 5)))))
    entities: list[list[Mention]] = [[] for _ in range(numbers.randint(1, 6))]
    for mention in sorted(mentions):
        entity = numbers.choice(entities)
        if not any(start < mention[0] <= end < mention[1] for start, end in entity):
            entity.append(mention)
    numbers.shuffle(entities)
    return [entity for entity in entities if entity]


def name_of(mention: Mention, names: Sequence[Mention], way: str) -> Mention | None:
    start, end = mention
    if way == "exact":
        return mention if mention in names else None
    if way == "head":
        return next((name for name in names if name[1] == end and start <= name[0]), None)
    inside = [name for name in names if start <= name[0] and name[1] <= end]
    return inside[0] if len(inside) == 1 else None


def pruned(partition: Partition, names: Sequence[Mention], way: str) -> Partition:
    """The partition of section 4 of the paper, mention by mention."""
    chosen: dict[Mention, Mention] = {}
    for mention in sorted({m for entity in partition for m in entity}, key=lambda m: (m[1] - m[0], m[0])):
        name = name_of(mention, names, way)
        if name is not None:
            chosen.setdefault(name, mention)
    of_mention = {mention: name for name, mention in chosen.items()}
    entities = [[of_mention[mention] for mention in entity if mention in of_mention] for entity in partition]
    return [entity for entity in entities if entity]


@pytest.mark.parametrize("way", NAMED_BY)
@pytest.mark.parametrize("seed", range(12))
def test_cone_is_bcubed_and_ceaf_of_files_cut_down_by_hand(way: str, seed: int, tmp_path: Path) -> None:
    """To the last bit, for the sum of a document and of all."""
    numbers = random.Random(seed)
    texts = {"key": "", "response": "", "pruned_key": "", "pruned_response": ""}
    for number in range(4):
        tokens = numbers.choice((12, 20, 40))
        names = {(0, 0): "PERSON"} | {s: kind for s, kind in random_names(numbers, tokens).items() if s[0]}
        counting = [span for span, kind in names.items() if kind != "DATE"]
        words = [f"w{token}" for token in range(tokens)]
        for side in ("key", "response"):
            partition = random_partition(numbers, tokens, list(names))
            document = f"(d); part {number:03}"
            texts[side] += tagged(words, partition, names, document=document)
            texts[f"pruned_{side}"] += tagged(words, pruned(partition, counting, way), names, document=document)
    key, response, *by_hand = written(tmp_path, **texts)
    for singletons in ("keep", "drop-response", "drop"):
        found = corefscore.score(key, response, "cone", named=way, singletons=singletons)
        expected = corefscore.score(by_hand[0], by_hand[1], "bcub,ceafm", singletons=singletons)
        for name, scores in [*found.documents.items(), ("", found)]:
            by_hand_scores = expected.documents[name] if name else expected
            for measure, twin in (("cone_mentions", "mentions"), ("cone_b3", "bcub"), ("cone_ceaf", "ceafm")):
                assert scores[measure] == by_hand_scores[twin]


def test_repeats_are_decided_before_anything_is_cut_off(tmp_path: Path) -> None:
    """B is in both entities of the response. Entity 0 appears first, by a mention without a name, so its copy stays,
    though the first name of entity 1 comes before."""
    words = "1 A B 2"
    names = {(1, 1): "PERSON", (2, 2): "PERSON"}
    key, response = written(
        tmp_path,
        key=tagged(words, [[(1, 1)], [(2, 2)]], names),
        response=tagged(words, [[(0, 0), (2, 2)], [(1, 1), (2, 2)]], {}),
    )
    assert counts(corefscore.score(key, response, "cone")["cone_b3"]) == (2, 2, 2, 2)
    with pytest.raises(InputError, match="is annotated 2 times"):
        corefscore.score(key, response, "cone", repeated="refuse")


def test_sums_are_added_as_if_nothing_but_names_were_marked(tmp_path: Path) -> None:
    """The digits of B-cubed hang on the order of entities, which begin elsewhere when they are cut down."""
    random = Random(0)
    words = [f"w{token}" for token in range(400)]
    spans = [(token, token) for token in range(400)]
    names = {span: "PERSON" for span in spans if random.random() < 0.5}
    sides = {}
    for side in ("key", "response"):
        entities: list[list[tuple[int, int]]] = [[] for _ in range(60)]
        for span in spans:
            random.choice(entities).append(span)
        left = [[span for span in entity if span in names] for entity in entities]
        sides[side] = tagged(words, entities, names)
        sides[f"cut_{side}"] = tagged(words, left, {})
    key, cut_key, response, cut_response = written(tmp_path, **sides)
    whole, cut = corefscore.score(key, response, "cone"), corefscore.score(cut_key, cut_response, "bcub,ceafm")
    assert whole["cone_b3"] == cut["bcub"]
    assert whole["cone_ceaf"] == cut["ceafm"]


def test_names_of_a_side_that_has_none_of_the_documents(tmp_path: Path) -> None:
    """It counts as a document without mentions, and has no names to miss."""
    key, response = written(
        tmp_path,
        key=tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, document="one"),
        response=tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, document="other"),
    )
    found = corefscore.score(key, response, "cone", ne_from="own")
    assert counts(found["cone_b3"]) == (0, 1, 0, 0)
    assert "missing-document" in [notice.code for notice in found.notices]


def test_a_side_that_lacks_the_first_documents_is_looked_at_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conll, "BATCH", 1)
    monkeypatch.setattr(conll, "BLOCK", 100)
    documents = [tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, document=f"d{number}") for number in range(4)]
    without = tagged("a b", [[(0, 0), (1, 1)]], {}, document="d3")
    key, response = written(tmp_path, key="".join(documents), response=without)
    with pytest.raises(InputError, match=r"response: error\[no-names\]"):
        corefscore.score(key, response, "cone", ne_from="own")


# The column of names


def names_in(
    text: str, folder: Path, columns: str | None = None, **how: object
) -> list[tuple[int, int, str, tuple[str, ...]]]:
    (path,) = written(folder, file=text)
    names = replace(name_options(how), ne_from=EITHER)
    documents = joined(list(read(str(path), [], Reading(columns=columns), names=names)))
    found = documents.named_entities
    assert found is not None
    rows = zip(found.start.tolist(), found.end.tolist(), found.type, map(tuple, found.words), strict=True)
    return list(rows)


def lines(*cells: str) -> str:
    """A document of the words a, b, c ... with these cells in column 6, the last but one."""
    rows = [f"d\t0\t{at}\t{chr(97 + at)}\tX\t{cell}\t-" for at, cell in enumerate(cells)]
    return "\n".join(["#begin document d", *rows, "#end document", ""])


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(PER*", "*", "*)"], [(0, 2, "PER", ("a", "b", "c"))]),
        (["(PER)", "(LOC*)", "*"], [(0, 0, "PER", ("a",)), (1, 1, "LOC", ("b",))]),
        (["(PER", "-", ")"], [(0, 2, "PER", ("a", "b", "c"))]),
        (["(work of-art)".replace(" ", "_"), "_", ""], [(0, 0, "WORK_OF-ART", ("a",))]),
        (["*", "-", "_"], []),
    ],
)
def test_the_forms_of_a_cell(cells: Sequence[str], expected: object, tmp_path: Path) -> None:
    assert names_in(lines(*cells), tmp_path, columns="ne=6") == expected


def test_columns_may_be_separated_by_blanks(tmp_path: Path) -> None:
    text = lines("(PER*", "*)", "*").replace("\t", "   ")
    assert names_in(text, tmp_path, columns="ne=6") == [(0, 1, "PER", ("a", "b"))]


def test_line_ends_and_marks_do_not_matter(tmp_path: Path) -> None:
    text = "\ufeff" + lines("(PER*", "*)", "(LOC)").replace("\n", "\r\n")
    assert names_in(text, tmp_path, columns="ne=6") == [(0, 1, "PER", ("a", "b")), (2, 2, "LOC", ("c",))]


@pytest.mark.parametrize("block", [8, 32, 100, 1 << 20])
def test_blocks_and_batches_change_nothing(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {(0, 8): "ORG", (10, 10): "PERSON", (12, 14): "PERSON"}
    words = "one two three four five six seven eight nine x Bush x George W. Bush"
    texts = [tagged(words, [[(10, 10), (12, 14)], [(0, 8)]], names, document=f"(d{n}); part 0") for n in range(4)]
    key, response = written(tmp_path, key="".join(texts), response="".join(reversed(texts)))
    monkeypatch.setattr(conll, "BLOCK", block)
    monkeypatch.setattr(conll, "BATCH", block)
    its = [(0, 8, "ORG", tuple(words.split()[:9])), (10, 10, "PERSON", ("Bush",))]
    assert names_in("".join(texts), tmp_path) == 4 * [*its, (12, 14, "PERSON", ("George", "W.", "Bush"))]
    found = corefscore.score(key, response, "cone", estimate_key=True)
    assert counts(found["cone_b3"]) == (12, 12, 12, 12)


@pytest.mark.parametrize("block", [8, 100, 1 << 20])
def test_words_of_tokens_come_by_document_whatever_the_blocks(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = written(tmp_path, file="".join(tagged("a b c b", [], {}, document=f"d{n}") for n in range(5)))
    monkeypatch.setattr(conll, "BLOCK", block)
    monkeypatch.setattr(conll, "BATCH", block)
    texts = joined(list(read(str(path), [], names=name_options({})))).texts
    assert texts is not None
    a, b, c = texts.number[:3].tolist()
    assert len({a, b, c}) == 3
    assert texts.number.tolist() == 5 * [a, b, c, b]
    assert texts.line.tolist() == [line for first in range(2, 32, 6) for line in range(first, first + 4)]


def test_a_fault_among_names_counts_only_where_names_are_read(tmp_path: Path) -> None:
    (both,) = written(tmp_path, both=tagged("a b c", [[(0, 0), (2, 2)]], {(0, 1): "PER", (1, 2): "LOC"}))
    assert corefscore.score(both, both, "every")["lea"].f1 == 1
    with pytest.raises(InputError, match="begins a name within"):
        corefscore.score(both, both, "cone")


def test_a_fault_in_a_document_that_is_not_scored_is_a_notice(tmp_path: Path) -> None:
    sound = tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, document="sound")
    (both,) = written(tmp_path, both=sound + tagged("a b", [[(0, 0)]], {(0, 9): "PER"}, document="faulty"))
    found = corefscore.score(both, both, "cone", document="sound")
    assert [notice.code for notice in found.notices] == ["unscored-fault"]
    assert found["cone_b3"].f1 == 1
    with pytest.raises(InputError, match="never ends"):
        corefscore.score(both, both, "cone")


def test_each_side_may_have_its_own_names(tmp_path: Path) -> None:
    """The response calls b a name; with the key's names a is one on both sides."""
    key, response = written(
        tmp_path,
        key=tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}),
        response=tagged("a b", [[(0, 0), (1, 1)]], {(1, 1): "PER"}),
    )
    assert corefscore.score(key, response, "cone")["cone_mentions"].recall == 1
    own = corefscore.score(key, response, "cone", ne_from="own")
    assert counts(own["cone_mentions"]) == (0, 1, 0, 1)
    (other,) = written(tmp_path, other=tagged("x y", [[(0, 0), (1, 1)]], {(0, 0): "PER"}))
    assert corefscore.score(key, other, "cone", ne_from="own")["cone_b3"].f1 == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("a B c", r'token 1 is "B"; in the key, .*key:3, it is "b"'),
        ("a b", r'token 2 is missing, since the text has only 2 tokens; in the key, .*key:4, it is "c"'),
        ("a b c d", r'token 3 is "d"; in the key, .*key:4, it is missing, since the text has only 3 tokens'),
    ],
)
def test_other_tokens_are_refused(words: str, message: str, tmp_path: Path) -> None:
    key, response = written(
        tmp_path, key=tagged("a b c", [[(0, 0)]], {(0, 0): "PER"}), response=tagged(words, [[(0, 0)]], {})
    )
    with pytest.raises(InputError, match=message):
        corefscore.score(key, response, "cone")
    assert corefscore.score(key, response, "lea")["lea"].f1 == 1


def test_a_response_without_words_is_taken_at_its_number_of_tokens(tmp_path: Path) -> None:
    key, response = written(
        tmp_path,
        key=tagged("a b c", [[(0, 0), (2, 2)]], {(0, 0): "PER"}),
        response="#begin document (d); part 000\nw\t(1)\nx\t-\ny\t(1)\n#end document\n",
    )
    assert corefscore.score(key, response, "cone")["cone_b3"].f1 == 1


def test_a_response_in_json_lines_needs_no_names(tmp_path: Path) -> None:
    key, response = written(
        tmp_path,
        key=tagged("a b c", [[(0, 0), (2, 2)]], {(0, 0): "PER"}),
        response='{"doc_key": "d_0", "sentences": [["a", "b", "c"]], "clusters": [[[0, 0], [2, 2]]]}\n',
    )
    assert corefscore.score(key, response, "cone")["cone_b3"].f1 == 1


def test_a_missing_document_has_no_mentions(tmp_path: Path) -> None:
    one = tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, document="one")
    two = tagged("a b", [[(0, 0), (1, 1)]], {(1, 1): "PER"}, document="two")
    key, response = written(tmp_path, key=one + two, response=two)
    found = corefscore.score(key, response, "cone")
    assert counts(found["cone_b3"]) == (1, 2, 1, 1)
    assert counts(found.documents["one"]["cone_b3"]) == (0, 1, 0, 0)


def test_a_file_without_the_column_is_told(tmp_path: Path) -> None:
    """Where the others of the folder have it. A file without names, or without tokens, has the column all the same."""
    names = {(0, 0): "P"}
    texts = {
        "1": tagged("a b", [[(0, 0)]], names, document="one"),
        "2": tagged("a b", [[(0, 0)]], names, document="two", column=9),
        "3": tagged("a b", [[(0, 0)]], {}, document="three"),
        "4": "#begin document four\n#end document\n",
        "5": tagged("a b", None, names, document="five").replace("(P)", "-"),
    }
    (tmp_path / "key").mkdir()
    written(tmp_path / "key", **texts)
    key = tmp_path / "key"

    def told(include: str, apply: workers.Map | None = None) -> list[str]:
        (response,) = written(tmp_path, response="".join(texts[name] for name in texts if name in include))
        found = corefscore.score(key / f"[r{include}]", response, "cone", workers=apply)
        return [str(notice).removeprefix(f"{key}/").splitlines()[0] for notice in found.notices]

    column = "notice[no-name-column] there is no column 11 of named entities in this file:"
    assert told("1234") == [f"2: {column} no line has more than 10 columns"]
    assert told("15") == [f"5: {column} this is the last column, which is read as coreference"]
    with workers.processes(2) as apply:
        assert told("1234", apply) == told("1234")


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        pytest.param(["A", "B"], True, id="the same"),
        pytest.param(["A", "X"], False, id="others"),
        pytest.param(["A", "B" * 100], False, id="a long one"),
    ],
)
def test_the_words_of_json_lines_are_compared(words: Sequence[str], fits: bool, tmp_path: Path) -> None:
    """By document, in whatever order; words put together from subtokens are not those of the text, and do not count."""
    its = {"sentences": [words[:1], words[1:]], "clusters": [[[0, 0], [1, 1]]]}
    lines = [{"doc_key": name, **its, "sentences": [["A"], ["B"]]} for name in ("e", "c")]
    lines.insert(1, {"doc_key": "d", **its})
    texts = [tagged("A B", [[(0, 0), (1, 1)]], {(0, 0): "P"}, document=name) for name in "cde"]
    key, response = written(tmp_path, key="".join(texts), response="".join(json.dumps(line) + "\n" for line in lines))
    for its_response in (response, corefscore.read(response, side="response")):
        if fits:
            assert corefscore.score(key, its_response, "cone")["cone_b3"].f1 == 1
            continue
        with pytest.raises(InputError, match='in document "d": token 1 is'):
            corefscore.score(key, its_response, "cone")
    lines[1]["sentences"] = [["a", "##x", "b"]]
    lines[1]["subtoken_map"] = [0, 0, 1]
    lines[1]["clusters"] = [[[0, 1], [2, 2]]]
    response.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert corefscore.score(key, response, "cone")["cone_b3"].f1 == 1


def test_json_lines_from_standard_input_are_compared() -> None:
    words = [f"x{token}" for token in range(27)]
    line = {"doc_key": "(nw/demo); part 000", "sentences": [words], "clusters": []}
    done = within("cone", DEMO / "key.conll", "-", stdin=json.dumps(line).encode())
    assert done.status == 1
    assert b'token 0 is "x0"; in the key' in done.stderr


def test_documents_without_their_words_are_refused() -> None:
    response = corefscore.read(DEMO / "response.conll", side="response")
    with pytest.raises(UsageError, match=r"its tokens cannot be compared with those of the names; .* columns='ne=11'"):
        corefscore.score(DEMO / "key.conll", response, "cone")


# Options, commands, layouts


def test_every_option_that_moves_a_number_is_in_the_signature(tmp_path: Path) -> None:
    (both,) = written(tmp_path, both=tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}, column=9))
    given: dict[str, Any] = {"ne_from": "own", "columns": "ne=9", "named": "head", "ne_types": "per"}
    found = corefscore.score(both, both, "cone", **given, estimate_key=True, match="exact")
    for word in ("ne_from=own", "columns=ne=9", "named=head", "ne_types=PER", "estimate_key=True", "match=exact"):
        assert word in found.signature.split(" | ")
    assert found.to_dict()["options"]["named"] == "head"
    (usual,) = written(tmp_path, usual=tagged("a b", [[(0, 0), (1, 1)]], {(0, 0): "PER"}))
    assert (
        corefscore.score(usual, usual, "cone")
        .signature.rpartition(" | key=")[0]
        .endswith("| cone | repeated=official | singletons=keep")
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"ne_types": "Person,org"}, {"ne_types": ["ORG", " PERSON"]}),
        ({"ne_types": "USUAL"}, {}),
        ({"ne_types": "usual,ORG"}, {"ne_types": "usual"}),
        ({"ne_types": "ORG,ALL"}, {"ne_types": "all"}),
        ({"ne_types": "date,USUAL"}, {"ne_types": "usual,DATE"}),
        ({"match": "words,exact,initials"}, {}),
        ({"estimate_key": True, "match": "Words,EXACT"}, {"estimate_key": True, "match": ["exact", "words"]}),
        ({"estimate_key": True, "match": "initials,words,exact"}, {"estimate_key": True}),
    ],
)
def test_equal_runs_have_one_signature(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    first, second = (
        corefscore.score(DEMO / "key.conll", DEMO / "response.conll", "cone", **how) for how in (one, other)
    )
    assert first.signature == second.signature
    assert first["cone_b3"] == second["cone_b3"]


def test_the_options_are_the_same_for_every_command_that_scores(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    key, response = DEMO / "key.conll", DEMO / "response.conll"
    options = ["--named", "head", "--ne-types", "person", "--estimate-key", "--match", "exact,words"]
    expected = corefscore.score(
        key, response, "cone", named="head", ne_types="person", estimate_key=True, match="exact,words"
    )["cone_b3"]
    assert expected.f1 not in (0, 1, corefscore.score(key, response, "cone")["cone_b3"].f1)
    printed = call(capfdbinary, "cone", key, response, *options, "--format", "json").stdout
    assert json.loads(printed)["total"]["cone_b3"]["f1"] == expected.f1
    baseline = tmp_path / "baseline.json"
    baseline.write_bytes(printed)
    two = [f"{DEMO}/key.conll", f"a={response}", f"b={key}", "--measures", "cone_b3", "--unit", r"nw", *options]
    assert b"one-unit" in call(capfdbinary, "compare", *two).stderr  # one document only, but it was scored
    assert call(capfdbinary, "check", baseline, key, response, *options).status == 0
    assert call(capfdbinary, "check", baseline, key, response).status == 1
    least = f"cone_b3={100 * expected.f1:.4f}"
    assert call(capfdbinary, "check", "--min", least[:-2], key, response, *options).status == 0


def test_an_option_of_a_metric_that_is_not_scored_is_refused(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pair: list[str | Path] = [DEMO / "key.conll", f"a={DEMO / 'response.conll'}", f"b={DEMO / 'key.conll'}"]
    done = call(capfdbinary, "compare", *pair, "--measures", "muc", "--estimate-key")
    assert (done.status, done.stdout) == (2, b"")
    assert b"--estimate-key is for a metric that is not scored here" in done.stderr
    with pytest.raises(UsageError, match="unknown option named for these metrics"):
        corefscore.score(DEMO / "key.conll", DEMO / "response.conll", "lea", named="head")


@pytest.mark.parametrize("layout", ["table", "csv", "tsv"])
def test_it_is_a_row_of_every_layout(layout: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Demo: B3 recall (2 x 2/3 ... of George Bush, Bush; 4 of IBM, I.B.M.; 1/2 of Lee) is 4.5/6."""
    pair = (DEMO / "key.conll", DEMO / "response.conll")
    shown = call(capfdbinary, "conll,cone", *pair, "--format", layout, "--documents", "--by", "nw").stdout.decode()
    assert "75.00" in shown or "75.0" in shown
    assert len([line for line in shown.splitlines() if "cone_b3" in line]) == 4


@pytest.mark.parametrize("layout", ["markdown", "latex"])
def test_a_paper_has_it_under_a_heading(layout: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Precision first; the same numbers."""
    pair = (DEMO / "key.conll", DEMO / "response.conll")
    shown = call(capfdbinary, "conll,cone", *pair, "--format", layout).stdout.decode()
    assert [shown.count(f"CONE-{name}") for name in ("B", "CEAF")] == [1, 1]
    assert "75.00" in shown


def test_a_baseline_may_be_the_official_layout(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pair = (DEMO / "key.conll", DEMO / "response.conll")
    printed = tmp_path / "printed.txt"
    for words, baseline in (("cone", f"cone={printed}"), ("all,cone", printed)):
        printed.write_bytes(call(capfdbinary, words, *pair).stdout)
        assert call(capfdbinary, "check", baseline, *pair, "--both-ways").status == 0
        printed.write_text(printed.read_text().replace("CONE-CEAF: Recall: (5 / 6)", "CONE-CEAF: Recall: (6 / 6)"))
        assert call(capfdbinary, "check", baseline, *pair, "--both-ways").status == 3


def test_the_official_groups_have_no_cone(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    pair = (TESTDATA / "demo" / "key.conll", TESTDATA / "demo" / "response.conll")
    for group in ("all", "every", "conll"):
        assert b"cone" not in call(capfdbinary, group, *pair).stdout.lower()


def test_other_metrics_do_not_pay_for_names() -> None:
    late = ("matching.named", "formats.conll.names", "formats.conll.columns", "metrics.cone")
    pair = [f"testdata/names/{side}.conll" for side in ("key", "response")]
    assert loaded([f"corefscore.{name}" for name in late], ["all", *pair, "none"]) == []


def test_a_name_over_the_border_of_a_window_counts_where_it_begins(tmp_path: Path) -> None:
    """As its mention does: of three windows of three tokens, both names are in the second one."""
    rows = ["Ann\t(PERSON)\t(0)", "saw\t*\t-", "Bo\t(PERSON*\t(1", "Lee\t*)\t1)", "she\t*\t(0)", "he\t*\t(1)"]
    rows = ["x\t*\t-"] * 3 + rows
    lines = [line for name in "de" for line in (f"#begin document ({name}); part 000", *rows, "#end document")]
    path = tmp_path / "key.conll"
    path.write_text("\n".join([*lines, ""]))
    found = corefscore.score(path, path, "cone", window=3, columns="ne=2")
    assert [its["cone_mentions"].recall_counts.denominator for its in found.documents.values()] == [0, 2, 0] * 2


# From Python


def test_what_comes_without_names_is_refused() -> None:
    clusters = [[(0, 1), (4, 4)]]
    with pytest.raises(InputError, match="this input has no named entities"):
        corefscore.score(clusters, clusters, "cone")
    with pytest.raises(InputError, match="this input has no named entities"):
        corefscore.Scorer("cone").add(clusters, clusters)
    with pytest.raises(InputError, match="this input has no named entities"):
        corefscore.score(corefscore.read(DEMO / "key.conll"), DEMO / "response.conll", "cone")


def test_documents_may_be_read_with_their_names() -> None:
    key = corefscore.read(DEMO / "key.conll", columns="ne=11")
    response = corefscore.read(DEMO / "response.conll", side="response", columns="ne=11")
    ways: list[dict[str, Any]] = [{}, {"named": "head"}, {"estimate_key": True}]
    for how in ways:
        paths = corefscore.score(DEMO / "key.conll", DEMO / "response.conll", "cone", **how)
        assert corefscore.score(key, response, "cone", **how)["cone_b3"] == paths["cone_b3"]
    with pytest.raises(UsageError, match="columns is for files"):
        corefscore.score(key, response, "cone", columns="ne=10")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"named": "tail"}, "named='tail': expected one of exact, head, contains"),
        ({"ne_from": "both"}, "ne_from='both': expected one of key, own"),
        ({"columns": "ne=-1"}, "--columns ne=-1: expected the number of a column, 1 or more"),
        ({"ne_types": "PER,,LOC"}, "the list contains an empty word"),
        ({"match": "exact"}, "it needs --estimate-key"),
        ({"estimate_key": True, "match": "sound"}, 'no rule "sound"'),
        ({"ne_types": [1]}, r"ne_types=\[1\]: expected a list of words"),
        ({"ne_types": []}, "the list contains an empty word"),
        ({"estimate_key": True, "match": 1}, "match=1: expected a list of words"),
        ({"columns": "ne=x"}, "--columns ne=x: expected the number of a column, 1 or more"),
        ({"columns": 11}, "columns=11: expected text"),
        ({"estimate_key": "no"}, "estimate_key='no': expected True or False"),
    ],
)
def test_options_that_cannot_be(how: Mapping[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        corefscore.score(DEMO / "key.conll", DEMO / "response.conll", "cone", **how)


# A real corpus


@pytest.mark.parametrize(("corpora", "cells"), [(EXCERPTS, 22), pytest.param(CORPORA, 2971, marks=FURTHER)])
def test_a_corpus_against_itself_is_right(corpora: Path, cells: int) -> None:
    """Named mentions by --named exact, counted with other tools: cells of column 11 whose span is a mention."""
    corpus = corefscore.read(corpora / "openboek" / "key.conll", columns="ne=11")
    assert corpus.documents.named_entities is not None
    assert len(corpus.documents.named_entities.start) == cells  # the cells of column 11 with "("
    for way in NAMED_BY:
        found = corefscore.score(corpus, corpus, "cone", named=way)
        assert [found[measure].f1 for measure in ("cone_mentions", "cone_b3", "cone_ceaf")] == [1, 1, 1]


def test_the_metrics_that_read_names_are_in_no_group() -> None:
    """Few files have names, so nobody gets such a metric without asking for it."""
    reading = {name for name in NAMES if find(name).view == NAMED}
    assert "cone" in reading
    assert not reading & {name for names in GROUPS.values() for name in names}
