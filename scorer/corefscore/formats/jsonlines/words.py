"""The words of an object of JSON, in each of the shapes that dialects have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from corefscore.documents.arrays import Ints
from corefscore.formats.characters import codes_of, kinds_of, spaced, words_in
from corefscore.formats.jsonlines.dialects import FLAT, OBJECTS, SENTENCES, TEXT, Dialect
from corefscore.formats.jsonlines.records import Fields, clean, shown

SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>"}
"""Subtokens that belong to no word."""

TOKEN, WORD = "tokens", "text"
"""The fields of sentences and of tokens that are objects."""

Fault = tuple[str, str]
"""What is wrong with a field, and what was expected."""


def are(kind: type, values: Any) -> bool:
    """Whether all values are of one type, `True` and `False` being no whole numbers."""
    return set(map(type, values)) <= {kind}


def words_fault(value: Any, shape: str) -> Fault | None:
    """What is wrong with a field of words, if anything is."""
    return FAULTS[shape](value)


def _fault_of_sentences(value: Any) -> Fault | None:
    if not (are(list, [value]) and are(list, value)):
        return f"is {shown(value)}", "a list of sentences, each a list of words"
    return _fault_of_words(chain.from_iterable(value), chain.from_iterable(value))


def _fault_of_words(words: Iterator[Any], again: Iterator[Any]) -> Fault | None:
    if are(str, words):
        return None
    other = next(word for word in again if not isinstance(word, str))
    return f"has {shown(other)} for a word", "a string for every word"


def _fault_of_list(value: Any) -> Fault | None:
    if not are(list, [value]):
        return f"is {shown(value)}", "one list of words"
    return _fault_of_words(iter(value), iter(value))


def _fault_of_objects(value: Any) -> Fault | None:
    expected = f"a list of sentences, each an object with {TOKEN}, a list of objects with {WORD}"
    if not (are(list, [value]) and are(tuple, value)):
        return f"is {shown(value)}", expected
    tokens: list[Any] = [dict(sentence).get(TOKEN) for sentence in value]
    if not (are(list, tokens) and are(tuple, chain.from_iterable(tokens))):
        return f"has a sentence without {TOKEN}, or with one that is no object", expected
    words = [dict(token).get(WORD) for token in chain.from_iterable(tokens)]
    return _fault_of_words(iter(words), iter(words))


def _fault_of_text(value: Any) -> Fault | None:
    return None if isinstance(value, str) else (f"is {shown(value)}", "the text of the document, a string")


FAULTS: Mapping[str, Callable[[Any], Fault | None]] = {
    SENTENCES: _fault_of_sentences,
    FLAT: _fault_of_list,
    OBJECTS: _fault_of_objects,
    TEXT: _fault_of_text,
}
"""What is wrong with words, by shape."""


def sizes_of(fields: Fields, dialect: Dialect) -> list[int] | None:
    """The number of words (or characters) of each sentence, or of all; None where they are not there."""
    value = fields.get(dialect.words)
    if value is None:
        return None
    if dialect.shape == SENTENCES:
        return list(map(len, value))
    if dialect.shape == OBJECTS:
        return [len(dict(sentence)[TOKEN]) for sentence in value]
    return [len(value)]


def sentences_of(fields: Fields, dialect: Dialect) -> list[list[str]] | None:
    """The words of a document by sentence, or by segment where it gives subtokens; None where there are none."""
    value = fields.get(dialect.words)
    if value is None or dialect.shape == TEXT:
        return None
    if dialect.shape == SENTENCES:
        if of_subtokens(fields, dialect):
            return _joined(value, fields[dialect.subtokens or ""])
        return [list(map(clean, sentence)) for sentence in value]
    if dialect.shape == OBJECTS:
        return [[clean(dict(token)[WORD]) for token in dict(sentence)[TOKEN]] for sentence in value]
    words = list(map(clean, value))
    numbers = fields.get(dialect.sentence_of or "")
    if numbers is None:
        return [words]
    by_number = groupby(zip(numbers, words, strict=True), itemgetter(0))
    return [[word for _, word in its] for _, its in by_number]


def _joined(segments: Sequence[Sequence[str]], subtoken_map: Sequence[int]) -> list[list[str]]:
    """The words that subtokens make, by segment."""
    found: list[list[list[str]]] = []
    pieces: list[list[str]] = []
    words_of_subtokens = iter(subtoken_map)
    for segment in segments:
        first = len(pieces)
        for subtoken in segment:
            # Every number up to the last one is a word.
            pieces += ([] for _ in range(next(words_of_subtokens) + 1 - len(pieces)))
            if subtoken not in SPECIAL:
                pieces[-1].append(clean(subtoken).removeprefix("##"))
        found.append(pieces[first:])
    return [["".join(word) for word in segment] for segment in found]


def of_subtokens(fields: Fields, dialect: Dialect) -> bool:
    """Whether the words of a document are subtokens, and not the words that they belong to."""
    if dialect.subtokens is None:
        return False
    its_words, subtoken_map = fields.get(dialect.words), fields.get(dialect.subtokens)
    if its_words is None or subtoken_map is None or subtoken_map == list(range(len(subtoken_map))):
        return False
    return sum(map(len, its_words)) == len(subtoken_map)


class Pieces(NamedTuple):
    """The words of a text, which mentions cut where they begin or end: ``text`` has them with one blank between them,
    ``tokens`` is how many there are, ``mentions`` which are the first and the last of each mention, mentions x 2. The
    first comes after the last if a mention is nothing but white space."""

    text: str
    tokens: int
    mentions: Ints


def pieces_of(text: str, offsets: Sequence[int]) -> Pieces:
    """The pieces of a text; white space at the ends of a mention does not belong to it.

    ``offsets`` are the first and the last character of one mention after the other.
    """
    codes = codes_of(text)
    first, last = np.array(offsets, dtype=np.int64).reshape(-1, 2).T
    starts, stops = words_in(kinds_of(codes), np.concatenate([first, last + 1]))
    mentions = np.stack([np.searchsorted(stops, first, "right"), np.searchsorted(starts, last, "right") - 1], axis=1)
    return Pieces(spaced(codes, starts, stops), len(starts), mentions)
