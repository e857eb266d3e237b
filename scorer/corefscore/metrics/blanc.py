"""BLANC. Use it to reward correct separation as well as correct links.

It averages two scores: of links within entities, and of links between different entities. Recall of each: links that
both sides have / links of the key.

Paper: Luo et al. 2014, An extension of BLANC to system mentions; Recasens and Hovy 2011, BLANC

If the key has links of one kind only, only that kind is scored, as in the official scorer. With --boundary both (Luo et
al.), a kind is left out only if neither side has such links.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, pairs_of
from corefscore.metrics.base import SCORES, Counts, Measure, Metric, Option, Overlap, Values, combined, divided, shares
from corefscore.metrics.members import Both, Members

KEY, BOTH = _BOUNDARIES = ("key", "both")
"""The sides whose links decide which kinds of link count."""


def count(overlap: Overlap, boundary: str = KEY) -> tuple[Counts, ...]:
    """Return both kinds of link. Recall is the number of links that both sides have / the number of links of the key.

    With n_ij the cells, n_i. and n_.j their row and column sums, M the number of shared mentions, K that of the key:
    coreference links     sum of C(n_ij, 2) / sum of C(|k_i|, 2);
    non-coreference links C(M, 2) - sum of C(n_i., 2) - sum of C(n_.j, 2) + sum of C(n_ij, 2)
                          / (C(K, 2) - sum of C(|k_i|, 2)).

    A link is a pair of distinct spans, and a pair counts once, however often it occurs. A span that is annotated twice
    in one entity has a coreference link with itself, a span in two entities a non-coreference link with itself, and a
    pair of spans can be of both kinds (recorded cases repeat-key, repeat-spurious).

    With ``boundary`` both, a third pair of counts has the mentions of documents in which neither side has a link: at
    most one mention a side.

    Source: Luo et al. 2014, section 4 and case (1) of section 4.1; Recasens and Hovy 2011.
    """
    cells, sides = overlap.cells, (overlap.key, overlap.response)
    # A span that both sides have is in one response entity only.
    only_of_key = np.bincount(cells.key, cells.distinct.alone, len(overlap.key.size)).astype(np.int64)
    only_of_response = np.bincount(cells.response, cells.met, len(overlap.response.size)).astype(np.int64)
    both_apart = (
        pairs_of(cells.distinct.spans)
        - overlap.key.total(pairs_of(only_of_key))
        - overlap.response.total(pairs_of(only_of_response))
        + cells.total(pairs_of(cells.distinct.alone))
    )
    together = cells.together(), *(groups.together() + groups.distinct.twice for groups in sides)
    # Two spans are in different entities unless both are in the same single one.
    sides_apart = (pairs_of(its.distinct.spans) - its.total(pairs_of(its.distinct.alone)) for its in sides)
    apart = both_apart, *(pairs + its.distinct.several for pairs, its in zip(sides_apart, sides, strict=True))
    links = shares(*together), shares(*apart)
    if boundary == KEY:
        return links
    unlinked = (together[1] + together[2] + apart[1] + apart[2]) == 0
    return (*links, shares(*(unlinked * groups.distinct.spans for groups in (cells, *sides))))


def more(boundary: str = KEY) -> int:
    """Count what `count` returns besides both kinds of link."""
    return int(boundary == BOTH)


def terms(both: Both, boundary: str = KEY) -> tuple[Counts, ...]:
    """Return the terms of the mentions at the ends of links. Coreference: numerator n - 1, denominator |K(m)| - 1.
    Non-coreference: the number of shared mentions in other entities than m on both sides, and of all mentions in other
    entities than m. The third pair, of documents without links, is that of `count`.

    Each link has two ends, so the terms add up to twice the number of links.
    """
    cells = both.overlap.cells
    shared, key, response = (groups.distinct.spans for groups in (cells, both.overlap.key, both.overlap.response))

    def together(members: Members) -> tuple[Floats, Ints]:
        return np.maximum(members.shared - 1, 0), members.size - 1

    def apart(members: Members) -> tuple[Floats, Ints]:
        sides = (members.of_cell, members.entities), (members.other_of_cell, members.others)
        ours, theirs = (np.bincount(entity, cells.size, len(groups.size))[entity] for entity, groups in sides)
        both_apart = members.of_cells(shared[cells.document] - ours - theirs + cells.size)
        return both_apart, members.entities.distinct.spans[members.document] - members.size

    def alone(members: Members) -> tuple[Bools, Bools]:
        unlinked = ((key <= 1) & (response <= 1))[members.document]
        return unlinked & members.found, unlinked

    links = both.counts(together), both.counts(apart)
    return links if boundary == KEY else (*links, both.counts(alone))


def combine(counted: Sequence[Counts], boundary: str = KEY) -> Values:
    """BLANC from the counts of both kinds of link: the mean of the two scores; F1 is the mean of the two F1.

    If there are no links of a kind, the official scorer decides by the links of the key alone, for documents and for
    totals. Without links of either kind all scores are 0; without coreference links they are those of the
    non-coreference links, and the other way round (Recasens and Hovy 2011, section 2.2; recorded cases all-singletons,
    one-entity, empty-key). With ``boundary`` both, the links of either side decide, as in Luo et al. 2014, section 4.1:
    {abc} against {ab}{c} scores 1/4 instead of 1/2. If neither side has a link, the mentions of documents without links
    decide, if these were counted: the same mention on both sides scores 1 instead of 0, and so do no mentions at all.
    """
    decides = [links.recall.denominator + (boundary == BOTH) * links.precision.denominator > 0 for links in counted[:2]]
    scores = list(map(divided, counted[:2]))
    for (common, key), (_, response) in counted[2:]:
        decides.append(~(decides[0] | decides[1]))
        nothing = key + response == 0
        scores.append(divided(shares(common + nothing, key + nothing, response + nothing)))
    parts = np.maximum(np.sum(decides, axis=0), 1)

    def mean(values: Sequence[Floats]) -> Floats:
        total: Floats = np.sum(np.where(decides, values, 0), axis=0) / parts
        return total

    return combined(*(mean([getattr(score, name) for score in scores]) for name in SCORES))


_LINKS = (
    Measure("blanc.coreference", "Coreference links", title="BLANC, coreference"),
    Measure("blanc.noncoreference", "Non-coreference links", title="BLANC, non-coreference"),
)

_BLANC = Measure("blanc", "BLANC", combine, title="BLANC")

METRIC = Metric(
    name="blanc",
    about=__doc__,
    cite=("recasens-hovy-2011-blanc", "luo-etal-2014-extension"),
    measures=(*_LINKS, _BLANC),
    # The links of both sides decide, with 0 if neither side has a link, as in the official CorefUD scorer (recorded
    # cases blanc-one-entity, blanc-one-entity-split, blanc-per-corpus).
    corefud=(*_LINKS, _BLANC._replace(combine=partial(combine, boundary=BOTH))),
    options=(
        Option(
            "boundary",
            KEY,
            "BLANC: leave out a kind of link (coreferent or not) if the key has none (key), or only if both sides have "
            "none (both).",
            _BOUNDARIES,
            implied=True,
        ),
    ),
    heading="\nCoreference:\n",
    per_document=False,
    additive=False,
    count=count,
    terms=terms,
    more=more,
)
