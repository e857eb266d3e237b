"""Whether differences between systems are significant: paired tests and intervals, from counts per unit.

Counts are additive, so a trial does not score documents again. Each trial has weights that say which units are swapped,
and the sums of a block of trials are one matrix product

    counts (systems * columns x units)  @  weights (units x trials)

`corefscore.scoring.results.values` divides them for all trials at once. Every measure is recomputed from the summed
counts of a trial, BLANC and the CoNLL average included. All pairs of systems and all measures use the same trials, so
that the largest difference of a trial, over all pairs, corrects for their number.

Sources: Noreen 1989, Computer-intensive methods for testing hypotheses (approximate randomization), as in Moosavi
and Strube 2016, section 6; Westfall and Young 1993, Resampling-based multiple testing, algorithm 4.1 (step-down max T);
Holm 1979.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Floats, Ints, bounds
from corefscore.core.errors import UsageError
from corefscore.core.percent import fraction, whole
from corefscore.core.records import STATISTICS, check_options, dataclass, declared, option, replace
from corefscore.metrics import AVERAGE, asked, deciding, metrics_of
from corefscore.metrics.base import SCORES, Metric, summed
from corefscore.scoring.results import values
from corefscore.scoring.settings import DOCUMENTS, Grouping
from corefscore.statistics import intervals

TIE = 1e-12
"""Differences closer than this are equal, since the last bits depend on the order of a sum."""

BLOCK = 2**21
"""The number of values in memory at a time, which sets the size of a block of trials."""

_UNITS = 2**11
"""The number of units that are summed at once, as many as fit into the cache."""

_LEAST = 2**10
"""The least number of units in a block of trials of one unit each, which need no weights of all units."""

_CHUNK = 2**14
"""The number of trials, over several pairs, whose counts are divided at once: they fit into the cache."""

_SPARE = 32
"""The largest factor by which a resample is expected to exceed the sum of a column; see `on_grid`."""

_Pair = tuple[int, int]


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
    means that there are none. With a ``baseline``, the number of a system, the others are compared with it alone.

    If systems have several runs, each run has a row of ``counts``, ``runs`` has the number of the system of each row,
    rising, and ``observed`` are the means over runs.
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
    baseline: int | None = None
    runs: Ints | None = None

    @cached_property
    def shown(self) -> Floats:
        """``observed`` for tables, with NaN also for scores that have nothing to count."""
        return self.observed if self.uncounted is None else np.where(self.uncounted, np.nan, self.observed)

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self.counts) if self.runs is None else int(self.runs[-1]) + 1

    @property
    def units(self) -> int:
        """The number of units."""
        return len(self.stratum)

    @property
    def resamplable(self) -> bool:
        """Whether resamples can differ: whether some group has more than one unit. If not, there are no intervals."""
        return self.units > int(self.stratum[-1]) + 1

    @cached_property
    def pairs(self) -> list[_Pair]:
        """All pairs of systems, or those of another system and the baseline."""
        if self.baseline is None:
            return list(combinations(range(self.systems), 2))
        return [(system, self.baseline) for system in range(self.systems) if system != self.baseline]

    @property
    def sides(self) -> tuple[Ints, Ints]:
        """The first and the second system of each pair."""
        first, second = np.array(self.pairs, dtype=np.int64).reshape(-1, 2).T
        return first, second

    @property
    def deciding_scores(self) -> list[int]:
        """The number of the score of each measure that decides: F1, or the first one asked for."""
        return [SCORES.index(deciding(scores)) for scores in asked(self.measures).values()]

    @property
    def deciding_units(self) -> Ints:
        """For each system, the number of units in which any recall or precision of any run is below 1, or above 0 if
        fewer."""
        if self.averaged:
            right, counted = self.counts[..., :-1], self.counts[..., -1:]
        else:
            right, counted = self.counts[..., 0::2], self.counts[..., 1::2]
        either = [(right != other).any(axis=-1).astype(np.float64) for other in (counted, np.zeros(1))]
        units: Ints = np.count_nonzero([over_runs(each, self.runs) for each in either], axis=-1).min(axis=0)
        return units

    @cached_property
    def shares(self) -> Floats:
        """The share of each unit in what the recall of each measure counts in the key, systems x units x measures: the
        mean over recall denominators, or the share of documents for means over documents. Groups have equal shares. The
        systems differ only if mentions are given. For several runs, the means over them."""
        if self.averaged:
            columns = [[-1]] * len(self.measures)
        else:
            columns = [[c for c in of if c % 4 == 1] for of in decisive(self.metrics, self.measures)[2 :: len(SCORES)]]
        edges = bounds(self.stratum, int(self.stratum[-1]) + 1)
        found: list[Floats] = []
        for used in columns:
            counts = self.counts[..., used]
            sums = np.add.reduceat(counts, edges[:-1], axis=1)[:, self.stratum] * (len(edges) - 1)
            found.append(np.divide(counts, sums, out=np.zeros_like(sums), where=sums > 0).mean(axis=-1))
        return over_runs(np.stack(found, axis=-1), self.runs)


def over_runs(of_rows: Floats, runs: Ints | None) -> Floats:
    """Return the means over the runs of each system of values by row of counts, rows x ..., systems x .... ``runs`` is
    that of `Sample`.
    """
    if runs is None:
        return of_rows
    return np.stack([of_rows[runs == system].mean(axis=0) for system in range(int(runs[-1]) + 1)])


Scored = tuple[int, int]
"""The numbers of a measure and of a score of it."""


def _each_score(
    metrics: Sequence[Metric], measures: Collection[str], sums: Floats, *, averaged: bool
) -> Mapping[Scored, Floats]:
    """Return the scores that are asked for (`corefscore.metrics.asked`), by the numbers of measure and score.

    ``sums`` is groups x ... x columns, each score ...: the mean over groups, from 0 to 1. If they are ``averaged``, the
    columns are summed document scores, measures x scores, and the number of documents.
    """
    wanted = {
        (row, SCORES.index(score)): (measure, score)
        for row, (measure, scores) in enumerate(asked(measures).items())
        for score in scores
    }
    if averaged:
        means = sums[..., :-1] / np.maximum(sums[..., -1:], 1)
        found = {number: means[..., number[0] * len(SCORES) + number[1]] for number in wanted}
    else:
        of_metrics = {name: sums[..., columns] for name, columns in _columns_of(metrics).items()}
        counts = {name: part.reshape(*part.shape[:-1], -1, 4) for name, part in of_metrics.items()}
        of_measures = values(metrics, counts)
        found = {number: getattr(of_measures[measure], score) for number, (measure, score) in wanted.items()}
    return {number: scores[0] if len(sums) == 1 else summed(scores) / len(sums) for number, scores in found.items()}


def statistics(metrics: Sequence[Metric], measures: Collection[str], sums: Floats, *, averaged: bool = False) -> Floats:
    """Return the scores of summed counts (`_each_score`) as one array, ... x measures x scores. Scores that were not
    asked for are NaN.
    """
    scores = np.full((*sums.shape[1:-1], len(measures), len(SCORES)), np.nan)
    for (row, column), found in _each_score(metrics, measures, sums, averaged=averaged).items():
        scores[..., row, column] = found
    return scores


def _columns_of(metrics: Sequence[Metric]) -> dict[str, slice]:
    """Return the columns of each metric in the counts."""
    edges = pairwise(accumulate((4 * metric.width for metric in metrics), initial=0))
    return {metric.name: slice(*ends) for metric, ends in zip(metrics, edges, strict=True)}


def on_grid(counts: Floats) -> Floats:
    """Round counts, systems x units x columns, to multiples of a power of two: 2^-48 of the sum of their column.

    Sums of up to `_SPARE` times a column are then exact in any order, so that neither the size of a block nor the
    linear algebra library can change a digit, and a seed gives the same result on every machine. Whole numbers do not
    change up to a sum of 2^48. Each system has its own powers, so that another one does not change its digits.
    """
    grid = _grid(counts)
    return np.round(counts / grid) * grid


def _grid(counts: Floats) -> Floats:
    """Find the powers of two for `on_grid`, systems x 1 x columns."""
    _, exponent = np.frexp(_SPARE * np.abs(counts).sum(axis=1, keepdims=True))
    grid: Floats = np.ldexp(1.0, exponent - 53)
    return grid


class _Trials:
    """Sums and differences of resampled units, for all pairs of systems at once.

    ``tested`` are the numbers of the tested scores, and ``rows`` is the number of trials in a block, which limits the
    memory.
    """

    def __init__(self, sample: Sample, tested: Bools | None = None) -> None:
        self.sample = sample
        self.tested = [] if tested is None else [(measure, score) for measure, score in np.argwhere(tested).tolist()]
        self.groups = int(sample.stratum[-1]) + 1
        self.flat: Floats = on_grid(sample.counts).transpose(0, 2, 1).reshape(-1, sample.units)
        self.whole = self.sums(np.ones((sample.units, 1)))
        self.first, self.second = sample.sides
        values_of_trial = max(len(self.flat) * self.groups, len(self.tested) * len(self.first) // 2)
        # Counts of very many units come from memory once a block, so a block has some more trials of these.
        self.rows = max(1, BLOCK // max(values_of_trial, sample.units // 4))

    def sums(self, weights: Floats | Bools, rows: Any = slice(None)) -> Floats:
        """Return the weighted sums over units: groups x systems x columns x trials; ``weights`` are units x trials. Of
        other ``rows`` of ``flat`` they are 0.
        """
        edges = bounds(self.sample.stratum, self.groups).tolist()
        sums = np.zeros((self.groups, len(self.flat), weights.shape[1]))
        for group, (begin, end) in enumerate(pairwise(edges)):
            for first in range(begin, end, _UNITS):
                units = slice(first, min(first + _UNITS, end))
                sums[group, rows] += self.flat[:, units][rows] @ weights[units].astype(np.float64)
        return sums.reshape(self.groups, len(self.sample.counts), -1, weights.shape[1])

    def differences(self, swapped: Floats, pairs: slice) -> Floats:
        """Return the differences of some pairs in each trial, tested scores x pairs x trials. ``swapped`` are the sums
        over the units that a trial swaps between both systems of a pair.
        """
        first, second = self.first[pairs], self.second[pairs]
        moved = swapped[:, second] - swapped[:, first]
        of_first = self._scores(self.whole[:, first] + moved)
        of_second = self._scores(self.whole[:, second] - moved)
        return np.stack([of_first[score] - of_second[score] for score in self.tested])

    def _scores(self, sums: Floats) -> Mapping[Scored, Floats]:
        sample = self.sample
        return _each_score(sample.metrics, sample.measures, np.moveaxis(sums, 2, -1), averaged=sample.averaged)

    def scores(self, sums: Floats) -> Floats:
        """Return the scores of sums of trials, trials x systems x measures x scores."""
        sample, sums = self.sample, np.moveaxis(sums, 2, -1)
        return np.moveaxis(statistics(sample.metrics, sample.measures, sums, averaged=sample.averaged), 1, 0)

    def alone(self) -> Iterator[Floats]:
        """Yield the sums over each unit alone as a trial, for blocks of units."""
        rows = max(self.rows, _LEAST)
        for begin in range(0, self.sample.units, rows):
            counts = self.flat[:, begin : begin + rows]
            sums = np.zeros((self.groups, *counts.shape))
            trials = np.arange(counts.shape[1])
            sums[self.sample.stratum[begin + trials], :, trials] = counts.T
            yield sums.reshape(self.groups, len(self.sample.counts), -1, len(trials))

    def blocks(self, sums: Iterable[Floats]) -> Iterator[Floats]:
        """Yield the differences of all pairs, tested scores x pairs x trials, for blocks of ``sums`` over swapped
        units.
        """
        for swapped in sums:
            trials = swapped.shape[-1]
            found = np.empty((len(self.tested), len(self.first), trials))
            step = max(1, _CHUNK // trials)
            for begin in range(0, len(self.first), step):
                found[:, begin : begin + step] = self.differences(swapped, slice(begin, begin + step))
            yield found

    def drawn(self, trials: int, seed: int) -> Iterator[Bools]:
        """Yield blocks of random trials, units x trials: whether a unit is swapped."""
        generator = np.random.Generator(np.random.PCG64(seed))
        step = max(1, _CHUNK // self.sample.units)  # numbers that fit into the cache
        for begin in range(0, trials, self.rows):
            swapped = np.empty((min(self.rows, trials - begin), self.sample.units), dtype=np.bool_)
            for first in range(0, len(swapped), step):
                some = swapped[first : first + step]
                np.less(generator.random(some.shape), 0.5, out=some)
            yield swapped.T

    def chosen(self, weights: Floats, units: Ints) -> Iterator[Floats]:
        """Yield blocks of ``weights``, trials x some of the units, as units x trials; the other units have the weight
        0.
        """
        for begin in range(0, len(weights), self.rows):
            block = weights[begin : begin + self.rows]
            every = np.zeros((self.sample.units, len(block)))
            every[units] = block.T
            yield every

    def observed(self) -> Floats:
        """Return the differences of all pairs, tested scores x pairs."""
        return self.differences(np.zeros_like(self.whole), slice(None))[..., 0]

    def scale(self) -> Floats:
        """Return the standard deviation of each difference under random swaps, to first order; infinite if it is 0.

        It is the root of the sum of squares of half of what swapping a single unit changes.
        """
        squares, observed = np.zeros((len(self.tested), len(self.first))), self.observed()[..., None]
        for block in self.blocks(self.alone()):
            squares += ((observed - block) ** 2).sum(axis=-1) / 4
        return np.where(squares > TIE**2, np.sqrt(squares), np.inf)

    def differing(self) -> Iterator[Bools]:
        """Yield whether the counts that each tested score depends on differ between the systems of a pair: tested
        scores x pairs x units, for a block of pairs at a time.
        """
        sample = self.sample
        rounded = np.round(sample.counts / _grid(sample.counts).max(axis=0))
        numbers = [measure * len(SCORES) + score for measure, score in self.tested]
        of_scores = None if sample.averaged else decisive(sample.metrics, sample.measures)
        columns = [[number] if of_scores is None else of_scores[number] for number in numbers]
        step = max(1, BLOCK // sample.counts[0].size)
        for begin in range(0, len(self.first), step):
            pairs = slice(begin, begin + step)
            apart = rounded[self.first[pairs]] != rounded[self.second[pairs]]
            yield np.stack([apart[..., of_score].any(axis=-1) for of_score in columns])


def without_each(sample: Sample) -> Floats:
    """Return the scores without each unit in turn: units x systems x measures x scores."""
    resampling = _Trials(sample)
    return np.concatenate([resampling.scores(resampling.whole - alone) for alone in resampling.alone()])


def resampled(sample: Sample, trials: int, seed: int) -> Floats:
    """Return the scores of resamples, trials x systems x measures x scores. A resample draws as many units as there
    are, with replacement, from each group as many as it has.
    """
    resampling = _Trials(sample)
    generator, sizes = np.random.Generator(np.random.PCG64(seed)), np.bincount(sample.stratum)
    found = []
    for begin in range(0, trials, resampling.rows):
        count = min(resampling.rows, trials - begin)
        weights = [generator.multinomial(size, np.full(size, 1 / size), count).T for size in sizes]
        found.append(resampling.scores(resampling.sums(np.concatenate(weights).astype(np.float64))))
    return np.concatenate(found)


class Tests(NamedTuple):
    """A test of each pair of systems; all arrays are pairs x measures x scores.

    ``p`` are the p-values, uncorrected, and ``by_largest`` corrected for all pairs by the largest difference of each
    trial; both are NaN for scores that are not tested. ``differing_units`` is the number of units in which the counts
    that a score depends on differ. ``exact`` says whether all assignments of these units were enumerated. ``smallest``
    is the smallest p that so many units and trials allow.
    """

    p: Floats
    by_largest: Floats
    differing_units: Ints
    exact: Bools
    smallest: Floats


Watch = Callable[[float], None]
"""A function that is called with the share of the work that is done, from 0 to 1."""


def _p(
    resampling: _Trials, swapped: Iterable[Floats | Bools], trials: int, spare: int, watch: Watch | None = None
) -> Floats:
    """Return the p-values and those corrected by the largest difference, 2 x tested scores x pairs.

    ``swapped`` are blocks of so many ``trials``, units x trials; ``spare`` is 1 if the observed trial is none of these.
    """
    bound, scale = np.abs(resampling.observed()) - TIE, resampling.scale()
    hits, order, done = np.full((2, *bound.shape), float(spare)), np.argsort(bound / scale, axis=1, kind="stable"), 0
    # Swapping changes nothing in columns that all systems have alike, such as the denominators of recall.
    alike = (resampling.sample.counts == resampling.sample.counts[:1]).all(axis=(0, 1))
    rows = np.flatnonzero(np.tile(~alike, len(resampling.sample.counts)))
    for block in resampling.blocks(resampling.sums(weights, rows) for weights in swapped):
        np.abs(block, out=block)
        hits[0] += (block >= bound[..., None]).sum(axis=-1)
        np.divide(block, scale[..., None], out=block)
        for test, near in enumerate(order):
            so_far = np.maximum.accumulate(block[test, near], axis=0)
            hits[1, test, near] += (so_far >= (bound[test] / scale[test])[near, None]).sum(axis=-1)
        done += block.shape[-1]
        if watch is not None:
            watch(done / trials)
    for of_test, near in zip(hits[1], order, strict=True):
        of_test[near[::-1]] = np.maximum.accumulate(of_test[near[::-1]])
    return hits / (trials + spare)


def randomization(sample: Sample, tested: Bools, method: Method, watch: Watch | None = None) -> Tests:
    """Test by paired approximate randomization, two-sided; ``tested`` marks the tested scores, measures x scores.

    The hypothesis is that the responses of the two systems to any unit can be exchanged. A trial swaps them in each
    unit with probability 1/2, for every pair in the same units, and is a hit if |d| >= |d observed|, where d is the
    difference of the scores over all units. Then p = (hits + 1) / (trials + 1). If n units differ and 2^n is at most
    the trials, all 2^n assignments are enumerated, and p = hits / 2^n is exact. Two identical systems have p = 1.
    Source: Noreen 1989.

    To correct for all pairs, each |d| is divided by its standard deviation (`_Trials.scale`). A trial is a hit for a
    pair if the largest of these, over this pair and all that are less far apart, is at least as large as the observed
    one of the pair; p never falls from one pair to the next. Source: Westfall and Young 1993, algorithm 4.1.
    """
    resampling = _Trials(sample, tested)
    if not tested.any() or not sample.pairs:
        return _tests(sample, tested)
    counts, union = [], np.zeros(sample.units, dtype=np.bool_)
    for mask in resampling.differing():
        counts.append(mask.sum(axis=-1))
        union |= mask.any(axis=(0, 1))
    apart, differing = np.flatnonzero(union), np.concatenate(counts, axis=1)
    exact = differing < method.trials.bit_length()
    if 2 ** len(apart) <= method.trials:
        p = _p(resampling, resampling.chosen(assignments(len(apart)), apart), 2 ** len(apart), 0, watch)
    else:
        p = _p(resampling, resampling.drawn(method.trials, method.seed), method.trials, 1, watch)
        for pair in np.flatnonzero(exact.any(axis=0)).tolist():
            p[0, :, pair] = np.where(exact[:, pair], _enumerated(sample, tested, pair, exact[:, pair]), p[0, :, pair])
    smallest = np.where(exact, np.minimum(1, np.exp2(1.0 - differing)), 1 / (method.trials + 1))
    return _tests(sample, tested, p[0], np.maximum(*p), differing, exact, smallest)


def _tests(sample: Sample, tested: Bools, *numbers: Floats | Ints | Bools) -> Tests:
    """Return the tests of the pairs of a sample from the numbers of the tested scores, tested scores x pairs."""
    unknown: list[Any] = [np.nan, np.nan, 0, False, np.nan]
    found = [np.full((len(sample.pairs), *tested.shape), value) for value in unknown]
    for array, of_tested in zip(found, numbers, strict=False):
        array[:, tested] = of_tested.T
    return Tests(*found)


def _t_tests(sample: Sample, tested: Bools, method: Method) -> Tests:
    """Return tests of systems with several runs, two-sided: of the difference of the means over runs, divided by its
    standard error over units and runs (`Compared.errors`), in Student's distribution. Source: Welch 1947.

    As in `randomization`, p is at least 2 / 2^n if the counts of n units differ, here in their means over runs.
    """
    none = _tests(sample, tested)
    if not tested.any() or not sample.pairs:
        return none
    means = replace(sample, counts=over_runs(sample.counts, sample.runs), runs=None)
    differing = np.concatenate([mask.sum(axis=-1) for mask in _Trials(means, tested).differing()], axis=1)
    smallest = np.minimum(1, np.exp2(1.0 - differing))
    p = np.fmax(Compared(sample, method, tested, none, none.p, none.p).p_apart[:, tested].T, smallest)
    return _tests(sample, tested, p, p, differing, differing < 0, smallest)


def _enumerated(sample: Sample, tested: Bools, pair: int, wanted: Bools) -> Floats:
    """Return the exact p of one pair by tested score, from all assignments of the units in which the score differs;
    only for ``wanted`` scores.
    """
    alone = _Trials(replace(sample, counts=sample.counts[list(sample.pairs[pair])], baseline=None), tested)
    (masks,) = (mask[:, 0] for mask in alone.differing())
    p = np.ones(len(masks))
    for mask in np.unique(masks[wanted], axis=0):
        units, same = np.flatnonzero(mask), (masks == mask).all(axis=1)
        p[same] = _p(alone, alone.chosen(assignments(len(units)), units), 2 ** len(units), 0)[0, same, 0]
    return p


def assignments(units: int) -> Floats:
    """Return all ways to swap some of the units, 2^units x units: 1 for a unit that is swapped, else 0."""
    return ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)


def decisive(metrics: Sequence[Metric], measures: Collection[str]) -> list[list[int]]:
    """Return the columns that each score depends on: recall, precision and F1 of each measure.

    Recall depends on its numerator and denominator, precision likewise, and F1 on all four. A measure that combines
    others depends on the columns of all counts of its metric, and its recall and precision on all denominators, since
    the links of either side can decide which counts matter (see `corefscore.metrics.blanc.combine`).
    """
    slices = _columns_of(metrics)
    found = []
    for measure in measures:
        used, of_both = set[int](), set[int]()
        for metric in (each for each in metrics if each.name in metrics_of(measure, metrics)):
            names = metric.uncombined
            columns = range(slices[metric.name].start, slices[metric.name].stop)
            used.update(columns[4 * names.index(measure) :][:4] if measure in names else columns)
            of_both.update(columns[1::2] if measure not in (*names, AVERAGE) else ())
        recall, precision = ({column for column in used if column % 4 // 2 == side} | of_both for side in (0, 1))
        found += [sorted(recall), sorted(precision), sorted(recall | precision)]
    return found


def holm(p: Floats) -> Floats:
    """Correct p-values by Holm's step-down method; the first axis is the family.

    Of m sorted p-values p_0 <= p_1 <= ..., p_k becomes the maximum of (m - j) p_j over j <= k, at most 1. NaN is not a
    test, and does not change. Source: Holm 1979.
    """
    order = np.argsort(p, axis=0)
    factors = (~np.isnan(p)).sum(axis=0) - np.arange(len(p)).reshape(-1, *[1] * (p.ndim - 1))
    stepped = np.minimum(1.0, np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * factors, axis=0))
    corrected = np.empty_like(p)
    np.put_along_axis(corrected, order, stepped, axis=0)
    return corrected


_CORRECTIONS = ("largest", "holm", "holm-all", "none")

_POWER = 0.8
"""The probability of showing a difference for which `Compared.shown_from` and `Compared.units_needed` are computed."""

SHORT = 5
"""With fewer units, or fewer that differ, intervals are too short (``docs/background/statistics.md``), and systems are
not shown to be equivalent."""

_SIGNS = 2**11
"""The most trials for the quantile of intervals that are corrected together."""


def check_average(average: str | None, by: str | None) -> None:
    """Raise `UsageError` for an unknown average, and for means over documents together with means over groups."""
    if average not in (None, DOCUMENTS):
        raise UsageError(f"average={average!r}: expected {DOCUMENTS!r}, or None for totals")
    if average is not None and by is not None:
        raise UsageError("--by is a mean over groups, --average over documents; leave one of them out")


@dataclass(frozen=True, kw_only=True)
class Method(Grouping):
    """How systems are compared.

    ``confidence`` is between 0 and 1, and so is ``margin``, the difference within which systems count as equivalent.
    Raises `UsageError` for an invalid value, and for an average together with groups.
    """

    trials: int = option(10_000, "Number of random trials of each test.", heading=STATISTICS, metavar="N")
    seed: int = option(0, "Random seed; equal seeds give identical results.", heading=STATISTICS, metavar="N", least=0)
    correction: str = option(
        _CORRECTIONS[0],
        "Correct p for several tests: within each score (largest, by Westfall and Young, or holm), over all tests "
        "(holm-all), or not at all (none). With several runs of a system, largest means holm.",
        _CORRECTIONS,
        heading=STATISTICS,
    )
    confidence: float = option(
        0.95,
        "Confidence level in percent. 95, the default, also means tests at significance level 0.05.",
        heading=STATISTICS,
        metavar="PERCENT",
        common=True,
    )
    baseline: str | None = option(
        None,
        "Compare each system only with the system NAME, instead of all pairs.",
        kind=str,
        heading=STATISTICS,
        metavar="NAME",
        common=True,
    )
    margin: float | None = None

    def __post_init__(self) -> None:
        check_average(self.average, self.by)
        fraction(self.confidence, "confidence=", ends=False)
        if self.margin is not None:
            fraction(self.margin, "margin=", ends=False)
        object.__setattr__(self, "seed", whole(self.seed, "seed=", 0))
        object.__setattr__(self, "trials", whole(self.trials, "trials=", 1))
        check_options(declared(Method), vars(self))

    @property
    def alpha(self) -> float:
        """The significance level of tests."""
        return round(1 - self.confidence, 12)

    def to_dict(self) -> dict[str, Any]:
        """Return the options by name, as the signature lists them."""
        names = ("unit", "by", "trials", "seed", "correction", "confidence", "alpha")
        optional = {"average": self.average, "baseline": self.baseline, "margin": self.margin}
        given = {name: value for name, value in optional.items() if value is not None}
        return {name: getattr(self, name) for name in names} | given

    def enough(self, family: int) -> int:
        """Return the smallest number of trials with which the smallest corrected p can reach the level. With Holm's
        method: family / (trials + 1) <= alpha.
        """
        return math.ceil(round((1 if self.correction == "largest" else family) / self.alpha, 6)) - 1


@dataclass(frozen=True, eq=False)
class Compared:
    """A comparison of systems: tests of each pair, and intervals of scores and differences.

    ``tested`` marks the scores that are tested, measures x scores. ``corrected`` are the corrected p-values and
    ``least`` the smallest possible ones, both pairs x measures x scores.
    """

    sample: Sample
    method: Method
    tested: Bools
    tests: Tests
    corrected: Floats
    least: Floats

    @property
    def family(self) -> int:
        """The number of tests that were corrected together: those of one score, or with ``holm-all`` those of all."""
        pairs = len(self.sample.pairs)
        return {"holm-all": self.count, "none": min(1, pairs)}.get(self.method.correction, pairs)

    @property
    def count(self) -> int:
        """The number of tests."""
        return len(self.sample.pairs) * int(self.tested.sum())

    @property
    def by_chance(self) -> float:
        """The number of tests that show a difference by chance if all systems are equal. An exact p is a multiple of
        the smallest one, so it is rarely just at the level."""
        largest = self.method.correction == "largest"
        level = self.method.alpha / (1 if largest else max(1, self.family))
        smallest = self.tests.smallest[:, self.tested]
        below = np.where(self.tests.exact[:, self.tested], np.floor(level / smallest + TIE) * smallest, level)
        return float(below[smallest <= level].sum() / (len(self.sample.pairs) if largest else 1))

    @cached_property
    def ends(self) -> Floats:
        """The intervals of the scores, systems x measures x scores x 2; NaN if every group has only one unit, and for
        scores of 0 or 1, which have none."""
        sample, observed = self.sample, self.of_systems
        if not sample.resamplable:
            return np.full((*observed.shape, 2), np.nan)
        over_units = intervals.errors(observed, self.left_out, sample.stratum)
        errors, freedom = self._with_runs(over_units, np.arange(sample.systems))
        return intervals.ends(observed, errors, intervals.quantile(self.method.confidence, freedom), least=0)

    @cached_property
    def of_runs(self) -> Floats:
        """The scores of each row of counts, from sums in which the order of documents changes no digit."""
        trials = _Trials(self.sample)
        return trials.scores(trials.whole).squeeze(axis=0)

    @cached_property
    def of_systems(self) -> Floats:
        """The observed scores as `of_runs` has them, for intervals."""
        return over_runs(self.of_runs, self.sample.runs)

    @cached_property
    def run_counts(self) -> Ints:
        """The number of runs of each system, systems x 1 x 1."""
        assert self.sample.runs is not None, "there are runs"
        return np.bincount(self.sample.runs)[:, None, None]

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation over the runs of each system, systems x measures x scores; NaN for one run."""
        squares = over_runs((self.of_runs - self.of_systems[self.sample.runs]) ** 2, self.sample.runs)
        count = self.run_counts
        return np.where(count > 1, np.sqrt(squares * count / np.maximum(count - 1, 1)), np.nan)

    @cached_property
    def left_out(self) -> Floats:
        """The scores without each unit, units x systems x measures x scores."""
        return np.moveaxis(over_runs(np.moveaxis(without_each(self.sample), 1, 0), self.sample.runs), 0, 1)

    @cached_property
    def _freedom(self) -> Floats:
        """The degrees of freedom of intervals, systems x measures x 1."""
        return intervals.freedom(self.sample.shares, self.sample.stratum)[..., None]

    @cached_property
    def differences(self) -> Floats:
        """The difference of the scores of each pair, pairs x measures x scores."""
        first, second = self.sample.sides
        return self.sample.observed[first] - self.sample.observed[second]

    def _with_runs(self, over_units: Floats, *systems: Ints) -> tuple[Floats, Floats]:
        """Return standard errors ..., from those ``over_units`` and the spread over the runs of ``systems`` (numbers by
        row), and their degrees of freedom. Without several runs, the errors over units alone.
        """
        freedom: Floats = np.min([self._freedom[each] for each in systems], axis=0)
        if self.sample.runs is None:
            return over_units, freedom
        of_means, of_each = np.nan_to_num(self.spread) ** 2 / self.run_counts, np.maximum(self.run_counts - 1, 1)
        return intervals.sum_of([(over_units**2, freedom), *((of_means[each], of_each[each]) for each in systems)])

    @property
    def errors(self) -> Floats:
        """The standard errors of the differences, pairs x measures x scores; NaN if every group has only one unit."""
        return self._of_pairs[0]

    @cached_property
    def _of_pairs(self) -> tuple[Floats, Floats]:
        """The standard errors of the differences, and their degrees of freedom."""
        sample, observed = self.sample, self.of_systems
        found = np.full((len(sample.pairs), *observed.shape[1:]), np.nan)
        step = max(1, BLOCK // self.left_out[:, 0].size)
        for begin in range(0, len(found) if sample.resamplable else 0, step):
            first, second = (side[begin : begin + step] for side in sample.sides)
            left_out = self.left_out[:, first] - self.left_out[:, second]
            found[begin : begin + step] = intervals.errors(observed[first] - observed[second], left_out, sample.stratum)
        return self._with_runs(found, *sample.sides)

    @cached_property
    def _largest(self) -> Floats:
        """The quantile, at the confidence level, of the largest difference of a trial in standard errors, measures x
        scores. A trial gives random signs to what each unit adds to the differences; of few units, there are all signs.
        """
        sample, count = self.sample, min(_SIGNS, self.method.trials)
        signs = np.random.Generator(np.random.PCG64(self.method.seed)).choice([-1.0, 1.0], (count, sample.units))
        if 2**sample.units <= count:
            signs = 1 - 2 * assignments(sample.units)
        added = np.moveaxis(intervals.added(self.left_out, sample.stratum), 0, 1)
        first, second = sample.sides
        found, step = np.full(self.tested.shape, np.nan), max(1, BLOCK // max(signs.shape))
        for measure, score in np.argwhere(self.tested).tolist():
            of_systems: Floats = on_grid(added[:, :, measure, score, None])[..., 0]
            sums, largest = of_systems @ signs.T, np.zeros(len(signs))
            for begin in range(0, len(first), step):
                one, other = first[begin : begin + step], second[begin : begin + step]
                errors = np.sqrt(((of_systems[one] - of_systems[other]) ** 2).sum(axis=1))
                moved = np.abs(sums[one] - sums[other]) / np.maximum(errors, TIE)[:, None]
                np.maximum(largest, moved.max(axis=0), out=largest)
            found[measure, score] = np.quantile(largest, self.method.confidence, method="higher")
        return found

    @property
    def together(self) -> bool:
        """Whether the intervals of differences are corrected for all pairs: whether p is corrected for several."""
        return len(self.sample.pairs) > 1 and self.method.correction != "none"

    @cached_property
    def _level(self) -> Floats:
        """The confidence level of the interval of a single difference, measures x scores; with several runs, corrected
        for all pairs by Bonferroni's method."""
        sample, confidence, pairs = self.sample, self.method.confidence, len(self.sample.pairs)
        if not self.together or sample.runs is not None:
            return np.full(self.tested.shape, 1 - (1 - confidence) / (pairs if self.together else 1))
        return intervals.one_of_many(self._largest, sample.units - int(sample.stratum[-1]), pairs, confidence)

    @cached_property
    def reach(self) -> Floats:
        """The number of standard errors to the ends of the interval of a difference, pairs x measures x scores."""
        return intervals.quantile(self._level, self._of_pairs[1])

    @cached_property
    def difference_ends(self) -> Floats:
        """The intervals of the differences, pairs x measures x scores x 2; NaN if every group has only one unit. If
        they are corrected (`together`), the level is meant for all pairs of one score."""
        first, second = self.sample.sides
        return intervals.ends(self.of_systems[first] - self.of_systems[second], self.errors, self.reach, least=-1)

    @property
    def _level_of_tests(self) -> Floats:
        """The confidence level of an interval that shows what a test shows, measures x scores; with Holm's method, that
        of the smallest p."""
        if self.method.correction == "largest":
            return self._level
        return np.full(self.tested.shape, 1 - self.method.alpha / max(1, self.family))

    @cached_property
    def shown_from(self) -> Floats:
        """The smallest difference of each pair that is shown with a probability of `_POWER` in as many units, which
        vary as much: pairs x measures x scores; NaN if it is above 1, if the test can show none, or if nothing varies.
        """
        reach, of_power = (intervals.quantile(x, self._of_pairs[1]) for x in (self._level_of_tests, 2 * _POWER - 1))
        found = (reach + of_power) * self.errors
        return np.where((found > TIE) & (found <= 1) & (self.least <= self.method.alpha), found, np.nan)

    @cached_property
    def units_needed(self) -> Floats:
        """The number of units with which the observed difference of each pair is shown with a probability of `_POWER`,
        with at least as many differing ones as the test needs; NaN for a difference of 0, if there are too few trials,
        and for several runs, whose spread more units do not change. Source: Guenther 1981, Sample size formulas for
        normal theory t tests.
        """
        enough = self.method.enough(self.family)
        possible = self.sample.runs is None and self.method.trials >= enough
        differences = np.where((np.abs(self.differences) > TIE) & possible, self.differences, np.nan)
        z, of_power = (intervals.quantile(level, np.array(np.inf)) for level in (self._level_of_tests, 2 * _POWER - 1))
        units = self.sample.units * ((z + of_power) * self.errors / differences) ** 2 + z**2 / 2
        least = math.ceil(1 + math.log2(enough + 1))  # so many differing units have a p of 2^(1 - n), which is enough
        found: Floats = np.maximum(units, least * self.sample.units / np.maximum(self.tests.differing_units, 1))
        return np.ceil(found)

    @property
    def p_apart(self) -> Floats:
        """The p of the hypothesis that the means over runs do not differ, uncorrected: pairs x measures x scores."""
        return 2 * intervals.upper_tail(np.abs(self.differences) / np.maximum(self.errors, 1e-300), self._of_pairs[1])

    @cached_property
    def p_equivalent(self) -> Floats:
        """The p of the hypothesis that two systems are further apart than the margin, pairs x measures x scores: the
        larger one of two one-sided t tests, corrected by Holm's method like p; NaN if fewer than `SHORT` units differ,
        which say too little about others. Source: Schuirmann 1987."""
        inside = (math.nan if self.method.margin is None else self.method.margin) - np.abs(self.differences)
        p = intervals.upper_tail(inside / np.maximum(self.errors, 1e-300), self._of_pairs[1])
        known = self.tested & (self.tests.differing_units >= SHORT)
        return corrected_for(np.where(known, p, np.nan), self.method.correction)

    @cached_property
    def differ(self) -> Any:
        """Whether two systems differ significantly, pairs x measures x scores: True, False, or None if no observed
        difference could have been significant: if even the least corrected p is above the level, although the systems
        differ in some units."""
        shown, possible = self.corrected <= self.method.alpha, ~(self.least > self.method.alpha)
        return np.where(shown | possible | (self.tests.differing_units == 0), shown, np.array(None))

    def better(self, measure: int, score: int) -> Bools:
        """Return whether each system was shown to be better than each other one, systems x systems: by their own test,
        or by a chain (`_chains`)."""
        return _chains(self.corrected, self.sample, measure, score) <= self.method.alpha

    def undecided(self, measure: int, score: int) -> list[_Pair]:
        """Return the pairs of systems whose difference in a score could not have been significant."""
        differ = self.differ[:, measure, score].tolist()
        return [pair for pair, verdict in zip(self.sample.pairs, differ, strict=True) if verdict is None]


def compared(sample: Sample, method: Method, score: str | None = None, watch: Watch | None = None) -> Compared:
    """Compare the systems of a sample. With ``score``, only this score of each measure is tested.

    ``watch`` is called from time to time with the share of the work that is done, from 0 to 1.
    """
    tested = ~np.isnan(sample.shown).all(axis=0) & np.array([score in (None, name) for name in SCORES])
    if sample.runs is not None:
        method = replace(method, correction="holm" if method.correction == "largest" else method.correction)
    tests = randomization(sample, tested, method, watch) if sample.runs is None else _t_tests(sample, tested, method)
    of_pairs = method.correction == "largest"
    corrected = tests.by_largest if of_pairs and len(sample.pairs) > 1 else corrected_for(tests.p, method.correction)
    least = tests.smallest if of_pairs else corrected_for(tests.smallest, method.correction)
    if method.correction != "none":
        corrected = corrected.copy()
        first, second = sample.sides
        for m, c in np.argwhere(tested).tolist():
            p = _chains(corrected, sample, m, c)
            corrected[:, m, c] = np.minimum(p[first, second], p[second, first])
    return Compared(sample, method, tested, tests, corrected, least)


def _chains(corrected: Floats, sample: Sample, measure: int, score: int) -> Floats:
    """Return the p-values of the hypotheses that a system is not better than another one, systems x systems, from those
    of the pairs of a score; infinite for systems that are not better.

    If one system is better than a second, and this better than a third, the first is better than the third. So a
    chain of differences shows the difference of its ends, and adds no error to those of its links: its p is the largest
    of theirs.
    """
    first, second = sample.sides
    is_first = sample.observed[first, measure, score] >= sample.observed[second, measure, score]
    p = np.full((sample.systems, sample.systems), np.inf)
    p[np.where(is_first, first, second), np.where(is_first, second, first)] = corrected[:, measure, score]
    for middle in range(sample.systems):
        np.minimum(p, np.maximum(p[:, middle, None], p[middle]), out=p)
    return p


def corrected_for(p: Floats, correction: str) -> Floats:
    """Correct p-values, pairs x measures x scores, by Holm's method: for the pairs of each score, or for all tests
    (``holm-all``), or not at all (``none``)."""
    if correction == "none" or not len(p):
        return p
    return holm(p.ravel()).reshape(p.shape) if correction == "holm-all" else holm(p)
