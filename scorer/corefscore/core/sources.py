"""Where bytes come from: a file, standard input, or a compressed file; and the files that a path means, which can be a
file, a folder, or an archive (tar or zip)."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from importlib import import_module
from itertools import chain, islice
from typing import Any, cast

from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding

STDIN = "-"

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, at the beginning of some files."""


COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\x00": "lzma", b"\x28\xb5\x2f\xfd": "compression.zstd"}
"""The modules that decompress, by the first bytes of a file, so that the name of the file does not matter. Python has
zstd from version 3.14 on."""

_DECOMPRESSORS = {"bz2": "BZ2Decompressor", "lzma": "LZMADecompressor", "compression.zstd": "ZstdDecompressor"}
"""The classes of these modules that decompress one stream."""

UNREADABLE = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a rar archive",
    b"\x1f\x9d": "a file compressed by compress (.Z)",
    b"\x04\x22\x4d\x18": "a file compressed by lz4",
    b"LZIP": "a file compressed by lzip",
}
"""What Python cannot unpack, by the first bytes of a file."""

_PACKED = (*COMPRESSED, *UNREADABLE)
"""The first bytes of everything that is compressed."""

UNPACK = "unpack it and give the file or folder, or pack it as zip or tar.gz"
"""The advice about a file that cannot be unpacked."""

_AGAIN = "copy it again, or unpack it with another program"
"""The advice about a file that cannot be read to its end."""

UNPACKED = 4 << 20
"""The limit of the decompressed size of a file in bytes, unless `_RATIO` times its compressed size is more."""

_RATIO = 100
"""The limit of the decompressed size as a multiple of the compressed size. Text compresses about ten times, a file that
was made to exhaust memory a thousand times or more; a run can take hundreds of times the memory of its input."""


def is_utf_16(head: bytes) -> bool:
    """Return whether what begins so seems to be UTF-16: it has its byte order mark, or one of two bytes is 0."""
    return head.startswith((b"\xff\xfe", b"\xfe\xff")) or (head[:1] == b"\0") != (head[1:2] == b"\0")


class _Bounded(io.RawIOBase):
    """A decompressed stream, which a function reads, that raises `UsageError` beyond a limit."""

    def __init__(self, read: Callable[[memoryview], int], limit: int, name: str) -> None:
        self._read, self._limit, self._left, self._name = read, limit, limit, name

    def readable(self) -> bool:
        return True

    def readinto(self, view: Any) -> int:
        # One byte beyond the limit is enough to refuse the file, however large the view is.
        size = self._read(memoryview(view)[: self._left + 1])
        self._left -= size
        if self._left < 0:
            raise too_large(self._name, self._limit)
        return size


class _Streams:
    """The decompressed bytes of compressed streams, one after another, each read by a decompressor of its own.

    Python's own readers of bz2 and lzma end in silence where a later stream is damaged.
    """

    def __init__(self, decompressor: Callable[[], Any], stream: io.BufferedReader) -> None:
        self._stream, self._first = stream, True
        self._new, self._decompressor = decompressor, decompressor()

    def readinto(self, view: memoryview) -> int:
        """Read the next bytes into a buffer; returns their number, which is 0 at the end."""
        found = b""
        while not found:
            packed = b""
            if self._decompressor.eof:
                rest = chain([self._decompressor.unused_data], iter(partial(self._stream.read, PACKED), b""))
                # Only zeros may be between two streams and after the last one.
                if not (packed := next(filter(None, (piece.lstrip(b"\0") for piece in rest)), b"")):
                    return 0
                self._decompressor, self._first = self._new(), False
            elif self._decompressor.needs_input and not (packed := self._stream.read(PACKED)):
                raise EOFError("it ends within a compressed stream")
            try:
                found = self._decompressor.decompress(packed, len(view))
            except Exception as error:
                if self._first:
                    raise
                raise ValueError(f"the data after its first stream is damaged or not compressed ({error})") from error
        view[: len(found)] = found
        return len(found)


def too_large(name: str, limit: int) -> UsageError:
    """Make the error for a file that unpacks to more bytes than its limit."""
    return UsageError(
        f"{name}: this file unpacks to over {limit / 2**20:.0f} MB, too much for its size; unpack it yourself if you "
        "trust it"
    )


