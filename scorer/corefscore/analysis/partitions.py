"""Key and response of a run as two partitions of one list of mentions, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corefscore.arrays import Bools, Ints, changes, order_by
from corefscore.matching import Matched, Side, exact, without_singletons
from corefscore.model import Documents, joined
from corefscore.pairing import Pairs
from corefscore.repeats import treat

ABSENT = -1
"""The entity of a mention that a side does not have."""


class Partitions(NamedTuple):
    """Every mention of either side once, in text order: by document, first token, last token.

    =============  ==================  =========================================================
    column         shape               holds
    =============  ==================  =========================================================
    ``document``   mentions            its document, never falling
    ``start``      mentions            its first token, from 0 in its document
    ``end``        mentions            its last token
    ``key``        mentions            its key entity, `ABSENT` if the key lacks the mention
    ``response``   mentions            its response entity, `ABSENT` if the response lacks it
    =============  ==================  =========================================================

    Entities of each side are numbered from 0 through all documents, in the order of their first mentions. A mention is
    in one entity of a side at most. ``key_ids`` and ``response_ids`` have for each entity its number in the batch that
    was scored.
    """

    documents: int
    document: Ints
    start: Ints
    end: Ints
    key: Ints
    response: Ints
    key_ids: Ints
    response_ids: Ints

    @property
    def missing(self) -> Bools:
        """The mentions that only the key has."""
        found: Bools = self.response == ABSENT
        return found

    @property
    def extra(self) -> Bools:
        """The mentions that only the response has."""
        found: Bools = self.key == ABSENT
        return found

    def compact(self) -> Partitions:
        """Without mentions that neither side has any more; entities left empty get no number."""
        kept = np.flatnonzero((self.key != ABSENT) | (self.response != ABSENT))
        key, key_ids = _renumbered(self.key[kept])
        response, response_ids = _renumbered(self.response[kept])
        return Partitions(
            self.documents,
            self.document[kept],
            self.start[kept],
            self.end[kept],
            key,
            response,
            self.key_ids[key_ids],
            self.response_ids[response_ids],
        )

    def swapped(self) -> Partitions:
        """Key and response in each other's place."""
        return self._replace(key=self.response, response=self.key, key_ids=self.response_ids, response_ids=self.key_ids)

    def matched(self, response: Ints) -> Matched:
        """The key beside another response, given as the entity of each mention: what metrics count."""
        return Matched(self.documents, self.document, self.side(self.key), self.side(response))

    def side(self, entities: Ints) -> Side:
        """A partition as metrics take it; ``entities`` has the entity of each mention, any numbers but `ABSENT`."""
        renumbered, _ = _renumbered(entities)  # by first mention, so documents never fall
        number = np.flatnonzero(renumbered != ABSENT)
        entity = renumbered[number]
        order = order_by(entity, number)
        number, entity = number[order], entity[order]
        return Side(number, entity, self.document[number[changes(entity)]])


def whole(batches: Sequence[Pairs]) -> Pairs:
    """All batches of a run as one."""
    return Pairs(
        joined([batch.key for batch in batches]),
        joined([batch.response for batch in batches]),
        np.concatenate([batch.present for batch in batches]),
    )


def partitions(pairs: Pairs, singletons: str) -> tuple[Partitions, int]:
    """The partitions of pairs of documents, and how many later copies of repeated mentions were left out: of these the
    first one on each side counts.

    ``singletons`` is one of `corefscore.matching.SINGLETONS`.
    """
    spans = exact(pairs.key, pairs.response)
    start, end = (_by_number(spans, pairs, column) for column in ("start", "end"))
    treated = treat(spans, pairs, "first")
    copies = sum(len(repeat.copies) - 1 for repeat in treated.dropped)
    matched = without_singletons(treated.matched, singletons)
    size = len(spans.document)
    columns = spans.document, start, end, _entities(matched.key, size), _entities(matched.response, size)
    # Whoever was left out above has renumbered entities: their numbers in the batch come by their mentions.
    ids = _ids(spans.key, matched.key), _ids(spans.response, matched.response)
    return Partitions(spans.documents, *columns, *ids).compact(), copies


def _ids(before: Side, left: Side) -> Ints:
    """The entity before of each entity that is left, when mentions have one entity each."""
    entity = np.full(int(before.number.max(initial=-1)) + 1, ABSENT)
    entity[before.number[::-1]] = before.entity[::-1]
    return entity[left.number[changes(left.entity)]]


def _by_number(spans: Matched, pairs: Pairs, column: str) -> Ints:
    """A column of mentions of both sides, by number."""
    found = np.empty(len(spans.document), dtype=np.int64)
    for side, documents in ((spans.key, pairs.key), (spans.response, pairs.response)):
        found[side.number] = _column(documents, column)
    return found


def _column(documents: Documents, name: str) -> Ints:
    column: Ints = getattr(documents, name)
    return column


def in_order(groups: Ints) -> tuple[Ints, Ints]:
    """Any numbers of groups, as numbers from 0 in the order of their first members: for each group its first member,
    and for each member its group."""
    _, first, of = np.unique(groups, return_index=True, return_inverse=True)
    order = order_by(first)
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return first[order], rank[of]


def _renumbered(entities: Ints) -> tuple[Ints, Ints]:
    """Entities numbered from 0 in the order of their first mention, `ABSENT` as it is; and what each was before."""
    there = np.flatnonzero(entities != ABSENT)
    found = np.full(len(entities), ABSENT)
    first, found[there] = in_order(entities[there])
    return found, entities[there[first]]


def _entities(side: Side, size: int) -> Ints:
    """The entity of each number on a side."""
    found = np.full(size, ABSENT)
    found[side.number] = side.entity
    return found
