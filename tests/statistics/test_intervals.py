"""Intervals against a slow, obvious twin, against cases known by hand, and against the truth."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence

import coverage
import numpy as np
import pytest
from corefscore.core.arrays import Floats
from corefscore.metrics import find
from corefscore.metrics.base import summed
from corefscore.statistics.intervals import ends, errors, freedom, quantile, sum_of
from corefscore.statistics.significance import Method, Sample, compared, statistics, without_each
from scipy import stats


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


def twin(
    score: float, left_out: Sequence[float], shares: Sequence[float], *, level: float, least: float
) -> list[float]:
    """The interval of one statistic as the formulas have it, number by number."""
    units = len(left_out)
    error = math.sqrt((units - 1) / units * sum((score - value) ** 2 for value in left_out))
    effective = max(1, 1 / sum(share**2 for share in shares) - 1)
    reach = float(stats.t.ppf((1 + level) / 2, 2 / (1 / (units - 1) + 1 / effective))) * error
    share = (score - least) / (1 - least)
    if not 0 < share < 1:
        return [math.nan] * 2
    logit, scaled = math.log(share / (1 - share)), reach / (1 - least) / share / (1 - share)
    return [least + (1 - least) / (1 + math.exp(min(700, -each))) for each in (logit - scaled, logit + scaled)]


@pytest.mark.parametrize("units", [2, 3, 8, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_are_those_of_the_twin(units: int, confidence: float) -> None:
    """Of scores and of differences; left-out scores are those of a sample without the unit."""
    counts = random_counts(3, units)
    counts[1, :, 0] = np.floor(counts[1, :, 0] * 0.8)
    counts[2, :, 2] = counts[2, :, 3]
    found = compared(of_counts(counts), Method(trials=30, confidence=confidence, correction="none"))
    without = np.stack([of_counts(np.delete(counts, unit, axis=1)).observed for unit in range(units)])
    shares = (counts[0, :, 1] / counts[0, :, 1].sum()).tolist()
    for score in range(3):
        left, seen = without[:, :, 0, score], found.sample.observed[:, 0, score]
        for system in range(3):
            expected = twin(float(seen[system]), left[:, system].tolist(), shares, level=confidence, least=0)
            assert found.ends[system, 0, score].tolist() == pytest.approx(expected, abs=1e-9, nan_ok=True)
        for place, (a, b) in enumerate(found.sample.pairs):
            difference, left_pair = float(seen[a] - seen[b]), (left[:, a] - left[:, b]).tolist()
            expected = twin(difference, left_pair, shares, level=confidence, least=-1)
            assert found.difference_ends[place, 0, score].tolist() == pytest.approx(expected, abs=1e-9)


def test_the_order_of_systems_changes_no_interval() -> None:
    """With given mentions, each system has its own share of what is counted in a document."""
    counts = random_counts(3, 12)
    counts[1, 0] += 200
    counts[2, 3] += 50
    found = [compared(of_counts(counts[order]), Method(trials=30)) for order in ([0, 1, 2], [2, 1, 0])]
    assert np.array_equal(found[0].ends, found[1].ends[::-1], equal_nan=True)
    widths = [np.diff(each.difference_ends[:, 0, 2]).ravel() for each in found]
    assert widths[0] == pytest.approx(widths[1][::-1])
    alone = compared(of_counts(counts[:1]), Method(trials=30)).ends
    assert np.array_equal(alone, found[0].ends[:1], equal_nan=True)


def test_an_interval_by_hand() -> None:
    """Two units of equal size with the scores 0.4 and 0.6: the error is sqrt(1/2 (0.01 + 0.01)) = 0.1, that of the
    logit of 0.5 is 0.4, and the t of one degree of freedom that leaves out 5 % is 12.7062."""
    observed, left_out = np.array([0.5]), np.array([[0.4], [0.6]])
    error = errors(observed, left_out, np.array([0, 0]))
    assert error.tolist() == [pytest.approx(0.1)]
    assert freedom(np.array([[0.5], [0.5]]), np.array([0, 0])).tolist() == [1]
    reach = quantile(0.95, np.array([1.0]))
    assert reach.tolist() == [pytest.approx(12.7062, abs=1e-4)]
    low = 1 / (1 + math.exp(12.7062 * 0.4))
    assert ends(observed, error, reach, 0).tolist() == [pytest.approx([low, 1 - low], abs=1e-6)]
    low = 2 / (1 + math.exp(12.7062 * 0.2)) - 1  # the error of (d + 1) / 2 is half as large
    assert ends(np.array([0.0]), error, reach, -1).tolist() == [pytest.approx([low, -low], abs=1e-6)]


def test_errors_are_those_of_a_mean() -> None:
    """The jackknife error of a mean is the standard deviation divided by the root of n; over two groups, squares of
    half of each add up, and the only unit of a group has none."""
    numbers = np.random.default_rng(4).random(9)

    def left_out(values: Floats) -> Floats:
        found: Floats = (values.sum() - values) / (len(values) - 1)
        return found

    one = errors(numbers.mean()[None], left_out(numbers)[:, None], np.zeros(9, dtype=np.int64))
    assert one[0] == pytest.approx(numbers.std(ddof=1) / 3)
    a, b = numbers[:4], numbers[4:8]
    both = (a.mean() + b.mean() + numbers[8]) / 3
    parts = [(left_out(a) + b.mean() + numbers[8]) / 3, (left_out(b) + a.mean() + numbers[8]) / 3, [numbers[8]]]
    groups = np.array([0] * 4 + [1] * 4 + [2])
    two = errors(np.array([both]), np.concatenate(parts)[:, None], groups)
    assert two[0] == pytest.approx(math.hypot(a.std(ddof=1) / 2, b.std(ddof=1) / 2) / 3)


def test_degrees_of_freedom_fall_if_one_unit_is_large() -> None:
    shares = np.array([[0.1, 0.55], *[[0.1, 0.05]] * 9])
    few = 1 / (0.55**2 + 9 * 0.05**2) - 1
    expected = [9, 2 / (1 / 9 + 1 / few)]
    assert freedom(shares, np.zeros(10, dtype=np.int64)).tolist() == pytest.approx(expected)


def test_intervals_of_differences_hold_together() -> None:
    """They are longer than single ones, and no longer than Bonferroni's method would have it."""
    counts = random_counts(5, 12)
    counts[..., 0] = np.floor(counts[..., 0] * np.linspace(1, 0.8, 5)[:, None])
    one, several = (compared(of_counts(counts), Method(correction=how)) for how in ("none", "largest"))
    strict = compared(of_counts(counts), Method(correction="none", confidence=1 - 0.05 / 10))
    widths = [np.diff(each.difference_ends[:, 0, 2]).ravel() for each in (one, several, strict)]
    assert np.all(widths[0] < widths[1])
    assert np.all(widths[1] < widths[2])
    assert np.array_equal(one.ends, several.ends, equal_nan=True)


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


