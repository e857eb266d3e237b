"""Lin, Shah, Frederking and Gershman 2010, CONE: the example of section 4.1."""

from __future__ import annotations

from fractions import Fraction

from papers.page import Drawing, filled, in_braces, measured, table

KEY = "ABC1234"
"""The example: letters are named mentions, digits the others."""

OUTPUTS = {"O1, a missing named mention": "AB123", "O2, wrongly grouped": "AC124 B3"}

MEASURES = {"bcub": "B-cubed", "ceafm": "CEAF-m"}


def page() -> str:
    """Section 4.1."""
    rows = [
        [name, in_braces(output), *scored(KEY, output), in_braces(named(output)), *scored(named(KEY), named(output))]
        for name, output in OUTPUTS.items()
    ]
    heads = ["output", "all mentions", *MEASURES.values(), "named mentions", "CONE-B3", "CONE-CEAF"]
    return filled("lin_2010.md", key=in_braces(KEY), named=in_braces(named(KEY)), example=table(heads, rows))


def drawings() -> list[Drawing]:
    """None."""
    return []


def named(entities: str) -> str:
    """The same cut down to named mentions; an entity without one disappears."""
    cut = ("".join(filter(str.isalpha, entity)) for entity in entities.split())
    return " ".join(filter(None, cut))


def scored(key: str, response: str) -> list[str]:
    """Recall, precision and F1 of both metrics, as fractions."""
    found = []
    for measure in MEASURES:
        values = zip("RPF", measured(key, response, measure)[:3], strict=True)
        found.append(", ".join(f"{name} {Fraction(value).limit_denominator(1000)}" for name, value in values))
    return found
