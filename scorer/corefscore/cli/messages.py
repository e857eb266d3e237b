"""What the command says: text on standard output or into a file, findings and errors on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import click

from corefscore.checking.findings import Finding, told
from corefscore.cli.options import OFFICIAL_NAME
from corefscore.cli.output import chunks, encoded, give_up, to_file, to_stream
from corefscore.errors import InputError, UsageError

STDOUT = "-"
"""What stands for standard output where a file can be named."""


def write(pieces: Iterable[str], path: str = STDOUT, *, then: Callable[[], None] = lambda: None) -> None:
    """Write text to standard output, or to a file, which is replaced as a whole or not at all.

    ``then`` is what has to succeed as well before a file is replaced. Odd bytes come out as they were read, but a
    terminal gets pictures for control characters. Raises `UsageError` where it cannot be written.
    """
    if path != STDOUT:
        with _refused(path):
            lost = to_file(path, partial(chunks, pieces), then)
        if not silent():
            show([notice._replace(path=path) for notice in lost])
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
    """Write a file as a whole or not at all. Raises `UsageError` where it cannot be written."""
    with _refused(path):
        to_file(path, lambda terminal: [data])


@contextmanager
def _refused(path: str) -> Iterator[None]:
    """Turn what goes wrong with a file that is written into `UsageError`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def silent(quiet: bool | None = None) -> bool:
    """Whether notices are left out: as the caller or the options of this command have it, or by the name of the
    command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return bool(quiet)
    quiet = context.params.get("quiet") if quiet is None else quiet
    return context.find_root().obj == OFFICIAL_NAME if quiet is None else quiet


def tell(notices: Sequence[Finding], *, strict: bool, quiet: bool | None, of: str = "") -> None:
    """Show the notices of a run, see `show`; where they count as errors, end the command."""
    context = click.get_current_context()
    if strict and notices:
        refuse(InputError(notice.as_error() for notice in notices), context, of)
        context.exit(InputError.status)
    if not silent(quiet):
        show(notices, of)


def refuse(error: InputError, context: click.Context, of: str = "") -> None:
    """Say why input is refused; with ``--quiet``, by the first finding alone. ``of`` as for `show`."""
    if of:
        complain(f"corefscore: about {of}:")
    complain(error.brief if context.params.get("quiet") else str(error))


def show(findings: Sequence[Finding], of: str = "") -> None:
    """Findings on standard error (`corefscore.checking.findings.told`).

    ``of`` is the name of the response that they are about, where a command has several; a line of its own says so.
    """
    if of and findings:
        complain(f"corefscore: about {of}:")
    for lines in told(findings):
        complain(lines)


def complain(text: str) -> None:
    """One message on standard error; where nobody can be told, the exit status has to do."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(encoded(f"{text}\n"))
        sys.stderr.buffer.flush()
    except OSError:
        give_up(sys.stderr)
