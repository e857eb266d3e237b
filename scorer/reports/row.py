"""What layouts write: tables of typed columns, remarks, and the same as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

TEXT, COUNT, PERCENT, CHANCE = "text", "count", "percent", "chance"
"""What a column holds: words; whole numbers; scores from 0 to 1, written in percent; p-values."""


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


class Reported(Protocol):
    """What a command has found, as every layout but the official one takes it.

    ``notes`` are sentences that belong under the tables; ``signature`` is the line by which the numbers can be
    repeated; `to_dict` is what the JSON layout prints.
    """

    @property
    def tables(self) -> Sequence[Table]: ...

    @property
    def notes(self) -> Sequence[str]: ...

    @property
    def signature(self) -> str: ...

    def to_dict(self) -> dict[str, Any]: ...
