"""Tables for a terminal, with as many columns as fit its width. Percentages are rounded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from corefscore.checking.findings import VISIBLE
from corefscore.layouts import Style
from corefscore.layouts.cells import arranged, cell, cut, spans, width_of
from corefscore.reports.row import END, LEFT, Column, Reported

GAP = "  "
"""The text between two columns."""

Cells = dict[int, list[str]]
"""The cells of each column as text, by the number of the column in the table."""

Columns = list[tuple[int, Column]]
"""Columns with their numbers in the table."""

WELL, LEAST = 20, 7
"""The width to which words are cut before columns are left out, and after all columns that can be are left out."""


def render(report: Reported, style: Style) -> Iterator[str]:
    """The tables that have rows, each with its title and notes; then the notes and the signature of the report."""
    between = ""
    for table in report.readable:
        if not table.rows:
            continue
        columns = arranged(table, style)
        cells = {number: [cell(row[number], column, style.digits) for row in table.rows] for number, column in columns}
        columns, left_out = _fitted(columns, cells, style.width)
        kept, cells = _cut(columns, cells, style.width, LEAST)
        yield between + (f"{_wrapped(table.title, style.width)}\n" if table.title else "")
        yield "".join(f"{line.rstrip()}\n" for line in _lines(kept, cells))
        if notes := [*table.notes, *_left_out_note(left_out, style.width)]:
            yield "\n" + "".join(_wrapped(note, style.width) for note in notes)
        between = "\n"
    if notes := [*report.legend, *report.notes]:
        yield between + "".join(_wrapped(note, style.width) for note in notes)
    yield f"\n{report.signature}\n"


def _fitted(columns: Columns, cells: Cells, width: int) -> tuple[Columns, list[Column]]:
    """The columns that fit the width, and the others. Columns with the highest ``spare`` are left out first, unless
    cutting words is enough."""
    kept = columns
    while (most := max(column.spare for _, column in kept)) and _width(*_cut(kept, cells, width, WELL)) > width:
        kept = [(number, column) for number, column in kept if column.spare < most]
    return kept, [column for number, column in columns if (number, column) not in kept]


def _cut(columns: Columns, cells: Cells, width: int, least: int) -> tuple[Columns, Cells]:
    """The columns and cells with words cut to fit the width: the widest column first, and none below ``least``."""
    over = _width(columns, cells) - width
    widths = dict(zip((number for number, _ in columns), _widths(columns, cells), strict=True))
    can = {
        number: max([least, *(map(width_of, cells[number]) if column.kind not in LEFT else ())])
        for number, column in columns
        if column.cut
    }
    while over > 0 and (wide := [number for number in can if widths[number] > can[number]]):
        widest = max(wide, key=widths.__getitem__)
        widths[widest] -= 1
        over -= 1
    cut_cells = dict(cells)
    for number, column in columns:
        if column.cut:
            cut_cells[number] = cut(cells[number], widths[number], column.cut)
    headings = [cut([column.heading], widths[number], column.cut or END)[0] for number, column in columns]
    named = zip(columns, headings, strict=True)
    return [(number, column._replace(heading=heading)) for (number, column), heading in named], cut_cells


def _width(columns: Columns, cells: Cells) -> int:
    """The width of the whole table."""
    return sum(_widths(columns, cells)) + len(GAP) * (len(columns) - 1)


def _widths(columns: Columns, cells: Cells) -> list[int]:
    """The width of each column: that of its widest cell. The first column under a common heading makes room for it."""
    widths = [max(map(width_of, (column.heading, *cells[number]))) for number, column in columns]
    first = 0
    for over, size in spans([column for _, column in columns]):
        room = sum(widths[first : first + size]) + len(GAP) * (size - 1)
        widths[first] += max(0, width_of(over) - room)
        first += size
    return widths


def _lines(columns: Columns, cells: Cells) -> Iterator[str]:
    """The lines of a table: headings over several columns, if any, headings, a rule, and the rows."""
    widths = _widths(columns, cells)
    shown = [column for _, column in columns]
    if any(column.over for column in shown):
        yield GAP.join(_over(shown, widths))
    yield _row([column.heading for column in shown], shown, widths)
    yield GAP.join("-" * width for width in widths)
    for row in zip(*(cells[number] for number, _ in columns), strict=True):
        yield _row(row, shown, widths)


def _over(columns: list[Column], widths: Sequence[int]) -> Iterator[str]:
    """The headings over several columns, each in the middle of the columns that it spans."""
    first = 0
    for over, size in spans(columns):
        room = sum(widths[first : first + size]) + len(GAP) * (size - 1)
        if size == 1:
            yield _padded(over, room, left=columns[first].kind in LEFT)
        else:
            yield f" {over} ".center(room, "-") if over else " " * room
        first += size


def _row(texts: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    """The line of a row."""
    cells = zip(texts, columns, widths, strict=True)
    return GAP.join(_padded(text, width, left=column.kind in LEFT) for text, column, width in cells)


def _padded(text: str, width: int, *, left: bool) -> str:
    """A text padded to a width."""
    padding = " " * (width - width_of(text))
    return text + padding if left else padding + text


def _left_out_note(columns: Sequence[Column], width: int) -> Iterator[str]:
    """A note about columns that do not fit the width."""
    if columns:
        named: list[str] = []
        for over, group in groupby(columns, key=lambda column: column.over):
            if over:
                named.append(" ".join((over, *(column.heading for column in group))))
            else:
                named += (column.name.replace("_", " ") for column in group)
        yield f"left out to fit {width} columns (COLUMNS=N sets them): {', '.join(named)}; --format csv has all"


def _wrapped(note: str, width: int) -> str:
    """A note in lines that fit the width; words are not cut, and control characters are replaced."""
    text = textwrap.fill(
        note.translate(VISIBLE), width, subsequent_indent=GAP, break_long_words=False, break_on_hyphens=False
    )
    return f"{text}\n"
