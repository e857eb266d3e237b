"""Distinct spans: how the official scorers count spans that are annotated more than once.

By default every copy is a mention. But B-cubed and BLANC count spans, and a pair of spans is one link, however often it
occurs. Without copies a group has as many spans as mentions, and this module does nothing. Which copies are kept is
decided before, in `corefscore.matching.repeats`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, combinations
from math import comb

import numpy as np

from corefscore.core.arrays import Floats, Ints, pairs_of, ranked, sums, tally
from corefscore.matching.matched import Matched

FEW = 4
"""The number of groups of one span up to which subsets of them are counted."""

_ROWS = 64
"""The number of sets of groups that are compared with all others at once, which bounds memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Distinct:
    """The distinct spans of groups of mentions, entities or cells.

    One value a group: its ``document``, its ``size`` in spans, and the number of its spans that are in no other group,
    ``alone``.

    One value a document: the number of ``spans``, of those that are annotated ``twice`` in one group, and of those in
    ``several`` groups. ``groups_of_spans`` has, for documents with spans in several groups, the number of spans in
    each set of groups.
    """

    document: Ints
    size: Ints
    alone: Ints
    spans: Ints
    twice: Ints
    several: Ints
    groups_of_spans: Mapping[int, Counter[frozenset[int]]]

    def together(self) -> Floats:
        """The number of pairs of spans that share a group, for each document."""
        pairs = sums(self.document, pairs_of(self.size), len(self.spans))
        for document, sets in self.groups_of_spans.items():
            pairs[document] -= surplus_pairs(sets)
        return pairs

    def apart(self) -> Floats:
        """The number of pairs of spans that are in two different groups, for each document: all pairs except those of
        spans that are both in the same single group."""
        return pairs_of(self.spans) - sums(self.document, pairs_of(self.alone), len(self.spans))


def single(document: Ints, size: Ints, documents: int) -> Distinct:
    """The distinct spans of groups of these sizes if no two mentions have the same span."""
    nothing = np.zeros(documents, dtype=np.int64)
    return Distinct(document, size, size, sums(document, size, documents).astype(np.int64), nothing, nothing, {})


def distinct(matched: Matched, number: Ints, group: Ints, size: Ints, document: Ints) -> Distinct:
    """The distinct spans of mentions in groups: ``number`` and ``group`` have one value a mention, ``size`` and
    ``document`` one a group."""
    documents, of_number = matched.documents, matched.document
    copies = tally(number, len(of_number))
    if copies.max(initial=0) <= 1:
        return single(document, size, documents)

    # Distinct (number, group) rows, by number.
    first, row = ranked(number, group)
    row_number, row_group = number[first], group[first]
    groups_of_number = tally(row_number, len(of_number))
    alone = groups_of_number[row_number] == 1
    sets: dict[int, list[int]] = defaultdict(list)
    for span, group_of_span in zip(row_number[~alone].tolist(), row_group[~alone].tolist(), strict=True):
        sets[span].append(group_of_span)
    groups_of_spans: dict[int, Counter[frozenset[int]]] = defaultdict(Counter)
    for span, groups in sets.items():
        groups_of_spans[int(of_number[span])][frozenset(groups)] += 1

    def spans(numbers: Ints) -> Ints:
        return tally(of_number[numbers], documents)

    return Distinct(
        document,
        tally(row_group, len(document)),
        tally(row_group[alone], len(document)),
        spans(np.flatnonzero(copies)),
        spans(np.unique(row_number[tally(row, len(first)) > 1])),
        spans(np.flatnonzero(groups_of_number > 1)),
        dict(groups_of_spans),
    )


def surplus_pairs(sets: Mapping[frozenset[int], int]) -> int:
    """Sum max(0, |A and B| - 1) over unordered pairs of spans, with A and B the groups of each; ``sets`` is the number
    of spans in each set of groups.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is enough to count
    the spans that are in all groups of each subset. Larger sets than `FEW` have too many subsets.
    """
    if any(len(groups) > FEW for groups in sets):
        return _surplus_of_products(sets)
    together: Counter[tuple[int, ...]] = Counter()
    for groups, spans in sets.items():
        for size in range(2, len(groups) + 1):
            together.update(dict.fromkeys(combinations(sorted(groups), size), spans))
    total: int = sum((-1) ** len(subset) * comb(spans, 2) for subset, spans in together.items())
    return total


def _surplus_of_products(sets: Mapping[frozenset[int], int]) -> int:
    """Compute `surplus_pairs` from the product of the matrix of sets and groups with itself, some rows at once."""
    from scipy.sparse import csr_array

    spans, sizes = np.array(list(sets.values())), np.array(list(map(len, sets)))
    row = np.repeat(np.arange(len(sets)), sizes)
    group = np.unique(list(chain(*sets)), return_inverse=True)[1]
    contains = csr_array((np.ones(len(row), dtype=np.int64), (row, group)))
    # The product has every pair of spans twice, and every span with itself.
    twice = -int(spans @ (sizes - 1))
    for first in range(0, len(sets), _ROWS):
        shared = (contains[first : first + _ROWS] @ contains.T).tocoo()
        twice += int(((shared.data - 1) * spans[first + shared.row] * spans[shared.col]).sum())
    return twice // 2
