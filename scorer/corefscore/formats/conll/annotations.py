"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, if a file has them.

Words can be in another column (`corefscore.formats.conll.lines.WordColumn`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefscore.core.documents import OF_COLUMN
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import Annotations, Request
from corefscore.formats.conll.lines import WordColumn, columns_of, tokens_of

TAG, PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""

_NO_CELL = b"-"

_NOTHING = {"-", "*", "_"}
"""Cells that mean that there is no value."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """The annotations of each document of a file that has no faults."""
    for begin, lines, cuts in tokens_of(source):
        words, tags, parse = map(_texts, _cells(lines, WordColumn(request.word_column)))
        edges = zip([0, *cuts], [*cuts, len(lines)], strict=True)
        sentences = [words[start:stop] for start, stop in edges if stop > start]
        has_tags, has_parse = not set(tags) <= _NOTHING, any("(" in bit for bit in parse)
        units = () if request.unit is None else _units(source, begin, lines, request.unit)
        yield Annotations(begin, sentences, tags if has_tags else (), parse if has_parse else (), units=units)


def _units(source: Source, begin: int, lines: Sequence[bytes], unit: str) -> list[str]:
    """The cells of the column with the unit of each token of a document.

    Raises `UsageError` if ``unit`` is not the name of a column, `InputError` for a token without this column.
    """
    number = unit.removeprefix(OF_COLUMN)
    if number == unit or not (number.isascii() and number.isdigit() and int(number)):
        raise UsageError(f"--unit {unit}: {source.name} is CoNLL; expected column:N, counted from 1")
    index = int(number) - 1
    units = []
    for token, line in enumerate(lines):
        columns = columns_of(line)
        if index >= len(columns) - 1:  # the last column is coreference
            what = f"token {token} has {len(columns)} columns, the last of which is coreference"
            details = {"what": what, "expected": f"column {number} before that of coreference", "unit": unit}
            raise InputError([Finding("no-unit", source.name, begin, details=details)])
        units.append(columns[index].strip())
    return _texts(units)


def _cells(lines: Sequence[bytes], column: WordColumn) -> Iterator[Sequence[bytes]]:
    """The cells of words, of tags and of parses of the lines of some tokens."""
    last = max(PARSE, (column.number or 0) - 1)
    if rows := _usual(lines, last):
        word = column.place(last + 2)
        yield [columns[word].strip() for columns in rows]
        for index in (TAG, PARSE):
            yield [columns[index] for columns in rows]
        return
    rows = [columns_of(line) for line in lines]
    yield [column.cell(columns) for columns in rows]
    for index in (TAG, PARSE):  # the last column is coreference
        yield [columns[index] if len(columns) > index + 1 else _NO_CELL for columns in rows]


def _usual(lines: Sequence[bytes], last: int) -> list[list[bytes]]:
    """The columns up to ``last`` of lines that can be split fast; empty if a line has too few columns or odd blanks."""
    text = b"".join(lines)
    tabs = b"\t" in text
    odd = (b"\t\n",) if tabs else (b"\r", b"\v", b"\f")
    if text.endswith(b"\t") or any(mark in text for mark in odd):
        return []
    rows = [line.split(b"\t" if tabs else None, last + 1) for line in lines]
    return rows if min(map(len, rows), default=0) > last + 1 else []


def _texts(cells: Sequence[bytes]) -> list[str]:
    """Cells as text, decoded at once."""
    return as_text(b"\n".join(cells)).split("\n") if cells else []
