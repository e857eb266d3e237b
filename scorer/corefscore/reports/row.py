"""What a report is to the layouts: tables of typed columns, annotations, data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from corefscore import __version__
from corefscore.results import SCHEMA

TEXT, COUNT, PERCENT, CHANCE = "text", "count", "percent", "chance"
GAIN, BAR = "gain", "bar"
"""What a column holds: words; whole numbers; scores from 0 to 1, written in percent; p-values; differences of scores,
written in points with their sign; and such drawn as bars, which data does not have."""


def percent(value: float) -> str:
    """A value from 0 to 1 in percent, two digits, rounded half to even on the exact value of the float."""
    return f"{float(round(Fraction(value) * 100, 2)):.2f}"


class Column(NamedTuple):
    """A column of a table: its name in data, what stands over it in print, and what it holds.

    ``shown`` says whether tables to read have it; data always does, so that its columns are always the same.
    """

    name: str
    heading: str
    kind: str = TEXT
    shown: bool = True


class Table(NamedTuple):
    """Rows under columns; a cell that is None stays empty."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]


class Annotation(NamedTuple):
    """A remark at a place of a file, as far as there is one; ``level`` is error, warning or notice."""

    level: str
    title: str
    text: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


class AsData(Protocol):
    """A report as the JSON layout takes it."""

    def to_dict(self) -> dict[str, Any]:
        """What it prints."""


class Annotated(Protocol):
    """A report as layouts take it that show remarks at their places."""

    @property
    def annotations(self) -> Iterable[Annotation]: ...


class Reported(AsData, Protocol):
    """A report with tables. ``notes`` are sentences that belong under them; ``signature`` is the line by which the
    numbers can be repeated."""

    @property
    def tables(self) -> Sequence[Table]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    @property
    def signature(self) -> str: ...


def head(command: str, signature: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What the data of the report of a command begins with."""
    return {"schema": SCHEMA, "version": __version__, "command": command, "signature": signature, "options": options}
