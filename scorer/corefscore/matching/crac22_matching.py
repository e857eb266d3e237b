"""Mentions that each look for another by themselves, so that one can match many, as in CRAC 2022 and 2023.

Versions 1.0 and 1.1 of the official CorefUD scorer align nothing. Every mention looks at those of the other
side that fit it, and finds the one whose words are most like its own. The rule of the alignment
(`corefscore.matching.mentions.RULES`) says which fit; without a rule, those with the same words (`_equal`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from corefscore.core.arrays import Floats, Ints, changes, firsts, repeated
from corefscore.core.documents import SENTENCE, TENTH
from corefscore.matching.mentions import (
    NOWHERE,
    RULES,
    Alignment,
    Candidates,
    Distinct,
    Mentions,
    Searched,
    common_words,
    in_common,
    joined,
    joined_columns,
)


def _equal(key: Distinct, response: Distinct) -> Iterator[Candidates]:
    """Mentions with the same words.

    Source: the official scorer, version 1.1, span-in-two-entities-heads-differ.
    """
    for at_key, at_response in joined((key.number,), (response.number,)):
        yield Candidates(at_key, at_response, np.ones(len(at_key)))


def search(key: Mentions, response: Mentions, document: Ints, *, documents: int, matching: str) -> Alignment:
    """What each mention finds: of the mentions that fit it, the one with the smallest |symmetric difference| / |union|
    of their words. Among equals it finds the one that begins first, then the one that ends first.

    ``document`` has the document of each number. Source: the official scorer, versions 1.0 and 1.1,
    head-tie-earlier-start, head-tie-three-keys-two-responses, partial-response-in-two-keys.
    """
    rule = RULES[matching]
    key, response = (_with_zeros(*arguments) for arguments in zip((key, response), rule.headed, strict=True))
    ours, theirs = (Distinct(side.number, document[side.number], side.nodes) for side in (key, response))
    # Of copies in several entities only the first one, with its head, can be found.
    findable = ~repeated(ours.number), ~repeated(theirs.number)
    looked_at: list[tuple[Ints, Ints]] = []

    def fitting() -> Iterator[tuple[Ints, Ints]]:
        for one, other, _ in (rule.pairs or _equal)(ours, theirs):
            which = findable[0][one] | findable[1][other]
            looked_at.append((one[which], other[which]))
            yield _entities(key.side.entity, one, response.side.entity[other])

    fit = in_common(fitting())
    at_key, at_response = joined_columns(looked_at)
    shared = common_words(ours, theirs, at_key, at_response)
    union = ours.nodes.size[at_key] + theirs.nodes.size[at_response] - shared
    apart = (union - shared) / union
    here, there = findable[0][at_key], findable[1][at_response]
    of_key = _nearest(at_key[there], at_response[there], apart[there], theirs, len(ours.number))
    of_response = _nearest(at_response[here], at_key[here], apart[here], ours, len(theirs.number))
    finding = np.flatnonzero(of_key != NOWHERE)
    aligned = ours.number[finding], theirs.number[of_key[finding]]
    return Alignment(documents, document, key, response, aligned, Searched(of_key, of_response, fit))


def _entities(entity_of: Ints, mention: Ints, entity: Ints) -> tuple[Ints, Ints]:
    """Each pair of a mention and an entity of the other side, once, as a pair of entities."""
    once = firsts(mention, entity)
    return entity_of[mention[once]], entity[once]


def _with_zeros(mentions: Mentions, headed: bool) -> Mentions:
    """Mentions with another mark of zeros. If mentions have heads, zeros are those of the file; otherwise they are the
    mentions whose first word is an empty node.

    Source: the official scorer, version 1.1, recorded random cases links-101-04, heads-101-01.
    """
    nodes = mentions.nodes
    zero = nodes.zero if headed else nodes.first_word % SENTENCE % TENTH > 0
    return mentions._replace(nodes=nodes._replace(zero=zero))


def _nearest(of: Ints, other: Ints, apart: Floats, side: Distinct, size: int) -> Ints:
    """The index of the nearest mention of the ``other`` side for each of ``size`` mentions, `NOWHERE` for none.

    ``of`` and ``other`` are pairs of indices, and ``apart`` is the distance of each pair."""
    first, last = side.nodes.first_word[other], side.nodes.last_word[other]
    order = np.lexsort((last, first, apart, of))
    taken = order[changes(of[order])]
    found = np.full(size, NOWHERE)
    found[of[taken]] = other[taken]
    return found
