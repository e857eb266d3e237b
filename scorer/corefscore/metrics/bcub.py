"""B-cubed: for each mention, how much of its entity the other side agrees on."""

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
    return (
        Counts(
            Ratios(overlap.squares(cells.key, key), key.total(key.size)),
            Ratios(overlap.squares(cells.response, response), response.total(response.size)),
        ),
    )


def terms(both: Both) -> tuple[Counts]:
    """Numerator: |K(m) and R(m)| / |K(m)|. Denominator: 1."""
    return (both.counts(lambda members: (members.shared / members.size, members.ones)),)


METRIC = Metric(
    name="bcub",
    title="B-cubed",
    definition=(
        "For each mention, it takes the share of its entity that both sides agree on, and averages these shares:",
        "sum of n_ij^2 / |k_i| over cells / number of key mentions.",
    ),
    paper="Bagga and Baldwin 1998, Algorithms for scoring coreference chains",
    cite=("bagga-baldwin-1998-algorithms",),
    use="Use it when every mention should weigh the same.",
    measures=(Measure("bcub", "Coreference", title="B³"),),
    count=count,
    terms=terms,
)
