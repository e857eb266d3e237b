"""The types of errors: what of a response differs from the key, and how each difference is called.

The types are those of Kummerfeld and Klein 2013 (Error-Driven Analysis of Challenges in Coreference Resolution), in
closed form, and two for entities of one mention, which their data does not have. The *main* mention of an entity is
its earliest one that is no pronoun, or its earliest if all are pronouns. A *piece* is what an entity of one side shares
with one of the other.

For a response entity with its pieces and extra mentions (those that the key lacks):

- extra singleton: it is one extra mention and nothing else;
- extra entity: it has two extra mentions or more, and no mention that the key has but pronouns: one error;
- extra mention: else, each extra mention that is not its main mention;
- conflated: each piece that does not hold its main mention.

For a key entity with its pieces and missing mentions the same, called missing singleton, missing entity, missing
mention and divided. Swapping the sides swaps the types.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.analysis.partitions import ABSENT, Partitions
from corefscore.documents.arrays import Bools, Ints, changes, order_by, tally

SPAN = "span_error"
CONFLATED = "conflated"
EXTRA_MENTION = "extra_mention"
EXTRA_ENTITY = "extra_entity"
DIVIDED = "divided"
MISSING_MENTION = "missing_mention"
MISSING_ENTITY = "missing_entity"
EXTRA_SINGLETON = "extra_singleton"
MISSING_SINGLETON = "missing_singleton"

TYPES = (
    SPAN,
    CONFLATED,
    EXTRA_MENTION,
    EXTRA_ENTITY,
    DIVIDED,
    MISSING_MENTION,
    MISSING_ENTITY,
    EXTRA_SINGLETON,
    MISSING_SINGLETON,
)
"""All types, in the order in which they are repaired."""

OF_RESPONSE = (CONFLATED, EXTRA_MENTION, EXTRA_ENTITY, EXTRA_SINGLETON)
OF_KEY = (DIVIDED, MISSING_MENTION, MISSING_ENTITY, MISSING_SINGLETON)
"""The errors that response entities show, and key entities: pieces, mentions, whole entities, singletons."""


class Pieces(NamedTuple):
    """What key and response entities share: pieces by key entity and then response entity.

    ``of`` is the piece of each mention, `ABSENT` for one that only one side has. ``document``, ``key`` and ``response``
    have one value a piece.
    """

    of: Ints
    document: Ints
    key: Ints
    response: Ints


class OneSide(NamedTuple):
    """The errors that the entities of one side show, each set as a mask; see `Errors` for their names.

    ``main`` is the main mention of each entity; ``single``, ``whole`` and ``alone`` are over mentions: those that are
    singletons of this side alone, in entities of this side alone, and other ones of this side alone but for main ones;
    ``apart`` is over pieces: those without the main mention of their entity.
    """

    main: Ints
    single: Bools
    whole: Bools
    alone: Bools
    apart: Bools


class Errors(NamedTuple):
    """The errors of a response, spans repaired.

    Masks over mentions: those of extra singletons, extra entities and extra mentions, of missing ones likewise. Masks
    over pieces: those that are conflated, and those that are divided.
    """

    partitions: Partitions
    pieces: Pieces
    response: OneSide
    key: OneSide

    def counts(self, spans: int) -> dict[str, int]:
        """How many errors there are of each type, given how many spans were repaired."""
        found = {SPAN: spans}
        sides = (self.response, self.partitions.response, OF_RESPONSE), (self.key, self.partitions.key, OF_KEY)
        for side, entities, (apart, mention, entity, singleton) in sides:
            found[apart] = int(side.apart.sum())
            found[mention] = int(side.alone.sum())
            found[entity] = int(np.count_nonzero(tally(entities[side.whole], len(side.main))))
            found[singleton] = int(side.single.sum())
        return {name: found[name] for name in TYPES}

    def operations(self, spans: int) -> dict[str, int]:
        """How many steps lead from the response to the key: pieces and extra mentions split off, pieces and missing
        mentions merged, missing mentions introduced, extra ones removed, spans renamed."""
        both, pieces = self.partitions, self.pieces
        lone = int(self.response.single.sum())  # is split off, to be removed; a missing one is just introduced
        return {
            "split": _parts(pieces.response, both.response[both.extra], len(self.response.main)) + lone,
            "merge": _parts(pieces.key, both.key[both.missing], len(self.key.main)),
            "introduce": int(both.missing.sum()),
            "remove": int(both.extra.sum()),
            "rename": spans,
        }


def _parts(pieces: Ints, mentions: Ints, entities: int) -> int:
    """How many pieces and lone mentions entities consist of, those left out that are just one."""
    parts = tally(pieces, entities) + tally(mentions, entities)
    return int(parts[parts > 1].sum())


def pieces(both: Partitions) -> Pieces:
    """The pieces of two partitions."""
    shared = np.flatnonzero((both.key != ABSENT) & (both.response != ABSENT))
    order = shared[order_by(both.key[shared], both.response[shared])]
    key, response = both.key[order], both.response[order]
    new = changes(key, response)
    of = np.full(len(both.key), ABSENT)
    of[order] = np.cumsum(new) - 1
    return Pieces(of, both.document[order][new], key[new], response[new])


def main_mentions(entities: Ints, pronoun: Bools) -> Ints:
    """The main mention of each entity, given the entity of each mention and whether it is a pronoun."""
    there = np.flatnonzero(entities != ABSENT)
    order = there[order_by(entities[there], pronoun[there].astype(np.int64))]
    return order[changes(entities[order])]


def errors_of(both: Partitions, pronoun: Bools) -> Errors:
    """The errors of a response; ``pronoun`` says of each mention whether it is one."""
    its = pieces(both)
    return Errors(
        both,
        its,
        _one_side(both.response, both.key, pronoun, its.of, its.response),
        _one_side(both.key, both.response, pronoun, its.of, its.key),
    )


def _one_side(entities: Ints, other: Ints, pronoun: Bools, piece: Ints, of_piece: Ints) -> OneSide:
    """The errors that entities show, beside those of the other side; ``of_piece`` is the entity of each piece."""
    count = int(entities.max(initial=-1)) + 1
    lone = (entities != ABSENT) & (other == ABSENT)
    names = (entities != ABSENT) & (other != ABSENT) & ~pronoun
    lone_in = tally(entities[lone], count)
    main = main_mentions(entities, pronoun)
    is_main = np.zeros(len(entities), dtype=np.bool_)
    is_main[main] = True
    single = (tally(entities[entities != ABSENT], count) == 1) & (lone_in == 1)
    whole = (lone_in >= 2) & (tally(entities[names], count) == 0)
    apart = np.ones(len(of_piece), dtype=np.bool_)
    apart[piece[main[piece[main] != ABSENT]]] = False
    at = np.where(lone, entities, 0)
    if not count:
        return OneSide(main, lone, lone, lone, apart)
    return OneSide(main, lone & single[at], lone & whole[at], lone & ~single[at] & ~whole[at] & ~is_main, apart)
