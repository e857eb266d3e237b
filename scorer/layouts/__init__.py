"""The table of layouts: how a report becomes text. ``official`` is the scorer's own, and takes a `Result`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

OFFICIAL = "official"

NAMES = {
    OFFICIAL: "scorer.layouts.official",
    "table": "scorer.layouts.tables",
    "markdown": "scorer.layouts.tables",
    "latex": "scorer.layouts.tables",
    "csv": "scorer.layouts.separated",
    "tsv": "scorer.layouts.separated",
    "json": "scorer.layouts.json",
    "text": "scorer.layouts.text",
    "github": "scorer.layouts.github",
}
"""Every layout by name, and the file that writes it; what it takes of a report is in `scorer.reports.row`."""

TABLES = ("table", "markdown", "latex", "csv", "tsv", "json")
"""The layouts of reports with tables."""


def find(name: str) -> Callable[[Any, str], Iterator[str]]:
    """The function that renders a report in the layout of a name other than `OFFICIAL`, which it is given as well."""
    render: Callable[[Any, str], Iterator[str]] = import_module(NAMES[name]).render
    return render
