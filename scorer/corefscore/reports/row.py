"""What a report is to the layouts: tables of typed columns, annotations, data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, Protocol

from corefscore import __version__
from corefscore.results import SCHEMA

TEXT, COUNT, PERCENT, CHANCE = "text", "count", "percent", "chance"
GAIN, BAR = "gain", "bar"
"""What a column holds: words; whole numbers; scores from 0 to 1, written in percent; p-values; differences of scores,
written in points with their sign; and such drawn as bars, which data does not have."""


LEFT = (TEXT, BAR)
"""What stands at the left of its column."""


BEST, SAME = "best", "same"
"""Marks of cells: the best of a column, and what does not differ from it significantly."""


MIDDLE, END = "middle", "end"
"""Where a name is cut, both ends of which tell it from others, and where a list is."""


class Column(NamedTuple):
    """A column of a table: its name in data, its heading in print, and what it contains.

    ``shown`` says whether tables to read have it; data always does, so that its columns are always the same. ``over``
    is what spans this heading and its neighbours. ``score`` is the score that it is about, since layouts order
    neighbours by it. Where a table has to fit, the columns with the highest ``spare`` are left out first; those with 0
    never are. ``cut`` is where its heading and its words may be cut to fit, `MIDDLE` or `END`.
    """

    name: str
    heading: str
    kind: str = TEXT
    shown: bool = True
    over: str = ""
    score: str = ""
    spare: int = 0
    cut: str = ""


class Interval(NamedTuple):
    """What a cell of scores can contain besides a number; both ends are from 0 to 1."""

    low: float
    high: float


class Table(NamedTuple):
    """Rows under columns; a cell that is None stays empty.

    ``marks`` are those of cells, by the places of their row and column. ``notes`` are sentences that belong under it.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    marks: Mapping[tuple[int, int], str] = {}
    notes: Sequence[str] = ()


class Annotation(NamedTuple):
    """A remark at a place of a file, as far as there is one; ``level`` is error, warning or notice."""

    level: str
    title: str
    text: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


class Streamed(NamedTuple):
    """A mapping whose values are only made one by one, in the data of a report."""

    pieces: Callable[[], Iterator[tuple[str, Any]]]


class AsData(Protocol):
    """A report as the JSON layout takes it."""

    def to_dict(self) -> dict[str, Any]:
        """What it prints."""


class Annotated(Protocol):
    """A report as layouts take it that show remarks at their places."""

    @property
    def annotations(self) -> Iterable[Annotation]: ...


class Reported(AsData, Protocol):
    """A report with tables: ``tables`` with every row and number, for data; ``readable`` for a terminal; ``paper`` as a
    paper prints them. All are the same unless a report has others. ``notes`` are sentences that belong under them;
    ``legend`` is about columns that those of a paper lack. ``signature`` is the line by which the numbers can be
    repeated."""

    @property
    def tables(self) -> Sequence[Table]: ...

    @property
    def readable(self) -> Sequence[Table]:
        return self.tables

    @property
    def paper(self) -> Sequence[Table]:
        return self.tables

    @property
    def legend(self) -> Sequence[str]:
        return ()

    @property
    def notes(self) -> Sequence[str]: ...

    @property
    def signature(self) -> str: ...


def head(command: str, signature: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the data of the report of a command begins with."""
    return {"schema": SCHEMA, "version": __version__, "command": command, "signature": signature, "options": options}


ENDING = re.compile(r"(?:\.[A-Za-z_][\w-]*)+$")
"""What names of files end with: ``.conll``, ``.predicted.jsonl``; no part of a number."""


def shortened(names: Sequence[str]) -> list[str]:
    """Names without the ending that all of them have; of a single name, the last part of its ending."""
    endings = [match[0] if (match := ENDING.search(name)) else "" for name in names]
    if len(names) == 1:
        endings = [ending[ending.rfind(".") :] if ending else "" for ending in endings]
    parts = [ending.split(".")[::-1] for ending in endings]
    common = len(list(takewhile(lambda its: len(set(its)) == 1 and its[0], zip(*parts, strict=False))))
    short = [name.rsplit(".", common)[0] if common else name for name in names]
    return short if all(short) else list(names)
