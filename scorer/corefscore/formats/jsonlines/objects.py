"""The objects of a JSON file in order: one on each line (JSON lines), or all of them in one array; their names, their
words, their clusters, whose offsets become tokens, and what is wrong with those.

Of JSON lines one line is in memory at a time, of an array its whole text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter, le
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.documents import Place
from corefscore.core.errors import InputError
from corefscore.core.findings import NO_CHARACTERS, Finding, plural, shortened
from corefscore.core.sources import MARK, Source, as_bytes, as_text, is_utf_16
from corefscore.core.workers import NotSplittable
from corefscore.formats.base import CLUSTERS, Request, found_at, is_json, refused
from corefscore.formats.jsonlines.dialects import (
    BY_NAME,
    DIALECTS,
    FLAT,
    NAMES_OF_DOCUMENTS,
    OBJECTS,
    OF_MENTIONS,
    PREDICTED,
    SENTENCES,
    TEXT,
    Dialect,
    dialects_of,
)
from corefscore.formats.words import words_in

EXPECTED = "JSON lines or one array: an object for each document, with doc_key and clusters"

_ON_LINES = "JSON lines, one whole object on each line; repair or remove this line"
_IN_ARRAY = "one array of objects with commas between them; repair it here"

_DECODER = json.JSONDecoder(object_pairs_hook=tuple)
"""A decoder that returns objects as tuples of their fields, so that duplicate fields are visible."""

_HEAD = 1 << 16
"""The number of bytes that are searched for the bracket of an array; without one, each line is an object."""

_BLANKS = re.compile(r"[ \t\r\n]*")

Fields = Mapping[str, Any]


_Record = tuple[Place, int, Callable[[], Fields]]
"""One object: where it begins, its size in bytes or characters, and a function that parses its fields, which raises
`InputError` for anything but an object.

Every object has a line of its own, and lines rise from object to object: if several objects of an array are on one
line, the later ones have the numbers that follow.
"""


def records(source: Source) -> Iterator[_Record]:
    """Yield the objects of a file.

    Raises `UsageError` for a file that cannot be read, `InputError` for an array that cannot be read on.
    """
    if source.head(_HEAD).removeprefix(MARK).lstrip().startswith(b"["):
        yield from _in_array(source)
        return
    first = True
    for number, line in source.numbered_lines():
        source.lines = max(source.lines, number)
        if (raw := line.removeprefix(MARK)).strip():
            place = Place(source, number)
            yield place, len(raw), partial(parsed, place, raw, first=first)
            first = False


def parsed(place: Place, raw: bytes, *, first: bool) -> Fields:
    """Parse the fields of one line. Raises `InputError` for anything but an object."""
    text = _decoded(place, raw, _ON_LINES)
    if first and not text.lstrip().startswith("{"):
        raise refused(place, "no-document", what=f'the file begins with "{text.strip()[:60]}"', expected=EXPECTED)
    try:
        value = _DECODER.decode(text.removesuffix("\n"))
    except json.JSONDecodeError as error:
        if first and _goes_on(place, text):
            raise refused(place, "json-document") from None
        raise _bad_json(place, error, _ON_LINES) from None
    except (RecursionError, ValueError) as error:
        raise refused(place, "bad-json", what=_what(error), expected=_ON_LINES) from None
    return _fields_of(place, value, "the line", "on each line; repair or remove this line")


def _in_array(source: Source) -> Iterator[_Record]:
    """Yield the objects of a file that is one array, up to the first other value, since one such fault is enough."""
    text = _decoded(Place(source, 1), source.read().removeprefix(MARK), _IN_ARRAY)
    line, lines, counted = 0, 1, 0
    try:
        position = _past_blanks(text, text.index("[") + 1)
        more = not text.startswith("]", position)
        while more:
            value, end = _next_value(text, position)
            lines += text.count("\n", counted, position)
            line, counted = max(lines, line + 1), position
            place = Place(source, line)
            each = "as each element; repair or remove this element"
            yield place, end - position, partial(_fields_of, place, value, "the array", each)
            if not isinstance(value, tuple):
                return
            position = _past_blanks(text, end)
            if more := text.startswith(",", position):
                position = _past_blanks(text, position + 1)
        if not text.startswith("]", position):
            what = "the array ends too soon" if position == len(text) else "Expecting ',' delimiter"
            raise json.JSONDecodeError(what, text, position)
        if (position := _past_blanks(text, position + 1)) < len(text):
            raise json.JSONDecodeError("there is text after the array", text, position)
    except json.JSONDecodeError as error:
        raise _bad_json(Place(source, error.lineno), error, _IN_ARRAY) from None


def _past_blanks(text: str, position: int) -> int:
    """Return the place of the next character that is not blank."""
    found = _BLANKS.match(text, position)
    assert found is not None, "the pattern matches the empty string"
    return found.end()


def _next_value(text: str, position: int) -> tuple[Any, int]:
    """Parse the value that begins at a position; return it and where it ends. Raises `json.JSONDecodeError`."""
    try:
        return _DECODER.raw_decode(text, position)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise json.JSONDecodeError(_what(error), text, position) from None


def _decoded(place: Place, raw: bytes, expected: str) -> str:
    """Decode the text that begins at a place. Raises `InputError` where it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_utf_16(raw):
            what = "the file is not UTF-8; it looks like UTF-16"
            raise refused(place, "no-document", what=what, expected=EXPECTED) from None
        before = raw[: error.start]
        place = place._replace(line=(place.line or 0) + before.count(b"\n"))
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
        what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise refused(place, "bad-json", column, what=what, expected=expected) from None


