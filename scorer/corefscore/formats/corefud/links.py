"""The column DEPS: what empty nodes depend on, and how.

Dependencies are separated by `|`. Each is the number of a word, a colon, and a relation, which may contain more colons.
A column of `_` has none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import NONE, Ints, among, firsts, ranges, tally
from corefscore.core.documents import SENTENCE, TENTH
from corefscore.formats.corefud.lines import DEPS, DIGITS, Lines, Refuse, number_of
from corefscore.formats.words import numbers_of, whole_numbers, word_numbers

BAR, COLON, NOTHING = b"|:_"


class _Links(NamedTuple):
    """The dependencies of some words, word by word: how many each has, the words on which it depends, and its relations
    to them, as numbers that are equal for equal relations in every process."""

    size: Ints
    parent: Ints
    relation: Ints

    def of(self, which: Ints) -> _Links:
        """The dependencies of some of the words, in this order."""
        size = self.size[which]
        at = ranges((np.cumsum(self.size) - self.size)[which], size)
        return _Links(size, self.parent[at], self.relation[at])


class _Pieces(NamedTuple):
    """The dependencies in the text of a file: the word of each, where it begins, its first colon (its end if it has
    none), and where it ends."""

    of: Ints
    start: Ints
    colon: Ints
    stop: Ints


def links_of(lines: Lines, words: Ints, number: Ints, refuse: Refuse) -> _Links:
    """The dependencies of words, given by their indices in the file; ``number`` has the numbers of all words
    (`corefscore.core.documents.Nodes`).

    Text that is not a dependency is refused, once for each word. If ``refuse`` returns, such a word depends on the
    root.
    """
    pieces = _pieces(lines, lines.words.row[words])
    parent = whole_numbers(lines.text, pieces.start, pieces.colon, DIGITS) * TENTH
    # Empty nodes, and text that is not a number.
    for at in np.flatnonzero(parent < 0).tolist():
        found = number_of(lines.piece(pieces.start[at], pieces.colon[at]))
        parent[at] = -1 if found is None else found
    odd = np.flatnonzero((parent < 0) | (pieces.colon == pieces.stop))
    first = odd[firsts(pieces.of[odd])]
    for at in first.tolist():
        start, stop = int(pieces.start[at]), int(pieces.stop[at])
        row = int(lines.words.row[words[pieces.of[at]]])
        refuse(lines.about("odd-dependency", row, lines.piece(start, stop), start))
    parent[odd] = 0
    kept = ~among(pieces.of, pieces.of[first])
    kept[first] = True
    sentence = number[words] // SENTENCE * SENTENCE
    relation = word_numbers(lines.text, np.minimum(pieces.colon + 1, pieces.stop), pieces.stop)
    relation[odd] = numbers_of([b""])
    of = pieces.of[kept]
    return _Links(tally(of, len(words)), (sentence[pieces.of] + parent)[kept], relation[kept])


def _pieces(lines: Lines, rows: Ints) -> _Pieces:
    """The dependencies of some rows."""
    begin, end = lines.bounds(DEPS, rows)
    size = end - begin
    empty = (size == 0) | ((size == 1) & (lines.text[begin] == NOTHING))
    which = np.flatnonzero(~empty)
    if not len(which):
        return _Pieces(NONE, NONE, NONE, NONE)
    # Each column with the tab after it.
    at = ranges(begin[which], size[which] + 1)
    byte = lines.text[at]
    last = np.cumsum(size[which] + 1) - 1
    ends = byte == BAR
    ends[last] = True
    stop = np.flatnonzero(ends)
    start = np.append(0, stop[:-1] + 1)
    colons = np.append(np.flatnonzero(byte == COLON), len(byte))
    colon = np.minimum(colons[np.searchsorted(colons, start)], stop)
    return _Pieces(which[np.searchsorted(last, stop)], at[start], at[colon], at[stop])
