"""Turn coreference cells into events, and these into mentions.

The rules are 5 and 6 of the grammar in `corefscore.formats.conll.reader`.

All cells are parsed at once. Those of the plain form ``(N)|(N|N)`` need fewer passes over their bytes than odd ones.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, changes, order_by, ranges
from corefscore.core.tuples import NamedTuple

SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of events, in the order in which those of one cell happen: ``(N)``, ``(N``, ``N)``."""


class Events(NamedTuple):
    """The brackets of cells in reading order, as columns with one value an event."""

    document: Ints
    token: Ints
    line: Ints
    kind: Ints
    label: Ints

    def only(self, which: Ints) -> Events:
        """The events ``which``, in that order."""
        return Events(*(column[which] for column in self))


def partitions(events: Events) -> tuple[dict[str, Any], list[int]]:
    """Match brackets; returns the columns of `corefscore.core.documents.Documents` that come from brackets, by name,
    and the documents in which a bracket has no partner.

    The latter have no mentions in the columns. A close bracket closes the latest open bracket of its entity: sorted by
    entity and depth of nesting, open and close brackets alternate, so each open bracket is next to its close.
    """
    order = order_by(events.document, events.label)
    kind = events.kind[order]
    begins = changes(events.document[order], events.label[order])
    group = np.cumsum(begins) - 1
    step = (kind == OPEN).astype(np.int64) - (kind == CLOSE)
    depth = np.cumsum(step)
    if len(depth):
        depth -= (depth - step)[begins][group]
    last = np.roll(begins, -1)
    unmatched_here = (depth < 0) | (last & (depth != 0))
    if unmatched_here.any():
        faulty = np.unique(events.document[order][unmatched_here])
        sound = np.flatnonzero(~np.isin(events.document, faulty))
        return partitions(events.only(sound))[0], faulty.tolist()

    single, bracket = np.flatnonzero(kind == SINGLE), np.flatnonzero(kind != SINGLE)
    level = depth[bracket] + (kind[bracket] == CLOSE)
    if level.max(initial=0) > 1:
        bracket = bracket[order_by(group[bracket], level)]
    opens, closes = bracket[0::2], bracket[1::2]
    first_event = order[np.concatenate([single, opens])]
    last_event = order[np.concatenate([single, closes])]

    appearance = order[begins]
    by_appearance = np.argsort(appearance)
    entity_of_group = np.argsort(by_appearance)
    entity = entity_of_group[group[np.concatenate([single, opens])]]
    mentions = order_by(entity, last_event)
    first_event, last_event = first_event[mentions], last_event[mentions]
    appearance = appearance[by_appearance]
    columns = {
        "document": events.document[appearance],
        "label": events.label[appearance],
        "entity": entity[mentions],
        "start": events.token[first_event],
        "end": events.token[last_event],
        "line": events.line[first_event],
        "opening": first_event,
    }
    return columns, []


def matching(group: Ints, opened: Bools) -> tuple[Ints, Ints, Ints]:
    """The indices of the open brackets that have a partner, of their close brackets, and of brackets without one.

    A close bracket closes the latest open bracket of its group. The brackets of a group are consecutive. At one depth
    of nesting the open and close brackets of a group alternate, so an open one is closed by the next.
    """
    level = np.cumsum(np.where(opened, 1, -1)) + ~opened
    order = order_by(group, level)
    opens = np.flatnonzero(~changes(group[order], level[order])[1:] & opened[order][:-1])
    opens, closes = order[opens], order[opens + 1]
    alone = np.ones(len(order), dtype=np.bool_)
    alone[opens] = alone[closes] = False
    return opens, closes, np.flatnonzero(alone)


def unmatched(events: Events) -> Ints:
    """The indices of the brackets that have no partner among the events of some documents."""
    bracket = np.flatnonzero(events.kind != SINGLE)
    bracket = bracket[order_by(events.document[bracket], events.label[bracket])]
    group: Ints = np.cumsum(changes(events.document[bracket], events.label[bracket]))
    *_, alone = matching(group, events.kind[bracket] == OPEN)
    return np.sort(bracket[alone])


_PLAIN_DIGITS = 18
"""Ids with at most this many digits and no leading zero are numbers; all others are kept as text."""

BAR, OPENING, CLOSING, PLUS, ZERO = b"|()+0"

PLAIN = re.compile(rb"(\(\d+\)?|\d+\))(\|(\(\d+\)?|\d+\)))*")
"""The form of a cell with mentions, as it should be."""


class Labels:
    """Ids of entities as numbers: the value of a plain id; -1, -2, ... for others, in order of appearance."""

    def __init__(self) -> None:
        self.odd: list[str] = []
        self._numbers: dict[bytes, int] = {}

    def numbers(self, text: Bytes, starts: Ints, sizes: Ints) -> Ints:
        """The numbers of the ids at ``text[starts]``; ``sizes`` are their lengths."""
        plain = (sizes <= _PLAIN_DIGITS) & ((sizes == 1) | (text[starts] != ZERO))
        numbers = _values(text, starts, np.where(plain, sizes, 0))
        for row in np.flatnonzero(~plain).tolist():
            numbers[row] = self._odd(text[starts[row] : starts[row] + sizes[row]].tobytes())
        return numbers

    def name(self, number: int) -> str:
        """The id with this number, as the file writes it."""
        return str(number) if number >= 0 else self.odd[-1 - number]

    def _odd(self, digits: bytes) -> int:
        if digits not in self._numbers:
            self.odd.append(digits.decode("ascii"))
            self._numbers[digits] = -len(self.odd)
        return self._numbers[digits]


