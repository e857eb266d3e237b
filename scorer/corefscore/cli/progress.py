"""The progress of reading or resampling: a bar on standard error, if it is a terminal and work takes over a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

import click

from corefscore.cli.signals import clearing
from corefscore.core.errors import UsageError
from corefscore.core.sources import Source, listed

DELAY = 1.0
"""Seconds before the bar appears."""

_AFTER_BAR = b"\n" if os.name == "nt" else b"\033[?25h\n"
"""Shows the cursor and ends the line."""


class _Progress:
    """Counts work done, such as bytes read, and shows a bar after `DELAY` seconds."""

    def __init__(self, total: int, label: str = "reading") -> None:
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


def watched(files: list[Source], watch: _Progress | None) -> list[Source]:
    """Return the same files; reading them calls ``watch``."""
    for source in files:
        source.watch = watch
    return files


@contextmanager
def progress(paths: Iterable[str]) -> Iterator[_Progress | None]:
    """Give a `_Progress` over all files of some arguments; None without a terminal, or if a size is unknown."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    files: list[str] = []
    with suppress(UsageError):  # reading reports files that cannot be read
        files = [source.path for path in paths for source in listed(path)]
    if not files or not all(os.path.isfile(path) for path in files):
        yield None
        return
    shown = _Progress(sum(map(os.path.getsize, files)))
    with clearing(shown.finish):
        yield shown


_THOUSAND = 1000
"""The number of steps of the bar of `resampling`."""


@contextmanager
def resampling() -> Iterator[Callable[[float], None] | None]:
    """Give a function that shows the share of trials that are done, from 0 to 1; None without a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    shown = _Progress(_THOUSAND, "resampling")
    with clearing(shown.finish):
        yield lambda share: shown(int(share * _THOUSAND) - shown.done)
