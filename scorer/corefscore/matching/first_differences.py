"""Where the texts of paired documents differ first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from corefscore.core.arrays import NONE, Ints, changes, ranges
from corefscore.core.documents import UNKNOWN, Documents, Mention, Span, Unworded
from corefscore.core.findings import Finding
from corefscore.formats.words import are_words
from corefscore.matching.pairing import Pairs

_Token = tuple[int, int]
"""A document of a batch, and a token of it."""


def first_differences(pairs: Pairs) -> Ints:
    """For each document the first token that is a different word on the other side, or that only one side has.

    -1 if there is none, if the words of a side are not known, and if a side does not have the document.
    """
    found = np.full(len(pairs.present), -1)
    key, response = pairs.key, pairs.response
    if key.texts is None or response.texts is None:
        return found
    words, other_words = key.texts.number, response.texts.number
    begins, other_begins = key.first_tokens, response.first_tokens
    if np.array_equal(words, other_words) and np.array_equal(begins, other_begins):
        return found
    comparable = pairs.present & are_words(words, begins) & are_words(other_words, other_begins)
    document = np.flatnonzero(comparable)
    size, other_size = np.diff(begins)[document], np.diff(other_begins)[document]
    shorter = np.minimum(size, other_size)
    # Without a different word, the texts part where the shorter one ends.
    found[document] = np.where(size == other_size, -1, shorter)
    # The words of all documents one after another, as far as both sides have them.
    words, other_words = words[ranges(begins[document], shorter)], other_words[ranges(other_begins[document], shorter)]
    different = np.flatnonzero((words != other_words) & (words != UNKNOWN) & (other_words != UNKNOWN))
    ends = np.cumsum(shorter)
    row = np.searchsorted(ends, different, side="right")
    first = changes(row)
    row, different = row[first], different[first]
    found[document[row]] = different - (ends - shorter)[row]
    return found


def described(code: str, pairs: Pairs, tokens: Iterable[_Token]) -> Iterator[Unworded]:
    """A finding for each token at which the texts differ, with its line and its word on both sides."""
    for document, token in tokens:
        sides = [_token(side, document, token) for side in (pairs.response, pairs.key)]
        yield Unworded([mention for mention, missing in sides if not missing], partial(_different, code, token, sides))


def _token(side: Documents, document: int, token: int) -> tuple[Mention, str]:
    """A token with its line; if the text ends before it, with the line of the last token and a remark."""
    size, (first, stop) = int(side.tokens[document]), side.first_tokens[document : document + 2]
    line_of = NONE if side.texts is None else side.texts.line[first:stop]
    line = int(line_of[min(token, size - 1)]) if len(line_of) else side.place_of(document).line
    mention = side.at(Span(document, line or 0, token, token))
    return mention, "" if token < size else f"missing: there are {size}"


def _different(code: str, token: int, sides: Sequence[tuple[Mention, str]], words: Iterable[str]) -> Finding:
    """The finding for a token, with the words of those sides that have it."""
    known = iter(words)
    word, key_word = (missing or f'"{next(known)}"' for _, missing in sides)
    (response, _), (key, _) = sides
    details = {
        "document": key.document,
        "token": token,
        "word": word,
        "key_word": key_word,
        "place": f"{key.place.source.name}:{key.line}",
    }
    return Finding(code, response.place.source.name, response.line, details=details)
