"""Words as numbers, by which the texts of two sides are compared; the words of a text, and its characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, among
from corefscore.core.documents import UNKNOWN
from corefscore.core.findings import Finding, plural
from corefscore.formats.base import BLANK_MARKS

_WORD_BYTES = 64
"""The number of bytes of a word that are compared, besides its length."""

_FACTOR = -0x61C8864680B583EB
"""The odd factor that mixes numbers of eight bytes in a hash."""

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


def whole_numbers(text: Bytes, starts: Ints, stops: Ints, most: int) -> Ints:
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
    """Return `word_numbers` for words that are not pieces of one text."""
    sizes = np.array([len(word) for word in words], dtype=np.int64)
    stops = np.cumsum(sizes)
    return word_numbers(np.frombuffer(b"".join(words), dtype=np.uint8), stops - sizes, stops)


def are_words(numbers: Ints, bounds: Ints) -> Bools:
    """Return whether each text ``numbers[bounds[n]:bounds[n + 1]]`` has words, rather than marks or the same mark for
    all.
    """

    def count(which: Bools) -> Ints:
        return np.diff(np.cumsum(np.append(0, which))[bounds])

    marks = np.append(numbers_of([b"", *(bytes([mark]) for mark in BLANK_MARKS)]), UNKNOWN)
    sizes = np.diff(bounds)
    firsts = np.append(numbers, UNKNOWN)[np.repeat(bounds[:-1], sizes)]
    words: Bools = (count(~np.isin(numbers, marks)) > 0) & ((count(numbers != firsts) > 0) | (sizes == 1))
    return words


ALONE = "\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that do not separate words by white space: each is a word of its own."""

_WORD = re.compile(rf"[{ALONE}]|[^\s{ALONE}]+")

INVISIBLE = r"[^\S\n]|[\x00-\x08\x0e-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
"""Characters that are not compared, apart from line ends."""


def codes_of(text: str) -> Ints:
    """Return the number in Unicode of each character of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)


def words_in(text: str, borders: Iterable[int]) -> list[tuple[int, int]]:
    """Return where the words of a text begin and end.

    Words end at white space, around characters that are words, and at the ``borders`` of mentions.
    """
    edges = sorted({0, *borders, len(text)})
    return [found.span() for begin, end in pairwise(edges) for found in _WORD.finditer(text, begin, end)]


def undecodable(text: bytes) -> list[int]:
    """Return the numbers of the lines (from 1) of a text that are not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        lines = enumerate(text.split(b"\n"), start=1)
        return [number for number, line in lines if line.decode(errors="ignore").encode() != line]
    return []


def not_utf_8(path: str, first: int, count: int) -> Finding:
    """Return the notice for a file in which ``count`` lines are not UTF-8."""
    lines = f"{plural(count, 'line')} {'is' if count == 1 else 'are'}"
    return Finding("not-utf-8", path, first, details={"count": lines})
