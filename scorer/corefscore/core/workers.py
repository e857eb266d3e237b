"""Work in this process or in several: each is a `map` that keeps the order of its results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from corefscore.core.errors import UsageError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or a function that gives the same results in the same order and may work ahead."""


class NotSplittable(Exception):  # noqa: N818 - nothing is wrong
    """Raised for input that one process has to read from the beginning, with the reason; small input needs none."""


KEPT = 1 << 25
"""The size in bytes up to which blocks are kept when they are freed."""

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1
"""Options of glibc: the size of blocks that are not of the heap, and how much of its end the heap can leave free."""


def keep_memory() -> None:
    """Make this process use freed memory again, and large pages: new pages cost as much time as the work in them.

    Large blocks then extend the heap, which glibc does not shrink, and numpy asks Linux for large pages for the first
    one. Nothing is written to it, so it takes no memory; it is done without where the address space is too small.
    """
    import numpy as np

    with suppress(ImportError, AttributeError, OSError, TypeError):  # another C library
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, KEPT)
        mallopt(_TRIM_THRESHOLD, 2 * KEPT)
    with suppress(MemoryError):
        np.empty(KEPT - (1 << 13), dtype=np.uint8)


def processes(jobs: int | None) -> AbstractContextManager[Map]:
    """Give the `Map` of ``jobs`` processes of this machine, at most and by default as many as it has processors.

    Processes live as long as a call of it. Raises `UsageError` if ``jobs`` is less than 1.
    """
    return nullcontext(partial(_by_processes, capped(jobs)))


def capped(jobs: int | None) -> int:
    """Return ``jobs``, at most and by default the number of processors. Raises `UsageError` if it is less than 1."""
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs={jobs}: expected 1 or more")
    return _processors() if jobs is None else min(jobs, _processors())


def _processors() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _by_processes(count: int, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Do the work of `map` by ``count`` processes, each of which does every ``count``-th item.

    This process does what one that is killed leaves, and a single item.
    """
    if (count := min(count, len(items := list(items)))) < 2:
        yield from map(function, items)
        return
    import sys
    from multiprocessing import get_context

    # A fork starts in milliseconds, other processes import numpy again. It is safe while no other thread runs.
    context = get_context("fork" if sys.platform == "linux" else None)
    team: list[tuple[Any, Connection]] = []
    try:
        for first in range(count):
            here, there = context.Pipe(duplex=False)
            process = context.Process(target=_serve, args=(there, function, items[first::count]), daemon=True)
            process.start()
            there.close()  # so that the pipe ends with the process
            team.append((process, here))
        for number, item in enumerate(items):
            try:
                result, error, where = team[number % count][1].recv()
            except (EOFError, OSError):
                result, error, where = function(item), None, ""
            if error is not None:
                raise error from RuntimeError(f"in another process:\n{where}")
            yield result
    finally:
        for member, pipe in team:
            member.kill()
            member.join()
            pipe.close()


def _serve(pipe: Connection, function: Callable[[Any], Any], items: Iterable[Any]) -> None:
    """Send the result of each item, or its error and the traceback.

    Interrupts are left to the parent process. The process ends when its parent does.
    """
    import signal
    from multiprocessing import parent_process
    from threading import Thread
    from traceback import format_exc

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None, "only processes of a team serve"

    def end() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=end, daemon=True).start()
    for item in items:
        answer: tuple[Any, Exception | None, str]
        try:
            answer = function(item), None, ""
        except Exception as error:
            answer = None, error, format_exc()
        pipe.send(answer)
