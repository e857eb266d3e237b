"""What CorefUD has besides mentions: words, sentence by sentence, empty nodes among them, with their parts of speech
(UPOS); the types of entities; and dependencies: heads by the tree, which are the words of mentions nearest to the root,
and what empty nodes depend on.

The latter is in the column DEPS, separated by `|`: each time the number of a word, a colon, and a relation, which may
contain more colons. A column of `_` has none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, bounds, changes, order_by, ranges
from corefscore.core.documents import SENTENCE, TENTH, UNIT_SOURCES, by_sentence
from corefscore.core.findings import Finding
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import EMPTY, NO_WORD, Annotations, Request, Tree
from corefscore.formats.corefud.chunks import CLOSE, Fields, attributes_of, chunks
from corefscore.formats.corefud.lines import COLUMNS, DEPS, DIGITS, FORM, HEAD, UPOS, Lines, Refuse, number_of
from corefscore.formats.corefud.mentions import Sized
from corefscore.formats.words import numbers_of, whole_numbers

_NOTHING = b"_"

_PRONOUN = "PRON"
"""What an empty node is that has no part of speech: most stand for a pronoun that is left out."""

_TYPE_FIELD = "etype"
"""The field with the type of an entity in the brackets that open its mentions."""


def read(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    lines = Lines(source)
    words, numbers = lines.words, lines.numbers(lines.documents.of_sentence)
    depth = cache(partial(depths, lines))
    of_word = _types_of_words(lines) if request.types and not request.types.startswith(UNIT_SOURCES) else {}
    for begin, which in by_document(lines):
        rows = list(zip(words.row[which].tolist(), words.overt[which].tolist(), strict=True))
        forms = [_form(lines.column(row, FORM), overt=overt) for row, overt in rows]
        tags = [_tag(lines.column(row, UPOS), overt=overt) for row, overt in rows]
        tree = partial(tree_of, lines, depth, which, numbers)
        types: dict[str, str] = {}
        for name, kind in chain.from_iterable(of_word.get(word, ()) for word in which.tolist()):
            types.setdefault(name, kind)
        lost = _lost(lines) if begin == lines.documents.lines[0] else ()
        its = numbers[which]
        yield Annotations(begin, by_sentence(forms, its), tags, numbers=its, tree=tree, types=types, lost=lost)


KEPT_COMMENTS = b"# newdoc", b"# global.Entity"
"""How comments begin that are carried over in some form."""


def _lost(lines: Lines) -> Iterator[Finding]:
    """Yield a notice about the columns of a file that are not converted, and one about the first comment."""
    path = lines.source.name
    yield Finding("dropped-columns", path, lines.line_of(0), details={"count": COLUMNS})
    comments = np.flatnonzero(lines.comments).tolist()
    if other := [line for line in comments if not lines.line(line).startswith(KEPT_COMMENTS)][:1]:
        yield Finding("dropped-comments", path, other[0] + 1)


def by_document(lines: Lines) -> Iterator[tuple[int, Ints]]:
    """Yield, for each document, the line at which it begins, and its words (their places in the file)."""
    names, begins, of_sentence, *_ = lines.documents
    document = of_sentence[lines.words.sentence]
    order = order_by(document)
    at = bounds(document[order], len(names))
    for begin, start, stop in zip(begins, at, at[1:], strict=False):
        yield begin, order[start:stop]


def _form(form: bytes, *, overt: bool) -> str:
    return as_text(form) if overt else EMPTY + as_text(form if form != _NOTHING else b"")


def _tag(tag: bytes, *, overt: bool) -> str:
    if tag == _NOTHING:
        return NO_WORD if overt else _PRONOUN
    return as_text(tag)


def _types_of_words(lines: Lines) -> Mapping[int, Sequence[tuple[str, str]]]:
    """Return the ids and types of the mentions that begin at each word. A header that names no type gives nothing."""
    header = next(iter(lines.headers), ())
    if (fields := Fields.of(header)) is None or _TYPE_FIELD not in header:
        return {}
    field = header.index(_TYPE_FIELD)
    found = chunks(lines.text, attributes_of(lines), fields)
    of_word: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for chunk, kind in enumerate(found.kind.tolist()):
        if kind == CLOSE:
            continue
        if len(values := found.text_of(chunk).split(b"-")) > field and values[field].strip():
            of_word[int(found.word[chunk])].append((as_text(found.id_of(chunk)), as_text(values[field].strip())))
    return of_word


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
    # Reading the key for its mentions has refused what is wrong if it matters.
    size, parent, relation = links_of(lines, which[empty], numbers, lambda finding: None)
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
        if (parent := number_of(head)) is None or not colon:
            return [0], [b""], (place, piece)
        parents.append(parent)
        relations.append(relation)
        place += len(piece) + 1
    return parents, relations, None
