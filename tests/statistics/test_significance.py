"""Tests and intervals against enumeration by hand, against rescoring, and against what they promise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.core.arrays import Floats
from corefscore.metrics import find
from corefscore.metrics.counts import summed
from corefscore.metrics.measures import wanted
from corefscore.scoring.results import Result
from corefscore.statistics import significance
from corefscore.statistics.significance import (
    Method,
    Sample,
    bootstrap_test,
    compared,
    holm,
    on_grid,
    randomization,
    resamples,
    statistics,
)
from corefscore.statistics.units import sample, unit_names
from support import CORPORA, EXCERPTS, RECORDED, WHOLE_CORPORA

CASE = RECORDED / "documents-0015"
MEASURES = wanted("every,conll,mentions,blanc.coreference").measures


def bootstrap(of: Sample, trials: int, seed: int) -> Floats:
    """The scores of all resamples: systems x measures x scores x trials."""
    return np.concatenate(list(resamples(of, trials, seed)), axis=-1)


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
    assert (tests.differing_units.tolist(), tests.exact.tolist(), tests.smallest.tolist()) == (
        [[[2] * 3]],
        [[[True] * 3]],
        [[[0.5] * 3]],
    )


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


def test_drawn_trials_are_those_of_a_loop_and_the_observed_one_counts_too() -> None:
    """Systems that differ clearly, a little, and in every one of 20 units: no drawn trial is as far off."""
    numbers = np.random.default_rng(7)
    near = numbers.integers(0, 11, size=(2, 20)).astype(float)
    for hits in (near, np.add(near, [[3], [0]]), np.array([[10.0] * 20, [0.0] * 20])):
        units = simulated(shares(hits))
        swaps = np.random.Generator(np.random.PCG64(4)).random((99, 20)) < 0.5
        differences = [np.where(swap, -1, 1) @ (hits[0] - hits[1]) for swap in swaps]
        expected = 1 + np.sum(np.abs(differences) >= abs((hits[0] - hits[1]).sum()))
        tests = randomization(units, 99, 4)
        assert tests.p.tolist() == [[[expected / 100] * 3]]
        assert tests.smallest.tolist() == [[[1 / 100] * 3]]
    assert expected == 1


def test_the_bootstrap_tests_by_all_trials_and_keeps_those_of_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    units = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(3, 30)).astype(float)))
    monkeypatch.setattr(significance, "TRIALS", 20)
    monkeypatch.setattr(significance, "BLOCK", 30 * 5)
    found = compared(units, Method(test="bootstrap", trials=60, seed=3))
    assert np.array_equal(found.tests.p, bootstrap_test(units, [bootstrap(units, 60, 3)]).p)
    kept: list[Floats] = []
    done: list[int] = []
    blocks = list(significance._kept(units, 60, 3, kept, done.append))
    assert [block.shape[-1] for block in blocks] == [5] * 12
    assert [block.shape[-1] for block in kept] == [5] * 4
    assert done == [5 * units.systems] * 12


def test_identical_systems_have_p_one_in_every_test() -> None:
    side = results()[0]
    for count in (1, 100):
        units = sample([side, side], MEASURES)
        tests = randomization(units, count, 0)
        assert tests.differing_units.max() == 0
        for found in (tests, bootstrap_test(units, [bootstrap(units, count, 0)])):
            assert np.nanmin(found.p) == 1
            assert np.nanmin(found.smallest) == 1


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
    tests = bootstrap_test(units, [resampled[..., :3], resampled[..., 3:]])
    assert tests.p[0, 0, 0] == (4 + 1) / (7 + 1)
    assert (tests.differing_units.tolist(), tests.exact.tolist()) == ([[[1] * 3]], [[[False] * 3]])


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_the_test_is_the_one_that_was_asked_for(test: str) -> None:
    units = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(2, 30)).astype(float)))
    resampled = bootstrap(units, 40, 3)
    expected = randomization(units, 40, 3) if test == "randomization" else bootstrap_test(units, [resampled])
    found = compared(units, Method(test=test, trials=40, seed=3))
    assert np.array_equal(found.tests.p, expected.p)
    assert np.array_equal(found.resampled, resampled)


def test_a_verdict_is_given_where_the_smallest_p_is_the_level() -> None:
    """Five units that all differ one way: p is 1/16, the smallest there can be."""
    units = simulated(shares(np.array([[10.0] * 5, [0.0] * 5])))
    found = [compared(units, Method(alpha=level)).differ(0, 0, 2) for level in (0.0625, 0.06)]
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


def test_names_of_documents_in_the_same_order_change_nothing() -> None:
    sides = results()
    before = compared(sample(sides, MEASURES), Method(trials=20))
    renamed = [replace(side, names=[f"z{name}" for name in side.names]) for side in sides]
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
    assert few.tests.by_units.tolist() == [[[2 / 32] * 3]]
    assert few.differ(0, 0, 2) is None
    assert enough.differ(0, 0, 2) is True


def test_trials_too_few_for_a_verdict_get_none() -> None:
    found = compared(simulated(shares(np.array([[9.0] * 30, [1.0] * 30]))), Method(trials=10))
    assert found.differ(0, 0, 2) is None


def test_units_are_counted_by_score() -> None:
    """Recall differs in the first two of four units, precision in the last three."""
    first = [[2, 4, 1, 4], [2, 4, 1, 4], [1, 4, 1, 4], [1, 4, 1, 4]]
    second = [[1, 4, 1, 4], [1, 4, 2, 4], [1, 4, 1, 5], [1, 4, 2, 4]]
    tests = randomization(counted(first, second), 10_000, 0)
    assert tests.differing_units.tolist() == [[[2, 3, 4]]]
    assert tests.smallest.tolist() == [[[0.5, 0.25, 0.125]]]
    found = compared(counted(first, second), Method(alpha=0.3))
    assert [found.differ(0, 0, score) is None for score in range(3)] == [True, False, False]


@pytest.mark.parametrize("boundary", ["key", "both"])
@pytest.mark.parametrize("measure", MEASURES)
def test_only_decisive_columns_move_a_score(measure: str, boundary: str) -> None:
    """A change in any other column changes nothing, one in any of these can."""
    result = corefscore.score(CASE / "key.conll", CASE / "response.conll", "every", boundary=boundary)
    metrics = sample([result], MEASURES).metrics
    width = 4 * sum(metric.width for metric in metrics)
    numbers = np.random.default_rng(1)
    for _ in range(4):
        sums = numbers.uniform(1, 5, size=(1, width))
        sums[:, 1::2] += 5
        for side in (1, 3):  # links of one kind only, at times
            sums[:, side::4] *= numbers.integers(0, 2, size=sums[:, side::4].shape)
        before = statistics(metrics, [measure], sums)[0]
        for score, columns in enumerate(significance.decisive(metrics, [measure])):
            moving = set()
            for column in range(width):
                for value in (0.0, 2.5, 7.5):
                    changed = sums.copy()
                    changed[0, column] = value
                    after = statistics(metrics, [measure], changed)[0]
                    if not np.array_equal(after[score], before[score], equal_nan=True):
                        moving.add(column)
            assert moving <= set(columns)


def test_coreference_links_count_their_own_units_only() -> None:
    """BLANC: the other links differ in every unit, the coreference links in two."""
    alone = sample(results(), ("blanc.coreference", "blanc.noncoreference", "blanc"))
    counts = np.ones((2, 6, 8)) * 4
    counts[1, :, 4] = 3
    counts[1, :2, 0] = 3
    of = Sample(alone.metrics, alone.measures, counts, np.zeros(6, dtype=np.int64), np.zeros((2, 3, 3)))
    tests = randomization(of, 100, 0)
    assert tests.differing_units[0].tolist() == [[2, 0, 2], [6, 0, 6], [6, 0, 6]]


def test_the_smallest_p_is_that_of_this_run() -> None:
    """Enumerated, 30 units by trials, and 30 units of which two differ by the bootstrap."""
    few, many = (simulated(shares(np.array([[9.0] * units, [1.0] * units]))) for units in (4, 30))
    assert compared(few, Method()).tests.smallest.tolist() == [[[1 / 8] * 3]]
    assert compared(many, Method()).tests.smallest.tolist() == [[[1 / 10_001] * 3]]
    assert compared(many, Method(trials=99)).tests.smallest.tolist() == [[[1 / 100] * 3]]
    hits = np.full((2, 30), 5.0)
    hits[0, :2] = 9
    found = compared(simulated(shares(hits)), Method(test="bootstrap"))
    none = np.mean(np.abs(found.resampled[0] - found.resampled[1]) < 1e-12)
    assert none == pytest.approx((28 / 30) ** 30, abs=0.02)
    assert np.all(found.tests.smallest > 0.1)
    assert np.all(found.tests.smallest <= found.tests.p)


def test_no_p_is_smaller_than_the_smallest() -> None:
    units = sample(results(), MEASURES)
    for method in (Method(), Method(trials=20), Method(test="bootstrap", trials=200)):
        found = compared(units, method).tests
        known = ~np.isnan(found.p)
        assert np.all(found.p[known] >= found.smallest[known])
        assert np.array_equal(known, ~np.isnan(found.smallest))


def test_enumerations_that_scores_share_are_those_of_each_alone() -> None:
    """Twelve units, in four of which recall differs and in others precision: with 2^8 trials not all at once."""
    numbers = np.random.default_rng(4)
    first = np.ceil(numbers.uniform(1, 9, size=(12, 4)))
    second = first.copy()
    second[:6, 0] += 1
    second[6:11, 2] += np.arange(1, 6)
    together = randomization(simulated(np.stack([first, second])), 2**8, 0)
    assert together.differing_units.tolist() == [[[6, 5, 11]]]
    assert together.exact.tolist() == [[[True, True, False]]]
    for score, units in ((0, 6), (1, 5)):
        swaps = np.array(list(itertools.product([0, 1], repeat=12)))
        column = 2 * score
        d = ((first - second)[:, column] * (1 - 2 * swaps)).sum(axis=1)
        ratio = np.abs(d) >= abs((first - second)[:, column].sum()) - 1e-9
        assert together.p[0, 0, score] == ratio.mean()
        assert together.smallest[0, 0, score] == 2.0 ** (1 - units)


@pytest.mark.parametrize(
    ("systems", "alpha", "trials"), [(2, 0.05, 10_000), (21, 0.05, 10_000), (33, 0.05, 21_118), (15, 0.01, 20_998)]
)
def test_trials_grow_with_the_pairs(systems: int, alpha: float, trials: int) -> None:
    """Twice 528 / 0.05 - 1, and twice 105 / 0.01 - 1: Holm's method can reject the whole family."""
    hits = np.full((systems, 20), 5.0)
    hits[0] = 9
    found = compared(simulated(shares(hits)), Method(alpha=alpha), score="f1")
    assert found.trials == trials
    assert found.family / (found.trials + 1) <= alpha
    assert found.differ(0, 0, 2) is True
    assert found.undecided(0, 2) == []


