"""Named mentions: which mentions are names, and documents cut down to them.

A metric whose view is of names (`corefscore.metrics.row`) counts the partitions that are left here.

A name belongs to a mention by one of three rules, ``--named``: with ``exact`` the spans are equal; with ``head`` the
mention ends where the name ends, and does not begin behind it; with ``contains`` it holds this name as a whole and
no other one. Then the mention is compared by the span of its name, so that `President Bush` meets `Bush`. Where
mentions of different spans have one name, as `Bush` and `the wife of Bush` do, it names the
shortest, of equally long ones the first.

Source: Lin et al. 2010, CONE, section 4, where one tagger selects the named mentions of both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from corefscore.alignment.pairing import Pairs
from corefscore.checking.findings import Finding, plural
from corefscore.documents.arrays import NO_OBJECTS, NONE, Ints
from corefscore.documents.model import Documents, NameColumn, NamedEntities
from corefscore.documents.texts import described, partings
from corefscore.errors import InputError, UsageError
from corefscore.names.options import ALL, CONTAINS, EXACT, OWN, USUAL, NameOptions

NOWHERE = ", since JSON lines and clusters have none; in Python, read(path, ne_column=11) reads them from CoNLL"
ELSEWHERE = "; --ne-column N reads another column, --ne-types LIST chooses the types that count"
LAST = (
    "; --ne-column N reads another column, --estimate-key makes a key of names in the last one, which then needs no "
    "coreference"
)
"""What to do where there are no names: in what has none, in the column, or where that is the last one."""


def cut_down(pairs: Pairs, how: NameOptions) -> Pairs:
    """Both sides with their named mentions only, each with the span of its name.

    An entity without a named mention disappears, one that is left with one stays. Raises `InputError` for a side that
    comes without names, and for other tokens in the response where the names are those of the key.
    """
    key, response, present = pairs
    its_own = names_of(key, how)
    if how.source == OWN:
        return Pairs(_named(key, its_own, how), _named(response, names_of(response, how), how), present)
    _compare_tokens(pairs, how)
    return Pairs(_named(key, its_own, how), _named(response, its_own, how), present)


def names_of(documents: Documents, how: NameOptions) -> NamedEntities:
    """The names of a batch, none for one without documents. Raises `InputError` where nobody read any."""
    found, place = documents.named_entities, next(filter(None, documents.places), None)
    if place is None:  # there is no document
        return NamedEntities(NONE, NONE, NONE, NONE, NO_OBJECTS, NO_OBJECTS, ())
    if found is None:
        path = place.source.name
        what = "this input comes without named entities"
        raise InputError([Finding("no-names", path, details={"what": what, "advice": NOWHERE})])
    column = found.columns[0]
    if column.number != how.column:
        raise UsageError(f"{column.path} was read with the named entities of column {column.number}, not {how.column}")
    return found


def counting(names: NamedEntities, how: NameOptions) -> Ints:
    """The names of the types that count."""
    decided = {kind: how.counts(kind) for kind in set(names.type)}
    return np.array([at for at, kind in enumerate(names.type) if decided[kind]], dtype=np.int64)


class Held(NamedTuple):
    """One side of a batch: how many names count and what the column held, nothing where nobody looks at the names of
    this side; how many entities there are, and how many of one mention."""

    number: int
    columns: Sequence[NameColumn]
    entities: int
    singletons: int


def held_by(documents: Documents, how: NameOptions, side: str) -> Held:
    """What there is of names and of entities on a side."""
    sizes = np.bincount(documents.entity, minlength=len(documents.document))
    entities = len(sizes), int(np.count_nonzero(sizes == 1))
    if not how.of_side(side):
        return Held(0, (), *entities)
    names = names_of(documents, how)
    return Held(len(counting(names, how)), names.columns, *entities)


def about_names(held: Sequence[Sequence[Held]], how: NameOptions) -> list[Finding]:
    """Notices about the names of all batches, given by batch and side.

    Raises `InputError` for a side whose names are looked at, and none of them counts.
    """
    notices = []
    for side in zip(*held, strict=True):
        if not any(batch.columns for batch in side):
            continue
        column = _column_of(side)
        if not any(batch.number for batch in side):
            what = f"no name in column {column.number}: {_described(column, how)}"
            details = {"what": what, "advice": LAST if column.last and not column.types else ELSEWHERE}
            raise InputError([Finding("no-names", column.path, details=details)])
        for kind in sorted(how.types - {USUAL, ALL} - column.types.keys()):
            absent = {"type": kind, "column": column.number, "known": _types(column)}
            notices.append(Finding("absent-type", column.path, details=absent))
        notices += without_column(each for batch in side for each in batch.columns)
    return notices


def about_mentions(
    held: Sequence[Sequence[Held]], how: NameOptions, *, named: bool, singletons: bool
) -> Iterator[Finding]:
    """Notices about the mentions of all batches, given by batch, key and response: where no mention of the key is
    ``named``; and where ``singletons`` count, and an estimated key has some and the response has none."""
    key, response = zip(*held, strict=True)
    column = _column_of(key)
    if not named:
        yield Finding("no-named-mentions", column.path, details={"column": column.number, "named": how.named})
    alone = sum(batch.singletons for batch in key)
    beside = any(batch.entities for batch in response) and not any(batch.singletons for batch in response)
    if how.estimate and singletons and alone and beside:
        entities = sum(batch.entities for batch in key)
        yield Finding("no-singletons", column.path, details={"alone": alone, "entities": entities})


def without_column(columns: Iterable[NameColumn]) -> list[Finding]:
    """A notice for each file that has tokens, and none of them the column of names."""
    lacking = [column for column in NameColumn.by_file(columns) if column.columns and not column.there]
    return [
        Finding("no-name-column", column.path, details={"column": column.number, "what": _lacking(column)})
        for column in lacking
    ]


def _column_of(side: Sequence[Held]) -> NameColumn:
    """What the column held in all batches of a side."""
    return NameColumn.of_all(column for batch in side for column in batch.columns)


def _described(column: NameColumn, how: NameOptions) -> str:
    """What a column held in which no name counts."""
    if any(map(how.counts, column.types)):
        return "the documents that are scored have none, others of the file do"
    if column.types:
        return f"it holds names of types that do not count: {_types(column)}"
    if not column.there:
        return _lacking(column)
    marks = ", ".join(f'"{mark}"' if mark else "nothing" for mark in column.blanks)
    return f"it holds {marks or 'nothing'} throughout"


def _lacking(column: NameColumn) -> str:
    """Why a file does not have the column."""
    if column.columns < column.number:
        return f"no line has more than {plural(column.columns, 'column')}"
    cell = f', such as "{column.last_cell}"' if column.last_cell else ""
    return f"it is the last one, which is coreference{cell}"


def _types(column: NameColumn) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(column.types.items()))


def _named(documents: Documents, names: NamedEntities, how: NameOptions) -> Documents:
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
        opening=None if documents.opening is None else documents.opening[which],
    )


def _compare_tokens(pairs: Pairs, how: NameOptions) -> None:
    """Raise `InputError` for the first document in which the sides have different tokens, as far as they are known."""
    known = np.flatnonzero(pairs.present & (pairs.key.tokens >= 0) & (pairs.response.tokens >= 0)).tolist()
    if known and pairs.response.texts is None:
        path = pairs.response.place_of(known[0]).source.name
        raise UsageError(f"{path} was read without the words of its tokens; read it with ne_column={how.column}")
    tokens, sizes = partings(pairs), (pairs.key.tokens, pairs.response.tokens)
    tokens = np.where((tokens < 0) & (sizes[0] != sizes[1]), np.minimum(*sizes), tokens)
    for document in known:
        if tokens[document] >= 0:
            raise InputError(described("other-tokens", pairs, [(document, int(tokens[document]))]))
