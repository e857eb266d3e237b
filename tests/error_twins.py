"""A slow, obvious twin of the error analysis: types of errors, and responses after they are repaired.

It follows `corefscore.analysis.types` and `corefscore.analysis.costs` in words, on lists and sets of one document. A
mention is (first token, last token), an entity a list of mentions, and mentions come in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import twins
from corefscore.metrics import MENTIONS
from twins import Counted, Entity, Mention, Pair, Partition, Share

IsPronoun = Callable[[Mention], bool]


def once(partition: Partition) -> Partition:
    """The first copy of each mention, by entities."""
    seen: set[Mention] = set()
    left = []
    for entity in partition:
        left.append([mention for mention in dict.fromkeys(entity) if mention not in seen])
        seen.update(entity)
    return [entity for entity in left if entity]


def prepared(pair: Pair, singletons: str, mentions: str) -> Pair:
    """Both sides as they are analysed: without copies, then of given mentions only, and then without the singletons
    that are left out."""
    key, response = (once(twins.in_reading_order(side)) for side in pair)
    if mentions == "given":
        ours, theirs = ({mention for entity in side for mention in entity} for side in (key, response))
        only = ours ^ theirs
        key, response = without(key, only), without(response, only)
    if singletons == "drop":
        key = [entity for entity in key if len(entity) > 1]
    if singletons != "keep":
        response = [entity for entity in response if len(entity) > 1]
    return key, response


class Faults(NamedTuple):
    """The errors of the entities of one side: single mentions that only it has, the whole entities of such, the other
    mentions of such, and the pieces without the main mention, each with its entity."""

    single: list[Mention]
    whole: list[Entity]
    alone: list[Mention]
    apart: list[tuple[Entity, Entity]]


def main_mention(entity: Entity, is_pronoun: IsPronoun) -> Mention:
    """The first mention that is not a pronoun, or the first."""
    return min(entity, key=lambda mention: (is_pronoun(mention), mention))


def faults(side: Partition, other: Partition, is_pronoun: IsPronoun) -> Faults:
    """The errors of the entities of a side."""
    there = {mention for entity in other for mention in entity}
    found = Faults([], [], [], [])
    for entity in side:
        main = main_mention(entity, is_pronoun)
        lone = [mention for mention in entity if mention not in there]
        shared = [mention for mention in entity if mention in there]
        if len(entity) == 1 and lone:
            found.single.extend(lone)
        elif len(lone) > 1 and all(map(is_pronoun, shared)):
            found.whole.append(lone)
        else:
            found.alone.extend(mention for mention in lone if mention != main)
        for another in other:
            piece = [mention for mention in shared if mention in another]
            if piece and main not in piece:
                found.apart.append((piece, entity))
    return found


class Document:
    """One document of key and response, its errors, and the responses after repairs."""

    def __init__(self, pair: Pair, is_pronoun: IsPronoun) -> None:
        self.key, self.response = pair
        self.is_pronoun = is_pronoun
        self.extra = faults(self.response, self.key, is_pronoun)
        self.missing = faults(self.key, self.response, is_pronoun)
        self.in_key = {mention for entity in self.key for mention in entity}
        self.in_response = {mention for entity in self.response for mention in entity}

    @property
    def counts(self) -> dict[str, int]:
        """The number of errors of each type."""
        return {
            "conflated": len(self.extra.apart),
            "extra_mention": len(self.extra.alone),
            "extra_entity": len(self.extra.whole),
            "divided": len(self.missing.apart),
            "missing_mention": len(self.missing.alone),
            "missing_entity": len(self.missing.whole),
            "extra_singleton": len(self.extra.single),
            "missing_singleton": len(self.missing.single),
        }

    def conflated(self) -> Partition:
        """Each conflated piece is an entity of its own; an extra mention that its only piece leaves alone is gone."""
        left = []
        for entity in self.response:
            pieces = [piece for piece, of in self.extra.apart if of is entity]
            rest = without([entity], [mention for piece in pieces for mention in piece])
            all_pieces = [its for its in (set(entity) & set(other) for other in self.key) if its]
            extras = [mention for mention in entity if mention not in self.in_key]
            if not (len(pieces) == len(all_pieces) == len(extras) == 1):
                left += rest
            left += pieces
        return left

    def divided(self) -> Partition:
        """The entities with a divided piece are joined to that of the main mention, which is put there if missing."""
        joined = [list(entity) for entity in self.response]
        for entity in {id(of): of for _, of in self.missing.apart}.values():
            main = main_mention(entity, self.is_pronoun)
            wanted = {main, *(mention for piece, of in self.missing.apart if of is entity for mention in piece)}
            together = [its for its in joined if wanted & set(its)]
            joined = [its for its in joined if not wanted & set(its)]
            joined.append(list(dict.fromkeys([main, *(mention for its in together for mention in its)])))
        return joined

    def missing_mention(self) -> Partition:
        """A missing mention goes where the first mention of its entity is that was found."""
        found = [list(entity) for entity in self.response]
        for mention in self.missing.alone:
            entity = next(entity for entity in self.key if mention in entity)
            first = min(set(entity) & self.in_response)
            next(its for its in found if first in its).append(mention)
        return found

    def missing_entity(self) -> Partition:
        """Missing entities are there, with the mentions that were found elsewhere."""
        whole = [entity for entity in self.key if any(set(lone) <= set(entity) for lone in self.missing.whole)]
        return [*without(self.response, [mention for entity in whole for mention in entity]), *whole]

    def alone(self) -> dict[str, Partition]:
        """The response after the errors of one type are repaired."""
        return {
            "conflated": self.conflated(),
            "extra_mention": without(self.response, self.extra.alone),
            "extra_entity": without(self.response, [mention for lone in self.extra.whole for mention in lone]),
            "divided": self.divided(),
            "missing_mention": self.missing_mention(),
            "missing_entity": self.missing_entity(),
            "extra_singleton": without(self.response, self.extra.single),
            "missing_singleton": [*self.response, *([mention] for mention in self.missing.single)],
        }

    def in_turn(self) -> Iterator[tuple[str, Partition]]:
        """The response after the errors of each type are repaired, after those of the types before."""
        now = self.conflated()
        yield "conflated", now
        whole = [mention for lone in self.extra.whole for mention in lone]
        now = without(now, self.in_response - self.in_key - {*whole, *self.extra.single})
        yield "extra_mention", now
        now = without(now, whole)
        yield "extra_entity", now
        for entity in self.key:
            if any(of is entity for _, of in self.missing.apart):
                now = self.put_together(now, entity, [main_mention(entity, self.is_pronoun)])
        yield "divided", now
        whole = [mention for lone in self.missing.whole for mention in lone]
        for entity in self.key:
            lost = set(entity) - self.in_response - {*whole, *self.missing.single}
            if lost:
                now = self.put_together(now, entity, lost)
        yield "missing_mention", now
        for entity in self.key:
            if set(entity) & set(whole):
                now = self.put_together(now, entity, entity)
        yield "missing_entity", now
        now = without(now, self.extra.single)
        yield "extra_singleton", now
        yield "missing_singleton", [*now, *([mention] for mention in self.missing.single)]

    @staticmethod
    def put_together(now: Partition, entity: Entity, more: Sequence[Mention] | set[Mention]) -> Partition:
        """The mentions of a key entity that are there, and some more, as one entity."""
        there = {mention for its in now for mention in its}
        return [*without(now, entity), [mention for mention in entity if mention in there or mention in set(more)]]


def without(partition: Partition, mentions: Sequence[Mention] | set[Mention]) -> Partition:
    """A partition without some mentions, and without the entities that are then empty."""
    left = ([mention for mention in entity if mention not in set(mentions)] for entity in partition)
    return [entity for entity in left if entity]


def f1(measure: str, boundary: str, keys: Sequence[Partition], responses: Sequence[Partition]) -> Fraction:
    """The F1 of some documents together, from 0 to 1."""
    if measure == "conll":
        return sum((f1(name, boundary, keys, responses) for name in ("muc", "bcub", "ceafe")), Fraction(0)) / 3
    pairs = [(frozen(key), frozen(response)) for key, response in zip(keys, responses, strict=True)]
    counts = [added(links) for links in zip(*(counted(measure, *pair) for pair in pairs), strict=True)]
    if boundary == "key":
        return twins.scored(measure, counts)[measure].f1
    kinds = [links for links in counts if links.recall.denominator + links.precision.denominator]
    if not kinds:  # the mentions of documents without links decide
        kinds = [added([links for pair in pairs for links in counted(MENTIONS, *pair)])]
        if not kinds[0].recall.denominator + kinds[0].precision.denominator:
            return Fraction(1)
    found = [2 * its.recall.numerator / (its.recall.denominator + its.precision.denominator) for its in kinds]
    return sum(found, Fraction(0)) / len(found)


Frozen = tuple[tuple[Mention, ...], ...]


def frozen(partition: Partition) -> Frozen:
    return tuple(tuple(entity) for entity in partition)


@cache
def counted(measure: str, key: Frozen, response: Frozen) -> list[Counted]:
    """What the twin of a metric counts in one document, which most repairs leave as it is."""
    return twins.TWINS[measure]([list(entity) for entity in key], [list(entity) for entity in response])


def added(counts: Sequence[Counted]) -> Counted:
    """The counts of documents together."""
    return Counted(
        *(Share(*(sum(its, Fraction(0)) for its in zip(*its, strict=True))) for its in zip(*counts, strict=True))
    )


def costs(pairs: Sequence[Pair], measure: str, boundary: str, is_pronoun: IsPronoun) -> Mapping[str, tuple[float, ...]]:
    """For each type the number of its errors, and what they cost alone, in turn, and then the F1."""
    documents = [Document(pair, is_pronoun) for pair in pairs]
    keys = [document.key for document in documents]

    def total(responses: Sequence[Partition]) -> Fraction:
        return f1(measure, boundary, keys, responses)

    start = now = total([document.response for document in documents])
    repairs = [document.alone() for document in documents]
    alone = {name: total([responses[name] for responses in repairs]) for name in repairs[0]}
    found = {}
    for steps in zip(*(document.in_turn() for document in documents), strict=True):
        name, _ = steps[0]
        then = total([response for _, response in steps])
        count = sum(document.counts[name] for document in documents)
        found[name] = count, float(alone[name] - start), float(then - now), float(then)
        now = then
    return found
