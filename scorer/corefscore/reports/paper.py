"""The table of a paper: a row a system, and for each measure its precision, recall and F1 under the measure's title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from corefscore.metrics import AVERAGE
from corefscore.metrics.measures import HEADINGS, asked, titles
from corefscore.metrics.row import Metric
from corefscore.reports.row import PERCENT, Column, Table

Scored = tuple[str, str]
"""A measure and a score of it."""

NO_MARKS: Mapping[tuple[int, Scored], str] = {}


def scored_columns(measures: Iterable[str]) -> list[Scored]:
    """The scores that are asked for of measures (`corefscore.metrics.measures.asked`)."""
    return [(measure, score) for measure, its in asked(measures).items() for score in its]


def main_measures(metrics: Sequence[Metric], found: Sequence[str]) -> list[str]:
    """The measures of metrics that papers print, among those that were found: not the two parts of BLANC, nor the
    identification of mentions where there is any other."""
    measures = []
    for metric in metrics:
        its = [measure.name for measure in metric.measures]
        measures += [metric.name] if metric.name in its else [name for name in its if name != metric.identification]
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
    """The table of rows, each with what stands in the columns ``before`` its scores, and these by measure and score.

    ``marks`` are by the place of the row, and the score.
    """
    title, scores = titles(metrics), scored_columns(measures)
    columns = [
        *before,
        *(Column(".".join(each), HEADINGS[each[1]], PERCENT, over=title[each[0]], score=each[1]) for each in scores),
    ]
    cells = [[*first, *(numbers.get(each) for each in scores)] for first, numbers in rows]
    at = {each: len(before) + place for place, each in enumerate(scores)}
    return Table("", columns, cells, {(row, at[each]): mark for (row, each), mark in marks.items()}, notes)
