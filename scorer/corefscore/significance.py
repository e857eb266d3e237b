"""Whether a difference between systems means anything: paired tests and intervals, from counts per unit.

Counts are additive. So a trial never scores anything again: with one row of weights for each trial (which units
are swapped, or how often each was drawn), all sums of a block of trials are one matrix product

    weights (trials x units)  @  counts (units x systems * columns)

and `corefscore.results.values` divides them for all trials at once. Every measure is recomputed from the summed
counts of a trial; BLANC and the CoNLL average are statistics like the others. All pairs of systems and all measures
see the same resamples.

Sources: Noreen 1989, Computer-intensive methods for testing hypotheses (approximate randomization), as in Moosavi
and Strube 2016, section 6; Efron 1979, and Efron and Tibshirani 1993, chapter 13 (percentile intervals of the
bootstrap); Holm 1979.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from corefscore.arrays import Bools, Floats, Ints, bounds
from corefscore.counts import SCORES, summed
from corefscore.measures import asked, metrics_of
from corefscore.metrics.row import Metric
from corefscore.percent import fraction
from corefscore.results import values

TIE = 1e-12
"""Differences that are less than this apart are the same: the last bits hang on the order of a sum."""

BLOCK = 2**21
"""How many weights are in memory at a time: a block of trials."""

SPARE = 32
"""No resample is taken to weigh a column more than this often; see `on_grid`."""

PairOf = tuple[int, int]


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
    groups a score is the unweighted mean over them, and resampling stays within each.
    """

    metrics: Sequence[Metric]
    measures: Collection[str]
    counts: Floats
    stratum: Ints
    observed: Floats

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

    def only(self, measure: str) -> Sample:
        """The same with one measure, and the counts of its metrics alone."""
        names = metrics_of(measure, self.metrics)
        places = _places(self.metrics)
        return Sample(
            [metric for metric in self.metrics if metric.name in names],
            {measure: asked(self.measures)[measure]},
            np.concatenate([self.counts[..., at] for name, at in places.items() if name in names], axis=-1),
            self.stratum,
            self.observed[:, [list(self.measures).index(measure)]],
        )


def statistics(metrics: Sequence[Metric], measures: Collection[str], sums: Floats) -> Floats:
    """The scores of summed counts, groups x ... x columns, as an array ... x measures x scores; NaN for what is not
    asked for (`corefscore.measures.asked`)."""
    columns = _places(metrics)
    shape = sums.shape[:-1]
    found = values(metrics, {metric.name: sums[..., columns[metric.name]].reshape(*shape, -1, 4) for metric in metrics})
    scores = np.full((*shape, len(measures), len(SCORES)), np.nan)
    for place, (measure, its) in enumerate(asked(measures).items()):
        for score in its:
            scores[..., place, SCORES.index(score)] = getattr(found[measure], score)
    means: Floats = summed(scores) / len(scores)
    return means


def _places(metrics: Sequence[Metric]) -> dict[str, slice]:
    """The columns of each metric."""
    found, begin = {}, 0
    for metric in metrics:
        width = 4 * sum(measure.combine is None for measure in metric.measures)
        found[metric.name] = slice(begin, begin + width)
        begin += width
    return found


