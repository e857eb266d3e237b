"""What Moosavi and Strube 2016 print about the CoNLL-2012 test set that can be checked without it: section 3.1, whose
numbers follow from counts, section 3.3, and the arithmetic of table 5."""

from __future__ import annotations

from typing import NamedTuple

from corefscore import score

from papers.page import METRICS, Claim, listed, partition

MENTIONS, ENTITIES, SECTIONS = 19_764, 4_532, 348
"""Of the test set, as section 2 prints them."""

MUC_PRECISION, MUC_F1 = "78.44", "87.91"
"""Section 3.1: all key mentions in one entity."""

FIGURE_1 = "abcdefgh ij klmn op qr"
"""The key of figure 1: entities (1) to (5). Entity (1) has eight mentions, entity (4), the two of "survival", two."""


class System(NamedTuple):
    """A row of table 5. F1 in percent; the rank stands in brackets there, CEAF-m and BLANC have none."""

    name: str
    muc: float
    bcub: float
    ceafm: float
    ceafe: float
    blanc: float
    conll: float
    lea: float
    ranks: dict[str, int]


def _system(words: str) -> System:
    """``NAME MUC rank B-cubed rank CEAF-m CEAF-e rank BLANC average rank LEA rank``."""
    name, *numbers = words.split()
    muc, muc_rank, bcub, bcub_rank, ceafm, ceafe, ceafe_rank, blanc, conll, conll_rank, lea, lea_rank = map(
        float, numbers
    )
    ranks = {"muc": muc_rank, "bcub": bcub_rank, "ceafe": ceafe_rank, "conll": conll_rank, "lea": lea_rank}
    as_numbers = {measure: int(rank) for measure, rank in ranks.items()}
    return System(name, muc, bcub, ceafm, ceafe, blanc, conll, lea, as_numbers)


TABLE_5 = tuple(
    map(
        _system,
        (
            "fernandes 70.51 1 57.58 1 61.42 53.86 1 58.75 60.65 1 53.28 1",
            "martschat 66.97 3 54.62 2 58.77 51.46 2 55.04 57.68 2 49.99 2",
            "bjorkelund 67.58 2 54.47 3 58.19 50.21 3 55.42 57.42 3 49.98 2",
            "chang 66.38 4 52.99 4 57.10 48.94 4 53.86 56.10 4 48.50 4",
            "chen 63.71 7 51.76 5 55.77 48.10 5 52.87 54.52 5 46.24 6",
            "chunyuang 63.82 6 51.21 6 55.10 47.58 6 52.65 54.20 6 45.84 6",
            "shou 62.91 8 49.44 9 53.16 46.66 7 50.44 53.00 7 43.97 8",
            "yuan 62.55 9 50.11 8 54.53 45.99 8 52.10 52.88 8 44.76 8",
            "xu 66.18 5 50.30 7 51.31 41.25 11 46.47 52.58 9 46.83 5",
            "uryupina 60.89 10 46.24 10 49.31 42.93 9 46.04 50.02 10 41.15 10",
            "songyang 59.83 12 45.90 11 49.58 42.36 10 45.10 49.36 11 41.25 10",
            "zhekova 53.52 13 35.66 13 39.66 32.16 12 34.80 40.45 12 29.98 12",
            "xinxin 48.27 14 35.73 12 37.99 31.90 13 36.54 38.63 13 29.22 12",
            "li 50.84 11 32.29 14 36.28 25.21 14 31.85 36.11 14 27.32 14",
        ),
    )
)


def in_one_entity(sections: int) -> tuple[float, float]:
    """Precision and F1 of MUC of a response with all key mentions of each section in one entity, from counts alone."""
    precision = (MENTIONS - ENTITIES) / (MENTIONS - sections)
    return precision, 2 * precision / (1 + precision)


def section_3_1() -> Claim:
    """The printed numbers are those of the printed counts if two sections have no mentions."""
    found = {sections: in_one_entity(sections) for sections in (SECTIONS, SECTIONS - 2)}
    return Claim(
        "3.1",
        f"all mentions in one entity: MUC precision {MUC_PRECISION}, F1 {MUC_F1}",
        "; ".join(f"{n} sections: {p:.4%}, {f1:.4%}" for n, (p, f1) in found.items()).replace("%", ""),
        any(tuple(f"{int(1e4 * x) / 100:.2f}" for x in each) == (MUC_PRECISION, MUC_F1) for each in found.values()),
    )


def section_3_3() -> Claim:
    """A response without the largest entity of figure 1, and one without one of two mentions."""
    key = partition(FIGURE_1)
    without = {number: score(key, [entity for at, entity in enumerate(key, 1) if at != number]) for number in (1, 4)}
    found = [listed({name: result[name].f1 for name in METRICS}) for result in without.values()]
    return Claim(
        "3.3",
        "CEAF-e scores a response without entity (1) of figure 1 like one without entity (4)",
        f"without (1): {found[0]}; without (4): {found[1]}",
        without[1]["ceafe"].f1 == without[4]["ceafe"].f1,
    )


def table_5() -> list[Claim]:
    """The average is the mean of its three columns, and ranks follow from the scores."""
    off = [each.name for each in TABLE_5 if abs((each.muc + each.bcub + each.ceafe) / 3 - each.conll) > 0.0101]
    found = [
        Claim(
            "table 5",
            "the CoNLL average is the mean of MUC, B-cubed and CEAF-e",
            f"true of {len(TABLE_5) - len(off)} of {len(TABLE_5)} rows, within the rounding" + _named(off),
            not off,
        )
    ]
    for measure, title in {**METRICS, "conll": "CoNLL average"}.items():
        if measure in TABLE_5[0].ranks:
            found.append(_ranked(measure, title))
    return found


def _ranked(measure: str, title: str) -> Claim:
    """Whether ranks follow from scores; those by LEA are shared by systems that do not differ significantly."""
    in_order = sorted(TABLE_5, key=lambda each: -getattr(each, measure))
    if measure == "lea":
        ranks = [each.ranks[measure] for each in in_order]
        holds = ranks == sorted(ranks) and all(rank <= place for place, rank in enumerate(ranks, 1))
        return Claim(
            "table 5",
            f"ranks by {title}, shared without a significant difference",
            "follow the scores",
            holds,
        )
    other = [
        f"{each.name} ({each.ranks[measure]}, by its score {at})"
        for at, each in enumerate(in_order, 1)
        if each.ranks[measure] != at
    ]
    return Claim(
        "table 5",
        f"ranks by {title}",
        "follow the scores" + (f", except {', '.join(other)}" if other else ""),
        not other,
    )


def _named(names: list[str]) -> str:
    return f": {', '.join(names)}" if names else ""
