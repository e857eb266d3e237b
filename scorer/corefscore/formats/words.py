"""The words of a text, and words as numbers, by which the texts of two sides are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefscore.documents.arrays import NONE, Bools, Bytes, Codes, Ints, changes, ranges
from corefscore.documents.model import UNKNOWN, Texts

WORD_BYTES = 64
"""The number of bytes of a word that are compared, besides its length."""

FACTOR = -0x61C8864680B583EB
"""The odd factor that mixes numbers of eight bytes in a hash."""

TOGETHER = 1 << 16
"""The number of bytes of pieces of a text that are joined at once (or one larger piece)."""

UNUSED_BITS = 8 * np.arange(8, -1, -1, dtype=np.uint64)
"""For each number of bytes from 0 to 8, the number of bits of eight bytes that are not part of them."""

BLANK_MARKS = b"-_*"
"""Cells of one byte that mean that there is nothing."""

BLANK = np.isin(np.arange(256), np.frombuffer(b" \t\n\r\v\f", dtype=np.uint8))
"""Whether each byte is one that `bytes.strip` removes."""


SOLID, WHITE, SINGLE = range(3)
"""Kinds of characters in a text: part of a word, white space, and a word of its own."""

ALONE = "\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that do not separate words by white space: each is a word of its own."""

IS_ALONE = re.compile(f"[{ALONE}]")


def codes_of(text: str) -> Codes:
    """The number in Unicode of each character of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def kinds_of(codes: Codes) -> Bytes:
    """The kind of each character of a text, one of `SOLID`, `WHITE` and `SINGLE`."""
    if int(codes.max(initial=0)) < len(ASCII_KINDS):
        return ASCII_KINDS[codes]
    # Without a table by code, which would be far longer than a short text.
    characters, places = np.unique(codes, return_inverse=True)
    return np.array([_kind(chr(code)) for code in characters.tolist()], dtype=np.uint8)[places]


def _kind(character: str) -> int:
    return WHITE if character.isspace() else SINGLE if IS_ALONE.match(character) else SOLID


ASCII_KINDS: Bytes = np.array([_kind(chr(code)) for code in range(128)], dtype=np.uint8)
"""The kinds of ASCII characters; most texts have no others."""


def words_in(kinds: Bytes, borders: Ints) -> tuple[Ints, Ints]:
    """Where the words of a text begin and end, given the kinds of its characters.

    Words end at white space, around characters that are words, and at the ``borders`` of mentions.
    """
    apart = kinds != SOLID
    edge = np.append(apart, True)
    edge[1:] |= apart
    edge[:1] = True
    edge[borders] = True
    solid = kinds != WHITE
    return np.flatnonzero(edge[:-1] & solid), np.flatnonzero(edge[1:] & solid) + 1


def spaced(codes: Codes, starts: Ints, stops: Ints) -> str:
    """The words of a text with one blank between them."""
    sizes = stops - starts
    kept = np.insert(codes[ranges(starts, sizes)], np.cumsum(sizes)[:-1], ord(" "))
    return kept.tobytes().decode("utf-32-le", "surrogatepass")


def word_numbers(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    """A number for each word ``text[starts:stops]`` without the blanks at its ends; equal words have equal numbers."""
    return _numbered(text, *_stripped(text, starts, stops))


def _numbered(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    number = stops - starts
    for which, eight in _eights(text, starts, stops):
        number[which] = number[which] * FACTOR + eight
    return number


def _eights(text: Bytes, starts: Ints, stops: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The first `WORD_BYTES` of pieces of text in steps of eight bytes: for each step the pieces that are long enough,
    and their next eight bytes as one number, in which bytes after the piece are zero."""
    if len(text) < 8:
        text = np.append(text, np.zeros(8, dtype=np.uint8))
    last = len(text) - 8
    # The eight bytes from each position on.
    window = np.ndarray((last + 1,), dtype="<u8", buffer=text, strides=(1,))
    size = stops - starts
    for first in range(0, min(int(size.max(initial=0)), WORD_BYTES), 8):
        which = np.flatnonzero(size > first)
        position = starts[which] + first
        if int(position.max()) <= last:
            eight = window[position]
        else:
            eight = window[np.minimum(position, last)] >> (8 * np.maximum(position - last, 0)).astype(np.uint64)
        eight <<= UNUSED_BITS[np.minimum(size[which] - first, 8)]
        yield which, eight.view(np.int64)


