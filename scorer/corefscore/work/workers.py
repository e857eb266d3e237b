"""Who does the work: this process, or several. What they have in common is a `map` that keeps order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from corefscore.errors import InputError, ScorerError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or another that gives the same results in the same order and may work ahead."""


def beside(apply: Map, function: Callable[[Any], Any], pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The first of each pair as it is, and what ``function`` makes of the second, by the workers of a `Map`."""
    kept = deque[Any]()

    def seconds() -> Iterator[Any]:
        for first, second in pairs:
            kept.append(first)
            yield second

    for found in apply(function, seconds()):
        yield kept.popleft(), found


class Unsuited(Exception):  # noqa: N818 - nothing is wrong
    """Input in which pieces of it cannot tell what the whole is; one process has to look at it from the beginning."""


Answer = TypeVar("Answer")


def by_many_or_one(run: Callable[[Map | None], Answer], apply: Map | None) -> Answer:
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
        raise UsageError(
            f"the workers cannot do what this process can: {error}; they need the same files under the same paths"
        ) from error


@contextmanager
def processes(jobs: int) -> Iterator[Map]:
    """The `Map` of so many processes of this machine, though not more than it has processors.

    They are started when there is work for them. Leaving the context ends them; so does whatever ends this process.
    Raises `ScorerError` where one is killed, `UsageError` for fewer than one.
    """
    pool = _Processes(capped(jobs))
    try:
        yield partial(in_order, pool.submit, 2 * pool.count)
    finally:
        pool.end()


def capped(jobs: int) -> int:
    """So many jobs, though not more than there are processors. Raises `UsageError` for fewer than one."""
    if jobs < 1:
        raise UsageError(f"jobs={jobs}: expected 1 or more")
    return min(jobs, _processors())


class _Processes:
    """Some processes, each with a pipe of its own, to which one thread at a time talks.

    A process that is killed in the middle of a result then is the end of its pipe. `concurrent.futures` has one pipe
    for all results, and would wait for the other half.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._processes: list[BaseProcess] = []
        self._idle = deque[Any]()  # as many pipes as threads: a thread finds one
        self._threads: Executor | None = None

    def submit(self, function: Callable[[Any], Any], item: Any) -> Future[Any]:
        """Have ``function(item)`` done by the first process that is free."""
        if self._threads is None:
            self._threads = self._begin()
        return self._threads.submit(self._ask, function, item)

    def end(self) -> None:
        """End all processes, whatever they are at, and so the threads that wait for them."""
        for process in self._processes:
            process.kill()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.join()
        for pipe in self._idle:
            pipe.close()

    def _begin(self) -> Executor:
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from multiprocessing import get_context

        # A fork starts in milliseconds, anything else by importing numpy again; it is safe where no thread is at work.
        context = get_context("fork" if sys.platform == "linux" else None)
        for _ in range(self.count):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there,), daemon=True)
            process.start()
            there.close()  # open in that process alone: it ends when the process does
            self._processes.append(process)
            self._idle.append(here)
        return ThreadPoolExecutor(self.count, initializer=_fail_on_closed_pipes)

    def _ask(self, function: Callable[[Any], Any], item: Any) -> Any:
        pipe = self._idle.popleft()
        try:
            pipe.send((function, item))
            found, error, where = pipe.recv()
        except (EOFError, OSError) as lost:
            raise ScorerError(
                f"one of {self.count} processes was killed, most likely for want of memory; fewer --jobs need less"
            ) from lost
        finally:
            self._idle.append(pipe)
        if error is not None:
            raise error from RuntimeError(f"in another process:\n{where}")
        return found


def _fail_on_closed_pipes() -> None:
    """Have this thread told by an error when a process is gone, where a signal would end the whole command."""
    import signal

    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})


def result_of(future: Future[Any]) -> Any:
    """The result of a future, however long that takes."""
    return future.result()


def in_order(
    submit: Callable[..., Future[Any]],
    ahead: int,
    function: Callable[[Any], Any],
    items: Iterable[Any],
    wait: Callable[[Future[Any]], Any] = result_of,
) -> Iterator[Any]:
    """`map` by an executor's ``submit``, given ``ahead`` items at most beyond the one whose result is waited for.

    ``wait`` gives the result of a future. A single item is not worth the way and is dealt with here.
    """
    rest = iter(items)
    first = list(islice(rest, 2))
    if len(first) < 2:
        yield from map(function, first)
        return
    waiting = deque[Any]()
    try:
        for item in chain(first, rest):
            waiting.append(submit(function, item))
            if len(waiting) > ahead:
                yield wait(waiting.popleft())
        while waiting:
            yield wait(waiting.popleft())
    finally:
        for future in waiting:
            future.cancel()


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _serve(asked: Connection) -> None:
    """What a process does: answer until it is ended, with a result or an error and where that was raised.

    Interrupts are left to its parent; it ends with it, however that ends.
    """
    import signal
    from multiprocessing import parent_process
    from threading import Thread
    from traceback import format_exc

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None, "only processes of a pool serve"

    def end() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=end, daemon=True).start()
    while True:
        function, item = asked.recv()
        answer: tuple[Any, Exception | None, str]
        try:
            answer = function(item), None, ""
        except Exception as error:
            answer = None, error, format_exc()
        asked.send(answer)