def test_trials_that_were_asked_for_are_made() -> None:
    """With 500 trials and 66 pairs nothing can be told apart, and that is said of every pair that differs."""
    hits = np.tile(np.arange(12.0)[:, None], (1, 20)) / 2
    found = compared(simulated(shares(hits)), Method(trials=500))
    assert found.trials == 500
    assert len(found.undecided(0, 2)) == 66
    assert found.method.enough(found.family) == 66 / 0.05 - 1


def test_intervals_take_no_more_resamples_than_there_are_trials_usually() -> None:
    """The same intervals whether trials grew or not."""
    units = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(2, 15)).astype(float)))
    usual, more = (compared(units, Method(trials=trials)) for trials in (None, 25_000))
    assert usual.resampled.shape[-1] == more.resampled.shape[-1] == 10_000
    assert np.array_equal(usual.ends, more.ends)


def test_all_tests_of_a_report_can_be_corrected_together() -> None:
    """Holm's method over pairs, measures and scores; the average has one score only."""
    units = sample(results(), MEASURES)
    found = compared(units, Method(correction="holm-all", trials=5000))
    p = found.tests.p[~np.isnan(found.tests.p)]
    assert found.family == found.count == len(p) == 3 * (3 * (len(MEASURES) - 1) + 1)
    in_order = sorted(enumerate(p.tolist()), key=lambda each: each[1])
    expected, highest = np.zeros(len(p)), 0.0
    for place, (at, value) in enumerate(in_order):
        highest = max(highest, min(1.0, (len(p) - place) * value))
        expected[at] = highest
    assert np.allclose(found.corrected[~np.isnan(found.corrected)], expected, rtol=1e-15)
    assert compared(units, Method(correction="none", trials=50)).family == 1


