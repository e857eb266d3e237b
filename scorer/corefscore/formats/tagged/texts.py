"""Text with tags, read and written: documents whose tokens are the words of the text itself.

- A file is one document, which is called like the file without its ending.
- In the notation of the CRAC tasks (`corefscore.formats.tagged.notations`: `words`) each line is a document, called
  like its number.
- In JSON lines, or in an array of JSON, each object is a document. The text is in the field `answer`, the name in
  `doc_key`, or else `doc_id`, `document_id` or `id`; without any, it is called like the number of its line.

The notation of all files is that of ``--tags``, or else it is recognised by the content of the first file.

Documents are written to make prompts, and answers to show in them: in the notation of the CRAC tasks as lines, in the
others as objects of JSON with `doc_key`, `answer`, and in `text` the words without tags; sentences are its lines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple

from corefscore.core.arrays import lists_by_key
from corefscore.core.documents import RESPONSE, Documents, Place
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, Found, plural
from corefscore.core.sources import MARK, STDIN, Source, as_text, is_utf_16
from corefscore.formats.base import (
    BATCH,
    USUAL,
    Annotations,
    FullDocument,
    Request,
    Sentences,
    excerpt,
    found_at,
    is_json,
    refused,
    shares_spans,
)
from corefscore.formats.gathered import Gathered, words_of_spans
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
from corefscore.formats.jsonlines.objects import as_json, bad_field, clean, missing_field, objects
from corefscore.formats.sides import leave, of_key, side_in
from corefscore.formats.tagged.notations import NAMES, NOTATIONS, Notation, Untagged, find, nearby, recognised, untagged
from corefscore.formats.words import INVISIBLE
from corefscore.formats.written import (
    CLOSE,
    OPEN,
    SINGLE,
    Fit,
    add_notice,
    crossings,
    fitted,
    marks,
    note_crossing,
    with_signs,
)

FIELD = "answer"

_OF_ANSWERS = re.compile("(?i)(?:generat(?:ions?|ed_?text)|choices|message|reply|annotated|(?:response|output)_?text)")
"""Further names of fields in which programs that run language models keep the answer."""

_OF_MENTIONS = "each tag has an id of its own; give all mentions of an entity one id, whatever else the tags say"
"""What to do about tags that have ids of mentions."""

_ALIKE = 0.5
"""The share of the words of two texts that they have in common if one is the other with other tags."""

_ENOUGH = 1 << 20
"""The number of characters by which the notation is recognised."""


class _Answer(NamedTuple):
    """The text of one document with its tags, and where it begins."""

    place: Place
    name: str
    text: str
    by_line: bool = True
    """Whether the lines of the text are those of the file."""
    others: Mapping[str, Any] = {}
    """The fields of its object that are not read."""

    def at(self, start: int, stop: int) -> tuple[int | None, int | None, tuple[str, str]]:
        """Return the line and the column of a part of the text, and the text around it with carets under it."""
        begin = self.text.rfind("\n", 0, start) + 1
        end = self.text.find("\n", start)
        column, around = excerpt(self.text[begin : None if end < 0 else end], start - begin, stop - start)
        if not self.by_line:
            return self.place.line, None, around
        return (self.place.line or 1) + self.text.count("\n", 0, start), column, around


def read(files: Sequence[Source], notices: list[Finding], request: Request) -> Iterator[Documents]:
    """Yield the documents of all files, in batches.

    Raises `InputError` for a file without any text, `UsageError` for one that cannot be read.
    """
    yield from _documents(files, notices.append, _notation_of(files, request))


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Yield the documents of all files, in batches; all that is wrong or odd, every faulty tag at its place, is added
    to ``found``.

    Raises `InputError` for a notation that is only similar, `UsageError` for a file that cannot be read.
    """
    notation = _notation_of(files, request)
    for source in files:
        try:
            yield from _documents([source], found.add, notation, found)
        except InputError as error:
            found.add(*error.findings)


def _documents(
    files: Sequence[Source], note: Callable[[Finding], None], notation: Notation, found: Found | None = None
) -> Iterator[Documents]:
    """Yield the documents of files, in batches; every faulty tag is added to what was ``found``, if this is given."""
    words = partial(words_of_spans, annotations_of, USUAL._replace(tags=notation.name))
    batch, told = Gathered(), False
    for source in files:
        for answer in _answers(source, notation):
            text = untagged(answer.text, notation)
            other = None if told else next(filter(partial(_is_answer, answer, text, notation), answer.others), None)
            if other is not None:
                told, what = True, "the answer of the system"
                expected = f"the text in {FIELD} is read; if this field is meant, rename it to {FIELD}"
                note(found_at(answer.place, "unread-field", name=other, what=what, expected=expected))
            _add(batch, answer, text)
            if found is not None:
                _look(found, answer, text)
            if not text.mentions and not any(text.odd.values()):
                note(found_at(answer.place, "no-tags", document=answer.name, notation=notation.name))
            if batch.size > BATCH:
                yield batch.documents(words=words, own_text=True, by_word=notation.by_line)
                batch = Gathered()
    if batch.names:
        yield batch.documents(words=words, own_text=True, by_word=notation.by_line)


