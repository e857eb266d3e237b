"""Mentions that count characters, beside a side that has tokens: which tokens they are.

Readers cut such a text at blanks and where mentions begin and end, so that a mention is some of its pieces
(`corefscore.core.documents.Documents`). Here both texts have to be the same, blanks aside; a mention is the tokens of
the other side to which its characters belong. If both sides count characters, the characters that are no blanks stand
for tokens. Where texts may differ (``--align``), `corefscore.matching.text.projection` finds the pieces in the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Ints, bounds
from corefscore.core.documents import (
    UNKNOWN,
    AnnotationsOf,
    Documents,
    Place,
    Span,
    Texts,
    by_appearance,
    joined,
    texts_of,
)
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source

if TYPE_CHECKING:
    from corefscore.matching.text.characters import Characters

_AROUND = 20
"""How many characters a message shows of texts that part."""


class _Mapped:
    """The documents of one side whose mentions were mapped, to show their words."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, int | None], tuple[str, Ints]] = {}

    def add(self, place: Place, text: str, first: Ints) -> None:
        """See a document: its pieces with a blank between them, and where tokens begin if blanks are left out."""
        self._documents[place.source.path, place.line] = text, first

    def __call__(self, source: Source, spans: Sequence[Span]) -> list[str]:
        """The words of spans of tokens, as they are in the text."""
        from corefscore.matching.text.characters import of_pieces

        characters_of = cache(of_pieces)
        found = []
        for span in spans:
            text, first = self._documents.get((source.path, span.line), ("", None))
            if first is None:
                found.append(f"{span.start}-{span.end}")
            else:
                own = characters_of(text)
                pieces = pairwise(own.borders(int(first[span.start]), int(first[span.end + 1])))
                found.append(" ".join(own.text(start, stop) for start, stop in pieces))
        return found


class InTokens:
    """Brings pairs of documents to tokens, batch after batch."""

    def __init__(self, notices: list[Finding]) -> None:
        self.notices = notices
        self._texts: dict[Source, _Texts] = {}
        self._mapped = _Mapped(), _Mapped()

    def pair(self, key: Documents, response: Documents) -> tuple[Documents, Documents]:
        """Both sides with mentions of tokens, if mentions of one count characters.

        Raises `InputError` where the other side has no words, and where texts differ.
        """
        if key.characters is None and response.characters is None:
            return key, response
        return self._side(key, response, 0), self._side(response, key, 1)

    def _side(self, side: Documents, other: Documents, number: int) -> Documents:
        if side.characters is None:
            return side
        from corefscore.matching.text.characters import of_pieces

        start, end, tokens = side.start.copy(), side.end.copy(), side.tokens.copy()
        first_mentions = bounds(side.mention_document(), len(side))
        mapped = self._mapped[number]
        widened: list[int] = []  # mentions that begin or end within a token
        for d, text in enumerate(side.characters):
            if text is None or d in side.faults or other.places[d] is None or d in other.faults:
                continue
            own = of_pieces(text)
            theirs = self._beside(side, other, d, own)
            mapped.add(side.place_of(d), text, theirs.first)
            which = slice(int(first_mentions[d]), int(first_mentions[d + 1]))
            begins, stops = own.first[start[which]], own.first[end[which] + 1]
            start[which], end[which] = theirs.token[begins], theirs.token[stops - 1]
            inside = (theirs.first[start[which]] != begins) | (theirs.first[end[which] + 1] != stops)
            widened += (which.start + np.flatnonzero(inside)).tolist()
            tokens[d] = theirs.tokens
        if widened:
            first = side.mention(widened[0])
            (words,) = texts_of([first])
            details = {"document": first.document, "count": plural(len(widened), "mention"), "words": words}
            self.notices.append(Finding("within-token", first.place.source.name, first.place.line, details=details))
        known = np.maximum(tokens, 0)
        lines = [0 if place is None else place.line or 0 for place in side.places]
        # The words of these tokens were compared by their characters.
        texts = side.texts and Texts(
            np.full(int(known.sum()), UNKNOWN), np.repeat(np.array(lines, dtype=np.int64), known)
        )
        found = replace(
            side, start=start, end=end, tokens=tokens, texts=texts, words=mapped, characters=None, annotations=None
        )
        return by_appearance(found)

    def _beside(self, side: Documents, other: Documents, document: int, own: Characters) -> Characters:
        """The same characters by the tokens of the other side. Raises `InputError` where it has another text."""
        from corefscore.matching.text.characters import as_they_are, of_pieces

        others = None if other.characters is None else other.characters[document]
        theirs = as_they_are(self._words(side, other, document)) if others is None else of_pieces(others)
        if not np.array_equal(own.code, theirs.code):
            size = min(len(own.code), len(theirs.code))
            same = int(np.argmin(np.append(own.code[:size] == theirs.code[:size], False)))
            details = {
                "document": side.names[document],
                "text": own.text(same, same + _AROUND),
                "other": theirs.text(same, same + _AROUND),
                "place": str(other.place_of(document)),
            }
            place = side.place_of(document)
            raise InputError([Finding("other-text", place.source.name, place.line, details=details)])
        return theirs if others is None else theirs.by_itself

    def _words(self, side: Documents, other: Documents, document: int) -> Sequence[str]:
        place = other.place_of(document)
        words: Sequence[str] = ()
        if other.annotations is not None and place.line is not None:
            source = place.source
            if source not in self._texts:
                self._texts[source] = _Texts(other.annotations, source)
            words = self._texts[source].at(place.line)
        if not words:
            own = side.place_of(document)
            details = {"document": side.names[document], "place": str(place)}
            raise InputError([Finding("no-tokens", own.source.name, own.line, details=details)])
        return words


class _Texts:
    """The words of the documents of a file, read on as they are asked for."""

    def __init__(self, annotations: AnnotationsOf, source: Source) -> None:
        self._rest = annotations(source)
        self._waiting: dict[int | None, Sequence[str]] = {}

    def at(self, line: int) -> Sequence[str]:
        """The words of the document that begins at a line."""
        while line not in self._waiting:
            found = next(self._rest, None)
            if found is None:
                return ()
            self._waiting[found.line] = list(chain.from_iterable(found.words))
        return self._waiting.pop(line)


def named_by_position(
    key: Iterator[Documents], response: Iterator[Documents]
) -> tuple[Iterator[Documents], Iterator[Documents]]:
    """Both sides; if one of them counts characters and has no names of documents, and the other has, with its names.

    They belong together by their position, which their texts confirm. Raises `InputError` for another number of them.
    """
    first = [next(side, None) for side in (key, response)]
    begun = [batch for batch in first if batch is not None]
    sides = [chain([] if batch is None else [batch], rest) for batch, rest in zip(first, (key, response), strict=True)]
    nameless = [batch.unnamed and batch.characters is not None for batch in begun]
    if len({batch.unnamed for batch in begun}) < 2 or not any(nameless):
        return sides[0], sides[1]
    whole = [joined(list(side)) for side in sides]
    number = nameless.index(True)
    without, names = whole[number], whole[1 - number].names
    if len(without) != len(names):
        place = without.place_of(0)
        details = {"count": plural(len(without), "document"), "others": len(names)}
        raise InputError([Finding("unnamed-documents", place.source.name, details=details)])
    whole[number] = replace(without, names=list(names))
    return iter([whole[0]]), iter([whole[1]])
