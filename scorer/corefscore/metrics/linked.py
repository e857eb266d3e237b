"""Linking of found mentions. Use it to see whether found mentions are linked correctly; mention identification shows
how many are missed.

It is MUC of common mentions: the share of links among them that the other side keeps, sum of (n_ij - 1) over cells /
sum of (f_i - 1), where f_i is the number of found mentions of key entity i. This is recall; for precision, swap the
sides. Here n_ij is the number of mentions that key entity i and response entity j share; a cell is a pair with n_ij >
0.

Paper: Vilain et al. 1995, A model-theoretic coreference scoring scheme

This score is also printed by every run with --of.
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Floats, Ints
from corefscore.metrics.base import Counts, Groups, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: sum over cells of (n_ij - 1), divided by the sum over key entities of (n_i. - 1); n_i. is the number of
    mentions of key entity i that the response has. Precision divides by the sum of (n_.j - 1) over response entities.

    Source: MUC (Vilain et al. 1995) of the mentions that both sides have, as with ``--mentions given``.
    """
    cells = overlap.cells
    kept = cells.total(np.maximum(cells.met - 1, 0))
    links = _links(overlap.key, cells.key, cells.met), _links(overlap.response, cells.response, cells.met)
    return (shares(kept, *links),)


def _links(entities: Groups, entity: Ints, met: Ints) -> Floats:
    """Return the sum of (n_i. - 1) over entities for each document."""
    return entities.total(np.maximum(np.bincount(entity, met, len(entities.size)) - 1, 0))


def terms(both: Both) -> tuple[Counts]:
    """Numerator: whether an earlier mention of the entity is in the same entity of the other side as the mention.
    Denominator: whether the mention and an earlier mention of its entity are found."""
    return (both.counts(lambda members: (members.linked, members.linkable)),)


METRIC = Metric(
    name="linked",
    about=__doc__,
    cite=("vilain-etal-1995-model",),
    measures=(Measure("linked", "Linking of found mentions", title="Linked"),),
    count=count,
    terms=terms,
)
