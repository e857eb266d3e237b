"""Systems on several data sets: a test on each of them, and the number of data sets on which two systems differ.

The number of data sets with a p below the level is no estimate: the more data sets there are, the more of them show a
difference by chance. Holm's correction over all data sets names those on which two systems differ, and the level is the
probability that any of them is named wrongly. Their number is the estimate k of Dror et al. for data sets that may
depend on each other (its partial conjunction p-values are Holm's). For independent data sets, Fisher's combination
gives a larger number, but does not name the data sets (`Datasets.independent`).

Source: Dror et al. 2017, Replicability Analysis for Natural Language Processing: Testing Significance with Multiple
Datasets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.records import dataclass, replace
from corefscore.statistics.significance import (
    Compared,
    Method,
    Sample,
    Tests,
    corrected_for,
    randomization,
    verdict,
)


@dataclass(frozen=True, eq=False)
class Datasets:
    """A test of each pair of systems on each data set; all arrays are data sets x pairs x measures x scores.

    ``names`` are the names of the data sets, ``units`` the number of units of each. ``corrected`` are the p-values of
    ``tests`` corrected by Holm's method for all data sets and all pairs of a score (with ``holm-all``: for all tests),
    and ``least`` the smallest possible ones. ``level`` is the level of `independent`.
    """

    names: Sequence[str]
    units: Sequence[int]
    method: Method
    tests: Tests
    corrected: Floats
    least: Floats
    level: float

    def differ(self, dataset: int, pair: int, measure: int, score: int) -> bool | None:
        """Return whether two systems differ significantly on a data set; None if no difference could have been
        significant.
        """
        test = dataset, pair, measure, score
        units = self.tests.differing_units[test]
        return verdict(self.corrected[test], self.least[test], units, self.method.alpha)

    def independent(self, pair: int, measure: int, score: int) -> int:
        """Return the smallest number of data sets on which two systems differ, if the data sets are independent.

        This is the largest u such that Fisher's partial conjunction p-values are at most the level for 1 to u. The
        level is divided by the number of pairs that are tested.
        """
        p = self.tests.p[:, pair, measure, score]
        return int(np.cumprod(_partial_conjunction(p) <= self.level).sum())


def _partial_conjunction(p: Floats) -> Floats:
    """Return the p-value of fewer than u true differences among n, for u from 1 to n: the probability that a chi-square
    variable with 2(n - u + 1) degrees of freedom exceeds -2 times the sum of the logarithms of all p but the u - 1
    smallest.

    Source: Dror et al. 2017, after Benjamini and Heller 2008.
    """
    from scipy.special import gammaincc

    left = np.cumsum(-np.log(np.sort(p)[::-1]))[::-1]
    return np.asarray(gammaincc(np.arange(len(p), 0, -1), left), dtype=np.float64)


def on_each(sample: Sample, names: Sequence[str], comparison: Compared) -> Datasets:
    """Test each pair of systems on each group of a sample, which is a data set; ``names`` are the groups in any order.

    ``comparison`` is that of the whole sample; the same scores are tested by the same method.
    """
    method, tested, pairs = comparison.method, comparison.tested, len(sample.pairs)
    tests, units = [], []
    for name in names:
        counts = sample.counts[:, sample.stratum == sample.groups.index(name)]
        units.append(counts.shape[1])
        part = replace(sample, counts=counts, stratum=np.zeros(units[-1], dtype=np.int64))
        tests.append(randomization(part, tested, method))
    whole = Tests(*map(np.stack, zip(*tests, strict=True)))
    rows = len(names) * pairs, *tested.shape
    corrected, least = (
        corrected_for(values.reshape(rows), method.correction).reshape(values.shape)
        for values in (whole.p, whole.smallest)
    )
    level = method.alpha / max(1, method.family(pairs, int(tested.sum())))
    return Datasets(names, units, method, whole, corrected, least, level)
