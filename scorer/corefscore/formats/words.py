"""The words of a text, and words as numbers, so that the texts of two sides can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from corefscore.documents.arrays import NONE, Bools, Bytes, Codes, Ints, changes, ranges
from corefscore.documents.model import UNKNOWN, Texts

WORD_BYTES = 64
"""How much of a word is compared, besides its length."""

FACTOR = -0x61C8864680B583EB
"""What mixes numbers of eight bytes: odd, and of many bits."""

TOGETHER = 1 << 16
"""How many bytes of pieces of a text are put together at once, or the largest piece."""

OTHERS = 8 * np.arange(8, -1, -1, dtype=np.uint64)
"""How many bits of eight bytes are not those of a word of so many."""

BLANK_MARKS = b"-_*"
"""Cells of one byte that say that there is nothing."""

BLANK = np.isin(np.arange(256), np.frombuffer(b" \t\n\r\v\f", dtype=np.uint8))
"""Whether a byte is one of those that `bytes.strip` takes off."""


SOLID, WHITE, SINGLE = range(3)
"""Kinds of characters in a text: those that make words together, white space, and words of one character."""

ALONE = "\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters of scripts that part no words by white space: each is a word of its own."""

IS_ALONE = re.compile(f"[{ALONE}]")


def codes_of(text: str) -> Codes:
    """The number in Unicode of each character of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def kinds_of(codes: Codes) -> Bytes:
    """The kind of each character of a text, one of `SOLID`, `WHITE` and `SINGLE`."""
    if int(codes.max(initial=0)) < len(ASCII_KINDS):
        return ASCII_KINDS[codes]
    # No table by number: it would be far longer than a short text.
    characters, places = np.unique(codes, return_inverse=True)
    return np.array([_kind(chr(code)) for code in characters.tolist()], dtype=np.uint8)[places]


def _kind(character: str) -> int:
    return WHITE if character.isspace() else SINGLE if IS_ALONE.match(character) else SOLID


ASCII_KINDS: Bytes = np.array([_kind(chr(code)) for code in range(128)], dtype=np.uint8)
"""The kinds of the characters that most texts have alone."""


def words_in(kinds: Bytes, borders: Ints) -> tuple[Ints, Ints]:
    """Where the words of a text begin and end: at white space, at characters that are words, and at the borders of
    mentions; ``kinds`` are those of its characters."""
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
    """A number for each word ``text[starts:stops]``, blanks at its ends left out; equal for equal ones."""
    return _numbered(text, *_stripped(text, starts, stops))


def _numbered(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    number = stops - starts
    for which, eight in _eights(text, starts, stops):
        number[which] = number[which] * FACTOR + eight
    return number


def _eights(text: Bytes, starts: Ints, stops: Ints) -> Iterator[tuple[Ints, Ints]]:
    """The first `WORD_BYTES` of pieces of text, eight after eight: the pieces that have some left, and these as a
    number each, whatever follows a piece."""
    if len(text) < 8:
        text = np.append(text, np.zeros(8, dtype=np.uint8))
    last = len(text) - 8
    # Eight bytes from each place on.
    window = np.ndarray((last + 1,), dtype="<u8", buffer=text, strides=(1,))
    size = stops - starts
    for first in range(0, min(int(size.max(initial=0)), WORD_BYTES), 8):
        which = np.flatnonzero(size > first)
        at = starts[which] + first
        if int(at.max()) <= last:
            eight = window[at]
        else:
            eight = window[np.minimum(at, last)] >> (8 * np.maximum(at - last, 0)).astype(np.uint64)
        eight <<= OTHERS[np.minimum(size[which] - first, 8)]
        yield which, eight.view(np.int64)


def _stripped(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Where stretches of text begin and end without the blanks at their ends."""
    if (stops > starts).all() and not (BLANK[text[starts]] | BLANK[text[stops - 1]]).any():
        return starts, stops
    held = np.flatnonzero(stops > starts)
    if not (BLANK[text[starts[held]]] | BLANK[text[stops[held] - 1]]).any():
        return starts, stops
    solid = np.concatenate([[-1], np.flatnonzero(~BLANK[text]), [len(text)]])
    starts = np.minimum(solid[np.searchsorted(solid, starts)], stops)
    return starts, np.maximum(solid[np.searchsorted(solid, stops) - 1] + 1, starts)


