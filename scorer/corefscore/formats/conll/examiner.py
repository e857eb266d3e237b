"""The examiner of CoNLL-2011/2012, which reports every fault and oddity of one side.

It is the reader of scoring, so both have the same lines, cells and mentions. It continues after a fault, and also looks
at what scoring ignores: other columns, line ends, words.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np

from corefscore.core.arrays import Ints, changes
from corefscore.core.documents import NO_TEXTS, Documents, Texts
from corefscore.core.findings import MOST, Finding, Found, plural, shortened
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import Request
from corefscore.formats.characters import not_utf_8, undecodable
from corefscore.formats.conll.cells import OPEN, Events, unmatched
from corefscore.formats.conll.columns import Columns
from corefscore.formats.conll.lines import END
from corefscore.formats.conll.reader import CR, HASH, Cells, Lines, Reader, describe, last_cells

_NUMBER_COLUMN = 2
"""The column of CoNLL-2011/2012 with the number of the token in its sentence."""


_NUMBER_COLUMNS = (_NUMBER_COLUMN, 0, 1, 3)
"""The columns that may have this number, the likeliest first."""

_NEARLY = 0.8
"""The similarity from which a line is taken for a misspelt marker; 1 means the same letters."""

_STAR = b"*"
"""The empty cell of other columns of CoNLL-2011/2012, but not of coreference."""


class _Tally:
    """Counts over the cells of a document, from which its notices are decided at its end.

    ``filled`` counts the cells that are not blank, ``odd`` those of them that are not plain, ``unread`` those without
    a mention, and ``stars`` the cells that are `_STAR`, the first of which is ``star``. ``blanked`` counts the lines
    that are split at blanks.
    """

    __slots__ = ("blanked", "cells", "filled", "first_blanked", "odd", "star", "stars", "unread")

    def __init__(self) -> None:
        self.filled = self.odd = self.unread = self.stars = 0
        self.cells: list[Finding] = []
        self.star: Finding | None = None
        self.blanked = self.first_blanked = 0

    def other(self, tokens: int) -> tuple[Finding, int, int] | None:
        """If the column does not look like coreference: the first cell that is something else, how many such cells
        there are, and of how many."""
        if 2 * self.unread > self.filled and (self.unread > 1 or self.stars):
            return self.cells[0], self.unread, self.filled
        if self.star and self.stars == tokens:
            return self.star, self.stars, tokens
        return None


class _Numbering:
    """A column that may number the tokens of each sentence.

    ``ups`` counts how often the number rises by one from a token to the next. ``odd`` lists the first place of each
    sentence at which it does not: the line, the number and the one before.
    """

    def __init__(self, column: int) -> None:
        self.column = column
        self.ups = self.unlisted = 0
        self.odd: list[tuple[int, int, int]] = []

    def look(self, line: Ints, number: Ints, sentence: Ints) -> None:
        """Look at the tokens of a block."""
        previous = np.roll(number, 1)
        previous[changes(sentence)] = -1
        known = (number >= 0) & (previous >= 0)
        up = number == previous + 1
        self.ups += int(np.count_nonzero(known & up))
        first_wrong = _first_of_each(np.flatnonzero(known & ~up), sentence)
        listed = first_wrong[: MOST - len(self.odd)]
        self.odd += [(int(line[row]), int(number[row]), int(previous[row])) for row in listed]
        self.unlisted += len(first_wrong) - len(listed)


class _File:
    """The state of the file that is read. Line ends are counted by kind, LF and CR LF."""

    def __init__(self) -> None:
        self.numbering: list[_Numbering] = []
        self.numbered = False
        self.pairs = 0
        self.line_ends = [0, 0]
        self.first_line_end = [0, 0]
        self.undecodable = self.first_undecodable = 0


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches, with their faults; all that is wrong or odd is added to
    ``found``. Raises `UsageError` for a file that cannot be read."""
    return _Examiner(found, request).documents(files)


