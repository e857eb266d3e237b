"""CoNLL-2011/2012 with a closer look: every fault and oddity of one side, where scoring refuses or passes over.

The reader is that of scoring, so both mean the same by a line, a cell or a mention. It only reads on after a fault and
looks at what scoring has no use for: columns that do not count, line ends, words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scorer.columns import Ints, changes
from scorer.findings import Finding, Found, counted
from scorer.formats.brackets import CLOSE, OPEN, SINGLE, Events, unmatched
from scorer.formats.cells import PLAIN, Labels, parse, parse_one
from scorer.formats.columns import Columns
from scorer.formats.conll import (
    CR,
    HASH,
    Cell,
    Lines,
    Reader,
    describe,
    earlier,
    events_of,
    last_cells,
    within,
)
from scorer.formats.lines import as_text, columns_of, word
from scorer.formats.row import Asked
from scorer.formats.words import BLANK_MARKS, Words
from scorer.model import Documents, Place
from scorer.sources import Source

NUMBER_COLUMN = 2
"""Where CoNLL-2011/2012 has the number of the token in its sentence."""


class _Cell(NamedTuple):
    """A cell that is not plain: the line, the column (from 1), and the beginning of its text."""

    line: int
    column: int
    text: bytes


class _Alone(NamedTuple):
    """A bracket without a partner: its document, its place among the events of that, and whether it is an open one."""

    document: int
    at: int
    opened: bool


class _Tally:
    """What is counted over a document and decided at its end."""

    __slots__ = ("blanked", "cells", "first_blanked", "odd", "unread")

    def __init__(self) -> None:
        self.odd = self.unread = 0
        self.cells: list[_Cell] = []
        self.blanked = self.first_blanked = 0


class _Sentence(NamedTuple):
    """The sentence that the last block ended in: how it began, how far it got, and what was already said."""

    columns: int
    columns_differ: bool
    number: int
    number_differs: bool


class _File:
    """What is known of the file at hand; line ends are counted by kind, LF and CR LF."""

    def __init__(self) -> None:
        self.was_inside = False
        self.sentence: _Sentence | None = None
        self.number_column: int | None = None
        self.line_ends = [0, 0]
        self.first_line_end = [0, 0]
        self.undecodable = self.first_undecodable = 0


class Examiner(Reader):
    """Reads one side, adding all that is wrong or odd to ``found``.

    With ``keep_words``, ``words`` holds the words of every document by its place, until somebody takes them.
    """

    def __init__(self, found: Found, asked: Asked, *, keep_words: bool = False) -> None:
        super().__init__([])
        self.found = found
        self.words: dict[Place, Words] = {}
        self._keep_words = keep_words
        self._tallies: dict[int, _Tally] = defaultdict(_Tally)
        self._tabbed: set[int] = set()
        self._words: dict[int, list[Words]] = defaultdict(list)

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """Read all files as one corpus, in batches. Faults of documents stay with them; names may come twice.

        Raises `UsageError` for a file that cannot be read.
        """
        for source in files:
            self._file = _File()
            for batch in self.file(source):
                yield self._decided(batch)
            self._end_of_file()
        for batch in self.batch():
            yield self._decided(batch)

    def words_at(self, source: Source, tokens: Sequence[tuple[int, int]]) -> list[str]:
        """The words of tokens of a file, given by line and number in the document."""
        texts = source.lines_at(line for line, _ in tokens)
        return [word(columns_of(texts[line])) for line, _ in tokens]

    # What the reader comes upon

    def note(self, finding: Finding) -> None:
        self.found.add(finding)

    def refuse(self, finding: Finding) -> None:
        self.found.add(finding)

    def faults(self, faulty: Sequence[int], events: Events) -> dict[int, Callable[[], Finding]]:
        its_events = {document: events_of(document, events) for document in faulty}
        brackets = [_Alone(d, at, opened) for d, its in its_events.items() for at, opened in unmatched(its)]
        closes = [bracket for bracket in brackets if not bracket.opened]
        opens = [bracket for bracket in brackets if bracket.opened]
        listed = [*self.found.take("unopened-mention", closes), *self.found.take("unclosed-mention", opens)]
        by_source: dict[Source, list[int]] = defaultdict(list)
        for document, at, _ in listed:
            by_source[self.places[document].source].append(int(its_events[document].line[at]))
        cells = {
            source: {line: Cell(text) for line, text in source.lines_at(lines).items()}
            for source, lines in by_source.items()
        }
        before = {document: earlier(its_events[document]) for document in {bracket.document for bracket in listed}}
        for document, at, _ in listed:
            its, source = its_events[document], self.places[document].source
            cell = cells[source][int(its.line[at])]
            details = self.details(document)
            said = describe(
                its, at, int(before[document][at]), cell, source, odd_labels=self.labels.odd, details=details
            )
            self.found.add(said)
        return super().faults(faulty, events)

    def look(self, lines: Lines) -> None:
        text = lines.text
        ends_in_cr = text[lines.stops - 1] == CR
        for kind, which in enumerate((~ends_in_cr, ends_in_cr) if self.ended else ()):
            self._file.line_ends[kind] += int(np.count_nonzero(which))
            if not self._file.first_line_end[kind] and which.any():
                self._file.first_line_end[kind] = self.line + 1 + int(np.argmax(which))
        self._look_at_encoding(lines)
        for line, name in sorted(lines.markers.items()):
            if name is None and not self._file.was_inside:
                self.found.add(Finding("no-begin", self.source.name, self.line + 1 + line))
            self._file.was_inside = name is not None
        if not lines.segments:
            return
        tokens, document, _ = within(lines.segments, np.flatnonzero(lines.is_token))
        stops = lines.stops - ends_in_cr
        table = Columns(text, lines.starts[tokens], stops[tokens])
        self._look_at_sentences(lines, tokens, table)
        self._look_at_separators(tokens, document, table)
        starts, ends = last_cells(text, lines.stops[tokens])
        self._look_at_cells(lines, tokens, document, starts, ends)
        if self._keep_words:
            self._keep(tokens, document, table.words(starts))

    def _look_at_encoding(self, lines: Lines) -> None:
        raw = lines.text.tobytes()
        if raw.isascii():
            return
        try:
            raw.decode()
        except UnicodeDecodeError:
            for line, (start, stop) in enumerate(zip(lines.starts.tolist(), lines.stops.tolist(), strict=True)):
                try:
                    raw[start:stop].decode()
                except UnicodeDecodeError:
                    self._file.undecodable += 1
                    self._file.first_undecodable = self._file.first_undecodable or self.line + 1 + line

    def _look_at_sentences(self, lines: Lines, tokens: Ints, table: Columns) -> None:
        """Columns and token numbers, sentence by sentence. An empty line or a marker ends a sentence."""
        gaps = ~lines.is_token & (lines.text[lines.starts] != HASH)
        gaps[list(lines.markers)] = True
        gap = np.cumsum(gaps)
        before = self._file.sentence if len(gaps) and len(tokens) and not gap[tokens[0]] else None
        if not len(tokens):
            self._file.sentence = None if gap[-1] else self._file.sentence
            return
        sentence = gap[tokens]
        begins = changes(sentence)
        sentence = np.cumsum(begins) - 1
        first = table.count[begins]
        if before:
            first[0] = before.columns
        differ = np.flatnonzero(table.count != first[sentence])
        said = _first_of_each(differ, sentence, skip_first=before is not None and before.columns_differ)
        for at in self.found.take("column-count", said):
            found, expected = counted(int(table.count[at]), "column"), counted(int(first[sentence[at]]), "column")
            self._odd_line("column-count", tokens[at], found=found, expected=expected)

        number = self._numbers(table)
        previous = np.roll(number, 1)
        previous[begins] = -1
        if before:
            previous[0] = before.number
        wrong = np.flatnonzero((number >= 0) & (previous >= 0) & (number != previous + 1))
        said_numbers = _first_of_each(wrong, sentence, skip_first=before is not None and before.number_differs)
        for at in self.found.take("token-number", said_numbers):
            self._odd_line("token-number", tokens[at], found=int(number[at]), before=int(previous[at]))

        last = int(sentence[-1])
        carried = before if before and last == 0 else None
        self._file.sentence = None
        if gap[-1] == gap[tokens[-1]]:
            self._file.sentence = _Sentence(
                int(first[last]),
                bool((sentence[differ] == last).any()) or (carried is not None and carried.columns_differ),
                int(number[-1]),
                bool((sentence[wrong] == last).any()) or (carried is not None and carried.number_differs),
            )

    def _numbers(self, table: Columns) -> Ints:
        """The number that each token has in its sentence as the file tells it, -1 where it does not."""
        if self._file.number_column is None:
            self._file.number_column = _number_column(table)
        return (
            table.numbers(self._file.number_column) if self._file.number_column >= 0 else np.full(len(table.count), -1)
        )

    def _look_at_separators(self, tokens: Ints, document: Ints, table: Columns) -> None:
        self._tabbed.update(np.unique(document[table.tabbed]).tolist())
        blanked = np.flatnonzero(~table.tabbed & (table.count > 1))
        for first, stop in _runs(document[blanked]):
            tally = self._tallies[int(document[blanked[first]])]
            tally.first_blanked = tally.first_blanked or self.line + 1 + int(tokens[blanked[first]])
            tally.blanked += stop - first

    def _look_at_cells(self, lines: Lines, tokens: Ints, document: Ints, starts: Ints, stops: Ints) -> None:
        text = lines.text
        size = stops - starts
        mark = np.isin(text[np.minimum(starts, len(text) - 1)], np.frombuffer(BLANK_MARKS, dtype=np.uint8))
        held = np.flatnonzero(~((size == 0) | ((size == 1) & mark)))
        cells = parse(text, starts[held], stops[held], Labels())
        unread = np.ones(len(held), dtype=np.bool_)
        unread[cells.cell] = False
        odd = unread.copy()
        for at in cells.odd.tolist():
            odd[at] = not PLAIN.fullmatch(text[starts[held[at]] : stops[held[at]]].tobytes())
        for at in np.flatnonzero(odd).tolist():
            line = int(tokens[held[at]])
            tally = self._tallies[int(document[held[at]])]
            tally.odd += 1
            tally.unread += bool(unread[at])
            if not tally.cells or len(tally.cells) < self.found.room("odd-cell"):
                start, stop = int(starts[held[at]]), int(stops[held[at]])
                column = len(as_text(text[lines.starts[line] : start].tobytes())) + 1
                tally.cells.append(_Cell(self.line + 1 + line, column, text[start:stop].tobytes()[:1000]))

    def _keep(self, tokens: Ints, document: Ints, numbers: Ints) -> None:
        words = Words(numbers, self.line + 1 + tokens)
        for first, stop in _runs(document):
            self._words[int(document[first])].append(Words(words.number[first:stop], words.line[first:stop]))

    def _odd_line(self, code: str, line: int, **details: object) -> None:
        self.found.add(Finding(code, self.source.name, self.line + 1 + int(line), details=details))

    # What shows at the end of a file or a batch

    def _end_of_file(self) -> None:
        expected = 0 if self._file.first_line_end[0] == 1 else 1
        other = 1 - expected
        count, first = self._file.line_ends[other], self._file.first_line_end[other]
        if count and self._file.line_ends[expected]:
            names = ("LF", "CR LF")
            details = {
                "count": f"{counted(count, 'line')} {'ends' if count == 1 else 'end'}",
                "found": names[other],
                "expected": names[expected],
            }
            self.found.add(Finding("mixed-line-ends", self.source.name, first, details=details))
        if self._file.undecodable:
            lines = f"{counted(self._file.undecodable, 'line')} {'is' if self._file.undecodable == 1 else 'are'}"
            self.found.add(
                Finding("not-utf-8", self.source.name, self._file.first_undecodable, details={"count": lines})
            )

    def _decided(self, batch: Documents) -> Documents:
        """Say what was counted over each document of a batch, and keep its words; a document that is still open waits
        for the next one."""
        ready = len(batch)
        for document, tally in sorted(self._tallies.items()):
            if document < ready:
                self._decide(batch, document, tally)
        for document, its in self._words.items():
            if document < ready:
                number, line = (np.concatenate([words[column] for words in its]) for column in (0, 1))
                self.words[batch.place_of(document)] = Words(number, line)
        self._tallies = defaultdict(_Tally, {at - ready: its for at, its in self._tallies.items() if at >= ready})
        self._words = defaultdict(list, {at - ready: its for at, its in self._words.items() if at >= ready})
        self._tabbed = {at - ready for at in self._tabbed if at >= ready}
        return batch

    def _decide(self, batch: Documents, document: int, tally: _Tally) -> None:
        name, path = batch.names[document], batch.place_of(document).source.name
        tokens = int(batch.tokens[document])
        if tally.blanked and document in self._tabbed:
            separated = {"document": name, "count": counted(tally.blanked, "line")}
            self.found.add(Finding("mixed-separators", path, tally.first_blanked, details=separated))
        if 2 * tally.unread > tokens:
            first = tally.cells[0]
            held = {
                "document": name,
                "count": tally.unread,
                "tokens": counted(tokens, "token"),
                "cell": _short(first.text),
            }
            self.found.add(Finding("other-column", path, first.line, first.column, held))
            return
        for cell in self.found.take("odd-cell", tally.cells):
            details = {"document": name, "cell": _short(cell.text), "read": _short(_plain(cell.text)) or "-"}
            self.found.add(Finding("odd-cell", path, cell.line, cell.column, details))
        self.found.pass_over("odd-cell", tally.odd - len(tally.cells))


def _number_column(table: Columns) -> int:
    """The column in which the first lines of a file count their tokens, or -1: the third in CoNLL-2011/2012, else one
    that counts up from the first line to the second."""
    first = [int(table.numbers(column)[0]) for column in range(4)]
    if table.count[0] > 4 and first[NUMBER_COLUMN] >= 0:
        return NUMBER_COLUMN
    for column in (2, 0, 1, 3):
        if len(table.count) > 1 and 0 <= first[column] == int(table.numbers(column)[1]) - 1:
            return column
    return -1


def _first_of_each(places: Ints, group: Ints, *, skip_first: bool) -> list[int]:
    """The first of the places in each group; ``skip_first`` leaves the first group out."""
    first = places[changes(group[places])]
    return [at for at in first.tolist() if not (skip_first and group[at] == 0)]


def _runs(groups: Ints) -> Iterator[tuple[int, int]]:
    """Where each run of equal values begins and stops."""
    firsts = np.flatnonzero(changes(groups)).tolist()
    return zip(firsts, [*firsts[1:], len(groups)], strict=False)


def _plain(cell: bytes) -> bytes:
    """A cell as it is read, in plain form."""
    forms = {SINGLE: b"(%s)", OPEN: b"(%s", CLOSE: b"%s)"}
    return b"|".join(forms[kind] % digits for kind, digits in parse_one(cell)[0])


def _short(raw: bytes) -> str:
    text = as_text(raw)
    return text if len(text) <= 60 else text[:57] + "..."
