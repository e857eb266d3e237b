"""Answers beside a key of CorefUD: which empty nodes of the key their zeros are, and the mentions with words and heads.

In the answer a word that begins with ``##`` is a zero. It is taken for an empty node of the key that follows the same
word: for the first free one with the form after ``##``, or otherwise for the first free one.

Programs write a zero in one of two places: where its empty node is, or after the word on which it depends
(text2text-coref). The place that fits more zeros of a document is tried first for all of them, then the other one for
those that are left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np

from corefscore.alignment.text.characters import Characters, characters
from corefscore.alignment.text.stretches import Found, Key, is_aligned
from corefscore.documents.arrays import Bools, Ints, order_by, ranges
from corefscore.documents.model import SENTENCE, TENTH, Nodes
from corefscore.formats.row import EMPTY, LAST, ZERO, Layers, Tree
from corefscore.formats.words import numbers_of

START = -1
"""The place before the first word."""


class KeyWords:
    """The words of a document of the key, including empty nodes, on which mentions are placed."""

    def __init__(self, layers: Layers) -> None:
        self.layers = layers
        self.words = list(chain(*layers.words))
        self.empty = layers.empty if len(layers.numbers) else np.zeros(len(self.words), dtype=np.bool_)
        self.characters = characters(self.words, set(np.flatnonzero(self.empty).tolist()))
        self.text = Key(self.characters)
        self.overt_before: Ints = np.cumsum(~self.empty) - ~self.empty

    @cached_property
    def tree(self) -> Tree:
        """The dependencies of the words."""
        return self.layers.tree()

    @property
    def tokens(self) -> int:
        """The number of words that are not empty nodes."""
        return int(np.count_nonzero(~self.empty))

    @cached_property
    def word_before(self) -> Ints:
        """For each place the last word up to there that is not an empty node."""
        found: Ints = np.maximum.accumulate(np.where(self.empty, START, np.arange(len(self.words))))
        return found

    @cached_property
    def by_place(self) -> dict[int, list[int]]:
        """The empty nodes by the word that they follow."""
        nodes = np.flatnonzero(self.empty)
        return _grouped(self.word_before[nodes].tolist(), nodes.tolist())

    @cached_property
    def by_parent(self) -> dict[int, list[int]]:
        """The empty nodes by the word on which they depend, the first of several. For the root this is the word before
        the sentence; for a node that depends on nothing, the word that it follows. The nodes of a word that also follow
        it come first, as in text2text-coref."""
        nodes = np.flatnonzero(self.empty)
        parents = [(*self.tree.links[node][0], self.layers.numbers[node])[0] for node in nodes.tolist()]
        at = np.searchsorted(self.layers.numbers, np.array(parents, dtype=np.int64), side="right") - 1
        words = np.where(at < 0, START, self.word_before[at])
        order = order_by((words != self.word_before[nodes]).astype(np.int64))
        return _grouped(words[order].tolist(), nodes[order].tolist())


def _grouped(names: Sequence[int], values: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for name, value in zip(names, values, strict=True):
        found[name].append(value)
    return found


def found_zeros(
    key: KeyWords, words: Sequence[str], zeros: Sequence[int], own: Characters, found: Found
) -> dict[int, int]:
    """The empty node of the key for each zero of an answer, both as places among the words."""
    if not zeros or not key.by_place:
        return {}
    known = np.flatnonzero(is_aligned(found))
    at = np.searchsorted(known, own.first[np.array(zeros)]) - 1
    behind = np.full(len(zeros), START)
    if len(known):
        behind = np.where(at < 0, START, key.characters.token[found.place[known[at]]])
    wanted = _grouped(behind.tolist(), zeros)
    ways = [key.by_place, key.by_parent]
    ways.sort(key=lambda way: -sum(min(len(its), len(way.get(word, ()))) for word, its in wanted.items()))
    result: dict[int, int] = {}
    taken: set[int] = set()

    def take(its: Sequence[int], nodes: Sequence[int], form: Callable[[str], str]) -> None:
        """Assign empty nodes to the zeros of one place and form, both in their order."""
        by_form: dict[str, list[int]] = defaultdict(list)
        for node in reversed(nodes):
            if node not in taken:
                by_form[form(key.words[node].removeprefix(EMPTY))].append(node)
        for zero in its:
            if zero not in result and (left := by_form[form(words[zero].removeprefix(ZERO))]):
                result[zero] = left.pop()
                taken.add(result[zero])

    for way in ways:
        for form in (str, lambda form: ""):
            for word, its in wanted.items():
                take(its, way.get(word, ()), form)
    return result


def with_zeros(
    own: tuple[Ints, Ints], placed: tuple[Ints, Ints, Ints], zeros: Mapping[int, int], key: KeyWords
) -> None:
    """Extend mentions to the zeros at their edges. A mention whose words are not in the key becomes its zeros alone.

    ``own`` are the first and last words of the mentions in the answer. ``placed`` is changed: the first and last word
    in the key, and the number of characters that differ.
    """
    start, last, differing = placed
    places = np.array(sorted(zeros), dtype=np.int64)
    first, stop = np.searchsorted(places, own[0]), np.searchsorted(places, own[1], side="right")
    gap = key.overt_before
    for at in np.flatnonzero(stop > first).tolist():
        nodes = sorted(zeros[zero] for zero in places[first[at] : stop[at]].tolist())
        if differing[at] < 0:
            start[at], differing[at] = nodes[0], 0
            last[at] = max(node for node in nodes if gap[node] == gap[nodes[0]])
            continue
        start[at] = min([start[at], *(node for node in nodes if gap[node] == gap[start[at]])])
        last[at] = max([last[at], *(node for node in nodes if gap[node] == gap[last[at]] + 1)])


class Columns(NamedTuple):
    """Mentions as `corefscore.documents.model.Documents` has them where they are more than spans."""

    entity: Ints
    start: Ints
    end: Ints
    nodes: Nodes | None


def as_nodes(key: KeyWords, spans: Columns, zero: Bools, names: Sequence[str], heads: str | None) -> Columns:
    """Spans of the words of a key (empty nodes are words, too) as mentions of all words from the first to the last.

    Spans after the last word match nothing; ``zero`` marks those of them that are zeros. The head of a mention is its
    highest word in the tree (`corefscore.formats.corefud.trees.highest`), or with ``heads`` `LAST` its last word. The
    mentions are sorted as `corefscore.formats.corefud.reader` sorts them.
    """
    entity, start, end, _ = spans
    size, tree = len(key.words), key.tree
    behind = (int(key.layers.numbers[-1]) // SENTENCE + 1) * SENTENCE if size else 0
    # Words of the answer after the last word are those of a sentence that the key does not have.
    more = int(end.max(initial=-1)) + 1 - size
    numbers = np.append(key.layers.numbers, behind + TENTH * np.arange(1, max(more, 0) + 1))
    inside = start < size
    count = end - start + 1
    head = numbers[end] if heads == LAST else numbers[start]
    zero = zero & ~inside
    links = np.zeros_like(start)
    parents: list[int] = []
    relations: list[int] = []
    root = numbers_of([b""]).tolist()
    for at in np.flatnonzero(inside | zero).tolist():
        its: tuple[Sequence[int], Sequence[int]] = ([behind], root)
        if inside[at]:
            begin, stop = int(start[at]), int(end[at])
            place = stop if heads == LAST else begin + int(np.argmin(tree.depth[begin : stop + 1]))
            head[at], zero[at] = numbers[place], key.empty[place]
            its = tree.links.get(place, ((), ()))
        links[at] = len(its[0])
        parents += its[0]
        relations += its[1]
    nodes = Nodes(
        count,
        head,
        zero,
        links,
        numbers[ranges(start, count)],
        np.array(parents, dtype=np.int64),
        np.array(relations, dtype=np.int64),
    )
    tokens = np.append(key.overt_before, key.tokens)
    overt = np.append(~key.empty, False)
    new_start = np.where(inside, tokens[np.minimum(start, size)], start - size + key.tokens)
    new_end = np.where(
        inside, tokens[np.minimum(end, size)] + overt[np.minimum(end, size)] - 1, end - size + key.tokens
    )
    order = _order(nodes, entity, names)
    return Columns(entity[order], new_start[order], new_end[order], nodes.take(order))


def _order(nodes: Nodes, entity: Ints, names: Sequence[str]) -> Ints:
    """The mentions by their entities, these by their first mention; ``names`` are the ids of entities."""
    rank = {name: at for at, name in enumerate(sorted(set(names)))}
    ranks = np.array([rank[name] for name in names], dtype=np.int64)[entity] if len(entity) else entity
    order = order_by(nodes.first_word, -nodes.size, nodes.last_word - nodes.first_word, ranks)
    ordered = entity[order]
    seen, first = np.unique(ordered, return_index=True)
    place = np.zeros(int(ordered.max(initial=-1)) + 1, dtype=np.int64)
    place[seen] = first
    return order[order_by(place[ordered], np.arange(len(order)))]
