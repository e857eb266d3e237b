"""Whether differences between systems are significant: paired tests and intervals, from counts per unit.

Counts are additive, so a trial does not score documents again. Each trial has a row of weights: which units are
swapped, or how often each was drawn. The sums of a block of trials are one matrix product

    weights (trials x units)  @  counts (units x systems * columns)

and `corefscore.scoring.results.values` divides them for all trials at once. Every measure is recomputed from the summed
counts of a trial, BLANC and the CoNLL average included. All pairs of systems and all measures use the same resamples.

Sources: Noreen 1989, Computer-intensive methods for testing hypotheses (approximate randomization), as in Moosavi
and Strube 2016, section 6; Efron 1979 (the bootstrap; `corefscore.statistics.intervals` has the intervals); Holm 1979.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, bounds, sums
from corefscore.core.errors import UsageError
from corefscore.core.percent import fraction, whole
from corefscore.metrics import AVERAGE
from corefscore.metrics.base import Metric, Option
from corefscore.metrics.counts import SCORES, quotient, summed
from corefscore.metrics.measures import asked, metrics_of
from corefscore.scoring.results import values
from corefscore.statistics import intervals

TIE = 1e-12
"""Differences closer than this are equal, since the last bits depend on the order of a sum."""

BLOCK = 2**21
"""The number of weights in memory at a time, which sets the size of a block of trials."""

SPARE = 32
"""The largest factor by which a resample is expected to exceed the sum of a column; see `on_grid`."""

PairOf = tuple[int, int]

DOCUMENTS = "documents"
"""The value of ``average`` for means over documents."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The counts of several systems over the same units of resampling.

    =============  ================================  ==================================================
    array          shape                             contains
    =============  ================================  ==================================================
    ``counts``     systems x units x columns         the packed counts of each unit, metric by metric
    ``stratum``    units                             the group of each unit, sorted; 0 without groups
    ``observed``   systems x measures x scores       the observed scores, summed in the official order
    =============  ================================  ==================================================

    The scores are recall, precision and F1 (`SCORES`), from 0 to 1; scores that a measure does not have are NaN. With
    several groups, a score is the unweighted mean over them, and resampling draws within each group. ``parts`` is
    "joined" if the parts of documents were joined to one unit. ``groups`` are the names of the groups, by number. If
    scores are ``averaged`` over documents, the columns are the sums of document scores, measures x scores, and a last
    column for the number of documents. ``uncounted`` marks the scores of ``observed`` that have nothing to count; None
    means that there are none.
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
        """``observed`` for tables, with NaN also for scores that have nothing to count."""
        return self.observed if self.uncounted is None else np.where(self.uncounted, np.nan, self.observed)

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self.counts)

    @property
    def units(self) -> int:
        """The number of units."""
        return len(self.stratum)

    @property
    def resamplable(self) -> bool:
        """Whether resamples can differ: whether some group has more than one unit. If not, there are no intervals."""
        return self.units > int(self.stratum[-1]) + 1

    @property
    def pairs(self) -> list[PairOf]:
        """All pairs of systems."""
        return list(combinations(range(self.systems), 2))

    @property
    def deciding(self) -> Ints:
        """For each system, the number of units in which any recall or precision is below 1, or above 0 if fewer."""
        if self.averaged:
            right, counted = self.counts[..., :-1], self.counts[..., -1:]
        else:
            right, counted = self.counts[..., 0::2], self.counts[..., 1::2]
        units: Ints = np.stack([right != counted, right != 0]).any(axis=-1).sum(axis=-1).min(axis=0)
        return units

    @property
    def largest(self) -> float:
        """The largest share of a unit in the recall denominators of the first measure in its group, of groups with
        several units; 0 for means over documents, in which units count otherwise."""
        key = np.where(np.bincount(self.stratum)[self.stratum] > 1, self.counts[0, :, 1], 0)
        shares = quotient(key, sums(self.stratum, key, len(self.stratum))[self.stratum])
        return 0.0 if self.averaged else float(shares.max())

    def only(self, measure: str) -> Sample:
        """The sample of one measure, with only the counts of its metrics."""
        names = metrics_of(measure, self.metrics)
        row = list(self.measures).index(measure)
        if self.averaged:
            columns = [*range(row * len(SCORES), (row + 1) * len(SCORES)), -1]
        else:
            of_metrics = (part for name, part in _columns_of(self.metrics).items() if name in names)
            columns = [column for part in of_metrics for column in range(part.start, part.stop)]
        return replace(
            self,
            metrics=[metric for metric in self.metrics if metric.name in names],
            measures={measure: asked(self.measures)[measure]},
            counts=self.counts[..., columns],
            observed=self.observed[:, [row]],
            uncounted=None if self.uncounted is None else self.uncounted[:, [row]],
        )

    def scores(self, sums: Floats) -> Floats:
        """The scores of summed columns: the result of `statistics`, or of `means` for averaged scores."""
        return means(self.measures, sums) if self.averaged else statistics(self.metrics, self.measures, sums)


