"""Clusterings in memory: `from_labels` makes a corpus of a label for each item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Ints
from corefscore.core.documents import Place
from corefscore.core.errors import UsageError
from corefscore.core.items import Values, text_of
from corefscore.core.sources import Source
from corefscore.formats.labels import UNNAMED, odd_labels
from corefscore.formats.labels import documents as documents_of
from corefscore.scoring.run import Corpus

_LARGE = np.float64(2**53)
"""The limit of whole numbers, which floats represent up to here; floats of fewer bits are compared as of 64."""


def from_labels(
    labels: Mapping[Any, Any] | Iterable[Any],
    items: Iterable[Any] | None = None,
    documents: Iterable[Any] | None = None,
) -> Corpus:
    """Return a clustering as a corpus, for `corefscore.score` and other functions: items with equal labels are one
    entity.

    ``labels`` is a list, an array, a series of pandas or polars, or a mapping from items to labels. An item with None,
    NaN or "" for a label is in no entity. ``items`` name the items; by default these are the index of a series of
    pandas, and otherwise the positions, so two lists of equal length need no items. ``documents`` name the document of
    each item, and items of one document are compared; by default there is one document.

        >>> from corefscore import from_labels, score
        >>> score(from_labels([1, 1, 1, 2]), from_labels(["a", "a", "b", "b"]), metrics="bcub")["bcub"].recall
        0.6666666666666667

    Items are the same if they are equal; numbers beside text are compared by their texts. Arrays of numbers or text
    stay arrays. Raises `UsageError` for columns of different lengths, and for an item without a name.
    """
    if isinstance(labels, Mapping):
        if items is not None:
            raise UsageError("items are given twice: as the keys of labels, and as items")
        labels, items = list(labels.values()), list(labels)
    index = _index(labels)
    for name, column in (("items", items), ("documents", documents)):
        if index is not None and _index(column) is not None and not index.equals(_index(column)):
            raise UsageError(f"{name} have another index than labels; give {name}.array if the rows have one order")
    items = index if items is None else items
    entity = _column("labels", labels)
    size = len(entity.number)
    item = _Column(np.arange(size), range(size)) if items is None else _column("items", items)
    document = _Column(np.zeros(size, np.int64), [UNNAMED]) if documents is None else _column("documents", documents)
    for name, column in (("items", item), ("documents", document)):
        if len(column.number) != size:
            raise UsageError(f"{name} are {len(column.number)}, and labels {size}; expected one for each label")
        if (column.number < 0).any():
            at = int(np.argmin(column.number))
            raise UsageError(f"{name}[{at}] is missing; expected a name (only a label may be None, NaN or empty)")
    names = list(map(text_of, document.values))
    columns = document.number, item.number, entity.number, np.full(size, -1)
    found = documents_of(names, [Place(Source("labels"), None)] * len(names), columns, item.values)
    texts = list(map(str, entity.values))
    found = replace(found, label=-1 - found.label, odd_labels=texts, unnamed=documents is None)
    plain = isinstance(entity.values, np.ndarray) and entity.values.dtype.kind in "iu" and (entity.values >= 0).all()
    odd = () if plain else odd_labels(Place(Source("labels"), None), entity.number, texts)
    return Corpus(found, tuple(odd), {})


def _index(column: Any) -> Any:
    """Return the index of a series of pandas, None for another column."""
    return getattr(column, "index", None) if hasattr(column, "isna") else None


class _Column(NamedTuple):
    """The values of a column without copies, and the number of the value in each row, -1 where it is missing."""

    number: Ints
    values: Values


def _column(name: str, given: Iterable[Any]) -> _Column:
    """Return a list, array or series as numbers. Raises `UsageError` for what is none of them."""
    if isinstance(given, str | bytes | set | frozenset) or not isinstance(given, Iterable):
        raise UsageError(f"{name} are {type(given).__name__}; expected a list, an array or a series")
    if hasattr(given, "factorize"):  # pandas, which is faster than a loop
        number, different = given.factorize()
        once = _column(name, different.to_numpy())
        return once._replace(number=np.append(once.number, -1)[number])
    # Arrays of polars with a missing whole number are floats, which large numbers are not.
    column: Any = given
    if hasattr(column, "to_numpy") and not (hasattr(column, "has_nulls") and column.has_nulls()):
        column = column.to_numpy()
    if not isinstance(column, np.ndarray) or isinstance(column, np.ma.MaskedArray):
        column = column.tolist() if isinstance(column, np.ma.MaskedArray) else list(column)
        small = set(map(type, column)) == {int} and max(map(abs, column)) < _LARGE
        column = np.array(column, dtype=np.int64) if small else column
    elif column.ndim != 1:
        raise UsageError(f"{name} have the shape {column.shape}; expected one dimension")
    if not isinstance(column, np.ndarray) or column.dtype.kind not in "iufU":
        return _of_objects(name, column)
    missing = np.isnan(column) if column.dtype.kind == "f" else column == "" if column.dtype.kind == "U" else None
    number = np.full(len(column), -1)
    there: Any = slice(None) if missing is None or not missing.any() else ~missing
    found, number[there] = np.unique(column[there], return_inverse=True)
    if found.dtype.kind in "uf" and (found == np.round(found)).all() and (np.abs(found) < _LARGE).all():
        found = found.astype(np.int64)
    return _Column(number, found if found.dtype.kind in "iU" else found.tolist())


def _of_objects(name: str, column: Sequence[Any]) -> _Column:
    """Return a column of any objects as numbers. Raises `UsageError` for one that is not hashable or cannot be
    compared."""
    table: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        number = [-1 if _is_missing(value) else table[value] for value in column]
    except (TypeError, ValueError, ArithmeticError) as error:
        raise UsageError(f"{name}: {error}; expected text, numbers or other hashable values") from error
    return _Column(np.array(number, dtype=np.int64), list(table))


def _is_missing(value: Any) -> bool:
    """Return whether a value means nothing: None, an empty text, NaN of any type, or the missing values of pandas."""
    if value is None or isinstance(value, str | bytes):
        return not value
    return type(value).__name__ == "NAType" or bool(value != value)  # noqa: PLR0124
