"""The table of layouts: how a report becomes text."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

_OF_PAPERS, _OF_SCORERS = ("precision", "recall", "f1"), ("recall", "precision", "f1")
"""The orders of the scores of a measure in readable tables."""


class _Layout(NamedTuple):
    """The module whose ``LAYOUTS`` has the function that writes a layout, what the layout takes of a report, and, for
    readable tables, its order of scores."""

    module: str
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
    OFFICIAL: _Layout("corefscore.reports.layouts.official", RESULT),
    COREFUD: _Layout("corefscore.reports.layouts.official", RESULT),
    "text": _Layout("corefscore.reports.layouts.data", FINDINGS),
    TABLE: _Layout("corefscore.reports.layouts.tables", TABLES, _OF_SCORERS),
    "markdown": _Layout("corefscore.reports.layouts.tables", TABLES, _OF_PAPERS),
    "latex": _Layout("corefscore.reports.layouts.tables", TABLES, _OF_PAPERS),
    NOTEBOOK: _Layout("corefscore.reports.layouts.tables", NOTEBOOK, _OF_SCORERS),
    "csv": _Layout("corefscore.reports.layouts.data", TABLES),
    "tsv": _Layout("corefscore.reports.layouts.data", TABLES),
    "json": _Layout("corefscore.reports.layouts.data", DATA),
    "github": _Layout("corefscore.reports.layouts.data", ANNOTATIONS),
}
"""Every layout by name; that of notebooks is not for commands."""


def fitting(*takes: str) -> tuple[str, ...]:
    """Return the layouts of a report that has all of ``takes``; the first is the default of a command."""
    return tuple(name for name, layout in NAMES.items() if layout.takes in takes)


def rendered(report: Any, style: Style) -> Iterator[str]:
    """Lay out a report as text, piece by piece."""
    pieces: Iterator[str] = import_module(NAMES[style.layout].module).LAYOUTS[style.layout](report, style)
    return pieces