def statistics(metrics: Sequence[Metric], measures: Collection[str], sums: Floats) -> Floats:
    """The scores of summed counts: the mean over groups, from 0 to 1.

    ``sums`` is groups x ... x columns, the result ... x measures x scores. Scores that were not asked for
    (`corefscore.metrics.measures.asked`) are NaN.
    """
    columns = _columns_of(metrics)
    shape = sums.shape[:-1]
    counts = {metric.name: sums[..., columns[metric.name]].reshape(*shape, -1, 4) for metric in metrics}
    scores_of_measure = values(metrics, counts)
    scores = np.full((*shape, len(measures), len(SCORES)), np.nan)
    for row, (measure, asked_scores) in enumerate(asked(measures).items()):
        for score in asked_scores:
            scores[..., row, SCORES.index(score)] = getattr(scores_of_measure[measure], score)
    return summed(scores) / len(scores)


def means(measures: Collection[str], sums: Floats) -> Floats:
    """The means over documents, from summed document scores and the number of documents in the last column.

    The shapes are those of `statistics`.
    """
    averages = sums[..., :-1] / np.maximum(sums[..., -1:], 1)
    scores = averages.reshape(*sums.shape[:-1], len(measures), len(SCORES))
    wanted = np.array([[score in asked_scores for score in SCORES] for asked_scores in asked(measures).values()])
    return summed(np.where(wanted, scores, np.nan)) / len(scores)


def _columns_of(metrics: Sequence[Metric]) -> dict[str, slice]:
    """The columns of each metric in the counts."""
    columns, begin = {}, 0
    for metric in metrics:
        columns[metric.name] = slice(begin, begin + 4 * metric.width)
        begin += 4 * metric.width
    return columns


def on_grid(counts: Floats) -> Floats:
    """Round counts, systems x units x columns, to multiples of a power of two: 2^-48 of the sum of their column.

    Sums of up to `SPARE` times a column are then exact in any order, so that neither the size of a block nor the
    linear algebra library can change a digit, and a seed gives the same result on every machine. Whole numbers do not
    change up to a sum of 2^48. Each system has its own powers, so that another one does not change its digits.
    """
    grid = _grid(counts)
    rounded: Floats = np.round(counts / grid) * grid
    return rounded


def _grid(counts: Floats) -> Floats:
    """Find the powers of two for `on_grid`, systems x 1 x columns."""
    _, exponent = np.frexp(SPARE * np.abs(counts).sum(axis=1, keepdims=True))
    grid: Floats = np.ldexp(1.0, exponent - 53)
    return grid


class _Trials:
    """Sums of resampled units, for all systems at once."""

    def __init__(self, sample: Sample) -> None:
        self.sample, self.scores = sample, sample.scores
        self.counts = on_grid(sample.counts)
        self.groups = int(sample.stratum[-1]) + 1
        self.flat: Floats = self.counts.transpose(1, 0, 2).reshape(sample.units, -1)

    def sums(self, weights: Floats, units: Ints | None = None) -> Floats:
        """The weighted sums over all units or some of them: groups x trials x systems x columns."""
        flat = self.flat if units is None else self.flat[units]
        stratum = self.sample.stratum if units is None else self.sample.stratum[units]
        edges = bounds(stratum, self.groups).tolist()
        sums = np.stack([weights[:, a:b] @ flat[a:b] for a, b in pairwise(edges)])
        return sums.reshape(self.groups, len(weights), self.sample.systems, -1)

    def whole(self) -> Floats:
        """The sums of all units, each with weight 1: groups x 1 x systems x columns."""
        return self.sums(np.ones((1, self.sample.units)))

    def blocks(self, trials: int, seed: int) -> Iterator[Floats]:
        """Uniform random numbers, trials x units, in blocks of trials that limit the memory."""
        generator = np.random.Generator(np.random.PCG64(seed))
        rows = max(1, BLOCK // max(self.sample.units, self.groups * self.flat.shape[1]))
        for begin in range(0, trials, rows):
            yield generator.random((min(rows, trials - begin), self.sample.units))


def draws(sample: Sample, trials: int, seed: int) -> Iterator[Floats]:
    """How often each of ``trials`` resamples draws each unit: blocks of trials, each trials x units.

    A resample draws as many units as there are, with replacement, and the same ones for every system; with groups, it
    draws as many from each group as the group has. With the same seed, the first n of more trials are the same as n
    trials.
    """
    resampling = _Trials(sample)
    edges = bounds(sample.stratum, resampling.groups)
    first, size = edges[sample.stratum], np.diff(edges)[sample.stratum]
    for uniform in resampling.blocks(trials, seed):
        drawn = first + (uniform * size).astype(np.int64)
        drawn += np.arange(len(drawn))[:, None] * sample.units
        yield np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)


