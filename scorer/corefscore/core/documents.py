"""The partitions of a batch of documents as columns: what readers return and all later stages take."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, partial
from itertools import accumulate, chain, groupby, islice, pairwise, repeat
from typing import Any

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints, Objects, bounds, changes, lists_by_key, narrow, order_by, ranges
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.items import LONGEST, Items, Numbers, Values, text_of
from corefscore.core.items import joined as joined_items
from corefscore.core.records import NamedTuple, dataclass, field, replace
from corefscore.core.sources import Source

KEY, RESPONSE = "key", "response"
"""The sides of a score."""

Clusters = Iterable[Iterable[Any]]
"""The entities of one document in memory. A mention is any hashable value; a list, as in JSON, means the tuple."""


class Place(NamedTuple):
    """Where a document begins: its file and the line (from 1) of its begin marker or JSON, if there is one."""

    source: Source
    line: int | None

    def __str__(self) -> str:
        return self.source.name if self.line is None else f"{self.source.name}:{self.line}"


class MentionText(NamedTuple):
    """A mention: its first and its last token, from 0 in its document, and its words, empty if these are not known. An
    item has its name for words, and -1 for both tokens."""

    start: int
    end: int
    words: str


class Unread(NamedTuple):
    """A field or column that is not read. If one has other ``cells``, which are digests, it is another one."""

    name: str
    cells: int = 0


class Places(Sequence[Place | None]):
    """Places of documents that are kept, in columns: a sixth of the memory of as many tuples."""

    def __init__(self, *parts: Sequence[Place | None]) -> None:
        self._sources = [place and place.source for places in parts for place in places]
        self._lines = array("q", ((place and place.line) or 0 for places in parts for place in places))

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, document: Any) -> Any:
        source, line = self._sources[document], self._lines[document]
        return source and Place(source, line or None)


class Span(NamedTuple):
    """A run of tokens of a document, and the line of its first token."""

    document: int
    line: int
    start: int
    end: int


def _numbers(source: Source, spans: Sequence[Span]) -> list[str]:
    """Return the token numbers of spans, which are shown if their words are not known."""
    return [f"{span.start}-{span.end}" for span in spans]


Words = Callable[[Source, Sequence[Span]], Iterable[str]]
"""A function that gives the words of spans of one file, for messages."""


AnnotationsOf = Callable[..., Iterator[Any]]
"""Reads the annotations and words of the documents of a file (`corefscore.formats.base.Annotations`).
It takes a `Source` and, as ``unit`` or ``types``, where the units of tokens or the types of entities are annotated
(`UNIT_SOURCES`), if these are wanted."""


def types_of(annotations: AnnotationsOf | None, words: Mapping[Place, Any] = {}) -> AnnotationsOf | None:
    """Return a function that reads only the types of entities, for documents whose tokens are others than in files;
    ``words`` has annotations with these tokens, as far as they are known."""
    return annotations and partial(_types_alone, annotations, words)


def _types_alone(of: AnnotationsOf, words: Mapping[Place, Any], source: Source, types: str = "", unit: str = "") -> Any:
    """Yield these annotations, without those that belong to other words: tags and parses."""
    if unit:
        raise UsageError(
            f"--unit {unit} needs a key that counts tokens: {source.name} counts characters, and the response tokens; "
            "add --align"
        )
    for its in of(source, types=types) if types or words else ():
        yield words.get(Place(source, its.line), its)._replace(line=its.line, types=its.types, tags=(), parse=())


UNIT_SOURCES = OF_COLUMN, OF_FIELD = "column:", "field:"
"""Where the units of tokens, or the types of entities, can be annotated: in a column of CoNLL, numbered from 1, or in
a field of JSON. A unit of resampling that begins so is part of a document (`corefscore.matching.units`)."""


class Mention(NamedTuple):
    """One mention, for messages: its document, where that begins, its span, and a function that returns its words. It
    keeps nothing of its batch in memory."""

    document: str
    place: Place
    span: Span
    words: Words

    @property
    def line(self) -> int | None:
        """The line of its first token, if there is one."""
        return self.span.line if self.span.line > 0 else None


def texts_of(mentions: Sequence[Mention]) -> list[str]:
    """Read the words of mentions. Each file is read once, for all of its mentions."""
    by_source = lists_by_key(((mention.place.source, mention.words), mention.span) for mention in mentions)
    texts = {key: iter([*key[1](key[0], spans)]) for key, spans in by_source.items()}
    return [next(texts[mention.place.source, mention.words]) for mention in mentions]


class Unworded(NamedTuple):
    """A finding that still lacks the words of some mentions, which a function puts into it."""

    mentions: Sequence[Mention]
    finding: Callable[[list[str]], Finding]


def worded(unworded: Iterable[Unworded]) -> list[Finding]:
    """Put words into findings. Each file is read once, for all of them."""
    found = list(unworded)
    texts = iter(texts_of([mention for its in found for mention in its.mentions]))
    return [its.finding(list(islice(texts, len(its.mentions)))) for its in found]


@dataclass(eq=False, repr=False)
class NameColumn:
    """What the reader saw in the column of named entities of one file.

    ``number`` is the column, from 1, and ``path`` the file. ``columns`` is the largest number of columns in a line, and
    ``there`` whether some line had this one. ``types`` counts names by type. ``last`` says that in some line it was the
    last column, which is coreference.
    """

    number: int
    path: str
    columns: int = 0
    there: bool = False
    types: Counter[str] = field(default_factory=Counter)
    last: bool = False

    @classmethod
    def of_all(cls, columns: Iterable[NameColumn]) -> NameColumn:
        """Several columns summed, each object once. The path is that of the first."""
        first, *others = {id(column): column for column in columns}.values()
        found = copy(first)  # whose values are not changed in place, since they remain those of the first
        for column in others:
            found.columns = max(found.columns, column.columns)
            found.there |= column.there
            found.last |= column.last
            found.types = found.types + column.types
        return found


_OF_NAMES = ("start", "end", "line", "type", "words")
"""The columns of `NamedEntities` that do not depend on the batch."""


class NamedEntities(NamedTuple):
    """The named entities of a batch of documents, for the metrics that need them. Names do not overlap.

    =============  ==================  =========================================================
    column         shape               contains
    =============  ==================  =========================================================
    ``document``   names               the document of each name, never falling
    ``start``      names               its first token, from 0 in its document; rising within a document
    ``end``        names               its last token
    ``line``       names               the line of its first token (from 1)
    ``type``       names               its type, in upper case
    ``words``      names               its words
    =============  ==================  =========================================================

    ``columns`` describes the column of each file that was read; batches share it, and it is complete once the side is
    read.
    """

    document: Ints
    start: Ints
    end: Ints
    line: Ints
    type: Objects
    words: Objects
    columns: Sequence[NameColumn]

    def take(self, old: Ints, new: Ints, documents: int) -> NamedEntities:
        """Take the names of the documents ``old``, renumbered as ``new``; ``documents`` is the size of the batch."""
        names, sizes = _members(bounds(self.document, documents), old)
        return self._replace(document=np.repeat(new, sizes), **{name: getattr(self, name)[names] for name in _OF_NAMES})


UNKNOWN = -1
"""The number of a word that is not known."""


class Texts(NamedTuple):
    """The words of all tokens of a batch, in the order of its documents.

    ``number`` is equal for equal words, and `UNKNOWN` for a word that is not known; ``line`` is the line of each token
    (from 1).
    """

    number: Ints
    line: Ints


NO_TEXTS = Texts(NONE, NONE)

_MOST_WORDS = 100_000
"""How many words the mentions of a file may have, each word counted in every mention, besides one for each byte of the
file: their words are listed, and a few thousand mentions inside each other must not take all memory."""


def refuse_deep(source: Source, words: Ints, size: int, unit: str) -> None:
    """Raise `UsageError` for mentions of so many ``words`` that these would take all memory, in a file of ``size``
    bytes, or whatever the ``unit`` is."""
    if (total := int(words.sum())) > _MOST_WORDS + size:
        raise UsageError(
            f"{source.name}: mentions are nested too deeply: {plural(len(words), 'mention')} contain {total} words "
            f"in total; expected at most {_MOST_WORDS + size} for a file of {size} {unit}; check where "
            "mentions are closed"
        )


class Nodes(NamedTuple):
    """The words and heads of the mentions of a batch, for mentions that are more than spans of tokens (CorefUD).

    A *word* is an overt token or an empty node. Its number is the same on both sides: its sentence in the document
    times `SENTENCE`, plus its number in the sentence times `TENTH` (so that 3.1 comes between 3 and 4).

    =============  ==================  =========================================================
    column         shape               contains
    =============  ==================  =========================================================
    ``size``       mentions            the number of its words, at least one
    ``head``       mentions            its head, one of its words
    ``zero``       mentions            whether the head is an empty node
    ``links``      mentions            the number of dependencies of a zero's head, 0 for any other mention
    ``word``       words of mentions   the words of the first mention, rising, then those of the next
    ``parent``     links of mentions   the word on which the head of a zero depends, likewise
    ``relation``   links of mentions   the relation, as a number that is equal for equal relations
    =============  ==================  =========================================================
    """

    size: Ints
    head: Ints
    zero: Bools
    links: Ints
    word: Ints
    parent: Ints
    relation: Ints

    @property
    def first(self) -> Ints:
        """Where the words of each mention begin."""
        return np.cumsum(self.size) - self.size

    @property
    def first_word(self) -> Ints:
        """The first word of each mention."""
        return self.word[self.first]

    @property
    def last_word(self) -> Ints:
        """The last word of each mention."""
        return self.word[np.cumsum(self.size) - 1]

    def take(self, which: Ints | Bools) -> Nodes:
        """Return the mentions ``which``, in that order."""
        words = ranges(self.first[which], self.size[which])
        links = ranges((np.cumsum(self.links) - self.links)[which], self.links[which])
        size, head, zero, count = self.size[which], self.head[which], self.zero[which], self.links[which]
        return Nodes(size, head, zero, count, self.word[words], self.parent[links], self.relation[links])


SENTENCE, TENTH = 1 << 36, 10_000
"""The factors of the sentence and of the token in the number of a word (`Nodes`)."""


def are_empty(words: Ints) -> Bools:
    """Return whether words are empty nodes, by their numbers (`Nodes`)."""
    return words % SENTENCE % TENTH > 0


def by_sentence(words: Sequence[str], numbers: Ints) -> list[Sequence[str]]:
    """Return words with these numbers (`Nodes`), sentence by sentence."""
    cuts = np.flatnonzero(changes(numbers // SENTENCE)).tolist()
    return [words[first:stop] for first, stop in pairwise([*cuts, len(words)])]


NO_NODES = Nodes(NONE, NONE, np.empty(0, dtype=np.bool_), NONE, NONE, NONE, NONE)


class Kinds(NamedTuple):
    """The kind of each mention: the position of its name in ``names``, or -1 if the file does not say.

    Without ``names``, ``number`` is the place of each mention (`Documents.stands`), for distances.
    """

    number: Ints
    names: tuple[str, ...] = ()


_OF_MENTIONS = ("start", "end", "line")
"""The columns of `Documents` that have a value for each mention, whatever the batch."""

_IN_SOME = ("opening", "stands")
"""The columns of mentions that only some batches have."""

_OF_DOCUMENTS = ("faults", "discarded", "comments")
"""The fields of `Documents` that have a value for some documents."""


@dataclass(frozen=True, eq=False, repr=False)
class Documents:
    """A batch of documents of one side; document, entity and mention numbers count from 0.

    =============  ==================  =========================================================
    column         shape               contains
    =============  ==================  =========================================================
    ``names``      documents           the name, part number included
    ``places``     documents           where it begins; None for a document that is missing
    ``tokens``     documents           the number of tokens, -1 if it is not known
    ``document``   entities            the document of each entity, never falling
    ``label``      entities            the id that the file gives it, see `Documents.name_of`
    ``entity``     mentions            the entity of each mention, never falling
    ``start``      mentions            its first token, from 0 in its document
    ``end``        mentions            its last token
    ``line``       mentions            the line of its first token (from 1), or of its document in JSON lines
    ``opening``    mentions            the number of its first bracket in its document; None without brackets
    ``stands``     mentions            its place: 2 t if it begins with token t, 2 t + 1 if the text lacks its
                                       first word and t is the token before; None unless the words are those
                                       of another text (``own_text``, ``--align``)
    =============  ==================  =========================================================

    Entities are in order of first appearance within a document, mentions in the order in which they close within an
    entity. A mention that is annotated twice is here twice; `corefscore.matching.matched` decides how it counts.

    The other fields:

    - ``faults``: for a document that cannot be used, a function that returns why (it may read the file again).
    - ``discarded``: for a document, the marks that the reader ignored.
    - ``comments``: for a document, how many comments it has, and a checksum of the places that they have.
    - ``odd_labels``: the ids that are not plain numbers; all batches of one side share it.
    - ``exact_names``: whether names are those of the official format; two files of that format have a document in
      common only if its names are equal.
    - ``words``: the function of the reader that returns the text of spans of one file, for messages.
    - ``named_entities``: only if a metric needs them and the format has them.
    - ``texts``: only if they are compared.
    - ``nodes``: only if mentions are more than spans. Then ``start`` and ``end`` count overt tokens, and a mention
      without overt tokens has the empty span before the next one (``end`` is ``start`` - 1).
    - ``characters``: only if mentions count characters in the file: the text of each document, cut at blanks and at
      the ends of mentions into pieces, its tokens, with a blank between them.
    - ``unread``: fields or columns that are not read, where those that are read were not named; each with a place.
    - ``unnamed``: no document has a name, so each is named after its line.
    - ``annotations``: a function that reads one of the files again for the words of its documents.
    - ``own_text``: the tokens are those of a new text, which have to be found in the key.
    - ``by_word``: only with ``own_text``: a mention is of words between blanks, with the signs beside them.
    - ``items``: only if some mentions are no spans of tokens (`corefscore.core.items`).
    - ``kinds``: the kinds of mentions, once `corefscore.scoring.kinds` has found them.
    """

    names: Sequence[str]
    places: Sequence[Place | None]
    tokens: Ints
    document: Ints = field(default_factory=NONE.copy)
    label: Ints = field(default_factory=NONE.copy)
    entity: Ints = field(default_factory=NONE.copy)
    start: Ints = field(default_factory=NONE.copy)
    end: Ints = field(default_factory=NONE.copy)
    line: Ints = field(default_factory=NONE.copy)
    opening: Ints | None = None
    stands: Ints | None = None
    faults: Mapping[int, Callable[[], Finding]] = field(default_factory=dict)
    discarded: Mapping[int, Sequence[str]] = field(default_factory=dict)
    comments: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    odd_labels: Sequence[str] = ()
    exact_names: bool = False
    words: Words = _numbers
    named_entities: NamedEntities | None = None
    texts: Texts | None = None
    nodes: Nodes | None = None
    characters: Sequence[str | None] | None = None
    unread: Mapping[Unread, Place] = field(default_factory=dict)
    unnamed: bool = False
    annotations: AnnotationsOf | None = None
    own_text: bool = False
    by_word: bool = False
    kinds: Kinds | None = None
    items: Items | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def files(self) -> list[str]:
        """The name of the file of each document; empty if some document is not in a file."""
        found = [place.source.name for place in self.places if place is not None and place.line is not None]
        return found if len(found) == len(self.places) else []

    @cached_property
    def first_tokens(self) -> Ints:
        """Where the tokens of each document begin among the tokens of the batch, and finally where they end."""
        return np.cumsum(np.append(0, np.maximum(self.tokens, 0)))

    @property
    def begins(self) -> Ints:
        """The token at which each mention begins in the text; if the text lacks its first word, the token before."""
        return self.start if self.stands is None else np.maximum(self.stands, 0) // 2

    def words_of(self, mentions: Sequence[int]) -> list[str]:
        """Return the words of some mentions, for messages."""
        return texts_of(self.mentions(mentions))

    def mention(self, mention: int) -> Mention:
        """Return one mention, for messages."""
        return self.mentions([mention])[0]

    def mentions(self, which: Sequence[int]) -> list[Mention]:
        """Return some mentions, for messages."""
        rows = np.array(which, dtype=np.int64)
        columns = self.document[self.entity[rows]], self.line[rows], self.start[rows], self.end[rows]
        return [self.at(Span(*row)) for row in np.stack(columns, axis=1).tolist()]

    def at(self, span: Span) -> Mention:
        """Return a span as a mention, for messages."""
        return Mention(self.names[span.document], self.place_of(span.document), span, self.words)

    def place_of(self, document: int) -> Place:
        """Return where a document begins, if it is not missing."""
        place = self.places[document]
        assert place is not None, "only a missing document has no place"
        return place

    def name_of(self, entity: int) -> str:
        """Return the id of an entity as the file writes it."""
        return self.names_of([entity])[0]

    def names_of(self, entities: Iterable[int]) -> list[str]:
        """Return the ids of some entities."""
        labels = self.label[np.fromiter(entities, np.int64)].tolist()
        # Label -1 is the first of the odd labels, -2 the second.
        return [str(label) if label >= 0 else self.odd_labels[-1 - label] for label in labels]

    def layers(self, **more: str) -> Iterator[Any]:
        """Yield the annotations of each document, with what `AnnotationsOf` takes ``more``; None for documents that are
        not in a file. Each file is read once more, and documents that come early in it wait.
        """
        wanted = cache(lambda: set(self.places))
        waiting: dict[Place, Any] = {}
        files: dict[Source, Iterator[Any]] = {}
        for place, documents in groupby(self.places):  # the windows of a document have its place
            layer = None
            if place is not None and place.line is not None and self.annotations is not None:
                if place.source not in files:
                    files[place.source] = self.annotations(place.source, **more)
                while place not in waiting and (read := next(files[place.source], None)):
                    begin = Place(place.source, read.line)
                    if begin == place or begin in wanted():  # the usual order of documents does without a set of all
                        waiting[begin] = read
                layer = waiting.pop(place, None)
            yield from (layer for _ in documents)

    def of_mentions(self, which: Ints | Bools) -> dict[str, Any]:
        """Return the columns that have a value for each mention, besides entities and nodes: those of some mentions."""
        columns: dict[str, Any] = {name: getattr(self, name)[which] for name in _OF_MENTIONS}
        columns |= {name: its[which] for name in _IN_SOME if (its := getattr(self, name)) is not None}
        columns["kinds"] = self.kinds and self.kinds._replace(number=self.kinds.number[which])
        return columns

    def keep(self, which: Ints | Bools) -> Documents:
        """Keep some mentions in their order, as spans, without the entities that have no mention left."""
        left, entity = np.unique(self.entity[which], return_inverse=True)
        return self.regrouped(left, entity, which, nodes=None)

    def regrouped(self, entities: Ints, entity: Ints, which: Ints | Bools, **more: Any) -> Documents:
        """Return some mentions with some ``entities``: ``entity`` is the number among these of each of the mentions."""
        columns = self.of_mentions(which) | {"document": self.document[entities], "label": self.label[entities]}
        return replace(self, entity=entity, **columns, **more)

    def narrow(self) -> Documents:
        """Return the documents with columns of less memory."""
        some = [name for name in _IN_SOME if getattr(self, name) is not None]
        columns = "tokens", "document", "label", "entity", *_OF_MENTIONS, *some
        return replace(self, places=Places(self.places), **{name: narrow(getattr(self, name)) for name in columns})

    def take(self, which: Ints) -> Documents:
        """Take the documents ``which`` in that order; -1 means a missing document.

        A field that has values for documents, entities or mentions has to be here and in `joined`.
        """
        if np.array_equal(which, np.arange(len(self))):
            return self
        there = np.flatnonzero(which >= 0)
        old = which[there]
        new = dict(zip(old.tolist(), there.tolist(), strict=True))
        entities, sizes = _members(bounds(self.document, len(self)), old)
        mentions, mentions_of_entities = _members(bounds(self.entity, len(self.document)), entities)
        tokens = np.zeros(len(which), dtype=np.int64)
        tokens[there] = self.tokens[old]
        columns: dict[str, Any] = {
            name: {new[d]: its for d, its in getattr(self, name).items() if d in new} for name in _OF_DOCUMENTS
        }
        if self.texts:
            words, _ = _members(self.first_tokens, old)
            columns["texts"] = Texts(*(column[words] for column in self.texts))
        return replace(
            self,
            names=[self.names[d] if d >= 0 else "" for d in which],
            places=[self.places[d] if d >= 0 else None for d in which],
            tokens=tokens,
            document=np.repeat(there, sizes),
            label=self.label[entities],
            entity=np.repeat(np.arange(len(entities)), mentions_of_entities),
            named_entities=self.named_entities and self.named_entities.take(old, there, len(self)),
            nodes=self.nodes and self.nodes.take(mentions),
            characters=self.characters and [self.characters[d] if d >= 0 else None for d in which],
            items=self.items and self.items.take(old, there, len(self)),
            **columns,
            **self.of_mentions(mentions),
        )


def _members(edges: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Return the places of the members of the groups ``which``, one group after another, and the size of each group.
    ``edges`` is where the members of every group begin, and finally where they end.
    """
    sizes = (edges[which + 1] - edges[which]).astype(np.int64)
    return ranges(edges[which], sizes), sizes


