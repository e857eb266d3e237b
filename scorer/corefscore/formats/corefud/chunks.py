"""The column MISC of CorefUD as chunks: which entity a bracket opens or closes, at which word, with which head.

An attribute ``Entity=`` is cut into chunks: ``(ID-FIELD-...)``, ``(ID-FIELD-...`` or ``ID)``. Other text is ignored. If
a word has the attribute twice, the last one counts. Bridge, SplitAnte and other attributes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bytes, Ints, changes, ranges
from corefscore.core.sources import as_text
from corefscore.formats.corefud.lines import LF, MISC, TAB, Lines
from corefscore.formats.words import whole_numbers

_NAME = b"Entity="
_NEARLY = re.compile(
    rb"(?i)(?<=[\t| ;,\"\xa0])(((coref|pred|sys)[a-z_]*(?<!id))?en(t(it|ti|t|i)|it)[ity]*(es|s)?(\[\d+\])?|coref)"
    rb" *[=:](?=[^|\t\n]*[()])|(?<=\|)(?=\(\w)"
)
_OLDER = re.compile(rb"(?<=[\t|])(?:ClusterId|Coref)=")
_NUMBERED = re.compile(rb"[\d.-]+\t")
"""What looks like the attribute, anywhere in a line; its names in CorefUD 0.x; and a line with the number of a word, an
empty node or a range."""

_PART = re.compile(rb"(.*)\[([^\]/]*)/([^\]]*)\]", re.DOTALL)
"""The id of a part of a discontinuous mention: the entity, the number of the part, and how many there are."""

SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of chunk."""

_BAR, _OPENING, _, _DASH = b"|()-"

NO_HEAD, EMPTY_HEAD, ODD_HEAD = -1, -2, -3
"""Why a chunk gives no head: it has no such field, an empty one, or one that is not a number."""

_DIGITS = 9
"""How many digits the number of a head may have."""

ID_FIELDS, _HEAD_FIELD = ("eid", "GRP"), "head"


class Fields(NamedTuple):
    """The positions of the id and of the head among the fields of a mention, from 0. With ``grouped`` (GRP), an id is
    valid in one document only."""

    id: int
    head: int | None
    grouped: bool

    @classmethod
    def of(cls, header: Sequence[str]) -> Fields | None:
        """Return the fields that a header names; None if it has no id."""
        for name in ID_FIELDS:
            if name in header:
                head = header.index(_HEAD_FIELD) if _HEAD_FIELD in header else None
                return cls(header.index(name), head, name == "GRP")
        return None


class Attributes(NamedTuple):
    """The attributes in the order of lines.

    ``word`` is the index of the word that has each, among those of the file, and ``start`` to ``stop`` its value in the
    text of the file. ``again`` are the words with several such attributes, in rising order; only the last attribute of
    each is here. ``ignored`` are the places of what looks like one and is none: with other letters or blanks, in
    another column, or in a line that is no word. ``bracket`` are the brackets in the values, and ``cell`` the attribute
    of each.
    """

    word: Ints
    start: Ints
    stop: Ints
    again: Ints
    ignored: Sequence[int]
    bracket: Ints
    cell: Ints


Parts = Mapping[int, tuple[bytes, ...]]
"""The chunks of discontinuous mentions: the entity, the number of the part, and how many there are."""


class Chunks(NamedTuple):
    """The chunks in the order of words; ``cell`` is the attribute of each, and ``word`` its word.

    In the ``text`` of the file, ``start`` to ``stop`` is the part between the brackets, and ``id_start`` to ``id_stop``
    is the id of the entity, which is only the beginning of the field of an id in ``parts``. ``head`` is the number in
    the field of the head, or one of `NO_HEAD`, `EMPTY_HEAD` and `ODD_HEAD`. ``rest`` are the attributes with text that
    is not a chunk.
    """

    text: Bytes
    cell: Ints
    word: Ints
    kind: Ints
    start: Ints
    stop: Ints
    id_start: Ints
    id_stop: Ints
    head: Ints
    rest: Ints
    parts: Parts

    def text_of(self, chunk: int) -> bytes:
        """Return the text between the brackets."""
        return self.text[self.start[chunk] : self.stop[chunk]].tobytes()

    def id_of(self, chunk: int) -> bytes:
        """Return the id."""
        return self.text.data[self.id_start[chunk] : self.id_stop[chunk]].tobytes()

    def ids_of(self, which: Ints | slice) -> list[str]:
        """Decode the ids of some chunks, each with the byte after it as a line end."""
        sizes = self.id_stop[which] - self.id_start[which] + 1
        text = self.text[ranges(self.id_start[which], sizes)]
        text[np.cumsum(sizes) - 1] = LF
        return as_text(text.tobytes()).split("\n")[:-1]


def attributes_of(lines: Lines) -> Attributes:
    """Return the attributes of the words of a file."""
    text = lines.text
    named = [found.start() for found in re.finditer(_NAME, text.data)]
    at, word = _in_misc(lines, np.array(named, dtype=np.int64))
    begins = (text[at - 1] == TAB) | (text[at - 1] == _BAR)
    at, word = at[begins], word[begins]
    # Of several in one line the last one counts.
    last = changes(word[::-1])[::-1]
    start, again = at[last] + len(_NAME), word[~last]
    bars = np.append(np.flatnonzero(text == _BAR), len(text))
    stop = np.minimum(bars[np.searchsorted(bars, start)], lines.bounds(MISC, lines.words.row[word[last]])[1])
    brackets, _ = _in_misc(lines, np.flatnonzero(text >> 1 == _OPENING >> 1))  # the two are one bit apart
    cell = np.searchsorted(start, brackets, side="right") - 1
    within = brackets < np.append(stop, 0)[cell]  # none is before the first attribute
    ignored = _ignored(lines, {*at.tolist()}, others=len(named) > len(at) or not within.all())
    return Attributes(word[last], start, stop, again[changes(again)], ignored, brackets[within], cell[within])


