"""What layouts with readable tables share: cells as text, and the columns of a table in the order of the style."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby, pairwise
from typing import Any

from corefscore.core.findings import VISIBLE
from corefscore.core.percent import percent
from corefscore.reports.base import BAR, CHANCE, GAIN, LEFT, MIDDLE, PERCENT, RATIO, Column, Interval, Table
from corefscore.reports.layouts import NAMES, Style


def chance(value: float) -> str:
    """A p-value: four digits after the point, or two significant digits if it is below 0.0001."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def bar(value: float) -> str:
    """A bar for a value from 0 to 1; each half percent is an eighth of a character."""
    eighths = round(value * 400 / 2)
    rest: str = ("", *"▏▎▍▌▋▊▉")[eighths % 8]
    return "█" * (eighths // 8) + rest


def cell(value: Any, column: Column, digits: int) -> str:
    """A cell as text; empty for None."""
    if value is None:
        return ""
    if isinstance(value, Interval):
        return f"[{percent(value.low, digits)}, {percent(value.high, digits)}]"
    if column.kind == PERCENT:
        return percent(value, digits)
    if column.kind == GAIN:
        return f"{float(percent(value, digits)):+.{digits}f}"
    kinds = {BAR: bar, CHANCE: chance, RATIO: "{:.2f}".format}
    return kinds[column.kind](value) if column.kind in kinds else str(value).translate(VISIBLE)


def arranged(table: Table, style: Style) -> list[tuple[int, Column]]:
    """The visible columns of a readable table, with their numbers in its rows. The scores of a measure are in the order
    of the layout."""
    order = *NAMES[style.layout].order, ""

    drawn = style.layout != "latex"  # hardly any LaTeX font has the characters of bars
    shown = [
        (number, column._replace(heading=column.heading.translate(VISIBLE)))
        for number, column in enumerate(table.columns)
        if column.shown and (drawn or column.kind != BAR)
    ]
    columns: list[tuple[int, Column]] = []
    for _, group in groupby(shown, key=lambda pair: (pair[1].over, bool(pair[1].score))):
        columns += sorted(group, key=lambda pair: order.index(pair[1].score))
    return columns


def spans(columns: Sequence[Column]) -> list[tuple[str, slice]]:
    """The heading above each group of columns, and the columns that it spans."""
    starts = [index for index, column in enumerate(columns) if not index or column.over != columns[index - 1].over]
    return [(columns[start].over, slice(start, stop)) for start, stop in pairwise([*starts, len(columns)])]


_FILLER = "\ue000"
"""The character of which `laid_out` makes stand-ins for texts."""


def laid_out(
    rows: Sequence[Sequence[str]],
    columns: Sequence[Column],
    gap: str,
    rule: Callable[[Sequence[int], Sequence[str]], str],
    ends: str = "",
) -> list[str]:
    """Lay out rows with tabulate, the first as headings above a rule; returns the lines.

    ``gap`` is the text between two cells, ``ends`` the text before the first and, reversed, after the last. ``rule``
    gets the widths of the columns and their sides, ``left`` or ``right``.
    Tabulate counts characters and strips blanks, so each text is laid out as a stand-in as long as the text is wide.
    """
    from tabulate import SEPARATING_LINE, DataRow, TableFormat, tabulate  # takes as long to import as a small score

    stand_ins = [[_FILLER * (width_of(text) or len(text)) for text in row] for row in rows]
    stand_ins.insert(1, [SEPARATING_LINE] * len(columns))
    row = DataRow(ends, gap, ends[::-1])
    lines = tabulate(
        stand_ins,
        tablefmt=TableFormat(None, rule, None, None, row, row, 0, None),
        colalign=["left" if column.kind in LEFT else "right" for column in columns],
        disable_numparse=True,
    )
    texts = iter([text for row in rows for text in row if text])
    return re.sub(f"{_FILLER}+", lambda _: next(texts), lines).split("\n")


def width_of(text: str) -> int:
    """The number of terminal columns that a text takes: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def cut(texts: Sequence[str], width: int, where: str) -> list[str]:
    """Texts cut to a width, with an ellipsis in place of their middle or their end.

    ``where`` is `MIDDLE` or `END`. Names that would become equal are cut elsewhere if that keeps them apart.
    """
    for tail in ((width - 1) // 2, 0, width - 1) if where == MIDDLE else (0,):
        cut_texts = [_cut(text, width, tail) for text in texts]
        if len(set(cut_texts)) == len(set(texts)):
            return cut_texts
    return [_cut(text, width, (width - 1) // 2 if where == MIDDLE else 0) for text in texts]


def _cut(text: str, width: int, tail: int) -> str:
    """A text cut to a width, of which ``tail`` columns are its end."""
    if width_of(text) <= width:
        return text
    return f"{_first(text, width - 1 - tail)}…{_first(text[::-1], tail)[::-1]}"


def _first(text: str, width: int) -> str:
    """The longest beginning of a text that fits a width."""
    size = 0
    for index, character in enumerate(text):
        size += width_of(character)
        if size > width:
            return text[:index]
    return text
