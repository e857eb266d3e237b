"""Documents as JSON, in any of the dialects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from corefscore.core.documents import refuse_deep
from corefscore.core.findings import Finding, plural
from corefscore.formats.base import USUAL, FullDocument, Request, order_kept, shares_spans
from corefscore.formats.jsonlines.dialects import E2E, FLAT, OBJECTS, SENTENCES, TEXT, Dialect
from corefscore.formats.jsonlines.objects import TOKEN, WORD, as_json
from corefscore.formats.written import Fit, add_notice, fitted, with_signs

_CONFLICT = "the ids would change which copy of a repeated mention counts"
"""The reason why ids are dropped although they are the numbers from 0 on."""

_Clusters = Sequence[Sequence[tuple[int, int]]]
_Words = Sequence[Sequence[str]]


def write(
    documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL, *, dialect: Dialect = E2E
) -> Iterator[str]:
    """Yield documents as JSON. Losses are added to the notices: ids of entities, their order, and what the dialect
    cannot represent.

    The index of a cluster is its id, so ids are kept if they run from 0 and this does not change the order.
    """
    told: set[str] = set()
    separator = "[\n" if dialect.array else ""
    blank = dialect.shape == TEXT  # of the words, only the characters are read, and of these only solid ones
    fit = Fit(
        dialect.name,
        words=r"\A\s*\Z" if blank else r"(?!)",
        bare=not (dialect.by_sentence or blank),
        empty=dialect.shape in (SENTENCES, OBJECTS),
    )
    for document in fitted(documents, notices, fit):
        if document.alone:
            add_notice(document, notices, "dropped-items", count=plural(len(document.alone), "item"))
        in_doubt = (blank or document.of_items) and shares_spans(document)
        fields = _fields(document, _in_order(document, notices, told, ordered=not in_doubt), notices, told, dialect)
        yield separator + as_json(fields) + ("" if dialect.array else "\n")
        separator = ",\n" if dialect.array else ""
    if dialect.array:
        yield "[]\n" if separator == "[\n" else "\n]\n"


def _in_order(document: FullDocument, notices: list[Finding], told: set[str], *, ordered: bool) -> _Clusters:
    """Return the entities in the order in which they are written; ``ordered`` says whether this order means
    something.
    """
    names = list(document.entities)
    numbers = [str(number) for number in range(len(names))]
    from_0 = document.entities.keys() == set(numbers)
    if not (ordered and order_kept(document, numbers if from_0 else names)):
        if not (ordered and order_kept(document, names)):
            add_notice(document, notices, "changed-order")
        elif from_0:
            from_0 = False
    if not from_0:
        what = "the entities are not numbered 0, 1, 2 and so on" if set(names) != set(numbers) else _CONFLICT
        _notice(document, notices, told, "dropped-ids", what=what)
    return [document.entities[name] for name in (numbers if from_0 else names)]


def _fields(
    document: FullDocument, clusters: _Clusters, notices: list[Finding], told: set[str], dialect: Dialect
) -> dict[str, Any]:
    """Return the fields of the object of a document. Raises `UsageError` for mentions that have too many words to
    list.
    """
    fields: dict[str, Any] = {dialect.names[0]: document.name}
    if (words := document.sentences) is not None:
        words = with_signs(document, words, notices)
        if dialect.by_sentence:
            words = _uncrossed(document, words, clusters, notices)
        elif len(words) > 1 and dialect.shape != SENTENCES and dialect.sentence_of is None:
            _notice(document, notices, told, "dropped-sentences", name=dialect.name)
        fields[dialect.words] = _SHAPES[dialect.shape](words)
        if dialect.sentence_of is not None:
            fields[dialect.sentence_of] = _sentence_of(words)
    fields[dialect.clusters] = _offsets(document, clusters, words, dialect)
    if dialect.spelled is not None and words is not None:
        flat = list(chain.from_iterable(words))
        lengths = [end + 1 - start for cluster in clusters for start, end in cluster]
        refuse_deep(document.place.source, np.array(lengths, dtype=np.int64), sum(map(len, flat)), "characters")
        fields[dialect.spelled] = [[" ".join(flat[start : end + 1]) for start, end in cluster] for cluster in clusters]
    return fields


def _sentence_of(words: _Words) -> list[int]:
    """Return the number of the sentence of each word."""
    return [number for number, sentence in enumerate(words) for _ in sentence]


def _notice(document: FullDocument, notices: list[Finding], told: set[str], code: str, /, **details: object) -> None:
    """Add a notice unless one of this code has been added before."""
    if code not in told:
        told.add(code)
        add_notice(document, notices, code, **details)


def _uncrossed(document: FullDocument, words: _Words, clusters: _Clusters, notices: list[Finding]) -> _Words:
    """Return the sentences, joined where a mention is in several: such a mention could not be written otherwise."""
    first = [0, *accumulate(map(len, words))]
    ends = np.array(list(chain.from_iterable(clusters)), dtype=np.int64).reshape(-1, 2)
    sentence = np.searchsorted(first, ends, side="right") - 1
    joined = {number for start, end in sentence.tolist() for number in range(start + 1, end + 1)}
    if not joined:
        return words
    add_notice(document, notices, "joined-sentences", count=plural(len(joined), "sentence"))
    flat = list(chain.from_iterable(words))
    edges = [place for number, place in enumerate(first) if number not in joined]
    return [flat[start:stop] for start, stop in pairwise(edges)]


def _offsets(document: FullDocument, clusters: _Clusters, words: _Words | None, dialect: Dialect) -> list[Any]:
    """Return the clusters with the offsets of the dialect, or with the texts of items."""
    if document.of_items:
        return [[document.text(*span) for span in cluster] for cluster in clusters]
    if dialect.shape == TEXT and words is not None:
        ends = list(accumulate((len(word) + 1 for word in chain.from_iterable(words)), initial=0))
        return [[[ends[start], ends[end + 1] - 1] for start, end in cluster] for cluster in clusters]
    if not dialect.by_sentence or words is None:
        return [[[start, end + dialect.exclusive] for start, end in cluster] for cluster in clusters]
    first = list(accumulate(map(len, words), initial=0))
    sentence_of = _sentence_of(words)

    def mention(start: int, end: int) -> list[int]:
        number = sentence_of[start]
        return [number, start - first[number], end - first[number] + dialect.exclusive]

    return [[mention(*span) for span in cluster] for cluster in clusters]


def _of_objects(words: _Words) -> list[dict[str, Any]]:
    return [
        {"id": number, TOKEN: [{"id": index, WORD: word} for index, word in enumerate(sentence, 1)]}
        for number, sentence in enumerate(words, 1)
    ]


_SHAPES: Mapping[str, Callable[[_Words], Any]] = {
    SENTENCES: lambda words: words,
    FLAT: lambda words: list(chain.from_iterable(words)),
    OBJECTS: _of_objects,
    TEXT: lambda words: " ".join(chain.from_iterable(words)),
}
"""The value of the field of words, by shape."""
