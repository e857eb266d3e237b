"""The table of a paper: one row per system, with the precision, recall and F1 of each measure below its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corefscore.metrics import AVERAGE, HEADINGS, asked, titles
from corefscore.metrics.base import Metric
from corefscore.reports.base import PERCENT, Column, Table

Scored = tuple[str, str]
"""A measure and a score of it."""

NO_MARKS: Mapping[tuple[int, Scored], str] = {}


def scored_columns(measures: Iterable[str]) -> list[Scored]:
    """The measures with each of the scores that are asked for (`corefscore.metrics.asked`)."""
    return [(measure, score) for measure, scores in asked(measures).items() for score in scores]


def main_measures(metrics: Sequence[Metric], found: Sequence[str]) -> list[str]:
    """The measures that papers print: not the two parts of BLANC, and not mention identification unless it is the only
    one. ``found`` are the measures of the result, which may include the CoNLL average."""
    measures = []
    for metric in metrics:
        names = [measure.name for measure in metric.measures]
        measures += [metric.name] if metric.name in names else [name for name in names if name != metric.identification]
    others = [name for name in measures if name != "mentions"]
    return [*(others or measures), *([AVERAGE] if AVERAGE in found else [])]


def paper(
    metrics: Sequence[Metric],
    measures: Iterable[str],
    *,
    before: Sequence[Column],
    rows: Sequence[tuple[Sequence[Any], Mapping[Scored, Any]]],
    marks: Mapping[tuple[int, Scored], str] = NO_MARKS,
    notes: Sequence[str] = (),
) -> Table:
    """A table for a paper. Each row has the cells of the columns ``before`` the scores, and its scores by measure and
    score; ``marks`` are by the number of the row and the score.
    """
    title, scores = titles(metrics), scored_columns(measures)
    columns = [
        *before,
        *(Column(f"{m}.{c}", HEADINGS[c], PERCENT, over=title[m], score=c) for m, c in scores),
    ]
    cells = [[*first, *(numbers.get(scored) for scored in scores)] for first, numbers in rows]
    column_of = {scored: len(before) + index for index, scored in enumerate(scores)}
    return Table("", columns, cells, {(row, column_of[scored]): mark for (row, scored), mark in marks.items()}, notes)