def test_what_never_varies_has_an_interval_of_no_width() -> None:
    counts = np.tile([3.0, 4.0, 3.0, 6.0], (1, 12, 1))
    assert compared(of_counts(counts), Method(trials=50)).ends[0, 0, 0].tolist() == pytest.approx([0.75, 0.75])


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


def test_the_simulation_of_coverage_knows_the_truth() -> None:
    """Of documents that all have the same score, every interval contains it, and no test finds a difference."""
    key = coverage.key_of(np.full(12, 20.0), 1)
    same = {name: entities[:-1] for name, entities in coverage.key_of(np.full(12, 20.0), 1).items()}
    of = coverage._sample(key, same, same)
    rows = list(coverage.intervals(of, 5, 3))
    assert [row[:2] for row in rows] == [
        ["5", f"{measure}{kind}"] for kind in ("", " difference") for measure in coverage.MEASURES
    ]
    assert {row[2] for row in rows[3:]} == {"1.00"}
    assert coverage.tests(of, 5, 3) == ["0.00", "0.00"]
    assert coverage.power("normal", 5, 3)[:5] == ["normal", "5", "", "", ""]


def test_the_page_has_rows_of_the_simulation() -> None:
    heads, *rows = csv.reader(coverage.ROWS.open(encoding="utf-8"))
    assert heads == list(coverage.HEADS)
    assert len(rows) == 6 * len(coverage.UNITS) * 2 * len(coverage.MEASURES)
    page = coverage.PAGE.read_text()
    assert f"<!-- measured -->\n\n{coverage.on_page(rows)}\n\n<!-- end -->" in page
    for populations in ({"even", "skewed"}, {"near-perfect", "near-zero", "all-or-nothing"}):
        held = [round(100 * float(row[3])) for row in rows if row[0] in populations]
        assert f"coverage is {min(held)} to {max(held)} %" in page


def test_a_sum_without_variance_has_a_degree_of_freedom() -> None:
    """Its error is 0, and a quantile of it must be a number."""
    error, degrees = sum_of(
        [(np.array([0.0, 2.0]), np.array([4.0, 4.0])), (np.array([0.0, 2.0]), np.array([4.0, 4.0]))]
    )
    assert (error.tolist(), degrees.tolist()) == ([0, 2], [1, 8])
