"""CEAF-m. Use it to ask how many mentions end up in the right entity.

Entities are assigned one to one so that they share as many mentions as possible: largest sum of n_ij over assigned
pairs / number of key mentions. This is recall; for precision, swap the sides. Here n_ij is the number of mentions that
key entity i and response entity j share.

Paper: Luo 2005, On coreference resolution performance metrics (mention-based)
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Bools
from corefscore.matching.assignment import best
from corefscore.metrics.base import Counts, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the largest sum of n_ij over one-to-one assignments, divided by the number of key mentions.

    Precision divides the same sum by the number of response mentions.

    Source: Luo 2005, phi_3; copies: recorded cases repeat-key.
    """
    cells = overlap.cells
    shared = cells.total(cells.size * taken(overlap))
    key, response = overlap.key, overlap.response
    return (shares(shared, key.total(key.size), response.total(response.size)),)


def taken(overlap: Overlap) -> Bools:
    """Return whether the entities of each cell are assigned to each other."""
    cells = overlap.cells
    return best(cells.key, cells.response, cells.size.astype(np.float64)).taken


def terms(both: Both) -> tuple[Counts]:
    """Numerator: whether the entities of the mention on both sides are assigned to each other. Denominator: 1."""
    of_cells = taken(both.overlap)
    return (both.counts(lambda members: (members.of_cells(of_cells), members.ones)),)


METRIC = Metric(
    name="ceafm",
    about=__doc__,
    cite=("luo-2005-coreference",),
    measures=(Measure("ceafm", "Coreference", title="CEAFₘ"),),
    count=count,
    terms=terms,
)
