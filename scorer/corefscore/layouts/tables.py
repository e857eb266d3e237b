"""Tables for a terminal: as many columns as its width has room for. Percentages are rounded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from corefscore.checking.findings import VISIBLE
from corefscore.layouts import Style
from corefscore.layouts.cells import arranged, cell, cut, spans, width_of
from corefscore.reports.row import END, LEFT, Column, Reported

GAP = "  "
"""What stands between two columns."""

Cells = dict[int, list[str]]
"""The cells of each column as text, by its place in the table."""

Columns = list[tuple[int, Column]]
"""Columns with their places in the table."""

WELL, LEAST = 20, 7
"""Down to how many places words are cut before a column is left out, and after all that can be spared are."""


def render(report: Reported, style: Style) -> Iterator[str]:
    """The tables that have rows, each under its title; then the notes and the signature."""
    between = ""
    for table in report.readable:
        if not table.rows:
            continue
        columns = arranged(table, style)
        cells = {at: [cell(row[at], column, style.digits) for row in table.rows] for at, column in columns}
        columns, left_out = _fitted(columns, cells, style.width)
        kept, cells = _cut(columns, cells, style.width, LEAST)
        yield between + (f"{_wrapped(table.title, style.width)}\n" if table.title else "")
        yield "".join(f"{line.rstrip()}\n" for line in _lines(kept, cells))
        if notes := [*table.notes, *_told(left_out, style.width)]:
            yield "\n" + "".join(_wrapped(note, style.width) for note in notes)
        between = "\n"
    if notes := [*report.legend, *report.notes]:
        yield between + "".join(_wrapped(note, style.width) for note in notes)
    yield f"\n{report.signature}\n"


def _fitted(columns: Columns, cells: Cells, width: int) -> tuple[Columns, list[Column]]:
    """The columns that the width has room for, and the others: those that can best be spared are left out first, unless
    it is enough to cut words."""
    kept = columns
    while (most := max(column.spare for _, column in kept)) and _width(*_cut(kept, cells, width, WELL)) > width:
        kept = [(at, column) for at, column in kept if column.spare < most]
    return kept, [each[1] for each in columns if each not in kept]


def _cut(columns: Columns, cells: Cells, width: int, least: int) -> tuple[Columns, Cells]:
    """The same columns and cells with words cut as far as the width asks for it, the widest first, none below the
    least."""
    over = _width(columns, cells) - width
    widths = dict(zip((at for at, _ in columns), _widths(columns, cells), strict=True))
    can = {
        at: max([least, *(map(width_of, cells[at]) if column.kind not in LEFT else ())])
        for at, column in columns
        if column.cut
    }
    while over > 0 and (wide := [at for at in can if widths[at] > can[at]]):
        widest = max(wide, key=widths.__getitem__)
        widths[widest] -= 1
        over -= 1
    found = dict(cells)
    for at, column in columns:
        if column.cut:
            found[at] = cut(cells[at], widths[at], column.cut)
    headings = [cut([column.heading], widths[at], column.cut or END)[0] for at, column in columns]
    return [(at, column._replace(heading=its)) for (at, column), its in zip(columns, headings, strict=True)], found


def _width(columns: Columns, cells: Cells) -> int:
    return sum(_widths(columns, cells)) + len(GAP) * (len(columns) - 1)


def _widths(columns: Columns, cells: Cells) -> list[int]:
    """The width of each column: that of its widest cell, and of its share of what stands over it."""
    widths = [max(map(width_of, (column.heading, *cells[at]))) for at, column in columns]
    first = 0
    for over, size in spans([column for _, column in columns]):
        room = sum(widths[first : first + size]) + len(GAP) * (size - 1)
        widths[first] += max(0, width_of(over) - room)
        first += size
    return widths


def _lines(columns: Columns, cells: Cells) -> Iterator[str]:
    """What stands over columns if anything does, their headings, a rule, the rows."""
    widths = _widths(columns, cells)
    shown = [column for _, column in columns]
    if any(column.over for column in shown):
        yield GAP.join(_over(shown, widths))
    yield _row([column.heading for column in shown], shown, widths)
    yield GAP.join("-" * width for width in widths)
    for row in zip(*(cells[at] for at, _ in columns), strict=True):
        yield _row(row, shown, widths)


def _over(columns: list[Column], widths: Sequence[int]) -> Iterator[str]:
    """What stands over columns, in the middle of those that it spans."""
    first = 0
    for over, size in spans(columns):
        room = sum(widths[first : first + size]) + len(GAP) * (size - 1)
        if size == 1:
            yield _padded(over, room, left=columns[first].kind in LEFT)
        else:
            yield f" {over} ".center(room, "-") if over else " " * room
        first += size


def _row(texts: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    each = zip(texts, columns, widths, strict=True)
    return GAP.join(_padded(text, width, left=column.kind in LEFT) for text, column, width in each)


def _padded(text: str, width: int, *, left: bool) -> str:
    padding = " " * (width - width_of(text))
    return text + padding if left else padding + text


def _told(columns: Sequence[Column], width: int) -> Iterator[str]:
    """A note about columns that the width has no room for."""
    if columns:
        named = [
            " ".join((over, *(column.heading for column in its)) if over else (column.name for column in its))
            for over, its in groupby(columns, key=lambda column: column.over)
        ]
        yield f"left out to fit {width} columns (COLUMNS=N sets them): {', '.join(named)}; --format csv has all"


def _wrapped(note: str, width: int) -> str:
    """A note in lines that fit; words are never cut, and none can move a terminal."""
    text = textwrap.fill(
        note.translate(VISIBLE), width, subsequent_indent=GAP, break_long_words=False, break_on_hyphens=False
    )
    return f"{text}\n"
