"""Writing documents with brackets in columns: what CoNLL and CorefUD share, and the notices of what is lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from corefscore.checking.findings import Finding, plural
from corefscore.formats.row import NO_WORD, FullDocument, Sentences

Spans = Sequence[tuple[int, int]]

UNFIT = re.compile(r"[\t\n]|\A\s|\s\Z|#\s*end document", re.ASCII)
"""Words that would end a column, a line or the document, or that have white space at their ends, which readers
remove."""


class Brackets(NamedTuple):
    """The entities of the mentions of one token, of those that begin and of those that end at each token; the brackets
    of a token are in the order in which they nest."""

    singles: dict[int, list[str]]
    opens: dict[int, list[str]]
    closes: dict[int, list[str]]

    @classmethod
    def of(cls, document: FullDocument) -> Brackets:
        """The brackets of a document."""
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
    """The entities at each token, sorted by the other end of their mentions, longest first."""
    return {token: [entity for _, entity in sorted(ends, key=itemgetter(0))] for token, ends in brackets.items()}


def noted(document: FullDocument, notices: list[Finding], code: str, **details: object) -> None:
    """Add a notice about a document."""
    place = document.place
    details["document"] = document.name
    notices.append(Finding(code, place.source.name, place.line, details=details))


def note_crossing(document: FullDocument, notices: list[Finding], *, closed_first: bool = False) -> None:
    """Add a notice for every entity with mentions that cross."""
    for entity, spans in document.entities.items():
        if pair := crossing(spans, closed_first=closed_first):
            first, second = map(list, pair)
            noted(document, notices, "crossing-mentions", entity=entity, first=first, second=second)


def crossing(spans: Spans, *, closed_first: bool = False) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two mentions of one entity whose brackets would be read as nested mentions; None if there are none.

    Such mentions cross: the second begins within the first and ends after it. If it begins at the last token of the
    first, they cross as well, unless cells have close brackets before open ones (``closed_first``).
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
    """The words of each sentence in a form that fits into a column; changes are added to the notices."""
    sentences: Sentences | None = document.sentences
    if sentences is None:
        tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
        noted(document, notices, "no-words", tokens=tokens)
        sentences = [[NO_WORD] * tokens]
    if empty := sum(not sentence for sentence in sentences if document.sentences is not None):
        noted(document, notices, "empty-sentences", count=plural(empty, "sentence"))
    token = 0
    for sentence in filter(None, sentences):
        words = []
        for word in sentence:
            words.append(re.sub(r"\s", "_", word) if UNFIT.search(word) else word)
            if words[-1] != word:
                noted(document, notices, "changed-word", word=ascii(word), token=token, written=words[-1])
            token += 1
        yield words