def _fields_of(place: Place, value: Any, holder: str, each: str) -> Fields:
    """Return the fields of a value. Raises `InputError` for a value that is not an object, and for a duplicate
    field."""
    if not isinstance(value, tuple):
        raise refused(place, "not-object", holder=holder, what=shown(value), each=each)
    if len(fields := dict(value)) < len(value):
        counts = Counter(name for name, _ in value)
        twice = next(name for name, _ in value if counts[name] > 1)
        what, expected = "occurs more than once", "each field once; remove the extra copies"
        raise refused(place, "bad-field", where=where(fields), field=clean(twice), what=what, expected=expected)
    return fields


def _bad_json(place: Place, error: json.JSONDecodeError, expected: str) -> InputError:
    """Return the error for text that the decoder refused, with an excerpt."""
    column, begin = error.colno, error.pos - error.colno + 1
    left = max(0, column - 41)
    line = error.doc[begin + left : error.pos + 31].partition("\n")[0]
    excerpt = (re.sub(r"\s", " ", line).rstrip(), " " * (column - 1 - left) + "^")
    return refused(place, "bad-json", column, excerpt, what=error.msg, expected=expected)


def _what(error: Exception) -> str:
    """Describe what is wrong with JSON, from the error of the decoder."""
    if isinstance(error, RecursionError):
        return "brackets are nested too deeply to be read"
    return str(error).partition(";")[0]


def _goes_on(place: Place, text: str) -> bool:
    """Return whether the first line of a file begins an object that continues on the next line."""
    if not text.rstrip().endswith(("{", "[", ",", ":")):
        return False
    rest = (line.strip() for number, line in place.source.numbered_lines() if number > (place.line or 0))
    return not next(filter(None, rest), b"{").startswith(b"{")


# Values in messages


def where(fields: Fields) -> str:
    """Return the beginning of a message about a document."""
    name = next((fields[field] for field in NAMES_OF_DOCUMENTS if isinstance(fields.get(field), str)), None)
    return "" if name is None else f'in document "{clean(name)}": '


