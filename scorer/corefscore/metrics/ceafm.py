"""CEAF-m: mentions shared by the best one-to-one assignment of entities."""

from __future__ import annotations

import numpy as np

from corefscore.metrics.assignment import best
from corefscore.metrics.counts import Counts, Ratios
from corefscore.metrics.overlap import Overlap
from corefscore.metrics.row import Measure, Metric


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the largest sum of n_ij over one-to-one assignments, divided by the number of key mentions.

    Precision divides the same sum by the number of response mentions.

    Source: Luo 2005, phi_3; copies: recorded cases repeat-key.
    """
    cells = overlap.cells
    taken = best(cells.key, cells.response, cells.size.astype(np.float64)).taken
    shared = cells.total(cells.size * taken)
    key, response = overlap.key, overlap.response
    return (Counts(Ratios(shared, key.total(key.size)), Ratios(shared, response.total(response.size))),)


METRIC = Metric(
    name="ceafm",
    title="CEAF-m",
    definition=(
        "Entities are assigned one to one so that they share as many mentions as possible:",
        "largest sum of n_ij over assigned pairs / number of key mentions.",
    ),
    paper="Luo 2005, On coreference resolution performance metrics (mention-based)",
    cite=("luo-2005-coreference",),
    use="Use it to ask how many mentions end up in the right entity.",
    measures=(Measure("ceafm", "Coreference", title="CEAFₘ"),),
    count=count,
)