class _Examiner(Reader):
    """Reads one side and adds everything that is wrong or odd to ``found``."""

    whole_documents = True

    def __init__(self, found: Found, request: Request) -> None:
        super().__init__([], request._replace(texts=True))
        self.found = found
        self.texts = [NO_TEXTS] if request.texts else None
        self._tallies: dict[int, _Tally] = defaultdict(_Tally)
        self._tabbed: set[int] = set()

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """Read all files as one corpus, in batches. Documents keep their faults, and names may occur twice.

        Raises `UsageError` for a file that cannot be read.
        """
        for source in files:
            self._file = _File()
            for batch in self.file(source):
                yield self._decided(batch)
            self._end_of_file()
        for batch in self.batch():
            yield self._decided(batch)

    # Called by the reader

    def note(self, finding: Finding) -> None:
        self.found.add(finding)

    def refuse(self, finding: Finding) -> None:
        self.found.add(finding)

    def faults(self, faulty: Sequence[int], events: Events) -> dict[int, Callable[[], Finding]]:
        alone = unmatched(events)
        opened = events.kind[alone] == OPEN
        closes, opens = alone[~opened].tolist(), alone[opened].tolist()
        by_source: dict[Source, list[int]] = defaultdict(list)
        for event in (*self.found.take("unopened-mention", closes), *self.found.take("unclosed-mention", opens)):
            by_source[self.places[events.document[event]].source].append(event)
        for source, which in by_source.items():
            self.found.add(*describe(events, which, source, self.labels.odd, self.details))
        return super().faults(faulty, events)

    def look_at_cells(self, cells: Cells) -> None:
        cells = cells.filled()
        for tally, first, stop in self._runs(cells.document):
            odd = np.flatnonzero(cells.odd[first:stop]) + first
            tally.filled += stop - first
            tally.odd += len(odd)
            tally.unread += int(np.count_nonzero(cells.unread[first:stop]))
            room = max(self.found.room("odd-cell"), 1) - len(tally.cells)
            tally.cells += [cells.finding(at, self) for at in odd[: max(room, 0)].tolist()]

    def look(self, lines: Lines) -> None:
        text = lines.text
        ends_in_cr = text[lines.stops - 1] == CR
        for kind, which in enumerate((~ends_in_cr, ends_in_cr) if self.ended else ()):
            self._file.line_ends[kind] += int(np.count_nonzero(which))
            if not self._file.first_line_end[kind] and which.any():
                self._file.first_line_end[kind] = self.line + 1 + int(np.argmax(which))
        if odd := undecodable(text[1:].tobytes()):
            self._file.first_undecodable = self._file.first_undecodable or self.line + odd[0]
            self._file.undecodable += len(odd)
        was_inside = False
        for line, name in sorted(lines.markers.items()):
            if name is None and not was_inside:
                self.found.add(Finding("no-begin", self.source.name, self.line + 1 + line))
            was_inside = name is not None
        if not len(lines.segments.first):
            return
        self._look_for_markers(lines)
        tokens, document, _ = lines.segments.within(np.flatnonzero(lines.is_token))
        if not len(tokens):
            return
        stops = lines.stops - ends_in_cr
        table = Columns(text, lines.starts[tokens], stops[tokens])
        self._look_at_sentences(lines, tokens, table)
        self._look_at_separators(tokens, document, table)
        starts, ends = last_cells(text, lines.stops[tokens])
        self._look_for_stars(lines, tokens, document, starts, ends)
        if self.texts is not None:
            self.texts.append(Texts(table.words(self.word_column, starts), self.line + 1 + tokens))

    def _look_for_markers(self, lines: Lines) -> None:
        """Report lines within documents that look like markers but are not."""
        hashed = lines.text[lines.starts] == HASH
        hashed[list(lines.markers)] = False
        hashed &= lines.stops - lines.starts > len(END) // 2
        numbers, documents, _ = lines.segments.within(np.flatnonzero(hashed))
        for line, document in zip(numbers.tolist(), documents.tolist(), strict=True):
            text = lines.text[lines.starts[line] : lines.stops[line]].tobytes()
            if marker := _nearly(text):
                what, expected = marker
                details = {
                    "document": self.names[document],
                    "text": shortened(as_text(text)),
                    "what": what,
                    "expected": expected,
                }
                self._odd_line("odd-marker", line, **details)

    def _look_at_sentences(self, lines: Lines, tokens: Ints, table: Columns) -> None:
        """Check the numbers of columns and of tokens in each sentence. An empty line or a marker ends a sentence."""
        gaps = ~lines.is_token & (lines.text[lines.starts] != HASH)
        gaps[list(lines.markers)] = True
        sentence = np.cumsum(gaps)[tokens]
        begins = changes(sentence)
        sentence = np.cumsum(begins) - 1
        first = table.count[begins]
        differ = _first_of_each(np.flatnonzero(table.count != first[sentence]), sentence)
        for row in self.found.take("column-count", differ):
            found, expected = plural(int(table.count[row]), "column"), plural(int(first[sentence[row]]), "column")
            self._odd_line("column-count", tokens[row], found=found, expected=expected)
        self._file.pairs += len(tokens) - len(first)
        for column in self._numbering(table):
            column.look(self.line + 1 + tokens, table.numbers(column.column), sentence)

    def _numbering(self, table: Columns) -> Sequence[_Numbering]:
        """The columns that may number the tokens of a file: the third, as in CoNLL-2011/2012, if the first line has a
        number there and a word after it; otherwise all `_NUMBER_COLUMNS`, of which the end of the file decides."""
        if not self._file.numbering:
            usual = table.count[0] > 4 and table.numbers(_NUMBER_COLUMN)[0] >= 0
            self._file.numbering = [_Numbering(column) for column in _NUMBER_COLUMNS[: 1 if usual else None]]
            self._file.numbered = bool(usual)
        return self._file.numbering

    def _look_at_separators(self, tokens: Ints, document: Ints, table: Columns) -> None:
        """Count the lines that are split at blanks, for each document."""
        self._tabbed.update(np.unique(document[table.tabbed]).tolist())
        blanked = np.flatnonzero(~table.tabbed & (table.count > 1))
        for tally, first, stop in self._runs(document[blanked]):
            tally.first_blanked = tally.first_blanked or self.line + 1 + int(tokens[blanked[first]])
            tally.blanked += stop - first

    def _look_for_stars(self, lines: Lines, tokens: Ints, document: Ints, starts: Ints, stops: Ints) -> None:
        """Count the cells that are `_STAR`, for each document."""
        stars = (stops == starts + 1) & (lines.text[np.minimum(starts, len(lines.text) - 1)] == _STAR[0])
        cells = Cells(lines.text, lines.stops, tokens, document, starts, stops, stars, stars)
        which = np.flatnonzero(stars)
        for tally, first, stop in self._runs(document[which]):
            tally.star = tally.star or cells.finding(int(which[first]), self)
            tally.stars += stop - first

    def _runs(self, documents: Ints) -> Iterator[tuple[_Tally, int, int]]:
        """The tally of each run of equal documents, and where the run begins and stops."""
        firsts = np.flatnonzero(changes(documents)).tolist()
        for first, stop in zip(firsts, [*firsts[1:], len(documents)], strict=False):
            yield self._tallies[int(documents[first])], first, stop

    def _odd_line(self, code: str, line: int, **details: object) -> None:
        self.found.add(Finding(code, self.source.name, self.line + 1 + int(line), details=details))

    # At the end of a file or a batch

    def _end_of_file(self) -> None:
        """Report what is known at the end of a file."""
        self._report_numbers()
        expected = 0 if self._file.first_line_end[0] == 1 else 1
        other = 1 - expected
        count, first = self._file.line_ends[other], self._file.first_line_end[other]
        if count and self._file.line_ends[expected]:
            names = ("LF", "CR LF")
            details = {
                "count": f"{plural(count, 'line')} {'ends' if count == 1 else 'end'}",
                "found": names[other],
                "expected": names[expected],
            }
            self.found.add(Finding("mixed-line-ends", self.source.name, first, details=details))
        if self._file.undecodable:
            self.found.add(not_utf_8(self.source.name, self._file.first_undecodable, self._file.undecodable))

    def _report_numbers(self) -> None:
        """Report token numbers that do not rise by one, in the column of token numbers.

        That is a column in which at least half of the numbers do; for the third of five or more, a quarter.
        """
        share = 4 if self._file.numbered else 2
        column = next((column for column in self._file.numbering if share * column.ups >= self._file.pairs), None)
        if column is None:
            return
        for line, number, before in self.found.take("token-number", column.odd):
            details = {"found": number, "before": before}
            self.found.add(Finding("token-number", self.source.name, line, details=details))
        self.found.add_unlisted("token-number", column.unlisted)

    def _decided(self, batch: Documents) -> Documents:
        """Report on the documents of a batch."""
        for document, tally in sorted(self._tallies.items()):
            self._decide(batch, document, tally)
        self._tallies.clear()
        self._tabbed.clear()
        return batch

    def _decide(self, batch: Documents, document: int, tally: _Tally) -> None:
        """Report on the cells of a document."""
        name, path = batch.names[document], batch.place_of(document).source.name
        tokens = int(batch.tokens[document])
        if tally.blanked and document in self._tabbed:
            separated = {"document": name, "count": plural(tally.blanked, "line")}
            self.found.add(Finding("mixed-separators", path, tally.first_blanked, details=separated))
        if other := tally.other(tokens):
            first, count, cells = other
            details = {
                "document": name,
                "count": count,
                "cells": plural(cells, "cell"),
                "cell": first.details["cell"],
            }
            self.found.add(Finding("other-column", path, first.line, first.column, details))
            return
        self.found.add(*self.found.take("odd-cell", tally.cells))
        self.found.add_unlisted("odd-cell", tally.odd - len(tally.cells))


def _nearly(line: bytes) -> tuple[str, str] | None:
    """For a line that nearly is a marker: whether it would begin or end a document, and the correct marker."""
    return _marker_like("".join(re.findall("[a-z]+", as_text(line[:40]).lower())))


@lru_cache(maxsize=1024)  # the comments of a file are similar, and comparing takes time
def _marker_like(letters: str) -> tuple[str, str] | None:
    if "doc" not in letters and not letters.startswith(("begin", "end")):
        return None  # most comments are nothing like a marker
    for what, words in (("begins", "begin document"), ("ends", "end document")):
        expected = words.replace(" ", "")
        if SequenceMatcher(None, expected, letters[: len(expected)]).ratio() >= _NEARLY:
            return what, f"#{words} NAME" if what == "begins" else f"#{words}"
    return None


def _first_of_each(rows: Ints, group: Ints) -> list[int]:
    """Find the first of the rows in each group."""
    first: list[int] = rows[changes(group[rows])].tolist()
    return first
