"""Confidence intervals from resamples: bias-corrected, accelerated, and widened for few units.

Plain percentiles are too short where units are few (they hold the truth in 88 % of cases with 10 units, not 95 %), and
ratios of sums over documents of very different sizes are skewed. So the quantiles at which the resamples are cut are
moved twice:

- BCa (Efron 1987; Efron and Tibshirani 1993, chapter 14) moves them for bias and skewness;
- the normal quantile in it is replaced by Student's t times sqrt(n / (n - 1)), as Hesterberg 2015, section 5.1.3 (What
  Teachers Should Know About the Bootstrap), does with percentiles: a resample of n units scatters too little.

How often such intervals hold the truth on real documents is measured by ``scripts/coverage.py``.
"""

from __future__ import annotations

import math

import numpy as np

from corefscore.documents.arrays import Floats, Ints, bounds

NAME = "expanded-bca"
"""The method in signatures."""

SAME = 1e-12
"""Statistics that are less than this apart are the same."""


def quantile(stratum: Ints, confidence: float) -> float:
    """How many standard errors an interval reaches to either side; NaN where no group has two units.

    Student's quantile for as many degrees of freedom as there are units less groups, times the mean of
    sqrt(n / (n - 1)) over the groups of more than one. ``confidence`` is from 0 to 1.
    """
    from scipy.special import stdtrit  # costs start-up

    sizes = np.diff(bounds(stratum, int(stratum[-1]) + 1))
    sizes = sizes[sizes > 1]
    if not len(sizes):
        return float("nan")
    widened = np.sqrt(sizes / (sizes - 1)).mean()
    return float(stdtrit((sizes - 1).sum(), (1 + confidence) / 2) * widened)


def influence(left_out: Floats, stratum: Ints) -> Floats:
    """How far each unit moves statistics, from their values without it: units x ... in both.

    It is the mean over the units of its group less the value without the unit.
    """
    sizes = np.diff(edges := bounds(stratum, int(stratum[-1]) + 1))
    means = np.add.reduceat(left_out, edges[:-1], axis=0) / sizes.reshape(-1, *[1] * (left_out.ndim - 1))
    found: Floats = means[stratum] - left_out
    return found


def interval(resampled: Floats, observed: Floats, moved: Floats, reach: float) -> Floats:
    """The ends of the interval of each statistic, ... x 2.

    ``resampled`` is ... x trials, ``observed`` ..., ``moved`` the `influence` units x ..., ``reach`` a `quantile`. With
    z0 the normal quantile of the share of resamples below the observed value (those equal to it count half) and
    a = sum of moved^3 / (6 (sum of moved^2)^(3/2)), the ends are the resamples' quantiles at
    Phi(z0 + (z0 +- reach) / (1 - a (z0 +- reach))). Between two resamples the quantile is linear. NaN if ``reach`` is.
    """
    from scipy.special import ndtr, ndtri

    if math.isnan(reach):
        return np.full((*observed.shape, 2), np.nan)
    trials = resampled.shape[-1]
    apart = resampled - observed[..., None]
    below = ((apart < -SAME).sum(axis=-1) + (np.abs(apart) <= SAME).sum(axis=-1) / 2) / trials
    bias = ndtri(np.clip(below, 1 / (trials + 1), trials / (trials + 1)))
    spread = (moved**2).sum(axis=0)
    skew = np.divide((moved**3).sum(axis=0), 6 * spread**1.5, out=np.zeros(spread.shape), where=spread > SAME**2)
    ordered = np.sort(resampled, axis=-1)
    ends = []
    for z in (bias - reach, bias + reach):
        cut = ndtr(bias + z / np.maximum(1 - skew * z, SAME))
        ends.append(_at(ordered, np.nan_to_num(cut) * (trials - 1)))
    return np.stack(ends, axis=-1)


def _at(ordered: Floats, place: Floats) -> Floats:
    """What stands at a place of ordered resamples, between two of them in proportion."""
    first = np.minimum(place.astype(np.int64), ordered.shape[-1] - 1)
    second = np.minimum(first + 1, ordered.shape[-1] - 1)
    low, high = (np.take_along_axis(ordered, each[..., None], axis=-1)[..., 0] for each in (first, second))
    found: Floats = low + (place - first) * (high - low)
    return found
