"""Named mentions: which mentions are names, and documents cut down to them.

A metric that reads the column of named entities (`scorer.metrics.row`) counts the partitions that are left here.

A name belongs to a mention by one of three rules, ``--named``: with ``exact`` the spans are equal; with ``head`` the
mention ends where the name ends, and does not begin behind it; with ``contains`` it holds this name as a whole and
no other one. Then the mention is compared by the span of its name, so that `President Bush` meets `Bush`. Where
mentions of different spans have one name, as `Bush` and `the wife of Bush` do, it names the
shortest, of equally long ones the first.

Source: Lin et al. 2010, CONE, section 4, where one tagger selects the named mentions of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scorer.columns import NONE, Bools, Ints
from scorer.errors import InputError, UsageError
from scorer.findings import Finding, counted
from scorer.formats.words import Words, numbers_of
from scorer.model import Documents, HeldColumn, NamedEntities
from scorer.names import ALL, CONTAINS, EXACT, OWN, USUAL, Asked

NOWHERE = ", since JSON lines and clusters have none; in Python, read(path, ne_column=11) reads them from CoNLL"
ELSEWHERE = "; --ne-column N reads another column, --ne-types LIST chooses the types that count"
LAST = (
    "; --ne-column N reads another column, --estimate-key makes a key of names in the last one, which then needs no "
    "coreference"
)
"""What to do where there are no names: in what has none, in the column, or where that is the last one."""


def cut_down(key: Documents, response: Documents, present: Bools, how: Asked) -> tuple[Documents, Documents]:
    """Both sides with their named mentions only, each with the span of its name.

    Document d of ``key`` and of ``response`` belong together, where ``present``. An entity without a named mention
    disappears, one that is left with one stays. Raises `InputError` for a side that comes without names, and for other
    tokens in the response where the names are those of the key.
    """
    its_own = names_of(key, how)
    if how.source == OWN:
        return _named(key, its_own, how), _named(response, names_of(response, how), how)
    _compare_tokens(key, response, present, how)
    return _named(key, its_own, how), _named(response, its_own, how)


def names_of(documents: Documents, how: Asked) -> NamedEntities:
    """The names of a batch. Raises `InputError` where nobody read any."""
    found = documents.named_entities
    if found is None:
        place = next((place for place in documents.places if place is not None), None)
        path = place.source.name if place is not None else "response"
        what = "this input comes without named entities"
        raise InputError([Finding("no-names", path, details={"what": what, "advice": NOWHERE})])
    column = found.held[0]
    if column.number != how.column:
        raise UsageError(f"{column.path} was read with the named entities of column {column.number}, not {how.column}")
    return found


def counting(names: NamedEntities, how: Asked) -> Ints:
    """The names of the types that count."""
    decided = {kind: how.counts(kind) for kind in set(names.type)}
    return np.array([at for at, kind in enumerate(names.type) if decided[kind]], dtype=np.int64)


class Held(NamedTuple):
    """How many names count on one side of a batch, and what its column held."""

    number: int
    columns: Sequence[HeldColumn]


def held_by(documents: Documents, how: Asked) -> Held:
    """The names of one side that count."""
    names = names_of(documents, how)
    return Held(len(counting(names, how)), names.held)


def about_names(held: Sequence[Sequence[Held]], how: Asked) -> list[Finding]:
    """Notices about the names of all batches; ``held`` has those of the sides whose names are looked at.

    Raises `InputError` for a side without a name that counts.
    """
    notices = []
    for side in zip(*held, strict=True):
        column = column_of(side)
        if not any(batch.number for batch in side):
            what = f"no name in column {column.number}: {_described(column, how)}"
            details = {"what": what, "advice": LAST if column.last and not column.types else ELSEWHERE}
            raise InputError([Finding("no-names", column.path, details=details)])
        for kind in sorted(how.types - {USUAL, ALL} - column.types.keys()):
            absent = {"type": kind, "column": column.number, "known": _types(column)}
            notices.append(Finding("absent-type", column.path, details=absent))
        notices += without_column(each for batch in side for each in batch.columns)
    return notices


def without_column(columns: Iterable[HeldColumn]) -> list[Finding]:
    """A notice for each file that has tokens, and none of them the column of names."""
    lacking = [column for column in HeldColumn.by_file(columns) if column.columns and not column.there]
    return [
        Finding("no-name-column", column.path, details={"column": column.number, "what": _lacking(column)})
        for column in lacking
    ]


def column_of(side: Sequence[Held]) -> HeldColumn:
    """What the column held in all batches of a side."""
    return HeldColumn.of_all(column for batch in side for column in batch.columns)


def no_named_mentions(column: HeldColumn, how: Asked) -> Finding:
    """The notice about a key that has names, none of which is that of a mention."""
    return Finding("no-named-mentions", column.path, details={"column": column.number, "named": how.named})


def about_singletons(column: HeldColumn, entities: Ints) -> list[Finding]:
    """A notice where an estimated key has singletons and the response has none; ``entities`` has a row for the key and
    one for the response, each with the number of entities and of singletons."""
    (in_key, alone), (in_response, response_alone) = entities.tolist()
    if not alone or not in_response or response_alone:
        return []
    return [Finding("no-singletons", column.path, details={"alone": alone, "entities": in_key})]


def _described(column: HeldColumn, how: Asked) -> str:
    """What a column held in which no name counts."""
    if any(map(how.counts, column.types)):
        return "the documents that are scored have none, others of the file do"
    if column.types:
        return f"it holds names of types that do not count: {_types(column)}"
    if not column.there:
        return _lacking(column)
    marks = ", ".join(f'"{mark}"' if mark else "nothing" for mark in column.blanks)
    return f"it holds {marks or 'nothing'} throughout"


def _lacking(column: HeldColumn) -> str:
    """Why a file does not have the column."""
    if column.columns < column.number:
        return f"no line has more than {counted(column.columns, 'column')}"
    cell = f', such as "{column.last_cell}"' if column.last_cell else ""
    return f"it is the last one, which is coreference{cell}"


def _types(column: HeldColumn) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(column.types.items()))


def _named(documents: Documents, names: NamedEntities, how: Asked) -> Documents:
    which = counting(names, how)
    document, start, end = names.document[which], names.start[which], names.end[which]
    of_mention = documents.mention_document()
    width = 1 + max(int(column.max(initial=0)) for column in (documents.end, end))
    # All documents in a row: names, which do not overlap, rise by both ends.
    first, last = document * width + start, document * width + end
    mention_first, mention_last = of_mention * width + documents.start, of_mention * width + documents.end
    name = _name_of(first, last, mention_first, mention_last, how.named)
    # One name names one span: of several the shortest, of equally long ones the first.
    claim = (documents.end - documents.start) * width + documents.start
    has = np.flatnonzero(name >= 0)
    best = np.full(len(which), width * width)
    np.minimum.at(best, name[has], claim[has])
    has = has[claim[has] == best[name[has]]]
    return _only(documents, has, start[name[has]], end[name[has]])


def _name_of(first: Ints, last: Ints, mention_first: Ints, mention_last: Ints, way: str) -> Ints:
    """The name of each mention, -1 for none; both are given by their ends."""
    if way == CONTAINS:
        at = np.searchsorted(first, mention_first)
        found = np.searchsorted(last, mention_last, side="right") - at == 1
    else:
        at = np.searchsorted(last, mention_last)
        padded_first, padded_last = np.append(first, -1), np.append(last, -1)
        found = padded_last[at] == mention_last
        found &= padded_first[at] == mention_first if way == EXACT else padded_first[at] >= mention_first
    return np.where(found, at, -1)


def _only(documents: Documents, which: Ints, start: Ints, end: Ints) -> Documents:
    """Only some mentions, with other spans; all in the order that they had, on which it hangs which copy counts."""
    left, entity = np.unique(documents.entity[which], return_inverse=True)
    return replace(
        documents,
        document=documents.document[left],
        label=documents.label[left],
        entity=entity,
        start=start,
        end=end,
        line=documents.line[which],
    )


def _compare_tokens(key: Documents, response: Documents, present: Bools, how: Asked) -> None:
    """Raise `InputError` for the first document in which the sides have different tokens, as far as they are known."""
    known = present & (key.tokens >= 0) & (response.tokens >= 0)
    ours = key.named_entities
    theirs = _text(response, known, how)
    key_first, first = (np.cumsum(np.append(0, np.maximum(side.tokens, 0))) for side in (key, response))
    for d in np.flatnonzero(known).tolist():
        size = min(int(key.tokens[d]), int(response.tokens[d]))
        at = size
        if ours is not None and len(ours.text) and len(theirs):
            one = ours.text[key_first[d] : key_first[d] + size]
            other = theirs[first[d] : first[d] + size]
            if Words(one, one).there and Words(other, other).there:
                at = int(np.argmax(np.append((one != other) & (one >= 0) & (other >= 0), True)))
        if at < max(int(key.tokens[d]), int(response.tokens[d])):
            raise InputError([_parting(key, response, d, at)])


def _text(documents: Documents, known: Bools, how: Asked) -> Ints:
    """A number for the word of each token, as `NamedEntities.text`, of the documents whose tokens are ``known``.

    Raises `UsageError` for documents that were read without their words.
    """
    if documents.named_entities is not None:
        return documents.named_entities.text
    which = np.flatnonzero(known).tolist()
    if not which:
        return NONE
    from scorer.formats import jsonlines

    if documents.words is not jsonlines.words:
        path = documents.place_of(which[0]).source.name
        raise UsageError(f"{path} was read without the words of its tokens; read it with ne_column={how.column}")
    first = np.cumsum(np.append(0, np.maximum(documents.tokens, 0)))
    text = np.full(first[-1], -1)
    for document, words in jsonlines.texts(documents, which).items():
        numbers = numbers_of([word.encode("utf-8", "surrogateescape") for word in words])
        if len(numbers) == documents.tokens[document]:
            text[first[document] : first[document + 1]] = numbers & 2**62 - 1
    return text


def _parting(key: Documents, response: Documents, document: int, token: int) -> Finding:
    """Where the tokens of a document part: the line and the word of that token on each side."""
    (line, word), (key_line, key_word) = (_token(side, document, token) for side in (response, key))
    place, key_place = response.place_of(document).source.name, key.place_of(document).source.name
    details = {
        "document": key.names[document],
        "token": token,
        "word": word,
        "key_word": key_word,
        "place": key_place if key_line is None else f"{key_place}:{key_line}",
    }
    return Finding("other-tokens", place, line, details=details)


def _token(side: Documents, document: int, token: int) -> tuple[int | None, str]:
    """The line of a token and its word, as far as they are known."""
    tokens = int(side.tokens[document])
    if token >= tokens:
        return side.place_of(document).line, f"missing: there are {tokens}"
    names, line = side.named_entities, side.place_of(document).line
    if names is not None:
        if not len(names.text):
            return line, "there"
        line = int(names.text_line[int(np.maximum(side.tokens[:document], 0).sum()) + token])
    of_document, first, its_token, its_line = (np.array([number]) for number in (document, 0, token, line))
    mention = replace(
        side, document=of_document, label=first, entity=first, start=its_token, end=its_token, line=its_line
    )
    return line, f'"{side.words(mention, [0])[0]}"'
