"""CorefUD on random mentions: each rule beside a slow, obvious statement of it, on sets of words in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from corefscore.core.documents import SENTENCE, TENTH, Documents, Nodes, Place
from corefscore.core.sources import Source
from corefscore.matching import entity_lookup, mentions
from corefscore.matching.matched import MATCHING, SEARCHES
from corefscore.matching.mentions import Alignment
from corefscore.matching.pairing import Pairing
from corefscore.metrics import find
from corefscore.metrics.base import packed
from corefscore.scoring import corefud
from corefscore.scoring.corefud import matched
from corefscore.scoring.evaluate import with_defaults
from corefscore.scoring.settings import Rules
from scipy.optimize import linear_sum_assignment
from support import ROOT, together

SEEDS = range(40)
DOCUMENTS = 2


class Mention(NamedTuple):
    """The words of a mention, its head, whether that is an empty node, what it depends on (word, relation), and the
    number of its entity in the document."""

    words: frozenset[int]
    head: int
    zero: bool
    links: frozenset[tuple[int, int]]
    entity: int

    @property
    def place(self) -> tuple[int, int, int]:
        return min(self.words), max(self.words), len(self.words)


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random documents are small, so words are looked at in small steps, too."""
    monkeypatch.setattr(mentions, "_AT_ONCE", 5)


Side = list[list[Mention]]
"""The mentions of each document, in the order of their entities."""


def drawn(random: Random, *, copies: float = 0) -> Side:
    """Mentions of two sentences of eight words, every third of them an empty node. The head follows from the words, so
    that mentions of the same bounds are equal: what Python's sets decide otherwise is no rule. This share of them
    is in a second entity as well, half of these with another head there.
    """
    side = []
    for _ in range(DOCUMENTS):
        spans: set[tuple[int, int, int]] = set()
        while len(spans) < 7:
            sentence, first = random.randrange(2), random.randrange(8)
            last = min(7, first + random.choice([0, 0, 1, 2, 4]))
            spans.add((sentence, first, last))
        mentions = []
        for sentence, first, last in sorted(spans):
            words = [sentence * SENTENCE + (at + 1) * TENTH for at in range(first, last + 1)]
            head = words[(first + last) % len(words)]
            zero = head % SENTENCE // TENTH % 3 == 0
            parents = [(sentence * SENTENCE + random.randint(1, 3) * TENTH, random.randrange(2)) for _ in range(2)]
            links = frozenset(parents[: random.randint(1, 2)]) if zero else frozenset()
            mentions.append(mention := Mention(frozenset(words), head, zero, links, random.randrange(3)))
            if copies and random.random() < copies:
                other = words[(first + last + random.randrange(2)) % len(words)]
                mentions.append(mention._replace(head=other, entity=(mention.entity + 1) % 3))
        order: dict[int, int] = {}
        for mention in sorted(mentions, key=lambda each: (min(each.words), -len(each.words))):
            order.setdefault(mention.entity, len(order))
        renumbered = [mention._replace(entity=order[mention.entity]) for mention in mentions]
        side.append(sorted(renumbered, key=lambda each: (each.entity, min(each.words), -len(each.words))))
    return side


def columns(side: Side) -> Documents:
    """Mentions as the reader gives them."""
    flat = [mention for mentions in side for mention in mentions]
    sizes = [1 + max(mention.entity for mention in mentions) for mentions in side]
    before = np.cumsum([0, *sizes])
    entity = [int(before[at]) + mention.entity for at, mentions in enumerate(side) for mention in mentions]
    links = [sorted(mention.links) for mention in flat]
    nodes = Nodes(
        np.array([len(mention.words) for mention in flat]),
        np.array([mention.head for mention in flat]),
        np.array([mention.zero for mention in flat]),
        np.array([len(its) for its in links]),
        np.array([word for mention in flat for word in sorted(mention.words)]),
        np.array([parent for its in links for parent, _ in its], dtype=np.int64),
        np.array([relation for its in links for _, relation in its], dtype=np.int64),
    )
    none = np.zeros(len(flat), dtype=np.int64)
    return Documents(
        names=[str(at) for at in range(len(side))],
        places=[Place(Source("side"), None)] * len(side),
        tokens=np.full(len(side), 16),
        document=np.repeat(np.arange(len(side)), sizes),
        label=np.arange(sum(sizes)),
        entity=np.array(entity),
        start=none,
        end=none,
        line=none + 1,
        nodes=nodes,
    )


