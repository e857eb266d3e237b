"""The objects of a JSON file in order: one on each line (JSON lines), or all of them in one array.

Only one line is in memory at a time, or one object of an array and the block in which it was read.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from corefscore.core.documents import Place
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, plural, shortened
from corefscore.core.sources import MARK, Source, as_text, is_utf_16

EXPECTED = "JSON lines: an object with doc_key and clusters on each"

ON_LINES = "JSON lines, one whole object on each line; repair or remove this line"
IN_ARRAY = "one array of objects with commas between them; repair it here"
"""What messages about JSON expect."""

DECODER = json.JSONDecoder(object_pairs_hook=tuple)
"""A decoder that returns objects as tuples of their fields, so that duplicate fields are visible."""

BLOCK = 1 << 16
"""The smallest number of bytes of an array that are read at once."""

BLANKS = re.compile(r"[ \t\r\n]*")
COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")

SHORT = 16
"""The number of bytes or characters up to which an object is kept; a short faulty line may occur very often."""

CUT = 12
"""The distance from the end of a block up to which a fault may only mean that a literal or an escape is cut there."""

Fields = Mapping[str, Any]


class Record(NamedTuple):
    """One object: where it begins, its size in bytes or characters, and a function that parses its fields, which raises
    `InputError` for anything but an object.

    ``last`` says that nothing after it can be read. ``raw`` is the text of the object if it is `SHORT`, else empty.

    Every object has a line of its own, and lines rise from object to object: if several objects of an array are on one
    line, the later ones have the numbers that follow.
    """

    place: Place
    size: int
    fields: Callable[[], Fields]
    last: bool = False
    raw: bytes | str = b""


def records(source: Source, skipped: Callable[[bytes | str], bool] | None = None) -> Iterator[Record]:
    """The objects of a file, except the short ones for which ``skipped`` is true.

    Raises `UsageError` for a file that cannot be read.
    """
    if source.head(BLOCK).removeprefix(MARK).lstrip().startswith(b"["):
        yield from _in_array(source, skipped)
        return
    first = True
    for number, line in source.numbered_lines():
        source.lines = max(source.lines, number)
        short = line if len(line) <= SHORT else b""
        if short and skipped is not None and skipped(short):
            continue
        raw = line.removeprefix(MARK)
        if raw.strip():
            place = Place(source, number)
            yield Record(place, len(raw), partial(parsed, place, raw, first=first), raw=short)
            first = False


def parsed(place: Place, raw: bytes, *, first: bool) -> Fields:
    """The fields of one line. Raises `InputError` for anything but an object."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if is_utf_16(raw):
            what = "the file is not UTF-8; it looks like UTF-16"
            raise refused(place, "no-document", what=what, expected=EXPECTED) from None
        column = len(raw[: error.start].decode("utf-8")) + 1
        what = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise refused(place, "bad-json", column, what=what, expected=ON_LINES) from None
    if first and not text.lstrip().startswith("{"):
        raise refused(place, "no-document", what=f'the file begins with "{text.strip()[:60]}"', expected=EXPECTED)
    try:
        value = DECODER.decode(text)
    except json.JSONDecodeError as error:
        if first and _goes_on(place, text):
            raise refused(place, "json-document") from None
        raise refused(place, "bad-json", error.pos + 1, text, what=error.msg, expected=ON_LINES) from None
    except (RecursionError, ValueError) as error:
        raise refused(place, "bad-json", what=_what(error), expected=ON_LINES) from None
    return _fields_of(place, value)


def _fields_of(place: Place, value: Any, *, in_array: bool = False) -> Fields:
    """The fields of a value. Raises `InputError` for a value that is not an object, and for a duplicate field."""
    if not isinstance(value, tuple):
        each = "in each place; repair or remove this one" if in_array else "on each line; repair or remove this line"
        holder = "the array" if in_array else "the line"
        raise refused(place, "not-object", holder=holder, what=shown(value), each=each)
    fields = dict(value)
    if len(fields) < len(value):
        counts = Counter(name for name, _ in value)
        twice = next(name for name, _ in value if counts[name] > 1)
        what, expected = "occurs more than once", "every field once; remove all but one"
        raise refused(place, "bad-field", where=where(fields), field=clean(twice), what=what, expected=expected)
    return fields


def refused(
    place: Place, code: str, column: int | None = None, text: str | None = None, **details: object
) -> InputError:
    """An error at a place; with a column (from 1) and the text of its line, it shows an excerpt."""
    excerpt = None
    if column is not None and text is not None:
        left = max(0, column - 41)
        excerpt = (re.sub(r"\s", " ", text[left : column + 30]).rstrip(), " " * (column - 1 - left) + "^")
    return InputError([Finding(code, place.source.name, place.line, column, details, excerpt)])


def _what(error: Exception) -> str:
    """What is wrong with JSON, from the error of the decoder."""
    if isinstance(error, RecursionError):
        return "brackets are nested too deeply to be read"
    return str(error).partition(";")[0]


def _goes_on(place: Place, text: str) -> bool:
    """Whether the first line of a file begins an object that continues on the next line."""
    if not text.rstrip().endswith(("{", "[", ",", ":")):
        return False
    rest = (line.strip() for number, line in place.source.numbered_lines() if number > (place.line or 0))
    return not next(filter(None, rest), b"{").startswith(b"{")


# An array


