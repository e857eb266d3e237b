"""The examiner of CoNLL-2011/2012, which reports every fault and oddity of one side.

It is the reader of scoring, so both have the same lines, cells and mentions. It continues after a fault, and also looks
at what scoring ignores: other columns, line ends, words.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from corefscore.core.arrays import Bools, Ints, among, changes, lists_by_key
from corefscore.core.documents import NO_TEXTS, Documents, Texts
from corefscore.core.errors import UsageError
from corefscore.core.findings import MOST, Finding, Found, plural
from corefscore.core.sources import Source
from corefscore.formats.base import Request
from corefscore.formats.conll.cells import OPEN, Events
from corefscore.formats.conll.columns import Columns
from corefscore.formats.conll.reader import CR, HASH, Cells, Lines, Reader, describe, last_cells
from corefscore.formats.words import not_utf_8, undecodable

_NUMBER_COLUMN = 2
"""The column of CoNLL-2011/2012 with the number of the token in its sentence."""


_NUMBER_COLUMNS = (_NUMBER_COLUMN, 0, 1, 3)
"""The columns that may have this number, the likeliest first."""


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


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Read all files as one corpus, in batches; all that is wrong or odd is added to ``found``.

    Documents keep their faults, and names may occur twice. Raises `UsageError` for a file that cannot be read.
    """
    reader = _Examiner(found, request)
    for source in files:
        yield from reader.file(source)
    yield from reader.batch()


def other_columns(source: Source, request: Request) -> list[Finding]:
    """Return the notices about documents of a file whose last column seems to be another one; none for a file that
    cannot be read a second time."""
    found = Found()
    with suppress(UsageError):
        deque(examine([source], found, request), maxlen=0)
    return [finding for finding in found.listed if finding.code == "other-column"]


