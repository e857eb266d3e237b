"""The clusters of an object of JSON: from the offsets of its dialect to tokens, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from operator import add, le
from typing import Any, NamedTuple

from corefscore.checking.findings import NO_CHARACTERS, plural
from corefscore.formats.jsonlines.dialects import E2E, TEXT, Dialect
from corefscore.formats.jsonlines.records import shown
from corefscore.formats.jsonlines.words import are

MOST_TOKENS = 10**8
"""No document has more tokens, so that a wrong offset cannot take all memory."""

NOT_SPELLED = re.compile(r"\s|_|##")
"""What the words of a mention and its tokens may differ in: blanks, and the marks of empty nodes."""


class Offsets(NamedTuple):
    """What the offsets of a document count: so many tokens (or characters) in each sentence, or in all where mentions
    do not name their sentence; None where that is not known. ``known_by`` says how it is known, for messages."""

    sizes: Sequence[int] | None
    known_by: str
    dialect: Dialect = E2E

    @property
    def total(self) -> int:
        """How many there are in all, -1 where that is not known."""
        return -1 if self.sizes is None else sum(self.sizes)

    @property
    def unit(self) -> str:
        """What is counted."""
        return "character" if self.dialect.shape == TEXT else "token"


Columns = tuple[list[int], list[int], list[int]]
"""The sentences of mentions, their first and their last tokens."""


def flattened(clusters: list[Any], offsets: Offsets) -> list[int] | None:
    """The first and the last token of each mention in a row, counted through the document, or None where `faults_of`
    has something to say; far faster than that."""
    columns = _columns(clusters, offsets.dialect)
    if columns is None:
        return None
    sentence, start, end = columns
    sizes = offsets.sizes
    if not offsets.dialect.by_sentence:
        most = MOST_TOKENS if sizes is None else sum(sizes)
        return _alternating(start, end) if max(end, default=-1) < most else None
    if sizes is None or max(sentence, default=-1) >= len(sizes):
        return None
    if any(last >= sizes[number] for number, last in zip(sentence, end, strict=True)):
        return None
    first = [0, *accumulate(sizes)]
    before = [first[number] for number in sentence]
    return _alternating(map(add, before, start), map(add, before, end))


def _alternating(start: Iterable[int], end: Iterable[int]) -> list[int]:
    return list(chain.from_iterable(zip(start, end, strict=True)))


def _columns(clusters: list[Any], dialect: Dialect) -> Columns | None:
    """The mentions of clusters; None where some are none."""
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
    if dialect.behind:
        end = [each - 1 for each in end]
    return (flat[::width], start, end) if all(map(le, start, end)) else None


def faults_of(clusters: list[Any], offsets: Offsets) -> Iterator[tuple[str, str, str]]:
    """All that is wrong with clusters: where, what it is, and what was expected."""
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            yield f"[{number}]", shown(cluster), f"a list of mentions, each {offsets.dialect.mention}"
            continue
        for place, mention in enumerate(cluster):
            if expected := _expected(mention, offsets):
                yield f"[{number}][{place}]", shown(mention), expected


def _expected(mention: Any, offsets: Offsets) -> str | None:
    """What was expected in the place of a mention, where it is none."""
    dialect = offsets.dialect
    width = 3 if dialect.by_sentence else 2
    if not (isinstance(mention, list) and len(mention) == width and are(int, mention)):
        return f"{'three' if width == 3 else 'two'} whole numbers, {dialect.mention}, counted from 0"
    start, end = mention[-2], mention[-1] - dialect.behind
    if min(mention) < 0:
        return f"{offsets.unit}s counted from 0; no offset is below that"
    if end < start:
        unit, last = offsets.unit, "one after its last" if dialect.behind else "its last one"
        return f"the first {unit} of the mention, then {'the ' * dialect.behind}{last}"
    return _expected_end(mention, offsets)


def _expected_end(mention: list[int], offsets: Offsets) -> str | None:
    """What was expected of an end that is too large, or of a sentence that is not there."""
    dialect, sizes = offsets.dialect, offsets.sizes
    limit, known_by = offsets.total, offsets.known_by
    if dialect.by_sentence:
        number = 0 if sizes is None else len(sizes)
        if mention[0] >= number:
            return f"sentences below {number}, since there are so many"
        limit = 0 if sizes is None else sizes[mention[0]]
        known_by = f"sentence {mention[0]} has {plural(limit, offsets.unit)}"
    end = mention[-1] - dialect.behind
    if 0 <= limit <= end:
        return _beyond(mention[-1], limit + dialect.behind, known_by, dialect)
    return f"offsets of tokens, below {MOST_TOKENS:,}" if end >= MOST_TOKENS else None


def _beyond(end: int, limit: int, known_by: str, dialect: Dialect) -> str:
    """What was expected of an end that is too large by the number of tokens."""
    expected = f"offsets below {limit}, since {known_by}"
    if not dialect.behind and end == limit:
        return f"{expected}; an end is the last token of the mention, not the token after it"
    return expected if dialect.by_sentence or dialect.shape == TEXT else f"{expected}{NO_CHARACTERS}"


class Misspelled(NamedTuple):
    """A mention whose words are not those of its tokens: where it is, its words by its tokens, and those that the file
    says. ``other`` is whether they would fit if its end meant the other thing (the last token, or that behind it)."""

    place: str
    words: str
    said: str
    other: bool


def misspelled(
    clusters: Sequence[Sequence[Any]], flat: Sequence[int], said: Any, words: Sequence[str] | str, dialect: Dialect
) -> Iterator[Misspelled]:
    """The mentions whose words are not those that the file says; ``words`` are all of the document, or its text.

    Raises `ValueError` where the words are not in lists as the clusters are.
    """
    if not are(list, [said]) or not are(list, said) or list(map(len, said)) != list(map(len, clusters)):
        raise ValueError
    spelled = list(chain.from_iterable(said))
    if not are(str, spelled):
        raise ValueError
    blank = "" if isinstance(words, str) else " "
    step = -1 if dialect.behind else 1
    for at, its in enumerate(spelled):
        start, end = flat[2 * at], flat[2 * at + 1]
        found = blank.join(words[start : end + 1])
        if found == its or _plain(found) == _plain(its):
            continue
        # An end behind the mention that was meant as its last token, or the other way round.
        other = blank.join(words[start : end + 1 - step])
        yield Misspelled(_place(clusters, at), found, its, _plain(other) == _plain(its))


def _place(clusters: Sequence[Sequence[Any]], at: int) -> str:
    for number, cluster in enumerate(clusters):
        if at < len(cluster):
            return f"[{number}][{at}]"
        at -= len(cluster)
    raise IndexError(at)


def _plain(words: str) -> str:
    return NOT_SPELLED.sub("", words)
