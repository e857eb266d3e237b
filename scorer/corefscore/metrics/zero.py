"""Zeros: anaphors without words, and whether they are linked to an antecedent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corefscore.alignment.lookups import last_entity, partners_of_mentions
from corefscore.alignment.mentions import NOWHERE, Alignment, Mentions
from corefscore.documents.arrays import Bools, Ints, changes, order_by, tally
from corefscore.metrics.counts import Counts, Ratios
from corefscore.metrics.row import NODES, Measure, Metric


def count(alignment: Alignment) -> tuple[Counts]:
    """Recall: correctly resolved zeros of the key / anaphoric zeros of the key. Precision divides by the anaphoric
    zeros of the response.

    A zero is anaphoric unless it is the first mention of its entity. Its counterpart is the mention of the response
    that is equal or else aligned to it. The zero is resolved if the counterpart is not the first mention of its entity,
    and correctly resolved if some mention before the zero in its entity also has its counterpart in that entity of the
    response. The anaphoric zeros of the response are the counterparts of resolved zeros, and its other anaphoric zeros
    that are not the counterpart of an anaphoric zero of the key.

    Source: Žabokrtský et al. 2022, section 4; recorded cases anaphor-*.
    """
    numbers = len(alignment.document)
    key, response = _ordered(alignment.key), _ordered(alignment.response)
    entity = np.append(last_entity(alignment.response.side, numbers), NOWHERE)
    place = np.full(numbers + 1, NOWHERE)
    first = np.append(_firsts(response), False)
    # A mention that is in several entities is looked up in the last one.
    place[response.number] = np.arange(len(response.number))
    counterpart = _counterparts(alignment)[key.order]
    found = counterpart != NOWHERE
    # Whether an earlier mention of the key entity has its counterpart in the same entity of the response.
    other = entity[counterpart]
    order = order_by(key.entity, other)
    linked = np.empty(len(order), dtype=np.bool_)
    linked[order] = ~changes(key.entity[order], other[order])
    anaphor = key.zero & ~_firsts(key)
    resolved = anaphor & found & ~first[place[counterpart]]
    right, of_key, wrong = (
        tally(key.document[which], alignment.documents).astype(np.float64)
        for which in (resolved & linked, anaphor, resolved & ~linked)
    )
    taken = np.zeros(numbers + 1, dtype=np.bool_)
    taken[counterpart[anaphor]] = True
    spurious = response.zero & ~first[place[response.number]] & ~taken[response.number]
    invented = np.bincount(response.document[spurious], minlength=alignment.documents)
    return (Counts(Ratios(right, of_key), Ratios(right, right + invented + wrong)),)


class _Ordered(NamedTuple):
    """The mentions of a side by entity and then in the order of the text, and the indices of that order."""

    order: Ints
    entity: Ints
    document: Ints
    number: Ints
    zero: Bools


def _ordered(mentions: Mentions) -> _Ordered:
    side = mentions.side
    order = order_by(side.entity, side.number)
    entity = side.entity[order]
    return _Ordered(order, entity, side.document[entity], side.number[order], mentions.nodes.zero[order])


def _firsts(mentions: _Ordered) -> Bools:
    """Whether each mention is the first of its entity."""
    first = np.ones(len(mentions.entity), dtype=np.bool_)
    first[1:] = mentions.entity[1:] != mentions.entity[:-1]
    return first


def _counterparts(alignment: Alignment) -> Ints:
    """For each mention of the key the number of its counterpart in the response, or `NOWHERE`: the equal mention, or
    else the one aligned to it; with the look-ups of older official scorers, the one that they find."""
    if alignment.searched is not None:
        return partners_of_mentions(alignment, "").key
    counterpart = np.full(len(alignment.document), NOWHERE)
    counterpart[alignment.aligned[0]] = alignment.aligned[1]
    there = alignment.response.side.number
    counterpart[there] = there
    return counterpart[alignment.key.side.number]


METRIC = Metric(
    name="zero",
    title="Anaphor-decomposable score of zeros",
    definition=(
        "The share of anaphoric zeros of the key whose counterpart in the response is linked to an antecedent",
        "that is in the entity of the key: resolved zeros / anaphoric zeros of the key.",
    ),
    paper="Žabokrtský et al. 2022, Findings of the shared task on multilingual coreference resolution",
    cite=("zabokrtsky-etal-2022-findings",),
    use="Use it for languages that drop pronouns, in addition to a score of all mentions; CorefUD only.",
    measures=(Measure("zero", "Zeros"),),
    count=count,
    view=NODES,
)
