"""The column MISC of CorefUD to events: which entity a bracket opens or closes, at which word, with which head.

An attribute ``Entity=`` is cut into chunks: ``(ID-FIELD-...)``, ``(ID-FIELD-...`` or ``ID)``. Other text is ignored. If
a word has the attribute twice, the last one counts. Bridge, SplitAnte and other attributes are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bytes, Ints, changes, ranges
from corefscore.core.sources import as_text
from corefscore.formats.corefud.lines import LF, MISC, Lines
from corefscore.formats.words import whole_numbers

_NAME = b"Entity="
_NEARLY = re.compile(
    rb"(?i)(?<=[\t| ;,\"\xa0])((coref|pred|sys)[a-z_]*(?<!id))?ent(it|ti|t|i)[ity]*(es|s)? *[=:](?=[^|\t\n]*[()])"
)
_OLDER = re.compile(rb"(?:^|[\n|])((?:ClusterId|Coref)=)")
_NUMBERED = re.compile(rb"[\d.-]+\t")
"""What looks like the attribute, anywhere in a line; its names in CorefUD 0.x; and a line with the number of a word, an
empty node or a range."""

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

    ``word`` is the index of the word that has each, among those of the file. ``start`` to ``stop`` is its value in
    ``text``, which contains the columns MISC of words one after the other; in the file it is ``shift`` bytes later.
    ``again`` are the words with several such attributes, in rising order; only the last attribute of each is here.
    ``ignored`` are the places in the file of what looks like one and is none: with other letters or blanks, in another
    column, or in a line that is no word.
    """

    text: Bytes
    word: Ints
    start: Ints
    stop: Ints
    shift: Ints
    again: Ints
    ignored: list[int]

    def value(self, cell: int) -> bytes:
        """Return the value of an attribute."""
        return self.text[self.start[cell] : self.stop[cell]].tobytes()


class Chunks(NamedTuple):
    """The chunks in the order of words; ``cell`` is the attribute of each.

    In the ``text`` of the attributes, ``start`` to ``stop`` is the part between the brackets, and ``id_start`` to
    ``id_stop`` is the id; ``shift`` is that of the attributes. ``head`` is the number in the field of the head, or one
    of `NO_HEAD`, `EMPTY_HEAD` and `ODD_HEAD`. ``rest`` are the attributes with text that is not a chunk.
    """

    cell: Ints
    kind: Ints
    text: Bytes
    shift: Ints
    start: Ints
    stop: Ints
    id_start: Ints
    id_stop: Ints
    head: Ints
    rest: Ints

    def shift_of(self, chunk: int) -> int:
        """Return how many bytes later a chunk is in the file."""
        return int(self.shift[self.cell[chunk]])

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
    begin, end = lines.bounds(MISC, slice(None))
    size = end - begin
    word = np.full(len(size), -1)  # of a line that is not a word
    word[lines.words.row] = np.arange(len(lines.words.row))
    word[size < len(_NAME)] = -1
    word, begin, size = (column[word >= 0] for column in (word, begin, size))
    # Every such column with the line end after it.
    size += 1
    text, ends = lines.text[ranges(begin, size)], np.cumsum(size)
    at = np.flatnonzero(text[: -len(_NAME)] == _NAME[0])
    for place in range(1, len(_NAME)):
        at = at[text[at + place] == _NAME[place]]
    before = text[at - 1]
    at = at[(before == LF) | (before == _BAR)]
    of = np.searchsorted(ends, at, side="right")
    shift = begin - ends + size
    older = np.array([] if len(at) else [found.start(1) for found in _OLDER.finditer(text.data)], dtype=np.int64)
    ignored = (older + shift[np.searchsorted(ends, older, side="right")]).tolist()
    ignored = ignored or _ignored(lines, text, at + shift[of])
    # Of several in one line the last one counts.
    last = np.ones(len(at), dtype=np.bool_)
    last[:-1] = of[1:] != of[:-1]
    again = word[of[~last]]
    at, of = at[last], of[last]
    start = at + len(_NAME)
    bars = np.append(np.flatnonzero(text == _BAR), len(text))
    stop = np.minimum(bars[np.searchsorted(bars, start)], ends[of] - 1)
    return Attributes(text, word[of], start, stop, shift[of], again[changes(again)], ignored)


def _ignored(lines: Lines, text: Bytes, read: Ints) -> list[int]:
    """Return the places of `_NEARLY` that are not those of attributes that are read; ``text`` has the columns MISC."""
    exact = sum(1 for _ in re.finditer(_NAME, lines.text.data))
    if max(exact, text.tobytes().upper().count(b"ENTI")) <= len(read):
        return []
    whole, known = lines.text.tobytes(), {*read.tolist()}
    places = [found.start() for found in _NEARLY.finditer(whole) if found.start() not in known]
    return [place for place in places if _NUMBERED.match(whole, whole.rfind(b"\n", 0, place) + 1)]


def chunks(found: Attributes, fields: Fields) -> Chunks:
    """Return the chunks of the attributes."""
    text = found.text
    cell, kind, begin, end, rest = _cut(text, found)
    word = found.word[cell]
    if (word[1:] < word[:-1]).any():
        order = np.argsort(word, kind="stable")
        cell, kind, begin, end = (column[order] for column in (cell, kind, begin, end))
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
    return Chunks(cell, kind, text, found.shift, begin, end, start, stop, head, rest)


def _cut(text: Bytes, found: Attributes) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Cut attributes into chunks: cell, kind, start, stop and rest of `Chunks`, in the order of lines."""
    place = np.flatnonzero(text >> 1 == _OPENING >> 1)  # the two are one bit apart
    cell = np.searchsorted(found.start, place, side="right") - 1
    within = (cell >= 0) & (place < found.stop[cell])
    place, cell = place[within], cell[within]
    opening = text[place] == _OPENING
    begins = changes(cell)
    # The first bracket begins a cell and the last one ends one, so what comes round from the other side is not used.
    ends = np.roll(begins, -1)
    after_opening = ~begins & np.roll(opening, 1)
    before = np.where(begins, found.start[cell], np.roll(place, 1) + 1)
    after = np.where(ends, found.stop[cell], np.roll(place, -1))
    closing = ~opening & ~after_opening & (before < place)
    which = np.flatnonzero(opening | closing)
    closed = ~ends & ~np.roll(opening, -1)
    kind = np.where(opening, np.where(closed, SINGLE, OPEN), CLOSE)
    # Text before a bracket that opens, text after the last one that closes, and a bracket that closes nothing.
    loose = (opening & ~after_opening & (before < place)) | (ends & ~opening & (after > place + 1))
    loose |= ~opening & ~after_opening & (before == place)
    rest = found.stop > found.start
    rest[cell] = False
    rest[cell[loose]] = True
    start = np.where(opening, place + 1, before)
    stop = np.where(opening, after, place)
    return cell[which], kind[which], start[which], stop[which], np.flatnonzero(rest)


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
        good = piece.removeprefix(b"+").isdigit() and len(piece) <= _DIGITS
        head[at] = int(piece) if good else ODD_HEAD
    return head
