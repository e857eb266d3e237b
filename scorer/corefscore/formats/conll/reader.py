"""CoNLL-2011/2012: bytes to columns.

The grammar. Each rule that is not plain is decided by a recorded run of the official scorer, named behind it.

 1. A document begins at a line with `#`, blanks or none, `begin document`, one blank; its name is all that
    follows but the line end, LF or CR LF (odd-name-trailing-space, odd-name-with-quotes, crlf). It ends at `#`,
    blanks or none, `end document` anywhere in a line (odd-hash-space, odd-end-with-name), or where the file
    ends (no-end).
 2. Lines outside documents are not read (odd-lines-between, odd-text-before).
 3. Lines of white space are no tokens (blank). Nor are comments, which is ours: a line that starts with `#`, has
    no tab, no bracketed number in its last column, and is no marker. Every other line is a token; tokens
    count from 0 through the whole document.
 4. Columns are split at tabs, empty ones at the end do not count (odd-trailing-tabs, odd-tabs-at-the-end), but with
    CRLF line ends the CR keeps the last one from being empty. On a line without tabs, columns are split at blanks
    (spaces), and only the last one counts, which is ours. The last column is the cell of coreference.
 5. Within a cell every `(N+D)` with exactly one digit D is discarded (odd-plus), then all `(N)` are read, then
    all `(N`, then all `N)`. Each piece is cut out and the search starts again, so that what stood beside it
    joins (odd-no-bars, odd-double-closing). Whatever is left means nothing (markers, odd-words-in-cell).
 6. N is compared as text: `00` and `0` are two entities (odd-leading-zero).
 7. A close bracket closes the latest open bracket of its entity (odd-same-id-nested, odd-close-before-open).
    One without an open bracket, or an open one that is never closed, makes the document unusable (unopened,
    unclosed). The same holds where the file ends without an end line, which is ours.
 8. Entities are numbered in order of first appearance, mentions in the order in which they close.
 9. A byte order mark at the start of a file is passed over, which is ours.

A file is read in blocks: whole-array passes find the lines and the few cells that can hold a mention.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from corefscore.checking.findings import Finding, plural
from corefscore.documents.arrays import Bools, Bytes, Ints, among, changes, order_by
from corefscore.documents.model import RESPONSE, Documents, Place
from corefscore.documents.sources import MARK, Source, as_text
from corefscore.errors import InputError
from corefscore.formats.conll.brackets import OPEN, Events, partitions, unmatched
from corefscore.formats.conll.cells import CLOSING, OPENING, Labels, parse
from corefscore.formats.conll.lines import (
    BEGIN,
    END,
    END_MARKER,
    WordColumn,
    absent_column,
    holds_token,
    marker_of,
    other_words,
)
from corefscore.formats.row import BATCH, USUAL, Request

BLOCK = 1 << 20
"""Bytes read at once: large enough for whole-array work to pay, small enough to stay in the cache."""

HEADER = re.compile(rb"#?[^\S\n]*begin[^\S\n]*document", re.IGNORECASE)
"""What looks like the begin of a document, in whatever form."""

CONLL_U = (
    rb"^#\s*(newdoc|newpar|sent_id|text\s*=|global\.Entity)|^1\t[^\t\n]*\t[^\t\n]*\t(_|ADJ|ADP|ADV|AUX|CCONJ|DET|"
    rb"INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X)\t"
)
"""What a file in CoNLL-U has."""

LONG_CELL = 64
"""Bytes after which the few cells that are still longer are looked at one by one."""

LF, CR, TAB, SPACE, HASH = b"\n\r\t #"
MARKER_BEGINS = np.frombuffer(b"be \t\r\v\f", dtype=np.uint8)
"""What may follow the `#` of a marker."""

EXPECTED = (
    'CoNLL-2011/2012: "#begin document NAME", a line per token with the coreference in the last column, "#end document"'
)


class Segments(NamedTuple):
    """The lines of each document that lie in the current block, and what turns the number of a token
    within the block into its number within the document."""

    first: Ints
    stop: Ints
    document: Ints
    shift: Ints

    def within(self, lines: Ints) -> tuple[Ints, Ints, Ints]:
        """Those of the lines that lie in a segment, and its document and shift for each."""
        segment = np.searchsorted(self.first, lines, side="right") - 1
        inside = (segment >= 0) & (lines < self.stop[segment])
        lines, segment = lines[inside], segment[inside]
        return lines, self.document[segment], self.shift[segment]


class Lines(NamedTuple):
    """The lines of one block: line n is ``text[starts[n]:stops[n]]``, its line end left out.

    ``markers`` holds the lines that are markers, with the name of the document that begins, or None where one ends;
    ``segments`` are the stretches that belong to documents.
    """

    text: Bytes
    starts: Ints
    stops: Ints
    is_token: Bools
    markers: Mapping[int, str | None]
    segments: Segments


def recognises(head: bytes) -> bool:
    """Whether a file that begins so has a begin marker."""
    return re.search(rb"^(?:%s)?#[^\S\n]*%s" % (MARK, BEGIN), head, re.MULTILINE) is not None


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches; what is odd is added to ``notices``.

    Raises `InputError` for a file without any document and for a document that begins inside another;
    `UsageError` for a file that cannot be read. Brackets that do not match are kept as a fault of
    their document, since a document that is not scored may have them.
    """
    reader = Reader(notices, request)
    for source in files:
        yield from reader.file(source)
    yield from reader.batch()