def test_whoever_watches_sees_the_work_begin_and_end() -> None:
    units = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(3, 200)).astype(float)))
    for test in ("randomization", "bootstrap"):
        seen: list[float] = []
        compared(units, Method(test=test, trials=30_000), watch=seen.append)
        assert seen == sorted(seen)
        assert 0 < seen[0] < 0.5
        assert seen[-1] == 1


@pytest.mark.parametrize(
    ("names", "units"),
    [
        (["(a); part 000", "(a); part 001", "(b); part 000"], ["(a)", "(a)", "(b)"]),
        (["(1); part 0", "(1); part 10", "(x_1); part 000", "y"], ["(1)", "(1)", "(x_1)", "y"]),
        (["a_0", "a_1", "b_0"], ["a", "a", "b"]),
        (["a_0", "a_1", "a_2"], ["a_0", "a_1", "a_2"]),
        (["a_1", "a_2", "b_1"], ["a_1", "a_2", "b_1"]),
        (["a_0", "a_2", "b_0"], ["a_0", "a_2", "b_0"]),
        (["a_0", "a_1", "b"], ["a_0", "a_1", "b"]),
        (["a_00", "a_01", "b_00"], ["a_00", "a_01", "b_00"]),
    ],
    ids=["conll", "conll and others", "numbers", "one name", "from 1", "a gap", "one without", "zeros in front"],
)
def test_parts_are_told_by_their_names(names: list[str], units: list[str]) -> None:
    assert unit_names(names, "document") == unit_names(names, "parts-joined") == units
    assert unit_names(names, "part") == names


