"""Items: mentions that are no spans of tokens, such as the records of a clustering."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import count, islice
from typing import Any

import numpy as np

from corefscore.core.arrays import NONE, Ints
from corefscore.core.records import NamedTuple
from corefscore.core.sources import Source

LONGEST = 2**31
"""A number that is larger than that of any token: item n has the span of the token n - `LONGEST`, which none has."""

Values = Sequence[Hashable] | np.ndarray[Any, np.dtype[Any]]
"""What was given for items, by number; all batches of one side share it. An array has whole numbers or text, and is
sorted; a range means the positions of items."""


Others = Mapping[tuple[str, float], Ints]
"""The hashes of the cells in columns of tables that are not read, by the name and the least share of cells that both
sides have, at whatever items, if their items are the same records; and as ("", 0) those of document and item."""


class Items(NamedTuple):
    """The items of a batch of documents: the ``values`` of all that its side has, and those that are in no entity, by
    ``document`` and ``number``. ``named`` says that they name the rows of a list, and are not 0, 1, 2 and so on.
    Tables have ``others``, and JSON those of the words or places of ids in other fields."""

    values: Values
    document: Ints = NONE
    number: Ints = NONE
    named: bool = False
    others: Mapping[tuple[str, float], Ints] = {}

    def take(self, old: Ints, new: Ints, documents: int) -> Items:
        """Return the items of the documents ``old``, renumbered as ``new``; ``documents`` is the size of the batch."""
        renumbered = np.full(documents, -1)
        renumbered[old] = new
        document = renumbered[self.document]
        kept = document >= 0
        return self._replace(document=document[kept], number=self.number[kept])


def joined(parts: Sequence[Items | None], before: Sequence[int]) -> Items | None:
    """Return the items of several batches; ``before`` is the number of documents before each batch."""
    known = [(part, shift) for part, shift in zip(parts, before, strict=False) if part is not None]
    if not known:
        return None
    document = np.concatenate([part.document + shift for part, shift in known])
    number, first = np.concatenate([part.number for part, _ in known]), known[0][0]
    names = [name for name in first.others if all(name in part.others for part, _ in known)]
    others = {name: np.concatenate([part.others[name] for part, _ in known]) for name in names}
    return first._replace(document=document, number=number, others=others)


class ItemWords:
    """A function that returns mentions as text, for messages (`corefscore.core.documents.Words`): the items of
    ``values`` and after them those of ``others``; ``spans`` shows the mentions that are spans."""

    def __init__(self, values: Values, others: Values = (), spans: Callable[..., Iterable[str]] | None = None) -> None:
        self._values, self._others, self._spans = values, others, spans or _ends

    def __call__(self, source: Source, spans: Sequence[Any]) -> list[str]:
        of_tokens = iter(self._spans(source, [span for span in spans if span.start >= 0]))
        return [next(of_tokens) if span.start >= 0 else self._item(span.start + LONGEST) for span in spans]

    def _item(self, number: int) -> str:
        first = len(self._values)
        return shown(self._values[number] if number < first else self._others[number - first])


def _ends(source: Source, spans: Sequence[Any]) -> list[str]:
    """Return the numbers of the first and the last token of spans."""
    return [repr((span.start, span.end)) for span in spans]


def shown(value: Hashable) -> str:
    """Return an item as text. The type is added unless it is text or a tuple, since 5 and "5" can be
    different items.
    """
    if isinstance(value, str):
        return str(value)
    return repr(value) if isinstance(value, tuple) else f"{value!r} ({type(value).__name__})"


def text_of(value: Hashable) -> str:
    """Return a value as text that is compared with other text. Equal numbers, such as 1 and 1.0, have equal texts."""
    if isinstance(value, str):
        return value
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value) if whole else value)  # type: ignore[call-overload]


class Numbers(list[str]):
    """Texts in the order in which they first occur; the index of each is its number, which ``table`` returns."""

    def __init__(self, *texts: str) -> None:
        self.table: defaultdict[str, int] = defaultdict(count().__next__)
        self.of(texts)

    def of(self, texts: Sequence[str]) -> Ints:
        """Return the numbers of some texts, which are added if they are new."""
        found = np.fromiter(map(self.table.__getitem__, texts), np.int64, len(texts))
        self += reversed(list(islice(reversed(self.table), len(self.table) - len(self))))
        return found

    def __reduce__(self) -> tuple[type[list[str]], tuple[list[str]]]:
        """Return what is pickled: the texts, to which no other is added then."""
        return list, (list(self),)
