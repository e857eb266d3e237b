"""The clusters of an object of JSON: from the offsets of its dialect to tokens, and their faults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from operator import add, le
from typing import Any, NamedTuple

from corefscore.core.findings import NO_CHARACTERS, plural
from corefscore.formats.jsonlines.dialects import TEXT, Dialect
from corefscore.formats.jsonlines.records import shown
from corefscore.formats.jsonlines.words import are

MOST_TOKENS = 10**8
"""The limit of the number of tokens of a document, so that a wrong offset cannot take all memory."""

NOT_SPELLED = re.compile(r"\s|_|##")
"""The differences between the words of a mention and its tokens that are ignored: blanks and marks of empty nodes."""


class Offsets(NamedTuple):
    """What the offsets of a document count.

    ``sizes`` are the numbers of tokens (or characters) of its sentences; one number for all if mentions do not name
    their sentence; None if it is not known. ``known_by`` says how it is known, for messages.
    """

    sizes: Sequence[int] | None
    known_by: str
    dialect: Dialect


Columns = tuple[list[int], list[int], list[int]]
"""The sentences of mentions, their first and their last tokens."""


def flattened(clusters: list[Any], offsets: Offsets) -> list[int] | None:
    """The first and the last token of each mention in one list, counted from the first of the document.

    None if `faults_of` finds a fault; this is much faster.
    """
    columns = _columns(clusters, offsets.dialect)
    if columns is None:
        return None
    sentence, start, end = columns
    sizes = offsets.sizes
    if not offsets.dialect.by_sentence:
        most = MOST_TOKENS if sizes is None else sum(sizes)
        return _alternating(start, end) if max(end, default=-1) < most else None
    sizes = sizes or ()
    if max(sentence, default=-1) >= len(sizes):
        return None
    if any(last >= sizes[number] for number, last in zip(sentence, end, strict=True)):
        return None
    first = [0, *accumulate(sizes)]
    before = [first[number] for number in sentence]
    return _alternating(map(add, before, start), map(add, before, end))


def _alternating(start: Iterable[int], end: Iterable[int]) -> list[int]:
    return list(chain.from_iterable(zip(start, end, strict=True)))


def _columns(clusters: list[Any], dialect: Dialect) -> Columns | None:
    """The columns of all mentions; None if something in the clusters is not a mention."""
    if not are(list, clusters):
        return None
    mentions = list(chain.from_iterable(clusters))
    width = 3 if dialect.by_sentence else 2
    if not are(list, mentions) or not set(map(len, mentions)) <= {width}:
        return None
    flat = list(chain.from_iterable(mentions))
    if not are(int, flat) or min(flat, default=0) < 0:
        return None
    start, end = flat[width - 2 :: width], flat[width - 1 :: width]
    if dialect.exclusive:
        end = [after - 1 for after in end]
    return (flat[::width], start, end) if all(map(le, start, end)) else None


def faults_of(clusters: list[Any], offsets: Offsets) -> Iterator[tuple[str, str, str]]:
    """All faults of clusters: where, what was found, and what was expected."""
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            yield f"[{number}]", shown(cluster), f"a list of mentions, each {offsets.dialect.mention}"
            continue
        for index, mention in enumerate(cluster):
            if expected := _expected(mention, offsets):
                yield f"[{number}][{index}]", shown(mention), expected


def _expected(mention: Any, offsets: Offsets) -> str | None:
    """What was expected instead of a wrong mention; None if it is right."""
    dialect = offsets.dialect
    width = 3 if dialect.by_sentence else 2
    if not (isinstance(mention, list) and len(mention) == width and are(int, mention)):
        return f"{'three' if width == 3 else 'two'} whole numbers, {dialect.mention}, counted from 0"
    start, end = mention[-2], mention[-1] - dialect.exclusive
    if min(mention) < 0:
        return f"{offsets.dialect.unit}s counted from 0; no offset is below that"
    if end < start:
        unit = offsets.dialect.unit
        last = "the one after its last" if dialect.exclusive else "its last one"
        return f"the first {unit} of the mention, then {last}"
    return _expected_end(mention, offsets)


def _expected_end(mention: list[int], offsets: Offsets) -> str | None:
    """What was expected instead of an end that is too large, or of a sentence that does not exist."""
    dialect, sizes = offsets.dialect, offsets.sizes
    limit, known_by = -1 if sizes is None else sum(sizes), offsets.known_by
    if dialect.by_sentence:
        number = 0 if sizes is None else len(sizes)
        if mention[0] >= number:
            return f"a sentence below {number}, since the document has {plural(number, 'sentence')}"
        limit = 0 if sizes is None else sizes[mention[0]]
        known_by = f"sentence {mention[0]} has {plural(limit, offsets.dialect.unit)}"
    end = mention[-1] - dialect.exclusive
    if 0 <= limit <= end:
        return _beyond(mention[-1], limit + dialect.exclusive, known_by, dialect)
    return f"offsets of tokens, below {MOST_TOKENS:,}" if end >= MOST_TOKENS else None


def _beyond(end: int, limit: int, known_by: str, dialect: Dialect) -> str:
    """What was expected instead of an end that is not below ``limit``."""
    expected = f"offsets below {limit}, since {known_by}"
    if not dialect.exclusive and end == limit:
        return f"{expected}; an end is the last token of the mention, not the token after it"
    return expected if dialect.by_sentence or dialect.shape == TEXT else f"{expected}{NO_CHARACTERS}"


class Misspelled(NamedTuple):
    """A mention whose words in the file differ from its tokens.

    ``place`` is its index in the clusters, ``words`` are its tokens, ``spelled`` are its words in the file. ``other``
    says whether these would fit with an end of the other kind (`Dialect.exclusive`).
    """

    place: str
    words: str
    spelled: str
    other: bool


def misspelled(
    clusters: Sequence[Sequence[Any]], flat: Sequence[int], spelled: Any, words: Sequence[str] | str, dialect: Dialect
) -> Iterator[Misspelled]:
    """The mentions whose tokens differ from their words in the file.

    ``flat`` is `flattened`, ``spelled`` has the words by cluster and mention, ``words`` are all words of the document
    or its text. Raises `ValueError` if ``spelled`` is not strings in lists like those of the clusters.
    """
    if not are(list, [spelled]) or not are(list, spelled) or list(map(len, spelled)) != list(map(len, clusters)):
        raise ValueError
    if not are(str, chain.from_iterable(spelled)):
        raise ValueError
    blank = "" if isinstance(words, str) else " "
    step = -1 if dialect.exclusive else 1
    numbered = ((number, index, text) for number, its in enumerate(spelled) for index, text in enumerate(its))
    for (number, index, expected), start, end in zip(numbered, flat[::2], flat[1::2], strict=True):
        found = blank.join(words[start : end + 1])
        if found == expected or _plain(found) == _plain(expected):
            continue
        other = blank.join(words[start : end + 1 - step])  # with an end of the other kind
        yield Misspelled(f"[{number}][{index}]", found, expected, _plain(other) == _plain(expected))


def _plain(words: str) -> str:
    """Words without the differences that are ignored."""
    return NOT_SPELLED.sub("", words)
