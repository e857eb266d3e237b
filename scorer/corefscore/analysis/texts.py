"""The text of the key: words, sentences, parts of speech, parses, for what errors are made of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from corefscore.alignment.pairing import Pairs
from corefscore.analysis import heads as parses
from corefscore.documents.arrays import NONE, Bools, Ints, bounds, changes
from corefscore.documents.model import SENTENCE, TENTH, Documents, Nodes
from corefscore.documents.sources import Source
from corefscore.errors import UsageError
from corefscore.formats.row import AUTO, LAST, PARSE, Layers

PENN = "penn"

NO_TAG = "-"
"""The tag, and the parse, of a token of a document that has none."""


SHORT = 40
"""Of shorter spans only their own part of the parse is looked at: brackets that are closed elsewhere decide nothing."""


class TagSet(NamedTuple):
    """A set of parts of speech: some tags that occur in any text, those of pronouns, and those of names; ``*`` at the
    end of one stands for anything."""

    occur: frozenset[str]
    pronouns: tuple[str, ...]
    names: tuple[str, ...]


TAG_SETS: Mapping[str, TagSet] = {
    PENN: TagSet(
        frozenset(["NNS", "NNP", "NNPS", "VB", "VBD", "VBZ", "VBP", "VBG", "VBN", "PRP", "PRP$", "IN", "CC"]),
        ("PRP", "PRP$", "WP", "WP$", "WDT", "WRB", "DT"),
        ("NNP", "NNPS"),
    ),
    "upos": TagSet(
        frozenset(["NOUN", "PROPN", "VERB", "ADP", "PRON", "CCONJ", "SCONJ", "PUNCT"]), ("PRON",), ("PROPN",)
    ),
    "stts": TagSet(
        frozenset(["VVFIN", "VAFIN", "VVINF", "APPR", "ADJA", "PPER", "PPOSAT", "KON", "NE", "ART"]),
        ("PPER", "PRF", "PPOSAT", "PPOSS", "PDS", "PRELS", "PRELAT", "PWS", "PIS"),
        ("NE",),
    ),
    "alpino": TagSet(
        frozenset(["VNW", "LID", "WW", "SPEC", "VZ", "TSW", "VG", "BW"]),
        ("VNW*",),
        ("SPEC(deeleigen*", "SPEC[deeleigen*", "N(eigen*", "N[eigen*"),
    ),
}
"""Sets of tags by name. That of which most tokens have a tag is the one of a text; what follows a bracket in a tag does
not matter."""


class Text:
    """The tokens of all documents of a key, one after the other.

    ``words``, ``tags`` and ``parse`` have one value a token; ``tags`` and ``parse`` are empty if the key has none, and
    ``words`` if it has no words, as clusters in memory. ``sentence`` is the number of the sentence of each token,
    ``numbers`` the number of each word where mentions are more than spans (`corefscore.documents.model.Nodes`), and
    ``empty`` whether it is an empty node. ``tag_counts`` says how many tokens have each tag.
    """

    def __init__(self, layers: Sequence[Layers | None]) -> None:
        self.words: list[str] = []
        self.tags: list[str] = []
        self.parse: list[str] = []
        ends: list[int] = []
        first = [0]
        for its in layers:
            for sentence in its.words if its else ():
                self.words += sentence
                ends.append(len(self.words))
            missing = [NO_TAG] * (len(self.words) - first[-1])
            self.tags += (its.tags if its else ()) or missing
            self.parse += (its.parse if its else ()) or missing
            first.append(len(self.words))
        self.numbers = np.concatenate([NONE, *(its.numbers for its in layers if its)])
        self.empty = self.numbers % SENTENCE % TENTH > 0
        self.first = np.array(first, dtype=np.int64)
        self.ends = np.array(ends, dtype=np.int64)
        self.sentence = np.searchsorted(self.ends, np.arange(len(self.words)), side="right")
        self.tag_counts = Counter(self.tags)
        self.tag_set = _tag_set(self.tag_counts)
        self.is_penn = self.tag_set == PENN
        self._of_sentence: dict[int, dict[tuple[int, int], int]] = {}

    def between(self, document: int, start: int, end: int) -> str:
        """The words from one token of a document to another one."""
        first = int(self.first[document])
        return " ".join(self.words[first + start : first + end + 1])

    def heads(self, asked: str) -> str:
        """How the heads of spans are found, `PARSE` or `LAST`. Raises `UsageError` for a way that spans do not have."""
        if asked == AUTO:
            return PARSE if self.is_penn and any("(NP" in bit for bit in self.parse) else LAST
        if asked not in (PARSE, LAST):
            raise UsageError(f"--heads {asked} needs CorefUD, which names heads and has trees; expected parse or last")
        return asked

    def head(self, start: int, end: int) -> int:
        """The head of a span of tokens by the parse; the last token where no node has these bounds."""
        if end - start < SHORT:
            its = slice(start, end + 1)
            return start + parses.heads(self.parse[its], self.tags[its]).get((0, end - start), end - start)
        sentence = int(self.sentence[start])
        first = int(self.ends[sentence - 1]) if sentence else 0
        if sentence not in self._of_sentence:
            its = slice(first, int(self.ends[sentence]))
            self._of_sentence[sentence] = parses.heads(self.parse[its], self.tags[its])
        return first + self._of_sentence[sentence].get((start - first, end - first), end - first)

    def placed(self, side: Documents) -> Placed:
        """Where the mentions of a side are in this text."""
        document = side.mention_document()
        if side.nodes is None:
            inside = (side.start >= 0) & (side.end < np.diff(self.first)[document])
            return Placed(side.start, side.end, inside, None, {})
        return _placed_nodes(self, document, side.nodes)


class Placed(NamedTuple):
    """Where the mentions of a side are in a text: the first and the last token of each, counted in its document, and
    whether the text has all of its tokens; the same of its head if mentions have any. ``gaps`` has all tokens of each
    mention that skips some."""

    start: Ints
    end: Ints
    inside: Bools
    head: Ints | None
    gaps: Mapping[int, Ints]

    @property
    def columns(self) -> tuple[Ints, Ints, Bools]:
        """Start, end, and whether the text has the mention."""
        return self[:3]


def _placed_nodes(text: Text, document: Ints, nodes: Nodes) -> Placed:
    """The places of mentions that are more than spans; empty nodes are tokens here."""
    of = np.repeat(np.arange(len(nodes.size)), nodes.size)
    place, known = _found(text, document[of], nodes.word)
    head, _ = _found(text, document, nodes.head)
    start, end = place[nodes.first], place[nodes.first + nodes.size - 1]
    lost = np.bincount(of, weights=~known, minlength=len(start)) > 0
    # An empty node that stands between two of its words is no gap.
    overt = np.append(0, np.cumsum(~text.empty))
    first = text.first[document]
    spanned = overt[first + end + 1] - overt[first + start]
    its_own = np.bincount(of, weights=~text.empty[text.first[document[of]] + place], minlength=len(start))
    skips = np.flatnonzero(spanned > its_own)
    gaps = {at: place[nodes.first[at] : nodes.first[at] + nodes.size[at]] for at in skips.tolist()}
    return Placed(start, end, ~lost, head, gaps)


def _found(text: Text, document: Ints, words: Ints) -> tuple[Ints, Bools]:
    """The place in its document of each word, given by its number, and whether the text has it; ``document`` never
    falls. A word that is not there gets a place near to it."""
    place = np.empty(len(words), dtype=np.int64)
    known = np.empty(len(words), dtype=np.bool_)
    at = bounds(document, len(text.first) - 1)
    for each in np.flatnonzero(np.diff(at)).tolist():
        numbers = text.numbers[text.first[each] : text.first[each + 1]]
        wanted = words[at[each] : at[each + 1]]
        found = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
        place[at[each] : at[each + 1]] = found
        known[at[each] : at[each + 1]] = numbers[found] == wanted
    return place, known


def _tag_set(tags: Mapping[str, int]) -> str | None:
    """The name of the set that tags are of, given how many tokens have each; None if it is none of `TAG_SETS`."""
    counts: Counter[str] = Counter()
    for tag, count in tags.items():
        counts[re.split(r"[(\[]", tag, maxsplit=1)[0]] += count
    found = {name: sum(counts[tag] for tag in its.occur) for name, its in TAG_SETS.items()}
    name = max(found, key=lambda name: found[name])
    return name if found[name] else None


def text_of(pairs: Sequence[Pairs]) -> Text:
    """The text of the key of some responses, each with its pairs; its files are read once more.

    Empty nodes that only a response has are part of it, since mentions can consist of them.
    """
    layers = layers_of(pairs[0].key)
    for each in pairs:
        if each.response.nodes is not None:
            of_response = layers_of(each.response)
            both = zip(layers, of_response, strict=True)
            layers = [_with_empty(its, other) if its and other else its for its, other in both]
    return Text(layers)


def layers_of(side: Documents) -> list[Layers | None]:
    """The layers of documents; None for those that no file has."""
    by_source: dict[Source, dict[int | None, int]] = defaultdict(dict)
    for document, place in enumerate(side.places):
        if place is not None and place.line is not None:
            by_source[place.source][place.line] = document
    found: list[Layers | None] = [None] * len(side)
    for source, documents in by_source.items():
        for layers in side.layers(source) if side.layers else ():
            if layers.line in documents:
                found[documents[layers.line]] = layers
    return found


def _with_empty(its: Layers, other: Layers) -> Layers:
    """The layers of a document with the empty nodes that only the other side has."""
    more = ~np.isin(other.numbers, its.numbers) & (other.numbers % SENTENCE % TENTH > 0)
    if not more.any():
        return its
    numbers = np.concatenate([its.numbers, other.numbers[more]])
    words, tags = ([word for words in its.words for word in words], list(its.tags))
    words += [word for word, new in zip(chain.from_iterable(other.words), more, strict=True) if new]
    tags += [tag for tag, new in zip(other.tags, more, strict=True) if new]
    order = np.argsort(numbers, kind="stable")
    cuts = np.flatnonzero(changes(numbers[order] // SENTENCE)).tolist()
    in_order = [words[at] for at in order.tolist()]
    sentences = [in_order[start:stop] for start, stop in zip(cuts, [*cuts[1:], None], strict=True)]
    return its._replace(words=sentences, tags=[tags[at] for at in order.tolist()], numbers=numbers[order])
