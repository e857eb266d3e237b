"""CEAF-e: similarity of entities under the best one-to-one assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corefscore.core.arrays import Bools, Floats
from corefscore.matching.assignment import best
from corefscore.metrics.base import Measure, Metric
from corefscore.metrics.counts import Counts, shares
from corefscore.metrics.munkres import as_official
from corefscore.metrics.overlap import Overlap

if TYPE_CHECKING:
    from corefscore.metrics.members import Both, Members


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the largest sum of 2 n_ij / (|k_i| + |r_j|) over one-to-one assignments, divided by the number
    of key entities.

    Precision divides the same sum by the number of response entities. Similarities are added in the order of the key
    entities (`Overlap.similar`), so that 2.4 / 3 is printed as 79.99% (recorded case repeat-both-0013). If several
    assignments may be best, small documents take that of the official scorer, which decides the order of the sum and so
    its last bit (tie-0001).

    Source: Luo 2005, phi_4; copies: recorded cases repeat-key.
    """
    key, response = overlap.key, overlap.response
    similar = overlap.similar(*_assigned(overlap))
    return (shares(similar, key.total(key.size > 0), response.total(response.size > 0)),)


def _assigned(overlap: Overlap) -> tuple[Floats, Bools]:
    """The similarity of the entities of each cell, and whether they are assigned to each other."""
    cells, key, response = overlap.cells, overlap.key, overlap.response
    similarity = 2 * cells.size / (key.size[cells.key] + response.size[cells.response])
    return similarity, as_official(overlap, similarity, best(cells.key, cells.response, similarity))


def terms(both: Both) -> tuple[Counts]:
    """Numerator: similarity of the entity to the one assigned to it / its size. Denominator: 1 / its size.

    So an entity counts for a kind of mentions by the share of its mentions that are of this kind.
    """
    similarity, taken = _assigned(both.overlap)
    similar = np.where(taken, similarity, 0.0)

    def of(members: Members) -> tuple[Floats, Floats]:
        of_entity = np.bincount(members.of_cell, similar, len(members.entities.size))
        return of_entity[members.side.entity] / members.size, 1 / members.size

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
