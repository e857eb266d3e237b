"""Look-ups: from aligned mentions to the overlap of entities, as in the official CorefUD scorer or by the alignment.

If every mention is in one entity and no aligned pair has a mention that equals a third one, the two mentions of a pair
get one number, and one table serves all metrics. Otherwise several tables are needed, since the official scorer then
has three peculiarities, each of which is in one place here:

- `dictionary`: it looks up the partner of a mention in one dictionary for both directions. If a mention of the response
  is aligned to one mention of the key and equal to another, it overwrites the partner of the other (zero-collision*,
  zero-renumbered). ``--lookup alignment`` takes the alignment itself.
- `last_entity`: a mention that is in several entities belongs to the last of them (span-in-two-entities*), so a
  response equal to its key scores less than 1.
- `SEEN`: CEAF and BLANC look from the key to the response only, and CEAF counts a mention for every entity of the
  response that contains it (span-in-two-entities-of-response). With ``--definitions conll`` each side looks by itself.

The names are those of recorded cases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from corefscore.alignment.matching import Matched, Side
from corefscore.alignment.mentions import NOWHERE, Alignment, Common, in_common, joined
from corefscore.documents.arrays import NONE, Floats, Ints, tally
from corefscore.metrics.overlap import Cells, Overlap, overlap, plain_groups

SEEN = {"ceafm": "members", "ceafe": "members", "blanc": "key"}
"""The table (`Tables`) from which the official scorer counts both recall and precision of a metric. Of all others,
recall comes from what the key finds and precision from what the response finds."""


class Tables(NamedTuple):
    """Three tables of overlap: ``key`` has what the mentions of the key find in the response, ``response`` what those
    of the response find in the key, and ``members`` counts a mention for every entity of the response that contains it.
    If these do not differ, they are one table."""

    key: Overlap
    response: Overlap
    members: Overlap


class Found(NamedTuple):
    """What the mentions of key and response find on the other side, `NOWHERE` for nothing: the partner of each number
    or of each mention, or the entity of each mention."""

    key: Ints
    response: Ints


def dictionary(alignment: Alignment, lookup: str) -> Found:
    """The partner of every number in an alignment. ``lookup`` is one of `corefscore.alignment.matching.LOOKUPS`.

    Officially a mention that is in no pair of unequal ones is looked up as itself.
    """
    key, response = alignment.aligned
    numbers = len(alignment.document)
    if lookup == "alignment":
        found = Found(*np.full((2, numbers), NOWHERE))
        found.key[key], found.response[response] = response, key
        return found
    both = np.arange(numbers)
    unequal = key != response
    both[key[unequal]] = response[unequal]
    both[response[unequal]] = key[unequal]
    return Found(both, both)


def last_entity(side: Side, numbers: int) -> Ints:
    """The entity to which each number belongs: the last one, if it is in several; `NOWHERE` if it is in none."""
    entity = np.full(numbers, NOWHERE)
    entity[side.number] = side.entity
    return entity


def partners_of_mentions(alignment: Alignment, lookup: str) -> Found:
    """The partner of each mention instead of each number; if mentions look by themselves, the one that each finds."""
    key, response = alignment.sides
    if alignment.searched is None:
        partners = dictionary(alignment, lookup)
        return Found(partners.key[key.number], partners.response[response.number])
    here, there = np.append(key.number, NOWHERE), np.append(response.number, NOWHERE)
    return Found(there[alignment.searched.key], here[alignment.searched.response])


def entities_found(alignment: Alignment, lookup: str) -> Found:
    """The entity in which each mention is found on the other side."""
    partners = partners_of_mentions(alignment, lookup)
    here, there = (np.append(last_entity(side, len(alignment.document)), NOWHERE) for side in alignment.sides)
    return Found(there[partners.key], here[partners.response])


def plain(alignment: Alignment) -> Matched | None:
    """The mentions as plain numbers, equal for the two of a pair; None if the look-ups differ from that."""
    if alignment.searched is not None:
        return None
    (of_key, of_response), (key, response) = alignment.aligned, alignment.sides
    # How many mentions of each side have each number.
    here, there = (tally(side.number, len(alignment.document)) for side in (key, response))
    if max(here.max(initial=0), there.max(initial=0)) > 1:
        return None
    unequal = of_key != of_response
    if here[of_response[unequal]].any() or there[of_key[unequal]].any():
        return None
    number = np.arange(len(alignment.document))
    number[of_response] = of_key
    response = response._replace(number=number[response.number])
    return Matched(alignment.documents, alignment.document, key, response)


def together(alignment: Alignment) -> Matched:
    """The mentions as plain numbers by their alignment alone, in text order. Both mentions of a pair get the number of
    the key's; a mention of the response without a partner comes after the equal one of the key."""
    number_of = 2 * np.arange(len(alignment.document)) + 1
    number_of[alignment.aligned[1]] = 2 * alignment.aligned[0]
    key, response = alignment.sides
    numbers, number = np.unique(np.concatenate([2 * key.number, number_of[response.number]]), return_inverse=True)
    ours, theirs = np.split(number, [len(key.number)])
    sides = key._replace(number=ours), response._replace(number=theirs)
    return Matched(alignment.documents, alignment.document[numbers // 2], *sides)


def tables(alignment: Alignment, lookup: str) -> Tables:
    """The overlap of aligned mentions, as each side finds it."""
    matched = plain(alignment)
    if matched is not None:
        table = overlap(matched)._replace(by_entity=True)
        return Tables(table, table, table)
    where = entities_found(alignment, lookup)
    key, response = alignment.sides
    seen = _table(alignment, in_common([(key.entity, where.key)]))
    back = _table(alignment, in_common([(where.response, response.entity)]))
    return Tables(seen, back, _table(alignment, members(alignment, lookup)))


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


def counts(name: str, count: Callable[[Overlap], Floats], tables: Tables, definitions: str) -> Floats:
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


def differing(alignment: Alignment) -> int:
    """How many mentions the official look-up finds in another entity than the alignment does."""
    official, aligned = entities_found(alignment, "official"), entities_found(alignment, "alignment")
    return sum(int((one != other).sum()) for one, other in zip(official, aligned, strict=True))
