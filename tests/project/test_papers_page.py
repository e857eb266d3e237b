"""docs/papers.md is what `make papers` writes; it says why a number differs, and makes responses as it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from corefscore import score
from papers import conll_2012, free_corpora, moosavi_strube_2016
from papers.moosavi_strube_2016 import (
    AMONG_THEMSELVES,
    AT_RANDOM,
    KEY,
    LARGEST_FIRST,
    MENTIONS_OF_KEY,
    SHARES,
    TO_ANY,
    links_resolved,
)
from papers.page import Printed, partition
from papers.printed import PRINTED
from support import CORPORA, EXCERPTS, FURTHER, RECORDED
from update_papers import FIGURES, PAGE, data, text


@pytest.mark.outside
def test_the_page_is_what_the_scripts_write() -> None:
    assert PAGE.read_text() == text()
    for name, content in data().items():
        assert (FIGURES / name).read_text() == content


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"{row.paper}, {row.place}: {row.measure}")
def test_a_number_that_differs_from_the_paper_says_what_decides(row: Printed) -> None:
    assert row.same is not bool(row.decides)


@pytest.mark.parametrize("row", [row for row in PRINTED if row.recorded], ids=lambda row: row.recorded)
def test_a_recorded_case_has_the_partitions_of_its_example(row: Printed) -> None:
    example = score(partition(row.key), partition(row.response))
    case = score(*(str(RECORDED / row.recorded / f"{side}.conll") for side in ("key", "response")))
    assert {name: array.tolist() for name, array in case.counts.items()} == {
        name: array.tolist() for name, array in example.counts.items()
    }


@pytest.mark.parametrize("order", [LARGEST_FIRST, AT_RANDOM])
@pytest.mark.parametrize("share", SHARES)
def test_the_rest_of_a_response_is_linked_and_has_no_correct_link(order: str, share: int) -> None:
    """Moosavi and Strube 2016, section 7.1, as for figures 2 and 3: the latter adds wrong links to the former."""
    without = score(KEY, links_resolved(order, None, share, seed=0))["blanc.coreference"]
    assert without.precision == (share > 0)
    assert share / 100 <= without.recall <= share / 100 + 0.06
    for way in (TO_ANY, AMONG_THEMSELVES):
        response = links_resolved(order, way, share, seed=0)
        assert sorted(mention for entity in response for mention in entity) == MENTIONS_OF_KEY
        assert min(map(len, response)) > 1
        assert score(KEY, response)["blanc.coreference"].recall == without.recall


@pytest.mark.parametrize(
    ("corpora", "corpus"), [(EXCERPTS, "ecbplus-withindoc"), pytest.param(CORPORA, "gerdracor", marks=FURTHER)]
)
def test_what_is_recorded_of_the_free_corpora_is_what_the_scorer_gives(corpora: Path, corpus: str) -> None:
    assert free_corpora.recorded()[corpus] == free_corpora.numbers(corpora, [corpus])[corpus]


def test_lea_keeps_its_recall_where_entities_are_made_worse() -> None:
    """Moosavi and Strube 2016, section 2: no correct link comes or goes."""
    for its in free_corpora.recorded().values():
        recalls = {its[way]["lea"][0] for way in free_corpora.WAYS if way != free_corpora.ONE_ENTITY}
        assert len(recalls) == 1


def test_the_claims_that_the_page_says_hold_do() -> None:
    """Those of sections 3.1, 3.4 and 7.2 to 7.5; without two sections, the counts give the printed MUC, cut off after
    two digits as the official scorer does."""
    claims = [
        conll_2012.section_3_1(),
        *moosavi_strube_2016.claims_of_entities(),
        *moosavi_strube_2016.claims_of_splits(),
        *moosavi_strube_2016.claims_of_extras(),
        *moosavi_strube_2016.claims_of_mentions(),
    ]
    assert {claim.place[:3] for claim in claims} == {"3.1", "3.4", "7.2", "7.3", "7.4", "7.5"}
    assert all(claim.holds for claim in claims)
    precision, f1 = conll_2012.in_one_entity(conll_2012.SECTIONS - 2)
    assert (f"{int(1e4 * precision) / 100:.2f}", f"{int(1e4 * f1) / 100:.2f}") == (
        conll_2012.MUC_PRECISION,
        conll_2012.MUC_F1,
    )
