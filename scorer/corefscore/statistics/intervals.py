"""Confidence intervals from resamples: the symmetric bootstrap-t.

Percentile intervals of resampled scores are too short if there are few units: with 10 units, 95 % intervals contain the
true score in 79 to 91 % of cases, because few units underestimate how much scores vary. Therefore the distance of each
resample from the observed score is measured in standard errors of that resample, like Student's t for means:

    t* = |score* - score| / max(error*, FLOOR error)

The interval of a score is score +- q error, where q is the quantile of all t* at the confidence level; it is cut at the
lowest and the highest possible score. Intervals of differences are computed in the same way.

Standard errors are computed from how much each unit changes a score (`influence`), so they exist for every formula.
``scripts/coverage.py`` measures how often such intervals contain the true score on real documents.

Sources: Efron and Tibshirani 1993, An Introduction to the Bootstrap, sections 12.5 (bootstrap-t) and 11.5 (the
infinitesimal jackknife); Hall 1988, On symmetric bootstrap confidence intervals, for |t*| in place of t*.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from corefscore.core.arrays import Floats, Ints, bounds

NAME = "bootstrap-t"
"""The name of the method in signatures."""

FLOOR = 0.1
"""The smallest standard error of a resample, as a share of the observed one. If one unit in ten has all the errors, a
third of the resamples have no errors and a standard error of 0; without a bound every such interval would go from 0 to
100."""

LIMIT = 2**23
"""The number of values in memory at a time."""


def influence(left_out: Floats, stratum: Ints) -> Floats:
    """How much each unit changes statistics: units x ..., from their values without each unit in the same shape.

    It is the mean of these values over the group of the unit, less the value without the unit; 0 for the only unit of a
    group. Source: the infinitesimal jackknife, Efron and Tibshirani 1993, section 11.5.
    """
    edges = bounds(stratum, int(stratum[-1]) + 1)
    sizes = np.diff(edges)
    means = np.add.reduceat(left_out, edges[:-1], axis=0) / sizes.reshape(-1, *[1] * (left_out.ndim - 1))
    return means[stratum] - left_out


def errors(times: Floats, powers: Floats, stratum: Ints) -> Floats:
    """The standard errors of statistics in resamples, trials x statistics.

    ``times`` is how often each resample drew each unit, trials x units; ``powers`` contains the `influence` m of each
    unit on each statistic and m^2, units x 2 x statistics; ``stratum`` is the group of each unit. With w for times and
    n for the number of units of a group,

        error^2 = sum over groups of  sum of w m^2 - (sum of w m)^2 / n
    """
    edges = bounds(stratum, int(stratum[-1]) + 1).tolist()
    variances = np.zeros((len(times), powers.shape[2]))
    for begin, end in pairwise(edges):
        sums = np.tensordot(times[:, begin:end], powers[begin:end], axes=1)
        variances += sums[:, 1] - sums[:, 0] ** 2 / (end - begin)
    return np.sqrt(np.maximum(variances, 0))


def ends(observed: Floats, error: Floats, distances: Floats, confidence: float, least: float) -> Floats:
    """The ends of the interval of each statistic, ... x 2, cut to the range from ``least`` to 1.

    ``observed`` and its standard ``error`` have the shape ..., and ``distances``, the t* of all resamples, ... x
    trials; ``confidence`` is between 0 and 1. The quantile of T trials is the value of rank
    ceil(confidence (T + 1)), at most T.
    """
    trials = distances.shape[-1]
    rank = min(trials, math.ceil(round(confidence * (trials + 1), 9))) - 1
    reach = np.partition(distances, rank, axis=-1)[..., rank] * error
    return np.clip(np.stack([observed - reach, observed + reach], axis=-1), least, 1)