def shown(value: Any) -> str:
    """Return a value of JSON for messages; only small values are shown as they are."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list) and (len(value) > 4 or any(isinstance(item, list | tuple) for item in value)):
        return f"a list of {plural(len(value), 'value')}"
    return shortened(json.dumps(value))


def as_json(fields: Fields) -> str:
    """Return an object as text. Bytes that are not UTF-8 are lone surrogates in memory, which JSON can contain as
    escapes.
    """
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", json.dumps(fields, ensure_ascii=False))


def clean(text: str) -> str:
    """Return a string of JSON as a file can contain it: surrogates that do not mean a byte are written as escapes, and
    bytes that are a character together are this character.
    """
    return text if text.isascii() else as_text(as_bytes(text))


_SPECIAL = {"[CLS]", "[SEP]", "<s>", "</s>"}
"""Subtokens that are not part of a word."""

TOKEN, WORD = "tokens", "text"
"""The fields of sentences and of tokens that are objects."""


def are(kind: type, values: Any) -> bool:
    """Return whether all values have exactly this type; `True` and `False` are not whole numbers."""
    return set(map(type, values)) <= {kind}


def sentences_in(value: Any, shape: str) -> list[Any] | None:
    """Return the words of a field of this shape by sentence, as they are in the file; one list or one text is the only
    sentence. None if the field has another shape."""
    if shape in (FLAT, TEXT):
        return [value] if are(list if shape == FLAT else str, [value]) else None
    if not are(list, [value]) or not are(list if shape == SENTENCES else tuple, value):
        return None
    if shape == SENTENCES:
        return list(value)
    tokens: list[Any] = [dict(sentence).get(TOKEN) for sentence in value]
    if not (are(list, tokens) and are(tuple, chain.from_iterable(tokens))):
        return None
    return [[dict(token).get(WORD) for token in sentence] for sentence in tokens]


def words_fault(value: Any, shape: str) -> tuple[str, str] | None:
    """Return what is wrong with a field of words, if anything is, and what was expected."""
    if (sentences := sentences_in(value, shape)) is None:
        of_objects = shape == OBJECTS and are(list, [value]) and are(tuple, value)
        no_words = f"has a sentence without {TOKEN}, or with a token that is not an object"
        return (no_words if of_objects else f"is {shown(value)}"), _EXPECTED[shape]
    if shape == TEXT or are(str, chain.from_iterable(sentences)):
        return None
    other = next(word for word in chain.from_iterable(sentences) if not isinstance(word, str))
    return f"contains {shown(other)}", "a string for every word"


_EXPECTED = {
    SENTENCES: "a list of sentences, each a list of words",
    FLAT: "one list of words",
    OBJECTS: f"a list of sentences, each an object with '{TOKEN}', a list of objects with '{WORD}'",
    TEXT: "the text of the document, a string",
}
"""What a field of words contains, by shape."""


def sentences_of(fields: Fields, dialect: Dialect) -> list[list[str]] | None:
    """Return the words of a document by sentence, or by segment if it has subtokens; None if it has no words."""
    if (value := fields.get(dialect.words)) is None or dialect.shape == TEXT:
        return None
    words = [list(map(clean, sentence)) for sentence in sentences_in(value, dialect.shape) or []]
    if of_subtokens(fields, dialect):
        words = _joined(words, fields[dialect.subtokens or ""])
    if are_signed(fields, dialect):
        words = [[word.lstrip(_SIGNS) or word for word in sentence] for sentence in words]
    if (numbers := fields.get(dialect.sentence_of or "")) is None:
        return words
    by_number = groupby(zip(numbers, words[0], strict=True), itemgetter(0))
    return [[word for _, word in sentence] for _, sentence in by_number]


_SIGNS = "\u0120\u2581"
"""The signs for a blank at the beginning of subtokens; in Maltese, words begin with the first."""


def are_signed(fields: Fields, dialect: Dialect) -> bool:
    """Return whether so many words of a document begin with a sign for a blank that they are subtokens."""
    first = [word[:1] for word in chain(*(sentences_in(fields.get(dialect.words), dialect.shape) or ()))]
    return 4 * sum(map(first.count, _SIGNS)) > len(first)


def _joined(segments: Sequence[Sequence[str]], subtoken_map: Sequence[int]) -> list[list[str]]:
    """Return the words that are joined from subtokens, by segment."""
    # Every number up to the last one is a word, which is in the segment where it begins.
    words, numbers, ends = [""] * (max(subtoken_map, default=-1) + 1), iter(subtoken_map), [0]
    for segment in segments:
        last = ends[-1] - 1
        for subtoken, last in zip(segment, numbers, strict=False):
            words[last] += "" if subtoken in _SPECIAL else subtoken.removeprefix("##")
        ends.append(last + 1)
    return [words[first:stop] for first, stop in pairwise(ends)]


def of_subtokens(fields: Fields, dialect: Dialect) -> bool:
    """Return whether the words of a document are subtokens, not the words that they are part of."""
    if dialect.subtokens is None:
        return False
    words, subtoken_map = fields.get(dialect.words), fields.get(dialect.subtokens)
    if words is None or subtoken_map is None or subtoken_map == list(range(len(subtoken_map))):
        return False
    return sum(map(len, words)) == len(subtoken_map)


def pieces_of(text: str, offsets: Sequence[int]) -> tuple[str, int, Ints]:
    """Return the words of a text, which is cut at blanks, at characters of Chinese and Japanese, and at the ends of
    mentions: the words with one blank between them, their number, and (mentions x 2) the numbers of the first and the
    last word of each mention. White space at the ends of a mention is not part of it; the first is after the last if it
    contains only white space.

    ``offsets`` are the first and the last character of each mention in one list.
    """
    first, last = np.array(offsets, dtype=np.int64).reshape(-1, 2).T
    words = words_in(text, np.append(first, last + 1).tolist())
    starts, stops = np.array(words, dtype=np.int64).reshape(-1, 2).T
    mentions = np.stack([np.searchsorted(stops, first, "right"), np.searchsorted(starts, last, "right") - 1], axis=1)
    return " ".join(text[start:stop] for start, stop in words), len(words), mentions


def within_words(text: str, offsets: Sequence[int]) -> list[tuple[int, int]]:
    """List the first and the last character of mentions that begin or end within a word, or with white space. Only
    letters that have a capital are looked at, since other scripts have no blanks between words. ``offsets`` are those
    of `pieces_of`."""

    def within(at: int) -> bool:
        two = text[at - 1 : at + 1]
        return len(two) == 2 and two.isalpha() and two.lower() != two.upper()

    found = zip(offsets[::2], offsets[1::2], strict=True)
    return [its for its in found if any(text[at].isspace() for at in its) or within(its[0]) or within(its[1] + 1)]


_WORDS_PER_SUBTOKEN, _WORDS_BESIDES = 10, 100
"""The largest number of words of a document: so many for each of its subtokens, and so many more. Words without
subtokens are rare, and a number such as 99999999 in a short line must not take all memory."""


TEXT_OF_MENTION = "doc_id"
"""The field of a record of a mention with the name of its text."""

IN_TEXT, IN_SENTENCE = ("tokens_ids", "token_ids"), ("tokens_number", "tokens_numbers")
"""The fields of a record with the numbers of its tokens, counted through the text or within the sentence."""


def recognises(head: bytes) -> bool:
    """Return whether the first bytes of a file are JSON, or at least a brace, and no record of a mention."""
    return (is_json(head) or head.removeprefix(MARK).lstrip().startswith(b"{")) and not is_record(head)


def is_record(head: bytes) -> bool:
    """Return whether the first object of a file that begins so is a record of a mention."""
    if not is_json(head, objects=True):
        return False
    text = as_text(head)
    try:
        fields = json.JSONDecoder().raw_decode(text, text.index("{"))[0].keys()
    except (ValueError, RecursionError):
        return False
    of_documents = fields & {dialect.clusters for dialect in DIALECTS}
    return TEXT_OF_MENTION in fields and not fields.isdisjoint(IN_TEXT + IN_SENTENCE) and not of_documents


def objects(source: Source, only: Collection[int | None] | None = None) -> Iterator[tuple[Place, Fields]]:
    """Yield the places and the fields of the objects of a file, or of those on the lines ``only``."""
    for place, _, parse in records(source):
        if only is None or place.line in only:
            yield place, parse()


def dialect_of(place: Place, fields: Fields, request: Request) -> Dialect:
    """Return the dialect of the first object, if it is known; that which is requested, or that of the fields of an
    object.

    Raises `InputError` for fields of two dialects.
    """
    known: Dialect | None = request.by_first[0] if request.by_first else BY_NAME.get(request.input_format or "")
    if known is not None:
        return known
    if len(found := dialects_of(fields, request.columns.get(CLUSTERS))) > 1:
        first, second, *_ = found
        what = f"occurs together with {first.clusters}, so this can be {first.name} or {second.name}"
        expected = f"the fields of one dialect: --input-format {first.name} or --input-format {second.name}"
        raise bad_field(place, fields, second.clusters, what, expected)
    return found[0]


def name_of(place: Place, fields: Fields, dialect: Dialect) -> str:
    """Return the name of a document from the field of its dialect; the number of its line if it has no name.

    Raises `InputError` if the field is not a name, and if the name is in the field of another dialect; `NotSplittable`
    if the number of the line is not known.
    """
    field = next(filter(fields.__contains__, dialect.names), None)
    expected = f"the name of the document in {dialect.names[0]}, a string"
    if field is None:
        if other := next(filter(fields.__contains__, NAMES_OF_DOCUMENTS), None):
            rename = f'rename the field "{other}" to "{dialect.names[0]}"'
            raise missing_field(place, fields, dialect.names[0], f"{expected}; {rename}")
        if place.source.start:
            raise NotSplittable("documents without names are named by their lines")
        return str(place.line)
    if not isinstance(name := fields[field], str):
        raise bad_field(place, {}, field, f"is {shown(name)}", expected)
    if "\n" in name or name.endswith("\r"):
        raise bad_field(place, {}, field, f"is {shown(name)}", f"{expected} on one line")
    if (part := fields.get(dialect.part or "")) is None:
        return clean(name)
    if not (are(int, [part]) or (isinstance(part, str) and part.isdecimal())):
        raise bad_field(place, fields, dialect.part or "", f"is {shown(part)}", "the number of the part, such as 0")
    return f"{clean(name)}_{part}"


def check_fields(place: Place, fields: Fields, field: str, dialect: Dialect) -> None:
    """Raise `InputError` for a field that is missing or has the wrong shape."""
    if field not in fields:
        expected = f"{field} in every object; --columns clusters=NAME reads the clusters from another field"
        raise missing_field(place, fields, field, expected)
    if not isinstance(fields[field], list):
        expected = f"a list of clusters, each a list of mentions {dialect.mention}"
        raise bad_field(place, fields, field, f"is {shown(fields[field])}", expected)
    words = fields.get(dialect.words)
    if words is not None and (fault := words_fault(words, dialect.shape)):
        raise bad_field(place, fields, dialect.words, *fault)
    if words is None and (dialect.by_sentence or dialect.shape == TEXT) and any(fields[field]):
        expected = f"{dialect.words}, to which the offsets of {dialect.name} refer"
        raise missing_field(place, fields, dialect.words, expected)
    if dialect.sentence_of is not None and (numbers := fields.get(dialect.sentence_of)) is not None:
        size = None if words is None else len(words)
        if not (are(list, [numbers]) and are(int, numbers) and len(numbers) == size):
            expected = f"one list with the sentence number of each word in {dialect.words}"
            raise bad_field(place, fields, dialect.sentence_of, f"is {shown(numbers)}", expected)
    if dialect.subtokens is not None and fields.get(dialect.subtokens) is not None:
        _check_subtokens(place, fields, dialect.subtokens)


def _check_subtokens(place: Place, fields: Fields, field: str) -> None:
    """Raise `InputError` for a map of subtokens that has the wrong shape or too many words."""
    subtoken_map = fields[field]
    flat = are(list, [subtoken_map]) and are(int, subtoken_map)
    if not flat or not all(map(le, [0, *subtoken_map], [*subtoken_map, MOST_TOKENS - 1])):
        expected = "one list with the word number of each subtoken, from 0, never decreasing"
        raise bad_field(place, fields, field, f"is {shown(subtoken_map)}", expected)
    subtokens, words = len(subtoken_map), max(subtoken_map, default=-1) + 1
    if words > (most := _WORDS_PER_SUBTOKEN * subtokens + _WORDS_BESIDES):
        what = f"counts {plural(words, 'word')} for {plural(subtokens, 'subtoken')}"
        expected = f"at most {most} words: {_WORDS_BESIDES} plus {_WORDS_PER_SUBTOKEN} for each subtoken"
        raise bad_field(place, fields, field, what, expected)


def offsets_of(place: Place, fields: Fields, dialect: Dialect) -> tuple[int, Offsets]:
    """Return the number of tokens, -1 if it is not known, and what the offsets count."""
    words = fields.get(dialect.words)
    sizes = None if words is None else list(map(len, sentences_in(words, dialect.shape) or ()))
    in_words = -1 if sizes is None else sum(sizes)
    if (subtoken_map := fields.get(dialect.subtokens or "")) is None:
        known_by = f'field "{dialect.words}" has {plural(in_words, dialect.unit)}'
        return (-1 if dialect.shape == TEXT else in_words), Offsets(sizes, known_by, dialect)
    in_map = subtoken_map[-1] + 1 if subtoken_map else 0
    if in_words not in (-1, in_map, len(subtoken_map)):
        expected = f"{len(subtoken_map)} or {in_map} tokens (the subtokens or the words of subtoken_map)"
        raise bad_field(place, fields, dialect.words, f"has {plural(in_words, 'token')}", expected)
    return in_map, Offsets([len(subtoken_map)], f"subtoken_map has {plural(len(subtoken_map), 'subtoken')}", dialect)


def check_spelling(place: Place, fields: Fields, flat: list[int], name: str, dialect: Dialect) -> Finding | None:
    """Return the notice for mentions whose tokens differ from the words in the field ``spelled``, or in one of
    `OF_MENTIONS`, if there are a few.

    Raises `InputError` if the offsets seem to mean something else, by the field of the dialect: if the words of a
    mention would fit with an end of the other kind (`Dialect.exclusive`); if those of any mention differ and the
    dialect has exact words; and if those of all mentions differ.
    """
    # Other programs and people write other forms of words there, and those of either side.
    others = () if dialect.subtokens in fields or PREDICTED in fields else OF_MENTIONS
    field = next((name for name in (dialect.spelled, *others) if name in fields), None) or ""
    spelled, words = fields.get(field), fields.get(dialect.words)
    if spelled is None or words is None:
        return None
    if not isinstance(words, str):
        words = list(chain.from_iterable(sentences_of(fields, dialect) or ()))
    sizes = list(map(len, fields[dialect.clusters]))
    by_cluster = are(list, [spelled]) and are(list, spelled) and list(map(len, spelled)) == sizes
    if not (by_cluster and are(str, chain.from_iterable(spelled))):
        if field != dialect.spelled:
            return None
        expected = f"a list for each cluster in {dialect.clusters}, with one string for each mention"
        raise bad_field(place, fields, field, f"is {shown(spelled)}", expected)
    own = field == dialect.spelled
    found = [its for its in _misspelled(flat, spelled, words, dialect) if own or its[2].casefold() != its[3].casefold()]
    if not found:
        return None
    fits, place_of_mention, tokens, said = next((mention for mention in found if mention[0]), found[0])
    details = {
        "document": name,
        "place": dialect.clusters + place_of_mention,
        "words": clean(tokens),
        "field": field,
        "said": clean(said),
    }
    if own and (fits or dialect.exact or 2 * len(found) == len(flat)):
        last, after = f"the last {dialect.unit}", f"the {dialect.unit} after the last"
        meant, other = (after, last) if dialect.exclusive else (last, after)
        hint = f"the ends of mentions seem to be {other}, but " if fits else ""
        details["expected"] = f"{hint}in {dialect.name} an end is {meant}"
        raise refused(place, "other-end", **details)
    return found_at(place, "other-words", count=plural(len(found), "mention"), **details)


_SUBFIELD = re.compile(r'\["(\w+)","((?:[^"\\]|\\.)+)"\]')
_SAYS_WHICH = re.compile(r"\S\s+\S|[^\0-\x7f]|\A[^\w.]*\d+(?:[^\w.]+\d+)+[^\w.]*\Z")
"""Text of several words or not in English, or several whole numbers: not the type, the label or the score of a
mention."""


def texts_of_ids(fields: Fields, clusters: Sequence[Sequence[str]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the fields that seem to have the words or the places of the mentions of clusters, and these by mention, if
    mentions are ids such as m1: what follows each id, or stands at its number in a list."""
    mentions = {*chain(*clusters)}
    shape, *others = {re.sub(r"\d+", "0", mention) for mention in mentions}
    pattern = re.compile(r"(?<![^\W_])(" + re.escape(shape).replace("0", r"\d+") + r")(?!\w)")
    dumped = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    for field, value in fields.items() if "0" in shape and not others else ():
        _, *parts = pattern.split(dumped(value))
        if not parts and isinstance(value, list) and re.search("(?i)mention|span|markable", field):
            parts = [*chain(*((shape.replace("0", str(at)), dumped(said)) for at, said in enumerate(value, 1)))]
        texts: dict[str, dict[str, str]] = {}
        for mention, after in zip(parts[::2], parts[1::2], strict=True):
            for name, said in _SUBFIELD.findall(after) or [("", after.strip('"[],:() '))]:
                texts.setdefault(f"{field}.{name}".rstrip("."), {}).setdefault(mention, said)
        for name, of in texts.items():
            all_known = len(of) >= len(mentions) - 1 and len(mentions - of.keys()) < 2
            # A cluster has one type or name, and several mentions.
            several = all_known and any(len({*map(of.get, cluster)}) > 1 for cluster in clusters)
            if several and any(map(_SAYS_WHICH.search, of.values())):
                yield name, of