def _in_array(source: Source, skipped: Callable[[bytes | str], bool] | None) -> Iterator[Record]:
    """The objects of a file that is one array."""
    with source.reading() as stream:
        text = _Text(source, stream)
        line = 0
        try:
            text.skip("[")
            more = not text.is_next("]")
            while more:
                line = max(text.line, line + 1)
                value, size = text.value()
                short = text.before(size) if size <= SHORT else ""
                # An array of other values has no documents; one fault is enough.
                last = not isinstance(value, tuple)
                if not (short and skipped is not None and skipped(short)):
                    place = Place(source, line)
                    yield Record(place, size, partial(_fields_of, place, value, in_array=True), last, short)
                if last:
                    return
                more = text.has_next()
            text.skip("]")
            if not text.ended():
                raise text.fault("there is text after the array")
        except InputError as error:
            yield Record(Place(source, text.line), 0, partial(_raise, error), last=True)


def _raise(error: InputError) -> Fields:
    raise error


class _Text:
    """The text of an array, read as it is needed. ``position`` is the index in the text in memory, ``line`` the line of
    it."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self._source, self._stream = source, stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._done, self._counted = "", False, 0
        self.position, self.line = 0, 1
        self._begin = 0

    def _more(self) -> bool:
        """Read at least as much as is in memory, so that no text is parsed more than a few times; False at the end."""
        if self._done:
            return False
        self._count_lines()
        self._text = self._text[self.position :]
        self._begin, self._counted, self.position = self._begin - self.position, 0, 0
        block = self._stream.read(max(BLOCK, len(self._text)))
        self._done = not block
        try:
            self._text += self._decoder.decode(block, final=self._done)
        except UnicodeDecodeError as error:
            what = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
            place = Place(self._source, self.line + error.object.count(b"\n", 0, error.start))
            raise refused(place, "bad-json", what=what, expected=IN_ARRAY) from None
        return True

    def _count_lines(self) -> None:
        """Count the lines up to the position."""
        more = self._text.count("\n", self._counted, self.position)
        if more:
            self.line += more
            self._begin = self._text.rfind("\n", self._counted, self.position) + 1
        self._counted = self.position

    def blanks(self) -> None:
        """Move to the next character that is not a blank."""
        while True:
            found = BLANKS.match(self._text, self.position)
            assert found is not None, "the pattern matches the empty string"
            self.position = found.end()
            if self.position < len(self._text) or not self._more():
                break
        self._count_lines()

    def ended(self) -> bool:
        """Whether only blanks are left."""
        self.blanks()
        return self.position == len(self._text)

    def is_next(self, sign: str) -> bool:
        """Whether this sign is next, after blanks."""
        self.blanks()
        return self._text.startswith(sign, self.position)

    def skip(self, sign: str) -> None:
        """Move past a sign. Raises `InputError` if it is not next."""
        if not self.is_next(sign):
            raise self.fault("the array ends too soon" if self.ended() else f"Expecting {sign!r} delimiter")
        self.position += 1

    def has_next(self) -> bool:
        """Whether the array has another value; moves past the comma before it. Raises `InputError` for anything else
        but the end of the array."""
        found = COMMA.match(self._text, self.position)
        if found is not None and found.end() < len(self._text):
            self.position = found.end()
            self._count_lines()
            return True
        if self.is_next("]"):
            return False
        self.skip(",")
        self.blanks()
        return True

    def before(self, size: int) -> str:
        """The last ``size`` characters before the position."""
        return self._text[self.position - size : self.position]

    def value(self) -> tuple[Any, int]:
        """The next value and its number of characters. Raises `InputError` if there is none."""
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self.position)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - CUT
                if not (cut and self._more()):
                    raise self.fault(error.msg, error.pos) from None
            except (RecursionError, ValueError) as error:
                raise self.fault(_what(error)) from None
            else:
                if end < len(self._text) or not self._more():
                    begin, self.position = self.position, end
                    return value, end - begin

    def fault(self, what: str, position: int | None = None) -> InputError:
        """The error for a fault, by default at the current position."""
        if position is not None:
            self.position = position
        self._count_lines()
        column = self.position - self._begin + 1
        text = self._text[max(0, self._begin) : self.position + 40]
        place = Place(self._source, self.line)
        if self._begin < 0:  # the line began in an earlier block
            return refused(place, "bad-json", column, what=what, expected=IN_ARRAY)
        return refused(place, "bad-json", column, text.partition("\n")[0], what=what, expected=IN_ARRAY)


# Values in messages


def where(fields: Fields, names: tuple[str, ...] = ("doc_key", "doc_id", "document_id", "id")) -> str:
    """The beginning of a message about a document."""
    name = next((fields[field] for field in names if isinstance(fields.get(field), str)), None)
    return "" if name is None else f'in document "{clean(name)}": '


def shown(value: Any) -> str:
    """A value of JSON for messages; only small values are shown as they are."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list) and (len(value) > 4 or any(isinstance(item, list | tuple) for item in value)):
        return f"a list of {plural(len(value), 'value')}"
    return shortened(json.dumps(value))


def as_json(fields: Fields) -> str:
    """An object as text. Bytes that are not UTF-8 are lone surrogates in memory, which JSON can contain as escapes."""
    text = json.dumps(fields, ensure_ascii=False)
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def clean(text: str) -> str:
    """A string of JSON as a file can contain it: surrogates that do not mean a byte are written as escapes, and bytes
    that are a character together are this character."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
        return as_text(text.encode("utf-8", "surrogateescape"))
    return text
