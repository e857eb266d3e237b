"""Lin, Shah, Frederking and Gershman 2010, CONE: the example of section 4.1."""

from __future__ import annotations

from papers.page import Claim, Drawing, filled, in_braces, in_form_of, measured

PAPER = "Lin et al. 2010"

KEY = "ABC1234"
"""The example: letters are named mentions, digits the others."""

OUTPUTS = (
    ("4.1, O1", "a missing named mention", "AB123"),
    ("4.1, O2", "a wrongly grouped mention", "AC124 B3"),
)

MEASURES = {"bcub": "B-cubed", "ceafm": "CEAF-m"}
CONE = ("CONE-B3", "CONE-CEAF")


def claims() -> list[Claim]:
    """Section 4.1, which prints no numbers: both errors cost, with all mentions and with named mentions only."""
    found = []
    for place, error, output in OUTPUTS:
        pairs = ((KEY, output), (named(KEY), named(output)))
        f1 = [measured(*pair, measure).f1 for pair in pairs for measure in MEASURES]
        values = ", ".join(
            f"{name} {in_form_of('', value)}" for name, value in zip([*MEASURES.values(), *CONE], f1, strict=True)
        )
        text = f"{in_braces(KEY)} against {in_braces(output)}: {error} lowers the scores"
        found.append(Claim(place, text, f"F1 of {values}", max(f1) < 1))
    return found


def page() -> str:
    """Section 4.1, and the end of the page."""
    return filled("lin_2010.md")


def drawings() -> list[Drawing]:
    """None."""
    return []


def named(entities: str) -> str:
    """The same cut down to named mentions; an entity without one disappears."""
    cut = ("".join(filter(str.isalpha, entity)) for entity in entities.split())
    return " ".join(filter(None, cut))
