"""JSON lines as coreference models write them: one object a line, one document an object.

    {"doc_key": "bn/x_0", "sentences": [["The", "cat", "saw", "it"]], "clusters": [[[0, 1], [3, 3]]]}

- `doc_key` is the name of the document.
- `clusters` are its entities, each a list of mentions `[first token, last token]`, counted from 0 through the whole
  document. A response has them in `predicted_clusters` where its first object has that field; ``--clusters-field``
  names any other, or two (``KEY,RESPONSE``). All objects have the same field, so that nothing else slips in where a
  prediction is missing.
- `sentences`, lists of words, give the number of tokens and the words. Without them neither is known.
- `subtoken_map` gives the word of each subtoken; offsets then count subtokens and are mapped to words. `sentences`
  are of words or, as the models have it, segments of subtokens.

Other fields are passed over, and so are clusters without mentions. Entities and mentions come in the order in which
`corefscore.formats.conll.writer.write` and `corefscore.formats.conll.reader` would give them, so that the digits are
the same.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from corefscore.arrays import NONE, Ints, changes, order_by
from corefscore.errors import InputError
from corefscore.findings import Finding, counted
from corefscore.formats.jsonlines.objects import (
    EXPECTED,
    MOST_TOKENS,
    Fields,
    bad_field,
    check_fields,
    clean,
    faults_of,
    flattened,
    lines,
    name_of,
    number_of_tokens,
    objects,
    of_subtokens,
    parsed,
    sentences_of,
)
from corefscore.formats.row import (
    BATCH,
    FullDocument,
    Request,
    Sentences,
    changed_order,
    order_kept,
    passage,
    passage_places,
)
from corefscore.formats.words import numbers_of
from corefscore.model import KEY, RESPONSE, UNKNOWN, Documents, Place, Span, Texts
from corefscore.sources import Source

WHOLE_FILE = ("no-document", "json-document")
"""Faults of a whole file, of which each line would tell again."""

CONFLICT = "the order of ids would change which copy of a mention counts"
"""Why ids that run from 0 are dropped."""

FIELDS_SHOWN = 10
"""How many fields a message lists."""

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches.

    Raises `InputError` for the first thing that is not as the head of this file has it; `UsageError` for a file that
    cannot be read.
    """
    return Reader(notices, request).documents(files)


class Reader:
    """Reads one corpus.

    Scoring refuses at the first fault. Who wants to know more (`corefscore.formats.jsonlines.examiner`) overrides
    `note`, `refuse`, `text_of` and `look`, and reads on by the same rules.
    """

    most = 1
    """How many faults of a document are told."""

    def __init__(self, notices: list[Finding], request: Request) -> None:
        self.notices, self.request = notices, request
        self.field = _field(request)
        self.batch = Gathered(self.most, texts=self.request.texts)

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """The documents of all files, in batches."""
        for source in files:
            for _ in self._file(source):
                if self.batch.bytes > BATCH:
                    yield self._full()
        if self.batch.names:
            yield self._full()

    def note(self, finding: Finding) -> None:
        """Keep a notice."""
        self.notices.append(finding)

    def refuse(self, error: InputError, place: Place, fields: Fields) -> None:
        """Deal with a fault of a line, of which these fields are known."""
        raise error

    def text_of(self, fields: Fields, tokens: int) -> Ints:
        """The numbers of the words of a document (`corefscore.model.Texts`); unknown where they are not there, or would
        have to be put together from subtokens."""
        its_sentences = None if of_subtokens(fields) else sentences_of(fields)
        return np.full(max(tokens, 0), UNKNOWN) if its_sentences is None else numbers(its_sentences)

    def look(self, place: Place, fields: Fields, field: str) -> None:
        """Look at a document without a fault, and at the field of its clusters."""

    def _file(self, source: Source) -> Iterator[None]:
        """Read one file, line by line."""
        found = False
        for place, line in lines(source):
            fields: Fields = {}
            first, found = not found, True
            self.batch.bytes += len(line)
            try:
                fields = parsed(place, line, first=first)
                field = self._field(place, fields)
                merged = self.batch.add(place, fields, field)
                if self.batch.texts is not None:
                    self.batch.texts.append(self.text_of(fields, self.batch.tokens[-1]))
            except InputError as error:
                self.refuse(error, place, fields)
                if error.findings[0].code in WHOLE_FILE:
                    return
            else:
                if merged:
                    details = {"document": self.batch.names[-1], "count": counted(merged, "mention")}
                    self.note(Finding("merged-subtokens", source.name, place.line, details=details))
                self.look(place, fields, field)
            yield
        if not found:
            empty = "the file is empty" if not source.head(1) else "the file holds nothing but white space"
            details = {"what": empty, "expected": EXPECTED}
            self.refuse(InputError([Finding("no-document", source.name, details=details)]), Place(source, None), {})

    def _field(self, place: Place, fields: Fields) -> str:
        """The field of the clusters. Raises `InputError` for one that the first object should have had."""
        if self.field is None:
            self.field = _by_first(place, fields, self.request)
        chosen = self.request.clusters_field is None and self.request.side != KEY
        if chosen and self.field == CLUSTERS and PREDICTED in fields:
            expected = "the same field in every object; --clusters-field NAME says which one has the clusters"
            raise bad_field(place, fields, PREDICTED, "is here, and not in the first object", expected)
        return self.field

    def _full(self) -> Documents:
        documents = self.batch.documents()
        self.batch = Gathered(self.most, texts=self.request.texts)
        return documents


