"""Output of commands: text to standard output or a file that is replaced as a whole, messages and the progress of work
to standard error.

Every write is complete or an error, and every signal that ends the command leaves no half of a file behind.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from itertools import islice
from time import monotonic
from typing import Any, TextIO

import click

from corefscore.cli.signals import clearing
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import VISIBLE, Finding, in_words, plural
from corefscore.core.sources import as_bytes, listed

_DESCRIPTOR = r"(?:/dev/fd|/proc/self/fd)/([0-9]+)|/dev/(stdout|stderr)"
"""Names that stand for what is open already."""

_STANDARD = {"stdout": "1", "stderr": "2"}

COMPRESSORS: Mapping[str, tuple[Any, ...]] = {
    ".gz": ("zlib", "compressobj", -1, 8, 31),  # the usual level, deflate, with the header of gzip
    ".bz2": ("bz2", "BZ2Compressor"),
    ".xz": ("lzma", "LZMACompressor"),
}
"""What compresses a file whose name ends so: a module, its class or function, and the arguments."""

_PICTURES = {code: picture for code, picture in VISIBLE.items() if chr(code) not in "\t\n"}
"""What a terminal shows for control characters, those of plain text excepted."""


OFFICIAL_NAME = "scorer.pl"
"""Under this name, the program prints no notices, since programs that run the official scorer may treat any output on
standard error as a failure."""

STDOUT = "-"
"""The name of standard output as a file."""


def whole_streams() -> None:
    """Have standard output and standard error of this process take all that is written to them.

    With PYTHONUNBUFFERED, Python's own streams drop the rest of a write that was cut short, and they do not wait for a
    pipe that does not block.
    """
    for name in ("stdout", "stderr"):
        if (stream := getattr(sys, name)) is not None:
            _wait(stream.fileno())
            how = {"encoding": stream.encoding, "errors": stream.errors, "closefd": False}
            setattr(sys, name, os.fdopen(stream.fileno(), "w", 1, **how))


def _wait(descriptor: int) -> None:
    """Have writes to a descriptor wait until it takes them."""
    if os.name == "posix":
        os.set_blocking(descriptor, True)


def to_file(path: str, content: Callable[[bool], Iterable[bytes]]) -> None:
    """Write a file, which is replaced as a whole or not at all.

    ``content`` returns the bytes; its argument says whether they are for a terminal.

    The new file keeps the owner, the group and the mode of the old one as far as this user may; notices say what it
    could not keep. A device, a pipe or a descriptor that is open already (`_DESCRIPTOR`) is written to as it is. Raises
    `UsageError` if writing fails.
    """
    descriptor = re.fullmatch(_DESCRIPTOR, path)
    lost: list[str] = []
    try:
        target = os.path.realpath(path)
        if not os.path.basename(path) or os.path.isdir(target):
            raise UsageError(f"{path}: this is a folder; expected a file")
        if not descriptor and (os.path.isfile(target) or not os.path.exists(target)):
            lost = _replace(target, content(False))
        else:  # such a thing cannot be replaced
            number = descriptor and (descriptor[1] or _STANDARD[descriptor[2]])
            opened = os.open(target, os.O_WRONLY) if number is None else os.dup(int(number))
            _wait(opened)
            with open(opened, "wb") as file:
                file.writelines(content(file.isatty()))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    for line in in_words(Finding("replaced-file", path, details={"what": what}) for what in lost if not silent()):
        complain(line)


def _replace(target: str, content: Iterable[bytes]) -> list[str]:
    """Replace a regular file, or make one; returns what it could not keep of the old one (`to_file`)."""
    # The name comes first, so that there is no moment at which the file is there and nobody would remove it; once the
    # file has moved into its place there is none of that name.
    name = os.path.join(os.path.dirname(target), f".corefscore-{os.urandom(8).hex()}")

    with clearing(partial(os.unlink, name)):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(name, flags, 0o600), "wb") as file:
            file.writelines(content)
            file.flush()
            lost = _keep(target, file.fileno(), name)
            os.fsync(file.fileno())
        os.replace(name, target)
    return lost


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
    if not (kept := (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid)):
        lost.append(
            f"belonged to user {old.st_uid} and group {old.st_gid}, but this one belongs to user {new.st_uid} "
            f"and group {new.st_gid}"
        )
    os.chmod(name, old.st_mode & (0o7777 if kept else 0o777))
    if old.st_nlink > 1:
        lost.append(f"has {plural(old.st_nlink - 1, 'other hard link')}, where its old text remains")
    return lost


def _chunks(pieces: Iterable[str], terminal: bool = False) -> Iterator[bytes]:
    """Encode text in chunks that are worth a call: odd bytes come out as they were read, halves of surrogate pairs are
    spelt out; a terminal gets pictures for control characters."""
    remaining = iter(pieces)
    while some := list(islice(remaining, 1000)):
        text = "".join(some)
        if terminal:
            text = text.translate(_PICTURES)
        yield as_bytes(text)


def _compressed(pieces: Iterable[bytes], path: str) -> Iterator[bytes]:
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


def write(pieces: Iterable[str], path: str = STDOUT, hint: str = "") -> None:
    """Write text to standard output, or to a file, which is replaced as a whole or not at all, and compressed if its
    name says so. After more lines than fit on the terminal, print the ``hint`` how to get fewer, if there is one.

    Bytes that are not UTF-8 are written as they were read; on a terminal, control characters become visible symbols.
    Raises `UsageError` if writing fails.
    """
    if path != STDOUT:
        to_file(path, lambda terminal: _compressed(_chunks(pieces, terminal), path))
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    terminal, lines = sys.stdout.isatty(), 0
    try:
        for chunk in _chunks(pieces, terminal):
            sys.stdout.buffer.write(chunk)
            lines += chunk.count(b"\n")
        sys.stdout.buffer.flush()
    except OSError as error:
        give_up(sys.stdout)
        raise UsageError(f"standard output: {error.strerror}") from error
    if hint and terminal and lines > terminal_size().lines and not silent():
        complain(f"corefscore: printed {lines} lines; {hint}")


def terminal_size(default: int = 80) -> os.terminal_size:
    """Return the columns and lines of the terminal, or ``COLUMNS`` and ``LINES``; ``default`` columns if they are
    unknown.
    """
    from shutil import get_terminal_size  # imports archive formats, which would slow down the start of every command

    return get_terminal_size((default, 24))


def silent() -> bool:
    """Return whether notices are hidden: by the options of the command, or by the name of the program."""
    if (context := click.get_current_context(silent=True)) is None:
        return False
    return bool(context.params.get("quiet")) or context.find_root().obj[0] == OFFICIAL_NAME


def strict() -> bool:
    """Return whether the command is called with ``--strict``."""
    return bool(click.get_current_context().params.get("strict"))


def tell(notices: Sequence[Finding], of: str = "") -> None:
    """Print the notices of a run; with ``--strict``, print them as errors and end the command.

    ``of`` is the name of the response that they are about, if a command has several; it is printed before them.
    """
    if not notices or (silent() and not strict()):
        return
    if of:
        complain(f"corefscore: messages about {of}:")
    if strict():
        refuse(InputError(notice.as_error() for notice in notices))
        click.get_current_context().exit(InputError.status)
    for lines in in_words(notices):
        complain(lines)


def refuse(error: InputError) -> None:
    """Print why input is rejected; with ``--quiet``, only the first finding."""
    complain(error.brief if click.get_current_context().params.get("quiet") else str(error))


def complain(text: str) -> None:
    """Print a message on standard error; if that is closed, only the exit status reports the error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.writelines(_chunks([f"{text}\n"]))
        sys.stderr.buffer.flush()
    except OSError:
        give_up(sys.stderr)


