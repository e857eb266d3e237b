"""The objects of JSON lines: their fields, and what is wrong with those."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from operator import le
from typing import Any

from corefscore.errors import InputError
from corefscore.findings import NO_CHARACTERS, Finding, counted, shortened
from corefscore.model import Place
from corefscore.sources import MARK, Source
from corefscore.workers import Unsuited

MOST_TOKENS = 10**8
"""No document has more tokens, so that a wrong offset cannot take all memory."""

EXPECTED = "JSON lines: an object with doc_key and clusters on each"

WORDS_PER_SUBTOKEN, WORDS_BESIDES = 10, 100
"""How many words a document can have for each of its subtokens, and besides: words without subtokens are rare, and a
number such as 99999999 in a short line must not take all memory."""

SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>"}
"""Subtokens that belong to no word."""

OTHER_NAMES = ("doc_id", "document_id", "id")
"""Where others have the name of a document."""

OF_CHARACTERS = ("text", "clusters_strings")
"""Fields of objects whose offsets count characters."""

OF_DOCUMENTS = re.compile(rb"cluster|^doc(ument)?_(key|id)$|^sentences$|^subtoken_map$")
"""What names a field that only documents have, rightly or nearly so."""

DECODER = json.JSONDecoder(object_pairs_hook=tuple)
"""Objects come out as tuples of their fields, so that a field that stands twice can be seen."""

Fields = Mapping[str, Any]


def recognises(head: bytes) -> bool:
    """Whether a file that begins so is JSON."""
    return head.removeprefix(MARK).lstrip().startswith((b"{", b"["))


def promises(head: bytes, fields: Collection[str] = ()) -> bool:
    """Whether JSON that begins so names any field of documents, or one of ``fields``: settings and logs do not."""
    names = re.findall(rb'"([^"]*)"[^\S\n]*:', head)
    return any(OF_DOCUMENTS.search(name) for name in names) or any(field.encode() in names for field in fields)


def lines(source: Source) -> Iterator[tuple[Place, bytes]]:
    """The lines of a file that hold anything."""
    for number, line in source.numbered_lines():
        raw = line.removeprefix(MARK) if number == 1 else line
        if raw.strip():
            yield Place(source, number), raw


def objects(source: Source, only: Collection[int] | None = None) -> Iterator[tuple[Place, Fields]]:
    """The objects of a file, or of some of its lines, with their fields."""
    first = True
    for place, line in lines(source):
        if only is None or place.line in only:
            yield place, parsed(place, line, first=first)
            first = False


def parsed(place: Place, raw: bytes, *, first: bool) -> Fields:
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
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, _ in pairs if counts[name] > 1)
        details = {"where": _where(fields), "field": clean(twice), "what": "stands there more than once"}
        raise refused("bad-field", **details, expected="every field once; remove all but one")
    return fields


def _several_lines(place: Place, text: str) -> str | None:
    """Whether the first line of a file begins an array or an object that goes on in the next, and which."""
    if not text.rstrip().endswith(("{", "[", ",", ":")):
        return None
    if text.lstrip().startswith("["):
        return "array"
    rest = (line.strip() for at, line in lines(place.source) if at != place)
    following = next(rest, b"{")
    return None if following.startswith(b"{") else "object"


def name_of(place: Place, fields: Fields) -> str:
    """The name of a document: its doc_key, or where it has no name at all, the number of its line.

    Raises `InputError` for what is no name, and for a name in another field; `Unsuited` where nobody knows the number.
    """
    expected = "the name of the document in doc_key, a string"
    if "doc_key" not in fields:
        if not fields.keys().isdisjoint(OTHER_NAMES):
            raise _missing(place, fields, "doc_key", f"{expected}; a document without any name is named by its line")
        if place.source.cut:
            raise Unsuited
        return str(place.line)
    name = fields["doc_key"]
    if not isinstance(name, str):
        raise bad_field(place, {}, "doc_key", f"is {_shown(name)}", expected)
    if "\n" in name or name.endswith("\r"):
        raise bad_field(place, {}, "doc_key", f"is {_shown(name)}", f"{expected} on one line")
    return clean(name)


def check_fields(place: Place, fields: Fields, field: str) -> None:
    """Raises `InputError` for a field that is missing or of the wrong shape."""
    if field not in fields:
        expected = f"{field} in every object; --clusters-field NAME reads the clusters from another field"
        raise _missing(place, fields, field, expected)
    if not isinstance(fields[field], list):
        expected = "a list of clusters, each a list of mentions [first token, last token]"
        raise bad_field(place, fields, field, f"is {_shown(fields[field])}", expected)
    its_sentences = fields.get("sentences")
    if its_sentences is not None and not (_are(list, [its_sentences]) and _are(list, its_sentences)):
        expected = "a list of sentences, each a list of words"
        raise bad_field(place, fields, "sentences", f"is {_shown(its_sentences)}", expected)
    if its_sentences is not None and not _are(str, chain.from_iterable(its_sentences)):
        other = next(word for word in chain.from_iterable(its_sentences) if not isinstance(word, str))
        raise bad_field(place, fields, "sentences", f"has {_shown(other)} for a word", "a string for every word")
    subtoken_map = fields.get("subtoken_map")
    if its_sentences is None and subtoken_map is None:
        for name in OF_CHARACTERS:
            if name in fields and any(fields[field]):
                expected = f"sentences, the tokens that offsets count{NO_CHARACTERS}"
                raise bad_field(place, fields, name, "is there, and no sentences", expected)
    if subtoken_map is not None:
        flat = _are(list, [subtoken_map]) and _are(int, subtoken_map)
        if not flat or not all(map(le, [0, *subtoken_map], [*subtoken_map, MOST_TOKENS - 1])):
            expected = "one list with the number of the word of each subtoken, from 0, never falling"
            raise bad_field(place, fields, "subtoken_map", f"is {_shown(subtoken_map)}", expected)
        subtokens, words = len(subtoken_map), max(subtoken_map, default=-1) + 1
        most = WORDS_PER_SUBTOKEN * subtokens + WORDS_BESIDES
        if words > most:
            what = f"numbers {counted(words, 'word')} with {counted(subtokens, 'subtoken')}"
            expected = f"{most} words at most: {WORDS_PER_SUBTOKEN} for each subtoken, and {WORDS_BESIDES}"
            raise bad_field(place, fields, "subtoken_map", what, expected)


def _are(kind: type, values: Any) -> bool:
    """Whether all values are of one type, `True` and `False` being no whole numbers."""
    return set(map(type, values)) <= {kind}


def number_of_tokens(place: Place, fields: Fields) -> tuple[int, str]:
    """The number of tokens, -1 where it is not known, and what offsets count, for messages."""
    its_sentences, subtoken_map = fields.get("sentences"), fields.get("subtoken_map")
    in_sentences = -1 if its_sentences is None else sum(map(len, its_sentences))
    if subtoken_map is None:
        return in_sentences, f"sentences hold {counted(in_sentences, 'token')}"
    in_map = subtoken_map[-1] + 1 if subtoken_map else 0
    if in_sentences not in (-1, in_map, len(subtoken_map)):
        expected = f"{len(subtoken_map)} tokens (its subtokens) or {in_map} (their words), as subtoken_map has it"
        raise bad_field(place, fields, "sentences", f"holds {counted(in_sentences, 'token')}", expected)
    return in_map, f"subtoken_map has {counted(len(subtoken_map), 'subtoken')}"


def flattened(clusters: list[Any], offsets: int) -> list[int] | None:
    """All offsets of the clusters in a row, or None where `faults_of` has something to say; far faster than that."""
    if not _are(list, clusters):
        return None
    mentions = list(chain.from_iterable(clusters))
    if not _are(list, mentions) or not set(map(len, mentions)) <= {2}:
        return None
    flat = list(chain.from_iterable(mentions))
    if not _are(int, flat) or min(flat, default=0) < 0 or max(flat, default=-1) >= offsets:
        return None
    return flat if all(map(le, flat[::2], flat[1::2])) else None


def faults_of(clusters: list[Any], offsets: int, known_by: str) -> Iterator[tuple[str, str, str]]:
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
    if not of_subtokens(fields):
        return [list(map(clean, sentence)) for sentence in its_sentences]
    found: list[list[list[str]]] = []
    pieces: list[list[str]] = []
    words_of_subtokens = iter(fields["subtoken_map"])
    for segment in its_sentences:
        first = len(pieces)
        for subtoken in segment:
            # Every number up to the last one is a word.
            pieces += ([] for _ in range(next(words_of_subtokens) + 1 - len(pieces)))
            if subtoken not in SPECIAL:
                pieces[-1].append(clean(subtoken).removeprefix("##"))
        found.append(pieces[first:])
    return [["".join(word) for word in segment] for segment in found]


def of_subtokens(fields: Fields) -> bool:
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


def bad_field(place: Place, fields: Fields, field: str, what: str, expected: str) -> InputError:
    """The error for a field, and what is wrong with it."""
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
    return shortened(json.dumps(value))


def clean(text: str) -> str:
    """A string of JSON that can be printed: surrogates that stand for no byte are spelt out."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return text
