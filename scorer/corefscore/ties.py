"""The best alignment of mentions, and the official scorer's where several are equally good.

The official scorer gives one matrix a document to `scipy.optimize.linear_sum_assignment`: all mentions that are left on
either side in text order, with zeros where nothing matches. What that takes of several best assignments hangs on all of
the matrix, rows without any match included. So mentions that compete are looked at by themselves, and only a document
in which some of them have several best assignments is solved as a whole, in the same way
(recorded cases head-tie-*, real en-interview-xrenner-onto).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from corefscore.arrays import Bools, Floats, Ints, tally
from corefscore.assignment import components

EPSILON = 1e-9
"""Sums of scores that differ by less are equally good: they are sums of a few fractions."""

STEPS = 20_000
"""Partial assignments of one component after which its document is solved as a whole."""


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
        its = slice(*np.searchsorted(key, rows))
        shape = int(rows[1] - rows[0]), int(columns[1] - columns[0])
        taken[its] = _as_a_whole(key[its] - rows[0], response[its] - columns[0], score[its], shape)
    return np.flatnonzero(taken)


def _unique_best(keys: Sequence[int], responses: Sequence[int], scores: Sequence[float]) -> list[int] | None:
    """The pairs of the best assignment of one component; None where there are several, or too many to look at."""
    by_key: dict[int, list[int]] = defaultdict(list)
    for pair, each in enumerate(keys):
        by_key[each].append(pair)
    rows = list(by_key.values())
    # The most that the rows from here on can add.
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
    """Which pairs of a document are taken, by one matrix of this shape for all of its mentions."""
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros(shape)
    matrix[rows, columns] = -scores
    partner = np.full(shape[0], -1)
    row, column = linear_sum_assignment(matrix)
    partner[row] = column
    taken: Bools = partner[rows] == columns
    return taken
