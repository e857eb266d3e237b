"""Documents from clusters in memory: entities as nested sequences of mentions, from Python or from JSON."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeGuard

import numpy as np

from corefscore.core.arrays import Ints, repeated
from corefscore.core.documents import Documents, Place, by_appearance
from corefscore.core.items import LONGEST, Items, ItemWords
from corefscore.core.sources import Source

Clusters = Iterable[Iterable[Any]]
"""The entities of one document. A mention is any hashable value; a list, as in JSON, means the tuple."""


class Mentions:
    """Gives every mention a span: ``(start, end)`` is its own span, any other value gets one that no token has.

    Both sides of a run share one of these, so that equal mentions get equal spans. The spans of other values rise in
    the order in which these first occur.
    """

    def __init__(self) -> None:
        self._spans: dict[Hashable, tuple[int, int]] = {}
        self.values: list[Hashable] = []
        """The mentions that are no spans, in the order in which they first occur."""

    def span(self, mention: Any) -> tuple[int, int]:
        """Return the span of a mention, which is a hashable value or a list of hashable values."""
        value = _tuple(mention)
        span = self._spans.get(value)
        if span is None:
            if _is_span(value):
                span = int(value[0]), int(value[1])
            else:
                span = (len(self.values) - LONGEST,) * 2
                self.values.append(value)
            self._spans[value] = span
        return span

    def spans(self, mentions: list[Any]) -> Ints:
        """Return the spans of mentions, a row each."""
        if set(map(type, mentions)) <= {tuple, list} and set(map(len, mentions)) == {2}:
            numbers = list(chain.from_iterable(mentions))
            if set(map(type, numbers)) == {int} and min(numbers) >= 0 and max(numbers) < LONGEST:
                spans = np.array(numbers, dtype=np.int64).reshape(-1, 2)
                if (spans[:, 0] <= spans[:, 1]).all():
                    return spans
        return np.array([self.span(mention) for mention in mentions], dtype=np.int64).reshape(-1, 2)


def _is_span(value: Any) -> TypeGuard[tuple[int, int]]:
    """Return whether a mention is a pair of token numbers; anything else, negative pairs included, is a name. A number
    of any type is a token number if it equals one, as 1.0 does in a data frame; Python gives it the same hash.
    """
    if not (isinstance(value, tuple) and len(value) == 2):
        return False
    start, end = map(hash, value)
    return 0 <= start <= end < LONGEST and value == (start, end)


def _tuple(mention: Any) -> Any:
    return tuple(map(_tuple, mention)) if isinstance(mention, list) else mention


def documents(names: Sequence[str], clusters: Iterable[Clusters], mentions: Mentions, side: str) -> Documents:
    """Return documents from clusters that were checked (`corefscore.formats.memory.nesting`); ``side`` is their file in
    messages.
    """
    checked: list[Any] = list(clusters)
    document = np.repeat(np.arange(len(checked)), list(map(len, checked)))
    entities = list(chain.from_iterable(checked))
    sizes = np.array(list(map(len, entities)), dtype=np.int64)
    document, sizes = document[sizes > 0], sizes[sizes > 0]
    start, end = mentions.spans(list(chain.from_iterable(entities))).T
    numbers = np.arange(len(sizes))
    found = Documents(
        names=list(names),
        places=[Place(Source(side), None)] * len(checked),
        tokens=np.full(len(checked), -1),
        document=document,
        label=numbers,
        entity=np.repeat(numbers, sizes),
        start=start,
        end=end,
        line=np.full(len(start), -1),
        words=ItemWords(mentions.values),
        items=Items(mentions.values),
    )
    # The order of mentions decides only which copy of a repeated one counts.
    return by_appearance(found) if repeated(document[found.entity], start, end).any() else found