def resamples(sample: Sample, trials: int, seed: int) -> Iterator[Floats]:
    """The scores of ``trials`` resamples (`draws`) in blocks, each systems x measures x scores x trials."""
    resampling = _Trials(sample)
    for times in draws(sample, trials, seed):
        yield np.moveaxis(resampling.scores(resampling.sums(times)), 0, -1)


def without_each(sample: Sample) -> Floats:
    """The scores without each unit in turn: units x systems x measures x scores."""
    resampling = _Trials(sample)
    whole = resampling.whole()[:, 0]
    units = resampling.counts.transpose(1, 0, 2)
    found = []
    rows = max(1, BLOCK // whole.size)
    for begin in range(0, sample.units, rows):
        block = slice(begin, begin + rows)
        sums = np.repeat(whole[:, None], len(units[block]), axis=1)
        sums[sample.stratum[block], np.arange(len(units[block]))] -= units[block]
        found.append(resampling.scores(sums))
    return np.concatenate(found)


class Tests(NamedTuple):
    """A test of each pair of systems; all arrays are pairs x measures x scores.

    ``p`` are the p-values, uncorrected. ``differing_units`` is the number of units in which the counts that a score
    depends on differ. ``exact`` says whether all assignments of these units were enumerated. ``smallest`` is the
    smallest p that the test could have given for any observed difference.
    """

    p: Floats
    differing_units: Ints
    exact: Bools
    smallest: Floats

    @property
    def by_units(self) -> Floats:
        """2^(1-n), at most 1, for n units that differ: the probability that all differences of two equal systems have
        the same sign."""
        p: Floats = np.minimum(1.0, np.exp2(1.0 - self.differing_units))
        return p


Step = Callable[[int], None]
"""A function that is called with the amount of work done since its last call."""

Watch = Callable[[float], None]
"""A function that is called with the share of the work that is done, from 0 to 1."""


def _idle(work: int) -> None:
    """Ignore progress."""


def randomization(sample: Sample, trials: int, seed: int, step: Step = _idle) -> Tests:
    """Paired approximate randomization, two-sided.

    If the systems are equally good, the responses of the two to any unit can be exchanged. A trial swaps them in each
    unit with probability 1/2, and is a hit if |d| >= |d observed|, where d is the difference of the scores over all
    units. Then p = (hits + 1) / (trials + 1), and the smallest p is 1 / (trials + 1). If n units differ and 2^n is at
    most ``trials``, all 2^n assignments are enumerated: p = hits / 2^n is exact, and the smallest p is that of the
    assignment with the largest |d|. Two identical systems have p = 1. Source: Noreen 1989.
    """
    resampling = _Trials(sample)
    whole = resampling.whole()
    observed = resampling.scores(whole)[0]
    differing = _differing_units(resampling)
    most = trials.bit_length() - 1
    exact = differing <= most
    smallest = np.where(exact, 1.0, 1 / (trials + 1))
    drawn = [number for number in range(len(sample.pairs)) if not exact[number].all()]
    hits = np.ones(differing.shape)
    for uniform in resampling.blocks(trials, seed) if drawn else ():
        swapped = resampling.sums((uniform < 0.5).astype(np.float64))
        for number in drawn:
            differences = _differences(resampling, whole, swapped, sample.pairs[number])
            hits[number] += _hits(differences, _difference(observed, sample.pairs[number]))
            step(len(uniform))
    p = np.where(exact, 1.0, hits / (trials + 1))
    for number, pair in enumerate(sample.pairs):
        if exact[number].any():
            for units, scores in _together(_differs_in(resampling, pair), exact[number], most):
                differences = _differences(resampling, whole, resampling.sums(assignments(len(units)), units), pair)
                count, largest = len(differences), np.abs(differences).max(axis=0)
                p[number][scores] = (_hits(differences, _difference(observed, pair)) / count)[scores]
                smallest[number][scores] = (_hits(differences, largest) / count)[scores]
        step(0 if number in drawn else trials)
    return _without_missing(observed, p, differing, exact, smallest)


def assignments(units: int) -> Floats:
    """All ways to swap some of the units, 2^units x units: 1 for a unit that is swapped, else 0."""
    return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)


