"""The report of a score: rows for documents, groups of documents, their mean and the total."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from corefscore.counts import SCORES, summed
from corefscore.reports.row import PERCENT, Column, Table
from corefscore.results import Result, Score, Scores

DOCUMENT, GROUP, MEAN, TOTAL = "document", "group", "mean of groups", "total"
"""The kinds of scope: a document, a group of documents, the unweighted mean over groups, all documents together."""


class Row(NamedTuple):
    """One line of a table: a measure of a scope. The last two kinds of scope have no name but that of their kind."""

    kind: str
    scope: str
    measure: str
    recall: float | None
    precision: float | None
    f1: float | None


@dataclass(frozen=True)
class Report:
    """What is shown of a result: the total; every document where ``documents`` is set; and where ``by`` is a
    pattern, the groups that it makes (see `Result.by`) and the unweighted mean over them.

    The rest is for the official layout, which lists the mentions of documents and needs the pairs of the result for
    that: ``name`` is the one document that was scored, if it was named, ``headings`` asks for ``METRIC name:`` before
    each metric, ``average`` for the CoNLL average at the end.
    """

    result: Result
    documents: bool = False
    by: str | None = None
    name: str | None = None
    headings: bool = False
    average: bool = False

    @property
    def scoped(self) -> bool:
        """Whether there is more than the total."""
        return self.documents or self.by is not None

    @cached_property
    def groups(self) -> dict[str, Scores]:
        return {} if self.by is None else self.result.by(self.by)

    @property
    def rows(self) -> list[Row]:
        """The rows: documents, groups, their mean, the total."""
        found = []
        if self.documents:
            found += [row for name, scores in self.result.documents.items() for row in _rows(DOCUMENT, name, scores)]
        found += [row for name, scores in self.groups.items() for row in _rows(GROUP, name, scores)]
        return found + self.mean + _rows(TOTAL, TOTAL, self.result)

    @property
    def tables(self) -> list[Table]:
        """The rows as one table."""
        columns = (
            Column("kind", "kind", shown=False),
            Column("scope", "scope", shown=self.scoped),
            Column("measure", "measure"),
            Column("recall", "R", PERCENT),
            Column("precision", "P", PERCENT),
            Column("f1", "F1", PERCENT),
        )
        return [Table("", columns, self.rows)]

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def signature(self) -> str:
        return self.result.signature

    @property
    def mean(self) -> list[Row]:
        """The mean over groups of each value, every group weighing the same; nothing without groups."""
        by_measure = zip(*(_rows(GROUP, name, scores) for name, scores in self.groups.items()), strict=True)
        return [
            Row(
                MEAN,
                MEAN,
                rows[0].measure,
                _mean([row.recall for row in rows]),
                _mean([row.precision for row in rows]),
                _mean([row.f1 for row in rows]),
            )
            for rows in by_measure
        ]

    def to_dict(self) -> dict[str, Any]:
        """What the JSON layout prints."""
        found = self.result.to_dict(self.documents)
        if self.by is not None:
            found["by"] = self.by
            found["groups"] = {name: scores.to_dict() for name, scores in self.groups.items()}
            found["mean"] = {
                row.measure: {name: value for name in SCORES if (value := getattr(row, name)) is not None}
                for row in self.mean
            }
        return found


def _rows(kind: str, scope: str, scores: Mapping[str, Score]) -> list[Row]:
    return [
        Row(kind, scope, name, *(None if math.isnan(value := getattr(score, each)) else value for each in SCORES))
        for name, score in scores.items()
    ]


def _mean(numbers: Sequence[float | None]) -> float | None:
    known = np.array([number for number in numbers if number is not None])
    return float(summed(known)) / len(known) if len(known) else None
