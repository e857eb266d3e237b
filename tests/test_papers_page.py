"""docs/papers.md is what `make papers` writes; it says why a number differs, and makes responses as it says."""

from __future__ import annotations

import pytest
from corefscore import score
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
from support import RECORDED
from update_papers import PAGE, text


def test_the_page_is_what_the_scripts_write() -> None:
    assert PAGE.read_text() == text()


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
