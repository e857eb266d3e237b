"""The column DEPS: what empty nodes depend on, and how.

Dependencies are separated by `|`. Each is the number of a word, a colon, and a relation, which may contain more colons.
A column of `_` has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, ranges
from corefscore.core.documents import SENTENCE
from corefscore.formats.corefud.lines import DEPS, Lines, Refuse, number_of
from corefscore.formats.words import numbers_of


class _Links(NamedTuple):
    """The dependencies of some words, word by word: how many each has, the words on which it depends, and its relations
    to them, as numbers that are equal for equal relations in every process."""

    size: Ints
    parent: Ints
    relation: Ints

    def of(self, which: Ints) -> _Links:
        """Take the dependencies of some of the words, in this order."""
        size = self.size[which]
        at = ranges((np.cumsum(self.size) - self.size)[which], size)
        return _Links(size, self.parent[at], self.relation[at])


def links_of(lines: Lines, words: Ints, number: Ints, refuse: Refuse) -> _Links:
    """Read the dependencies of words, given by their indices in the file; ``number`` has the numbers of all words
    (`corefscore.core.documents.Nodes`).

    Text that is not a dependency is refused, once for each word. If ``refuse`` returns, such a word depends on the
    root.
    """
    rows = lines.words.row[words]
    begin, end = lines.bounds(DEPS, rows)
    columns = (lines.piece(*edges) for edges in zip(begin.tolist(), end.tolist(), strict=True))
    found = list(map(cache(_parsed), columns))  # few are different
    for row, start, (_, _, odd) in zip(rows.tolist(), begin.tolist(), found, strict=True):
        if odd is not None:
            refuse(lines.about("odd-dependency", row, odd[1], start + odd[0]))
    size = np.array([len(parents) for parents, _, _ in found], dtype=np.int64)
    parent = np.array([parent for parents, _, _ in found for parent in parents], dtype=np.int64)
    relation = numbers_of([relation for _, relations, _ in found for relation in relations])
    return _Links(size, np.repeat(number[words] // SENTENCE * SENTENCE, size) + parent, relation)


def _parsed(column: bytes) -> tuple[Sequence[int], Sequence[bytes], tuple[int, bytes] | None]:
    """Parse a column: the numbers of words, the relations, and the place and text of the first odd piece."""
    parents: list[int] = []
    relations: list[bytes] = []
    place = 0
    for piece in column.split(b"|") if column not in (b"", b"_") else ():
        head, colon, relation = piece.partition(b":")
        parent = number_of(head)
        if parent is None or not colon:
            return [0], [b""], (place, piece)
        parents.append(parent)
        relations.append(relation)
        place += len(piece) + 1
    return parents, relations, None
