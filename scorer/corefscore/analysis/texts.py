"""The text of the key: words, sentences, parts of speech, parses, for what errors are made of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import NamedTuple

import numpy as np

from corefscore.analysis import heads as parses
from corefscore.analysis.partitions import Partitions
from corefscore.arrays import Bools, Ints
from corefscore.formats import recognised, requested
from corefscore.formats.row import Layers, Reading
from corefscore.model import KEY, Documents
from corefscore.sources import Source

AUTO, BY_PARSE, LAST = "auto", "parse", "last"

HEADS = (AUTO, BY_PARSE, LAST)
"""How the head of a span is found: by the parse of the key, or as its last token; ``auto`` goes by the parse if the key
has noun phrases and tags as the Penn Treebank has them."""

PENN = "penn"

NO_TAG = "-"
"""The tag, and the parse, of a token of a document that has none."""


class TagSet(NamedTuple):
    """A set of parts of speech: some tags that occur in any text, and those of pronouns; ``*`` at the end of one stands
    for anything."""

    occur: frozenset[str]
    pronouns: tuple[str, ...]


TAG_SETS: Mapping[str, TagSet] = {
    PENN: TagSet(
        frozenset(["NNS", "NNP", "NNPS", "VB", "VBD", "VBZ", "VBP", "VBG", "VBN", "PRP", "PRP$", "IN", "CC"]),
        ("PRP", "PRP$", "WP", "WP$", "WDT", "WRB", "DT"),
    ),
    "upos": TagSet(frozenset(["NOUN", "PROPN", "VERB", "ADP", "PRON", "CCONJ", "SCONJ", "PUNCT"]), ("PRON",)),
    "stts": TagSet(
        frozenset(["VVFIN", "VAFIN", "VVINF", "APPR", "ADJA", "PPER", "PPOSAT", "KON", "NE", "ART"]),
        ("PPER", "PRF", "PPOSAT", "PPOSS", "PDS", "PRELS", "PRELAT", "PWS", "PIS"),
    ),
    "alpino": TagSet(frozenset(["VNW", "LID", "WW", "SPEC", "VZ", "TSW", "VG", "BW"]), ("VNW*",)),
}
"""The sets of tags that are recognised by which tags occur."""
"""Sets of tags by name. That of which most tokens have a tag is the one of a text; what follows a bracket in a tag does
not matter."""


class Text:
    """The tokens of all documents of a key, one after the other.

    ``words``, ``tags`` and ``parse`` have one value a token; ``tags`` and ``parse`` are empty if the key has none, and
    ``words`` if it has no words, as clusters in memory. ``sentence`` is the number of the sentence of each token.
    """

    def __init__(self, layers: Sequence[Layers | None], heads: str = AUTO) -> None:
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
        self.first = np.array(first, dtype=np.int64)
        self.ends = np.array(ends, dtype=np.int64)
        self.sentence = np.searchsorted(self.ends, np.arange(len(self.words)), side="right")
        self.tag_set = _tag_set(self.tags)
        self.is_penn = self.tag_set == PENN
        self.heads = self._way(heads)
        self._of_sentence: dict[int, dict[tuple[int, int], int]] = {}

    def _way(self, heads: str) -> str:
        if heads != AUTO:
            return heads
        return BY_PARSE if self.is_penn and any("(NP" in bit for bit in self.parse) else LAST

    def between(self, document: int, start: int, end: int) -> str:
        """The words of a span of a document."""
        first = int(self.first[document])
        return " ".join(self.words[first + start : first + end + 1])

    def head(self, start: int, end: int) -> int:
        """The head of a span of tokens, as `HEADS` has it; the last token where no node has these bounds."""
        if self.heads == LAST:
            return end
        sentence = int(self.sentence[start])
        first = int(self.ends[sentence - 1]) if sentence else 0
        if sentence not in self._of_sentence:
            stop = int(self.ends[sentence])
            self._of_sentence[sentence] = parses.heads(self.parse[first:stop], self.tags[first:stop])
        return first + self._of_sentence[sentence].get((start - first, end - first), end - first)


def _tag_set(tags: Sequence[str]) -> str | None:
    """The name of the set that tags are of; None if it is none of `TAG_SETS`."""
    counts: Counter[str] = Counter()
    for tag, count in Counter(tags).items():
        counts[re.split(r"[(\[]", tag, maxsplit=1)[0]] += count
    found = {name: sum(counts[tag] for tag in its.occur) for name, its in TAG_SETS.items()}
    name = max(found, key=lambda name: found[name])
    return name if found[name] else None


def places(both: Partitions, text: Text) -> tuple[Ints, Ints, Bools]:
    """The first and last token of each mention among those of all documents, and whether the text has them."""
    first = text.first[both.document]
    start, end = both.start + first, both.end + first
    return start, end, (both.start >= 0) & (end < text.first[both.document + 1])


def layers_of(key: Documents, reading: Reading) -> list[Layers | None]:
    """The layers of documents of a key, which is read once more; None for those that no file has."""
    by_source: dict[Source, dict[int | None, int]] = defaultdict(dict)
    for document, place in enumerate(key.places):
        if place is not None and place.line is not None:
            by_source[place.source][place.line] = document
    found: list[Layers | None] = [None] * len(key)
    for source, documents in by_source.items():
        for layers in _layers(source, reading):
            if layers.line in documents:
                found[documents[layers.line]] = layers
    return found


def _layers(source: Source, reading: Reading) -> Iterator[Layers]:
    form = recognised([source], reading.input_format)
    if form.layers is None:
        return
    read = import_module(form.layers).read
    yield from read(source, requested(KEY, reading))
