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

A file is read in blocks: whole-array passes find the lines and the few cells that can hold a mention.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scorer.columns import Bools, Bytes, Ints
from scorer.errors import InputError
from scorer.findings import Finding, counted
from scorer.formats.brackets import CLOSE, OPEN, SINGLE, Events, partitions, unmatched
from scorer.formats.cells import Labels, parse
from scorer.model import Documents, Place
from scorer.sources import Source

BLOCK = 1 << 20
"""Bytes read at once: large enough for whole-array work to pay, small enough to stay in the cache."""

BATCH = 1 << 24
"""Bytes after which the documents read so far go on as one batch; it bounds the memory of a run."""

STEPS = 64
"""How far cells are walked through in small steps, which is faster than one search through a block."""

LF, CR, TAB, SPACE, HASH = b"\n\r\t #"
MARK = b"\xef\xbb\xbf"

BEGIN, END = b"begin document ", b"end document"
END_MARKER = re.compile(rb"#[^\S\n]*" + END)


class Marker(NamedTuple):
    """A line that begins a document of this name, or ends one: then there is no name."""

    name: str | None


class Segment(NamedTuple):
    """The lines of one document that lie in the current block, and what turns the number of a token
    within the block into its number within the document."""

    first: int
    stop: int
    document: int
    shift: int


class Lines(NamedTuple):
    """The lines of one block: line n is ``text[starts[n]:stops[n]]``, its line end left out.

    ``markers`` holds the lines that are markers; ``segments`` are the stretches that belong to documents.
    """

    text: Bytes
    starts: Ints
    stops: Ints
    is_token: Bools
    markers: Mapping[int, Marker]
    segments: Sequence[Segment]