def on_grid(counts: Floats) -> Floats:
    """Counts, systems x units x columns, rounded to multiples of a power of two: 2^-48 of the sum of their column.

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
        return statistics(self.sample.metrics, self.sample.measures, sums)

    def blocks(self, trials: int, seed: int) -> Iterator[Floats]:
        """Uniform numbers, a row a trial and a column a unit, in blocks that bound the memory."""
        generator = np.random.Generator(np.random.PCG64(seed))
        rows = max(1, BLOCK // max(self.sample.units, self.groups * self.flat.shape[1]))
        for begin in range(0, trials, rows):
            yield generator.random((min(rows, trials - begin), self.sample.units))


def bootstrap(sample: Sample, trials: int, seed: int) -> Floats:
    """The scores of ``trials`` resamples: systems x measures x scores x trials.

    A resample draws as many units as there are, with replacement, the same for every system; with groups, as many
    from each as it has.
    """
    of = _Trials(sample)
    edges = bounds(sample.stratum, of.groups)
    first, size = edges[sample.stratum], np.diff(edges)[sample.stratum]
    found = []
    for uniform in of.blocks(trials, seed):
        drawn = first + (uniform * size).astype(np.int64)
        drawn += np.arange(len(drawn))[:, None] * sample.units
        times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
        found.append(of.scores(of.sums(times.astype(np.float64))))
    return np.ascontiguousarray(np.moveaxis(np.concatenate(found), 0, -1))


def interval(resampled: Floats, confidence: float) -> Floats:
    """The percentile interval (Efron) of each statistic, ... x trials, as ... x 2: its ends.

    ``confidence`` is from 0 to 1; between two resamples the quantile is linear.
    """
    tail = (1 - confidence) / 2
    return np.moveaxis(np.quantile(resampled, [tail, 1 - tail], axis=-1), 0, -1)


class Tests(NamedTuple):
    """A test of each pair of systems; all arrays are pairs x measures, ``p`` has the scores as a third axis.

    ``differ`` is how many units the two systems' counts of a measure differ in, ``exact`` whether all
    assignments of these were enumerated.
    """

    p: Floats
    differ: Ints
    exact: Bools

    @property
    def smallest(self) -> Floats:
        """The smallest p that any test of two systems can give that differ in n units: 2^(1-n), at most 1.

        Of the 2^n equally likely assignments, at least the observed one and its mirror image are as extreme.
        """
        found: Floats = np.minimum(1.0, np.exp2(1.0 - self.differ))
        return found


def randomization(sample: Sample, trials: int, seed: int) -> Tests:
    """Paired approximate randomization, two-sided (Noreen 1989).

    Were the systems equally good, each unit could as well have been answered the other way round. A trial swaps
    the two in each unit with probability 1/2; it is a hit where |d| >= |d observed|, d being the difference of the
    scores of all units; p = (hits + 1) / (trials + 1). Where all 2^n assignments of the n units that differ are
    no more than the trials they are enumerated, and p = hits / 2^n is exact. Two identical systems have p = 1.
    """
    of = _Trials(sample)
    whole = of.whole()
    observed = of.scores(whole)[0]
    hits = np.zeros((len(sample.pairs), *observed.shape[1:]))
    differing = [_differing(of, pair) for pair in sample.pairs]
    differ = _lengths(sample, differing)
    exact = differ < trials.bit_length()
    if not exact.all():
        for uniform in of.blocks(trials, seed):
            swapped = of.sums((uniform < 0.5).astype(np.float64))
            for place, pair in enumerate(sample.pairs):
                hits[place] += _hits(of, whole, swapped, pair, observed)
    p = (hits + 1) / (trials + 1)
    for place, pair in enumerate(sample.pairs):
        same: dict[bytes, list[int]] = {}
        for measure in np.flatnonzero(exact[place]).tolist():
            same.setdefault(differing[place][measure].tobytes(), []).append(measure)
        for measures in same.values():
            units = differing[place][measures[0]]
            swapped = of.sums(assignments(len(units)), units)
            p[place, measures] = (_hits(of, whole, swapped, pair, observed) / 2 ** len(units))[measures]
    p[:, np.isnan(observed[0])] = np.nan
    return Tests(p, differ, exact)


def assignments(units: int) -> Floats:
    """All ways to swap or not, 2^units x units."""
    found: Floats = ((np.arange(2**units)[:, None] >> np.arange(units)) & 1).astype(np.float64)
    return found


def _differing(of: _Trials, pair: PairOf) -> list[Ints]:
    """For each measure the units in which two systems' counts of it differ."""
    apart = of.counts[pair[0]] != of.counts[pair[1]]
    at = _places(of.sample.metrics)
    by_metric = {name: apart[:, columns].any(axis=1) for name, columns in at.items()}
    return [
        np.flatnonzero(np.any([by_metric[name] for name in metrics_of(measure, of.sample.metrics)], axis=0))
        for measure in of.sample.measures
    ]


def _lengths(sample: Sample, differing: Sequence[Sequence[Ints]]) -> Ints:
    lengths = [[len(units) for units in its] for its in differing]
    return np.array(lengths, dtype=np.int64).reshape(len(sample.pairs), len(sample.measures))


