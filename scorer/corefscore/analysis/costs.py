"""What errors cost: the score of the response after the errors of one type, or of several types in turn, are repaired.

A repaired response is a column with the entity of each mention, which the metrics compare with the key like any other
response. After the last type is repaired in turn, the response equals the key.

Source: Kummerfeld and Klein 2013, Error-Driven Analysis of Challenges in Coreference Resolution, for repairs of one
type alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, renumbered, side_of
from corefscore.analysis.types import Errors
from corefscore.core.arrays import Floats, Ints, changes, connected, order_by
from corefscore.core.errors import UsageError
from corefscore.matching.matched import Matched
from corefscore.metrics import single, wanted
from corefscore.metrics.base import WHOLE, Metric, overlap, packed, summed
from corefscore.scoring.results import values


class Measure(NamedTuple):
    """The measure in whose F1 costs are measured: its name, and its metrics."""

    name: str
    metrics: Sequence[Metric]

    def f1(self, counts: Mapping[str, Floats]) -> Floats:
        """Return the F1, from 0 to 1, of summed counts: one value for each index of their leading axes."""
        return values(self.metrics, counts)[self.name].f1

    @property
    def additive(self) -> bool:
        """Whether the counts of parts of a document that share no entity add up to the counts of the document. They do
        not for BLANC, which counts links between the parts."""
        return all(metric.additive for metric in self.metrics)


_AT_ONCE = 1 << 15
"""How many mentions are counted at once, in whole documents: what counting needs in between takes no more memory."""


class ScoredResponses:
    """Scores of responses to one key, block by block of its documents.

    ``document`` and ``key`` have the document and the entity of each mention, in the order of documents. A response is
    the entity of each mention: any number, or `ABSENT` for a mention that it lacks.
    """

    def __init__(self, measure: Measure, documents: int, document: Ints, key: Ints) -> None:
        self.measure, self.document, self.key = measure, document, key
        self._sums: dict[bytes, dict[str, Floats]] = {}
        firsts = sorted({0, *document[::_AT_ONCE].tolist()})
        self._blocks = [slice(*edges) for edges in pairwise([*firsts, documents])]

    def _mentions(self, documents: slice) -> slice:
        """Return the mentions of some documents."""
        edges = np.array([documents.start, documents.stop], dtype=self.document.dtype)  # the column is not converted
        return slice(*np.searchsorted(self.document, edges))

    def _counts(self, response: Ints, documents: slice) -> dict[str, Floats]:
        """Return the counts of each metric for some documents, as `corefscore.scoring.results.Result` has them."""
        mentions = self._mentions(documents)
        document, size = self.document[mentions] - documents.start, documents.stop - documents.start
        # The official order of sums takes time, and too few digits are printed here for it to matter.
        key, other = (side_of(document, renumbered(column[mentions])) for column in (self.key, response))
        table = overlap(Matched(size, document, key, other))._replace(by_entity=True)
        return {metric.name: packed(metric.count(table)) for metric in self.measure.metrics}

    def sums(self, response: Ints) -> dict[str, Floats]:
        """Return the counts of each metric for all documents together; each response is counted once."""
        entities = blake2b()
        for documents in self._blocks:
            entities.update(renumbered(response[self._mentions(documents)]).data)
        if (digest := entities.digest()) not in self._sums:
            parts = [self._counts(response, documents) for documents in self._blocks]
            self._sums[digest] = {name: summed(np.concatenate([part[name] for part in parts])) for name in parts[0]}
        return self._sums[digest]

    def total(self, response: Ints) -> float:
        """Return the F1 of a response over all documents, from 0 to 1."""
        return float(self.measure.f1(self.sums(response)))

    def f1(self, response: Ints) -> Floats:
        """Return the F1 of each document, from 0 to 1."""
        return np.concatenate([self.measure.f1(self._counts(response, documents)) for documents in self._blocks])

    def gained(self, now: Ints, after: ScoredResponses) -> Floats:
        """Return, for each document, the F1 gained over all documents if it alone were as in the key of ``after``."""
        sums, gains = self.sums(now), []
        for documents in self._blocks:
            counts, best = self._counts(now, documents), after._counts(after.key, documents)
            gains.append(self.measure.f1({name: total - counts[name] + best[name] for name, total in sums.items()}))
        return np.concatenate(gains) - self.measure.f1(sums)


def measured(name: str) -> Measure:
    """Return the measure of this name.

    Raises `UsageError` for an unknown name, for a score other than F1, and for a measure of named mentions only, since
    errors are found in all mentions.
    """
    measure, score = single(name)
    metrics = wanted(measure).metrics
    if score != "f1" or any(metric.view != WHOLE for metric in metrics) or not metrics:
        raise UsageError(
            f'"{name}" cannot measure the cost of errors; name the F1 of a measure of coreference, such as conll or lea'
        )
    return Measure(measure, metrics)


class Cost(NamedTuple):
    """What the ``errors`` of one type cost, as F1 from 0 to 1.

    ``alone`` is the gain if only this type (and spans) is repaired, ``in_turn`` the gain if it is repaired after all
    earlier types, and ``then`` the score that the latter reaches.
    """

    type: str
    errors: int
    alone: float
    in_turn: float
    then: float


def in_turn(errors: Errors) -> Iterator[tuple[str, Ints]]:
    """Yield each type of error, with the entity of each mention after its errors and those of all earlier types are
    repaired.

    Here extra mentions include the main mentions of entities, except for extra entities and extra singletons, so that
    the response has nothing left that the key lacks. The last response equals the key.
    """
    both, pieces, response, key = errors.partitions, errors.pieces, errors.response, errors.key
    entities = _conflated(errors)
    yield types.CONFLATED, entities
    entities = np.where(both.extra & ~response.single & ~response.whole, ABSENT, entities)
    yield types.EXTRA_MENTION, entities
    entities = np.where(response.whole, ABSENT, entities)
    yield types.EXTRA_ENTITY, entities
    # From here on no entity contains mentions of several key entities, so each can get the label of its key entity.
    label = errors.label
    has_divided = np.zeros(len(key.main), dtype=np.bool_)
    has_divided[pieces.key[key.apart]] = True
    joins = (both.key != ABSENT) & (entities != ABSENT)
    joins[key.main] = True
    joins[joins] = has_divided[both.key[joins]]
    entities = np.where(joins, label, entities)
    yield types.DIVIDED, entities
    singles = both.missing & key.single
    mentions = both.missing & ~key.whole & ~singles
    entities = np.where(errors.beside(mentions) & (mentions | (entities != ABSENT)), label, entities)
    yield types.MISSING_MENTION, entities
    entities = np.where(errors.beside(key.whole), label, entities)
    yield types.MISSING_ENTITY, entities
    entities = np.where(response.single, ABSENT, entities)
    yield types.EXTRA_SINGLETON, entities
    yield types.MISSING_SINGLETON, np.where(singles, label, entities)


def _conflated(errors: Errors) -> Ints:
    """Return the response with each conflated piece as an entity of its own. If an extra mention is then alone in an
    entity that was conflated, it is removed as well.
    """
    both, pieces, response = errors.partitions, errors.pieces, errors.response
    entities = both.response.copy()
    count = len(response.main)
    moved = pieces.mentions(response.apart)
    entities[moved] = count + pieces.of[moved]
    shared_pieces = np.bincount(pieces.response, minlength=count)
    left = (shared_pieces == 1) & (np.bincount(both.response[both.extra], minlength=count) == 1)
    left[pieces.response[~response.apart]] = False
    lone = np.flatnonzero(both.extra)
    entities[lone[left[both.response[lone]]]] = ABSENT
    return entities


def _divided(errors: Errors) -> Ints:
    """Return the response with every entity that contains a divided piece joined to that of the key entity's main
    mention.
    """
    both, pieces, key = errors.partitions, errors.pieces, errors.key
    count = len(errors.response.main)
    # The response entity with the main mention of each key entity, or a new entity if there is none.
    home = both.response[key.main]
    home = np.where(home == ABSENT, count + np.arange(len(home)), home)
    joined = np.flatnonzero(key.apart)
    component = connected(count + len(home), pieces.response[joined], home[pieces.key[joined]])
    entities = np.where(both.response == ABSENT, ABSENT, component[both.response])
    introduced = np.flatnonzero(np.bincount(pieces.key[joined], minlength=len(home)))
    entities[key.main[introduced]] = component[home[introduced]]
    return entities


def _missing_mention(errors: Errors) -> Ints:
    """Return the response with each missing mention in the entity of the earliest mention of its key entity that was
    found.
    """
    both, key = errors.partitions, errors.key
    entities = both.response.copy()
    shared = np.flatnonzero((both.key != ABSENT) & ~both.missing)
    earliest = np.full(len(key.main), len(both.key))
    place = np.where(both.start < 0, both.key_row, np.arange(len(both.key)))  # items are in the order of their side
    order = shared[order_by(both.key[shared], place[shared])]
    first = order[changes(both.key[order])]
    earliest[both.key[first]] = first
    entities[key.alone] = both.response[earliest[both.key[key.alone]]]
    return entities


def alone(errors: Errors) -> Iterator[tuple[str, Ints]]:
    """Yield each type of error, with the entity of each mention after only the errors of this type are repaired."""
    both, label = errors.partitions, errors.label
    yield types.EXTRA_MENTION, np.where(errors.response.alone, ABSENT, both.response)
    yield types.EXTRA_ENTITY, np.where(errors.response.whole, ABSENT, both.response)
    yield types.EXTRA_SINGLETON, np.where(errors.response.single, ABSENT, both.response)
    yield types.CONFLATED, _conflated(errors)
    yield types.DIVIDED, _divided(errors)
    yield types.MISSING_MENTION, _missing_mention(errors)
    yield types.MISSING_ENTITY, np.where(errors.beside(errors.key.whole), label, both.response)
    yield types.MISSING_SINGLETON, np.where(errors.key.single, label, both.response)
