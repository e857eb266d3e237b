"""The words of text with tags, and what is wrong with its tags."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from corefscore.core.findings import Finding
from corefscore.core.sources import Source
from corefscore.formats.base import Annotations, Request, Sentences
from corefscore.formats.tagged.notations import Untagged, untagged
from corefscore.formats.tagged.reader import Answer, answers, notation_of


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the words of each document, all as one sentence."""
    notation = notation_of([source], request)
    for answer in answers(source, notation):
        if request.lines is not None and answer.place.line not in request.lines:
            continue
        text = untagged(answer.text, notation)
        yield Annotations(
            answer.place.line, [text.words], faults=text.faults, zeros=text.zeros, at=partial(_at, answer, text)
        )


def sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences]:
    """Yield the words of each document. Adds no notices."""
    yield from ([words for words in annotations.words if words] for annotations in read(source, request))


def _at(answer: Answer, text: Untagged, what: int | str) -> tuple[int | None, int | None, tuple[str, str]]:
    """Return the line and the column of a word, or of the first tag with a fault, and the text around it with carets
    under it."""
    if isinstance(what, str):
        return answer.at(*text.odd[what][0])
    start = text.origin(what)
    return answer.at(start, start + len(text.words[what]))