def settled(files: Sequence[Source], request: Request) -> Request:
    """What is asked, the field that the first object decides included. Raises as `read` does, for that object."""
    if _field(request) is not None:
        return request
    first = next((each for source in files for each in objects(source)), None)
    return request if first is None else request._replace(by_first=_by_first(*first, request))


def has_both_sides(source: Source) -> bool:
    """Whether the first object of a file has the clusters of both sides. Raises `InputError` for what is no object."""
    first = next(objects(source), None)
    return first is not None and {CLUSTERS, PREDICTED} <= first[1].keys()


def _field(request: Request) -> str | None:
    """The field of the clusters; None where the first object decides."""
    if request.clusters_field is not None:
        return request.clusters_field.split(",")[-1 if request.side == RESPONSE else 0]
    return CLUSTERS if request.side == KEY else request.by_first


def _by_first(place: Place, fields: Fields, request: Request) -> str:
    """The field of the clusters, by the first object. Raises `InputError` where nobody said which of two it is."""
    if request.side is None and {CLUSTERS, PREDICTED} <= fields.keys():
        expected = 'side="key" or side="response" for the one or the other, or clusters_field'
        raise bad_field(place, fields, CLUSTERS, f"stands beside {PREDICTED}", expected)
    return PREDICTED if PREDICTED in fields else CLUSTERS


def numbers(its_sentences: Sentences) -> Ints:
    """The numbers of the words of sentences."""
    return numbers_of([word.encode("utf-8", "surrogateescape") for word in chain(*its_sentences)])


def words(source: Source, spans: Sequence[Span]) -> list[str]:
    """The words of spans of one file, or their offsets where it has no sentences."""
    by_line: dict[int, list[int]] = defaultdict(list)
    for at, span in enumerate(spans):
        by_line[span.line].append(at)
    found: dict[int, str] = {}
    for place, fields in objects(source, by_line):
        its_sentences = sentences_of(fields)
        every = None if its_sentences is None else list(chain(*its_sentences))
        for at in by_line[place.line or 0]:
            start, end = spans[at].start, spans[at].end
            found[at] = f"{start}-{end}" if every is None else _passage(every, start, end)
    return [found[at] for at in range(len(spans))]


def sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences | None]:
    """The words of a file, document by document; None where it does not give them.

    Notices tell where words had to be put together from subtokens, and which fields nobody reads.
    """
    read = {"doc_key", "sentences", "subtoken_map", _field(request)}
    told: set[str] = set()
    for place, fields in objects(source):
        if others := [name for name in fields if name not in read and name not in told]:
            told.update(others)
            more = f" and {len(others) - FIELDS_SHOWN} more" if len(others) > FIELDS_SHOWN else ""
            shown = ", ".join(clean(name) for name in others[:FIELDS_SHOWN])
            details = {"document": name_of(place, fields), "fields": shown + more}
            notices.append(Finding("dropped-fields", source.name, place.line, details=details))
        if of_subtokens(fields):
            details = {"document": name_of(place, fields)}
            notices.append(Finding("joined-subtokens", source.name, place.line, details=details))
        yield sentences_of(fields)


