"""The best one-to-one assignment: of entities, and of mentions with the choice of scipy where several are best.

**Entities**, for metrics (`best`): over cells that are not zero, any best assignment.
Almost all cells are decided by comparing them with the other cells of their row and column. The rest is solved by
augmenting paths, or by scipy if that takes long; importing scipy takes longer than a small run.

**Mentions**, for CorefUD (`assigned`): the official scorer gives one matrix a document to
`scipy.optimize.linear_sum_assignment`: all mentions that are left on either side in text order, with zeros where
nothing matches. If several assignments are best, the one that scipy returns depends on the whole matrix, even on rows
without any match (recorded cases head-tie-*, real en-interview-xrenner-onto).
"""

from __future__ import annotations

import math

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, among, changes, lists_by_key, ranked
from corefscore.core.records import NamedTuple

_PAYS = 0.05
"""The share of the cells that one pass of comparisons has to decide; with fewer, another pass is not worth its time."""

_STEPS = 100_000
"""The number of cells after which the rest is left to scipy, since importing it would have been faster."""

_LARGEST = 200_000_000
"""The number of cells of a matrix up to which mentions are assigned as the official scorer does; a larger one takes all
memory there, and any best assignment is taken here."""

_NEAR = 1e-9
"""Weights with a smaller difference may be equal except for rounding."""


class Assignment(NamedTuple):
    """Which cells are ``taken``.

    Every best assignment takes the same weight in each row, except where a cell is ``unsure``: it weighs no more than
    the best other cells of its row and of its column together, or it was left to a solver.
    """

    taken: Bools
    unsure: Bools


def best(rows: Ints, columns: Ints, weights: Floats) -> Assignment:
    """Return a one-to-one assignment of the largest total weight.

    ``rows``, ``columns`` and ``weights`` (all above 0) have one value a cell; cells are sorted by row. If several
    assignments are best, any of them is returned.
    """
    chosen, unsure = np.zeros((2, len(rows)), dtype=np.bool_)
    left = np.arange(len(rows))
    free_row, free_column = (np.ones(int(of_cell.max(initial=-1)) + 1, dtype=np.bool_) for of_cell in (rows, columns))
    while len(left):
        found, equalled = _dominant(rows[left], columns[left], weights[left])
        taken = left[found]
        chosen[taken] = True
        unsure[left[equalled]] = True
        before = len(left)
        free_row[rows[taken]] = free_column[columns[taken]] = False
        left = left[free_row[rows[left]] & free_column[columns[left]]]
        if before - len(left) < _PAYS * before:
            break
    if len(left):
        unsure[left] = True
        cells = rows[left], columns[left], weights[left]
        by_paths = _augment(*(column.tolist() for column in cells))
        chosen[left[_by_scipy(*cells) if by_paths is None else by_paths]] = True
    return Assignment(chosen, unsure)


def _dominant(rows: Ints, columns: Ints, weights: Floats) -> tuple[Ints, Ints]:
    """Return the cells that weigh at least as much as the best other cell of their row and of their column together;
    and those of them that weigh no more than that, which are tied.

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
    found = found[ranked(columns[found])[0]]
    return found, found[(in_column[found] > 0) & (weights[found] <= others[found] + _NEAR)]


def _best_other(groups: Ints, weights: Floats) -> Floats:
    """Return the largest weight among the other cells of the group of each cell, 0 if there are none."""
    first, second = np.zeros((2, int(groups.max()) + 1))
    np.maximum.at(first, groups, weights)
    largest = weights == first[groups]
    np.maximum.at(second, groups[~largest], weights[~largest])
    second = np.where(np.bincount(groups[largest], minlength=len(first)) > 1, first, second)
    return np.where(largest, second[groups], first[groups])


def _augment(rows: list[int], columns: list[int], weights: list[float]) -> list[int] | None:
    """Choose cells row by row, each time by the swaps that add most (the algorithm of Bellman and Ford); None if it
    takes more than `_STEPS`."""
    of_row = lists_by_key((row, cell) for cell, row in enumerate(rows))
    chosen: dict[int, int] = {}
    steps = 0
    for first in of_row:
        # What the swaps add that leave a row without a cell, and the cell that the row before it gets instead.
        gain, instead = {first: 0.0}, {first: -1}
        most, last = 0.0, -1
        waiting = [first]
        for row in waiting:
            steps += len(of_row[row])
            if steps > _STEPS:
                return None
            if gain[row] > most:
                most, last = gain[row], instead[row]
            for cell in of_row[row]:
                total = gain[row] + weights[cell]
                if (swapped := chosen.get(columns[cell], -1)) < 0:
                    if total > most:
                        most, last = total, cell
                elif total - weights[swapped] > gain.get(rows[swapped], -math.inf) + _NEAR:
                    gain[rows[swapped]], instead[rows[swapped]] = total - weights[swapped], cell
                    waiting.append(rows[swapped])
        while last >= 0:
            chosen[columns[last]] = last
            last = instead[rows[last]]
    return list(chosen.values())


def _by_scipy(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """Return the chosen cells, found by scipy.

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


def assigned(key_document: Ints, response_document: Ints, key: Ints, response: Ints, score: Floats) -> Ints:
    """Choose the pairs that a one-to-one assignment of the largest sum takes in each document.

    The documents are those of all mentions of either side, in text order. Pairs are sorted by ``key``.
    """
    taken = (np.bincount(key)[key] == 1) & (np.bincount(response)[response] == 1)
    for document in np.flatnonzero(np.bincount(key_document[key[~taken]])).tolist():
        rows = np.searchsorted(key_document, (document, document + 1))
        columns = np.searchsorted(response_document, (document, document + 1))
        cells = slice(*np.searchsorted(key, rows))
        shape = int(rows[1] - rows[0]), int(columns[1] - columns[0])
        taken[cells] = _by_matrix(key[cells] - rows[0], response[cells] - columns[0], score[cells], shape)
    return np.flatnonzero(taken)


def _by_matrix(rows: Ints, columns: Ints, scores: Floats, shape: tuple[int, int]) -> Bools:
    """Return which pairs of a document scipy takes from one matrix of ``shape`` with all of its mentions."""
    if math.prod(shape) > _LARGEST:
        return among(np.arange(len(rows)), _by_scipy(rows, columns, scores))
    from scipy.optimize import linear_sum_assignment

    costs = np.zeros(shape)
    costs[rows, columns] = -scores
    costs[linear_sum_assignment(costs)] = 1  # marks what is taken
    return costs[rows, columns] > 0
