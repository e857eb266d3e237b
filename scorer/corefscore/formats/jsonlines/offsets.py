"""The clusters of an object of JSON: from the offsets of its dialect to tokens, and their faults."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from operator import le
from typing import Any, NamedTuple

from corefscore.core.findings import NO_CHARACTERS, plural
from corefscore.formats.jsonlines.dialects import TEXT, Dialect
from corefscore.formats.jsonlines.records import shown
from corefscore.formats.jsonlines.words import are

MOST_TOKENS = 10**8
"""The limit of the number of tokens of a document, so that a wrong offset cannot take all memory."""

_NOT_SPELLED = re.compile(r"\s|_|##")
"""The differences between the words of a mention and its tokens that are ignored: blanks and marks of empty nodes."""


class Offsets(NamedTuple):
    """What the offsets of a document count.

    ``sizes`` are the numbers of tokens (or characters) of its sentences; one number for all if mentions do not name
    their sentence; None if it is not known. ``known_by`` says how it is known, for messages.
    """

    sizes: Sequence[int] | None
    known_by: str
    dialect: Dialect


def flattened(clusters: list[Any], offsets: Offsets) -> list[int] | None:
    """List the first and the last token of each mention, one after the other, counted from the first of the document.

    None if `faults_of` finds a fault; this is much faster.
    """
    dialect = offsets.dialect
    if not are(list, clusters):
        return None
    mentions = list(chain.from_iterable(clusters))
    if dialect.by_sentence:
        if any(_expected(mention, offsets) for mention in mentions):
            return None
        first = [0, *accumulate(offsets.sizes or ())]
        return [first[number] + at for number, start, end in mentions for at in (start, end - dialect.exclusive)]
    if not are(list, mentions) or not set(map(len, mentions)) <= {2}:
        return None
    flat = list(chain.from_iterable(mentions))
    if not are(int, flat) or min(flat, default=0) < 0:
        return None
    if dialect.exclusive:
        flat[1::2] = [after - 1 for after in flat[1::2]]
    most = MOST_TOKENS if offsets.sizes is None else sum(offsets.sizes)
    return flat if all(map(le, flat[::2], flat[1::2])) and max(flat, default=-1) < most else None


def faults_of(clusters: list[Any], offsets: Offsets) -> Iterator[tuple[str, str, str]]:
    """Yield all faults of clusters: where, what was found, and what was expected."""
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            yield f"[{number}]", shown(cluster), f"a list of mentions, each {offsets.dialect.mention}"
            continue
        for index, mention in enumerate(cluster):
            if expected := _expected(mention, offsets):
                yield f"[{number}][{index}]", shown(mention), expected


def _expected(mention: Any, offsets: Offsets) -> str | None:
    """Describe what was expected instead of a wrong mention; None if it is right."""
    dialect = offsets.dialect
    width = 3 if dialect.by_sentence else 2
    if not (isinstance(mention, list) and len(mention) == width and are(int, mention)):
        return f"{'three' if width == 3 else 'two'} whole numbers, {dialect.mention}, counted from 0"
    if min(mention) < 0:
        return f"{dialect.unit}s counted from 0; no offset is below that"
    if mention[-1] - dialect.exclusive < mention[-2]:
        last = "the one after its last" if dialect.exclusive else "its last one"
        return f"the first {dialect.unit} of the mention, then {last}"
    return _expected_end(mention, offsets)


def _expected_end(mention: list[int], offsets: Offsets) -> str | None:
    """Describe what was expected instead of an end that is too large, or of a sentence that does not exist."""
    sizes, known_by, dialect = offsets
    if dialect.by_sentence:
        sizes = sizes or ()
        if mention[0] >= len(sizes):
            return f"a sentence below {len(sizes)}, since the document has {plural(len(sizes), 'sentence')}"
        limit = sizes[mention[0]]
        known_by = f"sentence {mention[0]} has {plural(limit, dialect.unit)}"
    else:
        limit = MOST_TOKENS if sizes is None else sum(sizes)
    if mention[-1] - dialect.exclusive < limit:
        return None
    if sizes is None:
        return f"offsets of tokens, below {MOST_TOKENS:,}"
    expected = f"offsets below {limit + dialect.exclusive}, since {known_by}"
    if not dialect.exclusive and mention[-1] == limit:
        return f"{expected}; an end is the last token of the mention, not the token after it"
    return expected if dialect.by_sentence or dialect.shape == TEXT else f"{expected}{NO_CHARACTERS}"


class _Misspelled(NamedTuple):
    """A mention whose words in the file differ from its tokens.

    ``place`` is its index in the clusters, ``words`` are its tokens, ``spelled`` are its words in the file. ``other``
    says whether these would fit with an end of the other kind (`Dialect.exclusive`).
    """

    place: str
    words: str
    spelled: str
    other: bool


def misspelled(
    flat: Sequence[int], spelled: Sequence[Sequence[str]], words: Sequence[str] | str, dialect: Dialect
) -> Iterator[_Misspelled]:
    """Yield the mentions whose tokens differ from their words in the file.

    ``flat`` is `flattened`, ``spelled`` has the words by cluster and mention, ``words`` are all words of the document
    or its text.
    """
    blank = "" if isinstance(words, str) else " "
    step = -1 if dialect.exclusive else 1
    numbered = ((number, index, text) for number, its in enumerate(spelled) for index, text in enumerate(its))
    for (number, index, expected), start, end in zip(numbered, flat[::2], flat[1::2], strict=True):
        found = blank.join(words[start : end + 1])
        if found != expected and _plain(found) != _plain(expected):
            other = blank.join(words[start : end + 1 - step])  # with an end of the other kind
            yield _Misspelled(f"[{number}][{index}]", found, expected, _plain(other) == _plain(expected))


def _plain(words: str) -> str:
    """Return words without the differences that are ignored."""
    return _NOT_SPELLED.sub("", words)
