"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, if a file has them.

Words can be in another column (`corefscore.formats.conll.lines.WordColumn`). Types of entities are in ids such as
``(person-3``, or in a column of names from ``(PERSON*`` to ``*)``.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise

from corefscore.core.documents import OF_COLUMN, Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import BLANK_MARKS, USUAL, WORD, Annotations, Request, refused
from corefscore.formats.conll import reader
from corefscore.formats.conll.cells import columns_of
from corefscore.formats.conll.lines import COLUMNS, DocumentLines, WordColumn, documents_of

_TAG, _PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    column = WordColumn(request.columns.get(WORD))
    types = _types_of(source, request.types) if request.types and request.types.startswith(OF_COLUMN) else {}
    told: set[str] = set()
    for lines in documents_of(source):
        begin = lines.begin
        if request.lines is not None and begin not in request.lines:
            continue
        rows = list(map(columns_of, lines.tokens))
        words = _texts(list(map(column.cell, rows)))
        # The last column is coreference.
        tags, parse = (_texts([row[at] if len(row) > at + 1 else b"-" for row in rows]) for at in (_TAG, _PARSE))
        # A line of white space ends a sentence, and a comment does not.
        edges = pairwise((0, *(bisect(lines.numbers, number) for number in lines.blank), len(words)))
        sentences = [words[start:stop] for start, stop in edges if stop > start]
        tags = [] if set(tags) <= set(BLANK_MARKS.decode()) else tags
        parse = parse if any("(" in bit for bit in parse) else []
        units = () if request.unit is None else _units(source, begin, rows, request.unit)
        lost = [*_lost(source, lines, rows, told)]
        yield Annotations(begin, sentences, tags, parse, units=units, types=types.get(begin, {}), lost=lost)


def _lost(source: Source, lines: DocumentLines, rows: Sequence[Sequence[bytes]], told: set[str]) -> Iterator[Finding]:
    """Yield a notice about the first columns that are not converted, and one about the first comment, unless their
    codes are ``told``. ``rows`` are the columns of the tokens."""
    wide = ((number, len(row)) for number, row in zip(lines.numbers, rows, strict=True) if len(row) > COLUMNS)
    for number, count in islice(wide, "dropped-columns" not in told):
        told.add("dropped-columns")
        yield Finding("dropped-columns", source.name, number, details={"count": count})
    for number in islice(lines.comments, "dropped-comments" not in told):
        told.add("dropped-comments")
        yield Finding("dropped-comments", source.name, number)


def _units(source: Source, begin: int, rows: Sequence[Sequence[bytes]], unit: str) -> list[str]:
    """Return the cells of the column with the unit of each token of a document.

    Raises `UsageError` if ``unit`` is not the name of a column, `InputError` for a token without this column.
    """
    number = unit.removeprefix(OF_COLUMN)
    if number == unit or not (number.isascii() and number.isdigit() and int(number)):
        raise UsageError(f"--unit {unit}: {source.name} is CoNLL; expected column:N, counted from 1")
    index = int(number) - 1
    units = []
    for token, columns in enumerate(rows):
        if index >= len(columns) - 1:  # the last column is coreference
            what = f"token {token} has {plural(len(columns), 'column')}, the last of which is coreference"
            expected = f"at least {index + 2} columns, the last with coreference"
            raise refused(Place(source, begin), "no-unit", what=what, expected=expected, unit=unit)
        units.append(columns[index].strip())
    return _texts(units)


def _texts(cells: Sequence[bytes]) -> list[str]:
    """Decode cells as text, all at once."""
    return as_text(b"\n".join(cells)).split("\n") if cells else []


_TYPED_ID = re.compile(r"\(([A-Za-z][^()|-]*)-(\d+)")
"""What opens a mention with a type, and its id, as in `corefscore.formats.conll.cells`."""

_BRACKET = re.compile(r"\(([^\s()*|]+)|\)")


def _types_of(source: Source, place: str) -> Mapping[int, Mapping[str, str]]:
    """Return the types of entities by id, for each document of a file without faults by the line at which it begins.

    ``place`` names the column. If that is coreference, types are in its ids. In any other a mention has the type of the
    name with the same tokens, the innermost if there are several. Raises `UsageError` for brackets without a partner.
    """
    column = int(place.removeprefix(OF_COLUMN))
    found: dict[int, dict[str, str]] = defaultdict(dict)
    spans: dict[int, dict[tuple[int, int], str]] = {}
    for lines in documents_of(source):
        begin, rows = lines.begin, list(map(columns_of, lines.tokens))
        for row in rows:
            for kind, name in _TYPED_ID.findall(as_text(row[-1]) if len(row) == column else ""):
                found[begin].setdefault(name, kind)
        cells = [as_text(row[column - 1]) if len(row) > column else "" for row in rows]
        spans[begin] = _spans(cells, f"{source.name}:{begin}: column {column} of the document")
    for batch in reader.read([source], [], USUAL) if any(spans.values()) else ():
        mentions = zip(batch.start.tolist(), (-batch.end).tolist(), batch.entity.tolist(), strict=True)
        for start, minus_end, entity in sorted(mentions):  # of those that begin at one token the longest is first
            begin = batch.place_of(int(batch.document[entity])).line or 0
            if kind := spans[begin].get((start, -minus_end)):
                found[begin].setdefault(batch.name_of(entity), kind)
    return found


def _spans(cells: Sequence[str], where: str) -> dict[tuple[int, int], str]:
    """Return the types of names by their first and last token, from the cells of all tokens of a document."""
    found: dict[tuple[int, int], str] = {}
    opened: list[tuple[int, str]] = []
    brackets = [(token, each[1] or each[0]) for token, cell in enumerate(cells) for each in _BRACKET.finditer(cell)]
    for token, bracket in brackets:
        if bracket != ")":
            opened.append((token, bracket))
        elif opened:
            start, kind = opened.pop()
            found.setdefault((start, token), kind)
        else:
            opened = [(token, bracket)]
            break
    if opened:
        token, bracket = opened[-1]
        raise UsageError(f'{where} has an unpaired "{bracket}" at token {token}; expected one "*)" for each "(TYPE*"')
    return found
