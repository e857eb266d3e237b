"""A CoNLL file with its coreference replaced: how an estimated key is saved, for any metric to use.

The coreference goes into the last column of each token. Where that is the column of named entities a column is added,
so that names and all other columns stay where they are. Everything else stays as it is, byte for byte; several files
become one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from scorer.formats.lines import END, MARK, as_text, cells
from scorer.formats.row import FullDocument, full_documents
from scorer.model import Documents
from scorer.repair import lines_of
from scorer.sources import Source

NO_MENTION = b"-"


def rewritten(batches: Sequence[Documents], column: int) -> Iterator[str]:
    """The text of the files that the documents came from, with the entities of the documents.

    ``column`` is that of named entities, from 1. Raises `InputError` for a document with a fault.
    """
    documents: dict[Source, dict[int, FullDocument]] = defaultdict(dict)
    for batch in batches:
        for document in full_documents(batch):
            documents[document.place.source][document.place.line or 0] = document
    for source, its in documents.items():
        yield from _lines(source, its, column)


def _lines(source: Source, documents: Mapping[int, FullDocument], column: int) -> Iterator[str]:
    begin, its = 0, {}
    for line in lines_of(source):
        if line.begin != begin:
            begin, its = line.begin, cells(documents[line.begin]) if line.begin else {}
        text = line.text
        if line.number == 1:
            text = text.removeprefix(MARK)
        ended = text.endswith(b"\n")
        if line.begin and line.token >= 0:
            text = _with_cell(text, its.get(line.token, "").encode() or NO_MENTION, column)
        yield as_text(text if ended else text + b"\n")
    if begin:
        yield as_text(b"#" + END + b"\n")


def _with_cell(line: bytes, cell: bytes, column: int) -> bytes:
    """A line with another last cell, or with one more behind the column of named entities."""
    text = line.rstrip(b"\r\n")
    line_end = line[len(text) :]
    blank = b"\t" if b"\t" in text else b" "
    columns = text.split(b"\t") if blank == b"\t" else text.split()
    if len(columns) <= column:
        return text + blank + cell + line_end
    last = len(text) - len(columns[-1]) if blank == b"\t" else text.rfind(columns[-1])
    return text[:last] + cell + line_end
