"""The alignment of two texts: which character of the response is which of the key.

The rule. Let the texts be characters without white space (`corefscore.matching.text.characters`).

0. A response that the key has as a whole, in whole words, is aligned there if this is at one place only. With
   ``start``, it is aligned at the first such place from there on, or else at the first.
1. *Anchors* are aligned: each stretch of 24 characters that occurs once in the key, with its first occurrence in the
   response, or with the last if more than a third of those found, and as many as an eighth of the characters of the
   response, come again, as where a draft is before the text. Of anchors whose order differs, those are kept that cover
   the most characters in one order. This is repeated between each two anchors, and then with 12 and with 6 characters.
   Each equal stretch, here and below, is cut to begin and end where words do on both sides, if there are such places
   within `_BORDER` characters.
2. Before it is searched for anchors, each gap beside an anchor is aligned where its texts begin alike and where they
   end alike; and the first and the last gap also where the texts begin and end, if there are no more anchors in them.
   Less than 24 characters do not count there, unless they are the whole response or the rest of the key: a piece may
   begin with the same word as the document.
3. In a gap without anchors, words are aligned with the fewest insertions, deletions and replacements; two replacements
   cost as much as three of the others, and deletions before or after the text of the response 15 % less. Words are
   divided here at punctuation marks and symbols (``al-Qaeda...`` for ``al Qaeda !``), of which equal ones stay
   together; and into the characters of scripts without white space, such as Chinese, if those of the response are. The
   first part of a word that is not such a sign is its main part; the others are inserted and deleted for half the cost.
   A sign replaces only signs of the same kind (`_kind`), unless it is a word of its own, and no quote, bracket or
   markup. Of equally good alignments, the one is taken with the most equal words, then with the most equal signs and
   replaced words that are alike (main parts with main parts; their first and last characters, and their length), and of
   these the one that deletes most words after the end of a sentence. If a gap has more than `_CELLS` pairs of parts,
   its words are not divided; if it has more pairs of words, they are not aligned, but deleted and inserted, or at an
   end of the response aligned with up to `_NEAR` words of the key for each of them. Words that only one side has are
   *slid* if they could as well begin some words earlier or later: they begin and end where sentences do, or else begin
   or end there, or else with a comma, if there is such a place within `_BORDER` characters. Signs that only the
   response has are not. If no letter or digit is aligned, the response is another text, and nothing is.
4. Stretches of 24 characters or more are *moved* if both texts have them outside of the stretches of this length that
   are aligned so far. Shorter stretches and words that are aligned with a part of them are not aligned any more.

The time is linear for equal texts, and for others about linear in their length, since `_CELLS` limits the cost of a
gap. What depends only on the key (`Key`) is computed once, so that each of many short responses takes time in its own
length.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache, partial
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np

from corefscore.core.arrays import Bools, Bytes, Ints, changes, ranges
from corefscore.formats.words import ALONE
from corefscore.matching.text.characters import Characters

_ANCHORS = (24, 12, 6)
"""How long anchors are, in characters: first some five words, then two, then one."""

_MOVED_SIZE = _ANCHORS[0]

_TAKEN, _TAKEN_HERE, _MOVED = -1, -2, -3
"""Marks in place of aligned characters: in the key, in the response, and in the key those of moved stretches."""

_CELLS = 2_500
"""How many pairs of words, or of their parts, a gap may have to be aligned one by one."""

_NEAR = 16
"""With how many words of the key each word at an end of the response is compared: others cost more than they match."""

_MOST = 100
"""How many places of the key are looked at where it has a whole response."""

_AT_ONCE = 1 << 16
"""How many stretches of the response are looked for in the key at once, which limits the memory."""

_ROUNDS = 12
"""How often a gap between anchors is searched for anchors again."""

_BORDER = 32
"""The most characters that are cut off an end of an equal stretch."""

ABSENT, EQUAL, REPLACED, MOVED = range(4)
"""The state of a character of the response."""


class Alignment(NamedTuple):
    """For each character of the response the character of the key, -1 if there is none, and the state."""

    key: Ints
    state: Bytes


class _Gap(NamedTuple):
    """Characters ``key`` to ``key_end`` of the key and ``response`` to ``response_end`` of the response."""

    key: int
    key_end: int
    response: int
    response_end: int
    rounds: int = _ROUNDS


class _Stretch(NamedTuple):
    """Characters that are equal on both sides: where they begin, and how many they are."""

    key: int
    response: int
    size: int


class Key:
    """The text of a key, with the tables that the alignment of each response uses."""

    def __init__(self, characters: Characters) -> None:
        self.characters, self.grams = characters, cache(partial(_Grams, characters.code))
        self.text = characters.text(slice(None))
        self.free = characters.code.copy()
        """The characters, where the search for one response marks those that it takes, and puts them back."""

    def places(self, response: Characters) -> Iterator[int]:
        """Yield the first places where the key has a response as whole words."""
        text, at = response.text(slice(None)), -1
        for _ in range(_MOST):
            if (at := self.text.find(text, at + 1)) < 0:
                return
            if self.characters.begins[at] and self.characters.begins[at + len(text)]:
                yield at


def align(key: Key, response: Characters, start: int | None = None) -> Alignment:
    """Align a response with a key; of a piece, ``start`` is the character of the key where the one before it begins."""
    places = list(key.places(response)) if response.has_word else []
    if len(places) == 1 or (places and start is not None):
        first = next((place for place in places if place >= (start or 0)), places[0])
        return Alignment(np.arange(first, first + len(response.code)), np.full(len(response.code), EQUAL, np.uint8))
    return _Search(key, response).run()


def in_place(alignment: Alignment) -> Bools:
    """Return whether each character of the response is aligned and not moved: it follows the order of the key."""
    return np.isin(alignment.state, (EQUAL, REPLACED))


class _Search:
    """The search for the alignment of one response, which is filled in as parts of it are found."""

    def __init__(self, key: Key, response: Characters) -> None:
        self.key, self.response, self.grams, self.free = key.characters, response, key.grams, key.free
        size = len(response.code)
        self.texts = key.text, response.text(slice(None))
        self.whole = _Gap(0, len(key.characters.code), 0, size)
        self.found = Alignment(np.full(size, -1), np.full(size, ABSENT, np.uint8))

    def run(self) -> Alignment:
        """Align equal stretches and replaced words (rules 1 to 3), then moved stretches (rule 4)."""
        gaps = [self.whole]
        while gaps:
            gap = self._trimmed(gaps.pop())
            anchors = self._anchors(gap) if gap.rounds else []
            if not anchors:
                gap = self._trimmed(gap, ends=True)
                if gap.key < gap.key_end and gap.response < gap.response_end:
                    self._align_words(gap)
                continue
            key, response = gap.key, gap.response
            for anchor in anchors:
                self._align(anchor)
                gaps.append(_Gap(key, anchor.key, response, anchor.response, gap.rounds - 1))
                key, response = anchor.key + anchor.size, anchor.response + anchor.size
            gaps.append(_Gap(key, gap.key_end, response, gap.response_end, gap.rounds - 1))
        self._slide()
        equal = self.found.state == EQUAL
        if self.key.has_word and not self.response.has_word_at(equal):
            self.found.key[:], self.found.state[:] = -1, ABSENT
        self._align_moved()
        return self.found

    def _align(self, stretch: _Stretch, state: int = EQUAL) -> None:
        """Align an equal stretch."""
        span = slice(stretch.response, stretch.response + stretch.size)
        self.found.key[span] = np.arange(stretch.key, stretch.key + stretch.size)
        self.found.state[span] = state

    def _trimmed(self, gap: _Gap, *, ends: bool = False) -> _Gap:
        """Align the equal beginning and end of a gap beside anchors, or, with ``ends``, at the ends of the texts;
        return the rest. The end is cut first in the first gap, since only there it is beside an anchor."""
        for at_end in (gap.key == 0, gap.key > 0):
            key, response = self.key.code[gap.key : gap.key_end], self.response.code[gap.response : gap.response_end]
            if at_end:
                size = _common_prefix(key[::-1], response[::-1])
                stretch = self._cut(_Stretch(gap.key_end - size, gap.response_end - size, size), end=False)
                rest = gap._replace(key_end=stretch.key, response_end=stretch.response)
                beside_anchor = (gap.key_end, gap.response_end) != (len(self.key.code), len(self.response.code))
            else:
                size = _common_prefix(key, response)
                stretch = self._cut(_Stretch(gap.key, gap.response, size), begin=False)
                rest = gap._replace(key=gap.key + stretch.size, response=gap.response + stretch.size)
                beside_anchor = gap.key > 0
            least = 1 if beside_anchor else min(_MOVED_SIZE, len(key), self.whole.response_end) if ends else math.inf
            if stretch.size and stretch.size >= least:
                self._align(stretch)
                gap = rest
        return gap

    def _anchors(self, gap: _Gap) -> list[_Stretch]:
        """Find the anchors of a gap, of the greatest size of which there are any."""
        starts = np.arange(gap.response, gap.response_end)
        for size in _ANCHORS:
            if min(gap.key_end - gap.key, len(starts)) < size:
                continue
            stretches = self._once(size, starts[: 1 - size], gap.key, gap.key_end)
            if anchors := [anchor for anchor in map(self._cut, _in_order(stretches, size)) if anchor.size]:
                return anchors
        return []

    def _once(self, size: int, starts: Ints, begin: int, stop: int, rest: Ints | None = None) -> list[_Stretch]:
        """Find the stretches that occur once in the key, from ``begin`` to ``stop``, or in the ``rest`` of it, and that
        begin in the response at one of ``starts``, the first or last of several; ``size`` is the least size."""
        pieces = np.array_split(starts, 1 + len(starts) // _AT_ONCE)
        shared = (self.grams(size).shared(self.response.code, piece) for piece in pieces)
        values, starts = map(np.concatenate, zip(*shared, strict=True))
        every, (values, first) = values, np.unique(values, return_index=True)
        if len(every) - len(values) > max(len(every) // 3, len(self.response.code) // 8):  # a draft comes first
            first = len(every) - 1 - np.unique(every[::-1], return_index=True)[1]
        which, key = self.grams(size).occurrences(values, begin, stop - size + 1)
        if rest is not None:
            free = (rest[key[:, None] + np.arange(size)] >= 0).all(axis=1)
            which, key = which[free], key[free]
        once = np.bincount(which, minlength=len(values))[which] == 1
        response = starts[first[which[once]]]
        order = np.argsort(response)
        return diagonals((key[once][order], response[order]), size)

    def _cut(self, stretch: _Stretch, *, begin: bool = True, end: bool = True) -> _Stretch:
        """Cut a stretch to begin and end where words do on both sides, if there are such places near."""
        key, response, size = stretch
        if end and (borders := self._borders(key + max(size - _BORDER, 0), response + max(size - _BORDER, 0), size)):
            size = max(size - _BORDER, 0) + borders[-1]
        if begin and (borders := self._borders(key, response, size)):
            key, response, size = key + borders[0], response + borders[0], size - borders[0]
        return _Stretch(key, response, size)

    def _borders(self, key: int, response: int, size: int) -> list[int]:
        """Find where words begin on both sides, counted from a character of each, up to `_BORDER`."""
        stop = min(size, _BORDER) + 1
        both = self.key.begins[key : key + stop] & self.response.begins[response : response + stop]
        return np.flatnonzero(both).tolist()

    def _align_words(self, gap: _Gap) -> None:
        """Align the words of a gap (rule 3)."""
        inside, other_inside = self.key.borders(*gap[:2]), self.response.borders(*gap[2:4])
        begins, ends = gap.response == 0, gap.response_end == len(self.texts[1])
        size = len(other_inside) + 1
        if len(inside) >= (most := min(_CELLS // size, _CELLS if begins == ends else _NEAR * size)):
            if begins == ends or not most:
                return
            place = len(inside) - most if begins else most - 1
            gap = gap._replace(**{"key" if begins else "key_end": int(inside[place])})
            inside = inside[place + 1 :] if begins else inside[:place]
        key = [gap.key, *inside.tolist(), gap.key_end]
        response = [gap.response, *other_inside.tolist(), gap.response_end]
        sides = zip(self.texts, (key, response), strict=True)
        words, others = _divided(*([text[at:stop] for at, stop in pairwise(side)] for text, side in sides))
        key = [*accumulate((len(text) for text, *_ in words), initial=gap.key)]
        response = [*accumulate((len(text) for text, *_ in others), initial=gap.response)]
        borders = self.response.begins[response].tolist()  # a sign that is a word of its own is read, too
        alone = [all(borders[at : at + 2]) and kind != "around" for at, (_, kind, _) in enumerate(others)]
        others = [(its[0], "read", its[2]) if is_alone else its for its, is_alone in zip(others, alone, strict=True)]
        # After the end of a sentence it is 1 less, which only decides between equally good alignments.
        text = self.texts[1]
        costs = [_AT_END if at in (0, len(text)) else _EDIT - _ends_sentence(text, at) for at in response]
        for word, other in _fewest_edits(words, others, costs):
            start, stop, at_response, end = key[word], key[word + 1], response[other], response[other + 1]
            self.found.key[at_response:end] = np.minimum(start + np.arange(end - at_response), stop - 1)
            self.found.state[at_response:end] = EQUAL if words[word][0] == others[other][0] else REPLACED

    def _equal_stretches(self) -> list[_Stretch]:
        """Return the equal stretches that are aligned so far."""
        equal = np.flatnonzero(self.found.state == EQUAL)
        return diagonals((self.found.key[equal], equal), 1)

    def _slide(self) -> None:
        """Slide the words that only one side has (rule 3)."""
        key, state = self.found
        for one, other in pairwise([_Stretch(-1, -1, 0), *self._equal_stretches()]):
            gap = _Gap(one.key + one.size, other.key, one.response + one.size, other.response)
            room, before = one.size, other.response - 1
            if before >= gap.response and key[before] >= 0:  # after a word that is replaced
                after = int(self.key.first[self.key.token[key[before]] + 1])
                gap, room = gap._replace(key=after, response=other.response), 0
            by = self._best_step(gap, min(room, _BORDER), min(other.size, _BORDER))
            old = gap.response_end if by > 0 else gap.response + by
            new = (gap.key, gap.response) if by > 0 else (gap.key_end + by, gap.response_end + by)
            key[old : old + abs(by)], state[old : old + abs(by)] = -1, ABSENT
            self._align(_Stretch(*new, abs(by)))

    def _best_step(self, gap: _Gap, most_back: int, most_ahead: int) -> int:
        """Return by how many characters to slide the words of a gap, which only one side has; 0 if both have some."""
        sides = (self.key, self.texts[0], gap.key, gap.key_end), (self.response, self.texts[1], *gap[2:4])
        (side, text, start, end), (other, _, at, at_end) = sides if gap.key < gap.key_end else sides[::-1]
        if start >= end or at != at_end or not (side is self.key or side.has_word_at(slice(start, end))):
            return 0
        back = _common_prefix(*(side.code[its - most_back : its][::-1] for its in (start, end)))
        ahead = _common_prefix(*(side.code[its : its + most_ahead] for its in (start, end)))
        steps = np.arange(-back, ahead + 1)
        ways = steps[side.begins[start + steps] & side.begins[end + steps] & other.begins[at + steps]].tolist()
        ends = {by: _ends_sentence(text, start + by) + _ends_sentence(text, end + by) for by in ways}
        commas = [by for by in ways if not {text[start + by], text[end + by - 1]}.isdisjoint(",;:")]
        return min([by for by in ways if ends[by]] or commas, key=lambda by: (-ends[by], abs(by)), default=0)

    def _align_moved(self) -> None:
        """Align the stretches that both sides have outside of those of at least `_MOVED_SIZE` that are aligned, the
        longest first."""
        key, response = self.free, self.response.code.copy()
        taken = [it for it in self._equal_stretches() if it.size >= _MOVED_SIZE]
        for stretch in taken:
            _take(key, response, stretch)
        # Where so many characters begin that are not taken.
        free = np.append(np.int32(0), np.cumsum(response >= 0, dtype=np.int32))
        starts = np.flatnonzero(free[_MOVED_SIZE:] - free[:-_MOVED_SIZE] == _MOVED_SIZE)
        some = len(starts) and len(key) >= _MOVED_SIZE
        cores = self._once(_MOVED_SIZE, starts, 0, len(key), key) if some else []
        moved = []
        for core in sorted(cores, key=lambda core: -core.size):
            in_key, in_response = core.key + core.size // 2, core.response + core.size // 2
            if key[in_key] < 0 or response[in_response] < 0:
                continue
            before = _common_prefix(key[:in_key][::-1], response[:in_response][::-1])
            after = _common_prefix(key[in_key:], response[in_response:])
            stretch = self._cut(_Stretch(in_key - before, in_response - before, before + after))
            _take(key, response, stretch)
            taken.append(stretch)
            # A part of it that is aligned in this way shows that it is in order.
            keys = self.found.key[stretch.response : stretch.response + stretch.size]
            if not np.any(keys == stretch.key + np.arange(stretch.size)):
                moved.append(stretch)
        if moved:
            for start, _, size in moved:
                key[start : start + size] = _MOVED
            lost = key[self.found.key] == _MOVED
            self.found.key[lost], self.found.state[lost] = -1, ABSENT
        for stretch in moved:
            self._align(stretch, MOVED)
        for start, _, size in taken:
            key[start : start + size] = self.key.code[start : start + size]


def _take(key: Ints, response: Ints, stretch: _Stretch) -> None:
    """Overwrite a stretch in both texts with marks, which equal no character of the other text."""
    key[stretch.key : stretch.key + stretch.size] = _TAKEN
    response[stretch.response : stretch.response + stretch.size] = _TAKEN_HERE


def _common_prefix(one: Ints, other: Ints) -> int:
    """Count the characters with which both begin. It looks at few more than these."""
    size, start, step = min(len(one), len(other)), 0, 32
    while start < size:
        stop = min(start + step, size)
        if len(different := np.flatnonzero(one[start:stop] != other[start:stop])):
            return start + int(different[0])
        start, step = stop, 2 * step
    return size


_Words = np.ndarray[Any, np.dtype[np.uint64]]
"""Numbers of 64 bits without a sign."""


def grams(code: Ints, size: int) -> _Words:
    """Assign numbers to each stretch of so many characters. Equal stretches have equal numbers; others have different
    ones, except with a chance of one in 2^64."""
    if size == 1:
        return code.astype(np.uint64) * np.uint64(0xBF58476D1CE4E5B9)
    left = grams(code, size // 2)
    right = (left if size % 2 == 0 else grams(code, size - size // 2))[size // 2 :]
    mixed = left[: len(right)] * np.uint64(0x9E3779B97F4A7C15) + right
    return (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)


class _Grams:
    """The stretches of ``size`` characters of a text by their numbers (`grams`)."""

    def __init__(self, code: Ints, size: int) -> None:
        self.size = size
        self.values, rank = np.unique(grams(code, size), return_inverse=True)
        # Each is one number, its rank and its place, and these are sorted.
        self.count = len(rank)
        self.numbers = np.sort(rank * self.count + np.arange(self.count))

    def _rank(self, values: _Words) -> Ints:
        return np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)

    def shared(self, code: Ints, starts: Ints) -> tuple[_Words, Ints]:
        """Find which stretches of another text, with these characters, are in this one: their numbers and starts."""
        values = grams(code[starts[0] : starts[-1] + self.size], self.size)[starts - starts[0]]
        known = self.values[self._rank(values)] == values
        return values[known], starts[known]

    def occurrences(self, values: _Words, begin: int, stop: int) -> tuple[Ints, Ints]:
        """Find the stretches with these numbers that begin from ``begin`` to ``stop``: their indices in ``values``, and
        where they begin."""
        rank = self._rank(values)
        known = np.flatnonzero(self.values[rank] == values)
        first, last = (np.searchsorted(self.numbers, rank[known] * self.count + place) for place in (begin, stop))
        return np.repeat(known, last - first), self.numbers[ranges(first, last - first)] % self.count


def diagonals(starts: tuple[Ints, Ints], size: int) -> list[_Stretch]:
    """Join pairs of equal stretches of ``size`` characters, each pair one character after the last one, into single
    stretches.

    ``starts`` are where they begin in the key and in the response.
    """
    key, response = starts
    at = np.arange(len(key))
    first = np.flatnonzero(changes(key - at, response - at))
    length = np.diff(np.append(first, len(key))) + size - 1
    return [_Stretch(*row) for row in zip(key[first].tolist(), response[first].tolist(), length.tolist(), strict=True)]


def _in_order(stretches: list[_Stretch], size: int) -> Iterator[_Stretch]:
    """Choose those stretches (of at least ``size``, in the order of the response) that cover the most characters in one
    order on both sides. One that begins within the one before it is cut."""
    # For rising keys the best sum that ends there, and its last stretch; only those are kept that are better than all
    # at smaller keys.
    keys, best = [-1], [(0, -1)]
    before: list[int] = []
    for number, stretch in enumerate(stretches):
        at = stop = bisect_left(keys, stretch.key)
        covered, last = best[at - 1]
        before.append(last)
        covered += stretch.size - size + 1
        while stop < len(keys) and best[stop][0] <= covered:
            stop += 1
        keys[at:stop], best[at:stop] = [stretch.key], [(covered, number)]
    chosen: list[_Stretch] = []
    _, number = best[-1]
    while number >= 0:
        chosen.append(stretches[number])
        number = before[number]
    key = response = 0
    for stretch in reversed(chosen):
        by = max(0, key - stretch.key, response - stretch.response)
        if by < stretch.size:
            yield _Stretch(stretch.key + by, stretch.response + by, stretch.size - by)
            key, response = stretch.key + stretch.size, stretch.response + stretch.size


_EDIT, _PART, _REPLACING, _AT_END = 2 * 10**9, 10**9, 3 * 10**9, 17 * 10**8
_EQUAL, _EQUAL_SIGN = -(10**6), -500
"""The costs of an insertion or a deletion, of one of a minor part of a word, of a replacement, from which up to 2000 is
taken for likeness, of a deletion before or after the text of the response, of an equal word, and of equal signs.