def aligned(key: Side, response: Side, **how: Any) -> Alignment:
    (pairs,) = Pairing(iter([columns(key)]), iter([columns(response)]), [])
    return matched(pairs, with_defaults(Rules(singletons="keep", **how), nodes=True))[0]


def f1(one: frozenset[object], other: frozenset[object]) -> float:
    common = len(one & other)
    recall, precision = common / len(one), common / len(other)
    return 2 * precision * recall / (precision + recall) if common else 0


def dependencies(key: Mention, response: Mention) -> float:
    if key.head // SENTENCE != response.head // SENTENCE:
        return 0
    parents = [frozenset(parent for parent, _ in each.links) for each in (key, response)]
    return 10 * f1(key.links, response.links) + f1(*parents)


def head(key: Mention, response: Mention) -> float:
    return len(key.words & response.words) / len(key.words) if key.head == response.head else 0


def partial(key: Mention, response: Mention) -> float:
    return len(response.words) / len(key.words) if key.head in response.words <= key.words else 0


RULES: Mapping[str, Callable[[Mention, Mention], float] | None] = {"exact": None, "partial": partial, "head": head}
"""The twin of each rule (`corefscore.matching.mentions.RULES`): the score of a pair of mentions, None if only equal
mentions match."""

Pairs = list[tuple[Mention, Mention]]


def best(key: Sequence[Mention], response: Sequence[Mention], score: Callable[[Mention, Mention], float]) -> Pairs:
    """The pairs of the largest sum, by one matrix in text order."""
    rows, columns_ = sorted(key, key=lambda each: each.place), sorted(response, key=lambda each: each.place)
    if not rows or not columns_:
        return []
    matrix = np.array([[-score(one, other) for other in columns_] for one in rows])
    return [
        (rows[at], columns_[its]) for at, its in zip(*linear_sum_assignment(matrix), strict=True) if matrix[at, its]
    ]


def twin(key: Sequence[Mention], response: Sequence[Mention], matching: str, zeros: str) -> Pairs:
    """The alignment of one document, step by step as the page of CorefUD has it."""
    found: Pairs = []

    def left(mentions: Sequence[Mention], at: int) -> list[Mention]:
        return [mention for mention in mentions if all(its[at] is not mention for its in found)]

    if zeros == "dependent":
        ours, theirs = ([mention for mention in side if mention.zero] for side in (key, response))
        found += best(ours, theirs, dependencies)
    for one in left(key, 0):
        found += [(one, other) for other in left(response, 1) if other.words == one.words]
    rule = RULES[matching]
    return found if rule is None else found + best(left(key, 0), left(response, 1), rule)


def test_every_rule_has_its_row_its_twin_and_its_name_on_the_page() -> None:
    assert tuple(mentions.RULES) == MATCHING, "a rule is a row of RULES in matching/mentions.py and a name in MATCHING"
    assert tuple(RULES) == MATCHING, "give the rule a twin in RULES of this file"
    page = (ROOT / "docs" / "corefud.md").read_text()
    named = ", ".join(f"`{name}`" for name in MATCHING)
    assert f"| `--matching` | {named} |" in page, "name the rule in the table of docs/corefud.md, and describe it there"


@together("seed", SEEDS)
@pytest.mark.parametrize("zeros", ["dependent", "linear"])
@pytest.mark.parametrize("matching", MATCHING)
def test_mentions_are_aligned_as_the_rules_say(matching: str, zeros: str, seed: int) -> None:
    random = Random(seed)
    key, response = drawn(random), drawn(random)
    alignment = aligned(key, response, matching=matching, zeros=zeros)
    flat = [[mention for mentions in side for mention in mentions] for side in (key, response)]
    of_number = [
        {int(number): flat[at][int(mention)] for number, mention in zip(its.side.number, its.side.mention, strict=True)}
        for at, its in enumerate((alignment.key, alignment.response))
    ]
    found = {
        (int(alignment.document[one]), of_number[0][one].place, of_number[1][other].place)
        for one, other in zip(*(column.tolist() for column in alignment.aligned), strict=True)
    }
    expected = {
        (document, one.place, other.place)
        for document in range(DOCUMENTS)
        for one, other in twin(key[document], response[document], matching, zeros)
    }
    assert found == expected