def side_by_side(text: Bytes, starts: Ints, sizes: Ints) -> Bytes:
    """Pieces of a text, one behind the other."""
    # Not all at once, since an index takes eight times the memory of what it finds.
    block = np.cumsum(sizes) // TOGETHER
    borders = [*np.flatnonzero(changes(block)).tolist(), len(starts)]
    found = [text[ranges(starts[first:stop], sizes[first:stop])] for first, stop in pairwise(borders)]
    return np.concatenate(found) if found else text[:0]


def whole_numbers(text: Bytes, starts: Ints, stops: Ints, most: int = 6) -> Ints:
    """The whole numbers ``text[starts:stops]``; -1 for what is no number of ``most`` digits or fewer."""
    size = stops - starts
    number = np.zeros(len(starts), dtype=np.int64)
    good = (size > 0) & (size <= most)
    for place in range(min(int(size.max(initial=0)), most)):
        at = np.flatnonzero(size > place)
        digit = text[starts[at] + place].astype(np.int64) - ord("0")
        good[at[(digit < 0) | (digit > 9)]] = False
        number[at] = number[at] * 10 + digit
    number[~good] = -1
    return number


def alike(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    """A number for each piece ``text[starts:stops]``, equal for equal ones and for no others."""
    size = stops - starts
    if int(size.max(initial=0)) > WORD_BYTES:
        pieces = (text[start:stop].tobytes() for start, stop in zip(starts.tolist(), stops.tolist(), strict=True))
        numbers: dict[bytes, int] = {}
        return np.array([numbers.setdefault(piece, len(numbers)) for piece in pieces], dtype=np.int64)
    # Sorted by a number that is different for different ones but for a chance in 2^64, and then looked at.
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
    """The same for words that stand alone."""
    sizes = np.array([len(word) for word in words], dtype=np.int64)
    stops = np.cumsum(sizes)
    return word_numbers(np.frombuffer(b"".join(words), dtype=np.uint8), stops - sizes, stops)


MARKS = np.append(numbers_of([b"", *(bytes([mark]) for mark in BLANK_MARKS)]), UNKNOWN)
"""What stands for a word that is not there, as numbers."""


def are_words(numbers: Ints, bounds: Ints) -> Bools:
    """Whether each text ``numbers[bounds[n]:bounds[n + 1]]`` has words at all, rather than one mark for each."""

    def how_many(which: Bools) -> Ints:
        found: Ints = np.diff(np.cumsum(np.append(0, which))[bounds])
        return found

    sizes = np.diff(bounds)
    firsts = np.append(numbers, UNKNOWN)[np.repeat(bounds[:-1], sizes)]
    words: Bools = (how_many(~np.isin(numbers, MARKS)) > 0) & ((how_many(numbers != firsts) > 0) | (sizes == 1))
    return words


class TextsSoFar:
    """The words of the tokens since the last batch."""

    def __init__(self) -> None:
        self._blocks = [(NONE, NONE, NONE)]

    def add(self, document: Ints, number: Ints, line: Ints) -> None:
        """Add the tokens of a block: their documents, the numbers of their words, their lines."""
        self._blocks.append((document, number, line))

    def take(self, ready: int) -> Texts:
        """The texts of so many documents; the rest waits for the next batch."""
        document, number, line = (np.concatenate(column) for column in zip(*self._blocks, strict=True))
        stop = int(np.searchsorted(document, ready))
        self._blocks = [(document[stop:] - ready, number[stop:], line[stop:])]
        return Texts(number[:stop], line[:stop])
