"""The analysis of one response: its errors by type, what they cost, and the groups of entities that are confused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.costs import Cost, Measure, ScoredResponses, alone, in_turn
from corefscore.analysis.partitions import ABSENT, Members, Partitions, paired, partitions
from corefscore.analysis.spans import repaired_spans, way_of
from corefscore.analysis.types import Errors, errors_of
from corefscore.core.arrays import Bools, Floats, Ints, connected, in_order, narrow, order_by
from corefscore.core.documents import Documents, Mention, joined, texts_of
from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.records import dataclass, option, replace
from corefscore.formats.base import AUTO, FILE
from corefscore.matching.pairing import Pairs
from corefscore.metrics.base import WHOLE
from corefscore.scoring.kinds.divisions import (
    Pronouns,
    absent_pronouns,
    are_pronouns,
    pronouns_of,
    unknown,
    unknown_in_some,
)
from corefscore.scoring.kinds.texts import Projection, Text
from corefscore.scoring.results import Result

RIGHT, WRONG_SPAN, WRONG_ENTITY, MISSING = STATUS = ("right", "wrong span", "wrong entity", "missing")
"""How the response treats a mention of the key: found in the right entity, found with a span error, found in a
conflated or divided piece, or not found."""


KINDS = ("pronouns", "one word", "longer")
"""The kinds of mentions: pronouns, other mentions of one token, and longer ones."""

_SHOWN_WORDS = 28
"""The largest number of characters of a mention in a cell."""


@dataclass(frozen=True)
class Asked:
    """The options of an analysis that can change its numbers, as the user gave them: see
    `corefscore.formats.base.HEADS` and `corefscore.scoring.kinds.divisions.pronouns_of`."""

    heads: str = AUTO
    pronouns: str = option(
        AUTO,
        "How to recognise pronouns: auto (by the parts of speech of the key), none, english, tags:A,B* or words:FILE.",
        kind=str,
        metavar="HOW",
        common=True,
    )


class _Groups(NamedTuple):
    """Groups of entities of both sides that share mentions, directly or through other entities.

    ``of`` is the group of each mention; groups are numbered in the order of their first mentions. The other fields have
    one value per group: its ``document``; its ``cost``, the F1 from 0 to 1 that is gained if all its errors are
    repaired (NaN if the measure is not additive); and whether it is ``perfect``, that is, has no errors.
    """

    of: Ints
    document: Ints
    cost: Floats
    perfect: Bools


@dataclass(frozen=True, eq=False)
class Analysis:
    """Why a response has the score that it has.

    ``result`` is its score, with repeated mentions treated as the user asked. ``start`` is the F1 from which the costs
    begin: ``copies`` later copies of repeated mentions are ignored, and every mention is looked up where it is aligned.
    ``placed`` says where the mentions of each side are in the text. ``both`` are the partitions with spans repaired,
    ``kinds`` the kind of each of their mentions, as an index of `KINDS`. ``before`` and ``after`` score responses
    without and with this repair, and ``given`` is the response itself. ``errors`` are the errors other than span
    errors, and ``notices`` those of the analysis itself. ``pronouns``, ``spans`` and ``heads`` are the methods that
    were used.
    """

    result: Result
    pairs: Pairs
    text: Text
    measure: Measure
    pronouns: Pronouns
    spans: str
    heads: str
    placed: tuple[Projection, Projection]
    before: ScoredResponses
    after: ScoredResponses
    given: Ints
    copies: int
    both: Partitions
    kinds: Ints
    errors: Errors
    notices: Sequence[Finding]

    @property
    def score(self) -> float:
        """The F1 of the response, from 0 to 1."""
        return self.result[self.measure.name].f1

    @cached_property
    def start(self) -> float:
        """The F1 from which the costs begin."""
        return self.before.total(self.given)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many errors there are of each type."""
        return {name: int(found.sum()) for name, found in self.errors.by_document.items()}

    @cached_property
    def costs(self) -> list[Cost]:
        """What the errors of each type cost; ``in_turn`` adds up to the F1 of the key less ``start``."""
        total = self.after.total
        before = total(self.both.response)
        gained = {name: total(response) - before for name, response in alone(self.errors)}
        found = [Cost(types.SPAN, self.counts[types.SPAN], before - self.start, before - self.start, before)]
        for name, response in in_turn(self.errors):
            then = total(response)
            found.append(Cost(name, self.counts[name], gained[name], then - before, then))
            before = then
        return found

    @cached_property
    def document_costs(self) -> Floats:
        """For each document, the F1 gained over all documents if its errors are repaired."""
        return self.before.gained(self.given, self.after)

    @cached_property
    def document_scores(self) -> Floats:
        """The F1 of each document before any repair, computed like ``start``."""
        return self.before.f1(self.given)

    @cached_property
    def _misplaced(self) -> Bools:
        """The mentions in pieces that are conflated or divided."""
        return self.errors.pieces.mentions(self.errors.key.apart | self.errors.response.apart)

    @cached_property
    def groups(self) -> _Groups:
        """All groups of entities, in the order of their first mentions."""
        both, pieces = self.both, self.errors.pieces
        keys, responses = len(self.errors.key.main), len(self.errors.response.main)
        component = narrow(connected(keys + responses, pieces.key, keys + pieces.response))
        first, of = in_order(component[np.where(both.key != ABSENT, both.key, keys + both.response)])
        document, of = both.document[first], narrow(of)
        cost = np.full(len(first), np.nan)
        if self.measure.additive:
            order = narrow(order_by(of))
            as_documents = ScoredResponses(self.measure, len(first), of[order], both.key[order])
            cost = as_documents.gained(both.response[order], as_documents)
        perfect = np.ones(len(first), dtype=np.bool_)
        perfect[of[both.missing | both.extra | self._misplaced]] = False
        return _Groups(of, document, cost, perfect)

    def kinds_of(self, mentions: Sequence[int] | Ints) -> dict[str, int]:
        """Return the number of some mentions of each kind."""
        return dict(zip(KINDS, np.bincount(self.kinds[mentions], minlength=len(KINDS)).tolist(), strict=True))

    @cached_property
    def key(self) -> _Entities:
        """The entities of the key."""
        main = self.both.key_row[self.errors.key.main]
        return _Entities(self, self.pairs.key, main, Members(self.both.key, len(main)))

    @cached_property
    def response(self) -> _Entities:
        """The entities of the response."""
        main = self.both.response_row[self.errors.response.main]
        return _Entities(self, self.pairs.response, main, Members(self.both.response, len(main)))

    @cached_property
    def of_key(self) -> Ints:
        """The mentions of the key in text order, which is the same for every response."""
        return np.flatnonzero(~self.both.extra)

    @cached_property
    def status(self) -> Ints:
        """The status of each mention of the key as an index of `STATUS`; the highest one if several apply."""
        found = np.full(len(self.both.key), STATUS.index(RIGHT))
        found[self.both.repair > 0] = STATUS.index(WRONG_SPAN)
        found[self._misplaced] = STATUS.index(WRONG_ENTITY)
        found[self.both.missing] = STATUS.index(MISSING)
        return found[self.of_key]

    def words(self, mention: int) -> str:
        """Return the words of a mention in the key; its token numbers if the key has no words."""
        if not self.both.inside[mention]:
            return self._outside[mention]
        first = int(self.text.first[self.both.document[mention]])
        return " ... ".join(" ".join(self.text.words[first + a : first + b + 1]) for a, b in self.parts(mention))

    @cached_property
    def _outside(self) -> dict[int, str]:
        """The words of mentions outside the text of the key. Each file is read once for all of them."""
        mentions = np.flatnonzero(~self.both.inside).tolist()
        return dict(zip(mentions, texts_of([self.mention(mention) for mention in mentions]), strict=True))

    def parts(self, mention: int) -> list[tuple[int, int]]:
        """Return the first and the last token of each part of a mention, in the key if its span was repaired."""
        start, end = int(self.both.start[mention]), int(self.both.end[mention])
        row, side = int(self.both.key_row[mention]), 0
        if row == ABSENT:
            row, side = int(self.both.response_row[mention]), 1
        if (tokens := self.placed[side].gaps.get(row)) is None:
            return [(start, end)]
        return [(int(part[0]), int(part[-1])) for part in np.split(tokens, np.flatnonzero(np.diff(tokens) > 1) + 1)]

    def span(self, mention: int) -> tuple[int, int, int]:
        """Return the document, first token and last token of a mention, in the key if its span was repaired."""
        both = self.both
        return int(both.document[mention]), int(both.start[mention]), int(both.end[mention])

    def in_response(self, mention: int) -> tuple[int, int]:
        """Return the first and the last token of a mention in the response, before its span was repaired."""
        row, placed = self.both.response_row[mention], self.placed[1]
        return int(placed.start[row]), int(placed.end[row])

    def mention(self, mention: int) -> Mention:
        """Return a mention of the response, or of the key if the response lacks it."""
        if (row := int(self.both.response_row[mention])) != ABSENT:
            return self.pairs.response.mention(row)
        return self.pairs.key.mention(int(self.both.key_row[mention]))

    def label(self, mentions: Ints) -> str:
        """Return the name of an entity with these mentions: the most frequent words of those that are not pronouns, and
        the first of them if several are equally frequent.
        """
        named = mentions[self.kinds[mentions] > 0]
        counts = Counter(map(self.words, (named if len(named) else mentions).tolist()))
        return max(counts, key=counts.__getitem__)

    def most_often(self, mentions: Iterable[int], most: int = 5, least: int = 1) -> str:
        """Return the ``most`` most frequent words of some mentions with their number, if it is at least ``least``."""
        words = Counter(self.words(mention).lower() for mention in mentions)
        return ", ".join(f"{_shortened(text)} {count}" for text, count in words.most_common(most) if count >= least)


