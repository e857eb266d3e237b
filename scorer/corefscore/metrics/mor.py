"""MOR: the share of the words of mentions that mentions of the other side have, whatever their entity."""

from __future__ import annotations

import numpy as np

from corefscore.alignment.mentions import Alignment, Mentions, Sets, shared, word_sets
from corefscore.documents.arrays import Floats, Ints, order_by, sums
from corefscore.metrics.assignment import best
from corefscore.metrics.counts import Counts, Ratios
from corefscore.metrics.row import NODES, Measure, Metric


def count(alignment: Alignment) -> tuple[Counts]:
    """Recall: the largest sum of common words over one-to-one assignments of mentions, divided by the number of words
    of the mentions of the key. Precision divides by that of the response.

    The alignment of mentions has no influence, and an empty node is a word at its position (mor-zeros-by-position). A
    mention that is in several entities counts in each of them. Two words of a sentence with the same number count once;
    the official scorer counts both among the words of a mention.

    Source: Žabokrtský et al. 2022, section 4; recorded cases mor-overlap, mor-two-for-one.
    """
    (document, key), (_, response) = (_in_text_order(side) for side in (alignment.key, alignment.response))
    common = np.zeros(alignment.documents)
    for pairs in shared(key, response):
        taken = best(pairs.key, pairs.response, pairs.size.astype(np.float64)).taken
        common += sums(document[pairs.key[taken]], pairs.size[taken], alignment.documents)
    words = [_words(alignment, side) for side in (alignment.key, alignment.response)]
    return (Counts(Ratios(common, words[0]), Ratios(common, words[1])),)


def _in_text_order(mentions: Mentions) -> tuple[Ints, Sets]:
    """The documents and the words of mentions, in the order of the text, so that those that share words are near."""
    side = mentions.side
    order = order_by(side.number)
    document = side.document[side.entity[order]]
    return document, word_sets(document, mentions.nodes.take(order))


def _words(alignment: Alignment, mentions: Mentions) -> Floats:
    """The number of words of the mentions of each document."""
    document = mentions.side.document[mentions.side.entity]
    return sums(document, mentions.nodes.size, alignment.documents)


METRIC = Metric(
    name="mor",
    title="Mention overlap ratio",
    definition=(
        "Mentions are assigned one to one, whatever their entity, so that they share as many words as possible:",
        "largest sum of common words over assigned pairs / words of key mentions.",
    ),
    paper="Žabokrtský et al. 2022, Findings of the shared task on multilingual coreference resolution",
    cite=("zabokrtsky-etal-2022-findings",),
    use="Use it to see how well mentions are found, even if their spans differ in some words; CorefUD only.",
    measures=(Measure("mor", "Mention overlap ratio"),),
    count=count,
    view=NODES,
)
