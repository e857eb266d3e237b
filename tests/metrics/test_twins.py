"""Each metric, and each clever function below it, against its slow twin."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

import corefscore
import numpy as np
import pytest
import twins
from corefscore.core.arrays import Floats, Ints
from corefscore.matching import assignment
from corefscore.metrics import MENTIONS, NAMES
from corefscore.metrics import ceafe as official
from corefscore.metrics.base import _surplus_pairs
from corefscore.metrics.ceafe import _munkres
from corefscore.scoring.results import Result
from reading import read
from scipy.optimize import linear_sum_assignment
from support import RECORDED, together

BATCH = 5
BATCHES = 3
NEAR = 1e-12

WHOLE = ("muc", "ceafm", "blanc", MENTIONS)
"""Metrics that count whole things, so that floats hold the counts exactly."""

KINDS = together("kind", list(twins.KINDS))
METRICS = pytest.mark.parametrize("metric", twins.TWINS)


class Document(NamedTuple):
    """A document of a batch that was scored."""

    key: twins.Partition
    response: twins.Partition
    result: Result
    number: int

    def __str__(self) -> str:
        return f"key {self.key}, response {self.response}"


@cache
def scored(kind: str) -> list[Document]:
    """Random documents, scored in batches, so that what belongs to one document could leak into the next."""
    pairs = twins.drawn(kind, BATCH * BATCHES)
    return [
        Document(*pair, result, number)
        for first in range(0, len(pairs), BATCH)
        for result in [twins.score(pairs[first : first + BATCH])]
        for number, pair in enumerate(pairs[first : first + BATCH])
    ]


# Metrics


def test_every_metric_has_a_twin() -> None:
    elsewhere = {
        "linked",
        "cone",
        "mor",
        "zero",
        "bcubs",
    }  # in test_kinds, test_cone, test_corefud, test_clusterings
    assert twins.TWINS.keys() | elsewhere == {*NAMES, MENTIONS}, "add a twin to TWINS in tests/twins.py"


@METRICS
@KINDS
def test_counts_and_scores_are_those_of_the_definition(metric: str, kind: str) -> None:
    for document in scored(kind):
        counts = document.result.counts[metric][document.number]
        counted = twins.counted(metric, document.key, document.response)
        expected = [float(number) for shares in counted for share in shares for number in share]
        near = 0 if metric in WHOLE else NEAR
        assert counts.ravel().tolist() == pytest.approx(expected, rel=0, abs=near), document
        scores = twins.measures(document.result, document.number)
        for measure, values in twins.scored(metric, counted).items():
            assert scores[measure] == pytest.approx([float(x) for x in values], rel=0, abs=NEAR), document


def recorded_totals(case: Path, metric: str) -> list[list[float]]:
    """The counts in the recorded totals: for each result line the two of recall and the two of precision."""
    run = "lea" if metric == MENTIONS else metric
    totals = (case / f"{run}.txt").read_text().partition("TOTALS")[2]
    lines = re.findall(r"Recall: \((.*) / (.*)\) .*Precision: \((.*) / (.*)\) ", totals)
    return [[float(number) for number in line] for line in (lines[:1] if metric == MENTIONS else lines[1:])]


def repeats() -> list[tuple[Path, str]]:
    """The recorded cases with repeats that were not refused, each with the metrics that the official scorer has."""
    cases = [case for case in sorted(RECORDED.glob("repeat-*")) if recorded_totals(case, "lea")]
    return [(case, m) for case in cases for m in twins.TWINS if m == MENTIONS or (case / f"{m}.txt").exists()]


@pytest.mark.parametrize(("case", "metric"), repeats(), ids=lambda value: getattr(value, "name", value))
def test_twins_count_repeats_as_the_official_scorer_did(case: Path, metric: str) -> None:
    """What holds the rules for repeats in `twins` to the recorded output, not to our reading of it."""
    key, response = (next(read(str(case / f"{side}.conll"), [])) for side in ("key", "response"))
    assert key.names == response.names
    documents = [
        twins.counted(metric, *pair)
        for pair in zip(twins.partitions_of(key), twins.partitions_of(response), strict=True)
    ]
    totals = [
        [float(sum(numbers)) for side in zip(*measure, strict=True) for numbers in zip(*side, strict=True)]
        for measure in zip(*documents, strict=True)
    ]
    for total, recorded in zip(totals, recorded_totals(case, metric)[: len(totals)], strict=True):
        assert total == pytest.approx(recorded, rel=1e-14)


# What is left out before counting


def assert_same_counts(found: Result, expected: Result) -> None:
    for metric in twins.TWINS:
        assert found.counts[metric].tolist() == expected.counts[metric].tolist(), metric


def larger(partition: twins.Partition) -> twins.Partition:
    return [entity for entity in partition if len(entity) > 1]


@KINDS
def test_dropping_singletons_scores_as_if_neither_side_had_any(kind: str) -> None:
    """Copies that the official scorer drops are gone before an entity is taken for a singleton."""
    pairs = twins.drawn(kind, BATCH)
    left = [(larger(key), larger(twins.without_dropped(key, response))) for key, response in pairs]
    assert_same_counts(twins.score(pairs, singletons="drop"), twins.score(left))


@KINDS
def test_dropping_singletons_of_the_response_leaves_the_key_alone(kind: str) -> None:
    pairs = twins.drawn(kind, BATCH)
    left = [(key, larger(twins.without_dropped(key, response))) for key, response in pairs]
    assert_same_counts(twins.score(pairs, singletons="drop-response"), twins.score(left))


@pytest.mark.parametrize("kind", twins.REPEATED)
def test_only_first_copies_score_as_if_there_were_no_others(kind: str, tmp_path: Path) -> None:
    pairs = twins.drawn(kind, BATCH * BATCHES)
    for side, name in enumerate(("key", "response")):
        (tmp_path / name).write_text(twins.conll([pair[side] for pair in pairs]))
    # A side that has a span keeps the first copy of it only, just as if it were the key of itself.
    ordered = [[twins.in_reading_order(partition) for partition in pair] for pair in pairs]
    # Entities then appear as in a file of what is left: in this order sums are added.
    first = [[twins.in_reading_order(twins.without_dropped(side, side)) for side in pair] for pair in ordered]
    found = twins.score_files(tmp_path / "key", tmp_path / "response", repeated="first")
    assert_same_counts(found, twins.score([(key, response) for key, response in first]))


# Reading


@KINDS
def test_partitions_come_back_from_conll_text(kind: str, tmp_path: Path) -> None:
    pairs = twins.drawn(kind, BATCH * BATCHES)
    partitions = [partition for pair in pairs for partition in pair]
    file = tmp_path / "partitions.conll"
    file.write_text(twins.conll(partitions))
    (batch,) = read(str(file), [])
    assert twins.partitions_of(batch) == [twins.in_reading_order(partition) for partition in partitions]


# The overlap table


class Sets(NamedTuple):
    """How to draw the groups that spans lie in."""

    spans: int
    groups: int
    smallest: int
    largest: int


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param(Sets(0, 5, 2, 5), id="no-spans"),
        pytest.param(Sets(30, 6, 2, 2), id="two-groups-each"),
        pytest.param(Sets(30, 6, 2, 6), id="few-groups-each"),
        pytest.param(Sets(12, 20, 5, 20), id="many-groups-each"),
        pytest.param(Sets(20, 14, 2, 14), id="few-or-many-groups-each"),
        pytest.param(Sets(90, 7, 3, 7), id="sets-of-several-spans"),
        pytest.param(Sets(80, 100, 5, 60), id="more-groups-than-bits"),
        pytest.param(Sets(60, 700, 3, 9), id="groups-that-few-share"),
        pytest.param(Sets(400, 120, 2, 3), id="sets-that-share-groups-with-few"),
    ],
)
def test_pairs_that_share_more_than_one_group_are_counted_as_listing_them_does(wanted: Sets) -> None:
    random = Random(f"{wanted}")
    for _ in range(20):
        sets = [
            frozenset(random.sample(range(wanted.groups), random.randint(wanted.smallest, wanted.largest)))
            for _ in range(wanted.spans)
        ]
        assert _surplus_pairs(Counter(sets)) == sum(max(0, len(a & b) - 1) for a, b in combinations(sets, 2))


# Assignment


class Shape(NamedTuple):
    """How to draw cells: the size of the table, the chance of each cell, the largest weight."""

    rows: int
    columns: int
    share: float
    largest: int = 20


class Cells(NamedTuple):
    rows: Ints
    columns: Ints
    weights: Floats

    def total(self, chosen: Ints) -> float:
        return float(self.weights[chosen].sum())

    def is_one_to_one(self, chosen: Ints) -> bool:
        return all(len(set(axis[chosen].tolist())) == len(chosen) for axis in (self.rows, self.columns))


def cells(random: Random, shape: Shape) -> Cells:
    """Random cells, sorted by row; no row and no column is without any."""
    chosen = {(row, random.randrange(shape.columns)) for row in range(shape.rows)}
    chosen |= {(random.randrange(shape.rows), column) for column in range(shape.columns)}
    chosen |= {
        (row, column) for row in range(shape.rows) for column in range(shape.columns) if random.random() < shape.share
    }
    rows, columns = np.array(sorted(chosen), dtype=np.int64).T
    weights = [random.randint(1, shape.largest) / random.choice([1, 2, 3, 7]) for _ in chosen]
    return Cells(rows, columns, np.array(weights))


def best(table: Cells) -> Ints:
    return np.flatnonzero(assignment.best(*table).taken)


SMALL_SHAPES = pytest.mark.parametrize(
    "shape",
    [
        pytest.param(Shape(1, 1, 0), id="one-cell"),
        pytest.param(Shape(1, 6, 1), id="a-row"),
        pytest.param(Shape(6, 1, 1), id="a-column"),
        pytest.param(Shape(6, 6, 0), id="hardly-any-cells"),
        pytest.param(Shape(7, 7, 0.2), id="several-components"),
        pytest.param(Shape(6, 6, 0.6), id="one-component"),
        pytest.param(Shape(4, 7, 0.6), id="wide"),
        pytest.param(Shape(7, 4, 0.6), id="high"),
        pytest.param(Shape(6, 6, 1), id="full"),
        pytest.param(Shape(6, 6, 0.5, largest=1), id="ties"),
    ],
)


@SMALL_SHAPES
def test_best_assignment_has_the_largest_total_of_all(shape: Shape) -> None:
    random = Random(f"{shape}")
    for _ in range(30):
        table = cells(random, shape)
        weights = {
            (row, column): Fraction(weight)
            for row, column, weight in zip(*(axis.tolist() for axis in table), strict=True)
        }
        assert table.total(best(table)) == pytest.approx(float(twins.largest_total(weights)), rel=NEAR), table


@SMALL_SHAPES
def test_best_assignment_is_one_to_one(shape: Shape) -> None:
    random = Random(f"{shape}")
    for _ in range(30):
        table = cells(random, shape)
        assert table.is_one_to_one(best(table)), table


def augment(table: Cells) -> Ints:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(assignment, "_STEPS", math.inf)
        taken = assignment._augment(table.rows.tolist(), table.columns.tolist(), table.weights.tolist())
    return np.array(taken, dtype=np.int64)


def dense(table: Cells) -> float:
    """The total by scipy's solver of full matrices."""
    matrix = np.zeros((int(table.rows.max()) + 1, int(table.columns.max()) + 1))
    matrix[table.rows, table.columns] = table.weights
    return float(matrix[linear_sum_assignment(matrix, maximize=True)].sum())


