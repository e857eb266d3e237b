"""The reader of JSON of coreference models: one object a document, each on a line or all in one array.

    {"doc_key": "bn/x_0", "sentences": [["The", "cat", "saw", "it"]], "clusters": [[[0, 1], [3, 3]]]}

The fields, and what a mention is, depend on the dialect (`corefscore.formats.jsonlines.dialects`). In e2e-coref:

- `doc_key` is the name of the document.
- `clusters` are its entities, each a list of mentions `[first token, last token]`; the tokens of a document are
  numbered from 0. A response has them in `predicted_clusters` if its first object has that field;
  ``--columns clusters=NAME`` names another field. All objects have the same dialect and field, so that no other field
  is read in place of a missing prediction.
- `sentences`, lists of words, contain the words and so the number of tokens. Without them neither is known.
- `subtoken_map` contains the number of the word of each subtoken; offsets then count subtokens and are mapped to words.
  `sentences` contain words, or segments of subtokens, as these models write them.

Other fields and clusters without mentions are ignored. Entities and mentions are in the order that they would have
after `corefscore.formats.conll.writer.write` and `corefscore.formats.conll.reader`, so that scores are the same. If
mentions count characters, the text is cut at blanks and at the ends of mentions. The pieces are tokens, which are
mapped to those of the other side (`corefscore.matching.pairing`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, chain, islice, pairwise
from typing import Any

import numpy as np

from corefscore.core.arrays import NONE, Ints
from corefscore.core.documents import KEY, OF_FIELD, RESPONSE, UNKNOWN, Documents, Place, Texts
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import MOST, Finding, Found, plural, shortened
from corefscore.core.items import LONGEST, Items, ItemWords, Numbers
from corefscore.core.sources import Source
from corefscore.formats.base import BATCH, CLUSTERS, Annotations, Request, Sentences, found_at, refused, zeros_in
from corefscore.formats.gathered import Gathered, words_of_spans
from corefscore.formats.jsonlines.dialects import E2E, OF_CHARACTERS, PREDICTED, TEXT, Dialect, has_tokens
from corefscore.formats.jsonlines.objects import (
    EXPECTED,
    Fields,
    are,
    are_signed,
    bad_field,
    check_fields,
    check_spelling,
    clean,
    dialect_of,
    faults_of,
    flattened,
    name_of,
    objects,
    of_subtokens,
    offsets_of,
    parsed,
    pieces_of,
    records,
    sentences_of,
    texts_of_ids,
    within_words,
)
from corefscore.formats.sides import METADATA, OF_ENTITIES, leave, naming_fields, of_key, refuse_other_side, side_in
from corefscore.formats.words import numbers_of
from corefscore.formats.written import dropped

_WHOLE_FILE = ("no-document", "json-document")
"""Faults of a whole file, which every line would have again."""

_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Half characters that do not mean a byte (`corefscore.formats.jsonlines.objects.clean`)."""

_PREDICTIONS = "(?i)pred[a-z]*(?:_coref[a-z]*)?|hyp[a-z]*|outputs?"
"""Names of fields that are those of a response if their values are lists or objects with others inside."""

_SHARED, _ENOUGH = 0.9, 5000
"""The share of `Others` for what fields say of ids, and from how many ids on only one of sixteen documents is compared,
the same ones on both sides, whatever their order."""

_ANSWER = "answer"
"""The field of tagged text (`corefscore.formats.tagged`)."""

_ODD = 0.1
"""The share of the mentions of a document that is reported if they begin or end within words."""

