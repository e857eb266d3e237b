"""The overlap of two partitions: the one small table that every metric follows from.

For a key entity i of |k_i| mentions and a response entity j of |r_j|, cell (i, j) says how many mentions n_ij
they share. Only cells that are not zero exist, so nothing here is quadratic in mentions or entities.

Where no span is marked twice there is one n_ij and the table is as plain as that. Where spans repeat, the
official scorer counts copies in different ways for different metrics (`scorer.official` tells which mentions
are left); a group of mentions, an entity or a cell, therefore has several sizes:

``size``   all mentions, copies included
``spans``  distinct spans
``sole``   distinct spans that lie in no other group
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from scorer.columns import Column, Floats, Ints, changes, counts, order_by, sums
from scorer.matching import Matched, Side

FEW = 8
"""Up to so many groups of one span, subsets of them are counted; beyond it, the spans that share one."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Entities of one side, or cells, in the order of their documents.

    ``document``, ``size``, ``spans`` and ``sole`` have one value a group. The others have one a document
    and are zero where nothing repeats: ``mentions`` distinct spans, ``twice`` spans marked twice in one group,
    ``several`` spans in more than one group, ``shared`` how often a pair of spans shares one group more
    than the first.
    """

    document: Ints
    size: Ints
    spans: Ints
    sole: Ints
    mentions: Ints
    twice: Ints
    several: Ints
    shared: Ints

    def total(self, values: Column) -> Floats:
        """Values, one a group, summed for each document in the order of the groups."""
        return sums(self.document, values, len(self.mentions))


@dataclass(frozen=True, eq=False)
class Cells(Groups):
    """The cells, by key entity and then response entity.

    ``key`` and ``response`` are the entities of each cell. ``size`` is how many mentions of the key entity,
    copies included, lie in the response entity. ``pairs`` counts one-to-one: each response mention meets the
    last copy of its span in the key.
    """

    key: Ints
    response: Ints
    pairs: Ints


class Overlap(NamedTuple):
    """The overlap table of a batch of pairs of documents.

    ``met`` is the cell in which each response mention that the key has meets its partner, in the
    order of the response; mentions of other spans do not occur in it.
    """

    documents: int
    key: Groups
    response: Groups
    cells: Cells
    met: Ints

    def total_met(self, values: Floats) -> Floats:
        """Values, one a response mention that the key has, summed for each document in that order."""
        return sums(self.cells.document[self.met], values, self.documents)


def overlap(matched: Matched) -> Overlap:
    """The overlap table of numbered mentions. A span that the key has occurs once in the response."""
    return _Builder(matched).build()


class _Builder:
    def __init__(self, matched: Matched) -> None:
        self.matched = matched
        self.numbers = len(matched.document)

    def build(self) -> Overlap:
        key, response = self.matched.key, self.matched.response
        entity_in_response = np.full(self.numbers, -1)
        entity_in_response[response.number] = response.entity
        last_in_key = np.full(self.numbers, -1)
        last_in_key[key.number] = key.entity

        # Every key mention that the response has, copies included, by the cell that it lies in.
        common = entity_in_response[key.number] >= 0
        number, i = key.number[common], key.entity[common]
        j = entity_in_response[number]
        order = order_by(i, j)
        new = changes(i[order], j[order])
        cell_of = np.empty(len(order), dtype=np.int64)
        cell_of[order] = np.cumsum(new) - 1
        cell_key, cell_response = i[order][new], j[order][new]

        # The cell of the last copy of each span.
        cell_of_number = np.full(self.numbers, -1)
        cell_of_number[number] = cell_of
        met = cell_of_number[response.number]
        met = met[met >= 0]

        groups = self._groups(number, cell_of, key.document[cell_key])
        return Overlap(
            self.matched.documents,
            self._entities(key),
            self._entities(response),
            Cells(**vars(groups), key=cell_key, response=cell_response, pairs=counts(met, len(cell_key))),
            met,
        )

    def _entities(self, side: Side) -> Groups:
        return self._groups(side.number, side.entity, side.document)

    def _groups(self, number: Ints, group: Ints, document: Ints) -> Groups:
        documents = self.matched.documents
        size = counts(group, len(document))
        zeros = np.zeros(documents, dtype=np.int64)
        copies = counts(number, self.numbers)
        if copies.max(initial=0) <= 1:
            mentions = counts(document[group], documents)
            return Groups(document, size, size, size, mentions, zeros, zeros, zeros)

        # Distinct (number, group) rows, by number.
        order = order_by(number, group)
        new = changes(number[order], group[order])
        row_number, row_group = number[order][new], group[order][new]
        row_copies = np.diff(np.append(np.flatnonzero(new), len(order)))
        groups_of_number = counts(row_number, self.numbers)
        alone = groups_of_number[row_number] == 1
        twice = np.unique(row_number[row_copies > 1])
        several = np.flatnonzero(groups_of_number > 1)
        tangled = ~alone
        sets: dict[int, list[int]] = {}
        for one, its in zip(row_number[tangled].tolist(), row_group[tangled].tolist(), strict=True):
            sets.setdefault(one, []).append(its)
        of_number = self.matched.document
        by_document: dict[int, list[frozenset[int]]] = {}
        for one, groups in sets.items():
            by_document.setdefault(int(of_number[one]), []).append(frozenset(groups))
        shared = zeros.copy()
        for one, its_sets in by_document.items():
            shared[one] = shared_more_than_once(its_sets)
        return Groups(
            document,
            size,
            counts(row_group, len(document)),
            counts(row_group[alone], len(document)),
            counts(of_number[np.unique(number)], documents),
            counts(of_number[twice], documents),
            counts(of_number[several], documents),
            shared,
        )


def shared_more_than_once(sets: Iterable[frozenset[int]]) -> int:
    """Sum over unordered pairs of spans of max(0, |A and B| - 1), A and B the groups that each lies in.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is
    enough to count how many spans lie in all groups of each subset: linear in spans that lie in few groups.
    The rare span in more than `FEW` groups is compared with those that it shares a group with.
    """
    few: list[frozenset[int]] = []
    many: list[frozenset[int]] = []
    for its in sets:
        (few if len(its) <= FEW else many).append(its)
    together: Counter[tuple[int, ...]] = Counter()
    for its in few:
        for size in range(2, len(its) + 1):
            together.update(combinations(sorted(its), size))
    total = sum((1 - len(subset) % 2 * 2) * (n * (n - 1) // 2) for subset, n in together.items())
    if not many:
        return total
    members: dict[int, list[int]] = {}
    for span, its in enumerate(few + many):
        for group in its:
            members.setdefault(group, []).append(span)
    columns = {group: np.array(spans) for group, spans in members.items()}
    for span, its in enumerate(many, start=len(few)):
        hits = np.bincount(np.concatenate([columns[group] for group in its]))[:span]
        total += int(np.maximum(hits - 1, 0).sum())
    return total