def read(files: Sequence[Source], notices: list[Finding]) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches; what is odd is added to ``notices``.

    Raises `InputError` for a file without any document and for a document that begins inside another;
    `UsageError` for a file that cannot be read. Brackets that do not match are kept as a fault of
    their document, since a document that is not scored may have them.
    """
    reader = Reader(notices)
    for source in files:
        yield from reader.file(source)
    yield from reader.batch()


def words(documents: Documents, mentions: Sequence[int]) -> list[str]:
    """The words of some mentions. Each file is read once, for all of its mentions.

    Long spans are cut in the middle.
    """
    by_source: dict[Source, list[int]] = defaultdict(list)
    for mention in mentions:
        by_source[documents.place_of(int(documents.document[documents.entity[mention]])).source].append(mention)
    texts: dict[int, str] = {}
    for source, its in by_source.items():
        sizes = documents.end[its] - documents.start[its] + 1
        spans = list(zip(documents.line[its].tolist(), sizes.tolist(), strict=True))
        texts.update(zip(its, _texts(source, spans), strict=True))
    return [texts[mention] for mention in mentions]


def _texts(source: Source, spans: Sequence[tuple[int, int]]) -> list[str]:
    """The words of spans of one file, each given by the line of its first token and its number of tokens."""
    beginning = defaultdict(list)
    for at, (line, _) in enumerate(spans):
        beginning[line].append(at)
    last = max(beginning, default=0)
    wanted: dict[int, list[int]] = defaultdict(list)
    texts: list[list[str]] = [[] for _ in spans]
    token = 0
    for number, line_text in source.numbered_lines():
        for at in beginning.get(number, ()):
            size = spans[at][1]
            for place in range(size) if size <= 12 else (*range(6), *range(size - 5, size)):
                wanted[token + place].append(at)
        if wanted and is_token_line(line_text):
            for at in wanted.pop(token, ()):
                texts[at].append(word_of(line_text))
            token += 1
        if number >= last and not wanted:
            break
    for text, (_, size) in zip(texts, spans, strict=True):
        if size > 12:
            text.insert(6, "...")
    return [" ".join(text) for text in texts]


class Reader:
    """Reads one corpus; holds the documents since the last batch and the place in the file: the lines read, whether
    the last one had its line end, and whether a document is open.

    Scoring refuses at the first fault. Who wants to know more (`scorer.formats.examiner`) overrides `note`, `refuse`,
    `look` and `faults`, and reads on by the same rules.
    """

    def __init__(self, notices: list[Finding]) -> None:
        self.notices = notices
        self.labels = Labels()
        self._start_batch()

    def _start_batch(self) -> None:
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
        self.inside = False
        self.outside_lines = self.first_outside = 0
        documents = 0
        for data, size, self.ended in _blocks(source):
            before = len(self.names)
            self._block(data, size)
            documents += len(self.names) - before
            self.bytes += size
            if self.bytes > BATCH and not self.inside:
                yield from self.batch()
        if not documents:
            self.refuse(Finding("no-document", source.name, details={"what": _what_else(source)}))
            return
        if self.inside:
            self.stops[-1] = self.line
            self._notice("no-end", self.line, document=self.names[-1])
        if self.outside_lines:
            self._notice("outside-document", self.first_outside, count=counted(self.outside_lines, "line"))

    def note(self, finding: Finding) -> None:
        """Keep a notice."""
        self.notices.append(finding)

    def refuse(self, finding: Finding) -> None:
        """Deal with a fault of the whole file."""
        raise InputError([finding])

    def look(self, lines: Lines) -> None:
        """Look at the lines of a block, the first of which has the number ``self.line + 1``."""

    def faults(self, faulty: Sequence[int], events: Events) -> dict[int, Finding]:
        """The first bracket without a partner of each of some documents."""
        first = [alone(document, events)[0] for document in faulty]
        return dict(zip(faulty, self.describe(first, events), strict=True))

    def batch(self) -> Iterator[Documents]:
        """The documents read since the last batch, if there are any; none of them may be open."""
        if not self.names:
            return
        events = Events(*map(np.concatenate, zip(*self.events, strict=True)))
        columns, faulty = partitions(events)
        yield Documents(
            names=self.names,
            places=self.places,
            tokens=np.array(self.tokens, dtype=np.int64),
            **columns._asdict(),
            faults=self.faults(faulty, events),
            discarded=self.discarded,
            odd_labels=self.labels.odd,
            words=words,
        )
        self._start_batch()

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
        markers: dict[int, Marker] = {}
        hashes = np.flatnonzero(first == HASH)
        for line, start, stop in zip(hashes.tolist(), starts[hashes].tolist(), stops[hashes].tolist(), strict=True):
            line_text = bytes(data[start:stop])
            if marker := _marker(line_text):
                markers[line] = marker
            else:
                is_token[line] = is_token_line(line_text)
        if data.count(END, 0, size) > sum(marker.name is None for marker in markers.values()):
            for end in END_MARKER.finditer(data, 0, size):
                markers.setdefault(int(np.searchsorted(line_ends, end.start())) - 1, Marker(None))
        is_token[list(markers)] = False

        tokens = np.cumsum(is_token)
        segments = self._segments(sorted(markers.items()), is_token, tokens)
        if segments:
            lines = np.flatnonzero(is_token & _may_hold_mention(text, stops, TAB in data))
            self._cells(text, stops, lines, tokens, segments)
        self.look(Lines(text, starts, stops, is_token, markers, segments))
        self.line += len(starts)

    def _segments(self, markers: list[tuple[int, Marker]], is_token: Bools, tokens: Ints) -> list[Segment]:
        """Walk from marker to marker.

        Returns the stretches of lines that belong to documents. ``tokens`` is the number of tokens up to and
        including each line of the block.
        """
        segments: list[Segment] = []
        first = seen = 0

        def stretch(stop: int) -> None:
            nonlocal seen
            now = int(tokens[stop - 1]) if stop else 0
            if self.inside:
                segments.append(Segment(first, stop, len(self.names) - 1, self.tokens[-1] - seen))
                self.tokens[-1] += now - seen
            elif now > seen:
                self.outside_lines += now - seen
                self.first_outside = self.first_outside or self.line + first + 1 + int(np.argmax(is_token[first:]))
            seen = now

        for line, (name,) in markers:
            stretch(line)
            first = line + 1
            number = self.line + first
            if self.inside:
                self.stops[-1] = number
            if name is None:
                self.inside = False
                continue
            if self.inside:
                details = {"document": self.names[-1], "begin": self.places[-1].line}
                self.refuse(Finding("nested-document", self.source.name, number, details=details))
            self.inside = True
            self.names.append(name)
            self.places.append(Place(self.source, number))
            self.stops.append(0)
            self.tokens.append(0)
        stretch(len(tokens))
        return segments

    def _cells(self, text: Bytes, stops: Ints, lines: Ints, tokens: Ints, segments: list[Segment]) -> None:
        """Read the coreference cells of some lines, those outside documents left out."""
        lines, document, shift = within(segments, lines)
        cells = parse(text, *last_cells(text, stops[lines]), self.labels)
        token = tokens[lines] - 1 + shift
        self.events.append(
            Events(document[cells.cell], token[cells.cell], self.line + 1 + lines[cells.cell], cells.kind, cells.label)
        )
        for cell, pieces in cells.discarded.items():
            self.discarded.setdefault(int(document[cell]), []).extend(map(text_of, pieces))

    def describe(self, brackets: Sequence[Alone], events: Events) -> list[Finding]:
        """Findings for brackets without a partner. Each file is read once, for all of its brackets."""
        by_source: dict[Source, list[int]] = defaultdict(list)
        for at, _ in brackets:
            by_source[self.places[int(events.document[at])].source].append(int(events.line[at]))
        texts = {source: source.lines_at(lines) for source, lines in by_source.items()}
        found = []
        cell = _Cell("")
        for at, opened in brackets:
            document, line, label = int(events.document[at]), int(events.line[at]), int(events.label[at])
            source = self.places[document].source
            text = text_of(texts[source].get(line, b""))
            if text != cell.text:
                cell = _Cell(text)
            kind = OPEN if opened else CLOSE
            begin = int(np.searchsorted(events.document, document))
            its = slice(begin + int(np.searchsorted(events.line[begin:at], line)), at)
            earlier = int(np.count_nonzero((events.label[its] == label) & (events.kind[its] == kind)))
            name = str(label) if label >= 0 else self.labels.odd[-1 - label]
            column, excerpt = cell.excerpt(kind, name, earlier)
            details = {
                "document": self.names[document],
                "piece": f"({name}" if opened else f"{name})",
                "label": name,
                "where": f"at line {self.stops[document]}",
            }
            code = "unclosed-mention" if opened else "unopened-mention"
            found.append(Finding(code, source.name, line, column, details, excerpt))
        return found


class Alone(NamedTuple):
    """A bracket without a partner: its place among the events, and whether it is an open one."""

    at: int
    opened: bool


def alone(document: int, events: Events) -> list[Alone]:
    """The brackets of a document that have no partner."""
    begin, stop = np.searchsorted(events.document, [document, document + 1]).tolist()
    mine = Events(*(column[begin:stop] for column in events))
    return [Alone(begin + at, opened) for at, opened in unmatched(mine)]


def within(segments: Sequence[Segment], lines: Ints) -> tuple[Ints, Ints, Ints]:
    """Those of the lines that lie in a segment, and its document and shift for each."""
    firsts, stops, documents, shifts = np.array(segments, dtype=np.int64).T
    segment = np.searchsorted(firsts, lines, side="right") - 1
    inside = (segment >= 0) & (lines < stops[segment])
    lines, segment = lines[inside], segment[inside]
    return lines, documents[segment], shifts[segment]


def text_of(raw: bytes) -> str:
    """Bytes as text that gives the same bytes back, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def _marker(line: bytes) -> Marker | None:
    """Rule 1, for a line that starts with ``#``."""
    marker = line[1:].lstrip()
    if marker.startswith(BEGIN):
        return Marker(text_of(marker[len(BEGIN) :].removesuffix(b"\r")))
    return Marker(None) if marker.startswith(END) else None


