"""BLANC: coreference and non-coreference links, scored separately and then averaged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from corefscore.documents.arrays import Bools, Floats, Ints, pairs_of
from corefscore.metrics.counts import Counts, Ratios, Values, divided, shares
from corefscore.metrics.overlap import Overlap
from corefscore.metrics.row import Measure, Metric, Option

if TYPE_CHECKING:
    from corefscore.metrics.members import Both, Members

KEY, BOTH = BOUNDARIES = ("key", "both")
"""The sides whose links decide which kinds of link count."""

SPECK = 2.0**-60
"""The weight of the link of a document without any link if both sides decide: negligible beside a single link."""


def count(overlap: Overlap, boundary: str = KEY) -> tuple[Counts, Counts]:
    """Both kinds of link. Recall is the number of links that both sides have / the number of links of the key.

    With n_ij the cells, n_i. and n_.j their row and column sums, M the number of shared mentions, K that of the key:
    coreference links     sum of C(n_ij, 2) / sum of C(|k_i|, 2);
    non-coreference links C(M, 2) - sum of C(n_i., 2) - sum of C(n_.j, 2) + sum of C(n_ij, 2)
                          / (C(K, 2) - sum of C(|k_i|, 2)).

    A link is a pair of distinct spans, and a pair counts once, however often it occurs. A span that is annotated twice
    in one entity has a coreference link with itself, a span in two entities a non-coreference link with itself, and a
    pair of spans can be of both kinds (recorded cases repeat-key, repeat-spurious).

    With ``boundary`` both, a document in which neither side has a link has one non-coreference link of the weight
    `SPECK`, which both sides have if they have the same mentions.

    Source: Luo et al. 2014, section 4 and case (1) of section 4.1; Recasens and Hovy 2011.
    """
    cells, key, response = (groups.distinct for groups in (overlap.cells, overlap.key, overlap.response))
    together = cells.together(), key.together() + key.twice, response.together() + response.twice
    apart = _both_apart(overlap), key.apart() + key.several, response.apart() + response.several
    if boundary == BOTH:
        nothing = (together[1] + together[2] + apart[1] + apart[2]) == 0
        same = (cells.spans == key.spans) & (cells.spans == response.spans)
        apart = apart[0] + SPECK * (nothing & same), apart[1] + SPECK * nothing, apart[2] + SPECK * nothing
    return shares(*together), shares(*apart)


def _both_apart(overlap: Overlap) -> Floats:
    """The number of distinct pairs of different spans that are in different entities on both sides.

    A span that both sides have is in one response entity only.
    """
    cells, distinct = overlap.cells, overlap.cells.distinct
    only_of_key = np.bincount(cells.key, distinct.alone, len(overlap.key.size)).astype(np.int64)
    only_of_response = np.bincount(cells.response, cells.met, len(overlap.response.size)).astype(np.int64)
    return (
        pairs_of(distinct.spans)
        - overlap.key.total(pairs_of(only_of_key))
        - overlap.response.total(pairs_of(only_of_response))
        + cells.total(pairs_of(distinct.alone))
    )


def terms(both: Both, boundary: str = KEY) -> tuple[Counts, Counts]:
    """The terms of the mentions at the ends of links. Coreference: numerator n - 1, denominator |K(m)| - 1.
    Non-coreference: the number of shared mentions in other entities than m on both sides, and of all mentions in other
    entities than m.

    Each link has two ends, so the terms add up to twice the number of links.
    """
    cells = both.overlap.cells
    shared, key, response = (groups.distinct.spans for groups in (cells, both.overlap.key, both.overlap.response))
    nothing = (key <= 1) & (response <= 1) & (boundary == BOTH)
    same = (shared == key) & (shared == response)

    def together(members: Members) -> tuple[Floats, Ints]:
        return np.maximum(members.shared - 1, 0), members.size - 1

    def apart(members: Members) -> tuple[Floats, Floats]:
        sides = (members.of_cell, members.entities), (members.other_of_cell, members.others)
        ours, theirs = (np.bincount(entity, cells.size, len(groups.size))[entity] for entity, groups in sides)
        both_apart = members.of_cells(shared[cells.document] - ours - theirs + cells.size)
        others = members.entities.distinct.spans[members.document] - members.size
        specks = SPECK * nothing[members.document]
        return both_apart + specks * same[members.document], others + specks

    return both.counts(together), both.counts(apart)


def combine(counted: Sequence[Counts], boundary: str = KEY) -> Values:
    """BLANC from the counts of both kinds of link: the mean of the two scores; F1 is the mean of the two F1.

    If there are no links of a kind, the official scorer decides by the links of the key alone, for documents and for
    totals. Without links of either kind all scores are 0; without coreference links they are those of the
    non-coreference links, and the other way round (Recasens and Hovy 2011, section 2.2; recorded cases all-singletons,
    one-entity, empty-key). With ``boundary`` both, the links of either side decide, as in Luo et al. 2014, section 4.1:
    one mention that both sides have scores 1 instead of 0, {abc} against {ab}{c} 1/4 instead of 1/2.
    """
    coreference, noncoreference = divided(counted[0]), divided(counted[1])
    has_coreference, has_noncoreference = _deciding(counted, boundary)
    parts = has_coreference.astype(np.int64) + has_noncoreference

    def mean(first: Floats, second: Floats) -> Floats:
        return (np.where(has_coreference, first, 0) + np.where(has_noncoreference, second, 0)) / np.maximum(parts, 1)

    ones = np.ones(parts.shape)
    return Values(
        Ratios(mean(coreference.recall, noncoreference.recall), ones),
        Ratios(mean(coreference.precision, noncoreference.precision), ones),
        mean(coreference.f1, noncoreference.f1),
    )


def _deciding(counted: Sequence[Counts], boundary: str) -> tuple[Bools, Bools]:
    """Whether each kind of link counts. A `SPECK` counts only if there is no whole link of either kind."""
    coreference, noncoreference = (
        links.recall.denominator + (links.precision.denominator if boundary == BOTH else 0) for links in counted
    )
    found: Bools = (noncoreference >= 1) | ((coreference < 1) & (noncoreference > 0))
    return coreference >= 1, found


LINKS = (
    Measure("blanc.coreference", "Coreference links", title="BLANC, coreference"),
    Measure("blanc.noncoreference", "Non-coreference links", title="BLANC, non-coreference"),
)

BLANC = Measure("blanc", "BLANC", combine, title="BLANC", options=("boundary",))

METRIC = Metric(
    name="blanc",
    title="BLANC",
    definition=(
        "The mean of two scores: links between mentions of one entity, and links between mentions of",
        "different ones; each is the links that both sides have / those of the key.",
    ),
    paper="Luo et al. 2014, An extension of BLANC to system mentions; Recasens and Hovy 2011, BLANC",
    cite=(
        "recasens-hovy-2011-blanc",
        "luo-etal-2014-extension",
    ),
    use="Use it to reward mentions correctly kept apart as well as mentions correctly joined.",
    note=(
        "If the key has links of one kind only, that kind alone decides, as in the official scorer; "
        "--boundary both considers the links of both sides, as Luo et al. do."
    ),
    measures=(*LINKS, BLANC),
    # The links of both sides decide, with 0 if neither side has a link, as in the official CorefUD scorer (recorded
    # cases blanc-one-entity, blanc-one-entity-split, blanc-per-corpus).
    corefud=(*LINKS, BLANC._replace(combine=partial(combine, boundary=BOTH))),
    options=(
        Option(
            "boundary",
            KEY,
            "BLANC leaves out a kind of link (coreference or not) that the key lacks, or that both sides lack (both).",
            BOUNDARIES,
            implied=True,
        ),
    ),
    heading="\nCoreference:\n",
    per_document=False,
    additive=False,
    count=count,
    terms=terms,
)
