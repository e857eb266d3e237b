"""Whether a difference between systems means anything: paired tests and intervals, from counts per unit.

Counts are additive. So a trial never scores anything again: with one row of weights for each trial (which units
are swapped, or how often each was drawn), all sums of a block of trials are one matrix product

    weights (trials x units)  @  counts (units x systems * columns)

and `corefscore.results.values` divides them for all trials at once. Every measure is recomputed from the summed
counts of a trial; BLANC and the CoNLL average are statistics like the others. All pairs of systems and all measures
see the same resamples.

Sources: Noreen 1989, Computer-intensive methods for testing hypotheses (approximate randomization), as in Moosavi
and Strube 2016, section 6; Efron 1979 (the bootstrap; `corefscore.statistics.intervals` has the intervals); Holm 1979.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from corefscore.documents.arrays import Bools, Floats, Ints, bounds
from corefscore.errors import UsageError
from corefscore.metrics.counts import SCORES, summed
from corefscore.metrics.measures import asked, metrics_of
from corefscore.metrics.row import Metric
from corefscore.results import values
from corefscore.statistics import intervals
from corefscore.statistics.percent import fraction

TIE = 1e-12
"""Differences that are less than this apart are the same: the last bits hang on the order of a sum."""

BLOCK = 2**21
"""How many weights are in memory at a time: a block of trials."""

SPARE = 32
"""No resample is taken to weigh a column more than this often; see `on_grid`."""

PairOf = tuple[int, int]

DOCUMENTS = "documents"
"""What scores can be averaged over."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The counts of several systems over the same units of resampling.

    =============  ================================  ==================================================
    array          shape                             holds
    =============  ================================  ==================================================
    ``counts``     systems x units x columns         what `packed` made of each unit, metric by metric
    ``stratum``    units                             the group of each, never falling; 0 without groups
    ``observed``   systems x measures x scores       the scores themselves, summed in the official order
    =============  ================================  ==================================================

    The scores are recall, precision and F1 (`SCORES`), from 0 to 1; what a measure does not have is NaN. With several
    groups a score is the unweighted mean over them, and resampling stays within each. ``parts`` is "joined" where the
    parts of documents make one unit. ``groups`` are the names of the groups, by number. Where scores are ``averaged``
    over documents, columns are the sums of the scores of documents, measures x scores, and last how many documents
    there are. ``uncounted`` are the scores that have nothing to count in kinds of mentions, of the shape of
    ``observed``; there are none without it.
    """

    metrics: Sequence[Metric]
    measures: Collection[str]
    counts: Floats
    stratum: Ints
    observed: Floats
    parts: str | None = None
    groups: Sequence[str] = ()
    averaged: bool = False
    uncounted: Bools | None = None

    @cached_property
    def shown(self) -> Floats:
        """``observed`` for tables: NaN also where there is nothing to count."""
        return self.observed if self.uncounted is None else np.where(self.uncounted, np.nan, self.observed)

    @property
    def systems(self) -> int:
        return len(self.counts)

    @property
    def units(self) -> int:
        return len(self.stratum)

    @property
    def pairs(self) -> list[PairOf]:
        """All pairs of systems."""
        return list(combinations(range(self.systems), 2))

    @property
    def erring(self) -> Ints:
        """In how many units each system has any recall or precision below 1."""
        if self.averaged:
            apart = self.counts[..., :-1] != self.counts[..., -1:]
        else:
            apart = self.counts[..., 0::2] != self.counts[..., 1::2]
        found: Ints = apart.any(axis=-1).sum(axis=-1)
        return found

    def only(self, measure: str) -> Sample:
        """The same with one measure, and the counts of its metrics alone."""
        names = metrics_of(measure, self.metrics)
        place = list(self.measures).index(measure)
        columns = [np.arange(at.start, at.stop) for name, at in _places(self.metrics).items() if name in names]
        if self.averaged:
            columns = [np.arange(len(SCORES)) + place * len(SCORES), np.array([self.counts.shape[-1] - 1])]
        return replace(
            self,
            metrics=[metric for metric in self.metrics if metric.name in names],
            measures={measure: asked(self.measures)[measure]},
            counts=self.counts[..., np.concatenate(columns)],
            observed=self.observed[:, [place]],
            uncounted=None if self.uncounted is None else self.uncounted[:, [place]],
        )

    def scores(self, sums: Floats) -> Floats:
        """The scores of sums of columns, as `statistics` has them."""
        return means(self.measures, sums) if self.averaged else statistics(self.metrics, self.measures, sums)

    def decisive(self) -> list[list[int]]:
        """The columns that can change each score, measure by measure: recall, precision, F1."""
        if self.averaged:
            return [[column] for column in range(len(self.measures) * len(SCORES))]
        return decisive(self.metrics, self.measures)


def statistics(metrics: Sequence[Metric], measures: Collection[str], sums: Floats) -> Floats:
    """The scores of summed counts, groups x ... x columns, as an array ... x measures x scores; NaN for what is not
    asked for (`corefscore.metrics.measures.asked`)."""
    columns = _places(metrics)
    shape = sums.shape[:-1]
    found = values(metrics, {metric.name: sums[..., columns[metric.name]].reshape(*shape, -1, 4) for metric in metrics})
    scores = np.full((*shape, len(measures), len(SCORES)), np.nan)
    for place, (measure, its) in enumerate(asked(measures).items()):
        for score in its:
            scores[..., place, SCORES.index(score)] = getattr(found[measure], score)
    means: Floats = summed(scores) / len(scores)
    return means


def means(measures: Collection[str], sums: Floats) -> Floats:
    """The same of sums of the scores of documents, and their number: the means over documents."""
    each = sums[..., :-1] / np.maximum(sums[..., -1:], 1)
    scores = each.reshape(*sums.shape[:-1], len(measures), len(SCORES))
    wanted = np.array([[score in its for score in SCORES] for its in asked(measures).values()])
    found: Floats = summed(np.where(wanted, scores, np.nan)) / len(scores)
    return found


def _places(metrics: Sequence[Metric]) -> dict[str, slice]:
    """The columns of each metric."""
    found, begin = {}, 0
    for metric in metrics:
        width = 4 * sum(measure.combine is None for measure in metric.measures)
        found[metric.name] = slice(begin, begin + width)
        begin += width
    return found


def on_grid(counts: Floats) -> Floats:
    """What is summed over units, systems x units x columns, rounded to multiples of a power of two: 2^-48 of the sum of
    its column.

    Sums of up to `SPARE` times a column are then exact in whatever order they are added: neither the size of a
    block nor the library that multiplies can move a digit, and one seed gives one answer everywhere. Whole
    numbers stay what they are up to a sum of 2^48.
    """
    _, exponent = np.frexp(SPARE * np.abs(counts).sum(axis=1).max(axis=0))
    grid = np.ldexp(1.0, exponent - 53)
    rounded: Floats = np.round(counts / grid) * grid
    return rounded


class _Trials:
    """The sums of resampled units, for all systems at once."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.counts = on_grid(sample.counts)
        self.groups = int(sample.stratum[-1]) + 1
        self.flat: Floats = self.counts.transpose(1, 0, 2).reshape(sample.units, -1)

    def sums(self, weights: Floats, units: Ints | None = None) -> Floats:
        """The weighted sums over units, or over some of them: groups x trials x systems x columns."""
        flat = self.flat if units is None else self.flat[units]
        stratum = self.sample.stratum if units is None else self.sample.stratum[units]
        edges = bounds(stratum, self.groups).tolist()
        sums = np.stack([weights[:, a:b] @ flat[a:b] for a, b in pairwise(edges)])
        return sums.reshape(self.groups, len(weights), self.sample.systems, -1)

    def whole(self) -> Floats:
        """All units once: groups x 1 x systems x columns."""
        return self.sums(np.ones((1, self.sample.units)))

    def scores(self, sums: Floats) -> Floats:
        return self.sample.scores(sums)

    def blocks(self, trials: int, seed: int) -> Iterator[Floats]:
        """Uniform numbers, a row a trial and a column a unit, in blocks that bound the memory."""
        generator = np.random.Generator(np.random.PCG64(seed))
        rows = max(1, BLOCK // max(self.sample.units, self.groups * self.flat.shape[1]))
        for begin in range(0, trials, rows):
            yield generator.random((min(rows, trials - begin), self.sample.units))


def draws(sample: Sample, trials: int, seed: int) -> Iterator[Floats]:
    """How often each of ``trials`` resamples draws each unit, in blocks of some trials x units.

    A resample draws as many units as there are, with replacement, the same for every system; with groups, as many
    from each as it has. The first of many trials are those of few.
    """
    of = _Trials(sample)
    edges = bounds(sample.stratum, of.groups)
    first, size = edges[sample.stratum], np.diff(edges)[sample.stratum]
    for uniform in of.blocks(trials, seed):
        drawn = first + (uniform * size).astype(np.int64)
        drawn += np.arange(len(drawn))[:, None] * sample.units
        yield np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def resamples(sample: Sample, trials: int, seed: int) -> Iterator[Floats]:
    """The scores of ``trials`` resamples (`draws`) in blocks, each systems x measures x scores x some of them."""
    of = _Trials(sample)
    for times in draws(sample, trials, seed):
        yield np.moveaxis(of.scores(of.sums(times)), 0, -1)


def without_each(sample: Sample) -> Floats:
    """The scores of all units but one: units x systems x measures x scores."""
    of = _Trials(sample)
    whole = of.whole()[:, 0]
    units = of.counts.transpose(1, 0, 2)
    found = []
    rows = max(1, BLOCK // whole.size)
    for begin in range(0, sample.units, rows):
        block = slice(begin, begin + rows)
        sums = np.repeat(whole[:, None], len(units[block]), axis=1)
        sums[sample.stratum[block], np.arange(len(units[block]))] -= units[block]
        found.append(of.scores(sums))
    return np.concatenate(found)


class Tests(NamedTuple):
    """A test of each pair of systems; all arrays are pairs x measures x scores.

    ``differ`` is in how many units the two systems' counts of a score differ, ``exact`` whether all assignments of
    these were enumerated, ``smallest`` the smallest p that this run could have given, whatever had been observed.
    """

    p: Floats
    differ: Ints
    exact: Bools
    smallest: Floats

    @property
    def by_units(self) -> Floats:
        """2^(1-n), at most 1, for n units that differ: equal systems differ all one way with this chance."""
        found: Floats = np.minimum(1.0, np.exp2(1.0 - self.differ))
        return found


Step = Callable[[int], None]
"""Is told of so much more work that was done."""

Watch = Callable[[float], None]
"""Is told how much of the work is done, from 0 to 1."""


def _idle(work: int) -> None:
    """Nobody watches."""


def randomization(sample: Sample, trials: int, seed: int, step: Step = _idle) -> Tests:
    """Paired approximate randomization, two-sided (Noreen 1989).

    Were the systems equally good, each unit could as well have been answered the other way round. A trial swaps
    the two in each unit with probability 1/2; it is a hit where |d| >= |d observed|, d being the difference of the
    scores of all units; p = (hits + 1) / (trials + 1). Where all 2^n assignments of the n units that differ are
    no more than the trials they are enumerated, and p = hits / 2^n is exact; the smallest p is then that of the
    assignment with the largest |d|, else 1 / (trials + 1). Two identical systems have p = 1.
    """
    of = _Trials(sample)
    whole = of.whole()
    observed = of.scores(whole)[0]
    differ = _differ(of)
    most = trials.bit_length() - 1
    exact = differ <= most
    p, smallest = np.ones(differ.shape), np.where(exact, 1.0, 1 / (trials + 1))
    drawn = [place for place in range(len(sample.pairs)) if not exact[place].all()]
    hits = np.ones(differ.shape)
    for uniform in of.blocks(trials, seed) if drawn else ():
        swapped = of.sums((uniform < 0.5).astype(np.float64))
        for place in drawn:
            d = _differences(of, whole, swapped, sample.pairs[place])
            hits[place] += _hits(d, _difference(observed, sample.pairs[place]))
            step(len(uniform))
    p = np.where(exact, p, hits / (trials + 1))
    for place, pair in enumerate(sample.pairs):
        for units, scores in _together(_apart(of, pair), exact[place], most) if exact[place].any() else ():
            d = _differences(of, whole, of.sums(assignments(len(units)), units), pair)
            p[place][scores] = (_hits(d, _difference(observed, pair)) / len(d))[scores]
            smallest[place][scores] = (_hits(d, np.abs(d).max(axis=0)) / len(d))[scores]
        step(0 if place in drawn else trials)
    return Tests(*_without_missing(observed, p, differ, exact, smallest))


def assignments(units: int) -> Floats:
    """All ways to swap or not, 2^units x units."""
    found: Floats = ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)
    return found


def _apart(of: _Trials, pair: PairOf) -> Bools:
    """In which units two systems' counts of a score differ: units x measures x scores."""
    sample = of.sample
    differing = of.counts[pair[0]] != of.counts[pair[1]]
    found = [differing[:, columns].any(axis=1) for columns in sample.decisive()]
    return np.stack(found, axis=-1).reshape(sample.units, len(sample.measures), len(SCORES))


def _differ(of: _Trials) -> Ints:
    """In how many units they differ: pairs x measures x scores."""
    found = [_apart(of, pair).sum(axis=0) for pair in of.sample.pairs]
    return np.array(found, dtype=np.int64).reshape(-1, len(of.sample.measures), len(SCORES))


def decisive(metrics: Sequence[Metric], measures: Collection[str]) -> list[list[int]]:
    """The columns that can change each score, measure by measure: recall, precision, F1.

    Recall rests on its own numerator and denominator, precision likewise, F1 on all four. A measure that combines
    others has all of theirs; which of them count at all is decided by the links of the key (see
    `corefscore.metrics.blanc.combine`), so that precision also rests on the denominators of recall.
    """
    places = _places(metrics)
    found = []
    for measure in measures:
        each: dict[str, list[int]] = {score: [] for score in SCORES}
        for metric in metrics:
            if metric.name not in metrics_of(measure, metrics):
                continue
            counted = [its.name for its in metric.measures if its.combine is None]
            own = [counted.index(measure)] if measure in counted else range(len(counted))
            for begin in (places[metric.name].start + 4 * place for place in own):
                each["recall"] += [begin, begin + 1]
                each["precision"] += [begin + 2, begin + 3] if measure in counted else [begin + 1, begin + 2, begin + 3]
                each["f1"] += range(begin, begin + 4)
        found += [each[score] for score in SCORES]
    return found


def _together(apart: Bools, exact: Bools, most: int) -> Iterator[tuple[Ints, Bools]]:
    """Enumerations that will do for a pair: units, at most so many, and the scores measures x scores that they decide.

    Units that a score does not differ in repeat each of its assignments equally often, so that several scores can
    share one enumeration. ``apart`` is units x measures x scores.
    """
    left = exact & apart.any(axis=0)
    while left.any():
        units = np.zeros(len(apart), dtype=np.bool_)
        taken = np.zeros(left.shape, dtype=np.bool_)
        for measure, score in np.argwhere(left).tolist():
            joined = units | apart[:, measure, score]
            if joined.sum() <= most:
                units, taken[measure, score] = joined, True
        left &= ~taken
        yield np.flatnonzero(units), taken


def _difference(scores: Floats, pair: PairOf) -> Floats:
    found: Floats = scores[pair[0]] - scores[pair[1]]
    return found


def _differences(of: _Trials, whole: Floats, swapped: Floats, pair: PairOf) -> Floats:
    """The differences of a pair in each trial: trials x measures x scores. ``swapped`` are the sums over the swapped
    units."""
    a, b = pair
    moved = swapped[:, :, b] - swapped[:, :, a]
    return of.scores(whole[:, :, a] + moved) - of.scores(whole[:, :, b] - moved)


def _hits(differences: Floats, observed: Floats) -> Floats:
    """How many differences, trials x ..., are at least as large as the observed ones."""
    found: Floats = (np.abs(differences) >= np.abs(observed) - TIE).sum(axis=0).astype(np.float64)
    return found


def _without_missing(observed: Floats, p: Floats, differ: Ints, exact: Bools, smallest: Floats) -> Any:
    """The same, with no p for a score that a measure does not have."""
    missing = np.isnan(observed[0])
    return np.where(missing, np.nan, p), np.where(missing, 0, differ), exact, np.where(missing, np.nan, smallest)


def bootstrap_test(sample: Sample, blocks: Iterable[Floats]) -> Tests:
    """The paired bootstrap test, two-sided: the share of `resamples` with |d* - d| >= |d|.

    The resampled differences scatter about the observed d as those of equal systems would about 0. Counted as
    in `randomization`, (hits + 1) / (trials + 1). A resample without any unit that differs is a hit whatever d is; the
    smallest p counts these alone. Source: Efron and Tibshirani 1993, chapter 16.
    """
    of = _Trials(sample)
    observed = of.scores(of.whole())[0]
    trials = 0
    hits = np.zeros((len(sample.pairs), *observed.shape[1:]))
    certain = np.zeros(hits.shape)
    for resampled in blocks:
        trials += resampled.shape[-1]
        for place, pair in enumerate(sample.pairs):
            d, drawn = _difference(observed, pair)[..., None], _difference(resampled, pair)
            hits[place] += (np.abs(drawn - d) >= np.abs(d) - TIE).sum(axis=-1)
            certain[place] += (np.abs(drawn) <= TIE).sum(axis=-1)
    differ = _differ(of)
    exact = np.zeros(differ.shape, dtype=np.bool_)
    return Tests(*_without_missing(observed, (hits + 1) / (trials + 1), differ, exact, (certain + 1) / (trials + 1)))


def holm(p: Floats) -> Floats:
    """p-values corrected by Holm's step-down method, the family being the first axis.

    The k-th smallest of m (from 0) becomes the largest of (m - j) p_j over j <= k, at most 1. Source: Holm 1979.
    """
    order = np.argsort(p, axis=0)
    factors = np.arange(len(p), 0, -1).reshape(-1, *[1] * (p.ndim - 1))
    stepped = np.minimum(1.0, np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * factors, axis=0))
    corrected = np.empty_like(p)
    np.put_along_axis(corrected, order, stepped, axis=0)
    return corrected


