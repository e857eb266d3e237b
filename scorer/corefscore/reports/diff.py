"""Key and response in the text: the sentences of each document, and every mention with its errors. Layouts show them in
a terminal or on a page."""

from __future__ import annotations

from bisect import bisect_left
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

_MOST_NUMBERS = 1_000_000
"""The largest number of tokens of a document without words, which is shown as the numbers of its tokens."""

_BEYOND = ("(without", "a", "place", "in", "the", "text:)")
"""The words before mentions that begin beyond the text of the key."""


class Mark(NamedTuple):
    """A mention of either side: the first and last token of each of its parts (most have one), its state, the names of
    its key entity and response entity, and the types of its errors, a bit for each of `TYPES`."""

    parts: Sequence[tuple[int, int]]
    state: str
    key: str | None
    response: str | None
    types: int

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
        return self.report.named.key.id(entity)

    def response_name(self, entity: int) -> str | None:
        """The name of a response entity; None for `ABSENT`."""
        if entity == ABSENT:
            return None
        key = int(self.corresponding[entity])
        return f"r{self.report.named.response.id(entity)}" if key == ABSENT else self.report.named.key.id(key)

    @property
    def entities(self) -> set[str | None]:
        """The names of all entities."""
        keys, responses = (range(len(side.main)) for side in (self.analysis.errors.key, self.analysis.errors.response))
        return {*map(self.key_name, keys), *map(self.response_name, responses)}

    @cached_property
    def _types(self) -> Ints:
        """The types of errors of each mention, a bit for each of `TYPES`."""
        both, errors = self.analysis.both, self.analysis.errors
        masks = {
            types.SPAN: both.repair > 0,
            types.CONFLATED: errors.pieces.mentions(errors.response.apart),
            types.DIVIDED: errors.pieces.mentions(errors.key.apart),
            types.EXTRA_MENTION: errors.response.alone,
            types.EXTRA_ENTITY: errors.response.whole,
            types.EXTRA_SINGLETON: errors.response.single,
            types.MISSING_MENTION: errors.key.alone,
            types.MISSING_ENTITY: errors.beside(errors.key.whole),
            types.MISSING_SINGLETON: errors.key.single,
        }
        found = np.zeros(len(both.key), dtype=np.int64)
        for bit, name in enumerate(types.TYPES):
            found |= masks[name].astype(np.int64) << bit
        return found

    def marks(self, document: int) -> list[Mark]:
        """The marks of the mentions of a document, in text order."""
        both = self.analysis.both
        first, stop = self._first_marks[document : document + 2].tolist()
        columns = (column[first:stop].tolist() for column in (both.key, both.response, both.repair, self._types))
        marks = []
        for mention, (key, response, repair, bits) in enumerate(zip(*columns, strict=True), start=first):
            if ABSENT in (key, response):
                state = EXTRA if key == ABSENT else MISSING
            elif self.corresponding[response] != key:
                state = WRONG
            else:
                state = SPAN if repair else RIGHT
            marks.append(
                Mark(self.analysis.parts(mention), state, self.key_name(key), self.response_name(response), bits)
            )
        return marks

    @cached_property
    def _first_marks(self) -> Ints:
        """The first mark of each document, and finally the number of marks."""
        return bounds(self.analysis.both.document, self.analysis.both.documents)

    def sentences(self, document: int) -> Iterator[Sentence]:
        """The sentences of a document. A document without words has one sentence, with token numbers as words."""
        text = self.analysis.text
        marks = self.marks(document)
        begin, end = text.first[document : document + 2].tolist()
        edges = text.ends[slice(*np.searchsorted(text.ends, [begin, end], side="right"))].tolist()
        if not edges:
            size = max((mark.end + 1 for mark in marks), default=0)
            if size > _MOST_NUMBERS:
                name = self.analysis.result.names[document]
                raise UsageError(f'document "{name}" has {size} tokens and no words; give files with words')
            yield Sentence(1, 0, [str(token) for token in range(size)], marks)
            return
        starts = [begin + mark.start for mark in marks]
        at = 0
        for number, (start, edge) in enumerate(zip([begin, *edges], edges, strict=False), start=1):
            before, at = at, bisect_left(starts, edge)
            yield Sentence(number, start - begin, text.words[start:edge], marks[before:at])
        if beyond := marks[at:]:
            first = int(self._first_marks[document]) + at
            yield self._beyond(beyond, first, len(edges) + 1, end - begin)

    def _beyond(self, beyond: Sequence[Mark], first: int, number: int, token: int) -> Sentence:
        """Show the mentions beyond the text of the key, of which ``first`` is the first, as a last sentence, which
        begins at this token."""
        words, marks = list(_BEYOND), []
        for mention, mark in enumerate(beyond, start=first):
            start = token + len(words)
            words += self.analysis.words(mention).split() or ["?"]
            marks.append(mark._replace(parts=[(start, token + len(words) - 1)]))
        return Sentence(number, token, words, marks)


def wanted(mark: Mark, kinds: Collection[str], entities: Collection[str]) -> bool:
    """Whether a mark has an error of one of the types ``kinds``, and is in one of ``entities``; empty means any. With
    ``entities``, marks without errors are wanted, too."""
    of_entity = not entities or mark.key in entities or mark.response in entities
    of_kind = not kinds or any(mark.types >> types.TYPES.index(kind) & 1 for kind in kinds)
    return of_entity and of_kind and (mark.state != RIGHT or bool(entities))
