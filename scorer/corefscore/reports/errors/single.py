"""The errors of an analysis one by one, and the names of their documents, mentions and entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Ints
from corefscore.core.documents import Documents

KINDS = ("pronouns", "one word", "longer")
"""The names of the kinds of mentions; see `Analysis.kinds`."""

_SHOWN_WORDS = 28
"""The largest number of characters of a mention in a cell."""

BRIEF = 14
"""The largest number of characters of a mention in a heading."""


class _Entities:
    """The names of the entities of one side: the words of a mention and the id of the entity in its file."""

    def __init__(self, analysis: Analysis, of: Ints, side: Documents, rows: Ints) -> None:
        self._analysis, self._side, self._rows = analysis, side, rows
        self._members = Members(of, len(rows))

    def id(self, entity: int) -> str | None:
        """Return the id of an entity; None for `ABSENT`."""
        return None if entity == ABSENT else self._side.name_of(self._side.entity[self._rows[entity]])

    def name(self, entity: int, size: int = _SHOWN_WORDS) -> str:
        """Return the name of an entity, with so many characters of the words."""
        return f"{_shortened(self._analysis.label(self._members[entity]), size)} ({self.id(entity)})"


class Named:
    """The names of documents, and those of the entities of the key and of the response."""

    def __init__(self, analysis: Analysis) -> None:
        both, pairs, errors = analysis.both, analysis.pairs, analysis.errors
        self.analysis, self.documents = analysis, analysis.result.names
        self.key = _Entities(analysis, both.key, pairs.key, both.key_row[errors.key.main])
        self.response = _Entities(analysis, both.response, pairs.response, both.response_row[errors.response.main])

    def place(self, mention: int) -> tuple[str, int | None]:
        """Return the file and line of a mention in the response, or in the key if the response lacks it."""
        annotated = self.analysis.mention(mention)
        return annotated.place.source.name, annotated.line

    def kinds(self, mentions: Sequence[int] | Ints) -> dict[str, int]:
        """Return the number of some mentions of each kind."""
        sizes = np.bincount(self.analysis.kinds[mentions], minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, sizes, strict=True))

    def most_often(self, mentions: Iterable[int], most: int = 5, least: int = 1) -> str:
        """Return the ``most`` most frequent words of some mentions with their number, if it is at least ``least``."""
        words = Counter(self.analysis.words(mention).lower() for mention in mentions)
        return ", ".join(f"{_shortened(text)} {count}" for text, count in words.most_common(most) if count >= least)


def _shortened(words: str, size: int = _SHOWN_WORDS) -> str:
    """Return words cut to ``size`` characters."""
    return words if len(words) <= size else f"{words[: size - 1]}…"


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
