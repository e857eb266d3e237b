"""Documents as CoNLL, and a CoNLL file with its coreference replaced."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from corefscore.checking.findings import Finding
from corefscore.documents.model import Documents, part_of
from corefscore.documents.sources import MARK, Source, as_text
from corefscore.formats.conll.lines import END, lines_of
from corefscore.formats.row import USUAL, FullDocument, Request, changed_order, full_documents, order_kept
from corefscore.formats.written import Brackets, laid_out, note_crossing

NO_MENTION = b"-"


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request = USUAL) -> Iterator[str]:
    """Documents as CoNLL, with as many columns as `corefscore.formats.conll.lines.COLUMNS` says, separated by tabs.

    What cannot be held is added to the notices: unknown words; words with line ends or tabs; mentions of one entity
    that cross.
    """
    told: list[str] = []
    for document in (_numbered(each, notices, told) for each in documents):
        yield f"#begin document {document.name}\n"
        yield from _token_lines(document, notices)
        yield "#end document\n"


def _numbered(document: FullDocument, notices: list[Finding], told: list[str]) -> FullDocument:
    """A document whose entities have numbers for ids; the first one that had not is told, and added to ``told``."""
    odd = next((name for name in document.entities if not (name.isascii() and name.isdigit())), None)
    if odd is None:
        return document
    if not told:
        details = {"entity": odd}
        notices.append(Finding("numbered-ids", document.place.source.name, document.place.line, details=details))
    told.append(odd)
    return document._replace(entities={str(at): its for at, its in enumerate(document.entities.values())})


def _token_lines(document: FullDocument, notices: list[Finding]) -> Iterator[str]:
    its_cells = cells(document)
    if not order_kept(document, document.entities):
        notices.append(changed_order(document))
    note_crossing(document, notices)
    name, part = part_of(document.name) or (document.name, "0")
    first_columns = re.sub(r"\s", "_", name) + "\t" + part
    token = 0
    for at, sentence in enumerate(laid_out(document, notices)):
        if at:
            yield "\n"
        for number, word in enumerate(sentence):
            yield f"{first_columns}\t{number}\t{word}\t{its_cells.get(token, '-')}\n"
            token += 1


def cells(document: FullDocument) -> dict[int, str]:
    """The cells of coreference of a document, by token."""
    held: dict[int, list[str]] = defaultdict(list)
    for brackets, form in zip(Brackets.of(document), ("({})", "({}", "{})"), strict=True):
        for token, ids in brackets.items():
            held[token] += map(form.format, ids)
    return {token: "|".join(pieces) for token, pieces in held.items()}


def rewritten(batches: Sequence[Documents], column: int) -> Iterator[str]:
    """The text of the files that the documents came from, with the entities of the documents.

    ``column`` is that of named entities, from 1. Raises `InputError` for a document with a fault.
    """
    documents: dict[Source, dict[int, FullDocument]] = defaultdict(dict)
    for batch in batches:
        for document in full_documents(batch):
            documents[document.place.source][document.place.line or 0] = document
    for source, its in documents.items():
        yield from _rewritten_lines(source, its, column)


def _rewritten_lines(source: Source, documents: Mapping[int, FullDocument], column: int) -> Iterator[str]:
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
