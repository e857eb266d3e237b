"""The words of error reports for the two sides and their differences: key and response, or two annotators."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pkgutil import get_data
from typing import NamedTuple


class _TypeWords(NamedTuple):
    """The words of a type of errors: its name, its heading in tables with little space and the one above it and its
    neighbours, and why such errors cost something."""

    title: str
    over: str
    heading: str
    means: str


class ReportWords(NamedTuple):
    """The words of a report.

    ``key`` and ``response`` name the sides, ``missing`` and ``extra`` what only one of them has, ``error`` any
    difference; ``symmetric`` says whether the sides are two annotators. ``title`` is the title of the report, ``types``
    has the words of each type of errors in the order of columns. ``conclusion`` begins the sentence that says which
    type costs most. ``command`` is the command that shows documents in the text. ``confused`` is the title of the table
    of confused entities, ``put_into`` the heading of the second entity. ``notes`` explain the tables, ``star`` the
    stars in the tables of groups, ``legend`` the signs in marked text, and ``said`` describes each state of a mention
    (`corefscore.reports.diff.STATES`).
    """

    key: str
    response: str
    missing: str
    extra: str
    error: str
    symmetric: bool
    title: str
    types: Mapping[str, _TypeWords]
    conclusion: str
    command: str
    confused: str
    put_into: str
    notes: Sequence[str]
    star: str
    legend: Sequence[str]
    said: Sequence[str]


KEY_AND_RESPONSE, FIRST_AND_SECOND = (
    ReportWords(**{**rows, "types": {name: _TypeWords(*its) for name, its in rows["types"].items()}})
    for rows in json.loads(get_data(__package__, "words.json") or b"").values()
)
"""The words for a key and a response, and for the first and the second of two annotators (``words.json``)."""
