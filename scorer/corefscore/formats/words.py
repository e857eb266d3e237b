"""Words as numbers, by which the texts of two sides are compared, and other pieces of a text in bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, among, changes, ranges
from corefscore.core.documents import UNKNOWN

_WORD_BYTES = 64
"""The number of bytes of a word that are compared, besides its length."""

_FACTOR = -0x61C8864680B583EB
"""The odd factor that mixes numbers of eight bytes in a hash."""

_TOGETHER = 1 << 16
"""The number of bytes of pieces of a text that are joined at once (or one larger piece)."""

BLANK_MARKS = b"-_*"
"""Cells of one byte that mean that there is nothing."""

SPACE = ord(" ")
"""The largest blank byte."""

_BLANK = among(np.arange(256), np.frombuffer(b" \t\n\r\v\f", dtype=np.uint8))
"""Whether each byte is one that `bytes.strip` removes."""


def word_numbers(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    """Return a number for each word ``text[starts:stops]`` without the blanks at its ends; equal words have equal
    numbers.
    """
    starts, stops = _stripped(text, starts, stops)
    number = stops - starts
    for which, eight in _eights(text, starts, stops):
        number[which] = number[which] * _FACTOR + eight
    return number


def _eights(text: Bytes, starts: Ints, stops: Ints) -> Iterator[tuple[Ints | slice, Ints]]:
    """Yield the first `_WORD_BYTES` of pieces of text in steps of eight bytes: for each step the pieces that are long
    enough, and their next eight bytes as one number, in which bytes after the piece are zero.
    """
    if len(text) < 8:
        text = np.append(text, np.zeros(8, dtype=np.uint8))
    last = len(text) - 8
    # The eight bytes from each position on.
    window = np.ndarray((last + 1,), dtype="<u8", buffer=text, strides=(1,))
    size = stops - starts
    for first in range(0, min(int(size.max(initial=0)), _WORD_BYTES), 8):
        which = np.flatnonzero(size > first) if first or not size.min() else slice(None)
        position = starts[which] + first
        if int(position.max()) <= last:
            eight = window[position]
        else:
            eight = window[np.minimum(position, last)] >> (8 * np.maximum(position - last, 0)).astype(np.uint64)
        eight <<= (np.maximum(8 + first - size[which], 0) << 3).view(np.uint64)
        yield which, eight.view(np.int64)


def _stripped(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Return where pieces of text begin and end without the blanks at their ends."""
    if (stops > starts).all() and not ((text[starts] <= SPACE) | (text[stops - 1] <= SPACE)).any():
        return starts, stops
    filled = np.flatnonzero(stops > starts)
    if not (_BLANK[text[starts[filled]]] | _BLANK[text[stops[filled] - 1]]).any():
        return starts, stops
    begin, end = int(starts.min()), int(stops.max())
    solid = np.concatenate([[-1], np.flatnonzero(~_BLANK[text[begin:end]]) + begin, [len(text)]])
    starts = np.minimum(solid[np.searchsorted(solid, starts)], stops)
    return starts, np.maximum(solid[np.searchsorted(solid, stops) - 1] + 1, starts)


def side_by_side(text: Bytes, starts: Ints, sizes: Ints) -> Bytes:
    """Pieces of a text joined."""
    # In blocks, since an index takes eight times the memory of the bytes.
    block = np.cumsum(sizes) // _TOGETHER
    borders = [*np.flatnonzero(changes(block)).tolist(), len(starts)]
    found = [text[ranges(starts[first:stop], sizes[first:stop])] for first, stop in pairwise(borders)]
    return np.concatenate(found) if found else text[:0]


def whole_numbers(text: Bytes, starts: Ints, stops: Ints, most: int = 6) -> Ints:
    """Return the whole numbers ``text[starts:stops]``; -1 for a piece that is not a number of at most
    ``most`` digits.
    """
    size = stops - starts
    number = np.zeros(len(size), dtype=np.int64)
    good = (size > 0) & (size <= most)
    # Digit by digit, the last one first, of the pieces that have so many: most numbers are short.
    for place in range(min(int(size.max(initial=0)), most)):
        which = np.flatnonzero(size > place) if place or not good.all() else slice(None)
        digit = text[stops[which] - (place + 1)] - np.uint8(ord("0"))
        good[which] &= digit < 10
        number[which] += digit.astype(np.int64) * 10**place
    number[~good] = -1
    return number


def numbers_of(words: Sequence[bytes]) -> Ints:
    """`word_numbers` for words that are not pieces of one text."""
    sizes = np.array([len(word) for word in words], dtype=np.int64)
    stops = np.cumsum(sizes)
    return word_numbers(np.frombuffer(b"".join(words), dtype=np.uint8), stops - sizes, stops)


_MARKS = np.append(numbers_of([b"", *(bytes([mark]) for mark in BLANK_MARKS)]), UNKNOWN)
"""The numbers of the marks for a missing word."""


def are_words(numbers: Ints, bounds: Ints) -> Bools:
    """Return whether each text ``numbers[bounds[n]:bounds[n + 1]]`` has words, rather than marks or the same mark for
    all.
    """

    def count(which: Bools) -> Ints:
        counts: Ints = np.diff(np.cumsum(np.append(0, which))[bounds])
        return counts

    sizes = np.diff(bounds)
    firsts = np.append(numbers, UNKNOWN)[np.repeat(bounds[:-1], sizes)]
    words: Bools = (count(~np.isin(numbers, _MARKS)) > 0) & ((count(numbers != firsts) > 0) | (sizes == 1))
    return words
