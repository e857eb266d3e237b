"""What a report is: tables of typed columns, notes, annotations and data, which layouts turn into text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any, Literal, Protocol

from corefscore.core import __version__
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, Noticed
from corefscore.core.records import NamedTuple
from corefscore.metrics import HEADINGS, asked, titles
from corefscore.metrics.base import Metric
from corefscore.reports.layouts import NOTEBOOK, TABLES, Style, fitting, rendered
from corefscore.scoring.results import SCHEMA

_Kind = Literal["text", "name", "count", "percent", "chance", "gain", "bar", "ratio"]
"""The kinds of columns: words; names of systems, which readable tables shorten; whole numbers; scores from 0 to 1,
printed in percent; p-values; differences of scores, printed in points with a sign; differences as bars, which data does
not have; and other numbers, with two digits."""

VERBATIM = "  "
"""The begin of a note that is not wrapped, such as a command."""

LEFT = ("text", "name", "bar")
"""The kinds of columns that are aligned left."""


BEST, SHOWN = "best ", "shown "
"""Marks of cells, which can be joined: the best of a column, and those shown to be better than a rival."""


class Column(NamedTuple):
    """A column of a table: its name in data, its printed heading, and the kind of its cells.

    ``shown`` says whether readable tables have the column, ``data`` whether data has it; data has the same columns for
    all input.
    ``over`` is a heading above those of this column and its neighbours. ``score`` is the score that the column is
    about, by which layouts order neighbours. If a table does not fit, the columns with the highest ``spare`` are left
    out first; those with 0 are never left out. ``cut`` is where the heading and the cells may be cut to fit, in the
    ``middle``, since both ends distinguish names, or at the ``end``.
    """

    name: str
    heading: str
    kind: _Kind = "text"
    shown: bool = True
    over: str = ""
    score: str = ""
    spare: int = 0
    cut: Literal["", "middle", "end"] = ""
    data: bool = True


MEASURE, SCORE, VERDICT = Column("measure", "measure"), Column("score", "score"), Column("verdict", "verdict")
GROUP, DOCUMENT = (Column(name, name, cut="middle") for name in ("group", "document"))
SYSTEM, AGAINST = (Column(name, name, "name", cut="middle") for name in ("system", "against"))
PAIR = (MEASURE, SCORE, SYSTEM, AGAINST)
"""Columns of several tables."""


class Interval(NamedTuple):
    """An interval as a cell of scores; both ends are from 0 to 1."""

    low: float
    high: float


class Table(NamedTuple):
    """Rows under columns; a cell that is None is empty.

    ``marks`` are the marks of cells, by the numbers of their row and column. ``notes`` are sentences printed below the
    table.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    marks: Mapping[tuple[int, int], str] = {}
    notes: Sequence[str] = ()

    @property
    def columns_of_data(self) -> dict[int, Column]:
        """The columns that data has, by number."""
        return {number: column for number, column in enumerate(self.columns) if column.data}


def tabled(
    title: str, columns: Sequence[Column], records: Iterable[Mapping[str, Any]], notes: Sequence[str] = ()
) -> Table:
    """Make a table from records by the names of columns; what a record lacks is an empty cell."""
    return Table(title, columns, [[record.get(column.name) for column in columns] for record in records], notes=notes)


Scored = tuple[str, str]
"""A measure and a score of it: ``("lea", "f1")``."""


def scored_columns(measures: Iterable[str]) -> list[Scored]:
    """List the measures with each of the scores that are asked for (`corefscore.metrics.asked`)."""
    return [(measure, score) for measure, scores in asked(measures).items() for score in scores]


def paper(
    metrics: Sequence[Metric],
    measures: Iterable[str],
    *,
    before: Sequence[Column],
    rows: Sequence[tuple[Sequence[Any], Mapping[str, Mapping[str, Any]]]],
    notes: Sequence[str],
) -> Table:
    """Make a table for a paper. Each row has the cells of the columns ``before`` the scores, which are in the order of
    `scored_columns`, and its scores by measure and score.
    """
    title, scores = titles(metrics), scored_columns(measures)
    columns = [*before, *(Column(f"{m}.{c}", HEADINGS[c], "percent", over=title[m], score=c) for m, c in scores)]
    cells = [[*first, *(numbers.get(measure, {}).get(score) for measure, score in scores)] for first, numbers in rows]
    return Table("", columns, cells, notes=notes)


