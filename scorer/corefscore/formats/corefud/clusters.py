"""Clusters in memory on the words of CorefUD files: what a score does when one side has no file.

A mention is one of these, in a list or a tuple (words also in a set):

1. ``(start, end)``, two numbers: the tokens of the document from one to the other, counted from 0 without empty nodes,
   and the empty nodes between them, as a pair of brackets in a file has them.
2. ``(sentence, "5.1")``: one word by its sentence in the document, counted from 0, and its ID there, as a zero needs.
3. Words one by one, where a mention has gaps: ``[3, 4, 7]`` or ``{3, (0, "5.1")}``, each a token or a pair as in 2.
   Two numbers alone are words in a set only.

All words of a mention are in one sentence. Heads are those of the tree (`corefscore.formats.corefud.annotations`), or
last words where the other side was read so. Entities have the order in which they are given where a file would have
that of their ids.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from corefscore.core.arrays import Ints, changes
from corefscore.core.documents import NO_NODES, SENTENCE, Documents, Place, Span, joined
from corefscore.core.errors import InputError, suggested
from corefscore.core.findings import Finding, plural
from corefscore.core.sources import Source
from corefscore.formats.base import LAST, TREE, Request, found_at
from corefscore.formats.corefud import reader
from corefscore.formats.corefud.annotations import by_document
from corefscore.formats.corefud.chunks import NO_HEAD
from corefscore.formats.corefud.lines import number_of
from corefscore.formats.corefud.mentions import FileMentions, words_of_mentions
from corefscore.formats.corefud.reader import Columns, File
from corefscore.formats.memory import (
    BY_NAME,
    COLLECTIONS,
    DOCUMENT,
    DOCUMENTS,
    Nested,
    as_collections,
    is_whole,
    refusal,
    refuse_other_names,
    shape,
)

_MENTION = '(start, end), tokens counted from 0; (sentence, "5.1"), a word by its ID; or words, such as {3, 4, 7}'

_CLUSTERS = f"entities, each a list of mentions; a mention is {_MENTION}"


def nested(value: Any, side: str) -> Nested:
    """Return what ``value``, documents without names, is by the rules above.

    Raises `InputError` for what is neither a document nor a list of documents, or could be both.
    """
    value = as_collections(value)
    if len(levels := [level for level in (DOCUMENT, DOCUMENTS) if _fits(value, level)]) == 1:
        return Nested(value, levels[0])
    if levels and not _has_mention(value):
        return Nested(value, None)
    both = "; these could be entities, or mentions of several words" if levels else ""
    raise refusal(side, shape(value), f"a document or a list of documents: {_CLUSTERS}{both}{BY_NAME}")


def _fits(value: Any, level: int) -> bool:
    """Return whether a value has mentions so many levels below it, if it has anything there."""
    if not level:
        return _is_mention(value)
    return isinstance(value, COLLECTIONS) and all(_fits(part, level - 1) for part in value)


def _has_mention(value: Any) -> bool:
    return not isinstance(value, COLLECTIONS) or any(map(_has_mention, value))


def _is_pair(value: Any) -> bool:
    """Return whether a value is ``(sentence, ID)``."""
    return isinstance(value, list | tuple) and len(value) == 2 and is_whole(value[0]) and isinstance(value[1], str)


def _is_span(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(is_whole, value))


def _is_mention(value: Any) -> bool:
    if _is_span(value) or _is_pair(value):
        return True
    return isinstance(value, COLLECTIONS) and bool(value) and all(is_whole(word) or _is_pair(word) for word in value)


def documents(
    named: Mapping[str, Any], side: str, words: Documents, heads: str | None, notices: list[Finding]
) -> Documents:
    """Return clusters by document as documents of a ``side``, on the ``words`` of the documents of the same name on the
    other side, which were read with these ``heads``.

    A document without such words has no mentions here. What is odd is added to the notices. Raises `InputError` for
    what fits none of the rules, and for tokens and words that are not there.
    """
    refuse_other_names(named, side)
    given = {name: _Given(side, name, as_collections(clusters)) for name, clusters in named.items()}
    parts: list[Documents] = []
    sources: dict[Source, dict[int | None, _Given]] = {}
    for name, place in zip(words.names, words.places, strict=True):
        assert place is not None, "a side that was read has every document"
        sources.setdefault(place.source, {})[place.line] = given.get(name, _Given(side, name, ()))
    request = Request(heads=LAST if heads == LAST else TREE)
    for source, by_line in sources.items():
        if any(its.name in given for its in by_line.values()):
            parts.append(_OnWords(source, notices.append, request, by_line).documents())
    # Nobody knows the words of documents that the other side lacks.
    alone = [name for name in given if name not in words.names]
    places = [Place(Source(side), None)] * len(alone)
    whole = joined([*parts, Documents(alone, places, np.full(len(alone), -1), nodes=NO_NODES)])
    notices += other_heads(words, whole)
    place_of = {name: at for at, name in enumerate(whole.names)}
    return whole.take(np.array([place_of[name] for name in given], dtype=np.int64))


def other_heads(headed: Documents, found: Documents) -> Iterator[Finding]:
    """Yield a notice for each document with mentions of the same words on both sides, whose head in ``found``, by the
    tree, is another than their own on the side that is ``headed``."""
    heads: list[dict[tuple[str, ...], int]] = []
    for side in (headed, found):
        nodes = side.nodes or NO_NODES
        columns = nodes.first_word, nodes.last_word, nodes.size
        names = map(side.names.__getitem__, side.document[side.entity].tolist())
        heads.append(dict(zip(zip(names, *columns, strict=True), nodes.head.tolist(), strict=True)))
    others = Counter(mention[0] for mention, head in heads[1].items() if heads[0].get(mention, head) != head)
    for name, count in others.items():
        place = found.place_of(found.names.index(name))
        yield found_at(place, "other-heads", document=name, count=plural(count, "mention"))


def refuse_unknown(named: Mapping[str, Any], side: str, other: Documents) -> None:
    """Raise `InputError` for a document that the other side lacks, so that nobody knows its words."""
    for name in named:
        if name not in other.names:
            expected = f"documents of the other side, whose words are needed; {suggested(name, other.names)}"
            raise refusal(side, "those of a document that the other side lacks", expected, name)


class _Given(NamedTuple):
    """The clusters of one document."""

    side: str
    name: str
    clusters: Any

    def entities(self) -> Iterator[list[Any]]:
        """Yield the mentions of each entity. Raises `InputError` for what has another shape."""
        if not isinstance(self.clusters, COLLECTIONS) or not all(isinstance(its, COLLECTIONS) for its in self.clusters):
            raise refusal(self.side, shape(self.clusters), _CLUSTERS, self.name)
        words: Any = None
        span: Any = None
        for entity in self.clusters:
            for mention in entity:
                if not _is_mention(mention):
                    raise self.refused(mention, _MENTION)
                if _is_span(mention):
                    span = mention if span is None and mention[1] > mention[0] + 1 else span
                elif isinstance(mention, list | tuple) and all(map(is_whole, mention)):
                    words = mention if words is None else words
            yield list(entity)
        if words is not None and span is not None:
            low, high = span
            raise self.refused(
                span,
                f"all mentions as words, or all as start and end; {words!r:.60} can only be words; if all are "
                f"words, give them as sets, such as {{{low}, {high}}}",
            )

    def refused(self, mention: Any, expected: str) -> InputError:
        """Return the error for a mention."""
        details = {"document": self.name, "place": "a mention", "what": f"{mention!r:.80}", "expected": expected}
        return InputError([Finding("bad-mention", self.side, details=details)])


class _Text(NamedTuple):
    """The words of one document, by their places in the file: all of them, and the tokens; the number of each of all
    words; and how many sentences there are."""

    every: Ints
    tokens: Ints
    numbers: Ints
    sentences: int

    def stretches(self, mention: Any, given: _Given, number: Ints) -> Iterator[tuple[int, int]]:
        """Yield the first and the last word of each stretch of a mention. Raises `InputError` for one
        beyond the text.
        """
        if _is_span(mention):
            found = [(self._token(mention[0], mention, given), self._token(mention[1], mention, given))]
            if mention[0] > mention[1]:
                raise given.refused(mention, "a start that is not after the end")
        else:
            places = [self._word(word, mention, given) for word in ([mention] if _is_pair(mention) else mention)]
            found = [(place, place) for place in places]
        if len(sentences := sorted({int(number[place]) // SENTENCE for stretch in found for place in stretch})) > 1:
            first, *_, last = sentences
            raise given.refused(mention, f"words of one sentence; these are in sentences {first} to {last}, from 0 on")
        yield from found

    def _word(self, word: Any, mention: Any, given: _Given) -> int:
        if is_whole(word):
            return self._token(word, mention, given)
        sentence, name = word
        number = number_of(name.encode("utf-8", "surrogateescape"))
        if not 0 <= sentence < self.sentences:
            raise given.refused(mention, f"a sentence from 0 to {self.sentences - 1}")
        wanted = -1 if number is None else int(sentence) * SENTENCE + number
        at = int(np.searchsorted(self.numbers, wanted))
        if at == len(self.numbers) or self.numbers[at] != wanted:
            raise given.refused(mention, f"the ID of a word or an empty node of sentence {sentence}, counted from 0")
        return int(self.every[at])

    def _token(self, token: Any, mention: Any, given: _Given) -> int:
        if not 0 <= token < len(self.tokens):
            raise given.refused(mention, f"tokens from 0 to {len(self.tokens) - 1}, without empty nodes")
        return int(self.tokens[token])


class _OnWords(File):
    """A file of the other side with other mentions: those that are ``given`` for the document at each of its first
    lines."""

    def __init__(
        self, source: Source, keep: Callable[[Finding], None], request: Request, given: Mapping[int | None, _Given]
    ) -> None:
        super().__init__(source, keep, request)
        self.given, self.side = given, next(iter(given.values())).side

    def note(self, code: str, line: int | None, **details: object) -> None:
        """Keep a notice about the side in memory."""
        self.keep(Finding(code, self.side, None, details=details))

    def documents(self) -> Documents:
        """Return all documents of the file, those that are not given without mentions."""
        found = super().documents()
        names = [self.given[place.line].name for place in found.places if place is not None]
        places = [Place(Source(self.side), None)] * len(names)
        # A line of the file is none of this side, so that no message shows it.
        return replace(found, names=names, places=places, line=-found.line, words=partial(_words_at, self.source))

    def _note_lines(self) -> None:
        """No-op: notices were given when the file was read."""

    def _mentions(self) -> Columns:
        overt = self.lines.words.overt
        entity: list[int] = []
        ids: list[str] = []
        stretches: list[tuple[int, int, int]] = []
        for line, its in by_document(self.lines):
            answer = self.given[line]
            numbers = self.number[its]
            text = _Text(its, its[overt[its]], numbers, int(numbers.max(initial=-1)) // SENTENCE + 1)
            for label, mentions in enumerate(answer.entities()):
                for mention in mentions:
                    stretches += [(len(entity), *stretch) for stretch in text.stretches(mention, answer, self.number)]
                    entity.append(len(ids))
                ids.append(str(label))
        of, first, last = np.array(stretches, dtype=np.int64).reshape(-1, 3).T
        order = np.arange(len(entity))
        no_head, single = np.full(len(entity), NO_HEAD), np.zeros(len(entity), dtype=np.bool_)
        mentions_read = FileMentions(np.array(entity, dtype=np.int64), order, no_head, single, of, first, last, (), ())
        sized = words_of_mentions(mentions_read, self.number)
        columns, order = self._by_entity(mentions_read, sized, self._heads_of_words(sized), entity.__getitem__)
        representative = mentions_read.entity[order][changes(columns["entity"])]
        return {**columns, "odd_labels": [ids[at] for at in representative.tolist()]}


def _words_at(words: Source, _: Source, spans: Sequence[Span]) -> Iterator[str]:
    """Yield the words of spans of documents in memory, as the file ``words`` of the other side has them."""
    return reader.words_at(words, [span._replace(line=-span.line) for span in spans])
