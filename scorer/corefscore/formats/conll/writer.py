"""Documents as CoNLL, and a CoNLL file with its coreference replaced."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from corefscore.core.documents import Documents, part_of
from corefscore.core.findings import Finding
from corefscore.core.sources import MARK, Source, as_text
from corefscore.formats.base import USUAL, FullDocument, Request, full_documents, order_kept
from corefscore.formats.conll.cells import USUAL_END
from corefscore.formats.conll.lines import lines_of
from corefscore.formats.written import CLOSE, OPEN, SINGLE, Fit, add_notice, fitted, marks, note_crossing

_FIT = Fit("CoNLL", words=r"(?a:[\t\n]|\A\s+|\s+\Z|#(?=\s*end document))", ids="[0-9]+")
"""No words that would end a column, a line or the document, or have white space at their ends, which readers remove."""


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL) -> Iterator[str]:
    """Yield documents as CoNLL, with as many columns as `corefscore.formats.conll.lines.COLUMNS` says, separated by
    tabs.

    What CoNLL cannot contain (`_FIT`) is added to the notices, and mentions of one entity that cross.
    """
    for document in fitted(documents, notices, _FIT):
        yield f"#begin document {document.name}\n"
        yield from _token_lines(document, notices)
        yield "#end document\n"


def _token_lines(document: FullDocument, notices: list[Finding]) -> Iterator[str]:
    """Yield the lines of a document between its markers."""
    coreference = cells(document)
    if not order_kept(document, document.entities):
        add_notice(document, notices, "changed-order")
    note_crossing(document, notices, _FIT.title)
    name, part = part_of(document.name) or (document.name, "0")
    first_columns = re.sub(r"\s", "_", name) + "\t" + part
    token = 0
    for index, sentence in enumerate(document.sentences or ()):
        if index:
            yield "\n"
        for number, word in enumerate(sentence):
            yield f"{first_columns}\t{number}\t{word}\t{coreference.get(token, '-')}\n"
            token += 1


def cells(document: FullDocument) -> dict[int, str]:
    """Return the cells of coreference of a document, by token."""
    forms = {SINGLE: "({})".format, OPEN: "({}".format, CLOSE: "{})".format}
    return {token: "|".join(pieces) for token, pieces in marks(document.entities, forms).items()}


def rewritten(batches: Sequence[Documents], column: int) -> Iterator[str]:
    """Yield the text of the files that the documents came from, with the entities of the documents as coreference.

    ``column`` is the column of named entities, from 1. Raises `InputError` for a document with a fault.
    """
    documents: dict[Source, dict[int, FullDocument]] = defaultdict(dict)
    for batch in batches:
        for document in full_documents(batch):
            documents[document.place.source][document.place.line or 0] = document
    for source, by_line in documents.items():
        yield from _rewritten_lines(source, by_line, column)


def _rewritten_lines(source: Source, documents: Mapping[int, FullDocument], column: int) -> Iterator[str]:
    """Yield the lines of a file; ``documents`` are by the line at which they begin."""
    begin, coreference = 0, {}
    for line in lines_of(source):
        if line.begin != begin:
            begin, coreference = line.begin, cells(documents[line.begin]) if line.begin else {}
        text = line.text
        if line.number == 1:
            text = text.removeprefix(MARK)
        ended = text.endswith(b"\n")
        if line.begin and line.token >= 0:
            text = _with_cell(text, coreference.get(line.token, "").encode() or b"-", column)
        yield as_text(text if ended else text + b"\n")
    if begin:
        yield as_text(USUAL_END + b"\n")


def _with_cell(line: bytes, cell: bytes, column: int) -> bytes:
    """Return a line with its last cell replaced, or with one more cell if the last column is that of named entities."""
    text = line.rstrip(b"\r\n")
    line_end = line[len(text) :]
    blank = b"\t" if b"\t" in text else b" "
    columns = text.split(b"\t") if blank == b"\t" else text.split()
    if len(columns) <= column:
        return text + blank + cell + line_end
    last = len(text) - len(columns[-1]) if blank == b"\t" else text.rfind(columns[-1])
    return text[:last] + cell + line_end
