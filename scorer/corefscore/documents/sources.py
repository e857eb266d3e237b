"""Where bytes come from: a file, standard input, a compressed file, or a folder as one corpus."""

from __future__ import annotations

import io
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np

from corefscore.checking.findings import Finding
from corefscore.documents.arrays import Bytes
from corefscore.errors import UsageError

STDIN = "-"

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, at the beginning of some files."""


COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma"}
"""The modules that decompress, by the first bytes of a file, so that the name of the file does not matter."""

SUFFIXES = (".gz", ".bz2", ".xz")
"""The endings of the names of compressed files."""

UNPACKED = 4 << 20
"""The limit of the decompressed size of a file in bytes, unless `RATIO` times its compressed size is more."""

RATIO = 100
"""The limit of the decompressed size as a multiple of the compressed size. Text compresses about ten times, a file that
was made to exhaust memory a thousand times or more; a run can take hundreds of times the memory of its input."""


def is_utf_16(head: bytes) -> bool:
    """Whether what begins so seems to be UTF-16: it has its byte order mark, or one of two bytes is 0."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or (head[:1] == b"\0") != (head[1:2] == b"\0")


class _Bounded(io.RawIOBase):
    """A decompressed stream that raises `UsageError` beyond a limit."""

    def __init__(self, stream: BinaryIO, limit: int, name: str) -> None:
        self._stream, self._limit, self._left, self._name = stream, limit, limit, name

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        # One byte beyond the limit is enough to refuse the file, however large the view is.
        size = cast(io.BufferedIOBase, self._stream).readinto(memoryview(view)[: self._left + 1])
        self._left -= size
        if self._left < 0:
            raise UsageError(
                f"{self._name}: unpacks to more than {self._limit / 2**20:.0f} MB, "
                "which is much for a file of its size; --max-unpacked MB raises the limit"
            )
        return size


PIECE = 1 << 26
"""The number of bytes that are read at once from a whole file. Most files are one piece, which is not copied."""

STEP = 1 << 20
"""The largest number of bytes that one step of reading takes, so that a progress bar moves."""


class State(NamedTuple):
    """What distinguishes a file from another file at the same path, and from itself after a change.

    ``inode`` is 0 if it is not compared, since a copy on another machine has a different one.
    """

    size: int
    mtime_ns: int
    inode: int = 0

    @classmethod
    def of(cls, status: os.stat_result) -> State:
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)

    @property
    def anywhere(self) -> State:
        """The part that a copy on another machine shares."""
        return self._replace(inode=0)

    def __str__(self) -> str:
        seconds, rest = divmod(self.mtime_ns, 10**9)
        return f"{self.size} bytes of {time.strftime('%Y-%m-%d %H:%M:%S', time.gmtime(seconds))}.{rest:09} UTC"