def _stripped(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Where pieces of text begin and end without the blanks at their ends."""
    if (stops > starts).all() and not (BLANK[text[starts]] | BLANK[text[stops - 1]]).any():
        return starts, stops
    filled = np.flatnonzero(stops > starts)
    if not (BLANK[text[starts[filled]]] | BLANK[text[stops[filled] - 1]]).any():
        return starts, stops
    solid = np.concatenate([[-1], np.flatnonzero(~BLANK[text]), [len(text)]])
    starts = np.minimum(solid[np.searchsorted(solid, starts)], stops)
    return starts, np.maximum(solid[np.searchsorted(solid, stops) - 1] + 1, starts)


def side_by_side(text: Bytes, starts: Ints, sizes: Ints) -> Bytes:
    """Pieces of a text joined."""
    # In blocks, since an index takes eight times the memory of the bytes.
    block = np.cumsum(sizes) // TOGETHER
    borders = [*np.flatnonzero(changes(block)).tolist(), len(starts)]
    found = [text[ranges(starts[first:stop], sizes[first:stop])] for first, stop in pairwise(borders)]
    return np.concatenate(found) if found else text[:0]


def whole_numbers(text: Bytes, starts: Ints, stops: Ints, most: int = 6) -> Ints:
    """The whole numbers ``text[starts:stops]``; -1 for a piece that is not a number of at most ``most`` digits."""
    size = stops - starts
    number = np.zeros(len(starts), dtype=np.int64)
    good = (size > 0) & (size <= most)
    for position in range(min(int(size.max(initial=0)), most)):
        which = np.flatnonzero(size > position)
        digit = text[starts[which] + position].astype(np.int64) - ord("0")
        good[which[(digit < 0) | (digit > 9)]] = False
        number[which] = number[which] * 10 + digit
    number[~good] = -1
    return number


def alike(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    """A number for each piece ``text[starts:stops]``, equal for equal pieces and different for all others."""
    size = stops - starts
    if int(size.max(initial=0)) > WORD_BYTES:
        pieces = (text[start:stop].tobytes() for start, stop in zip(starts.tolist(), stops.tolist(), strict=True))
        numbers: dict[bytes, int] = {}
        return np.array([numbers.setdefault(piece, len(numbers)) for piece in pieces], dtype=np.int64)
    # Sorted by a hash, which differs for different pieces except for a chance in 2^64, and then compared.
    columns, number = [size], size.copy()
    for which, eight in _eights(text, starts, stops):
        columns.append(np.zeros(len(size), dtype=np.int64))
        columns[-1][which] = eight
        number = number * FACTOR + columns[-1]
    order = np.argsort(number)
    new = changes(*(column[order] for column in columns))
    if (new > changes(number[order])).any():
        order = np.lexsort(columns)
        new = changes(*(column[order] for column in columns))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(new) - 1
    return found


def numbers_of(words: Sequence[bytes]) -> Ints:
    """`word_numbers` for words that are not pieces of one text."""
    sizes = np.array([len(word) for word in words], dtype=np.int64)
    stops = np.cumsum(sizes)
    return word_numbers(np.frombuffer(b"".join(words), dtype=np.uint8), stops - sizes, stops)


MARKS = np.append(numbers_of([b"", *(bytes([mark]) for mark in BLANK_MARKS)]), UNKNOWN)
"""The numbers of the marks for a missing word."""


def are_words(numbers: Ints, bounds: Ints) -> Bools:
    """Whether each text ``numbers[bounds[n]:bounds[n + 1]]`` has words, rather than marks or the same mark for all."""

    def count(which: Bools) -> Ints:
        counts: Ints = np.diff(np.cumsum(np.append(0, which))[bounds])
        return counts

    sizes = np.diff(bounds)
    firsts = np.append(numbers, UNKNOWN)[np.repeat(bounds[:-1], sizes)]
    words: Bools = (count(~np.isin(numbers, MARKS)) > 0) & ((count(numbers != firsts) > 0) | (sizes == 1))
    return words


class TextsSoFar:
    """The words of the tokens since the last batch."""

    def __init__(self) -> None:
        self._blocks = [(NONE, NONE, NONE)]

    def add(self, document: Ints, number: Ints, line: Ints) -> None:
        """Add the tokens of a block: their documents, the numbers of their words, their lines."""
        self._blocks.append((document, number, line))

    def take(self, ready: int) -> Texts:
        """The texts of the first ``ready`` documents, which are removed; the others are renumbered."""
        document, number, line = (np.concatenate(column) for column in zip(*self._blocks, strict=True))
        stop = int(np.searchsorted(document, ready))
        self._blocks = [(document[stop:] - ready, number[stop:], line[stop:])]
        return Texts(number[:stop], line[:stop])
