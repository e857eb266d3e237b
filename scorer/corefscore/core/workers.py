"""Work in this process or in several: each is a `map` that keeps the order of its results."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from corefscore.core.errors import InputError, ScorerError, UsageError

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or a function that gives the same results in the same order and may work ahead."""


def beside(apply: Map, function: Callable[[Any], Any], pairs: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """Each pair with ``function`` applied to its second value, by the workers of a `Map`."""
    firsts = deque[Any]()

    def seconds() -> Iterator[Any]:
        for first, second in pairs:
            firsts.append(first)
            yield second

    for result in apply(function, seconds()):
        yield firsts.popleft(), result


class Unsuited(Exception):  # noqa: N818 - nothing is wrong
    """Input that cannot be divided: one process has to read it from the beginning."""


Answer = TypeVar("Answer")


def by_many_or_one(run: Callable[[Map | None], Answer], apply: Map | None) -> Answer:
    """The result of ``run`` with the workers of ``apply``, or with None if that is None or the input cannot be divided.

    Input that workers reject is read again by this process, so that errors do not depend on the workers. Raises
    `UsageError` if this process can read the input and the workers cannot.
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
    """The `Map` of ``jobs`` processes of this machine, at most as many as it has processors.

    The processes are started when there is work for them, and end when the context is left or this process ends.
    Raises `ScorerError` if a process is killed, and `UsageError` if ``jobs`` is less than 1.
    """
    pool = _Processes(capped(jobs))
    try:
        yield partial(in_order, pool.submit, 2 * pool.count)
    finally:
        pool.end()


def capped(jobs: int) -> int:
    """``jobs``, at most the number of processors. Raises `UsageError` if it is less than 1."""
    if jobs < 1:
        raise UsageError(f"jobs={jobs}: expected 1 or more")
    return min(jobs, _processors())


class _Processes:
    """Several processes, each with its own pipe, which one thread at a time uses.

    If a process is killed while it sends a result, its pipe ends, which raises an error. `concurrent.futures` has one
    pipe for all results, and would wait for the rest of the result.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._processes: list[BaseProcess] = []
        self._idle = deque[Any]()  # as many pipes as threads, so that each thread finds one
        self._threads: Executor | None = None

    def submit(self, function: Callable[[Any], Any], item: Any) -> Future[Any]:
        """Run ``function(item)`` in the first process that is free."""
        if self._threads is None:
            self._threads = self._begin()
        return self._threads.submit(self._ask, function, item)

    def end(self) -> None:
        """Kill all processes, even while they work, which also ends the threads that wait for them."""
        for process in self._processes:
            process.kill()
        if self._threads is not None:
            self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.join()
        for pipe in self._idle:
            pipe.close()

    def _begin(self) -> Executor:
        """Start the processes; returns the threads that talk to them."""
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from multiprocessing import get_context

        # A fork starts in milliseconds, other processes import numpy again. It is safe while no other thread runs.
        context = get_context("fork" if sys.platform == "linux" else None)
        for _ in range(self.count):
            here, there = context.Pipe()
            process = context.Process(target=_serve, args=(there,), daemon=True)
            process.start()
            there.close()  # now open in that process only, so the pipe ends with the process
            self._processes.append(process)
            self._idle.append(here)
        return ThreadPoolExecutor(self.count, initializer=_fail_on_closed_pipes)

    def _ask(self, function: Callable[[Any], Any], item: Any) -> Any:
        """The result of ``function(item)`` in a process. Raises `ScorerError` if the process is killed."""
        pipe = self._idle.popleft()
        try:
            pipe.send((function, item))
            result, error, where = pipe.recv()
        except (EOFError, OSError) as lost:
            raise ScorerError(
                f"one of {self.count} processes was killed, most likely for lack of memory; fewer --jobs need less"
            ) from lost
        finally:
            self._idle.append(pipe)
        if error is not None:
            raise error from RuntimeError(f"in another process:\n{where}")
        return result


def _fail_on_closed_pipes() -> None:
    """Make writing to a closed pipe an error in this thread; by default a signal ends the whole command."""
    import signal

    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})


def result_of(future: Future[Any]) -> Any:
    """The result of a future; waits without a time limit."""
    return future.result()


def in_order(
    submit: Callable[..., Future[Any]],
    ahead: int,
    function: Callable[[Any], Any],
    items: Iterable[Any],
    wait: Callable[[Future[Any]], Any] = result_of,
) -> Iterator[Any]:
    """`map` by an executor's ``submit``, which gets at most ``ahead`` items beyond the one whose result is next.

    ``wait`` returns the result of a future. A single item is computed in this process.
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
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _serve(pipe: Connection) -> None:
    """Answer requests until the process is killed, each with a result, or an error and its traceback.

    Interrupts are left to the parent process. The process ends when its parent does.
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
        function, item = pipe.recv()
        answer: tuple[Any, Exception | None, str]
        try:
            answer = function(item), None, ""
        except Exception as error:
            answer = None, error, format_exc()
        pipe.send(answer)