class _Unchanged(io.FileIO):
    """A file that raises `UsageError` as soon as it is not the one that its `Source` opened first.

    Every step of reading checks this, so that a line of a changed file is never taken for one of the old file.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source.path)
        self._source = source
        try:
            source.check(os.fstat(self.fileno()))
        except UsageError:
            self.close()
            raise

    def readinto(self, buffer: Any) -> int:
        size = super().readinto(memoryview(buffer)[:STEP]) or 0
        self._source.check(os.fstat(self.fileno()))
        if self._source.watch is not None:
            self._source.watch(size)
        return size


class Source:
    """One file, or standard input; ``name`` is its name in messages.

    ``max_unpacked`` is the limit of the decompressed size in MB; by default `UNPACKED` and `RATIO` set it.

    ``watch`` is called with the number of bytes of each step of reading, before decompression. A file may be read
    several times, since a message shows the line that it is about; a file that changes in between is refused. What
    cannot be read twice (a pipe, standard input) is kept in memory.
    """

    def __init__(self, path: str, max_unpacked: int | None = None) -> None:
        self.path = path
        self.max_unpacked = max_unpacked
        self.name = "<stdin>" if path == STDIN else path
        self.watch: Callable[[int], None] | None = None
        self.cut = False  # begins after the first line of a file, so that its line numbers are not those of the file
        self.whole = True  # all of a file, not a part of it
        self._kept: bytes | None = None
        self._state: State | None = None

    def check(self, status: os.stat_result) -> State:
        """The state of the file. Raises `UsageError` for a regular file whose state was different the first time."""
        found = State.of(status)
        if self._state is None:
            self._state = found
        elif found != self._state and stat.S_ISREG(status.st_mode):
            raise self._changed()
        return found

    def _changed(self) -> UsageError:
        return UsageError(
            f"{self.name}: this file changed while it was read; wait until nothing writes to it, then run this again"
        )

    def open(self) -> BinaryIO:
        """A stream of the decompressed bytes. Raises `UsageError` if the file cannot be opened."""
        try:
            stream = io.BufferedReader(self._raw())
            head = stream.peek(8)
        except OSError as error:
            if self._state is not None:
                raise self._changed() from error
            raise UsageError(f"{self.name}: {error.strerror or error}") from error
        for magic, module in COMPRESSED.items():
            if head.startswith(magic):
                unpacked = _Bounded(import_module(module).open(stream), self._limit(), self.name)
                return cast(BinaryIO, io.BufferedReader(unpacked, 1 << 16))
        return cast(BinaryIO, stream)

    def _limit(self) -> int:
        """The limit of the decompressed size in bytes."""
        return max(UNPACKED, RATIO * self._size) if self.max_unpacked is None else self.max_unpacked << 20

    @property
    def _size(self) -> int:
        """The number of bytes before decompression; 0 if it is not known."""
        if self._kept is not None:
            return len(self._kept)
        return self._state.size if self._state is not None else 0

    def _raw(self) -> io.RawIOBase:
        if self._kept is None and self.path == STDIN:
            if sys.stdin is None:
                raise UsageError("standard input is closed")
            self._kept = sys.stdin.buffer.read()
        if self._kept is None:
            raw = _Unchanged(self)
            if raw.seekable():
                return raw
            with raw:
                self._kept = raw.readall()
        return cast(io.RawIOBase, io.BytesIO(self._kept))

    def fill(self, stream: BinaryIO, view: memoryview) -> int:
        """Read into ``view``; returns the number of bytes, 0 at the end of the file."""
        with self._reading():
            return cast(io.BufferedIOBase, stream).readinto(view)

    def head(self, size: int) -> bytes:
        """The first bytes, at most ``size``."""
        with self.reading() as stream:
            return stream.read(size)

    def read(self) -> bytes:
        """All bytes."""
        with self.reading() as stream:
            # Asked for no more than there is: memory of a size that an earlier file had can be used again.
            piece = min(self._size, PIECE) or PIECE
            return b"".join(iter(lambda: stream.read(piece), b""))

    def array(self) -> Bytes:
        """All bytes as an array. For large arrays numpy asks for large pages of memory, which are ready sooner."""
        with self.reading() as stream:
            found = np.empty(self._size + 1, dtype=np.uint8)
            view, filled = found.data, 0
            while filled < len(found) and (size := cast(io.BufferedIOBase, stream).readinto(view[filled:])):
                filled += size
            # Of a compressed file, or of one whose size is not known, there is more.
            more = np.frombuffer(stream.read(), dtype=np.uint8)
        return np.concatenate([found[:filled], more]) if len(more) else found[:filled]

    @contextmanager
    def reading(self) -> Iterator[BinaryIO]:
        """A stream of the decompressed bytes; errors while it is read become `UsageError`."""
        with self.open() as stream, self._reading():
            yield stream

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """The lines, line ends included, numbered from 1."""
        with self.reading() as stream:
            yield from enumerate(stream, start=1)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn errors of reading and decompression into `UsageError`."""
        try:
            yield
        except (OSError, EOFError, ValueError) as error:
            raise UsageError(f"{self.name}: cannot be read to its end: {error}") from error
        except Exception as error:
            # lzma and zlib have error classes of their own, which are not imported for plain files.
            if type(error).__module__ in ("_lzma", "lzma", "zlib"):
                raise UsageError(f"{self.name}: cannot be decompressed: {error}") from error
            raise

    def lines_at(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """The lines with these numbers (from 1), without their LF, for messages. The file is read once."""
        wanted = set(numbers)
        last = max(wanted, default=0)
        found: dict[int, bytes] = {}
        if not wanted:
            return found
        for number, line in self.numbered_lines():
            if number in wanted:
                found[number] = line.removesuffix(b"\n")
            if number >= last:
                break
        if len(found) < len(wanted):
            raise self._changed()
        return found


def as_text(raw: bytes) -> str:
    """Bytes as text that can be encoded to the same bytes, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def sources(
    path: str, include: str | None = None, max_unpacked: int | None = None, notices: list[Finding] | None = None
) -> list[Source]:
    """The files that a KEY or RESPONSE argument means, in name order.

    A folder means every file below it except those whose names begin with a dot. ``include`` is a glob that the names
    of files have to match, ``max_unpacked`` is passed to `Source`. Anything in a folder that is not a regular file (a
    pipe, a device) is skipped and added to ``notices``. Raises `UsageError` if no file is left.
    """
    if not path:
        raise UsageError("the name of a file is empty")
    if path == STDIN or not os.path.isdir(path):
        return [Source(path, max_unpacked)]
    from fnmatch import fnmatchcase

    found: list[str] = []
    seen = set()
    for folder, folders, files in os.walk(path, onerror=_refuse, followlinks=True):
        seen.add(os.path.realpath(folder))
        # A link may lead back to a folder above it.
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and os.path.realpath(os.path.join(folder, name)) not in seen
        ]
        for name in files:
            if not name.startswith(".") and fnmatchcase(name, include or "*"):
                found.append(os.path.join(folder, name))
    found.sort(key=lambda name: name.split(os.sep))
    # A broken link stays in the list, and is refused when it is read.
    regular = [name for name in found if os.path.isfile(name) or not os.path.exists(name)]
    if not regular:
        wanted = f"no file that matches {include}" if include else "no file"
        raise UsageError(f"{path}: the folder contains {wanted}")
    if notices is not None:
        others = set(found).difference(regular)
        notices += [Finding("not-a-file", name) for name in found if name in others]
    return [Source(name, max_unpacked) for name in regular]


def only_once(path: str) -> tuple[int, int] | None:
    """An identity of something that can be read only once (a pipe, a terminal); None for a file or folder."""
    try:
        status = os.stat(path) if path != STDIN else os.fstat(0)
    except OSError:  # reading reports it
        return None
    kind = status.st_mode
    device = stat.S_ISCHR(kind) and not os.path.samestat(status, os.stat(os.devnull))
    return (status.st_dev, status.st_ino) if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or device else None


def _refuse(error: OSError) -> None:
    """Raise `UsageError` for a folder that cannot be read, so that it is not skipped silently."""
    raise UsageError(f"{error.filename}: {error.strerror}") from error