@WHOLE_CORPORA
def test_809_parts_are_50_novels() -> None:
    key = corefscore.read(CORPORA / "koconovel" / "key.conll")
    assert len(set(unit_names(key.names, "document"))) == 50
    assert len(set(unit_names(key.names, "part"))) == 809


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
        found = compared(units, Method(trials=400, seed=seed))
        low, high = np.stack([*found.ends[:, 0, 2], found.difference_ends[0, 0, 2]]).T
        truth = np.array([2 / 3, 2 / 3 * 0.925, 2 / 3 * 0.075])
        held.append((low <= truth) & (truth <= high))
    assert np.all((np.mean(held, axis=0) >= 0.92) & (np.mean(held, axis=0) <= 0.98))


def test_real_systems_of_206_documents() -> None:
    """The two clusterings differ in 14 documents by little, the lemma baseline from both in 41 and 43."""
    folder = EXCERPTS / "ecbplus-withindoc"
    key = corefscore.read(folder / "key.conll")
    names = ("evaluate-clustering-0", "evaluate-clustering-with-gold-clustering-3", "lemma-baselines-lemma-wd")
    found = compared(sample([corefscore.score(key, folder / f"{name}.conll") for name in names], MEASURES), Method())
    conll = list(MEASURES).index("conll")
    assert found.sample.units == 206
    assert found.tests.differing_units[:, conll, 2].tolist() == [14, 41, 43]
    assert [found.differ(pair, conll, 2) for pair in range(3)] == [False, True, True]
    assert np.all(found.ends[..., 0] <= found.ends[..., 1], where=~np.isnan(found.ends[..., 0]))