@dataclass(eq=False, repr=False)
class _Entities:
    """The names of the entities of one side: the words of a mention and the id of the entity in its file.

    ``main`` is the row of the main mention of each entity in the documents ``side``.
    """

    analysis: Analysis
    side: Documents
    main: Ints
    members: Members

    def id(self, entity: int) -> str | None:
        """Return the id of an entity; None for `ABSENT`."""
        return None if entity == ABSENT else self.side.name_of(self.side.entity[self.main[entity]])

    def name(self, entity: int, size: int = _SHOWN_WORDS) -> str:
        """Return the name of an entity, with so many characters of the words."""
        return f"{_shortened(self.analysis.label(self.members[entity]), size)} ({self.id(entity)})"


def _shortened(words: str, size: int = _SHOWN_WORDS) -> str:
    """Return words cut to ``size`` characters."""
    return words if len(words) <= size else f"{words[: size - 1]}…"


def refuse_parts(of: str | None, window: int | None) -> None:
    """Raise `UsageError` for kinds of mentions and for windows, which an analysis does not support."""
    if of is not None:
        raise UsageError("errors are found in all mentions; leave --of out")
    if window is not None:
        raise UsageError("errors are found in whole documents; leave --window out")


class Analysable(NamedTuple):
    """A result without its pairs of documents, all of these, and what `paired` returns."""

    result: Result
    pairs: Pairs
    mentions: Sequence[Ints]
    copies: int


