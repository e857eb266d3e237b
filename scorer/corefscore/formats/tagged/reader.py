"""Text with tags: from files to documents, whose tokens are the words of the text itself.

- A file is one document, which is called like the file without its ending.
- In the notation of the CRAC tasks (`corefscore.formats.tagged.notations`: `words`) each line is a document, called
  like its number.
- In JSON lines, or in an array of JSON, each object is a document. The text is in the field `answer`, the name in
  `doc_key`, or else `doc_id`, `document_id` or `id`; without any, it is called like the number of its line.

The notation of all files is that of ``--tags``, or else it is recognised by the content of the first file.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

from corefscore.core.documents import Documents, Place
from corefscore.core.errors import InputError
from corefscore.core.findings import Finding, Found, plural
from corefscore.core.sources import MARK, STDIN, Source, as_text, is_utf_16
from corefscore.formats.base import BATCH, USUAL, Annotations, Request, Sentences, excerpt, found_at, is_json, refused
from corefscore.formats.gathered import Gathered, words_of_spans
from corefscore.formats.jsonlines.dialects import NAMES_OF_DOCUMENTS
from corefscore.formats.jsonlines.objects import bad_field, missing_field, objects
from corefscore.formats.jsonlines.records import clean
from corefscore.formats.tagged.notations import NAMES, NOTATIONS, Notation, Untagged, find, nearby, recognised, untagged

FIELD = "answer"

_ENOUGH = 1 << 20
"""The number of characters by which the notation is recognised."""


class _Answer(NamedTuple):
    """The text of one document with its tags, and where it begins."""

    place: Place
    name: str
    text: str
    by_line: bool = True
    """Whether the lines of the text are those of the file."""

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
    yield from _documents(files, notices, _notation_of(files, request), lambda answer, text: None)


def examine(files: Sequence[Source], found: Found, request: Request) -> Iterator[Documents]:
    """Yield the documents of all files, in batches; all that is wrong or odd, every faulty tag at its place, is added
    to ``found``.

    Raises `UsageError` for a file that cannot be read.
    """
    notices: list[Finding] = []
    try:
        notation = _notation_of(files, request)
    except InputError as error:
        found.add(*error.findings)
        return
    for source in files:
        try:
            for batch in _documents([source], notices, notation, partial(_look, found)):
                found.add(*notices)
                notices.clear()
                yield batch
        except InputError as error:
            found.add(*error.findings)


def _documents(
    files: Sequence[Source], notices: list[Finding], notation: Notation, look: Callable[[_Answer, Untagged], None]
) -> Iterator[Documents]:
    """Yield the documents of files, in batches; ``look`` is given each answer."""
    words = partial(words_of_spans, annotations_of, USUAL._replace(tags=notation.name))
    batch = Gathered()
    for source in files:
        for answer in _answers(source, notation):
            text = untagged(answer.text, notation)
            _add(batch, answer, text)
            look(answer, text)
            if not text.mentions and not any(text.faults.values()):
                notices.append(found_at(answer.place, "no-tags", document=answer.name, notation=notation.name))
            if batch.size > BATCH:
                yield batch.documents(words=words, own_text=True)
                batch = Gathered()
    if batch.names:
        yield batch.documents(words=words, own_text=True)


def _look(found: Found, answer: _Answer, text: Untagged) -> None:
    """Look at the tags of an answer."""
    for fault, count in text.faults.items():
        code = f"{fault}-tags"
        places = found.take(code, text.odd[fault])
        found.add_unlisted(code, count - len(text.odd[fault]))
        for start, stop in places:
            line, column, around = answer.at(start, stop)
            place = answer.place._replace(line=line)
            found.add(found_at(place, code, column, around, document=answer.name, count=plural(1, "tag")))


def _add(batch: Gathered, answer: _Answer, text: Untagged) -> None:
    """Add a document to a batch."""
    entities: dict[str, list[int]] = defaultdict(list)
    for entity, first, last in text.mentions:
        entities[entity] += first, last
    sizes = [(entity, len(offsets) // 2) for entity, offsets in entities.items()]
    offsets = chain.from_iterable(entities.values())
    unnamed = answer.name == str(answer.place.line)
    batch.add(answer.name, answer.place, len(text.words), sizes, offsets, unnamed=unnamed)
    batch.size += len(answer.text)


def annotations_of(source: Source, request: Request) -> Iterator[Annotations]:
    """Yield the words of each document, all as one sentence."""
    notation = _notation_of([source], request)
    for answer in _answers(source, notation):
        if request.lines is None or answer.place.line in request.lines:
            text = untagged(answer.text, notation)
            at = partial(_at, answer, text)
            yield Annotations(answer.place.line, [text.words], faults=text.faults, zeros=text.zeros, at=at)


def sentences(source: Source, notices: list[Finding], request: Request) -> Iterator[Sentences]:
    """Yield the words of each document. Adds no notices."""
    yield from ([words for words in its.words if words] for its in annotations_of(source, request))


def _at(answer: _Answer, text: Untagged, what: int | str) -> tuple[int | None, int | None, tuple[str, str]]:
    """Return the line and the column of a word, or of the first tag with a fault, and the text around it with carets
    under it."""
    if isinstance(what, str):
        return answer.at(*text.odd[what][0])
    start = text.origin(what)
    return answer.at(start, start + len(text.words[what]))


def settled(files: Sequence[Source], request: Request) -> Request:
    """Return the request with the notation, which is recognised by the first file if it is not requested."""
    return request._replace(tags=_notation_of(files, request).name)


def _notation_of(files: Sequence[Source], request: Request) -> Notation:
    """Return the notation that is asked for, or that of the first file; of text without tags the first one there is.

    Raises `UsageError` for one that is asked for and is none, `InputError` for text with tags in a notation that is
    only similar.
    """
    if request.tags is not None:
        return find(request.tags)
    text, similar = "", None
    for answer in _answers(files[0], None):
        text += f"{answer.text}\n"
        if similar is None and (found := nearby(answer.text)) is not None:
            line, column, around = answer.at(*found[0].span())
            place, expected = Place(files[0], line), ", ".join(NAMES)
            similar = found_at(place, "other-notation", column, around, expected=expected, pattern=found[1])
        if len(text) > _ENOUGH:
            break
    notation = recognised(text)
    if notation is None and similar is not None:
        raise InputError([similar])
    return notation or NOTATIONS[0]


def _answers(source: Source, notation: Notation | None) -> Iterator[_Answer]:
    """Yield the texts of a file. Raises `InputError` where there is none, or where it is not UTF-8 at all."""
    raw = source.read().removeprefix(MARK)
    if is_utf_16(raw):
        what = "the file is not UTF-8; it looks like UTF-16"
        raise refused(Place(source, None), "no-document", what=what, expected="text with tags in it, in UTF-8")
    if not raw.strip():
        empty = "the file contains nothing but white space" if raw else "the file is empty"
        expected = (
            "text with tags in it, or JSON lines with such text in the field answer; if the model wrote nothing, give "
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
    """Return whether the first line of a text is an object of JSON and text with tags after it."""
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
        text = fields[FIELD]
        if not isinstance(text, str):
            raise bad_field(place, fields, FIELD, "is no text", "the text with its tags in it, a string")
        name = next((fields[field] for field in NAMES_OF_DOCUMENTS if field in fields), str(place.line))
        if not isinstance(name, str | int) or isinstance(name, bool):
            raise bad_field(place, {}, NAMES_OF_DOCUMENTS[0], "is no name", "the name of the document, a string")
        yield _Answer(place, clean(str(name)), clean(text), by_line=False)
