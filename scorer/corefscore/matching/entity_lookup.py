"""Look-ups: the entity in which an aligned mention is found on the other side, officially or by the alignment.

The official CorefUD scorer has three peculiarities, each of which is in one place:

- `_dictionary`: it looks up the partner of a mention in one dictionary for both directions. If a mention of the
  response is aligned to one mention of the key and equal to another, it overwrites the partner of the other
  (zero-collision*, zero-renumbered). ``--task aligned`` takes the alignment itself.
- `last_entity`: a mention that is in several entities belongs to the last of them (span-in-two-entities*), so a
  response equal to its key scores less than 1.
- `corefscore.scoring.corefud.counts`: CEAF and BLANC look from the key to the response only, and CEAF counts a mention
  for every entity of the response that contains it (span-in-two-entities-of-response). With ``--task none``
  each side looks by itself.

The names are those of recorded cases.

Versions 1.0 and 1.1 of the official CorefUD scorer (CRAC 2022 and 2023) align nothing (`search`): every mention looks
at those of the other side that fit it, and finds the one whose words are most like its own, so that one can match many.
The rule of the alignment (`corefscore.matching.mentions.RULES`) says which fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Floats, Ints, changes, ranked, repeated
from corefscore.core.documents import are_empty
from corefscore.matching.matched import Matched, Side
from corefscore.matching.mentions import NOWHERE, RULES, Alignment, Mentions, Searched, common_words, in_common


class _Found(NamedTuple):
    """What the mentions of key and response find on the other side, `NOWHERE` for nothing: the partner of each number
    or of each mention, or the entity of each mention."""

    key: Ints
    response: Ints


def _dictionary(alignment: Alignment) -> _Found:
    """Return the partner of every number in an alignment.

    Officially a mention that is in no pair of unequal ones is looked up as itself.
    """
    key, response = alignment.aligned
    numbers = len(alignment.document)
    if alignment.lookup == "alignment":
        found = _Found(*np.full((2, numbers), NOWHERE))
        found.key[key], found.response[response] = response, key
        return found
    both = np.arange(numbers)
    unequal = key != response
    both[key[unequal]] = response[unequal]
    both[response[unequal]] = key[unequal]
    return _Found(both, both)


def last_entity(side: Side, numbers: int) -> Ints:
    """Return the entity to which each number belongs: the last one, if it is in several; `NOWHERE` if it is in none."""
    entity = np.full(numbers, NOWHERE)
    entity[side.number] = side.entity
    return entity


def partners_of_mentions(alignment: Alignment) -> _Found:
    """Return the partner of each mention instead of each number; if mentions look by themselves, the one that each
    finds.
    """
    if alignment.searched is not None:
        return _Found(alignment.searched.key, alignment.searched.response)
    partners = _dictionary(alignment)
    return _Found(partners.key[alignment.key.number], partners.response[alignment.response.number])


def entities_found(alignment: Alignment) -> _Found:
    """Return the entity in which each mention is found on the other side."""
    partners = partners_of_mentions(alignment)
    here, there = (np.append(last_entity(side, len(alignment.document)), NOWHERE) for side in alignment.sides)
    return _Found(there[partners.key], here[partners.response])


def together(alignment: Alignment) -> Matched:
    """Return the mentions as plain numbers by their alignment alone, in text order. Both mentions of a pair get the
    number of the key's; a mention of the response without a partner comes after the equal one of the key.
    """
    number_of = 2 * np.arange(len(alignment.document)) + 1
    number_of[alignment.aligned[1]] = 2 * alignment.aligned[0]
    key, response = alignment.sides
    numbers, number = np.unique(np.concatenate([2 * key.number, number_of[response.number]]), return_inverse=True)
    ours, theirs = np.split(number, [len(key.number)])
    sides = key._replace(number=ours), response._replace(number=theirs)
    return Matched(alignment.documents, alignment.document[numbers // 2], *sides)


def differing(alignment: Alignment) -> int:
    """Return how many mentions the official look-up finds in another entity than the alignment does."""
    official, aligned = (entities_found(alignment._replace(lookup=lookup)) for lookup in ("official", "alignment"))
    return sum(int((one != other).sum()) for one, other in zip(official, aligned, strict=True))


def search(key: Mentions, response: Mentions, document: Ints, *, documents: int, matching: str) -> Alignment:
    """Return what each mention finds: of the mentions that fit it, the one with the smallest |symmetric difference| /
    |union| of their words. Among equals it finds the one that begins first, then the one that ends first.

    ``document`` has the document of each number. Source: the official scorer, versions 1.0 and 1.1,
    head-tie-earlier-start, head-tie-three-keys-two-responses, partial-response-in-two-keys.
    """
    rule = RULES[matching]
    key, response = (_with_zeros(*arguments) for arguments in zip((key, response), rule.headed, strict=True))
    # Of copies in several entities only the first one, with its head, can be found.
    findable = ~repeated(key.number), ~repeated(response.number)
    at_key, at_response, _ = rule.pairs(key, response)
    # Each pair of a mention and an entity of the other side counts once.
    entity = response.side.entity[at_response]
    once = ranked(at_key, entity)[0]
    fit = in_common(key.side.entity[at_key[once]], entity[once])
    shared = common_words(key, response, at_key, at_response)
    union = key.nodes.size[at_key] + response.nodes.size[at_response] - shared
    apart = (union - shared) / union
    here, there = findable[0][at_key], findable[1][at_response]
    of_key = _nearest(at_key[there], at_response[there], apart[there], response, len(key.number))
    of_response = _nearest(at_response[here], at_key[here], apart[here], key, len(response.number))
    finding = of_key != NOWHERE
    aligned = key.number[finding], of_key[finding]
    return Alignment(documents, document, key, response, aligned, Searched(of_key, of_response, fit))


def _with_zeros(mentions: Mentions, headed: bool) -> Mentions:
    """Return mentions with another mark of zeros. If mentions have heads, zeros are those of the file; otherwise they
    are the mentions whose first word is an empty node.

    Source: the official scorer, version 1.1, recorded random cases links-101-04, heads-101-01.
    """
    nodes = mentions.nodes
    return mentions._replace(nodes=nodes._replace(zero=nodes.zero if headed else are_empty(nodes.first_word)))


def _nearest(of: Ints, other: Ints, apart: Floats, side: Mentions, size: int) -> Ints:
    """Return the number of the nearest mention of the other ``side`` for each of ``size`` mentions, `NOWHERE` for none.

    ``of`` and ``other`` are pairs of indices, and ``apart`` is the distance of each pair.
    """
    first, last = side.nodes.first_word[other], side.nodes.last_word[other]
    order = np.lexsort((last, first, apart, of))
    taken = order[changes(of[order])]
    found = np.full(size, NOWHERE)
    found[of[taken]] = side.number[other[taken]]
    return found
