"""Tests and agreement beside scipy, where it has the same thing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from corefscore import compare, score
from corefscore.statistics.agreement import _kendall
from scipy import stats

Clusters = list[list[tuple[int, int]]]


def drawn(rng: np.random.Generator, entities: int) -> Clusters:
    """Twelve mentions in random entities."""
    labels = rng.integers(entities, size=12)
    return [[(int(m), int(m)) for m in np.flatnonzero(labels == entity)] for entity in np.unique(labels)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("metric", ["muc", "bcub", "ceafe", "lea"])
def test_an_exact_p_is_that_of_scipy(metric: str, seed: int) -> None:
    """`scipy.stats.permutation_test` exchanges documents of two systems in all 2^8 ways; scores are those of sums."""
    rng = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(8)]
    key, one, other = ({name: drawn(rng, entities) for name in names} for entities in (4, 4, 3))
    counts = np.concatenate([score(key, side, metrics=metric).counts[metric][:, 0] for side in (one, other)])

    def f1(rows: Any) -> float:
        recall_part, recall_whole, precision_part, precision_whole = counts[rows.astype(int)].sum(axis=0)
        recall, precision = recall_part / recall_whole, precision_part / precision_whole
        return float(2 * recall * precision / (recall + precision))

    expected = stats.permutation_test(
        (np.arange(8), np.arange(8, 16)),
        lambda first, second: f1(first) - f1(second),
        permutation_type="samples",
        vectorized=False,
        n_resamples=2**8,
    )
    found = compare(key, {"one": one, "other": other}, f"{metric}.f1").to_dict()["pairs"][0]["measures"][metric]["f1"]
    assert found["p"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("seed", range(20))
def test_tau_is_that_of_scipy(seed: int) -> None:
    """With ties, too: scores are tenths."""
    first, second = np.random.default_rng(seed).integers(8, size=(2, 9)) / 10
    assert float(_kendall(first, second)) == pytest.approx(stats.kendalltau(first, second).statistic)
