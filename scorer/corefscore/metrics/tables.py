"""Tables of overlap of aligned mentions: one for all metrics, or several where the official CorefUD scorer differs.

If both mentions of every aligned pair can get one number (`corefscore.matching.entity_lookup.plain`), one table serves
all metrics. Otherwise each metric counts from the table that the official scorer uses for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from corefscore.core.arrays import NONE, Floats, tally
from corefscore.matching.entity_lookup import entities_found, partners_of_mentions, plain
from corefscore.matching.mentions import Alignment, Common, in_common, joined
from corefscore.metrics.overlap import Cells, Overlap, overlap, plain_groups

SEEN = {"ceafm": "members", "ceafe": "members", "blanc": "key"}
"""The table (`_Tables`) from which the official scorer counts both recall and precision of a metric. Of all others,
recall comes from what the key finds and precision from what the response finds."""


class _Tables(NamedTuple):
    """Three tables of overlap: ``key`` has what the mentions of the key find in the response, ``response`` what those
    of the response find in the key, and ``members`` counts a mention for every entity of the response that contains it.
    If these do not differ, they are one table."""

    key: Overlap
    response: Overlap
    members: Overlap


def tables(alignment: Alignment, lookup: str) -> _Tables:
    """The overlap of aligned mentions, as each side finds it."""
    matched = plain(alignment)
    if matched is not None:
        table = overlap(matched)._replace(by_entity=True)
        return _Tables(table, table, table)
    where = entities_found(alignment, lookup)
    key, response = alignment.sides
    seen = _table(alignment, in_common([(key.entity, where.key)]))
    back = _table(alignment, in_common([(where.response, response.entity)]))
    return _Tables(seen, back, _table(alignment, members(alignment, lookup)))


def members(alignment: Alignment, lookup: str) -> Common:
    """How many mentions of each entity of the key have a partner that each entity of the response contains; or, if
    mentions look by themselves, one that fits."""
    if alignment.searched is not None:
        return alignment.searched.fitting
    key, response = alignment.sides
    pairs = joined((partners_of_mentions(alignment, lookup).key,), (response.number,))
    return in_common((key.entity[at_key], response.entity[at_response]) for at_key, at_response in pairs)


def _table(alignment: Alignment, both: Common) -> Overlap:
    """The table of what entities have in common. Its sums are added by entity, and its ``cell_of`` is empty."""
    ours, theirs = (
        plain_groups(side.document, tally(side.entity, len(side.document)), alignment.documents)
        for side in alignment.sides
    )
    groups = plain_groups(ours.document[both.key], both.size, alignment.documents)
    cells = Cells(**vars(groups), key=both.key, response=both.response, met=both.size)
    return Overlap(alignment.documents, ours, theirs, cells, NONE, by_entity=True)


def counts(name: str, count: Callable[[Overlap], Floats], tables: _Tables, definitions: str) -> Floats:
    """What a metric of this name counts, recall and precision each from its own table.

    ``count`` gives numerators and denominators as `corefscore.metrics.counts.packed` has them.
    """
    if tables.key is tables.response:
        return count(tables.key)
    if definitions == "corefud" and name in SEEN:
        return count(getattr(tables, SEEN[name]))
    found = count(tables.response)
    found[..., :2] = count(tables.key)[..., :2]
    return found