def write(documents: Iterator[FullDocument], notices: list[Finding]) -> Iterator[str]:
    """Documents as JSON lines; notices tell where ids of entities are lost, or their order.

    The place of a cluster is its id, so ids are kept where they run from 0 and that keeps the order.
    """
    told = False
    for document in documents:
        names = list(document.entities)
        places = [str(number) for number in range(len(names))]
        from_0 = document.entities.keys() == set(places)
        if not order_kept(document, places if from_0 else names):
            if not order_kept(document, names):
                notices.append(changed_order(document))
            elif from_0:
                from_0 = False
        if not from_0 and not told:
            what = "the ids of entities do not run from 0" if set(names) != set(places) else CONFLICT
            details = {"what": what}
            notices.append(Finding("dropped-ids", document.place.source.name, document.place.line, details=details))
            told = True
        clusters = [document.entities[name] for name in (places if from_0 else names)]
        fields = {"doc_key": document.name, "sentences": document.sentences, "clusters": clusters}
        if document.sentences is None:
            del fields["sentences"]
        # Bytes that are not UTF-8 travel as lone surrogates, which JSON can hold as escapes.
        line = json.dumps(fields, ensure_ascii=False)
        yield re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line) + "\n"


class Gathered:
    """The documents since the last batch: lists of whole numbers, which become columns at its end.

    ``most`` is how many faults of a document are told. ``texts`` has the words of each document where they are kept.
    """

    def __init__(self, most: int, *, texts: bool) -> None:
        self.most = most
        self.texts: list[Ints] | None = [NONE] if texts else None
        self.names: list[str] = []
        self.places: list[Place] = []
        self.tokens: list[int] = []
        self.document: list[int] = []
        self.label: list[int] = []
        self.sizes: list[int] = []
        self.offsets: list[int] = []
        self.faults: dict[int, Callable[[], Finding]] = {}
        self.bytes = 0

    def add(self, place: Place, fields: Fields, field: str) -> int:
        """Add one document; how many mentions fall together with others when subtokens are mapped to words.

        Raises `InputError` for what is wrong with it.
        """
        name = name_of(place, fields)
        check_fields(place, fields, field)
        tokens, known_by = number_of_tokens(place, fields)
        subtoken_map: list[int] | None = fields.get("subtoken_map")
        offsets = tokens if subtoken_map is None else len(subtoken_map)
        clusters = fields[field]
        merged = 0
        found = flattened(clusters, MOST_TOKENS if offsets < 0 else offsets)
        if found is None:
            faults = (
                {"document": name, "place": field + where, "what": what, "expected": expected}
                for where, what, expected in faults_of(clusters, offsets, known_by)
            )
            raise InputError(
                Finding("bad-mention", place.source.name, place.line, details=details)
                for details in islice(faults, self.most)
            )
        if subtoken_map is not None:
            apart = len(set(zip(found[::2], found[1::2], strict=True)))
            found = [subtoken_map[offset] for offset in found]
            merged = apart - len(set(zip(found[::2], found[1::2], strict=True)))
        for number, cluster in enumerate(clusters):
            if cluster:
                self.document.append(len(self.names))
                self.label.append(number)
                self.sizes.append(len(cluster))
        self.offsets += found
        self._begin(name, place, tokens)
        return merged

    def add_faulty(self, name: str, place: Place, fault: Finding) -> None:
        """Add a document of which only the name can be told."""
        self.faults[len(self.names)] = lambda: fault
        self._begin(name, place, -1)

    def _begin(self, name: str, place: Place, tokens: int) -> None:
        self.names.append(name)
        self.places.append(place)
        self.tokens.append(tokens)

    def documents(self) -> Documents:
        """The batch in columns, in the order that `Documents` asks for."""
        document, label, sizes = (
            np.array(column, dtype=np.int64) for column in (self.document, self.label, self.sizes)
        )
        start, end = np.array(self.offsets, dtype=np.int64).reshape(-1, 2).T
        entity = np.repeat(np.arange(len(sizes)), sizes)
        # Of what begins at one token, one-token mentions appear first, then the longest; the same for what ends there.
        several: Ints = (end > start).astype(np.int64)
        by_appearance = order_by(entity, start, several, -end)
        first = by_appearance[changes(entity[by_appearance])]
        entities = order_by(document, start[first], several[first], -end[first])
        new_number = np.argsort(entities)
        entity = new_number[entity]
        mentions = order_by(entity, end, several, -start)
        lines = np.array([place.line for place in self.places], dtype=np.int64)
        tokens = np.array(self.tokens, dtype=np.int64)
        texts = None
        if self.texts is not None:
            texts = Texts(np.concatenate(self.texts), np.repeat(lines, np.maximum(tokens, 0)))
        return Documents(
            names=self.names,
            places=self.places,
            tokens=tokens,
            document=document[entities],
            label=label[entities],
            entity=entity[mentions],
            start=start[mentions],
            end=end[mentions],
            line=lines[document[entities][entity[mentions]]],
            faults=self.faults,
            words=words,
            texts=texts,
        )


def _passage(words: Sequence[str], start: int, end: int) -> str:
    size = end - start + 1
    return passage([words[place] for place in passage_places(start, size) if place < len(words)], size)
