"""Words, parts of speech and parses of CoNLL-2011/2012: columns 4, 5 and 6, if a file has them.

Words can be in another column (`corefscore.formats.conll.lines.WordColumn`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from corefscore.core.documents import OF_COLUMN
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import Annotations, Request
from corefscore.formats.conll.lines import WordColumn, columns_of, tokens_of
from corefscore.formats.conll.types import types_of

_TAG, _PARSE = 4, 5
"""The columns of parts of speech and parses, counted from 0."""

_NO_CELL = b"-"

_NOTHING = {"-", "*", "_"}
"""Cells that mean that there is no value."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    column = WordColumn(request.word_column)
    types = types_of(source, request.types) if request.types and request.types.startswith(OF_COLUMN) else {}
    for begin, lines, cuts in tokens_of(source):
        if request.lines is not None and begin not in request.lines:
            continue
        rows = list(map(columns_of, lines))
        words = _texts(list(map(column.cell, rows)))
        # The last column is coreference.
        tags, parse = (
            _texts([row[index] if len(row) > index + 1 else _NO_CELL for row in rows]) for index in (_TAG, _PARSE)
        )
        edges = zip([0, *cuts], [*cuts, len(lines)], strict=True)
        sentences = [words[start:stop] for start, stop in edges if stop > start]
        has_tags, has_parse = not set(tags) <= _NOTHING, any("(" in bit for bit in parse)
        units = () if request.unit is None else _units(source, begin, rows, request.unit)
        of_entities = types.get(begin, {})
        yield Annotations(
            begin, sentences, tags if has_tags else (), parse if has_parse else (), units=units, types=of_entities
        )


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
            what = f"token {token} has {len(columns)} columns, the last of which is coreference"
            details = {"what": what, "expected": f"column {number} before that of coreference", "unit": unit}
            raise InputError([Finding("no-unit", source.name, begin, details=details)])
        units.append(columns[index].strip())
    return _texts(units)


def _texts(cells: Sequence[bytes]) -> list[str]:
    """Cells as text, decoded at once."""
    return as_text(b"\n".join(cells)).split("\n") if cells else []