def marker_of(line: bytes) -> Marker | None:
    """Rule 1 for any line, without its LF: the marker that it is, or None."""
    marker = _marker(line) if line.startswith(b"#") else None
    return marker or (Marker(None) if END in line and END_MARKER.search(line) else None)


def is_token_line(line: bytes) -> bool:
    """Rule 3, for a line that is no marker."""
    if not line.startswith(b"#"):
        return bool(line.strip())
    return b"\t" in line or re.search(rb"\(\d|\d\)", line.split()[-1]) is not None


def word_of(line: bytes) -> str:
    """The word of a token line: the fourth column, or the one before the last where there are fewer than five."""
    columns = line.split(b"\t") if b"\t" in line else line.split()
    return text_of((columns[3] if len(columns) > 4 else columns[max(len(columns) - 2, 0)]).strip())


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
                buffer = buffer + bytearray(len(buffer))
    if filled > 1:
        buffer[filled] = LF
        yield buffer, filled + 1, False


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
    stops = _step_back(text, stops, np.flatnonzero(~has_cr), over=True, marks=(TAB,))
    starts = _step_back(text, stops, every, over=False, marks=(TAB, LF))
    untabbed = np.flatnonzero(text[starts - 1] == LF)
    if len(untabbed):
        stops = _step_back(text, stops, untabbed, over=True, marks=(SPACE,))
        starts[untabbed] = _step_back(text, stops, untabbed, over=False, marks=(SPACE, LF))[untabbed]
    return starts, stops


