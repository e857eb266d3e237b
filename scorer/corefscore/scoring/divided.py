"""Score files by workers: each runs the program on a slice of both sides, and sends counts, notices and names only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from corefscore.core.documents import KEY, RESPONSE, Documents, Mention, Place
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import STDIN, Source
from corefscore.core.workers import Map, NotSplittable
from corefscore.formats import opened
from corefscore.formats.base import Reading
from corefscore.matching.pairing import in_other_form, unpaired
from corefscore.matching.slices import Slice, slices
from corefscore.metrics import select
from corefscore.metrics.base import Metric, names_asked
from corefscore.scoring.batches import ScoredBatch, result_of
from corefscore.scoring.evaluate import count_batches
from corefscore.scoring.kinds.options import of
from corefscore.scoring.results import Result
from corefscore.scoring.settings import Settings
from corefscore.scoring.sides import Corpus, paths_of

if TYPE_CHECKING:
    from corefscore.scoring.sides import Given

_MISSING, _EXTRA, _NONE_IN_COMMON = "missing-document", "extra-document", "no-common-document"
"""The notices about documents without partner, which are made again for all slices."""

_WITH_PLACES = "dropped", "repeats", "common", "windows", "units"
"""The fields of `ScoredBatch` that can contain a place in a file."""

_TWICE = "the documents come in different orders, or some name occurs twice"


class _Found(NamedTuple):
    """What a worker found in a slice: counts, notices, and of each side the number of lines of the last file.

    ``response`` are the names of the response if they can have another form than those of the key.
    """

    batches: Sequence[ScoredBatch]
    notices: Sequence[Finding]
    lines: tuple[int, int]
    response: Sequence[str] | None


def score_by_workers(
    key: Given,
    response: Given,
    metrics: Sequence[Metric],
    settings: Settings,
    reading: Reading,
    *,
    apply: Map,
    watch: Callable[[int], None] | None,
) -> Result:
    """Score a response against a key, both files, by the workers of ``apply``.

    Raises `NotSplittable` for what has to be read as a whole or cannot be scored, `UsageError` for a file that a worker
    cannot read.
    """
    if settings.document is not None:
        raise NotSplittable("one document is scored")
    if reading.align:
        raise NotSplittable("--align needs all documents")
    if settings.rules.of is not None and of(settings.rules.of).needs_files:
        raise NotSplittable(f"--of {settings.rules.of} needs all documents")
    names = names_asked(metrics, settings.own)
    found_in_key: list[Finding] = []
    key_files = opened(_paths(KEY, key), found_in_key, reading, side=KEY, names=names)
    # The notices of a key that was read before are those of reading it.
    notices = [*key.notices] if isinstance(key, Corpus) else found_in_key
    response_files = opened(_paths(RESPONSE, response), notices, reading, side=RESPONSE, names=names)
    merged = _Merged({source.name: source for source in (*response_files.files, *key_files.files)})
    cut = list(slices(key_files, response_files))
    for sides, found in zip(cut, apply(partial(_count, settings=settings, reading=reading), cut), strict=True):
        if found is None:
            raise NotSplittable("something in the files is odd")
        if isinstance(found, UsageError):
            raise found
        merged.add(sides, found)
        if watch is not None:
            watch(sum((source.stop or 0) - source.start for side in sides for source in side.files))
    notices += merged.finished()
    return result_of(merged.batches, metrics, replace(settings, reading=reading.settings), notices)


def _paths(name: str, side: Given) -> str | Sequence[str]:
    """Find the path or paths of a side. Raises `NotSplittable` for a side that workers cannot read."""
    paths = side.paths if isinstance(side, Corpus) else paths_of(name, side)
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
    metrics = select(",".join(settings.metrics)) if settings.metrics else ()
    exact = True
    names: list[str] = []

    def plain(batches: Iterator[Documents], keep: bool) -> Iterator[Documents]:
        nonlocal exact
        for batch in batches:
            far = settings.rules.window is not None and (batch.tokens < 0).any()
            if batch.faults or batch.unnamed or batch.characters is not None or far:
                raise NotSplittable("something in the files is odd")
            exact = exact and batch.exact_names
            names.extend(batch.names if keep else ())
            yield batch

    key, response = sides
    try:
        both = plain(key.documents(odd), keep=False), plain(response.documents(odd), keep=True)
        batches = count_batches(*both, metrics, settings, notices, reading=reading)
    except (InputError, NotSplittable):
        return None
    except UsageError as error:
        return error
    if odd:
        return None
    return _Found(batches, notices, (key.files[-1].lines, response.files[-1].lines), None if exact else names)


class _Merged:
    """What the workers found, slice after slice; ``files`` are the files of both sides by name.

    Raises `NotSplittable` if documents of one name are in different slices.
    """

    def __init__(self, files: Mapping[str, Source]) -> None:
        self.files = files
        self.batches: list[ScoredBatch] = []
        self.notices: list[Finding] = []
        self.missing: dict[str, Place] = {}
        self.extra: dict[str, Place] = {}
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
        alone = {_MISSING: self.missing, _EXTRA: self.extra}
        for notice in map(self._finding, found.notices):
            if notice.code in alone:
                place = Place(self.files[str(notice.path)], notice.line)
                if alone[notice.code].setdefault(str(notice.details["document"]), place) is not place:
                    raise NotSplittable(_TWICE)
            elif notice.code != _NONE_IN_COMMON:
                self.notices.append(notice)
        self.batches += map(self._batch, found.batches)
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
        if not once or not key.isdisjoint(self.extra) or other_form != self.other_form:
            raise NotSplittable(_TWICE)
        return [*self.notices, *unpaired(self.missing, self.extra, len(names))]

    def _batch(self, batch: ScoredBatch) -> ScoredBatch:
        """Turn the lines of a batch into those of whole files."""
        return batch._replace(**{name: self._of(getattr(batch, name)) for name in _WITH_PLACES})

    def _finding(self, finding: Finding) -> Finding:
        """Turn the line of a finding into that of the whole file."""
        before = self._before.get(finding.path or "", 0)
        return finding._replace(line=finding.line + before) if finding.line and before else finding

    def _of(self, found: Any) -> Any:
        """Turn the lines of anything that can contain a place or a finding."""
        if isinstance(found, Finding):
            return self._finding(found)
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
