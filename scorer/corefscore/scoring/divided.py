"""Score files by workers: each runs the program on a slice of both sides, and sends counts, notices and names only.

Both sides are cut where the same document begins, about every `SIZE` bytes. To find such a place, names are read only
in a window of the key and where the response should be equally far. So nearly nothing of the files is read, and files
whose documents come in another order are not cut.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from corefscore.core.documents import KEY, RESPONSE, Documents, Mention, Place
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import COMPRESSED, STDIN, Source
from corefscore.core.workers import NotSplittable
from corefscore.formats import Opened, Reading, opened
from corefscore.matching.pairing import Names, in_other_form, unpaired
from corefscore.metrics import select
from corefscore.scoring.evaluate import ScoredBatch, count_batches, result_of
from corefscore.scoring.kinds.divisions import of
from corefscore.scoring.results import Result
from corefscore.scoring.settings import Run, Settings

_MISSING, _EXTRA, _NONE_IN_COMMON = "missing-document", "extra-document", "no-common-document"
"""The notices about documents without partner, which are made again for all slices."""

_WITH_PLACES = "dropped", "repeats", "common", "windows", "units", "unread", "first"
"""The fields of `ScoredBatch` that can contain a place in a file."""

_TWICE = "the documents come in different orders, or some name occurs twice"


SIZE = 1 << 23
"""The approximate number of bytes of a slice: enough for whole-array passes, few enough to keep workers busy."""

_WINDOWS = (1 << 16, 1 << 19, 1 << 22)
"""The sizes of the windows in which names are looked for, one after the other."""

_LINE = 1 << 16
"""The number of bytes read beyond a window, so that a line that begins in it is complete."""

_MISSES = 3
"""After so many places in a row without a document that both sides have, there are no more cuts."""

_LF = b"\n"

Paths = str | Sequence[str] | None
"""The path or paths of a side; None if it is in memory."""

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
    step = max(1, of_key // max(1, round(max(of_key, of_response) / SIZE)))  # equal slices, also the last one
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
        if form.begin is None or form.name_in is None:
            raise NotSplittable(f"files of {form.title} are read as a whole")
        self.files, self.name_in = opened.files, form.name_in
        # The line end before a line that begins a document, and the line.
        self.line = re.compile(re.escape(_LF + form.begin) + rb"[^\n]*(?=\n)")
        completed = form.completed_request
        self.opened = opened._replace(request=completed(opened.files, opened.request)) if completed else opened
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
            for line in self.line.finditer(text):
                if line.start() >= last - first:
                    break
                name = self.name_in(line[0][1:], self.opened.request)
                if name is not None:
                    found.setdefault(name, place + first + line.start())
        return found


def _read(source: Source, start: int, size: int) -> bytes:
    """Read some bytes of a file. Raises `NotSplittable` if it cannot be read; the reader says why."""
    try:
        with open(source.path, "rb", buffering=0) as file:
            file.seek(start)
            return file.read(size)
    except OSError as error:
        raise NotSplittable(f"{source.name} cannot be read") from error


class _Found(NamedTuple):
    """What a worker found in a slice: counts, notices, and of each side the number of lines of the last file.

    ``response`` are the names of the response if they can have another form than those of the key.
    """

    batches: Sequence[ScoredBatch]
    notices: Sequence[Finding]
    lines: tuple[int, int]
    response: Sequence[str] | None


def score_by_workers(
    key: Paths, response: Paths, run: Run, watch: Callable[[int], None] | None, known: Sequence[Finding] | None
) -> Result:
    """Score a response against a key, both given by their paths, by workers; ``known`` are the notices of a key that
    was read before.

    Raises `NotSplittable` for what has to be read as a whole or cannot be scored, `UsageError` for a file that a worker
    cannot read.
    """
    settings, reading = run.settings, run.reading
    if settings.document is not None:
        raise NotSplittable("one document is scored")
    if reading.align:
        raise NotSplittable("--align needs all documents")
    if settings.rules.of is not None and of(settings.rules.of).needs_files:
        raise NotSplittable(f"--of {settings.rules.of} needs all documents")
    found_in_key: list[Finding] = []
    key_files = opened(_paths(KEY, key), found_in_key, reading, side=KEY, names=settings.names)
    notices = found_in_key if known is None else [*known]
    response_files = opened(_paths(RESPONSE, response), notices, reading, side=RESPONSE, names=settings.names)
    merged = _Merged({source.name: source for source in (*response_files.files, *key_files.files)})
    cut = list(slices(key_files, response_files))
    count = partial(_count, settings=settings, reading=reading)
    for sides, found in zip(cut, (run.workers or map)(count, cut), strict=True):
        if found is None:
            raise NotSplittable("the files cannot be split")
        if isinstance(found, UsageError):
            raise found
        merged.add(sides, found)
        if watch is not None:
            watch(sum((source.stop or 0) - source.start for side in sides for source in side.files))
    notices += merged.finished()
    return result_of(merged.batches, Run(run.metrics, replace(settings, reading=reading.settings)), notices)


def _paths(name: str, paths: Paths) -> str | Sequence[str]:
    """Return the path or paths of a side. Raises `NotSplittable` for a side that workers cannot read."""
    if paths is None:
        raise NotSplittable(f"the {name} is in memory")
    for path in [paths] if isinstance(paths, str) else paths:
        if path != STDIN and not os.path.exists(path):
            raise NotSplittable  # this process reports it
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise NotSplittable(f"{path} can be read only once")
    return paths


def _count(sides: Slice, settings: Settings, reading: Reading) -> _Found | UsageError | None:
    """Count a slice. Returns None if anything is odd or wrong, and the error if a file cannot be read.

    The error is not raised, since Dask would log it.
    """
    odd: list[Finding] = []
    notices: list[Finding] = []
    metrics = select(settings.metrics)
    of_key, of_response = Names(), Names()

    def plain(batches: Iterator[Documents], names: Names) -> Iterator[Documents]:
        for batch in batches:
            far = settings.rules.window is not None and (batch.tokens < 0).any()
            if batch.faults or batch.unnamed or batch.characters is not None or far:
                raise NotSplittable
            yield names.add(batch)

    key, response = sides
    try:
        both = plain(key.documents(odd), of_key), plain(response.documents(odd), of_response)
        batches = count_batches(*both, Run(metrics, settings, reading), notices)
    except (InputError, NotSplittable):
        return None
    except UsageError as error:
        return error
    if odd:
        return None
    names = None if of_key.exact and of_response.exact else list(of_response.seen)
    return _Found(batches, notices, (key.files[-1].lines, response.files[-1].lines), names)


class _Merged:
    """What the workers found, slice after slice; ``files`` are the files of both sides by name.

    Raises `NotSplittable` if documents of one name are in different slices.
    """

    def __init__(self, files: Mapping[str, Source]) -> None:
        self.files = files
        self.batches: list[ScoredBatch] = []
        self.notices: list[Finding] = []
        self.alone: dict[str, dict[str, Place]] = {_MISSING: {}, _EXTRA: {}}
        self.response: list[str] = []
        self.other_form: dict[str, str] = {}
        self._lines: dict[tuple[int, str], int] = {}
        self._before: dict[str, int] = {}  # the lines of each file before the slice

    def add(self, sides: Slice, found: _Found) -> None:
        """Add what was found in the next slice."""
        self._before = {}
        for number, (side, lines) in enumerate(zip(sides, found.lines, strict=True)):
            for source in side.files:
                before = self._lines.get((number, source.name), 0) if source.start else 0
                if self._before.setdefault(source.name, before) != before:
                    raise NotSplittable("a file is both key and response")
            self._lines[number, source.name] = before + lines
        for notice in map(self._of, found.notices):
            if notice.code in self.alone:
                place = Place(self.files[str(notice.path)], notice.line)
                if self.alone[notice.code].setdefault(str(notice.details["document"]), place) is not place:
                    raise NotSplittable(_TWICE)
            elif notice.code != _NONE_IN_COMMON:
                self.notices.append(notice)
        for batch in found.batches:
            self.batches.append(batch._replace(**{name: self._of(getattr(batch, name)) for name in _WITH_PLACES}))
        if found.response is not None:
            self.response += found.response
            key = [name for batch in found.batches for name in batch.names]
            self.other_form |= in_other_form(key, found.response)

    def finished(self) -> list[Finding]:
        """Return the notices about all slices."""
        names = [name for batch in self.batches for name in batch.names]
        key, response = set(names), set(self.response)
        once = len(key) == len(names) and len(response) == len(self.response)
        other_form = in_other_form(key, response) if response else {}
        if not once or not key.isdisjoint(self.alone[_EXTRA]) or other_form != self.other_form:
            raise NotSplittable(_TWICE)
        return [*self.notices, *unpaired(self.alone[_MISSING], self.alone[_EXTRA], len(names))]

    def _of(self, found: Any) -> Any:
        """Turn the lines of a finding, or of anything that can contain a place or a finding, into those of files."""
        if isinstance(found, Finding):
            before = self._before.get(found.path or "", 0)
            return found._replace(line=found.line + before) if found.line and before else found
        if isinstance(found, Place):
            name = found.source.name
            return Place(self.files[name], found.line and found.line + self._before[name])
        if isinstance(found, Mention):
            line = found.span.line + self._before[found.place.source.name]
            return found._replace(place=self._of(found.place), span=found.span._replace(line=line))
        if isinstance(found, tuple) and hasattr(found, "_fields"):
            return type(found)(*map(self._of, found))
        if isinstance(found, list | tuple):
            return type(found)(map(self._of, found))
        return {key: self._of(value) for key, value in found.items()} if isinstance(found, dict) else found
