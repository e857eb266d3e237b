"""Mention identification. Use it to see how much of a score is lost before coreference begins.

It counts common mentions, whatever their entity: common mentions / key mentions.

Paper: Pradhan et al. 2014, Scoring coreference partitions of predicted mentions

It is counted in every run.
"""

from __future__ import annotations

import numpy as np

from corefscore.metrics.base import Counts, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: distinct spans that both sides have / distinct spans of the key. Precision: / of the response.

    Source: "Identification of Mentions" of the official scorer; copies: recorded cases repeat-key.
    """
    sides = overlap.cells, overlap.key, overlap.response
    return (shares(*(groups.distinct.spans.astype(np.float64) for groups in sides)),)


def terms(both: Both) -> tuple[Counts]:
    """Numerator: whether the mention is found. Denominator: 1."""
    return (both.counts(lambda members: (members.found, members.ones)),)


METRIC = Metric(
    name="mentions",
    about=__doc__,
    measures=(Measure("mentions", "Identification of Mentions", title="Mentions"),),
    count=count,
    terms=terms,
)
