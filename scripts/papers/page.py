"""What the papers share: partitions, and the tables of the page. What is measured comes from the scorer."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from corefscore import score
from corefscore.scoring.results import Score

METRICS = {"muc": "MUC", "bcub": "B-cubed", "ceafm": "CEAF-m", "ceafe": "CEAF-e", "blanc": "BLANC", "lea": "LEA"}
"""The measures of the figures, as the papers call them."""

LINKS, MENTIONS = "links", "mentions"
"""What a point has beside the metrics: the shares of key links and of key mentions that the response resolves."""

NAMES = {
    **METRICS,
    "blanc.coreference": "BLANC, coreference",
    "blanc.noncoreference": "BLANC, non-coreference",
    LINKS: "links resolved",
    MENTIONS: "mentions found",
}

NAMES_OF_POINTS = (LINKS, MENTIONS, *METRICS)
"""The columns of the numbers of the figures."""

Partition = Sequence[Sequence[Any]]
Point = Mapping[str, float]
"""Values from 0 to 1 by what they measure."""


def partition(text: str) -> Partition:
    """Entities between blanks, each letter a mention: ``abc de``."""
    return [list(entity) for entity in text.split()]


def in_braces(text: str) -> str:
    """Entities as the papers write them: ``{abc} {de}``."""
    return " ".join(f"{{{entity}}}" for entity in text.split()) or "none"


def measured(key: str, response: str, measure: str, boundary: str = "key") -> Score:
    """One measure of a response that is written in letters."""
    return score(partition(key), partition(response), boundary=boundary)[measure]


class Claim(NamedTuple):
    """What a paper says, what we found, whether that agrees, and what decides if it does not."""

    place: str
    text: str
    found: str
    holds: bool
    decides: str = ""


class Printed(NamedTuple):
    """What a paper prints for an example, or what follows from a rule of it, one measure a row.

    Numbers are in the form of the paper: a fraction, a decimal, percent. Where ours is another, ``decides`` says which
    definition does; ``recorded`` is a case of `testdata/recorded` that has these partitions.
    """

    paper: str
    place: str
    key: str
    response: str
    measure: str
    recall: str = ""
    precision: str = ""
    f1: str = ""
    decides: str = ""
    recorded: str = ""

    @property
    def numbers(self) -> dict[str, str]:
        """The numbers that are printed, by what they are."""
        found = {"recall": self.recall, "precision": self.precision, "f1": self.f1}
        return {name: number for name, number in found.items() if number}

    @property
    def ours(self) -> dict[str, str]:
        """Those that the scorer gives instead, in the same form."""
        return self.scored("key")

    def scored(self, boundary: str) -> dict[str, str]:
        """Ours by this boundary rule of BLANC, in the form of the paper."""
        found = measured(self.key, self.response, self.measure, boundary)
        return {name: in_form_of(number, getattr(found, name)) for name, number in self.numbers.items()}

    @property
    def same(self) -> bool:
        ours = self.ours
        return all(Fraction(number) == Fraction(ours[name]) for name, number in self.numbers.items())

    @property
    def claim(self) -> Claim:
        """The same as a claim about this pair."""
        pair = f"{in_braces(self.key)} against {in_braces(self.response)}"
        said, found = (f"{NAMES[self.measure]} {_listed(numbers)}" for numbers in (self.numbers, self.ours))
        return Claim(self.place, f"{pair}: {said}", found, self.same, self.decides)


def in_form_of(number: str, value: float) -> str:
    """A value as a paper would print it that prints this number: percent is cut off after two digits, as the official
    scorer does, a decimal rounded to two; anything else is a fraction."""
    fraction = Fraction(value).limit_denominator(10_000)
    if "." not in number:
        return str(fraction)
    return f"{math.floor(fraction * 10_000) / 100:.2f}" if float(number) > 1 else f"{value:.2f}"


class Panel(NamedTuple):
    """One set of axes: what stands along the horizontal one, and the values over each of its places."""

    title: str
    axis: str
    ticks: Sequence[str]
    points: Sequence[Point]


class Drawing(NamedTuple):
    """A figure: a file name without its ending, what it shows, panels that lie side by side, the curves in them.

    ``ordered``: the places along the horizontal axis have an order, so that a line may join the points.
    """

    name: str
    caption: str
    panels: Sequence[Panel]
    curves: Sequence[str] = tuple(METRICS)
    ordered: bool = True

    @property
    def text(self) -> str:
        """The figure on the page."""
        return f"![{self.caption}](papers/{self.name}.svg)\n"


def filled(template: str, **parts: object) -> str:
    """The prose of a part of the page, which lies beside this file, with what was found put in."""
    return Path(__file__).with_name(template).read_text().format(**parts)


def percent(value: float, digits: int = 1) -> str:
    """A value from 0 to 1 in percent, without the sign."""
    return f"{100 * value:.{digits}f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows in Markdown."""
    first, *others = ("| " + " | ".join(line) + " |\n" for line in (heads, *rows))
    return "".join([first, "|" + "---|" * len(heads) + "\n", *others])


def merged(rows: Iterable[Sequence[str]], columns: int) -> list[list[str]]:
    """The same rows without a cell of the first columns that only repeats the row above, from the left on."""
    found: list[list[str]] = []
    above: Sequence[str] = ()
    for row in rows:
        same = 0
        while above and same < columns and row[same] == above[same]:
            same += 1
        found.append([""] * same + list(row[same:]))
        above = row
    return found


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows as CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([heads, *rows])
    return stream.getvalue()


def figures(drawings: Iterable[Drawing]) -> str:
    """The numbers of all figures as CSV, in percent."""
    rows = [
        [drawing.name, panel.title, tick, *(percent(point[measure], 2) for measure in NAMES_OF_POINTS)]
        for drawing in drawings
        for panel in drawing.panels
        for tick, point in zip(panel.ticks, panel.points, strict=True)
    ]
    return as_csv(["figure", "panel", "place", *NAMES_OF_POINTS], rows)


def _listed(numbers: Mapping[str, str]) -> str:
    if [*numbers] == ["f1"]:
        return numbers["f1"]
    short = {"recall": "R", "precision": "P", "f1": "F1"}
    return ", ".join(f"{short[name]} {number}" for name, number in numbers.items())


def differing(claims: Iterable[Claim]) -> str:
    """The claims that do not hold, each with what we found."""
    rows = [(claim.place, claim.text, claim.found) for claim in claims if not claim.holds]
    return table(["section or table", "the paper says", "we find"], merged(rows, 2))


def listed(values: Point) -> str:
    return ", ".join(f"{METRICS[name]} {percent(values[name])}" for name in METRICS)
