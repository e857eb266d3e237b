"""Which mentions of key and response match: every mention gets a number, and equal numbers mean a match.

- Spans of tokens match if they are equal (`exact`). Source: the official scorer, as in all recorded cases.
- Mentions with words and heads (CorefUD) match by the rules in `corefscore.matching.mentions`: `dependencies` for
  zeros, then equal mentions, then the rule of ``--matching``.
- With ``--task crac22`` and ``crac23`` each mention looks by itself (`corefscore.matching.entity_lookup`).

Numbers rise in the order of the text. Two mentions of one side have the same number only if they are copies of one
span. After this step no score depends on spans.
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Bools, Ints, order_by, ranked, tally
from corefscore.core.documents import Documents, Kinds
from corefscore.core.records import NamedTuple


class Side(NamedTuple):
    """What scoring needs of the mentions of one side.

    ``number`` and ``entity`` have one value for each mention, ``document`` one for each entity. Mentions are in the
    order of their entities, and entities in the order of their documents.
    """

    number: Ints
    entity: Ints
    document: Ints

    def keep(self, which: Bools) -> Side:
        """Only the mentions ``which``, without the entities that become empty."""
        entity = self.entity[which]
        left = np.zeros(len(self.document), dtype=np.bool_)
        left[entity] = True
        renumbered = np.cumsum(left) - 1
        return Side(self.number[which], renumbered[entity], self.document[left])

    @property
    def not_alone(self) -> Bools:
        """Which mentions are in an entity with others."""
        return tally(self.entity, len(self.document))[self.entity] > 1

    def sorted_by(self, place: Ints, *within: Ints) -> Side:
        """Return entities in the order of the smallest ``place`` of their mentions in the document, and the mentions of
        an entity by the columns ``within``.
        """
        first = np.full(len(self.document), np.iinfo(np.int64).max)
        np.minimum.at(first, self.entity, place)
        entities = order_by(self.document, first)
        entity = np.argsort(entities)[self.entity]
        mentions = order_by(entity, *within)
        return Side(self.number[mentions], entity[mentions], self.document[entities])


class Rows(NamedTuple):
    """The units within documents in which mentions are counted (`corefscore.matching.units`): the unit of each number,
    and the number of units."""

    of_number: Ints
    total: int


class Matched(NamedTuple):
    """A batch of pairs of documents with numbered mentions.

    ``document`` has one value for each number. So have the ``kinds`` of both sides, which are given for scores of kinds
    of mentions. ``rows`` are given if units within documents are counted as well.
    """

    documents: int
    document: Ints
    key: Side
    response: Side
    kinds: tuple[Kinds, Kinds] | None = None
    rows: Rows | None = None

    def in_text_order(self) -> Matched:
        """Return both sides with entities in the order of their first mentions, and mentions in the order of their
        numbers, which is the order of a reader for mentions that do not overlap. Sums are added in this order, and
        their last bit can be visible.
        """
        key, response = (side.sorted_by(side.number, side.number) for side in (self.key, self.response))
        return self._replace(key=key, response=response)


SINGLETONS = ("keep", "drop-response", "drop")
"""The values of ``--singletons``: keep entities of one mention, drop those of the response, or drop those of both
sides."""

MENTIONS = ("all", "given")
"""The values of ``--mentions``: all mentions count, or those that both sides have, as if they had been given."""

MATCHING = ("exact", "partial", "head")
"""The values of ``--matching``. `corefscore.matching.mentions.RULES` has a row for each."""

ZEROS = ("dependent", "linear", "drop")
"""The values of ``--zeros``: zeros are aligned by what they depend on or by their position, or they are dropped."""

SEARCHES = ("crac22", "crac23")
"""The look-ups (`corefscore.matching.entity_lookup`) in which each mention looks by itself."""


def chosen(matched: Matched, mentions: str | None, singletons: str | None) -> Matched:
    """Leave out mentions that do not count.

    With ``mentions`` `given` these are the mentions that only one side has, so that links alone are scored. This can
    leave entities with one mention, which are left out after it as ``singletons``, one of `SINGLETONS`, says.
    """
    key, response = matched.key, matched.response
    if mentions == "given":
        both = np.intersect1d(key.number, response.number)
        key, response = (side.keep(np.isin(side.number, both)) for side in (key, response))
    if singletons == "drop":
        key = key.keep(key.not_alone)
    if singletons != "keep":
        response = response.keep(response.not_alone)
    return matched._replace(key=key, response=response)


def exact(key: Documents, response: Documents) -> Matched:
    """Assign numbers to the mentions so that equal spans of one document have equal numbers.

    Numbers run from 0 in the order of document, first token, last token. A span that a side marks twice gets
    the same number twice. Source: the official scorer.
    """
    document = np.concatenate([key.mention_document(), response.mention_document()])
    start = np.concatenate([key.start, response.start])
    end = np.concatenate([key.end, response.end])
    first, number = ranked(document, start, end)
    of_key, of_response = np.split(number, [len(key.start)])
    return Matched(
        len(key),
        document[first],
        Side(of_key, key.entity, key.document),
        Side(of_response, response.entity, response.document),
    )