PACKED = 1 << 16
"""The number of compressed bytes that are read at once."""

STEP = 1 << 20
"""The largest number of bytes that one step of reading takes, so that a progress bar moves."""


class _Unchanged(io.FileIO):
    """A file that raises `UsageError` as soon as it is not the one that its ``source`` opened first.

    Every step of reading checks this, so that a line of a changed file is never taken for one of the old file.
    """

    source: Source

    def readinto(self, buffer: Any) -> int:
        source = self.source
        most = STEP if source.stop is None else min(STEP, source.stop - self.tell())
        size = super().readinto(memoryview(buffer)[:most]) or 0
        status = os.fstat(self.fileno())
        state = status.st_size, status.st_mtime_ns
        source.state = source.state or state
        if state != source.state and stat.S_ISREG(status.st_mode):
            raise source.changed()
        if source.watch is not None:
            source.watch(size)
        return size


class Source:
    """One file, or standard input; ``name`` is its name in messages.

    ``watch`` is called with the number of bytes of each step of reading, before decompression. A file may be read
    several times, since a message shows the line that it is about; a file that changes in between is refused. What
    cannot be read twice (a pipe, standard input, a file in an archive) is ``kept`` in memory. ``most`` limits the
    decompressed size in bytes; by default `UNPACKED` and `_RATIO` set it. ``pattern`` is what the names of files in an
    archive have to match.

    Only the bytes from ``start`` to ``stop`` are read; ``lines`` is the number of lines that the reader found in them.
    ``state`` is the size of the file and the time of its last change when it was first read; with another state it has
    changed.
    """

    def __init__(
        self, path: str, kept: bytes | None = None, most: int | None = None, pattern: str | None = None
    ) -> None:
        self.path, self.pattern = path, pattern
        self.name = "<stdin>" if path == STDIN else path
        self.watch: Callable[[int], None] | None = None
        self.start, self.stop, self.lines = 0, cast(int | None, None), 0
        self.state: tuple[int, int] | None = None
        self._kept, self._most = kept, most

    @property
    def file(self) -> str:
        """The name of the file without its folder and the ending of its compression."""
        name, ending = os.path.splitext(os.path.basename(self.path))
        return name if ending in (".gz", ".bz2", ".xz", ".zst") else name + ending

    @property
    def stem(self) -> str:
        """The name of the file without its endings, which name its format and its compression."""
        return os.path.splitext(self.file)[0]

    def part(self, start: int, stop: int) -> Source:
        """Return the bytes from ``start`` to ``stop`` of a file that was opened before, for a worker.

        A worker can run in another folder, and on another machine with a copy of the file.
        """
        assert self.state is not None, "it was opened before"
        found = copy(self)
        found.path, found.start, found.stop, found.watch = os.path.abspath(self.path), start, stop, None
        return found

    def changed(self) -> UsageError:
        """Make the error for a file that is not the one that was opened first."""
        if self.stop is not None:
            return UsageError(
                f"{self.name}: the file at {self.path} differs on a worker, or is missing there; copy files with "
                "their modification times (cp -p), and do not change them during scoring"
            )
        return UsageError(f"{self.name}: this file changed while it was read; try again when no program writes to it")

    @contextmanager
    def reading(self) -> Iterator[io.BufferedReader]:
        """Open a stream of the decompressed bytes. Raises `UsageError` for a file that cannot be opened, or read to its
        end."""
        try:
            if self._kept is None and self.path == STDIN:
                if sys.stdin is None:
                    raise UsageError("standard input is closed; give a file, or pipe input into the command")
                self._kept = sys.stdin.buffer.read()
            if self._kept is None:
                raw = _Unchanged(self.path)
                raw.source = self
                if not raw.seekable():
                    with raw:
                        self._kept = raw.readall()
                elif self.start:
                    raw.seek(self.start)
            opened = raw if self._kept is None else cast(io.RawIOBase, io.BytesIO(self._kept))
            stream: io.BufferedReader = io.BufferedReader(opened)
            head = stream.peek(8)
        except OSError as error:
            if self.state is not None:
                raise self.changed() from error
            raise UsageError(f"{self.name}: {error.strerror or error}") from error
        if head.startswith(_PACKED):
            stream = self._decompressed(stream, head)
        try:
            with stream:
                yield stream
        except (OSError, EOFError, ValueError, NotImplementedError) as error:
            raise UsageError(f"{self.name}: this file cannot be read to its end: {error}; {_AGAIN}") from error
        except Exception as error:
            # Modules that decompress have error classes of their own, which are not imported for plain files.
            if type(error).__module__ in ("_lzma", "lzma", "zlib", "_zstd", "tarfile", "zipfile", "struct"):
                raise UsageError(f"{self.name}: this file cannot be decompressed: {error}; {_AGAIN}") from error
            raise

    def _decompressed(self, stream: io.BufferedReader, head: bytes) -> io.BufferedReader:
        """Decompress a stream that begins so. Raises `UsageError` if Python cannot, or was built without the module."""
        for magic, what in UNREADABLE.items():
            if head.startswith(magic):
                raise UsageError(f"{self.name}: this is {what}, which cannot be read; {UNPACK}")
        module = next(module for magic, module in COMPRESSED.items() if head.startswith(magic))
        try:
            imported = import_module(module)
        except ImportError as error:
            raise UsageError(
                f"{self.name}: this file is compressed, and this Python lacks the module {module}; {UNPACK}"
            ) from error
        if module == "gzip":
            unpacked = imported.open(stream)
        else:
            unpacked = _Streams(getattr(imported, _DECOMPRESSORS[module]), stream)
        return io.BufferedReader(_Bounded(unpacked.readinto, self.limit, self.name), 1 << 16)

    @property
    def limit(self) -> int:
        """Limit the decompressed size in bytes."""
        return max(UNPACKED, _RATIO * self._size) if self._most is None else self._most

    @property
    def _size(self) -> int:
        """Count the bytes before decompression; 0 if their number is not known."""
        if self._kept is not None:
            return len(self._kept)
        return self.state[0] if self.state is not None else 0

    def head(self, size: int) -> bytes:
        """Read the first bytes, at most ``size``."""
        with self.reading() as stream:
            return stream.read(size)

    def read(self) -> bytes:
        """Read all bytes."""
        with self.reading() as stream:
            # Asked for no more than there is: memory of a size that an earlier file had can be used again. Of a
            # compressed file, or of one whose size is not known, there is more.
            return b"".join([stream.read(self._size), *iter(partial(stream.read, PACKED), b"")])

    def numbered_lines(self) -> Iterator[tuple[int, bytes]]:
        """Read the lines, line ends included, numbered from 1."""
        with self.reading() as stream:
            yield from enumerate(stream, start=1)

    def lines_at(self, numbers: Iterable[int]) -> dict[int, bytes]:
        """Read the lines with these numbers (from 1), without their LF, for messages. The file is read once."""
        wanted = set(numbers)
        lines = islice(self.numbered_lines(), max(wanted, default=0))
        found = {number: line.removesuffix(b"\n") for number, line in lines if number in wanted}
        if len(found) < len(wanted):
            raise self.changed()
        return found


