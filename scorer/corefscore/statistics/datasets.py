"""Systems on several data sets: a test on each of them, and on how many of them two systems differ.

How often p is below the level is no answer: of equal systems some data sets show a difference by chance, the more of
them there are. Holm's correction for all data sets names those on which two systems differ, with the level as the
chance of naming a single one wrongly; their number is the estimate k of Dror et al. for data sets that may depend on
each other (its partial conjunction p-values are those of Holm). For independent data sets Fisher's combination finds
more, but names none (`Datasets.independent`).

Source: Dror et al. 2017, Replicability Analysis for Natural Language Processing: Testing Significance with Multiple
Datasets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from corefscore.documents.arrays import NONE, Floats, Ints
from corefscore.statistics.significance import (
    SPARE_TRIALS,
    TRIALS,
    Compared,
    Method,
    Sample,
    Tests,
    bootstrap_test,
    corrected_for,
    randomization,
    resamples,
)


@dataclass(frozen=True, eq=False)
class Datasets:
    """A test of each pair of systems on each data set; all arrays are data sets x pairs x measures x scores.

    ``names`` are those of the data sets, ``units`` how many units each has. ``corrected`` are the p-values of
    ``tests`` corrected for all data sets and all pairs of one score (with ``holm-all``: for all tests), and ``least``
    the smallest that could have been a verdict. ``level`` is that of `independent`.
    """

    names: Sequence[str]
    units: Sequence[int]
    method: Method
    trials: int
    tests: Tests
    corrected: Floats
    least: Floats
    level: float

    def differ(self, dataset: int, pair: int, measure: int, score: int) -> bool | None:
        """Whether two systems differ on a data set: None where no p could be small enough to say."""
        at = dataset, pair, measure, score
        if self.least[at] > self.method.alpha and self.tests.differ[at]:
            return None
        return bool(self.corrected[at] <= self.method.alpha)

    def verdicts(self, pair: int, measure: int, score: int) -> list[bool | None]:
        """The same for all data sets."""
        return [self.differ(dataset, pair, measure, score) for dataset in range(len(self.names))]

    def independent(self, pair: int, measure: int, score: int) -> int:
        """On how many data sets two systems differ at least, if the data sets are independent: the largest u for
        which the partial conjunction p-values of Fisher are at most the level, for u and all below.

        The level is shared among all pairs that are tested.
        """
        p = np.maximum(self.tests.p, self.tests.by_units)[:, pair, measure, score]
        return int(np.cumprod(partial_conjunction(p) <= self.level).sum())


def partial_conjunction(p: Floats) -> Floats:
    """For u from 1 to n, the p-value of fewer than u true differences among n: the chance that a chi-square of
    2(n - u + 1) degrees of freedom exceeds -2 times the sum of the logarithms of all but the u - 1 smallest p.

    Source: Dror et al. 2017, after Benjamini and Heller 2008.
    """
    from scipy.special import gammaincc

    left = np.cumsum(-np.log(np.sort(p)[::-1]))[::-1]
    return np.asarray(gammaincc(np.arange(len(p), 0, -1), left), dtype=np.float64)


def on_each(
    sample: Sample, names: Sequence[str], found: Compared, watch: Callable[[float], None] | None = None
) -> Datasets:
    """Test each pair of systems on each group of a sample, a data set; ``names`` are those of the groups."""
    method, pairs = found.method, len(sample.pairs)
    scores = int(found.tested.sum())
    family = method.family(pairs * len(names), scores)
    trials = method.trials or max(TRIALS, SPARE_TRIALS * method.enough(family))
    tests = []
    units: list[int] = []
    for dataset in range(len(names)):
        its = np.flatnonzero(sample.stratum == dataset)
        units.append(len(its))
        tests.append(_tested(_part(sample, its), method, trials))
        if watch is not None:
            watch((dataset + 1) / len(names))
    whole = Tests(*map(np.stack, zip(*tests, strict=True)))
    p, least = (np.where(found.tested, each, np.nan) for each in (whole.p, np.maximum(whole.smallest, whole.by_units)))
    rows = len(names) * pairs, *found.tested.shape
    again = [corrected_for(each.reshape(rows), method.correction).reshape(each.shape) for each in (p, least)]
    level = method.alpha / max(1, method.family(pairs, scores))
    return Datasets(names, units, method, trials, whole._replace(p=p), again[0], again[1], level)


def _part(sample: Sample, units: Ints) -> Sample:
    return replace(sample, counts=sample.counts[:, units], stratum=np.zeros(len(units), dtype=NONE.dtype))


def _tested(sample: Sample, method: Method, trials: int) -> Tests:
    if method.test == "bootstrap":
        return bootstrap_test(sample, resamples(sample, trials, method.seed))
    return randomization(sample, trials, method.seed)
