"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, as far as a file has them.

Words can be in another column (`corefscore.formats.conll.lines.WordColumn`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefscore.documents.sources import Source, as_text
from corefscore.formats.conll.lines import WordColumn, columns_of, tokens_of
from corefscore.formats.row import Layers, Request

TAG, PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""

NO_CELL = b"-"

NOTHING = {"-", "*", "_"}
"""Cells that say that there is nothing."""


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    for begin, lines, cuts in tokens_of(source):
        words, tags, parse = map(_texts, _cells(lines, WordColumn(request.word_column)))
        edges = zip([0, *cuts], [*cuts, len(lines)], strict=True)
        sentences = [words[start:stop] for start, stop in edges if stop > start]
        has_tags, has_parse = not set(tags) <= NOTHING, any("(" in bit for bit in parse)
        yield Layers(begin, sentences, tags if has_tags else (), parse if has_parse else ())


def _cells(lines: Sequence[bytes], column: WordColumn) -> Iterator[Sequence[bytes]]:
    """The cells of words, of tags and of parses of the lines of some tokens."""
    last = max(PARSE, (column.number or 0) - 1)
    if rows := _usual(lines, last):
        word = column.place(last + 2)
        yield [columns[word].strip() for columns in rows]
        for at in (TAG, PARSE):
            yield [columns[at] for columns in rows]
        return
    rows = [columns_of(line) for line in lines]
    yield [column.cell(columns) for columns in rows]
    for at in (TAG, PARSE):  # the last column is that of coreference
        yield [columns[at] if len(columns) > at + 1 else NO_CELL for columns in rows]


def _usual(lines: Sequence[bytes], last: int) -> list[list[bytes]]:
    """The columns up to ``last`` of lines that all have them and nothing odd, which can be split fast; else nothing."""
    text = b"".join(lines)
    tabs = b"\t" in text
    odd = (b"\t\n",) if tabs else (b"\r", b"\v", b"\f")
    if text.endswith(b"\t") or any(each in text for each in odd):
        return []
    rows = [line.split(b"\t" if tabs else None, last + 1) for line in lines]
    return rows if min(map(len, rows), default=0) > last + 1 else []


def _texts(cells: Sequence[bytes]) -> list[str]:
    """Cells as text, decoded at once."""
    return as_text(b"\n".join(cells)).split("\n") if cells else []