def _step_back(text: Bytes, stops: Ints, which: Ints, *, over: bool, marks: tuple[int, ...]) -> Ints:
    """Step back from ``stops[which]``, over every byte of ``marks`` or else up to the first one."""
    at = stops.copy()
    for _ in range(STEPS):
        if not len(which):
            return at
        before = text[at[which] - 1]
        marked = before == marks[0]
        for mark in marks[1:]:
            marked |= before == mark
        which = which[marked == over]
        at[which] -= 1
    # What is left are a few very long cells.
    ends = np.flatnonzero(np.isin(text, np.array(marks, dtype=np.uint8), invert=over))
    at[which] = ends[np.searchsorted(ends, at[which]) - 1] + 1
    return at


class _Cell:
    """The coreference cell at the end of a line, to point at its brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._start = text.rstrip("\t").rfind("\t") + 1 if "\t" in text else text.rstrip().rfind(" ") + 1
        self._places: dict[tuple[int, str], list[int]] = defaultdict(list)
        for piece in re.finditer(r"\(([0-9]+)(\)?)|([0-9]+)\)", text[self._start :]):
            kind = CLOSE if piece[3] else SINGLE if piece[2] else OPEN
            self._places[kind, piece[1] or piece[3]].append(self._start + piece.start())

    def excerpt(self, kind: int, label: str, earlier: int) -> tuple[int | None, tuple[str, str] | None]:
        """The column of a bracket with so many equal ones before it, and the cell with carets under the bracket, cut
        down to a readable width. Nothing where brackets are read of pieces that do not stand together."""
        places = self._places.get((kind, label))
        if not places:
            return None, None
        at = places[min(earlier, len(places) - 1)]
        shown = max(self._start, at - 30)
        cell = self.text[shown : at + len(label) + 31].replace("\t", " ")
        return at + 1, (cell, " " * (at - shown) + "^" * min(len(label) + 1, 40))


def _what_else(source: Source) -> str:
    """What a file without any document holds instead, in a few words."""
    head = source.head(1 << 16)
    text = head.removeprefix(MARK).lstrip()
    first = text_of(text.split(b"\n", 1)[0].rstrip())
    if not text:
        return "the file is empty" if not head else "the file holds nothing but white space"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head[1:2] == b"\0":
        return "the file is not UTF-8; it looks like UTF-16"
    if text.startswith((b"{", b"[")):
        return "this looks like JSON"
    if re.search(
        rb"^#\s*(newdoc|sent_id|global\.Entity)|^1\t[^\t\n]*\t[^\t\n]*\t(ADJ|ADP|ADV|AUX|CCONJ|DET|"
        rb"INTJ|NOUN|NUM|PART|PRON|PROPN|PUNCT|SCONJ|SYM|VERB|X)\t",
        text,
        re.MULTILINE,
    ):
        return "this looks like CoNLL-U"
    if header := re.search(rb"^\s*#?\s*begin\s*document.*", text, re.MULTILINE | re.IGNORECASE):
        words = text_of(header[0].strip())[:60]
        return f'a header that is not of the form "#begin document NAME", with one blank before NAME: "{words}"'
    return f'the file begins with "{first[:60]}"'