_LONGEST_NAME = 200
"""The number of characters that what may be a name has at most."""


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """Return the documents of all files as one corpus, in batches.

    Raises `InputError` for the first object that is not as described above, `UsageError` for a file that cannot be
    read.
    """
    return _Reader(notices.append, request).documents(files)


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Yield the documents of all files as one corpus, in batches, with their faults; all that is wrong or odd is added
    to ``found``. Raises `UsageError` for a file that cannot be read."""
    return _Reader(found.add, request, found).documents(files)


class _Reader:
    """Reads one corpus. Scoring stops at the first fault; validation adds all of them to ``found`` and goes on."""

    def __init__(self, note: Callable[[Finding], None], request: Request, found: Found | None = None) -> None:
        self.note, self.request, self.found = note, request, found
        self.words = partial(words_of_spans, annotations_of, request._replace(names=None))
        self.items = Numbers()
        self.seen = self.told_alone = self.told_within = False
        self.nameless: list[Place] = []  # the documents of a file without names
        self.values: dict[str, list[str | int]] = {}  # of the fields of these that are not read
        self._begin()

    def _begin(self) -> None:
        """Begin a batch."""
        self.batch = Gathered()
        self.faults: dict[int, Callable[[], Finding]] = {}
        self.texts = [NONE]
        self.characters: list[str | None] = []
        self.others: dict[tuple[str, float], dict[int, int]] = {}

    def documents(self, files: Sequence[Source]) -> Iterator[Documents]:
        """Yield the documents of all files, in batches."""
        for source in files:
            for _ in self._file(source):
                if self.batch.size > BATCH:
                    yield self._full()
        if self.batch.names:
            yield self._full()

    def _refuse(self, error: InputError, place: Place, fields: Fields) -> None:
        """Raise the error for a fault of an object, or add it to ``found`` and the name of the document, if it has one,
        to the batch; ``fields`` are those of its fields that are known."""
        if self.found is None:
            raise error
        self.found.add(*error.findings)
        if fields:
            with suppress(InputError):
                name = name_of(place, fields, dialect_of(place, fields, self.request))
                self.faults[len(self.batch.names)] = lambda: error.findings[0]
                self.batch.add(name, place, -1)
                self.characters.append(None)

    def _text_of(self, fields: Fields, tokens: int, dialect: Dialect) -> Ints:
        """Assign numbers to the words of a document (`corefscore.core.documents.Texts`); unknown if it has no words.
        Those that are joined from subtokens are compared in validation alone."""
        sentences = None if self.found is None and of_subtokens(fields, dialect) else sentences_of(fields, dialect)
        if sentences is None:
            return np.full(max(tokens, 0), UNKNOWN)
        return numbers_of([word.encode("utf-8", "surrogateescape") for word in chain(*sentences)])

    def _file(self, source: Source) -> Iterator[None]:
        """Read one file, object by object."""
        place, found = Place(source, None), False
        self.nameless, self.values = [], {}
        try:
            for place, size, parse in records(source):
                found = True
                fields: Fields = {}
                self.batch.size += size
                try:
                    fields = parse()
                    self._add(place, fields)
                except InputError as error:
                    self._refuse(error, place, fields)
                    if error.findings[0].code in _WHOLE_FILE:
                        return
                yield
            if not found:
                raise _empty_file(source)
        except InputError as error:
            self._refuse(error, place, {})
        dialect, _ = self.request.by_first or (E2E, CLUSTERS)
        for name in naming_fields(self.values, len(self.nameless))[:1]:
            expected = f"documents are named by line; rename the field to {dialect.names[0]} to pair them by name"
            what = "the names of documents"
            self.note(found_at(self.nameless[0], "unread-field", name=name, what=what, expected=expected))

    def _add(self, place: Place, fields: Fields) -> None:
        """Add the document of an object to the batch. Raises `InputError` for a fault."""
        dialect, field = self._first(place, fields)
        name = name_of(place, fields, dialect)
        check_fields(place, fields, field, dialect)
        tokens, flat = self._mentions(name, place, fields, field, dialect)
        text = fields.get(dialect.words) if dialect.shape == TEXT else None
        if text is not None:
            self._note_within(place, name, text, flat)
            text, tokens, mentions = pieces_of(text, flat)
            if len(blank := np.flatnonzero(mentions[:, 0] > mentions[:, 1])):
                start, end = flat[2 * blank[0]], flat[2 * blank[0] + 1]
                what = f"[{start}, {end + 1}], where the text has only blanks"
                expected = "the offsets of words"
                raise refused(place, "bad-mention", document=name, place="a mention", what=what, expected=expected)
            flat = mentions.ravel().tolist()
        unnamed = fields.keys().isdisjoint(dialect.names)
        if not self.seen:
            self.seen = True
            self._note_unread(place, fields, dialect)
        alone = [name for name, value in fields.items() if "singleton" in name.lower() and isinstance(value, list)]
        if alone and not self.told_alone:
            self._note_alone(place, fields, alone, fields[field])
        if unnamed:
            self.nameless.append(place)
            for other, value in fields.items():
                if type(value) in (str, int) and other not in dialect.fields and len(str(value)) <= _LONGEST_NAME:
                    self.values.setdefault(other, []).append(value)
        self.batch.add(name, place, tokens, enumerate(map(len, fields[field])), flat, unnamed=unnamed)
        if CLUSTERS not in self.request.columns:
            predicted = "" if self.request.side == KEY else dialect.predicted or ""
            others = [name for name, value in fields.items() if isinstance(value, str | list | tuple)]
            leave(self.batch.unread, place, others, {*dialect.fields, dialect.clusters, predicted})
        self.characters.append(text)
        if self.request.texts:
            self.texts.append(self._text_of(fields, tokens, dialect))
        if self.found is not None and (empty := sum(not cluster for cluster in fields[field])):
            self.note(found_at(place, "empty-cluster", document=name, count=plural(empty, "cluster"), field=field))

    def _note_within(self, place: Place, name: str, text: str, offsets: Sequence[int]) -> None:
        """Add a notice, once, for a document in which several mentions begin or end within a word."""
        odd = () if self.told_within else within_words(text, offsets)
        if 1 < len(odd) >= _ODD * len(offsets) / 2:
            self.told_within = True
            count, (first, last) = f"{len(odd)} of {plural(len(offsets) // 2, 'mention')}", odd[0]
            words = shortened(text[first : last + 1])
            self.note(found_at(place, "within-words", document=name, count=count, words=words))

    def _note_alone(self, place: Place, fields: Fields, names: Sequence[str], clusters: Sequence[Any]) -> None:
        """Add a notice for a field with entities of one mention that are not in the clusters."""
        known, kinds = {repr(its) for its in (*clusters, *chain(*clusters))}, {list, *map(type, chain(*clusters))}
        for name in names:
            if any(type(its) in kinds and repr(its) not in known for its in fields[name]):
                self.told_alone = True
                expected, what = "to score these entities, add them to the clusters", "entities of one mention"
                self.note(found_at(place, "unread-field", name=name, what=what, expected=expected))
                return

    def _note_unread(self, place: Place, fields: Fields, dialect: Dialect) -> None:
        """Add a notice for a field that seems to have the words of the document, the places of mentions that are given
        by id, or other predictions, and is not read."""
        if CLUSTERS not in self.request.columns and _other_clusters(fields, dialect, self.request.side):
            self.note(found_at(place, "chosen-column", taken=dialect.predicted, role=CLUSTERS))
        for name, value in fields.items() if self.items else ():
            text = json.dumps(value)
            numbers = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
            if re.search(r"(?<![\d.])\d+(?![\d.])", numbers) and all(json.dumps(each) in text for each in self.items):
                expected = "mentions are compared as texts; write their places in clusters instead"
                self.note(found_at(place, "unread-field", name=name, what="places of mentions", expected=expected))
        if dialect is E2E and not {E2E.words, "subtoken_map"} & fields.keys():
            for name in ("tokens", "words", "document"):
                if isinstance(fields.get(name), list) and are(str, fields[name]):
                    expected = 'to compare tokens, give "sentences", a list of lists of words'
                    self.note(found_at(place, "unread-field", name=name, what="the words", expected=expected))

    def _mentions(self, name: str, place: Place, fields: Fields, field: str, dialect: Dialect) -> tuple[int, list[int]]:
        """Return the number of tokens of a document, and the first and the last token of each mention; a mention that
        is text has a place that no token has. Raises `InputError` for wrong mentions."""
        tokens, offsets = offsets_of(place, fields, dialect)
        clusters = fields[field]
        texts = list(chain.from_iterable(clusters)) if are(list, clusters) else []
        if texts and offsets.sizes is None and are(str, texts):
            if not all(map(str.strip, texts)):
                details = {"place": f"a mention of {field}", "what": '""', "expected": "words; leave out this mention"}
                raise refused(place, "bad-mention", document=name, **details)
            known = max(map(len, self.others.values()), default=0)
            for its, of in texts_of_ids(fields, clusters) if known < _ENOUGH or sum(map(ord, name)) % 16 == 0 else ():
                self.others.setdefault((its, _SHARED), {}).update(
                    (hash((name, at)), hash(text)) for at, text in of.items()
                )
            return tokens, np.repeat(self.items.of(list(map(clean, texts))) - LONGEST, 2).tolist()
        flat = flattened(clusters, offsets)
        if flat is None:
            raise InputError(
                found_at(place, "bad-mention", document=name, place=field + where, what=what, expected=expected)
                for where, what, expected in islice(faults_of(clusters, offsets), 1 if self.found is None else MOST)
            )
        if field == dialect.clusters and (odd := check_spelling(place, fields, flat, name, dialect)):
            self.note(odd)
        subtoken_map: list[int] | None = fields.get(dialect.subtokens or "")
        if subtoken_map is not None:
            has_words = fields.get(dialect.words) is not None and not of_subtokens(fields, dialect)
            if max(flat, default=tokens) < tokens < len(subtoken_map) and (has_words or _cut_words(subtoken_map, flat)):
                counts = {"count": plural(tokens, "word"), "subtokens": plural(len(subtoken_map), "subtoken")}
                self.note(found_at(place, "perhaps-words", document=name, **counts))
            different = len(set(zip(flat[::2], flat[1::2], strict=True)))
            flat = [subtoken_map[offset] for offset in flat]
            if merged := different - len(set(zip(flat[::2], flat[1::2], strict=True))):
                self.note(found_at(place, "merged-subtokens", document=name, count=plural(merged, "mention")))
        return tokens, flat

    def _first(self, place: Place, fields: Fields) -> _First:
        """Return the dialect and the field of the clusters. Raises `InputError` if an object has the field of
        predictions and the first object did not, and if its offsets seem to count characters and those of the first
        object tokens.
        """
        dialect, first_field = first = _by_first(place, fields, self.request)
        self.request = self.request._replace(by_first=first)
        side, predicted = self.request.side, dialect.predicted
        if CLUSTERS not in self.request.columns and first_field != predicted:
            other = predicted if side != KEY and predicted in fields else None
            if other or (dialect.clusters in fields and (other := _other_clusters(fields, dialect, side))):
                expected = "the same field in every object; choose it with --columns clusters=NAME"
                raise bad_field(place, fields, other, "contains clusters here, but not in the first object", expected)
        if dialect is E2E and self.request.input_format != E2E.name and not has_tokens(fields):
            field = next(name for name in OF_CHARACTERS if name in fields)
            what = "occurs without sentences, so offsets may count characters; those of the first object count tokens"
            expected = f"one kind of offsets in a file; --input-format {E2E.name} reads all of them as tokens"
            raise bad_field(place, fields, field, what, expected)
        return first

    def _full(self) -> Documents:
        """Return the batch in columns, and begin another one."""
        texts = None
        if self.request.texts:
            lines = np.array([place.line for place in self.batch.places], dtype=np.int64)
            texts = Texts(np.concatenate(self.texts), np.repeat(lines, np.maximum(self.batch.tokens, 0)))
        characters = self.characters if any(text is not None for text in self.characters) else None
        words = ItemWords(self.items, spans=self.words) if self.items else self.words
        self.others["", 0] = {at: at for of in self.others.values() for at in of}
        others = {its: np.array([of.get(at, 0) for at in self.others["", 0]], int) for its, of in self.others.items()}
        items = Items(self.items, others=others) if self.items else None
        found = self.batch.documents(faults=self.faults, words=words, texts=texts, characters=characters, items=items)
        self._begin()
        return found


_First = tuple[Dialect, str]
"""The dialect and the field of the clusters of a corpus, which its first object decides."""


def _cut_words(subtoken_map: Sequence[int], flat: Sequence[int]) -> bool:
    """Return whether mentions begin and end within words at least half as often as by chance, given the word of each
    subtoken, and the first and the last subtoken of each mention."""
    within = [word == before for before, word in pairwise(subtoken_map)]
    edges = [edge for edge in (*(first - 1 for first in flat[::2]), *flat[1::2]) if 0 <= edge < len(within)]
    cut = sum(within[edge] for edge in edges)
    return cut > 0 and 2 * cut * len(within) >= sum(within) * len(edges)


def completed_request(files: Sequence[Source], request: Request) -> Request:
    """Return the request with the dialect and the field of the first object. Raises as `read` does, for that object."""
    first = next(chain.from_iterable(map(objects, files)), None)
    return request if first is None else request._replace(by_first=_by_first(*first, request))


def name_in(line: bytes, request: Request) -> str | None:
    """Find the name of the document in a line of a completed request; None if it is no object or has no name."""
    try:
        place = Place(Source(""), None)
        fields = parsed(place, line, first=False)
        dialect = dialect_of(place, fields, request)
        return None if fields.keys().isdisjoint(dialect.names) else name_of(place, fields, dialect)
    except InputError:
        return None


def has_both_sides(source: Source, key: str | None, response: str | None) -> bool:
    """Return whether the first object of a file has the clusters of both sides, in these fields or the usual ones; two
    different fields are taken at their word. Raises `InputError` if it is not an object.
    """
    if key is not None and response is not None:
        return key != response
    first = next(objects(source), None)
    fields = {key or CLUSTERS, response or PREDICTED}
    return first is not None and len(fields) == 2 and fields <= first[1].keys()


def _by_first(place: Place, fields: Fields, request: Request) -> _First:
    """Return the dialect and the field of the first object, which this one is if they are not known. Raises
    `InputError` if it has the fields of both sides and the side is not known.
    """
    if request.by_first is not None:
        return request.by_first
    dialect = dialect_of(place, fields, request)
    if request.input_format is None and CLUSTERS not in request.columns and isinstance(fields.get(_ANSWER), str):
        what = f"occurs together with clusters, so this can be tagged text or {dialect.name}"
        expected = f"one of them; choose it with --input-format tagged or --input-format {dialect.name}"
        raise bad_field(place, fields, _ANSWER, what, expected)
    has_predicted = request.side != KEY and dialect.predicted in fields
    taken = str(request.columns.get(CLUSTERS) or (dialect.predicted if has_predicted else dialect.clusters))
    chosen = CLUSTERS in request.columns or taken not in fields or (request.side == RESPONSE and has_predicted)
    if not chosen and (other := _other_clusters(fields, dialect, request.side)):
        side = request.side or KEY
        what = f"occurs together with {taken}, so either can contain the clusters of the {side}"
        expected = f"one of them; choose it with --columns {CLUSTERS}=NAME, or {side}.{CLUSTERS}=NAME for one side"
        raise bad_field(place, fields, other, what, expected)
    of_side = (name for name, value in fields.items() if isinstance(value, list) and side_in(name) == request.side)
    own = filter(fields.__contains__, (dialect.clusters, dialect.predicted or ""))
    refuse_other_side(request, place, CLUSTERS, [*own, *of_side])
    if not chosen and {dialect.clusters, dialect.predicted} <= fields.keys() and request.side is None:
        expected = 'side="key" for the first or side="response" for the second, or columns="clusters=NAME"'
        raise bad_field(place, fields, dialect.clusters, f"occurs together with {dialect.predicted}", expected)
    return dialect, taken


def _other_clusters(fields: Fields, dialect: Dialect, side: str | None) -> str | None:
    """Find a field beside those of the dialect that can have the clusters of a side, or of either if it is not known,
    by its name and its value; beside those of a system, by its value.
    """
    own = {*dialect.fields, dialect.clusters, dialect.predicted, *METADATA}
    clusters = fields.get(dialect.clusters) or fields.get(dialect.predicted or "")
    rows = [row for row in clusters if isinstance(row, list)] if isinstance(clusters, list) else []
    known = {its for its in chain(*rows) if isinstance(its, str)}
    for name in [name for name in fields if name not in own]:
        of, named, value = side_in(name), re.search(OF_ENTITIES, name), fields[name]
        if isinstance(value, str) and value.lstrip().startswith("[["):
            with suppress(ValueError):
                value = json.loads(value)
        nested = [row for row in value if isinstance(row, list | tuple)] if isinstance(value, list | tuple) else []
        spans = bool(nested) and all(are(list, row) and row and all(are(int, its) for its in row) for row in nested)
        texts = list(chain(*nested)) if all(are(str, row) for row in nested) else []
        spans = spans or 2 * sum(map(known.__contains__, texts)) > len(texts)
        predicted = of == RESPONSE and side != KEY and (named or (nested and re.fullmatch(_PREDICTIONS, name)))
        if predicted and dialect.predicted not in fields:
            return name
        if spans and ((of and side in (None, of)) or (named and not of and side == RESPONSE)):
            return name
    return None


def clusters_of(place: Place, fields: Fields, request: Request) -> tuple[Dialect, list[Any]]:
    """Return the dialect and the clusters of an object without faults."""
    dialect, field = _by_first(place, fields, request)
    return dialect, fields[field]


def words_by_sentence(place: Place, fields: Fields, request: Request) -> list[list[str]] | None:
    """Return the words of a document by sentence, or the pieces of its text if mentions count characters; None if it
    has no words.
    """
    dialect = dialect_of(place, fields, request)
    if dialect.shape != TEXT or dialect.words not in fields:
        return sentences_of(fields, dialect)
    flat = flattened(clusters_of(place, fields, request)[1], offsets_of(place, fields, dialect)[1])
    text, _, _ = pieces_of(fields[dialect.words], flat or ())
    return [clean(text).split()]


def _lost(place: Place, fields: Fields, request: Request, told: set[str]) -> Iterator[Finding]:
    """Yield notices about words that are joined from subtokens, about a text that is cut, and about fields that are
    ignored, unless these are ``told``."""
    dialect = dialect_of(place, fields, request)
    field = str(request.columns.get(CLUSTERS) or dialect.clusters)
    name = name_of(place, fields, dialect)
    if others := [name for name in fields if name not in {*dialect.fields, field, *told}]:
        told.update(others)
        yield dropped(place, f'document "{name}"', "fields", list(map(clean, others)))
    if halves := _HALF.findall(json.dumps([fields.get(own) for own in dialect.fields], ensure_ascii=False)):
        yield found_at(place, "half-character", document=name, count=plural(len(halves), "lone surrogate"))
    if of_subtokens(fields, dialect) or are_signed(fields, dialect):
        yield found_at(place, "joined-subtokens", document=name)
    if dialect.shape == TEXT and dialect.words in fields:
        yield found_at(place, "cut-text", document=name)


def _empty_file(source: Source) -> InputError:
    """Return the error for a file without objects."""
    what = "the array contains no object" if source.head(1) else "the file is empty"
    if source.head(1 << 16).isspace():
        what = "the file contains nothing but white space"
    return refused(Place(source, None), "no-document", what=what, expected=EXPECTED)


_OF_UNITS = (str, int)
"""The types of the names of units."""


def annotations_of(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the annotations of each document of a file that has no faults."""
    told: set[str] = set()
    for place, fields in objects(source, request.lines):
        words = words_by_sentence(place, fields, request) or ()
        units = () if request.unit is None else _units(place, fields, words, request.unit)
        types = _types(place, fields, words, request) if request.types and request.types.startswith(OF_FIELD) else {}
        lost = _lost(place, fields, request, told)
        yield Annotations(place.line, words, units=units, types=types, zeros=zeros_in(chain(*words)), lost=lost)


