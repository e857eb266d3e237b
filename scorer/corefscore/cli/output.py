"""Where bytes go: standard output, standard error, a file that is replaced as a whole.

Every write is complete or an error, and every signal that ends the command leaves no half of a file behind.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from importlib import import_module
from select import select
from typing import Any, TextIO

from corefscore.cli.signals import clearing
from corefscore.core.findings import VISIBLE, Finding, plural

DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]+)|/dev/(stdout|stderr)")
"""Names that stand for what is open already."""

STANDARD_OUTPUT = "standard output"
"""What messages call it."""

STANDARD = {"stdout": "1", "stderr": "2"}

HALVES = "[\ud800-\udc7f\udd00-\udfff]"
"""Halves of surrogate pairs that stand for no byte, which JSON can hold."""

COMPRESSORS: Mapping[str, tuple[Any, ...]] = {
    ".gz": ("zlib", "compressobj", -1, 8, 31),  # the usual level, deflate, with the header of gzip
    ".bz2": ("bz2", "BZ2Compressor"),
    ".xz": ("lzma", "LZMACompressor"),
}
"""What compresses a file whose name ends so: a module, its class or function, and the arguments."""

PICTURES = {code: picture for code, picture in VISIBLE.items() if chr(code) not in "\t\n"}
"""What a terminal shows for control characters, those of plain text excepted."""


class Whole(io.RawIOBase):
    """A stream to a descriptor that takes all that it is given: it writes the rest after a short write, and waits for
    a descriptor that does not block. Raises `OSError` with ``name`` as its file where that fails."""

    def __init__(self, descriptor: int, name: str, *, own: bool = False) -> None:
        self._descriptor, self._own = descriptor, own
        self.name = name

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        size = len(view)
        try:
            while view:
                try:
                    view = view[os.write(self._descriptor, view) :]
                except BlockingIOError:
                    select((), (self._descriptor,), ())
        except OSError as error:
            error.filename = self.name
            raise
        return size

    def close(self) -> None:
        if self._own and not self.closed:
            super().close()
            os.close(self._descriptor)
        else:
            super().close()


def whole_streams() -> None:
    """Have standard output and standard error of this process take all that is written to them.

    With PYTHONUNBUFFERED, Python's own streams drop the rest of a write that was cut short.
    """
    for name, called in (("stdout", STANDARD_OUTPUT), ("stderr", "standard error")):
        stream = getattr(sys, name)
        if stream is not None:
            buffer = io.BufferedWriter(Whole(stream.fileno(), called))
            how = {"encoding": stream.encoding, "errors": stream.errors, "line_buffering": stream.line_buffering}
            setattr(sys, name, io.TextIOWrapper(buffer, **how))


def encoded(text: str) -> bytes:
    """Text as bytes: odd bytes come out as they were read, halves of surrogate pairs are spelt out."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return re.sub(HALVES, lambda half: f"\\u{ord(half[0]):04x}", text).encode("utf-8", "surrogateescape")


def to_stream(pieces: Iterable[str], stream: TextIO) -> None:
    """Write text to a stream and flush it. Raises `OSError`."""
    for chunk in chunks(pieces, stream.isatty()):
        stream.buffer.write(chunk)
    stream.buffer.flush()


def to_file(
    path: str, content: Callable[[bool], Iterable[bytes]], then: Callable[[], None] = lambda: None
) -> list[Finding]:
    """Write a file, which is replaced as a whole or not at all; ``then`` has to succeed before it is.

    ``content`` returns the bytes; its argument says whether they are for a terminal.

    The new file keeps the owner, the group and the mode of the old one as far as this user may; notices say what it
    could not keep. A device, a pipe or a descriptor that is open already (`DESCRIPTOR`) is written to as it is. Raises
    `OSError`.
    """
    target = os.path.realpath(path)
    if not os.path.basename(path) or os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "this names a folder, expected a file")
    descriptor = DESCRIPTOR.fullmatch(path)
    if not descriptor and (os.path.isfile(target) or not os.path.exists(target)):
        return _replace(target, content(False), then)
    # Such a thing cannot be replaced.
    number = descriptor and (descriptor[1] or STANDARD[descriptor[2]])
    opened = os.open(target, os.O_WRONLY) if number is None else os.dup(int(number))
    with io.BufferedWriter(Whole(opened, path, own=True)) as file:
        file.writelines(content(file.isatty()))
    then()
    return []


def _replace(target: str, content: Iterable[bytes], then: Callable[[], None]) -> list[Finding]:
    """Replace a regular file, or make one; see `to_file`."""
    # The name comes first, so that there is no moment at which the file is there and nobody would remove it; once the
    # file has moved into its place there is none of that name.
    name = os.path.join(os.path.dirname(target), f".corefscore-{os.urandom(8).hex()}")

    with clearing(partial(os.unlink, name)):
        with open(
            os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb"
        ) as file:
            file.writelines(content)
            file.flush()
            lost = _keep(target, file.fileno(), name)
            os.fsync(file.fileno())
        then()
        os.replace(name, target)
    return [Finding("replaced-file", target, details={"what": what}) for what in lost]


def _keep(target: str, descriptor: int, name: str) -> list[str]:
    """Give a new file the owner, the group and the mode of the old one; what of these it cannot have, in words."""
    if not os.path.exists(target):
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        return []
    old, lost = os.stat(target), []
    if hasattr(os, "fchown"):
        for owner in ((old.st_uid, old.st_gid), (-1, old.st_gid)):
            with suppress(OSError):
                os.fchown(descriptor, *owner)
                break
    new = os.fstat(descriptor)
    kept = (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid)
    if not kept:
        lost.append(
            f"belonged to user {old.st_uid} and group {old.st_gid}, the new one belongs to user {new.st_uid} "
            f"and group {new.st_gid}"
        )
    os.chmod(name, old.st_mode & (0o7777 if kept else 0o777))
    if old.st_nlink > 1:
        lost.append(f"has {plural(old.st_nlink - 1, 'more hard link')}, still with the old text")
    return lost


def chunks(pieces: Iterable[str], terminal: bool) -> Iterator[bytes]:
    """Text as bytes, in chunks that are worth a call; for a terminal with pictures for control characters."""
    gathered: list[str] = []

    def joined() -> bytes:
        text = "".join(gathered)
        gathered.clear()
        return encoded(text.translate(PICTURES) if terminal else text)

    for piece in pieces:
        gathered.append(piece)
        if len(gathered) >= 1000:
            yield joined()
    yield joined()


def compressed(pieces: Iterable[bytes], path: str) -> Iterator[bytes]:
    """Compress bytes if the ending of a path is one of `COMPRESSORS`."""
    module, name, *options = COMPRESSORS.get(os.path.splitext(path)[1], ("", ""))
    if not module:
        yield from pieces
        return
    compressor = getattr(import_module(module), name)(*options)
    yield from map(compressor.compress, pieces)
    yield compressor.flush()


def give_up(stream: TextIO) -> None:
    """Keep the interpreter from trying again to write what is left in a stream when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
