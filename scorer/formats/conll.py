"""CoNLL-2011/2012: bytes to columns.

The grammar. Each rule that is not plain is decided by a recorded run of the official scorer, named behind it.

 1. A document begins at a line with `#`, blanks or none, `begin document`, one blank; its name is all that
    follows but the line end (odd-name-trailing-space, odd-name-with-quotes, crlf). It ends at `#`, blanks or
    none, `end document` anywhere in a line (odd-hash-space, odd-end-with-name), or where the file ends (no-end).
 2. Lines outside documents are not read (odd-lines-between, odd-text-before).
 3. Lines of white space are no tokens (blank). Nor are comments, which is ours: a line that starts with `#`, has
    no tab, no bracketed number in its last column, and is no marker. Every other line is a token; tokens
    count from 0 through the whole document.
 4. Columns are split at tabs, empty ones at the end do not count (odd-trailing-tabs), but with CRLF line ends the
    CR keeps the last one from being empty. On a line without tabs, columns are split at blanks (spaces), and
    only the last one counts, which is ours. The last column is the cell of coreference.
 5. Within a cell every `(N+D)` with exactly one digit D is discarded (odd-plus), then all `(N)` are read, then
    all `(N`, then all `N)`. Each piece is cut out and the search starts again, so that what stood beside it
    joins (odd-no-bars, odd-double-closing). Whatever is left means nothing (markers, odd-words-in-cell).
 6. N is compared as text: `00` and `0` are two entities (odd-leading-zero).
 7. A close bracket closes the latest open bracket of its entity (odd-same-id-nested, odd-close-before-open).
    One without an open bracket, or an open one that is never closed, makes the document unusable (unopened,
    unclosed). The same holds where the file ends without an end line, which is ours.
 8. Entities are numbered in order of first appearance, mentions in the order in which they close.
 9. A byte order mark at the start of a file is passed over, which is ours.

A file is read in blocks. Whole-array passes over a block find the lines and the cells that can hold a mention;
cells of the plain form `(N)|(N|N)` are parsed all at once, and only the odd ones one by one. The two ways
give the same events, and a test compares them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.columns import NONE, Bools, Bytes, Ints, changes, counts, order_by, ranges
from scorer.errors import InputError
from scorer.findings import Finding, counted
from scorer.model import Documents, Place
from scorer.sources import Source

BLOCK = 1 << 20
"""Bytes read at once: large enough for whole-array work to pay, small enough to stay in the cache."""

BATCH = 1 << 24
"""Bytes after which the documents read so far go on as one batch; it bounds the memory of a run."""

PLAIN_DIGITS = 18
"""Ids of up to so many digits, without a leading zero, are numbers; all others are kept as text."""

LF, CR, TAB, SPACE, HASH, BAR, OPENING, CLOSING, ZERO = b"\n\r\t #|()0"
MARK = b"\xef\xbb\xbf"

BEGIN = re.compile(rb"#\s*begin document (.*?)\r*$", re.DOTALL)
END = re.compile(rb"#\s*end document")
MENTION = re.compile(rb"\(\d|\d\)")

SINGLE, OPEN, CLOSE = 0, 1, 2
"""The kinds of event, in the order in which those of one cell happen."""


class Events(NamedTuple):
    """What cells say, in reading order; a column each."""

    document: Ints
    token: Ints
    line: Ints
    kind: Ints
    label: Ints


class Segment(NamedTuple):
    """The lines of one document that lie in the current block."""

    first: int
    stop: int
    document: int
    tokens_before: int


def read(files: Sequence[Source], notices: list[Finding]) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches; what is odd is added to ``notices``.

    Raises `InputError` for a file without any document and for a document that begins inside another;
    `UsageError` for a file that cannot be read. Brackets that do not match are kept as a fault of
    their document, since a document that is not scored may have them.
    """
    reader = _Reader(notices)
    for source in files:
        yield from reader.file(source)
    yield from reader.batch()