def _units(place: Place, fields: Fields, words: Sentences, unit: str) -> list[str]:
    """Return the unit of each token, from a field with one name for all tokens, or with one for each sentence or each
    token, in one list or by sentence.

    Raises `UsageError` if ``unit`` is not the name of a field, `InputError` for a field that is missing or has another
    shape.
    """
    if (field := unit.removeprefix(OF_FIELD)) == unit or not field:
        raise UsageError(f"--unit {unit}: {place.source.name} is JSON; expected field:NAME")
    value = fields.get(field)
    tokens = sum(map(len, words))
    if type(value) in _OF_UNITS:
        return [str(value)] * tokens
    if isinstance(value, list):
        flat = list(chain(*value)) if all(isinstance(item, list) for item in value) else value
        if all(type(name) in _OF_UNITS for name in flat):
            if len(flat) == tokens:
                return list(map(str, flat))
            if len(flat) == len(words):
                return [str(name) for name, sentence in zip(flat, words, strict=True) for _ in sentence]
    fault = "is missing" if field not in fields else "has the wrong shape"
    expected = f"a name, or a list of names for {plural(len(words), 'sentence')} or {plural(tokens, 'token')}"
    raise refused(place, "no-unit", what=f'the field "{field}" {fault}', expected=expected, unit=unit)


