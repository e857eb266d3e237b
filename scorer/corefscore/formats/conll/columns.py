"""Columns of CoNLL that scoring by coreference alone has no use for: where they lie, numbers and words in them."""

from __future__ import annotations

import numpy as np

from corefscore.documents.arrays import Bools, Bytes, Ints
from corefscore.documents.model import UNKNOWN
from corefscore.formats.conll.lines import NOWHERE, WORD_COLUMNS, WordColumn
from corefscore.formats.words import word_numbers

LF, TAB, SPACE, ZERO = b"\n\t 0"


class Columns:
    """The columns of some token lines: split at tabs, or at blanks where a line has none.

    ``count`` is the number of columns of each line, empty ones at the end included, so that it does not depend on
    whether there is anything in the last one.
    """

    def __init__(self, text: Bytes, starts: Ints, stops: Ints) -> None:
        self._text = text
        tabs = np.flatnonzero(text == TAB)
        self._first = np.searchsorted(tabs, starts)
        self.count = np.searchsorted(tabs, stops) - self._first + 1
        self.tabbed: Bools = self.count > 1
        self._tabs, self._starts, self._stops = tabs, starts, stops
        if self.tabbed.all():
            return
        blank = (text == SPACE) | (text == LF)
        begins = np.flatnonzero(~blank[1:] & blank[:-1]) + 1
        ends = np.flatnonzero(~blank[:-1] & blank[1:]) + 1
        self._begins, self._ends = begins, ends
        untabbed = ~self.tabbed
        self._first[untabbed] = np.searchsorted(begins, starts[untabbed])
        self.count[untabbed] = np.searchsorted(begins, stops[untabbed]) - self._first[untabbed]

    def cells(self, column: Ints) -> tuple[Ints, Ints]:
        """Where a column of each line begins and ends; an empty cell where the line has no such column."""
        there = (column >= 0) & (column < self.count)
        starts, stops = self._starts.copy(), self._starts.copy()
        at = np.flatnonzero(there & self.tabbed)
        if len(at):
            behind = self._first[at] + column[at]
            padded = np.concatenate([[-1], self._tabs, [0]])
            starts[at] = np.where(column[at] > 0, padded[behind] + 1, self._starts[at])
            stops[at] = np.where(column[at] < self.count[at] - 1, padded[behind + 1], self._stops[at])
        at = np.flatnonzero(there & ~self.tabbed)
        if len(at):
            starts[at] = self._begins[self._first[at] + column[at]]
            stops[at] = np.minimum(self._ends[self._first[at] + column[at]], self._stops[at])
        return starts, stops

    def numbers(self, column: int) -> Ints:
        """The whole numbers of one column, -1 for what is none."""
        starts, stops = self.cells(np.full(len(self.count), column))
        length = stops - starts
        fits = (length > 0) & (length <= 9)
        value: Ints = np.where(fits, 0, -1)
        for place in range(int(length[fits].max(initial=0))):
            more = np.flatnonzero(fits & (length > place) & (value >= 0))
            digit = self._text[starts[more] + place] - ZERO
            value[more] = np.where(digit < 10, value[more] * 10 + digit, -1)
        return value

    def word_column(self, column: WordColumn, of_names: int) -> Ints:
        """The column of words of each line where it is certain, counted from 0, -1 elsewhere and where it is
        ``of_names`` (from 1), the column of names."""
        places, certain = _of_counts(self.count, column)
        return np.where(certain & (places != of_names - 1), places, NOWHERE)

    def words(self, column: WordColumn, last: Ints) -> Ints:
        """The number of the word of each line, whose last cell begins at ``last``; unknown where nothing tells which
        column has it."""
        # Empty columns behind the last one are none.
        count = np.where(self.tabbed, np.searchsorted(self._tabs, last) - self._first + 1, self.count)
        places, certain = _of_counts(count, column)
        numbers = word_numbers(self._text, *self.cells(places))
        return np.where((count > 2) & ~certain, UNKNOWN, numbers)


def _of_counts(counts: Ints, column: WordColumn) -> tuple[Ints, Bools]:
    """The place of the word in lines of so many columns, and whether it is certain."""
    # Beyond these all lines are alike.
    most = min(int(counts.max(initial=0)), max(WORD_COLUMNS, (column.number or 0) + 1))
    every, at = range(most + 1), np.minimum(counts, most)
    return np.array(list(map(column.place, every)))[at], np.array(list(map(column.is_certain, every)))[at]
