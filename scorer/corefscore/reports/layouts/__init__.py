"""The table of layouts: how a report becomes text."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from corefscore.core.records import NamedTuple

_OF_PAPERS, _OF_SCORERS = ("precision", "recall", "f1"), ("recall", "precision", "f1")
"""The orders of the scores of a measure in readable tables."""


class _Layout(NamedTuple):
    """The module beside this one and its function that writes a layout, what the layout takes of a report, and, for
    readable tables, its order of scores."""

    module: str
    function: str
    takes: str
    order: tuple[str, ...] = ()


class Style(NamedTuple):
    """How to print a report: the name of the layout, and for readable tables the digits of percentages after the point
    and the width of the terminal."""

    layout: str
    digits: int = 2
    width: int = 80


RESULT, FINDINGS, TABLES, DATA, ANNOTATIONS = "result", "findings", "tables", "data", "annotations"
"""What a layout takes: the report of a score with its mentions, the report of findings, or the tables, data or
annotations of any report (`corefscore.reports.base`). Layouts that take `RESULT` are those of official scorers: they
list documents, and do without groups and intervals."""

OFFICIAL, COREFUD, TABLE, NOTEBOOK = "official", "corefud", "table", "notebook"

NAMES = {
    OFFICIAL: _Layout("official", "official", RESULT),
    COREFUD: _Layout("official", "corefud", RESULT),
    "text": _Layout("data", "findings", FINDINGS),
    TABLE: _Layout("tables", "table", TABLES, _OF_SCORERS),
    "markdown": _Layout("tables", "markdown", TABLES, _OF_PAPERS),
    "latex": _Layout("tables", "latex", TABLES, _OF_PAPERS),
    NOTEBOOK: _Layout("tables", "notebook", NOTEBOOK, _OF_SCORERS),
    "csv": _Layout("data", "separated", TABLES),
    "tsv": _Layout("data", "separated", TABLES),
    "json": _Layout("data", "as_json", DATA),
    "github": _Layout("data", "github", ANNOTATIONS),
}
"""Every layout by name; that of notebooks is not for commands."""


def fitting(*takes: str) -> tuple[str, ...]:
    """Return the layouts of a report that has all of ``takes``; the first is the default of a command."""
    return tuple(name for name, layout in NAMES.items() if layout.takes in takes)


def rendered(report: Any, style: Style) -> Iterator[str]:
    """Lay out a report as text, piece by piece."""
    layout = NAMES[style.layout]
    pieces: Iterator[str] = getattr(import_module(f"{__name__}.{layout.module}"), layout.function)(report, style)
    return pieces
