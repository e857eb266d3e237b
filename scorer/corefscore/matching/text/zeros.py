"""Answers with a key of CorefUD: which empty nodes of the key their zeros are, and the words and heads of mentions.

In the answer a word that begins with ``##`` is a zero; in an answer in CorefUD the empty nodes are. A zero is taken for
an empty node of the key that follows the same word: for the first free one of the same form, or otherwise for the first
free one.

Programs write a zero in one of two places: where its empty node is, or after the word on which it depends
(text2text-coref). The place that fits more zeros of a document, or else more forms, is tried first for all of them,
then the other one for those that are left. CorefUD says on which word a zero depends: its zeros are first taken for
empty nodes that depend on the same word, by the same relations if there are such, then for those in the same place. Of
several words on which a node depends, the highest in the tree is tried before the others, as in text2text-coref.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints, Objects, changes, in_order, lists_by_key, order_by, ranges
from corefscore.core.documents import SENTENCE, TENTH, Nodes
from corefscore.formats.base import EMPTY, LAST, ZERO, Annotations, Tree
from corefscore.matching.text.alignment import Alignment, Key, in_place
from corefscore.matching.text.characters import Characters, characters

_START = -1
"""The place before the first word."""


class DocumentWords:
    """The words of a document, including empty nodes: those of the key, on which mentions are placed, or of a response
    in CorefUD."""

    def __init__(self, annotations: Annotations, *, unseen: bool = True, divided: bool = False) -> None:
        self.annotations = annotations
        self.words = list(chain(*annotations.words))
        self.empty = annotations.empty if len(annotations.numbers) else np.zeros(len(self.words), dtype=np.bool_)
        self.nodes = np.flatnonzero(self.empty)
        self.tokens = len(self.words) - len(self.nodes)
        """The number of words that are not empty nodes."""
        self.characters = characters(self.words, set(self.nodes.tolist()), unseen=unseen, divided=divided)
        self.text = Key(self.characters)
        self.overt_before: Ints = np.cumsum(~self.empty) - ~self.empty

    @cached_property
    def tree(self) -> Tree:
        """The dependencies of the words."""
        return self.annotations.tree()

    @cached_property
    def forms(self) -> Mapping[int, Hashable]:
        """The form of each empty node."""
        return {node: self.words[node].removeprefix(EMPTY) for node in self.nodes.tolist()}

    @cached_property
    def relations(self) -> Mapping[int, Hashable]:
        """The relations of each empty node to the words on which it depends."""
        return {node: tuple(self.tree.links[node][1]) for node in self.nodes.tolist()}

    @cached_property
    def word_before(self) -> Ints:
        """For each place the last word up to there that is not an empty node."""
        return np.maximum.accumulate(np.where(self.empty, _START, np.arange(len(self.words))))

    @cached_property
    def by_place(self) -> dict[int, list[int]]:
        """The empty nodes by the word that they follow."""
        return lists_by_key(zip(self.word_before[self.nodes].tolist(), self.nodes.tolist(), strict=True))

    @cached_property
    def parents(self) -> list[list[int]]:
        """The words on which each empty node depends, the highest in the tree first. For the root this is the word
        before the sentence; for a node that depends on nothing, the word that it follows. A node on which it depends
        stands for the highest word of that one, if it is before it."""
        found = []
        word_of = self.word_before.copy()
        for node in self.nodes.tolist():
            numbers = self.tree.links[node][0] or [self.annotations.numbers[node]]
            index = np.searchsorted(self.annotations.numbers, np.array(numbers, dtype=np.int64), side="right") - 1
            is_root = np.array(numbers) % SENTENCE == 0
            depth = np.where(is_root, -1, self.tree.depth[index])
            words = np.where(index < 0, _START, np.where(is_root, self.word_before[index], word_of[index]))
            found.append(words[np.argsort(depth, kind="stable")].tolist())
            word_of[node] = found[-1][0]
        return found

    @cached_property
    def written(self) -> Ints:
        """All words in the order of text2text-coref: each empty node after the highest word on which it depends, before
        its sentence for the root; those that are there anyway come first."""
        numbers = self.annotations.numbers
        highest = np.arange(len(numbers))
        highest[self.nodes] = [words[0] for words in self.parents]
        sentence = numbers - numbers % SENTENCE
        parent, before = (np.maximum(np.append(numbers, 0)[at], sentence) for at in (highest, self.word_before))
        return order_by(parent, self.empty.astype(np.int64) + (parent != before))

    @cached_property
    def by_parent(self) -> dict[int, list[int]]:
        """The empty nodes by the highest word on which they depend, in the order of text2text-coref."""
        parent = dict(zip(self.nodes.tolist(), (words[0] for words in self.parents), strict=True))
        return lists_by_key((parent[node], node) for node in self.written[self.empty[self.written]].tolist())

    @cached_property
    def by_any_parent(self) -> dict[int, list[int]]:
        """The empty nodes by every word on which they depend."""
        rows = zip(self.parents, self.nodes.tolist(), strict=True)
        return lists_by_key((word, node) for words, node in rows for word in words)


def nodes_of_zeros(
    key: DocumentWords,
    zeros: Sequence[int],
    own: Characters,
    alignment: Alignment,
    response: DocumentWords | Sequence[str],
) -> dict[int, int]:
    """Return the empty node of the key for each zero of an answer that has one, both as indices among the words.
    ``response`` are the words of the answer, with their dependencies if it is CorefUD.
    """
    if not zeros or not key.by_place:
        return {}
    known = np.flatnonzero(in_place(alignment))

    def words_before(characters: Ints) -> list[int]:
        """Return the last aligned word of the key before each of some characters of the answer."""
        words = np.append(key.characters.token[alignment.key[known]], _START)
        return list(map(int, words[np.searchsorted(known, characters) - 1]))

    by_place = lists_by_key(zip(words_before(own.first[np.array(zeros)]), zeros, strict=True))
    if isinstance(response, DocumentWords):

        def in_key(by_word: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
            """Return the zeros by the words of the key for the words of the answer."""
            words, of_words = zip(*((word, zero) for word, nodes in by_word.items() for zero in nodes), strict=True)
            return lists_by_key(zip(words_before(own.first[np.array(words) + 1]), of_words, strict=True))

        ways = [(key.by_parent, in_key(response.by_parent)), (key.by_place, by_place)]
        ways.append((key.by_any_parent, in_key(response.by_any_parent)))
        labels = [(key.relations, response.relations), (key.forms, response.forms)]
    else:
        ways = [(key.by_place, by_place), (key.by_parent, by_place)]
        forms = {zero: response[zero].removeprefix(ZERO) for zero in zeros}
        ways.sort(key=lambda way: _fitting(key.forms, way[0], forms, by_place), reverse=True)
        ways.append((key.by_any_parent, by_place))
        labels = [(key.forms, forms)]
    nothing: dict[int, Hashable] = dict.fromkeys((*key.forms, *zeros))
    result: dict[int, int] = {}
    taken: set[int] = set()
    for nodes_by_word, zeros_by_word in ways:
        for label, own_label in (*labels, (nothing, nothing)):
            for word, group in zeros_by_word.items():
                nodes = reversed(nodes_by_word.get(word, ()))
                free = lists_by_key((label[node], node) for node in nodes if node not in taken)
                for zero in group:
                    if zero not in result and (left := free[own_label[zero]]):
                        result[zero] = left.pop()
                        taken.add(result[zero])
    return result


def _fitting(
    key_forms: Mapping[int, Hashable],
    nodes: Mapping[int, Sequence[int]],
    forms: Mapping[int, str],
    zeros: Mapping[int, Sequence[int]],
) -> tuple[int, int]:
    """Count the zeros that have an empty node at their word, and those of them that have one with their form."""
    groups = [(nodes.get(word, ()), group) for word, group in zeros.items()]
    same = (Counter(map(key_forms.get, its)) & Counter(map(forms.get, group)) for its, group in groups)
    return sum(min(len(its), len(group)) for its, group in groups), sum(both.total() for both in same)


def with_zeros(
    own: tuple[Ints, Ints], placed: tuple[Ints, Ints, Ints], zeros: Mapping[int, int], key: DocumentWords
) -> None:
    """Extend mentions to the zeros at their edges. A mention whose words are not in the key becomes its zeros alone.

    ``own`` are the first and last words of the mentions in the answer. ``placed`` is changed: the first and last word
    in the key, and the number of characters that differ.
    """
    start, last, differing = placed
    places = np.array(sorted(zeros), dtype=np.int64)
    first, stop = np.searchsorted(places, own[0]), np.searchsorted(places, own[1], side="right")
    gap = key.overt_before
    for mention in np.flatnonzero(stop > first).tolist():
        nodes = sorted(zeros[zero] for zero in places[first[mention] : stop[mention]].tolist())
        if differing[mention] < 0:
            start[mention], differing[mention] = nodes[0], 0
            last[mention] = max(node for node in nodes if gap[node] == gap[nodes[0]])
            continue
        start[mention] = min([start[mention], *(node for node in nodes if gap[node] == gap[start[mention]])])
        last[mention] = max([last[mention], *(node for node in nodes if gap[node] == gap[last[mention]] + 1)])


def gaps_of(words: Ints, in_key: tuple[Ints, Ints], span: tuple[int, int]) -> Ints:
    """Return the words of the key that are in the gaps of a mention, counted from the first one of its ``span`` in the
    key.

    ``words`` are the words of the mention in the answer, rising; ``in_key`` are the first and the last word in the key
    of every word of the answer, -1 for those that are not there.
    """
    start, end = span
    in_gap = np.zeros(end - start + 1, dtype=np.bool_)
    others = np.setdiff1d(np.arange(words[0], words[-1] + 1), words)
    for some, there in ((others, True), (words, False)):
        for first, last in zip(in_key[0][some].tolist(), in_key[1][some].tolist(), strict=True):
            if start <= first and last <= end:
                in_gap[first - start : last - start + 1] = there
    in_gap[[0, -1]] = False
    return np.flatnonzero(in_gap)


class Spans(NamedTuple):
    """The mentions of an answer on the words of a document of the key.

    =============== ==========================================================================================
    column          contains
    =============== ==========================================================================================
    ``entity``      its entity, numbered among all of the response
    ``start``       its first word in the key; for a mention that matches nothing, a place after the last word
    ``end``         its last word, likewise
    ``differing``   by how many characters it differs from these words of the key; -1 if it matches nothing
    ``zero``        whether it has no words except zeros, or its head is a zero that the key lacks
    ``head_first``  the first of the words of the key among which its head is
    ``head_last``   the last of them
    ``gaps``        the words of the key in its gaps, counted from ``start``; None for a mention without gaps
    =============== ==========================================================================================
    """

    entity: Ints
    start: Ints
    end: Ints
    differing: Ints
    zero: Bools
    head_first: Ints
    head_last: Ints
    gaps: Objects

    def take(self, which: Bools | Ints) -> Spans:
        """Return some of them."""
        return Spans(*(column[which] for column in self))  # type: ignore[arg-type]


def as_nodes(key: DocumentWords, spans: Spans, names: Sequence[str], heads: str | None) -> tuple[Spans, Nodes]:
    """Return spans of the words of a key (empty nodes are words, too) as mentions of all words from the first to the
    last except those in gaps.

    Of the words among which the head of a mention is, it is the highest in the tree
    (`corefscore.formats.corefud.annotations.highest`), or with ``heads`` `LAST` the last one. ``names`` are the ids of
    the entities. The spans that are returned count overt tokens; they are sorted as `corefscore.formats.corefud.reader`
    sorts them.
    """
    entity, start, end = spans.entity, spans.start, spans.end
    words, tree = len(key.words), key.tree
    after = (int(key.annotations.numbers[-1]) // SENTENCE + 1) * SENTENCE if words else 0
    # Words of the answer after the last word are those of a sentence that the key does not have.
    more = int(end.max(initial=-1)) + 1 - words
    numbers = np.append(key.annotations.numbers, after + TENTH * np.arange(1, max(more, 0) + 1))
    inside = start < words
    count = end - start + 1
    head = numbers[start]
    zero = spans.zero & ~inside
    links = np.zeros_like(start)
    parents: list[int] = []
    relations: list[int] = []
    for mention in np.flatnonzero(inside | zero).tolist():
        dependencies: tuple[Sequence[int], Sequence[int]] = ((), ())
        if inside[mention]:
            first, last = int(spans.head_first[mention]), int(spans.head_last[mention])
            word = last if heads == LAST else first + int(np.argmin(tree.depth[first : last + 1]))
            if (gap := spans.gaps[mention]) is not None and word - start[mention] in gap:
                others = np.setdiff1d(np.arange(first, last + 1), start[mention] + gap)
                word = int(others[np.argmin(tree.depth[others])])
            head[mention], zero[mention] = numbers[word], key.empty[word]
            dependencies = tree.links.get(word, ((), ()))
        links[mention] = len(dependencies[0])
        parents += dependencies[0]
        relations += dependencies[1]
    size, all_words = _without_gaps(start, count, spans.gaps)
    # Words with one number are one word, as in the key.
    owner, numbered = np.repeat(np.arange(len(size)), size), numbers[all_words]
    different = changes(owner, numbered)
    size = np.bincount(owner[different], minlength=len(size))
    links_of_nodes = np.array(parents, dtype=np.int64), np.array(relations, dtype=np.int64)
    nodes = Nodes(size, head, zero, links, numbered[different], *links_of_nodes)
    tokens = np.append(key.overt_before, key.tokens)
    overt = np.append(~key.empty, False)
    new_start = np.where(inside, tokens[np.minimum(start, words)], start - words + key.tokens)
    new_end = np.where(inside, (tokens + overt)[np.minimum(end, words)] - 1, end - words + key.tokens)
    order = _order(nodes, entity, names)
    return spans._replace(start=new_start, end=new_end).take(order), nodes.take(order)


def _without_gaps(start: Ints, count: Ints, gaps: Objects) -> tuple[Ints, Ints]:
    """Return how many words each mention has without its gaps, and the words of all mentions."""
    word, size, first = ranges(start, count), count.copy(), np.cumsum(count) - count
    kept = np.ones(len(word), dtype=np.bool_)
    for mention, gap in enumerate(gaps.tolist()):
        if gap is not None:
            kept[first[mention] + gap] = False
            size[mention] -= len(gap)
    return size, word[kept]


def _order(nodes: Nodes, entity: Ints, names: Sequence[str]) -> Ints:
    """Return the mentions by their entities, these by their first mention; ``names`` are the ids of entities."""
    rank = {name: number for number, name in enumerate(sorted(set(names)))}
    ranks = np.array([rank[name] for name in names], dtype=np.int64)[entity]
    order = order_by(nodes.first_word, -nodes.size, nodes.last_word - nodes.first_word, ranks)
    return order[order_by(in_order(entity[order])[1])]
