"""The files of one side: those that a path means, which can be a file, a folder, or an archive (tar or zip)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from corefscore.core.errors import UsageError
from corefscore.core.findings import Finding
from corefscore.core.records import NamedTuple
from corefscore.core.sources import COMPRESSED, STDIN, UNPACK, UNREADABLE, Source, too_large

_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip archive; the second are those of an empty one."""

_PACKED = (*COMPRESSED, *UNREADABLE)
"""The first bytes of everything that is compressed."""

_PROGRAMS = (b"MZ", b"\x7fELF", b"#!")
"""The first bytes of programs, such as archives that unpack themselves."""

_INSIDE = "this is an archive or a compressed file inside another one; unpack the outer one first"
"""The message about what would have to be unpacked twice."""

TAR_BLOCK = 512
"""The number of bytes of a header of a tar archive."""

_OF_MACOS = "__MACOSX"
"""The folder of an archive with what macOS knows about its files; it is hidden, as are names that begin with a dot."""


def sources(path: str, notices: list[Finding] | None = None) -> list[Source]:
    """List the files that a KEY or RESPONSE argument means, in name order; see `listed` and `unpacked`."""
    return unpacked(listed(path, notices), notices)


def place_and_pattern(path: str) -> tuple[str, str | None]:
    """Divide a path such as ``FOLDER/*.conll`` into the folder or archive and the pattern; the pattern of the path of
    an existing file is None."""
    place, name = os.path.split(path)
    if not any(mark in name for mark in "*?[") or os.path.lexists(path):
        return path, None
    return place or os.curdir, name


def listed(path: str, notices: list[Finding] | None = None) -> list[Source]:
    """List the files that a KEY or RESPONSE argument names, in name order; none of them is opened.

    A folder means every file below it except those whose names begin with a dot. The path of a folder or archive can
    end in a pattern (`place_and_pattern`), which the names of its files then have to match, at any depth. Anything in a
    folder that is not a regular file (a pipe, a device) is skipped and added to ``notices``. Raises `UsageError` if no
    file is left.
    """
    if not path:
        raise UsageError("the name of a file is empty")
    path, pattern = place_and_pattern(path)
    if path == STDIN or not os.path.isdir(path):
        return [Source(path, pattern=pattern)]
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
        found += [os.path.join(folder, name) for name in files if not name.startswith(".")]
    found = _in_order(found, pattern, path, "folder")
    # A broken link stays in the list, and is refused when it is read.
    regular = [name for name in found if os.path.isfile(name) or not os.path.exists(name)]
    if notices is not None:
        others = set(found).difference(regular)
        notices += [Finding("not-a-file", name) for name in found if name in others]
    if not regular:
        raise UsageError(f"{path}: the folder contains no file")
    return [Source(name) for name in regular]


def _in_order(names: Iterable[str], pattern: str | None, path: str, place: str) -> list[str]:
    """List names that match a pattern, folder by folder. Raises `UsageError` if ``path``, a ``place``, has none."""
    from fnmatch import fnmatchcase

    found = [name for name in names if fnmatchcase(os.path.basename(name), pattern or "*")]
    if not found:
        wanted = f"no file that matches {pattern}" if pattern else "no file"
        hint = "" if pattern or place != "archive" else "; pack the files again (hidden ones are left out)"
        raise UsageError(f"{path}: the {place} contains {wanted}{hint}")
    return sorted(found, key=lambda name: name.split(os.sep))


def _refuse(error: OSError) -> None:
    """Raise `UsageError` for a folder that cannot be read, so that it is not skipped silently."""
    raise UsageError(f"{error.filename}: {error.strerror}") from error


def unpacked(files: Iterable[Source], notices: list[Finding] | None = None) -> list[Source]:
    """Unpack files: the same, each archive among them replaced by the files in it, as if it were a folder.

    Content decides what is an archive. Its files are kept in memory, never written to disk. Links and devices in a tar
    are skipped and added to ``notices``. Raises `UsageError` for an archive that is damaged, encrypted, empty or inside
    another one, and beyond the limit of decompressed sizes (`Source.limit`).
    """
    found: list[Source] = []
    for source in files:
        # An empty tar archive is zeros.
        head = source.head(TAR_BLOCK)
        parts = _of_tar if head == bytes(TAR_BLOCK) else _parts_of(source.name, head)
        if parts is None and source.pattern is not None:
            raise UsageError(f"{source.name}/{source.pattern}: {source.name} is neither a folder nor an archive")
        found += [source] if parts is None else _members(source, parts, notices)
    return found


