"""The overlap of two partitions: the table from which every metric is computed.

For a key entity i with |k_i| mentions and a response entity j with |r_j|, cell (i, j) is the number of mentions n_ij
that they share. Only cells that are not zero exist, so nothing here is quadratic in mentions or entities.

Copies of a span that is annotated more than once are mentions. But B-cubed and BLANC count distinct spans
(`_Distinct`), and a pair of spans is one link, however often it occurs. Which copies are kept is decided before, in
`corefscore.matching.matched`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from math import comb
from typing import TypeVar

import numpy as np

from corefscore.core.arrays import Array, Floats, Ints, lists_by_key, pairs_of, ranked, sums
from corefscore.core.records import NamedTuple, dataclass, replace
from corefscore.matching.matched import Matched, Side

_FEW = 4
"""The number of groups of one span up to which subsets of them are counted."""

_ROWS = 64
"""The number of sets of groups that are compared with all others at once, which bounds memory."""


@dataclass(frozen=True, eq=False, repr=False)
class _Distinct:
    """The distinct spans of groups of mentions, entities or cells.

    One value a group: its ``size`` in spans, and the number of its spans that are in no other group, ``alone``.

    One value a document: the number of ``spans``, of those that are annotated ``twice`` in one group, and of those in
    ``several`` groups. ``groups_of_spans`` has, for each document with spans in several groups, the number of spans in
    each set of groups.
    """

    size: Ints
    alone: Ints
    spans: Ints
    twice: Ints
    several: Ints
    groups_of_spans: Sequence[Counter[frozenset[int]]]


def _surplus_pairs(sets: Mapping[frozenset[int], int]) -> int:
    """Sum max(0, |A and B| - 1) over unordered pairs of spans, with A and B the groups of each; ``sets`` is the number
    of spans in each set of groups.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is enough to count
    the spans that are in all groups of each subset. Larger sets than `_FEW` have too many subsets.
    """
    if any(len(groups) > _FEW for groups in sets):
        return _surplus_of_products(sets)
    together: Counter[tuple[int, ...]] = Counter()
    for groups, spans in sets.items():
        for size in range(2, len(groups) + 1):
            together.update(dict.fromkeys(combinations(sorted(groups), size), spans))
    return sum((-1) ** len(subset) * comb(spans, 2) for subset, spans in together.items())


def _surplus_of_products(sets: Mapping[frozenset[int], int]) -> int:
    """Compute `_surplus_pairs` from the product of the matrix of sets and groups with itself, some rows at once."""
    from scipy.sparse import csr_array

    spans, sizes = np.array(list(sets.values())), np.array(list(map(len, sets)))
    row = np.repeat(np.arange(len(sets)), sizes)
    group = np.unique(list(chain(*sets)), return_inverse=True)[1]
    contains = csr_array((np.ones(len(row), dtype=np.int64), (row, group)))
    # The product has every pair of spans twice, and every span with itself.
    twice = -int(spans @ (sizes - 1))
    for first in range(0, len(sets), _ROWS):
        shared = (contains[first : first + _ROWS] @ contains.T).tocoo()
        twice += int(((shared.data - 1) * spans[first + shared.row] * spans[shared.col]).sum())
    return twice // 2


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Entities of one side, or cells: the ``document`` of each, in order, its ``size`` in mentions, and their
    ``distinct`` spans. A formula on sets of spans needs ``distinct.size``, since copies of a span are mentions, too.

    ``row`` is the row in which each group is summed: its document, or its unit within documents (`by_units`); then
    ``distinct`` has one value a unit instead of one a document.
    """

    document: Ints
    size: Ints
    distinct: _Distinct
    row: Ints

    def total(self, values: Array) -> Floats:
        """Return the sum of ``values`` (one a group) for each document, added in the order of the groups."""
        return sums(self.row, values, len(self.distinct.spans))

    def together(self) -> Floats:
        """Return the number of pairs of spans that share a group, for each document."""
        pairs = self.total(pairs_of(self.distinct.size))
        for sets in self.distinct.groups_of_spans:
            pairs[self.row[min(chain(*sets))]] -= _surplus_pairs(sets)
        return pairs


_G = TypeVar("_G", bound=Groups)


@dataclass(frozen=True, eq=False, repr=False)
class Cells(Groups):
    """The cells, by key entity and then response entity.

    ``key`` and ``response`` are the entities of each cell. ``size``, the n_ij, is the number of mentions of the key
    entity that are in the response entity; ``met`` the number of mentions of the response entity that match one of the
    key entity. Both are equal unless the key annotates a span twice: a response mention matches only the last copy.
    """

    key: Ints
    response: Ints
    met: Ints


