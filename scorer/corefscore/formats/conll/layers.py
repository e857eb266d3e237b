"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, as far as a file has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefscore.documents.sources import Source, as_text
from corefscore.formats.conll.lines import columns_of, lines_of, word_cell
from corefscore.formats.row import Layers, Request

TAG, PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""

NO_CELL = b"-"

NOTHING = {"-", "*", "_"}
"""Cells that say that there is nothing."""


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    begin = 0
    rows: list[list[bytes]] = []
    cuts: list[int] = []
    for line in lines_of(source):
        if line.begin != begin:
            if begin:
                yield _layers(begin, rows, cuts)
            begin, rows, cuts = line.begin, [], []
        if begin and line.token >= 0:
            rows.append(columns_of(line.text))
        elif begin and not line.text.strip():
            cuts.append(len(rows))
    if begin:
        yield _layers(begin, rows, cuts)


def _layers(begin: int, rows: Sequence[Sequence[bytes]], cuts: Sequence[int]) -> Layers:
    """The layers of the columns of a document, whose sentences end before the rows ``cuts``."""
    words = _texts([word_cell(columns) for columns in rows])
    sentences = [words[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True) if stop > start]
    # The last column is that of coreference.
    tags = _texts([columns[TAG] if len(columns) > TAG + 1 else NO_CELL for columns in rows])
    parse = _texts([columns[PARSE] if len(columns) > PARSE + 1 else NO_CELL for columns in rows])
    has_tags, has_parse = not set(tags) <= NOTHING, any("(" in bit for bit in parse)
    return Layers(begin, sentences, tags if has_tags else (), parse if has_parse else ())


def _texts(cells: Sequence[bytes]) -> list[str]:
    """Cells as text, decoded at once."""
    return as_text(b"\n".join(cells)).split("\n") if cells else []
