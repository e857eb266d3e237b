"""How far reading has come: a bar on standard error, on a terminal, for work that takes more than a second."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from corefscore.cli.signals import clearing
from corefscore.sources import Source, sources

DELAY = 1.0
"""Seconds before the bar appears."""


class Progress:
    """Counts the bytes that were read; shows them once it has taken `DELAY` seconds."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.started = total, 0, monotonic()
        self.bar: Any = None

    def __call__(self, size: int) -> None:
        """So many more bytes were read."""
        self.done += size
        if self.bar is None and monotonic() - self.started >= DELAY:
            self.bar = click.progressbar(length=self.total, label="reading", file=sys.stderr)
            size = self.done
        if self.bar is not None:
            self.bar.update(size)

    def finish(self) -> None:
        """Leave the line of the bar."""
        if self.bar is not None:
            self.bar.render_finish()


def watched(files: list[Source], watch: Progress | None) -> list[Source]:
    """The files, whose reading will be watched."""
    for source in files:
        source.watch = watch
    return files


@contextmanager
def progress(paths: Iterable[str], include: str | None) -> Iterator[Progress | None]:
    """A `Progress` over all files of some arguments; None where no terminal is looked at, or a size is not known."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    files = [source.path for path in paths for source in sources(path, include)]
    if not all(os.path.isfile(path) for path in files):
        yield None
        return
    shown = Progress(sum(map(os.path.getsize, files)))
    with clearing():  # the bar hides the cursor
        try:
            yield shown
        finally:
            shown.finish()