def as_text(raw: bytes) -> str:
    """Decode bytes as text that can be encoded to the same bytes, whatever they are."""
    return raw.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """Encode text as the bytes that `as_text` decodes to it; halves of surrogate pairs that stand for no byte, which
    JSON can hold, are spelt out.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        spelt = re.sub("[\ud800-\udc7f\udd00-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)
        return spelt.encode("utf-8", "surrogateescape")


def only_once(path: str) -> tuple[int, int] | None:
    """Identify something that can be read only once (a pipe, a terminal); None for a file or folder."""
    try:
        status = os.stat(path) if path != STDIN else os.fstat(0)
    except OSError:  # reading reports it
        return None
    kind = status.st_mode
    device = stat.S_ISCHR(kind) and not os.path.samestat(status, os.stat(os.devnull))
    return (status.st_dev, status.st_ino) if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) or device else None


_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip archive; the second are those of an empty one."""

_PROGRAMS = (b"MZ", b"\x7fELF", b"#!")
"""The first bytes of programs, such as archives that unpack themselves."""

_INSIDE = "this is an archive or a compressed file inside another one; unpack the outer one first"
"""The message about what would have to be unpacked twice."""

TAR_BLOCK = 512
"""The number of bytes of a header of a tar archive."""

_OF_MACOS = "__MACOSX"
"""The folder of an archive with what macOS knows about its files; it is hidden, as are names that begin with a dot."""