class Annotation(NamedTuple):
    """A remark, at a place of a file if it has one; ``level`` is error, warning or notice."""

    level: str
    title: str
    text: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


class Streamed(dict[str, Any]):
    """Scores by name in the data of a report, whose data is made one by one when it is written: all of it together can
    take hundreds of times the memory of the input."""

    def items(self) -> Any:
        return ((name, scores.to_dict()) for name, scores in super().items())


class Reported(Protocol):
    """A report with tables: ``tables`` with every row and number, for data; ``readable`` for a terminal; ``paper`` for
    papers. ``readable`` and ``paper`` are the same as ``tables`` unless a report defines them. ``notes`` are sentences
    printed below all tables; ``legend`` explains columns that tables for papers lack. ``short`` has names for readable
    tables by name. ``signature`` lists everything that is needed to repeat the numbers. ``annotations`` are remarks at
    places of files."""

    @property
    def tables(self) -> Sequence[Table]: ...

    @property
    def readable(self) -> Sequence[Table]:
        return self.tables

    @property
    def paper(self) -> Sequence[Table]:
        return self.tables

    @property
    def short(self) -> Mapping[str, str]:
        return {}

    @property
    def legend(self) -> Sequence[str]:
        return ()

    @property
    def notes(self) -> Sequence[str]:
        return ()

    @property
    def signature(self) -> str: ...

    @property
    def annotations(self) -> Iterable[Annotation]:
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as data."""

    def to_table(self, layout: str = "table", *, digits: int = 2, width: int = 80) -> str:
        """Lay out the report as text in a layout of the command line: `table`, `markdown`, `latex`, `csv` or `tsv`.

        ``digits`` is the number of digits of percentages after the point, ``width`` the width of the terminal. Raises
        `UsageError` for another layout.
        """
        if layout not in fitting(TABLES):
            raise UsageError(f"layout={layout!r} is not one of {', '.join(fitting(TABLES))}; to_dict() returns data")
        return "".join(rendered(self, Style(layout, digits, width)))

    def __str__(self) -> str:
        return self.to_table()

    def to_frame(self, title: str | None = None) -> Any:
        """Make a data frame of pandas or polars from a table, with the columns of CSV and scores from 0 to 1.

        ``title`` names the table, by default the first one that has rows. Raises `UsageError` for a table that does not
        exist, and if neither library is installed.
        """
        from corefscore.core.frames import frame

        tables = {table.title: table for table in self.tables}
        filled = [name for name, table in tables.items() if table.rows]
        chosen = title if title is not None else filled[0] if filled else next(iter(tables))
        if chosen not in tables:
            raise UsageError(f"there is no table {title!r}; the report has {', '.join(tables)}")
        columns = tables[chosen].columns_of_data
        rows = [[row[number] for number in columns] for row in tables[chosen].rows]
        return frame([column.name for column in columns.values()], rows)

    def _repr_html_(self) -> str:
        return "".join(rendered(self, Style(NOTEBOOK)))


def known(value: float) -> float | None:
    """Return a number, or None for NaN."""
    return None if math.isnan(value) else float(value)


def head(command: str, signature: str, options: Mapping[str, Any], told: Iterable[Finding | Noticed]) -> dict[str, Any]:
    """Return the first fields of the data of every report, with the notices that were ``told``."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "command": command,
        "signature": signature,
        "options": options,
        "notices": [
            notice.to_dict() if isinstance(notice, Finding) else {"system": notice[0] or None, **notice[1].to_dict()}
            for notice in told
        ],
    }


_ENDING = r"(?:\.[A-Za-z_][\w-]*)+$"
"""The endings of file names, such as ``.conll`` or ``.predicted.jsonl``, but not the decimals of a number."""


def shortened(names: Sequence[str]) -> list[str]:
    """Return names without the ending that all of them share; a single name only loses the last part of its ending."""
    endings = [match[0] if (match := re.search(_ENDING, name)) else "" for name in names]
    if len(names) == 1:
        endings = [ending[ending.rfind(".") :] for ending in endings]
    parts = [ending.split(".")[::-1] for ending in endings]
    common = len(list(takewhile(lambda pieces: len(set(pieces)) == 1 and pieces[0], zip(*parts, strict=False))))
    short = [name.rsplit(".", common)[0] for name in names]
    return short if all(short) else list(names)