def missing_field(place: Place, fields: Fields, field: str, expected: str) -> InputError:
    """Return the error for a missing field."""
    names = [shown(name) for name in list(fields)[:10]] + (["..."] if len(fields) > 10 else [])
    known = ", ".join(names) or "no field at all"
    return refused(place, "missing-field", where=where(fields), field=clean(field), fields=known, expected=expected)


def bad_field(place: Place, fields: Fields, field: str, what: str, expected: str) -> InputError:
    """Return the error for a field whose value is wrong."""
    return refused(place, "bad-field", where=where(fields), field=field, what=what, expected=expected)


MOST_TOKENS = 10**8
"""The limit of the number of tokens of a document, so that a wrong offset cannot take all memory."""

_NOT_SPELLED = re.compile(r"\s|_|##")
"""The differences between the words of a mention and its tokens that are ignored: blanks and marks of empty nodes."""


class Offsets(NamedTuple):
    """What the offsets of a document count.

    ``sizes`` are the numbers of tokens (or characters) of its sentences; one number for all if mentions do not name
    their sentence; None if it is not known. ``known_by`` says how it is known, for messages.
    """

    sizes: Sequence[int] | None
    known_by: str
    dialect: Dialect


def flattened(clusters: list[Any], offsets: Offsets) -> list[int] | None:
    """List the first and the last token of each mention, one after the other, counted from the first of the document.

    None if `faults_of` finds a fault; this is much faster.
    """
    dialect = offsets.dialect
    if not are(list, clusters):
        return None
    mentions = list(chain.from_iterable(clusters))
    if dialect.by_sentence:
        if any(_expected(mention, offsets) for mention in mentions):
            return None
        first = [0, *accumulate(offsets.sizes or ())]
        return [first[number] + at for number, start, end in mentions for at in (start, end - dialect.exclusive)]
    if not are(list, mentions) or not set(map(len, mentions)) <= {2}:
        return None
    if not are(int, (flat := list(chain.from_iterable(mentions)))) or min(flat, default=0) < 0:
        return None
    if dialect.exclusive:
        flat[1::2] = [after - 1 for after in flat[1::2]]
    most = MOST_TOKENS if offsets.sizes is None else sum(offsets.sizes)
    return flat if all(map(le, flat[::2], flat[1::2])) and max(flat, default=-1) < most else None


