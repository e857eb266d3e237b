"""Whole entities. Use it as a pattern for a metric of your own.

Mentions of entities that both sides have whole / all mentions.

Paper: none; an example
"""

from __future__ import annotations

from corefscore.metrics.base import Counts, Measure, Metric, Option, Overlap, Ratios


def count(overlap: Overlap, smallest: int = 1) -> tuple[Counts]:
    """Recall: mentions in entities of at least ``smallest`` mentions that both sides have whole / key mentions."""
    cells, key, response = overlap.cells, overlap.key, overlap.response
    whole = (cells.size == key.size[cells.key]) & (cells.size == response.size[cells.response])
    shared = cells.total(cells.size * (whole & (cells.size >= smallest)))
    return (Counts(Ratios(shared, key.total(key.size)), Ratios(shared, response.total(response.size))),)


METRIC = Metric(
    name="whole",
    about=__doc__,
    measures=(Measure("whole", "Coreference"),),
    options=(Option("smallest", 1, "Entities with fewer mentions do not count."),),
    count=count,
)
