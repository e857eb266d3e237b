"""Recasens and Hovy 2011, BLANC: Implementing the Rand index for coreference evaluation."""

from __future__ import annotations

from typing import NamedTuple

from corefscore import score

from papers.page import NAMES, Claim, Drawing, filled, in_braces, in_form_of, measured, percent
from papers.printed import APART, TOGETHER

PAPER = "Recasens and Hovy 2011"


class Rule(NamedTuple):
    """A rule of section 2.2 by its bullet, with an instance.

    It says of a measure that recall, precision and F1 all have one value, or are those of another measure.
    """

    bullet: int
    text: str
    key: str
    response: str
    measure: str
    equals: int | str

    @property
    def claim(self) -> Claim:
        found = measured(self.key, self.response, self.measure)
        if isinstance(self.equals, str):
            other = measured(self.key, self.response, self.equals)
            said = (other.recall, other.precision, other.f1)
        else:
            said = (self.equals,) * 3
        numbers = (found.recall, found.precision, found.f1)
        listed = ", ".join(
            f"{name} {in_form_of('', value)}" for name, value in zip(("R", "P", "F1"), numbers, strict=True)
        )
        if len(set(numbers)) == 1:
            listed = in_form_of("", found.f1)
        return Claim(
            f"bullet {self.bullet}",
            self.text,
            f"{in_braces(self.key)} against {in_braces(self.response)}: {NAMES[self.measure]} {listed}",
            numbers == said,
        )


RULES = (
    Rule(1, "response and key one entity: BLANC is 100", "abc", "abc", "blanc", 1),
    Rule(1, "response one entity, key singletons: BLANC is 0", "a b c", "abc", "blanc", 0),
    Rule(1, "response one entity, key both types of links: non-coreference is 0", "ab c", "abc", APART, 0),
    Rule(2, "response and key singletons: BLANC is 100", "a b c", "a b c", "blanc", 1),
    Rule(2, "response singletons, key one entity: BLANC is 0", "abc", "a b c", "blanc", 0),
    Rule(2, "response singletons, key both types of links: coreference is 0", "ab c", "a b c", TOGETHER, 0),
    Rule(3, "key both types, no right coreference link: coreference is 0", "ab c", "a bc", TOGETHER, 0),
    Rule(3, "key both types, no right non-coreference link: non-coreference is 0", "abc d", "abcd", APART, 0),
    Rule(4, "response both types, key one entity: BLANC is the coreference scores", "abc", "ab c", "blanc", TOGETHER),
    Rule(4, "response both types, key singletons: the non-coreference scores", "a b c", "ab c", "blanc", APART),
)


def near_boundary() -> Claim:
    """The weakness of BLANC that section 2.2 ends with."""
    sizes = range(3, 51)
    f1 = [
        score([[0, 1], *([other] for other in range(2, size))], [[mention] for mention in range(size)])["blanc"].f1
        for size in sizes
    ]
    return Claim(
        "after them",
        "one coreference link in the key, none in the response: BLANC is never higher than 50",
        f"{sizes[0]} to {sizes[-1]} mentions: F1 {percent(min(f1), 2)} to {percent(max(f1), 2)} %",
        max(f1) <= 0.5,
    )


def claims() -> list[Claim]:
    """Section 2.2."""
    return [*(rule.claim for rule in RULES), near_boundary()]


def page() -> str:
    """Section 2.2."""
    assert all(claim.holds for claim in claims())
    return filled("recasens_hovy_2011.md", count=len(RULES))


def drawings() -> list[Drawing]:
    """None: the paper has no figure."""
    return []
