"""What layouts to read share: cells as text, and the columns of a table in the order that was asked for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from corefscore.checking.findings import VISIBLE
from corefscore.layouts import NAMES, ORDERS, Style
from corefscore.reports.row import BAR, CHANCE, GAIN, MIDDLE, PERCENT, Column, Interval, Table
from corefscore.statistics.percent import percent


def chance(value: float) -> str:
    """A p-value: four digits after the point, or two digits where that would show nothing."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def bar(value: float) -> str:
    """A bar for a value from 0 to 1, half a percent an eighth of a character."""
    eighths = round(value * 400 / 2)
    rest: str = ("", *"▏▎▍▌▋▊▉")[eighths % 8]
    return "█" * (eighths // 8) + rest


def cell(value: Any, column: Column, digits: int) -> str:
    """A cell as it is read; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, Interval):
        return f"[{percent(value.low, digits)}, {percent(value.high, digits)}]"
    if column.kind == PERCENT:
        return percent(value, digits)
    if column.kind == GAIN:
        return f"{float(percent(value, digits)):+.{digits}f}"
    if column.kind == BAR:
        return bar(value)
    return chance(value) if column.kind == CHANCE else str(value).translate(VISIBLE)


def arranged(table: Table, style: Style) -> list[tuple[int, Column]]:
    """The columns of a table to read, with their places in its rows: those of one measure in the order of the style."""
    order = ORDERS[style.order or NAMES[style.layout].order or next(iter(ORDERS))]

    def run(each: tuple[int, Column]) -> tuple[str, bool]:
        return each[1].over, bool(each[1].score)

    def place(each: tuple[int, Column]) -> int:
        return order.index(each[1].score)

    # A bar is made of characters, which hardly any font of LaTeX has.
    drawn = style.layout != "latex"
    visible = [column._replace(heading=column.heading.translate(VISIBLE)) for column in table.columns]
    shown = [(at, column) for at, column in enumerate(visible) if column.shown and (drawn or column.kind != BAR)]
    found: list[tuple[int, Column]] = []
    for (_, scored), its in groupby(shown, key=run):
        columns = list(its)
        found += sorted(columns, key=place) if scored else columns
    return found


def spans(columns: list[Column]) -> list[tuple[str, int]]:
    """What stands over the columns, with how many of them it spans."""
    return [(over, len(list(its))) for over, its in groupby(columns, key=lambda column: column.over)]


def width_of(text: str) -> int:
    """How many places of a terminal a text takes: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )


def cut(texts: Sequence[str], width: int, where: str) -> list[str]:
    """Texts of at most so many places, with an ellipsis in place of their middle or their end; names that differ are
    cut elsewhere if they would be the same."""
    for tail in ((width - 1) // 2, 0, width - 1) if where == MIDDLE else (0,):
        found = [_cut(text, width, tail) for text in texts]
        if len(set(found)) == len(set(texts)):
            return found
    return [_cut(text, width, (width - 1) // 2 if where == MIDDLE else 0) for text in texts]


def _cut(text: str, width: int, tail: int) -> str:
    if width_of(text) <= width:
        return text
    return f"{_first(text, width - 1 - tail)}…{_first(text[::-1], tail)[::-1]}"


def _first(text: str, width: int) -> str:
    """As much of the beginning of a text as takes so many places."""
    size = 0
    for at, each in enumerate(text):
        size += width_of(each)
        if size > width:
            return text[:at]
    return text
