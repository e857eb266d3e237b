"""CEAF-e. Use it when every entity should weigh the same, however small.

Entities are assigned one to one so that they are as similar as possible: largest sum of 2 n_ij / (|k_i| + |r_j|) over
assigned pairs / number of key entities. This is recall; for precision, swap the sides. Here n_ij is the number of
mentions that key entity i and response entity j share; |k_i| is the size of key entity i; |r_j| that of response entity
j.

Paper: Luo 2005, On coreference resolution performance metrics (entity-based)
"""

from __future__ import annotations

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, bounds
from corefscore.matching.assignment import Assignment, best
from corefscore.metrics.base import Counts, Measure, Metric, Overlap, shares
from corefscore.metrics.members import Both, Members

_SMALL = 400
"""The number of pairs of a key and a response entity up to which the search takes a fraction of a millisecond."""


def _as_official(overlap: Overlap, similarity: Floats, assigned: Assignment) -> Bools:
    """Return whether each cell is taken: as in the official scorer in small documents in which another assignment may
    be best as well, and otherwise as ``assigned``.

    If several assignments are best, which of them is taken decides the order in which similarities are added, and so
    the last bit of the sum (recorded case tie-0001).
    """
    cells, documents = overlap.cells, overlap.documents
    taken, unsure = assigned
    firsts = [bounds(groups.document, documents) for groups in (overlap.key, overlap.response, cells)]
    heights, widths, _ = map(np.diff, firsts)
    small = heights * widths <= _SMALL
    taken = taken.copy()
    for document in np.flatnonzero(small & (np.bincount(cells.document[unsure], minlength=documents) > 0)).tolist():
        height, width = int(heights[document]), int(widths[document])
        key, response, first = (int(first_of[document]) for first_of in firsts)
        of_document = slice(first, int(firsts[2][document + 1]))
        rows, columns = cells.key[of_document] - key, cells.response[of_document] - response
        cost = np.zeros((max(height, width),) * 2)
        cost[:height, :width] = 1
        cost[rows, columns] = 1 - similarity[of_document]
        taken[of_document] = _munkres(cost)[rows] == columns
    return taken


def _munkres(cost: Floats) -> Ints:
    """Return the column of each row of a square matrix; rows or columns of 0 mean that an entity is not assigned.

    The official scorer searches the whole matrix of one document with the steps of Munkres 1957 (Algorithms for the
    assignment and transportation problems). Choices that the paper leaves open follow its output: zeros are starred
    row by row, the first of each row whose column has no star; uncovered zeros are primed row by row, the last column
    first.

    Sets of columns are numbers of one bit a column: most matrices are so small that arrays would take twice the time.
    """
    cost = cost - cost.min(axis=1, keepdims=True)
    size, zeros = len(cost), _zeros(cost)
    star, row_of = [-1] * size, [-1] * size  # the column of each row, the row of each column
    free = (1 << size) - 1  # the columns without a star
    for row, columns in enumerate(zeros):
        if first := columns & free & -(columns & free):
            star[row] = first.bit_length() - 1
            row_of[star[row]] = row
            free ^= first
    while free:
        prime: dict[int, int] = {}  # of each row that is covered, and of the last one
        columns = free  # those that are not covered
        while True:
            for row, its in enumerate(zeros):
                if its & columns and row not in prime:
                    break
            else:
                rows = [row for row in range(size) if row not in prime]
                uncovered = [column for column in range(size) if columns >> column & 1]
                least = np.minimum.reduce(cost.take(rows, axis=0).take(uncovered, axis=1), axis=None)
                cost[list(prime)] += least
                cost[:, uncovered] -= least
                zeros = _zeros(cost)
                continue
            prime[row] = (zeros[row] & columns).bit_length() - 1
            if star[row] < 0:
                break
            columns |= 1 << star[row]
        while row >= 0:  # primes become stars along the path from a prime in a row without a star
            column, before = prime[row], row_of[prime[row]]
            star[row], row_of[column] = column, row
            row = before
        free ^= 1 << column
    return np.array(star)


def _zeros(cost: Floats) -> list[int]:
    """Return the columns in which each row is 0, as sets of bits."""
    packed = np.packbits(cost == 0, axis=1, bitorder="little")
    rows, width = packed.tobytes(), packed.shape[1]
    return [int.from_bytes(rows[at : at + width], "little") for at in range(0, len(rows), width)]


def count(overlap: Overlap) -> tuple[Counts]:
    """Recall: the largest sum of 2 n_ij / (|k_i| + |r_j|) over one-to-one assignments, divided by the number
    of key entities.

    Precision divides the same sum by the number of response entities. Similarities are added in the order of the key
    entities, so that 2.4 / 3 is printed as 79.99% (recorded case repeat-both-0013), and each as 1 - (1 - similarity),
    since the official CoNLL scorer minimises 1 - similarity; that of CorefUD adds them as they are. If several
    assignments may be best, small documents take that of the official scorer, which decides the order of the sum and so
    its last bit (tie-0001).

    Source: Luo 2005, phi_4; copies: recorded cases repeat-key.
    """
    key, response = overlap.key, overlap.response
    similarity, taken = assigned(overlap)
    if not overlap.by_entity:
        similarity = 1 - (1 - similarity)
    similar = overlap.cells.total(np.where(taken, similarity, 0.0))
    return (shares(similar, key.total(key.size > 0), response.total(response.size > 0)),)


def assigned(overlap: Overlap) -> tuple[Floats, Bools]:
    """Return the similarity of the entities of each cell, and whether they are assigned to each other."""
    cells, key, response = overlap.cells, overlap.key, overlap.response
    similarity = 2 * cells.size / (key.size[cells.key] + response.size[cells.response])
    found = best(cells.key, cells.response, similarity)
    # Another official scorer takes any; so do sums by units, which no official scorer prints.
    if overlap.by_entity or cells.row is not cells.document or not found.unsure.any():
        return similarity, found.taken
    return similarity, _as_official(overlap, similarity, found)


def terms(both: Both) -> tuple[Counts]:
    """Numerator: similarity of the entity to the one assigned to it / its size. Denominator: 1 / its size.

    So an entity counts for a kind of mentions by the share of its mentions that are of this kind.
    """
    similarity, taken = assigned(both.overlap)
    similar = np.where(taken, similarity, 0.0)

    def of(members: Members) -> tuple[Floats, Floats]:
        of_entity = np.bincount(members.of_cell, similar, len(members.entities.size))
        return of_entity[members.side.entity] / members.size, 1 / members.size

    return (both.counts(of),)


METRIC = Metric(
    name="ceafe",
    about=__doc__,
    cite=("luo-2005-coreference",),
    measures=(Measure("ceafe", "Coreference", title="CEAFₑ"),),
    count=count,
    terms=terms,
)
