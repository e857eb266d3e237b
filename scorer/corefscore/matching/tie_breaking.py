"""The best alignment of mentions, and the official scorer's where several are equally good.

The official scorer gives one matrix a document to `scipy.optimize.linear_sum_assignment`: all mentions that are left on
either side in text order, with zeros where nothing matches. If several assignments are best, the one that scipy returns
depends on the whole matrix, even on rows without any match. So each group of competing mentions (a component) is first
solved by itself. Only a document with a component that has several best assignments is solved as a whole, in the way of
scipy (recorded cases head-tie-*, real en-interview-xrenner-onto).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, order_by, tally
from corefscore.matching.assignment import components

EPSILON = 1e-9
"""Sums of scores that differ by less are equally good: they are sums of a few fractions."""

STEPS = 20_000
"""The number of partial assignments of one component after which its document is solved as a whole."""

WORK, STEP = 20_000_000, 1_000
"""The limit of work on one document, after which scipy solves it (its import takes a third of a second). Work is the
number of columns that are looked at, plus `STEP` for each step of a path."""


def assigned(key_document: Ints, response_document: Ints, key: Ints, response: Ints, score: Floats) -> Ints:
    """Which pairs a one-to-one assignment of the largest sum takes in each document.

    The documents are those of all mentions of either side, in text order. Pairs are sorted by ``key``.
    """
    taken = np.zeros(len(key), dtype=np.bool_)
    tied: set[int] = set()
    alone = (tally(key, len(key_document))[key] == 1) & (tally(response, len(response_document))[response] == 1)
    taken[alone] = True
    rest = np.flatnonzero(~alone)
    for component in components(key[rest], response[rest]):
        pairs = rest[component]
        best = _unique_best(key[pairs].tolist(), response[pairs].tolist(), score[pairs].tolist())
        if best is None:
            tied.add(int(key_document[key[pairs[0]]]))
        else:
            taken[pairs[best]] = True
    for document in sorted(tied):
        rows = np.searchsorted(key_document, (document, document + 1))
        columns = np.searchsorted(response_document, (document, document + 1))
        cells = slice(*np.searchsorted(key, rows))
        shape = int(rows[1] - rows[0]), int(columns[1] - columns[0])
        taken[cells] = _as_a_whole(key[cells] - rows[0], response[cells] - columns[0], score[cells], shape)
    return np.flatnonzero(taken)


def _unique_best(keys: Sequence[int], responses: Sequence[int], scores: Sequence[float]) -> list[int] | None:
    """The pairs of the best assignment of one component; None if several are best, or too many have to be tried."""
    by_key: dict[int, list[int]] = defaultdict(list)
    for pair, each in enumerate(keys):
        by_key[each].append(pair)
    rows = list(by_key.values())
    # For each row, the most that it and the later rows can add.
    rest = [0.0]
    for row in reversed(rows):
        rest.append(rest[-1] + max(scores[pair] for pair in row))
    rest.reverse()
    best, several, steps = -1.0, False, 0
    chosen: list[int] = []
    found: list[int] = []
    used: set[int] = set()

    def look(row: int, total: float) -> None:
        nonlocal best, several, steps, found
        steps += 1
        if steps > STEPS or total + rest[row] < best - EPSILON:
            return
        if row == len(rows):
            if total > best + EPSILON:
                best, several, found = total, False, [*chosen]
            elif set(found) != set(chosen):
                several = True
            return
        for pair in sorted(rows[row], key=lambda pair: -scores[pair]):
            if responses[pair] not in used:
                used.add(responses[pair])
                chosen.append(pair)
                look(row + 1, total + scores[pair])
                chosen.pop()
                used.discard(responses[pair])
        look(row + 1, total)

    if len(rows) > 200:
        return None
    look(0, 0.0)
    return None if several or steps > STEPS else found


def _as_a_whole(rows: Ints, columns: Ints, scores: Floats, shape: tuple[int, int]) -> Bools:
    """Which pairs of a document are taken, if one matrix of ``shape`` with all of its mentions is solved.

    The matrix is made only for scipy, if the search for paths takes too long (`WORK`).
    """
    turned = shape[0] > shape[1]
    order = order_by(columns) if turned else np.arange(len(rows))
    shorter, longer = (columns[order], rows[order]) if turned else (rows, columns)
    partner = _Paths(shorter, longer, -scores[order], min(shape), max(shape)).partners()
    taken = np.zeros(len(rows), dtype=np.bool_)
    if partner is None:
        from scipy.optimize import linear_sum_assignment

        matrix = np.zeros((min(shape), max(shape)))
        matrix[shorter, longer] = -scores[order]
        partner = linear_sum_assignment(matrix)[1].tolist()
    taken[order] = np.array(partner)[shorter] == longer
    return taken


class _Paths:
    """The assignment of `scipy.optimize.linear_sum_assignment`, found row by row along shortest augmenting paths.

    ``costs`` are those of some cells, sorted by row; all others are 0. There are as many columns as rows or more.

    The algorithm is that of Crouse 2016, On implementing 2D rectangular assignment algorithms. Among equally near
    columns it takes those of scipy: the last one in a list that is free, or else the first one in it. The list begins
    as all columns in falling order; a column that is reached is replaced by the last one of the list.
    """

    def __init__(self, rows: Ints, columns: Ints, costs: Floats, height: int, width: int) -> None:
        self.columns, self.costs, self.height, self.width = columns, costs, height, width
        self.first = np.searchsorted(rows, np.arange(height + 1)).tolist()
        self.column_of = [-1] * height
        self.row_of = np.full(width, -1)
        self.row_dual, self.column_dual = np.zeros(height), np.zeros(width)
        self.free = 0
        self.work = WORK
        # Rounding can lift a dual above 0; from then on every column has to be looked at.
        self.rounded = False

    def partners(self) -> list[int] | None:
        """The column of each row; None if that takes more than `WORK`."""
        for row in range(self.height):
            column = -1 if self.rounded else self._nearest_free(row)
            if column >= 0:
                self.column_of[row] = column
                self.row_of[column] = row
            elif self.work > 0:
                self._along_path(row)
            else:
                return None
        return self.column_of

    def _nearest_free(self, row: int) -> int:
        """The nearest column of a row if it is free, so that no path is needed; -1 otherwise.

        A row without costs takes the first free column. No free column has a dual other than 0.
        """
        of_row = slice(self.first[row], self.first[row + 1])
        columns = self.columns[of_row]
        if not len(columns):
            while self.row_of[self.free] >= 0:
                self.free += 1
            return self.free
        near = self.costs[of_row] - self.column_dual[columns]
        nearest = near.min()
        equal = columns[near == nearest]
        equal = equal[self.row_of[equal] < 0]
        if nearest >= 0 or not len(equal):
            return -1
        self.row_dual[row] = nearest
        return int(equal[0])

    def _along_path(self, start: int) -> None:
        """Give a row the column at the end of its shortest path, and the rows on the path the next one each."""
        shortest, via = np.full(self.width, np.inf), np.full(self.width, -1)
        left = np.arange(self.width)[::-1].copy()
        reached: list[int] = []
        row, so_far = start, 0.0
        while True:
            self.work -= STEP + self.width
            cost = np.zeros(self.width)
            of_row = slice(self.first[row], self.first[row + 1])
            cost[self.columns[of_row]] = self.costs[of_row]
            total = so_far + cost[left] - self.row_dual[row] - self.column_dual[left]
            nearer = total < shortest[left]
            shortest[left[nearer]] = total[nearer]
            via[left[nearer]] = row
            near = shortest[left]
            so_far = near.min()
            equal = np.flatnonzero(near == so_far)
            free = equal[self.row_of[left[equal]] < 0]
            at = free[-1] if len(free) else equal[0]
            column = int(left[at])
            reached.append(column)
            left[at] = left[-1]
            left = left[:-1]
            if self.row_of[column] < 0:
                break
            row = int(self.row_of[column])
        self.row_dual[start] += so_far
        passed = reached[:-1]
        self.row_dual[self.row_of[passed]] += so_far - shortest[passed]
        self.column_dual[reached] -= so_far - shortest[reached]
        self.rounded = self.rounded or bool((self.column_dual[reached] > 0).any())
        while True:
            row = int(via[column])
            self.row_of[column] = row
            self.column_of[row], column = column, self.column_of[row]
            if row == start:
                return
