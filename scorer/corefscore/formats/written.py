"""What formats with brackets in columns share when documents are written, and tell to be lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from corefscore.checking.findings import Finding, plural
from corefscore.formats.row import NO_WORD, FullDocument, Sentences

Spans = Sequence[tuple[int, int]]

UNFIT = re.compile(r"[\t\n]|\A\s|\s\Z|#\s*end document", re.ASCII)
"""What would end a column, a line or the document, and white space at the ends, which reading takes off."""


class Brackets(NamedTuple):
    """The mentions that are one token, that begin and that end at each token, by the ids of their entities; brackets
    stand in the order in which they nest."""

    singles: dict[int, list[str]]
    opens: dict[int, list[str]]
    closes: dict[int, list[str]]

    @classmethod
    def of(cls, document: FullDocument) -> Brackets:
        """Those of a document."""
        singles: dict[int, list[str]] = defaultdict(list)
        opens: dict[int, list[tuple[int, str]]] = defaultdict(list)
        closes: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for entity, spans in document.entities.items():
            for start, end in spans:
                if start == end:
                    singles[start].append(entity)
                else:
                    opens[start].append((-end, entity))
                    closes[end].append((-start, entity))
        return cls(singles, *(_nested(brackets) for brackets in (opens, closes)))


def _nested(brackets: dict[int, list[tuple[int, str]]]) -> dict[int, list[str]]:
    return {token: [its for _, its in sorted(found, key=lambda each: each[0])] for token, found in brackets.items()}


def noted(document: FullDocument, notices: list[Finding], code: str, **details: object) -> None:
    """Add a notice about a document."""
    place = document.place
    details["document"] = document.name
    notices.append(Finding(code, place.source.name, place.line, details=details))


def note_crossing(document: FullDocument, notices: list[Finding], *, closed_first: bool = False) -> None:
    """Add a notice for every entity with mentions that cross."""
    for entity, spans in document.entities.items():
        if its_crossing := crossing(spans, closed_first=closed_first):
            first, second = map(list, its_crossing)
            noted(document, notices, "crossing-mentions", entity=entity, first=first, second=second)


def crossing(spans: Spans, *, closed_first: bool = False) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two mentions of one entity that its brackets cannot tell from nested ones, if there are any.

    That is so where the second begins within the first and ends behind it; also where it begins at the last token
    of the first, unless brackets are ``closed_first`` in a cell, before others open.
    """
    around: list[tuple[int, int]] = []
    for span in sorted((span for span in spans if span[0] < span[1]), key=lambda span: (span[0], -span[1])):
        while around and around[-1][1] < span[0] + closed_first:
            around.pop()
        if around and around[-1][1] < span[1]:
            return around[-1], span
        around.append(span)
    return None


def laid_out(document: FullDocument, notices: list[Finding]) -> Iterator[Sequence[str]]:
    """The words of each sentence as they can stand in a column; what cannot be held is added to the notices."""
    its_sentences: Sentences | None = document.sentences
    if its_sentences is None:
        tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
        noted(document, notices, "no-words", tokens=tokens)
        its_sentences = [[NO_WORD] * tokens]
    if empty := sum(not sentence for sentence in its_sentences if document.sentences is not None):
        noted(document, notices, "empty-sentences", count=plural(empty, "sentence"))
    token = 0
    for sentence in filter(None, its_sentences):
        words = []
        for word in sentence:
            words.append(re.sub(r"\s", "_", word) if UNFIT.search(word) else word)
            if words[-1] != word:
                noted(document, notices, "changed-word", word=ascii(word), token=token, written=words[-1])
            token += 1
        yield words
