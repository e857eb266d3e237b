"""Mentions that count characters, beside a side that has tokens: which tokens they are.

Blanks do not count, since nothing says where a text of tokens has them. The characters of the text are those of all
tokens, one after the other; a mention is the tokens that its characters belong to. If both sides count characters, the
characters that are no blanks stand for tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from corefscore.checking.findings import Finding, counted
from corefscore.documents.arrays import Ints, bounds
from corefscore.documents.model import UNKNOWN, Documents, LayersOf, Place, Span, Texts, by_appearance, joined
from corefscore.documents.sources import Source
from corefscore.errors import InputError

AROUND = 20
"""How many characters a message shows of texts that part."""


BLANKS = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""Every character that is a blank."""


class Mapping:
    """Which token each character of a text belongs to (``token``), blanks to that behind them, and at which characters
    tokens begin and end; ``ends`` is where tokens end in the text without blanks."""

    def __init__(self, text: str, ends: Ints) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        solid = ~np.isin(codes, BLANKS)
        before: Ints = np.cumsum(solid) - solid
        self.token: Ints = np.searchsorted(ends, before, side="right")
        # Words without characters begin and end at the next one.
        characters = np.append(np.flatnonzero(solid), len(text))
        self.begins: Ints = characters[np.append(0, ends)[:-1]]
        self.ends: Ints = characters[np.maximum(ends - 1, 0)]


class Mapped:
    """The documents of one side whose mentions were mapped, to show their words."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, int | None], tuple[str, Ints]] = {}

    def add(self, place: Place, text: str, ends: Ints) -> None:
        """See a document, by its text and where tokens end there if blanks are left out."""
        self._documents[place.source.path, place.line] = text, ends

    def __call__(self, source: Source, spans: Sequence[Span]) -> list[str]:
        """The words of spans of tokens, as they are in the text."""
        mappings: dict[int, Mapping] = {}
        found = []
        for span in spans:
            its = self._documents.get((source.path, span.line))
            if its is None:
                found.append(f"{span.start}-{span.end}")
                continue
            if span.line not in mappings:
                mappings[span.line] = Mapping(*its)
            mapping = mappings[span.line]
            found.append(" ".join(its[0][mapping.begins[span.start] : mapping.ends[span.end] + 1].split()))
        return found


class InTokens:
    """Brings pairs of documents to tokens, batch after batch."""

    def __init__(self, notices: list[Finding]) -> None:
        self.notices = notices
        self._texts: dict[Source, _Texts] = {}
        self._mapped = Mapped(), Mapped()

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
        start, end, tokens = side.start.copy(), side.end.copy(), side.tokens.copy()
        its_mentions = bounds(side.mention_document(), len(side))
        mapped = self._mapped[number]
        widened: list[int] = []
        for d, text in enumerate(side.characters):
            if text is None or d in side.faults or other.places[d] is None or d in other.faults:
                continue
            ends = self._ends(side, other, d, "".join(text.split()))
            its = Mapping(text, ends)
            mapped.add(side.place_of(d), text, ends)
            which = slice(int(its_mentions[d]), int(its_mentions[d + 1]))
            inside = (its.begins[its.token[start[which]]] != start[which]) | (
                its.ends[its.token[end[which]]] != end[which]
            )
            widened += (which.start + np.flatnonzero(inside)).tolist()
            start[which], end[which] = its.token[start[which]], its.token[end[which]]
            tokens[d] = len(its.ends)
        self._tell(side, widened)
        known = np.maximum(tokens, 0)
        lines = [0 if place is None else place.line or 0 for place in side.places]
        # The words of these tokens were compared by their characters.
        texts = side.texts and Texts(
            np.full(int(known.sum()), UNKNOWN), np.repeat(np.array(lines, dtype=np.int64), known)
        )
        found = replace(side, start=start, end=end, tokens=tokens, texts=texts, words=mapped, characters=None)
        return by_appearance(found)

    def _tell(self, side: Documents, widened: Sequence[int]) -> None:
        """Notice mentions that begin or end within a token."""
        if widened:
            first = side.mention(widened[0])
            (words,) = side.words_of(widened[:1])
            details = {"document": first.document, "count": counted(len(widened), "mention"), "words": words}
            self.notices.append(Finding("within-token", first.place.source.name, first.place.line, details=details))

    def _ends(self, side: Documents, other: Documents, document: int, text: str) -> Ints:
        """Where the tokens of the other side end in a text without blanks. Raises `InputError` where it has another."""
        others = None if other.characters is None else other.characters[document]
        words = [] if others is not None else ["".join(word.split()) for word in self._words(side, other, document)]
        its = "".join(words if others is None else others.split())
        if its != text:
            parting = (at for at, (one, two) in enumerate(zip(text, its, strict=False)) if one != two)
            same = next(parting, min(len(text), len(its)))
            details = {
                "document": side.names[document],
                "text": text[same : same + AROUND],
                "other": its[same : same + AROUND],
                "place": str(other.place_of(document)),
            }
            place = side.place_of(document)
            raise InputError([Finding("other-text", place.source.name, place.line, details=details)])
        if others is not None:
            return np.arange(1, len(text) + 1)
        return np.cumsum(list(map(len, words)), dtype=np.int64)

    def _words(self, side: Documents, other: Documents, document: int) -> Sequence[str]:
        place = other.place_of(document)
        words: Sequence[str] = ()
        if other.layers is not None and place.line is not None:
            source = place.source
            if source not in self._texts:
                self._texts[source] = _Texts(other.layers, source)
            words = self._texts[source].at(place.line)
        if not words:
            its = side.place_of(document)
            details = {"document": side.names[document], "place": str(place)}
            raise InputError([Finding("no-tokens", its.source.name, its.line, details=details)])
        return words


class _Texts:
    """The words of the documents of a file, read on as they are asked for."""

    def __init__(self, layers: LayersOf, source: Source) -> None:
        self._rest = layers(source)
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
    sides = [_put_back(batch, rest) for batch, rest in zip(first, (key, response), strict=True)]
    if first[0] is None or first[1] is None:
        return sides[0], sides[1]
    nameless = [batch is not None and batch.unnamed and batch.characters is not None for batch in first]
    if first[0].unnamed == first[1].unnamed or not any(nameless):
        return sides[0], sides[1]
    whole = [joined(list(side)) for side in sides]
    number = nameless.index(True)
    without, names = whole[number], whole[1 - number].names
    if len(without) != len(names):
        place = without.place_of(0)
        details = {"count": counted(len(without), "document"), "others": len(names)}
        raise InputError([Finding("unnamed-documents", place.source.name, details=details)])
    whole[number] = replace(without, names=list(names))
    return iter([whole[0]]), iter([whole[1]])


def _put_back(first: Documents | None, rest: Iterator[Documents]) -> Iterator[Documents]:
    if first is not None:
        yield first
    yield from rest
