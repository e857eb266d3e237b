"""Chunks to mentions: which chunk closes which, what the parts of a discontinuous mention are, which word is the head.

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

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from corefscore.core.arrays import Bools, Ints, among, changes, order_by, ranges
from corefscore.core.records import dataclass, field
from corefscore.formats.conll.cells import matching
from corefscore.formats.corefud.chunks import CLOSE, NO_HEAD, ODD_HEAD, OPEN, SINGLE, Chunks, Parts

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


def mentions_of(chunks: Chunks, entity: Ints, sentence: Ints, refuse: Refuse) -> FileMentions:
    """Return the mentions of a file, without those that are refused, given the ``entity`` of each chunk, as a number,
    and the ``sentence`` of each word."""
    single = np.flatnonzero(chunks.kind == SINGLE)
    opens, closes, unclosed = paired(chunks, entity, refuse)
    opening_of = dict(zip(closes.tolist(), opens.tolist(), strict=True)) if chunks.parts else {}
    opens, closes = _within_sentences(chunks, sentence, opens, closes, refuse)
    begin = np.concatenate([single, opens])
    last = chunks.word[np.concatenate([single, closes])]
    same = np.flatnonzero(chunks.word[opens] == chunks.word[closes])
    # The last words of their sentences.
    last[len(single) + same] = np.searchsorted(sentence, sentence[chunks.word[opens[same]]], side="right") - 1
    found = FileMentions(
        entity[begin],
        begin,
        chunks.head[begin],
        np.zeros(len(begin), dtype=np.bool_),
        np.arange(len(begin)),
        chunks.word[begin],
        last,
        unclosed,
        opens[same].tolist(),
    )
    return _with_parts(found, chunks, entity, opening_of, refuse) if chunks.parts else found


def paired(chunks: Chunks, entity: Ints, refuse: Refuse) -> tuple[Ints, Ints, list[int]]:
    """Return the chunks that open, those that close them, and those that are never closed. Chunks that close nothing
    are refused.
    """
    brackets = np.flatnonzero(chunks.kind != SINGLE)
    brackets = brackets[order_by(entity[brackets])]
    is_open = chunks.kind[brackets] == OPEN
    opens, closes, alone = matching(entity[brackets], is_open)
    if len(loose := np.sort(brackets[alone[~is_open[alone]]])):
        refuse("unopened-mention", loose, None)
    return brackets[opens], brackets[closes], np.sort(brackets[alone[is_open[alone]]]).tolist()


def _within_sentences(chunks: Chunks, sentence: Ints, opens: Ints, closes: Ints, refuse: Refuse) -> tuple[Ints, Ints]:
    """Return the pairs whose chunks are in one sentence; other pairs are refused."""
    if (across := sentence[chunks.word[opens]] != sentence[chunks.word[closes]]).any():
        which = np.flatnonzero(across)
        which = which[np.argsort(closes[which])]
        refuse("mention-across-sentences", closes[which], opens[which])
    return opens[~across], closes[~across]


@dataclass(eq=False, repr=False)
class _PartialMention:
    """A mention while its chunks are read; ``chunks`` has those so far, with the number of the part of each, and
    ``refused`` says that it does not begin with its first part."""

    entity: int
    chunk: int
    head: int = NO_HEAD
    last_single: bool = False
    finished: bool = False
    refused: bool = False
    segments: list[tuple[int, int]] = field(default_factory=list)
    parts: int = 0
    chunks: list[tuple[int, int]] = field(default_factory=list)

    def misnumbered(self, parts: Parts) -> list[_Part]:
        """Return the chunks of a finished mention that have other numbers than those of their parts."""
        found = [_Part(chunk, number, self.parts) for chunk, number in self.chunks] if self.finished else []
        return [
            part
            for part in found
            if part.chunk in parts and parts[part.chunk][1:] != (b"%d" % part.number, b"%d" % part.total)
        ]


def _with_parts(
    found: FileMentions, chunks: Chunks, entity: Ints, opening_of: Mapping[int, int], refuse: Refuse
) -> FileMentions:
    """Return the mentions with those joined that are parts of one; ``opening_of`` has the chunk that another closes."""
    mention_of = _joined(found, chunks, entity, opening_of, refuse)
    plain = [at for at, chunk in enumerate(found.chunk.tolist()) if chunk not in mention_of]
    begun = [mention for chunk, mention in mention_of.items() if mention.chunk == chunk and not mention.refused]
    mentions = [mention for mention in begun if mention.segments]
    rows = [(mention.entity, mention.chunk, mention.head, mention.last_single) for mention in mentions]
    entity_of, first_chunk, head, single = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    segments = [(len(plain) + at, *segment) for at, mention in enumerate(mentions) for segment in mention.segments]
    added = entity_of, first_chunk, head, single > 0, *np.array(segments, dtype=np.int64).reshape(-1, 3).T
    kept = *(column[plain] for column in found[:4]), np.arange(len(plain)), found.first[plain], found.last[plain]
    columns = [np.concatenate(pair) for pair in zip(kept, added, strict=True)]
    opened = {mention_of.get(chunk) for chunk in found.unclosed}
    unfinished = sorted(mention.chunk for mention in mentions if not mention.finished and mention not in opened)
    misnumbered = sorted(numbers for mention in mentions if (numbers := mention.misnumbered(chunks.parts)))
    return FileMentions._make([*columns, found.unclosed, sorted(found.stretched), unfinished, misnumbered])


def _joined(
    found: FileMentions, chunks: Chunks, entity: Ints, opening_of: Mapping[int, int], refuse: Refuse
) -> dict[int, _PartialMention]:
    """Return the mention of each chunk that begins or continues one, for entities with discontinuous mentions, whose
    chunks are read one by one.
    """
    parts = chunks.parts
    which = np.flatnonzero(among(entity, entity[list(parts)]))
    segments = dict(zip(found.chunk.tolist(), zip(found.first.tolist(), found.last.tolist(), strict=True), strict=True))
    mention_of: dict[int, _PartialMention] = {}
    # For each entity a heap of the mentions that wait for their next part, each with the chunk that began it.
    waiting: dict[int, list[tuple[int, _PartialMention]]] = defaultdict(list)
    columns = which, chunks.kind[which], entity[which]
    for chunk, kind, its in zip(*(column.tolist() for column in columns), strict=True):
        if (opening := opening_of.get(chunk) if kind == CLOSE else chunk) is None:
            continue
        if kind != CLOSE:
            _, number, total = parts.get(chunk, (b"", b"1", b"1"))
            if number != b"1" and waiting[its]:
                mention = heappop(waiting[its])[1]
            elif (mention := _PartialMention(its, chunk, refused=number != b"1")).refused:
                refuse("part-of-nothing", np.array([chunk]), None)
            mention_of[chunk] = mention
            mention.parts += 1
            if number == total:
                mention.finished = True
                mention.head = int(chunks.head[chunk])
                mention.last_single = chunk in parts and kind == SINGLE
        mention = mention_of[opening]
        mention.chunks.append((chunk, mention.parts))
        if kind != OPEN and opening in segments:
            mention.segments.append(segments[opening])
            if not mention.finished:
                heappush(waiting[its], (mention.chunk, mention))
    return mention_of


class Sized(NamedTuple):
    """The words of mentions: how many each has, and the words (indices in the file), mention by mention."""

    size: Ints
    word: Ints


def words_of_mentions(found: FileMentions, number: Ints) -> Sized:
    """Return the words of the mentions, in rising order. Words with equal ``number`` count as one."""
    lengths = found.last - found.first + 1
    word, of = ranges(found.first, lengths), np.repeat(found.of, lengths)
    plain = len(found.of) == len(found.entity) and not (number[1:] == number[:-1]).any()
    if not plain and len(word):
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
    outside = (head > size) & ((size > 1) | (np.bincount(found.of, minlength=len(size)) > 1))
    for odd in (head == ODD_HEAD, outside):
        if odd.any():
            refuse("odd-head", np.sort(found.chunk[odd]), None)
    place = np.where((size > 1) & ~outside, np.maximum(head - 1, 0), 0)
    to_end = found.last_single & (head == 0)
    place[to_end] = size[to_end] - 1
    return place
