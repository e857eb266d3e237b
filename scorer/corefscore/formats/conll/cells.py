"""Read the marker, the columns and the coreference cell of a line, and turn cells into events and these into mentions.

The rules are 1 and 3 to 7 of the grammar in `corefscore.formats.conll.reader`.

Cells of the plain form ``(N)|(N|N)`` are parsed all at once, the few others one by one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, changes, order_by, ranges
from corefscore.core.records import NamedTuple, dataclass, field
from corefscore.core.sources import MARK, as_text
from corefscore.formats.conll import BEGIN

END = b"end document"
USUAL_BEGIN, USUAL_END = b"#" + BEGIN, b"#" + END
END_MARKER = re.compile(rb"#[^\S\n]*" + END)
_NUMBERED = rb"\(\d|\d\)"
_COMMENT = rb"# [\w. ]+[=:]"


class _Marker(NamedTuple):
    """A line that begins a document of this name, or that ends a document if there is no name."""

    name: str | None


_ENDS = _Marker(None)


def marker_of(line: bytes) -> _Marker | None:
    """Return the marker in a line without its LF, or None: rule 1 of the grammar in
    `corefscore.formats.conll.reader`.
    """
    if line == USUAL_END:
        return _ENDS
    if line.startswith(USUAL_BEGIN):
        return _Marker(as_text(line[len(USUAL_BEGIN) :].removesuffix(b"\r")))
    line = line.removeprefix(MARK)
    if line.startswith(b"#") and (marker := line[1:].lstrip()).startswith(BEGIN):
        return _Marker(as_text(marker[len(BEGIN) :].removesuffix(b"\r")))
    return _ENDS if END in line and END_MARKER.search(line) else None


def is_token_line(line: bytes) -> bool:
    """Return whether a line that is not a marker is a token: rule 3 of the grammar in
    `corefscore.formats.conll.reader`.
    """
    if not line.startswith((b"#", MARK + b"#")):
        return bool(line.strip())
    if b"\t" in line:
        return True
    plain, last = line.removeprefix(MARK), line.rstrip().rsplit(b" ", 1)[-1]
    if last in (b"-", b"_", b"*"):
        return not plain.startswith(b"# ")
    return re.search(_NUMBERED, last) is not None and re.match(_COMMENT, plain) is None


def columns_of(line: bytes) -> list[bytes]:
    """Return the columns of a token: rule 4 of the grammar in `corefscore.formats.conll.reader`."""
    ended = line.removesuffix(b"\n")
    if b"\t" in (text := ended.removesuffix(b"\r")):
        return (text.rstrip(b"\t") if text == ended else text).split(b"\t")
    begin = begin_of_cell(text) if b"|" in text else len(text)
    return list(filter(None, [*text[:begin].split(b" "), text[begin:].rstrip(b" ")]))


def begin_of_cell(text: bytes) -> int:
    """Return where the last cell of a line without tabs begins; ``(1) | (2`` is one cell of three columns."""
    columns = list(re.finditer(rb"[^ ]+", text))
    first = last = len(columns) - 1
    while first > 0 and (columns[first][0].startswith(b"|") or columns[first - 1][0].endswith(b"|")):
        first -= 1
    while first < last and not re.match(_NUMBERED, columns[first][0]):
        first += 1  # such as a bar that is a word
    return columns[first].start() if columns else len(text)


def cell_of(line: bytes) -> tuple[int, bytes]:
    """Return where the last column of a token, the cell of coreference, begins in its line, and its text."""
    columns = columns_of(line)
    cell = columns[-1] if columns else b""
    if b"\t" in (text := line.rstrip(b"\n").removesuffix(b"\r")):
        return sum(map(len, columns)) + len(columns) - 1 - len(cell), cell
    return len(text.rstrip(b" ")) - len(cell), cell


SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of events, in the order in which those of one cell happen: ``(N)``, ``(N``, ``N)``."""


class Events(NamedTuple):
    """The brackets of cells in reading order, as columns with one value an event."""

    document: Ints
    token: Ints
    line: Ints
    kind: Ints
    label: Ints


def partitions(events: Events) -> tuple[dict[str, Any], Ints]:
    """Match brackets; returns the columns of `corefscore.core.documents.Documents` that come from brackets, by name,
    and the brackets that have no partner, in reading order.

    Documents with such brackets have no mentions in the columns.
    """
    order = order_by(events.document, events.label)
    kind = events.kind[order]
    begins = changes(events.document[order], events.label[order])
    group = np.cumsum(begins) - 1
    single, bracket = np.flatnonzero(kind == SINGLE), np.flatnonzero(kind != SINGLE)
    opens, closes, alone = matching(group[bracket], kind[bracket] == OPEN)
    if len(alone):
        alone = np.sort(order[bracket[alone]])
        sound = np.flatnonzero(~np.isin(events.document, events.document[alone]))
        return partitions(Events(*(column[sound] for column in events)))[0], alone

    opens, closes = bracket[opens], bracket[closes]
    first_event = order[np.concatenate([single, opens])]
    last_event = order[np.concatenate([single, closes])]

    appearance = order[begins]
    by_appearance = np.argsort(appearance)
    entity = np.argsort(by_appearance)[group[np.concatenate([single, opens])]]
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
    return columns, alone


def matching(group: Ints, opened: Bools) -> tuple[Ints, Ints, Ints]:
    """Pair brackets: the indices of open ones that have a partner, of their close brackets, and of those without one.

    A close bracket closes the latest open bracket of its group. The brackets of a group are consecutive. At one depth
    of nesting the open and close brackets of a group alternate, so an open one is closed by the next.
    """
    level = np.cumsum(np.where(opened, 1, -1)) + ~opened
    # Nearly always nothing is nested, and all are in order.
    order = np.arange(len(level)) if (level == 1).all() else order_by(group, level)
    opens = np.flatnonzero(~changes(group[order], level[order])[1:] & opened[order][:-1])
    opens, closes = order[opens], order[opens + 1]
    alone = np.ones(len(order), dtype=np.bool_)
    alone[opens] = alone[closes] = False
    return opens, closes, np.flatnonzero(alone)


_PLAIN_DIGITS = 18
"""Ids with at most this many digits and no leading zero are numbers; all others are kept as text."""

BAR, OPENING, CLOSING, ZERO, COMMA = b"|()0,"

PLAIN = rb"(\(\d+\)?|\d+\))(\|(\(\d+\)?|\d+\)))*"
"""The form of a cell with mentions, as it should be."""

_MARKED, _SINGLE, _OPEN, _CLOSE = rb"\(\d+\+\d\)", rb"\(\d+\)", rb"\((\d+)", rb"(?<!\d)(\d+)\)"
"""The pieces of rule 5, in the order in which they are cut out."""

_TYPE = rb"[A-Za-z][^()|-]*-(\d+)(?:-[^()|]*)?(?=[()]|\Z)"
_TYPED = rb"(?:\(?" + _TYPE + rb"\)?)+"
"""An id with the type of its entity, and perhaps its name, and a cell of such ids."""


@dataclass(eq=False, repr=False)
class Labels:
    """Number the ids of entities: the value of a plain id; -1, -2, ... for others, in order of appearance."""

    odd: list[str] = field(default_factory=list)
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def number(self, digits: bytes) -> int:
        """Return the number of an id."""
        if len(digits) <= _PLAIN_DIGITS and (len(digits) == 1 or digits[0] != ZERO):
            return int(digits)
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


def parse(text: Bytes, starts: Ints, stops: Ints, labels: Labels) -> _CellEvents:
    """Find the events of the cells ``text[starts:stops]``, each of which is followed by another byte."""
    # The text of all cells with a bar after each; a piece is the text between two bars.
    sizes = stops - starts + 1
    flat = text[ranges(starts, sizes)]
    ends = np.cumsum(sizes)
    flat[ends - 1] = BAR
    bars = np.flatnonzero(flat == BAR)
    pieces = np.concatenate([np.zeros(1, dtype=np.int64), bars + 1])[:-1]
    last = np.zeros(len(flat), dtype=np.bool_)
    last[ends - 1] = True
    last = last[bars]
    cell: Ints = np.cumsum(last) - last
    opened = flat[pieces] == OPENING
    closed = (flat[bars - 1] == CLOSING) & (bars > pieces)
    first = pieces + opened
    length = bars - closed - first

    digit = flat - ZERO
    digits_before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(digit < 10)])
    formed = digits_before[first + np.maximum(length, 0)] - digits_before[first] == length
    formed &= (opened | closed) & (length > 0)
    plain = formed & (length <= _PLAIN_DIGITS) & ((flat[first] != ZERO) | (length == 1))

    left, odd = np.zeros((2, len(starts)), dtype=np.bool_)
    if not plain.all():
        bracketed = np.logical_or.reduceat((flat == OPENING) | (flat == CLOSING), ends - sizes)
        left[cell[~plain]] = True
        odd[cell[~formed]] = True
        left &= bracketed
        odd &= bracketed
        plain &= ~left[cell]
        left &= np.logical_or.reduceat(digit < 10, ends - sizes)  # such as cells of a parse have none

    cell, opened, closed, first, length = (column[plain] for column in (cell, opened, closed, first, length))
    kind = np.where(opened, np.where(closed, SINGLE, OPEN), CLOSE)
    label = np.zeros(len(first), dtype=np.int64)
    for place in range(int(length.max(initial=0))):
        more = np.flatnonzero(length > place)
        label[more] = label[more] * 10 + digit[first[more] + place]
    discarded: dict[int, list[bytes]] = {}
    if left.any():
        rest = {number: text[starts[number] : stops[number]].tobytes() for number in np.flatnonzero(left).tolist()}
        columns = np.fromiter(_one_by_one(rest, labels, discarded), np.int64).reshape(-1, 3).T
        cell, kind, label = map(np.concatenate, zip((cell, kind, label), columns, strict=True))
    order = order_by(cell, kind)
    return _CellEvents(cell[order], kind[order], label[order], discarded, np.flatnonzero(odd))


