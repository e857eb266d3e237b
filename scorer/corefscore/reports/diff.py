"""Key and response in the text: the sentences of each document, and every mention with its errors. Layouts show them in
a terminal or on a page."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT
from corefscore.analysis.response import Analysis
from corefscore.core.arrays import Ints, bounds
from corefscore.core.errors import UsageError
from corefscore.core.percent import percent
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.words import KEY_AND_RESPONSE, Words

RIGHT, SPAN, WRONG, MISSING, EXTRA = STATES = ("right", "span", "wrong", "missing", "extra")
"""The state of a mention: it is right, has another span, is in another entity, is only in the key, or only in the
response."""

MOST_NUMBERS = 1_000_000
"""The largest number of tokens of a document without words, which is shown as the numbers of its tokens."""

BEYOND = ("(without", "a", "place", "in", "the", "text:)")
"""The words before mentions that begin beyond the text of the key."""


class Mark(NamedTuple):
    """A mention of either side: the first and last token of each of its parts (most have one), its state, the names of
    its key entity and response entity, and the types of its errors."""

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
        """The entity of the mention; if the response has it in another one, both entities: ``5>r2``."""
        if self.key is None or self.response is None or self.state in (RIGHT, SPAN):
            return self.key or self.response or ""
        return f"{self.key}>{self.response}"


class Sentence(NamedTuple):
    """A sentence: its number in the document from 1, the number of its first token from 0, its words, and the marks of
    the mentions that begin in it."""

    number: int
    first: int
    words: Sequence[str]
    marks: Sequence[Mark]


@dataclass(frozen=True, eq=False)
class Diff:
    """The report of `diff`.

    A response entity corresponds to a key entity if the main mentions of both are in the piece that they share. Key
    entities have the ids of their file; a response entity has the id of its corresponding key entity, or ``r`` and its
    own id if there is none.
    """

    analysis: Analysis
    words: Words = KEY_AND_RESPONSE

    @cached_property
    def report(self) -> ErrorReport:
        """The report of the errors."""
        return ErrorReport(self.analysis, words=self.words)

    @cached_property
    def corresponding(self) -> Ints:
        """The key entity that corresponds to each response entity, `ABSENT` for none."""
        errors = self.analysis.errors
        good = ~errors.key.apart & ~errors.response.apart
        key_entities = np.full(len(errors.response.main), ABSENT)
        key_entities[errors.pieces.response[good]] = errors.pieces.key[good]
        return key_entities

    def score_of(self, document: int) -> str:
        """The name of the measure, and the score of a document."""
        return f"{self.report.measure_title} {percent(float(self.analysis.document_scores[document]))}"

    def counts_of(self, document: int) -> str:
        """The number of errors of each type in a document, in words."""
        by_type = self.analysis.by_document.items()
        parts = [f"{self.words.types[name].title} {counts[document]}" for name, counts in by_type if counts[document]]
        return ", ".join(parts) or f"no {self.words.error}s"

    def key_name(self, entity: int) -> str | None:
        """The name of a key entity; None for `ABSENT`."""
        return self.report.named.key_id(entity)

    def response_name(self, entity: int) -> str | None:
        """The name of a response entity; None for `ABSENT`."""
        if entity == ABSENT:
            return None
        key = int(self.corresponding[entity])
        return f"r{self.report.named.response_id(entity)}" if key == ABSENT else self.report.named.key_id(key)

    @cached_property
    def marks(self) -> list[Mark]:
        """The marks of all mentions, in text order."""
        analysis = self.analysis
        both = analysis.both
        of_mention: dict[int, list[str]] = defaultdict(list)
        for error in self.report.errors:
            for mention in error.mentions:
                of_mention[mention].append(error.type)
        renamed = set(analysis.repaired.tolist())
        for mention in renamed:
            of_mention[mention].insert(0, types.SPAN)
        marks = []
        for mention, (key, response) in enumerate(zip(both.key.tolist(), both.response.tolist(), strict=True)):
            if ABSENT in (key, response):
                state = EXTRA if key == ABSENT else MISSING
            elif self.corresponding[response] != key:
                state = WRONG
            else:
                state = SPAN if mention in renamed else RIGHT
            names = self.key_name(key), self.response_name(response)
            marks.append(Mark(analysis.parts(mention), state, *names, tuple(of_mention[mention])))
        return marks

    @cached_property
    def _first_marks(self) -> Ints:
        """The first mark of each document, and finally the number of marks."""
        return bounds(self.analysis.both.document, self.analysis.both.documents)

    def sentences(self, document: int) -> Iterator[Sentence]:
        """The sentences of a document. A document without words has one sentence, with token numbers as words."""
        text = self.analysis.text
        first, stop = self._first_marks[document : document + 2].tolist()
        marks = self.marks[first:stop]
        begin, end = text.first[document : document + 2].tolist()
        edges = text.ends[slice(*np.searchsorted(text.ends, [begin, end], side="right"))].tolist()
        if not edges:
            size = max((mark.end + 1 for mark in marks), default=0)
            if size > MOST_NUMBERS:
                name = self.analysis.result.names[document]
                raise UsageError(f'document "{name}" has {size} tokens and no words; give files with words')
            yield Sentence(1, 0, [str(token) for token in range(size)], marks)
            return
        starts = [begin + mark.start for mark in marks]
        at = 0
        for number, (start, edge) in enumerate(zip([begin, *edges], edges, strict=False), start=1):
            before, at = at, bisect_left(starts, edge)
            yield Sentence(number, start - begin, text.words[start:edge], marks[before:at])
        if beyond := range(first + at, stop):
            yield self._beyond(beyond, len(edges) + 1, end - begin)

    def _beyond(self, mentions: Sequence[int], number: int, token: int) -> Sentence:
        """Show the mentions beyond the text of the key as a last sentence, which begins at this token."""
        words, marks = list(BEYOND), []
        for mention in mentions:
            start = token + len(words)
            words += self.analysis.words(mention).split() or ["?"]
            marks.append(self.marks[mention]._replace(parts=[(start, token + len(words) - 1)]))
        return Sentence(number, token, words, marks)


def wanted(mark: Mark, kinds: Collection[str], entities: Collection[str]) -> bool:
    """Whether a mark has an error of one of the types ``kinds``, and is in one of ``entities``; empty means any. With
    ``entities``, marks without errors are wanted, too."""
    of_entity = not entities or mark.key in entities or mark.response in entities
    return (
        of_entity and (mark.state != RIGHT or bool(entities)) and (not kinds or not set(kinds).isdisjoint(mark.types))
    )