def _differs_in(resampling: _Trials, pair: PairOf) -> Bools:
    """Whether the counts that each score depends on differ between two systems: units x measures x scores."""
    sample = resampling.sample
    both = sample.counts[list(pair)]
    first, second = np.round(both / _grid(both).max(axis=0))
    differing = first != second
    if sample.averaged:  # a column for each score, and a last one
        found = differing[:, :-1]
    else:
        of_scores = decisive(sample.metrics, sample.measures)
        found = np.stack([differing[:, columns].any(axis=1) for columns in of_scores], axis=-1)
    apart: Bools = found.reshape(sample.units, len(sample.measures), len(SCORES))
    return apart


def _differing_units(resampling: _Trials) -> Ints:
    """The number of units in which the two systems of a pair differ: pairs x measures x scores."""
    counts = [_differs_in(resampling, pair).sum(axis=0) for pair in resampling.sample.pairs]
    return np.array(counts, dtype=np.int64).reshape(-1, len(resampling.sample.measures), len(SCORES))


def decisive(metrics: Sequence[Metric], measures: Collection[str]) -> list[list[int]]:
    """The columns that each score depends on: recall, precision and F1 of each measure.

    Recall depends on its numerator and denominator, precision likewise, and F1 on all four. A measure that combines
    others depends on the columns of all counts of its metric, and its recall and precision on all denominators, since
    the links of either side can decide which counts matter (see `corefscore.metrics.blanc.combine`).
    """
    columns_of_metric = _columns_of(metrics)
    found = []
    for measure in measures:
        recall: list[int] = []
        precision: list[int] = []
        for metric in metrics:
            if metric.name not in metrics_of(measure, metrics):
                continue
            names = [own.name for own in metric.measures if own.combine is None]
            columns = list(range(columns_of_metric[metric.name].start, columns_of_metric[metric.name].stop))
            if measure in names:
                columns = columns[4 * names.index(measure) :][:4]
            of_both = columns[1::2] if measure not in (*names, AVERAGE) else []
            recall += {*columns[0::4], *columns[1::4], *of_both}
            precision += {*columns[2::4], *columns[3::4], *of_both}
        found += [sorted(recall), sorted(precision), sorted({*recall, *precision})]
    return found


def _together(apart: Bools, exact: Bools, most: int) -> Iterator[tuple[Ints, Bools]]:
    """The enumerations for a pair: at most ``most`` units each, and a mask of the scores that they test.

    Several scores can share an enumeration: units in which a score does not differ repeat each of its assignments
    equally often. ``apart`` is units x measures x scores, ``exact`` and the masks are measures x scores.
    """
    remaining = exact & apart.any(axis=0)
    while remaining.any():
        units = np.zeros(len(apart), dtype=np.bool_)
        taken = np.zeros(remaining.shape, dtype=np.bool_)
        for measure, score in np.argwhere(remaining).tolist():
            joined = units | apart[:, measure, score]
            if joined.sum() <= most:
                units, taken[measure, score] = joined, True
        remaining &= ~taken
        yield np.flatnonzero(units), taken


def _difference(scores: Floats, pair: PairOf) -> Floats:
    """The scores of the first system of a pair less those of the second."""
    difference: Floats = scores[pair[0]] - scores[pair[1]]
    return difference


def _differences(resampling: _Trials, whole: Floats, swapped: Floats, pair: PairOf) -> Floats:
    """The differences of a pair in each trial: trials x measures x scores. ``whole`` are the sums over all units,
    ``swapped`` those over the units that a trial swaps."""
    first, second = pair
    moved = swapped[:, :, second] - swapped[:, :, first]
    return resampling.scores(whole[:, :, first] + moved) - resampling.scores(whole[:, :, second] - moved)


