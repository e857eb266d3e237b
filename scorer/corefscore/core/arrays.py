"""Arrays: whole batches of documents as flat arrays, and the few operations that all stages share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

Objects = np.ndarray[Any, np.dtype[np.object_]]

NONE: Ints = np.empty(0, dtype=np.int64)
NO_OBJECTS: Objects = np.empty(0, dtype=np.object_)


Array = Ints | Floats | Bools


_K = TypeVar("_K")
_V = TypeVar("_V")


def lists_by_key(pairs: Iterable[tuple[_K, _V]]) -> dict[_K, list[_V]]:
    """Return the values of each key in a list, in the order in which they come; another key has an empty list."""
    lists: dict[_K, list[_V]] = defaultdict(list)
    for key, value in pairs:
        lists[key].append(value)
    return lists


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the indices ``starts[0] .. starts[0] + lengths[0] - 1``, then those of the next range, and so on."""
    shifts: Ints = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return np.arange(len(shifts)) + shifts


def sums(groups: Ints, weights: Array, count: int) -> Floats:
    """Return the sum of ``weights`` for each group from 0 to ``count - 1``, added from left to right.

    The order matters: the official scorer truncates percentages, so the last bit of a sum can be visible, and
    ``bincount`` adds like a plain loop while ``numpy.sum`` adds pairwise.
    """
    return np.bincount(groups, weights=weights, minlength=count).astype(np.float64, copy=False)


def among(numbers: Ints | Bytes, some: Ints | Bytes) -> Bools:
    """Return whether each number is one of ``some``; for bytes, or for groups that are numbered from 0.

    This is faster than `numpy.isin`, whose first call imports ``numpy.ma``, a tenth of the start-up time.
    """
    table = np.zeros(int(max(numbers.max(initial=0), some.max(initial=0))) + 1, dtype=np.bool_)
    table[some] = True
    return table[numbers]


RARE = 1e-6
"""The chance below which something in a document is reported, since chance does not explain it."""


def lacking(found: Ints, every: Ints) -> Bools:
    """Return which documents have none of something, although that is unlikely: (1 - share) ** every < `RARE`.

    ``every`` is the number of things in each document, ``found`` how many of them have it, and the share is that in the
    documents where some have it (1 if there are none).
    """
    some = found > 0
    share = min(found.sum() / every[some].sum(), 1) if some.any() else 1
    unlikely: Bools = ~some & ((1 - share) ** every < RARE)
    return unlikely


def pairs_of(n: Ints) -> Ints:
    """Return the number of unordered pairs among n things, n (n - 1) / 2."""
    return n * (n - 1) // 2


def bounds(groups: Ints, count: int) -> Ints:
    """Return where each group begins in a sorted column: ``count + 1`` positions, the last of which is the end."""
    return np.searchsorted(groups, np.arange(count + 1))


def order_by(*keys: Ints) -> Ints:
    """Sort by the first key, then the second and so on, then by position; returns the order.

    Keys are columns of 64-bit numbers. They become one number of 63 bits, which ends in the position and is sorted:
    several times faster than `numpy.lexsort`, which is used where they are too wide for that.
    """
    if not (size := len(keys[0])):
        return NONE
    bits = (size - 1).bit_length()
    packed, room = np.zeros(size, dtype=np.int64), 63 - bits
    for key in keys:
        low = int(key.min())
        width = (int(key.max()) - low).bit_length()
        room -= width
        if room < 0:
            return np.lexsort(keys[::-1])
        packed <<= width
        packed |= key - low
    packed <<= bits
    packed |= np.arange(size)
    packed.sort(kind="stable")  # which is fast if they are nearly in order, as most are
    packed &= (1 << bits) - 1
    return packed


def changes(*keys: Ints | Bools) -> Bools:
    """Return whether a run of equal rows begins at each row of columns that are sorted together."""
    new = np.zeros(len(keys[0]), dtype=np.bool_)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return new


def ranked(*columns: Ints) -> tuple[Ints, Ints]:
    """Return the index of the first occurrence of each different row, in the order of `order_by`, and for each row the
    index of its equal among these.

    Like `among`, this avoids `numpy.unique`, whose first call imports ``numpy.ma``.
    """
    order = order_by(*columns)
    new = changes(*(column[order] for column in columns))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.cumsum(new)
    rank -= 1
    return order[new], rank


def in_order(groups: Ints) -> tuple[Ints, Ints]:
    """Return groups numbered from 0 in the order of their first members: the first member of each group, and the new
    number of each member's group.
    """
    first, rank = ranked(groups)
    order = order_by(first)
    return first[order], np.argsort(order)[rank]


def narrow(column: Ints) -> Any:
    """Return a column in half the memory if its numbers are small; sums of two of them fit as well."""
    return column.astype(np.int32) if not len(column) or -(2**29) <= column.min() <= column.max() < 2**29 else column


def repeated(*columns: Ints) -> Bools:
    """Return whether an equal row comes before each row."""
    found = np.ones(len(columns[0]), dtype=np.bool_)
    found[ranked(*columns)[0]] = False
    return found


def connected(nodes: int, starts: Ints, ends: Ints) -> Ints:
    """Return, for each node from 0 to ``nodes - 1``, the smallest node of its connected component; links join
    ``starts`` and ``ends``."""
    root = np.arange(nodes)
    while True:
        start, end = root[starts], root[ends]
        if np.array_equal(start, end):
            return root
        np.minimum.at(root, np.maximum(start, end), np.minimum(start, end))
        while not np.array_equal(root, root[root]):
            root = root[root]
