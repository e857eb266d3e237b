"""The table of layouts: how a report becomes text."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

ORDERS = {"prf": ("precision", "recall", "f1"), "rpf": ("recall", "precision", "f1")}
"""The orders in which tables to read can have the scores of a measure."""


class Layout(NamedTuple):
    """The file that writes a layout, what that takes of a report, and, of tables to read, its own order of scores."""

    module: str
    takes: str
    order: str | None = None


class Style(NamedTuple):
    """How a report is to look: the name of its layout; and for tables to read, how many digits percentages have after
    the point, one of `ORDERS` unless the layout decides, and the width of the terminal."""

    layout: str
    digits: int = 2
    order: str | None = None
    width: int = 80


RESULT, FINDINGS, TABLES, DATA, ANNOTATIONS = "result", "findings", "tables", "data", "annotations"
"""What a layout can take: the report of a score with its mentions, that of findings, or from any report its tables,
data, annotations (`corefscore.reports.row`)."""

OFFICIAL, COREFUD = "official", "corefud"

NAMES = {
    OFFICIAL: Layout("corefscore.layouts.official", RESULT),
    COREFUD: Layout("corefscore.layouts.corefud", RESULT),
    "text": Layout("corefscore.layouts.text", FINDINGS),
    "table": Layout("corefscore.layouts.tables", TABLES, "rpf"),
    "markdown": Layout("corefscore.layouts.papers", TABLES, "prf"),
    "latex": Layout("corefscore.layouts.papers", TABLES, "prf"),
    "csv": Layout("corefscore.layouts.separated", TABLES),
    "tsv": Layout("corefscore.layouts.separated", TABLES),
    "json": Layout("corefscore.layouts.json", DATA),
    "github": Layout("corefscore.layouts.github", ANNOTATIONS),
}
"""Every layout by name."""


def fitting(*takes: str) -> tuple[str, ...]:
    """The layouts of a report that has all this; the first is the one of a command that is given none."""
    return tuple(name for name, layout in NAMES.items() if layout.takes in takes)


def rendered(report: Any, style: Style) -> Iterator[str]:
    """A report as text, piece by piece."""
    pieces: Iterator[str] = import_module(NAMES[style.layout].module).render(report, style)
    return pieces
