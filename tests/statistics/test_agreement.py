"""Kendall's tau against scipy, and its interval against resampling by hand."""

from __future__ import annotations

import corefscore
import numpy as np
import pytest
from corefscore.metrics import wanted
from corefscore.statistics.agreement import _kendall, taus
from corefscore.statistics.significance import resampled, statistics
from corefscore.statistics.units import sample
from scipy import stats
from support import TESTDATA

SYSTEMS = TESTDATA / "systems"


@pytest.mark.parametrize("systems", [2, 5, 12])
def test_tau_is_that_of_scipy(systems: int) -> None:
    """Of whole numbers, many of which are equal."""
    numbers = np.random.default_rng(systems)
    for _ in range(20):
        first, second = numbers.integers(0, 5, size=(2, systems)).astype(float)
        expected = stats.kendalltau(first, second).statistic
        assert _kendall(first, second) == pytest.approx(expected, nan_ok=True)


def test_a_measure_that_gives_no_order_has_no_tau() -> None:
    """The systems have the same mentions; one system has no order either. Their other scores do have one."""
    key = {"a": [[(0, 0), (1, 1)], [(2, 2), (3, 3)]], "b": [[(0, 0), (1, 1)], [(2, 2), (3, 3)]]}
    joined = {**key, "a": [[(0, 0), (1, 1), (2, 2), (3, 3)]]}
    for systems in ({"x": key, "y": joined}, {"x": joined}):
        report = corefscore.rank(key, systems, "mentions,lea,muc", sort="lea", agreement=True)
        found = [[row[name] for name in ("tau", "low", "high")] for row in report.to_dict()["agreement"]]
        assert found[:2] == [[None] * 3] * 2
        assert (found[2][0] == 1) == (len(systems) > 1)


def test_intervals_are_percentiles_of_resampled_documents() -> None:
    """A resample has the score of as many documents, drawn with replacement."""
    results = [corefscore.score(SYSTEMS / "key.conll", path) for path in sorted((SYSTEMS / "runs").iterdir())]
    of = sample(results, wanted("lea.f1,muc.f1").measures)
    generator = np.random.Generator(np.random.PCG64(3))
    weights = generator.multinomial(of.units, np.full(of.units, 1 / of.units), 1000)
    expected = statistics(of.metrics, of.measures, np.einsum("tu,suc->stc", weights, of.counts)[None])
    found = resampled(of, 1000, 3)
    assert np.allclose(np.moveaxis(found, 0, 1), expected, equal_nan=True)
    of_each = [
        stats.kendalltau(lea, muc).statistic for lea, muc in zip(found[:, :, 0, 2], found[:, :, 1, 2], strict=True)
    ]
    ((tau, low, high),) = taus(of, [(0, 1)], 3, 0.9)
    assert tau == pytest.approx(stats.kendalltau(of.observed[:, 0, 2], of.observed[:, 1, 2]).statistic)
    assert [low, high] == pytest.approx(np.quantile(of_each, [0.05, 0.95]))
