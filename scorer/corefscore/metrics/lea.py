"""LEA. Use it when only correct links should count, and large entities should weigh most.

For each entity, it takes the share of links that the other side has, too, weighted by the entity's size: (sum of |k_i|
x (sum over j of C(n_ij, 2)) / C(|k_i|, 2)) / number of key mentions. A singleton has one link, to itself: it counts 1
if the response has the same singleton, and 0 otherwise. This is recall; for precision, swap the sides. Here n_ij is the
number of mentions that key entity i and response entity j share; |k_i| is the size of key entity i.

Paper: Moosavi and Strube 2016, Which coreference evaluation metric do you trust?

If the key has no singletons, mentions without a correct link add nothing, as the paper shows. If it has singletons,
correct ones count: on LitBank, a response with each key mention as a singleton gets F1 19.80.
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Floats, Ints, pairs_of
from corefscore.metrics.base import Counts, Groups, Measure, Metric, Overlap, Ratios
from corefscore.metrics.members import Both, Members


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: sum over key entities of |k_i| * (sum over j of link(k_i and r_j)) / link(k_i), divided by the
    sum of |k_i|; link(n) = C(n, 2).

    A singleton has one link, to itself; it is resolved only if the response has the same singleton.
    Precision swaps the sides.

    Source: Moosavi and Strube 2016, section 4; singletons: recorded cases singletons, all-singletons;
    copies: repeat-key.
    """
    cells, key, response = overlap.cells, overlap.key, overlap.response
    same_singleton = (key.size[cells.key] == 1) & (response.size[cells.response] == 1)
    recall = _resolved(key, cells.key, np.where(same_singleton, cells.size, pairs_of(cells.size)))
    precision = _resolved(response, cells.response, np.where(same_singleton, cells.met, pairs_of(cells.met)))
    return (Counts(recall, precision),)


def _resolved(entities: Groups, entity: Ints, links: Ints) -> Ratios:
    """Return importance times resolution of the entities of one side / importance; ``links`` has one value a cell."""
    size = entities.size
    resolved = np.bincount(entity, weights=links, minlength=len(size))
    share: Floats = resolved / np.maximum(pairs_of(size), 1)
    return Ratios(entities.total(size * share), entities.total(size))


def terms(both: Both) -> tuple[Counts]:
    """Numerator: the share of the links of the mention that the other side has, (n - 1) / (|K(m)| - 1); for a singleton
    whether the other side has the same one. Denominator: 1.

    Summed over the mentions of an entity, this is the share of its links that is resolved times its size.
    """

    def of(members: Members) -> tuple[Floats, Floats]:
        alone = members.of_cells(members.others.size[members.other_of_cell] == 1)
        links = np.maximum(members.shared - 1, 0) / np.maximum(members.size - 1, 1)
        return np.where(members.size == 1, alone, links), members.ones

    return (both.counts(of),)


METRIC = Metric(
    name="lea",
    about=__doc__,
    cite=("moosavi-strube-2016-coreference",),
    measures=(Measure("lea", "Coreference", title="LEA"),),
    count=count,
    terms=terms,
)
