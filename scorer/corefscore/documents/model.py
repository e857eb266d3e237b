"""What travels from the readers to the metrics: the partitions of a batch of documents, in columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from corefscore.checking.findings import Finding
from corefscore.documents.arrays import NONE, Bools, Ints, Objects, bounds, changes, order_by, ranges
from corefscore.documents.sources import Source

KEY, RESPONSE = "key", "response"
"""The sides of a score."""


class Place(NamedTuple):
    """Where a document begins: its file, and its first line there (from 1), if any: its begin marker, its JSON."""

    source: Source
    line: int | None

    def __str__(self) -> str:
        return self.source.name if self.line is None else f"{self.source.name}:{self.line}"


class Span(NamedTuple):
    """A stretch of tokens of a document, and the line of the first of them."""

    document: int
    line: int
    start: int
    end: int


def _numbers(source: Source, spans: Sequence[Span]) -> list[str]:
    """What stands for the words of spans where nobody knows them."""
    return [f"{span.start}-{span.end}" for span in spans]


Words = Callable[[Source, Sequence[Span]], list[str]]
"""The words of spans of one file, for messages."""


LayersOf = Callable[..., Iterator[Any]]
"""What the documents of a file have besides coreference (`corefscore.formats.row.Layers`), their words among it; given
a `Source`, and what tells the units of tokens if these are wanted, too (`UNIT_SOURCES`)."""

UNIT_SOURCES = OF_COLUMN, OF_FIELD = "column:", "field:"
"""What the units of tokens can come from: a column of CoNLL, by its number from 1, or a field of JSON."""


def is_within(unit: str) -> bool:
    """Whether a unit of resampling is one within documents (`corefscore.alignment.units`)."""
    return unit.startswith(UNIT_SOURCES)


class Mention(NamedTuple):
    """One mention, for messages: its document, where that begins, its span, and what knows its words. It keeps nothing
    of its batch in memory."""

    document: str
    place: Place
    span: Span
    words: Words

    @property
    def line(self) -> int | None:
        """The line of its first token, if there is one."""
        return self.span.line if self.span.line > 0 else None


def texts_of(mentions: Sequence[Mention]) -> list[str]:
    """The words of mentions. Each file is read once, for all of its mentions."""
    by_source: dict[tuple[Source, Words], list[int]] = defaultdict(list)
    for at, mention in enumerate(mentions):
        by_source[mention.place.source, mention.words].append(at)
    found: dict[int, str] = {}
    for (source, words), its in by_source.items():
        found.update(zip(its, words(source, [mentions[at].span for at in its]), strict=True))
    return [found[at] for at in range(len(mentions))]


class HeldColumn:
    """What the column of named entities held in a file: its number (from 1), the most columns that a line had, whether
    some line had this one, how many names there were by type, whether the column was the last one somewhere, which is
    that of coreference, what stood there first, and those of its cells that say that there is no name."""

    def __init__(self, number: int, path: str) -> None:
        self.number = number
        self.path = path
        self.columns = 0
        self.there = False
        self.types: Counter[str] = Counter()
        self.last = False
        self.last_cell = ""
        self.blanks: dict[str, None] = {}

    @classmethod
    def of_all(cls, columns: Iterable[HeldColumn]) -> HeldColumn:
        """What several held; each counts once. The path is that of the first."""
        first, *others = {id(column): column for column in columns}.values()
        found = cls(first.number, first.path)
        for column in (first, *others):
            found.columns = max(found.columns, column.columns)
            found.there = found.there or column.there
            found.last_cell = found.last_cell or column.last_cell
            found.types += column.types
            found.last = found.last or column.last
            found.blanks |= column.blanks
        return found

    @classmethod
    def by_file(cls, columns: Iterable[HeldColumn]) -> list[HeldColumn]:
        """What each file held; a file that was read in pieces has several, and each of them counts once."""
        of_file: dict[str, list[HeldColumn]] = {}
        for column in columns:
            of_file.setdefault(column.path, []).append(column)
        return [cls.of_all(its) for its in of_file.values()]


OF_NAMES = ("start", "end", "line", "type", "words")
"""The columns of `NamedEntities` that do not hang on the batch."""


class NamedEntities(NamedTuple):
    """The named entities of a batch of documents, for the metrics that ask for them. Names do not overlap.

    =============  ==================  =========================================================
    column         shape               holds
    =============  ==================  =========================================================
    ``document``   names               the document of each name, never falling
    ``start``      names               its first token, from 0 in its document; rising within a document
    ``end``        names               its last token
    ``line``       names               the line of its first token (from 1)
    ``type``       names               its type, in upper case
    ``words``      names               its words
    =============  ==================  =========================================================

    ``held`` tells of each file that was read with them; batches share it, and it is complete once the side is read.
    """

    document: Ints
    start: Ints
    end: Ints
    line: Ints
    type: Objects
    words: Objects
    held: Sequence[HeldColumn]

    def take(self, old: Ints, new: Ints, documents: int) -> NamedEntities:
        """The names of the documents ``old``, of so many, which get the numbers ``new``."""
        at = bounds(self.document, documents)
        sizes = at[old + 1] - at[old]
        which = ranges(at[old], sizes)
        return self._replace(document=np.repeat(new, sizes), **{name: getattr(self, name)[which] for name in OF_NAMES})


UNKNOWN = -1
"""The number of a word that is not known."""


class Texts(NamedTuple):
    """The words of all tokens of a batch, in the order of its documents: a number each that is equal for equal words,
    `UNKNOWN` for those that are not known; and the lines of the tokens (from 1)."""

    number: Ints
    line: Ints


class Nodes(NamedTuple):
    """What the mentions of a batch are where they are more than spans of tokens (CorefUD).

    A *word* is an overt token or an empty node, as a number that both sides share: its sentence in the document times
    `SENTENCE`, and its number in the sentence times `TENTH` (so that 3.1 stands between 3 and 4).

    =============  ==================  =========================================================
    column         shape               holds
    =============  ==================  =========================================================
    ``size``       mentions            the number of its words, one at least
    ``head``       mentions            its head, one of its words
    ``zero``       mentions            whether the head is an empty node
    ``links``      mentions            the number of dependencies of a zero's head, 0 for any other mention
    ``word``       words of mentions   the words of the first mention, rising, then those of the next
    ``parent``     links of mentions   the word on which the head of a zero depends, likewise
    ``relation``   links of mentions   and how, as a number that is equal for equal relations
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

    def take(self, which: Ints) -> Nodes:
        """The mentions ``which``, in that order."""
        words = ranges(self.first[which], self.size[which])
        links = ranges((np.cumsum(self.links) - self.links)[which], self.links[which])
        return Nodes(
            self.size[which],
            self.head[which],
            self.zero[which],
            self.links[which],
            self.word[words],
            self.parent[links],
            self.relation[links],
        )


