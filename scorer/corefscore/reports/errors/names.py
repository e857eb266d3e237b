"""The names of mentions and entities in reports, and their places in files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Ints
from corefscore.core.documents import Documents

KINDS = ("pronouns", "one word", "longer")
"""The names of the kinds of mentions; see `Analysis.kinds`."""

SHOWN_WORDS = 28
"""The largest number of characters of a mention in a cell."""

BRIEF = 14
"""The largest number of characters of a mention in a heading."""


class Named:
    """The names of documents and entities: the name of an entity is the words of a mention and its id in the file."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def key(self, entity: int) -> str:
        """The name of a key entity."""
        words = self.analysis.label(self._key_members[entity])
        return f"{shortened(words)} ({self.key_id(entity)})"

    def response(self, entity: int) -> str:
        """The name of a response entity, short enough for a heading."""
        words = self.analysis.label(self._response_members[entity])
        return f"{shortened(words, BRIEF)} ({self.response_id(entity)})"

    def key_id(self, entity: int) -> str | None:
        """The id of a key entity in its file; None for `ABSENT`."""
        return None if entity == ABSENT else self._key_ids[entity]

    def response_id(self, entity: int) -> str | None:
        """The id of a response entity in its file; None for `ABSENT`."""
        return None if entity == ABSENT else self._response_ids[entity]

    @cached_property
    def _key_ids(self) -> list[str]:
        analysis = self.analysis
        return _ids(analysis.pairs.key, analysis.both.key_row[analysis.errors.key.main])

    @cached_property
    def _response_ids(self) -> list[str]:
        analysis = self.analysis
        return _ids(analysis.pairs.response, analysis.both.response_row[analysis.errors.response.main])

    @cached_property
    def _key_members(self) -> Members:
        return Members(self.analysis.both.key, len(self.analysis.errors.key.main))

    @cached_property
    def _response_members(self) -> Members:
        return Members(self.analysis.both.response, len(self.analysis.errors.response.main))

    def document(self, document: int) -> str:
        """The name of a document."""
        return self.analysis.result.names[document]

    def place(self, mention: int) -> tuple[str, int | None]:
        """The file and line of a mention in the response, or in the key if the response lacks it."""
        annotated = self.analysis.mention(mention)
        return annotated.place.source.name, annotated.line

    def kinds(self, mentions: Sequence[int] | Ints) -> dict[str, int]:
        """The number of some mentions of each kind."""
        sizes = np.bincount(self.analysis.kinds[mentions], minlength=len(KINDS)).tolist()
        return dict(zip(KINDS, sizes, strict=True))

    def most_often(self, mentions: Iterable[int], most: int = 5, least: int = 1) -> str:
        """The ``most`` most frequent words of some mentions with their number, if it is at least ``least``."""
        words = Counter(self.analysis.words(mention).lower() for mention in mentions)
        return ", ".join(f"{shortened(text)} {count}" for text, count in words.most_common(most) if count >= least)


def _ids(side: Documents, rows: Ints) -> list[str]:
    """The ids in their file of the entities of some mentions."""
    return side.names_of(side.entity[rows].tolist())


def shortened(words: str, size: int = SHOWN_WORDS) -> str:
    """Words cut to ``size`` characters."""
    return words if len(words) <= size else f"{words[: size - 1]}…"
