"""Items of both sides: which are the same, and which only one side has."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from numbers import Number

import numpy as np

from corefscore.core.arrays import NONE, Bools, Ints, ranked
from corefscore.core.documents import Documents, Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.items import LONGEST, ItemWords, Numbers, Others, Values, text_of
from corefscore.formats.base import found_at
from corefscore.formats.ids import missing_item, shifted_items
from corefscore.formats.sides import OF_PLACES, OF_STARTS, OF_WORDS


def compared(key: Documents, response: Documents, present: Bools) -> tuple[Documents, list[Finding]]:
    """Return the response of the same documents with its items numbered as those of the key, and the notices about
    items that only one side has, one a document. Items that the key does not have get later numbers.

    Items are the same if they are equal; where one side has only numbers and the other only texts, if their texts are.
    Raises `UsageError` for positions on one side and names in another order on the other.
    """
    ours, theirs = key.items, response.items
    if ours is None or theirs is None or ours.values is theirs.values:
        return response, []
    for its, others in ((ours, theirs), (theirs, ours)):
        rows = enumerate(its.values if isinstance(its.values, Numbers) else ())
        if isinstance(others.values, range) and (its.named or any(name != str(row) for row, name in rows)):
            raise UsageError(
                "items have names on one side, such as the index of a series, and are positions on the other; name the "
                "items of both, or, if rows correspond, of none: from_labels(labels), from_labels(series.array)"
            )
    spans = response.start >= 0
    number = np.append(np.where(spans, 0, response.start + LONGEST), theirs.number)
    used = np.zeros(len(theirs.values) + 1, dtype=np.bool_)
    used[number] = True
    wanted = np.flatnonzero(used[:-1])
    same = _places(theirs.values, wanted, ours.values)
    new = np.zeros(len(used), dtype=np.int64)
    new[wanted] = np.where(same >= 0, same, len(ours.values) + wanted) - LONGEST
    start, other = np.split(new[number], [len(spans)])
    start[spans] = response.start[spans]
    words = ItemWords(ours.values, theirs.values, response.words)
    response = replace(response, start=start, end=np.where(spans, response.end, start), words=words, items=None)
    sides = (key, ours.document, ours.number - LONGEST), (response, theirs.document, other)
    listed = [(np.append(its.document[its.entity], more), np.append(its.start, number)) for its, more, number in sides]
    notices = list(_on_one_side(key, response, listed, present))
    numbers = listed[0][1] + LONGEST, number[np.append(~spans, np.ones(len(other), dtype=np.bool_))]
    first = next(filter(None, response.places), None)
    of_table = first and not isinstance(ours.values, range) and (key.label < 0).all()
    if first and (key.label < 0).all() and all(2 < len(its.document) == len(its.start) for its in (key, response)):
        notices.append(found_at(first, "merged-cells", among="entities of both sides", what="has one item only"))
    if notices and first:
        texts = _texts(ours.values, numbers[0]), _texts(theirs.values, numbers[1])
        notices += shifted_items(*texts, first.source.name, first.line)
    for side, items in ((key, ours), (response, theirs)):
        notices += missing_item(items.values, next(filter(None, side.places), None))
    notices += _moved(ours.others, theirs.others, first, 1 if of_table else max(_FEW))[:1] if first else []
    return response, notices


def _texts(values: Values, numbers: Ints) -> set[tuple[Hashable, str]]:
    """Return the texts of the items with some numbers, whatever their documents; other numbers are passed over."""
    return {("", text_of(values[at])) for at in np.unique(numbers[numbers < len(values)]).tolist()}


_EMPTY = hash("")
"""An empty cell, which says nothing."""

_FEW = {0.02: OF_PLACES, 0.1: OF_WORDS}
"""The share of cells that may be corrected, by the names of columns; more of them belong to other items. All fields of
JSON that are kept have places or words."""


def _moved(key: Others, response: Others, place: Place, share: float) -> list[Finding]:
    """Report columns by which items of the response are other ones than those of the key, given the `Items.others` of
    both sides: columns of places or words, and others with the same cells at other items, unless many of these would be
    equal by chance. Nothing is reported if a column of places or words that tells items apart has the same cells.
    ``share`` is the share of cells that may differ in columns with other names."""
    _, here, there = np.intersect1d(key.get(("", 0), NONE), response.get(("", 0), NONE), return_indices=True)
    names = {its: its for its in key if its[0] and its in response}
    for what in (OF_WORDS, OF_STARTS):
        no_figures = ([its for its in side if its[1] < 1] for side in (key, response))
        of_sides = [[its for its in side if re.fullmatch(what, its[0].lower())] for side in no_figures]
        if [*map(len, of_sides)] == [1, 1]:
            names[of_sides[0][0]] = of_sides[1][0]  # whatever they are called
    found = []
    for (name, least), other in names.items():
        columns = key[name, least], response[other]
        ours, theirs = columns[0][here], columns[1][there]
        known = name.lower() if name == other[0] and least < 1 else ""
        few = next((few for few, those in _FEW.items() if re.fullmatch(those, known)), share)
        filled = (ours != _EMPTY) & (theirs != _EMPTY)
        equal, (size, longer) = int((filled & (ours == theirs)).sum()), sorted(map(len, columns))
        kinds, number = np.unique(np.concatenate(columns), return_inverse=True)
        counts = [np.bincount(side, minlength=len(kinds)) for side in np.split(number, [len(columns[0])])]
        shared, pairs = int(np.minimum(*counts).sum()), int(counts[0] @ counts[1])
        tells_apart = pairs < (1.5 + size / 12) * longer  # few would be equal by chance
        if not (moved := int(filled.sum()) - equal) and equal and few < 1 and tells_apart:
            return []
        # Cells in another notation are at no other item, and few of those that were corrected. Ends may be one later.
        others = len(kinds) > size and few < share and not re.search("end|last|stop", known)
        elsewhere = (shared or others) and (2 * (shared - equal) >= moved or moved >= equal)
        if not moved or moved <= max(1, few * len(here)) or not elsewhere or not tells_apart:
            other_cells = (1 - max(least, 0.9 * (pairs > 1.5 * shared))) * size  # labels, which systems give, repeat
            moved = (min(len(here), shared) - equal) * (moved > 0)
            enough = tells_apart and size - shared <= max(least < 1, other_cells)
            moved *= enough and (3 * moved > size - pairs / longer or (shared == size and least < 1))
        if moved:
            found.append(found_at(place, "other-rows", name=name, count=plural(moved, "item")))
    return found


def _places(values: Values, wanted: Ints, among: Values) -> Ints:
    """Return the numbers that the ``wanted`` values have in another list, -1 for those that are not there.

    Raises `UsageError` for positions in lists of different lengths.
    """
    if isinstance(values, range) and isinstance(among, range):
        if len(values) != len(among):
            counts = f"the key has {len(among)} labels and the response {len(values)}"
            raise UsageError(f"{counts}; name the items of both: from_labels(labels, items)")
        return wanted
    values, among = (np.arange(len(side)) if isinstance(side, range) else side for side in (values, among))
    if isinstance(values, np.ndarray) and isinstance(among, np.ndarray) and values.dtype.kind == among.dtype.kind:
        nearest: Ints = np.minimum(np.searchsorted(among, values[wanted]), len(among) - 1)
        return np.where(among[nearest] == values[wanted], nearest, -1)
    values, among = (side.tolist() if isinstance(side, np.ndarray) else side for side in (values, among))
    if values == among:
        return wanted
    if {_kind(values), _kind(among)} == {str, Number}:
        values, among = (list(map(text_of, side)) for side in (values, among))
    table = among.table if isinstance(among, Numbers) else dict(zip(among, range(len(among)), strict=True))
    return np.fromiter(map(table.get, map(values.__getitem__, wanted.tolist()), repeat(-1)), np.int64, len(wanted))


def _kind(values: Sequence[Hashable]) -> type | None:
    """Return `str` or `Number` if all values are of this type, None otherwise."""
    types = {str} if isinstance(values, Numbers) else set(map(type, values))
    return next((kind for kind in (str, Number) if all(issubclass(each, kind) for each in types)), None)


def _on_one_side(
    key: Documents, response: Documents, listed: Sequence[tuple[Ints, Ints]], present: Bools
) -> Iterator[Finding]:
    """Yield the notices about items in an entity of one side that the other side does not list; ``listed`` are the
    documents and the numbers of the items of both sides, those in entities first.
    """
    document, number = map(np.append, *listed)
    first, rank = ranked(document, number)
    ours, theirs = np.split(rank, [len(listed[0][0])])

    def alone(labelled: Ints, others: Ints) -> Ints:
        """Return the first place of each item that is in an entity of one side and not listed by the other."""
        listed_there, in_entities = (np.bincount(ranks, minlength=len(first)) > 0 for ranks in (others, labelled))
        return first[in_entities & ~listed_there]

    places = alone(ours[: len(key.start)], theirs), alone(theirs[: len(response.start)], ours)
    missing, extra = (np.bincount(document[which], minlength=len(present)) * present for which in places)
    if missing.any() and extra.any():
        from corefscore.formats.memory import MOST, alike_mentions

        texts = []
        for side, which, before in ((key, places[0][:MOST], 0), (response, places[1][:MOST], len(ours))):
            names = map(key.names.__getitem__, document[which].tolist())
            texts.append([*zip(names, side.words_of((which - before).tolist()), strict=True)])
        yield from alike_mentions(texts[0], texts[1], next(filter(None, response.places)).source.name)
    for at in np.flatnonzero(missing + extra).tolist():
        counts = {"extra": plural(int(extra[at]), "item"), "missing": plural(int(missing[at]), "item")}
        yield found_at(response.place_of(at), "other-items", document=response.names[at], **counts)
