"""Spans that are in several groups (entities or cells): how often two of them share more than one group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np

from corefscore.core.arrays import Ints, changes, pairs_of, tally

FEW = 4
"""The number of groups of one span up to which subsets of them are counted; larger sets are compared in pairs."""

BLOCK = 32
"""The number of sets of groups that are compared with all others at once, as bits."""

WORD = 64
"""The number of groups that are compared at once."""

SPARSE = 20
"""The number of words of bits that are compared in the time in which one group that two sets share is found."""

MOST = 1 << 20
"""The number of groups shared by two sets that are found at once, which bounds memory."""


def shared_more_than_once(sets: Mapping[frozenset[int], int]) -> int:
    """The sum of max(0, |A and B| - 1) over unordered pairs of spans, with A and B the groups of each; ``sets`` is the
    number of spans in each set of groups.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is enough to count
    the spans that are in all groups of each subset, which is linear for spans in few groups. Sets of more than `FEW`
    groups, which no real file has, are compared with all others.
    """
    together: Counter[tuple[int, ...]] = Counter()
    for groups, spans in sets.items():
        if len(groups) <= FEW:
            for size in range(2, len(groups) + 1):
                for subset in combinations(sorted(groups), size):
                    together[subset] += spans
    total = sum((1 - len(subset) % 2 * 2) * (n * (n - 1) // 2) for subset, n in together.items())
    return total + (_compared(sets) if any(len(groups) > FEW for groups in sets) else 0)


def _compared(sets: Mapping[frozenset[int], int]) -> int:
    """The part of `shared_more_than_once` from pairs in which at least one set has more than `FEW` groups.

    The sum of |A and B| follows from the number of spans in each group. From it 1 is subtracted for each pair that
    shares any group. Sets are compared for this alone, which is faster than counting the groups that they share.
    """
    many = sorted((groups for groups in sets if len(groups) > FEW), key=sets.__getitem__)
    ordered = [*many, *(groups for groups in sets if len(groups) <= FEW)]
    spans = np.array([sets[groups] for groups in ordered])
    row = np.repeat(np.arange(len(ordered)), [len(groups) for groups in ordered])
    group = np.unique([group for groups in ordered for group in groups], return_inverse=True)[1]
    every, few = (np.bincount(group, spans[row] * which).astype(np.int64) for which in (True, row >= len(many)))
    among_many = beside_few = 0
    for first, met in _meeting(row, group, spans[: len(many)]):
        pairs = spans[first] * met * spans
        among_many += int(pairs[: len(many)].sum())
        beside_few += int(pairs[len(many) :].sum())
    # Among the large sets every pair of spans is counted twice, and every span is paired with itself.
    meeting = (among_many - int(spans[: len(many)].sum())) // 2 + beside_few
    return int(np.sum(pairs_of(every) - pairs_of(few))) - meeting


def _meeting(row: Ints, group: Ints, spans: Ints) -> Iterator[tuple[int, Ints]]:
    """For each run of large sets with the same number of ``spans``: its first set, and for every set the number of sets
    of the run with which it shares a group. Set ``row[n]`` has ``group[n]``; ``row`` is sorted.

    Computed in the cheaper of two ways: with sets as bits, or from the sets of each group.
    """
    sets = int(row[-1]) + 1
    sharing = np.cumsum(np.bincount(row, tally(group, int(group.max()) + 1)[group], sets)[: len(spans)])
    words = int(group.max()) // WORD + 1
    as_bits = words * len(spans) * sets < SPARSE * sharing[-1]
    # Runs are short enough for memory.
    block = np.arange(len(spans)) // BLOCK if as_bits else sharing.astype(np.int64) // MOST
    ends = [*np.flatnonzero(changes(spans, block)).tolist(), len(spans)]
    runs = list(pairwise(ends))
    if as_bits:
        bits = np.zeros((words, sets), dtype=np.uint64)
        np.bitwise_or.at(bits, (group // WORD, row), np.uint64(1) << (group % WORD).astype(np.uint64))
        for first, stop in runs:
            shared = np.zeros((stop - first, sets), dtype=np.bool_)
            for word in bits:
                shared |= (word[first:stop, None] & word) != 0
            yield first, shared.sum(axis=0, dtype=np.uint8).astype(np.int64)
    else:
        from scipy.sparse import csr_array

        contains = csr_array((np.ones(len(group), dtype=np.int32), (row, group)))
        for first, stop in runs:
            yield first, tally((contains[first:stop] @ contains.T).indices.astype(np.int64), sets)
