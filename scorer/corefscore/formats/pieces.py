"""Reading a corpus in pieces by many workers: small files are put together, large ones cut where documents begin.

A piece is read like a small corpus and returned as columns. Its lines are counted, so that the lines of the next piece
of the file have their numbers. What an oddity means can depend on the text before it, so a piece with any oddity raises
`corefscore.core.workers.Unsuited`, and the corpus has to be read as a whole.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from corefscore.core.documents import Documents, Place
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding
from corefscore.core.sources import COMPRESSED, Source, State
from corefscore.core.workers import Map, Unsuited
from corefscore.formats.base import Format, Read, Request

SIZE = 1 << 22
"""The approximate number of bytes in a piece: enough for whole-array passes, few enough to keep workers busy."""

BLOCK = 1 << 16
"""The number of bytes read at once to find where to cut."""

LF = b"\n"


class Stretch(Source):
    """The bytes of a file from ``start`` to ``stop``.

    ``file`` is the number of the file among those of its side, ``state`` the state of the file when it was cut, and
    ``seen`` the number of its line ends that were read.
    """

    def __init__(self, file: int, source: Source, state: State, start: int, stop: int) -> None:
        # A worker of a cluster may run in another folder, and have other files of the same names there.
        super().__init__(os.path.abspath(source.path), source.max_unpacked)
        self.name = source.name
        self.file, self.state, self.start, self.stop = file, state, start, stop
        self.seen = 0
        self.cut = start > 0
        self.whole = start == 0 and stop == state.size

    def _raw(self) -> io.RawIOBase:
        raw = _Bytes(self)
        state = State.of(os.fstat(raw.file.fileno())).anywhere
        if state != self.state:
            raw.close()
            raise UsageError(
                f"{self.name}: a worker found another file at {self.path}, {state}; expected {self.state}: "
                "copy files with their times, and leave them alone while they are scored"
            )
        return raw


class _Bytes(io.RawIOBase):
    """The bytes of a stretch."""

    def __init__(self, stretch: Stretch) -> None:
        self.stretch, self.left, self.seen = stretch, stretch.stop - stretch.start, 0
        self.file = io.FileIO(stretch.path)
        self.file.seek(stretch.start)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)[: self.left]
        size = self.file.readinto(view) or 0
        self.left -= size
        self.seen += int(np.count_nonzero(np.frombuffer(view[:size], dtype=np.uint8) == LF[0]))
        self.stretch.seen = max(self.stretch.seen, self.seen)
        return size

    def close(self) -> None:
        self.file.close()
        super().close()


Piece = tuple[Sequence[tuple[Documents, Sequence[tuple[int, int]]]], int]
"""The batches of one piece, and the number of lines in its last file. A batch has no places, but the number of the file
and the first line of each document, which are cheap to send."""


def read_in_pieces(
    files: Sequence[Source], form: Format, request: Request, apply: Map, watch: Callable[[int], None] | None = None
) -> Iterator[Documents]:
    """The documents that ``form.read`` returns for all files as one corpus.

    ``apply`` distributes the work, ``watch`` is called with the number of bytes read. Raises `Unsuited` for files that
    have to be read as a whole, whether these are refused then or not, and `UsageError` for a file that a worker cannot
    read.
    """
    try:
        pieces = list(_pieces(files, form.begin))
    except OSError as error:  # the error is reported when the file is read as a whole
        raise Unsuited from error
    lines_before = 0
    for piece, found in zip(pieces, apply(partial(_read, read=form.read, request=request), pieces), strict=True):
        if found is None:
            raise Unsuited
        if isinstance(found, UsageError):
            raise found
        if watch:
            watch(sum(stretch.stop - stretch.start for stretch in piece))
        if not piece[0].start:
            lines_before = 0
        batches, lines = found
        for documents, places in batches:
            there = [Place(files[number], lines_before + line) for number, line in places]
            yield replace(documents.later(lines_before), places=there)
        lines_before += lines


def _read(piece: Sequence[Stretch], read: Read, request: Request) -> Piece | UsageError | None:
    """Read a piece. Returns None if there is a fault or a notice, and the error if it cannot be read.

    The error is not raised, since Dask would log it.
    """
    notices: list[Finding] = []
    try:
        found = list(read(piece, notices, request))
    except (InputError, Unsuited):
        return None
    except UsageError as error:
        return error
    if notices or any(documents.faults for documents in found):
        return None
    number: dict[Source, int] = {stretch: stretch.file for stretch in piece}
    batches = []
    for documents in found:
        places = map(documents.place_of, range(len(documents)))
        batches.append((replace(documents, places=()), [(number[place.source], place.line or 0) for place in places]))
    return batches, piece[-1].seen


def _pieces(files: Sequence[Source], begin: bytes | None) -> Iterator[list[Stretch]]:
    """The files in pieces: each is some whole files, or a stretch of one."""
    gathered: list[Stretch] = []
    size = 0
    for number, source in enumerate(files):
        state = source.check(os.stat(source.path)).anywhere
        ends = [0, *_cuts(source.path, begin), state.size]
        stretches = [Stretch(number, source, state, start, stop) for start, stop in pairwise(ends)]
        gathered.append(stretches[0])
        size += stretches[0].stop
        if len(stretches) > 1 or size >= SIZE:
            yield gathered
            yield from ([stretch] for stretch in stretches[1:])
            gathered, size = [], 0
    if gathered:
        yield gathered


def _cuts(path: str, begin: bytes | None) -> Iterator[int]:
    """Where to cut a large file: at lines that begin with ``begin``, about every `SIZE` bytes. Compressed files, and
    files of a format without ``begin``, are not cut."""
    size = os.path.getsize(path)
    if begin is None or size < 2 * SIZE:
        return
    words, cut = LF + begin, 0
    # Not mapped into memory: if a mapped file is truncated, the process is killed.
    with open(path, "rb") as file:
        if file.read(8).startswith(tuple(COMPRESSED)):
            return
        while True:
            file.seek(cut + SIZE)
            # In blocks, since a document of very many lines takes ten times as long line by line.
            window = b""
            while (at := window.find(words)) < 0:
                if not (block := file.read(BLOCK)):
                    return
                window = window[-len(words) :] + block
            cut = file.tell() - len(window) + at + len(LF)
            if cut >= size:  # after the last line
                return
            yield cut
