"""The column MISC of CorefUD to events: which entity a bracket opens or closes, at which word, with which head.

An attribute ``Entity=`` is cut into chunks: ``(ID-FIELD-...)``, ``(ID-FIELD-...`` or ``ID)``. What is no chunk means
nothing. Of an attribute that a word has twice the last counts. Bridge, SplitAnte and the rest are read past.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from corefscore.arrays import Bools, Bytes, Ints, changes
from corefscore.formats.corefud.lines import TAB, Lines

NAME = b"Entity="

SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of chunk."""

BAR, OPENING, CLOSING, DASH = b"|()-"

NO_HEAD, EMPTY_HEAD, ODD_HEAD = -1, -2, -3
"""What a chunk has that gives no head: no field, an empty one, or one that is no number."""

ID_FIELDS, HEAD_FIELD = ("eid", "GRP"), "head"


class Fields(NamedTuple):
    """Which fields of a mention, counted from 0, are its id and its head, and whether ids are of one document (GRP)."""

    id: int
    head: int | None
    grouped: bool

    @classmethod
    def of(cls, header: Sequence[str]) -> Fields | None:
        """The fields that a header names; None where it has no id."""
        for name in ID_FIELDS:
            if name in header:
                head = header.index(HEAD_FIELD) if HEAD_FIELD in header else None
                return cls(header.index(name), head, name == "GRP")
        return None


class Cells(NamedTuple):
    """The attributes: the word (its place among those of the file) that has each, and where its value is."""

    word: Ints
    start: Ints
    stop: Ints


class Chunks(NamedTuple):
    """The chunks in the order of words; ``cell`` is the attribute of each. ``text`` holds what is between the brackets,
    ``id`` its field of the id, ``head`` the number in its field of the head, or why there is none. ``rest`` are the
    attributes in which something is no chunk."""

    cell: Ints
    kind: Ints
    text: list[bytes]
    id: list[bytes]
    head: Ints
    rest: Ints


def cells(lines: Lines) -> Cells:
    """The attributes of the words of a file, in their order."""
    text = lines.text
    at = np.flatnonzero(text[: -len(NAME)] == NAME[0])
    for place in range(1, len(NAME)):
        at = at[text[at + place] == NAME[place]]
    at = at[(text[at - 1] == TAB) | (text[at - 1] == BAR)]
    row = np.searchsorted(lines.tabs[:, -1], at) - 1
    there = row >= 0
    at, row = at[there], row[there]
    ends = lines.ends[lines.tokens[row]]
    there = at < ends
    # Of several in one line the last one counts.
    there[:-1] &= row[1:] != row[:-1]
    at, row, ends = at[there], row[there], ends[there]
    word_of_row = np.full(len(lines.tokens), -1)
    word_of_row[lines.words.row] = np.arange(len(lines.words.row))
    word = word_of_row[row]
    bars = np.flatnonzero(text == BAR)
    following = np.append(bars, len(text))[np.searchsorted(bars, at)]
    order = np.argsort(word, kind="stable")
    order = order[word[order] >= 0]
    start, stop = at + len(NAME), np.minimum(following, ends)
    return Cells(word[order], start[order], stop[order])


def chunks(lines: Lines, found: Cells, fields: Fields) -> Chunks:
    """The chunks of the attributes."""
    compact = b"".join([lines.data[a:b] for a, b in zip(found.start.tolist(), found.stop.tolist(), strict=True)])
    text: Bytes = np.frombuffer(compact, dtype=np.uint8)
    cut = _cut(text, np.cumsum(found.stop - found.start))
    texts = [compact[a:b] for a, b in zip(cut.start.tolist(), cut.stop.tolist(), strict=True)]
    dashes = np.flatnonzero(text == DASH)
    start, stop = _field(dashes, cut, fields.id)
    closes = cut.kind == CLOSE
    start[closes], stop[closes] = cut.start[closes], cut.stop[closes]
    ids = [compact[a:b] for a, b in zip(start.tolist(), stop.tolist(), strict=True)]
    head = np.full(len(ids), NO_HEAD)
    if fields.head is not None:
        head = _heads(text, *_field(dashes, cut, fields.head), compact)
        head[closes] = NO_HEAD
    return Chunks(cut.cell, cut.kind, texts, ids, head, cut.rest)


class _Cut(NamedTuple):
    """Where the chunks are in the text of all attributes; see `Chunks`."""

    cell: Ints
    kind: Ints
    start: Ints
    stop: Ints
    rest: Ints


def _cut(text: Bytes, stops: Ints) -> _Cut:
    """Cut attributes that end at ``stops``, one behind the other, into chunks."""
    place = np.flatnonzero((text == OPENING) | (text == CLOSING))
    cell = np.searchsorted(stops, place, side="right")
    opening = text[place] == OPENING
    begins = changes(cell)
    ends = _next(begins, True)
    behind_opening = ~begins & _before(opening, False)
    starts = np.append(0, stops[:-1])
    before = np.where(begins, starts[cell], _before(place, -1) + 1)
    after = np.where(ends, stops[cell], _next(place, 0))
    closing = ~opening & ~behind_opening & (before < place)
    which = np.flatnonzero(opening | closing)
    closed = ~ends & ~_next(opening, True)
    kind = np.where(opening, np.where(closed, SINGLE, OPEN), CLOSE)
    # Text in front of a bracket that opens or behind the last one that closes, and a bracket that closes nothing.
    loose = (opening & ~behind_opening & (before < place)) | (ends & ~opening & (after > place + 1))
    loose |= ~opening & ~behind_opening & (before == place)
    bare = stops > starts
    bare[cell] = False
    return _Cut(
        cell[which],
        kind[which],
        np.where(opening, place + 1, before)[which],
        np.where(opening, after, place)[which],
        np.union1d(cell[loose], np.flatnonzero(bare)),
    )


Column = TypeVar("Column", Ints, Bools)


def _next(column: Column, last: int) -> Column:
    """What stands behind each value of a column."""
    found = np.roll(column, -1)
    found[-1:] = last
    return found


def _before(column: Column, first: int) -> Column:
    """What stands in front of each value of a column."""
    found = np.roll(column, 1)
    found[:1] = first
    return found


def _field(dashes: Ints, cut: _Cut, field: int) -> tuple[Ints, Ints]:
    """Where a field of each chunk begins and ends; it begins behind its end where it is not there."""
    at = np.searchsorted(dashes, cut.start)

    def dash(number: int) -> Ints:
        found: Ints = np.append(dashes, np.iinfo(np.int64).max)[np.minimum(at + number, len(dashes))]
        return np.minimum(found, cut.stop)

    return (dash(field - 1) + 1 if field else cut.start.copy()), dash(field)


def _heads(text: Bytes, start: Ints, stop: Ints, compact: bytes) -> Ints:
    """The numbers in the field of the head, or why there is none."""
    size = stop - start
    head = np.full(len(start), ODD_HEAD)
    head[size < 0] = NO_HEAD
    head[size == 0] = EMPTY_HEAD
    one = np.flatnonzero(size == 1)
    digit = text[start[one]].astype(np.int64) - ord("0")
    good = (digit >= 0) & (digit <= 9)
    head[one[good]] = digit[good]
    for at in np.flatnonzero(size > 1).tolist():
        piece = compact[start[at] : stop[at]].strip()
        if piece.removeprefix(b"+").isdigit() and len(piece) < 10:
            head[at] = int(piece)
    return head
