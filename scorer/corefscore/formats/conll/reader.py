"""CoNLL-2011/2012: bytes to columns.

The grammar. The names in brackets are recorded runs of the official scorer that decide a rule; "our rule" means that
the official scorer has no such rule.

 1. A document begins at a line with `#`, optional blanks, `begin document` and one blank. Its name is the rest of the
    line without the line end, LF or CR LF (odd-name-trailing-space, odd-name-with-quotes, crlf); in a corpus of several
    files, a document without a name is named after its file without the ending (our rule). It ends at `#`,
    optional blanks and `end document` anywhere in a line (odd-hash-space, odd-end-with-name), or at the end of the
    file (no-end).
 2. Lines outside documents are ignored (odd-lines-between, odd-text-before).
 3. Lines of white space are not tokens (blank). Neither are comments (our rule): a comment starts with `#`, has no tab
    and is not a marker. Its last column has no bracketed number, unless it begins like `# key =` or `# key:`; and it is
    not `-`, `_` or `*`, unless a blank follows the `#`. Every other line is a token; the tokens of a document are
    numbered from 0. The official scorer numbers comments, too: where they differ, there is a notice.
 4. Columns are split at tabs. Empty columns at the end do not count (odd-trailing-tabs, odd-tabs-at-the-end), but with
    CR LF line ends the CR keeps the last column from being empty. A line without tabs is split at blanks (spaces), and
    only its last column counts (our rule). The last column is the cell of coreference; with blanks around the bars in
    it, such as `(1) | (2`, it is several columns that count as one.
 5. Within a cell every `(N+D)` with exactly one digit D is discarded (odd-plus), then all `(N)` are read, then
    all `(N`, then all `N)`. Each piece is cut out and the search starts again, so that the text on both sides of it is
    joined (odd-no-bars, odd-double-closing). The rest is ignored (markers, odd-words-in-cell).
    A cell of ids with types, such as `(abstract-1` or `person-3-Ann)` in GUM, is read as if it had only the numbers
    (our rule).
 6. N is compared as text: `00` and `0` are two entities (odd-leading-zero).
 7. A close bracket closes the latest open bracket of its entity (odd-same-id-nested, odd-close-before-open). A document
    with a bracket that has no partner cannot be used (unopened, unclosed), even if the file ends without an end line
    (our rule).
 8. Entities are numbered in order of first appearance, mentions in the order in which they close.
 9. A byte order mark is ignored at the start of a file and before a `#` that begins a line (our rule). The official
    scorer does not see a document that begins there, so there is a notice.

A file is read in blocks: whole-array passes find the lines and the few cells that can contain a mention.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, among, changes
from corefscore.core.documents import NO_TEXTS, RESPONSE, Documents, Place, Texts
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural, shortened
from corefscore.core.records import NamedTuple
from corefscore.core.sources import MARK, Source, as_text, is_utf_16
from corefscore.formats import later
from corefscore.formats.base import BATCH, BLANK_MARKS, USUAL, WORD, Request, excerpt, is_json
from corefscore.formats.conll.cells import (
    BAR,
    CLOSING,
    COMMA,
    END,
    END_MARKER,
    OPEN,
    USUAL_END,
    ZERO,
    Events,
    Labels,
    begin_of_cell,
    cell_of,
    columns_of,
    is_token_line,
    marker_of,
    parse,
    partitions,
    plain,
)
from corefscore.formats.conll.lines import WordColumn, absent_column, other_words
from corefscore.formats.corefud import recognises as is_conll_u

BLOCK = 1 << 20
"""The number of bytes read at once: large enough for whole-array passes, small enough for the cache."""

_MOST_DOCUMENTS = 1 << 14
"""The number of documents after which a batch ends early: of short ones, few bytes take much memory."""

_FEW = 256
"""The number of documents in a block up to which they may be several that were joined; more are too short for that."""

_LONG_LINE = 1 << 10
"""The number of bytes in which the first two columns of a line are looked for."""

_HEADER = rb"(?i)#?[^\S\n]*begin[^\S\n]*document"
"""A line that looks like the begin of a document, in any form."""

_CLOSED = r"(?a)\(\d+(\+\d)?\)"
"""A mention of one token, or a discarded piece."""

_LONG_CELL = 64
"""The number of bytes up to which cells are measured together; the few longer cells are measured one by one."""

LF, CR, TAB, _SPACE, HASH, HYPHEN = b"\n\r\t #-"
_IS_BLANK = among(np.arange(256), np.frombuffer(BLANK_MARKS, dtype=np.uint8))
_IS_SPARE = among(np.arange(256), np.array([_SPACE, COMMA]))
"""Whether each byte is alone in a cell without a mention."""

_NEARLY = 0.8
"""The similarity from which a line is taken for a misspelt marker; 1 means the same letters."""

_BEFORE_LAST = re.compile(rb"\([0-9]+\)?(?:[ \t]+[-_*]){1,2}[ \t]*\r?(?:\n|\Z)")
"""The beginning of a mention, and one or two blank cells after it."""

_EXPECTED = (
    'CoNLL-2011/2012: "#begin document NAME", a line per token with the coreference in the last column, "#end document"'
)


class _Segments(NamedTuple):
    """The lines of each document in the current block: the first one and where they stop, the document, and the number
    to add to that of a token in the block for its number in the document."""

    first: Ints
    stop: Ints
    document: Ints
    shift: Ints

    def within(self, lines: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the lines that are in a segment, with the document and the shift of that segment."""
        segment = np.searchsorted(self.first, lines, side="right") - 1
        inside = (segment >= 0) & (lines < self.stop[segment])
        lines, segment = lines[inside], segment[inside]
        return lines, self.document[segment], self.shift[segment]


