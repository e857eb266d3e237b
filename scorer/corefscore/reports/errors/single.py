"""The errors of an analysis one by one, and the names of their documents, mentions and entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Bools, Ints, tally
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
        self._analysis, self._of, self._side, self._rows = analysis, of, side, rows

    @cached_property
    def _members(self) -> Members:
        return Members(self._of, len(self._rows))

    def id(self, entity: int) -> str | None:
        """Return the id of an entity; None for `ABSENT`."""
        return None if entity == ABSENT else self._side.name_of(self._side.entity[self._rows[entity]])

    def name(self, entity: int, size: int = _SHOWN_WORDS) -> str:
        """Return the name of an entity, with so many characters of the words."""
        return f"{_shortened(self._analysis.label(self._members[entity]), size)} ({self.id(entity)})"


class Named:
    """The names of documents and of the entities of both sides."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    @cached_property
    def key(self) -> _Entities:
        """The names of key entities."""
        both, main = self.analysis.both, self.analysis.errors.key.main
        return _Entities(self.analysis, both.key, self.analysis.pairs.key, both.key_row[main])

    @cached_property
    def response(self) -> _Entities:
        """The names of response entities."""
        both, main = self.analysis.both, self.analysis.errors.response.main
        return _Entities(self.analysis, both.response, self.analysis.pairs.response, both.response_row[main])

    def document(self, document: int) -> str:
        """Return the name of a document."""
        return self.analysis.result.names[document]

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


class Listed(NamedTuple):
    """One error: its type, its document, its mentions as rows of the analysis, its key and response entity, and the key
    entity that the mentions were put into; an entity is `ABSENT` if there is none."""

    type: str
    document: int
    mentions: Sequence[int]
    key: int = ABSENT
    response: int = ABSENT
    into: int = ABSENT


def listed(analysis: Analysis) -> Iterator[Listed]:
    """Yield all errors other than span errors, by type in the order of `corefscore.analysis.types.TYPES`, in text
    order.
    """
    both, response, key = analysis.both, analysis.errors.response, analysis.errors.key
    into = both.key[response.main][analysis.errors.pieces.response]
    yield from _pieces(analysis, types.CONFLATED, response.apart, into)
    yield from _mentions(analysis, types.EXTRA_MENTION, response.alone)
    # Other pronouns of an extra entity are conflated pieces; a missing entity is listed with all its mentions.
    yield from _entities(analysis, types.EXTRA_ENTITY, response.whole, both.response, all_of_it=False)
    yield from _pieces(analysis, types.DIVIDED, key.apart, np.full(len(into), ABSENT))
    yield from _mentions(analysis, types.MISSING_MENTION, key.alone)
    yield from _entities(analysis, types.MISSING_ENTITY, key.whole, both.key, all_of_it=True)
    yield from _mentions(analysis, types.EXTRA_SINGLETON, response.single)
    yield from _mentions(analysis, types.MISSING_SINGLETON, key.single)


def _pieces(analysis: Analysis, name: str, apart: Bools, into: Ints) -> Iterator[Listed]:
    """Yield the errors that are pieces; ``into`` is the key entity that each piece was put into."""
    pieces = analysis.errors.pieces
    members = Members(pieces.of, len(pieces.key))
    which = np.flatnonzero(apart)
    columns = (column[which].tolist() for column in (pieces.document, pieces.key, pieces.response, into))
    for number, document, *entities in zip(which.tolist(), *columns, strict=True):
        yield Listed(name, document, members[number].tolist(), *entities)


def _mentions(analysis: Analysis, name: str, which: Bools) -> Iterator[Listed]:
    """Yield the errors that are single mentions."""
    both = analysis.both
    mentions = np.flatnonzero(which)
    columns = (column[mentions].tolist() for column in (both.document, both.key, both.response))
    for mention, document, key, response in zip(mentions.tolist(), *columns, strict=True):
        yield Listed(name, document, [mention], key, response)


def _entities(analysis: Analysis, name: str, which: Bools, entities: Ints, *, all_of_it: bool) -> Iterator[Listed]:
    """Yield the errors that are whole entities of one side.

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
