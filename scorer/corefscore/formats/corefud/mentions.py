"""Events to mentions: which chunk closes which, what the parts of a discontinuous mention are, which word is the head.

1. A closing chunk closes the latest mention of its id that is open; both are in one sentence.
2. A mention is all words from its first to its last, empty nodes included. One that closes at the word at which it
   opens, without being a single chunk, goes on to the end of its sentence (bracket-closed-on-opening-node).
3. ``ID[i/n]`` is a part of a discontinuous mention: part 1 begins one, any other goes on with the first of that id that
   is not finished and not open, and the part n finishes it. Its head is that of its last part (gap-head-of-last-part).
4. The head is a word of the mention by its number, from 1; 0 or none is the first one. In a mention of one word the
   number does not matter. A last part of one word with the head 0 has the last word of the mention for its head
   (gap-last-single-head-zero).

Names in brackets are recorded cases that decide a rule.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from corefscore.documents.arrays import Bools, Ints, changes, order_by
from corefscore.formats.corefud.chunks import CLOSE, EMPTY_HEAD, NO_HEAD, ODD_HEAD, OPEN, SINGLE, Chunks

PART = re.compile(rb"(.*)\[([^\]/]*)/([^\]]*)\]", re.DOTALL)
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


class Faulty(Exception):  # noqa: N818 - a message for the reader, which knows lines
    """A chunk that cannot be understood: the code of the finding, and which chunk; ``other`` is a chunk before it."""

    def __init__(self, code: str, chunk: int, other: int | None = None) -> None:
        super().__init__(code)
        self.code, self.chunk, self.other = code, chunk, other


class Marked(NamedTuple):
    """Mentions, in no order: the entity, the chunk that begins each, the head in the file or why there is none; whether
    the head is that of a last part of one word; and the segments, one or several a mention: its mention, first and last
    word (places in the file). ``unclosed`` are chunks that open and are never closed, ``stretched`` those of mentions
    that close where they open."""

    entity: Ints
    chunk: Ints
    head: Ints
    last_single: Bools
    of: Ints
    first: Ints
    last: Ints
    unclosed: Sequence[int]
    stretched: Sequence[int]


Parts = Mapping[int, tuple[bytes, bytes]]
"""The chunks of discontinuous mentions: the number of the part, and how many there are."""


def marked(events: Events, parts: Parts) -> Marked:
    """The mentions of a file.

    Raises `Faulty`.
    """
    in_parts = np.isin(events.entity, events.entity[list(parts)]) if parts else np.zeros(len(events.word), np.bool_)
    plain = np.flatnonzero(~in_parts)
    single = plain[events.kind[plain] == SINGLE]
    opens, closes, unclosed = _paired(events, plain[events.kind[plain] != SINGLE])
    _refuse_across(events, opens, closes)
    begin = np.concatenate([single, opens])
    first = events.word[begin]
    last = np.concatenate([events.word[single], events.word[closes]])
    same = np.flatnonzero(events.word[opens] == events.word[closes])
    last[len(single) + same] = events.last_word[opens[same]]
    found = Marked(
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
    return _with_parts(found, events, parts, np.flatnonzero(in_parts)) if parts else found


def _paired(events: Events, brackets: Ints) -> tuple[Ints, Ints, list[int]]:
    """The chunks that open and those that close them, and those that nothing closes.

    By entity and depth of nesting, those that open and close alternate, so that each opening stands in front of its
    closing. Raises `Faulty` for one that closes what is not open.
    """
    by_entity = brackets[order_by(events.entity[brackets])] if len(brackets) else brackets
    entity = events.entity[by_entity]
    opens = events.kind[by_entity] == OPEN
    step = np.where(opens, 1, -1)
    depth = np.cumsum(step)
    begins = changes(entity)
    if len(depth):
        depth -= (depth - step)[begins][np.cumsum(begins) - 1]
    if (depth < 0).any():
        raise Faulty("unopened-mention", int(by_entity[depth < 0].min()))
    level = depth + ~opens
    order = order_by(entity, level) if len(level) else level
    chunk, is_open = by_entity[order], opens[order]
    closed = np.append(~is_open[1:], False)[: len(chunk)] & is_open
    at = np.flatnonzero(closed)
    return chunk[at], chunk[at + 1], np.sort(chunk[is_open & ~closed]).tolist()


def _refuse_across(events: Events, opens: Ints, closes: Ints) -> None:
    """Raise `Faulty` for the first mention that ends in another sentence."""
    across = np.flatnonzero(events.sentence[opens] != events.sentence[closes])
    if len(across):
        at = across[np.argmin(closes[across])]
        raise Faulty("mention-across-sentences", int(closes[at]), int(opens[at]))


@dataclass
class _Whole:
    """A mention that is being put together."""

    entity: int
    chunk: int
    head: int = NO_HEAD
    last_single: bool = False
    open_chunk: int | None = None
    segments: list[tuple[int, int]] = field(default_factory=list)


def _with_parts(plain: Marked, events: Events, parts: Parts, which: Ints) -> Marked:
    """The mentions of entities that have discontinuous ones, chunk by chunk, beside all others."""
    wholes: list[_Whole] = []
    unclosed, stretched = [*plain.unclosed], [*plain.stretched]
    by_entity: dict[int, list[int]] = defaultdict(list)
    for chunk in which.tolist():
        by_entity[int(events.entity[chunk])].append(chunk)
    for chunks in by_entity.values():
        its, still_open, at_once = _wholes(chunks, events, parts)
        wholes += its
        unclosed += still_open
        stretched += at_once
    before = len(plain.entity)
    segments = [(before + at, *segment) for at, whole in enumerate(wholes) for segment in whole.segments]
    of, first, last = np.array(segments, dtype=np.int64).reshape(-1, 3).T
    added = [[getattr(whole, name) for whole in wholes] for name in ("entity", "chunk", "head")]
    entity, chunk, head = (
        np.concatenate([old, np.array(new, dtype=np.int64)])
        for old, new in zip((plain.entity, plain.chunk, plain.head), added, strict=True)
    )
    single = np.concatenate([plain.last_single, np.array([whole.last_single for whole in wholes], dtype=np.bool_)])
    of, first, last = (np.concatenate(pair) for pair in ((plain.of, of), (plain.first, first), (plain.last, last)))
    return Marked(entity, chunk, head, single, of, first, last, sorted(unclosed), sorted(stretched))


def _wholes(chunks: Sequence[int], events: Events, parts: Parts) -> tuple[list[_Whole], list[int], list[int]]:
    """The mentions of one entity, the chunks that are never closed, and those that are closed where they open."""
    stretched: list[int] = []
    wholes: list[_Whole] = []
    unfinished: list[_Whole] = []
    opened: list[_Whole] = []
    for chunk in chunks:
        word, kind = int(events.word[chunk]), int(events.kind[chunk])
        if kind == CLOSE:
            if not opened:
                raise Faulty("unopened-mention", chunk)
            whole = opened.pop()
            assert whole.open_chunk is not None, "it is open"
            if events.sentence[whole.open_chunk] != events.sentence[chunk]:
                raise Faulty("mention-across-sentences", chunk, whole.open_chunk)
            first = int(events.word[whole.open_chunk])
            if first == word:
                stretched.append(whole.open_chunk)
                word = int(events.last_word[chunk])
            whole.segments.append((first, word))
            whole.open_chunk = None
            continue
        whole = _begun(chunk, events, parts.get(chunk), wholes, unfinished)
        if kind == SINGLE:
            whole.segments.append((word, word))
        else:
            whole.open_chunk = chunk
            opened.append(whole)
    unclosed = [whole.open_chunk for whole in opened if whole.open_chunk is not None]
    return [whole for whole in wholes if whole.segments], unclosed, stretched


def _begun(
    chunk: int, events: Events, part: tuple[bytes, bytes] | None, wholes: list[_Whole], unfinished: list[_Whole]
) -> _Whole:
    """The mention that a chunk begins or goes on with."""
    number, total = part or (b"1", b"1")
    if number == b"1":
        whole = _Whole(int(events.entity[chunk]), chunk)
        wholes.append(whole)
        unfinished.append(whole)
    else:
        waiting = (each for each in unfinished if each.open_chunk is None)
        found = next(waiting, None)
        if found is None:
            raise Faulty("part-of-nothing", chunk)
        whole = found
    if number == total:
        unfinished.remove(whole)
        whole.head = int(events.head[chunk])
        whole.last_single = part is not None and int(events.kind[chunk]) == SINGLE
    return whole


class Sized(NamedTuple):
    """The words of mentions: how many each has, and the words (places in the file), mention by mention."""

    size: Ints
    word: Ints


def words_of(found: Marked, number: Ints) -> Sized:
    """The words of the mentions, rising. Words of one ``number`` are one."""
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


def heads(found: Marked, sized: Sized) -> tuple[Ints, dict[str, Ints]]:
    """The head of each mention, by its place among its words; and the mentions without one, by what they lack.

    Raises `Faulty` for a head that is no number or lies outside.
    """
    head, size = found.head, sized.size
    odd = np.flatnonzero(head == ODD_HEAD)
    if len(odd):
        raise Faulty("odd-head", int(found.chunk[odd].min()))
    in_parts = np.bincount(found.of, minlength=len(size)) > 1
    outside = np.flatnonzero((head > size) & ((size > 1) | in_parts))
    if len(outside):
        raise Faulty("odd-head", int(found.chunk[outside].min()))
    place = np.where(size > 1, np.maximum(head - 1, 0), 0)
    to_end = found.last_single & (head == 0)
    place[to_end] = size[to_end] - 1
    return place, {"none": np.flatnonzero(head == NO_HEAD), "empty": np.flatnonzero(head == EMPTY_HEAD)}


def parts_of(chunks: Chunks) -> Iterator[tuple[int, re.Match[bytes]]]:
    """The chunks of discontinuous mentions."""
    ends = chunks.id_stop > chunks.id_start
    ends[ends] = chunks.text[chunks.id_stop[ends] - 1] == ord("]")
    for at in np.flatnonzero(ends).tolist():
        if found := PART.fullmatch(chunks.id_of(at)):
            yield at, found
