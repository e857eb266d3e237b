"""The table of layouts: how a report becomes text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple


class Layout(NamedTuple):
    """The file that writes a layout, and what that takes of a report."""

    module: str
    takes: str


RESULT, FINDINGS, TABLES, DATA, ANNOTATIONS = "result", "findings", "tables", "data", "annotations"
"""What a layout can take: the report of a score with its mentions, that of findings, or from any report its tables,
data, annotations (`corefscore.reports.row`)."""

NAMES = {
    "official": Layout("corefscore.layouts.official", RESULT),
    "text": Layout("corefscore.layouts.text", FINDINGS),
    "table": Layout("corefscore.layouts.tables", TABLES),
    "markdown": Layout("corefscore.layouts.tables", TABLES),
    "latex": Layout("corefscore.layouts.tables", TABLES),
    "csv": Layout("corefscore.layouts.separated", TABLES),
    "tsv": Layout("corefscore.layouts.separated", TABLES),
    "json": Layout("corefscore.layouts.json", DATA),
    "github": Layout("corefscore.layouts.github", ANNOTATIONS),
}
"""Every layout by name."""


def fitting(*takes: str) -> tuple[str, ...]:
    """The layouts of a report that has all this; the first is the one of a command that is given none."""
    return tuple(name for name, layout in NAMES.items() if layout.takes in takes)


def find(name: str) -> Callable[[Any, str], Iterator[str]]:
    """The function that renders a report in the layout of a name, which it is given as well."""
    render: Callable[[Any, str], Iterator[str]] = import_module(NAMES[name].module).render
    return render
