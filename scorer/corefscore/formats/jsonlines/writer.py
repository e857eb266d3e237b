"""Documents as JSON, in any of the dialects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain
from typing import Any

import numpy as np

from corefscore.checking.findings import Finding, plural
from corefscore.formats.jsonlines.dialects import E2E, FLAT, OBJECTS, SENTENCES, TEXT, Dialect
from corefscore.formats.jsonlines.words import TOKEN, WORD
from corefscore.formats.row import NO_WORD, USUAL, FullDocument, Request, changed_order, order_kept

CONFLICT = "the order of ids would change which copy of a mention counts"
"""Why ids that run from 0 are dropped."""

Clusters = Sequence[Sequence[tuple[int, int]]]
Words = Sequence[Sequence[str]]


def writer(dialect: Dialect) -> Callable[[Iterator[FullDocument], list[Finding], Request], Iterator[str]]:
    """What writes documents in a dialect (`corefscore.formats.row.Format`)."""
    return partial(write, dialect=dialect)


def write(
    documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL, *, dialect: Dialect = E2E
) -> Iterator[str]:
    """Documents as JSON; notices tell where ids of entities are lost, or their order, or what the dialect cannot hold.

    The place of a cluster is its id, so ids are kept where they run from 0 and that keeps the order.
    """
    told: set[str] = set()
    separator = "[\n" if dialect.array else ""
    for document in documents:
        clusters = _in_order(document, notices, told)
        fields = _fields(document, clusters, notices, told, dialect)
        # Bytes that are not UTF-8 travel as lone surrogates, which JSON can hold as escapes.
        line = json.dumps(fields, ensure_ascii=False)
        text = re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line)
        yield separator + text + ("" if dialect.array else "\n")
        separator = ",\n" if dialect.array else ""
    if dialect.array:
        yield "[]\n" if separator == "[\n" else "\n]\n"


def _in_order(document: FullDocument, notices: list[Finding], told: set[str]) -> Clusters:
    """The entities in the order in which they are written."""
    names = list(document.entities)
    places = [str(number) for number in range(len(names))]
    from_0 = document.entities.keys() == set(places)
    if not order_kept(document, places if from_0 else names):
        if not order_kept(document, names):
            notices.append(changed_order(document))
        elif from_0:
            from_0 = False
    if not from_0:
        what = "the ids of entities do not run from 0" if set(names) != set(places) else CONFLICT
        _notice(document, notices, told, "dropped-ids", what=what)
    return [document.entities[name] for name in (places if from_0 else names)]


def _fields(
    document: FullDocument, clusters: Clusters, notices: list[Finding], told: set[str], dialect: Dialect
) -> dict[str, Any]:
    """The object of a document."""
    fields: dict[str, Any] = {dialect.names[0]: document.name}
    words = document.sentences
    if words is None and (dialect.by_sentence or dialect.shape == TEXT):
        tokens = 1 + max((end for its in clusters for _, end in its), default=-1)
        _notice(document, notices, set(), "no-words", document=document.name, tokens=tokens)
        words = [[NO_WORD] * tokens]
    if words is not None:
        if dialect.by_sentence:
            words = _uncrossed(document, words, clusters, notices)
        elif len(words) > 1 and dialect.shape != SENTENCES and dialect.sentence_of is None:
            _notice(document, notices, told, "dropped-sentences", name=dialect.name)
        fields[dialect.words] = SHAPES[dialect.shape](words)
        if dialect.sentence_of is not None:
            fields[dialect.sentence_of] = [number for number, its in enumerate(words) for _ in its]
    fields[dialect.clusters] = _offsets(clusters, words, dialect)
    if dialect.spelled is not None and words is not None:
        every = list(chain.from_iterable(words))
        fields[dialect.spelled] = [[" ".join(every[start : end + 1]) for start, end in its] for its in clusters]
    return fields


def _notice(its: FullDocument, notices: list[Finding], told: set[str], code: str, **details: object) -> None:
    """A notice that is given once."""
    if code not in told:
        told.add(code)
        notices.append(Finding(code, its.place.source.name, its.place.line, details=details))


def _uncrossed(document: FullDocument, words: Words, clusters: Clusters, notices: list[Finding]) -> Words:
    """The sentences, those of which a mention has more than one put together: such a mention has no place otherwise."""
    first = [0, *accumulate(map(len, words))]
    ends = np.array([span for its in clusters for span in its], dtype=np.int64).reshape(-1, 2)
    sentence = np.searchsorted(first, ends, side="right") - 1
    joined = {number for start, end in sentence.tolist() for number in range(start + 1, end + 1)}
    if not joined:
        return words
    details = {"document": document.name, "count": plural(len(joined), "sentence")}
    notices.append(Finding("joined-sentences", document.place.source.name, document.place.line, details=details))
    found: list[list[str]] = []
    for number, its in enumerate(words):
        if number in joined:
            found[-1] += its
        else:
            found.append(list(its))
    return found


def _offsets(clusters: Clusters, words: Words | None, dialect: Dialect) -> list[list[list[int]]]:
    """The clusters with the offsets of the dialect."""
    if dialect.shape == TEXT and words is not None:
        ends = list(accumulate((len(word) + 1 for word in chain.from_iterable(words)), initial=0))
        return [[[ends[start], ends[end + 1] - 1] for start, end in its] for its in clusters]
    if not dialect.by_sentence or words is None:
        return [[[start, end + dialect.behind] for start, end in its] for its in clusters]
    first = list(accumulate(map(len, words), initial=0))
    numbers = [number for number, its in enumerate(words) for _ in its]

    def mention(start: int, end: int) -> list[int]:
        number = numbers[start]
        return [number, start - first[number], end - first[number] + dialect.behind]

    return [[mention(*span) for span in its] for its in clusters]


def _of_objects(words: Words) -> list[dict[str, Any]]:
    return [
        {"id": number, TOKEN: [{"id": at, WORD: word} for at, word in enumerate(its, 1)]}
        for number, its in enumerate(words, 1)
    ]


SHAPES: Mapping[str, Callable[[Words], Any]] = {
    SENTENCES: lambda words: words,
    FLAT: lambda words: list(chain.from_iterable(words)),
    OBJECTS: _of_objects,
    TEXT: lambda words: " ".join(chain.from_iterable(words)),
}
"""What is written as words, by shape."""
