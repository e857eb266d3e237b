"""The JSON layout: counts and values in full, see ``docs/json.md``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from corefscore.reports.base import AsData, Streamed
from corefscore.reports.layouts import Style


def render(report: AsData, style: Style) -> Iterator[str]:
    """The result of `to_dict` as JSON text; bytes that are not UTF-8 are escaped.

    The text is that of `json.dumps` with an indent of 1, but `Streamed` values are written one by one, since all of
    them together can take hundreds of times the memory of the input.
    """
    between = "{\n "
    for name, value in report.to_dict().items():
        yield f"{between}{json.dumps(name)}: "
        yield from _members(value) if isinstance(value, Streamed) else [_indented(value, 1)]
        between = ",\n "
    yield "\n}\n"


def _members(value: Streamed) -> Iterator[str]:
    """The text of a mapping within another one."""
    between = "{\n  "
    for name, member in value.pieces():
        yield f"{between}{json.dumps(name)}: {_indented(member, 2)}"
        between = ",\n  "
    yield "\n }" if between.startswith(",") else "{}"


def _indented(value: Any, depth: int) -> str:
    """The text of a value at a depth. JSON strings contain no line ends, so every line is indented."""
    return json.dumps(value, indent=1).replace("\n", "\n" + " " * depth)
