"""Tables for a terminal, with as many columns as fit its width. Percentages are rounded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby

from corefscore.core.findings import VISIBLE
from corefscore.reports.base import END, LEFT, VERBATIM, Column, Reported
from corefscore.reports.layouts import Style
from corefscore.reports.layouts.cells import arranged, cell, cut, laid_out, spans, width_of

_GAP = "  "
"""The text between two columns."""

_Columns = list[tuple[Column, list[str]]]
"""Columns, each with its cells as text."""

WELL, LEAST = 20, 7
"""The width to which words are cut before columns are left out, and after all columns that can be are left out."""


def render(report: Reported, style: Style) -> Iterator[str]:
    """The tables that have rows, each with its title and notes; then the notes and the signature of the report."""
    between = ""
    for table in report.readable:
        if not table.rows:
            continue
        columns = [
            (column, [cell(row[number], column, style.digits) for row in table.rows])
            for number, column in arranged(table, style)
        ]
        columns, left_out = _fitted(columns, style.width)
        yield between + (f"{_wrapped(table.title, style.width)}\n" if table.title else "")
        yield "".join(f"{line.rstrip()}\n" for line in _lines(_cut(columns, style.width, LEAST)))
        if notes := [*table.notes, *_left_out_note(left_out, style.width)]:
            yield "\n" + "".join(_wrapped(note, style.width) for note in notes)
        between = "\n"
    if notes := [*report.legend, *report.notes]:
        yield between + "".join(_wrapped(note, style.width) for note in notes)
    yield f"\n{report.signature}\n"


def _fitted(columns: _Columns, width: int) -> tuple[_Columns, list[Column]]:
    """The columns that fit the width, and the others. Columns with the highest ``spare`` are left out first, unless
    cutting words is enough."""
    kept = columns
    while (most := max(column.spare for column, _ in kept)) and _room(_widths(_cut(kept, width, WELL))) > width:
        kept = [(column, texts) for column, texts in kept if column.spare < most]
    return kept, [column for column, _ in columns if column.spare > most]


def _cut(columns: _Columns, width: int, least: int) -> _Columns:
    """The columns with words cut to fit the width: the widest column first, and none below ``least``."""
    widths = _widths(columns)
    over = _room(widths) - width
    can = {
        index: max([least, *(map(width_of, texts) if column.kind not in LEFT else ())])
        for index, (column, texts) in enumerate(columns)
        if column.cut
    }
    while over > 0 and (wide := [index for index in can if widths[index] > can[index]]):
        widths[max(wide, key=widths.__getitem__)] -= 1
        over -= 1
    return [
        (
            column._replace(heading=cut([column.heading], most, column.cut or END)[0]),
            cut(texts, most, column.cut) if column.cut else texts,
        )
        for (column, texts), most in zip(columns, widths, strict=True)
    ]


def _room(widths: Sequence[int]) -> int:
    """The width of neighbouring columns with the gaps between them."""
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _widths(columns: _Columns) -> list[int]:
    """The width of each column: that of its widest cell. The first column under a common heading makes room for it."""
    widths = [max(map(width_of, (column.heading, *texts))) for column, texts in columns]
    for over, under in spans([column for column, _ in columns]):
        widths[under.start] += max(0, width_of(over) - _room(widths[under]))
    return widths


def _lines(columns: _Columns) -> Iterator[str]:
    """The lines of a table: headings over several columns, if any, headings, a rule, and the rows."""
    widths, shown = _widths(columns), [column for column, _ in columns]
    if any(column.over for column in shown):
        yield _GAP.join(_over(shown, widths))
    headings = [_padded(column.heading, column, width) for column, width in zip(shown, widths, strict=True)]
    rows = zip(*(texts for _, texts in columns), strict=True)
    yield from laid_out([headings, *rows], shown, _GAP, lambda sizes, _: _GAP.join("-" * size for size in sizes))


def _over(columns: Sequence[Column], widths: Sequence[int]) -> Iterator[str]:
    """The headings over several columns, each in the middle of the columns that it spans."""
    for over, under in spans(columns):
        room = _room(widths[under])
        if len(widths[under]) == 1:
            yield _padded(over, columns[under.start], room)
        else:
            yield f" {over} ".center(room, "-") if over else " " * room


def _padded(text: str, column: Column, width: int) -> str:
    """A text of a column padded to a width."""
    padding = " " * (width - width_of(text))
    return text + padding if column.kind in LEFT else padding + text


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
    """A note in lines that fit the width, unless it is `VERBATIM`; words are not cut, and control characters are
    replaced."""
    if note.startswith(VERBATIM):
        return f"{note.translate(VISIBLE)}\n"
    text = textwrap.fill(
        note.translate(VISIBLE), width, subsequent_indent=_GAP, break_long_words=False, break_on_hyphens=False
    )
    return f"{text}\n"
