"""The objects of JSON: their names, their fields, their clusters, whose offsets become tokens, and what is wrong with
those."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, chain
from operator import le
from typing import Any, NamedTuple

from corefscore.core.documents import Place
from corefscore.core.errors import InputError
from corefscore.core.findings import NO_CHARACTERS, Finding, plural
from corefscore.core.sources import MARK, Source, as_text
from corefscore.core.workers import NotSplittable
from corefscore.formats.base import CLUSTERS, Request, found_at, is_json, refused
from corefscore.formats.jsonlines.dialects import BY_NAME, DIALECTS, NAMES_OF_DOCUMENTS, TEXT, Dialect, dialects_of
from corefscore.formats.jsonlines.records import Fields, clean, records, shown, where
from corefscore.formats.jsonlines.words import are, sentences_in, sentences_of, words_fault

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
    for record in records(source):
        if only is None or record.place.line in only:
            yield record.place, record.fields()


def dialect_of(place: Place, fields: Fields, request: Request) -> Dialect:
    """Return the dialect that is requested, or that of the fields of an object.

    Raises `InputError` for fields of two dialects.
    """
    if (named := BY_NAME.get(request.input_format or "")) is not None:
        return named
    found = dialects_of(fields, request.columns.get(CLUSTERS))
    if len(found) > 1:
        first, second, *_ = found
        what = f"occurs together with {first.clusters}, so this can be {first.name} or {second.name}"
        expected = f"the fields of one dialect; --input-format {first.name} or --input-format {second.name} says which"
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
    name = fields[field]
    if not isinstance(name, str):
        raise bad_field(place, {}, field, f"is {shown(name)}", expected)
    if "\n" in name or name.endswith("\r"):
        raise bad_field(place, {}, field, f"is {shown(name)}", f"{expected} on one line")
    part = fields.get(dialect.part or "")
    if part is None:
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
            expected = f"one list with the number of the sentence of each of {dialect.words}"
            raise bad_field(place, fields, dialect.sentence_of, f"is {shown(numbers)}", expected)
    if dialect.subtokens is not None and fields.get(dialect.subtokens) is not None:
        _check_subtokens(place, fields, dialect.subtokens)


def _check_subtokens(place: Place, fields: Fields, field: str) -> None:
    """Raise `InputError` for a map of subtokens that has the wrong shape or too many words."""
    subtoken_map = fields[field]
    flat = are(list, [subtoken_map]) and are(int, subtoken_map)
    if not flat or not all(map(le, [0, *subtoken_map], [*subtoken_map, MOST_TOKENS - 1])):
        expected = "one list with the number of the word of each subtoken, from 0, never falling"
        raise bad_field(place, fields, field, f"is {shown(subtoken_map)}", expected)
    subtokens, words = len(subtoken_map), max(subtoken_map, default=-1) + 1
    most = _WORDS_PER_SUBTOKEN * subtokens + _WORDS_BESIDES
    if words > most:
        what = f"numbers {plural(words, 'word')} with {plural(subtokens, 'subtoken')}"
        expected = f"{most} words at most: {_WORDS_PER_SUBTOKEN} for each subtoken, and {_WORDS_BESIDES}"
        raise bad_field(place, fields, field, what, expected)


def offsets_of(place: Place, fields: Fields, dialect: Dialect) -> tuple[int, Offsets]:
    """Return the number of tokens, -1 if it is not known, and what the offsets count."""
    words = fields.get(dialect.words)
    sizes = None if words is None else list(map(len, sentences_in(words, dialect.shape) or ()))
    in_words = -1 if sizes is None else sum(sizes)
    subtoken_map = fields.get(dialect.subtokens or "")
    if subtoken_map is None:
        known_by = f'field "{dialect.words}" has {plural(in_words, dialect.unit)}'
        return (-1 if dialect.shape == TEXT else in_words), Offsets(sizes, known_by, dialect)
    in_map = subtoken_map[-1] + 1 if subtoken_map else 0
    if in_words not in (-1, in_map, len(subtoken_map)):
        expected = f"{len(subtoken_map)} tokens (its subtokens) or {in_map} (their words), according to subtoken_map"
        raise bad_field(place, fields, dialect.words, f"has {plural(in_words, 'token')}", expected)
    known_by = f"subtoken_map has {plural(len(subtoken_map), 'subtoken')}"
    return in_map, Offsets([len(subtoken_map)], known_by, dialect)


def check_spelling(place: Place, fields: Fields, flat: list[int], name: str, dialect: Dialect) -> Finding | None:
    """Return the notice for mentions whose tokens differ from the words in the field ``spelled``, if there are a few.

    Raises `InputError` if the offsets seem to mean something else: if the words of a mention would fit with an end of
    the other kind (`Dialect.exclusive`); if those of any mention differ and the dialect has exact words; and if those
    of all mentions differ.
    """
    spelled = fields.get(dialect.spelled or "")
    words = fields.get(dialect.words)
    if spelled is None or words is None or dialect.spelled is None:
        return None
    if not isinstance(words, str):
        words = list(chain.from_iterable(sentences_of(fields, dialect) or ()))
    sizes = list(map(len, fields[dialect.clusters]))
    by_cluster = are(list, [spelled]) and are(list, spelled) and list(map(len, spelled)) == sizes
    if not (by_cluster and are(str, chain.from_iterable(spelled))):
        expected = f"a list of strings for each cluster of {dialect.clusters}, one for each mention"
        raise bad_field(place, fields, dialect.spelled, f"is {shown(spelled)}", expected)
    found = list(_misspelled(flat, spelled, words, dialect))
    if not found:
        return None
    fits, place_of_mention, tokens, said = next((mention for mention in found if mention[0]), found[0])
    details = {
        "document": name,
        "place": dialect.clusters + place_of_mention,
        "words": clean(tokens),
        "field": dialect.spelled,
        "said": clean(said),
    }
    if fits or dialect.exact or 2 * len(found) == len(flat):
        last, after = f"the last {dialect.unit}", f"the {dialect.unit} after the last"
        meant, other = (after, last) if dialect.exclusive else (last, after)
        hint = f"the words would fit if an end were {other}, but " if fits else ""
        details["expected"] = f"{hint}in {dialect.name} an end is {meant}"
        raise refused(place, "other-end", **details)
    return found_at(place, "other-words", count=plural(len(found), "mention"), **details)


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
    flat = list(chain.from_iterable(mentions))
    if not are(int, flat) or min(flat, default=0) < 0:
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
        return f"{dialect.unit}s counted from 0; no offset is below that"
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
            return f"a sentence below {len(sizes)}, since the document has {plural(len(sizes), 'sentence')}"
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
