"""What holds for every metric on any partitions, and each exception with the recorded case that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from operator import add
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
import twins
from corefscore.metrics import find
from corefscore.scoring.results import Result
from support import RECORDED, together

MEASURES = [measure.name for name in twins.TWINS for measure in find(name).measures]

NEAR = 1e-12
LAST_BITS = 4 * np.finfo(np.float64).eps

EACH_MEASURE = pytest.mark.parametrize("measure", MEASURES)
EACH_KIND = together("kind", list(twins.PLAIN))


@cache
def pairs(kind: str) -> list[twins.Pair]:
    """Random documents in which both sides have links of both kinds, so that no denominator is 0."""
    return [
        pair
        for pair in twins.drawn(kind, 40)
        if all(twins.coreference_links(side) and twins.noncoreference_links(side) for side in pair)
    ]


@cache
def result(kind: str) -> Result:
    return twins.score(pairs(kind))


@cache
def swapped(kind: str) -> Result:
    return twins.score([(response, key) for key, response in pairs(kind)])


@cache
def against_itself(kind: str) -> Result:
    return twins.score([(key, key) for key, _ in pairs(kind)])


@cache
def shuffled(kind: str) -> Result:
    """The same documents with entities, and the mentions within each, in another order."""
    random = Random(kind)

    def shuffle(partition: twins.Partition) -> twins.Partition:
        entities = [random.sample(entity, len(entity)) for entity in partition]
        return random.sample(entities, len(entities))

    return twins.score([(shuffle(key), shuffle(response)) for key, response in pairs(kind)])


@EACH_KIND
def test_there_are_documents_to_try(kind: str) -> None:
    assert len(pairs(kind)) > 15


@EACH_KIND
@EACH_MEASURE
def test_a_partition_scores_1_against_itself(measure: str, kind: str) -> None:
    for document in range(len(pairs(kind))):
        assert twins.measures(against_itself(kind), document)[measure] == (1, 1, 1)


@EACH_KIND
@EACH_MEASURE
def test_swapping_the_sides_swaps_recall_and_precision(measure: str, kind: str) -> None:
    for document in range(len(pairs(kind))):
        recall, precision, f1 = twins.measures(result(kind), document)[measure]
        found = twins.measures(swapped(kind), document)[measure]
        assert found == pytest.approx((precision, recall, f1), rel=LAST_BITS, abs=0), pairs(kind)[document]


@EACH_KIND
@EACH_MEASURE
def test_scores_lie_between_0_and_1(measure: str, kind: str) -> None:
    for document in range(len(pairs(kind))):
        scores = twins.measures(result(kind), document)[measure]
        assert all(0 <= score <= 1 for score in scores), pairs(kind)[document]


@EACH_KIND
@EACH_MEASURE
def test_the_order_of_entities_moves_no_more_than_the_last_bits(measure: str, kind: str) -> None:
    for document in range(len(pairs(kind))):
        scores = twins.measures(result(kind), document)[measure]
        found = twins.measures(shuffled(kind), document)[measure]
        assert found == pytest.approx(scores, rel=LAST_BITS, abs=0), pairs(kind)[document]


def same_to_the_bit(one: Result, other: Result) -> bool:
    return all(np.array_equal(one.counts[name], other.counts[name]) for name in twins.TWINS)


@EACH_KIND
def test_renaming_entities_changes_nothing(kind: str, tmp_path: Path) -> None:
    """The new ids are in no order, and some have 20 digits."""
    ids = Random(kind).sample([*range(3, 100, 7), *range(10**19, 10**19 + 20)], 30)

    def write(file: str, side: int, names: Sequence[int]) -> Path:
        path = tmp_path / file
        path.write_text(twins.conll([pair[side] for pair in pairs(kind)], names))
        return path

    before = twins.score_files(write("key", 0, range(30)), write("response", 1, range(30)))
    after = twins.score_files(write("renamed-key", 0, ids), write("renamed-response", 1, ids[::-1]))
    assert same_to_the_bit(before, after)


MIXED = [
    pair
    for kind in (*twins.PLAIN, *twins.AT_THE_BOUNDARY, "repeats-in-the-key", "spurious-repeats")
    for pair in twins.drawn(kind, 3)
]
"""Documents of all kinds, but none whose copies are dropped: of those a run has room for few."""


@pytest.mark.parametrize(("batch", "response_batch"), [(1, 1), (7, 7), (1, 1000), (1000, 1), (4, 9), (9, 4)])
def test_batches_change_nothing(batch: int, response_batch: int) -> None:
    split = twins.score(MIXED, batch=batch, response_batch=response_batch)
    assert same_to_the_bit(split, twins.score(MIXED))


@pytest.mark.parametrize("metric", twins.TWINS)
def test_totals_are_the_counts_of_documents_added_from_left_to_right(metric: str) -> None:
    result = twins.score(MIXED)
    counted = [measure for measure in find(metric).measures if measure.combine is None]
    totals = [
        [reduce(add, column.tolist()) for column in measure.T] for measure in result.counts[metric].swapaxes(0, 1)
    ]
    for measure, total in zip(counted, totals, strict=True):
        score = result[measure.name]
        assert [*score.recall_counts, *score.precision_counts] == total


# Exceptions


class Exceptional(NamedTuple):
    """A recorded score that breaks the rule above of that name; without a document, that of the totals."""

    rule: str
    case: str
    document: str | None
    measure: str
    recall: str
    precision: str
    f1: str


REPEATED = ("repeat-both-0013", "(bc/cctv/04/cctv_1667); part 004")
ONE_MENTION = ("odd-reopened-at-end", None)

EXCEPTIONS = [
    Exceptional("a partition scores 1 against itself", *ONE_MENTION, "muc", "0", "0", "0"),
    Exceptional("a partition scores 1 against itself", *ONE_MENTION, "blanc", "0", "0", "0"),
    Exceptional("a partition scores 1 against itself", "empty-both-0093", None, "bcub", "0", "0", "0"),
    Exceptional("scores lie between 0 and 1", *REPEATED, "ceafe", "4/3", "4/3", "4/3"),
    Exceptional("scores lie between 0 and 1", *REPEATED, "ceafm", "1", "2", "4/3"),
]


def score_case(case: str, key: str = "key", response: str = "response") -> Result:
    return twins.score_files(RECORDED / case / f"{key}.conll", RECORDED / case / f"{response}.conll")


@pytest.mark.parametrize("row", EXCEPTIONS, ids=lambda row: f"{row.rule}: {row.measure} of {row.case}")
def test_exception_is_as_recorded(row: Exceptional) -> None:
    result = score_case(row.case)
    document = result.names.index(row.document) if row.document else None
    expected = [float(Fraction(number)) for number in (row.recall, row.precision, row.f1)]
    assert twins.measures(result, document)[row.measure] == pytest.approx(expected, rel=NEAR)


@pytest.mark.parametrize("case", ["empty-key-0055", "empty-response-0056", "empty-both-0021"])
@EACH_MEASURE
def test_an_empty_side_scores_0(measure: str, case: str) -> None:
    assert twins.measures(score_case(case))[measure] == (0, 0, 0)


class OneSided(NamedTuple):
    """Recall and precision of BLANC as recorded, and what they become when the sides are swapped."""

    case: str
    recall: Fraction
    precision: Fraction
    swapped_recall: Fraction
    swapped_precision: Fraction


ONE_SIDED = [
    # The key has no non-coreference links, the response has 9.
    OneSided("one-entity-0114", Fraction(28, 45), Fraction(28, 36), Fraction(28, 36) / 2, Fraction(28, 45) / 2),
    # The key has no coreference links, the response has 3.
    OneSided("all-singletons-0077", Fraction(14, 28), Fraction(14, 33), Fraction(14, 33) / 2, Fraction(14, 28) / 2),
]

EACH_ONE_SIDED = pytest.mark.parametrize("row", ONE_SIDED, ids=lambda row: row.case)


@EACH_ONE_SIDED
def test_blanc_looks_only_at_the_kind_of_link_that_the_key_has(row: OneSided) -> None:
    recall, precision, _ = twins.measures(score_case(row.case))["blanc"]
    assert (recall, precision) == pytest.approx((row.recall, row.precision), rel=NEAR)


@EACH_ONE_SIDED
def test_blanc_with_swapped_sides_is_the_mean_of_both_kinds_of_link(row: OneSided) -> None:
    """So swapping the sides of these cases does not swap recall and precision."""
    recall, precision, _ = twins.measures(score_case(row.case, "response", "key"))["blanc"]
    assert (recall, precision) == pytest.approx((row.swapped_recall, row.swapped_precision), rel=NEAR)
