"""CONE. Use it to score names alone; add --estimate-key if the key has no coreference.

B-cubed (CONE-B3) and CEAF-m (CONE-CEAF) are computed from named mentions only, as if neither side had others.

Paper: Lin et al. 2010, CONE: Metrics for automatic evaluation of named entity co-reference resolution

Names are read from the named-entity column, the eleventh; --estimate-key makes a key from them. Without RESPONSE, this
key is written as CoNLL.
"""

from __future__ import annotations

from corefscore.metrics import bcub, ceafm, mentions
from corefscore.metrics.base import NAMED, Counts, Measure, Metric, Overlap


def count(overlap: Overlap) -> tuple[Counts, Counts, Counts]:
    """Count mention identification, B-cubed and CEAF-m of partitions that are reduced to their named mentions.

    The overlap is that of the reduced partitions (`corefscore.matching.named`), so the formulas are those of the three
    metrics: recall of CONE-B3 is the sum of n_ij^2 / |k_i|, recall of CONE-CEAF the largest sum of n_ij over one-to-one
    assignments, both divided by the number of named key mentions.

    Source: Lin et al. 2010, section 4: CONE B3 = B3(G^NM, O^NM), CONE CEAF = CEAF(G^NM, O^NM), with the CEAF of
    section 3, which counts shared mentions.
    """
    return (*mentions.count(overlap), *bcub.count(overlap), *ceafm.count(overlap))


METRIC = Metric(
    name="cone",
    about=__doc__,
    cite=("lin-etal-2010-cone",),
    measures=(
        Measure("cone_mentions", "Identification of Named Mentions", title="Named mentions"),
        Measure("cone_b3", "CONE-B3", title="CONE-B³"),
        Measure("cone_ceaf", "CONE-CEAF", title="CONE-CEAF"),
    ),
    view=NAMED,
    identification="cone_mentions",
    count=count,
)