def by_appearance(documents: Documents) -> Documents:
    """Sort a batch: entities and mentions in the order that `Documents` requires.

    Among mentions that begin at one token, those of one token come first, then the longest; the same for mentions that
    end at one token. Items come first, in the order in which they are given.
    """
    entity, given = documents.entity, np.arange(len(documents.start)) - len(documents.start)
    start, end = (np.where(documents.start < 0, given, its) for its in (documents.start, documents.end))
    several: Ints = (end > start).astype(np.int64)
    # Items have one place each, which is the same as a start and as an end.
    by_start, by_end = ((several, -end), (several, -start)) if several.any() else ((), ())
    appearing = order_by(entity, start, *by_start)
    first = appearing[changes(entity[appearing])]
    entities = order_by(documents.document, start[first], *(key[first] for key in by_start))
    entity = np.argsort(entities)[entity]
    mentions = order_by(entity, end, *by_end)
    return documents.regrouped(entities, entity[mentions], mentions)


def part_of(name: str) -> tuple[str, str] | None:
    """Return the document and the digits of the part in a name of CoNLL-2011/2012, ``(X); part 000``."""
    found = re.fullmatch(r"\((.*)\); part ([0-9]+)", name, re.DOTALL)
    return (found[1], found[2]) if found else None


def joined(parts: Sequence[Documents]) -> Documents:
    """Join several batches of one side to one."""
    if not parts:
        return Documents([], [], NONE)
    if len(parts) == 1:
        return parts[0]
    documents = np.cumsum([0] + [len(part) for part in parts]).tolist()
    entities = np.cumsum([0] + [len(part.document) for part in parts]).tolist()
    odd_labels, label = _joined_labels(parts)
    characters = [text for part in parts for text in (part.characters or [None] * len(part))]
    places = [part.places for part in parts]

    def column(name: str, shifts: Iterable[int] = repeat(0)) -> Any:
        return np.concatenate([getattr(part, name) + shift for part, shift in zip(parts, shifts, strict=False)])

    def by_document(name: str) -> Any:
        of_parts = zip(documents, parts, strict=False)
        return {before + d: its for before, part in of_parts for d, its in getattr(part, name).items()}

    return Documents(
        names=[name for part in parts for name in part.names],
        places=Places(*places) if isinstance(places[0], Places) else list(chain(*places)),
        document=column("document", documents),
        label=label,
        entity=column("entity", entities),
        **{name: column(name) for name in ("tokens", *_OF_MENTIONS)},
        **{name: column(name) for name in _IN_SOME if all(getattr(part, name) is not None for part in parts)},
        **{name: by_document(name) for name in _OF_DOCUMENTS},
        odd_labels=odd_labels,
        exact_names=all(part.exact_names for part in parts),
        words=next((part.words for part in parts if part.items), parts[0].words),
        named_entities=_joined_names(parts, documents),
        texts=_table([part.texts for part in parts]),
        nodes=_table([part.nodes for part in parts if part.nodes is not None or len(part.start)]),
        characters=None if all(part.characters is None for part in parts) else characters,
        unread={name: place for part in reversed(parts) for name, place in part.unread.items()},
        unnamed=all(part.unnamed for part in parts),
        annotations=parts[0].annotations,
        own_text=any(part.own_text for part in parts),
        by_word=any(part.by_word for part in parts),
        items=joined_items([part.items for part in parts], documents),
    )