class _CellEvents(NamedTuple):
    """The events of cells: for each event, in order, its cell, kind and label; the discarded pieces by cell; and
    ``odd``, the cells that contain a bracket but are not of the form `PLAIN`."""

    cell: Ints
    kind: Ints
    label: Ints
    discarded: dict[int, list[bytes]]
    odd: Ints


class _Cells(NamedTuple):
    """The text of some cells with a bar before and after each, and the number of the cell of each byte (in 32 bits to
    save memory)."""

    text: Bytes
    cell: np.ndarray[Any, np.dtype[np.int32]]

    @classmethod
    def of(cls, text: Bytes, starts: Ints, stops: Ints) -> _Cells:
        """The cells ``text[starts:stops]``."""
        sizes = stops - starts + 1
        flat = np.concatenate([np.full(1, BAR, dtype=np.uint8), text[ranges(starts, sizes)]])
        flat[np.cumsum(sizes)] = BAR
        sizes[:1] += 1
        return cls(flat, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))

    def without(self, removed: Ints) -> _Cells:
        """The cells without some of their bytes; what was on both sides of these is joined."""
        kept = np.ones(len(self.text), dtype=np.bool_)
        kept[removed] = False
        return _Cells(self.text[kept], self.cell[kept])


class _Pieces(NamedTuple):
    """Some pieces of cells: the cell of each, and where it begins in ``text`` and its size."""

    cell: np.ndarray[Any, np.dtype[np.int32]]
    text: Bytes
    start: Ints
    size: Ints


def parse(text: Bytes, starts: Ints, stops: Ints, labels: Labels) -> _CellEvents:
    """The events of the cells ``text[starts:stops]``, each of which is followed by another byte."""
    cell, kind, label, left, odd = _parse_plain(text, starts, stops)
    discarded: dict[int, list[bytes]] = {}
    if len(left):
        (odd_cell, odd_kind, odd_label), discards = _parse_odd(_Cells.of(text, starts[left], stops[left]), labels)
        cell = np.concatenate([cell, left[odd_cell]])
        kind, label = np.concatenate([kind, odd_kind]), np.concatenate([label, odd_label])
        for number, piece in zip(left[discards.cell].tolist(), _texts(discards), strict=True):
            discarded.setdefault(number, []).append(piece)
    order = order_by(cell, kind)
    return _CellEvents(cell[order], kind[order], label[order], discarded, odd)


def plain(cell: bytes) -> bytes:
    """The plain form of a cell, which is how it is read."""
    forms = {SINGLE: b"(%s)", OPEN: b"(%s", CLOSE: b"%s)"}
    text, labels = np.frombuffer(cell + b"\n", dtype=np.uint8), Labels()
    events = parse(text, np.zeros(1, dtype=np.int64), np.full(1, len(cell)), labels)
    pieces = zip(events.kind.tolist(), map(labels.name, events.label.tolist()), strict=True)
    return b"|".join(forms[kind] % name.encode() for kind, name in pieces)


def _parse_odd(cells: _Cells, labels: Labels) -> tuple[tuple[Ints, Ints, Ints], _Pieces]:
    """The events of cells of any form (cell, kind and label, by kind), and the pieces that are discarded."""
    discards, cells = _cut(cells, marked=True)
    singles, cells = _cut(cells, marked=False)
    runs = _digits(cells.text)
    starts, stops = (side[cells.text[runs[0] - 1] == OPENING] for side in runs)
    opens = _Pieces(cells.cell[starts], cells.text, starts, stops - starts)
    cells = cells.without(ranges(starts - 1, stops - starts + 1))
    runs = _digits(cells.text)
    starts, stops = (side[cells.text[runs[1]] == CLOSING] for side in runs)
    closes = _Pieces(cells.cell[starts], cells.text, starts, stops - starts)
    singles = singles._replace(start=singles.start + 1, size=singles.size - 2)
    found = {SINGLE: singles, OPEN: opens, CLOSE: closes}
    cell = np.concatenate([pieces.cell for pieces in found.values()])
    kind = np.repeat(list(found), [len(pieces.cell) for pieces in found.values()])
    label = np.concatenate([labels.numbers(pieces.text, pieces.start, pieces.size) for pieces in found.values()])
    return (cell, kind, label), discards