def _hits(differences: Floats, observed: Floats) -> Floats:
    """The number of trials whose difference, trials x ..., is at least as large as the observed one."""
    hits: Floats = (np.abs(differences) >= np.abs(observed) - TIE).sum(axis=0).astype(np.float64)
    return hits


def _without_missing(observed: Floats, p: Floats, differing: Ints, exact: Bools, smallest: Floats) -> Tests:
    """The tests, with NaN for the p of scores that a measure does not have."""
    missing = np.isnan(observed[0])
    return Tests(
        np.where(missing, np.nan, p), np.where(missing, 0, differing), exact, np.where(missing, np.nan, smallest)
    )


def bootstrap_test(sample: Sample, blocks: Iterable[Floats]) -> Tests:
    """The paired bootstrap test, two-sided.

    A resample is a hit if |d* - d| >= |d|, where d is the observed difference and d* that of the resample: resampled
    differences vary around d as those of equal systems vary around 0. p = (hits + 1) / (trials + 1). A resample without
    any differing unit is a hit for every d, so the smallest p counts only these. Source: Efron and Tibshirani 1993, An
    Introduction to the Bootstrap, chapter 16.
    """
    resampling = _Trials(sample)
    observed = resampling.scores(resampling.whole())[0]
    trials = 0
    hits = np.zeros((len(sample.pairs), *observed.shape[1:]))
    certain = np.zeros(hits.shape)
    for resampled in blocks:
        trials += resampled.shape[-1]
        for number, pair in enumerate(sample.pairs):
            difference, drawn = _difference(observed, pair)[..., None], _difference(resampled, pair)
            hits[number] += (np.abs(drawn - difference) >= np.abs(difference) - TIE).sum(axis=-1)
            certain[number] += (np.abs(drawn) <= TIE).sum(axis=-1)
    differing = _differing_units(resampling)
    exact = np.zeros(differing.shape, dtype=np.bool_)
    return _without_missing(observed, (hits + 1) / (trials + 1), differing, exact, (certain + 1) / (trials + 1))


