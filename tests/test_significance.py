"""Tests and intervals against enumeration by hand, against rescoring, and against what they promise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore import significance
from corefscore.arrays import Floats
from corefscore.counts import summed
from corefscore.measures import wanted
from corefscore.metrics import find
from corefscore.results import Result
from corefscore.significance import (
    Method,
    Sample,
    bootstrap,
    bootstrap_test,
    compared,
    holm,
    interval,
    on_grid,
    randomization,
    statistics,
)
from corefscore.units import sample
from support import CORPORA, RECORDED

CASE = RECORDED / "documents-0015"
MEASURES = wanted("every,conll,mentions,blanc.coreference").measures


def counted(*systems: Sequence[Sequence[float]]) -> Sample:
    """Systems that have one measure, given as its four counts in each unit."""
    return simulated(np.array(systems, dtype=np.float64))


def simulated(counts: Floats) -> Sample:
    metrics = [find("muc")]
    observed = np.stack([statistics(metrics, ["muc"], summed(its)[None]) for its in counts])
    return Sample(metrics, ["muc"], counts, np.zeros(counts.shape[1], dtype=np.int64), observed)


def shares(hits: Floats, of: int = 10) -> Floats:
    """Counts of units in which so many of ten links are right, on both sides."""
    whole = np.full(hits.shape, float(of))
    return np.stack([hits, whole, hits, whole], axis=-1)


def results(folder: Path = CASE) -> list[Result]:
    """Three systems of one case: its response, its key, and the response without singletons."""
    key, response = corefscore.read(folder / "key.conll"), corefscore.read(folder / "response.conll")
    return [
        corefscore.score(key, response, "every"),
        corefscore.score(key, key, "every"),
        corefscore.score(key, response, "every", singletons="drop-response"),
    ]


def test_three_units_enumerated_by_hand() -> None:
    """A has 3, 2 and 1 of 4 links right, B 1, 1 and 1. The third unit does not matter. Swapping gives differences of
    the sums of 3, 1, -1, -3 twelfths: two of four are as far as the observed one, in recall, precision and F1."""
    tests = randomization(counted([[3, 4, 3, 4], [2, 4, 2, 4], [1, 4, 1, 4]], [[1, 4, 1, 4]] * 3), 10_000, 0)
    assert tests.p.tolist() == [[[0.5, 0.5, 0.5]]]
    assert (tests.differ.tolist(), tests.exact.tolist(), tests.smallest.tolist()) == ([[2]], [[True]], [[0.5]])


def test_enumeration_is_that_of_a_loop_over_all_swaps() -> None:
    sides = results()
    units = sample(sides, MEASURES)
    tests = randomization(units, 32, 0)
    assert tests.exact.all()
    for place, (a, b) in enumerate(units.pairs):
        hits = np.zeros(units.observed[0].shape)
        for swaps in itertools.product([False, True], repeat=len(sides[0].names)):
            first, second = (
                mixed([(sides[b if swap == (side == a) else a], n) for n, swap in enumerate(swaps)]) for side in (a, b)
            )
            hits += np.abs(first - second) >= np.abs(units.observed[a] - units.observed[b]) - 1e-12
        known = ~np.isnan(units.observed[0])
        assert np.array_equal(tests.p[place][known], (hits / 32)[known])


def mixed(documents: Sequence[tuple[Result, int]]) -> Floats:
    """The scores of documents each of which is taken from one of several results."""
    needed = sample([documents[0][0]], MEASURES).metrics
    sums = [
        summed(np.stack([result.counts[metric.name][place].ravel() for result, place in documents]))
        for metric in needed
    ]
    return statistics(needed, MEASURES, np.concatenate(sums)[None])


def test_drawn_trials_come_near_the_enumerated_p() -> None:
    numbers = np.random.default_rng(5)
    units = simulated(shares(numbers.integers(0, 11, size=(2, 12)).astype(float)))
    exact, drawn = randomization(units, 4096, 0), randomization(units, 4095, 0)
    assert exact.exact.all()
    assert not drawn.exact.any()
    assert np.abs(exact.p - drawn.p).max() < 0.03


def test_identical_systems_have_p_one_in_every_test() -> None:
    side = results()[0]
    for count in (1, 100):
        units = sample([side, side], MEASURES)
        tests = randomization(units, count, 0)
        assert tests.differ.max() == 0
        for found in (tests, bootstrap_test(units, bootstrap(units, count, 0))):
            assert np.nanmin(found.p) == 1
            assert found.smallest.tolist() == [[1] * len(MEASURES)]


def test_the_average_has_no_recall_and_no_p_for_it() -> None:
    found = compared(sample(results(), ["conll"]), Method(trials=10))
    assert np.isnan(found.tests.p[..., :2]).all()
    assert not np.isnan(found.tests.p[..., 2]).any()


@pytest.mark.parametrize("block", [1, 100, 10_000_000])
def test_the_size_of_a_block_moves_no_digit(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    units = sample(results(), MEASURES)
    method = Method(trials=20)
    expected = compared(units, method)
    monkeypatch.setattr(significance, "BLOCK", block)
    found = compared(units, method)
    for name in ("ends", "difference_ends", "corrected"):
        assert np.array_equal(getattr(expected, name), getattr(found, name), equal_nan=True)


def test_a_seed_repeats_and_another_seed_differs() -> None:
    units = sample(results(), MEASURES)
    assert np.array_equal(bootstrap(units, 50, 3), bootstrap(units, 50, 3), equal_nan=True)
    assert not np.array_equal(bootstrap(units, 50, 3), bootstrap(units, 50, 4), equal_nan=True)


def test_counts_on_the_grid_add_up_in_any_order() -> None:
    numbers = np.random.default_rng(2)
    counts = on_grid(numbers.random((1, 5000, 1)) ** 8 * 1000 / 3)[0, :, 0]
    times = numbers.integers(0, 9, size=5000)
    assert len({float((counts * times)[numbers.permutation(5000)].sum()) for _ in range(50)}) == 1
    assert np.array_equal(on_grid(np.arange(60.0).reshape(1, 20, 3)), np.arange(60.0).reshape(1, 20, 3))


def test_whole_numbers_stay_what_they_are_on_the_grid() -> None:
    counts = np.array([[[2.0**48 - 4], [3.0]], [[1.0], [2.0]]])
    assert np.array_equal(on_grid(counts), counts)


def test_blocks_bound_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "BLOCK", 20)
    blocks = list(significance._Trials(simulated(shares(np.ones((2, 8))))).blocks(5, 0))
    assert [block.shape for block in blocks] == [(2, 8), (2, 8), (1, 8)]


def test_the_bootstrap_test_counts_resamples_as_far_off_as_the_observed_difference() -> None:
    """A has three of four links right, B two; of resampled differences the observed one is taken off."""
    units = counted([[1, 2, 1, 2], [2, 2, 2, 2]], [[1, 2, 1, 2], [1, 2, 1, 2]])
    differences = np.array([0.25, 0.5, 0.0, 0.1, 0.625, -0.25, 0.49])
    resampled = np.stack([np.broadcast_to(each, (1, 3, 7)) for each in (0.25 + differences, np.full(7, 0.25))])
    tests = bootstrap_test(units, resampled)
    assert tests.p[0, 0, 0] == (4 + 1) / (7 + 1)
    assert (tests.differ.tolist(), tests.exact.tolist()) == ([[1]], [[False]])


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_the_test_is_the_one_that_was_asked_for(test: str) -> None:
    units = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(2, 30)).astype(float)))
    resampled = bootstrap(units, 40, 3)
    expected = randomization(units, 40, 3) if test == "randomization" else bootstrap_test(units, resampled)
    found = compared(units, Method(test=test, trials=40, seed=3))
    assert np.array_equal(found.tests.p, expected.p)
    assert np.array_equal(found.ends, interval(resampled, 0.95))


def test_a_verdict_is_given_where_the_smallest_p_is_the_level() -> None:
    """Five units that all differ one way: p is 1/16, the smallest there can be."""
    units = simulated(shares(np.array([[10.0] * 5, [0.0] * 5])))
    found = [compared(units, Method(confidence=level)).differ(0, 0, 2) for level in (0.9375, 0.94)]
    assert found == [True, None]


def test_swapping_systems_mirrors_differences_and_leaves_p() -> None:
    first, second, third = results()
    one = compared(sample([first, second, third], MEASURES), Method(trials=20))
    other = compared(sample([third, second, first], MEASURES), Method(trials=20))
    assert np.array_equal(one.tests.p, other.tests.p[::-1], equal_nan=True)
    assert np.allclose(one.difference_ends[1], -other.difference_ends[1][..., ::-1], atol=1e-15, equal_nan=True)
    assert np.array_equal(one.ends, other.ends[::-1], equal_nan=True)


def test_a_pair_has_the_same_p_whoever_else_is_there() -> None:
    first, second, third = results()
    alone = compared(sample([first, third], MEASURES), Method(trials=20)).tests
    among = compared(sample([first, second, third], MEASURES), Method(trials=20)).tests
    assert np.array_equal(alone.p[0], among.p[1], equal_nan=True)


def test_names_of_documents_change_nothing() -> None:
    sides = results()
    before = compared(sample(sides, MEASURES), Method(trials=20))
    renamed = [replace(side, names=[f"z{len(side.names) - at}" for at in range(len(side.names))]) for side in sides]
    after = compared(sample(renamed, MEASURES), Method(trials=20))
    assert np.array_equal(before.ends, after.ends, equal_nan=True)
    assert np.array_equal(before.tests.p, after.tests.p, equal_nan=True)


def test_a_resample_scores_what_its_files_would(tmp_path: Path) -> None:
    """The first resamples, written out as files in which drawn documents stand as often as they were drawn."""
    key, response = ((CASE / f"{side}.conll").read_text() for side in ("key", "response"))
    result = corefscore.score(CASE / "key.conll", CASE / "response.conll", "every")
    units = sample([result], MEASURES)
    resampled = bootstrap(units, 4, 9)
    generator = np.random.Generator(np.random.PCG64(9))
    for trial, uniform in enumerate(generator.random((4, units.units))):
        drawn = (uniform * units.units).astype(int).tolist()
        for side, text in (("key", key), ("response", response)):
            (tmp_path / side).write_text("".join(copies(text, drawn)))
        # The official limit of repeated mentions is for a file, not for the documents in it.
        again = corefscore.score(tmp_path / "key", tmp_path / "response", "every")
        expected = sample([again], MEASURES).observed[0]
        assert np.allclose(resampled[0, ..., trial], expected, rtol=0, atol=1e-12, equal_nan=True)


def copies(text: str, drawn: Sequence[int]) -> list[str]:
    documents = text.split("#begin document ")[1:]
    return [f"#begin document {number}_{documents[place]}" for number, place in enumerate(drawn)]


def test_holm_is_that_of_a_worked_example() -> None:
    """p of 0.01, 0.04, 0.03, 0.005: times 3, 1, 2, 4 from the smallest up, and never falling."""
    corrected = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert corrected == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]


def test_a_mean_over_groups_resamples_within_each() -> None:
    """Of two groups with one unit each nothing can be drawn but these two."""
    counts = shares(np.array([[2.0, 9.0]]))
    units = Sample([find("muc")], ["muc"], counts, np.array([0, 1]), np.zeros((1, 1, 3)))
    assert bootstrap(units, 20, 0)[0, 0].tolist() == [[pytest.approx(0.55)] * 20] * 3


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_units_too_few_for_a_verdict_get_none(test: str) -> None:
    few = compared(simulated(shares(np.array([[9.0] * 5, [1.0] * 5]))), Method(test=test))
    enough = compared(simulated(shares(np.array([[9.0] * 6, [1.0] * 6]))), Method(test=test))
    assert few.tests.smallest.tolist() == [[2 / 32]]
    assert few.differ(0, 0, 2) is None
    assert enough.differ(0, 0, 2) is True


def test_trials_too_few_for_a_verdict_get_none() -> None:
    found = compared(simulated(shares(np.array([[9.0] * 30, [1.0] * 30]))), Method(trials=10))
    assert found.differ(0, 0, 2) is None


@pytest.mark.slow
@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_equal_systems_are_rarely_told_apart(test: str) -> None:
    """P(p <= a) <= a over 2,000 simulated pairs of 40 units; the randomization test is exact, the bootstrap is
    so as units grow in number (three standard errors of the simulation, and a fifth of a for the bootstrap)."""
    numbers = np.random.default_rng(11)
    p = []
    for seed in range(2000):
        skill = numbers.beta(4, 2, size=40)
        units = simulated(shares(numbers.binomial(10, skill, size=(2, 40)).astype(float)))
        p.append(compared(units, Method(test=test, trials=199, seed=seed)).tests.p[0, 0, 2])
    for a in (0.01, 0.05, 0.1):
        slack = 3 * np.sqrt(a * (1 - a) / len(p)) + (a / 5 if test == "bootstrap" else 0)
        assert np.mean(np.array(p) <= a) <= a + slack


@pytest.mark.slow
def test_intervals_of_95_percent_hold_the_truth_so_often() -> None:
    """Sets of 200 documents whose true share of right links is known: 2 / 3, and 0.05 less for the second system."""
    numbers = np.random.default_rng(12)
    held = []
    for seed in range(1000):
        skill = numbers.beta(4, 2, size=200)
        links = numbers.integers(1, 30, size=200)
        hits = np.stack([numbers.binomial(links, skill), numbers.binomial(links, skill - 0.05 * skill * 1.5)])
        whole = np.broadcast_to(links, hits.shape)
        units = simulated(np.stack([hits, whole, hits, whole], axis=-1).astype(float))
        resampled = bootstrap(units, 400, seed)[:, 0, 2]
        low, high = interval(np.stack([*resampled, resampled[0] - resampled[1]]), 0.95).T
        truth = np.array([2 / 3, 2 / 3 * 0.925, 2 / 3 * 0.075])
        held.append((low <= truth) & (truth <= high))
    assert np.all((np.mean(held, axis=0) >= 0.92) & (np.mean(held, axis=0) <= 0.98))


@pytest.mark.skipif(not CORPORA.exists(), reason="../shared/corpora is not there")
def test_real_systems_of_206_documents() -> None:
    """The two clusterings differ in 14 documents by little, the lemma baseline from both in 41 and 43."""
    folder = CORPORA / "ecbplus-withindoc"
    key = corefscore.read(folder / "key.conll")
    names = ("evaluate-clustering-0", "evaluate-clustering-with-gold-clustering-3", "lemma-baselines-lemma-wd")
    found = compared(sample([corefscore.score(key, folder / f"{name}.conll") for name in names], MEASURES), Method())
    conll = list(MEASURES).index("conll")
    assert found.sample.units == 206
    assert found.tests.differ[:, conll].tolist() == [14, 41, 43]
    assert [found.differ(pair, conll, 2) for pair in range(3)] == [False, True, True]
    assert np.all(found.ends[..., 0] <= found.ends[..., 1], where=~np.isnan(found.ends[..., 0]))
