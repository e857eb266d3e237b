"""The types of errors: how a response differs from the key.

The types are those of Kummerfeld and Klein 2013 (Error-Driven Analysis of Challenges in Coreference Resolution), in
closed form, with two more for entities of one mention, which their data does not have. The *main* mention of an entity
is its earliest mention that is not a pronoun, or its earliest mention if all are pronouns; mentions without a place in
a text, such as items, are in the order of their side. A *piece* is the set of mentions that a key entity and a response
entity share.

The errors of a response entity, with its pieces and its extra mentions (those that the key lacks), are:

- extra singleton: the entity is one extra mention and nothing else;
- extra entity: the entity has at least two extra mentions, and its other mentions are all pronouns; this is one error;
- extra mention: each extra mention of another entity, except for the main mention;
- conflated: each piece that does not contain the main mention.

The errors of a key entity, with its pieces and its missing mentions, are defined in the same way and called missing
singleton, missing entity, missing mention and divided. If key and response are exchanged, so are the types.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from corefscore.analysis.partitions import ABSENT, Partitions
from corefscore.core.arrays import Bools, Ints, changes, narrow, order_by, ranked
from corefscore.core.records import dataclass

TYPES = (
    SPAN := "span_error",
    CONFLATED := "conflated",
    EXTRA_MENTION := "extra_mention",
    EXTRA_ENTITY := "extra_entity",
    DIVIDED := "divided",
    MISSING_MENTION := "missing_mention",
    MISSING_ENTITY := "missing_entity",
    EXTRA_SINGLETON := "extra_singleton",
    MISSING_SINGLETON := "missing_singleton",
)
"""All types, in the order in which they are repaired."""


class _Pieces(NamedTuple):
    """The pieces of two partitions, sorted by key entity and then by response entity.

    ``of`` is the piece of each mention, `ABSENT` for a mention that only one side has. ``document``, ``key`` and
    ``response`` have one value per piece: its document, key entity and response entity.
    """

    of: Ints
    document: Ints
    key: Ints
    response: Ints

    def mentions(self, which: Bools) -> Bools:
        """Return whether each mention is in one of the pieces ``which``."""
        return np.append(which, False)[self.of]


class _OneSide(NamedTuple):
    """The errors of the entities of one side, as masks.

    ``main`` is the main mention of each entity. Of the mentions that only this side has, ``single`` marks extra (or
    missing) singletons, ``whole`` those of extra entities, and ``alone`` extra mentions. ``apart`` marks the pieces
    without the main mention of their entity, which are conflated (or divided).
    """

    main: Ints
    single: Bools
    whole: Bools
    alone: Bools
    apart: Bools


class _Error(NamedTuple):
    """One error: its type, its document, its mentions as rows of the partitions, its key and response entity, and the
    key entity that the mentions were put into; an entity is `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int
    response: int
    into: int


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of a response whose spans are repaired: those of its entities, and those of the key entities.

    ``label`` is a number of the key entity of each mention, different from the numbers of response entities and pieces.
    """

    partitions: Partitions
    pieces: _Pieces
    response: _OneSide
    key: _OneSide
    label: Ints

    @cached_property
    def by_document(self) -> dict[str, Ints]:
        """The number of errors of each type in each document."""
        document, documents = self.partitions.document, self.partitions.documents
        return {
            name: narrow(np.bincount(document[mentions[first]], minlength=documents))
            for name, mentions, first in self._by_type()
        }

    def _by_type(self) -> Iterator[tuple[str, Ints, Ints]]:
        """Yield each type with the mentions of its errors, one error after another, and where each error begins."""
        both, pieces, response, key = self.partitions, self.pieces, self.response, self.key
        alone = np.arange(len(both.key))
        # For each mention a number of its error, which rises in the order of errors, and whether there is one.
        rows = {
            # Those that were repaired by trimming come first.
            SPAN: (alone + len(alone) * both.repair.astype(np.int64), both.repair > 0),
            CONFLATED: (pieces.of, pieces.mentions(response.apart)),
            EXTRA_MENTION: (alone, response.alone),
            # Other pronouns of an extra entity are conflated pieces; a missing entity is listed with all its mentions.
            EXTRA_ENTITY: (both.response, response.whole),
            DIVIDED: (pieces.of, pieces.mentions(key.apart)),
            MISSING_MENTION: (alone, key.alone),
            MISSING_ENTITY: (both.key, self.beside(key.whole)),
            EXTRA_SINGLETON: (alone, response.single),
            MISSING_SINGLETON: (alone, key.single),
        }
        for name, (error, which) in rows.items():
            mentions = np.flatnonzero(which)
            mentions = mentions[order_by(error[mentions])]
            yield name, mentions, np.flatnonzero(changes(error[mentions]))

    def beside(self, which: Bools) -> Bools:
        """Return whether each mention is in the key entity of one of the mentions ``which``."""
        has = np.zeros(len(self.key.main) + 1, dtype=np.bool_)
        has[self.partitions.key[which]] = True
        has[ABSENT] = False
        return has[self.partitions.key]

    def each(self) -> Iterator[_Error]:
        """Yield all errors by type, in the order of `TYPES`, in text order; span errors that were repaired by trimming
        come before the others."""
        both = self.partitions
        columns = both.document, both.key, both.response
        for name, mentions, first in self._by_type():
            for start, stop in pairwise([*first.tolist(), len(mentions)]):
                its = mentions[start:stop].tolist()
                document, of_key, of_response = (column.item(its[0]) for column in columns)
                into = int(both.key[self.response.main[of_response]]) if name == CONFLATED else ABSENT
                # Some pronouns of a missing entity may be in the response.
                found = ABSENT if name == MISSING_ENTITY else of_response
                yield _Error(name, document, its, of_key, found, into)

    def operations(self) -> dict[str, int]:
        """Return the number of steps from the response to the key: pieces and extra mentions to split off, pieces and
        missing mentions to merge, missing mentions to introduce, extra ones to remove, and spans to rename.
        """
        both, pieces = self.partitions, self.pieces
        # Extra singletons are split off and removed; missing singletons are only introduced.
        lone = int(self.response.single.sum())
        return {
            "split": _parts(pieces.response, both.response[both.extra], len(self.response.main)) + lone,
            "merge": _parts(pieces.key, both.key[both.missing], len(self.key.main)),
            "introduce": int(both.missing.sum()),
            "remove": int(both.extra.sum()),
            "rename": int(np.count_nonzero(both.repair)),
        }


def _parts(pieces: Ints, mentions: Ints, entities: int) -> int:
    """Return the number of pieces and other mentions of all entities that have more than one of these."""
    parts = np.bincount(pieces, minlength=entities) + np.bincount(mentions, minlength=entities)
    return int(parts[parts > 1].sum())


def errors_of(both: Partitions, pronoun: Bools) -> Errors:
    """Return the errors of a response; ``pronoun`` says whether each mention is a pronoun."""
    shared = np.flatnonzero((both.key != ABSENT) & (both.response != ABSENT))
    first, piece = ranked(both.key[shared], both.response[shared])
    of = np.full(len(both.key), ABSENT, dtype=both.key.dtype)
    of[shared] = piece
    pieces = _Pieces(of, *(column[shared[first]] for column in (both.document, both.key, both.response)))
    response, key = (_one_side(both, pieces, pronoun, of_key=side) for side in (False, True))
    return Errors(both, pieces, response, key, len(response.main) + len(pieces.key) + both.key)


def _one_side(both: Partitions, pieces: _Pieces, pronoun: Bools, *, of_key: bool) -> _OneSide:
    """Return the errors of the entities of one side."""
    sides = (both.response, both.response_row, pieces.response), (both.key, both.key_row, pieces.key)
    (entities, row, of_piece), (other, *_) = sides[::-1] if of_key else sides
    # Mentions without a place are in the order of their side, before others.
    place = np.where(both.start < 0, row - row.max(initial=0) - 1, np.arange(len(row)))
    count = int(entities.max(initial=-1)) + 1
    lone = (entities != ABSENT) & (other == ABSENT)
    names = (entities != ABSENT) & (other != ABSENT) & ~pronoun
    lone_in = np.bincount(entities[lone], minlength=count)
    there = narrow(np.flatnonzero(entities != ABSENT))
    order = there[order_by(entities[there], pronoun[there].astype(np.int64), place[there])]
    main = order[changes(entities[order])]
    single = (np.bincount(entities[entities != ABSENT], minlength=count) == 1) & (lone_in == 1)
    whole = (lone_in >= 2) & (np.bincount(entities[names], minlength=count) == 0)
    apart = np.ones(len(of_piece), dtype=np.bool_)
    apart[pieces.of[main[pieces.of[main] != ABSENT]]] = False
    single, whole = (lone & np.append(which, False)[entities] for which in (single, whole))
    alone = lone & ~single & ~whole
    alone[main] = False
    return _OneSide(main, single, whole, alone, apart)
