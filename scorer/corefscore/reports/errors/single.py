"""The errors of an analysis one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Ints


class _Error(NamedTuple):
    """One error: its type, its document, its mentions as rows of the analysis, its key and response entity, and the key
    entity that the mentions were put into; an entity is `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int
    response: int
    into: int


def each_error(analysis: Analysis) -> Iterator[_Error]:
    """Yield all errors by type, in the order of `corefscore.analysis.types.TYPES`, in text order; of span errors those
    that were repaired by trimming come first.
    """
    both, response, key = analysis.both, analysis.errors.response, analysis.errors.key
    pieces = Members(analysis.errors.pieces.of, len(analysis.errors.pieces.key))
    by_type = {
        types.SPAN: analysis.repaired[:, np.newaxis].tolist(),
        types.CONFLATED: (pieces[piece].tolist() for piece in np.flatnonzero(response.apart).tolist()),
        types.EXTRA_MENTION: np.argwhere(response.alone).tolist(),
        # Other pronouns of an extra entity are conflated pieces; a missing entity is listed with all its mentions.
        types.EXTRA_ENTITY: _entities(np.where(response.whole, both.response, ABSENT), both.response[response.whole]),
        types.DIVIDED: (pieces[piece].tolist() for piece in np.flatnonzero(key.apart).tolist()),
        types.MISSING_MENTION: np.argwhere(key.alone).tolist(),
        types.MISSING_ENTITY: _entities(both.key, both.key[key.whole]),
        types.EXTRA_SINGLETON: np.argwhere(response.single).tolist(),
        types.MISSING_SINGLETON: np.argwhere(key.single).tolist(),
    }
    columns = both.document, both.key, both.response
    for name, errors in by_type.items():
        for mentions in errors:
            document, of_key, of_response = (column.item(mentions[0]) for column in columns)
            into = int(both.key[response.main[of_response]]) if name == types.CONFLATED else ABSENT
            # Some pronouns of a missing entity may be in the response.
            found = ABSENT if name == types.MISSING_ENTITY else of_response
            yield _Error(name, document, mentions, of_key, found, into)


def _entities(of: Ints, wrong: Ints) -> Iterator[list[int]]:
    """Yield the mentions of each ``wrong`` entity, where ``of`` is the entity of each mention."""
    count = int(of.max(initial=ABSENT)) + 1
    members = Members(of, count)
    return (members[entity].tolist() for entity in np.flatnonzero(np.bincount(wrong, minlength=count)).tolist())
