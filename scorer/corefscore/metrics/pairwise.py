"""Pairwise. Use it to compare with record linkage, where pairs are scored; large entities weigh most.

It counts the pairs of mentions that are in one entity on both sides: sum of C(n_ij, 2) over cells / sum of C(|k_i|, 2).
This is recall; for precision, swap the sides. Here n_ij is the number of mentions that key entity i and response entity
j share; |k_i| is the size of key entity i; a cell is a pair with n_ij > 0.

Paper: Menestrina et al. 2010, Evaluating entity resolution results

Singletons do not count. If a side has no pairs, its score is 0 (er-evaluation: 1).
"""

from __future__ import annotations

from corefscore.metrics import blanc
from corefscore.metrics.base import Counts, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the pairs of spans that share an entity on both sides, divided by those that share one in the key.

    Where no span is annotated twice these are sum of C(n_ij, 2) / sum of C(|k_i|, 2), the coreference links of BLANC.
    An entity of one mention has no pair; a pair with a mention that the other side lacks counts as one not found.

    Source: Menestrina et al. 2010 (pair precision and recall).
    """
    return (shares(*(groups.together() for groups in (overlap.cells, overlap.key, overlap.response))),)


def terms(both: Both) -> tuple[Counts]:
    """Those of the coreference links of BLANC."""
    links, _ = blanc.terms(both)
    return (links,)


METRIC = Metric(
    name="pairwise", about=__doc__, measures=(Measure("pairwise", "Pairs", title="Pairwise"),), count=count, terms=terms
)
