"""Events to mentions: which chunk closes which, what the parts of a discontinuous mention are, which word is the head.

A chunk is one bracket of an attribute Entity, such as ``(e1-person-1-`` or ``e1)``
(`corefscore.formats.corefud.chunks`).

1. A closing chunk closes the latest open mention of its id; both are in one sentence.
2. A mention contains all words from its first to its last, empty nodes included. If it has two chunks and closes at the
   word at which it opens, it continues to the end of its sentence (bracket-closed-on-opening-node).
3. ``ID[i/n]`` is a part of a discontinuous mention. Part 1 begins a mention, any other part continues the first mention
   of that id that is neither finished nor open, and part n finishes it. The head of the mention is that of its last
   part (gap-head-of-last-part).
4. The head is the number of a word of the mention, from 1; 0 or none means the first one. In a mention of one word the
   number does not matter. If the last part has one word and the head 0, the head is the last word of the mention
   (gap-last-single-head-zero).

The names in brackets are recorded cases of the official scorer that decide a rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints, among, changes, order_by
from corefscore.formats.conll.cells import matching
from corefscore.formats.corefud.chunks import CLOSE, NO_HEAD, ODD_HEAD, OPEN, SINGLE, Chunks

_PART = re.compile(rb"(.*)\[([^\]/]*)/([^\]]*)\]", re.DOTALL)
"""The id of a part of a discontinuous mention: the entity, the number of the part, and how many there are."""


class Events(NamedTuple):
    """Chunks as columns: the word (by its place in the file), its sentence and the last word of that, the kind, the
    entity (a number), the head."""

    word: Ints
    sentence: Ints
    last_word: Ints
    kind: Ints
    entity: Ints
    head: Ints


Refuse = Callable[[str, Ints, Ints | None], None]
"""A function for chunks that cannot be understood. It takes the code of the finding, the chunks, and for each chunk an
earlier one that the message names, if there is one. If it returns, reading continues without these chunks."""


class _Part(NamedTuple):
    """A chunk of a part of a discontinuous mention, its number from 1, and how many parts there are."""

    chunk: int
    number: int
    total: int


class FileMentions(NamedTuple):
    """The mentions of a file, in no order.

    ``entity``, ``chunk``, ``head`` and ``last_single`` have one value for each mention: its entity, the chunk that
    begins it, the head in the file (or why there is none), and whether its last part has one word. ``of``, ``first``
    and ``last`` have one value for each segment, of which a mention has one or several: its mention, its first and its
    last word (indices in the file).

    The others are chunks to report. ``unclosed`` open a mention that is never closed, ``stretched`` one that closes at
    the word where it opens, ``unfinished`` a discontinuous one without its last part. ``misnumbered`` has an entry for
    each finished mention with wrong numbers of parts: its chunks with wrong numbers, each with the right ones.
    """

    entity: Ints
    chunk: Ints
    head: Ints
    last_single: Bools
    of: Ints
    first: Ints
    last: Ints
    unclosed: Sequence[int]
    stretched: Sequence[int]
    unfinished: Sequence[int] = ()
    misnumbered: Sequence[Sequence[_Part]] = ()


_Parts = Mapping[int, tuple[bytes, ...]]
"""The chunks of discontinuous mentions: the entity, the number of the part, and how many there are."""


def mentions_of(events: Events, parts: _Parts, refuse: Refuse) -> FileMentions:
    """Return the mentions of a file, without those that are refused."""
    in_parts = among(events.entity, events.entity[list(parts)]) if parts else np.zeros(len(events.word), np.bool_)
    plain = np.flatnonzero(~in_parts)
    single = plain[events.kind[plain] == SINGLE]
    opens, closes, unclosed = _paired(events, plain[events.kind[plain] != SINGLE], refuse)
    opens, closes = _within_sentences(events, opens, closes, refuse)
    begin = np.concatenate([single, opens])
    first = events.word[begin]
    last = np.concatenate([events.word[single], events.word[closes]])
    same = np.flatnonzero(events.word[opens] == events.word[closes])
    last[len(single) + same] = events.last_word[opens[same]]
    found = FileMentions(
        events.entity[begin],
        begin,
        events.head[begin],
        np.zeros(len(begin), dtype=np.bool_),
        np.arange(len(begin)),
        first,
        last,
        unclosed,
        opens[same].tolist(),
    )
    return _with_parts(found, events, parts, np.flatnonzero(in_parts), refuse) if parts else found


def _paired(events: Events, brackets: Ints, refuse: Refuse) -> tuple[Ints, Ints, list[int]]:
    """Return the chunks that open, those that close them, and those that are never closed. Chunks that close nothing
    are refused.
    """
    brackets = brackets[order_by(events.entity[brackets])]
    is_open = events.kind[brackets] == OPEN
    opens, closes, alone = matching(events.entity[brackets], is_open)
    loose = np.sort(brackets[alone[~is_open[alone]]])
    if len(loose):
        refuse("unopened-mention", loose, None)
    return brackets[opens], brackets[closes], np.sort(brackets[alone[is_open[alone]]]).tolist()


def _within_sentences(events: Events, opens: Ints, closes: Ints, refuse: Refuse) -> tuple[Ints, Ints]:
    """Return the pairs whose chunks are in one sentence; other pairs are refused."""
    across = events.sentence[opens] != events.sentence[closes]
    if across.any():
        which = np.flatnonzero(across)
        which = which[np.argsort(closes[which])]
        refuse("mention-across-sentences", closes[which], opens[which])
        opens, closes = opens[~across], closes[~across]
    return opens, closes


@dataclass(eq=False, repr=False)
class _PartialMention:
    """A mention while its chunks are read; ``chunks`` has those so far, with the number of the part of each."""

    entity: int
    chunk: int
    head: int = NO_HEAD
    last_single: bool = False
    finished: bool = False
    segments: list[tuple[int, int]] = field(default_factory=list)
    parts: int = 0
    chunks: list[tuple[int, int]] = field(default_factory=list)

    def misnumbered(self, parts: _Parts) -> list[_Part]:
        """Return the chunks of a finished mention that have other numbers than those of their parts."""
        found = [_Part(chunk, number, self.parts) for chunk, number in self.chunks] if self.finished else []
        return [
            part
            for part in found
            if part.chunk in parts and parts[part.chunk][1:] != (b"%d" % part.number, b"%d" % part.total)
        ]


def _with_parts(plain: FileMentions, events: Events, parts: _Parts, which: Ints, refuse: Refuse) -> FileMentions:
    """Return all mentions: the ``plain`` ones, and those of entities that have discontinuous mentions, read chunk by
    chunk.
    """
    mentions: list[_PartialMention] = []
    unclosed, stretched, unfinished = [*plain.unclosed], [*plain.stretched], list[int]()
    by_entity: dict[int, list[int]] = defaultdict(list)
    for chunk in which.tolist():
        by_entity[int(events.entity[chunk])].append(chunk)
    for chunks in by_entity.values():
        collected = _EntityReader(events, parts, refuse)
        collected.read(chunks)
        there = [mention for mention in collected.begun if mention.segments]
        mentions += there
        opened = {mention for _, mention in collected.opened}
        unclosed += [opening for opening, _ in collected.opened]
        stretched += collected.stretched
        unfinished += [mention.chunk for mention in there if not mention.finished and mention not in opened]
    before = len(plain.entity)
    rows = [(mention.entity, mention.chunk, mention.head, mention.last_single) for mention in mentions]
    entity, chunk, head, single = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    segments = [(before + at, *segment) for at, mention in enumerate(mentions) for segment in mention.segments]
    added = entity, chunk, head, single > 0, *np.array(segments, dtype=np.int64).reshape(-1, 3).T
    columns = [np.concatenate(pair) for pair in zip(plain[: len(added)], added, strict=True)]
    misnumbered = [numbers for mention in mentions if (numbers := mention.misnumbered(parts))]
    odd = sorted(unclosed), sorted(stretched), sorted(unfinished), sorted(misnumbered)
    return FileMentions._make([*columns, *odd])


class _EntityReader:
    """Reads the mentions of one entity chunk by chunk.

    ``begun`` are all mentions, ``opened`` those that are open, with the chunk that opened each, and ``waiting`` those
    that wait for their next part (a heap, with the chunk that began each). ``stretched`` are the chunks of mentions
    that close where they open.
    """

    def __init__(self, events: Events, parts: _Parts, refuse: Refuse) -> None:
        self.events, self.parts, self.refuse = events, parts, refuse
        self.begun: list[_PartialMention] = []
        self.opened: list[tuple[int, _PartialMention]] = []
        self.waiting: list[tuple[int, _PartialMention]] = []
        self.stretched: list[int] = []

    def read(self, chunks: Sequence[int]) -> None:
        """Read chunks in their order."""
        for chunk in chunks:
            kind = int(self.events.kind[chunk])
            if kind == CLOSE:
                self._close(chunk)
                continue
            mention = self._begin(chunk)
            if kind == SINGLE:
                word = int(self.events.word[chunk])
                self._add(mention, word, word)
            else:
                self.opened.append((chunk, mention))

    def _close(self, chunk: int) -> None:
        """Close the mention that opened last."""
        if not self.opened:
            self.refuse("unopened-mention", np.array([chunk]), None)
            return
        opening, mention = self.opened.pop()
        mention.chunks.append((chunk, mention.parts))
        events = self.events
        if events.sentence[opening] != events.sentence[chunk]:
            self.refuse("mention-across-sentences", np.array([chunk]), np.array([opening]))
            return
        first, last = int(events.word[opening]), int(events.word[chunk])
        if first == last:
            self.stretched.append(opening)
            last = int(events.last_word[chunk])
        self._add(mention, first, last)

    def _add(self, mention: _PartialMention, first: int, last: int) -> None:
        mention.segments.append((first, last))
        if not mention.finished:
            heappush(self.waiting, (mention.chunk, mention))

    def _begin(self, chunk: int) -> _PartialMention:
        """Return the mention that a chunk begins or continues. A mention that is refused is not added to ``begun``."""
        _, number, total = self.parts.get(chunk, (b"", b"1", b"1"))
        if number != b"1" and self.waiting:
            mention = heappop(self.waiting)[1]
        else:
            mention = _PartialMention(int(self.events.entity[chunk]), chunk)
            if number == b"1":
                self.begun.append(mention)
            else:
                self.refuse("part-of-nothing", np.array([chunk]), None)
        mention.parts += 1
        mention.chunks.append((chunk, mention.parts))
        if number == total:
            mention.finished = True
            mention.head = int(self.events.head[chunk])
            mention.last_single = chunk in self.parts and int(self.events.kind[chunk]) == SINGLE
        return mention


class Sized(NamedTuple):
    """The words of mentions: how many each has, and the words (indices in the file), mention by mention."""

    size: Ints
    word: Ints


def words_of(found: FileMentions, number: Ints) -> Sized:
    """Return the words of the mentions, in rising order. Words with equal ``number`` count as one."""
    lengths = found.last - found.first + 1
    total = int(lengths.sum())
    ends = np.cumsum(lengths)
    word = np.arange(total) + np.repeat(found.first - (ends - lengths), lengths)
    of = np.repeat(found.of, lengths)
    plain = len(found.of) == len(found.entity) and not (number[1:] == number[:-1]).any()
    if not plain and total:
        order = order_by(of, word)
        of, word = of[order], word[order]
        new = changes(of, number[word])
        of, word = of[new], word[new]
    return Sized(np.bincount(of, minlength=len(found.entity)), word)


def heads(found: FileMentions, sized: Sized, refuse: Refuse) -> Ints:
    """Return the head of each mention, as an index among its words. A head that is not a number or not a word of the
    mention is refused.
    """
    head, size = found.head, sized.size
    in_parts = np.bincount(found.of, minlength=len(size)) > 1
    outside = (head > size) & ((size > 1) | in_parts)
    for odd in (head == ODD_HEAD, outside):
        if odd.any():
            refuse("odd-head", np.sort(found.chunk[odd]), None)
    place = np.where((size > 1) & ~outside, np.maximum(head - 1, 0), 0)
    to_end = found.last_single & (head == 0)
    place[to_end] = size[to_end] - 1
    return place


def parts_of(chunks: Chunks) -> _Parts:
    """Return the chunks of discontinuous mentions."""
    ends = chunks.id_stop > chunks.id_start
    ends[ends] = chunks.text[chunks.id_stop[ends] - 1] == ord("]")
    found = {at: _PART.fullmatch(chunks.id_of(at)) for at in np.flatnonzero(ends).tolist()}
    return {at: match.group(1, 2, 3) for at, match in found.items() if match}
