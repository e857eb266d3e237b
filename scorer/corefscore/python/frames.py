"""Data frames of rows, by pandas or polars, whichever is there (extra ``frames``)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from corefscore.errors import UsageError

LIBRARIES = ("pandas", "polars")


def frame(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """A data frame of rows under the names of their columns. What has been imported goes before what is installed.

    Raises `UsageError` where neither library can be imported.
    """
    for name in sorted(LIBRARIES, key=lambda name: name not in sys.modules):
        try:
            library = import_module(name)
        except ImportError:
            continue
        data = {column: [row[at] for row in rows] for at, column in enumerate(columns)}
        return library.DataFrame(data)
    raise UsageError("a data frame needs pandas or polars: pip install 'corefscore[frames]', or either of them alone")
