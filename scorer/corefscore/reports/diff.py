"""Key and response beside each other in the text: for each document its sentences, and every mention with what is wrong
with it. What shows them, a terminal or a page, is a layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT
from corefscore.analysis.response import Analysis
from corefscore.documents.arrays import Ints, bounds
from corefscore.errors import UsageError
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.words import KEY_AND_RESPONSE, Words

RIGHT, SPAN, WRONG, MISSING, EXTRA = STATES = ("right", "span", "wrong", "missing", "extra")
"""What can be said of a mention: it is right; its span is another one; it is in another entity; the response lacks it;
the key lacks it."""

MOST_NUMBERS = 1_000_000
"""A document without words is shown as the numbers of its tokens, up to so many."""


class Mark(NamedTuple):
    """A mention of either side: the first and the last token in the document of each of its parts (most have one), what
    is said of it, the names of its key entity and its response entity, and the types of its errors."""

    parts: Sequence[tuple[int, int]]
    state: str
    key: str | None
    response: str | None
    types: tuple[str, ...]

    @property
    def start(self) -> int:
        """Its first token."""
        return self.parts[0][0]

    @property
    def end(self) -> int:
        """Its last token."""
        return self.parts[-1][1]

    @property
    def label(self) -> str:
        """The entity that it belongs to, and the one that it was found with where that is another: ``5>r2``."""
        if self.key is None or self.response is None or self.state in (RIGHT, SPAN):
            return self.key or self.response or ""
        return f"{self.key}>{self.response}"


class Sentence(NamedTuple):
    """A sentence: its number in the document (from 1), the number of its first token, its words, and the marks of the
    mentions that begin in it."""

    number: int
    first: int
    words: Sequence[str]
    marks: Sequence[Mark]


@dataclass(frozen=True, eq=False)
class Diff:
    """The report of `diff`. Key entities have the ids of their file; a response entity has the id of the key entity
    that it stands for, or ``r`` and its own id if it stands for none. It stands for a key entity if the main mentions
    of both are in the piece that they share."""

    analysis: Analysis
    words: Words = KEY_AND_RESPONSE

    @cached_property
    def report(self) -> ErrorReport:
        return ErrorReport(self.analysis, words=self.words)

    @cached_property
    def stands_for(self) -> Ints:
        """For each response entity the key entity that it stands for, `ABSENT` for none."""
        errors = self.analysis.errors
        good = ~errors.key.apart & ~errors.response.apart
        found = np.full(len(errors.response.main), ABSENT)
        found[errors.pieces.response[good]] = errors.pieces.key[good]
        return found

    def counts_of(self, document: int) -> str:
        """How many errors of each type a document has, in words."""
        titles, found = self.words.titles, self.analysis.by_document.items()
        told = [f"{titles[name]} {its[document]}" for name, its in found if its[document]]
        return ", ".join(told) or f"no {self.words.error}s"

    def key_name(self, entity: int) -> str | None:
        """What a key entity is called."""
        return self.report.named.key_id(entity)

    def response_name(self, entity: int) -> str | None:
        """What a response entity is called."""
        if entity == ABSENT:
            return None
        its = int(self.stands_for[entity])
        return f"r{self.report.named.response_id(entity)}" if its == ABSENT else self.report.named.key_id(its)

    @cached_property
    def marks(self) -> list[Mark]:
        """The marks of all mentions, in text order."""
        its = self.analysis
        both = its.both
        of_mention: dict[int, list[str]] = defaultdict(list)
        for error in self.report.errors:
            for mention in error.mentions:
                of_mention[mention].append(error.type)
        renamed = set(its.repaired.tolist())
        for mention in renamed:
            of_mention[mention].insert(0, types.SPAN)
        found = []
        for mention, (key, response) in enumerate(zip(both.key.tolist(), both.response.tolist(), strict=True)):
            if ABSENT in (key, response):
                state = EXTRA if key == ABSENT else MISSING
            elif self.stands_for[response] != key:
                state = WRONG
            else:
                state = SPAN if mention in renamed else RIGHT
            names = self.key_name(key), self.response_name(response)
            found.append(Mark(its.parts(mention), state, *names, tuple(of_mention[mention])))
        return found

    def sentences(self, document: int) -> Iterator[Sentence]:
        """The sentences of a document. A document without words has one, of numbers of tokens."""
        its = self.analysis
        first, stop = (int(at) for at in bounds(its.both.document, its.both.documents)[document : document + 2])
        marks = self.marks[first:stop]
        begin, end = (int(at) for at in its.text.first[document : document + 2])
        edges = its.text.ends[(its.text.ends > begin) & (its.text.ends <= end)].tolist()
        if not edges:
            size = max((mark.end + 1 for mark in marks), default=0)
            if size > MOST_NUMBERS:
                name = its.result.names[document]
                raise UsageError(f'document "{name}" has no words, and {size} tokens: give files that have words')
            yield Sentence(1, 0, [str(token) for token in range(size)], marks)
            return
        at = 0
        for number, edge in enumerate(edges, start=1):
            stop_at = at
            last = number == len(edges)
            while stop_at < len(marks) and (last or marks[stop_at].start + begin < edge):
                stop_at += 1
            start = begin if number == 1 else edges[number - 2]
            yield Sentence(number, start - begin, its.text.words[start:edge], marks[at:stop_at])
            at = stop_at


def wanted(mark: Mark, kinds: Collection[str], entities: Collection[str]) -> bool:
    """Whether a mark has an error of one of some types, or any if none is named, and is of one of some entities, or of
    any."""
    of_entity = not entities or mark.key in entities or mark.response in entities
    return (
        of_entity and (mark.state != RIGHT or bool(entities)) and (not kinds or not set(kinds).isdisjoint(mark.types))
    )
