"""A format as a row of the table of formats: how it is recognised, read and written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any

from corefscore.core.arrays import NONE, Bools, Ints
from corefscore.core.documents import KEY, Documents, Place, are_empty
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, Found
from corefscore.core.items import LONGEST, Items, Values, text_of
from corefscore.core.names import NameOptions
from corefscore.core.records import NamedTuple
from corefscore.core.sources import MARK, Source

BATCH = 1 << 23
"""The number of bytes after which the documents read so far become a batch, which bounds the memory of a run."""

NO_WORD = "-"
"""The word that is written if a word is not known."""

BLANK_MARKS = b"-_*"
"""Cells of one byte that mean that there is nothing."""

NAMES = ("conll", "corefud", "tagged", "jsonlines", "labels")
"""Every format, in the order in which content is tried. A file that no format recognises is read as the first one,
which reports what the file seems to be."""

DIALECTS = ("e2e", "maverick", "crac-2026", "wl-coref", "preco", "fastcoref", "coref-data")
"""Every dialect of JSON (`corefscore.formats.jsonlines.dialects`), each of which is the name of a format, too."""

EVERY_NAME = (*NAMES, *DIALECTS)
"""Every name of a format."""

EMPTY = "\N{EMPTY SET}"
"""The prefix of an empty node among words; without a form, the prefix is the word."""

ZERO = "##"
"""The prefix of a word of tagged text or of JSON that means a zero."""

HEADS = AUTO, FILE, PARSE, TREE, LAST = "auto", "file", "parse", "tree", "last"
"""The values of ``--heads``: the heads that the file names; by the column of parses and the rules for the Penn
Treebank; the highest node of each mention in the dependency tree; its last word. ``auto`` is the first of these that a
format has. CorefUD has no parses, and in other formats scores use no heads."""

PIECES = OVERLAP, APART, SAME = "overlap", "apart", "same"
"""When entities of different answers, which are pieces of one document, are the same entity: if they share a mention
where the pieces overlap; never; if they have the same id."""

Sentences = Sequence[Sequence[str]]
"""The words of one document, sentence by sentence."""

WORD, NE, ITEM, ENTITY, DOCUMENT, CLUSTERS = CONTENTS = ("word", "ne", "item", "entity", "document", "clusters")
"""What ``--columns`` can name: columns of CoNLL by their numbers, those of tables by their names, a field of JSON."""


class Request(NamedTuple):
    """What a reader is asked to read.

    - ``side``: the side of the files, None if it is not known.
    - ``by_first``: the dialect (`corefscore.formats.jsonlines.dialects`) and the field of clusters of the first object
      of JSON, once these are known.
    - ``names``: the options about named entities, if these are needed.
    - ``texts``: whether the words of all tokens are kept.
    - ``heads``: one of `HEADS`.
    - ``input_format``, ``tags``: the same as in `corefscore.formats.Reading`, for this side.
    - ``columns``: what `corefscore.formats.columns_of` returns for this side; ``both``: those that are named for both
      sides.
    - ``several``: whether the corpus has several files, which then name documents of CoNLL without a name.
    - ``unit``: where the units of tokens are annotated (`corefscore.core.documents.UNIT_SOURCES`), for annotations.
    - ``types``: where the types of entities are annotated: likewise, or anything else for ``etype`` in CorefUD; None if
      they are not wanted.
    - ``lines``: the lines at which the documents begin whose annotations are wanted; None for all. A reader may give
      others, too.
    """

    side: str | None = KEY
    by_first: tuple[Any, str] | None = None
    names: NameOptions | None = None
    texts: bool = False
    heads: str = AUTO
    input_format: str | None = None
    tags: str | None = None
    columns: Mapping[str, Any] = {}
    both: Collection[str] = ()
    unit: str | None = None
    types: str | None = None
    lines: Collection[int | None] | None = None
    several: bool = False


USUAL = Request()
"""The request for coreference alone."""

Read = Callable[[Sequence[Source], list[Finding], Request], Iterator[Documents]]
"""A function that reads files as one corpus, in batches; see `Format`."""


class FullDocument(NamedTuple):
    """One document with its words, ready to be written.

    ``entities`` are lists of mentions (first token, last token) by id; ``sentences`` is None if no words are known.
    ``zeros`` are the tokens that are empty nodes, for formats that write these. ``items`` are the values of mentions
    that are items (`corefscore.core.items`), and ``alone`` the places of those in no entity.
    """

    name: str
    place: Place
    sentences: Sentences | None
    entities: Mapping[str, Sequence[tuple[int, int]]]
    zeros: Collection[int] = ()
    items: Values = ()
    alone: Sequence[int] = ()

    @property
    def of_items(self) -> bool:
        """Whether a mention is an item."""
        return any(start < 0 for spans in self.entities.values() for start, _ in spans)

    def text(self, start: int, end: int) -> str:
        """Return a mention as text: the item that it is, or its first and its last token."""
        return text_of(self.items[start + LONGEST]) if start < 0 else f"{start}-{end}"


def zeros_in(words: Iterable[str]) -> list[int]:
    """Find the words that mean zeros."""
    return [number for number, word in enumerate(words) if word.startswith(ZERO)]


def shares_spans(document: FullDocument) -> bool:
    """Return whether a mention is in two entities; it counts for the first or the last of them
    (`corefscore.matching.matched`).
    """
    spans = [span for mentions in document.entities.values() for span in set(mentions)]
    return len(set(spans)) < len(spans)


def order_kept(document: FullDocument, written: Iterable[str]) -> bool:
    """Return whether the entities of a document, written in this order of their ids, are read in the order that they
    have.

    Also true if no mention is in two entities, since no score then depends on the order.

    Reading sorts entities by their first token, at which mentions of one token come before longer ones and the longest
    of these come first; entities that are still equal stay in the order in which they are written.
    """
    if not shares_spans(document):
        return True
    first = {name: min((start, start < end, -end) for start, end in its) for name, its in document.entities.items()}
    return sorted(written, key=lambda name: first[name]) == list(document.entities)


def full_documents(batch: Documents) -> Iterator[FullDocument]:
    """Yield the documents of a batch without their words. Raises `InputError` for a document with a fault."""
    for fault in batch.faults.values():
        raise InputError([fault()])
    entities: list[dict[str, list[tuple[int, int]]]] = [defaultdict(list) for _ in batch.names]
    for entity, start, end in zip(batch.entity.tolist(), batch.start.tolist(), batch.end.tolist(), strict=True):
        entities[batch.document[entity]][batch.name_of(entity)].append((start, end))
    items = batch.items or Items(())
    alone: list[list[int]] = [[] for _ in batch.names]
    for document, number in zip(items.document.tolist(), items.number.tolist(), strict=True):
        alone[document].append(number - LONGEST)
    for document, name in enumerate(batch.names):
        place = batch.place_of(document)
        yield FullDocument(name, place, None, entities[document], items=items.values, alone=alone[document])


class Tree(NamedTuple):
    """The dependencies of the words of a document.

    ``depth`` is the number of steps of each word from its root, for an empty node more than there are words (shape:
    words). ``links`` maps the index of each empty node among the words to the numbers of the words on which it depends
    and to its relations, as numbers that are equal for equal relations.
    """

    depth: Ints
    links: Mapping[int, tuple[Sequence[int], Sequence[int]]]


class Annotations(NamedTuple):
    """The words of one document and its other annotation besides coreference.

    ``line`` is the line at which it begins, as in `corefscore.core.documents.Place`. ``tags`` (parts of speech) and
    ``parse`` (pieces of bracketed trees, such as ``(NP*``) have one value a token, or are empty if the file has none.
    ``units`` has the unit of each token, and ``types`` the types of entities by id, if they were requested: the first
    one that a mention of an entity has.

    If mentions are more than spans, empty nodes are words, ``numbers`` are the numbers of the words
    (`corefscore.core.documents.Nodes`), and ``tree`` returns their dependencies.

    ``zeros`` are the words that mean zeros. For a tagged text, ``faults`` counts its tags with each of `FAULTS`, and
    ``at`` returns the line and column of a word, or of the first tag with a fault, with the text around it, and
    ``tagged`` another text without what would be tags in it, with their mentions.

    ``lost`` contains notices about what the document has besides words and coreference, which no conversion keeps.
    """

    line: int | None
    words: Sentences
    tags: Sequence[str] = ()
    parse: Sequence[str] = ()
    numbers: Ints = NONE
    faults: Mapping[str, int] = {}
    units: Sequence[str] = ()
    types: Mapping[str, str] = {}
    zeros: Sequence[int] = ()
    at: Callable[[int | str], tuple[int | None, int | None, tuple[str, str]]] | None = None
    tagged: Callable[[str], Any] | None = None
    tree: Callable[[], Tree] = lambda: Tree(NONE, {})
    lost: Iterable[Finding] = ()

    @property
    def empty(self) -> Bools:
        """Whether each word is an empty node, if there are numbers."""
        return are_empty(self.numbers)

    @property
    def overt(self) -> Annotations:
        """The same without empty nodes."""
        if not len(self.numbers):
            return self
        is_token = iter((~self.empty).tolist())  # each sentence takes as many as it has words
        return self._replace(words=list(filter(None, (list(compress(sentence, is_token)) for sentence in self.words))))


FAULTS = ("unclosed", "unopened", "crossing", "unreadable", "unknown")
"""The faults of tags in a text: never closed, closing nothing, crossing others, without an id or without a word,
misspelled or in another notation."""


class Format(NamedTuple):
    """One row of the table of formats. Functions in modules of their own are called by `corefscore.formats.later`.

    Functions that read and write; they add oddities and losses to the notices, and raise `InputError` for input that is
    refused:

    - ``recognises``: whether the first bytes of a file are of this format.
    - ``read``: the documents of all files as one corpus, in batches, with named entities if these are requested and the
      format has them.
    - ``write``: documents as text.

    For a corpus that is divided among workers:

    - ``begin``: files can be cut before lines that begin with these bytes; without it, files are not cut.
    - ``name_in``: the name of the document that such a line begins, or None if it begins none.

    Each of these may be missing:

    - ``completed_request``: the request with everything that depends on the first document filled in.
    - ``has_both_sides``: whether a file is both key and response, given the fields that are named for them.
    - ``annotations``: the `Annotations` of each document of one file, in the same order; a pass of its own, since
      scoring does not need them.
    - ``examine``: the documents of all files, like ``read``, but it reads all of them to their ends: whatever is wrong
      or odd is added to what was found, and names may occur twice. It raises `InputError` only for what ends reading.
      Without it, only the first fault is found.

    ``columns`` are those that ``--columns`` can name, by what they contain. ``zeros`` says whether words that begin
    with `ZERO` mean zeros.
    """

    name: str
    title: str
    recognises: Callable[[bytes], object]
    read: Read
    write: Callable[[Iterator[FullDocument], list[Finding], Request], Iterator[str]]
    begin: bytes | None = None
    name_in: Callable[[bytes, Request], str | None] | None = None
    completed_request: Callable[[Sequence[Source], Request], Request] | None = None
    has_both_sides: Callable[[Source, str | None, str | None], bool] | None = None
    annotations: Callable[[Source, Request], Iterator[Annotations]] | None = None
    columns: Collection[str] = ()
    zeros: bool = False
    examine: Callable[[Sequence[Source], Found, Request], Iterator[Documents]] | None = None


_DOCUMENTS = rb"""\s*(?:\{\s*(?:["'}]|\Z)|\[\s*\{\s*["'}])"""
"""The beginning of JSON with documents: an object, or an array of objects."""

_VALUES = rb"""(?sx)\s* (?=\[)
    (?: [\s\[\]{},:\d.+-] | (?<=\d)[eE] | true | false | null | "(?:[^"\\]|\\.)*(?:"|\\?\Z) )* \Z"""
"""An array in which everything is a value of JSON."""


def is_json(head: bytes, *, objects: bool = False) -> bool:
    """Return whether a text is JSON, well-formed or not, by its beginning; ``[Ann](#1)``, a tagged text, is not.

    With ``objects`` it has to be JSON that can contain documents.
    """
    head = head[: 1 << 12].removeprefix(MARK)
    return bool(re.match(_DOCUMENTS, head) or (not objects and re.match(_VALUES, head)))


def found_at(
    place: Place, code: str, column: int | None = None, excerpt: tuple[str, str] | None = None, /, **details: object
) -> Finding:
    """Return what was found at a place."""
    return Finding(code, place.source.name, place.line, column, details, excerpt)


def refused(place: Place, code: str, /, *around: Any, **details: object) -> InputError:
    """Return the error for what was found at a place; arguments are those of `found_at`."""
    return InputError([found_at(place, code, *around, **details)])


def excerpt(line: str, start: int, size: int) -> tuple[int, tuple[str, str]]:
    """Return the column (from 1) of the piece of a line that begins at ``start``, and the text around it with carets
    under it.
    """
    before = line[max(0, start - 30) : start].replace("\t", " ")
    after = line[start : start + size + 30].replace("\t", " ")
    return start + 1, ((before + after)[:100], " " * len(before) + "^" * min(max(size, 1), 40))


def passage_places(first: int, size: int) -> list[int]:
    """Return the numbers of the words that a `passage` shows, of ``size`` words from number ``first`` on."""
    every = range(first, first + size)
    return list(every) if size <= 12 else [*every[:6], *every[-5:]]


def passage(words: Sequence[str], size: int) -> str:
    """Return the words of a mention of ``size`` words for messages, given those of `passage_places`: long mentions are
    shortened in the middle, long words at the end.
    """
    most = 40 if size > 1 else 80
    shown = [word if len(word) <= most else f"{word[:most]}..." for word in words]
    return " ".join(shown if len(shown) == size else [*shown[:6], "...", *shown[6:]])


def likely_tokens(mentions: int) -> int:
    """Return the largest number of tokens that so many mentions make likely where no words are known: a few bytes can
    claim any number.
    """
    return 10_000 + 30 * mentions