_NAMES = 3
"""The number of names that say what their ends mean."""


def _types(place: Place, fields: Fields, words: Sentences, request: Request) -> Mapping[str, str]:
    """Return the types of entities by id, from a field with a type for each cluster or for each mention, or with lists
    of the offsets and the type of a name, by sentence or not; a mention has the type of the name with its offsets.

    Raises `InputError` for a field with another shape, for offsets that count from the beginning of each sentence, and
    for ends that seem to be one later than those of mentions; without the field there are no types.
    """
    field = (request.types or "").removeprefix(OF_FIELD)
    dialect, clusters = clusters_of(place, fields, request)
    if (value := fields.get(field)) is None:
        return {}
    rows = value if isinstance(value, list) else [None]
    sizes = list(map(len, clusters))
    by_mention = are(list, rows) and are(str, chain(*rows))
    others = [its for name, its in fields.items() if name == dialect.clusters or of_key(name)]
    if request.side != KEY and (by_mention or are(str, rows)) and not all(its is clusters for its in others):
        return {}  # a type for each cluster or mention of the key, which has another field of the same object
    if are(str, rows) and len(rows) == len(sizes):
        return {str(number): kind for number, kind in enumerate(rows)}
    if by_mention and list(map(len, rows)) == sizes:
        return {str(number): next(filter(None, kinds), "") for number, kinds in enumerate(rows)}
    width = 3 if dialect.by_sentence else 2
    names = list(chain(*rows)) if are(list, rows) and are(list, chain(*rows)) else rows
    if not all(isinstance(name, list) and [*map(type, name[: width + 1])] == [int] * width + [str] for name in names):
        expected = f"a type for each cluster or each mention, or lists of {dialect.mention} and a type"
        raise bad_field(place, fields, field, "has the wrong shape", expected)
    begins = accumulate(map(len, words), initial=0) if names is not rows and len(rows) == len(words) else ()
    if not dialect.by_sentence and any(of[0] < begin for begin, row in zip(begins, rows, strict=False) for of in row):
        what = f"has offsets within a sentence; those of {dialect.clusters} are within the document"
        raise bad_field(place, fields, field, what, "offsets from the beginning of the document")
    type_of = {tuple(name[:width]): name[width] for name in reversed(names)}
    mentions = {tuple(mention) for cluster in clusters for mention in cluster}
    fit, other = (sum((*its[:-1], its[-1] - by) in mentions for its in type_of) for by in (0, 1))
    if other >= max(_NAMES, len(type_of) / 2) and other > 3 * fit:
        what = f"has {plural(fit, 'name')} with offsets of a mention, and {other} if ends were one less"
        raise bad_field(place, fields, field, what, f"ends that are those of {dialect.clusters}: {dialect.mention}")
    # The first mention of a cluster is the last one to set its type.
    pairs = ((number, tuple(mention)) for number, cluster in enumerate(clusters) for mention in reversed(cluster))
    return {str(number): type_of[mention] for number, mention in pairs if type_of.get(mention)}
