"""The objects of a JSON file in order: one on each line (JSON lines), or all of them in one array.

Of JSON lines one line is in memory at a time, of an array its whole text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from corefscore.core.documents import Place
from corefscore.core.errors import InputError
from corefscore.core.findings import plural, shortened
from corefscore.core.sources import MARK, Source, as_text, is_utf_16
from corefscore.formats.base import refused
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS

EXPECTED = "JSON lines: an object with doc_key and clusters on each"

_ON_LINES = "JSON lines, one whole object on each line; repair or remove this line"
_IN_ARRAY = "one array of objects with commas between them; repair it here"

_DECODER = json.JSONDecoder(object_pairs_hook=tuple)
"""A decoder that returns objects as tuples of their fields, so that duplicate fields are visible."""

_HEAD = 1 << 16
"""The number of bytes that are searched for the bracket of an array; without one, each line is an object."""

_BLANKS = re.compile(r"[ \t\r\n]*")

Fields = Mapping[str, Any]


class _Record(NamedTuple):
    """One object: where it begins, its size in bytes or characters, and a function that parses its fields, which raises
    `InputError` for anything but an object.

    Every object has a line of its own, and lines rise from object to object: if several objects of an array are on one
    line, the later ones have the numbers that follow.
    """

    place: Place
    size: int
    fields: Callable[[], Fields]


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
        raw = line.removeprefix(MARK)
        if raw.strip():
            place = Place(source, number)
            yield _Record(place, len(raw), partial(parsed, place, raw, first=first))
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
            each = "in each place; repair or remove this one"
            yield _Record(place, end - position, partial(_fields_of, place, value, "the array", each))
            if not isinstance(value, tuple):
                return
            position = _past_blanks(text, end)
            if more := text.startswith(",", position):
                position = _past_blanks(text, position + 1)
        if not text.startswith("]", position):
            what = "the array ends too soon" if position == len(text) else "Expecting ',' delimiter"
            raise json.JSONDecodeError(what, text, position)
        position = _past_blanks(text, position + 1)
        if position < len(text):
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
    fields = dict(value)
    if len(fields) < len(value):
        counts = Counter(name for name, _ in value)
        twice = next(name for name, _ in value if counts[name] > 1)
        what, expected = "occurs more than once", "every field once; remove all but one"
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
    text = json.dumps(fields, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def clean(text: str) -> str:
    """Return a string of JSON as a file can contain it: surrogates that do not mean a byte are written as escapes, and
    bytes that are a character together are this character.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
        return as_text(text.encode("utf-8", "surrogateescape"))
    return text
