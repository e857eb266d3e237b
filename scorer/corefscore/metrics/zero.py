"""Anaphor-decomposable score of zeros. Use it beside other scores, for CorefUD in languages that drop pronouns.

Recall: correctly resolved zeros / anaphoric zeros of the key. A zero is anaphoric unless its entity begins with it, and
correctly resolved if the response links it to an earlier mention of its key entity.

Paper: Žabokrtský et al. 2022, Findings of the shared task on multilingual coreference resolution
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Bools, Ints, changes, order_by
from corefscore.matching.entity_lookup import last_entity, partners_of_mentions
from corefscore.matching.matched import Side
from corefscore.matching.mentions import NOWHERE, Alignment
from corefscore.metrics.base import NODES, Counts, Measure, Metric, Ratios


def count(alignment: Alignment) -> tuple[Counts]:
    """Recall: correctly resolved zeros of the key / anaphoric zeros of the key. Precision divides by the anaphoric
    zeros of the response.

    A zero is anaphoric unless it is the first mention of its entity. Its counterpart is the mention of the response
    that is equal or else aligned to it; with ``--task aligned`` the one that is aligned to it. The zero is resolved if
    the counterpart is not the first mention of any entity, and correctly resolved if some mention before the zero in
    its entity also has its counterpart in that entity of the response. The anaphoric zeros of the response are the
    counterparts of resolved zeros, and its other anaphoric zeros that are not the counterpart of an anaphoric zero of
    the key.

    Source: Žabokrtský et al. 2022, section 4; recorded cases anaphor-*.
    """
    numbers = len(alignment.document)
    key, response = alignment.sides
    counterpart = _counterparts(alignment)
    # Whether an earlier mention of the key entity has its counterpart in the same entity of the response.
    other = np.append(last_entity(response, numbers), NOWHERE)[counterpart]
    order = order_by(key.entity, other, key.number)
    linked = np.empty(len(order), dtype=np.bool_)
    linked[order] = ~changes(key.entity[order], other[order])
    # A mention that is in several entities is looked up in the last one, but is the first mention of any of them.
    is_first, taken = np.zeros((2, numbers + 1), dtype=np.bool_)
    is_first[response.number[_firsts(response)]] = True
    anaphor = alignment.key.nodes.zero & ~_firsts(key)
    resolved = anaphor & (counterpart != NOWHERE) & ~is_first[counterpart]
    taken[counterpart[anaphor]] = True
    invented = alignment.response.nodes.zero & ~(is_first | taken)[response.number]
    right, of_key, wrong, spurious = (
        np.bincount(side.document[side.entity[which]], minlength=alignment.documents).astype(np.float64)
        for side, which in ((key, resolved & linked), (key, anaphor), (key, resolved & ~linked), (response, invented))
    )
    return (Counts(Ratios(right, of_key), Ratios(right, right + spurious + wrong)),)


def _firsts(side: Side) -> Bools:
    """Return whether each mention is the first of its entity."""
    return side.number <= side.first(side.number)[side.entity]


def _counterparts(alignment: Alignment) -> Ints:
    """Return, for each mention of the key, the number of its counterpart in the response, or `NOWHERE`: officially the
    equal mention, or else the one aligned to it; with other look-ups the one that these find."""
    if alignment.searched is not None or alignment.lookup == "alignment":
        return partners_of_mentions(alignment).key
    counterpart = np.full(len(alignment.document), NOWHERE)
    counterpart[alignment.aligned[0]] = alignment.aligned[1]
    there = alignment.response.side.number
    counterpart[there] = there
    return counterpart[alignment.key.side.number]


METRIC = Metric(
    name="zero",
    about=__doc__,
    cite=("zabokrtsky-etal-2022-findings",),
    measures=(Measure("zero", "Zeros"),),
    count=count,
    view=NODES,
)
