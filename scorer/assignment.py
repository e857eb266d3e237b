"""The best one-to-one assignment of entities, over cells that are not zero.

Cells fall apart into connected components, almost all of them a single row or column, whose answer is its
largest cell. Small components are solved here, by shortest augmenting paths; large ones by scipy, whose import
costs more than a whole small run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from heapq import heappop, heappush

import numpy as np

from scorer.columns import Bools, Floats, Ints, changes, order_by, tally

SMALL = 40_000
"""Rows times cells up to which a component is solved without scipy."""

DENSE = 0.1
"""The share of cells that are not zero from which on a full matrix is the faster way."""


def best(rows: Ints, columns: Ints, weights: Floats) -> Bools:
    """Which cells a one-to-one assignment of the largest total weight takes.

    ``rows``, ``columns`` and ``weights`` (all above 0) have one value a cell; cells are sorted by row. Where
    several assignments are best, which one is taken is not specified.
    """
    chosen = np.zeros(len(rows), dtype=np.bool_)
    if not len(rows):
        return chosen
    row_alone = tally(rows, int(rows.max()) + 1)[rows] == 1
    column_alone = tally(columns, int(columns.max()) + 1)[columns] == 1
    # A row all of whose cells are alone in their columns is a component, and so is such a column.
    row_star = _all_of(rows, column_alone)
    column_star = _all_of(columns, row_alone) & ~row_star
    for star, axis in ((row_star, rows), (column_star, columns)):
        cells = np.flatnonzero(star)
        largest_first = cells[np.lexsort((-weights[cells], axis[cells]))]
        chosen[largest_first[changes(axis[largest_first])]] = True
    rest = np.flatnonzero(~row_star & ~column_star)
    for component in _components(rows[rest], columns[rest]):
        cells = rest[component]
        chosen[cells[_solve(rows[cells], columns[cells], weights[cells])]] = True
    return chosen


def _all_of(groups: Ints, condition: Bools) -> Bools:
    """Whether the condition holds for every cell of the group that a cell is in."""
    fails = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    fails[groups[~condition]] = True
    return ~fails[groups]


def _components(rows: Ints, columns: Ints) -> list[Ints]:
    """The cells of each connected component."""
    if not len(rows):
        return []
    _, row = np.unique(rows, return_inverse=True)
    _, column = np.unique(columns, return_inverse=True)
    parent = list(range(int(row.max()) + int(column.max()) + 2))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for r, c in zip(row.tolist(), (column + int(row.max()) + 1).tolist(), strict=True):
        parent[root(r)] = root(c)
    roots = np.array([root(r) for r in range(int(row.max()) + 1)])[row]
    order = order_by(roots)
    return np.split(order, np.flatnonzero(changes(roots[order]))[1:])


def _solve(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The chosen cells of one component."""
    _, row = np.unique(rows, return_inverse=True)
    _, column = np.unique(columns, return_inverse=True)
    height, width = int(row.max()) + 1, int(column.max()) + 1
    if min(height, width) * len(row) <= SMALL:
        if height <= width:
            taken = _augment(row.tolist(), column.tolist(), weights.tolist())
        else:
            taken = _augment(column.tolist(), row.tolist(), weights.tolist())
        return np.array(taken, dtype=np.int64)
    if len(row) > DENSE * height * width:
        return _dense(row, column, weights, (height, width))
    return _sparse(row, column, weights, (height, width))


def _augment(rows: list[int], columns: list[int], weights: list[float]) -> list[int]:
    """The chosen cells, found row by row along shortest augmenting paths (Dijkstra over reduced costs).

    The cost of a cell is its negative weight, and every row has a column of its own, at cost 0, to stay in
    when it gets none of the others. The duals keep all reduced costs at 0 or above.
    """
    edges: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for row, column, weight in zip(rows, columns, weights, strict=True):
        edges[row].append((column, -weight))
    row_dual = {row: min(cost for _, cost in its) for row, its in edges.items()}
    column_dual: dict[int, float] = defaultdict(float)
    column_of: dict[int, int] = {}
    row_of: dict[int, int] = {}
    for first, its in edges.items():
        its.append((-1 - first, 0.0))
        distance: dict[int, float] = {}
        via: dict[int, int] = {}
        done: dict[int, float] = {}
        frontier: list[tuple[float, int]] = []
        row, so_far = first, 0.0
        while True:
            for column, cost in edges[row]:
                total = so_far + cost - row_dual[row] - column_dual[column]
                if column not in done and total < distance.get(column, math.inf):
                    distance[column] = total
                    via[column] = row
                    heappush(frontier, (total, column))
            so_far, column = heappop(frontier)
            while column in done:
                so_far, column = heappop(frontier)
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


def _dense(row: Ints, column: Ints, weights: Floats, shape: tuple[int, int]) -> Ints:
    """The chosen cells by scipy, over the full matrix."""
    from scipy.optimize import linear_sum_assignment

    cell = np.full(shape, -1)
    cell[row, column] = np.arange(len(row))
    matrix = np.zeros(shape)
    matrix[row, column] = weights
    taken = cell[linear_sum_assignment(matrix, maximize=True)]
    return taken[taken >= 0]


def _sparse(row: Ints, column: Ints, weights: Floats, shape: tuple[int, int]) -> Ints:
    """The chosen cells by scipy, without the full matrix.

    scipy wants every row matched, so each gets a column of its own to stay in, and no cost may be 0.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    height, width = shape
    highest = float(weights.max()) + 1
    cost = np.concatenate([highest - weights, np.full(height, highest)])
    place = (
        np.concatenate([row, np.arange(height)]),
        np.concatenate([column, width + np.arange(height)]),
    )
    cells = csr_array((cost, place), shape=(height, width + height))
    _, matched = min_weight_full_bipartite_matching(cells)
    return np.flatnonzero(matched[row] == column)
