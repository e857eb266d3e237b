"""The texts of key and response beside each other: where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from scorer.findings import Finding
from scorer.formats.words import are_words
from scorer.model import UNKNOWN, Documents
from scorer.pairing import Pairs

Token = tuple[int, int]
"""A document of a batch, and a token of it."""


def parting(pairs: Pairs, document: int) -> int | None:
    """The first token of a document that is another word on the other side, or is there on one side only.

    None where there is none, and where the words of a side are not known.
    """
    one, other = (side.text_of(document).number for side in (pairs.key, pairs.response))
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
    document, token = np.array(tokens, dtype=np.int64).reshape(-1, 2).T
    lines = [side.place_of(d).line for d in document.tolist()]
    for at, (d, t) in enumerate(tokens):
        if len(its := side.text_of(d).line):
            lines[at] = int(its[min(t, len(its) - 1)])
    words = [f"missing: there are {size}" for size in side.tokens[document].tolist()]
    there = np.flatnonzero(token < side.tokens[document])
    # As mentions of one token, of which the reader knows the words.
    mentions = replace(
        side,
        document=document,
        label=np.arange(len(tokens)),
        entity=np.arange(len(tokens)),
        start=token,
        end=token,
        line=np.array([line or 0 for line in lines], dtype=np.int64),
    )
    for at, word in zip(there.tolist(), side.words(mentions, there.tolist()), strict=True):
        words[at] = f'"{word}"'
    return list(zip(lines, words, strict=True))
