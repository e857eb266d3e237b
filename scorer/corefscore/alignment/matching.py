"""Which mentions of key and response are the same: every mention gets a number, equal for the same ones.

Today two mentions are the same when their spans are equal. Any other answer (the same head, one span within the
other) is another function beside `exact` that gives numbers. They rise in the order of the key's spans, those of the
response alone where they stand, and match one to one: two mentions of one side have the same number only where they
are copies of one span. From here on no score looks at a span.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.documents.arrays import Bools, Ints, changes, order_by, tally
from corefscore.documents.model import Documents, Kinds


class Side(NamedTuple):
    """The mentions of one side, as far as scoring looks at them.

    ``number`` and ``entity`` have one value a mention, ``document`` one an entity; mentions stand in the
    order of their entities, entities in the order of their documents.
    """

    number: Ints
    entity: Ints
    document: Ints

    def keep(self, which: Bools) -> Side:
        """Only the mentions ``which``; entities left empty disappear."""
        entity = self.entity[which]
        left = np.zeros(len(self.document), dtype=np.bool_)
        left[entity] = True
        renumbered = np.cumsum(left) - 1
        return Side(self.number[which], renumbered[entity], self.document[left])

    def by_appearance(self, place: Ints) -> Side:
        """Entities in the order of the first ``place`` of each in its document; there is one a mention."""
        first = np.full(len(self.document), np.iinfo(np.int64).max)
        np.minimum.at(first, self.entity, place)
        entities = order_by(self.document, first)
        new = np.empty(len(entities), dtype=np.int64)
        new[entities] = np.arange(len(entities))
        mentions = order_by(new[self.entity])
        return Side(self.number[mentions], new[self.entity][mentions], self.document[entities])

    def in_text_order(self) -> Side:
        """Entities in the order of their first mention, mentions in that of their numbers, as a reader gives mentions
        that do not overlap: sums are added in this order, and the last bit of a sum shows."""
        first = np.full(len(self.document), np.iinfo(np.int64).max)
        np.minimum.at(first, self.entity, self.number)
        entities = order_by(first)
        place = np.empty(len(entities), dtype=np.int64)
        place[entities] = np.arange(len(entities))
        mentions = order_by(place[self.entity], self.number)
        return Side(self.number[mentions], place[self.entity][mentions], self.document[entities])


class Rows(NamedTuple):
    """The units within documents in which mentions are counted (`corefscore.alignment.units`): that of each number, and
    how many there are."""

    of_number: Ints
    total: int


class Matched(NamedTuple):
    """A batch of pairs of documents with numbered mentions; ``document`` has one value a number, and so have the
    ``kinds`` of both sides, for scores of kinds of mentions. ``rows`` are there where units within documents are
    counted as well."""

    documents: int
    document: Ints
    key: Side
    response: Side
    kinds: tuple[Kinds, Kinds] | None = None
    rows: Rows | None = None

    def in_text_order(self) -> Matched:
        """The same with both sides in text order."""
        return self._replace(key=self.key.in_text_order(), response=self.response.in_text_order())


SINGLETONS = ("keep", "drop-response", "drop")
"""What ``--singletons`` can be: as given, without those of the response, or without those of both sides."""


MENTIONS = ("all", "given")
"""What ``--mentions`` can be: all that either side has, or those that both have, as if they had been given."""

MATCHING = ("exact", "partial", "head")
"""What ``--matching`` can be; the rules other than for spans are in `corefscore.alignment.mentions`."""

ZEROS = ("dependent", "linear", "drop")
"""What ``--zeros`` can be: zeros are aligned by what they depend on, by their place, or left out."""

SEARCHES = ("crac22", "crac23")

LOOKUPS = ("official", "alignment", *SEARCHES)
"""What ``--lookup`` can be: who finds the entity of a mention on the other side (`corefscore.alignment.lookups`); in
`SEARCHES` each mention looks by itself (`corefscore.alignment.searches`)."""

DEFINITIONS = ("conll", "corefud")
"""What ``--definitions`` can be: the official scorer whose definitions metrics follow where the two differ."""


def without_singletons(matched: Matched, way: str | None) -> Matched:
    """Leave out entities of one mention; ``way`` is one of `SINGLETONS`."""
    key = _larger(matched.key) if way == "drop" else matched.key
    response = _larger(matched.response) if way != "keep" else matched.response
    return matched._replace(key=key, response=response)


def of_both(matched: Matched, mentions: str | None) -> Matched:
    """Leave out the mentions that only one side has, if ``mentions`` is `given`: what is left is linking alone.

    Whose entities have one mention then, and are left out by `without_singletons`, is decided afterwards.
    """
    if mentions != "given":
        return matched
    both = np.intersect1d(matched.key.number, matched.response.number)
    key, response = (side.keep(np.isin(side.number, both)) for side in (matched.key, matched.response))
    return matched._replace(key=key, response=response)


def _larger(side: Side) -> Side:
    return side.keep(tally(side.entity, len(side.document))[side.entity] > 1)


def exact(key: Documents, response: Documents) -> Matched:
    """Number the mentions so that equal spans of one document have equal numbers.

    Numbers run from 0 in the order of document, first token, last token. A span that a side marks twice gets
    the same number twice.
    """
    document = np.concatenate([key.mention_document(), response.mention_document()])
    start = np.concatenate([key.start, response.start])
    end = np.concatenate([key.end, response.end])
    order = order_by(document, start, end)
    new = changes(document[order], start[order], end[order])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    mentions = len(key.start)
    return Matched(
        len(key),
        document[order][new],
        Side(number[:mentions], key.entity, key.document),
        Side(number[mentions:], response.entity, response.document),
    )