SENTENCE, TENTH = 1 << 36, 10_000
"""What a sentence and a token of it count in the number of a word (`Nodes`)."""

NO_NODES = Nodes(NONE, NONE, np.empty(0, dtype=np.bool_), NONE, NONE, NONE, NONE)


class Kinds(NamedTuple):
    """The kind of each mention, as a number: the position of its name in ``names``, -1 where the file does not say.
    Without names it is the first token of each mention, from which distances follow."""

    number: Ints
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Documents:
    """A batch of documents of one side; document, entity and mention numbers count from 0.

    =============  ==================  =========================================================
    column         shape               holds
    =============  ==================  =========================================================
    ``names``      documents           the name, part number included
    ``places``     documents           where it begins; None for a document that is not there
    ``tokens``     documents           the number of tokens, -1 where it is not known
    ``document``   entities            the document of each entity, never falling
    ``label``      entities            the id that the file gives it, see `Documents.name_of`
    ``entity``     mentions            the entity of each mention, never falling
    ``start``      mentions            its first token, from 0 in its document
    ``end``        mentions            its last token
    ``line``       mentions            the line of its first token (from 1), or of its document in JSON lines
    ``opening``    mentions            the place of its first bracket among those of its document; None without brackets
    =============  ==================  =========================================================

    Within a document entities stand in order of first appearance, within an entity mentions in the
    order in which they close. A mention marked twice stands here twice: what that means for a score
    is decided in `corefscore.alignment.repeats`.

    ``faults`` and ``discarded`` hold, for the few documents that have any, a function that tells what makes the
    document unusable (it may have to look into the file again), and the marks that the reader passes over.
    ``odd_labels`` are the ids that are not plain numbers; all batches of one side share it. ``exact_names`` says that
    names are those of the official format, which two files of that format share only where they are equal. ``words``
    gives the text of spans of one file, for messages; it comes from the reader. ``named_entities`` are there only
    where a metric asked for them and the format has them, ``texts`` where somebody compares them. ``nodes`` are there
    where mentions are more than spans; ``start`` and ``end`` then count overt tokens, and a mention without any has the
    empty span in front of which it stands (``end`` is ``start`` - 1). ``characters`` is there where
    mentions count characters in the file: the text of each document, cut at blanks and where mentions begin or end into
    the pieces that are its tokens, with a blank between them. ``unnamed`` says that no document has a name, so that
    each has that of its line. ``layers`` reads one of the files again for the words of its documents, where the reader
    can. ``own_text`` says that tokens are those of a text that somebody wrote, which have to be found in the key.
    ``kinds`` are the kinds of mentions, once `corefscore.kinds` has found them.
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
    faults: Mapping[int, Callable[[], Finding]] = field(default_factory=dict)
    discarded: Mapping[int, Sequence[str]] = field(default_factory=dict)
    odd_labels: Sequence[str] = ()
    exact_names: bool = False
    words: Words = _numbers
    named_entities: NamedEntities | None = None
    texts: Texts | None = None
    nodes: Nodes | None = None
    characters: Sequence[str | None] | None = None
    unnamed: bool = False
    layers: LayersOf | None = None
    own_text: bool = False
    kinds: Kinds | None = None

    def __len__(self) -> int:
        return len(self.names)

    @property
    def files(self) -> list[str]:
        """The name of the file of each document; nothing where some are in none."""
        found = [place.source.name for place in self.places if place is not None and place.line is not None]
        return found if len(found) == len(self.places) else []

    def mention_document(self) -> Ints:
        """The document of each mention."""
        return self.document[self.entity]

    @cached_property
    def first_tokens(self) -> Ints:
        """Where the tokens of each document begin among those of all, and last where they end."""
        return np.cumsum(np.append(0, np.maximum(self.tokens, 0)))

    def text_of(self, document: int) -> Texts:
        """The text of one document, all of it unknown where nobody read it."""
        if self.texts is None:
            return Texts(np.full(max(int(self.tokens[document]), 0), UNKNOWN), NONE)
        first, stop = self.first_tokens[document : document + 2]
        return Texts(self.texts.number[first:stop], self.texts.line[first:stop])

    def later(self, lines: int) -> Documents:
        """The same behind so many more lines, places left out."""
        names, texts = self.named_entities, self.texts
        return replace(
            self,
            line=self.line + lines,
            named_entities=names and names._replace(line=names.line + lines),
            texts=texts and texts._replace(line=texts.line + lines),
        )

    def words_of(self, mentions: Sequence[int]) -> list[str]:
        """The words of some mentions, for messages."""
        return texts_of(self.mentions(mentions))

    def words_at(self, spans: Sequence[Span]) -> list[str]:
        """The words of some spans. Each file is read once, for all of its spans."""
        return texts_of([self._at(span) for span in spans])

    def mention(self, mention: int) -> Mention:
        """One mention, for messages."""
        return self.mentions([mention])[0]

    def mentions(self, which: Sequence[int]) -> list[Mention]:
        """Some mentions, for messages."""
        at = np.array(which, dtype=np.int64)
        columns = self.document[self.entity[at]], self.line[at], self.start[at], self.end[at]
        return [self._at(Span(*row)) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _at(self, span: Span) -> Mention:
        return Mention(self.names[span.document], self.place_of(span.document), span, self.words)

    def place_of(self, document: int) -> Place:
        """Where a document begins, for one that is there."""
        place = self.places[document]
        assert place is not None, "only a document that is not there has no place"
        return place

    def name_of(self, entity: int) -> str:
        """The id of an entity as the file writes it."""
        return self.names_of([entity])[0]

    def names_of(self, entities: Sequence[int]) -> list[str]:
        """The ids of some entities."""
        labels = self.label[np.array(entities, dtype=np.int64)].tolist()
        return [str(label) if label >= 0 else self.odd_labels[-1 - label] for label in labels]

    def take(self, which: Ints) -> Documents:
        """The documents ``which`` in that order; -1 stands for a document that is not there."""
        if np.array_equal(which, np.arange(len(self))):
            return self
        there = np.flatnonzero(which >= 0)
        old = which[there]
        entity_bounds = bounds(self.document, len(self))
        entities = entity_bounds[old + 1] - entity_bounds[old]
        chosen_entities = ranges(entity_bounds[old], entities)
        mention_bounds = bounds(self.entity, len(self.document))
        mentions = (mention_bounds[chosen_entities + 1] - mention_bounds[chosen_entities]).astype(np.int64)
        chosen = ranges(mention_bounds[chosen_entities], mentions)
        first_tokens = self.first_tokens
        its_tokens = ranges(first_tokens[old], np.diff(first_tokens)[old]) if self.texts else NONE
        new = {int(o): int(n) for n, o in zip(there, old, strict=True)}
        tokens = np.zeros(len(which), dtype=np.int64)
        tokens[there] = self.tokens[old]
        return Documents(
            names=[self.names[d] if d >= 0 else "" for d in which],
            places=[self.places[d] if d >= 0 else None for d in which],
            tokens=tokens,
            document=np.repeat(there, entities),
            label=self.label[chosen_entities],
            entity=np.repeat(np.arange(len(chosen_entities)), mentions),
            start=self.start[chosen],
            end=self.end[chosen],
            line=self.line[chosen],
            opening=None if self.opening is None else self.opening[chosen],
            faults={new[d]: fault for d, fault in self.faults.items() if d in new},
            discarded={new[d]: cells for d, cells in self.discarded.items() if d in new},
            odd_labels=self.odd_labels,
            exact_names=self.exact_names,
            words=self.words,
            named_entities=self.named_entities and self.named_entities.take(old, there, len(self)),
            texts=self.texts and Texts(*(column[its_tokens] for column in self.texts)),
            nodes=self.nodes and self.nodes.take(chosen),
            characters=self.characters and [self.characters[d] if d >= 0 else None for d in which],
            unnamed=self.unnamed,
            layers=self.layers,
            own_text=self.own_text,
        )


def by_appearance(documents: Documents) -> Documents:
    """The same with entities and mentions in the order that `Documents` asks for.

    Of what begins at one token, one-token mentions appear first, then the longest; the same for what ends there.
    """
    entity, start, end = documents.entity, documents.start, documents.end
    several: Ints = (end > start).astype(np.int64)
    appearing = order_by(entity, start, several, -end)
    first = appearing[changes(entity[appearing])]
    entities = order_by(documents.document, start[first], several[first], -end[first])
    entity = np.argsort(entities)[entity]
    mentions = order_by(entity, end, several, -start)
    return replace(
        documents,
        document=documents.document[entities],
        label=documents.label[entities],
        entity=entity[mentions],
        start=start[mentions],
        end=end[mentions],
        line=documents.line[mentions],
    )


def part_of(name: str) -> tuple[str, str] | None:
    """The document and the digits of the part in a name as CoNLL-2011/2012 has it, ``(X); part 000``."""
    found = re.fullmatch(r"\((.*)\); part ([0-9]+)", name, re.DOTALL)
    return (found[1], found[2]) if found else None


def joined(parts: Sequence[Documents]) -> Documents:
    """Several batches of one side as one."""
    if len(parts) == 1:
        return parts[0]
    documents = np.cumsum([0] + [len(part) for part in parts]).tolist()
    odd_labels, shifts_of_labels = _joined_labels(parts)
    entities = np.cumsum([0] + [len(part.document) for part in parts]).tolist()

    openings = [part.opening for part in parts if part.opening is not None]

    def column(name: str, shifts: Iterable[int] | None = None) -> Ints:
        arrays: list[Ints] = [getattr(part, name) for part in parts]
        if shifts is not None:
            arrays = [array + shift for array, shift in zip(arrays, shifts, strict=False)]
        return np.concatenate([NONE, *arrays])

    return Documents(
        names=[name for part in parts for name in part.names],
        places=[place for part in parts for place in part.places],
        tokens=column("tokens"),
        document=column("document", documents),
        label=np.concatenate([NONE, *map(_shifted, parts, shifts_of_labels)]),
        entity=column("entity", entities),
        start=column("start"),
        end=column("end"),
        line=column("line"),
        opening=np.concatenate(openings) if len(openings) == len(parts) > 0 else None,
        faults={s + d: f for s, part in zip(documents, parts, strict=False) for d, f in part.faults.items()},
        discarded={
            s + d: cells for s, part in zip(documents, parts, strict=False) for d, cells in part.discarded.items()
        },
        odd_labels=odd_labels,
        exact_names=all(part.exact_names for part in parts),
        words=parts[0].words if parts else _numbers,
        named_entities=_joined_names([part.named_entities for part in parts], documents),
        texts=_joined_texts([part.texts for part in parts]),
        nodes=_joined_nodes([part.nodes for part in parts]),
        characters=_joined_characters(parts),
        unnamed=bool(parts) and all(part.unnamed for part in parts),
        layers=parts[0].layers if parts else None,
        own_text=any(part.own_text for part in parts),
    )


def _joined_characters(parts: Sequence[Documents]) -> Sequence[str | None] | None:
    if all(part.characters is None for part in parts):
        return None
    return [text for part in parts for text in (part.characters or [None] * len(part))]


def _joined_labels(parts: Sequence[Documents]) -> tuple[Sequence[str], list[int]]:
    """The ids of several batches that are not plain numbers, and by how many those of each stand behind others."""
    lists: dict[int, tuple[int, Sequence[str]]] = {}
    size = 0
    for part in parts:
        if id(part.odd_labels) not in lists:
            lists[id(part.odd_labels)] = size, part.odd_labels
            size += len(part.odd_labels)
    labels = [its for _, its in lists.values()]
    shifts = [lists[id(part.odd_labels)][0] for part in parts]
    # Most often there is one list, which readers go on filling.
    return (labels[0] if labels else ()) if len(labels) < 2 else [label for its in labels for label in its], shifts


def _shifted(part: Documents, by: int) -> Ints:
    return np.where(part.label < 0, part.label - by, part.label) if by else part.label


def _joined_nodes(parts: Sequence[Nodes | None]) -> Nodes | None:
    its = [part for part in parts if part is not None]
    return Nodes(*map(np.concatenate, zip(*its, strict=True))) if its and len(its) == len(parts) else None


def _joined_texts(parts: Sequence[Texts | None]) -> Texts | None:
    its = [part for part in parts if part is not None]
    return Texts(*map(np.concatenate, zip(*its, strict=True))) if its and len(its) == len(parts) else None


def _joined_names(parts: Sequence[NamedEntities | None], documents: Sequence[int]) -> NamedEntities | None:
    """The names of several batches; ``documents`` tells how many documents are before each."""
    its = [part for part in parts if part is not None]
    if not its or len(its) < len(parts):
        return None
    return its[0]._replace(
        document=np.concatenate([part.document + before for part, before in zip(its, documents, strict=False)]),
        **{name: np.concatenate([getattr(part, name) for part in its]) for name in OF_NAMES},
        held=list({id(column): column for part in its for column in part.held}.values()),
    )
