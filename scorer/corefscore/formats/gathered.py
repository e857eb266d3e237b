"""Documents gathered one by one, as the readers of JSON and of tagged text find them, and the words of
mentions for messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from corefscore.core.arrays import lists_by_key
from corefscore.core.documents import Documents, Place, Span, Unread, by_appearance
from corefscore.core.sources import Source
from corefscore.formats.base import Annotations, Request, passage, passage_places


class Gathered:
    """Gathers the documents since the last batch in lists, which become columns."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.places: list[Place] = []
        self.tokens: list[int] = []
        self.unnamed = True
        """Whether no document has a name."""
        self.unread: dict[Unread, Place] = {}
        self.size = 0
        """The number of bytes of the documents."""
        self._odd_labels: list[str] = []
        self._entities: list[tuple[int, int, int]] = []
        """The document, the label and the number of mentions of each entity."""
        self._offsets: list[int] = []

    def add(
        self,
        name: str,
        place: Place,
        tokens: int,
        entities: Iterable[tuple[int | str, int]] = (),
        offsets: Iterable[int] = (),
        *,
        unnamed: bool = False,
    ) -> None:
        """Add a document: the id and the number of mentions of each entity, and the first and the last token of each
        mention, one after the other. Entities without mentions are left out."""
        for entity, size in entities:
            if size:
                if isinstance(label := entity, str):
                    self._odd_labels.append(label)
                    label = -len(self._odd_labels)
                self._entities.append((len(self.names), label, size))
        self._offsets += offsets
        self.names.append(name)
        self.places.append(place)
        self.tokens.append(tokens)
        self.unnamed = self.unnamed and unnamed

    def documents(self, **more: Any) -> Documents:
        """Return the batch in columns, in the order that `Documents` requires, with the fields ``more``."""
        document, label, sizes = np.array(self._entities, dtype=np.int64).reshape(-1, 3).T
        start, end = np.array(self._offsets, dtype=np.int64).reshape(-1, 2).T
        entity = np.repeat(np.arange(len(sizes)), sizes)
        line = np.array([place.line for place in self.places], dtype=np.int64)[document[entity]]
        columns = document, label, entity, start, end, line
        tokens = np.array(self.tokens, dtype=np.int64)
        more |= {"odd_labels": self._odd_labels, "unnamed": self.unnamed, "unread": self.unread}
        return by_appearance(Documents(self.names, self.places, tokens, *columns, **more))


def words_of_spans(
    read: Callable[[Source, Request], Iterator[Annotations]], request: Request, source: Source, spans: Sequence[Span]
) -> list[str]:
    """Return the words of spans for messages, for which a file is read again; their numbers if the words are not
    known."""
    by_line: dict[int | None, list[int]] = lists_by_key((span.line, number) for number, span in enumerate(spans))
    found = [""] * len(spans)
    for annotated in read(source, request._replace(lines=by_line.keys())):
        words = list(chain(*annotated.words))
        for number in by_line.get(annotated.line, ()):
            start, size = spans[number].start, spans[number].end - spans[number].start + 1
            shown = [words[place] for place in passage_places(start, size) if place < len(words)]
            found[number] = passage(shown, size) if words else f"{start}-{start + size - 1}"
    return found
