"""The words of an object of JSON, in each of the shapes of dialects."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.formats.jsonlines.dialects import FLAT, OBJECTS, SENTENCES, TEXT, Dialect
from corefscore.formats.jsonlines.records import Fields, clean, shown
from corefscore.formats.words import codes_of, kinds_of, spaced, words_in

_SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>"}
"""Subtokens that are not part of a word."""

TOKEN, WORD = "tokens", "text"
"""The fields of sentences and of tokens that are objects."""


def are(kind: type, values: Any) -> bool:
    """Return whether all values have exactly this type; `True` and `False` are not whole numbers."""
    return set(map(type, values)) <= {kind}


def sentences_in(value: Any, shape: str) -> list[Any] | None:
    """Return the words of a field of this shape by sentence, as they are in the file; one list or one text is the only
    sentence. None if the field has another shape."""
    if shape in (FLAT, TEXT):
        return [value] if are(list if shape == FLAT else str, [value]) else None
    if not are(list, [value]) or not are(list if shape == SENTENCES else tuple, value):
        return None
    if shape == SENTENCES:
        return list(value)
    tokens: list[Any] = [dict(sentence).get(TOKEN) for sentence in value]
    if not (are(list, tokens) and are(tuple, chain.from_iterable(tokens))):
        return None
    return [[dict(token).get(WORD) for token in sentence] for sentence in tokens]


def words_fault(value: Any, shape: str) -> tuple[str, str] | None:
    """Return what is wrong with a field of words, if anything is, and what was expected."""
    sentences = sentences_in(value, shape)
    if sentences is None:
        of_objects = shape == OBJECTS and are(list, [value]) and are(tuple, value)
        no_words = f"has a sentence without {TOKEN}, or with a token that is not an object"
        return (no_words if of_objects else f"is {shown(value)}"), _EXPECTED[shape]
    if shape == TEXT or are(str, chain.from_iterable(sentences)):
        return None
    other = next(word for word in chain.from_iterable(sentences) if not isinstance(word, str))
    return f"has {shown(other)} for a word", "a string for every word"


_EXPECTED = {
    SENTENCES: "a list of sentences, each a list of words",
    FLAT: "one list of words",
    OBJECTS: f"a list of sentences, each an object with {TOKEN}, a list of objects with {WORD}",
    TEXT: "the text of the document, a string",
}
"""What a field of words contains, by shape."""


def sentences_of(fields: Fields, dialect: Dialect) -> list[list[str]] | None:
    """Return the words of a document by sentence, or by segment if it has subtokens; None if it has no words."""
    value = fields.get(dialect.words)
    if value is None or dialect.shape == TEXT:
        return None
    sentences = sentences_in(value, dialect.shape) or []
    if of_subtokens(fields, dialect):
        return _joined(sentences, fields[dialect.subtokens or ""])
    words = [list(map(clean, sentence)) for sentence in sentences]
    numbers = fields.get(dialect.sentence_of or "")
    if numbers is None:
        return words
    by_number = groupby(zip(numbers, words[0], strict=True), itemgetter(0))
    return [[word for _, word in sentence] for _, sentence in by_number]


def _joined(segments: Sequence[Sequence[str]], subtoken_map: Sequence[int]) -> list[list[str]]:
    """Return the words that are joined from subtokens, by segment."""
    found: list[list[list[str]]] = []
    pieces: list[list[str]] = []
    words_of_subtokens = iter(subtoken_map)
    for segment in segments:
        first = len(pieces)
        for subtoken in segment:
            # Every number up to the last one is a word.
            pieces += [[] for _ in range(next(words_of_subtokens) + 1 - len(pieces))]
            if subtoken not in _SPECIAL:
                pieces[-1].append(clean(subtoken).removeprefix("##"))
        found.append(pieces[first:])
    return [["".join(word) if word else "" for word in segment] for segment in found]


def of_subtokens(fields: Fields, dialect: Dialect) -> bool:
    """Return whether the words of a document are subtokens, not the words that they are part of."""
    if dialect.subtokens is None:
        return False
    words, subtoken_map = fields.get(dialect.words), fields.get(dialect.subtokens)
    if words is None or subtoken_map is None or subtoken_map == list(range(len(subtoken_map))):
        return False
    return sum(map(len, words)) == len(subtoken_map)


class _Pieces(NamedTuple):
    """The words of a text, which is cut at blanks and at the ends of mentions.

    ``text`` contains the words with one blank between them, ``tokens`` is their number, and ``mentions`` (mentions x 2)
    the numbers of the first and the last word of each mention. The first is after the last if a mention contains only
    white space.
    """

    text: str
    tokens: int
    mentions: Ints


def pieces_of(text: str, offsets: Sequence[int]) -> _Pieces:
    """Return the pieces of a text; white space at the ends of a mention is not part of it.

    ``offsets`` are the first and the last character of each mention in one list.
    """
    codes = codes_of(text)
    first, last = np.array(offsets, dtype=np.int64).reshape(-1, 2).T
    starts, stops = words_in(kinds_of(codes), np.concatenate([first, last + 1]))
    mentions = np.stack([np.searchsorted(stops, first, "right"), np.searchsorted(starts, last, "right") - 1], axis=1)
    return _Pieces(spaced(codes, starts, stops), len(starts), mentions)
