"""CoNLL line by line: what a line is, its word, and the words of documents.

`corefscore.formats.conll.reader` reads mentions without looking at most lines; whoever wants words goes through here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corefscore.checking.findings import Finding, shortened
from corefscore.documents.model import Span
from corefscore.documents.sources import MARK, Source, as_text
from corefscore.formats.row import NO_WORD, Request, Sentences, passage, passage_places

BEGIN, END = b"begin document ", b"end document"
END_MARKER = re.compile(rb"#[^\S\n]*" + END)

WORD, WORD_COLUMNS = 3, 5
"""The usual column of words, counted from 0, and how many columns a line has at least in which it is certain."""

NOWHERE = -1
"""The place of a word that a line does not have."""

LOOKED_AT = 1000
"""How many tokens of a file tell whether its column of words contains any."""

FEW = 10
"""Fewer tokens than these tell nothing of a column."""

COLUMNS = 5
"""How many columns are written: document, part, number of the token in its sentence, word, coreference."""


class Marker(NamedTuple):
    """A line that begins a document of this name, or ends one: then there is no name."""

    name: str | None


ENDS = Marker(None)


def marker_of(line: bytes) -> Marker | None:
    """The marker that a line without its LF is, or None: rule 1 of the grammar in `corefscore.formats.conll.reader`."""
    if line.startswith(b"#"):
        marker = line[1:].lstrip()
        if marker.startswith(BEGIN):
            return Marker(as_text(marker[len(BEGIN) :].removesuffix(b"\r")))
        if marker.startswith(END):
            return ENDS
    return ENDS if END in line and END_MARKER.search(line) else None


def holds_token(line: bytes) -> bool:
    """Rule 3 of the grammar in `corefscore.formats.conll.reader`, for a line that is no marker."""
    if not line.startswith(b"#"):
        return bool(line.strip())
    return b"\t" in line or re.search(rb"\(\d|\d\)", line.rstrip().rsplit(b" ", 1)[-1]) is not None


class Line(NamedTuple):
    """A line with its line end; ``begin`` is the line at which its document begins, 0 outside documents (so for an
    end line), ``token`` its number in the document, -1 for what is no token."""

    number: int
    text: bytes
    begin: int
    token: int
    begins: bool = False


def lines_of(source: Source) -> Iterator[Line]:
    """The lines of a file, one after the other, by the rules of `corefscore.formats.conll.reader`."""
    begin = 0
    token = -1
    for number, raw in source.numbered_lines():
        text = raw.removesuffix(b"\n")
        if number == 1:
            text = text.removeprefix(MARK)
        if b"#" not in text:  # nearly all lines; neither a marker nor a comment
            token += bool(solid := text.strip())
            yield Line(number, raw, begin, token if solid else -1)
        elif marker := marker_of(text):
            begin, token = (0 if marker.name is None else number), -1
            yield Line(number, raw, begin, -1, begins=marker.name is not None)
        elif holds_token(text):
            token += 1
            yield Line(number, raw, begin, token)
        else:
            yield Line(number, raw, begin, -1)


class Tokens(NamedTuple):
    """The lines of the tokens of a document, with their line ends; ``begin`` is the line at which it begins, ``cuts``
    says how many of them stand before each line of white space."""

    begin: int
    lines: list[bytes]
    cuts: list[int]


def tokens_of(source: Source) -> Iterator[Tokens]:
    """The tokens of each document of a file without faults: what `lines_of` gives, for whom it would take too long."""
    begin, lines, cuts = 0, list[bytes](), list[int]()
    for number, raw in source.numbered_lines():
        if b"#" not in raw:  # nearly all lines
            if raw.isspace():
                cuts.append(len(lines))
            elif begin:
                lines.append(raw)
            continue
        text = raw.removesuffix(b"\n")
        if marker := marker_of(text.removeprefix(MARK) if number == 1 else text):
            if begin:
                yield Tokens(begin, lines, cuts)
            begin, lines, cuts = (0 if marker.name is None else number), [], []
        elif begin and holds_token(text):
            lines.append(raw)
    if begin:
        yield Tokens(begin, lines, cuts)


def columns_of(line: bytes) -> list[bytes]:
    """The columns of a token: rule 4 of the grammar in `corefscore.formats.conll.reader`."""
    ended = line.removesuffix(b"\n")
    text = ended.removesuffix(b"\r")
    if b"\t" in text:
        return (text.rstrip(b"\t") if text == ended else text).split(b"\t")
    return list(filter(None, text.split(b" ")))


def cell_of(line: bytes) -> tuple[int, bytes]:
    """Where the last column of a token begins in its line, and that column: the cell of coreference."""
    columns = columns_of(line)
    cell = columns[-1] if columns else b""
    text = line.rstrip(b"\n").removesuffix(b"\r")
    if b"\t" in text:
        return sum(map(len, columns)) + len(columns) - 1 - len(cell), cell
    return len(text.rstrip(b" ")) - len(cell), cell


@dataclass(frozen=True)
class WordColumn:
    """The column of words of a file: that of this ``number`` (from 1), or without one the fourth, as in
    CoNLL-2011/2012, and that before the last on lines of fewer than five columns.

    Called, it gives the words of spans of a file (`corefscore.documents.model.Words`).
    """

    number: int | None = None

    def place(self, count: int) -> int:
        """The column of the word of a line of so many columns, counted from 0; `NOWHERE` if there is none. The last
        column is that of coreference."""
        if self.number is not None:
            return self.number - 1 if self.number < count else NOWHERE
        return WORD if count >= WORD_COLUMNS else max(count - 2, NOWHERE)

    def is_certain(self, count: int) -> bool:
        """Whether a line of so many columns has its word there; with three or four, nothing tells which one has it."""
        return self.number is not None or count >= WORD_COLUMNS

    def cell(self, columns: Sequence[bytes]) -> bytes:
        """The word of a line."""
        at = self.place(len(columns))
        return NO_WORD.encode() if at == NOWHERE else columns[at].strip()

    def word(self, columns: Sequence[bytes]) -> str:
        """The same as text."""
        return as_text(self.cell(columns))

    def __call__(self, source: Source, spans: Sequence[Span]) -> list[str]:
        """The words of spans of one file.

        Only those that a `passage` shows are kept, so spans may be long, many and nested.
        """
        sizes = [span.end - span.start + 1 for span in spans]
        beginning = defaultdict(list)
        for at, span in enumerate(spans):
            beginning[span.line].append(at)
        last = max(beginning, default=0)
        shown: list[list[int]] = [[] for _ in spans]
        wanted: dict[int, str] = {}
        token = end = 0
        for number, line_text in source.numbered_lines():
            for at in beginning.get(number, ()):
                shown[at] = passage_places(token, sizes[at])
                wanted.update(dict.fromkeys(shown[at], ""))
                end = max(end, token + sizes[at])
            if token < end and holds_token(line_text):
                if token in wanted:
                    wanted[token] = self.word(columns_of(line_text))
                token += 1
            if number >= last and token >= end:
                break
        return [passage([wanted[place] for place in places], size) for places, size in zip(shown, sizes, strict=True)]


def absent_column(source: Source, column: WordColumn) -> Finding | None:
    """The error for a file with tokens none of which has the column of words that was asked for."""
    most = 0
    for line in lines_of(source):
        if line.begin and line.token >= 0:
            most = max(most, len(columns_of(line.text)))
            if column.place(most) != NOWHERE:
                return None
    number = column.number
    if not most or number is None:
        return None
    last = number == most
    what = "is the last one, which is that of coreference" if last else f"is not there: no line has more than {most}"
    return Finding("absent-column", source.name, details={"column": number, "what": what})


def other_words(source: Source, column: WordColumn) -> Finding | None:
    """The notice for a file whose column of words clearly contains none, while another column may: in its first
    `LOOKED_AT` tokens these are numbers only, or all the same, and another column has other text that varies."""
    rows = []
    for line in lines_of(source):
        if line.begin and line.token >= 0:
            rows.append((line.number, columns_of(line.text)))
            if len(rows) == LOOKED_AT:
                break
    found = [as_text(column.cell(columns)) for _, columns in rows]
    if len(rows) < FEW or not _no_words(found):
        return None
    number, first = rows[0]
    others = range(min(len(columns) for _, columns in rows) - 1)
    if all(_no_words([as_text(columns[at]) for _, columns in rows]) for at in others):
        return None
    details = {
        "column": column.place(len(first)) + 1,
        "what": f'"{found[0]}" for every token' if len(set(found)) == 1 else f'only numbers, such as "{found[0]}"',
        "cells": ", ".join(f"{at} {shortened(as_text(cell))}" for at, cell in enumerate(first[:-1], start=1)),
    }
    return Finding("no-words-in-column", source.name, number, details=details)


def _no_words(cells: Sequence[str]) -> bool:
    """Whether cells are all the same, or numbers and marks only."""
    return len(set(cells)) == 1 or not any(character.isalpha() for cell in set(cells) for character in cell)


def sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences]:
    """The words of a file whose documents have no faults, one by one; lines of white space part sentences.

    Notices tell where the file first has columns that are not among those of `write`, and where a comment.
    """
    found: list[list[str]] | None = None
    more_columns = commented = False
    column = WordColumn(request.word_column)
    for line in lines_of(source):
        if line.begins:
            found = [[]]
        elif found is None:
            continue
        elif not line.begin:
            yield [sentence for sentence in found if sentence]
            found = None
        elif line.token >= 0:
            columns = columns_of(line.text)
            found[-1].append(column.word(columns))
            if len(columns) > COLUMNS and not more_columns:
                more_columns = True
                notices.append(Finding("dropped-columns", source.name, line.number, details={"count": len(columns)}))
        elif not line.text.strip():
            found.append([])
        elif not commented:
            commented = True
            notices.append(Finding("dropped-comments", source.name, line.number))
    if found is not None:
        yield [sentence for sentence in found if sentence]
