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
`scorer.formats.lines.write` and `scorer.formats.conll` would give them, so that the digits are the same.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import le
from typing import Any

import numpy as np

from scorer.columns import Ints, changes, order_by
from scorer.errors import InputError
from scorer.findings import NO_CHARACTERS, Finding, counted, shortened
from scorer.formats.lines import MARK
from scorer.formats.row import KEY, RESPONSE, Asked, Format, FullDocument, Sentences, passage, passage_places
from scorer.model import Documents, Place
from scorer.sources import Source

BATCH = 1 << 24
"""Bytes after which the documents read so far go on as one batch; it bounds the memory of a run."""

MOST_TOKENS = 10**8
"""No document has more tokens, so that a wrong offset cannot take all memory."""

EXPECTED = "JSON lines: an object with doc_key and clusters on each"

WHOLE_FILE = ("no-document", "json-document")
"""Faults of a whole file, of which each line would tell again."""

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"

SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>"}
"""Subtokens that belong to no word."""

# Objects come out as tuples of their fields, so that a field that stands twice can be seen.
DECODER = json.JSONDecoder(object_pairs_hook=tuple)

Fields = Mapping[str, Any]


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is JSON."""
    return head.removeprefix(MARK).lstrip().startswith((b"{", b"["))


def read(files: Sequence[Source], notices: list[Finding], asked: Asked) -> Iterator[Documents]:
    """The documents of all files as one corpus, in batches.

    Raises `InputError` for the first thing that is not as the head of this file has it; `UsageError` for a file that
    cannot be read.
    """
    return Reader(notices, asked).documents(files)


class Reader:
    """Reads one corpus.

    Scoring refuses at the first fault. Who wants to know more (`scorer.formats.json_examiner`) overrides `note`,
    `refuse` and `look`, and reads on by the same rules.
    """

    most = 1
    """How many faults of a document are told."""

    def __init__(self, notices: list[Finding], asked: Asked) -> None:
        self.notices, self.asked = notices, asked
        self.field = _field(asked)
        self.batch = Batch(self.most)

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

    def look(self, place: Place, fields: Fields, field: str) -> None:
        """Look at a document without a fault, and at the field of its clusters."""

    def _file(self, source: Source) -> Iterator[None]:
        """Read one file, line by line."""
        found = False
        for place, line in _lines(source):
            fields: Fields = {}
            first, found = not found, True
            self.batch.bytes += len(line)
            try:
                fields = _parsed(place, line, first=first)
                field = self._field(place, fields)
                merged = self.batch.add(place, fields, field)
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
            self.field = _by_first(place, fields, self.asked)
        chosen = self.asked.clusters_field is None and self.asked.side != KEY
        if chosen and self.field == CLUSTERS and PREDICTED in fields:
            expected = "the same field in every object; --clusters-field NAME says which one has the clusters"
            raise _bad_field(place, fields, PREDICTED, "is here, and not in the first object", expected)
        return self.field

    def _full(self) -> Documents:
        documents = self.batch.documents()
        self.batch = Batch(self.most)
        return documents


def settled(files: Sequence[Source], asked: Asked) -> Asked:
    """What is asked, the field that the first object decides included. Raises as `read` does, for that object."""
    if _field(asked) is not None:
        return asked
    first = next((each for source in files for each in objects(source)), None)
    return asked if first is None else asked._replace(by_first=_by_first(*first, asked))


def _field(asked: Asked) -> str | None:
    """The field of the clusters; None where the first object decides."""
    if asked.clusters_field is not None:
        return asked.clusters_field.split(",")[-1 if asked.side == RESPONSE else 0]
    return CLUSTERS if asked.side == KEY else asked.by_first


def _by_first(place: Place, fields: Fields, asked: Asked) -> str:
    """The field of the clusters, by the first object. Raises `InputError` where nobody said which of two it is."""
    if asked.side is None and {CLUSTERS, PREDICTED} <= fields.keys():
        expected = 'side="key" or side="response" for the one or the other, or clusters_field'
        raise _bad_field(place, fields, CLUSTERS, f"stands beside {PREDICTED}", expected)
    return PREDICTED if PREDICTED in fields else CLUSTERS


def words(documents: Documents, mentions: Sequence[int]) -> list[str]:
    """The words of some mentions, or their offsets where the file has no sentences."""
    by_source: dict[Source, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for mention in mentions:
        place = documents.place_of(int(documents.document[documents.entity[mention]]))
        by_source[place.source][int(documents.line[mention])].append(mention)
    texts: dict[int, str] = {}
    for source, by_line in by_source.items():
        for place, fields in objects(source, by_line):
            its_sentences = sentences_of(fields)
            every = None if its_sentences is None else [word for sentence in its_sentences for word in sentence]
            for mention in by_line[place.line or 0]:
                start, end = int(documents.start[mention]), int(documents.end[mention])
                texts[mention] = f"{start}-{end}" if every is None else _passage(every, start, end)
    return [texts[mention] for mention in mentions]


def texts(documents: Documents, which: Sequence[int]) -> dict[int, list[str]]:
    """All words of some documents; nothing for one whose words are put together from subtokens, or not there."""
    by_source: dict[Source, dict[int, int]] = defaultdict(dict)
    for document in which:
        place = documents.place_of(document)
        by_source[place.source][place.line or 0] = document
    found = {}
    for source, by_line in by_source.items():
        for place, fields in objects(source, by_line):
            its_sentences = None if _of_subtokens(fields) else sentences_of(fields)
            if its_sentences is not None:
                found[by_line[place.line or 0]] = list(chain.from_iterable(its_sentences))
    return found


def sentences(source: Source, notices: list[Finding], asked: Asked) -> Iterator[Sentences | None]:
    """The words of a file, document by document; None where it does not give them.

    Notices tell where words had to be put together from subtokens, and which fields nobody reads.
    """
    read = {"doc_key", "sentences", "subtoken_map", _field(asked)}
    told: set[str] = set()
    for place, fields in objects(source):
        if others := [name for name in fields if name not in read | told]:
            told.update(others)
            details = {"document": clean(fields["doc_key"]), "fields": ", ".join(map(clean, others))}
            notices.append(Finding("dropped-fields", source.name, place.line, details=details))
        if _of_subtokens(fields):
            details = {"document": clean(fields["doc_key"])}
            notices.append(Finding("joined-subtokens", source.name, place.line, details=details))
        yield sentences_of(fields)


def write(documents: Iterator[FullDocument], notices: list[Finding]) -> Iterator[str]:
    """Documents as JSON lines; a notice tells where ids of entities are lost.

    The place of a cluster is its id, so ids are kept where they run from 0.
    """
    told = False
    for document in documents:
        places = [str(number) for number in range(len(document.entities))]
        if document.entities.keys() == set(places):
            clusters = [document.entities[place] for place in places]
        else:
            clusters = list(document.entities.values())
            if not told:
                notices.append(Finding("dropped-ids", document.place.source.name, document.place.line))
            told = True
        fields = {"doc_key": document.name, "sentences": document.sentences, "clusters": clusters}
        if document.sentences is None:
            del fields["sentences"]
        # Bytes that are not UTF-8 travel as lone surrogates, which JSON can hold as escapes.
        line = json.dumps(fields, ensure_ascii=False)
        yield re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", line) + "\n"


class Batch:
    """The documents since the last batch: lists of whole numbers, which become columns at its end.

    ``most`` is how many faults of a document are told.
    """

    def __init__(self, most: int) -> None:
        self.most = most
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
        name = _name(place, fields)
        _check_fields(place, fields, field)
        tokens, known_by = _number_of_tokens(place, fields)
        subtoken_map: list[int] | None = fields.get("subtoken_map")
        offsets = tokens if subtoken_map is None else len(subtoken_map)
        clusters = fields[field]
        merged = 0
        found = _flat(clusters, MOST_TOKENS if offsets < 0 else offsets)
        if found is None:
            faults = (
                {"document": name, "place": field + where, "what": what, "expected": expected}
                for where, what, expected in _faults(clusters, offsets, known_by)
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
        return Documents(
            names=self.names,
            places=self.places,
            tokens=np.array(self.tokens, dtype=np.int64),
            document=document[entities],
            label=label[entities],
            entity=entity[mentions],
            start=start[mentions],
            end=end[mentions],
            line=lines[document[entities][entity[mentions]]],
            faults=self.faults,
            words=words,
        )


def _lines(source: Source) -> Iterator[tuple[Place, bytes]]:
    """The lines of a file that hold anything."""
    for number, line in source.numbered_lines():
        raw = line.removeprefix(MARK) if number == 1 else line
        if raw.strip():
            yield Place(source, number), raw


def objects(source: Source, only: Collection[int] | None = None) -> Iterator[tuple[Place, Fields]]:
    """The objects of a file, or of some of its lines, with their fields."""
    first = True
    for place, line in _lines(source):
        if only is None or place.line in only:
            yield place, _parsed(place, line, first=first)
            first = False


def _parsed(place: Place, raw: bytes, *, first: bool) -> Fields:
    """The fields of one line. Raises `InputError` for anything but an object."""
    source, number = place

    def refused(code: str, column: int | None = None, shown: str | None = None, **details: object) -> InputError:
        excerpt = None
        if column is not None and shown is not None:
            left = max(0, column - 41)
            excerpt = (re.sub(r"\s", " ", shown[left : column + 30]).rstrip(), " " * (column - 1 - left) + "^")
        return InputError([Finding(code, source.name, number, column, details, excerpt)])

    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or raw[1:2] == b"\0":
            what = "the file is not UTF-8; it looks like UTF-16"
            raise refused("no-document", what=what, expected=EXPECTED) from None
        column = len(raw[: error.start].decode("utf-8")) + 1
        raise refused("bad-json", column, what=f"byte 0x{raw[error.start]:02x} is not UTF-8") from None
    if first and not recognises(raw):
        raise refused("no-document", what=f'the file begins with "{text.strip()[:60]}"', expected=EXPECTED)
    try:
        value = DECODER.decode(text)
    except json.JSONDecodeError as error:
        kind = _several_lines(place, text) if first else None
        if kind:
            program = ".[]" if kind.startswith("array") else "."
            raise refused("json-document", kind=f"{kind} over several lines", program=program) from None
        raise refused("bad-json", error.pos + 1, text, what=error.msg) from None
    except RecursionError:
        raise refused("bad-json", what="brackets are nested too deeply to be read") from None
    except ValueError as error:
        raise refused("bad-json", what=str(error).partition(";")[0]) from None
    if isinstance(value, tuple):
        return _fields(value, refused)
    if isinstance(value, list) and first and any(isinstance(item, tuple) for item in value):
        raise refused("json-document", kind=f"array of {counted(len(value), 'document')}", program=".[]")
    raise refused("not-object", what=_shown(value))


def _fields(pairs: tuple[tuple[str, Any], ...], refused: Any) -> Fields:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        details = {"where": _where(fields), "field": clean(twice), "what": "stands there more than once"}
        raise refused("bad-field", **details, expected="every field once; remove all but one")
    return fields


def _several_lines(place: Place, text: str) -> str | None:
    """Whether the first line of a file begins an array or an object that goes on in the next, and which."""
    if not text.rstrip().endswith(("{", "[", ",", ":")):
        return None
    if text.lstrip().startswith("["):
        return "array"
    rest = (line.strip() for at, line in _lines(place.source) if at != place)
    following = next(rest, b"{")
    return None if following.startswith(b"{") else "object"


def _name(place: Place, fields: Fields) -> str:
    expected = "the name of the document in doc_key, a string"
    if "doc_key" not in fields:
        raise _missing(place, fields, "doc_key", expected)
    name = fields["doc_key"]
    if not isinstance(name, str):
        raise _bad_field(place, {}, "doc_key", f"is {_shown(name)}", expected)
    if "\n" in name or name.endswith("\r"):
        raise _bad_field(place, {}, "doc_key", f"is {_shown(name)}", f"{expected} on one line")
    return clean(name)


def _check_fields(place: Place, fields: Fields, field: str) -> None:
    """Raises `InputError` for a field that is missing or of the wrong shape."""
    if field not in fields:
        expected = f"{field} in every object; --clusters-field NAME reads the clusters from another field"
        raise _missing(place, fields, field, expected)
    if not isinstance(fields[field], list):
        expected = "a list of clusters, each a list of mentions [first token, last token]"
        raise _bad_field(place, fields, field, f"is {_shown(fields[field])}", expected)
    its_sentences = fields.get("sentences")
    if its_sentences is not None and not (_are(list, [its_sentences]) and _are(list, its_sentences)):
        expected = "a list of sentences, each a list of words"
        raise _bad_field(place, fields, "sentences", f"is {_shown(its_sentences)}", expected)
    if its_sentences is not None and not _are(str, chain.from_iterable(its_sentences)):
        other = next(word for word in chain.from_iterable(its_sentences) if not isinstance(word, str))
        raise _bad_field(place, fields, "sentences", f"has {_shown(other)} for a word", "a string for every word")
    subtoken_map = fields.get("subtoken_map")
    if subtoken_map is not None:
        flat = _are(list, [subtoken_map]) and _are(int, subtoken_map)
        if not flat or not all(map(le, [0, *subtoken_map], [*subtoken_map, MOST_TOKENS - 1])):
            expected = "one list with the number of the word of each subtoken, from 0, never falling"
            raise _bad_field(place, fields, "subtoken_map", f"is {_shown(subtoken_map)}", expected)


def _are(kind: type, values: Any) -> bool:
    """Whether all values are of one type, `True` and `False` being no whole numbers."""
    return set(map(type, values)) <= {kind}


def _number_of_tokens(place: Place, fields: Fields) -> tuple[int, str]:
    """The number of tokens, -1 where it is not known, and what offsets count, for messages."""
    its_sentences, subtoken_map = fields.get("sentences"), fields.get("subtoken_map")
    in_sentences = -1 if its_sentences is None else sum(map(len, its_sentences))
    if subtoken_map is None:
        return in_sentences, f"sentences hold {counted(in_sentences, 'token')}"
    in_map = subtoken_map[-1] + 1 if subtoken_map else 0
    if in_sentences not in (-1, in_map, len(subtoken_map)):
        expected = f"{len(subtoken_map)} tokens (its subtokens) or {in_map} (their words), as subtoken_map has it"
        raise _bad_field(place, fields, "sentences", f"holds {counted(in_sentences, 'token')}", expected)
    return in_map, f"subtoken_map has {counted(len(subtoken_map), 'subtoken')}"


def _flat(clusters: list[Any], offsets: int) -> list[int] | None:
    """All offsets of the clusters in a row, or None where `_faults` has something to say; far faster than that."""
    if not _are(list, clusters):
        return None
    mentions = list(chain.from_iterable(clusters))
    if not _are(list, mentions) or not set(map(len, mentions)) <= {2}:
        return None
    flat = list(chain.from_iterable(mentions))
    if not _are(int, flat) or min(flat, default=0) < 0 or max(flat, default=-1) >= offsets:
        return None
    return flat if all(map(le, flat[::2], flat[1::2])) else None


def _faults(clusters: list[Any], offsets: int, known_by: str) -> Iterator[tuple[str, str, str]]:
    """All that is wrong with clusters: where, what it is, and what was expected.

    ``offsets`` is how many there can be, -1 where that is not known; ``known_by`` says how it is known.
    """
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            yield f"[{number}]", _shown(cluster), "a list of mentions, each [first token, last token]"
            continue
        for place, mention in enumerate(cluster):
            if expected := _expected(mention, offsets, known_by):
                yield f"[{number}][{place}]", _shown(mention), expected


def _expected(mention: Any, offsets: int, known_by: str) -> str | None:
    """What was expected in the place of a mention, where it is none."""
    if not (isinstance(mention, list) and len(mention) == 2 and _are(int, mention)):
        return "two whole numbers, [first token, last token], counted from 0"
    start, end = mention
    if min(start, end) < 0:
        return "tokens counted from 0; no offset is below that"
    if end < start:
        return "the first token of the mention, then its last one"
    if 0 <= offsets <= end:
        off_by_one = "; the last token belongs to the mention, so an end behind it is one too large"
        return f"offsets below {offsets}, since {known_by}{off_by_one if end == offsets else NO_CHARACTERS}"
    return f"offsets of tokens, below {MOST_TOKENS:,}" if end >= MOST_TOKENS else None


def sentences_of(fields: Fields) -> list[list[str]] | None:
    """The words of a document by sentence, or by segment where it gives subtokens."""
    its_sentences = fields.get("sentences")
    if its_sentences is None:
        return None
    if not _of_subtokens(fields):
        return [list(map(clean, sentence)) for sentence in its_sentences]
    found: list[list[str]] = []
    word_before = -1
    words_of_subtokens = iter(fields["subtoken_map"])
    for segment in its_sentences:
        found.append([])
        for subtoken in segment:
            word = next(words_of_subtokens)
            while word_before < word:  # every number up to the last one is a word
                found[-1].append("")
                word_before += 1
            if subtoken not in SPECIAL:
                holder = next(sentence for sentence in reversed(found) if sentence)
                holder[-1] += clean(subtoken).removeprefix("##")
    return found


def _of_subtokens(fields: Fields) -> bool:
    """Whether the sentences of a document hold subtokens, and not the words that they belong to."""
    its_sentences, subtoken_map = fields.get("sentences"), fields.get("subtoken_map")
    if its_sentences is None or subtoken_map is None or subtoken_map == list(range(len(subtoken_map))):
        return False
    return sum(map(len, its_sentences)) == len(subtoken_map)


def _missing(place: Place, fields: Fields, field: str, expected: str) -> InputError:
    names = [_shown(name) for name in list(fields)[:10]] + (["..."] if len(fields) > 10 else [])
    held = ", ".join(names) or "no field at all"
    details = {"where": _where(fields), "field": clean(field), "fields": held, "expected": expected}
    return InputError([Finding("missing-field", place.source.name, place.line, details=details)])


def _bad_field(place: Place, fields: Fields, field: str, what: str, expected: str) -> InputError:
    details = {"where": _where(fields), "field": field, "what": what, "expected": expected}
    return InputError([Finding("bad-field", place.source.name, place.line, details=details)])


def _where(fields: Fields) -> str:
    return f'in document "{clean(fields["doc_key"])}": ' if isinstance(fields.get("doc_key"), str) else ""


def _shown(value: Any) -> str:
    """A value of JSON for messages: itself where it is small."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list) and (len(value) > 4 or any(isinstance(item, list | tuple) for item in value)):
        return f"a list of {counted(len(value), 'value')}"
    text = json.dumps(value)
    return shortened(text)


def clean(text: str) -> str:
    """A string of JSON that can be printed: surrogates that stand for no byte are spelt out."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return text


def _passage(words: Sequence[str], start: int, end: int) -> str:
    size = end - start + 1
    return passage([words[place] for place in passage_places(start, size) if place < len(words)], size)


FORMAT = Format("jsonlines", "JSON lines", recognises, read, sentences, write, begin=b"", settled=settled)