def sources(path: str, notices: list[Finding]) -> list[Source]:
    """List the files that a KEY or RESPONSE argument means, in name order; see `listed` and `unpacked`."""
    return unpacked(listed(path, notices), notices)


def place_and_pattern(path: str) -> tuple[str, str | None]:
    """Divide a path such as ``FOLDER/*.conll`` into the folder or archive and the pattern; the pattern of the path of
    an existing file is None."""
    place, name = os.path.split(path)
    if not any(mark in name for mark in "*?[") or os.path.lexists(path):
        return path, None
    return place or os.curdir, name


def listed(path: str, notices: list[Finding]) -> list[Source]:
    """List the files that a KEY or RESPONSE argument names, in name order; none of them is opened.

    A folder means every file below it except those whose names begin with a dot. The path of a folder or archive can
    end in a pattern (`place_and_pattern`), which the names of its files then have to match, at any depth. Anything in a
    folder that is not a regular file (a pipe, a device) is skipped and added to ``notices``. Raises `UsageError` if no
    file is left.
    """
    if not path:
        raise UsageError("the path of a file is empty; give the path of a file or folder")
    path, pattern = place_and_pattern(path)
    if path == STDIN or not os.path.isdir(path):
        return [Source(path, pattern=pattern)]
    found: list[str] = []
    seen = set()
    for folder, folders, files in os.walk(path, onerror=_refuse, followlinks=True):
        seen.add(os.path.realpath(folder))
        # A link may lead back to a folder above it.
        visible = [name for name in folders if not name.startswith(".")]
        folders[:] = [name for name in visible if os.path.realpath(os.path.join(folder, name)) not in seen]
        found += [os.path.join(folder, name) for name in files if not name.startswith(".")]
    found = _in_order(found, pattern, path, "folder")
    # A broken link stays in the list, and is refused when it is read.
    regular = [name for name in found if os.path.isfile(name) or not os.path.exists(name)]
    others = set(found).difference(regular)
    notices += [Finding("not-a-file", name) for name in found if name in others]
    if not regular:
        raise UsageError(f"{path}: the folder contains no regular file")
    return [Source(name) for name in regular]


def _in_order(names: Iterable[str], pattern: str | None, path: str, place: str) -> list[str]:
    """List names that match a pattern, folder by folder. Raises `UsageError` if ``path``, a ``place``, has none."""
    from fnmatch import fnmatchcase

    if not (found := [name for name in names if fnmatchcase(os.path.basename(name), pattern or "*")]):
        wanted = f"no file that matches {pattern}" if pattern else "no visible file"
        hint = "" if pattern or place != "archive" else "; pack the files again (hidden ones are left out)"
        raise UsageError(f"{path}: the {place} contains {wanted}{hint}")
    return sorted(found, key=lambda name: name.split(os.sep))


def _refuse(error: OSError) -> None:
    """Raise `UsageError` for a folder that cannot be read, so that it is not skipped silently."""
    raise UsageError(f"{error.filename}: {error.strerror}") from error


def unpacked(files: Iterable[Source], notices: list[Finding]) -> list[Source]:
    """Unpack files: the same, each archive among them replaced by the files in it, as if it were a folder.

    Content decides what is an archive. Its files are kept in memory, never written to disk. Links and devices in a tar
    are skipped and added to ``notices``. Raises `UsageError` for an archive that is damaged, encrypted, empty or inside
    another one, and beyond the limit of decompressed sizes (`Source.limit`).
    """
    found: list[Source] = []
    for source in files:
        # An empty tar archive is zeros.
        head = source.head(TAR_BLOCK)
        parts = None
        # Text, which is nearly every file, is looked at no closer.
        if b"\0" in head or head.startswith((*_PACKED, *_ZIP)):
            parts = _of_tar if head == bytes(TAR_BLOCK) else _parts_of(source.name, head)
        if parts is None and source.pattern is not None:
            raise UsageError(f"{source.name}/{source.pattern}: {source.name} is neither a folder nor an archive")
        found += [source] if parts is None else _members(source, parts, notices)
    return found


