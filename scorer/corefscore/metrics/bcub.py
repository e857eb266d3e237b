"""B-cubed. Use it when every mention should weigh the same.

For each mention, it takes the share of its entity that both sides agree on, and averages these shares: sum of n_ij^2 /
|k_i| over cells / number of key mentions. This is recall; for precision, swap the sides. Here n_ij is the number of
mentions that key entity i and response entity j share; |k_i| is the size of key entity i; a cell is a pair with n_ij >
0.

Paper: Bagga and Baldwin 1998, Algorithms for scoring coreference chains
"""

from __future__ import annotations

from corefscore.metrics.base import Counts, Measure, Metric, Overlap, Ratios
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: sum over mentions m of |K(m) and R(m)| / |K(m)|, divided by the number of key mentions.

    K(m) and R(m) are the entities of m in key and response; mentions that only one side has add 0. So it is the sum of
    n_ij^2 / |k_i| over cells (`Overlap.squares`). Precision divides by |R(m)| and by the number of response mentions.

    Source: Bagga and Baldwin 1998, as in Moosavi and Strube 2016, section 3.2; copies: recorded cases repeat-key.
    """
    cells, key, response = overlap.cells, overlap.key, overlap.response
    recall = Ratios(overlap.squares(cells.key, key), key.total(key.size))
    precision = Ratios(overlap.squares(cells.response, response), response.total(response.size))
    return (Counts(recall, precision),)


def terms(both: Both) -> tuple[Counts]:
    """Numerator: |K(m) and R(m)| / |K(m)|. Denominator: 1."""
    return (both.counts(lambda members: (members.shared / members.size, members.ones)),)


METRIC = Metric(
    name="bcub",
    about=__doc__,
    cite=("bagga-baldwin-1998-algorithms",),
    measures=(Measure("bcub", "Coreference", title="B³"),),
    count=count,
    terms=terms,
)
