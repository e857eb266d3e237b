"""Writing documents: what formats share, and the notices of what is lost."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from operator import itemgetter

from corefscore.checking.findings import Finding, plural
from corefscore.formats.row import NO_WORD, ZERO, FullDocument, Sentences

Spans = Sequence[tuple[int, int]]

UNFIT = re.compile(r"[\t\n]|\A\s|\s\Z|#\s*end document", re.ASCII)
"""Words that would end a column, a line or the document, or that have white space at their ends, which readers
remove."""

NO_FORM = "_"
"""The word for an empty node without a form."""

SINGLE, OPEN, CLOSE = range(3)
"""The kinds of marks: of a mention of one token, and where one of several begins and ends."""


def marks(entities: Mapping[str, Spans], forms: Mapping[int, Callable[[str], str]]) -> dict[int, list[str]]:
    """The marks of mentions at each token. ``forms`` has a function for each kind: from the id of an entity, its mark.

    The marks of a token come by kind, in the order of ``forms``; those of one kind in the order in which mentions nest.
    """
    mentions = [(start, end, name) for name, spans in entities.items() for start, end in spans]
    by_start, by_end = (sorted(mentions, key=itemgetter(side), reverse=True) for side in (0, 1))
    found: dict[int, list[str]] = defaultdict(list)
    for kind, form in forms.items():
        for start, end, name in by_start if kind == CLOSE else by_end:
            if (start == end) == (kind == SINGLE):
                found[end if kind == CLOSE else start].append(form(name))
    return found


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

    Such mentions cross, or one begins at the last token of the other, unless cells have close brackets before open ones
    (``closed_first``).
    """
    pair = next(crossings(spans, closed_first=closed_first), None)
    return pair and (spans[pair[0]], spans[pair[1]])


def crossings(spans: Spans, *, closed_first: bool = False) -> Iterator[tuple[int, int]]:
    """Pairs of mentions as `crossing` has them, by their numbers: an earlier mention, and a later one that crosses it.
    The later one is then left out: no other mention is compared with it."""
    around: list[int] = []
    for number, (start, end) in sorted(enumerate(spans), key=lambda row: (row[1][0], -row[1][1])):
        while around and spans[around[-1]][1] < start + closed_first:
            around.pop()
        if around and spans[around[-1]][1] < end:
            yield around[-1], number
        else:
            around.append(number)


def words_of(document: FullDocument, notices: list[Finding]) -> Sentences:
    """The words of a document; `NO_WORD` for each token, and a notice, if they are not known."""
    if document.sentences is not None:
        return document.sentences
    tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
    noted(document, notices, "no-words", tokens=tokens)
    return [[NO_WORD] * tokens]


def with_signs(sentences: Sentences, zeros: Collection[int]) -> Sentences:
    """Put the sign of zeros before the words that are zeros, which is all of a word without a form."""
    if not zeros:
        return sentences
    token = count()

    def signed(word: str) -> str:
        is_zero = next(token) in zeros and not word.startswith(ZERO)
        return ZERO + word.removeprefix(NO_FORM) if is_zero else word

    return [list(map(signed, sentence)) for sentence in sentences]


def laid_out(document: FullDocument, notices: list[Finding]) -> Iterator[Sequence[str]]:
    """The words of each sentence in a form that fits into a column; changes are added to the notices."""
    sentences = words_of(document, notices)
    if empty := sum(not sentence for sentence in document.sentences or ()):
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
