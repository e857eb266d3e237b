"""The mentions of both sides, for the terms that each mention contributes to a metric.

Every score is a quotient of two sums: recall over the mentions of the key, precision over those of the response.
`Metric.terms` returns the terms of these sums: one `Counts` for each measure that is not combined, whose ratios have
one value a mention, of the key for recall and of the response for precision. Summed over all mentions of a document
they are the counts of the metric, or proportional to them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corefscore.core.arrays import Array, Bools, Floats, Ints, among, changes, order_by
from corefscore.core.records import NamedTuple
from corefscore.matching.matched import Matched, Side
from corefscore.metrics.base import Cells, Counts, Groups, Overlap, Ratios, overlap


class Members(NamedTuple):
    """The mentions of one side, without copies.

    ``place`` is the position of each mention in the order of the text, and ``cell`` its cell, -1 if the other side does
    not have it. ``entities`` and ``others`` are the entities of this side and of the other, ``of_cell`` and
    ``other_of_cell`` those of each cell.
    """

    side: Side
    place: Ints
    cell: Ints
    entities: Groups
    others: Groups
    cells: Cells
    of_cell: Ints
    other_of_cell: Ints

    @property
    def document(self) -> Ints:
        """The document of each mention."""
        return self.side.document[self.side.entity]

    @property
    def size(self) -> Ints:
        """The size of the entity of each mention."""
        return self.entities.size[self.side.entity]

    @property
    def found(self) -> Bools:
        """Whether the other side has the mention."""
        return self.cell >= 0

    @property
    def ones(self) -> Floats:
        """1 for each mention."""
        return np.ones(len(self.cell))

    @property
    def shared(self) -> Floats:
        """For each mention the number of mentions that its entities on both sides share."""
        return self.of_cells(self.cells.size)

    def of_cells(self, values: Array) -> Floats:
        """Return, for each mention, the value of its cell, 0 if the other side does not have it."""
        return np.append(values, 0.0)[self.cell]

    @property
    def anaphoric(self) -> Bools:
        """Whether the entity of each mention has an earlier mention."""
        return self._has_earlier(self.side.entity, np.ones(len(self.cell), dtype=np.bool_))

    @property
    def linkable(self) -> Bools:
        """Whether each mention and an earlier mention of its entity are found."""
        return self._has_earlier(self.side.entity, self.found)

    @property
    def linked(self) -> Bools:
        """Whether an earlier mention of the entity is in the same entity of the other side as the mention."""
        return self._has_earlier(self.cell, self.found)

    def _has_earlier(self, group: Ints, among: Bools) -> Bools:
        """Return whether each of some mentions comes after another of them in its group."""
        which = np.flatnonzero(among)
        order = which[order_by(group[which], self.place[which])]
        found = np.zeros(len(group), dtype=np.bool_)
        found[order] = ~changes(group[order])
        return found


class Both(NamedTuple):
    """The mentions of both sides, and their overlap."""

    overlap: Overlap
    key: Members
    response: Members

    def counts(self, of: Callable[[Members], tuple[Array, Array]]) -> Counts:
        """Return the terms of a measure, given a function that returns the numerators and denominators of one side."""
        recall, precision = ([terms.astype(np.float64) for terms in of(side)] for side in (self.key, self.response))
        return Counts(Ratios(*recall), Ratios(*precision))


def members(matched: Matched, places: tuple[Ints, Ints]) -> Both:
    """Return the mentions of both sides, which have no copies; ``places`` are the positions of the mentions of key and
    response in the order of the text.
    """
    table = overlap(matched)
    key, response, cells = matched.key, matched.response, table.cells
    cell_of = np.full(len(matched.document), -1)
    cell_of[response.number[among(response.number, key.number)]] = table.cell_of
    sides = table.key, table.response
    return Both(
        table,
        Members(key, places[0], cell_of[key.number], *sides, cells, cells.key, cells.response),
        Members(response, places[1], cell_of[response.number], *sides[::-1], cells, cells.response, cells.key),
    )
