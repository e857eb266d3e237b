"""The texts of key and response compared: where they differ first."""

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
    """For each document the first token that is a different word on the other side, or that only one side has.

    -1 if there is none, if the words of a side are not known, and if a side does not have the document.
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
    first, other_first = (first_tokens[document] for first_tokens in bounds)
    sizes, other_sizes = (np.diff(first_tokens)[document] for first_tokens in bounds)
    both = np.minimum(sizes, other_sizes)
    found[document] = np.where(sizes == other_sizes, -1, both)
    words, other_words = numbers[0][ranges(first, both)], numbers[1][ranges(other_first, both)]
    different = np.flatnonzero((words != other_words) & (words != UNKNOWN) & (other_words != UNKNOWN))
    ends = np.cumsum(both)
    of_document = np.searchsorted(ends, different, side="right")
    different, of_document = (column[changes(of_document)] for column in (different, of_document))
    found[document[of_document]] = different - (ends - both)[of_document]
    return found


def described(code: str, pairs: Pairs, partings: Sequence[Token]) -> Iterator[Finding]:
    """A finding for each token at which the texts differ, with its line and its word on both sides."""
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
    """The line and the word of each token; the line of the last token if the text ends before it."""
    found: list[tuple[int | None, str]] = []
    spans: dict[int, Span] = {}
    for row, (document, token) in enumerate(tokens):
        size, lines = int(side.tokens[document]), side.text_of(document).line
        line = int(lines[min(token, size - 1)]) if len(lines) else side.place_of(document).line
        found.append((line, f"missing: there are {size}"))
        if token < size:
            spans[row] = Span(document, line or 0, token, token)
    for row, word in zip(spans, side.words_at(list(spans.values())), strict=True):
        found[row] = found[row][0], f'"{word}"'
    return found
