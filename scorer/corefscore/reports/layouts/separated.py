"""Tables for other programs: CSV and TSV, with percentages in full precision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from corefscore.reports.base import CHANCE, PERCENT, Reported
from corefscore.reports.layouts import Style

_DELIMITERS = {"csv": ",", "tsv": "\t"}


def cell(value: Any, kind: str) -> str:
    """A cell in full precision; empty for None."""
    if value is None:
        return ""
    if kind == PERCENT:
        return repr(value * 100)
    return repr(value) if kind == CHANCE else str(value)


def render(report: Reported, style: Style) -> Iterator[str]:
    """One line per row. Several tables become one with the columns of all, and a first column with the title of the
    table."""
    text = io.StringIO(newline="")
    # The writer quotes only characters of its line end, and a name may contain a CR.
    writer = csv.writer(text, delimiter=_DELIMITERS[style.layout], lineterminator="\r\n")
    tables = report.tables
    several = len(tables) > 1
    names = list(dict.fromkeys(column.name for table in tables for column in table.columns))
    writer.writerow(["table"] * several + names)
    yield text.getvalue().removesuffix("\r\n") + "\n"
    for table in tables:
        for row in table.rows:
            text.seek(0)
            text.truncate()
            cells = {column.name: cell(value, column.kind) for column, value in zip(table.columns, row, strict=True)}
            writer.writerow([table.title] * several + [cells.get(name, "") for name in names])
            yield text.getvalue().removesuffix("\r\n") + "\n"
