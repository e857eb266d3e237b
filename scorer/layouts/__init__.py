"""The table of layouts: how a report becomes text. ``official`` is the scorer's own; all others read `Reported`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from scorer.reports.row import Reported

OFFICIAL = "official"

NAMES = {
    OFFICIAL: "scorer.layouts.official",
    "table": "scorer.layouts.tables",
    "markdown": "scorer.layouts.tables",
    "latex": "scorer.layouts.tables",
    "csv": "scorer.layouts.separated",
    "tsv": "scorer.layouts.separated",
    "json": "scorer.layouts.json",
}
"""Every layout by name, and the file that writes it."""


def find(name: str) -> Callable[[Reported, str], Iterator[str]]:
    """The function that renders a report in the layout of a name other than `OFFICIAL`."""
    render: Callable[[Reported, str], Iterator[str]] = import_module(NAMES[name]).render
    return render
