"""Who does the work: this process, or several. What they have in common is a `map` that keeps order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from scorer.errors import InputError, ScorerError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or another that gives the same results in the same order and may work ahead."""


class Unsuited(Exception):  # noqa: N818 - nothing is wrong
    """Input in which pieces of it cannot tell what the whole is; one process has to look at it from the beginning."""


Found = TypeVar("Found")


def by_many_or_one(run: Callable[[Map | None], Found], apply: Map | None) -> Found:
    """What ``run`` gives with the workers of ``apply``; without any (None) where that does not suit the input.

    Whatever there is to refuse is so by one process, in the one way that it has. Raises `UsageError` where only the
    workers cannot do it.
    """
    if apply is None:
        return run(None)
    try:
        return run(apply)
    except (Unsuited, InputError):
        return run(None)
    except UsageError as error:
        run(None)
        raise UsageError(f"the workers cannot do what this process can: {error}") from error


@contextmanager
def processes(jobs: int) -> Iterator[Map]:
    """The `Map` of so many processes of this machine, though not more than it has processors.

    Leaving the context ends them; so does whatever ends this process. Raises `ScorerError` where one is killed.
    """
    import sys
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # A fork starts in milliseconds, anything else by importing numpy again; it is safe where no thread is at work.
    context = get_context("fork" if sys.platform == "linux" else None)
    count = min(jobs, _processors())
    pool = ProcessPoolExecutor(count, context, initializer=_begin)
    wait = True
    try:
        yield partial(in_order, pool, 2 * count)
    except BrokenProcessPool as error:
        raise ScorerError(
            f"one of {count} processes was killed, most likely for want of memory; fewer --jobs need less"
        ) from error
    except KeyboardInterrupt:
        wait = (
            False  # the command ends now, and its processes with it (`_begin`); killing them here could hang the pool
        )
        raise
    finally:
        pool.shutdown(wait=wait, cancel_futures=True)


def in_order(pool: Executor, ahead: int, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """`map` by an executor, which is given ``ahead`` items at most beyond the one whose result is waited for.

    A single item is not worth the way and is dealt with here.
    """
    rest = iter(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    waiting = deque[Any]()
    try:
        for item in chain(first, rest):
            waiting.append(pool.submit(function, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin() -> None:
    """What a process does first: leave interrupts to its parent, and end with it, however that ends."""
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None, "only processes of a pool begin here"

    def end() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=end, daemon=True).start()
