"""CoNLL line by line: the words of documents.

`corefscore.formats.conll.reader` reads mentions without looking at most lines; words are read here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from corefscore.core.arrays import lists_by_key
from corefscore.core.documents import Span
from corefscore.core.findings import Finding, shortened
from corefscore.core.records import NamedTuple, dataclass
from corefscore.core.sources import MARK, Source, as_text
from corefscore.formats.base import NO_WORD, Request, passage, passage_places
from corefscore.formats.conll.cells import columns_of, is_token_line, marker_of

_USUAL_WORD, WORD_COLUMNS = 3, 5
"""The usual column of words, counted from 0, and the smallest number of columns with which it is certain."""

NOWHERE = -1
"""The column of the word of a line that has none."""

_LOOKED_AT = 1000
"""The number of tokens of a file that are checked for words in its column of words."""

_FEW = 10
"""With fewer tokens than this, the column of words is not checked."""

COLUMNS = 5
"""The number of columns that are written: document, part, number of the token in its sentence, word, coreference."""


class Line(NamedTuple):
    """A line with its line end.

    ``begin`` is the line at which its document begins, 0 outside documents and for an end line. ``token`` is its number
    in the document, -1 if it is not a token.
    """

    number: int
    text: bytes
    begin: int
    token: int


def name_in(line: bytes, request: Request) -> str | None:
    """Find the name of the document that a line begins, if it begins one."""
    marker = marker_of(line)
    return marker and marker.name


def lines_of(source: Source) -> Iterator[Line]:
    """Yield the lines of a file in order, read by the rules of `corefscore.formats.conll.reader`."""
    begin = 0
    token = -1
    for number, raw in source.numbered_lines():
        text = raw.removesuffix(b"\n")
        if number == 1:
            text = text.removeprefix(MARK)
        marker = marker_of(text) if b"#" in text else None  # nearly all lines have none
        if marker is not None:
            begin, token = (0 if marker.name is None else number), -1
        is_token = marker is None and is_token_line(text)
        token += is_token
        yield Line(number, raw, begin, token if is_token else -1)


class DocumentLines(NamedTuple):
    """The lines of a document that begins at line ``begin``: the ``tokens``, their line ends included, and the numbers
    of these lines, of lines of white space, and of comments."""

    begin: int
    tokens: list[bytes]
    numbers: list[int]
    blank: list[int]
    comments: list[int]


def documents_of(source: Source) -> Iterator[DocumentLines]:
    """Yield the lines of each document of a file without faults: like `lines_of`, but twice as fast."""
    found = DocumentLines(0, [], [], [], [])
    for number, raw in source.numbered_lines():
        has_hash = b"#" in raw  # few lines have one
        if has_hash and (marker := marker_of(raw.removesuffix(b"\n"))):
            if found.begin:
                yield found
            found = DocumentLines(0 if marker.name is None else number, [], [], [], [])
        elif raw.isspace():
            found.blank.append(number)
        elif not has_hash or is_token_line(raw):
            found.tokens.append(raw)
            found.numbers.append(number)
        else:
            found.comments.append(number)
    if found.begin:
        yield found


@dataclass(frozen=True, repr=False)
class WordColumn:
    """The column of words of a file: ``number`` (from 1), by default the fourth as in CoNLL-2011/2012, or the last but
    one on lines of fewer than five columns.

    Calling it returns the words of spans of a file (`corefscore.core.documents.Words`).
    """

    number: int | None = None

    def place(self, count: int) -> int:
        """Return the column of the word, counted from 0, in a line of ``count`` columns, the last of which is
        coreference; `NOWHERE` if it has none.
        """
        if self.number is not None:
            return self.number - 1 if self.number < count else NOWHERE
        return _USUAL_WORD if count >= WORD_COLUMNS else max(count - 2, NOWHERE)

    def cell(self, columns: Sequence[bytes]) -> bytes:
        """Return the word of a line."""
        place = self.place(len(columns))
        return NO_WORD.encode() if place == NOWHERE else columns[place].strip()

    def __call__(self, source: Source, spans: Sequence[Span]) -> list[str]:
        """Return the words of spans of one file.

        Only those that a `passage` shows are kept, so spans may be long, many and nested, and documents large.
        """
        sizes = [span.end - span.start + 1 for span in spans]
        beginning = lists_by_key((span.line, number) for number, span in enumerate(spans))
        last = max(beginning, default=0)
        shown: list[list[int]] = [[] for _ in spans]
        wanted: dict[int, str] = {}
        token = end = 0
        for line, line_text in source.numbered_lines():
            for number in beginning.get(line, ()):
                shown[number] = passage_places(token, sizes[number])
                wanted.update(dict.fromkeys(shown[number], ""))
                end = max(end, token + sizes[number])
            if token < end and is_token_line(line_text):
                if token in wanted:
                    wanted[token] = as_text(self.cell(columns_of(line_text)))
                token += 1
            if line >= last and token >= end:
                break
        return [passage([wanted[place] for place in places], size) for places, size in zip(shown, sizes, strict=True)]


def absent_column(source: Source, number: int) -> Finding | None:
    """Return the error for a file in which no token has the column of words that was requested, counted from 1."""
    most = 0
    for _, columns in _rows(source):
        if number < (most := max(most, len(columns))):
            return None
    if not most:
        return None
    what = f"no line has more than {most} columns"
    if number == most:
        what = "this is the last column, which is read as coreference"
    return Finding("absent-column", source.name, details={"column": number, "what": what})


def other_words(source: Source, column: WordColumn) -> Finding | None:
    """Return the notice for a file whose column of words clearly contains no words, while another column may.

    In the first `_LOOKED_AT` tokens the cells of the column are all numbers or all the same, and another column has
    cells that are neither.
    """
    rows = list(islice(_rows(source), _LOOKED_AT))
    words = [as_text(column.cell(columns)) for _, columns in rows]
    if len(rows) < _FEW or not _no_words(words):
        return None
    number, first = rows[0]
    others = range(min(len(columns) for _, columns in rows) - 1)
    if all(_no_words([as_text(columns[other]) for _, columns in rows]) for other in others):
        return None
    details = {
        "column": column.place(len(first)) + 1,
        "what": f'"{words[0]}" for every token' if len(set(words)) == 1 else f'only numbers, such as "{words[0]}"',
        "cells": ", ".join(f"{index} {shortened(as_text(cell))}" for index, cell in enumerate(first[:-1], start=1)),
    }
    return Finding("no-words-in-column", source.name, number, details=details)


def _rows(source: Source) -> Iterator[tuple[int, list[bytes]]]:
    """Return the line and the columns of each token in a document."""
    return ((line.number, columns_of(line.text)) for line in lines_of(source) if line.begin and line.token >= 0)


def _no_words(cells: Sequence[str]) -> bool:
    """Return whether cells are all the same, or numbers and marks only."""
    return len(set(cells)) == 1 or not any(character.isalpha() for cell in set(cells) for character in cell)