TESTS = ("randomization", "bootstrap")
CORRECTIONS = ("holm", "holm-all", "none")

TRIALS = 10_000
"""How many trials there are unless more are needed, or another number was asked for; and resamples for intervals."""

SPARE_TRIALS = 2
"""How many times the trials that a verdict needs at the least are made: a pair may have a hit by chance."""


def both_levels(confidence: float | None, alpha: float | None) -> tuple[float, float]:
    """The confidence of intervals and the level of tests, from 0 to 1: one that is None is what the other leaves.

    Raises `UsageError` for a level from which none is left.
    """
    if confidence is None:
        confidence = Method.confidence if alpha is None else round(1 - fraction(alpha, "alpha=", ends=False), 12)
    return confidence, round(1 - confidence, 12) if alpha is None else alpha


def check_average(average: str | None, by: str | None) -> None:
    """Raise `UsageError` for an average that is none, and for one over documents beside one over groups of them."""
    if average not in (None, DOCUMENTS):
        raise UsageError(f"average={average!r}: expected {DOCUMENTS}, or nothing for totals")
    if average is not None and by is not None:
        raise UsageError("--by is the mean over groups of documents, --average over documents; give one of the two")


@dataclass(frozen=True)
class Method:
    """How systems are compared; ``confidence`` of the intervals and ``alpha``, the level of the tests, are from 0 to 1.

    Without ``trials`` there are `TRIALS`, or as many as the correction for many tests needs. ``average`` is None for
    the scores of all counts together, or `DOCUMENTS` for the means over documents. Raises `UsageError` for a level that
    is none, such as a percentage, for another average, and for one beside groups.
    """

    unit: str = "document"
    by: str | None = None
    test: str = TESTS[0]
    trials: int | None = None
    seed: int = 0
    correction: str = CORRECTIONS[0]
    confidence: float = 0.95
    alpha: float = 0.05
    average: str | None = None

    def __post_init__(self) -> None:
        check_average(self.average, self.by)
        fraction(self.confidence, "confidence=", ends=False)
        fraction(self.alpha, "alpha=", ends=False)

    def to_dict(self) -> dict[str, Any]:
        """The options by name, as they stand in the signature."""
        return {name: value for name, value in vars(self).items() if name != "average" or value is not None}

    def family(self, pairs: int, scores: int) -> int:
        """How many tests are corrected for each other: of pairs of systems within one score, or of all scores."""
        return {"holm": pairs, "holm-all": pairs * scores, "none": min(1, pairs)}[self.correction]

    def enough(self, family: int) -> int:
        """How many trials let the smallest p of a family reach the level: family / ((trials + 1) alpha) <= 1."""
        return math.ceil(round(family / self.alpha, 6)) - 1


