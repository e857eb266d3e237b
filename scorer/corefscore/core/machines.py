"""Work on several machines with Dask (extra ``dask``): its workers as a `Map`.

Dask repeats the work of a lost worker. The scheduler and the workers need this package, and the workers need the same
files under the same paths.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from pydoc import locate
from time import monotonic
from typing import Any

from corefscore.core import __version__
from corefscore.core.errors import ScorerError, UsageError
from corefscore.core.workers import Map, keep_memory

SECONDS = 10
"""Time limit in seconds for each step before work begins: the scheduler answers, has a worker, and workers answer."""

BEAT = 2
"""Seconds between two checks of a cluster while waiting for results."""

LOST = 30
"""Seconds after which a scheduler that does not answer, or has no worker, is treated as lost."""

SILENT = 300
"""Seconds after which workers that the scheduler does not hear from are treated as lost, since one long computation may
keep them silent.

Dask waits equally long for one of several workers (``distributed.scheduler.worker-ttl``), and then gives its work to
others.
"""

_EVERYWHERE = "here, on the scheduler and on its workers"


@contextmanager
def cluster(scheduler: str) -> Iterator[Map]:
    """Give the `Map` of the workers of the cluster at an address such as ``tcp://HOST:8786``, and close the connection
    to it in the end.

    Raises `UsageError` if Dask is not installed or the cluster cannot be reached, and `ScorerError` if the scheduler or
    all workers are lost: within `LOST` seconds if they have ended, within `SILENT` seconds if they are stopped.
    """
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            "--jobs tcp://HOST:PORT needs Dask, which is not installed: pip install 'dask[distributed]'"
        ) from error

    settings = {"distributed.comm.timeouts.connect": SECONDS, "distributed.admin.large-graph-warning-threshold": "1 PB"}
    with dask.config.set(settings), _silence():
        try:
            # A `Client` waits for ever for a server that does not answer, or is not a scheduler.
            if (kind := _identity(scheduler, SECONDS)["type"]) != "Scheduler":
                raise ValueError(f"this is the address of a {kind}")
            client = Client(address=scheduler, timeout=SECONDS)
        except Exception as error:  # a server that is not Dask may send anything
            raise UsageError(
                f"no Dask scheduler answers at {scheduler} within {SECONDS} seconds "
                f"({str(error) or 'no answer'}); start one: dask scheduler"
            ) from error
        try:
            with _lost(scheduler):
                _check(client, scheduler)
                yield partial(_map, client, scheduler)
        finally:
            with suppress(Exception):  # a lost cluster cannot be closed properly
                _in_time(client.close)


def _map(client: Any, scheduler: str, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Do the work of `map` by a client of Dask, which is connected to a scheduler."""
    executor = client.get_executor(pure=False)
    waiting = deque(executor.submit(_work, function, item) for item in items)
    while waiting:
        yield _result(scheduler, waiting.popleft())


def _work(function: Callable[[Any], Any], item: Any) -> Any:
    """Do the work of an item on a worker, whose process was not started by this package."""
    keep_memory()
    return function(item)


def _result(scheduler: str, future: Future[Any]) -> Any:
    """Wait for the result of a future. Raises `ScorerError` if the cluster is lost, since Dask would wait for ever."""
    answered = heard = monotonic()
    seen: dict[str, float] = {}
    while not wait([future], BEAT).done:
        try:
            workers = _identity(scheduler, BEAT)["workers"]
        except Exception as error:  # a broken scheduler may send anything
            if monotonic() - answered >= LOST:
                raise ScorerError(
                    f"the scheduler at {scheduler} has not answered for {LOST} seconds; it may have ended, be "
                    "suspended or be unreachable: see its log, start it again, and repeat the run"
                ) from error
            continue
        answered = monotonic()
        # The clock of the scheduler may be wrong, so only changes of its times are used.
        before, seen = seen, {worker: state["last_seen"] for worker, state in workers.items()}
        if any(before.get(worker) != last_seen for worker, last_seen in seen.items()):
            heard = answered
        if answered - heard >= (patience := SILENT if seen else LOST):
            what = "has not heard from any of its workers" if seen else "has had no worker"
            raise ScorerError(
                f"the scheduler at {scheduler} {what} for {patience} seconds; "
                "see the logs of the workers, start them again, and repeat the run"
            )
    return future.result()


@contextmanager
def _lost(scheduler: str) -> Iterator[None]:
    """Turn errors of a cluster and its connection into `ScorerError`."""
    from distributed.scheduler import KilledWorker

    try:
        yield
    except (KilledWorker, CancelledError) as error:
        raise ScorerError(
            f"the cluster at {scheduler} lost its workers or its scheduler ({type(error).__name__}); "
            "see their logs; the workers may need more memory"
        ) from error
    except RuntimeError as error:
        if "deserialization" not in str(error):
            raise
        raise ScorerError(
            f"the scheduler at {scheduler} cannot read what is sent to it ({error.__cause__ or error}); "
            f"install the same versions of Python, numpy, Dask and corefscore {_EVERYWHERE}"
        ) from error


@contextmanager
def _silence() -> Iterator[None]:
    """Hide Dask's own log, since errors report what goes wrong."""
    import logging

    # The loggers after the first have their own levels, or log for Dask.
    names = ("distributed", "distributed.client", "distributed.nanny", "tornado", "tornado.application", "asyncio")
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


def _identity(address: str, seconds: float) -> dict[str, Any]:
    """Ask the server at an address what it is. Raises an error of any kind if it does not answer in time."""
    import asyncio

    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> Any:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as remote:
            return await remote.identity()

    with ThreadPoolExecutor(1) as thread:  # this thread may have an event loop already
        return dict(thread.submit(asyncio.run, asyncio.wait_for(ask(), seconds)).result())


def _in_time(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function. Raises `TimeoutError` if it takes more than `SECONDS`."""
    from threading import Thread

    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()  # a daemon does not keep this process from ending
    if not wait([future], SECONDS).done:
        raise TimeoutError(f"no answer within {SECONDS} seconds")
    return future.result()


def _check(client: Any, scheduler: str) -> None:
    """Raise `UsageError` if there are no workers, or the scheduler or a worker lacks this version of this package."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError as error:
        raise UsageError(f"the scheduler at {scheduler} has no workers; start some: dask worker {scheduler}") from error
    needed = f"expected corefscore {__version__} {_EVERYWHERE}"
    # `locate` is there even without this package, and returns None for names that do not exist.
    ask = locate, "corefscore.__version__"
    try:
        versions_of = {"scheduler": {_in_time(client.run_on_scheduler, *ask)}}
        versions_of["workers"] = set(_in_time(client.run, *ask).values())
    except TimeoutError as error:
        raise UsageError(
            f"the scheduler at {scheduler} or one of its workers does not answer within {SECONDS} seconds; restart it"
        ) from error
    except Exception as error:  # importing may raise anything
        raise UsageError(f"corefscore cannot be imported at {scheduler} ({error}); {needed}") from error
    for role, versions in versions_of.items():
        if versions != {__version__}:
            names = ", ".join(sorted(version or "none" for version in versions))
            raise UsageError(f"corefscore on the {role} at {scheduler}: version {names}; {needed}")
