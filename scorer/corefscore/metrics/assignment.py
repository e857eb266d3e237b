"""The best one-to-one assignment of entities, over cells that are not zero.

Almost all cells are decided by a look at their neighbours. What is left falls apart into connected components:
each is solved here, by shortest augmenting paths, unless that takes long; then by scipy, whose import costs more
than a whole small run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from corefscore.documents.arrays import Bools, Floats, Ints, among, changes, firsts, order_by, ranked, tally

PAYS = 0.05
"""The share of the cells that a look at neighbours has to settle for another look to pay."""

STEPS = 100_000
"""Cells looked at after which a component is left to scipy: by then its import would have been the faster way."""


NEAR = 1e-9
"""Weights that differ by less may be equal but for rounding."""


class Assignment(NamedTuple):
    """Which cells are ``taken``. Every best assignment takes the same weight in each row but where a cell is ``tied``,
    it weighs no more than the best others of its row and column together, or ``searched``, left to a solver."""

    taken: Bools
    tied: Bools
    searched: Bools


def best(rows: Ints, columns: Ints, weights: Floats) -> Assignment:
    """A one-to-one assignment of the largest total weight.

    ``rows``, ``columns`` and ``weights`` (all above 0) have one value a cell; cells are sorted by row. Where
    several assignments are best, which one is taken is not specified.
    """
    chosen, tied, searched = np.zeros((3, len(rows)), dtype=np.bool_)
    left = np.arange(len(rows))
    while len(left):
        found, equalled = _dominant(rows[left], columns[left], weights[left])
        taken = left[found]
        chosen[taken] = True
        tied[left[equalled]] = True
        before = len(left)
        left = left[~among(rows[left], rows[taken]) & ~among(columns[left], columns[taken])]
        if before - len(left) < PAYS * before:
            break
    searched[left] = True
    for component in components(rows[left], columns[left]):
        cells = left[component]
        chosen[cells[_solve(rows[cells], columns[cells], weights[cells])]] = True
    return Assignment(chosen, tied, searched)


def _dominant(rows: Ints, columns: Ints, weights: Floats) -> tuple[Ints, Ints]:
    """Cells that weigh at least as much as the best other cell of their row and of their column together.

    An assignment without such a cell has at most these two in its stead, so some best assignment takes it.
    One that is the largest of a row whose columns have no other cell is the plain case. Of equals in one row
    or column the first is returned, so that no two share either.

    Also those of them that weigh no more than that: without them an assignment can be as good. Where the column has no
    other cell, it takes the same weight in that row, and so is none of these.
    """
    in_column = _best_other(columns, weights)
    others = _best_other(rows, weights) + in_column
    found = np.flatnonzero(weights >= others)
    found = found[changes(rows[found])]
    found = found[firsts(columns[found])]
    return found, found[(in_column[found] > 0) & (weights[found] <= others[found] + NEAR)]


def _best_other(groups: Ints, weights: Floats) -> Floats:
    """The largest weight among the other cells of the group of each cell, 0 where there is none."""
    first, second = np.zeros((2, int(groups.max()) + 1))
    np.maximum.at(first, groups, weights)
    largest = weights == first[groups]
    np.maximum.at(second, groups[~largest], weights[~largest])
    second = np.where(tally(groups[largest], len(first)) > 1, first, second)
    return np.where(largest, second[groups], first[groups])


def connected(nodes: int, ones: Ints, others: Ints) -> Ints:
    """For each of so many nodes the smallest one of its connected component; links lead from ``ones`` to ``others``."""
    root = np.arange(nodes)
    while True:
        one, other = root[ones], root[others]
        if np.array_equal(one, other):
            return root
        np.minimum.at(root, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(root, root[root]):
            root = root[root]


def components(rows: Ints, columns: Ints) -> list[Ints]:
    """The cells of each connected component."""
    if not len(rows):
        return []
    row = ranked(rows)[1]
    column = ranked(columns)[1] + len(row)
    one = connected(2 * len(row), row, column)[row]
    order = order_by(one)
    return np.split(order, np.flatnonzero(changes(one[order]))[1:])


def _solve(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The chosen cells of one component."""
    if len(rows) <= STEPS:
        row, column = rows.tolist(), columns.tolist()
        shorter, longer = (row, column) if len(set(row)) <= len(set(column)) else (column, row)
        taken = _augment(shorter, longer, weights.tolist())
        if taken is not None:
            return np.array(taken, dtype=np.int64)
    return _by_scipy(rows, columns, weights)


def _augment(rows: list[int], columns: list[int], weights: list[float]) -> list[int] | None:
    """The chosen cells, found row by row along shortest augmenting paths (Dijkstra over reduced costs).

    The cost of a cell is its negative weight, and every row has a column of its own, at cost 0, to stay in
    when it gets none of the others. The duals keep all reduced costs at 0 or above. Of columns equally
    near, one that is free comes first. None where it takes more than `STEPS`.
    """
    edges: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for row, column, weight in zip(rows, columns, weights, strict=True):
        edges[row].append((column, -weight))
    row_dual = {row: min(cost for _, cost in its) for row, its in edges.items()}
    column_dual: dict[int, float] = defaultdict(float)
    column_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    steps = 0
    for first, its in edges.items():
        its.append((-1 - first, 0.0))
        distance: dict[int, float] = {}
        via: dict[int, int] = {}
        done: dict[int, float] = {}
        frontier: list[tuple[float, bool, int]] = []
        row, so_far = first, 0.0
        while True:
            steps += len(edges[row])
            if steps > STEPS:
                return None
            for column, cost in edges[row]:
                total = so_far + cost - row_dual[row] - column_dual[column]
                if column not in done and total < distance.get(column, math.inf):
                    distance[column] = total
                    via[column] = row
                    heappush(frontier, (total, column in row_of, column))
            so_far, _, column = heappop(frontier)
            while column in done:
                so_far, _, column = heappop(frontier)
            if column not in row_of:
                break
            done[column] = so_far
            row = row_of[column]
        row_dual[first] += so_far
        for passed, at in done.items():
            row_dual[row_of[passed]] += so_far - at
            column_dual[passed] -= so_far - at
        while True:
            row = via[column]
            row_of[column] = row
            column_of[row], column = column, column_of.get(row, column)
            if row == first:
                break
    return [cell for cell, (row, column) in enumerate(zip(rows, columns, strict=True)) if column_of[row] == column]


def _by_scipy(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The chosen cells by scipy.

    It wants every row matched, so each gets a column of its own to stay in, and no cost may be 0.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    _, row = np.unique(rows, return_inverse=True)
    _, column = np.unique(columns, return_inverse=True)
    height, width = int(row.max()) + 1, int(column.max()) + 1
    highest = float(weights.max()) + 1
    cost = np.concatenate([highest - weights, np.full(height, highest)])
    place = (np.concatenate([row, np.arange(height)]), np.concatenate([column, width + np.arange(height)]))
    cells = csr_array((cost, place), shape=(height, width + height))
    _, matched = min_weight_full_bipartite_matching(cells)
    return np.flatnonzero(matched[row] == column)
