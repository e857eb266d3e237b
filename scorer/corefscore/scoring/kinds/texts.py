"""The text of the key, on which errors are analysed: words, sentences, parts of speech and parses.

Heads of spans in parses are found by Collins' rules (1999, appendix A) for the labels of the Penn Treebank. The rules
for NP are those of Kummerfeld and Klein 2013, so that the same spans have the same head.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, pairwise
from pkgutil import get_data
from sys import intern
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints, bounds, narrow
from corefscore.core.documents import Documents, Nodes, are_empty, by_sentence
from corefscore.core.errors import UsageError
from corefscore.formats.base import AUTO, LAST, PARSE, Annotations
from corefscore.matching.pairing import Pairs

_TABLES = json.loads(get_data(__package__, "tags.json") or b"")
"""The rules for heads, and the sets of parts of speech."""

_STEPS = {"left": 1, "right": -1}
"""The side from which children are searched, as the step of a slice."""

_RULES: Mapping[str, tuple[int, list[str]]] = {
    label: (_STEPS[side], labels.split()) for label, (side, labels) in _TABLES["heads"].items()
}
"""For each label, the side from which the search for the head child starts, and the labels to search for, in order. If
none is found, the first child from that side is the head; of other labels the first from the right."""

_NOMINAL = ("NP", "NML")

_NOMINAL_RULES = [(_STEPS[side], labels.split()) for side, labels in _TABLES["heads of noun phrases"]]
"""The same for noun phrases: each row is one search for any of some labels."""

_PIECE = re.compile(r"\(([^()*\s]*)|(\*)|(\))")


class _Node(NamedTuple):
    """A node of a parse: its first and last token, its head, and the tag of its head."""

    label: str
    start: int
    end: int
    head: int
    tag: str


def nodes(parse: Sequence[str], tags: Sequence[str]) -> Iterator[_Node]:
    """Yield the nodes of a sentence, children before parents, leaves included.

    ``parse`` has the cells of the parse column, such as ``(NP*``, and ``tags`` the part of speech of each token.
    Brackets without a partner are ignored.
    """
    open_nodes: list[tuple[str, list[_Node]]] = [("", [])]
    for token, (bit, tag) in enumerate(zip(parse, tags, strict=True)):
        for label, leaf, _ in _PIECE.findall(bit):
            if leaf:
                node = _Node(tag, token, token, token, tag)
            elif label:
                open_nodes.append((label, []))
                continue
            elif len(open_nodes) > 1 and open_nodes[-1][1]:
                above, children = open_nodes.pop()
                child = _head(above, children)
                node = _Node(above, children[0].start, children[-1].end, child.head, child.tag)
            else:
                continue
            yield node
            open_nodes[-1][1].append(node)


def _head(label: str, children: Sequence[_Node]) -> _Node:
    """Return the child with the head of a node."""
    if label in _NOMINAL and children[-1].tag == "POS":
        return children[-1]
    side, labels = _RULES.get(label, (_STEPS["right"], []))
    for step, wanted in _NOMINAL_RULES if label in _NOMINAL else [(side, [wanted]) for wanted in labels]:
        for child in children[::step]:
            if child.label in wanted or child.tag in wanted:
                return child
    return children[::side][0]


PENN = "penn"

NO_TAG = "-"
"""The tag, and the parse, of a token of a document that has none."""


class _TagSet(NamedTuple):
    """A set of parts of speech: some tags that occur in every text, those of pronouns, and those of names. A ``*`` at
    the end of a tag matches anything."""

    occur: tuple[str, ...]
    pronouns: tuple[str, ...]
    names: tuple[str, ...]


TAG_SETS = {
    name: _TagSet(*(tuple(tags.split()) for tags in (row["occur"], row["pronouns"], row["names"])))
    for name, row in _TABLES["tag sets"].items()
}
"""Tag sets by name. The tag set of a text is the one that most tokens have a tag of; everything after a bracket in a
tag is ignored."""


class Text:
    """The tokens of all documents of a key, one document after another.

    ``words``, ``tags`` and ``parse`` have one value per token. ``words`` is empty if the key has no words, as with
    clusters in memory; tokens without a tag or parse have `NO_TAG`. ``first`` is the first token of each document, and
    one past the last token; ``ends`` is one past the last token of each sentence. ``numbers`` is the number of each
    word where mentions are more than spans (`corefscore.core.documents.Nodes`).
    """

    def __init__(self, annotations: Iterable[Annotations | None]) -> None:
        self.words, tags, parse = list[str](), list[str](), list[str]()  # of equal strings one is kept
        ends, first = array("q"), array("q", [0])
        numbers = [NONE]
        for document in annotations:
            for sentence in document.words if document else ():
                self.words += map(intern, map(str.strip, sentence))
                ends.append(len(self.words))
            for column, strings in ((tags, document and document.tags), (parse, document and document.parse)):
                if strings:
                    column.extend([NO_TAG] * (first[-1] - len(column)))  # of the documents before that have none
                    column.extend(map(intern, strings))
            if document and len(document.numbers):
                numbers.append(document.numbers)
            first.append(len(self.words))
        self.tags, self.parse = (_filled(column, len(self.words)) for column in (tags, parse))
        self.numbers = np.concatenate(numbers)
        self.first: Ints = narrow(np.array(first))
        self.ends: Ints = narrow(np.array(ends))
        self.tag_set = _tag_set(Counter(self.tags))
        self._of_sentence: dict[int, dict[tuple[int, int], int]] = {}

    def between(self, document: int, start: int, end: int) -> str:
        """Return the words of a document from token ``start`` to token ``end``."""
        first = int(self.first[document])
        return " ".join(self.words[first + start : first + end + 1])

    def sentences(self, document: int) -> list[list[str]]:
        """Return the words of a document, sentence by sentence; none if the key has no words."""
        begin, end = self.first[document : document + 2].tolist()
        ends = self.ends[slice(*np.searchsorted(self.ends, [begin, end], side="right"))].tolist()
        return [self.words[start:stop] for start, stop in pairwise([begin, *ends])]

    @property
    def parsed(self) -> Bools:
        """Whether each document has a parse, with more than the sentence in it."""
        has_bracket = [re.search(r"\((?!(?:TOP|V?ROOT|S1)[*(])", bit) is not None for bit in self.parse]
        return np.array([any(has_bracket[first:stop]) for first, stop in pairwise(self.first.tolist())], dtype=np.bool_)

    @property
    def in_tag_set(self) -> Bools:
        """Whether the tags of each document are of the tag set of the text, or too few to tell."""
        every = [Counter(self.tags[first:stop]) for first, stop in pairwise(self.first.tolist())]
        few = (sum(count for tag, count in its.items() if tag[:1].isalpha()) < _ENOUGH for its in every)
        sets = map(_tag_set, every)
        return np.array([of == self.tag_set or (of is None and its) for of, its in zip(sets, few, strict=True)], bool)

    def heads(self, asked: str) -> str:
        """Return how to find the heads of spans, `PARSE` or `LAST`. Raises `UsageError` for a way that
        needs CorefUD.
        """
        if asked == AUTO:
            return PARSE if self.tag_set == PENN and any("(NP" in bit for bit in self.parse) else LAST
        if asked not in (PARSE, LAST):
            raise UsageError(f"--heads {asked} needs CorefUD, which contains heads and trees; expected parse or last")
        if asked == PARSE and not self.parsed.any():
            raise UsageError("--heads parse needs parses, and the key has none; leave it out")
        return asked

    def head(self, start: int, end: int) -> int:
        """Return the head of a span of tokens by the parse; the last token if the span is not a node."""
        sentence = bisect_right(self.ends, start)
        first = int(self.ends[sentence - 1]) if sentence else 0
        if sentence not in self._of_sentence:
            tokens = slice(first, int(self.ends[sentence]))
            heads = self._of_sentence[sentence] = {}
            for node in nodes(self.parse[tokens], self.tags[tokens]):
                heads.setdefault((node.start, node.end), node.head)  # of nodes with one span, that of the lowest
        return first + self._of_sentence[sentence].get((start - first, end - first), end - first)

    def heads_of(self, placed: Projection, mentions: Ints, document: Ints, way: str) -> Ints:
        """Return the heads of some mentions of a side, whose documents are given, as tokens of this text. ``way`` is a
        result of `heads`, for mentions without heads of their own.
        """
        first = self.first[document]
        if placed.head is not None:
            return first + placed.head[mentions]
        start, end = first + placed.start[mentions], first + placed.end[mentions]
        return end if way == LAST else np.array(list(map(self.head, start.tolist(), end.tolist())), dtype=np.int64)

    def placed(self, side: Documents) -> Projection:
        """Return where the mentions of a side are in this text."""
        document = side.document[side.entity]
        if side.nodes is None:
            inside = (side.start >= 0) & (side.end < np.diff(self.first)[document])
            return Projection(side.start, side.end, inside, None, {})
        return _placed_nodes(self, document, side.nodes)


def _filled(column: list[str], size: int) -> Sequence[str]:
    """Return the tags or parses of ``size`` tokens; the last ones may have none. If all have none, it is one string."""
    if not {*column} - {NO_TAG}:
        return NO_TAG * size
    column += [NO_TAG] * (size - len(column))
    return column


class Projection(NamedTuple):
    """Where the mentions of a side are in a text.

    ``start`` and ``end`` are the first and the last token of each mention, from 0 in its document, ``inside`` says
    whether the text has all of its tokens, and ``head`` is its head if mentions have heads. ``gaps`` has all tokens of
    each mention that skips some.
    """

    start: Ints
    end: Ints
    inside: Bools
    head: Ints | None
    gaps: Mapping[int, Ints]


def _placed_nodes(text: Text, document: Ints, nodes: Nodes) -> Projection:
    """Return where mentions that are more than spans are in a text; empty nodes are tokens here."""
    owner = np.repeat(np.arange(len(nodes.size)), nodes.size)
    position, known = _found(text, document[owner], nodes.word)
    head, _ = _found(text, document, nodes.head)
    start, end = position[nodes.first], position[nodes.first + nodes.size - 1]
    found = np.bincount(owner, weights=known, minlength=len(start))
    # An empty node between two words of a mention is not a gap.
    is_overt = ~are_empty(text.numbers)
    overt = np.append(0, np.cumsum(is_overt))
    first = text.first[document]
    own_words = np.bincount(owner, weights=is_overt[text.first[document[owner]] + position], minlength=len(start))
    skips = np.flatnonzero(overt[first + end + 1] - overt[first + start] > own_words)
    stop = nodes.first + nodes.size
    gaps = {mention: position[nodes.first[mention] : stop[mention]] for mention in skips.tolist()}
    # A zero that is no empty node of the text is after its end.
    start, end = (np.where(found == 0, np.diff(text.first)[document], place) for place in (start, end))
    return Projection(start, end, found == nodes.size, head, gaps)


def _found(text: Text, document: Ints, words: Ints) -> tuple[Ints, Bools]:
    """Return the token of each word in its document, from its number, and whether the text has it. ``document`` is
    sorted. A word that the text lacks gets a token near it.
    """
    position = np.empty(len(words), dtype=np.int64)
    known = np.empty(len(words), dtype=np.bool_)
    edges = bounds(document, len(text.first) - 1)
    for number in np.flatnonzero(np.diff(edges)).tolist():
        numbers = text.numbers[text.first[number] : text.first[number + 1]]
        wanted = words[edges[number] : edges[number + 1]]
        found = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
        position[edges[number] : edges[number + 1]] = found
        known[edges[number] : edges[number + 1]] = numbers[found] == wanted if len(numbers) else False
    return position, known


_FEW, NO_TAGS = 0.25, ("", "-", "_", "*")
"""The share of tokens with tags of a set up to which the tags are of another one, and what stands for no tag. Tags that
are no words, and NN, which is in many sets, are left out of the tokens."""


_ENOUGH = 20
"""The number of tags of a document from which a tag set that is not known is another one than that of the text."""


def _tag_set(tags: Mapping[str, int]) -> str | None:
    """Return the name of the tag set of a text, from the number of tokens with each tag; None if it is not in
    `TAG_SETS`. In other sets, such as those of Chinese or Spanish, a few tags have the same names.
    """
    counts: Counter[str] = Counter()
    for tag, count in tags.items():
        counts["" if tag == "NN" or not tag[:1].isalpha() else re.split(r"[(\[]", tag, maxsplit=1)[0]] += count
    matches = {name: sum(counts[tag] for tag in tag_set.occur) for name, tag_set in TAG_SETS.items()}
    name = max(matches, key=matches.__getitem__)
    return name if matches[name] > _FEW * (counts.total() - counts[""]) else None


def text_of(pairs: Sequence[Pairs]) -> Text:
    """Return the text of the key that some responses are paired with; reads the files of the key again.

    It includes the empty nodes that only a response has, since mentions can consist of them; of equal ones those of the
    first response. Raises `UsageError` if the key has other tokens beside each response.
    """
    if len({batch.cut for batch in pairs}) > 1:
        why = "the responses cut the text of the key differently, or do not have the same documents"
        raise UsageError(f"{why}; add --align, or give a key with words")
    annotations = pairs[0].key.layers()
    for batch in pairs:
        if batch.response.nodes is not None:
            annotations = map(_with_empty, annotations, batch.response.layers())
    return Text(annotations)


def _with_empty(annotations: Annotations | None, other: Annotations | None) -> Annotations | None:
    """Return the annotations of a document, with the empty nodes that only the other side has."""
    if not annotations or not other or not (more := ~np.isin(other.numbers, annotations.numbers) & other.empty).any():
        return annotations
    numbers = np.concatenate([annotations.numbers, other.numbers[more]])
    words = [*chain.from_iterable(annotations.words), *compress(chain.from_iterable(other.words), more)]
    tags = [*annotations.tags, *compress(other.tags, more)]
    order = np.argsort(numbers, kind="stable")
    words, tags, numbers = [words[row] for row in order.tolist()], [tags[row] for row in order.tolist()], numbers[order]
    return annotations._replace(words=by_sentence(words, numbers), tags=tags, numbers=numbers)