def _in_misc(lines: Lines, places: Ints) -> tuple[Ints, Ints]:
    """Return those of some places in a file that are in the column MISC of a word, and the word of each."""
    word = np.full(len(lines.tokens) + 1, -1)  # of a line that is not a word
    word[lines.words.row] = np.arange(len(lines.words.row))
    row = np.searchsorted(lines.ends[lines.tokens], places)
    places, row = places[word[row] >= 0], row[word[row] >= 0]
    inside = lines.bounds(MISC, row)[0] <= places
    return places[inside], word[row[inside]]


def _ignored(lines: Lines, read: Collection[int], *, others: bool) -> Sequence[int]:
    """Return the places of `_OLDER` or `_NEARLY` that are not those of attributes that are ``read``; ``others`` says
    whether there are more attributes or brackets, without which there is none of the latter."""
    older = [] if read else [found.start() for found in _OLDER.finditer(lines.text.data)]
    of_words: list[int] = _in_misc(lines, np.array(older, dtype=np.int64))[0].tolist()
    if of_words or not others:
        return of_words
    whole = lines.text.tobytes()
    places = [found.start() for found in _NEARLY.finditer(whole) if found.start() not in read]
    return [place for place in places if _NUMBERED.match(whole, whole.rfind(b"\n", 0, place) + 1)]


def chunks(text: Bytes, found: Attributes, fields: Fields) -> Chunks:
    """Return the chunks of the attributes in the ``text`` of a file."""
    cell, kind, begin, end, rest = _cut(text, found)
    if ((word := found.word[cell])[1:] < word[:-1]).any():
        order = np.argsort(word, kind="stable")
        cell, word, kind, begin, end = (column[order] for column in (cell, word, kind, begin, end))
    dashes = np.append(np.flatnonzero(text == _DASH), np.iinfo(np.int64).max)
    first_dash = np.searchsorted(dashes, begin)
    start, stop = _field(dashes, first_dash, begin, end, fields.id)
    start = np.minimum(start, stop)  # an id that is missing is empty
    closes = kind == CLOSE
    start[closes], stop[closes] = begin[closes], end[closes]
    head = np.full(len(start), NO_HEAD)
    if fields.head is not None:
        head = _heads(text, *_field(dashes, first_dash, begin, end, fields.head))
        head[closes] = NO_HEAD
    bracketed = np.flatnonzero((stop > start) & (text[stop - 1] == ord("]")))
    matches = {at: _PART.fullmatch(text.data, start[at], stop[at]) for at in bracketed.tolist()}
    parts = {at: match.group(1, 2, 3) for at, match in matches.items() if match}
    for at, (entity, *_) in parts.items():
        stop[at] = start[at] + len(entity)
    return Chunks(text, cell, word, kind, begin, end, start, stop, head, rest, parts)


def _cut(text: Bytes, found: Attributes) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Cut attributes into chunks: cell, kind, start, stop and rest of `Chunks`, in the order of lines."""
    place, cell = found.bracket, found.cell
    opening = text[place] == _OPENING
    begins = changes(cell)
    # The first bracket begins a cell and the last one ends one, so what comes round from the other side is not used.
    ends = np.roll(begins, -1)
    after_opening = ~begins & np.roll(opening, 1)
    before = np.where(begins, found.start[cell], np.roll(place, 1) + 1)
    after = np.where(ends, found.stop[cell], np.roll(place, -1))
    which = np.flatnonzero(opening | (~after_opening & (before < place)))
    kind = np.where(opening, np.where(~ends & ~np.roll(opening, -1), SINGLE, OPEN), CLOSE)
    # Text before a bracket that opens, text after the last one that closes, and a bracket that closes nothing.
    loose = (opening & ~after_opening & (before < place)) | (ends & ~opening & (after > place + 1))
    loose |= ~opening & ~after_opening & (before == place)
    rest = found.stop > found.start
    rest[cell] = False
    rest[cell[loose]] = True
    start = np.where(opening, place + 1, before)
    return cell[which], kind[which], start[which], np.where(opening, after, place)[which], np.flatnonzero(rest)


def _field(dashes: Ints, first: Ints, begin: Ints, end: Ints, field: int) -> tuple[Ints, Ints]:
    """Return where a field of each chunk begins and ends; a field that is missing begins after its end. ``dashes`` are
    the places of all dashes and one place after every chunk, ``first`` the index of the first dash of each chunk.
    """

    def dash(number: int) -> Ints:
        return np.minimum(dashes[np.minimum(first + number, len(dashes) - 1)], end)

    return (dash(field - 1) + 1 if field else begin.copy()), dash(field)


def _heads(text: Bytes, start: Ints, stop: Ints) -> Ints:
    """Return the numbers in the field of the head, or one of `NO_HEAD`, `EMPTY_HEAD` and `ODD_HEAD`."""
    size = stop - start
    head = np.where(size > 0, whole_numbers(text, start, np.maximum(stop, start), _DIGITS), EMPTY_HEAD)
    head[size < 0] = NO_HEAD
    for at in np.flatnonzero((head < 0) & (size > 0)).tolist():
        piece = text[start[at] : stop[at]].tobytes().strip()
        head[at] = int(piece) if piece.removeprefix(b"+").isdigit() and len(piece) <= _DIGITS else ODD_HEAD
    return head
