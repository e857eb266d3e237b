"""Spans that lie in several groups each, entities or cells: how often two of them share more than one group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

import numpy as np

from corefscore.documents.arrays import Ints, changes, pairs_of, tally

FEW = 4
"""Up to so many groups of one span, subsets of them are counted; beyond it sets of groups are compared in pairs."""

BLOCK = 32
"""Sets of groups that are compared with all others at a time, as bits."""

WORD = 64
"""Groups that are compared at a time."""

SPARSE = 20
"""How many words of bits are compared in the time that it takes to find one group that two sets share."""

MOST = 1 << 20
"""Groups shared by two sets that are found at a time, for memory."""


def shared_more_than_once(sets: Mapping[frozenset[int], int]) -> int:
    """Sum over unordered pairs of spans of max(0, |A and B| - 1), A and B the groups that each lies in; ``sets`` tells
    how many spans lie in each set of groups.

    For r shared groups, r - 1 is the alternating sum over the subsets of at least two of them, so it is
    enough to count how many spans lie in all groups of each subset: linear in spans that lie in few groups.
    Sets of more than `FEW` groups, which no real file has, are compared with all others.
    """
    together: Counter[tuple[int, ...]] = Counter()
    for its, spans in sets.items():
        if len(its) <= FEW:
            for size in range(2, len(its) + 1):
                for subset in combinations(sorted(its), size):
                    together[subset] += spans
    total = sum((1 - len(subset) % 2 * 2) * (n * (n - 1) // 2) for subset, n in together.items())
    return total + (_compared(sets) if any(len(its) > FEW for its in sets) else 0)


def _compared(sets: Mapping[frozenset[int], int]) -> int:
    """The part of `shared_more_than_once` of pairs in which one set or both have more than `FEW` groups.

    The sum of |A and B| follows from the number of spans in each group. From it goes 1 for each pair that shares any
    group at all: for that alone sets are compared, which takes less than counting what they share.
    """
    many = sorted((its for its in sets if len(its) > FEW), key=sets.__getitem__)
    ordered = [*many, *(its for its in sets if len(its) <= FEW)]
    spans = np.array([sets[its] for its in ordered])
    row = np.repeat(np.arange(len(ordered)), [len(its) for its in ordered])
    group = np.unique([group for its in ordered for group in its], return_inverse=True)[1]
    every, few = (np.bincount(group, spans[row] * which).astype(np.int64) for which in (True, row >= len(many)))
    among_many = beside_few = 0
    for first, met in _meeting(row, group, spans[: len(many)]):
        pairs = spans[first] * met * spans
        among_many += int(pairs[: len(many)].sum())
        beside_few += int(pairs[len(many) :].sum())
    # Among many every pair of spans is met from both sides, and every span meets itself.
    meeting = (among_many - int(spans[: len(many)].sum())) // 2 + beside_few
    return int(np.sum(pairs_of(every) - pairs_of(few))) - meeting


def _meeting(row: Ints, group: Ints, spans: Ints) -> Iterator[tuple[int, Ints]]:
    """For each stretch of the first sets, all of as many ``spans``, its first one and how many of the stretch each set
    shares a group with. Set ``row[n]`` has ``group[n]``; sets stand in order.

    In the cheaper of two ways: sets as bits, or by the sets that each group has.
    """
    sets = int(row[-1]) + 1
    sharing = np.cumsum(np.bincount(row, tally(group, int(group.max()) + 1)[group], sets)[: len(spans)])
    words = int(group.max()) // WORD + 1
    as_bits = words * len(spans) * sets < SPARSE * sharing[-1]
    # So many sets at a time as memory has room for.
    stretch = np.arange(len(spans)) // BLOCK if as_bits else sharing.astype(np.int64) // MOST
    ends = [*np.flatnonzero(changes(spans, stretch)).tolist(), len(spans)]
    stretches = list(pairwise(ends))
    if as_bits:
        bits = np.zeros((words, sets), dtype=np.uint64)
        np.bitwise_or.at(bits, (group // WORD, row), np.uint64(1) << (group % WORD).astype(np.uint64))
        for first, stop in stretches:
            shared = np.zeros((stop - first, sets), dtype=np.bool_)
            for word in bits:
                shared |= (word[first:stop, None] & word) != 0
            yield first, shared.sum(axis=0, dtype=np.uint8).astype(np.int64)
    else:
        from scipy.sparse import csr_array

        holds = csr_array((np.ones(len(group), dtype=np.int32), (row, group)))
        for first, stop in stretches:
            yield first, tally((holds[first:stop] @ holds.T).indices.astype(np.int64), sets)