@together("seed", SEEDS)
def test_mention_overlap_is_the_best_assignment_of_words(seed: int) -> None:
    random = Random(seed)
    key, response = drawn(random), drawn(random)
    (counts,) = find("mor").count(aligned(key, response))
    for document in range(DOCUMENTS):
        common = np.array([[len(one.words & other.words) for other in response[document]] for one in key[document]])
        sizes = [sum(len(mention.words) for mention in side[document]) for side in (key, response)]
        assert counts.recall.numerator[document] == common[linear_sum_assignment(-common)].sum()
        assert (counts.recall.denominator[document], counts.precision.denominator[document]) == tuple(sizes)


def zeros_of(key: Sequence[Mention], response: Sequence[Mention], pairs: Pairs) -> tuple[int, int, int]:
    """Zeros that are rightly resolved, anaphoric zeros of the key, and those that the response has or is given."""
    by_place = {mention.place: mention for mention in response}
    partner = {one.place: other for one, other in pairs}

    def counterpart(mention: Mention) -> Mention | None:
        return by_place.get(mention.place, partner.get(mention.place))

    def before(mention: Mention, side: Sequence[Mention]) -> list[Mention]:
        return [each for each in side if each.entity == mention.entity and each.place < mention.place]

    right = wrong = missed = 0
    taken = []
    for mention in key:
        if not mention.zero or not before(mention, key):
            continue
        found = counterpart(mention)
        taken.append(found)
        if found is None or not before(found, response):
            missed += 1
        elif found.entity in [its.entity for each in before(mention, key) if (its := counterpart(each))]:
            right += 1
        else:
            wrong += 1
    anaphors = [mention for mention in response if mention.zero and before(mention, response)]
    spurious = sum(mention not in taken for mention in anaphors)
    return right, right + wrong + missed, right + wrong + spurious


@together("seed", SEEDS)
def test_zeros_are_resolved_by_an_antecedent_that_the_key_has(seed: int) -> None:
    random = Random(seed)
    key, response = drawn(random), drawn(random)
    (counts,) = find("zero").count(aligned(key, response))
    for document in range(DOCUMENTS):
        pairs = twin(key[document], response[document], "head", "dependent")
        right, of_key, of_response = zeros_of(key[document], response[document], pairs)
        assert counts.recall.numerator[document] == right
        assert counts.recall.denominator[document] == of_key
        assert counts.precision.denominator[document] == of_response


# The tasks of 2022 and 2023, in which each mention looks for another by itself


def fits_by(matching: str) -> Callable[[Mention, Mention], bool]:
    """Whether two mentions fit: equal ones if the rule has no score, else those whose score is above 0."""
    rule = RULES[matching]
    if rule is None:
        return lambda key, response: key.words == response.words
    return lambda key, response: rule(key, response) > 0


def apart(one: Mention, other: Mention) -> tuple[Fraction, int, int]:
    """How far another mention is from one: words of only one of them, then where it begins and ends."""
    share = Fraction(len(one.words ^ other.words), len(one.words | other.words))
    return share, min(other.words), max(other.words)


def searched(
    side: Sequence[Mention], others: Sequence[Mention], fits: Callable[[Mention, Mention], bool], *, by_head: bool
) -> list[int]:
    """The entity in which each mention is found on the other side, -1 for none.

    Copies are mentions of the same words; with ``by_head`` they also have the same head. A mention finds the first of
    several copies, and its entity is that of the last one.
    """
    copies: dict[object, list[Mention]] = {}
    for other in others:
        copies.setdefault((other.words, by_head and other.head), []).append(other)
    found = []
    for mention in side:
        fitting = [its for its in copies.values() if fits(mention, its[0])]
        found.append(min(fitting, key=lambda its: apart(mention, its[0]))[-1].entity if fitting else -1)
    return found


TOLD_APART = {
    ("crac23", "partial"): (True, False),
    ("crac23", "head"): (True, True),
}
"""Whether mentions of key and response with the same words and other heads are others; elsewhere they are copies."""


def muc_and_bcub(side: Sequence[Mention], found: Sequence[int]) -> list[tuple[Fraction, int]]:
    """Numerator and denominator of MUC and of B-cubed for one side, by what its mentions find."""
    muc, bcub = Fraction(0), Fraction(0)
    entities = sorted({mention.entity for mention in side})
    for entity in entities:
        its = [other for mention, other in zip(side, found, strict=True) if mention.entity == entity]
        there = [other for other in its if other >= 0]
        muc += len(its) - (len(its) - len(there)) - len(set(there))
        bcub += sum(Fraction(there.count(other) ** 2, len(its)) for other in set(there))
    return [(muc, len(side) - len(entities)), (bcub, len(side))]