def _hits(of: _Trials, whole: Floats, swapped: Floats, pair: PairOf, observed: Floats) -> Floats:
    """How many trials are hits for a pair: measures x scores. ``swapped`` are the sums over the swapped units."""
    a, b = pair
    moved = swapped[:, :, b] - swapped[:, :, a]
    difference = of.scores(whole[:, :, a] + moved) - of.scores(whole[:, :, b] - moved)
    found: Floats = (np.abs(difference) >= np.abs(observed[a] - observed[b]) - TIE).sum(axis=0).astype(np.float64)
    return found


def bootstrap_test(sample: Sample, resampled: Floats) -> Tests:
    """The paired bootstrap test, two-sided: the share of resamples (see `bootstrap`) with |d* - d| >= |d|.

    The resampled differences scatter about the observed d as those of equal systems would about 0. Counted as
    in `randomization`, (hits + 1) / (trials + 1). Source: Efron and Tibshirani 1993, chapter 16.
    """
    of = _Trials(sample)
    observed = of.scores(of.whole())[0]
    trials = resampled.shape[-1]
    hits = np.zeros((len(sample.pairs), *observed.shape[1:]))
    for place, (a, b) in enumerate(sample.pairs):
        d = (observed[a] - observed[b])[..., None]
        hits[place] = (np.abs(resampled[a] - resampled[b] - d) >= np.abs(d) - TIE).sum(axis=-1)
    p = (hits + 1) / (trials + 1)
    p[:, np.isnan(observed[0])] = np.nan
    differ = _lengths(sample, [_differing(of, pair) for pair in sample.pairs])
    return Tests(p, differ, np.zeros(differ.shape, dtype=np.bool_))


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
CORRECTIONS = ("holm", "none")


@dataclass(frozen=True)
class Method:
    """How systems are compared; ``confidence`` of the intervals and ``alpha``, the level of the tests, are from 0 to 1.

    Raises `UsageError` for one that is not, such as a percentage.
    """

    unit: str = "document"
    by: str | None = None
    test: str = TESTS[0]
    trials: int = 10_000
    seed: int = 0
    correction: str = CORRECTIONS[0]
    confidence: float = 0.95
    alpha: float = 0.05

    def __post_init__(self) -> None:
        fraction(self.confidence, "confidence=", ends=False)
        fraction(self.alpha, "alpha=", ends=False)

    def to_dict(self) -> dict[str, Any]:
        """The options by name, as they stand in the signature."""
        return {**vars(self)}


@dataclass(frozen=True, eq=False)
class Compared:
    """Systems compared: intervals of scores and differences from the same resamples, and tests of each pair.

    ``least`` is the smallest corrected p that the tests could have given, pairs x measures x scores.
    ``ends`` is systems x measures x scores x 2, ``difference_ends`` pairs x measures x scores x 2, ``corrected``
    pairs x measures x scores. With one unit there are no intervals: they are NaN.
    """

    sample: Sample
    method: Method
    ends: Floats
    difference_ends: Floats
    tests: Tests
    corrected: Floats
    least: Floats
    places: Mapping[PairOf, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {pair: place for place, pair in enumerate(self.sample.pairs)})

    def differ(self, pair: int, measure: int, score: int) -> bool | None:
        """Whether two systems differ at the level of the method: None where no p could be small enough to say."""
        if self.least[pair, measure, score] > self.method.alpha and self.tests.differ[pair, measure]:
            return None
        return bool(self.corrected[pair, measure, score] <= self.method.alpha)


def compared(sample: Sample, method: Method) -> Compared:
    """Compare the systems of a sample."""
    resampled = bootstrap(sample, method.trials, method.seed)
    ends = interval(resampled, method.confidence)
    difference_ends = np.empty((len(sample.pairs), *ends.shape[1:]))
    for place, (a, b) in enumerate(sample.pairs):
        difference_ends[place] = interval(resampled[a] - resampled[b], method.confidence)
    if sample.units == 1:
        ends[:], difference_ends[:] = np.nan, np.nan
    if method.test == "bootstrap":
        tests = bootstrap_test(sample, resampled)
    else:
        tests = randomization(sample, method.trials, method.seed)
    least = np.maximum(tests.smallest, np.where(tests.exact, 0, 1 / (method.trials + 1)))
    least = np.broadcast_to(least[:, :, np.newaxis], tests.p.shape)
    corrected = tests.p
    if method.correction == "holm":
        corrected, least = holm(corrected), holm(least)
    return Compared(sample, method, ends, difference_ends, tests, corrected, least)
