"""Key and response as two partitions of one list of mentions, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints, bounds, changes, in_order, narrow, order_by
from corefscore.matching.entity_lookup import together
from corefscore.matching.matched import Matched, Repeat, Side, match_spans, select_mentions, treat_repeats
from corefscore.matching.pairing import Pairs
from corefscore.scoring.corefud import matched as aligned
from corefscore.scoring.kinds.texts import Projection
from corefscore.scoring.settings import Rules

ABSENT = -1
"""The entity and the row of a mention on a side that lacks it."""

_AS_GIVEN, BY_TRIMMING, BY_HEAD = 0, 1, 2
"""How a mention of the response got its span: it is unchanged, or repaired by trimming its ends, or by its head."""


class Partitions(NamedTuple):
    """Every mention of either side once, in text order: by document, first token, last token.

    ================  ==================  =========================================================
    column            shape               contains
    ================  ==================  =========================================================
    ``document``      mentions            its document, sorted
    ``start``         mentions            its first token, from 0 in its document
    ``end``           mentions            its last token
    ``inside``        mentions            whether the text of the key has all of its tokens
    ``key``           mentions            its key entity, `ABSENT` if the key lacks the mention
    ``response``      mentions            its response entity, `ABSENT` if the response lacks it
    ``key_row``       mentions            its row among the mentions of the key's documents, or `ABSENT`
    ``response_row``  mentions            its row among those of the response's, or `ABSENT`
    ``repair``        mentions            `_AS_GIVEN`, or how the span of a response mention was repaired
    ================  ==================  =========================================================

    Start and end are those of the key if it has the mention. The entities of each side are numbered from 0 over all
    documents, in the order of their first mentions. A mention is in at most one entity of each side.
    """

    documents: int
    document: Ints
    start: Ints
    end: Ints
    inside: Bools
    key: Ints
    response: Ints
    key_row: Ints
    response_row: Ints
    repair: Ints

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
        """Return the partitions without mentions that both sides lack; entities are numbered again, without gaps."""
        there = (self.key != ABSENT) | (self.response != ABSENT)
        columns: Any = (column[there] for column in self[1:])
        left = Partitions(self.documents, *columns)
        return left._replace(key=renumbered(left.key), response=renumbered(left.response))


def side_of(document: Ints, entities: Ints) -> Side:
    """Return one side of mentions, given the document and the entity of each; the numbers of entities have no gaps."""
    there = np.flatnonzero(entities != ABSENT)
    mentions = there[order_by(entities[there])]
    entity = entities[mentions]
    return Side(mentions, entity, document[mentions[changes(entity)]], mentions)


class Members:
    """The members of each group in order, given the group of each member (`ABSENT`: none) and the number of groups."""

    def __init__(self, groups: Ints, count: int) -> None:
        there = narrow(np.flatnonzero(groups != ABSENT))
        self._members: Ints = there[order_by(groups[there])]
        self._bounds: Ints = narrow(bounds(groups[self._members], count))

    def __getitem__(self, group: int | np.integer[Any]) -> Ints:
        return self._members[self._bounds[group] : self._bounds[group + 1]]


def paired(batches: Sequence[Pairs], rules: Rules) -> tuple[Sequence[Ints], int]:
    """Pair the mentions of batches of documents, one batch after another: each as its document, its entity in the key
    and in the response, and its rows there, as in `Partitions`. Also returns how many later copies of repeated mentions
    were ignored; only the first copy on each side counts.

    ``rules`` are those of the score. Two mentions are the same if they are the same for the score.
    """
    parts, copies, before = [], 0, np.zeros(5, dtype=np.int32)
    for pairs in batches:
        matched, dropped = counted(pairs, rules)
        columns = np.full((5, len(matched.document)), ABSENT, dtype=np.int32)
        columns[0] = matched.document
        for at, side in enumerate((matched.key, matched.response), start=1):
            columns[at, side.number], columns[at + 2, side.number] = side.entity, side.mention
        columns = columns[:, (columns[1:3] != ABSENT).any(axis=0)]
        columns[1], columns[2] = map(renumbered, columns[1:3])
        sizes = [len(pairs.key), *(columns[1:3].max(axis=1, initial=ABSENT) + 1).tolist()]
        for column, shift in zip(columns, before.tolist(), strict=True):
            column[column != ABSENT] += shift
        before += [*sizes, len(pairs.key.start), len(pairs.response.start)]
        parts.append(columns)
        copies += sum(len(repeat.copies) - 1 for repeat in dropped)
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)], copies


def partitions(documents: int, pairs: Sequence[Ints], placed: tuple[Projection, Projection]) -> Partitions:
    """Return the partitions of some documents, given `paired`; ``placed`` says where the mentions of each side are in
    the text.
    """
    size = len(pairs[0])
    columns: list[Any] = []
    for sides in zip(placed[0][:3], placed[1][:3], strict=True):
        column = np.zeros(size, dtype=np.result_type(*sides))
        for side, row in zip(sides[::-1], pairs[:2:-1], strict=True):  # those of the key last
            column[row != ABSENT] = side[row[row != ABSENT]]
        columns.append(column)
    return Partitions(documents, *[pairs[0], *columns, *pairs[1:], np.zeros(size, dtype=np.int8)])


def counted(pairs: Pairs, rules: Rules) -> tuple[Matched, Sequence[Repeat]]:
    """Return the mentions of both sides that count for a score with ``rules``, and the repeated mentions, of which only
    the first copy does.

    Mentions with equal spans are the same; of mentions with nodes those that are aligned, which have the number of the
    key mention.
    """
    rules = replace(rules, repeated="first")
    if pairs.key.nodes is None:
        treated = treat_repeats(match_spans(pairs.key, pairs.response), pairs, rules.repeated)
        return select_mentions(treated.matched, rules.mentions, rules.singletons or "keep"), treated.dropped
    # This lookup pairs mentions one to one, even where one mention can match several.
    alignment, report = aligned(pairs, replace(rules, lookup="alignment"))
    return together(alignment), report.dropped


def renumbered(entities: Ints) -> Ints:
    """Return entities numbered from 0 in the order of their first mentions; `ABSENT` does not change."""
    there = np.flatnonzero(entities != ABSENT)
    found = np.full(len(entities), ABSENT)
    found[there] = in_order(entities[there])[1]
    return found
