"""The texts of key and response beside each other: where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from corefscore.findings import Finding
from corefscore.formats.words import are_words
from corefscore.model import UNKNOWN, Documents, Span
from corefscore.pairing import Pairs

Token = tuple[int, int]
"""A document of a batch, and a token of it."""


def parting(pairs: Pairs, document: int) -> int | None:
    """The first token of a document that is another word on the other side, or is there on one side only.

    None where there is none, and where the words of a side are not known.
    """
    one, other = (side.text_of(document).number for side in (pairs.key, pairs.response))
    if len(one) == len(other) and (one == other).all():
        return None
    if not (are_words(one) and are_words(other)):
        return None
    size = min(len(one), len(other))
    a, b = one[:size], other[:size]
    different = np.flatnonzero((a != b) & (a != UNKNOWN) & (b != UNKNOWN))
    if len(different):
        return int(different[0])
    return None if len(one) == len(other) else size


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
