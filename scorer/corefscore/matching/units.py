"""Units within documents: stretches of text, such as the topics of a corpus that is scored as one document.

The key gives the unit of each of its tokens, in a column of CoNLL or a field of JSON. A mention belongs to the unit of
its first token, on either side, and an entity, with all of its mentions, to that of its first mention. A cell of the
overlap counts for recall in the unit of its key entity, for precision in that of its response entity. So nothing is
cut, and whatever metrics add up over entities and cells adds up over units to the counts of the document. One-to-one
assignments are those of the whole document. A notice names entities with mentions in several units.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, firsts
from corefscore.core.documents import KEY, RESPONSE, Documents, Place
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding, plural
from corefscore.matching.matched import Matched, Rows
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
        document = side.mention_document()
        last = np.diff(self.first)[document] - 1
        return self.token[self.first[document] + np.clip(side.start, 0, last)]

    def rows(self, matched: Matched, pairs: Pairs) -> Matched:
        """Return the same numbered mentions of a batch with the row of each number."""
        of_number = np.zeros(len(matched.document), dtype=np.int64)
        for numbered, side in ((matched.key, pairs.key), (matched.response, pairs.response)):
            of_number[numbered.number] = self.of(side)
        return matched._replace(rows=Rows(of_number, len(self.names)))


def units_of(pairs: Pairs, unit: str) -> Units:
    """Return the units of a batch of pairs of documents. ``unit`` is a value for which
    `corefscore.core.documents.is_within` is true.

    Raises `InputError` for tokens without a unit, `UsageError` for a key that has neither columns nor fields.
    """
    key = pairs.key
    if key.nodes is not None or key.annotations is None:
        topics = "" if key.items is None else "; --columns document=NAME reads topics as documents"
        raise UsageError(f"--unit {unit}: units within documents need a key in CoNLL or JSON, read from a file{topics}")
    places = {place for place in key.places if place is not None}
    by_place: dict[Place | None, Sequence[str]] = {}
    # Each file is read once more, in the order of the key, so that an error is about the first one that has any.
    for source in dict.fromkeys(place.source for place in key.places if place is not None):
        of_file = ((Place(source, annotated.line), annotated.units) for annotated in key.annotations(source, unit=unit))
        by_place |= {place: units for place, units in of_file if place in places}
    names: list[str] = []
    documents: list[int] = []
    tokens: list[Ints] = []
    for document in range(len(key)):
        of_tokens = by_place.get(key.places[document]) or (key.names[document],)
        numbers: dict[str, int] = {}
        tokens.append(
            np.array([numbers.setdefault(name, len(numbers)) for name in of_tokens], dtype=np.int64) + len(names)
        )
        names += numbers
        documents += [document] * len(numbers)
    first = np.cumsum([0, *map(len, tokens)])
    found = Units(np.array(documents, dtype=np.int64), names, np.concatenate(tokens or [first[:0]]), first, ())
    sides = {KEY: key, RESPONSE: pairs.response}
    crossing = [row for name, side in sides.items() for row in _crossing(found, name, side, unit)]
    # By document, so that the order does not depend on how documents are cut into batches.
    return found._replace(crossing=[notice for _, notice in sorted(crossing, key=itemgetter(0))])


def _crossing(units: Units, name: str, side: Documents, unit: str) -> list[tuple[int, Finding]]:
    """Return a notice for each document with entities of a side that have mentions in several units, after
    its number.
    """
    row = units.of(side)
    crossing = np.flatnonzero(np.bincount(side.entity[firsts(side.entity, row)], minlength=len(side.document)) > 1)
    found = []
    for document in np.unique(side.document[crossing]).tolist():
        crossed = crossing[side.document[crossing] == document]
        mentions = np.flatnonzero(side.entity == crossed[0])
        mentions = mentions[np.argsort(side.start[mentions], kind="stable")]
        last = mentions[np.flatnonzero(row[mentions] != row[mentions[0]])[0]]
        place = side.place_of(document)
        first_words, last_words = side.words_of([int(mentions[0]), int(last)])
        details = {
            "document": side.names[document],
            "side": name,
            "count": len(crossed),
            "has": "has" if len(crossed) == 1 else "have",
            "entities": plural(int(np.count_nonzero(side.document == document)), "entity"),
            "entity": side.name_of(int(crossed[0])),
            "words": first_words,
            "unit": units.names[row[mentions[0]]],
            "other_words": last_words,
            "other_unit": units.names[row[last]],
            "option": unit,
        }
        found.append((document, Finding("crosses-unit", place.source.name, place.line, details=details)))
    return found
