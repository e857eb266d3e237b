"""The analysis of one response: its errors by type, what they cost, and the groups of entities that are confused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.costs import Cost, Measure, alone, in_turn
from corefscore.analysis.partitions import ABSENT, Partitions, in_order, partitions, whole
from corefscore.analysis.pronouns import Pronouns, are_pronouns, pronouns_of, unknown
from corefscore.analysis.spans import AUTO, Renamed, repaired, way_of
from corefscore.analysis.texts import Text, places
from corefscore.analysis.types import Errors, errors_of
from corefscore.arrays import Bools, Floats, Ints, order_by
from corefscore.counts import summed
from corefscore.errors import UsageError
from corefscore.findings import Finding
from corefscore.formats.row import Layers
from corefscore.metrics.row import WHOLE
from corefscore.model import Documents, texts_of
from corefscore.pairing import Pairs
from corefscore.results import Result

RIGHT, WRONG_SPAN, WRONG_ENTITY, MISSING = STATUS = ("right", "wrong span", "wrong entity", "missing")
"""What can become of a mention of the key: found where it should be, found but for its span, found in a piece that is
conflated or divided, not found."""


At = tuple[int, int, int]
"""A document, and the first and last token of a mention in it."""


class Asked(NamedTuple):
    """The options of an analysis that can move its numbers, as given: see `texts.HEADS`, `pronouns.pronouns_of` and
    `spans.REPAIRS`."""

    heads: str = AUTO
    pronouns: str = AUTO
    spans: str = AUTO


class Groups(NamedTuple):
    """Entities of both sides that belong together, since they share mentions directly or through others.

    ``of`` is the group of each mention; groups are numbered by their first mentions. The other fields have one value a
    group: its ``document``; its ``cost``, the F1 gained if it alone became its key (NaN if the measure is not
    additive); and whether it is ``perfect``, that is, without an error.
    """

    of: Ints
    document: Ints
    cost: Floats
    perfect: Bools


@dataclass(frozen=True, eq=False)
class Analysis:
    """Why a response scores what it does.

    ``result`` is its score, repeated mentions as asked; ``start`` the F1 once the later ``copies`` of repeated mentions
    are left out, from which the costs begin. ``renamed`` has the response with spans repaired, ``errors`` those that
    are left, ``notices`` what was odd for the analysis alone.
    """

    result: Result
    pairs: Pairs
    text: Text
    measure: Measure
    pronouns: Pronouns
    spans: str
    given: Partitions
    copies: int
    renamed: Renamed
    errors: Errors
    start: float
    notices: Sequence[Finding] = ()

    @property
    def score(self) -> float:
        """The F1 of the response, from 0 to 1."""
        return self.result[self.measure.name].f1

    @property
    def both(self) -> Partitions:
        """The partitions, spans repaired."""
        return self.renamed.partitions

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many errors there are of each type."""
        return self.errors.counts(len(self.renamed.document))

    @cached_property
    def costs(self) -> list[Cost]:
        """What the errors of each type cost; ``in_turn`` adds up to what is lost between ``start`` and the key."""
        both, total = self.both, self.measure.total
        before = total(both.matched(both.response))
        gained = {name: total(both.matched(entities)) - before for name, entities in alone(self.errors)}
        found = [Cost(types.SPAN, self.counts[types.SPAN], before - self.start, before - self.start, before)]
        for name, entities in in_turn(self.errors):
            then = total(both.matched(entities))
            found.append(Cost(name, self.counts[name], gained[name], then - before, then))
            before = then
        return found

    @cached_property
    def document_costs(self) -> Floats:
        """The F1 gained if one document alone became its key, for each document."""
        return _gained(self.measure, self.given)

    @cached_property
    def document_scores(self) -> Floats:
        """The F1 of each document, once later copies of repeated mentions are left out."""
        return self.measure.f1(self.measure.counts(self.given.matched(self.given.response)))

    @cached_property
    def by_document(self) -> dict[str, Ints]:
        """How many errors of each type each document has."""
        both, errors, size = self.both, self.errors, self.both.documents
        found = {types.SPAN: np.bincount(self.renamed.document, minlength=size)}
        for side, entities, names in (
            (errors.response, both.response, types.OF_RESPONSE),
            (errors.key, both.key, types.OF_KEY),
        ):
            conflated, mention, entity, singleton = names
            found[conflated] = np.bincount(errors.pieces.document[side.apart], minlength=size)
            found[mention] = np.bincount(both.document[side.alone], minlength=size)
            _, first = np.unique(entities[side.whole], return_index=True)
            found[entity] = np.bincount(both.document[side.whole][first], minlength=size)
            found[singleton] = np.bincount(both.document[side.single], minlength=size)
        return {name: found[name] for name in types.TYPES}

    @cached_property
    def groups(self) -> Groups:
        """All groups of entities, in the order of their first mentions."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        both, pieces = self.both, self.errors.pieces
        keys, responses = len(self.errors.key.main), len(self.errors.response.main)
        size = keys + responses
        ones = np.ones(len(pieces.key), dtype=np.int8)
        links = coo_array((ones, (pieces.key, keys + pieces.response)), shape=(size, size))
        component: Ints = connected_components(links, directed=False)[1].astype(np.int64)
        its = component[np.where(both.key != ABSENT, both.key, keys + both.response)]
        first, of = in_order(its)
        document = both.document[first]
        additive = self.measure.additive
        cost = _gained(self.measure, _as_documents(both, of)) if additive else np.full(len(first), np.nan)
        perfect = np.ones(len(first), dtype=np.bool_)
        perfect[of[both.missing | both.extra]] = False
        wrong = self.errors.key.apart | self.errors.response.apart
        shared = pieces.of != ABSENT
        perfect[of[shared][wrong[pieces.of[shared]]]] = False
        return Groups(of, document, cost, perfect)

    @cached_property
    def kinds(self) -> Ints:
        """The kind of each mention: 0 a pronoun, 1 another one of one token, 2 a longer one."""
        both = self.both
        pronoun = are_pronouns(both, self.text, self.pronouns)
        return np.where(pronoun, 0, np.where(both.start == both.end, 1, 2))

    @cached_property
    def of_key(self) -> Ints:
        """The mentions of the key, in text order: the same list for every response to it."""
        return np.flatnonzero(~self.both.extra)

    @cached_property
    def status(self) -> Ints:
        """What became of each mention of the key (`STATUS`): the worst of what is wrong with it."""
        both, pieces, errors = self.both, self.errors.pieces, self.errors
        found = np.full(len(both.key), STATUS.index(RIGHT))
        found[list(self.renamed_from)] = STATUS.index(WRONG_SPAN)
        wrong = errors.key.apart | errors.response.apart
        shared = np.flatnonzero(pieces.of != ABSENT)
        found[shared[wrong[pieces.of[shared]]]] = STATUS.index(WRONG_ENTITY)
        found[both.missing] = STATUS.index(MISSING)
        return found[self.of_key]

    def words(self, mention: int) -> str:
        """The words of a mention, as the key has them; its tokens where the key has no words."""
        start, end, inside = self._places
        if inside[mention]:
            return " ".join(self.text.words[start[mention] : end[mention] + 1])
        return self._beyond[mention]

    @cached_property
    def _beyond(self) -> dict[int, str]:
        """The words of the mentions that lie outside the text of the key; each file is read once for all of them."""
        outside = set(np.flatnonzero(~self._places[2]).tolist())
        found: dict[int, str] = {}
        for documents, side, rows in zip((self.pairs.key, self.pairs.response), self.both[4:6], self.rows, strict=True):
            mentions = sorted(at for at in outside - found.keys() if side[at] != ABSENT)
            its = [documents.mention(rows[self.span(at)]) for at in mentions]
            found.update(zip(mentions, texts_of(its), strict=True))
        return found

    def span(self, mention: int) -> At:
        """The document of a mention, its first token and its last one; those of the key if its span was repaired."""
        document, start, end = (int(column[mention]) for column in self.both[1:4])
        return document, start, end

    @cached_property
    def rows(self) -> tuple[dict[At, int], dict[At, int]]:
        """Where the documents of the key, and of the response, have the mention of each span: its first copy."""
        key, response = (
            {at: row for row, at in reversed(list(enumerate(zip(*_columns(side), strict=True))))}
            for side in (self.pairs.key, self.pairs.response)
        )
        return key, response

    @cached_property
    def renamed_from(self) -> dict[int, tuple[int, int]]:
        """The mentions whose span was repaired, and the span that the response gives each."""
        columns = (column.tolist() for column in self.both[1:4])
        places = (
            {at: mention for mention, at in enumerate(zip(*columns, strict=True))} if self.counts[types.SPAN] else {}
        )
        return {places[d, key[0], key[1]]: tuple(its) for d, its, key, _ in zip(*self.renamed.rows, strict=True)}

    @cached_property
    def _places(self) -> tuple[Ints, Ints, Bools]:
        return places(self.both, self.text)

    def label(self, mentions: Ints) -> str:
        """What an entity of some mentions is called: the words that most of those have that are no pronouns; of several
        the first."""
        named = mentions[self.kinds[mentions] > 0]
        counts: dict[str, int] = {}
        for mention in (named if len(named) else mentions).tolist():
            words = self.words(mention)
            counts[words] = counts.get(words, 0) + 1
        return max(counts, key=lambda words: counts[words])


def _columns(side: Documents) -> tuple[list[int], list[int], list[int]]:
    return side.mention_document().tolist(), side.start.tolist(), side.end.tolist()


def pairs_of(result: Result) -> Pairs:
    """The documents of a result that kept its pairs. Raises `UsageError` where mentions are more than spans."""
    if result.settings.counting.matching is not None:
        raise UsageError("errors are analysed where mentions are spans, so not in CorefUD")
    return whole(result.views[WHOLE].pairs)


def analysed(result: Result, pairs: Pairs, layers: Sequence[Layers | None], asked: Asked, measure: Measure) -> Analysis:
    """Analyse a result with its pairs; ``layers`` are those of the documents of the key (`texts.layers_of`)."""
    text = Text(layers, asked.heads)
    pronouns = pronouns_of(asked.pronouns, text)
    spans = way_of(asked.spans, text)
    given, copies = partitions(pairs, result.settings.counting.singletons or "keep")
    renamed = repaired(given, text, spans)
    both = renamed.partitions
    errors = errors_of(both, are_pronouns(both, text, pronouns))
    start = measure.total(given.matched(given.response))
    notices = _notices(pairs, unknown(asked.pronouns, pronouns, text))
    return Analysis(result, pairs, text, measure, pronouns, spans, given, copies, renamed, errors, start, notices)


def _notices(pairs: Pairs, what: str | None) -> Sequence[Finding]:
    """The notice that pronouns cannot be told; none for a key without mentions, of which there is another."""
    if what is None or not len(pairs.key.start):
        return ()
    place = next(place for place in pairs.key.places if place is not None)
    return (Finding("no-pronouns", place.source.name, details={"what": what}),)


def _gained(measure: Measure, both: Partitions) -> Floats:
    """The F1 gained if one document alone became its key, for each document: sums are additive over documents."""
    now = measure.counts(both.matched(both.response))
    best = measure.counts(both.matched(both.key))
    total = {name: summed(counts) for name, counts in now.items()}
    after = measure.f1({name: total[name] - counts + best[name] for name, counts in now.items()})
    found: Floats = after - measure.f1(total)
    return found


def _as_documents(both: Partitions, group: Ints) -> Partitions:
    """The same mentions with groups in place of documents."""
    order = order_by(group)
    return both._replace(
        documents=int(group.max(initial=-1)) + 1,
        document=group[order],
        start=both.start[order],
        end=both.end[order],
        key=both.key[order],
        response=both.response[order],
    )
