"""Output of commands: text to standard output or a file, findings and errors to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from corefscore.cli.options import OFFICIAL_NAME, terminal_size
from corefscore.cli.output import chunks, compressed, encoded, give_up, to_file, to_stream
from corefscore.core.errors import InputError, UsageError
from corefscore.core.findings import Finding, in_words

STDOUT = "-"
"""The name of standard output as a file."""


def write(pieces: Iterable[str], path: str = STDOUT, *, then: Callable[[], None] = lambda: None) -> None:
    """Write text to standard output, or to a file, which is replaced as a whole or not at all, and compressed if its
    name says so.

    ``then`` is called before a file is replaced, and must succeed. Bytes that are not UTF-8 are written as they were
    read; on a terminal, control characters become visible symbols. Raises `UsageError` if writing fails.
    """
    if path != STDOUT:
        _to_file(path, lambda terminal: compressed(chunks(pieces, terminal), path), then)
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    try:
        to_stream(pieces, sys.stdout)
    except OSError as error:
        give_up(sys.stdout)
        raise UsageError(f"standard output: {error.strerror}") from error
    then()


def write_bytes(data: bytes, path: str) -> None:
    """Write a file as a whole or not at all. Raises `UsageError` if writing fails."""
    _to_file(path, lambda terminal: [data])


def _to_file(path: str, content: Callable[[bool], Iterable[bytes]], then: Callable[[], None] = lambda: None) -> None:
    """Write a file (`corefscore.cli.output.to_file`), and print its notices. Raises `UsageError` if writing fails."""
    try:
        lost = to_file(path, content, then)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if not silent():
        show([notice._replace(path=path) for notice in lost])


def silent() -> bool:
    """Whether notices are hidden: by the options of the command, or by the name of the program."""
    context = click.get_current_context(silent=True)
    if context is None:
        return False
    return bool(context.params.get("quiet")) or context.find_root().obj == OFFICIAL_NAME


def strict() -> bool:
    """Whether the command is called with ``--strict``."""
    return bool(click.get_current_context().params.get("strict"))


def write_long(pieces: Iterable[str], path: str, hint: str) -> None:
    """Write text like `write`; after more lines than fit on the terminal, print how to get fewer."""
    lines = 0

    def counted() -> Iterator[str]:
        nonlocal lines
        for piece in pieces:
            lines += piece.count("\n")
            yield piece

    write(counted(), path)
    if path == STDOUT and sys.stdout.isatty() and lines > terminal_size().lines and not silent():
        complain(f"corefscore: {lines} lines; {hint}")


def tell(notices: Sequence[Finding], of: str = "") -> None:
    """Print the notices of a run (see `show`); with ``--strict``, print them as errors and end the command."""
    if strict() and notices:
        context = click.get_current_context()
        refuse(InputError(notice.as_error() for notice in notices), context, of)
        context.exit(InputError.status)
    if not silent():
        show(notices, of)


def refuse(error: InputError, context: click.Context, of: str = "") -> None:
    """Print why input is rejected; with ``--quiet``, only the first finding. ``of`` is that of `show`."""
    if of:
        complain(f"corefscore: about {of}:")
    complain(error.brief if context.params.get("quiet") else str(error))


def show(findings: Sequence[Finding], of: str = "") -> None:
    """Print findings on standard error (`corefscore.core.findings.in_words`).

    ``of`` is the name of the response that they are about, if a command has several; it is printed before them.
    """
    if of and findings:
        complain(f"corefscore: about {of}:")
    for lines in in_words(findings):
        complain(lines)


def complain(text: str) -> None:
    """Print a message on standard error; if that is closed, only the exit status reports the error."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(encoded(f"{text}\n"))
        sys.stderr.buffer.flush()
    except OSError:
        give_up(sys.stderr)
