"""The texts of key and response beside each other: where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from corefscore.alignment.pairing import Pairs
from corefscore.checking.findings import Finding
from corefscore.documents.arrays import Ints, changes, ranges
from corefscore.documents.model import UNKNOWN, Documents, Span
from corefscore.formats.words import are_words

Token = tuple[int, int]
"""A document of a batch, and a token of it."""


def partings(pairs: Pairs) -> Ints:
    """For each document the first token that is another word on the other side, or is there on one side only.

    -1 where there is none, where the words of a side are not known, and where a side has no such document.
    """
    found = np.full(len(pairs.present), -1)
    key, response = pairs.key, pairs.response
    if key.texts is None or response.texts is None:
        return found
    numbers, bounds = (key.texts.number, response.texts.number), (key.first_tokens, response.first_tokens)
    if np.array_equal(*numbers) and np.array_equal(*bounds):
        return found
    known, known_other = map(are_words, numbers, bounds)
    document = np.flatnonzero(pairs.present & known & known_other)
    first, other_first = (its[document] for its in bounds)
    sizes, other_sizes = (np.diff(its)[document] for its in bounds)
    both = np.minimum(sizes, other_sizes)
    found[document] = np.where(sizes == other_sizes, -1, both)
    one, other = numbers[0][ranges(first, both)], numbers[1][ranges(other_first, both)]
    different = np.flatnonzero((one != other) & (one != UNKNOWN) & (other != UNKNOWN))
    ends = np.cumsum(both)
    of_document = np.searchsorted(ends, different, side="right")
    different, of_document = (column[changes(of_document)] for column in (different, of_document))
    found[document[of_document]] = different - (ends - both)[of_document]
    return found


def described(code: str, pairs: Pairs, partings: Sequence[Token]) -> Iterator[Finding]:
    """A finding for each token at which texts part: its line and its word on either side."""
    response, key = (_tokens(side, partings) for side in (pairs.response, pairs.key))
    for (document, token), (line, word), (key_line, key_word) in zip(partings, response, key, strict=True):
        details = {
            "document": pairs.key.names[document],
            "token": token,
            "word": word,
            "key_word": key_word,
            "place": f"{pairs.key.place_of(document).source.name}:{key_line}",
        }
        yield Finding(code, pairs.response.place_of(document).source.name, line, details=details)


def _tokens(side: Documents, tokens: Sequence[Token]) -> list[tuple[int | None, str]]:
    """The line of each token, or that of the last one where the text has ended before, and its word."""
    found: list[tuple[int | None, str]] = []
    there: dict[int, Span] = {}
    for at, (document, token) in enumerate(tokens):
        size, lines = int(side.tokens[document]), side.text_of(document).line
        line = int(lines[min(token, size - 1)]) if len(lines) else side.place_of(document).line
        found.append((line, f"missing: there are {size}"))
        if token < size:
            there[at] = Span(document, line or 0, token, token)
    for at, word in zip(there, side.words_at(list(there.values())), strict=True):
        found[at] = found[at][0], f'"{word}"'
    return found
