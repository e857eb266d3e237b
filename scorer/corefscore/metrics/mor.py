"""Mention overlap ratio. Use it for CorefUD only, to see how well mentions are found, even if spans differ a little.

Mentions are assigned one to one, whatever their entity, so that they share as many words as possible. Recall: largest
sum of common words over assigned pairs / words of key mentions.

Paper: Žabokrtský et al. 2022, Findings of the shared task on multilingual coreference resolution
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import order_by, sums
from corefscore.matching.assignment import best
from corefscore.matching.mentions import Alignment, shared, word_sets
from corefscore.metrics.base import NODES, Counts, Measure, Metric, shares


def count(alignment: Alignment) -> tuple[Counts]:
    """Recall: the largest sum of common words over one-to-one assignments of mentions, divided by the number of words
    of the mentions of the key. Precision divides by that of the response.

    The alignment of mentions has no influence, and an empty node is a word at its position (mor-zeros-by-position). A
    mention that is in several entities counts in each of them. Two words of a sentence with the same number count once;
    the official scorer counts both among the words of a mention.

    Source: Žabokrtský et al. 2022, section 4; recorded cases mor-overlap, mor-two-for-one.
    """
    # In the order of the text, so that those that share words are near.
    key, response = (side.take(order_by(side.number)) for side in (alignment.key, alignment.response))
    pairs = shared(word_sets(key), word_sets(response))
    taken = best(pairs.key, pairs.response, pairs.size.astype(np.float64)).taken
    common = sums(key.document[pairs.key[taken]], pairs.size[taken], alignment.documents)
    return (shares(common, *(sums(side.document, side.nodes.size, alignment.documents) for side in (key, response))),)


METRIC = Metric(
    name="mor",
    about=__doc__,
    cite=("zabokrtsky-etal-2022-findings",),
    measures=(Measure("mor", "Mention overlap ratio"),),
    count=count,
    view=NODES,
)
