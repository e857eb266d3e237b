"""MUC. Use it for continuity with older papers; it ignores singletons and favours large entities.

It counts links that the other side keeps: sum of (n_ij - 1) over cells / sum of (|k_i| - 1); an entity of n mentions
has n - 1 links. This is recall; for precision, swap the sides. Here n_ij is the number of mentions that key entity i
and response entity j share; |k_i| is the size of key entity i; a cell is a pair with n_ij > 0.

Paper: Vilain et al. 1995, A model-theoretic coreference scoring scheme
"""

from __future__ import annotations

import numpy as np

from corefscore.metrics.base import Counts, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: sum over key entities of (|k_i| - p(k_i)), divided by the sum of (|k_i| - 1).

    p(k_i) is the number of parts into which the response divides k_i; a mention that the response does not have is a
    part of its own. So |k_i| - p(k_i) is the sum of (n_ij - 1) over the cells of k_i. Precision swaps the sides: the
    same cells, and the links of the response.

    Source: Vilain et al. 1995, as in Moosavi and Strube 2016, section 3.1; copies: recorded cases repeat-key.
    """
    cells, key, response = overlap.cells, overlap.key, overlap.response
    kept = cells.total(np.maximum(cells.met - 1, 0))
    return (shares(kept, key.total(key.size - 1), response.total(response.size - 1)),)


def terms(both: Both) -> tuple[Counts]:
    """Numerator: whether an earlier mention of the entity is in the same entity of the other side as the mention.
    Denominator: whether the entity has an earlier mention.

    These are the links of `count`, each counted at the later of its two mentions.
    """
    return (both.counts(lambda members: (members.linked, members.anaphoric)),)


METRIC = Metric(
    name="muc",
    about=__doc__,
    cite=("vilain-etal-1995-model",),
    measures=(Measure("muc", "Coreference", title="MUC"),),
    count=count,
    terms=terms,
)