@dataclass(frozen=True, eq=False)
class Compared:
    """Systems compared: intervals of scores and differences from the same resamples, and tests of each pair.

    ``tested`` are the scores that are tested, measures x scores. ``trials`` is how many the tests took, ``family`` how
    many of them were corrected for each other. ``ends`` is systems x measures x scores x 2, ``corrected`` pairs x
    measures x scores, and so is ``least``, the smallest corrected p that could have been a verdict. Where no group has
    two units there are no intervals: they are NaN.
    """

    sample: Sample
    method: Method
    tested: Bools
    trials: int
    resampled: Floats
    tests: Tests
    corrected: Floats
    least: Floats
    places: Mapping[PairOf, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {pair: place for place, pair in enumerate(self.sample.pairs)})

    @property
    def family(self) -> int:
        return self.method.family(len(self.sample.pairs), int(self.tested.sum()))

    @property
    def count(self) -> int:
        """How many tests were made."""
        return len(self.sample.pairs) * int(self.tested.sum())

    @cached_property
    def ends(self) -> Floats:
        """The intervals of the scores."""
        return self._intervals(self.resampled, self.sample.observed, self._moved, least=0)

    @cached_property
    def difference_ends(self) -> Floats:
        """The intervals of the differences: pairs x measures x scores x 2."""
        found = np.empty((len(self.sample.pairs), *self.sample.observed.shape[1:], 2))
        several = max(1, intervals.LIMIT // self.resampled[0].size)
        for begin in range(0, len(found), several):
            first, second = np.array(self.sample.pairs[begin : begin + several]).T
            resampled, observed = self.resampled, self.sample.observed
            moved = self._moved[:, first] - self._moved[:, second]
            found[begin : begin + several] = self._intervals(
                resampled[first] - resampled[second], observed[first] - observed[second], moved, least=-1
            )
        return found

    def _intervals(self, resampled: Floats, observed: Floats, moved: Floats, least: float) -> Floats:
        """The ends of intervals of ``observed``, ... x 2; ``moved`` is units x ..., and ``resampled`` ... x trials."""
        sample = self.sample
        if sample.units == int(sample.stratum[-1]) + 1:
            return np.full((*observed.shape, 2), np.nan)
        flat = np.nan_to_num(moved).reshape(sample.units, -1)
        powers = on_grid(np.concatenate([flat, flat**2], axis=1)[None]).reshape(sample.units, 2, -1)
        error = intervals.errors(np.ones((1, sample.units)), powers, sample.stratum)
        distances = np.abs(resampled - observed[..., None])
        begin = 0
        for times in draws(sample, resampled.shape[-1], self.method.seed):
            its = np.maximum(intervals.errors(times, powers, sample.stratum), intervals.FLOOR * error)
            block = distances[..., begin : (begin := begin + len(times))]
            block /= np.where(its > 0, its, np.inf).T.reshape(block.shape)
        return intervals.ends(observed, error.reshape(observed.shape), distances, self.method.confidence, least)

    @cached_property
    def _moved(self) -> Floats:
        return intervals.influence(without_each(self.sample), self.sample.stratum)

    def differ(self, pair: int, measure: int, score: int) -> bool | None:
        """Whether two systems differ at the level of the method: None where no p could be small enough to say."""
        if self.least[pair, measure, score] > self.method.alpha and self.tests.differ[pair, measure, score]:
            return None
        return bool(self.corrected[pair, measure, score] <= self.method.alpha)

    def undecided(self, measure: int, score: int) -> list[PairOf]:
        """The pairs of systems that could not have got a verdict on a score."""
        return [pair for place, pair in enumerate(self.sample.pairs) if self.differ(place, measure, score) is None]


def compared(sample: Sample, method: Method, score: str | None = None, watch: Watch | None = None) -> Compared:
    """Compare the systems of a sample; where ``score`` is given, only this one is tested.

    ``watch`` is told from time to time how much of the work is done, from 0 to 1.
    """
    pairs = len(sample.pairs)
    tested = ~np.isnan(sample.shown).all(axis=0) & np.array([score in (None, each) for each in SCORES])
    family = method.family(pairs, int(tested.sum()))
    trials = method.trials or max(TRIALS, SPARE_TRIALS * method.enough(family))
    step = _steps(watch, min(trials, TRIALS) * sample.systems + trials * pairs)
    kept: list[Floats] = []
    blocks = _kept(sample, trials if method.test == "bootstrap" else min(trials, TRIALS), method.seed, kept, step)
    if method.test == "bootstrap":
        tests = bootstrap_test(sample, blocks)
    else:
        deque(blocks, 0)
        tests = randomization(sample, trials, method.seed, step)
    p, least = (np.where(tested, each, np.nan) for each in (tests.p, np.maximum(tests.smallest, tests.by_units)))
    corrected, least = corrected_for(p, method.correction), corrected_for(least, method.correction)
    if watch is not None:
        watch(1.0)
    resampled = np.ascontiguousarray(np.concatenate(kept, axis=-1)[..., :TRIALS])
    return Compared(sample, method, tested, trials, resampled, tests._replace(p=p), corrected, least)


def _kept(sample: Sample, trials: int, seed: int, kept: list[Floats], step: Step) -> Iterator[Floats]:
    """`resamples`, the first of which are kept for intervals."""
    done = 0
    for block in resamples(sample, trials, seed):
        if done < TRIALS:
            kept.append(block)
        done += block.shape[-1]
        step(block.shape[-1] * sample.systems)
        yield block


def _steps(watch: Watch | None, total: int) -> Step:
    """A function that tells ``watch`` what share of all the work is done."""
    if watch is None:
        return _idle
    done = 0

    def step(work: int) -> None:
        nonlocal done
        done += work
        watch(min(1.0, done / total))

    return step


def corrected_for(p: Floats, correction: str) -> Floats:
    """p, pairs x measures x scores, corrected for the pairs of each score, or for all; NaN stays what it is."""
    if correction == "none" or not len(p):
        return p
    if correction == "holm":
        return holm(p)
    found = p.copy()
    found[~np.isnan(p)] = holm(p[~np.isnan(p)])
    return found
