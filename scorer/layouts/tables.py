"""Tables to read: for a terminal, Markdown and LaTeX. Percentages are rounded to two digits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tabulate import tabulate

from scorer.results import Report

FORMS = {"table": "simple", "markdown": "github", "latex": "latex_booktabs"}
"""What tabulate calls the layouts."""


def percent(value: float | None) -> str:
    """A value from 0 to 1 in percent, two digits, rounded half to even on the exact value of the float."""
    return "" if value is None else f"{float(round(Fraction(value) * 100, 2)):.2f}"


def render(report: Report, layout: str) -> Iterator[str]:
    """The rows as a table. For a terminal the signature stands under it."""
    headers = [*(["scope"] if report.scoped else []), "measure", "R", "P", "F1"]
    rows = [
        [*([row.scope] if report.scoped else []), row.measure, *map(percent, (row.recall, row.precision, row.f1))]
        for row in report.rows
    ]
    align = ["left"] * (len(headers) - 3) + ["right"] * 3
    yield tabulate(rows, headers, tablefmt=FORMS[layout], disable_numparse=True, colalign=align) + "\n"
    if layout == "table":
        yield f"\n{report.result.signature}\n"
