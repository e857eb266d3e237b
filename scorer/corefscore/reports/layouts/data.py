"""Layouts for programs, in full precision: JSON, CSV and TSV, annotations of GitHub; and findings, a line each."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from corefscore.reports.base import Reported
from corefscore.reports.layouts import Style

if TYPE_CHECKING:
    from corefscore.reports.validate import Checked


def as_json(report: Reported | Checked, style: Style) -> Iterator[str]:
    """Write the data of a report as JSON (``docs/json.md``); bytes that are not UTF-8 are escaped."""
    yield from json.JSONEncoder(indent=1).iterencode(report.to_dict())
    yield "\n"


def separated(report: Reported, style: Style) -> Iterator[str]:
    """Write a line per row. Several tables become one with the columns of all, and a first column with the title of the
    table."""
    # The writer quotes only characters of its line end, and a name may contain a CR.
    delimiter = "," if style.layout == "csv" else "\t"
    writer = csv.writer(SimpleNamespace(write=str), delimiter=delimiter, lineterminator="\r\n")
    yield from (writer.writerow(cells).removesuffix("\r\n") + "\n" for cells in _rows(report))


def _rows(report: Reported) -> Iterator[Sequence[str]]:
    """List the names of the columns, then the cells of each row of all tables."""
    tables = report.tables
    several = len(tables) > 1
    names = list(dict.fromkeys(column.name for table in tables for column in table.columns_of_data.values()))
    yield ["table"] * several + names
    for table in tables:
        columns = table.columns_of_data.items()
        for row in table.rows:
            cells = {column.name: _cell(row[number], column.kind) for number, column in columns}
            yield [table.title] * several + [cells.get(name, "") for name in names]


def _cell(value: Any, kind: str) -> str:
    """Print a cell in full precision; empty for None."""
    if value is None:
        return ""
    if kind in ("percent", "gain"):
        return repr(value * 100)
    return repr(value) if kind == "chance" else str(value)


def github(report: Reported | Checked, style: Style) -> Iterator[str]:
    """Write a workflow command for each annotation, which GitHub shows at its line in pull requests.

    Source: docs.github.com, Workflow commands for GitHub Actions.
    """
    for level, title, text, path, line, column in report.annotations:
        properties = {"file": path, "line": line, "title": title, "col": column}
        fields = ",".join(
            f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}"
            for name, value in properties.items()
            if value is not None
        )
        yield f"::{level} {fields}::{_escaped(text)}\n"


def _escaped(text: str) -> str:
    """Escape text for a workflow command, which ends at the end of its line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def findings(report: Checked, style: Style) -> Iterator[str]:
    """Write every finding and repair on a line."""
    yield from (f"{line}\n" for line in report.lines)
