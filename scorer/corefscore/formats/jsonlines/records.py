"""The objects of a JSON file, one after the other: one on each line (JSON lines), or all of them in one array.

No more than one line is in memory, or of an array the object at hand and what was read with it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from corefscore.checking.findings import Finding, plural, shortened
from corefscore.documents.model import Place
from corefscore.documents.sources import MARK, Source, is_utf_16
from corefscore.errors import InputError
from corefscore.work.workers import Unsuited

EXPECTED = "JSON lines: an object with doc_key and clusters on each"

ON_LINES = "JSON lines, one whole object on each line; repair or remove this line"
IN_ARRAY = "one array of objects with commas between them; repair it here"
"""What is expected of JSON, and what to do."""

DECODER = json.JSONDecoder(object_pairs_hook=tuple)
"""Objects come out as tuples of their fields, so that a field that stands twice can be seen."""

BLOCK = 1 << 16
"""Bytes of an array that are read at once, at least."""

BLANKS = re.compile(r"[ \t\r\n]*")
COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")

SHORT = 16
"""Bytes or characters of an object that is short: one that is faulty may come a hundred thousand times."""

CUT = 12
"""So near to the end of a text a fault can come from its being cut there, in a literal or an escape."""

Fields = Mapping[str, Any]


class Record(NamedTuple):
    """One object: where it begins, how many bytes or characters it has, and its fields, which are looked at when they
    are asked for: that raises `InputError` for anything but an object. ``last`` says that nothing after it can be read.
    ``raw`` is the object as it is written if it is `SHORT`, else empty.

    Lines rise from object to object, so that each has its own: of several objects on a line of an array, the later ones
    have the numbers that follow.
    """

    place: Place
    size: int
    fields: Callable[[], Fields]
    last: bool = False
    raw: bytes | str = b""


def records(source: Source, skipped: Callable[[bytes | str], bool] | None = None) -> Iterator[Record]:
    """The objects of a file, without those short ones of which ``skipped`` is true.

    Raises `UsageError` for a file that cannot be read.
    """
    if source.head(BLOCK).removeprefix(MARK).lstrip().startswith(b"["):
        if not source.whole:
            raise Unsuited  # an array is not cut
        yield from _in_array(source, skipped)
        return
    first = True
    for number, line in source.numbered_lines():
        short = line if len(line) <= SHORT else b""
        if short and skipped is not None and skipped(short):
            continue
        raw = line.removeprefix(MARK) if number == 1 else line
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
    return fields_of(place, value)


def fields_of(place: Place, value: Any, *, in_array: bool = False) -> Fields:
    """The fields of a value. Raises `InputError` for one that is no object, and for a field that stands twice."""
    if not isinstance(value, tuple):
        each = "in each place; repair or remove this one" if in_array else "on each line; repair or remove this line"
        holder = "the array" if in_array else "the line"
        raise refused(place, "not-object", holder=holder, what=shown(value), each=each)
    fields = dict(value)
    if len(fields) < len(value):
        counts = Counter(name for name, _ in value)
        twice = next(name for name, _ in value if counts[name] > 1)
        what, expected = "stands there more than once", "every field once; remove all but one"
        raise refused(place, "bad-field", where=where(fields), field=clean(twice), what=what, expected=expected)
    return fields


def refused(
    place: Place, code: str, column: int | None = None, text: str | None = None, **details: object
) -> InputError:
    """The error for what was found at a place, in a column (from 1) of a text there."""
    excerpt = None
    if column is not None and text is not None:
        left = max(0, column - 41)
        excerpt = (re.sub(r"\s", " ", text[left : column + 30]).rstrip(), " " * (column - 1 - left) + "^")
    return InputError([Finding(code, place.source.name, place.line, column, details, excerpt)])


def _what(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "brackets are nested too deeply to be read"
    return str(error).partition(";")[0]


def _goes_on(place: Place, text: str) -> bool:
    """Whether the first line of a file begins an object that goes on in the next."""
    if not text.rstrip().endswith(("{", "[", ",", ":")):
        return False
    rest = (line.strip() for number, line in place.source.numbered_lines() if number > (place.line or 0))
    return not next(filter(None, rest), b"{").startswith(b"{")


# An array


def _in_array(source: Source, skipped: Callable[[bytes | str], bool] | None) -> Iterator[Record]:
    """The objects of a file that is one array, likewise."""
    with source.reading() as stream:
        text = _Text(source, stream)
        line = 0
        try:
            text.pass_over("[")
            more = not text.comes("]")
            while more:
                line = max(text.line, line + 1)
                value, size = text.value()
                short = text.before(size) if size <= SHORT else ""
                # What is not made of objects has no documents; a fault for each of its values would help nobody.
                last = not isinstance(value, tuple)
                if not (short and skipped is not None and skipped(short)):
                    place = Place(source, line)
                    yield Record(place, size, partial(fields_of, place, value, in_array=True), last, short)
                if last:
                    return
                more = text.goes_on()
            text.pass_over("]")
            if not text.ended():
                raise text.fault("something stands behind the array")
        except InputError as error:
            yield Record(Place(source, text.line), 0, partial(_raise, error), last=True)


def _raise(error: InputError) -> Fields:
    raise error


class _Text:
    """The text of an array, read as it is needed. ``at`` is the place in what is in memory, ``line`` its line."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self._source, self._stream = source, stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._done, self._counted = "", False, 0
        self.at, self.line = 0, 1
        self._begin = 0

    def _more(self) -> bool:
        """Read as much again as is still needed, so that no text is looked at more than a few times."""
        if self._done:
            return False
        self._count_lines()
        self._text = self._text[self.at :]
        self._begin, self._counted, self.at = self._begin - self.at, 0, 0
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
        """Count the lines up to the place."""
        more = self._text.count("\n", self._counted, self.at)
        if more:
            self.line += more
            self._begin = self._text.rfind("\n", self._counted, self.at) + 1
        self._counted = self.at

    def blanks(self) -> None:
        """Go on to what is no blank."""
        while True:
            found = BLANKS.match(self._text, self.at)
            assert found is not None, "it matches nothing as well"
            self.at = found.end()
            if self.at < len(self._text) or not self._more():
                break
        self._count_lines()

    def ended(self) -> bool:
        """Whether nothing but blanks is left."""
        self.blanks()
        return self.at == len(self._text)

    def comes(self, sign: str) -> bool:
        """Whether this sign comes next."""
        self.blanks()
        return self._text.startswith(sign, self.at)

    def pass_over(self, sign: str) -> None:
        """Go on behind a sign. Raises `InputError` where it is not there."""
        if not self.comes(sign):
            raise self.fault("the array ends too soon" if self.ended() else f"Expecting {sign!r} delimiter")
        self.at += 1

    def goes_on(self) -> bool:
        """Whether a comma comes next; if so, go on to what is behind it. Raises `InputError` for anything else but the
        end of the array."""
        found = COMMA.match(self._text, self.at)
        if found is not None and found.end() < len(self._text):
            self.at = found.end()
            self._count_lines()
            return True
        if self.comes("]"):
            return False
        self.pass_over(",")
        self.blanks()
        return True

    def before(self, size: int) -> str:
        """The last characters before the place."""
        return self._text[self.at - size : self.at]

    def value(self) -> tuple[Any, int]:
        """The value that comes next, and its characters. Raises `InputError` for what is none."""
        while True:
            try:
                value, end = DECODER.raw_decode(self._text, self.at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - CUT
                if not (cut and self._more()):
                    raise self.fault(error.msg, error.pos) from None
            except (RecursionError, ValueError) as error:
                raise self.fault(_what(error)) from None
            else:
                if end < len(self._text) or not self._more():
                    begin, self.at = self.at, end
                    return value, end - begin

    def fault(self, what: str, at: int | None = None) -> InputError:
        """The error for what is wrong at a place, by default where reading is."""
        if at is not None:
            self.at = at
        self._count_lines()
        column = self.at - self._begin + 1
        text = self._text[max(0, self._begin) : self.at + 40]
        place = Place(self._source, self.line)
        if self._begin < 0:  # the line began in what was read before
            return refused(place, "bad-json", column, what=what, expected=IN_ARRAY)
        return refused(place, "bad-json", column, text.partition("\n")[0], what=what, expected=IN_ARRAY)


# Values in messages


def where(fields: Fields, names: tuple[str, ...] = ("doc_key", "doc_id", "document_id", "id")) -> str:
    """How messages begin that are about a document."""
    name = next((fields[field] for field in names if isinstance(fields.get(field), str)), None)
    return "" if name is None else f'in document "{clean(name)}": '


def shown(value: Any) -> str:
    """A value of JSON for messages: itself where it is small."""
    if isinstance(value, tuple):
        return "an object"
    if isinstance(value, list) and (len(value) > 4 or any(isinstance(item, list | tuple) for item in value)):
        return f"a list of {plural(len(value), 'value')}"
    return shortened(json.dumps(value))


def clean(text: str) -> str:
    """A string of JSON that can be printed: surrogates that stand for no byte are spelt out."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
    return text
