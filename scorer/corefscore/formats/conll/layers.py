"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, as far as a file has them."""

from __future__ import annotations

from collections.abc import Iterator

from corefscore.formats.conll.lines import WORD_COLUMNS, columns_of, lines_of, word
from corefscore.formats.row import Layers, Request
from corefscore.sources import Source, as_text

TAG, PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""

NOTHING = ("-", "*", "_")
"""Cells that say that there is nothing."""


def read(source: Source, request: Request) -> Iterator[Layers]:
    """The layers of each document of a file that has no faults."""
    begin = 0
    words: list[list[str]] = []
    tags: list[str] = []
    parse: list[str] = []
    for line in lines_of(source):
        if line.begin != begin:
            if begin:
                yield _layers(begin, words, tags, parse)
            begin, words, tags, parse = line.begin, [[]], [], []
        if line.begin and line.token >= 0:
            columns = columns_of(line.text)
            words[-1].append(word(columns))
            # The last column is that of coreference.
            tags.append(as_text(columns[TAG]) if len(columns) > WORD_COLUMNS else "-")
            parse.append(as_text(columns[PARSE]) if len(columns) > WORD_COLUMNS + 1 else "-")
        elif line.begin and not line.text.strip():
            words.append([])
    if begin:
        yield _layers(begin, words, tags, parse)


def _layers(begin: int, words: list[list[str]], tags: list[str], parse: list[str]) -> Layers:
    return Layers(
        begin,
        [sentence for sentence in words if sentence],
        tags if any(tag not in NOTHING for tag in tags) else (),
        parse if any("(" in bit for bit in parse) else (),
    )
