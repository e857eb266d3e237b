"""The numbers of the papers: what is printed there, or follows at once from a rule that is printed there."""

from __future__ import annotations

from papers.page import Printed

LEA = "Moosavi and Strube 2016"
LUO = "Luo et al. 2014"

ENTITY_1 = "abcdefgh"
"""Figure 1 of Moosavi and Strube 2016: The American administration, it1, it2, it3, they1, they2, them, their."""

CR1, CR2 = "abcd efgh", "abcd"
"""The responses to it of their table 2."""

EXAMPLE_1 = ("abc d", "bc de")
TOGETHER, APART = "blanc.coreference", "blanc.noncoreference"

MISPRINT = (
    "the paper seems to have a misprint, 32.29 for 35.29. The response has C(4, 2) = 6 of the C(8, 2) = 28 links of "
    "the key and no others, so F1 is 2 · 6 / (28 + 6) by every definition of BLANC."
)
NO_LINKS = (
    "the key has no link of either kind, which the official scorer scores as 0. The paper asks whether both sides have "
    "the same mentions."
)
NO_APART = (
    "the key has coreference links only, so the official scorer counts only these (Recasens and Hovy, section 2.2). "
    "For the paper, BLANC is the mean of their F1 and 0, since the response has non-coreference links, all wrong."
)
NO_TOGETHER = (
    "the key has non-coreference links only, so the official scorer counts only these. For the paper, BLANC is the "
    "mean of their F1 and 0, since the response has a coreference link, a wrong one."
)

PRINTED = (
    # The resolution score of an entity is what LEA gives where it stands alone on its side.
    Printed(LEA, "section 5, resolution of k1", "abc", "ab cd fghi", "lea", recall="1/3"),
    Printed(LEA, "section 5, resolution of k2", "defg", "ab cd fghi", "lea", recall="1/6"),
    Printed(LEA, "section 5, resolution of r1", "abc defg", "ab", "lea", precision="1"),
    Printed(LEA, "section 5, resolution of r2", "abc defg", "cd", "lea", precision="0"),
    Printed(LEA, "section 5, resolution of r3", "abc defg", "fghi", "lea", precision="1/6"),
    Printed(LEA, "section 5", "abc defg", "ab cd fghi", "lea", recall="0.24", precision="0.33"),
    # Percentages are cut off after two digits, as the official scorer does.
    Printed(LEA, "table 3, cr1", ENTITY_1, CR1, "muc", f1="92.30"),
    Printed(LEA, "table 3, cr1", ENTITY_1, CR1, "bcub", f1="66.66"),
    Printed(LEA, "table 3, cr1", ENTITY_1, CR1, "ceafm", f1="50.00"),
    Printed(LEA, "table 3, cr1", ENTITY_1, CR1, "ceafe", f1="44.44"),
    Printed(LEA, "table 3, cr1", ENTITY_1, CR1, "blanc", f1="60.00"),
    Printed(LEA, "table 3, cr2", ENTITY_1, CR2, "muc", f1="60.00"),
    Printed(LEA, "table 3, cr2", ENTITY_1, CR2, "bcub", f1="40.00"),
    Printed(LEA, "table 3, cr2", ENTITY_1, CR2, "ceafm", f1="66.66"),
    Printed(LEA, "table 3, cr2", ENTITY_1, CR2, "ceafe", f1="66.66"),
    Printed(LEA, "table 3, cr2", ENTITY_1, CR2, "blanc", f1="32.29", decides=MISPRINT),
    # Section 4.2, with the cases of section 4.1.
    Printed(LUO, "example 1", *EXAMPLE_1, TOGETHER, "1/3", "1/2", "2/5"),
    Printed(LUO, "example 1", *EXAMPLE_1, APART, "2/3", "2/4", "4/7"),
    Printed(LUO, "example 1", *EXAMPLE_1, "blanc", f1="17/35"),
    Printed(LUO, "example 2: case (1)", "a", "b", "blanc", f1="0"),
    Printed(LUO, "example 3: case (2)", "a b c", "a b d", APART, "1/3", "1/3"),
    Printed(LUO, "example 3: case (2)", "a b c", "a b d", "blanc", f1="1/3"),
    Printed(LUO, "example 4: case (3)", "abc", "bc", TOGETHER, "1/3", "1"),
    Printed(LUO, "example 4: case (3)", "abc", "bc", "blanc", f1="1/2", recorded="large-ids-0138"),
    # From here on by the rules of sections 4 and 4.1: the paper has no such examples.
    Printed(LUO, "case (1)", "a", "a", "blanc", f1="1", decides=NO_LINKS, recorded="odd-reopened-at-end"),
    Printed(LUO, "case (1)", "", "", "blanc", f1="1", decides=NO_LINKS, recorded="empty-both-0021"),
    Printed(LUO, "equation (19)", "abc", "ab c", "blanc", f1="1/4", decides=NO_APART, recorded="crlf-0023"),
    Printed(LUO, "equation (19)", ENTITY_1, CR1, "blanc", f1="3/10", decides=NO_APART),
    Printed(LUO, "equation (19)", "a b c", "ab c", "blanc", f1="2/5", decides=NO_TOGETHER),
    Printed(LUO, "equation (19)", "ab c", "abc", "blanc", f1="1/4"),
    Printed(LUO, "equation (19)", "ab c", "a b c", "blanc", f1="2/5"),
)


def printed(paper: str, *places: str) -> list[Printed]:
    """The rows of a paper, or those whose place begins with one of these."""
    return [row for row in PRINTED if row.paper == paper and row.place.startswith(places or ("",))]
