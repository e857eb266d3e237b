"""Reports in Python: as text, in notebooks, and as data frames."""

from __future__ import annotations

from typing import Any

from corefscore.core.errors import UsageError
from corefscore.core.frames import frame, signed
from corefscore.core.frames import table as as_html
from corefscore.reports.base import LEFT, Reported, Table
from corefscore.reports.layouts import TABLES, Style, fitting, rendered
from corefscore.reports.layouts.cells import arranged, cell

NOTEBOOK = Style("table")
"""The style of tables in notebooks: that of a terminal, but of any width."""


class Presented(Reported):
    """A report that can be printed, shown in a notebook, and converted to data frames."""

    def to_table(self, layout: str = "table", *, digits: int = 2, width: int = 80) -> str:
        """The report as text in a layout of the command line: `table`, `markdown`, `latex`, `csv` or `tsv`.

        ``digits`` is the number of digits of percentages after the point, ``width`` the width of the terminal. Raises
        `UsageError` for another layout.
        """
        if layout not in fitting(TABLES):
            raise UsageError(f"layout={layout!r} is not one of {', '.join(fitting(TABLES))}; to_dict() is the data")
        return "".join(rendered(self, Style(layout, digits, width)))

    def __str__(self) -> str:
        return self.to_table()

    def to_frame(self, title: str | None = None) -> Any:
        """A table of the report as a data frame of pandas or polars, with the columns of CSV and scores from 0 to 1.

        ``title`` names the table, by default the first one that has rows. Raises `UsageError` for a table that does not
        exist, and if neither library is installed.
        """
        tables = {table.title: table for table in self.tables}
        filled = [name for name, table in tables.items() if table.rows]
        chosen = title if title is not None else filled[0] if filled else next(iter(tables))
        if chosen not in tables:
            raise UsageError(f"there is no table {title!r}; the report has {', '.join(tables)}")
        return frame([column.name for column in tables[chosen].columns], tables[chosen].rows)

    def _repr_html_(self) -> str:
        return signed(map(_as_html, (table for table in self.readable if table.rows)), self.notes, self.signature)


def _as_html(table: Table) -> str:
    """A readable table as HTML."""
    columns = arranged(table, NOTEBOOK)
    headings = [f"{column.over} {column.heading}".strip() for _, column in columns]
    rows = [[cell(row[number], column, NOTEBOOK.digits) for number, column in columns] for row in table.rows]
    return as_html(headings, rows, [column.kind in LEFT for _, column in columns], table.title)
