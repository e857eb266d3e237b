"""CEAF-e: similarity of entities under the best one-to-one assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corefscore.documents.arrays import Bools, Floats
from corefscore.metrics.assignment import best
from corefscore.metrics.counts import Counts, Ratios
from corefscore.metrics.munkres import as_official
from corefscore.metrics.overlap import Overlap
from corefscore.metrics.row import Measure, Metric

if TYPE_CHECKING:
    from corefscore.metrics.members import Both, Members


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the largest sum of 2 n_ij / (|k_i| + |r_j|) over one-to-one assignments, divided by the number
    of key entities.

    Precision divides the same sum by the number of response entities. Similarities are added one key entity after
    the other (`Overlap.similar`), so that 2.4 / 3 comes out as 79.99% (recorded case repeat-both-0013). Where several
    assignments may be best, that of the official scorer is taken in small documents: it decides the order of the sum,
    and so its last bit (tie-0001).

    Source: Luo 2005, phi_4; copies: recorded cases repeat-key.
    """
    key, response = overlap.key, overlap.response
    similar = overlap.similar(*_assigned(overlap))
    return (Counts(Ratios(similar, key.total(key.size > 0)), Ratios(similar, response.total(response.size > 0))),)


def _assigned(overlap: Overlap) -> tuple[Floats, Bools]:
    """The similarity of the entities of each cell, and whether they are assigned to each other."""
    cells, key, response = overlap.cells, overlap.key, overlap.response
    similarity = 2 * cells.size / (key.size[cells.key] + response.size[cells.response])
    return similarity, as_official(overlap, similarity, best(cells.key, cells.response, similarity))


def terms(both: Both) -> tuple[Counts]:
    """Numerator: the similarity of the entity to the one assigned to it, / its size. Denominator: 1 / its size.

    So an entity counts for a kind by the share of its mentions that are of the kind.
    """
    similarity, taken = _assigned(both.overlap)
    similar = np.where(taken, similarity, 0.0)

    def of(its: Members) -> tuple[Floats, Floats]:
        whole = np.bincount(its.of_cell, similar, len(its.entities.size))
        return whole[its.side.entity] / its.size, 1 / its.size

    return (both.counts(of),)


METRIC = Metric(
    name="ceafe",
    title="CEAF-e",
    definition=(
        "Entities are assigned one to one so that they are as similar as possible:",
        "largest sum of 2 n_ij / (|k_i| + |r_j|) over assigned pairs / number of key entities.",
    ),
    paper="Luo 2005, On coreference resolution performance metrics (entity-based)",
    cite=("luo-2005-coreference",),
    use="Use it when every entity should weigh the same, however small.",
    measures=(Measure("ceafe", "Coreference", title="CEAFₑ"),),
    count=count,
    terms=terms,
)
