"""CorefUD: the mentions of CoNLL-U files as columns.

The rules are in `corefscore.formats.corefud.lines` (lines, sentences, documents), `.chunks` (the attribute Entity) and
`.mentions` (brackets, parts, heads). Mentions and entities come in the order of the official scorer: by first word,
longer ones first, then by last word, then by id as text; entities by their first mention. An entity that
goes on in another document is another entity there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from corefscore.core.arrays import NONE, Ints, changes, in_order, lacking, order_by, ranked
from corefscore.core.documents import NO_NODES, Documents, Nodes, Place, Span, Texts, refuse_deep
from corefscore.core.errors import UsageError, refuse
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source, as_text
from corefscore.formats.base import LAST, PARSE, TREE, Request, passage, passage_places
from corefscore.formats.corefud.annotations import depths, highest, links_of
from corefscore.formats.corefud.chunks import (
    CLOSE,
    EMPTY_HEAD,
    ID_FIELDS,
    NO_HEAD,
    Attributes,
    Chunks,
    Fields,
    attributes_of,
    chunks,
)
from corefscore.formats.corefud.lines import FORM, ID, LF, WITHOUT_NEWDOC, Lines, few
from corefscore.formats.corefud.mentions import FileMentions, Refuse, Sized, heads, mentions_of, words_of_mentions
from corefscore.formats.words import word_numbers

_BY_CHANCE = 20
"""The number of mentions of several words up to which all of them may have the head 1 by chance."""


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """Return the documents of each file as one batch; what is odd is added to ``notices``.

    A file is read as a whole, since its last header is valid for all of it and a document may continue anywhere. Each
    of several files is a data set of its own, so a document whose name an earlier file has is called ``NAME (FILE)``.
    Raises `InputError` for what has no plain meaning, `UsageError` for a file that cannot be read.
    """
    return batches((File(source, notices.append, request) for source in files), notices.append)


def batches(files: Iterable[File], note: Callable[[Finding], None]) -> Iterator[Documents]:
    """Yield the documents of each file, under names that no other file has."""
    known: set[str] = set()
    for reader in files:
        source, found = reader.source, reader.documents()
        del reader.lines, reader  # each knows the other, so both would stay while the documents are looked at
        if twice := [name for name in found.names if name in known]:
            details = {"document": twice[0], "count": plural(len(twice), "document"), "file": source.file}
            note(Finding("same-document-names", source.name, None, details=details))
            found = replace(found, names=[f"{name} ({source.file})" if name in known else name for name in found.names])
        known.update(found.names)
        yield found


Columns = dict[str, Any]
"""The columns of `Documents` about entities and mentions, by name."""


class File:
    """One file on its way to columns.

    The first error ends reading; one who looks closer overrides `refuse` and `take` and reads on without the faulty
    part. ``chunks`` are its brackets, ``entity`` the entity of each, ``fields`` what the header says about them; the
    others are the forms in which its mentions are read. A file without mentions has none of these.
    """

    fields: Fields
    chunks: Chunks
    entity: Ints
    mentions: FileMentions | None = None
    sized: Sized
    head: Ints

    refuse = staticmethod(refuse)
    take = staticmethod(few)

    def __init__(self, source: Source, keep: Callable[[Finding], None], request: Request) -> None:
        self.source, self.keep, self.request = source, keep, request
        self.id_of: Ints | None = None
        """The number of the id of each entity, if some ids are in several documents."""
        self.lines = Lines(source, refuse=self.refuse, take=self.take)

    def note(self, code: str, line: int | None, **details: object) -> None:
        """Keep a notice."""
        self.keep(Finding(code, self.source.name, line, details=details))

    def documents(self) -> Documents:
        """Return the documents of the file."""
        lines = self.lines
        names, begins, self.document_of_sentence, *_ = lines.documents
        if not names:
            details = {"what": "the file contains no words", "expected": "CoNLL-U with words"}
            self.refuse(Finding("no-document", self.source.name, details=details))
            return Documents([], [], NONE, nodes=NO_NODES)
        self._note_lines()
        self._note_numbers()
        words = lines.words
        self.number = lines.numbers(self.document_of_sentence)
        # The words in the order of documents, which a document that goes on later does not have.
        document = self.document_of(slice(None))
        self.order = np.argsort(document, kind="stable")
        self.place = np.empty_like(self.order)
        self.place[self.order] = np.arange(len(self.order))
        tokens = np.bincount(document[words.overt], minlength=len(names))
        is_overt = words.overt[self.order]
        before: Ints = np.cumsum(is_overt) - is_overt
        self.tokens_before = before[self.place] - (np.cumsum(tokens) - tokens)[document]  # in their documents
        columns = self._mentions() or {"nodes": NO_NODES, "odd_labels": ()}
        return Documents(
            **columns,
            label=-1 - np.arange(len(columns["odd_labels"])),
            names=names,
            places=[Place(self.source, line) for line in begins],
            tokens=tokens,
            words=words_at,
            texts=self._texts(),
        )

    def document_of(self, words: Ints | slice) -> Ints:
        """Return the document of each of some words."""
        return self.document_of_sentence[self.lines.words.sentence[words]]

    def _texts(self) -> Texts:
        """Return the words of the tokens. Where a word stands is part of it: sentences cut elsewhere are
        another text.
        """
        lines, words = self.lines, self.lines.words
        token = self.order[words.overt[self.order]]
        row = words.row[token]
        number = word_numbers(lines.text, *lines.bounds(FORM, row)) * 31
        return Texts(number + self.number[token], lines.tokens[row] + 1)

    def _note_lines(self) -> None:
        begun = self.lines.documents
        if self.lines.ends_open:
            self.note("no-empty-line", len(self.lines.starts))
        if begun.names[0] == WITHOUT_NEWDOC:
            self.note("no-newdoc", None)
        if begun.lost:
            self.note("lost-newdoc", begun.lost[0], count=plural(len(begun.lost), "line"))
        for line, text in begun.nearly[:1]:
            self.note("odd-newdoc", line, count=plural(len(begun.nearly), "line"), text=text)
        if begun.again:
            begin = dict(zip(begun.names, begun.lines, strict=True))
            for line, name in begun.again:
                self.note("repeated-newdoc", line, document=name, begin=begin[name])
        if irregular := self.lines.irregular:
            count, line, columns = irregular
            self.note("not-ten-columns", line, count=plural(count, "line"), found=plural(columns, "column"))

    def _mentions(self) -> Columns | None:
        """Read the mentions, if there are any."""
        lines = self.lines
        if ignored := (attributes := attributes_of(lines)).ignored:
            line = 1 + int(np.count_nonzero(lines.text[: ignored[0]] == LF))
            self.note("misspelled-attribute", line, count=plural(len(ignored), "attribute"))
        elif not len(attributes.word) and not lines.headers:
            self.note("no-entity-attribute", None)
        if not len(attributes.word):
            return None
        for other, line in [*lines.headers.items()][1:][-1:]:
            self.note("several-headers", line, other="-".join(other), header="-".join(next(iter(lines.headers))))
        if len(again := attributes.again):
            self.note("repeated-attribute", self._line_of(int(again[0])), count=plural(len(again), "word"))
        if (fields := Fields.of(next(iter(lines.headers), ()))) is None:
            what = "no header precedes it" if not lines.headers else f"the header has no {' or '.join(ID_FIELDS)}"
            self.refuse(self._about_attribute("no-entity-header", attributes, 0, what=what))
            return None
        self.fields, self.chunks = fields, chunks(lines.text, attributes, fields)
        if len(self.chunks.rest):
            cell = int(self.chunks.rest[0])
            count = plural(len(self.chunks.rest), "attribute")
            self.keep(self._about_attribute("odd-entity", attributes, cell, count=count))
        return self._columns()

    def _about_attribute(self, code: str, attributes: Attributes, cell: int, **details: object) -> Finding:
        """Return what is found about an attribute, with its value shown."""
        start, row = int(attributes.start[cell]), int(self.lines.words.row[attributes.word[cell]])
        return self.lines.about(code, row, self.lines.piece(start, attributes.stop[cell]), start, **details)

    def _columns(self) -> Columns:
        def refuse(code: str, faulty: Ints, others: Ints | None) -> None:
            before = {} if others is None else dict(zip(faulty.tolist(), others.tolist(), strict=True))
            for chunk in self.take(code, faulty.tolist()):
                self.refuse(self._fault(code, chunk, before.get(chunk)))

        self.entity = self._entities(refuse)
        self.mentions = found = mentions_of(self.chunks, self.entity, self.lines.words.sentence, refuse)
        refuse_deep(self.source, found.last - found.first + 1, len(self.lines.text), "bytes")
        self.sized = words_of_mentions(found, self.number)
        self._note_brackets(found)
        self.head = self._heads(found, self.sized, refuse)
        columns, order = self._by_entity(found, self.sized, self.head, self.chunks.id_of)
        columns["odd_labels"] = self.chunks.ids_of(found.chunk[order][changes(columns["entity"])])
        if not self.fields.grouped:
            self._note_split(columns)
        return columns

    def _by_entity(
        self, found: FileMentions, sized: Sized, head: Ints, id_of: Callable[[int], Any]
    ) -> tuple[Columns, Ints]:
        """Return the columns about mentions without the ids of entities, and the order of mentions in them; ``id_of``
        gives the id of the entity of a chunk.
        """
        first = np.cumsum(sized.size) - sized.size
        edges = sized.word[first], sized.word[first + sized.size - 1]
        order, entity = self._order(found, sized.size, edges, id_of)
        first_word, last_word = (words[order] for words in edges)
        columns = {
            "document": self.document_of(first_word[changes(entity)]),
            "entity": entity,
            "start": self.tokens_before[first_word],
            "end": self.tokens_before[last_word] + self.lines.words.overt[last_word] - 1,
            "line": self.lines.tokens[self.lines.words.row[first_word]] + 1,
            "nodes": self._nodes(sized, head).take(order),
        }
        return columns, order

    def _note_split(self, columns: Columns) -> None:
        """Add a notice for entities whose ids belong to another document as well."""
        ids, document = columns["odd_labels"], columns["document"]
        first: dict[str, int] = {}
        if not (again := [at for at, name in enumerate(ids) if first.setdefault(name, at) != at]):
            return
        names, names_again = self.lines.documents.names, {ids[at] for at in again}
        details = {
            "entity": ids[again[0]],
            "before": names[int(document[first[ids[again[0]]]])],
            "document": names[int(document[again[0]])],
            "more": f" ({plural(len(names_again), 'such entity')} in all)" if len(names_again) > 1 else "",
        }
        self.note("split-entity", int(columns["line"][np.searchsorted(columns["entity"], again[0])]), **details)

    def _note_numbers(self) -> None:
        """Add a notice for words of a sentence that have one number."""
        if len(again := np.flatnonzero((number := self.lines.words.number)[1:] == number[:-1]) + 1):
            row = int(self.lines.words.row[again].min())
            details = {"count": plural(len(again), "word"), "number": as_text(self.lines.column(row, ID))}
            self.note("repeated-number", self.lines.line_of(row), **details)

    def _heads(self, found: FileMentions, sized: Sized, refuse: Refuse) -> Ints:
        """Return the head of each mention, its place in the file."""
        if self.request.heads == PARSE:
            raise UsageError(f"--heads {PARSE} needs parses, which CorefUD lacks; expected file, tree or last")
        if self.request.heads in (TREE, LAST):
            if self.request.heads == TREE and max(sized.size, default=0) > 1 and not depths(self.lines).any():
                raise UsageError(f"--heads {TREE} needs trees, and {self.source.name} has none; leave it out")
            return self._heads_of_words(sized)
        place = heads(found, sized, refuse)
        self._note_heads(found)
        head: Ints = sized.word[np.cumsum(sized.size) - sized.size + place]
        return head

    def _heads_of_words(self, sized: Sized) -> Ints:
        """Return the same where brackets do not matter."""
        return highest(self.lines, sized) if self.request.heads == TREE else sized.word[np.cumsum(sized.size) - 1]

    def _entities(self, refuse: Refuse) -> Ints:
        """Return the entity of each chunk. One that is refused for its id counts for an entity of that id."""
        stops = self.chunks.id_stop
        if (odd := (stops == self.chunks.id_start) | (self.chunks.text[stops - 1] == ord("]"))).any():
            refuse("odd-id", np.flatnonzero(odd), None)
        numbers: dict[tuple[int, str], int] = {}
        names = zip(self.document_of(self.chunks.word).tolist(), self.chunks.ids_of(slice(None)), strict=True)
        found = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        ids = {name: at for at, name in enumerate(dict.fromkeys(name for _, name in numbers))}
        if len(ids) < len(numbers) and not self.fields.grouped:
            self.id_of = np.array([ids[name] for _, name in numbers])
        return found

    def _order(
        self, found: FileMentions, size: Ints, edges: tuple[Ints, Ints], id_of: Callable[[int], Any]
    ) -> tuple[Ints, Ints]:
        """Return the mentions by their entities, and the entity of each; ``edges`` are their first and last words."""
        # Words by document and then in their order, those of one number as one: small numbers, which are sorted as one.
        number = self.lines.words.number[self.order]
        again = np.flatnonzero(number[1:] == number[:-1]) + 1
        places = (self.place[words] for words in edges)
        first_place, last_place = (place - np.searchsorted(again, place, side="right") for place in places)
        keys = first_place, -size, last_place - first_place
        order = order_by(*keys, found.chunk)
        if (equal := ~changes(*(key[order] for key in keys))).any():
            equal[:-1] |= equal[1:]
            which = order[equal]
            names = [id_of(chunk) for chunk in found.chunk[which].tolist()]
            place_of = {name: at for at, name in enumerate(sorted(set(names)))}
            rank = np.zeros(len(order), dtype=np.int64)
            rank[which] = [place_of[name] for name in names]
            order = order_by(*keys, rank, found.chunk)
        _, entity = in_order(found.entity[order])
        if self.id_of is not None:  # in the order of the first mentions with these ids, perhaps in another document
            _, entity = ranked(self.document_of(edges[0][order]), in_order(self.id_of[found.entity[order]])[1])
        by_entity = order_by(entity)
        return order[by_entity], entity[by_entity]

    def _nodes(self, sized: Sized, head: Ints) -> Nodes:
        zero = ~self.lines.words.overt[head]
        first, of = ranked(head[zero])
        count, parent, relation = links_of(self.lines, head[zero][first], self.number, self.refuse).of(of)
        links = np.zeros(len(head), dtype=np.int64)
        links[zero] = count
        if len(without := head[zero][count == 0]):
            self.note("zero-without-dependency", self._line_of(without.min()), count=plural(len(without), "mention"))
        return Nodes(sized.size, self.number[head], zero, links, self.number[sized.word], parent, relation)

    def _line_of(self, word: int) -> int:
        return self.lines.line_of(int(self.lines.words.row[word]))

    def _note_brackets(self, found: FileMentions) -> None:
        """Add a notice for brackets that are taken otherwise than they are written."""
        odd = {
            "dropped-mention": found.unclosed,
            "stretched-mention": found.stretched,
            "unfinished-mention": found.unfinished,
            "misnumbered-parts": [parts[0].chunk for parts in found.misnumbered],
        }
        for code, which in odd.items():
            for chunk in self.take(code, which):
                self.keep(self._about(code, chunk))

    def _note_heads(self, found: FileMentions) -> None:
        """Add a notice for mentions without a head."""
        no_head = "no head" if self.fields.head is not None else "no head, since the header names no such field"
        of_zero = "the head 0, although words are counted from 1"
        # A head of 0 is the last word if a bracket of its own ends the mention (`mentions.heads`).
        unusable = {
            no_head: found.head == NO_HEAD,
            "an empty head field": found.head == EMPTY_HEAD,
            of_zero: (found.head == 0) & ~found.last_single,
        }
        wide, first = np.bincount(found.of, found.last - found.first + 1, len(found.head)) > 1, found.head == 1
        of = self.document_of(self.chunks.word[found.chunk])
        every, ones = (np.bincount(of[which], minlength=of.max(initial=0) + 1) for which in (wide, wide & first))
        if (odd := wide & lacking(every - ones, every)[of]).sum() > _BY_CHANCE:
            unusable["the head 1, like every mention of several words in these documents"] = odd
        for what, which in unusable.items():
            if len(chunks := found.chunk[which]):
                line = self._line_of(int(self.chunks.word[chunks].min()))
                self.note("no-head", line, count=plural(len(chunks), "mention"), what=what)

    def _fault(self, code: str, chunk: int, other: int | None) -> Finding:
        """Return the error about a chunk; ``other`` is one before it."""
        document = int(self.document_of(self.chunks.word[chunk]))
        begun = self.lines.documents
        details: dict[str, object] = {
            "document": begun.names[document],
            "begin": begun.lines[document],
            "label": as_text(self.chunks.id_of(chunk)),
        }
        if other is not None:
            details["line"] = self._line_of(int(self.chunks.word[other]))
        return self._about(code, chunk, **details)

    def _about(self, code: str, chunk: int, **details: object) -> Finding:
        """Return what is found about a chunk, with the chunk shown."""
        row = int(self.lines.words.row[self.chunks.word[chunk]])
        closes, text = self.chunks.kind[chunk] == CLOSE, self.chunks.text_of(chunk)
        start = int(self.chunks.start[chunk]) - (not closes)
        return self.lines.about(code, row, b"%b)" % text if closes else b"(" + text, start, **details)


def words_at(source: Source, spans: Sequence[Span]) -> Iterator[str]:
    """Yield the words of spans of one file; for an empty span the form of the empty node at which it stands."""
    # The errors of the file were reported when it was first read.
    lines = Lines(source, take=lambda code, rows: ())
    words = lines.words
    line = lines.tokens[words.row] + 1

    def forms(places: Iterable[int]) -> list[str]:
        return [as_text(lines.column(int(words.row[at]), FORM)) for at in places]

    overt = np.flatnonzero(words.overt)
    by_line = np.argsort(line)
    for span in spans:
        at = int(by_line[np.searchsorted(line, span.line, sorter=by_line)])
        if (size := span.end - span.start + 1) <= 0:
            yield passage(forms([at]), 1)
            continue
        first = int(np.searchsorted(overt, at))
        places = [int(overt[place]) for place in passage_places(first, size) if place < len(overt)]
        yield passage(forms(places), size)
