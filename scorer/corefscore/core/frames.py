"""Data frames of pandas or polars, whichever is installed (extra ``frames``)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from corefscore.core.errors import UsageError

_LIBRARIES = ("pandas", "polars")


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A data frame with these columns and rows, by a library that is imported already or else by one that is installed.

    Raises `UsageError` if neither library can be imported.
    """
    for name in sorted(_LIBRARIES, key=lambda name: name not in sys.modules):
        try:
            library = import_module(name)
        except ImportError:
            continue
        data = {column: [row[number] for row in rows] for number, column in enumerate(columns)}
        return library.DataFrame(data)
    raise UsageError("a data frame needs pandas or polars: pip install pandas, or pip install polars")
