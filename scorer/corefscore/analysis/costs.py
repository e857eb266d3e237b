"""What errors cost: the score of the response once those of one type are repaired, alone and one type after the other.

Repaired responses are columns like any other: the entity of each mention, counted beside the key by the metrics
themselves. In turn, the last one is the key. Kummerfeld and Klein 2013 for repairs of one type alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT, Partitions, renumbered
from corefscore.analysis.types import Errors
from corefscore.documents.arrays import Bools, Floats, Ints, tally
from corefscore.errors import UsageError
from corefscore.metrics.assignment import connected
from corefscore.metrics.counts import packed, summed
from corefscore.metrics.measures import single, wanted
from corefscore.metrics.overlap import of_columns
from corefscore.metrics.row import WHOLE, Metric, own_values
from corefscore.results import values


class Measure(NamedTuple):
    """The measure in whose F1 costs are counted: its name, its metrics, and the options of each metric by name."""

    name: str
    metrics: Sequence[Metric]
    options: Mapping[str, Mapping[str, object]]

    def by(self, definitions: str | None) -> Measure:
        """The measure by the definitions of an official scorer (`corefscore.alignment.matching.DEFINITIONS`)."""
        return self._replace(metrics=[metric.by(definitions) for metric in self.metrics])

    def f1(self, counts: Mapping[str, Floats]) -> Floats:
        """The F1 of summed counts, whatever their leading axes."""
        return values(self.metrics, counts)[self.name].f1

    @property
    def additive(self) -> bool:
        """Whether counts of parts of a document that share no entity add up to those of the document: not for BLANC,
        which counts links between them."""
        return all(metric.additive for metric in self.metrics)


class Scored:
    """Responses beside one key, each scored once. They are entities of mentions, with any numbers but `ABSENT`."""

    def __init__(self, measure: Measure, both: Partitions) -> None:
        self.measure, self.both = measure, both
        self._found: dict[bytes, dict[str, Floats]] = {}

    def counts(self, response: Ints) -> dict[str, Floats]:
        """The counts of each metric, as `corefscore.results.Result` has them."""
        entities = renumbered(response)
        digest = entities.tobytes()
        if digest not in self._found:
            # Nobody prints so many digits here that the official order of sums matters, which takes time.
            table = of_columns(self.both.documents, self.both.document, self.both.key, entities)
            options = self.measure.options
            self._found[digest] = {
                metric.name: packed(metric.count(table, **options[metric.name])) for metric in self.measure.metrics
            }
        return self._found[digest]

    def totals(self, responses: Sequence[Ints]) -> list[float]:
        """The F1 of each response, all documents together."""
        counts = [self.counts(response) for response in responses]
        summed_up = {name: np.stack([summed(its[name]) for its in counts]) for name in counts[0]}
        found: list[float] = self.measure.f1(summed_up).tolist()
        return found

    def total(self, response: Ints) -> float:
        """The F1 of one response."""
        return self.totals([response])[0]

    @property
    def perfect(self) -> dict[str, Floats]:
        """The counts of the key as a response."""
        return self.counts(self.both.key)

    def gained(self, now: Ints, best: Mapping[str, Floats]) -> Floats:
        """The F1 gained if one document alone had the best counts, for each document: sums are additive over them."""
        counts = self.counts(now)
        total = {name: summed(its) for name, its in counts.items()}
        after = self.measure.f1({name: total[name] - its + best[name] for name, its in counts.items()})
        found: Floats = after - self.measure.f1(total)
        return found


def measured(name: str) -> Measure:
    """A measure of this name.

    Raises `UsageError` for an unknown one, and for one of named mentions alone: errors are those of all mentions.
    """
    measure, score = single(name)
    metrics = wanted(measure).metrics
    if score != "f1" or any(metric.view != WHOLE for metric in metrics) or not metrics:
        raise UsageError(f'costs are counted in the F1 of a measure of all mentions, and "{name}" is none; try conll')
    own = own_values(metrics, {})
    options = {
        metric.name: {its.keyword: own[its.keyword] for its in metric.options if its.keyword in own}
        for metric in metrics
    }
    return Measure(measure, metrics, options)


class Cost(NamedTuple):
    """What the ``errors`` of one type cost, as F1 from 0 to 1.

    ``alone`` is gained if only they (and spans) are repaired, ``in_turn`` after all types above, ``then`` is the score
    that is reached.
    """

    type: str
    errors: int
    alone: float
    in_turn: float
    then: float


def in_turn(errors: Errors) -> Iterator[tuple[str, Ints]]:
    """The response, as the entity of each mention, once the errors of each type are repaired after those before it.

    Extra mentions are all of those outside extra entities and extra singletons, main mentions too, so that nothing of
    the response is left that the key lacks. The last one is the key.
    """
    both, pieces, response, key = errors.partitions, errors.pieces, errors.response, errors.key
    entities = conflated(errors)
    yield types.CONFLATED, entities
    singles_or_whole = response.single | response.whole
    entities = np.where(both.extra & ~singles_or_whole, ABSENT, entities)
    yield types.EXTRA_MENTION, entities
    entities = np.where(response.whole, ABSENT, entities)
    yield types.EXTRA_ENTITY, entities
    # From here on no entity holds mentions of several key entities, so a key entity can give its name to a whole one.
    label = _labels(errors)
    has_divided = np.zeros(len(key.main), dtype=np.bool_)
    has_divided[pieces.key[key.apart]] = True
    is_main = np.zeros(len(both.key), dtype=np.bool_)
    is_main[key.main] = True
    joins = (both.key != ABSENT) & (entities != ABSENT)
    joins |= is_main
    joins[joins] = has_divided[both.key[joins]]
    entities = _put(entities, joins, label)
    yield types.DIVIDED, entities
    singles = both.missing & key.single
    mentions = both.missing & ~key.whole & ~singles
    entities = _put(entities, _whole_entities(both, mentions) & (mentions | (entities != ABSENT)), label)
    yield types.MISSING_MENTION, entities
    entities = _put(entities, _whole_entities(both, key.whole), label)
    yield types.MISSING_ENTITY, entities
    entities = np.where(response.single, ABSENT, entities)
    yield types.EXTRA_SINGLETON, entities
    yield types.MISSING_SINGLETON, _put(entities, singles, label)


def conflated(errors: Errors) -> Ints:
    """Each conflated piece an entity of its own; a lone extra mention that its only piece leaves behind goes, too."""
    both, pieces, response = errors.partitions, errors.pieces, errors.response
    entities = both.response.copy()
    count = len(response.main)
    shared = np.flatnonzero(pieces.of != ABSENT)
    moved = shared[response.apart[pieces.of[shared]]]
    entities[moved] = count + pieces.of[moved]
    held = np.bincount(pieces.response, minlength=count)
    extras = np.bincount(both.response[both.extra], minlength=count)
    left = (held == 1) & (extras == 1)
    left[pieces.response[~response.apart]] = False
    lone = np.flatnonzero(both.extra)
    entities[lone[left[both.response[lone]]]] = ABSENT
    return entities


def divided(errors: Errors) -> Ints:
    """Every response entity that holds a divided piece joins that of the main mention of the key entity."""
    both, pieces, key = errors.partitions, errors.pieces, errors.key
    count = len(errors.response.main)
    # The entity that has the main mention of each key entity, a new one if none has.
    home = both.response[key.main]
    home = np.where(home == ABSENT, count + np.arange(len(home)), home)
    joined = np.flatnonzero(key.apart)
    component = connected(count + len(home), pieces.response[joined], home[pieces.key[joined]])
    entities = np.where(both.response == ABSENT, ABSENT, component[both.response])
    introduced = np.flatnonzero(tally(pieces.key[joined], len(home)))
    entities[key.main[introduced]] = component[home[introduced]]
    return entities


def missing_mention(errors: Errors) -> Ints:
    """Each missing mention joins the response entity of the earliest mention of its key entity that is found."""
    both, key = errors.partitions, errors.key
    entities = both.response.copy()
    shared = np.flatnonzero((both.key != ABSENT) & ~both.missing)
    earliest = np.full(len(key.main), len(both.key))
    np.minimum.at(earliest, both.key[shared], shared)
    missing = np.flatnonzero(key.alone)
    entities[missing] = both.response[earliest[both.key[missing]]]
    return entities


def alone(errors: Errors) -> Iterator[tuple[str, Ints]]:
    """The response once the errors of one type are repaired, and no others."""
    both, label = errors.partitions, _labels(errors)
    without: Sequence[tuple[str, Bools]] = (
        (types.EXTRA_MENTION, errors.response.alone),
        (types.EXTRA_ENTITY, errors.response.whole),
        (types.EXTRA_SINGLETON, errors.response.single),
    )
    for name, gone in without:
        yield name, np.where(gone, ABSENT, both.response)
    yield types.CONFLATED, conflated(errors)
    yield types.DIVIDED, divided(errors)
    yield types.MISSING_MENTION, missing_mention(errors)
    yield types.MISSING_ENTITY, _put(both.response, _whole_entities(both, errors.key.whole), label)
    yield types.MISSING_SINGLETON, _put(both.response, errors.key.single, label)


def _labels(errors: Errors) -> Ints:
    """For each mention of the key a number of its key entity that no response entity and no piece has."""
    return len(errors.response.main) + len(errors.pieces.key) + errors.partitions.key


def _put(entities: Ints, which: Bools, label: Ints) -> Ints:
    return np.where(which, label, entities)


def _whole_entities(both: Partitions, which: Bools) -> Bools:
    """All mentions of the key entities that some mentions belong to."""
    has = np.zeros(int(both.key.max(initial=-1)) + 2, dtype=np.bool_)
    has[both.key[which]] = True
    has[ABSENT] = False
    found: Bools = has[both.key]
    return found