_Parts = Iterator[tuple[str, Callable[[], Any] | None]]
"""The entries of an archive: the name of each, and a function that opens it, or None for an entry that is neither a
file nor a folder."""


def _parts_of(name: str, head: bytes) -> Callable[[Source], _Parts] | None:
    """Return what lists the entries of an archive, given its first bytes; None if it is no archive.

    Raises `UsageError` for what is still compressed, although files are decompressed when they are read.
    """
    if head.startswith(_PACKED):
        raise UsageError(f"{name}: {_INSIDE}")
    if head.startswith(_ZIP):
        return _of_zip
    if b"\0" in head and head.startswith(_PROGRAMS):
        raise UsageError(f"{name}: this is a program, perhaps a self-extracting archive; {UNPACK}")
    if b"\0" not in head or len(head) < TAR_BLOCK:
        return None
    if head[257:262] == b"ustar":
        return _of_tar
    import tarfile

    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return None
    return _of_tar


def _members(source: Source, parts: Callable[[Source], _Parts], notices: list[Finding]) -> list[Source]:
    """List the files in an archive, in name order. Raises as `unpacked` does."""
    with source.reading():
        by_name: dict[str, Callable[[], Any] | None] = {}
        for entry, opened in parts(source):
            # As a folder would have it: no name leads out of the archive.
            steps = os.path.normpath("/" + entry).strip("/").split("/")
            name = os.path.join(source.name, *steps)
            if any(step.startswith(".") or step == _OF_MACOS for step in steps):
                continue
            if name in by_name:
                raise UsageError(f"{name}: the archive contains two files of this name; {UNPACK}")
            by_name[name] = opened
        found, left = [], source.limit
        for name in _in_order(by_name, source.pattern, source.name, "archive"):
            if (opened := by_name[name]) is None:
                notices.append(Finding("not-a-file", name))
                continue
            with opened() as stream:
                data = _content(name, stream.read(left + 1), left)
            left -= len(data)
            if left < 0:
                raise too_large(source.name, source.limit)
            found.append(Source(name, data))
    if not found:
        raise UsageError(f"{source.name}: the archive contains links or devices only; pack the files themselves")
    return found


def _content(name: str, data: bytes, limit: int) -> bytes:
    """Decompress the content of a file in an archive. Raises `UsageError` if it is an archive itself."""
    if data.startswith(_PACKED):
        data = Source(name, data, ((limit >> 20) + 1) << 20).read()
    if _parts_of(name, data[:TAR_BLOCK]):
        raise UsageError(f"{name}: {_INSIDE}")
    return data


def _of_tar(source: Source) -> _Parts:
    """List the entries of a tar archive. Raises `UsageError` if anything follows its last entry."""
    import tarfile

    data = source.read()
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - in memory
    for info in archive:
        if info.isreg() and not info.issparse():
            yield info.name, partial(archive.extractfile, info)
        elif not info.isdir():
            yield info.name, None
    # A header that is not one ends the list in silence, and so does the end of a first archive of several.
    if not (rest := data[archive.offset :]) or rest.strip(b"\0"):
        what = "something follows its end" if rest else "its end is missing"
        raise UsageError(f"{source.name}: this tar archive is damaged or incomplete: {what}; pack it again")


def _of_zip(source: Source) -> _Parts:
    """List the entries of a zip archive. Raises `UsageError` if something in it is in no list."""
    import zipfile

    archive = zipfile.ZipFile(io.BytesIO(source.read()))
    if min((info.header_offset for info in archive.infolist()), default=0):
        raise UsageError(f"{source.name}: this zip archive has data before its first file; pack it again")
    for info in archive.infolist():
        name = info.filename.replace("\\", "/")
        if info.flag_bits & 1:
            raise UsageError(f"{source.name}/{name}: this file is encrypted; {UNPACK}")
        if stat.S_ISLNK(info.external_attr >> 16):
            yield name, None
        elif not info.is_dir():
            yield name, partial(archive.open, info)