class _Part(NamedTuple):
    """An entry of an archive: its name, and a function that opens it, or None for an entry that is neither a file nor a
    folder."""

    name: str
    open: Callable[[], Any] | None


def _parts_of(name: str, head: bytes) -> Callable[[Source], Iterator[_Part]] | None:
    """Return what lists the entries of an archive, given its first bytes; None if it is no archive.

    Raises `UsageError` for what is still compressed, although files are decompressed when they are read.
    """
    if head.startswith(_PACKED):
        raise UsageError(f"{name}: {_INSIDE}")
    if head.startswith(_ZIP):
        return _of_zip
    if b"\0" in head and head.startswith(_PROGRAMS):
        raise UsageError(f"{name}: this is a program, such as an archive that unpacks itself; {UNPACK}")
    if b"\0" not in head or len(head) < TAR_BLOCK:
        return None  # so that text, which is nearly every file, is not looked at any closer
    if head[257:262] == b"ustar":
        return _of_tar
    import tarfile

    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return None
    return _of_tar


def _members(source: Source, parts: Callable[[Source], Iterator[_Part]], notices: list[Finding] | None) -> list[Source]:
    """List the files in an archive, in name order. Raises as `unpacked` does."""
    with source.refusing():
        by_name: dict[str, Callable[[], Any] | None] = {}
        for part in parts(source):
            # As a folder would have it: no name leads out of the archive.
            steps = os.path.normpath("/" + part.name).strip("/").split("/")
            name = os.path.join(source.name, *steps)
            if any(step.startswith(".") or step == _OF_MACOS for step in steps):
                continue
            if name in by_name:
                raise UsageError(f"{name}: the archive contains two files of this name; {UNPACK}")
            by_name[name] = part.open
        found, left = [], source.limit
        for name in _in_order(by_name, source.pattern, source.name, "archive"):
            opened = by_name[name]
            if opened is None:
                if notices is not None:
                    notices.append(Finding("not-a-file", name))
                continue
            with opened() as stream:
                data = _content(name, stream.read(left + 1), left)
            left -= len(data)
            if left < 0:
                raise too_large(source.name, source.limit)
            found.append(Source(name, data))
    return found


def _content(name: str, data: bytes, limit: int) -> bytes:
    """Decompress the content of a file in an archive. Raises `UsageError` if it is an archive itself."""
    if data.startswith(_PACKED):
        data = Source(name, data, ((limit >> 20) + 1) << 20).read()
    if _parts_of(name, data[:TAR_BLOCK]):
        raise UsageError(f"{name}: {_INSIDE}")
    return data


def _of_tar(source: Source) -> Iterator[_Part]:
    """List the entries of a tar archive. Raises `UsageError` if anything follows its last entry."""
    import io
    import tarfile

    data = source.read()
    archive = tarfile.open(fileobj=io.BytesIO(data), mode="r:")  # noqa: SIM115 - in memory
    for info in archive:
        if info.isreg() and not info.issparse():
            yield _Part(info.name, partial(archive.extractfile, info))
        elif not info.isdir():
            yield _Part(info.name, None)
    # A header that is not one ends the list in silence, and so does the end of a first archive of several.
    rest = data[archive.offset :]
    if not rest or rest.strip(b"\0"):
        what = "something follows its end" if rest else "its end is missing"
        raise UsageError(f"{source.name}: this tar archive is damaged or incomplete: {what}; pack it again")


def _of_zip(source: Source) -> Iterator[_Part]:
    """List the entries of a zip archive. Raises `UsageError` if something in it is in no list."""
    import io
    import stat
    import zipfile

    archive = zipfile.ZipFile(io.BytesIO(source.read()))
    if min((info.header_offset for info in archive.infolist()), default=0):
        raise UsageError(f"{source.name}: this zip archive has data before its first file; pack it again")
    for info in archive.infolist():
        name = info.filename.replace("\\", "/")
        if info.flag_bits & 1:
            raise UsageError(f"{source.name}/{name}: this file is encrypted; {UNPACK}")
        if stat.S_ISLNK(info.external_attr >> 16):
            yield _Part(name, None)
        elif not info.is_dir():
            yield _Part(name, partial(archive.open, info))
