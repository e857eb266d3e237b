"""Heads by the tree: the word of a mention that is nearest to the root."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corefscore.core.arrays import Ints, changes, order_by
from corefscore.core.documents import SENTENCE, TENTH
from corefscore.core.findings import Finding
from corefscore.formats.base import Tree
from corefscore.formats.corefud.lines import DIGITS, HEAD, Lines
from corefscore.formats.corefud.links import links_of
from corefscore.formats.corefud.mentions import Sized
from corefscore.formats.words import whole_numbers


def highest(lines: Lines, sized: Sized) -> Ints:
    """Return the head of each mention (its index in the file): the token nearest to the root, the first of several.

    The distance follows from the column HEAD. Empty nodes have none there, so only a mention without tokens has an
    empty node as its head, the first one. A token whose HEAD is not a number, or not in its sentence, is a root. A
    token in a circle has the largest distance.
    """
    mention = np.repeat(np.arange(len(sized.size)), sized.size)
    order = order_by(mention, depths(lines)[sized.word], np.arange(len(mention)))
    return sized.word[order][changes(mention[order])]


def tree_of(lines: Lines, depth: Callable[[], Ints], which: Ints, numbers: Ints) -> Tree:
    """Return the dependencies of the words of one document (their places in the file); ``numbers`` and ``depth``
    (`depths`) are those of all words.
    """
    empty = np.flatnonzero(~lines.words.overt[which])

    def ignore(finding: Finding) -> None:
        """No-op: reading the key for its mentions has refused it if it matters."""

    size, parent, relation = links_of(lines, which[empty], numbers, ignore)
    stops = np.cumsum(size)
    links = {
        at: (parent[start:stop].tolist(), relation[start:stop].tolist())
        for at, start, stop in zip(empty.tolist(), (stops - size).tolist(), stops.tolist(), strict=True)
    }
    return Tree(depth()[which], links)


def depths(lines: Lines) -> Ints:
    """Return the number of steps of each word from its root; for an empty node, a number larger than that of the
    words.
    """
    words = lines.words
    overt = np.flatnonzero(words.overt)
    number = words.number[overt]
    # A column that is not a number means the root.
    parent = np.maximum(whole_numbers(lines.text, *lines.bounds(HEAD, words.row[overt]), DIGITS), 0)
    wanted = number // SENTENCE * SENTENCE + parent * TENTH
    place = np.minimum(np.searchsorted(number, wanted), max(len(number) - 1, 0))
    known = (parent > 0) & (number[place] == wanted)
    # Every step leads to the parent; a root leads to itself.
    up = np.where(known, place, np.arange(len(number)))
    depth = np.zeros(len(number), dtype=np.int64)
    at, step = np.arange(len(number)), 0
    limit = int(np.bincount(number // SENTENCE).max(initial=0))
    moving = np.flatnonzero(known)
    while len(moving) and step <= limit:
        step += 1
        depth[moving] = step
        at[moving] = up[at[moving]]
        moving = moving[known[at[moving]]]
    found = np.full(len(words.row), limit + 2)
    found[overt] = depth
    return found
