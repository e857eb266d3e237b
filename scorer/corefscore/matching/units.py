"""Parts of documents: units, which are counted beside the documents, and windows, which are scored instead of them.

Units are stretches of text, such as the topics of a corpus that is scored as one document. The key gives the unit of
each of its tokens, in a column of CoNLL or a field of JSON. A mention belongs to the unit of its first token, on either
side, and an entity, with all of its mentions, to that of its first mention. A cell of the overlap counts for recall in
the unit of its key entity, for precision in that of its response entity. So nothing is cut, and whatever metrics add up
over entities and cells adds up over units to the counts of the document. One-to-one assignments are those of the whole
document. A notice names entities with mentions in several units.

Windows have a fixed number of tokens. The k-th window of N tokens contains the tokens from k N to (k + 1) N - 1,
counted from 0. A mention belongs to the window of its first token (`Documents.begins`), so that every mention is in
exactly one window; a notice names mentions that end in another one. An entity is cut into those of its mentions that
are in one window.

Source: Martinelli et al. 2025, BookCoref, who score predictions on whole books also by windows of 1500 tokens
("gold+window"), to compare them with those of systems that read only such windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, order_by, ranked
from corefscore.core.documents import KEY, RESPONSE, Documents, Mention, by_appearance, texts_of
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.core.items import LONGEST, Numbers
from corefscore.formats.base import likely_tokens
from corefscore.matching.matched import Matched
from corefscore.matching.pairing import Pairs


class Units(NamedTuple):
    """The units of a batch, with a row for each unit of each document.

    ``document`` and ``names`` are columns of these rows. ``token`` has the row of each token of the key; the tokens of
    document d are those from ``first[d]`` to ``first[d + 1]`` - 1. ``crossing`` are the notices about entities that
    cross units.
    """

    document: Ints
    names: Sequence[str]
    token: Ints
    first: Ints
    crossing: Sequence[Finding]

    def of(self, side: Documents) -> Ints:
        """Return the row of each mention of a side. A mention beyond the tokens of the key is in its last unit."""
        document = side.document[side.entity]
        return self.token[self.first[document] + np.clip(side.begins, 0, np.diff(self.first)[document] - 1)]

    def of_numbers(self, matched: Matched, pairs: Pairs) -> Ints:
        """Return the row of each number of the mentions of a batch."""
        of_number = np.zeros(len(matched.document), dtype=np.int64)
        for numbered, side in ((matched.key, pairs.key), (matched.response, pairs.response)):
            of_number[numbered.number] = self.of(side)[numbered.mention]
        return of_number


_NO_UNIT = {"", "-", "_", "*", "nan", "none"}
"""What stands for no unit, in lower case: such tokens are a unit of their document, not one of several documents."""


def units_of(pairs: Pairs, unit: str) -> Units:
    """Return the units of a batch of pairs of documents. ``unit`` begins with one of
    `corefscore.core.documents.UNIT_SOURCES`.

    Raises `InputError` for tokens without a unit, `UsageError` for a key that has neither columns nor fields.
    """
    key = pairs.key
    if key.nodes is not None or key.annotations is None:
        topics = "" if key.items is None else "; --columns document=NAME reads topics as documents"
        raise UsageError(f"--unit {unit}: units within documents need a key in CoNLL or JSON, read from a file{topics}")
    of = key.names if pairs.cut_from is None else [whole(name) for name in key.names]
    names: list[str] = []
    documents: list[int] = []
    tokens: list[Ints] = []
    for document, layer in enumerate(key.layers(unit=unit)):
        of_tokens = (layer and layer.units) or (of[document],)
        numbers = Numbers()
        tokens.append(numbers.of(of_tokens) + len(names))
        names += (of[document] if name.strip().lower() in _NO_UNIT else name for name in numbers)
        documents += [document] * len(numbers)
    first = np.cumsum([0, *map(len, tokens)])
    found = Units(np.array(documents, dtype=np.int64), names, np.concatenate(tokens or [first[:0]]), first, ())
    sides = {KEY: key, RESPONSE: pairs.response}
    crossing = [row for name, side in sides.items() for row in _crossing(found, name, side, unit)]
    # By document, so that the order does not depend on how documents are cut into batches.
    return found._replace(crossing=[notice for _, notice in sorted(crossing, key=itemgetter(0))])


def _crossing(units: Units, name: str, side: Documents, unit: str) -> Iterator[tuple[int, Finding]]:
    """Yield a notice for each document with entities of a side that have mentions in several units, after
    its number.
    """
    row = units.of(side)
    crossing = np.flatnonzero(np.bincount(side.entity[ranked(side.entity, row)[0]], minlength=len(side.document)) > 1)
    for document in np.unique(side.document[crossing]).tolist():
        crossed = crossing[side.document[crossing] == document]
        place = side.place_of(document)
        details = {
            "document": side.names[document],
            "side": name,
            "count": len(crossed),
            "has": "has" if len(crossed) == 1 else "have",
            "entities": plural(int(np.count_nonzero(side.document == document)), "entity"),
            "entity": side.name_of(int(crossed[0])),
            "option": unit,
        }
        yield document, Finding("crosses-unit", place.source.name, place.line, details=details)


class Windows(NamedTuple):
    """The windows of a batch: the number of the document that each was cut from, the first token of each, the number of
    tokens of all, and the mentions that do not end in the window of their first token, each with the token at which the
    next window begins."""

    document: Ints
    begin: Ints
    size: int
    crossing: Sequence[tuple[Mention, int]]

    def named(self, documents: Sequence[str]) -> list[str]:
        """Return the name of each window: that of its document, and its tokens."""
        places = zip(self.document.tolist(), self.begin.tolist(), strict=True)
        return [f"{documents[document]} [{begin}, {begin + self.size})" for document, begin in places]


def cut(pairs: Pairs, size: int) -> tuple[Pairs, Windows]:
    """Return a batch of pairs cut into windows of ``size`` tokens.

    The number of tokens of a document is the larger of those of both sides, or more if mentions begin later. Positions
    remain those of the whole document. Raises `UsageError` for mentions that are not spans of tokens.
    """
    sides = {KEY: pairs.key, RESPONSE: pairs.response}
    if any(side.nodes is not None for side in sides.values()):
        raise UsageError("--window cannot be used with CorefUD; leave it out")
    pairs.need_tokens("--window")
    length = np.maximum(1, np.maximum(pairs.key.tokens, pairs.response.tokens))
    for side in sides.values():
        np.maximum.at(length, side.document[side.entity], side.begins + 1)
    size = min(size, LONGEST)
    windows = -(-length // size)
    _refuse_far(pairs, windows)
    first = np.cumsum(windows) - windows
    document = np.repeat(np.arange(len(windows)), windows)
    begin = (np.arange(len(document)) - first[document]) * size
    crossing = [mention for side in sides.values() for mention in _over_border(side, size)]
    # By document, so that the order does not depend on how documents are cut into batches.
    found = Windows(document, begin, size, sorted(crossing, key=lambda crossed: crossed[0].span.document))
    key, response = (_side(side, found, first) for side in sides.values())
    return Pairs(key, response, pairs.present[document], cut_from=document), found


def crossing_notices(windows: Sequence[Windows]) -> Iterator[Finding]:
    """Yield a notice for each mention that crosses a border."""
    crossing = [crossed for of_batch in windows for crossed in of_batch.crossing]
    for (mention, border), words in zip(crossing, texts_of([mention for mention, _ in crossing]), strict=True):
        details = {
            "document": mention.document,
            "words": words,
            "start": mention.span.start,
            "end": mention.span.end,
            "border": border,
        }
        yield Finding("crosses-window", mention.place.source.name, mention.line, details=details)


def whole(name: str) -> str:
    """Return the document of a window, from its name."""
    return name.rpartition(" [")[0]


def _refuse_far(pairs: Pairs, windows: Ints) -> None:
    """Raise `UsageError` for far more windows than mentions in documents whose number of tokens is not known."""
    most = likely_tokens(len(pairs.key.start) + len(pairs.response.start))
    unknown = np.maximum(pairs.key.tokens, pairs.response.tokens) < 0
    if int(windows[unknown].sum()) > most:
        document = int(np.argmax(windows * unknown))
        raise UsageError(
            f'{pairs.key.place_of(document)}: the mentions of document "{pairs.key.names[document]}", which has no '
            f"words, are in {windows[document]} windows; expected at most {most} for so few mentions; check the "
            "offsets, or give larger windows"
        )


def _side(side: Documents, windows: Windows, first: Ints) -> Documents:
    """Return one side cut into windows; ``first`` is the first window of each document."""
    document, begin, size, _ = windows
    window = first[side.document[side.entity]] + side.begins // size
    order = order_by(window, side.entity)
    first_mentions, entity = ranked(window, side.entity)
    names = side.named_entities
    tokens = np.clip(side.tokens[document] - begin, np.minimum(side.tokens[document], 0), size)
    at_first = {d: int(first[d]) for d in (*side.faults, *side.discarded)}
    found = replace(
        side,
        names=windows.named(side.names),
        places=[side.places[d] for d in document.tolist()],
        tokens=tokens,
        document=window[first_mentions],
        label=side.label[side.entity[first_mentions]],
        entity=entity[order],
        faults={at_first[d]: fault for d, fault in side.faults.items()},
        discarded={at_first[d]: marks for d, marks in side.discarded.items()},
        comments={},
        named_entities=names and names._replace(document=first[names.document] + names.start // size),
        **side.of_mentions(order),
    )
    return by_appearance(found)


def _over_border(side: Documents, size: int) -> list[tuple[Mention, int]]:
    """Return the mentions of a side that cross a border, in the order of the text."""
    over = np.flatnonzero((side.begins == side.start) & (side.start // size != side.end // size))
    over = over[order_by(side.document[side.entity][over], side.start[over])]
    return [(side.mention(mention), (int(side.start[mention]) // size + 1) * size) for mention in over.tolist()]
