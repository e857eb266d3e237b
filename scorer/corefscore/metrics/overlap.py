"""The overlap of two partitions: the one small table that every metric follows from.

For a key entity i of |k_i| mentions and a response entity j of |r_j|, cell (i, j) says how many mentions n_ij
they share. Only cells that are not zero exist, so nothing here is quadratic in mentions or entities.

Where no span is marked twice there is one n_ij and the table is as plain as that. Where spans repeat, the
official scorer counts copies in different ways for different metrics (`corefscore.alignment.repeats` tells which
mentions are left); a group of mentions, an entity or a cell, therefore has several sizes:

``size``   all mentions, copies included
``spans``  distinct spans
``sole``   distinct spans that lie in no other group
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from corefscore.alignment.matching import Matched
from corefscore.documents.arrays import NONE, Array, Bools, Floats, Ints, changes, order_by, sums, tally


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

    The last bit of a sum shows, and the two official scorers add in other orders: ``by_entity`` is that of CorefUD.
    """

    documents: int
    key: Groups
    response: Groups
    cells: Cells
    met: Ints
    by_entity: bool = False

    def squares(self, entity: Ints, entities: Groups) -> Floats:
        """The sum of n_ij^2 / |e| over cells for each document; ``entity`` is the e of each cell, of one side.

        It is added one mention at a time, n_ij / |e|, in the order of the response; or one entity at a time.
        """
        if self.by_entity:
            squares = np.bincount(entity, self.cells.spans**2, len(entities.size))
            return entities.total(squares / np.maximum(entities.size, 1))
        shares = self.cells.spans / entities.size[entity]
        return sums(self.cells.document[self.met], shares[self.met], self.documents)

    def similar(self, similarity: Floats, taken: Bools) -> Floats:
        """The similarities of the cells that are taken, from 0 to 1, summed for each document; each is added as it is,
        or as 1 - (1 - similarity), since the official CoNLL scorer minimises 1 - similarity."""
        added = similarity if self.by_entity else 1 - (1 - similarity)
        return self.cells.total(np.where(taken, added, 0.0))


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


def of_columns(documents: int, document: Ints, key: Ints, response: Ints) -> Overlap:
    """The overlap table of two partitions of one list of mentions, which takes a third of the time.

    ``document``, ``key`` and ``response`` have one value a mention: its document, and its entity on each side, -1 for
    none; entities are numbered from 0 in the order of their documents. So no span is marked twice. Sums are added by
    entity, and ``met`` is empty.
    """
    ours, theirs = (_entities(documents, document, entity) for entity in (key, response))
    both = (key >= 0) & (response >= 0)
    width = max(len(theirs.size), 1)
    packed = np.sort(key[both] * width + response[both])
    first = np.flatnonzero(changes(packed))
    size = np.diff(first, append=len(packed))
    i, j = np.divmod(packed[first], width)
    cells = _plain(ours.document[i], size, tally(document[both], documents))
    return Overlap(documents, ours, theirs, Cells(**vars(cells), key=i, response=j, pairs=size), NONE, by_entity=True)


def _entities(documents: int, document: Ints, entity: Ints) -> Groups:
    """The entities of one side of such partitions."""
    there = entity >= 0
    its_document, its_entity = document[there], entity[there]
    size = np.bincount(its_entity)
    of_entity = np.empty(len(size), dtype=np.int64)
    of_entity[its_entity] = its_document
    return _plain(of_entity, size, tally(its_document, documents))


def _plain(document: Ints, size: Ints, mentions: Ints) -> Groups:
    """Groups in which nothing repeats."""
    zeros = np.zeros(len(mentions), dtype=np.int64)
    return Groups(document, size, size, size, mentions, zeros, zeros, {})


def _groups(matched: Matched, number: Ints, group: Ints, document: Ints) -> Groups:
    """Mentions of these numbers in groups, which lie in documents."""
    documents, of_number = matched.documents, matched.document
    size = tally(group, len(document))
    copies = tally(number, len(of_number))
    if copies.max(initial=0) <= 1:
        return _plain(document, size, tally(document[group], documents))

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
