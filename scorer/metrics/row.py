"""A metric as one row: what it counts, what it measures, what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.counts import Counts, Values


class Measure(NamedTuple):
    """A named score of a metric, and its label in the official layout.

    ``combine`` derives it from the counts of the whole metric; without it, the measure is the quotient of
    its own counts, in the order in which `Metric.count` returns them.
    """

    name: str
    label: str
    combine: Callable[[Sequence[Counts]], Values] | None = None


class Option(NamedTuple):
    """An option that a metric brings along: its name on the command line, its type, default and help.

    The value reaches `Metric.count` as a keyword argument, dashes turned into underscores.
    """

    name: str
    default: Any
    help: str
    choices: Sequence[str] | None = None

    @property
    def keyword(self) -> str:
        return self.name.replace("-", "_")


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table of metrics.

    ``count`` turns an `Overlap` into one `Counts` (each part with one value a document) for each
    measure that is not combined. ``columns`` are the columns of the file that it reads. ``heading`` stands
    before its totals in the official layout, and ``per_document`` says whether that layout has a result
    line for it under each document.
    """

    name: str
    title: str
    definition: tuple[str, str]
    paper: str
    use: str
    measures: tuple[Measure, ...]
    count: Callable[..., Sequence[Counts]]
    note: str = ""
    columns: tuple[str, ...] = ("coreference",)
    options: tuple[Option, ...] = ()
    heading: str = ""
    per_document: bool = True
