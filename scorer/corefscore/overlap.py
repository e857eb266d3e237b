"""The overlap of two partitions: the one small table that every metric follows from.

For a key entity i of |k_i| mentions and a response entity j of |r_j|, cell (i, j) says how many mentions n_ij
they share. Only cells that are not zero exist, so nothing here is quadratic in mentions or entities.

Where no span is marked twice there is one n_ij and the table is as plain as that. Where spans repeat, the
official scorer counts copies in different ways for different metrics (`corefscore.repeats` tells which mentions
are left); a group of mentions, an entity or a cell, therefore has several sizes:

``size``   all mentions, copies included
``spans``  distinct spans
``sole``   distinct spans that lie in no other group
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from corefscore.arrays import Array, Floats, Ints, changes, order_by, sums, tally
from corefscore.matching import Matched

FEW = 4
"""Up to so many groups of one span, subsets of them are counted; beyond it sets of groups are compared in pairs."""

BLOCK = 1000
"""Sets of groups that are compared with all others at a time."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Entities of one side, or cells, in the order of their documents.

    ``document``, ``size``, ``spans`` and ``sole`` have one value a group. The others have one a document
    and are zero where nothing repeats: ``mentions`` distinct spans, ``twice`` spans marked twice in one group,
    ``several`` spans in more than one group. ``tangled`` has, for the documents with such spans, how many of them
    lie in each set of groups.
    """

    document: Ints
    size: Ints
    spans: Ints
    sole: Ints
    mentions: Ints
    twice: Ints
    several: Ints
    tangled: Mapping[int, Counter[frozenset[int]]]

    def total(self, values: Array) -> Floats:
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
    key, response = matched.key, matched.response
    numbers = len(matched.document)
    entity_in_response = np.full(numbers, -1)
    entity_in_response[response.number] = response.entity

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
    cell_of_number = np.full(numbers, -1)
    cell_of_number[number] = cell_of
    met = cell_of_number[response.number]
    met = met[met >= 0]

    cells = _groups(matched, number, cell_of, key.document[cell_key])
    return Overlap(
        matched.documents,
        _groups(matched, *key),
        _groups(matched, *response),
        Cells(**vars(cells), key=cell_key, response=cell_response, pairs=tally(met, len(cell_key))),
        met,
    )


def _groups(matched: Matched, number: Ints, group: Ints, document: Ints) -> Groups:
    """Mentions of these numbers in groups, which lie in documents."""
    documents, of_number = matched.documents, matched.document
    size = tally(group, len(document))
    copies = tally(number, len(of_number))
    if copies.max(initial=0) <= 1:
        zeros = np.zeros(documents, dtype=np.int64)
        return Groups(document, size, size, size, tally(document[group], documents), zeros, zeros, {})

    # Distinct (number, group) rows, by number.
    order = order_by(number, group)
    new = changes(number[order], group[order])
    row_number, row_group = number[order][new], group[order][new]
    row_copies = np.diff(np.append(np.flatnonzero(new), len(order)))
    groups_of_number = tally(row_number, len(of_number))
    alone = groups_of_number[row_number] == 1
    sets: dict[int, list[int]] = defaultdict(list)
    for one, its in zip(row_number[~alone].tolist(), row_group[~alone].tolist(), strict=True):
        sets[one].append(its)
    tangled: dict[int, Counter[frozenset[int]]] = defaultdict(Counter)
    for one, groups in sets.items():
        tangled[int(of_number[one])][frozenset(groups)] += 1

    def spans(numbers: Ints) -> Ints:
        return tally(of_number[numbers], documents)

    return Groups(
        document,
        size,
        tally(row_group, len(document)),
        tally(row_group[alone], len(document)),
        spans(np.flatnonzero(copies)),
        spans(np.unique(row_number[row_copies > 1])),
        spans(np.flatnonzero(groups_of_number > 1)),
        dict(tangled),
    )


def shared_more_than_once(sets: Mapping[frozenset[int], int]) -> int:
    """Sum over unordered pairs of spans of max(0, |A and B| - 1), A and B the groups that each lies in; ``sets`` tells
    how many spans lie in each set of groups.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is
    enough to count how many spans lie in all groups of each subset: linear in spans that lie in few groups.
    Sets of more than `FEW` groups, which no real file has, are compared with all others.
    """
    together: Counter[tuple[int, ...]] = Counter()
    for its, spans in sets.items():
        if len(its) <= FEW:
            for size in range(2, len(its) + 1):
                for subset in combinations(sorted(its), size):
                    together[subset] += spans
    total = sum((1 - len(subset) % 2 * 2) * (n * (n - 1) // 2) for subset, n in together.items())
    many = [its for its in sets if len(its) > FEW]
    return total + (_compared(sets, many) if many else 0)


def _compared(sets: Mapping[frozenset[int], int], many: Sequence[frozenset[int]]) -> int:
    """The part of `shared_more_than_once` of pairs in which one set or both are among ``many``."""
    from scipy.sparse import csr_array

    ordered = [*many, *(its for its in sets if len(its) <= FEW)]
    spans = np.array([sets[its] for its in ordered])
    sizes = [len(its) for its in ordered]
    groups = np.array([group for its in ordered for group in its])
    rows = np.repeat(np.arange(len(ordered)), sizes)
    holds = csr_array((np.ones(len(groups), dtype=np.int64), (rows, groups)))
    total = 0
    for first in range(0, len(many), BLOCK):
        common = (holds[first : min(first + BLOCK, len(many))] @ holds.T).tocoo()
        row, column = common.row + first, common.col
        extra = np.maximum(common.data - 1, 0)
        # Pairs among many are met from both sides; a set is met with itself once.
        pairs = np.where(row == column, spans[row] * (spans[row] - 1) // 2, spans[row] * spans[column])
        total += int(np.sum((extra * pairs)[(row <= column)]))
    return total
