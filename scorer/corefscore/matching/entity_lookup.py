"""Look-ups: the entity in which an aligned mention is found on the other side, officially or by the alignment.

If every mention is in one entity and no aligned pair has a mention that equals a third one, the two mentions of a pair
get one number. Otherwise the official CorefUD scorer has three peculiarities, each of which is in one place:

- `_dictionary`: it looks up the partner of a mention in one dictionary for both directions. If a mention of the
  response is aligned to one mention of the key and equal to another, it overwrites the partner of the other
  (zero-collision*, zero-renumbered). ``--lookup alignment`` takes the alignment itself.
- `last_entity`: a mention that is in several entities belongs to the last of them (span-in-two-entities*), so a
  response equal to its key scores less than 1.
- `corefscore.metrics.tables.SEEN`: CEAF and BLANC look from the key to the response only, and CEAF counts a mention for
  every entity of the response that contains it (span-in-two-entities-of-response). With ``--definitions conll`` each
  side looks by itself.

The names are those of recorded cases.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, tally
from corefscore.matching.matched import Matched, Side
from corefscore.matching.mentions import NOWHERE, Alignment


class _Found(NamedTuple):
    """What the mentions of key and response find on the other side, `NOWHERE` for nothing: the partner of each number
    or of each mention, or the entity of each mention."""

    key: Ints
    response: Ints


def _dictionary(alignment: Alignment, lookup: str) -> _Found:
    """The partner of every number in an alignment. ``lookup`` is one of `corefscore.matching.matched.LOOKUPS`.

    Officially a mention that is in no pair of unequal ones is looked up as itself.
    """
    key, response = alignment.aligned
    numbers = len(alignment.document)
    if lookup == "alignment":
        found = _Found(*np.full((2, numbers), NOWHERE))
        found.key[key], found.response[response] = response, key
        return found
    both = np.arange(numbers)
    unequal = key != response
    both[key[unequal]] = response[unequal]
    both[response[unequal]] = key[unequal]
    return _Found(both, both)


def last_entity(side: Side, numbers: int) -> Ints:
    """The entity to which each number belongs: the last one, if it is in several; `NOWHERE` if it is in none."""
    entity = np.full(numbers, NOWHERE)
    entity[side.number] = side.entity
    return entity


def partners_of_mentions(alignment: Alignment, lookup: str) -> _Found:
    """The partner of each mention instead of each number; if mentions look by themselves, the one that each finds."""
    key, response = alignment.sides
    if alignment.searched is None:
        partners = _dictionary(alignment, lookup)
        return _Found(partners.key[key.number], partners.response[response.number])
    here, there = np.append(key.number, NOWHERE), np.append(response.number, NOWHERE)
    return _Found(there[alignment.searched.key], here[alignment.searched.response])


def entities_found(alignment: Alignment, lookup: str) -> _Found:
    """The entity in which each mention is found on the other side."""
    partners = partners_of_mentions(alignment, lookup)
    here, there = (np.append(last_entity(side, len(alignment.document)), NOWHERE) for side in alignment.sides)
    return _Found(there[partners.key], here[partners.response])


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


def differing(alignment: Alignment) -> int:
    """How many mentions the official look-up finds in another entity than the alignment does."""
    official, aligned = entities_found(alignment, "official"), entities_found(alignment, "alignment")
    return sum(int((one != other).sum()) for one, other in zip(official, aligned, strict=True))
