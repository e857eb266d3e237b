"""Cluster. Use it to ask how many entities need no correction at all.

It counts the entities that the other side has with exactly the same mentions. Recall: entities of the key that the
response has / entities of the key.

Paper: Menestrina et al. 2010, Evaluating entity resolution results
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints
from corefscore.metrics.base import Counts, Groups, Measure, Metric, Overlap, Ratios
from corefscore.metrics.members import Both, Members


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the key entities with the same spans as a response entity, divided by all of them; precision swaps the
    sides. Entities of one mention count as all others.

    Source: Menestrina et al. 2010 (cluster precision and recall).
    """
    cells, key, response = overlap.cells, overlap.key, overlap.response
    size = cells.distinct.size
    same = (size == key.distinct.size[cells.key]) & (size == response.distinct.size[cells.response])
    return (Counts(_found(key, cells.key[same]), _found(response, cells.response[same])),)


def _found(entities: Groups, which: Ints) -> Ratios:
    """Return entities of one side that are among ``which`` / all of them."""
    found: Bools = np.bincount(which, minlength=len(entities.size)) > 0
    return Ratios(entities.total(found), entities.total(entities.size > 0))


def terms(both: Both) -> tuple[Counts]:
    """Return the share of each mention in its entity, 1 / |K(m)|; the numerator is 0 unless the other side has the
    entity.
    """

    def of_side(members: Members) -> tuple[Floats, Floats]:
        whole = members.of_cells(members.cells.size == members.others.size[members.other_of_cell])
        share = 1 / members.size
        return whole * (members.shared == members.size) * share, share

    return (both.counts(of_side),)


METRIC = Metric(
    name="cluster", about=__doc__, measures=(Measure("cluster", "Entities", title="Cluster"),), count=count, terms=terms
)
