"""Key and response in the text: the sentences of each document, and every mention with its errors; and marked text for
a terminal, where each mention is in brackets with signs, and colours repeat what the signs say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corefscore.analysis import types
from corefscore.analysis.partitions import ABSENT
from corefscore.core.arrays import Ints, bounds, lists_by_key
from corefscore.core.errors import UsageError
from corefscore.core.findings import VISIBLE
from corefscore.core.percent import percent
from corefscore.reports.errors.report import ErrorReport
from corefscore.reports.layouts.tables import width_of

_RIGHT, _SPAN, _WRONG, _MISSING, _EXTRA = STATES = ("right", "span", "wrong", "missing", "extra")
"""The state of a mention: it is right, has another span, is in another entity, is only in the key, or only in the
response."""

_MOST_NUMBERS = 1_000_000
"""The largest number of tokens of a document without words, which is shown as the numbers of its tokens."""

_BEYOND = ("(without", "a", "place", "in", "the", "text:)")
"""The words before mentions that begin beyond the text of the key."""


class _Mark(NamedTuple):
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
        if self.key is None or self.response is None or self.state in (_RIGHT, _SPAN):
            return self.key or self.response or ""
        return f"{self.key}>{self.response}"


class Sentence(NamedTuple):
    """A sentence: its number in the document from 1, the number of its first token from 0, its words, and the marks of
    the mentions that begin in it. Of items, the words of a sentence are the items of an entity."""

    number: int
    first: int
    words: Sequence[str]
    marks: Sequence[_Mark]


class Diff(ErrorReport):
    """The report of `diff`: the errors in the text.

    A response entity corresponds to a key entity if the main mentions of both are in the piece that they share. Key
    entities have the ids of their file; a response entity has the id of its corresponding key entity, or ``r`` and its
    own id if there is none.
    """

    @property
    def of_items(self) -> bool:
        """Whether mentions are items, which are in no text."""
        return self.analysis.pairs.key.items is not None

    @cached_property
    def corresponding(self) -> Ints:
        """The key entity that corresponds to each response entity, `ABSENT` for none."""
        errors = self.analysis.errors
        good = ~errors.key.apart & ~errors.response.apart
        key_entities = np.full(len(errors.response.main), ABSENT)
        key_entities[errors.pieces.response[good]] = errors.pieces.key[good]
        return key_entities

    def score_of(self, document: int) -> str:
        """Return the name of the measure, and the score of a document."""
        return f"{self.measure_title} {percent(float(self.analysis.document_scores[document]))}"

    def counts_of(self, document: int) -> str:
        """Return the number of errors of each type in a document, in words."""
        by_type = self.analysis.errors.by_document.items()
        parts = [f"{self.words.types[name].title} {counts[document]}" for name, counts in by_type if counts[document]]
        return ", ".join(parts) or f"no {self.words.error}s"

    def response_name(self, entity: int) -> str | None:
        """Return the name of a response entity; None for `ABSENT`."""
        if entity == ABSENT:
            return None
        key = int(self.corresponding[entity])
        return f"r{self.analysis.response.id(entity)}" if key == ABSENT else self.analysis.key.id(key)

    @property
    def entities(self) -> set[str | None]:
        """The names of all entities."""
        keys, responses = (range(len(side.main)) for side in (self.analysis.errors.key, self.analysis.errors.response))
        return {*map(self.analysis.key.id, keys), *map(self.response_name, responses)}

    @cached_property
    def _types(self) -> Ints:
        """The types of errors of each mention, a bit for each of `TYPES`."""
        found: Ints = np.zeros(len(self.analysis.both.key), dtype=np.int64)
        for error in self.analysis.errors.each():
            found[error.mentions] |= 1 << types.TYPES.index(error.type)
        return found

    def marks(self, document: int) -> Iterator[_Mark]:
        """Yield the marks of the mentions of a document, in text order."""
        both = self.analysis.both
        first, stop = self._first_marks[document : document + 2].tolist()
        columns = (column[first:stop].tolist() for column in (both.key, both.response, both.repair, self._types))
        for mention, (key, response, repair, bits) in enumerate(zip(*columns, strict=True), start=first):
            if ABSENT in (key, response):
                state = _EXTRA if key == ABSENT else _MISSING
            elif self.corresponding[response] != key:
                state = _WRONG
            else:
                state = _SPAN if repair else _RIGHT
            names = self.analysis.key.id(key), self.response_name(response)
            yield _Mark(self.analysis.parts(mention), state, *names, bits)

    @cached_property
    def _first_marks(self) -> Ints:
        """The first mark of each document, and finally the number of marks."""
        return bounds(self.analysis.both.document, self.analysis.both.documents)

    def sentences(self, document: int) -> Iterator[Sentence]:
        """Yield the sentences of a document. A document without words has one sentence, with token numbers as words."""
        marks = list(self.marks(document))
        if self.of_items:
            yield from self._entities(marks, int(self._first_marks[document]))
            return
        sentences = self.analysis.text.sentences(document)
        if not sentences:
            size = max((mark.end + 1 for mark in marks), default=0)
            if size > _MOST_NUMBERS:
                name = self.analysis.result.names[document]
                raise UsageError(f'document "{name}" has {size} tokens and no words; give files with words')
            yield Sentence(1, 0, [str(token) for token in range(size)], marks)
            return
        starts = [mark.start for mark in marks]
        at = token = 0
        for number, words in enumerate(sentences, start=1):
            before, at = at, bisect_left(starts, token + len(words))
            yield Sentence(number, token, words, marks[before:at])
            token += len(words)
        if beyond := marks[at:]:
            yield self._beyond(beyond, int(self._first_marks[document]) + at, len(sentences) + 1, token)

    def _entities(self, marks: Sequence[_Mark], first: int) -> Iterator[Sentence]:
        """Yield the items of each key entity as the words of a sentence, then those that only the response has, by its
        entities; ``first`` is the first mention."""
        groups: dict[tuple[bool, str], list[tuple[str, _Mark]]] = {}
        for mention, mark in enumerate(marks, start=first):
            group = groups.setdefault((mark.key is None, mark.key or mark.response or ""), [])
            group.append((self.analysis.words(mention), mark))
        token = 0
        for number, (_, group) in enumerate(sorted(groups.items(), key=lambda its: its[0][0]), start=1):
            placed = [mark._replace(parts=[(at, at)]) for at, (_, mark) in enumerate(group, start=token)]
            yield Sentence(number, token, [words for words, _ in group], placed)
            token += len(group)

    def _beyond(self, beyond: Sequence[_Mark], first: int, number: int, token: int) -> Sentence:
        """Show the mentions beyond the text of the key, of which ``first`` is the first, as a last sentence, which
        begins at this token."""
        words, marks = list(_BEYOND), []
        for mention, mark in enumerate(beyond, start=first):
            start = token + len(words)
            words += self.analysis.words(mention).split() or ["?"]
            marks.append(mark._replace(parts=[(start, token + len(words) - 1)]))
        return Sentence(number, token, words, marks)


def _wanted(mark: _Mark, kinds: Collection[str], entities: Collection[str]) -> bool:
    """Return whether a mark has an error of one of the types ``kinds``, and is in one of ``entities``; empty means any.
    With ``entities``, marks without errors are wanted, too.
    """
    of_entity = not entities or mark.key in entities or mark.response in entities
    of_kind = not kinds or any(mark.types >> types.TYPES.index(kind) & 1 for kind in kinds)
    return of_entity and of_kind and (mark.state != _RIGHT or bool(entities))


# --- Marked text ---

_SIGNS = {_RIGHT: "", _SPAN: "~", _WRONG: "", _MISSING: "-", _EXTRA: "+"}
"""The sign before the opening bracket of a mention."""

_COLOURS = {_RIGHT: "2", _SPAN: "35", _WRONG: "33", _MISSING: "31", _EXTRA: "34"}
"""The colours of brackets, as ANSI numbers."""

_LATER, _OF_ITEMS = ("]...    the mention continues later", "sentences"), ("each line is an entity", "entities")
"""The last line of the legend, for mentions in a text and for items, and what ``--around all`` adds."""

_INDENT = 5


class Shown(NamedTuple):
    """What a diff shows: only errors of ``types``, only mentions of ``entities`` (empty for all), and ``around``
    sentences before and after each, None for every sentence. Lines have ``width`` characters, and ``colour`` adds
    colours."""

    types: Collection[str]
    entities: Collection[str]
    around: int | None
    width: int
    colour: bool


def marked(diff: Diff, shown: Shown) -> Iterator[str]:
    """Yield each document with its score, errors and sentences; then the legend of the signs."""
    empty = True
    for document in range(len(diff.analysis.result.names)):
        sentences = list(diff.sentences(document))
        if chosen := _chosen(sentences, shown):
            empty = False
            name = diff.analysis.result.names[document].translate(VISIBLE)
            yield f"{name}   {diff.score_of(document)}; {diff.counts_of(document)}\n"
            yield from (line + "\n" for index in chosen for line in _lines(sentences[index], shown))
            yield "\n"
    if empty:
        which = "such" if shown.types or shown.entities else "any"
        yield f"no {'entity' if diff.of_items else 'sentence'} has {which} {diff.words.error}s\n\n"
    last, units = _OF_ITEMS if diff.of_items else _LATER
    last += f"; --around all also shows the other {units}" * (shown.around is not None)
    yield "".join(f"{line}\n" for line in (*diff.words.legend, last))
    yield f"{diff.signature}\n"


def _chosen(sentences: Sequence[Sentence], shown: Shown) -> list[int]:
    """Return the indices of the sentences to show."""
    indices, reach = range(len(sentences)), shown.around
    if reach is None:
        return [*indices]
    hits = [
        index
        for index, sentence in enumerate(sentences)
        if any(_wanted(mark, shown.types, shown.entities) for mark in sentence.marks)
    ]
    return sorted({index for hit in hits for index in indices[max(0, hit - reach) : hit + reach + 1]})


def _lines(sentence: Sentence, shown: Shown) -> Iterator[str]:
    """Yield a sentence in lines of the width; the first line begins with its number."""
    line, size = f"{sentence.number:>{_INDENT}}  ", _INDENT + 2
    for index, (word, length) in enumerate(_words(sentence, shown.colour)):
        if index and size + 1 + length > shown.width and size > _INDENT + 2:
            yield line
            line, size = " " * (_INDENT + 2), _INDENT + 2
        elif index:
            line, size = line + " ", size + 1
        line, size = line + word, size + length
    yield line


def _words(sentence: Sentence, colour: bool) -> Iterator[tuple[str, int]]:
    """Yield each word with its brackets, and its width in the terminal."""
    last = sentence.first + len(sentence.words) - 1
    parts = [(start, end, mark) for mark in sentence.marks for start, end in mark.parts if start <= last]
    parts.sort(key=lambda part: (part[0], -part[1]))
    opening = lists_by_key((start, mark) for start, _, mark in parts)
    closing = lists_by_key((min(end, last), (mark, mark.end > min(end, last))) for _, end, mark in reversed(parts))
    for token, word in enumerate(sentence.words, start=sentence.first):
        before = [(f"{_SIGNS[mark.state]}[", mark.state) for mark in opening.get(token, ())]
        after = [(f"]{mark.label}" + "..." * more, mark.state) for mark, more in closing.get(token, ())]
        pieces = [(piece.translate(VISIBLE), state) for piece, state in (*before, (word, None), *after)]
        text = "".join(f"\x1b[{_COLOURS[of]}m{piece}\x1b[0m" if colour and of else piece for piece, of in pieces)
        yield text, sum(width_of(piece) for piece, _ in pieces)