def _is_answer(answer: _Answer, text: Untagged, notation: Notation, name: str) -> bool:
    """Return whether another field of an object seems to have the answer of the system, by its name or since it is
    nearly the same text with other tags."""
    value = answer.others[name]
    if not value or not isinstance(value, str | list | dict) or of_key(name):
        return False
    if side_in(name) == RESPONSE or _OF_ANSWERS.fullmatch(name):
        return True
    if not isinstance(value, str):
        return False
    other = untagged(value, notation)
    alike = (Counter(other.words) & Counter(text.words)).total() >= _ALIKE * max(len(text.words), len(other.words))
    return bool(other.mentions) and alike and other.mentions != text.mentions


def _look(found: Found, answer: _Answer, text: Untagged) -> None:
    """Look at the tags of an answer."""
    for fault, places in text.odd.items():
        code = f"{fault}-tags"
        for start, stop, *_ in found.take(code, places):
            line, column, around = answer.at(start, stop)
            place = answer.place._replace(line=line)
            found.add(found_at(place, code, column, around, document=answer.name, count=plural(1, "tag")))


def _add(batch: Gathered, answer: _Answer, text: Untagged) -> None:
    """Add a document to a batch."""
    entities = lists_by_key((entity, (first, last)) for entity, first, last in text.mentions)
    sizes = [(entity, len(spans)) for entity, spans in entities.items()]
    offsets = chain.from_iterable(chain(*entities.values()))
    batch.add(answer.name, answer.place, len(text.words), sizes, offsets, unnamed=answer.name == str(answer.place.line))
    leave(batch.unread, answer.place, answer.others)
    batch.size += len(answer.text)