def sparse(table: Cells) -> Ints:
    return assignment._by_scipy(*table)


LARGE_SHAPES = pytest.mark.parametrize(
    "shape",
    [
        pytest.param(Shape(60, 60, 0), id="thin"),
        pytest.param(Shape(60, 60, 0.05), id="sparse"),
        pytest.param(Shape(60, 60, 1), id="full"),
        pytest.param(Shape(60, 60, 0.3, largest=2), id="ties"),
        pytest.param(Shape(30, 60, 0.2), id="wide"),
        pytest.param(Shape(60, 30, 0.2), id="high"),
    ],
)


@LARGE_SHAPES
@pytest.mark.parametrize("solver", [augment, sparse, best])
def test_all_solvers_reach_the_total_of_the_dense_one(solver: Callable[[Cells], Ints], shape: Shape) -> None:
    random = Random(f"{shape}")
    for _ in range(3):
        table = cells(random, shape)
        assert table.total(solver(table)) == pytest.approx(dense(table), rel=NEAR)


@LARGE_SHAPES
@pytest.mark.parametrize("solver", [augment, sparse, best])
def test_what_a_solver_takes_is_one_to_one(solver: Callable[[Cells], Ints], shape: Shape) -> None:
    table = cells(Random(f"{shape}"), shape)
    assert table.is_one_to_one(solver(table))


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_what_takes_too_many_steps_is_left_to_scipy(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    table = cells(Random(f"{share}"), Shape(60, 60, share, largest=2))
    total = table.total(best(table))
    monkeypatch.setattr(assignment, "_STEPS", 50)
    assert assignment._augment(*(column.tolist() for column in table)) is None
    assert table.is_one_to_one(best(table))
    assert table.total(best(table)) == pytest.approx(total, rel=NEAR)


@pytest.mark.parametrize("solved", ["augment", "sparse"])
def test_long_chains_end(solved: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells in a row, each heavier than the one before: a look at neighbours settles one at a time, or none."""
    length = 2_000
    rows, columns = (np.arange(length) + 1) // 2, np.arange(length) // 2
    for weights in (np.arange(1.0, length + 1), np.full(length, 1.0)):
        if solved == "sparse":
            monkeypatch.setattr(assignment, "_STEPS", 0)
        table = Cells(rows, columns, weights)
        heaviest = max(weights[0::2].sum(), weights[1::2].sum())
        assert table.total(best(table)) == heaviest


def partitions(mentions: Sequence[tuple[int, int]]) -> Iterator[twins.Partition]:
    """All partitions of all subsets of some mentions."""
    if not mentions:
        yield []
        return
    first, *others = mentions
    for rest in partitions(others):
        yield rest
        yield [[first], *rest]
        for at, entity in enumerate(rest):
            yield [*rest[:at], [first, *entity], *rest[at + 1 :]]


def test_blanc_by_the_links_of_both_sides_is_that_of_the_paper() -> None:
    """All pairs of partitions of up to three mentions, where every boundary case occurs."""
    sides = list(partitions([(n, n) for n in range(3)]))
    pairs = {f"{k} {r}": (key, response) for k, key in enumerate(sides) for r, response in enumerate(sides)}
    keys, responses = ({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))
    found = corefscore.score(keys, responses, "blanc", boundary="both").documents
    assert len(pairs) == 15**2
    for name, pair in pairs.items():
        assert found[name]["blanc"].f1 == pytest.approx(float(twins.blanc_by_both_sides(*pair)), abs=NEAR), pair


def test_a_document_without_links_moves_no_total_of_others() -> None:
    """Its weight is that of nothing: {ab} against {ab} is 1, and stays 1 beside {a} against {b}."""
    keys, responses = {"one": [["a", "b"]], "two": [["a"]]}, {"one": [["a", "b"]], "two": [["b"]]}
    result = corefscore.score(keys, responses, "blanc", boundary="both")
    assert (result["blanc"].f1, result.documents["two"]["blanc"].f1) == (1, 0)
    assert " | boundary=both | key=" in result.signature
    assert "boundary" not in corefscore.score(keys, responses, "blanc").signature


def textbook(cost: Floats) -> list[int]:
    """Munkres' search on a square matrix, in the words of the textbook: the column of each row."""
    cost = cost - cost.min(axis=1, keepdims=True)
    size = range(len(cost))
    star: dict[int, int] = {}
    for row in size:
        free = [column for column in size if cost[row, column] == 0 and column not in star.values()]
        star.update({row: free[0]} if free else {})
    while len(star) < len(cost):
        rows, columns, prime = set[int](), set(star.values()), dict[int, int]()
        while True:
            zeros = [(r, c) for r in size for c in reversed(size) if cost[r, c] == 0 and r not in rows]
            zeros = [(row, column) for row, column in zeros if column not in columns]
            if not zeros:
                least = min(cost[r, c] for r in size for c in size if r not in rows and c not in columns)
                cost[list(rows)] += least
                cost[:, [column for column in size if column not in columns]] -= least
                continue
            row, column = zeros[0]
            prime[row] = column
            if row not in star:
                break
            rows.add(row)
            columns.remove(star[row])
        while True:
            before = next((other for other, its in star.items() if its == prime[row] and other != row), None)
            star[row] = prime[row]
            if before is None:
                break
            row = before
    return [star[row] for row in size]


def test_munkres_is_the_search_of_the_textbook() -> None:
    """On 200 matrices of small similarities, where many assignments are best."""
    random = np.random.default_rng(0)
    for size in range(1, 9):
        for _ in range(25):
            cost = 1 - random.choice([0, 0, 0, 1 / 3, 1 / 2, 2 / 3, 1], (size, size))
            assert _munkres(cost).tolist() == textbook(cost), cost


@pytest.mark.parametrize("seed", range(5))
def test_the_assignment_of_the_official_scorer_is_taken_wherever_it_changes_a_sum(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against a search of every document, on 200 that are rich in ties: nearly all singletons, some of them joined."""
    random = Random(seed)
    pairs = [
        (joined_singletons(random, size), joined_singletons(random, size))
        for size in random.choices(range(8, 17), k=200)
    ]
    found = twins.score(pairs).counts["ceafe"]
    monkeypatch.setattr(official, "best", unsure_everywhere)
    assert np.array_equal(found, twins.score(pairs).counts["ceafe"])


def unsure_everywhere(rows: Ints, columns: Ints, weights: Floats) -> assignment.Assignment:
    found = assignment.best(rows, columns, weights)
    return found._replace(unsure=np.ones_like(found.taken))


def joined_singletons(random: Random, size: int) -> twins.Partition:
    entities = [[(token, token)] for token in range(size)]
    for _ in range(random.randint(1, max(2, size // 3))):
        one, other = random.sample(range(len(entities)), 2)
        entities[one] += entities[other]
        del entities[other]
    return entities
