"""Words as numbers, so that the texts of two sides can be compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefscore.arrays import NONE, Bytes, Ints
from corefscore.model import UNKNOWN, Texts

WORD_BYTES = 64
"""How much of a word is compared, besides its length."""

BLANK_MARKS = b"-_*"
"""Cells of one byte that say that there is nothing."""

BLANKS = b" \t\n\r\v\f"
"""What `bytes.strip` takes off."""


def word_numbers(text: Bytes, starts: Ints, stops: Ints) -> Ints:
    """A number for each word ``text[starts:stops]``, blanks at its ends left out; equal for equal ones."""
    starts, stops = _stripped(text, starts, stops)
    length = stops - starts
    number = length.astype(np.int64)
    for place in range(min(int(length.max(initial=0)), WORD_BYTES)):
        more = np.flatnonzero(length > place)
        number[more] = number[more] * 1_000_003 + text[starts[more] + place] + 1
    return number


def _stripped(text: Bytes, starts: Ints, stops: Ints) -> tuple[Ints, Ints]:
    """Where stretches of text begin and end without the blanks at their ends."""
    blank = np.isin(text, np.frombuffer(BLANKS, dtype=np.uint8))
    held = np.flatnonzero(stops > starts)
    if not (blank[starts[held]] | blank[stops[held] - 1]).any():
        return starts, stops
    solid = np.concatenate([[-1], np.flatnonzero(~blank), [len(text)]])
    starts = np.minimum(solid[np.searchsorted(solid, starts)], stops)
    return starts, np.maximum(solid[np.searchsorted(solid, stops) - 1] + 1, starts)


def numbers_of(words: Sequence[bytes]) -> Ints:
    """The same for words that stand alone."""
    sizes = np.array([len(word) for word in words], dtype=np.int64)
    stops = np.cumsum(sizes)
    return word_numbers(np.frombuffer(b"".join(words), dtype=np.uint8), stops - sizes, stops)


MARKS = np.append(numbers_of([b"", *(bytes([mark]) for mark in BLANK_MARKS)]), UNKNOWN)
"""What stands for a word that is not there, as numbers."""


def are_words(numbers: Ints) -> bool:
    """Whether a text has words at all, rather than one mark for each."""
    alike = len(numbers) > 1 and (numbers == numbers[0]).all()
    return not (alike or np.isin(numbers, MARKS).all())


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