def _one_by_one(cells: Mapping[int, bytes], labels: Labels, discarded: dict[int, list[bytes]]) -> Iterator[int]:
    """Yield the cell, kind and label of each event of some cells; what is ``discarded`` is added to that."""
    for number, cell in cells.items():
        pieces, discards = _pieces(cell)
        for kind, digits in pieces:
            yield from (number, kind, labels.number(digits))
        if discards:
            discarded[number] = discards


def plain(cell: bytes) -> bytes:
    """Return the plain form of a cell, which is how it is read."""
    forms = {SINGLE: b"(%s)", OPEN: b"(%s", CLOSE: b"%s)"}
    return b"|".join(forms[kind] % digits for kind, digits in _pieces(cell)[0])


def _pieces(cell: bytes) -> tuple[Iterable[tuple[int, bytes]], list[bytes]]:
    """Find the events of a cell of any form, each with its kind and id, and the pieces that are discarded."""
    if re.fullmatch(_TYPED, cell):
        cell = re.sub(_TYPE, rb"\1", cell)
    discards, cell = _cut(cell, _MARKED)
    singles, cell = _cut(cell, _SINGLE)
    found = {SINGLE: singles, OPEN: re.findall(_OPEN, cell), CLOSE: re.findall(_CLOSE, re.sub(_OPEN, b"", cell))}
    return ((kind, digits) for kind, pieces in found.items() for digits in pieces), [b"(%s)" % it for it in discards]


def _cut(cell: bytes, form: bytes) -> tuple[list[bytes], bytes]:
    """Cut out every piece that has a form, which begins and ends with a bracket, and join what was on both sides of it.

    Returns the pieces without their brackets, and the rest of the cell.

    The order of cutting makes no difference: here a piece is cut out where it closes. No bracket is left in it by then,
    so those around a piece of another form are none of a piece.
    """
    if not re.search(form, cell):
        return [], cell
    found: list[bytes] = []
    kept: list[bytes] = []
    opened: list[int] = []
    for part in re.finditer(rb"[()]|[^()]+", cell):
        kept.append(part[0])
        if part[0] == b"(":
            opened.append(len(kept) - 1)
        elif part[0] == b")" and opened:
            first = opened.pop()
            if re.fullmatch(form, piece := b"".join(kept[first:])):
                found.append(piece[1:-1])
                del kept[first:]
            else:
                opened.clear()
    return found, b"".join(kept)
