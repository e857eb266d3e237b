"""What the mentions and entities of an analysis are called in reports, and where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property

from corefscore.analysis.partitions import ABSENT, Members
from corefscore.analysis.response import Analysis
from corefscore.documents.arrays import Ints
from corefscore.documents.model import Documents

KINDS = ("pronouns", "one word", "longer")
"""What kinds of mentions are called, see `Analysis.kinds`."""

SHOWN_WORDS = 28
"""How many characters of the words of a mention stand in a table."""

BRIEF = 14
"""How many characters of them stand over a column."""


class Named:
    """The names of what an analysis has found: entities have the words of a mention, and the id of their file."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def key(self, entity: int) -> str:
        """A key entity."""
        words = self.analysis.label(self._key_members[entity])
        return f"{shortened(words)} ({self.key_id(entity)})"

    def response(self, entity: int) -> str:
        """A response entity, for the heading of a column."""
        words = self.analysis.label(self._response_members[entity])
        return f"{shortened(words, BRIEF)} ({self.response_id(entity)})"

    def key_id(self, entity: int) -> str | None:
        """The id of a key entity in its file, None for `ABSENT`."""
        its = self.analysis
        return None if entity == ABSENT else _id(its.pairs.key, its.both.key_row, self._key_members[entity])

    def response_id(self, entity: int) -> str | None:
        """The id of a response entity in its file, None for `ABSENT`."""
        its = self.analysis
        members = self._response_members
        return None if entity == ABSENT else _id(its.pairs.response, its.both.response_row, members[entity])

    @cached_property
    def _key_members(self) -> Members:
        return Members(self.analysis.both.key, len(self.analysis.errors.key.main))

    @cached_property
    def _response_members(self) -> Members:
        return Members(self.analysis.both.response, len(self.analysis.errors.response.main))

    def document(self, document: int) -> str:
        """A document."""
        return self.analysis.result.names[document]

    def place(self, mention: int) -> tuple[str, int | None]:
        """The file and line of a mention: of the response if it is there, else of the key."""
        its = self.analysis.mention(mention)
        return its.place.source.name, its.line

    def most_often(self, mentions: Iterable[int], most: int = 5, least: int = 1) -> str:
        """The most frequent words of some mentions, and how many have them; those that at least so many have."""
        words = Counter(self.analysis.words(mention).lower() for mention in mentions)
        return ", ".join(f"{shortened(its)} {count}" for its, count in words.most_common(most) if count >= least)


def _id(side: Documents, rows: Ints, members: Ints) -> str:
    return side.name_of(int(side.entity[rows[members[0]]]))


def shortened(words: str, size: int = SHOWN_WORDS) -> str:
    """Words cut to so many characters."""
    return words if len(words) <= size else f"{words[: size - 1]}…"
