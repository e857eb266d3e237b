"""What the command says: text on standard output or into a file, findings and errors on standard error."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

import click

from corefscore.cli.options import OFFICIAL_NAME
from corefscore.errors import InputError, UsageError
from corefscore.findings import SHOWN, Finding, counted

DESCRIPTOR = re.compile(r"(?:/dev/fd|/proc/self/fd)/([0-9]+)|/dev/(stdout|stderr)")
"""Names that stand for what is open already."""

STANDARD = {"stdout": "1", "stderr": "2"}

STDOUT = "-"
"""What stands for standard output where a file can be named."""


def write(pieces: Iterable[str], path: str = STDOUT, *, then: Callable[[], None] = lambda: None) -> None:
    """Write text to standard output, or to a file, which is replaced as a whole or not at all.

    ``then`` is what has to succeed as well before a file is replaced. Odd bytes come out as they were read. Raises
    `UsageError` where it cannot be written.
    """
    if path != STDOUT:
        _replace(path, _encoded(pieces), then)
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    try:
        for chunk in _encoded(pieces):
            sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
    except OSError as error:
        give_up(sys.stdout)
        raise UsageError(f"standard output: {error.strerror}") from error
    then()


def write_bytes(data: bytes, path: str) -> None:
    """Write a file as a whole or not at all. Raises `UsageError` where it cannot be written."""
    _replace(path, [data])


def _replace(path: str, chunks: Iterable[bytes], then: Callable[[], None] = lambda: None) -> None:
    from tempfile import NamedTemporaryFile

    target = os.path.realpath(path)
    try:
        if not os.path.basename(path) or os.path.isdir(target):
            raise IsADirectoryError(errno.EISDIR, "this names a folder, expected a file")
        descriptor = DESCRIPTOR.fullmatch(path)
        if descriptor or (os.path.exists(target) and not os.path.isfile(target)):
            # What is open already, a device or a pipe cannot be replaced.
            number = descriptor and (descriptor[1] or STANDARD[descriptor[2]])
            with open(target if number is None else os.dup(int(number)), "wb") as file:
                file.writelines(chunks)
            then()
            return
        with (
            _cleaning_up(),
            NamedTemporaryFile(dir=os.path.dirname(target), prefix=".corefscore-", delete=False) as file,
        ):
            try:
                file.writelines(chunks)
                file.flush()
                os.fsync(file.fileno())
                os.chmod(file.name, _mode_of(target))
                then()
                os.replace(file.name, target)
            except BaseException:
                os.unlink(file.name)
                raise
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


@contextmanager
def _cleaning_up() -> Iterator[None]:
    """Let the signal that asks to end raise, so that what was begun is cleared away.

    The exit status is what a shell shows for that signal.
    """
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield  # only the main thread may, and whoever has another way to end keeps it
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _mode_of(path: str) -> int:
    """The permissions of a file, or those that a new one would get."""
    if os.path.exists(path):
        return os.stat(path).st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _encoded(pieces: Iterable[str]) -> Iterator[bytes]:
    """Text as bytes, in chunks that are worth a call."""
    gathered: list[str] = []
    for piece in pieces:
        gathered.append(piece)
        if len(gathered) >= 1000:
            yield "".join(gathered).encode("utf-8", "surrogateescape")
            gathered.clear()
    yield "".join(gathered).encode("utf-8", "surrogateescape")


def give_up(stream: TextIO) -> None:
    """Keep the interpreter from trying again to write what is left in a stream when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def tell(notices: Sequence[Finding], *, strict: bool, quiet: bool | None, of: str = "") -> None:
    """Show the notices of a run, see `show`; where they count as errors, end the command."""
    context = click.get_current_context()
    if strict and notices:
        show((notice.as_error() for notice in notices), of)
        context.exit(InputError.status)
    if not (context.find_root().obj == OFFICIAL_NAME if quiet is None else quiet):
        show(notices, of)


def show(findings: Iterable[Finding], of: str = "") -> None:
    """Findings on standard error, at most `SHOWN` of a kind, then how many more there are.

    ``of`` is the name of the response that they are about, where a command has several; a line of its own says so.
    """
    by_code: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    if of and by_code:
        complain(f"corefscore: about {of}:")
    for code, its in by_code.items():
        for finding in its[:SHOWN]:
            complain(str(finding))
        if len(its) > SHOWN:
            complain(f"... and {counted(len(its) - SHOWN, 'more ' + its[0].severity)} [{code}]")


def complain(text: str) -> None:
    """One message on standard error; where nobody can be told, the exit status has to do."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
        sys.stderr.buffer.flush()
    except OSError:
        give_up(sys.stderr)
