"""Intervals against a slow, obvious twin, against cases known by hand, and against the truth."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

import coverage
import numpy as np
import pytest
from corefscore.core.arrays import Floats
from corefscore.metrics import find
from corefscore.metrics.counts import summed
from corefscore.statistics.intervals import FLOOR, ends, errors, influence
from corefscore.statistics.significance import Method, Sample, compared, draws, statistics, without_each


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
    resampled: Sequence[float],
    observed: float,
    left_out: Sequence[float],
    times: Sequence[Sequence[float]],
    *,
    level: float,
    least: float,
) -> list[float]:
    """The interval of one statistic as the formulas have it, number by number; ``times`` is trials x units."""
    units = len(left_out)
    moved = [mean(left_out) - value for value in left_out]
    error = math.sqrt(sum(value**2 for value in moved))
    distances = []
    for value, drawn in zip(resampled, times, strict=True):
        middle = sum(many * its for many, its in zip(drawn, moved, strict=True)) / units
        own = math.sqrt(sum(many * (its - middle) ** 2 for many, its in zip(drawn, moved, strict=True)))
        distances.append(abs(value - observed) / max(own, FLOOR * error) if error else 0.0)
    rank = min(len(distances), math.ceil(round(level * (len(distances) + 1), 9)))
    reach = sorted(distances)[rank - 1] * error
    return [min(1, max(least, observed - reach)), min(1, max(least, observed + reach))]


@pytest.mark.parametrize("units", [2, 3, 8, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_are_those_of_the_twin(units: int, confidence: float) -> None:
    """Of scores and of differences; left-out scores are those of a sample without the unit."""
    counts = random_counts(3, units)
    counts[1, :, 0] = np.floor(counts[1, :, 0] * 0.8)
    found = compared(of_counts(counts), Method(trials=300, confidence=confidence))
    without = np.stack([of_counts(np.delete(counts, unit, axis=1)).observed for unit in range(units)])
    observed = found.sample.observed
    times = np.concatenate(list(draws(found.sample, 300, 0))).tolist()
    for score in range(3):
        its, left, seen = found.resampled[:, 0, score], without[:, :, 0, score], observed[:, 0, score]
        for system in range(3):
            expected = twin(
                its[system], float(seen[system]), left[:, system].tolist(), times, level=confidence, least=0
            )
            shown = [math.nan] * 2 if list(expected) == [0, 1] else expected  # says nothing, so it is left out
            assert found.ends[system, 0, score].tolist() == pytest.approx(shown, abs=1e-9, nan_ok=True)
        for place, (a, b) in enumerate(found.sample.pairs):
            difference = float(seen[a] - seen[b])
            expected = twin(
                its[a] - its[b], difference, (left[:, a] - left[:, b]).tolist(), times, level=confidence, least=-1
            )
            assert found.difference_ends[place, 0, score].tolist() == pytest.approx(expected, abs=1e-9)


def test_an_interval_by_hand() -> None:
    """Two units that move a score by 1/10 up and down: the error is sqrt(2)/10, and that of a resample that drew one of
    them twice is 0."""
    powers = np.array([[[0.1], [0.01]], [[-0.1], [0.01]]])
    found = errors(np.array([[1.0, 1.0], [2.0, 0.0]]), powers, np.array([0, 0]))
    assert found[:, 0].tolist() == [pytest.approx(math.sqrt(0.02)), 0]
    distances = np.array([0.5, 3.0, 1.0, 2.0])
    score, error = np.array(0.5), np.array(0.1)
    assert ends(score, error, distances, 0.6, 0).tolist() == pytest.approx([0.3, 0.7])
    assert ends(score, error, distances, 0.95, 0).tolist() == pytest.approx([0.2, 0.8])
    assert ends(score, error * 2, distances, 0.95, 0).tolist() == [0, 1]
    assert ends(score, error * 4, distances, 0.95, -1).tolist() == [pytest.approx(-0.7), 1]


def test_errors_of_groups_add_up() -> None:
    """Squares add up over groups; the only unit of a group has none."""
    moved = np.array([[0.3], [-0.3], [0.2], [-0.2], [0.0]])
    found = errors(np.ones((1, 5)), np.stack([moved, moved**2], axis=1), np.array([0, 0, 1, 1, 2]))
    assert found[0, 0] == pytest.approx(math.sqrt(2 * 0.3**2 + 2 * 0.2**2))


def test_pairs_in_several_batches_are_those_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = random_counts(4, 9)
    counts[1:3, :, 0] = np.floor(counts[1:3, :, 0] * 0.7)
    whole = compared(of_counts(counts), Method(trials=40)).difference_ends
    monkeypatch.setattr("corefscore.statistics.intervals.LIMIT", 1)
    assert np.array_equal(whole, compared(of_counts(counts), Method(trials=40)).difference_ends)


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
    moved = influence(found, np.array(groups))
    assert np.allclose(moved[:3].sum(axis=0), 0, atol=1e-15)
    assert np.allclose(moved[3:], found[3:].mean(axis=0) - found[3:], atol=1e-15)


def test_what_never_varies_has_an_interval_of_no_width() -> None:
    counts = np.tile([3.0, 4.0, 3.0, 6.0], (1, 12, 1))
    assert compared(of_counts(counts), Method(trials=50)).ends[0, 0, 0].tolist() == [0.75, 0.75]


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


def test_the_simulation_of_coverage_swaps_samples_of_any_systems() -> None:
    """`make coverage` takes samples that mark what has nothing to count, and makes others of two of their systems."""
    counts = random_counts(3, 12)
    of = of_counts(counts)
    marked = replace(of, uncounted=np.zeros_like(of.observed, dtype=bool))
    rates = coverage.false_alarms(marked, 5, 2)
    assert rates.tolist() == coverage.false_alarms(of, 5, 2).tolist()
    shares = coverage.coverage(marked, 5, 2)
    assert shares.shape == (3 + 3,)
    assert np.isin(shares * 2 * 3, range(7)).all()


def test_the_page_has_rows_of_the_simulation() -> None:
    heads, *rows = csv.reader(coverage.ROWS.open(encoding="utf-8"))
    assert heads == list(coverage.HEADS)
    assert f"<!-- measured -->\n\n{coverage.on_page(rows)}\n\n<!-- end -->" in coverage.PAGE.read_text()
