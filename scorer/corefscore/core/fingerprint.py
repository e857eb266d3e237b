"""The fingerprint of a key: a number that changes with its mentions, its entities and its number of tokens.

Documents, entities and mentions are added, so that their order does not matter. Names of documents, ids of entities and
words are not covered, so that formats with other names have the same fingerprint:

- a mention is its first and its last token; in CorefUD also its words, unless these are all tokens from the first to
  the last; an item is its value;
- an entity is the sum of its mentions, a document the sum of its entities and its number of tokens, and a key the sum
  of its documents. Each is scrambled before it is added.

All sums are modulo 2**64.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np

from corefscore.core.arrays import Ints, bounds, tally
from corefscore.core.documents import Documents
from corefscore.core.items import LONGEST, Values, text_of

_Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_DIGITS = 6

_MOST_DIGITS, _BEYOND = 19, 2**62
"""The length of numbers that are too long for 64 bits, and what is added to checksums of texts."""


def fingerprint(documents: Documents) -> int:
    """Return the sum of the fingerprints of the documents of a batch, of which each has all of its mentions."""
    mentions = _scrambled(_scrambled(documents.start) + documents.end.view(np.uint64))
    if documents.items is not None:
        items = documents.start < 0
        number = documents.start[items] + LONGEST
        used = tally(number, len(documents.items.values)) > 0  # all batches share the values
        mentions[items] = _of_values(documents.items.values, np.flatnonzero(used))[np.cumsum(used)[number] - 1]
    if documents.nodes is not None:
        size = documents.nodes.size
        words = _sums(_scrambled(documents.nodes.word), np.cumsum(np.append(0, size)))
        gaps = size != documents.end - documents.start + 1
        mentions[gaps] += words[gaps]
    entities = _sums(_scrambled(mentions), bounds(documents.entity, len(documents.document)))
    of_documents = _sums(_scrambled(entities), bounds(documents.document, len(documents)))
    return int(np.sum(_scrambled(of_documents + _scrambled(documents.tokens))))


def digits_of(total: int) -> str:
    """Return the fingerprint of a key as six hexadecimal digits; ``total`` is the sum of those of its batches."""
    return f"{int(_scrambled(np.array([total % 2**64], dtype=np.uint64))[0]):016x}"[:_DIGITS]


def _of_values(values: Values, which: Ints) -> _Hashes:
    """Return a hash of some items: of a whole number itself, also of its digits as text, of anything else its text."""
    if isinstance(values, range) or (isinstance(values, np.ndarray) and values.dtype.kind in "iu"):
        return _scrambled(np.asarray(values)[which].astype(np.int64))
    return _scrambled(np.array([_number_of(text_of(values[number])) for number in which.tolist()], np.int64))


def _number_of(text: str) -> int:
    """Return the whole number that a text is, or a checksum beyond such numbers."""
    if text.isdecimal() and text.isascii() and len(text) < _MOST_DIGITS and (text[0] != "0" or text == "0"):
        return int(text)
    return _BEYOND + crc32(text.encode("utf-8", "surrogatepass"))


def _sums(hashes: _Hashes, edges: Ints) -> _Hashes:
    """Return the sum of each group of hashes; ``edges`` is where the groups begin, and finally where they end."""
    before = np.append(np.uint64(0), np.cumsum(hashes, dtype=np.uint64))
    return before[edges[1:]] - before[edges[:-1]]


def _scrambled(numbers: Ints | _Hashes) -> _Hashes:
    """Return numbers whose bits depend on all bits of those given (the finalizer of SplitMix64; Steele, Lea and Flood
    2014)."""
    found = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found
