"""The errors of an analysis one by one: which mentions each is about, and which entities show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.documents.arrays import Bools, Ints, tally


class Listed(NamedTuple):
    """One error: its type, its document, the mentions concerned, as places among those of the analysis; the key and
    response entity that show it, and the key entity that those mentions were put into, `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int = ABSENT
    response: int = ABSENT
    into: int = ABSENT


def listed(analysis: Analysis) -> list[Listed]:
    """All errors but those of spans, by type, in the order of the text."""
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
        # The pronouns that an extra entity has besides are conflated; a missing one has to be made of all.
        found += _entities(analysis, entity, side.whole, entities, all_of_it=side is errors.key)
    order = {name: place for place, name in enumerate(types.TYPES)}
    return sorted(found, key=lambda error: order[error.type])


def _pieces(analysis: Analysis, name: str, apart: Bools, into: Ints) -> Iterator[Listed]:
    """The errors that are pieces; ``into`` is the entity that each piece was put into."""
    pieces = analysis.errors.pieces
    members = Members(pieces.of, len(pieces.key))
    at = np.flatnonzero(apart)
    columns = (column[at].tolist() for column in (pieces.document, pieces.key, pieces.response, into))
    for piece, document, *entities in zip(at.tolist(), *columns, strict=True):
        yield Listed(name, document, members[piece].tolist(), *entities)


def _mentions(analysis: Analysis, name: str, which: Bools) -> Iterator[Listed]:
    """The errors that are single mentions."""
    both = analysis.both
    at = np.flatnonzero(which)
    columns = (column[at].tolist() for column in (both.document, both.key, both.response))
    for mention, document, key, response in zip(at.tolist(), *columns, strict=True):
        yield Listed(name, document, [mention], key, response)


def _entities(analysis: Analysis, name: str, which: Bools, entities: Ints, *, all_of_it: bool) -> Iterator[Listed]:
    """The errors that are whole entities of one side, given their mentions that only it has: these are shown, or all
    that such an entity has."""
    both = analysis.both
    count = int(entities.max(initial=ABSENT)) + 1
    lone = Members(np.where(which, entities, ABSENT), count)
    shown = Members(entities, count) if all_of_it else lone
    for entity in np.flatnonzero(tally(entities[which], count)).tolist():
        at = int(lone[entity][0])
        its = shown[entity].tolist()
        yield Listed(name, int(both.document[at]), its, int(both.key[at]), int(both.response[at]))
