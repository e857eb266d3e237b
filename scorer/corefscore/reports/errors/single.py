"""The errors of an analysis one by one: the mentions and the entities of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Bools, Ints, tally


class Listed(NamedTuple):
    """One error: its type, its document, its mentions as rows of the analysis, its key and response entity, and the key
    entity that the mentions were put into; an entity is `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int = ABSENT
    response: int = ABSENT
    into: int = ABSENT


def listed(analysis: Analysis) -> list[Listed]:
    """All errors other than span errors, by type and in text order."""
    both, errors = analysis.both, analysis.errors
    into = both.key[errors.response.main][errors.pieces.response]
    found = [
        *_pieces(analysis, types.CONFLATED, errors.response.apart, into),
        *_pieces(analysis, types.DIVIDED, errors.key.apart, np.full(len(into), ABSENT)),
    ]
    for side, names, entities in (
        (errors.response, types.OF_RESPONSE, both.response),
        (errors.key, types.OF_KEY, both.key),
    ):
        _, mention, entity, singleton = names
        found += _mentions(analysis, mention, side.alone)
        found += _mentions(analysis, singleton, side.single)
        # Other pronouns of an extra entity are conflated pieces; a missing entity is listed with all its mentions.
        found += _entities(analysis, entity, side.whole, entities, all_of_it=side is errors.key)
    return sorted(found, key=lambda error: types.TYPES.index(error.type))


def _pieces(analysis: Analysis, name: str, apart: Bools, into: Ints) -> Iterator[Listed]:
    """The errors that are pieces; ``into`` is the key entity that each piece was put into."""
    pieces = analysis.errors.pieces
    members = Members(pieces.of, len(pieces.key))
    which = np.flatnonzero(apart)
    columns = (column[which].tolist() for column in (pieces.document, pieces.key, pieces.response, into))
    for number, document, *entities in zip(which.tolist(), *columns, strict=True):
        yield Listed(name, document, members[number].tolist(), *entities)


def _mentions(analysis: Analysis, name: str, which: Bools) -> Iterator[Listed]:
    """The errors that are single mentions."""
    both = analysis.both
    mentions = np.flatnonzero(which)
    columns = (column[mentions].tolist() for column in (both.document, both.key, both.response))
    for mention, document, key, response in zip(mentions.tolist(), *columns, strict=True):
        yield Listed(name, document, [mention], key, response)


def _entities(analysis: Analysis, name: str, which: Bools, entities: Ints, *, all_of_it: bool) -> Iterator[Listed]:
    """The errors that are whole entities of one side.

    ``which`` marks their mentions that only this side has. An error lists these mentions, or with ``all_of_it`` all
    mentions of the entity.
    """
    both = analysis.both
    count = int(entities.max(initial=ABSENT)) + 1
    lone = Members(np.where(which, entities, ABSENT), count)
    shown = Members(entities, count) if all_of_it else lone
    for entity in np.flatnonzero(tally(entities[which], count)).tolist():
        mention = int(lone[entity][0])
        mentions = shown[entity].tolist()
        yield Listed(name, int(both.document[mention]), mentions, int(both.key[mention]), int(both.response[mention]))
