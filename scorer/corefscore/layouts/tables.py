"""Tables to read: for a terminal, Markdown and LaTeX. Percentages are rounded to two digits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tabulate import tabulate

from corefscore.findings import VISIBLE
from corefscore.reports.row import BAR, CHANCE, GAIN, PERCENT, TEXT, Reported, Table, percent

FORMS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}
"""What tabulate calls the layouts."""

ESCAPED = {"markdown": {ord("|"): "\\|", ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}}
"""What would end a cell or be taken for HTML, and what stands for it; tabulate does so for LaTeX."""

TITLES = {"table": "{}\n\n", "markdown": "**{}**\n\n", "latex": "% {}\n"}
"""What a title looks like."""

NOTES = {"table": "{}\n", "markdown": "{}\\\n", "latex": "% {}\n"}
"""What a note looks like; in Markdown the backslash ends a line."""


def chance(value: float) -> str:
    """A p-value: four digits after the point, or two digits where that would show nothing."""
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def bar(value: float) -> str:
    """A bar for a value from 0 to 1, half a percent an eighth of a character."""
    eighths = round(value * 400 / 2)
    rest: str = ("", *"▏▎▍▌▋▊▉")[eighths % 8]
    return "█" * (eighths // 8) + rest


def cell(value: Any, kind: str) -> str:
    """A cell as it is read; nothing for None."""
    if value is None:
        return ""
    if kind == PERCENT:
        return percent(value)
    if kind == GAIN:
        return f"{float(percent(value)):+.2f}"
    if kind == BAR:
        return bar(value)
    return chance(value) if kind == CHANCE else str(value).translate(VISIBLE)


def render(report: Reported, layout: str) -> Iterator[str]:
    """The tables that have rows, each under its title, then the notes. For a terminal the signature ends it."""
    between = ""
    for table in report.tables:
        if table.rows:
            yield between + (TITLES[layout].format(table.title) if table.title else "") + _tabulated(table, layout)
            between = "\n"
    if report.notes:
        lines = "".join(NOTES[layout].format(note) for note in report.notes)
        yield between + (lines.removesuffix("\\\n") + "\n" if layout == "markdown" else lines)
        between = "\n"
    if layout == "table":
        yield f"{between}{report.signature}\n"


def _tabulated(table: Table, layout: str) -> str:
    shown = [(at, column) for at, column in enumerate(table.columns) if column.shown]
    escaped = ESCAPED.get(layout, {})
    return (
        tabulate(
            [[cell(row[at], column.kind).translate(escaped) for at, column in shown] for row in table.rows],
            [column.heading for _, column in shown],
            tablefmt=FORMS[layout],
            disable_numparse=True,
            colalign=["left" if column.kind in (TEXT, BAR) else "right" for _, column in shown],
        )
        + "\n"
    )
