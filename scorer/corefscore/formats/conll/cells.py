"""Coreference cells to events: rule 5 and 6 of the grammar in `corefscore.formats.conll.reader`.

Cells of the plain form ``(N)|(N|N)`` are parsed all at once, and only the odd ones one by one. Both ways give the
same events, and a test compares them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from corefscore.arrays import Bytes, Ints, order_by, ranges
from corefscore.formats.conll.brackets import CLOSE, OPEN, SINGLE

PLAIN_DIGITS = 18
"""Ids of up to so many digits, without a leading zero, are numbers; all others are kept as text."""

BAR, OPENING, CLOSING, ZERO = b"|()0"

PLAIN = re.compile(rb"(\(\d+\)?|\d+\))(\|(\(\d+\)?|\d+\)))*")
"""A cell as it should be, where there is a mention."""

DISCARDED = rb"\(\d+\+\d\)"
ONE_TOKEN = rb"\(\d+\)"


class Labels:
    """Ids of entities as numbers: plain ids are their value, odd ones are -1 and below, in order of appearance."""

    def __init__(self) -> None:
        self.odd: list[str] = []
        self._numbers: dict[bytes, int] = {}

    def number(self, digits: bytes) -> int:
        if len(digits) <= PLAIN_DIGITS and (digits == b"0" or not digits.startswith(b"0")):
            return int(digits)
        if digits not in self._numbers:
            self.odd.append(digits.decode("ascii"))
            self._numbers[digits] = -len(self.odd)
        return self._numbers[digits]


class CellEvents(NamedTuple):
    """Events by cell, in the order in which they happen, the discarded pieces of a few cells, and which cells hold a
    bracket but are not of the plain form."""

    cell: Ints
    kind: Ints
    label: Ints
    discarded: dict[int, list[bytes]]
    odd: Ints


def parse(text: Bytes, starts: Ints, stops: Ints, labels: Labels) -> CellEvents:
    """The events of the cells that lie at ``text[starts:stops]``."""
    cell, kind, label, odd = _parse_plain(text, starts, stops)
    discarded: dict[int, list[bytes]] = {}
    events: list[tuple[int, int, int]] = []
    for at in odd.tolist():
        pieces, discards = parse_one(text[starts[at] : stops[at]].tobytes())
        events += [(at, piece_kind, labels.number(digits)) for piece_kind, digits in pieces]
        if discards:
            discarded[at] = discards
    if events:
        columns = np.array(events, dtype=np.int64).T
        cell, kind, label = (
            np.concatenate([plain, odd]) for plain, odd in zip((cell, kind, label), columns, strict=True)
        )
    order = order_by(cell, kind)
    return CellEvents(cell[order], kind[order], label[order], discarded, odd)


def parse_one(cell: bytes) -> tuple[list[tuple[int, bytes]], list[bytes]]:
    """The events of a cell of any form, kind and digits, and the pieces that are discarded."""
    discards, cell = _cut(DISCARDED, cell)
    singles, cell = _cut(ONE_TOKEN, cell)
    opens = re.findall(rb"\((\d+)", cell)
    closes = re.findall(rb"(?<!\d)(\d+)\)", re.sub(rb"\(\d+", b"", cell))
    events = [(SINGLE, piece[1:-1]) for piece in singles]
    events += [(OPEN, digits) for digits in opens]
    events += [(CLOSE, digits) for digits in closes]
    return events, discards


def _cut(form: bytes, cell: bytes) -> tuple[list[bytes], bytes]:
    """Cut out every piece of a bracketed form, joining what stood beside it; the pieces, and what is left.

    The form holds one close bracket, at its end. So reading on from left to right and cutting a piece as
    soon as it is complete comes to the same as starting the search again after each cut, in linear time.
    """
    found: list[bytes] = []
    left: list[bytes] = []
    for part in re.findall(rb"[(][^()]*|[)]|[^()]+", cell):
        left.append(part)
        if part != b")":
            continue
        at = len(left) - 2
        while at > 0 and left[at] != b")" and not left[at].startswith(b"("):
            at -= 1
        piece = b"".join(left[max(at, 0) :])
        if re.fullmatch(form, piece):
            found.append(piece)
            del left[at:]
    return found, b"".join(left)


def _parse_plain(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Parse all cells of the plain form at once.

    Returns cell, kind and label of their events, in no particular order, and the numbers of the cells that
    hold a bracket but are not of that form.
    """
    # All cells in a row, a bar behind each; a piece is what lies between bars.
    sizes = stops - starts + 1
    flat = text[ranges(starts, sizes)]
    ends = np.cumsum(sizes)
    flat[ends - 1] = BAR
    bars = np.flatnonzero(flat == BAR)
    pieces = np.concatenate([np.zeros(1, dtype=np.int64), bars + 1])[:-1]
    cell = np.searchsorted(ends, bars, side="right")
    opened = flat[pieces] == OPENING
    closed = (flat[bars - 1] == CLOSING) & (bars > pieces)
    first = pieces + opened
    length = bars - closed - first

    digit = flat - ZERO
    digits_before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(digit < 10)])
    plain = digits_before[first + np.maximum(length, 0)] - digits_before[first] == length
    plain &= (opened | closed) & (length > 0) & (length <= PLAIN_DIGITS)
    plain &= (flat[first] != ZERO) | (length == 1)

    bracketed = np.zeros(len(starts), dtype=np.bool_)
    bracketed[np.searchsorted(ends, np.flatnonzero((flat == OPENING) | (flat == CLOSING)), side="right")] = True
    odd = np.zeros(len(starts), dtype=np.bool_)
    odd[cell[~plain]] = True
    odd &= bracketed
    plain &= ~odd[cell]

    cell, opened, closed, first, length = (column[plain] for column in (cell, opened, closed, first, length))
    label = np.zeros(len(cell), dtype=np.int64)
    for place in range(int(length.max(initial=0))):
        more = np.flatnonzero(length > place)
        label[more] = label[more] * 10 + digit[first[more] + place]
    kind = np.where(opened, np.where(closed, SINGLE, OPEN), CLOSE)
    return cell, kind, label, np.flatnonzero(odd)
