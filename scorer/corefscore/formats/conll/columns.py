"""The columns of CoNLL that scoring does not read: where they are, and the numbers and words in them."""

from __future__ import annotations

import re

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints
from corefscore.core.documents import UNKNOWN
from corefscore.formats.conll.cells import columns_of
from corefscore.formats.conll.lines import NOWHERE, WORD_COLUMNS, WordColumn
from corefscore.formats.words import whole_numbers, word_numbers

_LF, _TAB, _SPACE = b"\n\t "

_ID = rb"(?:[A-Za-z]+-)?\d+"
_CELL = rb"(?:\(%b\)?|%b\))(?:\|(?:\(%b\)?|%b\)))*" % ((_ID,) * 4)
"""A cell with mentions, also with ids that have types, as in GUM."""


def mentions_by_column(text: bytes) -> dict[int, dict[int, bytes]]:
    """Find the columns of CoNLL that have mentions: the cells with mentions by line (from 1), by the number of the
    column (from 1, or 0 for the last one). A text without the begin of a document has none, and neither has a column in
    which few mentions begin or few end, such as words."""
    found: dict[int, dict[int, bytes]] = {}
    for number, line in enumerate(text.split(b"\n") if re.search(rb"(?m)^# *begin document", text) else (), start=1):
        cells = columns_of(line)
        for column, cell in enumerate([*cells[-1:], *cells[:-1]]):
            if re.fullmatch(_CELL, cell) and not line.startswith(b"#"):
                found.setdefault(column, {})[number] = cell
    counts = {column: [b"".join(its.values()).count(of) for of in (b"(", b")")] for column, its in found.items()}
    return {column: its for column, its in found.items() if min(counts[column]) * 10 > max(counts[column]) * 9}


class Columns:
    """The columns of some token lines, split at tabs, or at blanks if a line has no tabs.

    ``count`` is the number of columns of each line. It includes empty columns at the end, so that it does not depend on
    whether the last cell is empty.
    """

    def __init__(self, text: Bytes, starts: Ints, stops: Ints) -> None:
        self._text = text
        tabs = np.flatnonzero(text == _TAB)
        self._first = np.searchsorted(tabs, starts)
        self.count = np.searchsorted(tabs, stops) - self._first + 1
        self.tabbed: Bools = self.count > 1
        self._tabs, self._starts, self._stops = tabs, starts, stops
        if self.tabbed.all():
            return
        blank = (text == _SPACE) | (text == _LF)
        self._begins = begins = np.flatnonzero(~blank[1:] & blank[:-1]) + 1
        self._ends = np.flatnonzero(~blank[:-1] & blank[1:]) + 1
        untabbed = ~self.tabbed
        self._first[untabbed] = np.searchsorted(begins, starts[untabbed])
        self.count[untabbed] = np.searchsorted(begins, stops[untabbed]) - self._first[untabbed]

    def cells(self, column: Ints) -> tuple[Ints, Ints]:
        """Return where a column of each line begins and ends; an empty cell if the line has no such column."""
        there = (column >= 0) & (column < self.count)
        starts, stops = self._starts.copy(), self._starts.copy()
        if len(rows := np.flatnonzero(there & self.tabbed)):
            tab = self._first[rows] + column[rows]
            padded = np.concatenate([[-1], self._tabs, [0]])
            starts[rows] = np.where(column[rows] > 0, padded[tab] + 1, self._starts[rows])
            stops[rows] = np.where(column[rows] < self.count[rows] - 1, padded[tab + 1], self._stops[rows])
        if len(rows := np.flatnonzero(there & ~self.tabbed)):
            starts[rows] = self._begins[self._first[rows] + column[rows]]
            stops[rows] = np.minimum(self._ends[self._first[rows] + column[rows]], self._stops[rows])
        return starts, stops

    def numbers(self, column: int) -> Ints:
        """Return the whole numbers of one column; -1 for a cell that is not a whole number."""
        return whole_numbers(self._text, *self.cells(np.full(len(self.count), column)), 9)

    def word_column(self, column: WordColumn, of_names: int) -> Ints:
        """Return the column of words of each line, counted from 0; -1 if it is not certain, and if it is the column of
        names, ``of_names`` (from 1).
        """
        places, certain = _of_counts(self.count, column)
        return np.where(certain & (places != of_names - 1), places, NOWHERE)

    def words(self, column: WordColumn, last: Ints) -> Ints:
        """Return the number of the word of each line, whose last cell begins at ``last``; unknown if the column of
        words is not certain.
        """
        # Empty columns after the last cell do not count.
        count = np.where(self.tabbed, np.searchsorted(self._tabs, last) - self._first + 1, self.count)
        places, certain = _of_counts(count, column)
        return np.where((count > 2) & ~certain, UNKNOWN, word_numbers(self._text, *self.cells(places)))


def _of_counts(counts: Ints, column: WordColumn) -> tuple[Ints, Bools]:
    """Return the column of the word in lines with these numbers of columns, and whether it is certain."""
    # With more columns than these, the answer is the same.
    most = min(int(counts.max(initial=0)), max(WORD_COLUMNS, (column.number or 0) + 1))
    rows = np.minimum(counts, most)
    # With three or four columns it is not.
    return np.array([*map(column.place, range(most + 1))])[rows], (rows >= WORD_COLUMNS) | (column.number is not None)
