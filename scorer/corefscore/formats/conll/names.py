"""The reader of CoNLL-2011/2012 with named entities, for the metrics that need them.

The grammar of the column (the eleventh by default):

1. Columns are counted from the left and split as in rule 4 of `corefscore.formats.conll.reader`. The last column is
   coreference and never names, unless a key is estimated from its names: then the file needs no coreference, and none
   is read.
2. ``(TYPE*`` begins a name, ``*)`` ends it, ``(TYPE)`` and ``(TYPE*)`` are names of one token; ``(TYPE`` and ``)``
   are accepted, too. In a cell with ``*``, ``-``, ``_`` or nothing no name begins or ends. Any other cell is a fault.
3. Types are compared without case. A TYPE is not a number: that would be an id of coreference.
4. Names neither nest nor cross, and end within their document.

A document with a fault cannot be used, like one with unmatched brackets of coreference.

The words of tokens are in the fourth column of lines with at least five, or in ``word_column``, unless that is the
column of names. Otherwise they are unknown: with fewer columns words cannot be told from tags, and with tags in the
place of words all names would be the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints
from corefscore.core.documents import KEY, NO_TEXTS, UNKNOWN, Documents, NameColumn, NamedEntities, Texts
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, shortened
from corefscore.core.names import COLUMN
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import BLANK_MARKS, NE, Request
from corefscore.formats.conll.columns import Columns
from corefscore.formats.conll.reader import CR, Lines, Reader
from corefscore.formats.words import word_numbers

_CELL = re.compile(rb"(?:\(([^\s()*|]+))?\*?(\))?")
"""A cell of a name: the type if a name begins there, and the bracket if one ends there."""

_CELLS = '"(TYPE*" where a name begins, "*)" where it ends, "(TYPE)" for one token and "*" elsewhere'


class _Name(NamedTuple):
    """A named entity with its words."""

    document: int
    start: int
    end: int
    line: int
    type: str
    words: Sequence[str]


class _Cell(NamedTuple):
    """A cell that is not blank: its row among the tokens of the block, its document, line, column (from 1) and text,
    and the type of the name that it begins."""

    row: int
    document: int
    line: int
    column: int
    text: str
    type: str = ""


class NamesReader(Reader):
    """Reads one side with the named entities that ``request.names`` describes and the words of all tokens, by which the
    sides are compared."""

    whole_documents = True

    def __init__(self, notices: list[Finding], request: Request) -> None:
        super().__init__(notices, request)
        options = request.names
        assert options is not None, "this reader is for names"
        self._number = request.columns.get(NE, COLUMN)
        self._names_wanted = options.of_side(request.side)
        if self.word_column.number == self._number and self._names_wanted:
            raise UsageError(f"column {self._number} cannot contain words and names; change --columns word=N or ne=N")
        self._estimate = request.side == KEY and options.estimate_key
        # One for each file; batches share the list.
        self._columns: list[NameColumn] = []
        self._open: _Cell | None = None
        self._names: list[_Name] = []
        self._faults: dict[int, Callable[[], Finding]] = {}
        self.texts = [NO_TEXTS] if request.texts else None

    def file(self, source: Source) -> Iterator[Documents]:
        self._columns.append(NameColumn(self._number, source.name))
        yield from super().file(source)

    def look(self, lines: Lines) -> None:
        if not self._estimate:  # then coreference is not read
            super().look(lines)
        if not len(lines.segments.first):
            return
        tokens, document, shift = lines.segments.within(np.flatnonzero(lines.is_token))
        if not len(tokens):
            return
        stops = lines.stops[tokens]
        columns = Columns(lines.text, lines.starts[tokens], stops - (lines.text[stops - 1] == CR))
        word_column = columns.word_column(self.word_column, self._number)
        words = columns.cells(word_column)
        if self.texts is not None:
            number = np.where(word_column >= 0, word_numbers(lines.text, *words), UNKNOWN)
            self.texts.append(Texts(number, self.line + 1 + tokens))
        if self._names_wanted:
            token = np.cumsum(lines.is_token)[tokens] - 1 + shift
            self._look_at_names(lines, tokens, document, token, columns, *words)

    def _look_at_names(
        self, lines: Lines, tokens: Ints, document: Ints, token: Ints, columns: Columns, *words: Ints
    ) -> None:
        """Read the names of a block, given the lines of its tokens, their documents and numbers there, and where the
        word of each begins and ends."""
        text = lines.text
        starts, stops = columns.cells(np.full(len(tokens), self._number - 1))
        for row in self._look_at_column(text, columns.count, starts, stops).tolist():
            raw = text[starts[row] : stops[row]].tobytes()
            before = as_text(text[lines.starts[tokens[row]] : starts[row]].tobytes())
            cell = _Cell(row, int(document[row]), self.line + 1 + int(tokens[row]), len(before) + 1, as_text(raw))
            self._end_of_document(cell.document)
            if (name := self._closed(raw, cell)) is not None:
                edges = zip(*(side[name.row : row + 1] for side in words), strict=True)
                its_words = [as_text(text[start:stop].tobytes()).strip() for start, stop in edges]
                span = int(token[name.row]), int(token[row])
                self._names.append(_Name(cell.document, *span, name.line, name.type, its_words))
                self._columns[-1].types[name.type] += 1
        self._end_of_document(None)

    def _look_at_column(self, text: Bytes, count: Ints, starts: Ints, stops: Ints) -> Ints:
        """Update the `NameColumn` of the file from some lines, given their numbers of columns and the cells of names;
        returns the lines in which a name begins or ends."""
        column = self._columns[-1]
        there: Bools = count >= column.number
        size, first = stops - starts, text[np.minimum(starts, len(text) - 1)]
        blank: Bools = (size == 0) | ((size == 1) & np.isin(first, np.frombuffer(BLANK_MARKS, dtype=np.uint8)))
        if not self._estimate:
            last: Bools = count == column.number
            there &= ~last
            column.last |= bool(last.any())
        column.columns = max(column.columns, int(count.max()))
        column.there |= bool(there.any())
        return np.flatnonzero(there & ~blank)

    def _closed(self, raw: bytes, cell: _Cell) -> _Cell | None:
        """Read one cell; returns the cell that began the name that ends there."""
        found = _CELL.fullmatch(raw)
        opened = self._open
        if not found or not (found[1] or found[2]):
            self._blame(cell, "is not a cell of named entities", _CELLS)
        elif found[1] and found[1].isdigit():
            self._blame(cell, "has a number instead of a type, as in a column of coreference", _CELLS)
        elif found[1] and opened is not None:
            what = f'begins a name within "{opened.text}" of line {opened.line}'
            self._blame(cell, what, "names that neither nest nor cross")
        elif not found[1] and opened is None:
            self._blame(cell, "ends a name, but none has begun", _CELLS)
        else:
            opened = opened or cell._replace(type=as_text(found[1]).upper())
            self._open = None if found[2] else opened
            return opened if found[2] else None
        return None

    def _end_of_document(self, document: int | None) -> None:
        """Report a name that is still open in another document."""
        if self._open is not None and self._open.document != document:
            self._blame(self._open, "begins a name that never ends", '"*)" at its last token, within the document')

    def _blame(self, cell: _Cell, what: str, expected: str) -> None:
        """Keep the first fault of a document."""
        self._open = None
        shown = shortened(cell.text)
        details = {
            "document": self.names[cell.document],
            "cell": shown,
            "what": what,
            "expected": expected,
            "column": self._number,
        }
        path, excerpt = self.places[cell.document].source.name, (shown, "^" * len(shown))
        fault = partial(Finding, "bad-name", path, cell.line, cell.column, details, excerpt)
        self._faults.setdefault(cell.document, fault)

    def batch(self) -> Iterator[Documents]:
        for documents in super().batch():
            sound = [name for name in self._names if name.document not in self._faults]
            document, start, end, line = np.array([name[:4] for name in sound], dtype=np.int64).reshape(-1, 4).T
            kinds = np.array([name.type for name in sound], dtype=object)
            words = np.fromiter((name.words for name in sound), dtype=object, count=len(sound))
            names = NamedEntities(document, start, end, line, kinds, words, self._columns)
            found = documents
            if self._estimate:
                found = Documents(found.names, found.places, found.tokens, exact_names=True, words=found.words)
            faults = {**self._faults, **found.faults}
            self._names, self._faults = [], {}
            yield replace(found, faults=faults, named_entities=names, texts=documents.texts)
