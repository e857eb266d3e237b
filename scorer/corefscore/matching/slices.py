"""Slices: documents of key and response that belong together, as ranges of bytes that a worker reads by itself.

Both sides are cut where the same document begins, about every `SIZE` bytes. To find such a place, names are read only
in a window of the key and where the response should be equally far. So nearly nothing of the files is read, and files
whose documents come in another order are not cut.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise

from corefscore.core.sources import COMPRESSED, Source
from corefscore.core.workers import NotSplittable
from corefscore.formats import Opened
from corefscore.matching.pairing import in_other_form

SIZE = 1 << 23
"""The approximate number of bytes of a slice: enough for whole-array passes, few enough to keep workers busy."""

_WINDOWS = (1 << 16, 1 << 19, 1 << 22)
"""The sizes of the windows in which names are looked for, one after the other."""

_LINE = 1 << 16
"""The number of bytes read beyond a window, so that a line that begins in it is complete."""

_MISSES = 3
"""After so many places in a row without a document that both sides have, there are no more cuts."""

_LF = b"\n"

Slice = tuple[Opened, Opened]
"""The part of the key and of the response."""


def slices(key: Opened, response: Opened) -> Iterator[Slice]:
    """Cut both sides into slices. Raises `NotSplittable` if there would be only one."""
    sides = _Side(key), _Side(response)
    ends = [side.ends[-1] for side in sides]
    cuts = [(0, 0), *_cuts(*sides), tuple(ends)]
    if len(cuts) == 2:
        large = 2 * max(ends) > 3 * SIZE
        raise NotSplittable("there is one document, or the documents come in different orders" if large else "")
    for first, stop in pairwise(cuts):
        parts = (side.part(*edges) for side, edges in zip(sides, zip(first, stop, strict=True), strict=True))
        yield next(parts), next(parts)


def _cuts(key: _Side, response: _Side) -> Iterator[tuple[int, int]]:
    """Yield where in key and response the same document begins."""
    of_key, of_response = key.ends[-1], response.ends[-1]
    step = max(1, SIZE * of_key // max(of_key, of_response))
    at_key = at_response = misses = 0
    place = step
    while place + step // 2 < of_key and misses < _MISSES:
        guess = at_response + (place - at_key) * (of_response - at_response) // (of_key - at_key)
        if found := _common(key, response, place, guess, (at_key, at_response)):
            yield found
            place, misses = found[0], 0
            at_key, at_response = found
        else:
            misses += 1
        place += step


def _common(key: _Side, response: _Side, place: int, guess: int, after: tuple[int, int]) -> tuple[int, int] | None:
    """Find a document after ``place`` of the key and around ``guess`` of the response: where it begins in both."""
    for size in _WINDOWS:
        in_key = key.begins(max(place, after[0] + 1), place + size)
        in_response = response.begins(max(guess - size, after[1] + 1), guess + size) if in_key else {}
        pairs = {name: name for name in in_key if name in in_response} or in_other_form(in_key, in_response)
        for name in in_key:
            if name in pairs:
                return in_key[name], in_response[pairs[name]]
    return None


class _Side:
    """The files of a side, as if their bytes came one after another; ``ends`` is where each ends.

    Raises `NotSplittable` for files that cannot be cut, or in which a worker cannot read.
    """

    def __init__(self, opened: Opened) -> None:
        form = opened.form
        if form.begin is None:
            raise NotSplittable(f"files of {form.title} are read as a whole")
        self.files, self.begin, self.name_in = opened.files, _LF + form.begin, form.name_in
        self.opened = opened._replace(request=form.settled(opened.files, opened.request))
        for source in self.files:
            if not os.path.isfile(source.path) or _read(source, 0, 8).startswith(tuple(COMPRESSED)):
                raise NotSplittable(f"{source.name} is compressed or not a plain file")
        self.ends = list(accumulate(os.path.getsize(source.path) for source in self.files))
        if 0 in (self.ends[0], *(stop - first for first, stop in pairwise(self.ends))):
            raise NotSplittable("a file is empty")

    def _within(self, start: int, stop: int) -> Iterator[tuple[Source, int, int, int]]:
        """Yield the files between two places: each with its own place, and the first and last of its bytes there."""
        for number in range(bisect_right(self.ends, start), len(self.ends)):
            first = self.ends[number - 1] if number else 0
            if first >= stop:
                return
            yield self.files[number], first, max(start - first, 0), min(stop, self.ends[number]) - first

    def part(self, start: int, stop: int) -> Opened:
        """Return the bytes between two places, for a worker."""
        files = [source.part(first, last) for source, _, first, last in self._within(start, stop)]
        return self.opened._replace(files=files)

    def begins(self, start: int, stop: int) -> Mapping[str, int]:
        """Find the documents that begin between two places: where each does, by name."""
        found: dict[str, int] = {}
        for source, place, first, last in self._within(start, stop):
            # The line end before the first line, which a file does not begin with.
            text = _read(source, first - 1, last - first + _LINE) if first else _LF + _read(source, 0, last + _LINE)
            at = text.find(self.begin)
            while 0 <= at < last - first:
                end = text.find(_LF, at + 1)
                if end < 0:
                    break
                name = self.name_in(text[at + 1 : end], self.opened.request)
                if name is not None:
                    found.setdefault(name, place + first + at)
                at = text.find(self.begin, end if self.begin == _LF else at + 1)
        return found


def _read(source: Source, start: int, size: int) -> bytes:
    """Read some bytes of a file. Raises `NotSplittable` if it cannot be read; the reader says why."""
    try:
        with open(source.path, "rb", buffering=0) as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        raise NotSplittable(f"{source.name} cannot be read") from error
