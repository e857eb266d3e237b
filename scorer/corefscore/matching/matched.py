"""Which mentions of key and response match: every mention gets a number, and equal numbers mean a match.

- Spans of tokens match if they are equal (`match_spans`). Source: the official scorer, as in all recorded cases.
- Mentions with words and heads (CorefUD) match by the rules in `corefscore.matching.mentions`: `dependencies` for
  zeros, then equal mentions, then the rule of ``--matching``.
- With ``--task crac22`` and ``crac23`` each mention looks by itself (`corefscore.matching.entity_lookup`).

Numbers rise in the order of the text. Two mentions of one side have the same number only if they are copies of one
span. After this step no score depends on spans.

Repeats are spans that are annotated more than once. The official scorer has three rules for them, each of which is one
function here:

- `_key_messages`: in the key all copies are kept, and a line of output reports each except the first (recorded cases
  repeat-key). A response mention then matches the last copy.
- `_drop_response_copies`: in the response, later copies of a span that the key has are dropped, with a line of
  output (repeat-response). Copies of a span that the key lacks are kept without a line of output, and they count
  (repeat-spurious, repeat-too-many).
- `too_many`: a run with more than ten dropped copies in all documents is refused (the recorded run of
  koconovel, human-reader-overlapped).

With ``--repeated first`` only the first copy of a span is kept, on both sides. With ``--repeated refuse`` the first
copy is an error.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from functools import partial

import numpy as np

from corefscore.core.arrays import NONE, Bools, Floats, Ints, among, bounds, lists_by_key, order_by, ranked, repeated
from corefscore.core.documents import Documents, Mention, Unworded, worded
from corefscore.core.errors import InputError
from corefscore.core.findings import MOST, Finding, plural, tokens
from corefscore.core.records import NamedTuple
from corefscore.core.sources import Source
from corefscore.matching.pairing import Pairs


class Side(NamedTuple):
    """What scoring needs of the mentions of one side.

    ``number``, ``entity`` and ``mention``, its index in the columns of the documents, have one value for each mention,
    ``document`` one for each entity. Mentions are in the order of their entities, and entities in the order of their
    documents.
    """

    number: Ints
    entity: Ints
    document: Ints
    mention: Ints

    def keep(self, which: Bools) -> Side:
        """Keep only the mentions ``which``, without the entities that become empty."""
        entity = self.entity[which]
        left = np.zeros(len(self.document), dtype=np.bool_)
        left[entity] = True
        return Side(self.number[which], (np.cumsum(left) - 1)[entity], self.document[left], self.mention[which])

    @property
    def has_copies(self) -> bool:
        """Whether a span is annotated more than once."""
        return bool(np.bincount(self.number).max(initial=0) > 1)

    @property
    def not_alone(self) -> Bools:
        """Which mentions are in an entity with others."""
        return np.bincount(self.entity, minlength=len(self.document))[self.entity] > 1

    def first(self, place: Ints) -> Ints:
        """Return the smallest ``place`` of the mentions of each entity."""
        found = np.full(len(self.document), np.iinfo(np.int64).max)
        np.minimum.at(found, self.entity, place)
        return found

    def sorted_by(self, place: Ints, *within: Ints) -> Side:
        """Return entities in the order of the smallest ``place`` of their mentions in the document, and the mentions of
        an entity by the columns ``within``.
        """
        entities = order_by(self.document, self.first(place))
        entity = np.argsort(entities)[self.entity]
        mentions = order_by(entity, *within)
        return Side(self.number[mentions], entity[mentions], self.document[entities], self.mention[mentions])


class Matched(NamedTuple):
    """A batch of pairs of documents with numbered mentions; ``document`` has one value for each number."""

    documents: int
    document: Ints
    key: Side
    response: Side

    def in_text_order(self) -> Matched:
        """Return both sides with entities in the order of their first mentions, and mentions in the order of their
        numbers, which is the order of a reader for mentions that do not overlap. Sums are added in this order, and
        their last bit can be visible.
        """
        key, response = (side.sorted_by(side.number, side.number) for side in (self.key, self.response))
        return self._replace(key=key, response=response)


SINGLETONS = ("keep", "drop-response", "drop")
"""The values of ``--singletons``: keep entities of one mention, drop those of the response, or drop those of both
sides."""

FEW = 0.25
"""The share of mentions of the response in the key up to which a notice may be due (`corefscore.matching.common`)."""

SURE = 20
"""The number of mentions of a document from which a response with the same entities may be the key itself."""

NO_PLACES: Floats = np.zeros((2, 2))
"""What `corefscore.matching.common.places_of_matches` returns for many matches."""

MENTIONS = ("all", "given")
"""The values of ``--mentions``: all mentions count, or those that both sides have, as if they had been given."""

MATCHING = ("exact", "partial", "head")
"""The values of ``--matching``. `corefscore.matching.mentions.RULES` has a row for each."""

ZEROS = ("dependent", "linear", "drop")
"""The values of ``--zeros``: zeros are aligned by what they depend on or by their position, or they are dropped."""

SEARCHES = ("crac22", "crac23")
"""The look-ups (`corefscore.matching.entity_lookup`) in which each mention looks by itself."""


def select_mentions(matched: Matched, mentions: str | None, singletons: str | None) -> Matched:
    """Leave out mentions that do not count.

    With ``mentions`` `given` these are the mentions that only one side has, so that links alone are scored. This can
    leave entities with one mention, which are left out after it as ``singletons``, one of `SINGLETONS`, says.
    """
    key, response = matched.key, matched.response
    if mentions == "given":
        both = np.intersect1d(key.number, response.number)
        key, response = (side.keep(np.isin(side.number, both)) for side in (key, response))
    if singletons == "drop":
        key = key.keep(key.not_alone)
    if singletons != "keep":
        response = response.keep(response.not_alone)
    return matched._replace(key=key, response=response)


def match_spans(key: Documents, response: Documents) -> Matched:
    """Assign numbers to the mentions so that equal spans of one document have equal numbers.

    Numbers run from 0 in the order of document, first token, last token. A span that a side marks twice gets
    the same number twice. Source: the official scorer.
    """
    document = np.concatenate([key.document[key.entity], response.document[response.entity]])
    start = np.concatenate([key.start, response.start])
    first, number = ranked(document, start, np.concatenate([key.end, response.end]))
    of_key, of_response = np.split(number, [len(key.start)])
    return Matched(
        len(key),
        document[first],
        Side(of_key, key.entity, key.document, np.arange(len(of_key))),
        Side(of_response, response.entity, response.document, np.arange(len(of_response))),
    )


_LIMIT = 10
"""The largest number of dropped copies that the official scorer accepts."""

_SHOWN_ENTITIES = 20
"""How many entities of a repeated span a message lists."""

REPEATED = ("official", "first", "refuse")
"""The values of ``--repeated``."""


class Repeat(NamedTuple):
    """A span that one side marks more than once: its first copy, the numbers of all ``copies`` among the mentions of
    the batch, and the ids of their entities, at most `_SHOWN_ENTITIES`."""

    first: Mention
    copies: Sequence[int]
    entities: str

    @property
    def document(self) -> int:
        """The number of its document in the batch."""
        return self.first.span.document


class _Treated(NamedTuple):
    """The mentions that count, the lines of output for each document, the spans that have dropped copies, and all spans
    that have copies."""

    matched: Matched
    messages: dict[int, list[str]]
    dropped: list[Repeat]
    repeats: list[Repeat]


def treat_repeats(matched: Matched, pairs: Pairs, treatment: str | None) -> _Treated:
    """Decide which copies of a span count. ``treatment`` is one of `REPEATED`; None is the official one.

    Raises `InputError` at the first copy if ``treatment`` is ``refuse``.
    """
    if not (matched.key.has_copies or matched.response.has_copies):
        return _Treated(matched, {}, [], [])
    key_copies, response_copies = repeated(matched.key.number), repeated(matched.response.number)
    key_repeats = repeats_of(pairs.key, copies_by_number(matched.key.number, key_copies))
    response_repeats = repeats_of(pairs.response, copies_by_number(matched.response.number, response_copies))
    every = key_repeats + response_repeats
    if treatment == "refuse":
        raise refusal(every[:1])
    # By document, so that the order does not depend on how documents are cut into batches.
    every.sort(key=lambda repeat: repeat.document)
    if treatment == "first":
        key = _first_copies(matched.key, pairs.key, key_copies)
        response = _first_copies(matched.response, pairs.response, response_copies)
        return _Treated(matched._replace(key=key, response=response), {}, every, every)
    messages: dict[int, list[str]] = defaultdict(list)
    _key_messages(matched, pairs.key, key_copies, messages)
    matched, gone = _drop_response_copies(matched, pairs.response, response_copies, messages)
    # The later copies of a span are all dropped or all kept, so one of them tells.
    dropped = [repeat for repeat in response_repeats if gone[repeat.copies[1]]]
    # By document, and in each the key first: messages are printed in this order, whatever the batches are.
    return _Treated(matched, dict(sorted(messages.items())), dropped, every)


def _first_copies(side: Side, documents: Documents, copies: Bools) -> Side:
    """Return a side without its later ``copies``, as if they were not in its file. An entity that first appeared with
    one of them now appears later, and sums are added in that order.
    """
    left = side.keep(~copies)
    return left if documents.opening is None else left.sorted_by(documents.opening[~copies])


def _key_messages(matched: Matched, key: Documents, copies: Bools, messages: dict[int, list[str]]) -> None:
    """Add the lines ``Repeated mention in the key: S, E <before><this>``. Both numbers count the key's mentions of the
    document. Source: the official scorer, repeat-key."""
    again = np.flatnonzero(copies)
    document = matched.key.document[matched.key.entity[again]]
    first = _first_mentions(matched.key)[document]
    order = order_by(matched.key.number)
    numbers = (order[np.argsort(order)[again] - 1] - first).tolist(), (again - first).tolist()
    for document_number, place, one, other in zip(document.tolist(), _places(key, again), *numbers, strict=True):
        messages[document_number].append(f"Repeated mention in the key: {place} {one}{other}")


def _drop_response_copies(
    matched: Matched, response: Documents, copies: Bools, messages: dict[int, list[str]]
) -> tuple[Matched, Bools]:
    """Drop copies and add the lines ``Repeated mention in the response: S, E <number><number>``, with the number of the
    last copy in the key. Source: the official scorer, repeat-response, repeat-spurious.

    Returns the other mentions, and which mentions of the response were dropped.
    """
    number_in_key = np.full(len(matched.document), -1)
    number_in_key[matched.key.number] = np.arange(len(matched.key.number))
    gone = copies & (number_in_key[matched.response.number] >= 0)
    dropped = np.flatnonzero(gone)
    document = matched.response.document[matched.response.entity[dropped]]
    number = number_in_key[matched.response.number[dropped]] - _first_mentions(matched.key)[document]
    rows = zip(document.tolist(), _places(response, dropped), number.tolist(), strict=True)
    for document_number, place, last_copy in rows:
        messages[document_number].append(f"Repeated mention in the response: {place} {last_copy}{last_copy}")
    return matched._replace(response=matched.response.keep(~gone)), gone


def _places(documents: Documents, which: Ints) -> list[str]:
    """Return some mentions as the official scorer prints them, as first and last token; an item is its name."""
    start, end = documents.start[which], documents.end[which]
    if (start < 0).any():
        return documents.words_of(which.tolist())
    return [f"{first}, {last}" for first, last in zip(start.tolist(), end.tolist(), strict=True)]


def refusal(repeats: Sequence[Repeat], *before: Finding) -> InputError:
    """Return the error about repeated spans, after other findings."""
    return InputError([*before, *(finding.as_error() for finding in worded(describe("repeated-mention", repeats)))])


def too_many(dropped: Sequence[Repeat]) -> Finding | None:
    """Return the reason to refuse a run, if more copies than `_LIMIT` were dropped. Source: the official scorer,
    human-reader-overlapped.
    """
    if (copies := sum(len(repeat.copies) - 1 for repeat in dropped)) <= _LIMIT:
        return None
    details = {
        "limit": _LIMIT,
        "count": copies,
        "spans": plural(len(dropped), "span"),
        "documents": plural(len({repeat.first.place for repeat in dropped}), "document"),
    }
    return Finding("too-many-repeated", dropped[0].first.place.source.name, details=details)


def describe(code: str, repeats: Sequence[Repeat], most: int = MOST) -> Iterator[Unworded]:
    """Yield findings for repeated spans, with the entities that they are in and their words. After the first ``most``
    of a file, token numbers stand for words, since a file may have very many, and it takes time to find their words.
    """
    of_file: Counter[Source] = Counter()
    for repeat in repeats:
        source = repeat.first.place.source
        of_file[source] += 1
        yield Unworded([repeat.first] * (of_file[source] <= most), partial(_described, code, repeat))


def _described(code: str, repeat: Repeat, words: Sequence[str]) -> Finding:
    """Return the finding for a repeated span."""
    first, copies, entities = repeat
    start, end = first.span.start, first.span.end
    details = {
        "document": first.document,
        "words": words[0] if words else f"{start}-{end}",
        "tokens": tokens(start, end),
        "count": len(copies),
        "entities": entities,
    }
    return Finding(code, first.place.source.name, first.line, details=details)


def distinct(repeats: Sequence[Repeat]) -> list[Repeat]:
    """Return the repeats without duplicates, which there are if one file is both key and response."""
    found: dict[Hashable, Repeat] = {}
    for repeat in repeats:
        first = repeat.first
        place = first.place.source.name, first.place.line, first.document
        found.setdefault((place, first.span[1:], len(repeat.copies), repeat.entities), repeat)
    return list(found.values())


def copies_of(documents: Documents) -> list[list[int]]:
    """Return the spans that a batch of one side marks more than once, within one entity or in several, each as the
    numbers of its mentions.
    """
    number = match_spans(documents, Documents([], [], NONE)).key.number
    return copies_by_number(number, repeated(number))


def copies_by_number(number: Ints, copies: Bools) -> list[list[int]]:
    """Return the mentions of each span of ``copies``, with the first one, in the order of the first ones; ``number`` is
    equal for equal spans.
    """
    wanted = np.flatnonzero(among(number, number[copies]))
    return list(lists_by_key(zip(number[wanted].tolist(), wanted.tolist(), strict=True)).values())


def repeats_of(documents: Documents, spans: Sequence[Sequence[int]]) -> list[Repeat]:
    """Return the repeats of some spans, each of which is a list of its mentions in a batch."""
    firsts = documents.mentions([copies[0] for copies in spans])
    found = []
    for first, copies in zip(firsts, spans, strict=True):
        names = documents.names_of(documents.entity[copies[:_SHOWN_ENTITIES]].tolist())
        listed = [*(name or "(without id)" for name in names), *["..."] * (len(copies) > _SHOWN_ENTITIES)]
        found.append(Repeat(first, copies, ", ".join(listed)))
    return found


def _first_mentions(side: Side) -> Ints:
    """Return the number of mentions before each document."""
    return bounds(side.document[side.entity], int(side.document.max(initial=-1)) + 1)