class Reader:
    """Reads one corpus; holds the documents since the last batch and the place in the file: the lines read, whether
    the last one had its line end, and whether a document is open.

    Scoring refuses at the first fault. Who wants to know more (`corefscore.formats.conll.examiner`) overrides `note`,
    `refuse`, `look` and `faults`, and reads on by the same rules.
    """

    def __init__(self, notices: list[Finding], request: Request = USUAL) -> None:
        self.notices = notices
        self.word_column = WordColumn(request.word_column)
        self._shows_words, self._side = request.texts, request.side
        self.labels = Labels()
        self.inside = False
        self.names: list[str] = []
        self.places: list[Place] = []
        self.stops: list[int] = []
        self.tokens: list[int] = []
        self.events: list[Events] = []
        self.discarded: dict[int, list[str]] = {}
        self.bytes = 0

    def file(self, source: Source) -> Iterator[Documents]:
        """Read one file; yields the batches that become full on the way."""
        self.source = source
        self.line = 0
        self.ended = True
        self.outside_lines = self.first_outside = 0
        documents = 0
        for data, size, self.ended in _blocks(source):
            before = len(self.names)
            self._block(data, size)
            documents += len(self.names) - before
            self.bytes += size
            if self.bytes > BATCH:
                yield from self.batch()
        if not documents:
            self.refuse(_what_else(source, self._side))
            return
        if self.inside:
            self.inside = False
            self.stops[-1] = self.line
            self._notice("no-end", self.line, document=self.names[-1])
        if self.outside_lines:
            self._notice("outside-document", self.first_outside, count=plural(self.outside_lines, "line"))
        if self.word_column.number is not None and (absent := absent_column(source, self.word_column)):
            self.refuse(absent)
        elif self._shows_words and self.word_column.number is None and (odd := other_words(source, self.word_column)):
            self.note(odd)

    def note(self, finding: Finding) -> None:
        """Keep a notice."""
        self.notices.append(finding)

    def refuse(self, finding: Finding) -> None:
        """Deal with a fault of the whole file."""
        raise InputError([finding])

    def look(self, lines: Lines) -> None:
        """Look at the lines of a block, the first of which has the number ``self.line + 1``."""

    def faults(self, faulty: Sequence[int], events: Events) -> dict[int, Callable[[], Finding]]:
        """For each of some documents its first bracket that has no partner, described when it is asked for.

        ``events`` are those of these documents.
        """
        return {document: self._fault(document, events) for document in faulty}

    def batch(self) -> Iterator[Documents]:
        """The documents read since the last batch, if there are any; one that is still open waits for the next."""
        ready = len(self.names) - self.inside
        if ready:
            yield self._taken(ready)

    def _taken(self, ready: int) -> Documents:
        """The first so many documents, of which nothing stays here while they are counted."""
        events = Events(*map(np.concatenate, zip(*self.events, strict=True)))
        complete, rest = events.document < ready, events.document >= ready
        later = events.only(np.flatnonzero(rest))
        events = events.only(np.flatnonzero(complete))
        columns, faulty = partitions(events)
        documents = Documents(
            names=self.names[:ready],
            places=self.places[:ready],
            tokens=np.array(self.tokens[:ready], dtype=np.int64),
            **columns._asdict(),
            faults=self.faults(faulty, events.only(np.flatnonzero(np.isin(events.document, faulty)))) if faulty else {},
            discarded={document: cells for document, cells in self.discarded.items() if document < ready},
            odd_labels=self.labels.odd,
            exact_names=True,
            words=self.word_column,
        )
        for column in (self.names, self.places, self.stops, self.tokens):
            del column[:ready]
        self.events = [later._replace(document=later.document - ready)]
        self.discarded = {at - ready: cells for at, cells in self.discarded.items() if at >= ready}
        self.bytes = 0
        return documents

    def _notice(self, code: str, line: int, **details: object) -> None:
        self.note(Finding(code, self.source.name, line, details=details))

    def _block(self, data: bytearray, size: int) -> None:
        """Read the lines of one block, which stand behind the line end at its first position."""
        text = np.frombuffer(data, dtype=np.uint8, count=size)
        line_ends = np.flatnonzero(text == LF)
        starts, stops = line_ends[:-1] + 1, line_ends[1:]
        if not self.line and data.startswith(MARK, 1):
            starts[0] += len(MARK)
        first = text[starts]
        is_token = first != LF
        for line in np.flatnonzero((first <= SPACE) & is_token).tolist():
            is_token[line] = bool(data[starts[line] : stops[line]].strip())
        markers: dict[int, str | None] = {}
        hashes = np.flatnonzero(first == HASH)
        hashed = hashes[_may_matter(text, starts[hashes], stops[hashes])]
        is_token[hashes] = False
        for line, start, stop in zip(hashed.data, starts[hashed].data, stops[hashed].data, strict=True):
            line_text = bytes(data[start:stop])
            if marker := marker_of(line_text):
                markers[line] = marker.name
            else:
                is_token[line] = holds_token(line_text)
        if data.count(END, 0, size) > sum(name is None for name in markers.values()):
            for end in END_MARKER.finditer(data, 0, size):
                markers.setdefault(int(np.searchsorted(line_ends, end.start())) - 1, None)
        is_token[list(markers)] = False

        tokens = np.cumsum(is_token)
        segments = self._segments(sorted(markers.items()), is_token, tokens)
        if len(segments.first):
            lines = np.flatnonzero(is_token & _may_hold_mention(text, stops, TAB in data))
            self._cells(text, stops, lines, tokens, segments)
        self.look(Lines(text, starts, stops, is_token, markers, segments))
        self.line += len(starts)

    def _segments(self, markers: list[tuple[int, str | None]], is_token: Bools, tokens: Ints) -> Segments:
        """Walk from marker to marker (a name begins a document, None ends it).

        Returns the stretches of lines that belong to documents. ``tokens`` is the number of tokens up to and
        including each line of the block.
        """
        rows: list[tuple[int, int, int, int]] = []
        first = seen = 0

        def stretch(stop: int, now: int) -> None:
            nonlocal seen
            if self.inside:
                rows.append((first, stop, len(self.names) - 1, self.tokens[-1] - seen))
                self.tokens[-1] += now - seen
            elif now > seen:
                self.outside_lines += now - seen
                self.first_outside = self.first_outside or self.line + first + 1 + int(np.argmax(is_token[first:]))
            seen = now

        lines = np.array([line for line, _ in markers], dtype=np.int64)
        before = np.append(0, tokens)[lines].tolist()
        for (line, name), now in zip(markers, before, strict=True):
            stretch(line, now)
            first = line + 1
            number = self.line + first
            if name is None:
                if self.inside:
                    self.stops[-1] = number
                self.inside = False
                continue
            if self.inside:
                details = {"document": self.names[-1], "begin": self.places[-1].line}
                self.refuse(Finding("nested-document", self.source.name, number, details=details))
                self.stops[-1] = number
            self.inside = True
            self.names.append(name)
            self.places.append(Place(self.source, number))
            self.stops.append(0)
            self.tokens.append(0)
        stretch(len(tokens), int(tokens[-1]) if len(tokens) else 0)
        return Segments(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    def _cells(self, text: Bytes, stops: Ints, lines: Ints, tokens: Ints, segments: Segments) -> None:
        """Read the coreference cells of some lines, those outside documents left out."""
        lines, document, shift = segments.within(lines)
        cells = parse(text, *last_cells(text, stops[lines]), self.labels)
        token = tokens[lines] - 1 + shift
        self.events.append(
            Events(document[cells.cell], token[cells.cell], self.line + 1 + lines[cells.cell], cells.kind, cells.label)
        )
        for cell, pieces in cells.discarded.items():
            self.discarded.setdefault(int(document[cell]), []).extend(map(as_text, pieces))

    def _fault(self, document: int, events: Events) -> Callable[[], Finding]:
        """The first bracket of a document that has no partner, described when it is asked for."""
        details = self.details(document)
        return partial(_first, document, events, self.places[document].source, self.labels.odd, details)

    def details(self, document: int) -> dict[str, object]:
        """What `describe` tells of a document."""
        begin, stop = self.places[document].line, self.stops[document]
        return {"document": self.names[document], "begin": begin, "where": f"at line {stop}"}


def _first(
    document: int, events: Events, source: Source, odd_labels: Sequence[str], details: Mapping[str, object]
) -> Finding:
    """The finding for the first bracket of a document that has no partner."""
    events = events.only(np.flatnonzero(events.document == document))
    at = int(unmatched(events)[0])
    line = int(events.line[at])
    cell = Cell(source.lines_at([line])[line])
    return describe(events, at, int(earlier(events)[at]), cell, source, odd_labels=odd_labels, details=details)


def earlier(events: Events) -> Ints:
    """How many brackets of the same form stand before each in its cell."""
    columns = events.document, events.line, events.label, events.kind
    order = order_by(*columns)
    begins = changes(*(column[order] for column in columns))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
    return found


class Cell:
    """The last cell of a line, for messages, which is looked through as far as they need it.

    Mentions of one token and discarded pieces are no brackets here.
    """

    def __init__(self, line: bytes) -> None:
        self.text = text = as_text(line.removesuffix(b"\r"))
        self.start = text.rstrip("\t").rfind("\t") + 1 if "\t" in text else text.rstrip().rfind(" ") + 1
        self._rest = re.sub(r"\(\d+(\+\d)?\)", lambda whole: " " * len(whole[0]), text[self.start :], flags=re.ASCII)
        self._brackets = re.finditer(r"\(\d+|(?<!\d)\d+\)", self._rest, re.ASCII)
        self._places: dict[str, list[int]] = defaultdict(list)

    def excerpt(self, piece: str, earlier: int) -> tuple[int, tuple[str, str]]:
        """The column of a bracket in its line, and the cell with carets under it, cut down to a readable width.

        ``earlier`` is how many brackets of the same form stand before it. A bracket that only comes about when others
        are cut out has the whole cell for its place.
        """
        places = self._places[piece]
        while len(places) <= earlier and (bracket := next(self._brackets, None)):
            self._places[bracket[0]].append(self.start + bracket.start())
        there = earlier < len(places)
        at, size = (places[earlier], len(piece)) if there else (self.start, len(self._rest.strip()))
        shown = max(self.start, at - 30)
        cell = self.text[shown : at + size + 30][:100].replace("\t", " ")
        return at + 1, (cell, " " * (at - shown) + "^" * min(size, 40))


def describe(
    events: Events,
    at: int,
    before: int,
    cell: Cell,
    source: Source,
    *,
    odd_labels: Sequence[str],
    details: Mapping[str, object],
) -> Finding:
    """The finding for a bracket without a partner among the events of one document.

    It stands in that cell, so many of the same form `before` it.
    """
    opened = bool(events.kind[at] == OPEN)
    line, label = int(events.line[at]), int(events.label[at])
    name = str(label) if label >= 0 else odd_labels[-1 - label]
    piece = f"({name}" if opened else f"{name})"
    column, excerpt = cell.excerpt(piece, before)
    code = "unclosed-mention" if opened else "unopened-mention"
    return Finding(code, source.name, line, column, {**details, "piece": piece, "label": name}, excerpt)


def _blocks(source: Source) -> Iterator[tuple[bytearray, int, bool]]:
    """Buffers and how much of each is filled: a line end at the first position, then whole lines; last, whether the
    file has the line end of the last one."""
    buffer = bytearray(BLOCK)
    buffer[0] = LF
    filled = 1
    with source.open() as stream:
        while got := source.fill(stream, memoryview(buffer)[filled:]):
            filled += got
            stop = buffer.rfind(b"\n", filled - got, filled) + 1
            if stop:
                yield buffer, stop, True
                rest = filled - stop
                buffer[1 : 1 + rest] = buffer[stop:filled]
                filled = 1 + rest
            if filled == len(buffer):
                # Appended in place: a second buffer beside the first would take twice the memory of a long line.
                buffer += bytes(len(buffer))
    if filled > 1:
        buffer[filled] = LF
        yield buffer, filled + 1, False


def _may_matter(text: Bytes, starts: Ints, stops: Ints) -> Bools:
    """Which lines that begin with `#` may be markers or hold tokens; the others are comments, without a tab or bracket
    and not beginning as a marker does."""
    matters = among(text[starts + 1], MARKER_BEGINS)
    if not matters.all():
        marks = np.flatnonzero((text == TAB) | (text == OPENING) | (text == CLOSING))
        matters |= np.searchsorted(marks, stops) > np.searchsorted(marks, starts)
    return matters


def _may_hold_mention(text: Bytes, stops: Ints, tabs: bool) -> Bools:
    """Which lines may have a bracket in their last cell: not those in which it is one byte long.

    ``tabs`` tells whether the block has any; without them, columns are split at blanks.
    """
    stops = stops - (text[stops - 1] == CR)
    last, before_last = text[stops - 1], text[stops - 2]
    between = TAB if tabs else SPACE
    several_bytes: Bools = (before_last != between) | (last == between)
    return several_bytes


def last_cells(text: Bytes, stops: Ints) -> tuple[Ints, Ints]:
    """Where the last cell of each line begins and ends, given where the lines end (rule 4)."""
    has_cr = text[stops - 1] == CR
    stops = stops - has_cr
    every = np.arange(len(stops))
    ends = stops
    stops = _step_back(text, stops, np.flatnonzero(~has_cr), over=True, marks=(TAB,))
    starts = _step_back(text, stops, every, over=False, marks=(TAB, LF))
    # Without any tab: where empty columns were stepped over, the line is one column and all of it the cell.
    untabbed = np.flatnonzero((text[starts - 1] == LF) & (stops == ends))
    if len(untabbed):
        stops = _step_back(text, stops, untabbed, over=True, marks=(SPACE,))
        starts[untabbed] = _step_back(text, stops, untabbed, over=False, marks=(SPACE, LF))[untabbed]
    return starts, stops


def _step_back(text: Bytes, stops: Ints, which: Ints, *, over: bool, marks: tuple[int, ...]) -> Ints:
    """Step back from ``stops[which]``, over every byte of ``marks`` or else up to the first one."""
    at = stops.copy()
    for _ in range(LONG_CELL):
        if not len(which):
            return at
        before = text[at[which] - 1]
        marked = before == marks[0]
        for mark in marks[1:]:
            marked |= before == mark
        which = which[marked == over]
        at[which] -= 1
    for line in which.tolist():
        at[line] = _step_back_far(text, int(at[line]), over=over, marks=marks)
    return at


def _step_back_far(text: Bytes, stop: int, *, over: bool, marks: tuple[int, ...]) -> int:
    """The same for one line, a stretch at a time, each twice as long as the last."""
    size = LONG_CELL
    while True:
        first = max(stop - size, 0)
        found = np.flatnonzero(np.isin(text[first:stop], marks) != over)
        if len(found):
            return first + int(found[-1]) + 1
        stop, size = first, size * 2


def _what_else(source: Source, side: str | None) -> Finding:
    """What a file of a side without any document holds instead, where, and what was expected."""
    head = source.head(1 << 16)
    text = head.removeprefix(MARK)
    lines = [(number, line.strip()) for number, line in enumerate(text.split(b"\n"), start=1)]
    line, first = next(((number, words) for number, words in lines if words), (None, b""))
    expected = EXPECTED
    header = next(((number, words) for number, words in lines if HEADER.match(words)), None)
    if line is None:
        what = "the file holds nothing but white space" if head else "the file is empty"
    elif head.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in (head[0::2].strip(b"\0")[:1], head[1::2][:1]):
        what = "the file is not UTF-8; it looks like UTF-16"
    elif first.startswith((b"{", b"[")):
        what, expected = "this looks like JSON", f"{EXPECTED}; JSON lines are read by --input-format jsonlines"
    elif re.search(CONLL_U, text, re.MULTILINE):
        what = "this looks like CoNLL-U"
        expected = f"{EXPECTED}; CoNLL-U with coreference (CorefUD) is read by --input-format corefud"
    elif header:
        line = header[0]
        form = 'a header that is not of the form "#begin document NAME", with one blank before NAME'
        what = f'{form}: "{as_text(header[1])[:60]}"'
        expected = f"{EXPECTED}; corefscore validate {source.name} --fix FILE mends such headers"
    else:
        what = f'the file begins with "{as_text(first)[:60]}"'
        if side == RESPONSE:
            expected = f"{EXPECTED}; a response that is text with tags is scored with --input-format tagged"
    return Finding("no-document", source.name, line, details={"what": what, "expected": expected})
