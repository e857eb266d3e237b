"""Confidence intervals from the jackknife, with Student's t on a logit scale.

The standard error of a score is computed from the scores without each unit (`errors`), so it exists for every formula.
A score p from 0 to 1 has the interval

    logit(p) +- t error / (p (1 - p))

mapped back, where t is the quantile of Student's distribution. It lies between 0 and 1, and is longer on the side of
the middle. A difference d from -1 to 1 is treated as the score (d + 1) / 2.

A few large units make a standard error less certain than as many units of equal size do. So the degrees of freedom are
the harmonic mean of n - 1 and e - 1, where e = 1 / (sum of squares of the shares of units) is the effective number of
units. ``scripts/coverage.py`` measures how often such intervals contain the true score.

Sources: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 11 (the jackknife); Kish 1965, Survey
Sampling, section 8.2 (the effective number of units); the mean of the two is ours, chosen by simulation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefscore.core.arrays import Floats, Ints, bounds

NAME = "jackknife-t"
"""The name of the method in signatures."""


def errors(observed: Floats, left_out: Floats, stratum: Ints) -> Floats:
    """Return jackknife standard errors of statistics ..., from their values without each unit, units x ....

    With n for the number of units of a group, the sum over groups of (n - 1) / n times the sum of
    (observed - left out)^2.
    """
    sizes = np.diff(bounds(stratum, int(stratum[-1]) + 1))[stratum]
    weights = ((sizes - 1) / sizes).reshape(-1, *[1] * observed.ndim)
    found: Floats = np.sqrt((weights * (observed - left_out) ** 2).sum(axis=0))
    return found


def added(left_out: Floats, stratum: Ints) -> Floats:
    """Return what each unit adds to statistics, units x ..., from their values without it. The sum of squares is that
    of the standard error (`errors`), apart from the mean of each group, which is subtracted."""
    edges = bounds(stratum, int(stratum[-1]) + 1)
    sizes = np.diff(edges).reshape(-1, *[1] * (left_out.ndim - 1))
    means = np.add.reduceat(left_out, edges[:-1], axis=0) / sizes
    return (means[stratum] - left_out) * np.sqrt((sizes - 1) / sizes)[stratum]


def freedom(shares: Floats, stratum: Ints) -> Floats:
    """Return the degrees of freedom of standard errors, ... x measures; ``shares`` are those of the units, ... x units
    x measures.

    With groups, their number is subtracted in place of 1.
    """
    groups = int(stratum[-1]) + 1
    squares, units = (shares**2).sum(axis=-2), shares.shape[-2]
    effective = np.maximum(1 / np.maximum(squares, 1 / units) - groups, 1)
    found: Floats = 2 / (1 / max(1, units - groups) + 1 / effective)
    return found


def quantile(confidence: Floats | float, freedom: Floats) -> Floats:
    """Return the quantile of Student's t that leaves out half of 1 - confidence on either side."""
    from scipy.special import stdtrit

    return stdtrit(freedom, (1 + np.asarray(confidence)) / 2)


def upper_tail(t: Floats, freedom: Floats) -> Floats:
    """Return the probability that Student's t is larger than ``t``."""
    from scipy.special import stdtr

    return stdtr(freedom, -t)


def sum_of(parts: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return the standard error of a sum of independent parts, given by their variances and degrees of freedom, and its
    degrees of freedom. Source: Satterthwaite 1946, An approximate distribution of estimates of variance components.
    """
    variance: Floats = np.sum([part for part, _ in parts], axis=0)
    squares = np.sum([part**2 / freedom for part, freedom in parts], axis=0)
    return np.sqrt(variance), variance**2 / np.where(squares > 0, squares, np.inf) + (squares == 0)


def one_of_many(largest: Floats, units: int, pairs: int, confidence: float) -> Floats:
    """Return the confidence level of each of several intervals that are corrected together, from the quantile of the
    ``largest`` difference of random trials, in standard errors about 0.

    A difference of z standard errors about 0 over n units is t = z sqrt((n - 1) / (n - z^2)) standard errors about the
    mean. The result is between the level of a single interval and that of Bonferroni's method.
    """
    from scipy.special import stdtr

    left = np.maximum(units - largest**2, 1e-9)
    level = 2 * stdtr(max(1, units - 1), np.abs(largest) * np.sqrt((units - 1) / left)) - 1
    found: Floats = np.clip(level, confidence, 1 - (1 - confidence) / max(1, pairs))
    return found


def ends(observed: Floats, error: Floats, reach: Floats, least: float) -> Floats:
    """Return the ends of the intervals of statistics between ``least`` and 1, ... x 2; NaN for those at either end.

    ``reach`` is the number of standard errors to an end.
    """
    share = (observed - least) / (1 - least)
    share = np.where((share > 0) & (share < 1), share, np.nan)
    logit, scaled = np.log(share / (1 - share)), error / ((1 - least) * share * (1 - share))
    sides = np.stack([logit - reach * scaled, logit + reach * scaled], axis=-1)
    return least + (1 - least) / (1 + np.exp(-np.clip(sides, -700, 700)))