def test_a_response_mention_serves_one_key_mention_however_many_steps_it_takes() -> None:
    """The words 1 and 2 are in both response mentions: 3 of the first one and then 2 of the second one are most."""

    def mention(*numbers: int) -> Mention:
        words = frozenset(SENTENCE + TENTH * word for word in numbers)
        return Mention(words, min(words), zero=False, links=frozenset(), entity=0)

    key, response = [mention(1, 2, 3), mention(1, 2), mention(5)], [mention(1, 2, 3), mention(1, 2, 5)]
    alignment = aligned([key] * DOCUMENTS, [response] * DOCUMENTS, matching="exact")
    assert packed(find("mor").count(alignment)).tolist() == [[[5, 6, 5, 6]]] * DOCUMENTS


@pytest.mark.parametrize("ends", [(4, 1), (1, 4)])
def test_of_mentions_that_are_as_near_and_begin_alike_the_shorter_is_found(ends: tuple[int, int]) -> None:
    """Two words and one, or two words and four: half of the words of both are those of one."""

    def mention(end: int, entity: int) -> Mention:
        words = frozenset(SENTENCE + TENTH * word for word in range(1, end + 1))
        return Mention(words, min(words), zero=False, links=frozenset(), entity=entity)

    key, response = [[mention(2, 0)]] * DOCUMENTS, [[mention(end, at) for at, end in enumerate(ends)]] * DOCUMENTS
    alignment = aligned(key, response, matching="head", zeros="linear", lookup="crac23")
    found = entity_lookup.entities_found(alignment)[0]
    assert (found % 2).tolist() == [ends.index(1)] * DOCUMENTS


@together("seed", SEEDS)
@pytest.mark.parametrize("copies", [0, 0.4], ids=["", "copies"])
@pytest.mark.parametrize("lookup", SEARCHES)
@pytest.mark.parametrize("matching", MATCHING)
def test_each_mention_finds_the_most_similar_one_that_fits(
    matching: str, lookup: str, copies: float, seed: int
) -> None:
    """What is found, from either side, with MUC and B-cubed made of it; for CEAF all entities with one that fits."""
    random = Random(seed)
    key, response = drawn(random, copies=copies), drawn(random, copies=copies)
    alignment = aligned(key, response, matching=matching, zeros="linear", lookup=lookup)
    fits = fits_by(matching)
    by_head = TOLD_APART.get((lookup, matching), (False, False))
    sides = (alignment.key, alignment.response)
    rules = Rules(lookup=lookup, definitions="corefud")
    counts, _ = corefud.counts(alignment, [find("muc"), find("bcub")], rules)
    before = [np.cumsum([0, *(1 + max(each.entity for each in its) for its in side)]) for side in (key, response)]
    members = corefud._members(alignment)
    expected_members: Counter[tuple[int, int]] = Counter()
    done = [0, 0]
    for document in range(DOCUMENTS):
        here = [searched(key[document], response[document], fits, by_head=by_head[1])]
        here.append(
            searched(response[document], key[document], lambda one, other: fits(other, one), by_head=by_head[0])
        )
        for at, (found, its) in enumerate(zip(entity_lookup.entities_found(alignment), here, strict=True)):
            part = found[done[at] : done[at] + len(its)]
            shift = int(before[1 - at][document])
            assert [entity - shift if entity >= 0 else -1 for entity in part.tolist()] == its
            side = (key, response)[at][document]
            for name, (numerator, denominator) in zip(counts, muc_and_bcub(side, its), strict=True):
                values = counts[name][document, 0, 2 * at : 2 * at + 2]
                assert values.tolist() == pytest.approx([float(numerator), denominator])
        for mention in key[document]:
            there = {other.entity for other in response[document] if fits(mention, other)}
            its_entity = int(before[0][document]) + mention.entity
            expected_members.update((its_entity, int(before[1][document]) + entity) for entity in there)
        done = [done[0] + len(here[0]), done[1] + len(here[1])]
    assert dict(zip(zip(*map(list, members[:2]), strict=True), members.size, strict=True)) == expected_members
    assert [len(its.side.mention) for its in sides] == done