Found by trial: with 5 to 60 of 100 words changed, more mentions come to their words than if a replacement costs as much
as an insertion, or twice as much.
"""


AROUND = '*_~`#"()[]{}<>'
"""Quotes, brackets and markup."""


def _kind(part: str) -> str:
    """Return what a part of a word is: read, as letters and `%` are, a sign around words, as quotes and markup are, or
    another sign."""
    is_read = any(char.isalnum() or char in "%&@+=" or category(char) in {"Sc", "So"} for char in part)
    return "read" if is_read else "around" if part[0] in AROUND else "between"


_Part = tuple[str, str, bool]
"""A part of a word, its kind, and whether it is the main one: the first of its word that is no sign, or the first."""


def _divided(key: list[str], response: list[str]) -> Iterator[list[_Part]]:
    """Divide the words of a gap (rule 3), unless the parts are too many."""
    signs = re.escape("".join(sign for sign in sorted({".", *chain(*key, *response)}) if category(sign)[0] in "PS"))
    # Tagged text is cut into the characters of scripts without white space, tokens need not be.
    is_cut = all(len(word) == 1 or not re.search(f"[{ALONE}]", word) for word in response)
    part = re.compile(rf"([{signs}])\1*|[{ALONE}]|[^{signs}{ALONE}]+" if is_cut else rf"([{signs}])\1*|[^{signs}]+")
    sides = [[[found[0] for found in part.finditer(word)] for word in words] for words in (key, response)]
    if math.prod(sum(map(len, words)) for words in sides) > _CELLS:
        sides = [[[word] for word in words] for words in (key, response)]
    for side in sides:
        main = [next((at for at, its in enumerate(word) if its[0] not in signs), 0) for word in side]
        yield [
            (its, _kind(its), at == first)
            for first, word in zip(main, side, strict=True)
            for at, its in enumerate(word)
        ]


def _fewest_edits(key: list[_Part], response: list[_Part], deleting: list[int]) -> list[tuple[int, int]]:
    """Pair the parts of words that are equal or replace each other in the alignment with the fewest edits (rule 3);
    ``deleting`` is what the deletion of a main part costs before each part of the response and at its end."""
    # Row by row: the cost of the first parts of the key with the first of the response, and the last step to it.
    inserting = [_EDIT if is_main else _PART for *_, is_main in response]
    row = [*accumulate(inserting, initial=0)]
    steps: list[list[int]] = []
    for part in key:
        costs = deleting if part[2] else [_PART] * len(deleting)
        last, row = row, [row[0] + costs[0]]
        row_steps = [0]
        for column, other in enumerate(response):
            paired, deleted = last[column] + _pairing(part, other), last[column + 1] + costs[column + 1]
            cost, step = min((paired, 0), (deleted, 1), (row[column] + inserting[column], 2))
            row.append(cost)
            row_steps.append(step)
        steps.append(row_steps)
    pairs = []
    of_key, of_response = len(key), len(response)
    while of_key and of_response:
        step = steps[of_key - 1][of_response]
        if step == 0:
            pairs.append((of_key - 1, of_response - 1))
        of_key, of_response = of_key - (step != 2), of_response - (step != 1)
    return pairs[::-1]


_SENTENCE_END = re.compile(r'[.!?\u3002\u0964\u061f\u06d4][")\]]?\Z')


def _ends_sentence(text: str, at: int) -> bool:
    """Return whether a sentence of a text ends before one of its characters."""
    return _SENTENCE_END.search(text, max(at - 2, 0), at) is not None


def _pairing(part: _Part, other: _Part) -> int:
    """Return what it costs to align a part of a word of the key with one of the response."""
    (text, kind, is_main), (other_text, other_kind, other_is) = part, other
    if text == other_text:
        return _EQUAL if any(map(str.isalnum, text)) else _EQUAL_SIGN
    if kind != other_kind != "read":  # a sign beside a word replaces neither words nor signs of another kind
        return 2 * _REPLACING
    # A word of the key is rather left out than replaced by a part that is not like it, such as `'s`.
    unlike = 500 * other_text.isalnum() if is_main != other_is else -1000
    ends = 399 * (text[0] == other_text[0]) + 300 * (text[-1] == other_text[-1])
    sizes = len(text), len(other_text)
    return _REPLACING + unlike - ends - 300 * min(sizes) // max(sizes)
