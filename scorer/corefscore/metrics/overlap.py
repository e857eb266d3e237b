"""The overlap of two partitions: the table from which every metric is computed.

For a key entity i with |k_i| mentions and a response entity j with |r_j|, cell (i, j) is the number of mentions n_ij
that they share. Only cells that are not zero exist, so nothing here is quadratic in mentions or entities.

Copies of a span that is annotated more than once are mentions. Where the official scorers count them differently,
`corefscore.metrics.distinct` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

import numpy as np

from corefscore.core.arrays import NONE, Array, Bools, Floats, Ints, changes, ranked, sums, tally
from corefscore.matching.matched import Matched, Side
from corefscore.metrics.distinct import Distinct, distinct, single


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """Entities of one side, or cells: the ``document`` of each, in order, its ``size`` in mentions, and their
    ``distinct`` spans. A formula on sets of spans needs ``distinct.size``, since copies of a span are mentions, too.

    If groups are summed by units within documents (`by_units`), ``rows`` is the unit of each group, and ``distinct``
    has one value a unit instead of one a document.
    """

    document: Ints
    size: Ints
    distinct: Distinct
    rows: Ints | None = field(default=None, kw_only=True)

    @property
    def row(self) -> Ints:
        """The row in which each group is summed: by default its document."""
        return self.document if self.rows is None else self.rows

    def total(self, values: Array) -> Floats:
        """The sum of ``values`` (one a group) for each document, added in the order of the groups."""
        return sums(self.row, values, len(self.distinct.spans))


G = TypeVar("G", bound=Groups)


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
        """The sum of n_ij^2 / |e| over cells for each document; ``entity`` is the entity e of each cell on one side.

        Added by mention, n_ij / |e| each, in the order of the response; or by entity (``by_entity``).
        """
        if self.by_entity:
            squares = np.bincount(entity, self.cells.distinct.size**2, len(entities.size))
            return entities.total(squares / np.maximum(entities.size, 1))
        shares = self.cells.distinct.size / entities.size[entity]
        return sums(self.cells.row[self.cell_of], shares[self.cell_of], len(self.cells.distinct.spans))

    def similar(self, similarity: Floats, taken: Bools) -> Floats:
        """The sum of the similarities (from 0 to 1) of the cells that are taken, for each document.

        Each is added as 1 - (1 - similarity), since the official CoNLL scorer minimises 1 - similarity; with
        ``by_entity`` as it is.
        """
        added = similarity if self.by_entity else 1 - (1 - similarity)
        return self.cells.total(np.where(taken, added, 0.0))


def overlap(matched: Matched) -> Overlap:
    """The overlap table of numbered mentions. The response has at most one copy of a span that the key has."""
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

    cells = _groups(matched, number, cell_of, key.document[cell_key])
    return Overlap(
        matched.documents,
        _groups(matched, *key),
        _groups(matched, *response),
        Cells(**vars(cells), key=cell_key, response=cell_response, met=tally(met, len(cell_key))),
        met,
    )


def of_columns(documents: int, document: Ints, key: Ints, response: Ints) -> Overlap:
    """The overlap table of two partitions of one list of mentions, which takes a third of the time of `overlap`.

    ``document``, ``key`` and ``response`` have one value a mention: its document, and its entity on each side, -1 for
    none. Entities are numbered from 0 in the order of their documents. No span is annotated twice. Sums are added by
    entity, and ``cell_of`` is empty.
    """
    ours, theirs = (_entities(documents, document, entity) for entity in (key, response))
    width = max(len(theirs.size), 1)
    packed = (key * width + response)[(key >= 0) & (response >= 0)]
    packed.sort()
    first = np.flatnonzero(changes(packed))
    size = np.diff(first, append=len(packed))
    i, j = np.divmod(packed[first], width)
    cells = plain_groups(ours.document[i], size, documents)
    return Overlap(documents, ours, theirs, Cells(**vars(cells), key=i, response=j, met=size), NONE, by_entity=True)


def _entities(documents: int, document: Ints, entity: Ints) -> Groups:
    """The entities of one side of the partitions of `of_columns`."""
    size = np.bincount(entity + 1, minlength=1)
    of_entity = np.empty(len(size), dtype=np.int64)
    of_entity[entity] = document  # mentions in no entity go to -1, the last value
    return plain_groups(of_entity[:-1], size[1:], documents)


def plain_groups(document: Ints, size: Ints, documents: int) -> Groups:
    """Groups of mentions if no two mentions have the same span."""
    return Groups(document, size, single(document, size, documents))


class _ByUnits(NamedTuple):
    """The overlap table of a batch with units within documents as rows of sums: one for recall and one for precision.

    An entity is in the unit of its first mention, a cell in the unit of its key entity for recall and of its response
    entity for precision; distinct spans are in the units of their mentions.
    """

    recall: Overlap
    precision: Overlap


def by_units(matched: Matched, table: Overlap) -> _ByUnits:
    """The table of numbered mentions that have units."""
    rows = matched.rows
    assert rows is not None, "called only if units are counted"
    nothing = np.zeros(rows.total, dtype=np.int64)

    def spans(numbers: Ints) -> Ints:
        return tally(rows.of_number[np.unique(numbers)], rows.total)

    def of_entities(side: Side) -> Ints:
        first = np.full(len(side.document), len(matched.document))
        np.minimum.at(first, side.entity, side.number)
        found: Ints = rows.of_number[first]
        return found

    def in_units(groups: G, unit: Ints, numbers: Ints) -> G:
        of_units = replace(groups.distinct, spans=spans(numbers), twice=nothing, several=nothing)
        return replace(groups, rows=unit, distinct=of_units)

    key, response = of_entities(matched.key), of_entities(matched.response)
    common = np.intersect1d(matched.key.number, matched.response.number)
    sides = table._replace(
        key=in_units(table.key, key, matched.key.number),
        response=in_units(table.response, response, matched.response.number),
    )
    return _ByUnits(
        sides._replace(cells=in_units(table.cells, key[table.cells.key], common)),
        sides._replace(cells=in_units(table.cells, response[table.cells.response], common)),
    )


def _groups(matched: Matched, number: Ints, group: Ints, document: Ints) -> Groups:
    """The groups of mentions; ``number`` and ``group`` have one value a mention, ``document`` one a group."""
    size = tally(group, len(document))
    return Groups(document, size, distinct(matched, number, group, size, document))
