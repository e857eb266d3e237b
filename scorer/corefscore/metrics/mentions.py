"""Mention identification: mentions found, whatever their entity. Counted in every run, beside the metrics."""

from __future__ import annotations

import numpy as np

from corefscore.metrics.counts import Counts, Ratios
from corefscore.metrics.overlap import Overlap
from corefscore.metrics.row import Measure, Metric


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: distinct spans that both sides have / distinct spans of the key. Precision: / of the response.

    Source: what the official scorer prints as "Identification of Mentions"; copies: recorded cases repeat-key.
    """
    common, key, response = (
        groups.distinct.spans.astype(np.float64) for groups in (overlap.cells, overlap.key, overlap.response)
    )
    return (Counts(Ratios(common, key), Ratios(common, response)),)


METRIC = Metric(
    name="mentions",
    title="Mention identification",
    definition=("Mentions that both sides have, whatever their entity:", "common mentions / key mentions."),
    paper="Pradhan et al. 2014, Scoring coreference partitions of predicted mentions",
    use="Use it to see how much of a score is lost before coreference begins.",
    measures=(Measure("mentions", "Identification of Mentions", title="Mentions"),),
    count=count,
)
