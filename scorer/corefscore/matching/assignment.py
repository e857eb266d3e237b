"""The best one-to-one assignment of entities, over cells that are not zero.

Almost all cells are decided by comparing them with the other cells of their row and column. The rest consists of
connected components. Each is solved here by shortest augmenting paths, or by scipy if that takes long; importing scipy
takes longer than a small run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, among, changes, firsts, order_by, ranked, tally

PAYS = 0.05
"""The share of the cells that one pass of comparisons has to decide; with fewer, another pass is not worth its time."""

STEPS = 100_000
"""The number of cells after which a component is left to scipy, since importing it would have been faster."""


NEAR = 1e-9
"""Weights with a smaller difference may be equal except for rounding."""


class Assignment(NamedTuple):
    """Which cells are ``taken``.

    Every best assignment takes the same weight in each row, except where a cell is ``tied`` (it weighs no more than the
    best other cells of its row and of its column together) or ``searched`` (left to a solver).
    """

    taken: Bools
    tied: Bools
    searched: Bools


def best(rows: Ints, columns: Ints, weights: Floats) -> Assignment:
    """A one-to-one assignment of the largest total weight.

    ``rows``, ``columns`` and ``weights`` (all above 0) have one value a cell; cells are sorted by row. If several
    assignments are best, any of them is returned.
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
    """The cells that weigh at least as much as the best other cell of their row and of their column together; and those
    of them that weigh no more than that, which are tied.

    An assignment without such a cell has at most these two others in its place, so some best assignment takes it. The
    simplest case is the largest cell of a row whose columns have no other cell. Of equal cells in a row or column the
    first is returned, so that no two share a row or a column.

    Without a tied cell an assignment can be as good. If its column has no other cell, the other assignment takes the
    same weight in that row, so such a cell is not tied.
    """
    in_column = _best_other(columns, weights)
    others = _best_other(rows, weights) + in_column
    found = np.flatnonzero(weights >= others)
    found = found[changes(rows[found])]
    found = found[firsts(columns[found])]
    return found, found[(in_column[found] > 0) & (weights[found] <= others[found] + NEAR)]


def _best_other(groups: Ints, weights: Floats) -> Floats:
    """The largest weight among the other cells of the group of each cell, 0 if there are none."""
    first, second = np.zeros((2, int(groups.max()) + 1))
    np.maximum.at(first, groups, weights)
    largest = weights == first[groups]
    np.maximum.at(second, groups[~largest], weights[~largest])
    second = np.where(tally(groups[largest], len(first)) > 1, first, second)
    return np.where(largest, second[groups], first[groups])


def connected(nodes: int, starts: Ints, ends: Ints) -> Ints:
    """For each node from 0 to ``nodes - 1`` the smallest node of its connected component; links join ``starts`` and
    ``ends``."""
    root = np.arange(nodes)
    while True:
        start, end = root[starts], root[ends]
        if np.array_equal(start, end):
            return root
        np.minimum.at(root, np.maximum(start, end), np.minimum(start, end))
        while not np.array_equal(root, root[root]):
            root = root[root]


def components(rows: Ints, columns: Ints) -> list[Ints]:
    """The cells of each connected component."""
    if not len(rows):
        return []
    row = ranked(rows)[1]
    column = ranked(columns)[1] + len(row)
    component = connected(2 * len(row), row, column)[row]
    order = order_by(component)
    return np.split(order, np.flatnonzero(changes(component[order]))[1:])


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

    The cost of a cell is its negative weight. Every row also has a column of its own with cost 0, which leaves it
    unassigned. The duals keep all reduced costs at 0 or above. Of equally near columns a free one comes first. None if
    it takes more than `STEPS`.
    """
    edges: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for row, column, weight in zip(rows, columns, weights, strict=True):
        edges[row].append((column, -weight))
    row_dual = {row: min(cost for _, cost in costs) for row, costs in edges.items()}
    column_dual: dict[int, float] = defaultdict(float)
    column_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    steps = 0
    for first, costs in edges.items():
        costs.append((-1 - first, 0.0))
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
        for passed, reached in done.items():
            row_dual[row_of[passed]] += so_far - reached
            column_dual[passed] -= so_far - reached
        while True:
            row = via[column]
            row_of[column] = row
            column_of[row], column = column, column_of.get(row, column)
            if row == first:
                break
    return [cell for cell, (row, column) in enumerate(zip(rows, columns, strict=True)) if column_of[row] == column]


def _by_scipy(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The chosen cells, found by scipy.

    It requires that every row is matched, so each row gets a column of its own, and that no cost is 0.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    row, column = ranked(rows)[1], ranked(columns)[1]
    height, width = int(row.max()) + 1, int(column.max()) + 1
    highest = float(weights.max()) + 1
    cost = np.concatenate([highest - weights, np.full(height, highest)])
    indices = (np.concatenate([row, np.arange(height)]), np.concatenate([column, width + np.arange(height)]))
    cells = csr_array((cost, indices), shape=(height, width + height))
    _, matched = min_weight_full_bipartite_matching(cells)
    return np.flatnonzero(matched[row] == column)