def _joined_labels(parts: Sequence[Documents]) -> tuple[Sequence[str], Ints]:
    """Join the lists of ids that are not plain numbers; returns the list, and the labels of all entities."""
    lists = {id(part.odd_labels): part.odd_labels for part in parts}
    before = dict(zip(lists, accumulate(map(len, lists.values()), initial=0), strict=False))
    label = np.concatenate([part.label - before[id(part.odd_labels)] * (part.label < 0) for part in parts])
    if len(lists) == 1:  # the usual case: one list, to which readers still add
        return parts[0].odd_labels, label
    return list(chain.from_iterable(lists.values())), label


def _table(tables: Sequence[Any]) -> Any:
    """Join tables of the same columns; None if there is none, or one is missing."""
    if not (known := [table for table in tables if table is not None]) or len(known) < len(tables):
        return None
    return type(known[0])(*map(np.concatenate, zip(*known, strict=True)))


def _joined_names(parts: Sequence[Documents], documents: Sequence[int]) -> NamedEntities | None:
    """Join the names of several batches; ``documents`` is the number of documents before each batch."""
    if len(known := [part.named_entities for part in parts if part.named_entities]) < len(parts):
        return None
    return known[0]._replace(
        document=np.concatenate([names.document + before for names, before in zip(known, documents, strict=False)]),
        **{name: np.concatenate([getattr(names, name) for names in known]) for name in _OF_NAMES},
        columns=list({id(column): column for names in known for column in names.columns}.values()),
    )


_Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_DIGITS = 6

_MOST_DIGITS, _FACTOR, _AT_ONCE = 19, 0x9E3779B97F4A7C15, 1 << 14
"""The length of numbers that are too long for 64 bits, the factor in hashes of texts, and how many texts are hashed at
once."""


def fingerprint(documents: Documents) -> int:
    """Return the sum of the fingerprints of the documents of a batch, of which each has all of its mentions.

    The fingerprint of a key is a number that changes with its mentions, its entities and its number of tokens.
    Documents, entities and mentions are added, so that their order does not matter. Names of documents, ids of entities
    and words are not covered, so that formats with other names have the same fingerprint:

    - a mention is its first and its last token; in CorefUD also its words, unless these are all tokens from the first
      to the last; an item is its value;
    - an entity is the sum of its mentions, a document the sum of its entities and its number of tokens, and a key the
      sum of its documents. Each is scrambled before it is added.

    All sums are modulo 2**64.
    """
    mentions = scrambled(scrambled(documents.start) + documents.end.view(np.uint64))
    if documents.items is not None:
        items = documents.start < 0
        number = documents.start[items] + LONGEST
        used = np.bincount(number, minlength=len(documents.items.values)) > 0  # all batches share the values
        mentions[items] = _of_values(documents.items.values, np.flatnonzero(used))[np.cumsum(used)[number] - 1]
    if documents.nodes is not None:
        first, size = documents.nodes.first, documents.nodes.size
        gaps = size != documents.end - documents.start + 1
        before = np.append(np.uint64(0), np.cumsum(scrambled(documents.nodes.word), dtype=np.uint64))
        mentions[gaps] += (before[first + size] - before[first])[gaps]
    sums = mentions
    for group, count in ((documents.entity, len(documents.document)), (documents.document, len(documents))):
        parts, sums = scrambled(sums), np.zeros(count, dtype=np.uint64)
        np.add.at(sums, group, parts)
    return int(np.sum(scrambled(sums + scrambled(documents.tokens))))