class Cells(NamedTuple):
    """The cells of a block that may be other than blank: the line of each, counted in the block (line n stops at
    ``stops[n]``), its document, and where its text starts and stops. ``odd`` are those that are not plain, and
    ``unread`` those without a mention, blank ones included."""

    text: Bytes
    stops: Ints
    line: Ints
    document: Ints
    start: Ints
    stop: Ints
    odd: Bools
    unread: Bools

    def filled(self) -> Cells:
        """Return the cells that are not blank."""
        size = self.stop - self.start
        which = np.flatnonzero((size > 1) | ((size == 1) & ~_IS_BLANK[self.text[self.start]]))
        line, document, start, stop = (column[which] for column in (self.line, self.document, self.start, self.stop))
        return Cells(self.text, self.stops, line, document, start, stop, self.odd[which], self.unread[which])

    def finding(self, cell: int, reader: Reader) -> Finding:
        """Return the notice for a cell that is not plain."""
        text, start, line = self.text, int(self.start[cell]), int(self.line[cell])
        shown = text[start : self.stop[cell]].tobytes()[:1000]
        column = len(as_text(text[self.stops[line - 1] + 1 if line else 1 : start].tobytes())) + 1
        details = {
            "document": reader.names[int(self.document[cell])],
            "cell": shortened(as_text(shown)),
            "read": shortened(as_text(plain(shown))) or "-",
            "others": "",
        }
        return Finding("odd-cell", reader.source.name, reader.line + 1 + line, column, details)


class Lines(NamedTuple):
    """The lines of one block: line n is ``text[starts[n]:stops[n]]``, its line end left out.

    ``markers`` maps the lines that are markers to the name of the document that begins there, or None if one ends
    there; ``segments`` are the runs of lines that belong to documents, and ``cells`` what is in these.
    """

    text: Bytes
    starts: Ints
    stops: Ints
    is_token: Bools
    markers: Mapping[int, str | None]
    segments: _Segments
    cells: Cells | None = None


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """Yield the documents of all files as one corpus, in batches, with their named entities if these are requested;
    oddities are added to ``notices``.

    Raises `InputError` for a file without any document and for a document that begins inside another, `UsageError` for
    a file that cannot be read. Brackets that do not match become a fault of their document, since it may not be scored.
    """
    reader = later("conll.names", "NamesReader", notices, request) if request.names else Reader(notices, request)
    for source in files:
        yield from reader.file(source)
        look_again = reader.filled and not reader.mentioned and not request.names
        if others := later("conll.examiner", "other_columns", source, request) if look_again else ():
            reader.other_columns.add(source.name)
            notices += others
    yield from reader.batch()
    # At the end, since only then all files are known that have another column in place of coreference.
    for cell in (cell for cell in reader.odd_cells if cell.path not in reader.other_columns):
        count = reader.odd_count.pop(cell.path, 1) - 1
        more = f", nor {'are' if count > 1 else 'is'} {plural(count, 'other cell')} of the file"
        notices.append(cell._replace(details={**cell.details, "others": more * (count > 0)}))


