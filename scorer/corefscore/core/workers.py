"""Work in this process or in several: each is a `map` that keeps the order of its results."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from corefscore.core.errors import UsageError

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or a function that gives the same results in the same order and may work ahead."""


class NotSplittable(Exception):  # noqa: N818 - nothing is wrong
    """Raised for input that cannot be divided, with the reason: one process has to read it from the beginning."""


def processes(jobs: int) -> AbstractContextManager[Map]:
    """The `Map` of ``jobs`` processes of this machine, at most as many as it has processors.

    Processes live as long as a call of it. Raises `UsageError` if ``jobs`` is less than 1.
    """
    return nullcontext(partial(_by_processes, capped(jobs)))


def capped(jobs: int) -> int:
    """``jobs``, at most the number of processors. Raises `UsageError` if it is less than 1."""
    if jobs < 1:
        raise UsageError(f"jobs={jobs}: expected 1 or more")
    return min(jobs, _processors())


def _processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _by_processes(count: int, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """`map` by ``count`` processes. If one is killed, this process does its item. A single item is computed here."""
    rest = enumerate(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        yield from (function(item) for _, item in first)
        return
    from multiprocessing.connection import wait

    waiting, number = chain(first, rest), 0
    at_work: dict[Connection, tuple[int, Any]] = {}
    done: dict[int, tuple[Any, Exception | None, str]] = {}
    team = _team(count, function)
    try:
        with _closed_pipes_as_errors():
            idle: list[Any] = list(team)
            while at_work or idle:
                for pipe in idle:
                    try:
                        if pipe in at_work:
                            done[at_work[pipe][0]] = pipe.recv()
                            del at_work[pipe]
                        for task in islice(waiting, 1):
                            at_work[pipe] = task
                            pipe.send(task[1])
                    except (EOFError, OSError):
                        lost, item = at_work.pop(pipe)
                        done[lost] = function(item), None, ""
                while number in done:
                    result, error, where = done.pop(number)
                    if error is not None:
                        raise error from RuntimeError(f"in another process:\n{where}")
                    yield result
                    number += 1
                idle = wait(list(at_work)) if at_work else []
        yield from (function(item) for _, item in waiting)
    finally:
        for process in team.values():
            process.kill()
        for pipe, process in team.items():
            process.join()
            pipe.close()


def _team(count: int, function: Callable[[Any], Any]) -> dict[Connection, BaseProcess]:
    """Start processes that compute a function, each with its own pipe, which ends with the process."""
    import sys
    from multiprocessing import get_context

    # A fork starts in milliseconds, other processes import numpy again. It is safe while no other thread runs.
    context = get_context("fork" if sys.platform == "linux" else None)
    team: dict[Connection, BaseProcess] = {}
    for _ in range(count):
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, function), daemon=True)
        process.start()
        there.close()
        team[here] = process
    return team


@contextmanager
def _closed_pipes_as_errors() -> Iterator[None]:
    """Make writing to a closed pipe an error in this thread; by default a signal ends the whole command."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
    try:
        yield
    finally:
        if signal.SIGPIPE in signal.sigpending():
            signal.sigwait({signal.SIGPIPE})
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """Answer each item with a result, or an error and its traceback, until the process is killed.

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
    while True:
        item = pipe.recv()
        answer: tuple[Any, Exception | None, str]
        try:
            answer = function(item), None, ""
        except Exception as error:
            answer = None, error, format_exc()
        pipe.send(answer)


def result_of(future: Future[Any]) -> Any:
    """The result of a future; waits without a time limit."""
    return future.result()


def in_order(
    submit: Callable[..., Future[Any]],
    ahead: int,
    wait: Callable[[Future[Any]], Any],
    function: Callable[[Any], Any],
    items: Iterable[Any],
) -> Iterator[Any]:
    """`map` by an executor's ``submit``, which gets at most ``ahead`` items beyond the one whose result is next;
    ``wait`` returns the result of a future."""
    waiting = deque[Any]()
    try:
        for item in items:
            waiting.append(submit(function, item))
            if len(waiting) > ahead:
                yield wait(waiting.popleft())
        while waiting:
            yield wait(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()