def digits_of(total: int) -> str:
    """Return the fingerprint of a key as six hexadecimal digits; ``total`` is the sum of those of its batches."""
    return f"{int(scrambled(np.array([total % 2**64], dtype=np.uint64))[0]):016x}"[:_DIGITS]


def _of_values(values: Values, which: Ints) -> _Hashes:
    """Return a hash of some items: of a whole number itself, also of its digits as text, of anything else its text."""
    if isinstance(values, range) or (isinstance(values, np.ndarray) and values.dtype.kind in "iu"):
        return scrambled(np.asarray(values)[which].astype(np.int64))
    texts: Any = values if len(which) == len(values) else list(map(values.__getitem__, which.tolist()))
    texts = texts if isinstance(values, Numbers) else list(map(text_of, texts))
    pieces = [_of_texts(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
    return scrambled(np.concatenate([NONE.view(np.uint64), *pieces]))


def _of_texts(texts: Sequence[str]) -> _Hashes:
    """Return the whole numbers that texts are, and of other texts the sum of their bytes times powers of `_FACTOR`.

    A byte that is not zero is put after each text, so that its length matters.
    """
    text = "\1".join([*texts, ""])
    raw = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    encoded = texts if len(raw) == len(text) else [text.encode("utf-8", "surrogatepass") for text in texts]
    stops = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(texts)) + 1)
    starts = np.append(0, stops[:-1])
    digit, size = raw - np.uint8(ord("0")), stops - starts - 1
    first = digit[starts]
    if (of_number := (size < _MOST_DIGITS) & (first < 10) & ((first > 0) | (size == 1))).any():
        of_number &= np.add.reduceat(digit >= 10, starts, dtype=np.int64) == 1  # the byte after it
    if of_number.all():
        return np.fromstring(text, np.int64, sep="\1").view(np.uint64)  # a fifth of the time of int for each
    # The powers count from the first byte of all texts, so those before each text are taken away again.
    powers = np.cumprod(np.full(len(raw) + 1, _FACTOR, dtype=np.uint64))
    found: _Hashes = np.add.reduceat(raw * powers[:-1], starts) * powers[len(raw) - starts]
    found *= np.uint64(pow(_FACTOR, -2 - len(raw), 2**64))
    if of_number.any():
        numbers = " ".join(map(texts.__getitem__, np.flatnonzero(of_number).tolist()))
        found[of_number] = np.fromstring(numbers, np.int64, sep=" ")
    return found


def scrambled(numbers: Ints | _Hashes) -> _Hashes:
    """Return numbers whose bits depend on all bits of those given (the finalizer of SplitMix64; Steele, Lea and Flood
    2014)."""
    found = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found