def analysable(result: Result) -> Analysable:
    """Take apart a result that was computed with ``keep_pairs``, since documents would else be in memory twice."""
    batches = result.listed[WHOLE].pairs
    found = paired(batches, result.settings.rules)
    # Brackets decide which copy of a mention counts, and then no more.
    key = joined([replace(batch.key, opening=None) for batch in batches])
    response = joined([replace(batch.response, opening=None) for batch in batches])
    # The names of both sides are equal.
    present = np.concatenate([batch.present for batch in batches])
    odd = max(batches, key=attrgetter("of_characters", "cut"))
    if odd.cut:  # the key has other tokens in some documents, whose words are those of the response, or unknown
        key = replace(key, words=odd.key.words, annotations=None if odd.of_characters else odd.key.annotations)
        response = replace(response, words=odd.response.words, annotations=None)
    cut = sum(batch.cut for batch in batches)
    pairs = Pairs(key, replace(response, names=key.names), present, of_characters=odd.of_characters, cut=cut)
    return Analysable(replace(result, listed={}), pairs, *found)


_SEVERAL = re.compile(r"(?!\(.*\)$|.* \((?:int|float|bool)\d*\)$)\s*\S+\s+\S", re.DOTALL)
"""Several words in a mention that is text, and not a tuple or a number, as `words_of` writes these."""


def analysed(given: Analysable, text: Text, asked: Asked, measure: Measure) -> Analysis:
    """Analyse a result with its pairs; ``text`` is that of the key (`texts.text_of`).

    Raises `UsageError` for a way of finding heads that the key does not allow, and for unknown pronouns.
    """
    result, pairs, mentions, copies = given
    metrics = [metric.given(result.settings.own, result.settings.rules.definitions) for metric in measure.metrics]
    measure = measure._replace(metrics=metrics)
    pronouns = pronouns_of(asked.pronouns, text)
    spans = way_of(text)
    heads = text.heads(asked.heads) if pairs.key.nodes is None else result.settings.reading.get("heads", FILE)
    placed = text.placed(pairs.key), text.placed(pairs.response)
    as_given = partitions(len(pairs.key), mentions, placed)
    both = repaired_spans(as_given, text, spans, placed, heads)
    pronoun = are_pronouns(both.document, (both.start, both.end, both.inside), text, pronouns)
    errors = errors_of(both, pronoun)
    notices = []
    reason = unknown(asked.pronouns, pronouns, text)
    if pairs.of_characters:
        notices.append(Finding("parts-of-words", pairs.key.place_of(0).source.name))
    elif reason is not None and len(pairs.key.start):  # a key without mentions has a notice already
        place = next(place for place in pairs.key.places if place is not None)
        ways = "list pronouns with --pronouns words:FILE, or their parts of speech with --pronouns tags:A,B*"
        hint = ways if text.words else "give a key with words"
        notices.append(Finding("no-pronouns", place.source.name, details={"what": reason, "hint": hint}))
    if ":" in asked.pronouns:  # a list
        notices += absent_pronouns(pairs.key, text, pronouns)
    notices += unknown_in_some(pairs.key, text, by_tags=bool(pronouns.tags), heads=heads)
    before = ScoredResponses(measure, *as_given[:2], as_given.key)
    after = ScoredResponses(measure, *both[:2], both.key) if both.repair.any() else before
    longer = both.start != both.end
    for side, row in ((pairs.key, both.key_row), (pairs.response, both.response_row)):
        if len(named := np.flatnonzero((both.start < 0) & (row != ABSENT))):
            longer[named] = [_SEVERAL.match(text) is not None for text in side.words_of(row[named].tolist())]
    kinds = np.where(pronoun, np.int8(0), longer + np.int8(1))
    scored = before, after, as_given.response, copies
    return Analysis(result, pairs, text, measure, pronouns, spans, heads, placed, *scored, both, kinds, errors, notices)
