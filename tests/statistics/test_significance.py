"""Tests and intervals against enumeration by hand, against rescoring, and against what they promise."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import corefscore
import numpy as np
import pytest
from corefscore.core.arrays import Floats
from corefscore.metrics import find, wanted
from corefscore.metrics.base import summed
from corefscore.scoring.results import Result
from corefscore.statistics import significance
from corefscore.statistics.significance import (
    Method,
    Sample,
    compared,
    holm,
    on_grid,
    statistics,
)
from corefscore.statistics.significance import randomization as randomized
from corefscore.statistics.units import _unit_names, sample
from scipy import stats
from support import CORPORA, EXCERPTS, RECORDED, WHOLE_CORPORA

CASE = RECORDED / "documents-0015"
MEASURES = wanted("every,conll,mentions,blanc.coreference").measures


def randomization(of: Sample, trials: int, seed: int = 0) -> significance.Tests:
    return randomized(of, np.asarray(~np.isnan(of.observed).all(axis=0)), Method(trials=trials, seed=seed))


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


def test_nothing_is_drawn_where_all_swaps_of_all_pairs_can_be_tried() -> None:
    """The same units as above: the correction of a single pair is exact, too."""
    units = counted([[3, 4, 3, 4], [2, 4, 2, 4], [1, 4, 1, 4]], [[1, 4, 1, 4]] * 3)
    assert all(randomization(units, 100, seed).by_largest.tolist() == [[[0.5] * 3]] for seed in range(8))


def test_enumeration_is_that_of_a_loop_over_all_swaps() -> None:
    sides = results()
    units = sample(sides, MEASURES)
    tests = randomization(units, 32, 0)
    assert tests.exact[~np.isnan(tests.p)].all()
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


def test_identical_systems_have_p_one_in_every_test() -> None:
    side = results()[0]
    for count in (1, 100):
        units = sample([side, side], MEASURES)
        tests = randomization(units, count, 0)
        assert tests.differing_units.max() == 0
        assert np.nanmin(tests.p) == 1
        assert np.nanmin(tests.smallest) == 1


def test_the_average_has_no_recall_and_no_p_for_it() -> None:
    found = compared(sample(results(), ["conll"]), Method(trials=10))
    assert np.isnan(found.tests.p[..., :2]).all()
    assert not found.tests.differing_units[..., :2].any()
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
    blocks = list(significance._Trials(simulated(shares(np.ones((2, 8))))).drawn(5, 0))
    assert [block.shape for block in blocks] == [(8, 2), (8, 2), (8, 1)]


def test_a_verdict_is_given_where_the_smallest_p_is_the_level() -> None:
    """Five units that all differ one way: p is 1/16, the smallest there can be."""
    units = simulated(shares(np.array([[10.0] * 5, [0.0] * 5])))
    found = [compared(units, Method(confidence=1 - level)).differ[0, 0, 2] for level in (0.0625, 0.06)]
    assert found == [True, None]


def test_swapping_systems_mirrors_differences_and_leaves_p() -> None:
    first, second, third = results()
    one = compared(sample([first, second, third], MEASURES), Method(trials=20))
    other = compared(sample([third, second, first], MEASURES), Method(trials=20))
    assert np.array_equal(one.tests.p, other.tests.p[::-1], equal_nan=True)
    assert np.allclose(one.difference_ends[1], -other.difference_ends[1][..., ::-1], atol=1e-12, equal_nan=True)
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


def test_holm_is_that_of_a_worked_example() -> None:
    """p of 0.01, 0.04, 0.03, 0.005: times 3, 1, 2, 4 from the smallest up, and never falling."""
    corrected = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert corrected == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]
    # Two tests in the first column, and one in the other.
    of_columns = holm(np.array([[0.01, np.nan], [np.nan, 0.02], [0.03, np.nan]]))
    assert np.array_equal(of_columns, [[0.02, np.nan], [np.nan, 0.02], [0.03, np.nan]], equal_nan=True)


def test_units_too_few_for_a_verdict_get_none() -> None:
    few = compared(simulated(shares(np.array([[9.0] * 5, [1.0] * 5]))), Method())
    enough = compared(simulated(shares(np.array([[9.0] * 6, [1.0] * 6]))), Method())
    assert few.tests.smallest.tolist() == [[[2 / 32] * 3]]
    assert few.differ[0, 0, 2] is None
    assert enough.differ[0, 0, 2] is True


def test_trials_too_few_for_a_verdict_get_none() -> None:
    found = compared(simulated(shares(np.array([[9.0] * 30, [1.0] * 30]))), Method(trials=10))
    assert found.differ[0, 0, 2] is None


def test_units_are_counted_by_score() -> None:
    """Recall differs in the first two of four units, precision in the last three."""
    first = [[2, 4, 1, 4], [2, 4, 1, 4], [1, 4, 1, 4], [1, 4, 1, 4]]
    second = [[1, 4, 1, 4], [1, 4, 2, 4], [1, 4, 1, 5], [1, 4, 2, 4]]
    tests = randomization(counted(first, second), 10_000, 0)
    assert tests.differing_units.tolist() == [[[2, 3, 4]]]
    assert tests.smallest.tolist() == [[[0.5, 0.25, 0.125]]]
    found = compared(counted(first, second), Method(confidence=0.7))
    assert [found.differ[0, 0, score] is None for score in range(3)] == [True, False, False]


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
        changed = np.tile(sums, (width, 3, 1))
        for column in range(width):
            changed[column, :, column] = 0.0, 2.5, 7.5
        after = statistics(metrics, [measure], changed[np.newaxis])[:, :, 0]
        moving = ~((after == before) | np.isnan(after) & np.isnan(before)).all(axis=1)
        for score, columns in enumerate(significance.decisive(metrics, [measure])):
            assert {*np.flatnonzero(moving[:, score])} <= {*columns}


def test_coreference_links_count_their_own_units_only() -> None:
    """BLANC: the other links differ in every unit, the coreference links in two."""
    alone = sample(results(), ("blanc.coreference", "blanc.noncoreference", "blanc"))
    counts = np.ones((2, 6, 8)) * 4
    counts[1, :, 4] = 3
    counts[1, :2, 0] = 3
    of = Sample(alone.metrics, alone.measures, counts, np.zeros(6, dtype=np.int64), np.zeros((2, 3, 3)))
    tests = randomization(of, 100, 0)
    assert tests.differing_units[0].tolist() == [[2, 0, 2], [6, 0, 6], [6, 0, 6]]


def test_no_p_is_smaller_than_the_smallest() -> None:
    units = sample(results(), MEASURES)
    for method in (Method(), Method(trials=20)):
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


def test_trials_that_were_asked_for_are_made() -> None:
    """With 500 trials and 66 pairs nothing can be told apart, and that is said of every pair that differs."""
    hits = np.tile(np.arange(12.0)[:, None], (1, 20)) / 2
    found = compared(simulated(shares(hits)), Method(trials=500, correction="holm"))
    assert len(found.undecided(0, 2)) == 66
    assert found.method.enough(found.family) == 66 / 0.05 - 1


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


@pytest.mark.parametrize("units", [200, 14], ids=["drawn", "enumerated"])
def test_whoever_watches_sees_the_work_begin_and_end(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(significance, "BLOCK", 50_000)
    of = simulated(shares(np.random.default_rng(1).integers(0, 11, size=(3, units)).astype(float)))
    seen: list[float] = []
    compared(of, Method(trials=30_000), watch=seen.append)
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
    assert _unit_names(names, "document") == _unit_names(names, "parts-joined") == units
    assert _unit_names(names, "part") == names


@WHOLE_CORPORA
def test_809_parts_are_50_novels() -> None:
    key = corefscore.read(CORPORA / "koconovel" / "key.conll")
    assert len(set(_unit_names(key.names, "document"))) == 50
    assert len(set(_unit_names(key.names, "part"))) == 809


def random_systems(systems: int, units: int, seed: int) -> Floats:
    """Systems whose skill falls from the first to the last, in documents of different sizes."""
    numbers = np.random.default_rng(seed)
    links = np.ceil(np.exp(numbers.normal(2.5, 0.7, units)))
    skill = np.clip(numbers.beta(6, 3, units) - np.linspace(0, numbers.uniform(0.05, 0.4), systems)[:, None], 0.02, 1)
    hits = numbers.binomial(links.astype(int), skill).astype(float)
    whole = np.broadcast_to(links, hits.shape)
    return np.stack([hits, whole, hits, whole + numbers.integers(0, 3, hits.shape)], axis=-1)


@pytest.mark.parametrize(("units", "trials"), [(8, 256), (12, 99)])
def test_step_down_is_that_of_a_loop(units: int, trials: int) -> None:
    """Algorithm 4.1 of Westfall and Young 1993 number by number, with all assignments and with drawn ones."""
    counts = random_systems(4, units, 1)
    found = randomization(simulated(counts), trials, 5)
    swaps = np.array(list(itertools.product([0, 1], repeat=units)))
    if trials < len(swaps):
        swaps = np.random.Generator(np.random.PCG64(5)).random((trials, units)) < 0.5
    pairs = list(itertools.combinations(range(4), 2))

    def difference(pair: tuple[int, int], swap: Floats) -> float:
        mixed = [np.where(swap[:, None], counts[b], counts[a]) for a, b in (pair, pair[::-1])]
        first, second = (statistics([find("muc")], ["muc"], its.sum(axis=0)[None])[0, 2] for its in mixed)
        return float(first - second)

    observed = np.array([difference(pair, np.zeros(units)) for pair in pairs])
    alone = np.array([[difference(pair, swap) for swap in np.eye(units)] for pair in pairs])
    scale = np.sqrt(((observed[:, None] - alone) ** 2).sum(axis=1)) / 2
    far = np.abs(observed) / scale
    each = np.array([[abs(difference(pair, swap)) for swap in swaps] for pair in pairs]) / scale[:, None]
    spare = int(trials < 2**units)
    least = 0.0
    for place in np.argsort(-far):
        nearer = each[far <= far[place]].max(axis=0)
        least = max(least, (np.sum(nearer >= far[place] - 1e-9) + spare) / (len(swaps) + spare))
        assert found.by_largest[place, 0, 2] == pytest.approx(max(least, found.p[place, 0, 2]), abs=1e-12)


@pytest.mark.parametrize("correction", ["largest", "holm"])
def test_a_difference_is_shown_by_a_chain_of_shown_ones(correction: str) -> None:
    """With corrected p of 0.01 and 0.04 for the links, the ends have at most 0.04."""
    for seed in range(10):
        found = compared(simulated(random_systems(5, 9, seed)), Method(correction=correction))
        observed, p = found.sample.observed[:, 0, 2], found.corrected[:, 0, 2]
        order = np.argsort(-observed).tolist()
        numbers = {frozenset(pair): number for number, pair in enumerate(found.sample.pairs)}
        for above, middle, below in itertools.combinations(order, 3):
            links = [p[numbers[frozenset(pair)]] for pair in ((above, middle), (middle, below))]
            assert p[numbers[frozenset((above, below))]] <= max(links)
        plain = compared(found.sample, Method(correction="none")).corrected[:, 0, 2]
        assert np.all(p >= plain) or correction == "none" or np.any(p < 1)


def test_copies_of_a_system_change_no_verdict() -> None:
    """Of the last system, which takes part in as many pairs as any."""
    for seed in range(15):
        counts = random_systems(6, 11, seed)
        last = int(simulated(counts).observed[:, 0, 2].argmin())
        more = np.concatenate([counts, counts[[last] * 4]])
        few, many = (compared(simulated(each), Method(trials=500), score="f1").better(0, 2) for each in (counts, more))
        assert np.array_equal(few, many[:6, :6])


def test_intervals_of_several_differences_are_those_of_a_loop_over_all_signs() -> None:
    of = simulated(random_systems(4, 7, seed=3))
    found = significance.compared(of, significance.Method(), "f1")
    differences = found.left_out[:, :, 0, 2] @ np.array(
        [[1, 1, 1, 0, 0, 0], [-1, 0, 0, 1, 1, 0], [0, -1, 0, -1, 0, 1], [0, 0, -1, 0, -1, -1]]
    )
    around = differences - differences.mean(axis=0)
    errors = np.sqrt((around**2).sum(axis=0))
    largest = sorted(max(abs(signs @ around) / errors) for signs in itertools.product([1, -1], repeat=7))
    z = largest[math.ceil(0.95 * (len(largest) - 1))]
    level = 2 * stats.t.cdf(z * math.sqrt(6 / (7 - z**2)), 6) - 1
    assert 0.95 < level < 1 - 0.05 / 6
    assert found.reach[0, 0, 2] == pytest.approx(stats.t.ppf((1 + level) / 2, found._freedom[0, 0, 0]))


def test_further_copies_of_a_system_change_no_interval() -> None:
    counts = random_systems(3, 30, seed=4)
    method = significance.Method(trials=2000)
    few = significance.compared(simulated(counts), method, "f1")
    many = significance.compared(simulated(counts[[0, 1, 2, 2, 2]]), method, "f1")
    assert many.reach[0, 0, 2] == pytest.approx(few.reach[0, 0, 2])


def test_a_baseline_is_compared_with_every_other_system() -> None:
    units = simulated(random_systems(5, 10, 3))
    every, some = (compared(replace(units, baseline=base), Method()) for base in (None, 3))
    assert some.sample.pairs == [(0, 3), (1, 3), (2, 3), (4, 3)]
    assert some.family == 4
    for number, pair_of_base in enumerate(some.sample.pairs):
        pair = every.sample.pairs.index((min(pair_of_base), max(pair_of_base)))
        assert some.tests.p[number, 0, 2] == every.tests.p[pair, 0, 2]
        assert some.tests.p[number, 0, 2] <= some.corrected[number, 0, 2]
        assert abs(some.differences[number, 0, 2]) == abs(every.differences[pair, 0, 2])


@pytest.mark.parametrize("margin", [0.01, 0.1, 0.3])
def test_equivalence_is_tested_as_by_scipy(margin: float) -> None:
    """Documents of equal size: two one-sided t tests of the differences of their recall."""
    hits = np.random.default_rng(8).integers(2, 9, size=(2, 15)).astype(float)
    found = compared(simulated(shares(hits)), Method(margin=margin)).p_equivalent[0, 0, 0]
    gains = (hits[0] - hits[1]) / 10
    sides = (
        stats.ttest_1samp(gains, -margin, alternative="greater"),
        stats.ttest_1samp(gains, margin, alternative="less"),
    )
    assert found == pytest.approx(max(side.pvalue for side in sides), rel=1e-9)


def test_documents_needed_are_those_of_the_formula() -> None:
    """15 (z of 0.975 + z of 0.8)^2 error^2 / difference^2 + z^2 / 2; identical systems have no difference that could be
    shown, and none that so many documents show."""
    hits = np.random.default_rng(8).integers(2, 9, size=(2, 15)).astype(float)
    found = compared(simulated(shares(hits)), Method())
    gains = (hits[0] - hits[1]) / 10
    least = (stats.t.ppf(0.975, 14) + stats.t.ppf(0.8, 14)) * gains.std(ddof=1) / math.sqrt(15)
    assert found.shown_from[0, 0, 0] == pytest.approx(least)
    z, of_power = (float(stats.norm.ppf(level)) for level in (0.975, 0.8))
    needed = gains.var(ddof=1) * ((z + of_power) / gains.mean()) ** 2 + z**2 / 2
    assert found.units_needed[0, 0, 0] == math.ceil(needed)
    of_three = compared(simulated(shares(hits)), Method(correction="holm-all"))
    assert of_three.shown_from[0, 0, 0] / least == pytest.approx(
        (stats.t.ppf(1 - 0.025 / 3, 14) + stats.t.ppf(0.8, 14)) / (stats.t.ppf(0.975, 14) + stats.t.ppf(0.8, 14))
    )
    same = compared(simulated(shares(hits[[0, 0]])), Method())
    assert np.isnan(same.units_needed).all()
    assert np.isnan(same.shown_from).all()


@pytest.mark.parametrize(
    ("gains", "method", "needed"),
    [
        pytest.param([4, 3], Method(), 6, id="fewer than six show nothing"),
        pytest.param([4, 3, 4, 4, 3, 4], Method(), 6, id="six that all differ"),
        pytest.param([4, 3, 4, 4, 3, 4] + [0] * 6, Method(), 12, id="half of them differ"),
        pytest.param([4] * 6, Method(confidence=0.99), 8, id="at 0.01"),
        pytest.param([4] * 6, Method(correction="holm-all"), 7, id="three tests with Holm's method"),
        pytest.param([4] * 6, Method(trials=18), None, id="no p of so few trials is small enough"),
    ],
)
def test_documents_needed_are_no_fewer_than_a_test_needs(
    gains: Sequence[float], method: Method, needed: int | None
) -> None:
    hits = np.stack([5.0 + np.array(gains), np.full(len(gains), 5.0)])
    found = compared(simulated(shares(hits)), method).units_needed[0, 0, 2]
    assert (None if np.isnan(found) else found) == needed


@pytest.mark.parametrize(
    "hits", [[[9, 1, 9, 1, 9, 1], [1, 9, 1, 9, 1, 8]], [[9] * 5, [8, 7, 6, 8, 7]], [[9] * 6, [8] * 6]]
)
def test_a_difference_that_no_test_shows_is_not_the_least_that_it_shows(hits: list[list[int]]) -> None:
    """Above 100 points, of five documents, and of systems whose differences do not vary."""
    assert np.isnan(compared(simulated(shares(np.array(hits, dtype=float))), Method()).shown_from).all()


def test_units_without_which_there_is_no_interval_are_those_of_all_runs() -> None:
    """Two runs with errors in three documents each are a system with errors in six."""
    hits = np.full((3, 12), 10.0)
    hits[0, :3] = hits[1, 3:6] = hits[2, :3] = 9
    of = replace(simulated(shares(hits)), runs=np.array([0, 0, 1]))
    assert of.deciding_units.tolist() == [6, 3]


@pytest.mark.slow
@pytest.mark.parametrize("units", [10, 30])
def test_the_smallest_difference_is_shown_in_four_of_five_samples(units: int) -> None:
    """The median over 100 samples, then how often a difference of this size is shown in 300 others: 0.74 to 0.79."""
    numbers = np.random.default_rng(units)

    def drawn(difference: float) -> Sample:
        skill = 0.8 * numbers.beta(6, 3, units)
        better = np.clip(skill + difference + numbers.normal(0, 0.06, units), 0, 1)
        return simulated(shares(np.round(100 * np.stack([better, skill])), 100))

    found = [compared(drawn(0.03), Method(trials=500, seed=seed), "f1") for seed in range(100)]
    least = float(np.median([each.shown_from[0, 0, 2] for each in found]))
    shown = [compared(drawn(least), Method(trials=500, seed=seed), "f1").differ[0, 0, 2] for seed in range(300)]
    assert 0.7 < np.mean([each is True for each in shown]) < 0.87


@pytest.mark.slow
def test_equal_systems_of_a_large_task_are_rarely_told_apart() -> None:
    """A difference between any of 8 equally good systems is shown in at most 5 % of 400 tasks, within three standard
    errors."""
    numbers = np.random.default_rng(21)
    found = []
    for seed in range(400):
        hits = numbers.binomial(10, numbers.beta(4, 2, size=15), size=(8, 15)).astype(float)
        found.append(compared(simulated(shares(hits)), Method(trials=500, seed=seed), score="f1").better(0, 2).any())
    assert np.mean(found) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.slow
def test_equal_systems_are_rarely_told_apart() -> None:
    """P(p <= a) <= a over 2,000 simulated pairs of 40 units, with three standard errors of the simulation."""
    numbers = np.random.default_rng(11)
    p = []
    for seed in range(2000):
        skill = numbers.beta(4, 2, size=40)
        units = simulated(shares(numbers.binomial(10, skill, size=(2, 40)).astype(float)))
        p.append(compared(units, Method(trials=199, seed=seed)).tests.p[0, 0, 2])
    for a in (0.01, 0.05, 0.1):
        slack = 3 * np.sqrt(a * (1 - a) / len(p))
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
    assert [found.differ[pair, conll, 2] for pair in range(3)] == [False, True, True]
    assert np.all(found.ends[..., 0] <= found.ends[..., 1], where=~np.isnan(found.ends[..., 0]))
