"""Named entities of CoNLL-2011/2012, for the metrics that ask for them; for others the reader of scoring does.

The grammar of the column (the eleventh from the left, unless another is named):

1. A column counts from the left, split as in rule 4 of `corefscore.formats.conll.reader`. The last column is that of
   coreference and never of names, unless a key is estimated from its names: then there need be no coreference, and
   none is read.
2. ``(TYPE*`` begins a name, ``*)`` ends it, ``(TYPE)`` and ``(TYPE*)`` are names of one token; ``(TYPE`` and ``)``
   will do. ``*``, ``-``, ``_`` and an empty cell say that nothing begins or ends. Anything else is a fault.
3. Types are compared without case. A TYPE is no number: that would be an id of coreference.
4. Names neither nest nor cross, and end within their document.

A fault makes its document unusable, as brackets of coreference without a partner do.

The words of tokens are in the fourth column of lines with at least five, or in that of ``word_column``, unless that is
the column of names. Otherwise they are unknown: with fewer columns nothing tells words from tags, and a tag taken for a
word makes all names one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from corefscore.checking.findings import Finding, shortened
from corefscore.documents.arrays import Bools, Bytes, Ints
from corefscore.documents.model import KEY, UNKNOWN, Documents, NameColumn, NamedEntities
from corefscore.documents.sources import Source, as_text
from corefscore.errors import UsageError
from corefscore.formats.conll.columns import Columns
from corefscore.formats.conll.reader import CR, Lines, Reader
from corefscore.formats.row import Request
from corefscore.formats.words import BLANK_MARKS, TextsSoFar, word_numbers

CELL = re.compile(rb"(?:\(([^\s()*|]+))?\*?(\))?")
"""A cell of a name: the type where it begins one, and whether it ends one."""

CELLS = '"(TYPE*" where a name begins, "*)" where it ends, "(TYPE)" for one token and "*" elsewhere'


class Name(NamedTuple):
    """A name, as it is found."""

    document: int
    start: int
    end: int
    line: int
    type: str
    words: Sequence[str]


class _Open(NamedTuple):
    """A name that has begun: the cell that began it, and the words before the current block."""

    document: int
    token: int
    type: str
    cell: _Cell
    words: Sequence[str] = ()


class _Cell(NamedTuple):
    """A cell that is not blank: its line, its column (from 1) and its text."""

    line: int
    column: int
    text: str


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """The documents of all files with their named entities, as ``request.names`` has it; else as scoring reads them."""
    reader = NamesReader(notices, request)
    for source in files:
        yield from reader.file(source)
    yield from reader.batch()


class NamesReader(Reader):
    """Reads one side with its named entities, and with the words of all tokens, by which sides are compared."""

    def __init__(self, notices: list[Finding], request: Request) -> None:
        super().__init__(notices, request)
        assert request.names is not None, "only names are read here"
        self._how = request.names
        if self.word_column.number == self._how.column and self._how.of_side(request.side):
            raise UsageError(f"column {self._how.column} cannot have both words and names; see --ne-column")
        self._names_wanted = self._how.of_side(request.side)
        self._estimate = request.side == KEY and bool(self._how.estimate)
        # One for each file; batches share the list.
        self._held: list[NameColumn] = []
        self._open: _Open | None = None
        self._names: list[Name] = []
        self._faults: dict[int, Finding] = {}
        self._texts = TextsSoFar() if request.texts else None

    def file(self, source: Source) -> Iterator[Documents]:
        self._held.append(NameColumn(self._how.column, source.name))
        yield from super().file(source)

    def look(self, lines: Lines) -> None:
        if not len(lines.segments.first):
            return
        tokens, document, shift = lines.segments.within(np.flatnonzero(lines.is_token))
        if not len(tokens):
            return
        stops = lines.stops[tokens]
        columns = Columns(lines.text, lines.starts[tokens], stops - (lines.text[stops - 1] == CR))
        if self._texts is not None:
            at = columns.word_column(self.word_column, self._how.column)
            number = np.where(at >= 0, word_numbers(lines.text, *columns.cells(at)), UNKNOWN)
            self._texts.add(document, number, self.line + 1 + tokens)
        if self._names_wanted:
            token = np.cumsum(lines.is_token)[tokens] - 1 + shift
            self._look_at_names(lines, tokens, document, token, columns)

    def _look_at_names(self, lines: Lines, tokens: Ints, document: Ints, token: Ints, columns: Columns) -> None:
        text, number = lines.text, self._how.column
        starts, stops = columns.cells(np.full(len(tokens), number - 1))
        words = _Words(text, columns, columns.word_column(self.word_column, number))
        for at in self._held_in(text, columns.count, starts, stops).tolist():
            raw = text[starts[at] : stops[at]].tobytes()
            before = as_text(text[lines.starts[tokens[at]] : starts[at]].tobytes())
            cell = _Cell(self.line + 1 + int(tokens[at]), len(before) + 1, as_text(raw))
            self._cell(raw, cell, int(document[at]), int(token[at]), partial(words.of, at))
        if self._open is not None and self._open.document == document[-1]:
            new = int(token[-1]) - self._open.token + 1 - len(self._open.words)
            self._open = self._open._replace(words=[*self._open.words, *words.of(len(tokens) - 1, new)])

    def _held_in(self, text: Bytes, count: Ints, starts: Ints, stops: Ints) -> Ints:
        """Note what the column holds in some lines, given their numbers of columns and its cells; those of the lines
        whose cell has to do with a name."""
        held = self._held[-1]
        there: Bools = count >= held.number
        size, first = stops - starts, text[np.minimum(starts, len(text) - 1)]
        blank: Bools = (size == 0) | ((size == 1) & np.isin(first, np.frombuffer(BLANK_MARKS, dtype=np.uint8)))
        if not self._estimate:
            last: Bools = count == held.number
            there &= ~last
            held.last |= bool(last.any())
            for at in np.flatnonzero(last & ~blank)[: not held.last_cell].tolist():
                held.last_cell = as_text(text[starts[at] : stops[at]].tobytes())
        held.columns = max(held.columns, int(count.max()))
        held.there |= bool(there.any())
        held.blanks |= dict.fromkeys(map(chr, np.unique(first[there & blank & (size == 1)]).tolist()))
        held.blanks |= dict.fromkeys([""] * bool((there & (size == 0)).any()))
        return np.flatnonzero(there & ~blank)

    def _cell(self, raw: bytes, cell: _Cell, document: int, token: int, words: Callable[[int], Sequence[str]]) -> None:
        """Deal with one cell; ``words`` gives the last so many words of the block, up to this token."""
        self._end_of_document(document)
        found = CELL.fullmatch(raw)
        if not found or not (found[1] or found[2]):
            self._blame(document, cell, "is no cell of named entities", CELLS)
            return
        opened = self._open
        if found[1]:
            if found[1].isdigit():
                self._blame(document, cell, "has a number for a type, as coreference has", CELLS)
                return
            if opened is not None:
                what = f'begins a name within "{opened.cell.text}" of line {opened.cell.line}'
                self._blame(document, cell, what, "names that neither nest nor cross")
                return
            opened = _Open(document, token, as_text(found[1]).upper(), cell)
        if opened is None:
            self._blame(document, cell, "ends a name, and none has begun", CELLS)
            return
        self._open = None if found[2] else opened
        if found[2]:
            size = token - opened.token + 1 - len(opened.words)
            its_words = [*opened.words, *words(size)]
            self._names.append(Name(document, opened.token, token, opened.cell.line, opened.type, its_words))
            self._held[-1].types[opened.type] += 1

    def _end_of_document(self, document: int) -> None:
        """A name must not reach into another document."""
        if self._open is not None and self._open.document != document:
            what = "begins a name that never ends"
            self._blame(self._open.document, self._open.cell, what, '"*)" at its last token, within the document')
            self._open = None

    def _blame(self, document: int, cell: _Cell, what: str, expected: str) -> None:
        self._open = None
        shown = shortened(cell.text)
        details = {
            "document": self.names[document],
            "cell": shown,
            "what": what,
            "expected": expected,
            "column": self._how.column,
        }
        finding = Finding(
            "bad-name", self.places[document].source.name, cell.line, cell.column, details, (shown, "^" * len(shown))
        )
        self._faults.setdefault(document, finding)

    def batch(self) -> Iterator[Documents]:
        ready = len(self.names) - self.inside
        if self._open is not None and self._open.document < ready:
            self._end_of_document(ready)
        for documents in super().batch():
            yield self._with_names(documents)

    def _with_names(self, documents: Documents) -> Documents:
        ready = len(documents)
        faults = {document: partial(_known, fault) for document, fault in self._faults.items() if document < ready}
        its = [name for name in self._names if name.document < ready and name.document not in faults]
        document, start, end, line = np.array([name[:4] for name in its], dtype=np.int64).reshape(-1, 4).T
        kinds = np.array([name.type for name in its], dtype=object)
        words = np.fromiter((name.words for name in its), dtype=object, count=len(its))
        names = NamedEntities(document, start, end, line, kinds, words, self._held)
        self._names = [n._replace(document=n.document - ready) for n in self._names if n.document >= ready]
        self._faults = {document - ready: fault for document, fault in self._faults.items() if document >= ready}
        if self._open is not None:
            self._open = self._open._replace(document=self._open.document - ready)
        if self._estimate:
            documents = Documents(
                documents.names, documents.places, documents.tokens, exact_names=True, words=documents.words
            )
        texts = None if self._texts is None else self._texts.take(ready)
        return replace(documents, faults={**faults, **documents.faults}, named_entities=names, texts=texts)


class _Words:
    """The words of the token lines of one block; ``at`` is their column, and a word without one is empty."""

    def __init__(self, text: np.ndarray, columns: Columns, at: Ints) -> None:
        self._text = text
        self._columns = columns
        self._at = at
        self._cells: tuple[Ints, Ints] | None = None

    def of(self, last: int, size: int) -> list[str]:
        """The words of ``size`` lines, up to the line ``last``."""
        if self._cells is None:
            self._cells = self._columns.cells(self._at)
        starts, stops = self._cells
        which = range(last - size + 1, last + 1)
        return [as_text(self._text[starts[at] : stops[at]].tobytes()).strip() for at in which]


def _known(finding: Finding) -> Finding:
    """A finding as what `Documents.faults` holds, a function that gives it."""
    return finding