DELAY = 1.0
"""Seconds before the bar appears."""

_AFTER_BAR = b"\n" if os.name == "nt" else b"\033[?25h\n"
"""Shows the cursor and ends the line."""


class _Progress:
    """Counts work done, such as bytes read, and shows a bar after `DELAY` seconds."""

    def __init__(self, total: int, label: str) -> None:
        self.total, self.label, self.done, self.started = total, label, 0, monotonic()
        self.bar: Any = None

    def __call__(self, size: int) -> None:
        """Add to the work done."""
        self.done += size
        if self.bar is None and monotonic() - self.started >= DELAY:
            self.bar = click.progressbar(length=self.total, label=self.label, file=sys.stderr)
            size = self.done
        if self.bar is not None:
            self.bar.update(size)

    def finish(self) -> None:
        """End the line of the bar, and show the cursor, which the bar hides.

        This writes to the file descriptor, since a signal can interrupt the stream in the middle of an update.
        """
        if self.bar is not None:
            os.write(sys.stderr.fileno(), _AFTER_BAR)


@contextmanager
def progress(paths: Iterable[str] = (), steps: int = 0) -> Iterator[_Progress | None]:
    """Give a `_Progress` over all files of some arguments, or over ``steps`` of resampling; None without a terminal, or
    if a size is unknown."""
    shown = None
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(UsageError):  # reading reports files that cannot be read
            files = [source.path for path in paths for source in listed(path, [])]
            if steps or (files and all(map(os.path.isfile, files))):
                shown = _Progress(steps or sum(map(os.path.getsize, files)), "resampling" if steps else "reading")
    with clearing(shown.finish) if shown else nullcontext():
        yield shown


_THOUSAND = 1000
"""The number of steps of the bar of `resampling`."""


@contextmanager
def resampling() -> Iterator[Callable[[float], None] | None]:
    """Give a function that shows the share of trials that are done, from 0 to 1; None without a terminal."""
    with progress(steps=_THOUSAND) as shown:
        yield None if shown is None else lambda share: shown(int(share * _THOUSAND) - shown.done)