def holm(p: Floats) -> Floats:
    """p-values corrected by Holm's step-down method; the first axis is the family.

    Of m sorted p-values p_0 <= p_1 <= ..., p_k becomes the maximum of (m - j) p_j over j <= k, at most 1. Source: Holm
    1979.
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
"""The number of resamples for intervals, and the default number of trials, which rises if the correction needs more."""

SPARE_TRIALS = 2
"""How many times the smallest number of trials that allows a verdict is run, since a pair may have a hit by chance."""


METHOD_OPTIONS = (
    Option("unit", None, "What is resampled.", kind=str),
    Option("by", None, "Groups of documents.", kind=str),
    Option("test", TESTS[0], "The test of a difference.", TESTS),
    Option("correction", CORRECTIONS[0], "The correction of p for several tests.", CORRECTIONS),
)
"""The options of `Method` that are words."""


def both_levels(confidence: float | None, alpha: float | None) -> tuple[float, float]:
    """The confidence level of intervals and the significance level of tests, from 0 to 1; a level
    that is None is 1 less the other.

    Raises `UsageError` for a level that is not between 0 and 1.
    """
    if confidence is None:
        confidence = Method.confidence if alpha is None else round(1 - fraction(alpha, "alpha=", ends=False), 12)
    fraction(confidence, "confidence=", ends=False)
    return confidence, round(1 - confidence, 12) if alpha is None else alpha


def check_average(average: str | None, by: str | None) -> None:
    """Raise `UsageError` for an unknown average, and for means over documents together with means over groups."""
    if average not in (None, DOCUMENTS):
        raise UsageError(f"average={average!r}: expected {DOCUMENTS}, or nothing for totals")
    if average is not None and by is not None:
        raise UsageError("--by is the mean over groups of documents, --average over documents; give one of the two")


@dataclass(frozen=True, kw_only=True)
class Method:
    """How systems are compared.

    ``confidence``, the confidence level of intervals, and ``alpha``, the significance level of tests, are between 0 and
    1. If ``trials`` is None, there are `TRIALS`, or as many as the correction for many tests needs. ``average`` is None
    for scores from summed counts, or `DOCUMENTS` for means over documents. Raises `UsageError` for a level that is out
    of range, such as a percentage, for any other invalid value, and for an average together with groups.
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
        for option in METHOD_OPTIONS:
            option.check(getattr(self, option.name))
        object.__setattr__(self, "seed", whole(self.seed, "seed=", 0))
        if self.trials is not None:
            object.__setattr__(self, "trials", whole(self.trials, "trials=", 1))

    def to_dict(self) -> dict[str, Any]:
        """The options by name, as the signature lists them."""
        return {name: value for name, value in vars(self).items() if name != "average" or value is not None}

    def family(self, pairs: int, scores: int) -> int:
        """The number of tests that are corrected together: those of one score, or with ``holm-all`` those of all."""
        return {"holm": pairs, "holm-all": pairs * scores, "none": min(1, pairs)}[self.correction]

    def enough(self, family: int) -> int:
        """The smallest number of trials with which the smallest corrected p can reach the level:
        family / (trials + 1) <= alpha."""
        return math.ceil(round(family / self.alpha, 6)) - 1

    def trials_for(self, family: int) -> int:
        """The number of trials: ``trials``, or by default `TRIALS`, or `SPARE_TRIALS` times as many as are `enough` if
        these are more."""
        return self.trials or max(TRIALS, SPARE_TRIALS * self.enough(family))


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison of systems: intervals of scores and of differences from the same resamples, and tests of each pair.

    ``tested`` marks the scores that are tested, measures x scores. ``trials`` is the number of trials of the tests, and
    ``resampled`` are the scores of the resamples, systems x measures x scores x trials. ``corrected`` are the corrected
    p-values and ``least`` the smallest possible ones, both pairs x measures x scores.
    """

    sample: Sample
    method: Method
    tested: Bools
    trials: int
    resampled: Floats
    tests: Tests
    corrected: Floats
    least: Floats

    @cached_property
    def _pair_numbers(self) -> Mapping[PairOf, int]:
        return {pair: number for number, pair in enumerate(self.sample.pairs)}

    def pair_number(self, first: int, second: int) -> int:
        """The number of the pair of two systems, given in either order."""
        return self._pair_numbers[min(first, second), max(first, second)]

    @property
    def family(self) -> int:
        """The number of tests that were corrected together."""
        return self.method.family(len(self.sample.pairs), int(self.tested.sum()))

    @property
    def count(self) -> int:
        """The number of tests."""
        return len(self.sample.pairs) * int(self.tested.sum())

    @cached_property
    def ends(self) -> Floats:
        """The intervals of the scores, systems x measures x scores x 2; NaN if every group has only one unit, and for
        intervals from 0 to 1, which say nothing."""
        ends = self._intervals(self.resampled, self._observed, self._influence, least=0)
        limited: Floats = np.where(((ends[..., 0] <= 0) & (ends[..., 1] >= 1))[..., None], np.nan, ends)
        return limited

    @cached_property
    def _observed(self) -> Floats:
        """The observed scores from sums in which the order of documents changes no digit, for intervals."""
        resampling = _Trials(self.sample)
        observed: Floats = resampling.scores(resampling.whole())[0]
        return observed

    @cached_property
    def differences(self) -> Floats:
        """The difference of the scores of each pair, pairs x measures x scores."""
        return np.array([_difference(self.sample.observed, pair) for pair in self.sample.pairs])

    @cached_property
    def difference_ends(self) -> Floats:
        """The intervals of the differences, pairs x measures x scores x 2; NaN if every group has only one unit."""
        ends = np.empty((len(self.sample.pairs), *self.sample.observed.shape[1:], 2))
        pairs_at_once = max(1, intervals.LIMIT // self.resampled[0].size)
        for begin in range(0, len(ends), pairs_at_once):
            first, second = np.array(self.sample.pairs[begin : begin + pairs_at_once]).T
            resampled, observed = self.resampled, self._observed
            influence = self._influence[:, first] - self._influence[:, second]
            ends[begin : begin + pairs_at_once] = self._intervals(
                resampled[first] - resampled[second], observed[first] - observed[second], influence, least=-1
            )
        return ends

    def _intervals(self, resampled: Floats, observed: Floats, influence: Floats, least: float) -> Floats:
        """The intervals of ``observed``, ... x 2; ``influence`` is units x ..., and ``resampled`` ... x trials."""
        sample = self.sample
        if not sample.resamplable:
            return np.full((*observed.shape, 2), np.nan)
        flat = np.nan_to_num(influence).reshape(sample.units, -1)
        powers = on_grid(np.concatenate([flat, flat**2], axis=1)[None]).reshape(sample.units, 2, -1)
        error = intervals.errors(np.ones((1, sample.units)), powers, sample.stratum)
        distances = np.abs(resampled - observed[..., None])
        begin = 0
        for times in draws(sample, resampled.shape[-1], self.method.seed):
            errors = np.maximum(intervals.errors(times, powers, sample.stratum), intervals.FLOOR * error)
            block = distances[..., begin : (begin := begin + len(times))]
            block /= np.where(errors > 0, errors, np.inf).T.reshape(block.shape)
        return intervals.ends(observed, error.reshape(observed.shape), distances, self.method.confidence, least)

    @cached_property
    def _influence(self) -> Floats:
        """How much each unit changes each score, units x systems x measures x scores."""
        return intervals.influence(without_each(self.sample), self.sample.stratum)

    def differ(self, pair: int, measure: int, score: int) -> bool | None:
        """Whether two systems differ significantly; None if no observed difference could have been significant."""
        test = pair, measure, score
        units = self.tests.differing_units[test]
        return verdict(self.corrected[test], self.least[test], units, self.method.alpha)

    def undecided(self, measure: int, score: int) -> list[PairOf]:
        """The pairs of systems whose difference in a score could not have been significant."""
        return [pair for number, pair in enumerate(self.sample.pairs) if self.differ(number, measure, score) is None]


def verdict(corrected: float, least: float, units: int, alpha: float) -> bool | None:
    """Whether two systems differ significantly: whether the ``corrected`` p is at most ``alpha``.

    None if no difference could have been significant: if even the ``least`` corrected p is above ``alpha``, although
    the systems differ in some ``units``.
    """
    return None if least > alpha and units else bool(corrected <= alpha)


def compared(sample: Sample, method: Method, score: str | None = None, watch: Watch | None = None) -> Compared:
    """Compare the systems of a sample. With ``score``, only this score of each measure is tested.

    ``watch`` is called from time to time with the share of the work that is done, from 0 to 1.
    """
    pairs = len(sample.pairs)
    tested = ~np.isnan(sample.shown).all(axis=0) & np.array([score in (None, name) for name in SCORES])
    family = method.family(pairs, int(tested.sum()))
    trials = method.trials_for(family)
    step = _steps(watch, min(trials, TRIALS) * sample.systems + trials * pairs)
    kept: list[Floats] = []
    blocks = _kept(sample, trials if method.test == "bootstrap" else min(trials, TRIALS), method.seed, kept, step)
    if method.test == "bootstrap":
        tests = bootstrap_test(sample, blocks)
    else:
        deque(blocks, 0)
        tests = randomization(sample, trials, method.seed, step)
    p = np.where(tested, tests.p, np.nan)
    least = np.where(tested, np.maximum(tests.smallest, tests.by_units), np.nan)
    corrected, least = corrected_for(p, method.correction), corrected_for(least, method.correction)
    if watch is not None:
        watch(1.0)
    resampled = np.ascontiguousarray(np.concatenate(kept, axis=-1)[..., :TRIALS])
    return Compared(sample, method, tested, trials, resampled, tests._replace(p=p), corrected, least)


def _kept(sample: Sample, trials: int, seed: int, kept: list[Floats], step: Step) -> Iterator[Floats]:
    """The blocks of `resamples`; those needed for intervals are also added to ``kept``."""
    done = 0
    for block in resamples(sample, trials, seed):
        if done < TRIALS:
            kept.append(block)
        done += block.shape[-1]
        step(block.shape[-1] * sample.systems)
        yield block


def _steps(watch: Watch | None, total: int) -> Step:
    """A function that adds up work, and calls ``watch`` with the share of the total that is done."""
    if watch is None:
        return _idle
    done = 0

    def step(work: int) -> None:
        nonlocal done
        done += work
        watch(min(1.0, done / total))

    return step


def corrected_for(p: Floats, correction: str) -> Floats:
    """p-values, pairs x measures x scores, corrected as `CORRECTIONS` says: for the pairs of each score, or for all
    tests. NaN is not a test, and does not change."""
    if correction == "none" or not len(p):
        return p
    if correction == "holm":
        return holm(p)
    corrected = p.copy()
    corrected[~np.isnan(p)] = holm(p[~np.isnan(p)])
    return corrected
