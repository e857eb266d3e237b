"""How far measures order systems alike: Kendall's tau between the orders of two measures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.metrics.base import quotient
from corefscore.statistics.significance import TIE, Sample, resampled

_RESAMPLES = 1000
"""The number of resamples for the interval of tau."""


def _kendall(first: Floats, second: Floats) -> Floats:
    """Return Kendall's tau-b between two scores of the same systems, ... x systems: ... from -1 to 1, or NaN if either
    has no order, since all systems are tied, or there is only one.

    Of all pairs of systems, those in the same order less those in the opposite order, divided by the geometric mean of
    the numbers of pairs that are not tied. Source: Kendall 1945, The treatment of ties in ranking problems.
    """
    one, other = np.triu_indices(first.shape[-1], 1)
    gaps = (each[..., one] - each[..., other] for each in (first, second))
    signs = [np.where(np.abs(gap) > TIE, np.sign(gap), 0) for gap in gaps]
    untied = np.prod([np.abs(sign).sum(axis=-1) for sign in signs], axis=0)
    return np.where(untied > 0, quotient((signs[0] * signs[1]).sum(axis=-1), np.sqrt(untied)), np.nan)


def taus(sample: Sample, pairs: Sequence[tuple[int, int]], seed: int, confidence: float) -> Floats:
    """Return Kendall's tau and the ends of its interval for some pairs of measures, pairs x 3: of their F1, or of the
    first score asked for.

    The ends are percentiles of those of `_RESAMPLES` bootstrap resamples of units in which both have an order: tau
    jumps from value to value, so that it has no standard error that the jackknife could find.
    """
    columns = sample.deciding_scores
    drawn = resampled(sample, _RESAMPLES, seed)
    rows, levels = [], [(1 - confidence) / 2, (1 + confidence) / 2]
    for first, second in pairs:
        observed, of_resamples = (
            _kendall(scores[..., first, columns[first]], scores[..., second, columns[second]])
            for scores in (sample.observed, drawn)
        )
        known = of_resamples[~np.isnan(of_resamples + observed)]
        rows.append([observed, *(np.quantile(known, levels) if len(known) else (np.nan, np.nan))])
    return np.array(rows, dtype=np.float64).reshape(-1, 3)