def words(source: Source, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The words of spans, each given by the line of its first token and its number of tokens.

    The word is the fourth column, as in CoNLL-2011/2012, or the one before the last where there are fewer than
    five. Long spans are cut in the middle. The file is read once, for all spans.
    """
    wanted = defaultdict(list)
    for at, (line, _) in enumerate(spans):
        wanted[line].append(at)
    left = {at: tokens for at, (_, tokens) in enumerate(spans)}
    texts: list[list[str]] = [[] for _ in spans]
    active: list[int] = []
    last = max(wanted, default=0)
    with source.open() as stream:
        for number, line in enumerate(stream, start=1):
            active += wanted.get(number, ())
            if active and _is_token(line):
                columns = line.split(b"\t") if b"\t" in line else line.split()
                word = columns[3] if len(columns) > 4 else columns[max(len(columns) - 2, 0)]
                for at in active:
                    texts[at].append(_text(word.strip()))
                    left[at] -= 1
                active = [at for at in active if left[at]]
            if number >= last and not active:
                break
    return [" ".join(text if len(text) <= 12 else [*text[:6], "...", *text[-5:]]) for text in texts]


def _is_token(line: bytes) -> bool:
    """Rule 3, for a line that is no marker."""
    return bool(line.strip()) and not (line.startswith(b"#") and b"\t" not in line and not _has_mention(line))


def _has_mention(line: bytes) -> bool:
    return MENTION.search(line.split()[-1]) is not None


class _Reader:
    """Reads one corpus; holds the documents since the last batch and the place in the file."""

    def __init__(self, notices: list[Finding]) -> None:
        self.notices = notices
        self.odd_labels: list[str] = []
        self.odd_numbers: dict[str, int] = {}
        self._start_batch()

    def _start_batch(self) -> None:
        self.names: list[str] = []
        self.places: list[Place] = []
        self.stops: list[int] = []
        self.tokens: list[int] = []
        self.events: list[Events] = []
        self.discarded: dict[int, list[str]] = defaultdict(list)
        self.bytes = 0

    def file(self, source: Source) -> Iterator[Documents]:
        """Read one file; yields the batches that become full on the way."""
        self.source = source
        self.line = 0
        self.inside = False
        self.outside: tuple[int, int] = (0, 0)
        documents = 0
        for data, size in _blocks(source):
            before = len(self.names)
            self._block(data, size)
            documents += len(self.names) - before
            self.bytes += size
            if self.bytes > BATCH and not self.inside:
                yield from self.batch()
        if not documents:
            raise InputError([Finding("no-document", source.name, details={"what": _what_else(source)})])
        if self.inside:
            self.stops[-1] = self.line
            self.inside = False
            self.notices.append(
                Finding("no-end", source.name, self.line, details={"document": self.names[-1]})
            )
        if self.outside[0]:
            first, count = self.outside
            self.notices.append(
                Finding("outside-document", source.name, first, details={"count": counted(count, "line")})
            )

    def batch(self) -> Iterator[Documents]:
        """The documents read since the last batch, if there are any; none of them may be open."""
        if not self.names:
            return
        columns = zip(*self.events, strict=True) if self.events else [(NONE,)] * 5
        events = Events(*(np.concatenate(column) for column in columns))
        partitions, faulty = _partitions(events)
        yield Documents(
            names=self.names,
            places=self.places,
            tokens=np.array(self.tokens, dtype=np.int64),
            faults={document: self._fault(document, events) for document in faulty},
            discarded=dict(self.discarded),
            odd_labels=self.odd_labels,
            **partitions,
        )
        self._start_batch()

    def _block(self, data: bytearray, size: int) -> None:
        """Read the lines of one block, which follow the line end at its first position."""
        text = np.frombuffer(data, dtype=np.uint8, count=size)
        ends = np.flatnonzero(text == LF)
        starts, stops = ends[:-1] + 1, ends[1:]
        if not self.line and data.startswith(MARK, 1):
            starts[0] += len(MARK)
        first = text[starts]
        is_token = first != LF
        for line in np.flatnonzero((first <= SPACE) & is_token).tolist():
            is_token[line] = bool(data[starts[line] : stops[line]].strip())
        markers = self._markers(data, size, ends, starts, first, is_token)
        segments, tokens = self._segments(markers, is_token)
        if segments:
            candidates = np.flatnonzero(is_token & _can_hold_mention(text, stops, TAB in data))
            firsts, segment_stops, documents, befores = (
                np.array(column, dtype=np.int64) for column in zip(*segments, strict=True)
            )
            owner = np.searchsorted(firsts, candidates, side="right") - 1
            inside = (owner >= 0) & (candidates < segment_stops[owner])
            candidates, owner = candidates[inside], owner[inside]
            cell_starts, cell_stops = _cells(text, stops[candidates])
            cell, kind, label, odd = _parse(text, cell_starts, cell_stops)
            for number in odd.tolist():
                document = int(documents[owner[number]])
                pieces = self._odd_cell(bytes(data[cell_starts[number] : cell_stops[number]]), document)
                cell = np.concatenate([cell, np.full(len(pieces), number)])
                kind = np.concatenate([kind, np.array([piece[0] for piece in pieces], dtype=np.int64)])
                label = np.concatenate([label, np.array([piece[1] for piece in pieces], dtype=np.int64)])
            order = order_by(cell, kind)
            cell, kind, label = cell[order], kind[order], label[order]
            token = tokens[candidates] - 1 - tokens[firsts[owner] - 1] * (firsts[owner] > 0) + befores[owner]
            self.events.append(
                Events(documents[owner[cell]], token[cell], self.line + 1 + candidates[cell], kind, label)
            )
        self.line += len(starts)

    def _markers(
        self, data: bytearray, size: int, ends: Ints, starts: Ints, first: Bytes, is_token: Bools
    ) -> list[tuple[int, str | None]]:
        """The lines that begin (with the name) or end (with None) a document; takes them and comments
        out of ``is_token``."""
        markers: dict[int, str | None] = {}
        for line in np.flatnonzero(first == HASH).tolist():
            line_text = bytes(data[starts[line] : ends[line + 1]])
            if begin := BEGIN.match(line_text):
                markers[line] = _text(begin[1])
                is_token[line] = False
            else:
                is_token[line] = _is_token(line_text)
        at = data.find(b"end document", 0, size)
        while at >= 0:
            line = int(np.searchsorted(ends, at)) - 1
            if line not in markers and END.search(data, starts[line], ends[line + 1]):
                markers[line] = None
                is_token[line] = False
            at = data.find(b"end document", at + 1, size)
        return sorted(markers.items())

    def _segments(self, markers: list[tuple[int, str | None]], is_token: Bools) -> tuple[list[Segment], Ints]:
        """Walk from marker to marker: the stretches that belong to documents, and the running number of
        tokens up to and including each line of the block."""
        tokens = np.cumsum(is_token)
        lines = len(is_token)
        segments: list[Segment] = []
        first = 0

        def stretch(stop: int) -> None:
            number = int(tokens[stop - 1] if stop else 0) - int(tokens[first - 1] if first else 0)
            if self.inside:
                segments.append(Segment(first, stop, len(self.names) - 1, self.tokens[-1]))
                self.tokens[-1] += number
            elif number:
                begin = self.line + first + 1 + int(np.argmax(is_token[first:stop]))
                self.outside = (self.outside[0] or begin, self.outside[1] + number)

        for line, name in markers:
            stretch(line)
            first = line + 1
            number = self.line + first
            if name is None:
                if self.inside:
                    self.stops[-1] = number
                self.inside = False
                continue
            if self.inside:
                details = {"document": self.names[-1], "begin": self.places[-1].line}
                raise InputError([Finding("nested-document", self.source.name, number, details=details)])
            self.inside = True
            self.names.append(name)
            self.places.append(Place(self.source, number))
            self.stops.append(0)
            self.tokens.append(0)
        stretch(lines)
        return segments, tokens

    def _odd_cell(self, cell: bytes, document: int) -> list[tuple[int, int]]:
        """The events of a cell of any form, kind and label, by rule 5."""
        discards, singles, cell = _cut_bracketed(cell)
        self.discarded[document] += [_text(piece) for piece in discards]
        if not self.discarded[document]:
            del self.discarded[document]
        opens = re.findall(rb"\((\d+)", cell)
        closes = re.findall(rb"(\d+)\)", re.sub(rb"\(\d+", b"", cell))
        return [
            (kind, self._label(name))
            for kind, names in ((SINGLE, singles), (OPEN, opens), (CLOSE, closes))
            for name in names
        ]

    def _label(self, name: bytes) -> int:
        if len(name) <= PLAIN_DIGITS and (name == b"0" or not name.startswith(b"0")):
            return int(name)
        text = _text(name)
        if text not in self.odd_numbers:
            self.odd_labels.append(text)
            self.odd_numbers[text] = -len(self.odd_labels)
        return self.odd_numbers[text]

    def _fault(self, document: int, events: Events) -> Finding:
        """The first bracket of a document that has no partner."""
        mine = np.flatnonzero(events.document == document)
        at, opened = _unmatched(Events(*(column[mine] for column in events)))[0]
        line, label = int(events.line[mine[at]]), int(events.label[mine[at]])
        name = str(label) if label >= 0 else self.odd_labels[-1 - label]
        same = (events.line[mine[:at]] == line) & (events.label[mine[:at]] == label)
        earlier = int(np.count_nonzero(same & (events.kind[mine[:at]] == (OPEN if opened else CLOSE))))
        piece = f"({name}" if opened else f"{name})"
        place = self.places[document]
        column, excerpt = _excerpt(place.source, line, piece, earlier)
        return Finding(
            "unclosed-mention" if opened else "unopened-mention",
            place.source.name,
            line,
            column,
            {
                "document": self.names[document],
                "piece": piece,
                "label": name,
                "where": f"at line {self.stops[document]}",
            },
            excerpt,
        )


def _text(raw: bytes) -> str:
    """Bytes as text that gives the same bytes back, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def _blocks(source: Source) -> Iterator[tuple[bytearray, int]]:
    """Buffers and how much of each is filled: a line end at the first position, then whole lines."""
    buffer = bytearray(BLOCK)
    buffer[0] = LF
    filled = 1
    with source.open() as stream:
        while got := source.fill(stream, memoryview(buffer)[filled:]):
            filled += got
            stop = buffer.rfind(b"\n", filled - got, filled) + 1
            if stop:
                yield buffer, stop
                rest = filled - stop
                buffer[1 : 1 + rest] = buffer[stop:filled]
                filled = 1 + rest
            if filled == len(buffer):
                buffer = buffer + bytearray(len(buffer))
    if filled > 1:
        buffer[filled] = LF
        yield buffer, filled + 1


def _can_hold_mention(text: Bytes, stops: Ints, tabs: bool) -> Bools:
    """Which lines may have a bracket in their last cell: not those in which it is one byte long."""
    stops = stops - (text[stops - 1] == CR)
    before = text[stops - 2]
    return (before != TAB) & (tabs | (before != SPACE)) | (text[stops - 1] == TAB)


def _cells(text: Bytes, stops: Ints) -> tuple[Ints, Ints]:
    """Where the last cell of each line begins and ends, given where the lines end (rule 4)."""
    has_cr = text[stops - 1] == CR
    stops = stops - has_cr
    stops = _back(text, stops, np.flatnonzero(~has_cr), (TAB,), while_there=True)
    every = np.arange(len(stops))
    starts = _back(text, stops, every, (TAB, LF), while_there=False)
    untabbed = np.flatnonzero(text[starts - 1] == LF)
    if len(untabbed):
        stops = _back(text, stops, untabbed, (SPACE,), while_there=True)
        starts[untabbed] = _back(text, stops, untabbed, (SPACE, LF), while_there=False)[untabbed]
    return starts, stops


def _back(text: Bytes, stops: Ints, which: Ints, stop_bytes: tuple[int, ...], *, while_there: bool) -> Ints:
    """Step back from ``stops[which]``, while (or until) the byte before is one of ``stop_bytes``."""
    at = stops.copy()
    while len(which):
        before = text[at[which] - 1]
        there = before == stop_bytes[0]
        for byte in stop_bytes[1:]:
            there |= before == byte
        which = which[there == while_there]
        at[which] -= 1
    return at


def _parse(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Parse all cells of the plain form at once.

    Returns the events as columns (number of the cell, kind, label), not yet in the order of rule 5, and
    the numbers of the cells that hold a bracket but are not of that form.
    """
    if not len(starts):
        return NONE, NONE, NONE, NONE
    # All cells in a row, a bar behind each.
    flat = text[ranges(starts, stops - starts + 1)]
    cell_stops = np.cumsum(stops - starts + 1)
    flat[cell_stops - 1] = BAR
    digit = flat - ZERO
    is_digit = digit < 10
    bars = np.flatnonzero(flat == BAR)
    pieces = np.concatenate([[0], bars[:-1] + 1])
    cell = np.searchsorted(cell_stops - 1, bars)
    opened = flat[pieces] == OPENING
    closed = (flat[bars - 1] == CLOSING) & (bars > pieces)
    number = pieces + opened
    length = bars - closed - number
    digits_before = np.concatenate([[0], np.cumsum(is_digit)])
    plain = (digits_before[number + np.maximum(length, 0)] - digits_before[number] == length) & (length > 0)
    plain &= (opened | closed) & (length <= PLAIN_DIGITS) & ((flat[number] != ZERO) | (length == 1))

    brackets = (flat == OPENING) | (flat == CLOSING)
    has_bracket = np.add.reduceat(brackets, cell_stops - (stops - starts + 1)) > 0
    is_odd = np.zeros(len(starts), dtype=np.bool_)
    is_odd[cell[~plain]] = True
    is_odd &= has_bracket
    plain &= ~is_odd[cell]

    cell, opened, closed = cell[plain], opened[plain], closed[plain]
    number, length = number[plain], length[plain]
    label = np.zeros(len(cell), dtype=np.int64)
    for place in range(int(length.max(initial=0))):
        more = np.flatnonzero(length > place)
        label[more] = label[more] * 10 + digit[number[more] + place]
    kind = np.where(opened, np.where(closed, SINGLE, OPEN), CLOSE)
    return cell, kind, label, np.flatnonzero(is_odd)


def _cut_bracketed(cell: bytes) -> tuple[list[bytes], list[bytes], bytes]:
    """Cut out every ``(N+D)``, then every ``(N)``; both lists, and what is left.

    Such a piece ends in the only close bracket within it, so reading on from left to right and cutting
    as soon as one is complete is the same as starting the search again, in linear time.
    """
    found: list[list[bytes]] = []
    for form in (re.compile(rb"\(\d+\+\d\)"), re.compile(rb"\(\d+\)")):
        cut: list[bytes] = []
        left: list[bytes] = []
        for part in re.findall(rb"[(][^()]*|[)]|[^()]+", cell):
            left.append(part)
            if part == b")":
                # What lies between the latest open bracket and this one, pieces joined by cuts included.
                at = len(left) - 2
                while at >= 0 and left[at] != b")" and not left[at].startswith(b"("):
                    at -= 1
                piece = b"".join(left[max(at, 0) :])
                if form.fullmatch(piece):
                    cut.append(piece)
                    del left[at:]
        found.append(cut)
        cell = b"".join(left)
    return found[0], [piece[1:-1] for piece in found[1]], cell


def _partitions(events: Events) -> tuple[dict[str, Ints], list[int]]:
    """Match brackets: the columns of `Documents` that events decide, and the documents that have faults.

    The events of one entity are laid out by nesting depth; on one level opens and closes alternate,
    so each open stands beside the close that belongs to it.
    """
    order = order_by(events.document, events.label)
    document, kind = events.document[order], events.kind[order]
    new = changes(document, events.label[order])
    group = np.cumsum(new) - 1
    step = (kind == OPEN).astype(np.int64) - (kind == CLOSE)
    depth = np.cumsum(step)
    depth -= (depth - step)[new][group] if len(group) else 0
    last = np.flatnonzero(new)[1:] - 1
    bad = depth < 0
    bad[last] |= depth[last] != 0
    bad[-1:] |= depth[-1:] != 0
    faulty = np.unique(document[bad])
    if len(faulty):
        sound = ~np.isin(events.document, faulty)
        partitions, _ = _partitions(Events(*(column[sound] for column in events)))
        return partitions, faulty.tolist()

    single = np.flatnonzero(kind == SINGLE)
    bracket = np.flatnonzero(kind != SINGLE)
    level = depth[bracket] + (kind[bracket] == CLOSE)
    if level.max(initial=0) > 1:
        bracket = bracket[order_by(group[bracket], level)]
    opening, closing = order[bracket[0::2]], order[bracket[1::2]]
    first_token = np.concatenate([order[single], opening])
    last_token = np.concatenate([order[single], closing])
    mention_group = np.concatenate([group[single], group[bracket[0::2]]])

    appearance = order[new]
    by_appearance = order_by(appearance)
    entity_of_group = np.empty_like(by_appearance)
    entity_of_group[by_appearance] = np.arange(len(by_appearance))
    entity = entity_of_group[mention_group]
    mentions = order_by(entity, last_token)
    first_token, last_token, entity = first_token[mentions], last_token[mentions], entity[mentions]
    appearance = appearance[by_appearance]
    columns = {
        "document": events.document[appearance],
        "label": events.label[appearance],
        "entity": entity,
        "start": events.token[first_token],
        "end": events.token[last_token],
        "line": events.line[first_token],
    }
    return columns, []


def _unmatched(events: Events) -> list[tuple[int, bool]]:
    """The events of one document that have no partner: position, and whether it is an open bracket."""
    waiting: dict[int, list[int]] = defaultdict(list)
    found = []
    for at, (kind, label) in enumerate(zip(events.kind.tolist(), events.label.tolist(), strict=True)):
        if kind == OPEN:
            waiting[label].append(at)
        elif kind == CLOSE:
            if waiting[label]:
                waiting[label].pop()
            else:
                found.append((at, False))
    found += [(at, True) for left in waiting.values() for at in left]
    return sorted(found)


def _excerpt(source: Source, line: int, piece: str, earlier: int) -> tuple[int | None, tuple[str, str] | None]:
    """The column of a piece in its line, and its cell with carets under it, cut down to a readable width."""
    text = _text(b"".join(source.lines(line, line)))
    last = text.rstrip("\t").rfind("\t") + 1 if "\t" in text else text.rstrip().rfind(" ") + 1
    inner = re.escape(piece)
    form = rf"{inner}(?!\d)" if piece.startswith("(") else rf"(?<!\d){inner}"
    places = [match.start() for match in re.finditer(form, text[last:])]
    if not places:
        return None, None
    at = last + places[min(earlier, len(places) - 1)]
    shown = max(last, at - 30)
    cell = text[shown : at + len(piece) + 30].replace("\t", " ")
    return at + 1, (cell, " " * (at - shown) + "^" * min(len(piece), 40))


def _what_else(source: Source) -> str:
    """What a file without any document holds instead, in a few words."""
    with source.open() as stream:
        head = stream.read(1 << 16)
    text = head.removeprefix(MARK).lstrip()
    first = _text(text.split(b"\n", 1)[0].rstrip())
    if not text:
        return "the file is empty" if not head else "the file holds nothing but white space"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head[1:2] == b"\0":
        return "the file is not UTF-8; it looks like UTF-16"
    if text.startswith((b"{", b"[")):
        return "this looks like JSON"
    if re.search(rb"^#\s*(newdoc|sent_id|global\.Entity)|^1\t[^\t\n]*\t[^\t\n]*\t(ADJ|ADP|ADV|AUX|CCONJ|DET|"
                 rb"INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X)\t", text, re.MULTILINE):
        return "this looks like CoNLL-U"
    if header := re.search(rb"^\s*#?\s*begin\s*document.*", text, re.MULTILINE | re.IGNORECASE):
        words = _text(header[0].strip())[:60]
        return f'a header that is not of the form "#begin document NAME", with one blank before NAME: "{words}"'
    return f'the file begins with "{first[:60]}"'
