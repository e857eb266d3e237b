"""Data frames of pandas or polars, whichever is installed (extra ``frames``); and tables for notebooks, in HTML."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from html import escape
from importlib import import_module
from typing import Any

from corefscore.core.errors import UsageError
from corefscore.core.findings import VISIBLE


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Return a data frame with these columns and rows, by a library that is imported already or else by one that is
    installed.

    Raises `UsageError` if neither library can be imported.
    """
    data = {column: [row[number] for row in rows] for number, column in enumerate(columns)}
    for name in sorted(("pandas", "polars"), key=lambda name: name not in sys.modules):
        with suppress(ImportError):
            return import_module(name).DataFrame(data)
    raise UsageError("a data frame needs pandas or polars: pip install pandas, or pip install polars")


_RIGHT = ' style="text-align: right"'


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[bool], title: str = "") -> str:
    """Return a table of texts; ``left`` says which columns are aligned left."""
    caption = f"<caption>{_text(title)}</caption>" if title else ""
    head = _row("th", headings, left)
    body = "".join(_row("td", row, left) for row in rows)
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>"


def signed(parts: Iterable[str], notes: Iterable[str], signature: str) -> str:
    """Join tables, the notes below them, and the signature."""
    lines = "".join(f"<p>{_text(note)}</p>" for note in notes)
    return f"{''.join(parts)}{lines}<p><small>{_text(signature)}</small></p>"


def _row(cell: str, texts: Sequence[str], left: Sequence[bool]) -> str:
    """Return a row of cells, each an element of the name ``cell``."""
    aligned = zip(texts, left, strict=True)
    cells = (f"<{cell}{'' if at_left else _RIGHT}>{_text(text)}</{cell}>" for text, at_left in aligned)
    return f"<tr>{''.join(cells)}</tr>"


def _text(text: str) -> str:
    """Return text as HTML; control characters become visible symbols, and bytes that are not UTF-8 question marks."""
    return escape(text.translate(VISIBLE)).encode("utf-8", "replace").decode()
