"""Documents as CoNLL, and a CoNLL file with its coreference replaced."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat

from corefscore.findings import Finding, counted
from corefscore.formats.conll.lines import END, lines_of
from corefscore.formats.row import NO_WORD, FullDocument, changed_order, full_documents, order_kept
from corefscore.model import Documents, part_of
from corefscore.sources import MARK, Source, as_text

NO_MENTION = b"-"


def write(documents: Iterator[FullDocument], notices: list[Finding]) -> Iterator[str]:
    """Documents as CoNLL, with as many columns as `corefscore.formats.conll.lines.COLUMNS` says, separated by tabs.

    What cannot be held is added to the notices: unknown words; words with line ends or tabs; mentions of one entity
    that cross.
    """
    for document in documents:
        yield f"#begin document {document.name}\n"
        yield from _token_lines(document, notices)
        yield "#end document\n"


def _token_lines(document: FullDocument, notices: list[Finding]) -> Iterator[str]:
    def notice(code: str, **details: object) -> None:
        place = document.place
        details["document"] = document.name
        notices.append(Finding(code, place.source.name, place.line, details=details))

    its_cells = cells(document)
    if not order_kept(document, document.entities):
        notices.append(changed_order(document))
    for entity, spans in document.entities.items():
        if its_crossing := crossing(spans):
            notice("crossing-mentions", entity=entity, first=list(its_crossing[0]), second=list(its_crossing[1]))
    its_sentences: Sequence[Iterable[str]] | None = document.sentences
    if its_sentences is None:
        tokens = 1 + max((end for spans in document.entities.values() for _, end in spans), default=-1)
        notice("no-words", tokens=tokens)
        its_sentences = [repeat(NO_WORD, tokens)] if tokens else [[]]
    name, part = part_of(document.name) or (document.name, "0")
    first_columns = re.sub(r"\s", "_", name) + "\t" + part
    # What would end a column, a line or the document, and white space at the ends, which reading takes off.
    unfit = re.compile(r"[\t\n]|\A\s|\s\Z|#\s*end document", re.ASCII)
    if empty := sum(not sentence for sentence in its_sentences):
        notice("empty-sentences", count=counted(empty, "sentence"))
    token = 0
    for at, sentence in enumerate(filter(None, its_sentences)):
        if at:
            yield "\n"
        for number, its_word in enumerate(sentence):
            written = its_word
            if unfit.search(its_word):
                written = re.sub(r"\s", "_", its_word)
                notice("changed-word", word=ascii(its_word), token=token, written=written)
            yield f"{first_columns}\t{number}\t{written}\t{its_cells.get(token, '-')}\n"
            token += 1


def cells(document: FullDocument) -> dict[int, str]:
    """The cells of coreference of a document, by token: brackets stand in the order in which they nest."""
    singles, opens, closes = defaultdict(list), defaultdict(list), defaultdict(list)
    for entity, spans in document.entities.items():
        for start, end in spans:
            if start == end:
                singles[start].append(f"({entity})")
            else:
                opens[start].append((-end, f"({entity}"))
                closes[end].append((-start, f"{entity})"))
    held: dict[int, list[str]] = defaultdict(list)
    for token, pieces in singles.items():
        held[token] += pieces
    for brackets in (opens, closes):
        for token, found in brackets.items():
            held[token] += [piece for _, piece in sorted(found, key=lambda bracket: bracket[0])]
    return {token: "|".join(pieces) for token, pieces in held.items()}


def crossing(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Two mentions of one entity that its brackets cannot tell from nested ones, if there are any.

    That is so where the second begins within the first and ends behind it; also where it begins at the last token
    of the first, since the brackets that open in a cell do so before others close.
    """
    around: list[tuple[int, int]] = []
    for span in sorted((span for span in spans if span[0] < span[1]), key=lambda span: (span[0], -span[1])):
        while around and around[-1][1] < span[0]:
            around.pop()
        if around and around[-1][1] < span[1]:
            return around[-1], span
        around.append(span)
    return None


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