def annotations_of(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the words of each document, all as one sentence."""
    notation = _notation_of([source], request)
    for answer in _answers(source, notation):
        if request.lines is None or answer.place.line in request.lines:
            text = untagged(answer.text, notation)
            words, at, tagged = [text.words], partial(_at, answer, text), partial(untagged, notation=notation)
            yield Annotations(answer.place.line, words, faults=text.faults, zeros=text.zeros, at=at, tagged=tagged)


def _at(answer: _Answer, text: Untagged, what: int | str) -> tuple[int | None, int | None, tuple[str, str]]:
    """Return the line and the column of a word, or of the first tag with a fault, and the text around it with carets
    under it."""
    if isinstance(what, str):
        return answer.at(*text.odd[what][0][:2])
    start = text.origin(what)
    return answer.at(start, start + len(text.words[what]))


def completed_request(files: Sequence[Source], request: Request) -> Request:
    """Return the request with the notation, which is recognised by the first file if it is not requested."""
    return request._replace(tags=_notation_of(files, request).name)


def _notation_of(files: Sequence[Source], request: Request) -> Notation:
    """Return the notation that is asked for, or that of the first file; of text without tags the first one there is.

    Raises `UsageError` for one that is asked for and is none, `InputError` for tagged text in a notation that is
    only similar.
    """
    if request.tags is not None:
        return find(request.tags)
    text, similar = "", None
    for answer in _answers(files[0], None):
        text += f"{answer.text}\n"
        if similar is None and (found := nearby(answer.text)) is not None:
            line, column, around = answer.at(*found[0].span())
            how = f"if the numbers or names in the tags identify entities, score with --tags '{found[1]}'"
            details = {"expected": ", ".join(NAMES), "how": how if found[1] else _OF_MENTIONS}
            similar = found_at(Place(files[0], line), "other-notation", column, around, **details)
        if len(text) > _ENOUGH:
            break
    notation = recognised(text)
    if notation is None and similar is not None:
        raise InputError([similar])
    return notation or NOTATIONS[0]


def _answers(source: Source, notation: Notation | None) -> Iterator[_Answer]:
    """Yield the texts of a file. Raises `InputError` where there is none, or where it is not UTF-8 at all."""
    if is_utf_16(raw := source.read().removeprefix(MARK)):
        what = "the file is not UTF-8; it looks like UTF-16"
        raise refused(Place(source, None), "no-document", what=what, expected="tagged text in UTF-8")
    if not raw.strip():
        empty = "the file contains nothing but white space" if raw else "the file is empty"
        expected = (
            "tagged text, or JSON lines with such text in the field answer; if the model wrote nothing, give "
            'its answer as JSON, {"answer": ""}, which is scored'
        )
        raise refused(Place(source, None), "no-document", what=empty, expected=expected)
    if is_json(raw, objects=True) and not _goes_on_with_tags(raw):
        yield from _of_objects(source)
    elif notation is not None and notation.by_line:
        for number, line in enumerate(raw.split(b"\n"), start=1):
            if line.strip():
                yield _Answer(Place(source, number), str(number), as_text(line))
    else:
        yield _Answer(Place(source, 1), "1" if source.path == STDIN else source.stem, as_text(raw))


def _goes_on_with_tags(raw: bytes) -> bool:
    """Return whether the first line of a text is an object of JSON and tagged text after it."""
    line = as_text(raw.lstrip().split(b"\n", 1)[0])
    try:
        _, end = json.JSONDecoder().raw_decode(line)
    except (ValueError, RecursionError):
        return False
    rest = line[end:]
    return not is_json(rest.encode("utf-8", "replace")) and recognised(rest) is not None


def _of_objects(source: Source) -> Iterator[_Answer]:
    for place, fields in objects(source):
        if FIELD not in fields:
            raise missing_field(place, fields, FIELD, "the text with its tags in it")
        if not isinstance(text := fields[FIELD], str):
            raise bad_field(place, fields, FIELD, "is not text", "the text with its tags in it, a string")
        field = next((field for field in NAMES_OF_DOCUMENTS if field in fields), FIELD)
        name = fields[field] if field != FIELD else str(place.line)
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise bad_field(place, {}, field, "is not a name", "the name of the document, a string")
        others = {field: value for field, value in fields.items() if field not in (FIELD, *NAMES_OF_DOCUMENTS)}
        yield _Answer(place, clean(str(name)), clean(text), by_line=False, others=others)


_NOT_TEXT = re.compile("BZh|PK|7z|Rar!|LZIP|[\0-\x1f\x7f\ufeff\udc80-\udcff]")
"""What could be the beginning of a compressed file or of another encoding, or a byte order mark, where text begins."""

_Spans = Sequence[tuple[int, int, str]]
"""Mentions: first token, last token, id."""


def write(documents: Iterator[FullDocument], notices: list[Finding], request: Request) -> Iterator[str]:
    """Write documents as tagged text; notices name what the notation cannot contain.

    Raises `UsageError` for a notation that can only be read.
    """
    notation = find(request.tags or NOTATIONS[0].name, writes=True)
    fit = Fit(
        f"the notation {notation.name}",
        words=rf"[\s\0]|{notation.unfit}|\A(?:{INVISIBLE})*\Z",
        blank="",
        signs=True,
        ids=notation.ids,
        letter="e" if notation.by_line else "",
        least=1 if notation.by_line else 0,
    )
    for number, document in enumerate(fitted(documents, notices, fit), start=1):
        if notation.by_line and document.name != str(number) == "1":
            add_notice(document, notices, "changed-name", format=fit.title, written="1")
        line = _line(document, notation, notices)
        yield "\ufeff" + line if number == 1 and _NOT_TEXT.match(line) else line


def _line(document: FullDocument, notation: Notation, notices: list[Finding]) -> str:
    sentences = with_signs(document, document.sentences or (), notices)
    spans = [(start, end, name) for name, mentions in document.entities.items() for start, end in mentions]
    if notation.by_id:
        note_crossing(document, notices, f"the notation {notation.name}", closed_first=True)
    else:
        spans, crossing = without_crossing(spans)
        if crossing:
            add_notice(document, notices, "unsaid-crossing", count=plural(crossing, "mention"), notation=notation.name)
    if shares_spans(document):
        add_notice(document, notices, "changed-order")
    if notation.by_line:
        return _by_word(sentences, document.entities)
    plain = "\n".join(map(" ".join, sentences))
    tagged = _around(sentences, spans, notation)
    return as_json({NAMES_OF_DOCUMENTS[0]: document.name, FIELD: tagged, "text": plain}) + "\n"


def without_crossing(spans: _Spans) -> tuple[list[tuple[int, int, str]], int]:
    """Return the mentions that do not cross one that begins before them, in the order in which tags open; and how many
    do.
    """
    crossing = {number for _, number in crossings([span[:2] for span in spans])}
    kept = [span for number, span in enumerate(spans) if number not in crossing]
    return sorted(kept, key=lambda span: (span[0], -span[1])), len(crossing)


def _around(sentences: Sentences, spans: _Spans, notation: Notation) -> str:
    """Return the text with tags around its mentions, which nest."""
    opens = lists_by_key((start, notation.opening.format(id=name)) for start, _, name in spans)
    closes = lists_by_key((end, notation.closing.format(id=name)) for _, end, name in reversed(spans))
    tokens = count()
    lines = []
    for sentence in sentences:
        tagged = zip(sentence, tokens, strict=False)  # the sentence first: where it ends, no number is taken
        words = ["".join([*opens.get(token, ()), word, *closes.get(token, ())]) for word, token in tagged]
        lines.append(" ".join(words))
    return "\n".join(lines)


def _by_word(sentences: Sentences, entities: Mapping[str, Sequence[tuple[int, int]]]) -> str:
    """Return the line of a document, with the tags of each word after it: those of mentions of this word alone, of
    mentions that close, of mentions that open.
    """
    tags = marks(entities, {SINGLE: "[{}]".format, CLOSE: "{}]".format, OPEN: "[{}".format})
    words = enumerate(chain.from_iterable(sentences))
    return " ".join(f"{word}|{','.join(tags[token])}" if token in tags else word for token, word in words) + "\n"
