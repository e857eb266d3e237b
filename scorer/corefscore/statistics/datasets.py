"""Systems on several data sets: a test on each of them, and the number of data sets on which two systems differ.

The number of data sets with a p below the level is no estimate: the more data sets there are, the more of them show a
difference by chance. Holm's correction over all data sets names those on which two systems differ, and the level is the
probability that any of them is named wrongly. Their number is the estimate k of Dror et al. for data sets that may
depend on each other (its partial conjunction p-values are Holm's). For independent data sets, Fisher's combination
gives a larger number, but does not name the data sets (`independent`).

Source: Dror et al. 2017, Replicability Analysis for Natural Language Processing: Testing Significance with Multiple
Datasets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from corefscore.core.arrays import Floats
from corefscore.core.records import replace
from corefscore.statistics.significance import Compared, Sample, corrected_for, randomization


def independent(datasets: Iterable[Compared], test: tuple[int, int, int], level: float) -> int:
    """Return the smallest number of data sets on which two systems differ, if the data sets are independent.

    This is the largest u such that Fisher's partial conjunction p-values are at most the level for 1 to u. ``test`` are
    the numbers of a pair, a measure and a score.
    """
    p = np.array([dataset.tests.p[test] for dataset in datasets])
    return int(np.cumprod(_partial_conjunction(p) <= level).sum())


def _partial_conjunction(p: Floats) -> Floats:
    """Return the p-value of fewer than u true differences among n, for u from 1 to n: the probability that a chi-square
    variable with 2(n - u + 1) degrees of freedom exceeds -2 times the sum of the logarithms of all p but the u - 1
    smallest.

    Source: Dror et al. 2017, after Benjamini and Heller 2008.
    """
    from scipy.special import gammaincc

    left = np.cumsum(-np.log(np.sort(p)[::-1]))[::-1]
    return np.asarray(gammaincc(np.arange(len(p), 0, -1), left), dtype=np.float64)


def on_each(sample: Sample, names: Sequence[str], comparison: Compared) -> dict[str, Compared]:
    """Test each pair of systems on each group of a sample, which is a data set; ``names`` are the groups in any order.

    ``comparison`` is that of the whole sample; the same scores are tested by the same method. p-values are corrected by
    Holm's method for all data sets and all pairs of a score (with ``holm-all``: for all tests).
    """
    method, tested = comparison.method, comparison.tested
    of_names = [sample.counts[:, sample.stratum == sample.groups.index(name)] for name in names]
    parts = [replace(sample, counts=counts, stratum=np.zeros(counts.shape[1], dtype=np.int64)) for counts in of_names]
    tests = [randomization(part, tested, method) for part in parts]
    corrected, least = (
        corrected_for(np.concatenate(numbers), method.correction).reshape(len(names), *comparison.tests.p.shape)
        for numbers in ([each.p for each in tests], [each.smallest for each in tests])
    )
    return {
        name: Compared(part, method, tested, *of_part)
        for name, part, *of_part in zip(names, parts, tests, corrected, least, strict=True)
    }