def _cut(cells: _Cells, *, marked: bool) -> tuple[_Pieces, _Cells]:
    """Cut out every ``(N)``, or every ``(N+D)`` if ``marked``, and join what was on both sides of it.

    Returns the pieces in the order of their close brackets, and the rest of the cells.

    After the pieces within it are cut, a piece contains no other brackets. So it is a pair of matching brackets in
    which every pair is a piece, too, and whose own text has the form. The order of cutting makes no difference.
    """
    text, cell = cells
    opens, closes = _pairs(cells)
    if not len(opens):
        return _Pieces(cell[opens], text, opens, opens), cells
    # Sorted by depth of nesting, the own text of each pair is consecutive, both brackets included.
    step = np.zeros(len(text) + 1, dtype=np.int8)
    step[opens] = 1
    step[closes + 1] -= 1
    depth = np.cumsum(step, dtype=np.int32)[:-1]
    inner = np.flatnonzero(depth)
    if depth.max() > 1:
        inner = inner[order_by(depth[inner].astype(np.int64))]
    del depth
    opening = np.zeros(len(text), dtype=np.bool_)
    opening[opens] = True
    starts = np.flatnonzero(opening[inner])
    sizes = np.diff(starts, append=len(inner))
    fits = _fit(text[inner], starts, sizes, marked=marked)
    # Every pair within a piece is a piece, too.
    first, last = inner[starts], inner[starts + sizes - 1]
    misfits = np.zeros(len(text), dtype=np.bool_)
    misfits[first[~fits]] = True
    before = np.cumsum(misfits, dtype=np.int32)
    pieces = np.flatnonzero(fits & (before[last] == before[first]))
    pieces = pieces[np.argsort(last[pieces])]
    found = _Pieces(cell[first[pieces]], text[inner], starts[pieces], sizes[pieces])
    return found, cells.without(inner[ranges(found.start, found.size)])


def _pairs(cells: _Cells) -> tuple[Ints, Ints]:
    """The matching brackets of each cell: where they open and where they close."""
    bracket = np.flatnonzero((cells.text == OPENING) | (cells.text == CLOSING))
    opens, closes, _ = matching(cells.cell[bracket].astype(np.int64), cells.text[bracket] == OPENING)
    return bracket[opens], bracket[closes]


def _fit(text: Bytes, starts: Ints, sizes: Ints, *, marked: bool) -> Bools:
    """Whether each text between brackets has the form ``(N)``, or ``(N+D)`` if ``marked``."""
    digit = text - ZERO < 10
    digits = np.cumsum(np.append(False, digit), dtype=np.int32)
    inside = digits[starts + sizes] - digits[starts]
    stops = starts + sizes
    fit: Bools = (inside == sizes - 2) & (inside > 0)
    if marked:
        fit = (inside == sizes - 3) & (inside > 1) & (text[stops - 3] == PLUS) & digit[stops - 2]
    return fit


def _digits(text: Bytes) -> tuple[Ints, Ints]:
    """Where the runs of digits of a text begin and stop; the text neither begins nor ends with a digit."""
    digit = text - ZERO < 10
    edges = np.flatnonzero(digit[1:] != digit[:-1]) + 1
    return edges[0::2], edges[1::2]


def _texts(pieces: _Pieces) -> list[bytes]:
    text = pieces.text.tobytes()
    ends = (pieces.start + pieces.size).tolist()
    return [text[start:stop] for start, stop in zip(pieces.start.tolist(), ends, strict=True)]


def _values(text: Bytes, starts: Ints, sizes: Ints) -> Ints:
    """The numbers at ``text[starts]``; ``sizes`` are their lengths in digits."""
    value = np.zeros(len(starts), dtype=np.int64)
    for digit in range(int(sizes.max(initial=0))):
        more = np.flatnonzero(sizes > digit)
        value[more] = value[more] * 10 + (text[starts[more] + digit] - ZERO)
    return value


def _parse_plain(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Parse all cells of the plain form whose ids are numbers.

    Returns the cell, kind and label of their events, in no particular order; the numbers of the cells with a bracket
    that were not parsed; and of those with a bracket that are not of the plain form.
    """
    # The text of all cells with a bar after each; a piece is the text between two bars.
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
    formed = digits_before[first + np.maximum(length, 0)] - digits_before[first] == length
    formed &= (opened | closed) & (length > 0)
    plain = formed & (length <= _PLAIN_DIGITS) & ((flat[first] != ZERO) | (length == 1))

    bracketed = np.zeros(len(starts), dtype=np.bool_)
    bracketed[np.searchsorted(ends, np.flatnonzero((flat == OPENING) | (flat == CLOSING)), side="right")] = True

    def cells_with(which: Bools) -> Bools:
        """Whether each cell has a bracket and one of these pieces."""
        found = np.zeros(len(starts), dtype=np.bool_)
        found[cell[which]] = True
        return found & bracketed

    left, odd = cells_with(~plain), cells_with(~formed)
    plain &= ~left[cell]

    cell, opened, closed, first, length = (column[plain] for column in (cell, opened, closed, first, length))
    kind = np.where(opened, np.where(closed, SINGLE, OPEN), CLOSE)
    return cell, kind, _values(flat, first, length), np.flatnonzero(left), np.flatnonzero(odd)