class _Examiner(Reader):
    """Reads one side and adds everything that is wrong or odd to ``found``."""

    whole_documents = True

    def __init__(self, found: Found, request: Request) -> None:
        super().__init__([], request._replace(texts=True))
        self.found = found
        self.texts = [NO_TEXTS] if request.texts else None

    def file(self, source: Source) -> Iterator[Documents]:
        self.numbering: list[_Numbering] = []
        self.pairs = 0
        self.line_ends, self.first_line_end = [0, 0], [0, 0]  # by kind, LF and CR LF
        self.undecodable = self.first_undecodable = 0
        yield from super().file(source)
        self._report_numbers()
        self._report_lines()

    # Called by the reader

    def note(self, finding: Finding) -> None:
        self.found.add(finding)

    refuse = note

    def faults(self, alone: Ints, events: Events) -> dict[int, Callable[[], Finding]]:
        opened = events.kind[alone] == OPEN
        closes, opens = alone[~opened].tolist(), alone[opened].tolist()
        shown = *self.found.take("unopened-mention", closes), *self.found.take("unclosed-mention", opens)
        by_source = lists_by_key((self.places[events.document[event]].source, event) for event in shown)
        for source, which in by_source.items():
            self.found.add(*describe(events, which, source, self.labels.odd, self.details))
        return super().faults(alone, events)

    def look(self, lines: Lines) -> None:
        text = lines.text
        ends_in_cr = text[lines.stops - 1] == CR
        self.look_at_documents(lines)
        ended = slice(len(ends_in_cr) - (not self.ended))
        for kind, which in enumerate((~ends_in_cr[ended], ends_in_cr[ended])):
            self.line_ends[kind] += int(np.count_nonzero(which))
            if not self.first_line_end[kind] and which.any():
                self.first_line_end[kind] = self.line + 1 + int(np.argmax(which))
        if odd := undecodable(text[1:].tobytes()):
            self.first_undecodable = self.first_undecodable or self.line + odd[0]
            self.undecodable += len(odd)
        was_inside = False
        for line, name in sorted(lines.markers.items()):
            if name is None and not was_inside:
                self._notice("no-begin", self.line + 1 + line)
            was_inside = name is not None
        if lines.cells is None:
            return
        tokens, document, _ = lines.segments.within(np.flatnonzero(lines.is_token))
        if len(tokens):
            self._look_at_tokens(lines, lines.cells.filled(), tokens, document, lines.stops - ends_in_cr)

    def _look_at_tokens(self, lines: Lines, filled: Cells, tokens: Ints, document: Ints, stops: Ints) -> None:
        """Look at the columns of the tokens of documents; ``stops`` is where lines end without CR, ``filled`` are the
        cells that are not blank."""
        table = Columns(lines.text, lines.starts[tokens], stops[tokens])
        starts, ends = last_cells(lines.text, lines.stops[tokens])
        empty = np.where(table.tabbed, stops[tokens] - ends, 0)
        self._look_at_sentences(lines, tokens, table, empty, among(tokens, filled.line[~filled.unread]))
        self._look_at_separators(tokens, document, table)
        plain = np.zeros(len(tokens), dtype=np.bool_)
        cells = Cells(lines.text, lines.stops, tokens, document, starts, ends, plain, plain)
        self._look_for_odd_cells(cells, filled)
        if self.texts is not None:
            self.texts.append(Texts(table.words(self.word_column, starts), self.line + 1 + tokens))

    def _look_at_sentences(self, lines: Lines, tokens: Ints, table: Columns, empty: Ints, mentioned: Bools) -> None:
        """Check the numbers of columns and of tokens in each sentence. An empty line or a marker ends a sentence."""
        gaps = ~lines.is_token & (lines.text[lines.starts] != HASH)
        gaps[list(lines.markers)] = True
        sentence = np.cumsum(gaps)[tokens]
        begins = changes(sentence)
        sentence = np.cumsum(begins) - 1
        # Empty columns after a mention, or at the end of all lines of a sentence, are as if they were not there.
        count = table.count - np.where(mentioned, empty, np.minimum.reduceat(empty, np.flatnonzero(begins))[sentence])
        first = count[begins]
        differ = _first_of_each(np.flatnonzero(count != first[sentence]), sentence)
        for row in self.found.take("column-count", differ):
            found, expected = plural(int(count[row]), "column"), plural(int(first[sentence[row]]), "column")
            self._notice("column-count", self.line + 1 + int(tokens[row]), found=found, expected=expected)
        self.pairs += len(tokens) - len(first)
        for column in self._numbering(table):
            column.look(self.line + 1 + tokens, table.numbers(column.column), sentence)

    def _numbering(self, table: Columns) -> Sequence[_Numbering]:
        """Return the columns that may number the tokens of a file: the third, as in CoNLL-2011/2012, if the first line
        has a number there and a word after it; otherwise all `_NUMBER_COLUMNS`, of which the end of the file decides.
        """
        if not self.numbering:
            usual = table.count[0] > 4 and table.numbers(_NUMBER_COLUMN)[0] >= 0
            self.numbering = [_Numbering(column) for column in _NUMBER_COLUMNS[: 1 if usual else None]]
        return self.numbering

    def _look_at_separators(self, tokens: Ints, document: Ints, table: Columns) -> None:
        """Report documents with lines that are split at blanks and others that are split at tabs."""
        blanked = np.flatnonzero(~table.tabbed & (table.count > 1))
        tabbed = set(document[table.tabbed].tolist())
        of_documents = np.unique(document[blanked], return_index=True, return_counts=True)
        for number, first, count in zip(*(column.tolist() for column in of_documents), strict=True):
            if number in tabbed:
                line = self.line + 1 + int(tokens[blanked[first]])
                self._notice("mixed-separators", line, document=self.names[number], count=plural(count, "line"))

    def _look_for_odd_cells(self, cells: Cells, filled: Cells) -> None:
        """Report the odd cells of each document, or that its last column is another one, given all of its cells."""
        starts = np.minimum(cells.start, len(cells.text) - 1)
        # "*" is the empty cell of other columns of CoNLL-2011/2012, but not of coreference.
        stars = np.flatnonzero((cells.stop == cells.start + 1) & (cells.text[starts] == ord("*")))
        starry = cells.document[stars]
        for document in np.unique(np.append(starry, filled.document[filled.odd])).tolist():
            first, stop = np.searchsorted(filled.document, [document, document + 1]).tolist()
            odd = (np.flatnonzero(filled.odd[first:stop]) + first).tolist()
            unread = int(np.count_nonzero(filled.unread[first:stop]))
            starred = stars[slice(*np.searchsorted(starry, [document, document + 1]))].tolist()
            if 2 * unread > stop - first and (unread > 1 or starred):
                self._other_column(filled.finding(odd[0], self), unread, stop - first)
            elif starred and len(starred) == self.tokens[document]:
                self._other_column(cells.finding(starred[0], self), len(starred), len(starred))
            else:
                self.found.add(*(filled.finding(cell, self) for cell in self.found.take("odd-cell", odd)))

    def _other_column(self, first: Finding, count: int, cells: int) -> None:
        """Report a last column that is not coreference, at its ``first`` odd cell; so are ``count`` of ``cells``."""
        its = first.details
        details = {"document": its["document"], "count": count, "cells": plural(cells, "cell"), "cell": its["cell"]}
        self.note(Finding("other-column", first.path, first.line, first.column, details))

    # At the end of a file

    def _report_lines(self) -> None:
        """Report different line ends, and lines that are not UTF-8."""
        expected = 0 if self.first_line_end[0] == 1 else 1
        other = 1 - expected
        count, first = self.line_ends[other], self.first_line_end[other]
        if count and self.line_ends[expected]:
            names, ends = ("LF", "CR LF"), f"{plural(count, 'line')} {'ends' if count == 1 else 'end'}"
            self._notice("mixed-line-ends", first, count=ends, found=names[other], expected=names[expected])
        if self.undecodable:
            self.found.add(not_utf_8(self.source.name, self.first_undecodable, self.undecodable))

    def _report_numbers(self) -> None:
        """Report token numbers that do not rise by one, in the column of token numbers.

        That is a column in which at least half of the numbers do; for the third of five or more, a quarter.
        """
        share = 4 if len(self.numbering) == 1 else 2
        column = next((column for column in self.numbering if share * column.ups >= self.pairs), None)
        if column is None:
            return
        for line, number, before in self.found.take("token-number", column.odd):
            self._notice("token-number", line, found=number, before=before)
        self.found.add_unlisted("token-number", column.unlisted)


def _first_of_each(rows: Ints, group: Ints) -> list[int]:
    """Find the first of the rows in each group."""
    first: list[int] = rows[changes(group[rows])].tolist()
    return first