class Overlap(NamedTuple):
    """The overlap table of a batch of pairs of documents.

    ``cell_of`` is the cell of each response mention that matches a key mention, in the order of the response.

    The last bit of a sum can be visible, and the two official scorers add in different orders: ``by_entity`` means the
    order of the CorefUD scorer.
    """

    documents: int
    key: Groups
    response: Groups
    cells: Cells
    cell_of: Ints
    by_entity: bool = False

    def squares(self, entity: Ints, entities: Groups) -> Floats:
        """Return the sum of n_ij^2 / |e| over cells for each document; ``entity`` is the entity e of each cell on one
        side.

        Added by mention, n_ij / |e| each, in the order of the response; or by entity (``by_entity``).
        """
        if self.by_entity:
            squares = np.bincount(entity, self.cells.distinct.size**2, len(entities.size))
            return entities.total(squares / np.maximum(entities.size, 1))
        shares = self.cells.distinct.size / entities.size[entity]
        return sums(self.cells.row[self.cell_of], shares[self.cell_of], len(self.cells.distinct.spans))


def overlap(matched: Matched) -> Overlap:
    """Return the overlap table of numbered mentions. The response has at most one copy of a span that the key has."""
    key, response = matched.key, matched.response
    numbers = len(matched.document)
    entity_in_response = np.full(numbers, -1)
    entity_in_response[response.number] = response.entity

    # The cell of every key mention that the response has, copies included.
    common = entity_in_response[key.number] >= 0
    number, i = key.number[common], key.entity[common]
    j = entity_in_response[number]
    first, cell_of = ranked(i, j)
    cell_key, cell_response = i[first], j[first]

    # The cell of the last copy of each span.
    cell_of_number = np.full(numbers, -1)
    cell_of_number[number] = cell_of
    met = cell_of_number[response.number]
    met = met[met >= 0]

    # The cells are groups of mentions like the entities of a side.
    of_key, of_response, of_cells = (
        _groups(matched, side)
        if side.has_copies
        else plain_groups(side.document, np.bincount(side.entity, minlength=len(side.document)), matched.documents)
        for side in (key, response, Side(number, cell_of, key.document[cell_key]))
    )
    size = np.bincount(met, minlength=len(cell_key))
    cells = Cells(**vars(of_cells), key=cell_key, response=cell_response, met=size)
    return Overlap(matched.documents, of_key, of_response, cells, met)


def plain_groups(document: Ints, size: Ints, documents: int) -> Groups:
    """Return groups of mentions if no two mentions have the same span."""
    nothing, spans = np.zeros(documents, dtype=np.int64), sums(document, size, documents).astype(np.int64)
    return Groups(document, size, _Distinct(size, size, spans, nothing, nothing, ()), document)


def by_units(matched: Matched, table: Overlap) -> tuple[Overlap, Overlap]:
    """Return the table of numbered mentions with units within documents as rows of sums: for recall and for precision.

    An entity is in the unit of its first mention, a cell in the unit of its key entity for recall and of its response
    entity for precision; distinct spans are in the units of their mentions.
    """
    rows = matched.rows
    assert rows is not None, "called only if units are counted"
    nothing = np.zeros(rows.total, dtype=np.int64)

    def spans(numbers: Ints) -> Ints:
        return np.bincount(rows.of_number[np.unique(numbers)], minlength=rows.total)

    def of_entities(side: Side) -> Ints:
        first = np.full(len(side.document), len(matched.document))
        np.minimum.at(first, side.entity, side.number)
        found: Ints = rows.of_number[first]
        return found

    def in_units(groups: _G, unit: Ints, numbers: Ints) -> _G:
        of_units = replace(groups.distinct, spans=spans(numbers), twice=nothing, several=nothing)
        return replace(groups, row=unit, distinct=of_units)

    key, response = of_entities(matched.key), of_entities(matched.response)
    common = np.intersect1d(matched.key.number, matched.response.number)
    sides = table._replace(
        key=in_units(table.key, key, matched.key.number),
        response=in_units(table.response, response, matched.response.number),
    )
    of_cells = key[table.cells.key], response[table.cells.response]
    recall, precision = (sides._replace(cells=in_units(table.cells, unit, common)) for unit in of_cells)
    return recall, precision


def _groups(matched: Matched, side: Side) -> Groups:
    """Return groups of mentions, which are the entities of a side, if some mentions have the same span."""
    documents, of_number = matched.documents, matched.document
    number, group, document = side

    # Distinct (number, group) rows, by number.
    first, row = ranked(number, group)
    row_number, row_group = number[first], group[first]
    groups_of_number = np.bincount(row_number, minlength=len(of_number))
    alone = groups_of_number[row_number] == 1
    sets = lists_by_key(zip(row_number[~alone].tolist(), row_group[~alone].tolist(), strict=True))
    groups_of_spans: dict[int, Counter[frozenset[int]]] = defaultdict(Counter)
    for span, groups in sets.items():
        groups_of_spans[int(of_number[span])][frozenset(groups)] += 1

    def spans(numbers: Ints) -> Ints:
        return np.bincount(of_number[numbers], minlength=documents)

    distinct = _Distinct(
        np.bincount(row_group, minlength=len(document)),
        np.bincount(row_group[alone], minlength=len(document)),
        spans(np.flatnonzero(groups_of_number)),
        spans(np.unique(row_number[np.bincount(row, minlength=len(first)) > 1])),
        spans(np.flatnonzero(groups_of_number > 1)),
        list(groups_of_spans.values()),
    )
    return Groups(document, np.bincount(group, minlength=len(document)), distinct, document)
