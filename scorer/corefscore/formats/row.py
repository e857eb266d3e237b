"""A format as one row: how it is recognised, read and written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from corefscore.checking.findings import Finding
from corefscore.documents.arrays import NONE, Bools, Ints
from corefscore.documents.model import KEY, RESPONSE, SENTENCE, TENTH, Documents, Place
from corefscore.documents.sources import Source
from corefscore.errors import InputError, UsageError
from corefscore.names.options import NameOptions

BATCH = 1 << 24
"""Bytes after which the documents read so far go on as one batch; it bounds the memory of a run."""

NO_WORD = "-"
"""What stands where a word is not known."""

EMPTY = "\N{EMPTY SET}"
"""What stands before the form of an empty node among words, and in place of none."""

ZERO = "##"
"""How a word of tagged text begins that stands for a zero."""

HEADS = AUTO, FILE, PARSE, TREE, LAST = "auto", "file", "parse", "tree", "last"
"""What ``--heads`` can be: those that the file names; by the column of parses and the rules for the Penn Treebank; the
highest node of each mention in the dependency tree; its last word. ``auto`` is the first of these that a format has.
CorefUD has no parses, and in other formats scores know no heads."""

PIECES = OVERLAP, APART, SAME = "overlap", "apart", "same"
"""What ids mean in the answers that are pieces of one document: entities of different pieces are one if they share a
mention where the pieces overlap; or never; or if they have the same id."""

Sentences = Sequence[Sequence[str]]
"""The words of one document, sentence by sentence."""

T = TypeVar("T")

OneOrEach: TypeAlias = "T | Mapping[str, T] | None"
"""What is asked of both sides, or of each by its name; None leaves it to the content."""


def of_side(given: OneOrEach[T], side: str | None) -> T | None:
    """What is asked of one side.

    Raises `UsageError` for names that are not those of sides, and where it is not known which side this is.
    """
    if not isinstance(given, Mapping):
        return given
    if unknown := [name for name in given if name not in (KEY, RESPONSE)]:
        raise UsageError(f"{unknown[0]!r} is no side; expected {KEY} or {RESPONSE}, each with its value")
    if side is None:
        raise UsageError(f"{dict(given)!r} is given by side, and there is one side here; give the value alone")
    return given.get(side)


class Reading(NamedTuple):
    """How files are read: the options of these names of all commands and of `corefscore.read`.

    ``include`` is a glob for the names of the files of a folder. ``input_format`` names the format, which else the
    content of the first file tells; ``clusters_field`` the field of JSON lines that has the clusters, or two as
    KEY,RESPONSE. A compressed file may unpack to ``max_unpacked`` MB (by default 4, or 100 times its size). ``heads``
    says how the heads of mentions are found (`HEADS`). ``word_column`` is the column of words of CoNLL, from 1. The
    format and this column can be given for each side, by its name.
    """

    include: str | None = None
    input_format: OneOrEach[str] = None
    clusters_field: str | None = None
    max_unpacked: int | None = None
    heads: str | None = None
    tags: str | None = None
    pieces: str | None = None
    align: bool | None = None
    fidelity: float | None = None
    word_column: OneOrEach[int] = None

    def of(self, side: str | None) -> Reading:
        """The same for one side. Raises `UsageError` as `of_side` does."""
        return self._replace(input_format=of_side(self.input_format, side), word_column=of_side(self.word_column, side))

    @property
    def settings(self) -> dict[str, str]:
        """What of it was given and can move a number; what is given by side has the side in front of its name."""
        given = {name: value for name, value in self._asdict().items() if value not in (None, False)}
        for name, value in list(given.items()):
            if isinstance(value, Mapping):
                del given[name]
                given.update({f"{side}_{name}": its for side, its in value.items()})
        for name in ("max_unpacked", "fidelity"):
            given.pop(name, None)
        if self.heads == AUTO:
            del given["heads"]
        return given


class Request(NamedTuple):
    """What a caller asks of a reader.

    ``side`` is which side the files are, None where that is not known; ``clusters_field`` the field of JSON lines that
    has the clusters (``NAME``, or ``KEY,RESPONSE`` where the sides differ). ``by_first`` is what the first object
    decides, once it is known: the dialect of JSON and that field. ``names`` is what is wanted of named entities, if
    anything; ``texts`` whether the words of all tokens are, of readers that come by them anyway or look closer.
    ``heads`` is one of `HEADS`. ``input_format`` is the format that was named, if one was. ``tags`` and ``word_column``
    are those of `Reading`. ``unit`` is what tells the units of tokens
    (`corefscore.documents.model.UNIT_SOURCES`), for layers.
    """

    side: str | None = KEY
    clusters_field: str | None = None
    by_first: tuple[str, str] | None = None
    names: NameOptions | None = None
    texts: bool = False
    heads: str = AUTO
    input_format: str | None = None
    tags: str | None = None
    word_column: int | None = None
    unit: str | None = None


USUAL = Request()
"""Where nothing is asked for."""

Read = Callable[[Sequence[Source], list[Finding], Request], Iterator[Documents]]
"""What reads files as one corpus, in batches; see `Format`."""


class FullDocument(NamedTuple):
    """One document with its words, as it is written.

    ``entities`` are lists of mentions (first token, last token) by id; ``sentences`` is None where no words are known.
    ``zeros`` are the tokens that are empty nodes, where a format writes these.
    """

    name: str
    place: Place
    sentences: Sentences | None
    entities: Mapping[str, Sequence[tuple[int, int]]]
    zeros: Collection[int] = ()


def order_kept(document: FullDocument, written: Iterable[str]) -> bool:
    """Whether the entities of a document, written in that order of their ids, are read in the order that they have, or
    else no score depends on it: a mention in two entities counts for the first or the last
    (`corefscore.alignment.repeats`).

    Read again, an entity appears with its first token, where one-token mentions come before longer ones, and the
    longest of these first; of equals, that which is written first.
    """
    spans = [span for its in document.entities.values() for span in set(its)]
    if len(set(spans)) == len(spans):
        return True
    first = {name: min((start, start < end, -end) for start, end in its) for name, its in document.entities.items()}
    return sorted(written, key=lambda name: first[name]) == list(document.entities)


def changed_order(document: FullDocument) -> Finding:
    """The notice for a document whose order is not kept."""
    place = document.place
    return Finding("changed-order", place.source.name, place.line, details={"document": document.name})


def full_documents(batch: Documents) -> Iterator[FullDocument]:
    """The documents of a batch as they are written, without their words. Raises `InputError` for one with a fault."""
    for fault in batch.faults.values():
        raise InputError([fault()])
    entities: list[dict[str, list[tuple[int, int]]]] = [defaultdict(list) for _ in batch.names]
    for entity, start, end in zip(batch.entity.tolist(), batch.start.tolist(), batch.end.tolist(), strict=True):
        entities[batch.document[entity]][batch.name_of(entity)].append((start, end))
    for document, name in enumerate(batch.names):
        yield FullDocument(name, batch.place_of(document), None, entities[document])


class Tree(NamedTuple):
    """The dependencies of the words of a document: how many steps each is from its root, more than there are words for
    an empty node (shape: words); and the words on which each empty node depends (their numbers), and how (a number
    that is equal for equal relations), by its place among the words."""

    depth: Ints
    links: Mapping[int, tuple[Sequence[int], Sequence[int]]]


def no_tree() -> Tree:
    """The tree of a document that has none."""
    return Tree(NONE, {})


class Layers(NamedTuple):
    """What one document has besides coreference, for those who look into its text.

    ``line`` is that at which it begins, as in `corefscore.documents.model.Place`. ``tags`` (parts of speech) and
    ``parse`` (bits of bracketed trees, such as ``(NP*``) have one value a token, or are empty if the file has none.
    ``units`` has the unit of each token, if the request asks for it.
    ``numbers`` are those of the words (`corefscore.documents.model.Nodes`) if mentions are more than spans; empty
    nodes are words then, and ``tree`` gives their dependencies. ``faults`` tells of a text with tags in it how many of
    these had which of `FAULTS`, ``zeros`` which of its words stand for zeros, and ``at`` the line and column of a word,
    with the text around it.
    """

    line: int | None
    words: Sentences
    tags: Sequence[str] = ()
    parse: Sequence[str] = ()
    numbers: Ints = NONE
    faults: Mapping[str, int] = MappingProxyType({})
    units: Sequence[str] = ()
    zeros: Sequence[int] = ()
    at: Callable[[int], tuple[int | None, int | None, tuple[str, str]]] | None = None
    tree: Callable[[], Tree] = no_tree

    @property
    def empty(self) -> Bools:
        """Which words are empty nodes, if there are numbers."""
        found: Bools = self.numbers % SENTENCE % TENTH > 0
        return found


FAULTS = ("unclosed", "unopened", "crossing", "unreadable")
"""What can be wrong with tags in a text: they are never closed, close nothing, cross others, or have no id or no word
between them."""


class Examination(Protocol):
    """Reads one side to its end, whatever is wrong there, adding all that is wrong or odd to what was found."""

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """The documents of all files as one corpus, in batches; their names may come twice.

        Raises `UsageError` for a file that cannot be read.
        """


class Format(NamedTuple):
    """One row of the table of formats.

    ``recognises`` looks at the first bytes of a file. ``read`` gives the documents of all files as one corpus, in
    batches; ``sentences`` gives the words of one file, document by document in the same order, in a pass of its own,
    since scoring has no use for them. ``write`` gives documents as text, in the way that is asked for. All three add
    what is odd, or what is lost, to the notices, and raise `InputError` for what is refused. A format without the last
    two is not converted.

    For a corpus that is read in pieces, ``begin`` is how a line begins in front of which a file can be cut, without
    which none is, and ``settled`` makes definite what is asked where that hangs on the first document.

    ``promises`` looks at the same bytes of a file that is recognised: whether documents can be expected in it, for a
    format in which much else is written; it is given the fields that are asked for.

    ``has_both_sides`` tells of a file whether it is key and response in one, ``of_characters`` whether its mentions
    count characters.

    ``examiner`` is the module whose `Examiner` (see `Examination`) tells everything that is wrong or odd, ``named`` the
    one whose `read` reads named entities as well, ``layers`` the one whose `read` gives the words, tags and parses of
    one file, document by document, to find out why a score is low, ``types`` the one whose `read` gives for each
    document the line at which it begins, and the types of its entities by id; a format may do without any of them.

    ``columns`` tells whether its lines have columns, one of which can be named as that of words.
    """

    name: str
    title: str
    recognises: Callable[[bytes], bool]
    read: Read
    sentences: Callable[[Source, list[Finding], Request], Iterator[Sentences | None]] | None = None
    write: Callable[[Iterator[FullDocument], list[Finding], Request], Iterator[str]] | None = None
    begin: bytes | None = None
    settled: Callable[[Sequence[Source], Request], Request] = lambda files, request: request
    has_both_sides: Callable[[Source], bool] = lambda source: False
    of_characters: Callable[[Source, Request], bool] = lambda source, request: False
    examiner: str | None = None
    named: str | None = None
    layers: str | None = None
    types: str | None = None
    promises: Callable[[bytes, Sequence[str]], bool] = lambda head, fields: True
    columns: bool = False


def excerpt(line: str, at: int, size: int) -> tuple[int, tuple[str, str]]:
    """The column (from 1) of a piece of a line that begins at ``at``, and the text around it with carets under it."""
    before, after = line[max(0, at - 30) : at].replace("\t", " "), line[at : at + size + 30].replace("\t", " ")
    return at + 1, ((before + after)[:100], " " * len(before) + "^" * min(max(size, 1), 40))


def passage_places(first: int, size: int) -> list[int]:
    """Which of ``size`` words, the first of which is number ``first``, a `passage` shows."""
    every = range(first, first + size)
    return list(every) if size <= 12 else [*every[:6], *every[-5:]]


def passage(words: Sequence[str], size: int) -> str:
    """The words of a mention of ``size`` words for messages, as many as `passage_places` tells: long mentions are cut
    in the middle, long words at the end."""
    most = 40 if size > 1 else 80
    shown = [word if len(word) <= most else f"{word[:most]}..." for word in words]
    return " ".join(shown if len(shown) == size else [*shown[:6], "...", *shown[6:]])