def faults_of(clusters: list[Any], offsets: Offsets) -> Iterator[tuple[str, str, str]]:
    """Yield all faults of clusters: where, what was found, and what was expected."""
    for number, cluster in enumerate(clusters):
        if not isinstance(cluster, list):
            yield f"[{number}]", shown(cluster), f"a list of mentions, each {offsets.dialect.mention}"
            continue
        for index, mention in enumerate(cluster):
            if expected := _expected(mention, offsets):
                yield f"[{number}][{index}]", shown(mention), expected


def _expected(mention: Any, offsets: Offsets) -> str | None:
    """Describe what was expected instead of a wrong mention; None if it is right."""
    dialect = offsets.dialect
    width = 3 if dialect.by_sentence else 2
    if not (isinstance(mention, list) and len(mention) == width and are(int, mention)):
        return f"{'three' if width == 3 else 'two'} whole numbers, {dialect.mention}, counted from 0"
    if min(mention) < 0:
        return f"{dialect.unit}s counted from 0"
    if mention[-1] - dialect.exclusive < mention[-2]:
        last = "the one after its last" if dialect.exclusive else "its last one"
        return f"the first {dialect.unit} of the mention, then {last}"
    return _expected_end(mention, offsets)


def _expected_end(mention: list[int], offsets: Offsets) -> str | None:
    """Describe what was expected instead of an end that is too large, or of a sentence that does not exist."""
    sizes, known_by, dialect = offsets
    if dialect.by_sentence:
        sizes = sizes or ()
        if mention[0] >= len(sizes):
            return f"a sentence number below {len(sizes)}, since the document has {plural(len(sizes), 'sentence')}"
        limit = sizes[mention[0]]
        known_by = f"sentence {mention[0]} has {plural(limit, dialect.unit)}"
    else:
        limit = MOST_TOKENS if sizes is None else sum(sizes)
    if mention[-1] - dialect.exclusive < limit:
        return None
    if sizes is None:
        return f"offsets of tokens, below {MOST_TOKENS:,}"
    expected = f"offsets below {limit + dialect.exclusive}, since {known_by}"
    if not dialect.exclusive and mention[-1] == limit:
        return f"{expected}; an end is the last token of the mention, not the token after it"
    return expected if dialect.by_sentence or dialect.shape == TEXT else f"{expected}{NO_CHARACTERS}"


def _misspelled(
    flat: Sequence[int], spelled: Sequence[Sequence[str]], words: Sequence[str] | str, dialect: Dialect
) -> Iterator[tuple[bool, str, str, str]]:
    """Yield the mentions whose tokens differ from their words in the file: whether these would fit with an end of the
    other kind (`Dialect.exclusive`), the index in the clusters, the tokens, and the words in the file.

    ``flat`` is `flattened`, ``spelled`` has the words by cluster and mention, ``words`` are all words of the document
    or its text.
    """
    blank = "" if isinstance(words, str) else " "
    step = -1 if dialect.exclusive else 1
    numbered = ((number, index, text) for number, its in enumerate(spelled) for index, text in enumerate(its))
    for (number, index, expected), start, end in zip(numbered, flat[::2], flat[1::2], strict=True):
        found = blank.join(words[start : end + 1])
        if found != expected and _plain(found) != _plain(expected):
            other = blank.join(words[start : end + 1 - step])  # with an end of the other kind
            yield _plain(other) == _plain(expected), f"[{number}][{index}]", found, expected


def _plain(words: str) -> str:
    """Return words without the differences that are ignored."""
    return _NOT_SPELLED.sub("", words)
