"""Intervals against a slow, obvious twin, against cases known by hand, and against the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, mean

import numpy as np
import pytest
from corefscore.documents.arrays import Floats
from corefscore.metrics import find
from corefscore.metrics.counts import summed
from corefscore.statistics.intervals import influence, interval, quantile
from corefscore.statistics.significance import Method, Sample, compared, statistics, without_each
from scipy.stats import t

NORMAL = NormalDist()


def of_counts(counts: Floats, stratum: Sequence[int] | None = None) -> Sample:
    """Systems with one measure, MUC, by their four counts in each unit."""
    groups = np.array(stratum if stratum is not None else [0] * counts.shape[1])
    sums = [np.stack([summed(its[groups == group]) for group in range(groups[-1] + 1)]) for its in counts]
    observed = np.stack([statistics([find("muc")], ["muc"], each) for each in sums])
    return Sample([find("muc")], ["muc"], counts, groups, observed)


def random_counts(systems: int, units: int, seed: int = 3, sizes: float = 1) -> Floats:
    """Documents of different sizes: the logarithm scatters by ``sizes``."""
    numbers = np.random.default_rng(seed)
    links = np.ceil(np.exp(numbers.normal(2.5, sizes, size=(1, units)))).repeat(systems, axis=0)
    hits = numbers.binomial(links.astype(int), numbers.beta(4, 2, size=(1, units)))
    return np.stack([hits, links, hits, links + 1], axis=-1).astype(float)


def twin(resampled: Sequence[float], observed: float, left_out: Sequence[float], confidence: float) -> list[float]:
    """The interval of one statistic as the formulas have it, number by number."""
    below = sum(1.0 if value < observed - 1e-12 else 0.5 if value <= observed + 1e-12 else 0 for value in resampled)
    trials, units = len(resampled), len(left_out)
    bias = NORMAL.inv_cdf(min(max(below / trials, 1 / (trials + 1)), trials / (trials + 1)))
    moved = [mean(left_out) - value for value in left_out]
    spread = sum(value**2 for value in moved)
    skew = sum(value**3 for value in moved) / (6 * spread**1.5) if spread > 1e-24 else 0
    reach = float(t.ppf((1 + confidence) / 2, units - 1)) * math.sqrt(units / (units - 1))
    ends = []
    for z in (bias - reach, bias + reach):
        place = NORMAL.cdf(bias + z / max(1 - skew * z, 1e-12)) * (trials - 1)
        first = sorted(resampled)[math.floor(place)]
        second = sorted(resampled)[min(math.floor(place) + 1, trials - 1)]
        ends.append(first + (place - math.floor(place)) * (second - first))
    return ends


@pytest.mark.parametrize("units", [2, 3, 8, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_are_those_of_the_twin(units: int, confidence: float) -> None:
    """Of scores and of differences; left-out scores are those of a sample without the unit."""
    counts = random_counts(3, units)
    counts[1, :, 0] = np.floor(counts[1, :, 0] * 0.8)
    found = compared(of_counts(counts), Method(trials=300, confidence=confidence))
    without = np.stack([of_counts(np.delete(counts, unit, axis=1)).observed for unit in range(units)])
    observed = found.sample.observed
    for system in range(3):
        for score in range(3):
            its = found.resampled[system, 0, score], observed[system, 0, score], without[:, system, 0, score]
            expected = twin(its[0].tolist(), float(its[1]), its[2].tolist(), confidence)
            assert found.ends[system, 0, score].tolist() == pytest.approx(expected, abs=1e-12)
    for place, (a, b) in enumerate(found.sample.pairs):
        for score in range(3):
            drawn = found.resampled[a, 0, score] - found.resampled[b, 0, score]
            left = without[:, a, 0, score] - without[:, b, 0, score]
            expected = twin(
                drawn.tolist(), float(observed[a, 0, score] - observed[b, 0, score]), left.tolist(), confidence
            )
            assert found.difference_ends[place, 0, score].tolist() == pytest.approx(expected, abs=1e-12)


def test_without_skewness_and_bias_it_is_the_expanded_percentile() -> None:
    """Hesterberg 2015, section 5.1.3: with 10 units the normal quantile 1.96 becomes 2.262 sqrt(10 / 9)."""
    reach = quantile(np.zeros(10, dtype=np.int64), 0.95)
    assert reach == pytest.approx(2.2621571628 * math.sqrt(10 / 9))
    values = np.linspace(-1, 1, 10_001)
    low, high = interval(values, np.array(0.0), np.array([1.0, -1.0] * 5), reach)
    tail = NORMAL.cdf(-reach)
    assert (low, high) == (pytest.approx(2 * tail - 1, abs=1e-9), pytest.approx(1 - 2 * tail, abs=1e-9))


def test_groups_widen_by_their_own_sizes() -> None:
    """Two groups of 3 and 5 units: 6 degrees of freedom; a group of one unit adds none."""
    widened = (math.sqrt(3 / 2) + math.sqrt(5 / 4)) / 2
    for groups in ([0] * 3 + [1] * 5, [0] * 3 + [1] * 5 + [2]):
        assert quantile(np.array(groups), 0.95) == pytest.approx(float(t.ppf(0.975, 6)) * widened)
    assert math.isnan(quantile(np.array([0, 1, 2]), 0.95))


def test_nothing_to_resample_gives_no_interval() -> None:
    for groups in ([0], [0, 1]):
        found = compared(of_counts(random_counts(2, len(groups)), groups), Method(trials=10))
        assert np.isnan(found.ends).all()
        assert np.isnan(found.difference_ends).all()


def test_left_out_scores_stay_within_their_group() -> None:
    counts, groups = random_counts(2, 7), [0, 0, 0, 1, 1, 1, 1]
    found = without_each(of_counts(counts, groups))
    for unit in range(7):
        rest = of_counts(np.delete(counts, unit, axis=1), [*groups[:unit], *groups[unit + 1 :]])
        assert np.allclose(found[unit], rest.observed, rtol=0, atol=1e-15)
    moved = influence(found, np.array(groups))
    assert np.allclose(moved[:3].sum(axis=0), 0, atol=1e-15)
    assert np.allclose(moved[3:], found[3:].mean(axis=0) - found[3:], atol=1e-15)


def test_what_never_varies_has_an_interval_of_no_width() -> None:
    counts = np.tile([3.0, 4.0, 3.0, 6.0], (1, 12, 1))
    assert compared(of_counts(counts), Method(trials=50)).ends[0, 0, 0].tolist() == [0.75, 0.75]


@pytest.mark.slow
@pytest.mark.parametrize(("units", "least"), [(10, 0.9), (20, 0.93), (40, 0.93)])
def test_few_documents_of_different_sizes_hold_the_truth_often_enough(units: int, least: float) -> None:
    """The truth is the score of 2,000 documents; plain percentiles hold it in 0.89 of draws of 10."""
    whole = random_counts(1, 2000, seed=8, sizes=0.5)
    truth = of_counts(whole).observed[0, 0]
    numbers = np.random.default_rng(units)
    held = []
    for seed in range(1000):
        found = compared(of_counts(whole[:, numbers.integers(0, 2000, units)]), Method(trials=400, seed=seed)).ends[
            0, 0
        ]
        held.append((found[:, 0] <= truth) & (truth <= found[:, 1]))
    assert np.mean(held) >= least