class Reader:
    """Reads one corpus. It keeps the documents since the last batch and the state of the file: the number of lines
    read (``line``), whether the last one had its line end (``ended``), and whether a document is open (``inside``).

    Scoring stops at the first fault. `corefscore.formats.conll.examiner` overrides `note`, `refuse`, `look` and
    `faults` to continue by the same rules.

    Blocks end where a document ends, if one ends in them; with
    ``whole_documents``, for those who override `look`, always. No document continues in another batch.
    """

    whole_documents = False

    def __init__(self, notices: list[Finding], request: Request = USUAL) -> None:
        self.notices, self.request = notices, request
        self.word_column = WordColumn(request.columns.get(WORD))
        self._told_unnamed = False
        self.labels = Labels()
        self.inside = False
        self.other_columns: set[str] = set()
        self.odd_count: Counter[str] = Counter()
        self._odd_files: set[str] = set()
        self.odd_cells: list[Finding] = []
        self.texts: list[Texts] | None = None
        self.names: list[str] = []
        self.places: list[Place] = []
        self.stops: list[int] = []
        self.tokens: list[int] = []
        self.events: list[Events] = []
        self.discarded: dict[int, list[str]] = {}
        self.comments: dict[int, tuple[int, int]] = {}
        self.odd: dict[int, Finding] = {}
        self.before: dict[int, int] = {}
        self.bytes = 0

    def file(self, source: Source) -> Iterator[Documents]:
        """Read one file; yields every batch that is full."""
        self.source = source
        self._unnamed = source.stem if self.request.several else ""
        self.line = 0
        self.ended = True
        self.outside_lines = self.first_outside = 0
        self._told_lost = self._told_other = False
        self.mentioned = self.filled = False
        documents, blocks = 0, _blocks(source, self.whole_documents)
        for data, size, self.ended in blocks:
            if (self.bytes > BATCH or len(self.names) > _MOST_DOCUMENTS) and not self.inside:
                yield from self.batch()
            before = len(self.names)
            lines = self._block(data, size)
            self.look(lines)
            self.line += len(lines.starts)
            del lines  # it has the memory of the block, which is used again
            documents += len(self.names) - before
            self.bytes += size
        source.lines = self.line
        if not documents:
            self.refuse(_what_else(source, self.request.side))
            return
        if self.inside:
            self.inside = False
            self.stops[-1] = self.line
            self._notice("no-end", self.line, document=self.names[-1])
        if self.outside_lines:
            self._notice("outside-document", self.first_outside, count=plural(self.outside_lines, "line"))
        number = self.word_column.number
        if number is not None and (absent := absent_column(source, number)):
            self.refuse(absent)
        elif self.request.texts and number is None and (odd := other_words(source, self.word_column)):
            self.note(odd)

    def note(self, finding: Finding) -> None:
        """Add a notice."""
        self.notices.append(finding)

    def refuse(self, finding: Finding) -> None:
        """Raise `InputError` for a fault of the whole file."""
        raise InputError([finding])

    def look(self, lines: Lines) -> None:
        """Look at the lines of a block, which begin at line ``self.line + 1``: for cells that are not plain, of which
        the first of each document is kept, and for mentions before the last column."""
        ends = lines.stops - (lines.text[lines.stops[:1] - 1] == CR)
        if not self.mentioned:
            self.filled |= bool((lines.is_token & (lines.text[ends - 1] != HYPHEN)).any())
        if lines.cells is None:
            return
        before = ends - 3  # the last character of the cell before the last one, which is a blank one here
        # If the last cell is empty, the one before it is read.
        empty = lines.text[ends[lines.cells.line] - 1] <= _SPACE
        before[lines.cells.line] = np.where(empty, lines.cells.stop - 1, lines.cells.start - 2)
        aligned = np.flatnonzero(lines.is_token & _IS_SPARE[lines.text[before]])
        before = _step_back(lines.text, before + 1, aligned, over=True, marks=(_SPACE, COMMA)) - 1
        if (lines.text[before] == CLOSING).any() and not self._told_lost:
            self._look_for_lost(lines, before, ends)
        self.look_at_documents(lines)
        if lines.cells.odd.any():
            cells = lines.cells.filled()
            odd = np.flatnonzero(cells.odd)
            self.odd_count[self.source.name] += len(odd)
            for cell in odd[changes(cells.document[odd])].tolist():
                self.odd.setdefault(int(cells.document[cell]), cells.finding(cell, self))

    def look_at_documents(self, lines: Lines) -> None:
        """Keep the first line of each document without mentions in this block that has one before the last column.

        Add a notice for the first document of a file whose last sentences belong to another one, by their first two
        columns. These columns have to be names: that of the document itself in its first line, or in its last line that
        of another document of the batch.
        """
        if lines.cells is None:
            return
        (first, stop, document, _), text, starts, stops = lines.segments, lines.text, lines.starts, lines.stops
        mentioned = lines.cells.document[~lines.cells.unread]
        without = np.searchsorted(mentioned, document, "right") == np.searchsorted(mentioned, document)
        for at in np.flatnonzero(without & (stop > first)).tolist():
            place = int(starts[first[at]]), int(stops[stop[at] - 1])
            for its in _BEFORE_LAST.finditer(text.data, *place):
                if lines.is_token[line := int(np.searchsorted(starts, its.start(), "right")) - 1]:
                    self.before.setdefault(int(document[at]), self.line + 1 + line)
                    break
        tokens = np.flatnonzero(lines.is_token)
        last = np.flatnonzero(np.diff(tokens) > 1)  # of sentences
        if len(first) > _FEW or self._told_other or not len(last):
            return
        begins, ends = np.searchsorted(tokens, first), np.searchsorted(tokens, stop) - 1
        # The last token of the sentence before the last one, and the last token but one: in other files, the second
        # column has numbers of sentences or of tokens.
        earlier = last[np.searchsorted(last, ends) - 1]
        several = (begins <= earlier) & (earlier < ends)
        places = np.column_stack([tokens[at[several]] for at in (begins, earlier, ends - 1, ends)]).tolist()
        known = {*self.names}
        for number, at in zip(document[several].tolist(), places, strict=True):
            rows = [as_text(text[starts[line] : stops[line]][:_LONG_LINE].tobytes()).split(None, 2)[:2] for line in at]
            if not all(rows) or not rows[1] == rows[2] == rows[3]:
                continue
            name = self.names[number]
            width = max(1, len(name) - len(f"({rows[0][0]}); part "))
            begun, *_, ended = (f"({row[0]}); part {row[-1]:0>{width}}" for row in rows)
            # Numbers of parts are often those of the header in none of the lines.
            if ended != name and (begun == name or (ended in known and rows[0][0] not in name)):
                self._told_other = True
                self._notice("other-document", self.line + 1 + at[-1], document=name, other=ended)
                return

    def _look_for_lost(self, lines: Lines, before: Ints, ends: Ints) -> None:
        """Add a notice for the first line of a file, given where its lines end, whose cell ``before`` the last one ends
        a mention, and whose number of columns, without empty ones, is not that of the first line of its sentence."""
        text, starts, stops, is_token = lines.text, lines.starts, lines.stops, lines.is_token
        lost, _, _ = lines.segments.within(np.flatnonzero(text[before] == CLOSING))
        lost = lost[is_token[lost] & (text[before[lost] - 1] - ZERO < 10)]
        gaps = ~is_token & (text[starts] != HASH)
        gaps[list(lines.markers)] = True
        sentence = np.cumsum(gaps)
        # Where the first sentence of a later block began is unknown. A few lines are enough: in some files, another
        # column has such cells in every line.
        lost = lost[(sentence[lost] > 0) | (self.line == 0)]
        blank = _IS_BLANK[text[ends[lost] - 1]]
        for line in np.sort(np.append(lost[blank][:16], lost[~blank][:16])).tolist():
            first, *others = np.flatnonzero(is_token & (sentence == sentence[line])).tolist()
            odd = line if line > first else next(iter(others), line)
            columns = (columns_of(text[starts[at] : stops[at]].tobytes()) for at in (first, odd))
            expected, found = (plural(len(its), "column") for its in columns)
            if found != expected and not self._told_lost:
                self._told_lost = True
                self._notice("column-count", self.line + 1 + odd, found=found, expected=expected)

    def faults(self, alone: Ints, events: Events) -> dict[int, Callable[[], Finding]]:
        """Return, for each faulty document, a function that describes its first bracket without a partner; ``alone``
        are all of these brackets.
        """
        found: dict[int, Callable[[], Finding]] = {}
        for event in alone[changes(events.document[alone])].tolist():
            document = int(events.document[event])
            source, details = self.places[document].source, self.details(document)
            found[document] = partial(_fault, event, events, source, self.labels.odd, details)
        return found

    def batch(self) -> Iterable[Documents]:
        """Return a batch of the documents read since the last one, if there are any; none is open."""
        if not self.names:
            return []
        events = Events(*map(np.concatenate, zip(*self.events, strict=True)))
        self.events.clear()  # which frees their memory
        columns, alone = partitions(events)
        if self.odd or self.before:
            self._note_columns({*events.document.tolist()})
        documents = Documents(
            names=self.names,
            places=self.places,
            tokens=np.array(self.tokens, dtype=np.int64),
            **columns,
            faults=self.faults(alone, events) if len(alone) else {},
            discarded=self.discarded,
            comments=self.comments,
            odd_labels=self.labels.odd,
            exact_names=True,
            words=self.word_column,
            texts=Texts(*map(np.concatenate, zip(*self.texts, strict=True))) if self.texts else None,
        )
        # Other lists and mappings: these belong to the batch now.
        self.names, self.places, self.stops, self.tokens = [], [], [], []
        self.discarded, self.comments, self.odd, self.before = {}, {}, {}, {}
        self.bytes = 0
        if self.texts:
            self.texts = [NO_TEXTS]
        return [documents]

    def _note_columns(self, mentioned: Collection[int]) -> None:
        """Find the first odd cell of each file, and documents without a mention that have odd cells, or mentions in the
        column before the last: their last column may be another one."""
        for document, finding in sorted(self.odd.items()):
            if finding.path not in self._odd_files or document not in mentioned:
                self._odd_files.add(finding.path)
                self.odd_cells.append(finding)
        for document, line in sorted(self.before.items()):
            if document not in mentioned:
                path, details = self.places[document].source.name, {"document": self.names[document]}
                self.note(Finding("earlier-column", path, line, details=details))

    def _notice(self, code: str, line: int, **details: object) -> None:
        self.note(Finding(code, self.source.name, line, details=details))

    def _block(self, data: bytearray, size: int) -> Lines:
        """Read the lines of one block, whose first byte is a line end."""
        text = np.frombuffer(data, dtype=np.uint8, count=size)
        line_ends = np.flatnonzero(text == LF)
        starts, stops = line_ends[:-1] + 1, line_ends[1:]
        first = text[starts]
        marked = []
        for line in np.flatnonzero(first == MARK[0]).tolist():
            start = int(starts[line])
            if data.startswith((MARK + b"#", MARK) if not self.line + line else MARK + b"#", start):
                starts[line] += len(MARK)
                first[line] = data[start + len(MARK)]
                marked.append(line)
        is_token = first != LF
        for line in np.flatnonzero((first <= _SPACE) & is_token).tolist():
            is_token[line] = bool(data[starts[line] : stops[line]].strip())
        markers: dict[int, str | None] = {}
        hashes = np.flatnonzero(first == HASH)
        is_token[hashes] = False
        for line, start, stop in zip(hashes.data, starts[hashes].data, stops[hashes].data, strict=True):
            if marker := marker_of(line_text := bytes(data[start:stop])):
                markers[line] = marker.name
                if line in marked and marker.name is not None:
                    self._notice("byte-order-mark", self.line + 1 + line, document=marker.name)
            else:
                is_token[line] = is_token_line(line_text)
        ends = sum(name is None for name in markers.values())
        # One byte is counted faster, and few files have a # that does not begin a line.
        if np.count_nonzero(text == HASH) > len(hashes) and data.count(END, 0, size) > ends:
            for end in END_MARKER.finditer(data, 0, size):
                markers.setdefault(int(np.searchsorted(line_ends, end.start())) - 1, None)
        is_token[list(markers)] = False

        tokens = np.cumsum(is_token)
        segments = self._segments(sorted(markers.items()), is_token, tokens)
        lines = Lines(text, starts, stops, is_token, markers, segments)
        if not len(segments.first):
            return lines
        if others := [line for line in hashes.tolist() if line not in markers]:
            self._comments(lines, np.array(others), tokens)
        return lines._replace(cells=self._cells(lines, tokens, TAB if TAB in data else _SPACE))

    def _segments(self, markers: list[tuple[int, str | None]], is_token: Bools, tokens: Ints) -> _Segments:
        """Return the runs of lines that belong to documents, given the markers (a name begins a document, None ends
        it).

        ``tokens`` is the number of tokens up to and including each line of the block.
        """
        rows: list[tuple[int, int, int, int]] = []
        first = seen = 0
        markers.append((len(tokens), None))
        before = np.append(0, tokens)[[line for line, _ in markers]].tolist()
        for (line, name), now in zip(markers, before, strict=True):
            if self.inside:
                rows.append((first, line, len(self.names) - 1, self.tokens[-1] - seen))
                self.tokens[-1] += now - seen
            elif now > seen:
                self.outside_lines += now - seen
                self.first_outside = self.first_outside or self.line + first + 1 + int(np.argmax(is_token[first:]))
            first, seen = line + 1, now
            if line == len(tokens):
                break
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
            if not name and self._unnamed and not self._told_unnamed:
                self._told_unnamed = True
                self._notice("named-by-file", number, document=self._unnamed)
            self.names.append(name or self._unnamed)
            self.places.append(Place(self.source, number))
            self.stops.append(0)
            self.tokens.append(0)
        return _Segments(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    def _comments(self, of: Lines, lines: Ints, tokens: Ints) -> None:
        """Count the comments of each document among ``lines``; a checksum says between which tokens they are. Lines
        that look like markers are added to the notices.
        """
        lines, document, shift = of.segments.within(lines)
        for line, number in zip(lines.tolist(), document.tolist(), strict=True):
            text = as_text(of.text[of.starts[line] : of.stops[line]].tobytes())
            # Only as many letters as the longest marker has are compared, and comments often begin alike.
            if marker := _marker_like("".join(re.findall("[a-z]+", text[:40].lower()))[:13]):
                (what, expected), name, said = marker, self.names[number], shortened(text)
                self._notice("odd-marker", self.line + 1 + line, document=name, text=said, what=what, expected=expected)
        comments = ~of.is_token[lines]
        lines, document, shift = (column[comments] for column in (lines, document, shift))
        before = tokens[lines] + shift
        for number in document[changes(document)].tolist():
            count, places = self.comments.get(number, (0, 0))
            here = before[document == number]
            self.comments[number] = count + len(here), zlib.crc32(here.tobytes(), places)

    def _cells(self, of: Lines, tokens: Ints, between: int) -> Cells:
        """Read the coreference cells of those lines that are in documents; ``between`` is the byte at which most of
        them are split."""
        text, stops = of.text, of.stops
        if (has_cr := (last := text[stops - 1]) == CR).any():
            stops = stops - has_cr
            last = text[stops - 1]
        may_be_filled = (text[stops - 2] != between) | ~_IS_BLANK[last]
        lines, document, shift = of.segments.within(np.flatnonzero(of.is_token & may_be_filled))
        places = last_cells(text, of.stops[lines])
        cells = parse(text, *places, self.labels)
        unread = np.ones(len(lines), dtype=np.bool_)
        unread[cells.cell] = False
        odd = unread.copy()
        odd[cells.odd] = True
        self.mentioned |= len(cells.cell) > 0
        token = tokens[lines] - 1 + shift
        self.events.append(
            Events(document[cells.cell], token[cells.cell], self.line + 1 + lines[cells.cell], cells.kind, cells.label)
        )
        for cell, pieces in cells.discarded.items():
            self.discarded.setdefault(int(document[cell]), []).extend(map(as_text, pieces))
        return Cells(text, of.stops, lines, document, *places, odd, unread)

    def details(self, document: int) -> dict[str, object]:
        """Return the details of a document in the messages of `describe`."""
        begin, stop = self.places[document].line, self.stops[document]
        return {"document": self.names[document], "begin": begin, "where": f"at line {stop}"}


@lru_cache(maxsize=1024)  # the comments of a file are similar, and comparing takes time
def _marker_like(letters: str) -> tuple[str, str] | None:
    """Return what a line with these letters at the beginning seems to be meant for, if it is like a marker."""
    if not re.match("b?eg|bg|en|n?ed|nd", letters):
        return None  # most comments are nothing like a marker
    from difflib import SequenceMatcher

    markers = ("begin", "begindocument"), ("end", "enddocument")
    likeness = {kind: SequenceMatcher(None, words, letters[: len(words)]).ratio() for kind, words in markers}
    kind = max(likeness, key=likeness.__getitem__)
    return (f"{kind}s", f"#{kind} document{' NAME' * (kind == 'begin')}") if likeness[kind] >= _NEARLY else None


def _fault(event: int, events: Events, source: Source, labels: Sequence[str], details: Mapping[str, object]) -> Finding:
    """Return the finding for one bracket without a partner."""
    return next(describe(events, [event], source, labels, lambda _: details))


def describe(
    events: Events,
    which: Sequence[int],
    source: Source,
    odd_labels: Sequence[str],
    details: Callable[[int], Mapping[str, object]],
) -> Iterator[Finding]:
    """Yield the findings for brackets without a partner: the events ``which``, of documents in one file. ``details``
    returns those of a document.
    """
    cells = {line: _last_cell(text) for line, text in source.lines_at(events.line[which].tolist()).items()}
    for event in which:
        document, line, kind, label = (
            int(column[event]) for column in (events.document, events.line, events.kind, events.label)
        )
        # Events come by document and line, so the others of this cell are found without a look at all of them.
        first = int(np.searchsorted(events.document, document))
        first += int(np.searchsorted(events.line[first:event], line))
        same = (events.kind[first:event] == kind) & (events.label[first:event] == label)
        name = str(label) if label >= 0 else odd_labels[-1 - label]
        opens = kind == OPEN
        piece = f"({name}" if opens else f"{name})"
        form = rf"\({name}(?!\d)" if opens else rf"(?<!\d){name}\)"
        before, cell, rest = cells[line]
        found = next(islice(re.finditer(form, rest, re.ASCII), int(np.count_nonzero(same)), None), None)
        # The whole cell is marked for a bracket that only exists after others are cut out.
        column, shown = excerpt(cell, *((found.start(), len(piece)) if found else (0, len(rest.strip()))))
        code = "unclosed-mention" if opens else "unopened-mention"
        about = {**details(document), "piece": piece, "label": name}
        yield Finding(code, source.name, line, before + column, about, shown)


def _last_cell(line: bytes) -> tuple[int, str, str]:
    """Return the number of characters before the last cell of a line, the text from there on, and the same with blanks
    for the mentions of one token and the discarded pieces."""
    start, _ = cell_of(line)
    cell = as_text(line[start:].removesuffix(b"\r"))
    return len(as_text(line[:start])), cell, re.sub(_CLOSED, lambda whole: " " * len(whole[0]), cell)


def _blocks(source: Source, whole_documents: bool) -> Iterator[tuple[bytearray, int, bool]]:
    """Read a file in blocks: a buffer, the number of its bytes that are filled, and whether its last line has a line
    end in the file. A buffer begins with a line end, which whole lines follow, or ``whole_documents``."""
    buffer = bytearray(BLOCK)
    buffer[0] = LF
    filled = 1
    with source.reading() as stream:
        while size := stream.readinto(memoryview(buffer)[filled:]):
            filled += size
            end = buffer.rfind(USUAL_END if whole_documents else END, 0, filled)
            stop = buffer.find(b"\n", end, filled) + 1 if end > 0 else 0
            if not (stop or whole_documents):
                stop = buffer.rfind(b"\n", filled - size, filled) + 1
            if stop:
                yield buffer, stop, True
                rest = filled - stop
                buffer[1 : 1 + rest] = buffer[stop:filled]
                filled = 1 + rest
            if filled == len(buffer):
                # Extended in place: a second buffer would take twice the memory of a long line.
                buffer += bytes(len(buffer))
    if filled > 1:
        ended = buffer[filled - 1] == LF
        buffer[filled] = LF
        yield buffer, filled + (not ended), ended


def last_cells(text: Bytes, stops: Ints) -> tuple[Ints, Ints]:
    """Return where the last cell of each line begins and ends; ``stops`` is where the lines end (rule 4)."""
    has_cr = text[stops - 1] == CR
    stops = stops - has_cr
    every = np.arange(len(stops))
    ends = stops
    stops = _step_back(text, stops, np.flatnonzero(~has_cr), over=True, marks=(TAB,))
    starts = _step_back(text, stops, every, over=False, marks=(TAB, LF))
    # Lines without tabs. If empty columns were skipped, the line is one column, which is the cell.
    if len(untabbed := np.flatnonzero((text[starts - 1] == LF) & (stops == ends))):
        stops = _step_back(text, stops, untabbed, over=True, marks=(_SPACE,))
        starts[untabbed] = _step_back(text, stops, untabbed, over=False, marks=(_SPACE, LF))[untabbed]
        before = _step_back(text, starts, untabbed, over=True, marks=(_SPACE,))
        for line in untabbed[(text[starts[untabbed]] == BAR) | (text[before[untabbed] - 1] == BAR)].tolist():
            begin = _step_back_far(text, int(starts[line]), over=False, marks=(LF,))
            starts[line] = begin + begin_of_cell(text[begin : stops[line]].tobytes())
    return starts, stops


def _step_back(text: Bytes, stops: Ints, which: Ints, *, over: bool, marks: tuple[int, ...]) -> Ints:
    """Return the positions ``stops`` with those of the lines ``which`` moved back: over all bytes of ``marks``, or up
    to the first of them.
    """
    position = stops.copy()
    for _ in range(_LONG_CELL):
        if not len(which):
            return position
        before = text[position[which] - 1]
        marked = before == marks[0]
        for mark in marks[1:]:
            marked |= before == mark
        which = which[marked == over]
        position[which] -= 1
    for line in which.tolist():
        position[line] = _step_back_far(text, int(position[line]), over=over, marks=marks)
    return position


def _step_back_far(text: Bytes, stop: int, *, over: bool, marks: tuple[int, ...]) -> int:
    """Return the same for one line, in steps each of which is twice as long as the last."""
    size = _LONG_CELL
    while True:
        first = max(stop - size, 0)
        if len(found := np.flatnonzero(np.isin(text[first:stop], marks) != over)):
            return first + int(found[-1]) + 1
        stop, size = first, size * 2


def _what_else(source: Source, side: str | None) -> Finding:
    """Return the error for a file without any document: what it contains instead, where, and what was expected."""
    head = source.head(1 << 16)
    text = head.removeprefix(MARK)
    lines = [(number, line.strip()) for number, line in enumerate(text.split(b"\n"), start=1)]
    line, first = next(((number, words) for number, words in lines if words), (None, b""))
    expected = _EXPECTED
    header = next(((number, words) for number, words in lines if re.match(_HEADER, words)), None)
    if line is None:
        what = "the file contains nothing but white space" if head else "the file is empty"
    elif is_utf_16(head):
        what = "the file is not UTF-8; it looks like UTF-16"
    elif is_json(text):
        what, expected = "this looks like JSON", f"{_EXPECTED}; read JSON lines with --input-format jsonlines"
    elif re.match(rb"[^\s,;#]+[,;][^\s,;]+", first):
        what = f'this looks like a table: "{as_text(first)[:60]}"'
        expected = f"{_EXPECTED}; read a table of items and labels with --input-format labels"
    elif is_conll_u(text):
        what = "this looks like CoNLL-U"
        expected = f"{_EXPECTED}; read CoNLL-U with coreference (CorefUD) with --input-format corefud"
    elif header:
        line = header[0]
        what = f'the header "{as_text(header[1])[:60]}" is not "#begin document NAME" with one blank before NAME'
        expected = f"{_EXPECTED}; corefscore validate {source.name} --fix FILE repairs such headers"
    else:
        what = f'the file begins with "{as_text(first)[:60]}"'
        if side == RESPONSE:
            expected = f"{_EXPECTED}; a response that is tagged text is scored with --input-format tagged"
    return Finding("no-document", source.name, line, details={"what": what, "expected": expected})
